# SPDX-License-Identifier: MIT
# Fails unless the shared library below PREFIX exports exactly the symbols listed
# in the file WANTED.
#
#   cmake -DNM=nm -DPREFIX=<install prefix> -DWANTED=<symbols.txt> -P symbols.cmake
cmake_minimum_required(VERSION 3.20)
file(GLOB_RECURSE library ${PREFIX}/libcrosslane.so)
if(NOT library)
  message(FATAL_ERROR "no libcrosslane.so below ${PREFIX}")
endif()
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${library}
                OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${lines}")
list(TRANSFORM lines REPLACE "[@ ].*" "")
file(STRINGS ${WANTED} wanted REGEX "^[^#]")

set(extra ${lines})
list(REMOVE_ITEM extra ${wanted})
set(missing ${wanted})
list(REMOVE_ITEM missing ${lines})
if(extra OR missing)
  message(FATAL_ERROR "exported but not in ${WANTED}: ${extra}\nlisted there but not exported: ${missing}")
endif()
list(LENGTH wanted count)
message(STATUS "${count} exported symbols, as listed")
