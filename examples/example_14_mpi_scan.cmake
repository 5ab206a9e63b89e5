# SPDX-License-Identifier: MIT
# Three ranks have 1, 2 and 3 ones: the totals are 1, 2 to 3, and 4 to 6.
execute_process(COMMAND ${LAUNCHER} 3 ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
foreach(line "rank 0: 1 to 1" "rank 1: 2 to 3" "rank 2: 4 to 6")
  if(NOT status EQUAL 0 OR NOT printed MATCHES "${line}")
    message(FATAL_ERROR "exit status ${status}, no line `${line}`:\n${printed}")
  endif()
endforeach()
