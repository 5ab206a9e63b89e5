# shellcheck shell=bash disable=SC2034,SC2154 # variables that scripts which source this file use, or set
# SPDX-License-Identifier: MIT
# The rows of ci/test.sh and ci/nightly.sh, which source this file: the devices, a build, a run of the
# tests on a device, a check, and the table at the end. The caller sets `log`, the folder for logs.
#
# A row of test/rows.tsv runs only if the files that it depends on have changed since it passed; with
# all=yes each row runs. With `only` set, only the rows whose names contain it run.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
top=$PWD
jobs=$(nproc)
all=${all:-no} only=${only:-}
most_programs=220 # that a row may compile
for variable in "${!CROSSLANE_@}"; do
  unset "$variable"
done
# Programs that one configuration compiles the next one finds, and the next run, too.
export CROSSLANE_CACHE_DIR=$top/build/cache POCL_CACHE_DIR=$top/build/pocl
mkdir -p "$POCL_CACHE_DIR" build/vendors
rm -rf "$log"
mkdir -p "$log"

# ---- devices ------------------------------------------------------------------------------
pocl=(CROSSLANE_DEVICE=portable:)
cbs=(POCL_WORK_GROUP_METHOD=cbs "POCL_CACHE_DIR=$top/build/pocl-cbs")
# Kernels that PoCL does not optimise compile in half the time or a third. ci/nightly.sh optimises all.
unoptimised=(CROSSLANE_MASK=no-optimisation)
one_thread=(POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1)
# With only PoCL in the process, leaks of other drivers do not hide our own.
only_pocl=("${pocl[@]}" "OCL_ICD_VENDORS=$top/build/vendors")
cp /etc/OpenCL/vendors/pocl.icd build/vendors 2>/dev/null
rusticl=(CROSSLANE_DEVICE=rusticl: RUSTICL_ENABLE=llvmpipe)
intel=(CROSSLANE_DEVICE=intel: "OCL_ICD_FILENAMES=$top/build/intel/lib/libintelocl.so"
  "LD_LIBRARY_PATH=$top/build/intel/lib")
# GPUs that are absent: a layer reports the properties that their drivers report, the library chooses
# as it does there, and Intel's runtime runs the kernels. Its own loader knows no layers.
facts=("OCL_ICD_VENDORS=$top/build/intel/lib/libintelocl.so" "LD_LIBRARY_PATH=$top/build/intel/lib"
  "LD_PRELOAD=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')" CROSSLANE_DEVICE=gpu
  "OPENCL_LAYERS=$top/build/werror/test/vendors/libxlt_vendors.so")
# Small groups and tiles make several of few points and keys.
simulator=(CROSSLANE_DEVICE=oclgrind: CROSSLANE_TEST_SMALL=1 "CROSSLANE_TUNE_FILE=$top/test/simulator.tune")
small=(CROSSLANE_TEST_SMALL=1)
few=(CROSSLANE_TEST_PROGRAMS=few)

# ---- which tests ----------------------------------------------------------------------------
# Options for ctest: the tests that a mutant names for one of these runners (ci/mutants.sh).
tests_for() { # RUNNER...
  echo "-R ^($(tests_of_mutants | awk -v runners=" $* " 'index(runners, " " $1 " ") { print $2 }' | sort -u | paste -sd '|'))\$"
}
every_test='-LE install|abi|vendors|cpp'
# The tests that LABELS select, without those that mutants name for other runners only.
tests_for_pocl() { # LABELS, as options of ctest
  echo "$1 -E ^($(tests_of_mutants | awk '
    $1 == "pocl" { here[$2] } { named[$2] }
    END { for (test in named) if (!(test in here)) print test }' | sort | paste -sd '|'))\$"
}
tests_of_mutants() { # lines RUNNER TEST
  awk -v mode=names -f ci/mutants.awk test/mutants/*.txt | awk '{
    runner = "pocl"
    for (i = 5; i <= NF; ++i)
      if (sub(/^RUNNER=/, "", $i))
        runner = $i
    count = split($4, tests, ",")
    for (i = 1; i <= count; ++i)
      print runner, tests[i]
  }' | sort -u
}
kernel_tests='-L ^(lane|group|tile|cases)$'

# ---- rows -----------------------------------------------------------------------------------
table=$log/table
# Adds a line to the table, for the time since clock_start. KIND: build, run, simulate or check.
row() { # NAME KIND PASSED FAILED SKIPPED REMARK
  local programs=0 kernels=0 cpu remark=$6
  times >"$table.times"
  cpu=$(($(used) - used_before))
  [[ $2 != run && $2 != simulate ]] || read -r programs kernels < <(compiled)
  [ "$programs" -le $most_programs ] || remark="over budget: $programs programs, $most_programs are allowed; $remark"
  echo "$1|$2|$3|$4|$5|$((SECONDS - since))|$cpu|$programs|$kernels|$remark" >>"$table"
}
# Programs and seconds: of the builds that processes counted (test/support/builds.c), and of PoCL's
# machine code, which it makes at the first launch of a kernel, in a folder for each. rusticl makes its
# machine code at a launch, too; there it counts as running.
compiled() {
  {
    cat "$log/builds" 2>/dev/null
    find build/pocl* -mindepth 4 -maxdepth 4 -type d -newer "$log/stamp" -exec stat -c '%.3W %.3Y' {} + |
      awk '$1 > 0 { print 0, $2 - $1 }'
  } | awk '{ programs += $1; seconds += $2 } END { printf "%d %d\n", programs, seconds }'
}
# The seconds of processors that this shell's children have used. `times` counts those of the
# shell it runs in: not in a pipe.
used() {
  awk -F'[m. ]' 'NR == 2 { print $1 * 60 + $2 + $4 * 60 + $5 }' "$table.times"
}
clock_start() {
  times >"$table.times"
  since=$SECONDS used_before=$(used)
}
wanted() { # NAME
  [[ $1 == *"$only"* ]]
}

build() { # PRESET [TARGET...]: all of them without any
  local preset=$1
  shift
  echo "building build/$preset"
  clock_start
  if cmake --preset "$preset" -G Ninja >"$log/build-$preset" 2>&1 &&
    cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"} >>"$log/build-$preset" 2>&1; then
    row "build $preset" build 1 0 0 ""
  else
    tail -n 30 "$log/build-$preset"
    row "build $preset" build 0 1 0 "$log/build-$preset"
    return 1
  fi
}

# A run of the tests on one device. OPTIONS of ctest are one word; RUNNER is a program to run ctest
# under, or -.
configuration() { # NAME PRESET OPTIONS RUNNER [VARIABLE=VALUE...]
  local name=$1 preset=$2 options=$3 runner=$4 file device result words kind=run
  shift 4
  wanted "$name" || return 0
  clock_start
  rm -f "$log/builds" && touch "$log/stamp"
  file="$log/${name//[ =,:]/-}"
  [ "$runner" = - ] && runner= || kind=simulate
  # shellcheck disable=SC2086
  if ! device=$(env "$@" $runner build/werror/test/which_device 2>"$file"); then
    row "$name" $kind 0 0 1 "absent: $(head -n 1 "$file" | cut -c1-60)"
    return
  fi
  echo "testing: $name"
  # A sanitizer's library must come first: there builds are not counted.
  # shellcheck disable=SC2086,SC2016
  env "$@" "XLT_BUILDS=$log/builds" $runner bash -c '
    [[ $1 == *san ]] || export LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD}
    exec ctest --preset "$@"' "$top/build/werror/test/libxlt_builds.so" \
    "$preset" -V -j "$jobs" --no-tests=error $options >>"$file" 2>&1
  echo "$name" >>"$log/skipped"
  result=$(awk -v skips="$log/skipped" -f ci/count.awk "$file")
  read -r -a words <<<"${result%%$'\n'*}"
  [ "${words[0]}" != 0 ] || words[1]=$((words[1] + 1)) # a run of nothing is no success
  [ "${words[1]}" = 0 ] || echo "${result#*$'\n'}"
  [ ! -e "$log/builds" ] || sed "s/\$/ $name/" "$log/builds" >>"$log/programs"
  row "$name" $kind "${words[@]}" "${device:0:60}"
}

# A check, or any other command that passes or fails. Exit code 77, or no such command: absent.
check() { # NAME COMMAND...
  local name=$1 code file
  shift
  wanted "$name" || return 0
  clock_start
  echo "checking: $name"
  file="$log/check-${name//[ =,:]/-}"
  "$@" >"$file" 2>&1
  code=$?
  case $code in
    0) row "$name" check 1 0 0 "" ;;
    77 | 127) row "$name" check 0 0 1 "absent: $(tail -n 1 "$file")" ;;
    *)
      grep -E 'error|warning|fault|FAILED|:' "$file" | head -n 20
      row "$name" check 0 1 0 "$file"
      ;;
  esac
}

# ---- rows that depend on some files ---------------------------------------------------------
# The hash of a row's files as they are in the working tree, new ones included; nothing if git lists none.
hash_of_row() { # NAME
  local paths
  paths=$(awk -F'\t' -v name="$1" '$1 == name { print $2 }' test/rows.tsv)
  # shellcheck disable=SC2086
  (set -f && git ls-files --cached --others --exclude-standard -- $paths) | sort -u |
    while read -r path; do [ ! -f "$path" ] || echo "$path"; done >"$table.paths"
  [ ! -s "$table.paths" ] || { cat "$table.paths" && git hash-object --stdin-paths <"$table.paths"; } | sha256sum | cut -c1-16
}
# Runs COMMAND, which adds rows, unless the files of this row are as they were when it last passed.
if_changed() { # NAME COMMAND...
  local name=$1 hash was date before
  shift
  wanted "$name" || return 0
  hash=$(hash_of_row "$name")
  IFS=$'\t' read -r was date < <(awk -F'\t' -v OFS='\t' -v name="$name" '$1 == name { print $3, $4 }' test/rows.tsv)
  if [ "$all" = no ] && [ -n "$hash" ] && [ "$hash" = "$was" ]; then
    clock_start
    row "$name" check 0 0 0 "unchanged since it passed on $date"
    return
  fi
  touch "$table"
  before=$(wc -l <"$table")
  "$@"
  tail -n "+$((before + 1))" "$table" | awk -F'|' '{ passed += $3; failed += $4; absent += /\|absent:/ }
    END { exit !(passed && !failed && !absent) }' && [ -n "$hash" ] && printf '%s\t%s\t%s\n' "$name" "$hash" "$(date +%F)" >>"$log/passed"
}
# Writes what passed into test/rows.tsv, for the author to commit.
record_passes() {
  [ -e "$log/passed" ] || return 0
  awk -F'\t' -v OFS='\t' 'NR == FNR { hash[$1] = $2; date[$1] = $3; next }
    $1 in hash && $3 != hash[$1] { $3 = hash[$1]; $4 = date[$1] }
    { print }' "$log/passed" test/rows.tsv >"$log/rows" && ! cmp -s "$log/rows" test/rows.tsv || return 0
  cat "$log/rows" >test/rows.tsv
  echo "test/rows.tsv has changed: commit it"
}

# ---- the end ----------------------------------------------------------------------------------
# Every row, where the time went, and the tests that took longest. Exits with 1 if a row failed.
finish() {
  echo
  [ ! -f "$log/table-static" ] || cat "$log/table-static" >>"$table"
  awk -F'|' -v all="$((SECONDS / 60)) min $((SECONDS % 60)) s" '
    BEGIN {
      format = "%-28s %6s %6s %7s %5s %6s %6s %7s %7s %8s %8s  %s\n"
      printf format, "row", "passed", "failed", "skipped", "s", "CPU s", "C", "kernels", "running", "simul.", "programs", ""
    }
    {
      kernels = $9 < $7 ? $9 : $7
      rest = $7 - kernels
      c = $2 == "build" ? rest : 0; running = $2 == "run" ? rest : 0; simulated = $2 == "simulate" ? rest : 0
      printf format, $1, $3, $4, $5, $6, $7, c, kernels, running, simulated, $8, $10
      for (k = 3; k <= 8; ++k) sum[k] += $k
      sum_c += c; sum_kernels += kernels; sum_running += running; sum_simulated += simulated
    }
    END {
      printf format, "all", sum[3] + 0, sum[4] + 0, sum[5] + 0, "", sum[7] + 0, sum_c, sum_kernels, sum_running, sum_simulated, sum[8], all
      print sum[3] + 0, "passed,", sum[4] + 0, "failed,", sum[5] + 0, "skipped" >"/dev/stderr"
    }' "$table" 2>"$log/sum"
  echo "CPU s: seconds of all processors; of these in: building C, compiling kernels, running tests, simulating"
  if grep -q 'over budget' "$table"; then
    echo
    echo "the tests that compile most programs:"
    sort -rn "$log/programs" | head -n 10
  fi
  echo
  echo "the longest tests, in seconds:"
  grep -E '^ *[0-9]+/[0-9]+ Test +#' "$log"/* /dev/null |
    sed -nE 's/^.*\/([^:]+):.*#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*/\3 \2 (\1)/p' | sort -rn | head -n 10
  echo "skipped tests are listed in ${log#"$top"/}/skipped"
  record_passes
  echo "${closing:-}"
  cat "$log/sum"
  grep -q ' 0 failed' "$log/sum"
  exit
}
