#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/nightly.sh [PART...]
#
# What takes too long for each push, after ci/test.sh: 10^6 cases of the differential runner and all
# pairs of options, on a GPU too where there is one (ci/gpu.sh), more than 2^32 elements on PoCL, every
# test with every kind of kernels on PoCL and on Intel's CPU runtime, some of them with features masked
# out, what a push leaves out on rusticl and Oclgrind, tests under the facts of GPUs that are not
# there, every kernel by compilers for AMD's and Intel's, clang-tidy, cppcheck, the peers, and the
# mutants. PART: only those of differential, fuzz,
# large, full, masks, tidy, peers, mutants. NIGHTLY_TESTS: of full and masks only the tests whose
# names this matches, to try the script. Takes some hours on two cores. Ends with a table; logs: build/nightly.
# Drivers newer than this machine's are tried by hand: ci/newer-drivers.sh.
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
log=$top/build/nightly
parts=" ${*:-differential fuzz large full masks tidy peers mutants} "
mkdir -p "$log"
for variable in "${!CROSSLANE_@}"; do
  unset "$variable"
done
export CROSSLANE_CACHE_DIR=$top/build/cache POCL_CACHE_DIR=$top/build/pocl
rm -f "$log/table"
passed=0 failed=0
step() { # NAME COMMAND...
  local name=$1 seconds=$SECONDS result=passed
  shift
  echo "nightly: $name"
  if "$@" >"$log/${name//[ =]/-}" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)) result=FAILED
    tail -n 5 "$log/${name//[ =]/-}"
  fi
  printf '%-28s %s, %d s\n' "$name" $result $((SECONDS - seconds)) >>"$log/table"
}

no_findings() { # COMMAND...: it succeeds, and the simulator has nothing to say
  "$@" >"$log/findings" 2>&1 && ! grep -E '^Invalid ' "$log/findings"
}
fuzz() { # what is found goes into a folder of its own; a target that finds a fault fails
  local name
  cmake --preset fuzz -G Ninja && cmake --build build/fuzz || return
  for name in npy tune cache; do
    mkdir -p "build/corpus-$name"
    "build/fuzz/test/fuzz/fuzz_$name" "build/corpus-$name" "test/fuzz/corpus-$name" -max_total_time=300 -max_len=4096 || return
  done
}

ci/setup.sh test
{ cmake --preset werror -G Ninja && cmake --build build/werror; } >"$log/build" 2>&1 ||
  { tail -n 20 "$log/build" && exit 1; }

pocl=(CROSSLANE_DEVICE=portable:)
intel=(CROSSLANE_DEVICE=intel: "OCL_ICD_FILENAMES=$top/build/intel/lib/libintelocl.so"
  "LD_LIBRARY_PATH=$top/build/intel/lib")
rusticl=(CROSSLANE_DEVICE=rusticl: RUSTICL_ENABLE=llvmpipe)
facts=(CROSSLANE_DEVICE=gpu "OCL_ICD_VENDORS=$top/build/intel/lib/libintelocl.so" "LD_LIBRARY_PATH=$top/build/intel/lib"
  "LD_PRELOAD=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')"
  "OPENCL_LAYERS=$top/build/werror/test/vendors/libxlt_vendors.so")
cases=build/werror/test/cases/cases
# Another seed each night; the log of a failure names the case.
seed=${NIGHTLY_SEED:-$(date +%Y%m%d)}
if [[ $parts == *" differential "* ]]; then
  step "differential, PoCL" env "${pocl[@]}" $cases --cases 787500 --plans 600 --seed "$seed"
  step "all pairs, PoCL" env "${pocl[@]}" $cases --pairs all --failures 8 --seed "$seed"
  step "all pairs, Intel" env "${intel[@]}" $cases --pairs all --failures 8 --seed "$seed" --watchdog 180
  ! env CROSSLANE_DEVICE=gpu build/werror/test/which_device >/dev/null 2>&1 ||
    step "differential, GPU" ci/gpu.sh --minutes 20 --seed "$seed"
  step "differential, Intel" env "${intel[@]}" $cases --cases 225000 --plans 200 --seed "$seed" --watchdog 180
  step "differential, rusticl" env "${rusticl[@]}" $cases --cases 110000 --plans 150 --seed "$seed" --watchdog 180
  step "differential, Oclgrind" no_findings env CROSSLANE_DEVICE=oclgrind: CROSSLANE_TEST_SMALL=1 \
    oclgrind $cases --cases 2250 --plans 100 --seed "$seed" --watchdog 300 --seconds 1800
fi
[[ $parts != *" fuzz "* ]] || step "parsers of files" fuzz
# PoCL 3.1 tells less memory than there is: it is shown a machine that has more.
if [[ $parts == *" large "* ]]; then
  step "2^32 elements, PoCL" env "${pocl[@]}" CROSSLANE_TEST_LARGE=1 \
    "HWLOC_SYNTHETIC=numa:1(memory=34359738368) core:2 pu:1" build/werror/test/primitive/scan_large_test
  step "2^32 keys, PoCL" env "${pocl[@]}" CROSSLANE_TEST_LARGE=1 \
    "HWLOC_SYNTHETIC=numa:1(memory=34359738368) core:2 pu:1" build/werror/test/primitive/sort_large_test 'keys_*'
  step "2^32 keys in a file, PoCL" env "${pocl[@]}" CROSSLANE_TEST_LARGE=1 \
    "HWLOC_SYNTHETIC=numa:1(memory=34359738368) core:2 pu:1" ctest --test-dir build/werror -R 'tool_limits$' --output-on-failure
fi
tidy() {
  cmake --preset clang -G Ninja && cmake --build build/clang &&
    find lib reference tools examples test -name '*.c' ! -name '*windows*' ! -path '*/consumer/*' -print0 |
    xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p build/clang
}
cppcheck_all() {
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=internalAstError --error-exitcode=1 -j "$(nproc)" -Iinclude -Ilib/core -Ilib/tune -Ilib/ocl -Ilib/element \
    -Ilib/problem -Ilib/scan -Ilib/reduce -Ilib/sort -Ilib/topk -Ilib/select -Ilib/merge -Ilib/search -Ilib/histogram -Ilib/transform -Ireference -Itest/support lib reference test tools
}
tests() { # VARIABLE=VALUE... -- OPTION OF CTEST...
  local env=()
  while [ "$1" != -- ]; do env+=("$1") && shift; done
  env "${env[@]}" ctest --preset werror -j "$(nproc)" --timeout 3600 --no-tests=error "${@:2}" ${NIGHTLY_TESTS:+-R "$NIGHTLY_TESTS"} # the last -R counts
}
small=(CROSSLANE_TEST_SMALL=1)
sanitizers() { # of what a push leaves to others, since PoCL compiles it for long
  mkdir -p build/vendors && cp /etc/OpenCL/vendors/pocl.icd build/vendors &&
    cmake --preset asan -G Ninja && cmake --build build/asan &&
    env "${pocl[@]}" "${small[@]}" "OCL_ICD_VENDORS=$top/build/vendors" ctest --preset asan -j "$(nproc)" --timeout 3600 --no-tests=error \
      -R "${NIGHTLY_TESTS:-^(sort_values_test|tool_arrays|tool_segments|tool_reduce|differential)}"
}
if [[ $parts == *" full "* ]]; then
  step "all tests, PoCL" tests "${pocl[@]}" -- -LE 'install|abi|pipelined|halves|vendors'
  step "address, leak, undefined" sanitizers
  step "all tests, Intel" tests "${intel[@]}" -- -LE 'install|abi|fuzz|vendors'
  step "bounds, Oclgrind" env CROSSLANE_DEVICE=oclgrind: "${small[@]}" "CROSSLANE_TUNE_FILE=$top/test/simulator.tune" \
    oclgrind ctest --preset werror -R "${NIGHTLY_TESTS:-^(bounds|grid_pieces|grid_harm|grid_moved|collectives)_test}" --timeout 7200
  # As ci/test.sh has it, with every kind of kernels, optimised, and facts of more drivers.
  for vendor in rocm-gfx90a rocm-gfx1100 rusticl rusticl-25 rusticl-llvmpipe neo neo-fp64; do
    step "GPU facts of $vendor" tests "${facts[@]}" "${small[@]}" XLT_VENDOR=$vendor -- \
      -R '^(vendor_plans|lane|lane_subwarp|group|tile|collectives|scan_(segments|late|calls|carry|offsets)|reduce|reduce_single|sort|sort_digits|sort_large|sort_values|sort_stable|sort_segments|sort_compare|sort_equal_zeros|topk|topk_segments|select|merge|search|histogram|transform|grid|neighbors|neighbors_f64|neighbors_f64_kernel|knn|knn_f64|knn_approximate|grid_f64|morton)_test'
  done
  step "compilers of AMD and Intel" ci/vendors.sh --all
  step "what a push leaves out, rusticl" tests "${rusticl[@]}" "${small[@]}" -- \
    -R 'selftest_flips|^(sort_values|neighbors_capacity)_test'
fi
# PoCL makes loops of work-groups, of one and two work-items repeats; loopvec by name makes loops
# of these as well. To its cache that is another method, for which all is compiled again.
masked='^(context|lane|group|tile|scan_segments|scan_late|scan_ordered|scan_calls|sort|sort_digits|sort_large|sort_values|sort_stable|sort_segments|sort_compare|sort_equal_zeros|topk|topk_segments|select|merge|search|histogram|transform|grid|neighbors|knn|knn_approximate|morton)_test'
if [[ $parts == *" masks "* ]]; then
  step "work-group=8, PoCL" tests "${pocl[@]}" "${small[@]}" POCL_WORK_GROUP_METHOD=loopvec CROSSLANE_MASK=work-group=8 -- -R "$masked"
  step "without messages, PoCL" tests "${pocl[@]}" "${small[@]}" CROSSLANE_MASK=no-int64-atomics,no-look-back -- -R "$masked"
  step "width=1, Intel" tests "${intel[@]}" "${small[@]}" CROSSLANE_MASK=width=1 -- -R "$masked"
  step "no-sub-groups, Intel" tests "${intel[@]}" "${small[@]}" CROSSLANE_MASK=no-sub-groups -- -R "$masked"
fi
if [[ $parts == *" tidy "* ]]; then
  step "tidy" tidy
  step cppcheck cppcheck_all
  step models ci/model.sh
  step "the check of layers" ci/check-layers-test.sh
  step "the check of parameters" ci/check-parameters-test.sh
fi
if [[ $parts == *" peers "* ]]; then
  step peers ci/peers.sh --quick --max-n 2^16
  step "the script of the peers" ci/peers-test.sh
fi
if [[ $parts == *" mutants "* ]]; then
  step mutants ci/mutants.sh
  tail -n 60 "$log/mutants"
fi

echo
cat "$log/table"
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
