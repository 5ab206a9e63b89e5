#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/test.sh [--quick]
#
# What a push runs, in half an hour to an hour on two cores, as fast as these are. Almost all of that
# is compilers of kernels, and data cost next to nothing but on a simulator. So:
#   PoCL      tests at full size, with fewer kinds of kernels (CROSSLANE_TEST_PROGRAMS=few); but
#             sort_samples_test and corrupt_keys_test, which compile long there and run on the others,
#             races_test, which the simulator runs, scan_ways_test, whose ways bounds_test runs,
#             neighbors_triclinic_test, which rusticl runs, and what sanitizers run on PoCL
#   rusticl   small sizes; alone it has the types of scans and the user's, the textbook's scans, the
#             differential runner, the self-tests, and what the tool makes of arrays; each form of a
#             search in another way than PoCL; but sort_values_test and neighbors_capacity_test,
#             which PoCL and the simulator run
#   others    small sizes (CROSSLANE_TEST_SMALL=1), Intel's with fewer kinds of kernels, too,
#             without what takes long to compile or to simulate there and tests the same
#             kernels as what is left
#   GPUs      every test, all of it; of those that are not here what their drivers tell, over
#             Intel's runtime, and what their compilers say of the main kernels
# then sanitizers; beside all this, on what it leaves of the cores, the static checks, but for
# clang-tidy, cppcheck, the models and the tests of these checks; and other hosts, as far as
# compilers go (ci/hosts.sh).
# --quick, for who is at work, under six minutes: builds with what is there, and runs on PoCL
# what compiles little, the interface's tests, and the checks of format, layers and parameters.
# ci/nightly.sh has what both leave out: every kind of kernels, every test on Intel's runtime,
# devices with features masked out, the rest of the static checks, the peers, and what takes hours.
#
# Ends with a table, which says for each row how long it took and how much of the processors,
# and exits with 1 if anything failed. Logs: build/log/. What is not on this machine is named
# as absent in the table and counts as skipped.
set -u
quick=no
case "$*" in
  '') ;;
  --quick) quick=yes ;;
  *) sed -n '3,27s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
cd "$(dirname "$0")/.." || exit
log=$PWD/build/log
jobs=$(nproc)
rm -rf "$log"
mkdir -p "$log"
for variable in "${!CROSSLANE_@}"; do
  unset "$variable"
done
# What one configuration compiles the next one finds.
export CROSSLANE_CACHE_DIR=$PWD/build/cache POCL_CACHE_DIR=$PWD/build/pocl

table=$log/table
row() { # NAME PASSED FAILED SKIPPED REMARK: a line of the table, for what ran since clock_start
  times >"$table.times"
  echo "$1|$2|$3|$4|$((SECONDS - since))|$(($(used) - used_before))|$5" >>"$table"
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

build() { # PRESET [TARGET...]: all of them without any
  local preset=$1
  shift
  echo "building build/$preset"
  clock_start
  if cmake --preset "$preset" -G Ninja >"$log/build-$preset" 2>&1 &&
    cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"} >>"$log/build-$preset" 2>&1; then
    row "build $preset" 1 0 0 ""
  else
    tail -n 30 "$log/build-$preset"
    row "build $preset" 0 1 0 "$log/build-$preset"
    return 1
  fi
}

# One run of the tests: configuration NAME PRESET TESTS RUNNER [VARIABLE=VALUE...]
# TESTS is a row of `selections`; RUNNER a program to run them under, or -. Everything runs
# on one device; the others leave out what takes long to compile there and tests the same
# kernels as what is left, sanitizers what tests little but kernels, which they do not see.
threads="errors os context cache cache_folder sequence threads launches"
declare -A selections=(
  [all]="-LE install|abi|pipelined|halves|vendors"
  [most]="-LE install|abi|pipelined|halves|vendors -E ^(selftest_flips|(sort_values|neighbors_capacity)_test)"
  [lanes]="-LE install|abi|tool|vendors -E ^((bounds|corrupt|corrupt_keys|races|scan_zeros|user_errors|collectives|neighbors|neighbors_rows|neighbors_capacity|neighbors_queries|neighbors_triclinic|neighbors_lattice|neighbors_batch|neighbors_f64|neighbors_triclinic_f64|neighbors_f64_kernel|knn_f64|grid_f64|scan_late|sort_values|params|nan_order)_test|(scan_types|scan_carry|scan_user|scan_textbook|scan_ways|scan_ordered|scan_places|fault)_|selftest_flips|cases_)"
  [pocl]="-LE install|abi|pipelined|halves|vendors -E ^((races|sort_samples|corrupt_keys|neighbors_triclinic|scan_(ways|types|textbook|user|zeros)|user_errors|fault)_test|selftest_flips|tool_(selftest|arrays|segments|reduce|tune)|cases_)"
  [quick]="-R ^((context|threads|npy|text|errors|os|build_log|program|cache|cache_folder|view|sequence|scan_plan|shape|shape_keys|lane|lane_subwarp|tile|scan_types|scan_offsets|scan_calls|scan_misuse|scan_bits|scan_textbook|scan_large|many_runs|reduce_bits|own_scratch|sort|sort_digits|sort_large|sort_values|sort_stable|sort_segments|sort_compare|topk|topk_segments|select|merge|search|histogram|transform|(sort|topk|select|merge|search|histogram|transform|knn|knn_approximate|morton)_misuse|grid|neighbors|neighbors_(kernel|rows)|knn|morton|registry|plan_values|tune_file|tune_search|versions_now)_test|fuzz_|example_|tool_(usage|links|streams|names))"
  [interface]="-L abi"
  [few]="-R ^(context|lane|group|tile|scan_segments|scan_late|scan_ordered|scan_calls|sort|sort_digits|sort_large|sort_stable|sort_segments|sort_compare|topk|topk_segments|select|merge|search|histogram|transform|(sort|topk|select|merge|search|histogram|transform|knn|knn_approximate|morton)_misuse|grid|neighbors|neighbors_(kernel|rows)|knn|knn_approximate|morton)_test"
  [host]="-LE install|abi|pipelined|halves|vendors|lane|group -E ^(scan_(types|user|textbook|ways|bits|ordered|late|places|offsets|large)|many_runs|reduce_bits|sort_values|neighbors_(staged|far)|tool_arrays|tool_segments|tool_reduce|tool_selftest|selftest_flips|differential|bounds|corrupt|tile|races|flip_test|select_test|sort_samples)"
  [install]="-L install|abi"
  [simulator]="-R ^(lane|group|tile|sequence|failed_waits|view|program|user_errors|scan_segments|scan_offsets|scan_misuse|reduce_bits|sort|sort_digits|sort_large|sort_values|sort_stable|sort_segments|sort_compare|topk|topk_segments|select|merge|search|histogram|transform|(sort|topk|select|merge|search|histogram|transform|knn|knn_approximate|morton)_misuse|grid|neighbors|neighbors_(kernel|rows|capacity)|knn|knn_approximate|morton)_test --timeout 1200"
  [races]="-R ^(lane|lane_subwarp|group|collectives|sequence|view)_test --timeout 1200"
  [tiles]="-R ^races_test --timeout 1200"
  [vendors]="-R ^(vendor_plans|lane|group|tile|scan_segments|scan_calls|reduce_single|sort|topk|topk_segments|merge|search|histogram|transform|(sort|topk|merge|search|histogram|transform|knn|morton)_misuse|grid|neighbors|neighbors_(kernel|rows)|knn|morton)_test"
  [vendors_lanes]="-R ^(vendor_plans|lane|group|reduce_single|sort|topk|topk_segments|merge|search|histogram|transform|(sort|topk|merge|search|histogram|transform|knn|morton)_misuse|grid|neighbors|neighbors_(kernel|rows)|knn|morton)_test"
  [threads]="-R ^(${threads// /|})_test$"
)
configuration() {
  local name=$1 preset=$2 tests=$3 runner=$4 file device result words
  shift 4
  clock_start
  file="$log/${name//[ =,:]/-}"
  [ "$runner" != - ] || runner=
  # shellcheck disable=SC2086
  if ! device=$(env "$@" $runner build/werror/test/which_device 2>"$file"); then
    row "$name" 0 0 1 "absent: $(head -n 1 "$file" | cut -c1-60)"
    return
  fi
  echo "testing: $name"
  # shellcheck disable=SC2086
  env "$@" $runner ctest --preset "$preset" -V -j "$jobs" ${selections[$tests]} >>"$file" 2>&1
  echo "$name" >>"$log/skipped"
  result=$(awk -v skips="$log/skipped" -f ci/count.awk "$file")
  read -r -a words <<<"${result%%$'\n'*}"
  [ "${words[0]}" != 0 ] || words[1]=$((words[1] + 1)) # a run of nothing is no success
  [ "${words[1]}" = 0 ] || echo "${result#*$'\n'}"
  row "$name" "${words[@]}" "${device:0:60}"
}

check() { # NAME COMMAND...: a static check; exit code 77 or no such command: absent
  local name=$1 code
  shift
  clock_start
  echo "checking: $name"
  "$@" >"$log/check-$name" 2>&1
  code=$?
  case $code in
    0) row "$name" 1 0 0 "" ;;
    77 | 127) row "$name" 0 0 1 "absent: $(tail -n 1 "$log/check-$name")" ;;
    *)
      grep -E 'error|warning|fault|:' "$log/check-$name" | head -n 20
      row "$name" 0 1 0 "$log/check-$name"
      ;;
  esac
}

every_other_device() { # GPUs and whatever else has a driver here
  local selector device nvidia=no
  for selector in $(build/werror/test/which_device --others); do
    device=$(CROSSLANE_DEVICE=$selector build/werror/test/which_device) || continue
    [[ $device != *NVIDIA* ]] || nvidia=yes
    # The test of 2^32 elements looks itself for memory enough.
    configuration "device $selector" werror all - "CROSSLANE_DEVICE=$selector" CROSSLANE_TEST_LARGE=1
  done
  clock_start
  [ $nvidia = yes ] || row "NVIDIA GPU" 0 0 1 "absent: no such device"
}

# Apart from the rest, on one core: these fill what rows leave, whose last test runs alone.
static_checks() {
  table=$log/table-static
  build clang
  for host in windows x86 macos; do
    check "host-$host" ci/hosts.sh $host
  done
  check vendors env VENDOR_JOBS=1 ci/vendors.sh
  check vendors-test ci/vendors-test.sh
  check compare-test ci/compare-test.sh
  check mutants ci/mutants.sh --check
  check shellcheck shellcheck -x ci/*.sh .ci/run test/tool/*.sh test/fault/*.sh test/lane/*.sh
}

# Every row, and the tests that took longest.
finish() {
  echo
  [ ! -f "$log/table-static" ] || cat "$log/table-static" >>"$table"
  awk -F'|' -v all="$((SECONDS / 60)) min $((SECONDS % 60)) s" '
    BEGIN { print_row("configuration", "passed", "failed", "skipped", "s", "CPU s", "") }
    function print_row(a, b, c, d, e, f, g) { printf "%-26s %6s %6s %7s %5s %6s  %s\n", a, b, c, d, e, f, g }
    { print_row($1, $2, $3, $4, $5, $6, $7); for (k = 2; k <= 6; ++k) sum[k] += $k }
    END {
      print_row("all", sum[2] + 0, sum[3] + 0, sum[4] + 0, "", sum[6] + 0, all)
      print sum[2] + 0, "passed,", sum[3] + 0, "failed,", sum[4] + 0, "skipped" >"/dev/stderr"
    }' "$table" 2>"$log/sum"
  echo
  echo "the longest tests, in seconds:"
  grep -E '^ *[0-9]+/[0-9]+ Test +#' "$log"/* /dev/null |
    sed -nE 's/^.*\/([^:]+):.*#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*/\3 \2 (\1)/p' | sort -rn | head -n 10
  echo "what was skipped stands in build/log/skipped"
  [ $quick = no ] || echo "the quick run: what a push runs is ci/test.sh"
  echo
  cat "$log/sum"
  grep -q ' 0 failed' "$log/sum"
  exit
}

clock_start
if [ $quick = no ]; then
  ci/setup.sh test || { row setup 0 1 0 ""; finish; }
  row setup 0 0 0 ""
fi
build werror || finish

pocl=(CROSSLANE_DEVICE=portable:)
cbs=(POCL_WORK_GROUP_METHOD=cbs "POCL_CACHE_DIR=$PWD/build/pocl-cbs")
one_thread=(POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1)
intel=(CROSSLANE_DEVICE=intel: "OCL_ICD_FILENAMES=$PWD/build/intel/lib/libintelocl.so"
  "LD_LIBRARY_PATH=$PWD/build/intel/lib")
# With only PoCL in the process, what other drivers leak does not hide our own.
only_pocl=("${pocl[@]}" "OCL_ICD_VENDORS=$PWD/build/vendors")
check format ci/format.sh --check
check layers ci/check-layers.sh
check parameters ci/check-parameters.sh
few=(CROSSLANE_TEST_PROGRAMS=few)
if [ $quick = yes ]; then
  configuration "interface" werror interface - "${pocl[@]}"
  configuration "PoCL" werror quick - "${pocl[@]}" "${few[@]}"
  finish
fi
jobs=1 static_checks &
static=$!
configuration "install and interface" werror install - "${pocl[@]}"
configuration "PoCL" werror pocl - "${pocl[@]}" "${few[@]}"
# A PoCL that does not know the method says so and silently takes its usual one.
if env "${pocl[@]}" "${cbs[@]}" build/werror/test/unit/context_test 2>&1 | grep -q 'Unknown work group'; then
  clock_start
  row "PoCL cbs" 0 0 1 "absent: this PoCL was built without that method"
else
  configuration "PoCL cbs" werror pocl - "${pocl[@]}" "${cbs[@]}" "${few[@]}"
fi
small=(CROSSLANE_TEST_SMALL=1)
configuration "PoCL one thread" werror few - "${pocl[@]}" "${small[@]}" "${one_thread[@]}"
configuration "rusticl on llvmpipe" werror most - "${small[@]}" RUSTICL_ENABLE=llvmpipe CROSSLANE_DEVICE=rusticl:
configuration "Intel CPU runtime" werror lanes - "${small[@]}" "${intel[@]}" "${few[@]}"
# GPUs that are not there: a layer tells what their drivers tell, the library chooses as it would
# there, and Intel's runtime does the work, without optimising. Its own loader knows no layers.
facts=("OCL_ICD_VENDORS=$PWD/build/intel/lib/libintelocl.so" "LD_LIBRARY_PATH=$PWD/build/intel/lib"
  "LD_PRELOAD=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')" CROSSLANE_DEVICE=gpu
  "OPENCL_LAYERS=$PWD/build/werror/test/vendors/libxlt_vendors.so" XLT_VENDOR_FAST=1)
configuration "GPU facts of ROCm" werror vendors - "${small[@]}" "${few[@]}" "${facts[@]}" XLT_VENDOR=rocm-gfx90a
# Scans by sub-groups crash in Intel's compiler for CPUs (2026.2) unless it optimises: the night.
configuration "GPU facts of Intel" werror vendors_lanes - "${small[@]}" "${few[@]}" "${facts[@]}" XLT_VENDOR=neo
# Simulated are kernels as they are written, not as a compiler improves them. Small groups and
# tiles make several of few points and keys; what a GPU has for a sort runs once in sort_test.
simulator=(CROSSLANE_DEVICE=oclgrind: "${small[@]}" "CROSSLANE_TUNE_FILE=$PWD/test/simulator.tune")
oclgrind="oclgrind"
configuration "Oclgrind memory" werror simulator "$oclgrind" "${simulator[@]}"
configuration "Oclgrind races in tiles" werror tiles "$oclgrind --data-races" "${simulator[@]}"
configuration "Oclgrind races" werror races "$oclgrind --data-races --uninitialized" "${simulator[@]}"
every_other_device

mkdir -p build/vendors
cp /etc/OpenCL/vendors/pocl.icd build/vendors
build asan && configuration "address, leak, undefined" asan host - "${small[@]}" "${few[@]}" "${only_pocl[@]}"
# shellcheck disable=SC2086
build tsan which_device ${threads// /_test }_test && configuration "threads" tsan threads - "${only_pocl[@]}"
wait "$static"
finish
