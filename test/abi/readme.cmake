# SPDX-License-Identifier: MIT
# Fails unless README contains each of EXAMPLES, byte for byte, as a C block.
#
#   cmake -DREADME=README.md "-DEXAMPLES=examples/00_simple.c;examples/01_scan.c" -P readme.cmake
cmake_minimum_required(VERSION 3.20)
file(READ ${README} readme)
foreach(file IN LISTS EXAMPLES)
  file(READ ${file} example)
  string(FIND "${readme}" "```c\n${example}```\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "no C block of ${README} is ${file}")
  endif()
endforeach()
