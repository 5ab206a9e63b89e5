#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/vendors-test.sh
#
# Shows that ci/vendors.awk notices what it is there for, on tables of three kernels.
set -u
cd "$(dirname "$0")/.." || exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# form, program, kernel, target, way, registers, scalar registers, scratch, spills, local bytes
row() { # KERNEL REGISTERS SCRATCH SPILLS
  printf 'scan\tscan_x\t%s\tgfx90a\tlocal\t%s\t30\t%s\t%s\t0\n' "$@"
}
{ row xl_a 40 0 0 && row xl_b 200 64 0 && row xl_c 40 0 7; } >"$folder/table"
printf '# why\nscan xl_b gfx* local 64 0 an array\nsc* xl_c gfx90a * 0 8 many values\n' >"$folder/reasons"

# expect NAME TEXT [all=yes]: the rows of standard input are wrong, and TEXT is said of them; no TEXT:
# they are right.
expect() {
  local said code
  cat >"$folder/fresh"
  said=$(awk ${3:+-v "$3"} -f ci/vendors.awk file=1 "$folder/reasons" file=2 "$folder/table" file=3 "$folder/fresh")
  code=$?
  if [ -z "$2" ] && [ $code = 0 ]; then return; fi
  if [ -n "$2" ] && [ $code = 1 ] && [[ $said == *"$2"* ]]; then return; fi
  echo "FAILED: $1: exit code $code and this text:"
  echo "$said"
  failures=$((failures + 1))
}

expect "the same" "" all=yes <"$folder/table"
row xl_a 40 0 0 | expect "some of the rows" ""
row xl_a 52 0 0 | expect "registers within the slack" ""
row xl_a 53 0 0 | expect "more registers" "53 registers, were 40"
row xl_b 225 64 0 | expect "an eighth more" ""
row xl_b 226 64 0 | expect "more than an eighth" "226 registers, were 200"
row xl_a 40 4 0 | expect "scratch memory" "4 bytes of scratch memory, were 0"
row xl_b 200 68 0 | expect "more scratch memory" "68 bytes of scratch memory, were 64"
row xl_c 40 0 8 | expect "more spills" "8 spills, were 7"
row xl_b 200 32 0 | expect "less" ""
row xl_d 40 0 0 | expect "a new kernel" "not in the table"
{ row xl_a 40 0 0 && row xl_a 40 0 0; } | expect "a name that two have" "two rows of"
: | expect "nothing" "no kernel was compiled"
row xl_a 40 0 0 | expect "a kernel that is gone" "xl_b gfx90a local: in the table, but not compiled" all=yes
{ row xl_a 40 0 0 && row xl_b 200 0 0 && row xl_c 40 0 7; } | expect "a reason that is not needed" "a reason for nothing: scan xl_b" all=yes
row xl_a 40 0 0 | sed 's/gfx90a/bmg/' >>"$folder/table"
expect "rows of bmg, which another run makes" "" all=yes < <(head -n 3 "$folder/table")
row xl_a 40 0 0 | sed 's/gfx90a/bmg/' | expect "bmg by itself" "" only=bmg
row xl_a 60 0 0 | sed 's/gfx90a/bmg/' | expect "more registers on bmg" "60 registers, were 40" only=bmg
row xl_a 40 0 0 | expect "another target in the run of bmg" "not in the table" only=bmg
sed -i '/xl_c/d' "$folder/reasons"
row xl_c 40 0 7 | expect "spills without a reason" "no reason in"
printf 'scan xl_c gfx* local 0 6 many values\n' >>"$folder/reasons"
row xl_c 40 0 7 | expect "more than there is a reason for" "no reason in"
printf 'scan xl_a gfx* local 0 6\n' >>"$folder/reasons"
row xl_a 40 0 0 | expect "a line without its reason" "no reason in \"scan xl_a"

[ $failures = 0 ] && echo "vendors.awk notices all of it"
