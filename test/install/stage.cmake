# SPDX-License-Identifier: MIT
# Builds and installs Crosslane as KIND (static, shared) and moves the result to
# PREFIX, so that nothing in it may rely on where it was installed.
cmake_minimum_required(VERSION 3.20)
set(build ${PREFIX}_build)
set(stage ${PREFIX}_stage)
set(shared OFF)
if("${KIND}" STREQUAL "shared")
  set(shared ON)
endif()
file(REMOVE_RECURSE ${PREFIX} ${stage})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -G ${GENERATOR}
                        -DCMAKE_C_COMPILER=${CC} -DCMAKE_BUILD_TYPE=Debug
                        -DCMAKE_INSTALL_PREFIX=${stage} -DBUILD_SHARED_LIBS=${shared}
                        -DXL_TOOL=${TOOL} -DXL_TESTS=OFF -DXL_BENCH=OFF -DXL_EXAMPLES=OFF
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --parallel 2 --target install
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${stage} ${PREFIX})

file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.pc)
foreach(text IN LISTS texts)
  file(STRINGS ${text} lines REGEX "(${stage}|${build}|${SOURCE}|xl_warnings)")
  if(lines)
    message(FATAL_ERROR "${text} names a place of this build, or a private target: ${lines}")
  endif()
endforeach()

# The pages of docs/ are installed beside README, except the notebook.
file(GLOB names RELATIVE ${SOURCE} ${SOURCE}/docs/*.md)
list(REMOVE_ITEM names docs/notebook.md)
list(TRANSFORM names PREPEND doc/crosslane/)
foreach(name doc/crosslane/README.md doc/crosslane/CHANGELOG.md doc/crosslane/LICENSE crosslane/declarations.h ${names})
  if(NOT EXISTS ${PREFIX}/share/${name})
    message(FATAL_ERROR "${name} is not installed")
  endif()
endforeach()

if(EXISTS ${PREFIX}/bin/crosslane)
  execute_process(COMMAND ${PREFIX}/bin/crosslane devices COMMAND_ERROR_IS_FATAL ANY)
endif()
