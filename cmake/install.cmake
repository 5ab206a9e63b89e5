# SPDX-License-Identifier: MIT
# Rules of `cmake --install`: the library, its headers, a CMake package, a pkg-config file and the
# program. The installed tree may be moved. A static and a shared build may have the same prefix, in
# any order: their files are equal or have different names. Components, for `cmake --install --component`:
# runtime (the shared library), development, tools, doc.
include(CMakePackageConfigHelpers)

set(kind static)
if(BUILD_SHARED_LIBS)
  set(kind shared)
endif()
install(TARGETS crosslane EXPORT crosslane-${kind}-targets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/crosslane DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# For bindings to other languages.
install(FILES include/declarations.h DESTINATION ${CMAKE_INSTALL_DATADIR}/crosslane COMPONENT development)
include(cmake/install_pages.cmake)

# The program finds the shared library relative to its own folder.
if(TARGET crosslane_tool)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  if(APPLE)
    set(origin "@loader_path")
  else()
    set(origin "$ORIGIN")
  endif()
  set_target_properties(crosslane_tool PROPERTIES INSTALL_RPATH "${origin}/${bin_to_lib}")
  install(TARGETS crosslane_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(NOT CMAKE_CROSSCOMPILING AND UNIX)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/tools/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  endif()
endif()

# find_package(crosslane)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/crosslane)
configure_package_config_file(cmake/crosslane-config.cmake.in
                              ${PROJECT_BINARY_DIR}/crosslane-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/crosslane-config-version.cmake
                                 COMPATIBILITY ${abi_compatibility})
install(EXPORT crosslane-${kind}-targets NAMESPACE crosslane:: DESTINATION ${package_dir} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/crosslane-config.cmake
              ${PROJECT_BINARY_DIR}/crosslane-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# pkg-config crosslane. The public headers include CL/cl.h and programs call OpenCL
# themselves, so OpenCL is a public requirement, by its .pc file if there is one.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(XL_OPENCL_PC QUIET OpenCL)
endif()
if(XL_OPENCL_PC_FOUND)
  set(pc_requires OpenCL)
else()
  set(pc_cflags " -I${OpenCL_INCLUDE_DIRS}")
  set(pc_libs " ${OpenCL_LIBRARIES}")
endif()
# One file serves both kinds; the static one needs the threads. On Windows functions need no
# dllimport, and static ones must not have it.
if(WIN32)
  string(APPEND pc_cflags " -DCROSSLANE_STATIC")
endif()
string(APPEND pc_libs " ${CMAKE_THREAD_LIBS_INIT}")
string(STRIP "${pc_libs}" pc_libs)
if(pc_libs)
  string(PREPEND pc_libs " ")
endif()
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
function(install_pc name library)
  set(pc_library ${library})
  set(pc_name ${name})
  configure_file(cmake/crosslane.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir} COMPONENT development)
endfunction()
install_pc(crosslane "-L\${libdir} -lcrosslane")
# The path selects the static library even if a shared one is in the same folder.
if(NOT BUILD_SHARED_LIBS)
  get_target_property(name crosslane OUTPUT_NAME)
  if(NOT name)
    set(name crosslane)
  endif()
  install_pc(crosslane-static "\${libdir}/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX}")
endif()
if(CROSSLANE_MPI) # compile and link with MPI's wrapper, such as mpicc
  set(pc_requires crosslane)
  set(pc_cflags "")
  set(pc_libs " -lm")
  install_pc(crosslane_mpi "-L\${libdir} -lcrosslane_mpi")
endif()
