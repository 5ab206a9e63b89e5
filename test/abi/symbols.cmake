# SPDX-License-Identifier: MIT
# Fails unless the shared library below PREFIX exports exactly the symbols listed in the file WANTED,
# each with the symbol version CROSSLANE_X, and has the SONAME libcrosslane.so.X, where X is ABI. Fails
# also if the library uses a function of C that prints, ends the process, or changes its settings.
#
#   cmake -DNM=nm -DPREFIX=<install prefix> -DWANTED=<symbols.txt> -DABI=<X> -P symbols.cmake
cmake_minimum_required(VERSION 3.20)
file(GLOB_RECURSE library ${PREFIX}/libcrosslane.so)
if(NOT library)
  message(FATAL_ERROR "no libcrosslane.so below ${PREFIX}")
endif()
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${library}
                OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${lines}")
list(TRANSFORM lines REPLACE " .*" "")
set(version "@@?CROSSLANE_${ABI}$")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "${version}" AND NOT line STREQUAL "CROSSLANE_${ABI}")
    message(FATAL_ERROR "${line}: not of the version CROSSLANE_${ABI}")
  endif()
endforeach()
list(TRANSFORM lines REPLACE "${version}" "")
list(REMOVE_ITEM lines CROSSLANE_${ABI}) # the version itself
find_program(readelf NAMES readelf llvm-readelf REQUIRED)
execute_process(COMMAND ${readelf} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "\\(SONAME\\)[^\n]*\\[libcrosslane\\.so\\.${ABI}\\]\n")
  message(FATAL_ERROR "${library}: SONAME is not libcrosslane.so.${ABI}: ${dynamic}")
endif()
file(STRINGS ${WANTED} wanted REGEX "^[^#]")

set(extra ${lines})
list(REMOVE_ITEM extra ${wanted})
set(missing ${wanted})
list(REMOVE_ITEM missing ${lines})
if(extra OR missing)
  message(FATAL_ERROR "exported but not in ${WANTED}: ${extra}\nlisted there but not exported: ${missing}")
endif()

execute_process(COMMAND ${NM} -D --undefined-only --format=posix ${library}
                OUTPUT_VARIABLE used COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" used "${used}")
list(TRANSFORM used REPLACE "[@ ].*" "")
set(prints "_*v?[fd]?printf(_chk)?|f?puts|f?putc|putchar|perror|stdout|stderr")
set(ends "_?exit|abort|raise|kill|atexit|longjmp|_*assert_fail")
set(sets "signal|sigaction|sigprocmask|fe(set|hold|enable|disable).*|setlocale|uselocale|setenv|unsetenv|putenv|chdir|umask|s?rand|strtok")
list(FILTER used INCLUDE REGEX "^(${prints}|${ends}|${sets})$")
if(used)
  message(FATAL_ERROR "${library} uses ${used}: a library must not print, end the process or change its settings")
endif()
list(LENGTH wanted count)
message(STATUS "${count} exported symbols, as listed")
