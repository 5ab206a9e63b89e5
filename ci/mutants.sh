#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/mutants.sh [--check | --list | --record FILE] [--changed] [--slice K/N] [--jobs N] [PATTERN...]
#
# Breaks the code on purpose, one way at a time, as the lists in test/mutants say (the format is in
# ci/mutants.awk), builds it, and runs the tests that a list names: each of them must fail, by an
# assertion or a fault, and must neither hang nor fail because a kernel does not compile. The same
# tests must pass on the code as it is. All mutants take hours on two cores.
#
# Selects  PATTERN: mutants whose list, name, source or tests contain one. --changed: those that
#          test/mutants/ledger.tsv does not know, or knows with other content. --slice K/N: of
#          these every N-th, from number K, which starts at 0.
# --list   prints the names of the selected mutants.
# --check  runs nothing. Every mutant must apply to the code as it is, every test that one names must
#          be found, each device file must contain a mutant, each test program must be named by one,
#          and no mutant may have survived as it is.
# --record FILE  writes lines "VERDICT NAME" into the ledger: build/mutants/table of another machine.
#
# A variable RUNNER of a mutant says where its tests run: `intel` (Intel's CPU runtime), `vendors` (on it,
# by the facts of GPUs), `rusticl`, `oclgrind`, `oclgrind-O0`, `oclgrind-races`, `nvidia`, or `mpi` (on PoCL, with crosslane_mpi built); without it
# they run on PoCL. The verdict is `absent` on a machine without that device. A run ends with a table,
# survivors last, and writes its verdicts into the ledger, also if it is interrupted. Logs:
# build/mutants/log.
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
work=$top/build/mutants
ledger=test/mutants/ledger.tsv
jobs=$(nproc)
what=run changed=no slice=0/1 verdicts=''
patterns=()
while [ $# -gt 0 ]; do
  case $1 in
    --check | --list) what=${1#--} ;;
    --record) what=record verdicts=${2:?} && shift ;;
    --changed) changed=yes ;;
    --slice) slice=${2:?} && shift ;;
    --jobs) jobs=${2:?} && shift ;;
    -*) sed -n '3,25s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *) patterns+=("$1") ;;
  esac
  shift
done
mkdir -p "$work"
export LC_ALL=C

# The targets that a test needs and the files that it consists of: TARGET[,TARGET...] FILE...
behind() { # TEST
  local name=$1
  case $name in
    cases_*) echo "cases test/cases/lists/${name#cases_}.txt" ;;
    abi_declarations) echo crosslane ci/declarations.py ;;
    docs_links) echo crosslane test/abi/links.cmake ;;
    docs_*) echo "$name" "$(grep -l "^/\* complete ${name#docs_}:" docs/*.md)" ;;
    flip_restart) echo example_10_flip test/example/flip_restart.sh ;;
    fuzz_*) echo "${name}_replay" "test/fuzz/$name.c" ;;
    install_bare) echo all test/install/bare.cmake ;;
    install_*) echo all test/install/consume.cmake ;;
    mpi_*) # mpi_NAME_RANKS
      name=${name#mpi_}
      echo "mpi_${name%_*}_test" "mpi/test/${name%_*}_test.c"
      ;;
    lane_amd_*) echo crosslane test/lane/lane_amd.sh ;;
    plugin_links) echo crosslane test/install/consumer/consumer.c ;;
    selftest_flips_*) echo crosslane_tool,xlt_faults test/fault/selftest_flips.sh ;;
    tool_*) echo crosslane_tool,tool_oracle,tool_calls "$(grep -l "^${name#tool_}() {" test/tool/*.sh)" ;;
    first_use_test) echo first_use test/unit/first_use.c test/unit/first_use.sh ;;
    *) echo "$name" "$(own_files "$(find test -name "$name.c")")" ;;
  esac
}
# A test's file, and the files beside it that its #include lines name, without those that many tests share.
own_files() { # FILE
  local stem
  [ -z "$1" ] || {
    echo "$1"
    sed -nE 's/^#include "([a-z0-9_]+)\.h"$/\1/p' "$1" | grep -v support |
      while read -r stem; do find "${1%/*}" -name "$stem.[ch]" | sort; done
  } | paste -sd ' '
}

rm -f "$work/hashes"
all=$(awk -v mode=names -f ci/mutants.awk test/mutants/*.txt) # LIST NAME SOURCE TESTS [VARIABLE=VALUE...]
cut -d' ' -f4 <<<"$all" | tr , '\n' | sort -u | while read -r test; do
  echo "$test" "$(behind "$test")"
done >"$work/tests"

# Hashes of the tree as it was when the script started.
hashes() { # lines: NAME HASH
  local files
  [ ! -e "$work/hashes" ] || { cat "$work/hashes" && return; }
  mapfile -t files < <({ cut -d' ' -f3 <<<"$all" && cut -s -d' ' -f3- "$work/tests" | tr ' ' '\n'; } | sort -u)
  sha1sum "${files[@]}" >"$work/sums"
  rm -rf "$work/blocks" && mkdir "$work/blocks"
  awk -v mode=blocks -v to="$work/blocks" -f ci/mutants.awk "$work/sums" "$work/tests" test/mutants/*.txt
  (cd "$work/blocks" && sha1sum -- *) | awk '{ print $2, substr($1, 1, 12) }' >"$work/hashes.new"
  mv "$work/hashes.new" "$work/hashes" && cat "$work/hashes"
}

record() { # lines "VERDICT NAME ..." from standard input
  hashes >/dev/null
  touch "$ledger"
  awk -v mode=record -v commit="$(git rev-parse --short HEAD 2>/dev/null || echo -)" -v date="$(date -u +%F)" \
    -f ci/mutants.awk "$work/hashes" "$ledger" - | sort >"$work/ledger" && cat "$work/ledger" >"$ledger"
}

selected() {
  awk -v mode=select -v changed=$changed -v slice="$slice" -v patterns="${patterns[*]-}" -f ci/mutants.awk \
    <([ $changed = no ] || hashes) <(cat "$ledger" 2>/dev/null) - <<<"$all"
}

apply() { # LIST NAME SOURCE OUT
  rm -f "$4"
  awk -v mode=apply -v list="$1" -v name="$2" -v to="$4" -f ci/mutants.awk "$1" "$3" && [ -s "$4" ]
}

fails() { # TEXT LINES: says so if there are lines
  [ -z "$2" ] || { bad=1 && awk -v text="$1" '{ print text ": " $0 }' <<<"$2"; }
}
check() {
  local list name source bad=0
  fails "a name that is used twice" "$(cut -d' ' -f2 <<<"$all" | sort | uniq -d)"
  fails "a test that ci/mutants.sh does not find" "$(awk 'NF < 3 { print $1 }' "$work/tests")"
  fails "a device file without a mutant" \
    "$(comm -23 <(find cl -name '*.cl' | sort) <(cut -d' ' -f3 <<<"$all" | sort -u))"
  fails "a test that no mutant names" \
    "$(comm -23 <(find test mpi/test -name '*_test.c' ! -name mpi_test.c -o -path 'test/cases/lists/*.txt' | sort) \
      <(cut -s -d' ' -f3- "$work/tests" | tr ' ' '\n' | sort -u))"
  # A survivor is work to do: it fails a run of the mutants, not the check of their lists.
  awk 'NR == FNR { hash[$1] = $2; next }
    hash[$1] == $2 && $5 !~ /^(killed|absent|no-base)$/ { print "a mutant that did not die: " $1, $5 }' \
    <(hashes) <(cat "$ledger" 2>/dev/null)
  while read -r list name source _; do
    apply "$list" "$name" "$source" "$work/applied" || bad=1
  done <<<"$all"
  changed=yes
  echo "$(wc -l <<<"$all") mutants, each checked against the code as it is; $(selected | wc -l) of them are not in the ledger as they are"
  return $bad
}

case $what in
  check) check ;;
  list) selected | cut -d' ' -f2 ;;
  record) record <"$verdicts" ;;
esac
code=$?
[ "$what" = run ] || exit $code

# Sets `env` and `runner`: how tests run with these variables.
environment() { # [VARIABLE=VALUE...]
  local word device=portable:
  runner=() env=()
  for word; do
    case $word in
      RUNNER=intel)
        device=intel:
        env+=(CROSSLANE_TEST_SMALL=1 "OCL_ICD_FILENAMES=$top/build/intel/lib/libintelocl.so"
          "LD_LIBRARY_PATH=$top/build/intel/lib")
        ;;
      RUNNER=vendors) # as ci/test.sh has the facts of GPUs: Intel's own loader knows no layers
        device=intel:
        env+=(CROSSLANE_TEST_SMALL=1 XLT_VENDOR=neo "OCL_ICD_VENDORS=$top/build/intel/lib/libintelocl.so"
          "LD_LIBRARY_PATH=$top/build/intel/lib"
          "LD_PRELOAD=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')")
        ;;
      RUNNER=rusticl)
        device=rusticl:
        env+=(CROSSLANE_TEST_SMALL=1 RUSTICL_ENABLE=llvmpipe)
        ;;
      RUNNER=oclgrind*)
        device=oclgrind:
        runner=(oclgrind)
        env+=(CROSSLANE_TEST_SMALL=1 "CROSSLANE_TUNE_FILE=$top/test/simulator.tune")
        [[ $word != *-O0 && $word != *-races ]] || runner+=(--build-options -O0)
        [[ $word != *-races ]] || runner+=(--data-races)
        ;;
      RUNNER=nvidia) device=gpu ;;
      RUNNER=mpi) ;;
      *) env+=("$word") ;;
    esac
  done
  env=(env "CROSSLANE_DEVICE=$device" CROSSLANE_TEST_PROGRAMS=few CROSSLANE_TEST_SHRINK=0 POCL_MAX_PTHREAD_COUNT=2 POCL_CPU_MAX_CU_COUNT=2 "${env[@]}")
}

# Each copy of the tree has its own caches of kernels: `cache`, which is new for each mutant, and
# `pocl`, unless the caller names one in POCL_CACHE_DIR for all of them. A mutant's `cache` begins with
# links to the programs of the code as it is: no program changes a file, it writes another one.
run_in() { # FOLDER TESTS [VARIABLE=VALUE...]
  local folder=$1 tests=$2 runner env
  shift 2
  environment "$@"
  (cd "$folder" && "${env[@]}" "CROSSLANE_CACHE_DIR=$folder/cache" "POCL_CACHE_DIR=${POCL_CACHE_DIR:-$folder/pocl}" "${runner[@]}" \
    ctest --test-dir build -V --timeout 600 -R "^(${tests//,/|})\$" 2>&1)
}
has_mpi=OFF
! command -v mpicc >/dev/null || has_mpi=ON
is_absent() { # FOLDER [VARIABLE=VALUE...]
  local folder=$1 runner env
  shift
  [[ " $*" == *" RUNNER="* ]] || return
  environment "$@"
  ! "${env[@]}" "${runner[@]}" "$folder/build/test/which_device" >/dev/null 2>&1
}
build() { # FOLDER TESTS: what these need
  local targets
  mapfile -t targets < <(awk -v tests=",$2," 'index(tests, "," $1 ",") { print $2 }' "$work/tests" | tr , '\n' | sort -u)
  cmake --build "$1/build" --parallel $((($(nproc) + jobs - 1) / jobs)) --target which_device "${targets[@]}"
}

# The result of one test by its log. A simulator's finding is a failure. A run is a failure, too,
# if the tests' own watchdog ends it; the watchdog prints the states of the tiles first.
verdict() { # LOG SOURCE TEST: of this test, not of those that prepare it
  if grep -q 'No tests were found' "$1"; then
    echo missing
  elif grep -qF '***Timeout' "$1"; then
    echo hang
  elif [[ $2 == cl/* ]] && grep -q 'XL_ERROR_BUILD' "$1"; then
    echo no-kernel
  elif grep -qE "Test +#[0-9]+: $3 \.+ *(Passed|\*\*\*Skipped) +[0-9.]+ sec" "$1" &&
    ! grep -qE '^[0-9]+: (Invalid |.*data race at|Uninitialized )' "$1"; then
    echo survived
  else
    echo killed
  fi
}

prepare() { # FOLDER: a copy of the tree, configured
  rm -rf "$1" && mkdir -p "$1/cache" "$1/pocl"
  { git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    tar -c --null -T - | tar -x -C "$1"
  cmake -S "$1" -B "$1/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DXL_TESTS=ON -DXL_BENCH=OFF -DCROSSLANE_MPI=$has_mpi
}

# The code as it is must pass the tests that a mutant must fail: ok, absent or no-base.
base() { # FOLDER TESTS [VARIABLE=VALUE...]
  local folder=$1 tests=$2 log=$work/log/base-${*:2} result=ok
  log=${log// /-}
  shift 2
  if [[ $has_mpi = OFF && " $* " == *" RUNNER=mpi "* ]]; then
    result=absent
  elif ! build "$folder" "$tests" >"$log" 2>&1; then
    result=no-base
  elif is_absent "$folder" "$@"; then
    result=absent
  elif ! run_in "$folder" "$tests" "$@" >>"$log"; then
    result=no-base
  fi
  echo "$result" >"$work/base/$tests $*"
  echo "mutants: the code as it is: $tests $*: $result"
  [ $result != no-base ] || grep -E 'FAILED|\*\*\*|[Ee]rror' "$log" | head -n 5
}

one() { # FOLDER LIST NAME SOURCE TESTS [VARIABLE=VALUE...]
  local folder=$1 list=$2 name=$3 source=$4 tests=$5 seconds=$SECONDS test word log=$work/log/$3 result
  shift 5
  result=$(cat "$work/base/$tests $*")
  if [ "$result" = ok ]; then
    result=killed
    rm -rf "$folder/cache" && cp -al "$work/cache" "$folder/cache"
    if ! apply "$list" "$name" "$source" "$folder/new"; then
      result=no-such-lines
    else
      cat "$folder/new" >"$folder/$source"
      if ! build "$folder" "$tests" >"$log" 2>&1; then
        result=no-build
      else
        for test in ${tests//,/ }; do
          run_in "$folder" "$test" "$@" >"$log.$test"
          word=$(verdict "$log.$test" "$source" "$test")
          [ "$word" = killed ] || result="$word:$test"
        done
      fi
      cat "$source" >"$folder/$source"
    fi
  fi
  printf '%-12s %-36s %-34s %s\n' "$result" "$name" "$source" "$tests" >"$work/result/$name"
  printf 'mutants: %d of %d: %s %s, %d s\n' "$(find "$work/result" -type f | wc -l)" "$total" "$name" "$result" $((SECONDS - seconds))
}

worker() { # FUNCTION NUMBER: calls it for the lines of standard input that no other worker has taken
  local line words
  while read -r line; do
    mkdir "$work/taken/$1 ${line//\//-}" 2>/dev/null || continue
    read -r -a words <<<"$line"
    "$1" "$work/tree$2" "${words[@]}" </dev/null
  done
}
in_parallel() { # FUNCTION LINES: each worker in a process group of its own, for the trap
  local j
  set -m
  for ((j = 0; j < jobs; ++j)); do
    worker "$1" $j <<<"$2" &
  done
  set +m
  wait
}

finish() {
  find "$work/result" -type f -exec cat {} + | sort >"$work/table"
  record <"$work/table"
}
interrupted() {
  local group
  for group in $(jobs -p); do
    kill -- "-$group" 2>/dev/null
  done
  finish
  exit 130
}

lines=$(selected)
[ -n "$lines" ] || { echo "mutants: none is selected" && exit; }
total=$(wc -l <<<"$lines")
[ "$jobs" -le "$total" ] || jobs=$total
rm -rf "$work"/{log,cache,pocl,result,base,taken}
mkdir -p "$work"/{log,cache,pocl,result,base,taken}
trap interrupted INT TERM
echo "mutants: $total, in $jobs copies of the tree"
for ((j = 0; j < jobs; ++j)); do
  prepare "$work/tree$j" >"$work/log/prepare$j" 2>&1 &
  [ $((j % 8)) != 7 ] || wait
done
wait
for ((j = 0; j < jobs; ++j)); do
  [ -e "$work/tree$j/build/build.ninja" ] || { tail -n 20 "$work/log/prepare$j" && exit 1; }
done
in_parallel base "$(cut -d' ' -f4- <<<"$lines" | sort -u)"
for ((j = 0; j < jobs; ++j)); do # each copy finds the kernels of the code as it is
  cp -aln "$work/tree$j"/{cache,pocl} "$work"
done
for ((j = 0; j < jobs; ++j)); do
  cp -aln "$work/pocl" "$work/tree$j"
done
in_parallel one "$lines"
finish

echo
grep '^killed' "$work/table"
grep -v '^killed' "$work/table"
killed=$(grep -c '^killed' "$work/table")
absent=$(grep -c '^absent' "$work/table")
echo
echo "$killed passed, $((total - killed - absent)) failed, $absent skipped"
[ $((killed + absent)) = "$total" ]
