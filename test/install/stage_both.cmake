# SPDX-License-Identifier: MIT
# Installs the builds that stage.cmake made in FOLDER into one prefix. Their order does not matter,
# because the files that both contain are equal.
cmake_minimum_required(VERSION 3.20)
set(prefix ${FOLDER}/both)
file(REMOVE_RECURSE ${prefix} ${prefix}_stage)
foreach(kind static shared)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${FOLDER}/${kind}_build --prefix ${prefix}_stage
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(RENAME ${prefix}_stage ${prefix})

file(GLOB_RECURSE files RELATIVE ${FOLDER}/static ${FOLDER}/static/lib*/*)
foreach(name IN LISTS files)
  if(EXISTS ${FOLDER}/shared/${name})
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/static/${name} ${FOLDER}/shared/${name}
                    RESULT_VARIABLE differ)
    if(differ)
      message(FATAL_ERROR "${name} is not the same in a static and a shared installation")
    endif()
  endif()
endforeach()
if(NOT files)
  message(FATAL_ERROR "nothing below a folder lib was installed")
endif()
