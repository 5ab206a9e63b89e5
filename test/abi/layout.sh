#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: test/abi/layout.sh --update
#        test/abi/layout.sh 64 | 32 COMPILER [FLAG...]
#
# test/abi/layout.txt lists each field of each public structure as compilers for 64-bit and 32-bit
# x86 lay it out: "xl_scan_desc.type 4 4 4 4" is offset and size on 64 bits, then on 32 bits.
# "xl_scan_desc 88 72" is the structure's size on both. --update writes this file; run it after each
# change of a public structure. The other form compares the file with the layout of one compiler.
set -euo pipefail
export LC_ALL=C
table=test/abi/layout.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
layout() { # COMPILER [FLAG...]: lines "NAME OFFSET SIZE" and "STRUCTURE SIZE"
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
}

case ${1:-} in
  --update)
    layout cc >"$folder/64"
    layout cc -m32 >"$folder/32"
    {
      echo "# After a change of a public structure run: test/abi/layout.sh --update"
      join "$folder/64" "$folder/32"
    } >"$folder/both"
    cp "$folder/both" $table
    ;;
  64 | 32)
    bits=$1
    shift
    layout "$@" >"$folder/here"
    awk -v bits="$bits" '!/^#/ {
      half = (NF - 1) / 2
      for (i = 2; i <= half + 1; ++i) $1 = $1 " " $(bits == 64 ? i : i + half)
      print $1
    }' $table | diff - "$folder/here"
    ;;
  *) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
