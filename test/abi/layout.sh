#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: test/abi/layout.sh COMPILER [FLAG...]
#
# Prints offset and size, in bytes, of each field of each public structure, as a compiler lays them
# out: lines "xl_scan_desc.type 4 4", and of each structure its size. test/abi/layout_64.txt and
# layout_32.txt hold these tables for 64-bit and 32-bit x86; write them anew if a structure changes:
#     test/abi/layout.sh cc > test/abi/layout_64.txt
#     test/abi/layout.sh cc -m32 > test/abi/layout_32.txt
set -eu
export LC_ALL=C
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  printf '#include <crosslane/crosslane.h>\n#include <stdio.h>\nint main(void)\n{\n'
  printf '#include <crosslane/crosslane.h>\n' | "$@" -E -P -Iinclude -x c - | tr '\n' ' ' |
    grep -oE 'typedef struct xl_[a-z_0-9]+ \{[^}]*\} xl_[a-z_0-9]+;' | sort |
    awk '{
      type = $3
      sub(/^[^{]*\{/, ""); sub(/\}[^}]*$/, "")
      count = split($0, declarations, ";")
      for (k = 1; k <= count; ++k) {
        names = split(declarations[k], parts, ",")
        for (i = 1; i <= names; ++i) {
          name = parts[i]
          gsub(/\[[^\]]*\]/, "", name)
          if (match(name, /[a-z_A-Z0-9]+ *$/) == 0)
            continue
          name = substr(name, RSTART, RLENGTH)
          gsub(/ /, "", name)
          printf "printf(\"%s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", type, name, type, name, type, name
        }
      }
      printf "printf(\"%s %%zu\\n\", sizeof(%s));\n", type, type
    }'
  printf 'return 0;\n}\n'
} >"$folder/layout.c"
"$@" -Iinclude "$folder/layout.c" -o "$folder/layout"
"$folder/layout"
