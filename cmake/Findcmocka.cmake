# SPDX-License-Identifier: MIT
# find_package(cmocka): cmocka_library and cmocka_include; not every version of cmocka
# has a CMake package.
find_library(cmocka_library cmocka)
find_path(cmocka_include cmocka.h)
mark_as_advanced(cmocka_library cmocka_include)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(cmocka REQUIRED_VARS cmocka_library cmocka_include)
