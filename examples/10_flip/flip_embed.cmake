# SPDX-License-Identifier: MIT
# Writes the texts of .cl files as C: a `const char NAME_cl[]` each, as bytes, since a C compiler need
# not take a string of that length.
#
#   cmake -DOUT=<file.c> -DFILES=<a.cl;b.cl> -P flip_embed.cmake
cmake_minimum_required(VERSION 3.20)
set(text "/* SPDX-License-Identifier: MIT\n * Made by flip_embed.cmake. */\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "const char ${name}_cl[] = {${bytes}0};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
