# SPDX-License-Identifier: MIT
# A run on 3 ranks that continues on 2 ends with the same bytes as a run on one rank, and draws a picture.
set(common ${PROGRAM} --n-side 12)
file(REMOVE ${FOLDER}/sph_half ${FOLDER}/sph_end ${FOLDER}/sph_one ${FOLDER}/sph.png)
foreach(run "3;${common};--steps;25;--save;${FOLDER}/sph_half;--png;${FOLDER}/sph.png"
            "2;${common};--steps;15;--load;${FOLDER}/sph_half;--save;${FOLDER}/sph_end"
            "1;${common};--steps;40;--save;${FOLDER}/sph_one")
  execute_process(COMMAND ${LAUNCHER} ${run} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${run}: exit status ${status}")
  endif()
endforeach()
file(SHA256 ${FOLDER}/sph_end parts)
file(SHA256 ${FOLDER}/sph_one one)
file(SIZE ${FOLDER}/sph_one bytes)
if(NOT parts STREQUAL one OR bytes LESS 1000 OR NOT EXISTS ${FOLDER}/sph.png)
  message(FATAL_ERROR "the particles of 3 and then 2 ranks are not those of one rank")
endif()
