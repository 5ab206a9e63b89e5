#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/test.sh
#
# Installs what there is to test with, builds, and runs every test on every OpenCL
# device found, then with sanitizers, then the static checks. Ends with a table and
# exits with 1 if anything failed. Logs: build/log/. What is not on this machine is
# named as absent in the table and counts as skipped.
set -u
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

passed=0 failed=0 skipped=0
row() { # NAME PASSED FAILED SKIPPED REMARK: a line of the table
  printf '%-26s %6s %6s %7s  %s\n' "$@" >>"$log/table"
  passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}

build() { # PRESET [CMAKE OPTION...]
  local preset=$1
  shift
  echo "building build/$preset"
  if cmake --preset "$preset" -G Ninja "$@" >"$log/build-$preset" 2>&1 &&
    cmake --build "build/$preset" --parallel "$jobs" >>"$log/build-$preset" 2>&1; then
    row "build $preset $*" 1 0 0 ""
  else
    tail -n 30 "$log/build-$preset"
    row "build $preset $*" 0 1 0 "$log/build-$preset"
    return 1
  fi
}

# One run of the tests: configuration NAME PRESET TESTS RUNNER [VARIABLE=VALUE...]
# TESTS is a row of `selections`; RUNNER a program to run them under, or -. Everything runs
# on one device; the others leave out what takes long to compile there and tests the same
# kernels as what is left, sanitizers what tests little but kernels, which they do not see.
declare -A selections=(
  [all]="-LE install|abi|ahead|halves"
  [most]="-LE install|abi|ahead|halves -E ^(scan_types|scan_user|scan_textbook|collectives|tool_segments|tool_reduce|selftest_flips|differential$)"
  [lanes]="-LE install|abi|tool -E ^(scan_types_test|(scan_user|scan_textbook|fault)_|selftest_flips|differential$)"
  [few]="-R ^(context|lane|group|tile|scan_segments|scan_late|scan_ordered|scan_calls|sort|grid|neighbors)_test"
  [host]="-LE install|abi|ahead|halves|lane|group -E ^(scan_(types|user|textbook|ways|bits|ordered|late|places|offsets|large)|many_runs|reduce_bits|neighbors_(staged|far)|tool_segments|tool_reduce|selftest_flips|differential|bounds|corrupt|tile|races)"
  [install]="-L install|abi"
  [simulator]="-R ^(lane|group|tile|collectives|sequence|failed_waits|view|program|user_errors|scan_segments|scan_offsets|scan_textbook|scan_misuse|reduce_bits|sort|grid|neighbors)_test --timeout 1200"
  [races]="-R ^(lane|lane_subwarp|group|collectives|sequence|view)_test --timeout 1200"
  [tiles]="-R ^races_test --timeout 1200"
  [threads]="-R ^(errors|os|context|cache|cache_folder|sequence|threads|launches)_test"
)
configuration() {
  local name=$1 preset=$2 tests=$3 runner=$4 file device seconds=$SECONDS result words
  shift 4
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
  row "$name" "${words[@]}" "$((SECONDS - seconds)) s, ${device:0:70}"
}

check() { # NAME COMMAND...: a static check; exit code 77 or no such command: absent
  local name=$1 code seconds=$SECONDS
  shift
  echo "checking: $name"
  "$@" >"$log/check-$name" 2>&1
  code=$?
  case $code in
    0) row "$name" 1 0 0 "$((SECONDS - seconds)) s" ;;
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
  [ $nvidia = yes ] || row "NVIDIA GPU" 0 0 1 "absent: no such device"
}

# shellcheck disable=SC2317 # called by check
tidy() {
  command -v clang-tidy >/dev/null || return 77
  find lib test tools examples -name '*.c' ! -name '*windows*' ! -path '*/consumer/*' -print0 |
    xargs -0 -n 4 -P "$jobs" clang-tidy --quiet -p build/clang
}

# shellcheck disable=SC2317 # called by check
cppcheck_all() {
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=internalAstError --error-exitcode=1 -j "$jobs" -Iinclude -Ilib/core -Ilib/tune -Ilib/ocl -Ilib/engine -Itest/support lib test tools
}

finish() {
  echo
  printf '%-26s %6s %6s %7s\n' configuration passed failed skipped
  cat "$log/table"
  echo "what was skipped stands in build/log/skipped; $((SECONDS / 60)) min $((SECONDS % 60)) s"
  echo
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
  exit
}

ci/setup.sh test || { row setup 0 1 0 ""; finish; }
build werror || finish

pocl=(CROSSLANE_DEVICE=portable:)
# PoCL makes loops of work-groups, of one and two work-items repeats; loopvec by name makes loops
# of these as well. To its cache that is another method, for which all is compiled again: only
# a configuration that has kernels of its own asks for it.
loops=(POCL_WORK_GROUP_METHOD=loopvec)
cbs=(POCL_WORK_GROUP_METHOD=cbs "POCL_CACHE_DIR=$PWD/build/pocl-cbs")
one_thread=(POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1)
intel=(CROSSLANE_DEVICE=intel: "OCL_ICD_FILENAMES=$PWD/build/intel/lib/libintelocl.so"
  "LD_LIBRARY_PATH=$PWD/build/intel/lib")
# With only PoCL in the process, what other drivers leak does not hide our own.
only_pocl=("${pocl[@]}" "OCL_ICD_VENDORS=$PWD/build/vendors")
configuration "install and interface" werror install - "${pocl[@]}"
configuration "PoCL" werror all - "${pocl[@]}"
# A PoCL that does not know the method says so and silently takes its usual one.
if env "${pocl[@]}" "${cbs[@]}" build/werror/test/unit/context_test 2>&1 | grep -q 'Unknown work group'; then
  row "PoCL cbs" 0 0 1 "absent: this PoCL was built without that method"
else
  configuration "PoCL cbs" werror all - "${pocl[@]}" "${cbs[@]}"
fi
small=(CROSSLANE_TEST_SMALL=1)
configuration "PoCL one thread" werror few - "${pocl[@]}" "${small[@]}" "${one_thread[@]}"
configuration "PoCL without messages" werror few - "${pocl[@]}" "${small[@]}" CROSSLANE_MASK=no-int64-atomics,no-look-back
configuration "PoCL work-group=8" werror few - "${pocl[@]}" "${loops[@]}" "${small[@]}" CROSSLANE_MASK=work-group=8
configuration "rusticl on llvmpipe" werror most - "${small[@]}" RUSTICL_ENABLE=llvmpipe CROSSLANE_DEVICE=rusticl:
configuration "Intel CPU runtime" werror lanes - "${small[@]}" "${intel[@]}"
configuration "Intel width=1" werror few - "${small[@]}" "${intel[@]}" CROSSLANE_MASK=width=1
configuration "Intel no-sub-groups" werror few - "${small[@]}" "${intel[@]}" CROSSLANE_MASK=no-sub-groups
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
build asan && configuration "address, leak, undefined" asan host - "${small[@]}" "${only_pocl[@]}"
build tsan && configuration "threads" tsan threads - "${only_pocl[@]}"
build clang
check tidy tidy
check cppcheck cppcheck_all
check format ci/format.sh --check
check model ci/model.sh
check layers ci/check-layers.sh
check layers-test ci/check-layers-test.sh
check compare-test ci/compare-test.sh
check peers ci/peers.sh --quick --max-n 2^16
check peers-test ci/peers-test.sh
check mutants ci/mutants.sh --check
check shellcheck shellcheck -x ci/*.sh .ci/run test/tool/*.sh test/fault/*.sh
finish
