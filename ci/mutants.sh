#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/mutants.sh [--check] [--jobs N] [PATTERN...]
#
# Breaks the code on purpose, one way at a time, as the lists in test/mutants say (the format
# stands in ci/mutants.awk), builds it, and runs the tests that a list names: each of them must
# fail, by an assertion or a fault, and neither hang nor fail for a kernel that does not compile.
# The same tests must pass on the code as it is. Takes an hour on two cores, most of
# it compiling kernels: for a nightly run. PATTERN: only mutants whose list, name or source
# contains one. --check only looks that every mutant applies to the code as it is.
#
# A variable RUNNER of a mutant says where its tests run: `intel` (Intel's CPU runtime), `rusticl`,
# `oclgrind`, `oclgrind-O0`, or `oclgrind-races`; else on PoCL. Everywhere as ci/test.sh has them. Ends with a table, the survivors
# last. Logs: build/mutants/log.
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
work=$top/build/mutants
jobs=$(nproc)
check=no
patterns=()
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --jobs) jobs=${2:?} && shift ;;
    -*) sed -n '3,17s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *) patterns+=("$1") ;;
  esac
  shift
done
mkdir -p "$work"

mutants() { # lines: LIST NAME SOURCE TESTS [VARIABLE=VALUE...]
  awk -v names=1 -f ci/mutants.awk test/mutants/*.txt |
    if [ ${#patterns[@]} -gt 0 ]; then grep -F -- "$(printf '%s\n' "${patterns[@]}")"; else cat; fi
}

apply() { # LIST NAME SOURCE OUT
  rm -f "$4"
  awk -v list="$1" -v name="$2" -v to="$4" -f ci/mutants.awk "$1" "$3" && [ -s "$4" ]
}

if [ $check = yes ]; then
  bad=0 count=0
  twice=$(mutants | cut -d' ' -f2 | sort | uniq -d)
  [ -z "$twice" ] || { echo "names that stand twice: $twice" && bad=1; }
  while read -r list name source _; do
    count=$((count + 1))
    apply "$list" "$name" "$source" "$work/applied" || bad=1
  done < <(mutants)
  echo "$count mutants, each checked against the code as it is"
  exit $bad
fi

# What a run of tests finds in its environment: run_in FOLDER CACHE TESTS [VARIABLE=VALUE...]
run_in() {
  local folder=$1 cache=$2 tests=$3 runner=() env=() word device=portable:
  shift 3
  for word; do
    case $word in
      RUNNER=intel)
        device=intel:
        env+=(CROSSLANE_TEST_SMALL=1 "OCL_ICD_FILENAMES=$top/build/intel/lib/libintelocl.so"
          "LD_LIBRARY_PATH=$top/build/intel/lib")
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
      *) env+=("$word") ;;
    esac
  done
  (cd "$folder" && env "CROSSLANE_DEVICE=$device" "CROSSLANE_CACHE_DIR=$cache" CROSSLANE_TEST_PROGRAMS=few \
    "POCL_CACHE_DIR=$work/pocl" ${env[@]+"${env[@]}"} ${runner[@]+"${runner[@]}"} \
    ctest --test-dir build -V --timeout 600 -R "^(${tests//,/|})\$" 2>&1)
}

# What a log of ctest says of its one test. A simulator's finding is a failure; so is what the
# tests' own watchdog ends, which prints the states of the tiles first.
verdict() { # LOG SOURCE
  if grep -q 'No tests were found' "$1"; then
    echo missing
  elif grep -qF '***Timeout' "$1"; then
    echo hang
  elif [[ $2 == cl/* ]] && grep -q 'XL_ERROR_BUILD' "$1"; then
    echo no-kernel
  elif grep -qE '(Passed|\*\*\*Skipped) +[0-9.]+ sec' "$1" &&
    ! grep -qE '^[0-9]+: (Invalid |.*data race at|Uninitialized )' "$1"; then
    echo survived
  else
    echo killed
  fi
}

trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
for ((j = 0; j < jobs; ++j)); do
  rm -rf "$work/tree$j"
  mkdir -p "$work/tree$j"
  git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$work/tree$j"
done
rm -rf "$work/log" "$work/cache" "$work/result"
mkdir -p "$work/log" "$work/cache" "$work/result"
build() { # FOLDER LOG
  cmake -S "$1" -B "$1/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DXL_TESTS=ON -DXL_BENCH=OFF >"$2" 2>&1 &&
    cmake --build "$1/build" >>"$2" 2>&1
}
for ((j = 0; j < jobs; ++j)); do
  echo "mutants: building copy $((j + 1)) of $jobs"
  build "$work/tree$j" "$work/log/build$j" || { tail -n 20 "$work/log/build$j" && exit 1; }
done

# The code as it is must pass what the mutants must fail.
bad=0
while read -r tests words; do
  echo "mutants: the code as it is: $tests $words"
  # shellcheck disable=SC2086
  run_in "$work/tree0" "$work/cache" "$tests" $words >"$work/log/base" || {
    echo "  fails:"
    grep -E 'FAILED|\*\*\*|ERROR' "$work/log/base" | head -n 5
    bad=1
  }
done < <(mutants | cut -d' ' -f4- | sort -u)
[ $bad = 0 ] || exit 1

total=$(mutants | wc -l)
one() { # FOLDER NUMBER LIST NAME SOURCE TESTS [VARIABLE=VALUE...]
  local folder=$1 number=$2 list=$3 name=$4 source=$5 tests=$6 seconds=$SECONDS test word cache
  local log=$work/log/$name result=killed
  shift 6
  cache=$folder/cache
  rm -rf "$cache" && cp -r "$work/cache" "$cache"
  if ! apply "$list" "$name" "$source" "$work/$name.new"; then
    result=no-such-lines
  else
    cat "$work/$name.new" >"$folder/$source"
    if ! cmake --build "$folder/build" >"$log" 2>&1; then
      result=no-build
    else
      for test in ${tests//,/ }; do
        run_in "$folder" "$cache" "$test" "$@" >"$log.$test"
        word=$(verdict "$log.$test" "$source")
        [ "$word" = killed ] || result="$word:$test"
      done
    fi
    cat "$source" >"$folder/$source"
  fi
  rm -f "$work/$name.new"
  printf '%-12s %-36s %-34s %s\n' "$result" "$name" "$source" "$tests" >"$work/result/$name"
  printf 'mutants: %d of %d: %s %s, %d s\n' "$number" "$total" "$name" "$result" $((SECONDS - seconds))
}
worker() { # NUMBER: every jobs-th mutant
  local number=0 words
  while read -r -a words; do
    number=$((number + 1))
    [ $((number % jobs)) = "$1" ] || continue
    one "$work/tree$1" "$number" "${words[@]}" </dev/null
  done < <(mutants)
}
for ((j = 0; j < jobs; ++j)); do
  worker "$j" &
done
wait

echo
cat "$work"/result/* | sort >"$work/table"
grep '^killed' "$work/table"
grep -v '^killed' "$work/table"
killed=$(grep -c '^killed' "$work/table")
echo
echo "$killed passed, $((total - killed)) failed, 0 skipped"
[ "$killed" = "$total" ]
