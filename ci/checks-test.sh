#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/checks-test.sh [layers] [parameters] [vendors] [compare]
#
# Shows that each check can fail; without an argument all of these:
#   layers      ci/check-layers.sh, on a copy of the tree in which each rule is broken once
#   parameters  ci/check-parameters.sh, on a copy in which host, kernels and table disagree in each way, and
#               what cmake/guards.cmake makes of the table
#   vendors     ci/vendors.awk, on tables of three kernels
#   compare     ci/compare.sh, on small files with known answers; and a plot, if there is gnuplot
# Exits with 77 if a program is missing.
set -eu
cd "$(dirname "$0")/.."
top=$PWD

layers() (
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp -a "$top"/{adoption,ci,cl,cmake,drawing,examples,fortran,include,lib,mpi,reference,test,tools,docs,README.md,CONTRIBUTING.md,CHANGELOG.md,CITATION.cff,LICENSE,SECURITY.md} "$copy"
  mkdir -p "$copy"/{lib/tune,lib/scan,lib/sort,cl/tile,cl/scan}

  # file to add | its text | the check's message
  faults='
lib/core/fault.c|#include "runtime.h"|lib/core may not include lib/ocl/runtime.h
lib/core/fault.c|#include <crosslane/context.h>|lib/core knows no OpenCL
lib/core/fault.c|#include <pthread.h>|headers of the operating system
lib/ocl/fault.c|#include <unistd.h>|headers of the operating system
lib/tune/fault.c|#include "runtime.h"|lib/tune may not include lib/ocl/runtime.h
lib/problem/fault.c|#include "private.h"|lib/ocl/private.h is for lib/ocl
lib/scan/fault.c|int x = clEnqueueNDRangeKernel(0);|only lib/ocl builds
lib/scan/fault.c|int x = clGetDeviceInfo(0);|only lib/ocl builds
lib/scan/fault.c|#include "nowhere.h"|nowhere.h is no file of this tree
lib/scan/fault.c|#include "../ocl/runtime.h"|by its bare name
tools/fault.c|#include "runtime.h"|tools may not include lib/ocl/runtime.h
tools/fault.c|#include "../lib/core/core.h"|tools may not include lib/core/core.h
tools/common/fault.c|#include "workload.h"|tools/common may not include tools/workload/workload.h
tools/commands/fault.c|#include <unistd.h>|headers of the operating system
lib/scan/fault.c|#include "reference.h"|lib/scan may not include reference/reference.h
lib/core/fault.c|#include "reference.h"|lib/core may not include reference/reference.h
examples/fault.c|#include "reference.h"|examples may not include reference/reference.h
reference/fault.c|#include "core.h"|reference may not include lib/core/core.h
reference/fault.c|#include "runtime.h"|reference may not include lib/ocl/runtime.h
reference/fault.c|#include <crosslane/scan.h>|the reference knows crosslane/types.h only
reference/fault.c|int x = xl_type_size(0);|the reference calls nothing
reference/fault.c|#include <unistd.h>|headers of the operating system
drawing/fault.c|#include "npy.h"|drawing may not include tools/npy/npy.h
examples/10_flip/fault.c|#include <unistd.h>|headers of the operating system
examples/fault.c|#include "core.h"|examples may not include lib/core/core.h
mpi/src/fault.c|#include "core.h"|mpi/src may not include lib/core/core.h
include/crosslane/fault.h|#include "core.h"|include/crosslane may not include lib/core/core.h
lib/scan/sort_fault.h||
lib/sort/fault.c|#include "sort_fault.h"|lib/sort may not include lib/scan/sort_fault.h
cl/prelude/fault.cl|#include "../lane/lane.cl"|cl/prelude may not include cl/lane/lane.cl
cl/lane/fault.cl|#include "../probe/probe.cl"|cl/lane may not include cl/probe/probe.cl
cl/tile/fault.cl|__kernel void f(void)|kernels stand in the folders of the primitives
cl/group/fault.cl|// as in cl/group/group_none.cl|there is no cl/group/group_none.cl
cl/include/fault.cl|// as in cl/lane/lane.cl|is installed without the rest
cl/scan/fault.cl|// é|kernel sources are ASCII
lib/ocl/core.h|int x;|more than one file is called core.h
docs/fault.md|as in lib/core/none.c|there is no lib/core/none.c
docs/fault.md|[terms](docs/terms.md)|docs/fault.md:2: the link to docs/terms.md leads nowhere
'

  "$copy/ci/check-layers.sh" >"$copy/said" || { cat "$copy/said"; exit 1; }
  count=0
  while IFS='|' read -r file text wanted; do
    printf '/* SPDX-License-Identifier: MIT */\n%s\n' "$text" >"$copy/$file"
    [ -n "$wanted" ] || continue # only there for the next line
    if "$copy/ci/check-layers.sh" >"$copy/said"; then
      echo "check-layers lets this through: $file: $text"
      exit 1
    fi
    grep -qF "$wanted" "$copy/said" || { echo "for $file: $text"; cat "$copy/said"; exit 1; }
    rm "$copy/$file"
    count=$((count + 1))
  done < <(grep . <<<"$faults")

  echo 'int x;' >"$copy/lib/core/fault.c"
  ! "$copy/ci/check-layers.sh" >"$copy/said" && grep -q 'fault.c: no SPDX line' "$copy/said"
  rm "$copy/lib/core/fault.c"
  count=$((count + 1))

  # ---- circles, of objects as they come from a build ----

  says() { # TEXT: the check fails and says so
    if "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || ! grep -qF "$1" "$copy/said"; then
      echo "not said: $1"
      cat "$copy/said"
      exit 1
    fi
    count=$((count + 1))
  }

  object() { # FOLDER NAME TEXT: a source and what the compiler makes of it
    printf '/* SPDX-License-Identifier: MIT */\n%s\n' "$3" >"$copy/lib/$1/$2"
    "${CC:-cc}" -c -o "$objects/$1/$2.o" "$copy/lib/$1/$2"
  }

  if [ -d "$top/build/werror/lib/CMakeFiles" ]; then
    objects=$copy/build/werror/lib/CMakeFiles/crosslane.dir
    for folder in lib tools reference examples; do
      [ -d "$top/build/werror/$folder/CMakeFiles" ] || continue
      mkdir -p "$copy/build/werror/$folder"
      cp -a "$top/build/werror/$folder/CMakeFiles" "$copy/build/werror/$folder"
    done
    "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { cat "$copy/said"; exit 1; }
    if grep 'circles not checked' "$copy/said"; then
      exit 77
    fi
    object scan fault_a.c 'void b(void); void a(void) { b(); }'
    object scan fault_b.c 'void c(void); void b(void) { c(); }'
    object scan fault_c.c 'void c(void) { }'
    "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { echo "no circle, but:"; cat "$copy/said"; exit 1; }
    object scan fault_c.c 'void a(void); void c(void) { a(); }'
    says "lib/scan/fault_b.c calls lib/scan/fault_c.c, which comes back to it"
    object scan fault_b.c 'void a(void); void b(void) { a(); }'
    says "lib/scan/fault_b.c calls lib/scan/fault_a.c, which comes back to it"
    rm "$copy"/lib/scan/fault_?.c
    cp "$copy/ci/check-layers.sh" "$copy/as-it-was"
    sed -i "s|^standing='|&\nlib/scan/scan.c lib/scan/scan_check.c|" "$copy/ci/check-layers.sh"
    says "lib/scan/scan.c and lib/scan/scan_check.c are in no circle any more"
    mv "$copy/as-it-was" "$copy/ci/check-layers.sh"
    touch "$copy/lib/scan/scan.c"
    "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { cat "$copy/said"; exit 1; }
    grep -qF 'older than lib/scan/scan.c' "$copy/said" ||
      { echo "an old build is taken for a new one"; cat "$copy/said"; exit 1; }
  else
    echo "checks-test: circles not tested: no build/werror"
  fi
  echo "check-layers: $count broken rules found"
)

parameters() (
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp -a "$top"/{ci,cl,cmake,include,lib} "$copy"

  # file | a command of sed | the check's message
  faults='
cl/parameters.txt|/^XL_KEEP_SELF /d|cl/neighbors/neighbors_pair.cl: XL_KEEP_SELF is neither defined
cl/parameters.txt|/^XL_KEEP_SELF /d|lib/neighbors/*.c: sets XL_KEEP_SELF, which
cl/parameters.txt|s/^XL_KEEP_SELF /XL_KEEP_US /|no kernel uses XL_KEEP_US
cl/parameters.txt|s/^XL_KEEP_SELF /XL_KEEP_US /|XL_KEEP_US: lib/neighbors/*.c does not set it
cl/parameters.txt|/^XL_ITEMS /s/scan reduce/scan/|lib/reduce/*.c: sets XL_ITEMS, which
cl/parameters.txt|/^XL_STAGED /s/neighbors/neighbours/|XL_STAGED: no primitive is called neighbours
cl/grid/grid_map.cl|s/XL_ITEMS/XL_ELEMENTS/|cl/grid/grid_map.cl: XL_ELEMENTS is neither defined
cl/grid/grid_list.cl|/^#ifndef /s/^/#if XL_FAULT\n#endif\n/|XL_FAULT is neither defined
cl/tile/tile_prefix.cl|s/enum { XL_EMPTY,/enum { XL_NOTHING,/|XL_EMPTY is neither defined
cl/probe/probe.cl|s/XL_LANE_WAY/XL_SORT_KEY/|cl/probe/probe.cl: XL_SORT_KEY is neither defined in a file of cl/probe/probe.cl
lib/reduce/reduce.c|/"XL_GROUP_SIZE"/s/$/ {"XL_ORDERED", 1},/|lib/reduce/*.c: sets XL_ORDERED, which
lib/reduce/reduce.c|/"XL_LIMITED_LOOPS"/d|XL_LIMITED_LOOPS: lib/reduce/*.c does not set it
lib/grid/grid_programs.c|s/"XL_STRIDE"/"XL_STEP"/|lib/grid/*.c: sets XL_STEP, which
ci/check-parameters.sh|s/^most=40/most=20/|sort_bitonic: its reader has to know
cl/tile/tile_input.cl|s,^#include "../lane/lane.cl",&\n#include "tile_marks.cl",|scan_lookback: consists of 11 files, at most 10
'

  says() { # EDIT TEXT
    if "$copy/ci/check-parameters.sh" >"$copy/said"; then
      echo "check-parameters lets this through: $1"
      exit 1
    fi
    grep -qF -- "$2" "$copy/said" || { echo "for $1:"; cat "$copy/said"; exit 1; }
  }

  "$copy/ci/check-parameters.sh" >"$copy/said" || { cat "$copy/said"; exit 1; }
  count=0
  while IFS='|' read -r file edit wanted; do
    cp -p "$copy/$file" "$copy/as-it-was"
    sed -i "$edit" "$copy/$file"
    ! cmp -s "$copy/$file" "$copy/as-it-was" || { echo "$file: nothing to edit: $edit"; exit 1; }
    says "$file: $edit" "$wanted"
    mv "$copy/as-it-was" "$copy/$file"
    count=$((count + 1))
  done < <(grep . <<<"$faults")

  # ---- what embedding makes of the table ----

  embed() { # leaves $copy/out.c.NAME.cl
    cmake -DROOT="$copy" -DOUT="$copy/out.c" -DDEPFILE="$copy/out.d" -P "$copy/cmake/embed.cmake" \
      >"$copy/said" 2>&1
  }

  refuses() { # EDIT-OF-THE-TABLE TEXT
    cp "$top/cl/parameters.txt" "$copy/cl"
    sed -i "$1" "$copy/cl/parameters.txt"
    if embed || ! tr -s '\n ' ' ' <"$copy/said" | grep -qF -- "$2"; then
      echo "embedding lets this through: $1"
      cat "$copy/said"
      exit 1
    fi
    count=$((count + 1))
  }

  # Every parameter that a program asks for is checked in it, and no other one; both read the same.
  embed || { cat "$copy/said"; exit 1; }
  while read -r name; do
    comm -3 <(sed -nE 's/^#error "(XL_[A-Z0-9_]+), [0-9a-z.]+ \(.*/\1/p' "$copy/out.c.$name.cl" | sort -u) \
      <("$copy/ci/check-parameters.sh" --list "$name" | sed -n 's/ the host$//p' | sort -u) |
      grep . || continue
    echo "of $name: checked in it, or asked for by it, but not both"
    exit 1
  done < <("$copy/ci/check-parameters.sh" --counts | sed 1d | cut -d ' ' -f 1)
  count=$((count + 1))

  refuses '/^XL_GROUP_SIZE /s/|/;/' 'must not contain'
  refuses '/^XL_GROUP_SIZE /s/| *$/| a | b/; /^XL_GROUP_SIZE /s/$/ | more/' 'a row must have six cells'
  refuses '/^XL_GROUP_SIZE /s/1\.\./one/' 'must be a range'
  refuses '/^XL_GROUP_SIZE /p' 'must be a new name'
  refuses '/^XL_GROUP_SIZE /s/XL_GROUP_SIZE/GROUP_SIZE/' 'must be a new name'
  echo "check-parameters: $count disagreements found"
)

vendors() (
  set +e
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
  { row xl_a 40 0 0 && row xl_a 41 0 0; } | expect "a name that two have" "two rows of"
  : | expect "nothing" "no kernel was compiled"
  row xl_a 40 0 0 | expect "a kernel that is gone" "xl_b gfx90a local: in the table, but not compiled" all=yes
  { row xl_a 40 0 0 && row xl_b 200 0 0 && row xl_c 40 0 7; } | expect "a reason that is not needed" "a reason for nothing: scan xl_b" all=yes
  row xl_a 40 0 0 | sed 's/gfx90a/bmg/' >>"$folder/table"
  expect "rows of bmg, which another run makes" "" all=yes < <(head -n 3 "$folder/table")
  row xl_a 40 0 0 | sed 's/gfx90a/bmg/' | expect "bmg alone" "" only=bmg
  row xl_a 60 0 0 | sed 's/gfx90a/bmg/' | expect "more registers on bmg" "60 registers, were 40" only=bmg
  row xl_a 40 0 0 | expect "another target in the run of bmg" "not in the table" only=bmg
  sed -i '/xl_c/d' "$folder/reasons"
  row xl_c 40 0 7 | expect "spills without a reason" "no reason in"
  printf 'scan xl_c gfx* local 0 6 many values\n' >>"$folder/reasons"
  row xl_c 40 0 7 | expect "more than there is a reason for" "no reason in"
  printf 'scan xl_a gfx* local 0 6\n' >>"$folder/reasons"
  row xl_a 40 0 0 | expect "a line without its reason" "no reason in \"scan xl_a"

  [ $failures = 0 ] && echo "vendors: ci/vendors.awk finds each fault"
)

compare() (
  command -v jq >/dev/null || {
    echo "checks-test: there is no jq" >&2
    exit 77
  }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT

  result() { # PROGRAM VARIANT N DEVICE_MS WRONG: 8 bytes an element, the copy takes 0.5 ms
    printf '{"program": "%s", "name": "scan", "variant": "%s", "n": %d, "bytes": %d, "device_ms": %s,
      "spread": 0, "wall_us": 4000, "copy_ms": 0.5, "wrong": "%s"}' "$1" "$2" "$3" $((8 * $3)) "$4" "$5"
  }
  results() { # PROGRAM RESULT...: a file
    local IFS=,
    printf '{"program": "%s", "device": "card", "results": [%s]}' "$1" "${*:2}"
  }
  results ours "$(result ours "u32 sum" 1048576 1 "")" "$(result ours "u32 sum (in place)" 1048576 2 "")" \
    "$(result host "u32 sum" 1048576 8 "")" "$(result ours "u32 sum" 1000 0.25 "")" \
    "$(result ours "u32 sum" 2097152 1 "all of it")" "$(result ours "u32 sum" 4194304 4 "")" >"$work/a"
  results theirs "$(result theirs "u32 sum (radix)" 1048576 3 "")" "$(result theirs "f32 sum" 64 3 "")" >"$work/b"

  failed=0
  expect() { # OPTIONS, as one word, TEXT: a line of the table, its blanks squeezed
    # shellcheck disable=SC2086
    if ! ci/compare.sh $1 2>&1 | tr -s ' ' | grep -qxF -- "$2"; then
      echo "checks-test: no line '$2' of: $1"
      failed=1
    fi
  }
  refuse() { # OPTIONS TEXT: no line holds it
    # shellcheck disable=SC2086
    if ci/compare.sh $1 2>&1 | tr -s ' ' | grep -qF -- "$2"; then
      echo "checks-test: a line with '$2' of: $1"
      failed=1
    fi
  }
  files="$work/a $work/b"
  expect "$files" "card; device time in ms per call"
  expect "$files" "name case n ours host theirs x best GB/s of copy"
  expect "$files" "scan u32 sum 2^20 1.0000 8.0000 3.0000 3.00 8.4 0.50"
  expect "$files" "scan u32 sum (in place) 2^20 2.0000 8.0000 3.0000 1.50 4.2 0.25"
  expect "$files" "scan u32 sum 1000 0.2500 - - - 0.0 2.00"
  expect "$files" "compare: wrong, left out: ours scan u32 sum 2097152: all of it"
  refuse "$files" "2^21"
  refuse "$files" "f32 sum"
  expect "--all $files" "scan f32 sum 2^6 - - 3.0000 - - -"
  expect "--wall $files" "scan u32 sum 2^20 4.0000 4.0000 4.0000 1.00 2.1 0.12"
  expect "--only sort $files" "name case n ours x best GB/s of copy"
  expect "old=$work/a new=$work/a" "name case n old host new x best GB/s of copy"

  if command -v gnuplot >/dev/null; then
    for kind in png svg; do
      ci/compare.sh --plot "$work/plot.$kind" "$work/a" "$work/b" >"$work/log" 2>&1 || {
        cat "$work/log"
        failed=1
      }
    done
    grep -q 'u32 sum' "$work/plot.svg" && [ "$(head -c 4 "$work/plot.png" | tail -c 3)" = PNG ] || failed=1
  fi
  exit $failed
)

[ $# -gt 0 ] || set -- layers parameters vendors compare
for part; do
  case $part in
    layers | parameters | vendors | compare) ;;
    *) sed -n '3,11s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  $part
done
