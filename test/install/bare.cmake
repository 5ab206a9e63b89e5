# SPDX-License-Identifier: MIT
# Configures, builds and installs as README says, with every package hidden that only the program,
# the tests and the benchmark use. A line names each part that is left out, and the others work.
# Requesting a part without its package is an error that names the package.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${BINARY})
set(hidden -DCMAKE_CXX_COMPILER=CMAKE_CXX_COMPILER-NOTFOUND)
foreach(package PNG cmocka TBB PkgConfig)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# configure(FOLDER OPTION...): sets `code` and `text`
function(configure folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY}/${folder} -G ${GENERATOR}
                          -DCMAKE_C_COMPILER=${CC} -DCMAKE_BUILD_TYPE=Debug
                          -DCMAKE_INSTALL_PREFIX=${BINARY}/prefix ${hidden} ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(code ${code} PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

function(expect_said)
  foreach(line ${ARGN})
    string(FIND "${text}" "${line}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "\"${line}\" is not said: ${text}")
    endif()
  endforeach()
endfunction()

configure(build)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "a machine with a C compiler and OpenCL only: ${text}")
endif()
expect_said("-- the examples 06_particles, 07_material_binning, 08_thread_hierarchy and 12_sph left out: PNG not found"
            "-- the example 10_flip left out: PNG not found" "-- tests left out: cmocka not found"
            "-- the example 13_counts left out: no C++ compiler found"
            "-- the benchmark's peers in C++ left out: no C++ compiler found")
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BINARY}/build --parallel 2 OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BINARY}/build OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(wanted include/crosslane/crosslane.h lib*/libcrosslane.a lib*/cmake/crosslane/crosslane-config.cmake
               lib*/pkgconfig/crosslane.pc)
  file(GLOB_RECURSE found ${BINARY}/prefix/${wanted})
  if(NOT found)
    message(FATAL_ERROR "${wanted} was not installed")
  endif()
endforeach()

foreach(order "XL_TESTS=ON needs cmocka")
  string(REGEX REPLACE " .*" "" option "${order}")
  configure(asked_for -D${option})
  if(code EQUAL 0)
    message(FATAL_ERROR "${option} without its package is no error: ${text}")
  endif()
  expect_said("${order}")
  file(REMOVE_RECURSE ${BINARY}/asked_for)
endforeach()

configure(tests -DCMAKE_DISABLE_FIND_PACKAGE_cmocka=OFF -DXL_TESTS=ON -Dxl_cxx_compiler=FALSE)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "tests without a C++ compiler: ${text}")
endif()
expect_said("-- tests of the headers in C++ left out: no C++ compiler found")
