# SPDX-License-Identifier: MIT
# Fails unless README contains EXAMPLE, byte for byte, as a C block.
#
#   cmake -DREADME=README.md -DEXAMPLE=examples/00_simple.c -P readme.cmake
cmake_minimum_required(VERSION 3.20)
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(FIND "${readme}" "```c\n${example}```\n" at)
if(at EQUAL -1)
  message(FATAL_ERROR "no C block of ${README} is ${EXAMPLE}")
endif()
