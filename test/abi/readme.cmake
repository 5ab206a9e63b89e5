# SPDX-License-Identifier: MIT
# Fails unless the first C block of README is, byte for byte, the file EXAMPLE.
#
#   cmake -DREADME=README.md -DEXAMPLE=examples/01_scan.c -P readme.cmake
cmake_minimum_required(VERSION 3.20)
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
set(fence "```c\n")
string(FIND "${readme}" "${fence}" start)
string(LENGTH "${fence}" length)
math(EXPR start "${start} + ${length}")
string(SUBSTRING "${readme}" ${start} -1 rest)
string(FIND "${rest}" "```\n" end)
string(SUBSTRING "${rest}" 0 ${end} block)
if(NOT block STREQUAL example)
  message(FATAL_ERROR "the C block of ${README} is not ${EXAMPLE}")
endif()
