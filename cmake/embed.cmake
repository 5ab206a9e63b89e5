# SPDX-License-Identifier: MIT
# Flattens .cl files into one C file of byte arrays: all files of a folder, or all files below cl that
# have a kernel.
#
#   cmake -DROOT=<source root> -DOUT=<file.c> -DDEPFILE=<file> [-DFOLDER=<folder under
#         ROOT; if not given, all of cl but cl/include>] [-DFINDER=<name of the C function that finds
#         one, xli_source_find if not given>] [-DLISTER=<name of the C function that gives
#         the i-th, none if not given>] -P embed.cmake
#
# Each #include "..." is replaced by that file, once per kernel. #line marks name files relative to
# the source root, so that a build log names a line of an existing file. Checks of the parameters
# that the host must set (cl/parameters.txt) are put in front; for files that users' kernels include,
# only of those that the runtime sets. Each result has a SHA-256 (lib/core/source_hash.c).

cmake_minimum_required(VERSION 3.20)

include("${CMAKE_CURRENT_LIST_DIR}/guards.cmake")

function(flatten path out_text out_seen)
  set(seen "${${out_seen}}")
  if("${path}" IN_LIST seen)
    set(${out_text} "" PARENT_SCOPE)
    return()
  endif()
  list(APPEND seen "${path}")
  file(RELATIVE_PATH name "${ROOT}" "${path}")
  get_filename_component(folder "${path}" DIRECTORY)
  file(READ "${path}" rest)
  # The text may contain list separators and brackets, so only string commands process it.
  set(text "#line 1 \"${name}\"\n")
  set(line 1)
  set(marker "#include \"")
  string(LENGTH "${marker}" marker_length)
  while(TRUE)
    string(FIND "${rest}" "${marker}" at)
    if(at EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${rest}" 0 ${at} before)
    math(EXPR start "${at} + ${marker_length}")
    string(SUBSTRING "${rest}" ${start} -1 rest)
    string(FIND "${rest}" "\"" end)
    string(SUBSTRING "${rest}" 0 ${end} included)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(REGEX REPLACE "[^\n]" "" breaks "${before}")
    string(LENGTH "${breaks}" count)
    math(EXPR line "${line} + ${count}")
    get_filename_component(target "${folder}/${included}" ABSOLUTE)
    if(NOT EXISTS "${target}")
      message(FATAL_ERROR "${name}:${line}: no such file: ${included}")
    endif()
    flatten("${target}" inner seen)
    string(APPEND text "${before}${inner}#line ${line} \"${name}\"\n")
  endwhile()
  string(APPEND text "${rest}")
  set(${out_text} "${text}" PARENT_SCOPE)
  set(${out_seen} "${seen}" PARENT_SCOPE)
endfunction()

# As xli_sha256_add_source(): without comments, #line marks, blank lines and blanks beyond one.
function(hash_of text out)
  if(text MATCHES "__(LINE|FILE)__|\"[^\"\n]*(  |//|/[*])[^\"\n]*\"")
    message(FATAL_ERROR "a kernel source has '${CMAKE_MATCH_0}', for which its hash is not defined")
  endif()
  string(REPLACE "\\\n" "" text "\n${text}\n")
  string(REGEX REPLACE "/[*][^*]*[*]+([^/*][^*]*[*]+)*/|//[^\n]*" " " text "${text}")
  string(REGEX REPLACE "[ \t]+" " " text "${text}")
  string(REGEX REPLACE "\n ?#line [^\n]*" "" text "${text}")
  string(REGEX REPLACE " ?\n[ \n]*" "\n" text "${text}")
  string(SUBSTRING "${text}" 1 -1 text)
  string(SHA256 hash "${text}")
  set(${out} "${hash}" PARENT_SCOPE)
endfunction()

if(NOT FINDER)
  set(FINDER xli_source_find)
endif()
if(FOLDER)
  file(GLOB kernels "${ROOT}/${FOLDER}/*.cl")
else()
  set(FOLDER cl)
  set(kernels "")
  file(GLOB_RECURSE files "${ROOT}/cl/*.cl")
  foreach(file IN LISTS files)
    file(STRINGS "${file}" found REGEX "^__kernel" LIMIT_COUNT 1)
    if(found)
      list(APPEND kernels "${file}")
    endif()
  endforeach()
endif()
list(SORT kernels)
get_filename_component(out_name "${OUT}" NAME)
set(arrays "")
set(table "")
set(depends "${ROOT}/cl/parameters.txt" "${CMAKE_CURRENT_LIST_DIR}/guards.cmake")
guards_read("${ROOT}/cl/parameters.txt")
set(setters "")
if(FOLDER STREQUAL "cl/include")
  set(setters runtime) # the rest is the user's
endif()
# Writes to FILE the bytes of the text and a macro with the kernel's row of the table, unless FILE
# already holds those of this text, from this script.
function(embed stem text file)
  set(flat "${OUT}.${stem}.cl")
  if(EXISTS "${file}" AND EXISTS "${flat}" AND "${file}" IS_NEWER_THAN "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    file(READ "${flat}" before)
    if("${before}" STREQUAL "${text}")
      return()
    endif()
  endif()
  hash_of("${text}" hash)
  file(WRITE "${flat}" "${text}")
  file(READ "${flat}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
                       "\\1\n" bytes "${bytes}")
  file(WRITE "${file}" "static const char text_${stem}[] = {\n${bytes}0};\n
#define SOURCE_${stem} {\"${stem}\", text_${stem}, ${length}, \"${hash}\"}\n")
endfunction()

foreach(kernel IN LISTS kernels)
  set(seen "")
  flatten("${kernel}" text seen)
  guards_of("${text}" "${setters}" guards)
  get_filename_component(stem "${kernel}" NAME_WE)
  embed("${stem}" "${guards}${text}" "${OUT}.${stem}.inc")
  string(APPEND arrays "#include \"${out_name}.${stem}.inc\"\n")
  string(APPEND table "    SOURCE_${stem},\n")
  list(APPEND depends ${seen})
endforeach()
set(lister "")
if(LISTER)
  set(lister "
const xli_source *${LISTER}(size_t i)
{
    return i < XLI_COUNT(sources) ? &sources[i] : NULL;
}
")
endif()
list(REMOVE_DUPLICATES depends)
list(JOIN depends " \\\n  " depends)
file(WRITE "${DEPFILE}" "${OUT}: ${depends}\n")

file(WRITE "${OUT}.new" "/* SPDX-License-Identifier: MIT
 * Made by cmake/embed.cmake from ${FOLDER}: every kernel file with its includes. */
#include \"runtime.h\"

#include <string.h>

${arrays}static const xli_source sources[] = {
${table}};

const xli_source *${FINDER}(const char *name)
{
    for (size_t i = 0; i < XLI_COUNT(sources); ++i)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    return NULL;
}
${lister}")
file(RENAME "${OUT}.new" "${OUT}")
