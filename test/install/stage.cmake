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
foreach(name README.md CHANGELOG.md LICENSE ${names})
  if(NOT EXISTS ${PREFIX}/share/doc/crosslane/${name})
    message(FATAL_ERROR "${name} is not installed")
  endif()
endforeach()

if(EXISTS ${PREFIX}/bin/crosslane)
  execute_process(COMMAND ${PREFIX}/bin/crosslane devices COMMAND_ERROR_IS_FATAL ANY)
endif()

# Each file belongs to one component, and the components have what packages need.
set(parts ${PREFIX}_parts)
file(REMOVE_RECURSE ${parts})
file(GLOB_RECURSE all RELATIVE ${PREFIX} ${PREFIX}/*)
set(wanted_runtime "^$")
set(wanted_development "include/crosslane/crosslane\\.h")
if("${KIND}" STREQUAL "shared")
  set(wanted_runtime "libcrosslane\\.so\\.[0-9]+\\.[0-9]+\\.[0-9]+(;|$)")
  set(wanted_development "libcrosslane\\.so(;|$)")
endif()
set(wanted_tools "^$")
if(TOOL)
  set(wanted_tools "bin/crosslane(;|$)")
endif()
set(wanted_doc "README\\.md")
set(found "")
foreach(part runtime development tools doc)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --component ${part} --prefix ${parts}/${part}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files RELATIVE ${parts}/${part} ${parts}/${part}/*)
  if(NOT "${files}" MATCHES "${wanted_${part}}")
    message(FATAL_ERROR "component ${part}: ${files}; must match ${wanted_${part}}")
  endif()
  list(APPEND found ${files})
endforeach()
list(SORT found)
list(SORT all)
if(NOT found STREQUAL all)
  message(FATAL_ERROR "components: ${found}; must be: ${all}")
endif()
