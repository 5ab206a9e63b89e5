#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/nightly.sh [PART...]
#
# The rows that take too long for a push. Takes some hours on two cores. PART: only some of
#   push      ci/test.sh --all
#   cases     the case runner: 10^6 calls on PoCL, 10^5 on Intel's CPU runtime and on rusticl, some on
#             Oclgrind; all pairs of options on PoCL and Intel's runtime; a GPU, if there is one (ci/gpu.sh)
#   full      every test with every kind of kernels, at full size on PoCL and Intel's runtime, at small
#             sizes on rusticl, under sanitizers and under the reported properties of GPUs that are absent;
#             on Oclgrind those that end there within an hour; MPI on 4, 5, 7 and 8 ranks, and MPICH; every
#             kernel by compilers for AMD's and Intel's GPUs
#   masks     the tests of kernels on devices with features masked out
#   large     arrays of more than 2^32 elements on PoCL, and of more than 2^31 on two ranks
#   fuzz      libFuzzer on the parsers of files
#   tidy      clang-tidy, cppcheck and the models of the protocols
#   peers     other libraries' programs
#   packages  Debian packages, built and tested on this machine; the recipes for Spack, conda and vcpkg
#   mutants   a slice of the mutants, another one each night (NIGHTLY_SLICE=K/N; all: 0/1)
# Another seed each night: NIGHTLY_SEED. Ends with the table of ci/test.sh; logs: build/nightly.
# Drivers newer than this machine's are tried by hand: ci/newer-drivers.sh.
# shellcheck disable=SC2317 # `check` calls functions
set -u
log=$(cd "$(dirname "$0")/.." && pwd)/build/nightly
# shellcheck source=ci/rows.sh
. "$(dirname "$0")/rows.sh"
known='push cases full masks large fuzz tidy peers packages mutants'
for part; do
  [[ " $known " == *" $part "* ]] || { sed -n '3,21s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
done
is_part() { # PART
  [[ " ${parts:-$known} " == *" $1 "* ]]
}
parts=$*
seed=${NIGHTLY_SEED:-$(date +%Y%m%d)}
cases=build/werror/test/cases/cases
patient='--timeout 3600'

no_findings() { # COMMAND...: it succeeds, and the simulator reports nothing
  "$@" >"$log/findings" 2>&1 && ! grep -E '^Invalid ' "$log/findings"
}
fuzz() { # the inputs of a target go into a folder of its own; a target that finds a fault fails
  local name
  cmake --preset fuzz -G Ninja && cmake --build build/fuzz || return
  for name in npy tune cache; do
    mkdir -p "build/corpus-$name"
    "build/fuzz/test/fuzz/fuzz_$name" "build/corpus-$name" "test/fuzz/corpus-$name" -max_total_time=300 -max_len=4096 || return
  done
}
tidy() {
  cmake --preset clang -G Ninja && cmake --build build/clang &&
    find lib reference tools examples test -name '*.c' ! -name '*windows*' ! -path '*/consumer/*' -print0 |
    xargs -0 -n 4 -P "$jobs" clang-tidy --quiet -p build/clang
}
cppcheck_all() {
  local folders=()
  mapfile -t folders < <(find lib tools -mindepth 1 -type d -printf '-I%p\n')
  cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=internalAstError --error-exitcode=1 -j "$jobs" -Iinclude "${folders[@]}" -Ireference -Itest/support \
    lib reference test tools
}
# PoCL 3.1 reports less memory than there is: it is shown a machine that has more.
large() { # NAME COMMAND...
  check "$1" env "${pocl[@]}" CROSSLANE_TEST_LARGE=1 \
    "HWLOC_SYNTHETIC=numa:1(memory=34359738368) core:2 pu:1" "${@:2}"
}

ci/setup.sh test
if is_part push; then
  check "ci/test.sh --all" ci/test.sh --all
  cat "$log/check-ci/test.sh---all" 2>/dev/null
fi
build werror || finish

if is_part cases; then
  check "cases, PoCL" env "${pocl[@]}" $cases --cases 1000000 --plans 800 --seed "$seed"
  check "all pairs, PoCL" env "${pocl[@]}" $cases --pairs all --failures 8 --seed "$seed"
  check "all pairs, Intel" env "${intel[@]}" $cases --pairs all --failures 8 --seed "$seed" --watchdog 180
  check "cases, Intel" env "${intel[@]}" $cases --cases 100000 --plans 200 --seed "$seed" --watchdog 180
  check "cases, rusticl" env "${rusticl[@]}" $cases --cases 100000 --plans 150 --seed "$seed" --watchdog 180
  check "cases, Oclgrind" no_findings env "${simulator[@]}" \
    oclgrind $cases --cases 2250 --plans 100 --seed "$seed" --watchdog 300 --seconds 1800
  ! env CROSSLANE_DEVICE=gpu build/werror/test/which_device >/dev/null 2>&1 ||
    check "cases, GPU" ci/gpu.sh --minutes 20 --seed "$seed"
fi
if is_part full; then
  configuration "all tests, PoCL" werror "$every_test $patient" - "${pocl[@]}"
  configuration "all tests, Intel" werror "-LE install|abi|vendors|cpp $patient" - "${intel[@]}"
  configuration "all tests, rusticl" werror "$every_test $patient" - "${rusticl[@]}" "${small[@]}"
  build asan && configuration "all tests, sanitizers" asan "$every_test $patient" - "${only_pocl[@]}" "${small[@]}"
  if command -v mpicc >/dev/null; then
    build mpi-ranks mpi_tests && configuration "MPI, 4 to 8 ranks" mpi-ranks '-L ^mpi$' - "${pocl[@]}"
    build mpi-asan mpi_tests && configuration "MPI, sanitizers" mpi-asan '-L ^mpi$' - "${only_pocl[@]}"
  fi
  if command -v mpicc.mpich >/dev/null; then
    build mpich mpi_tests && configuration "all tests, MPICH" mpich '-L ^mpi$' - "${pocl[@]}"
    build mpich-ranks mpi_tests && configuration "MPICH, 1 and 4 to 8 ranks" mpich-ranks '-L ^mpi$' - "${pocl[@]}"
  fi
  # Kernels as they are written, not as a compiler improves them.
  configuration "kernels, Oclgrind" werror "$kernel_tests $patient" oclgrind "${simulator[@]}"
  configuration "unset values, Oclgrind" werror "-L ^(lane|group)\$ $patient" \
    "oclgrind --data-races --uninitialized" "${simulator[@]}"
  configuration "places, Oclgrind" werror "-R ^(bounds|view|sequence|program|.*_misuse|grid_.*)_test\$ $patient" \
    oclgrind "${simulator[@]}"
  for vendor in rocm-gfx90a rocm-gfx1100 rusticl rusticl-25 rusticl-llvmpipe neo neo-fp64; do
    configuration "GPU facts of $vendor" werror "-L ^(vendors|lane|group|tile|primitive|cases)\$ $patient" - \
      "${facts[@]}" "${small[@]}" "XLT_VENDOR=$vendor"
  done
  check "compilers of AMD and Intel" ci/vendors.sh --all
fi
# PoCL makes loops of work-groups, and repeats one of one or two work-items; loopvec by name makes
# loops of these as well. To its cache that is another method, for which all is compiled again.
if is_part masks; then
  masked="-L ^(lane|group|tile|primitive|cases)\$ $patient"
  configuration "work-group=8, PoCL" werror "$masked" - "${pocl[@]}" "${small[@]}" POCL_WORK_GROUP_METHOD=loopvec CROSSLANE_MASK=work-group=8
  configuration "without messages, PoCL" werror "$masked" - "${pocl[@]}" "${small[@]}" CROSSLANE_MASK=no-int64-atomics,no-look-back
  configuration "width=1, Intel" werror "$masked" - "${intel[@]}" "${small[@]}" CROSSLANE_MASK=width=1
  configuration "no-sub-groups, Intel" werror "$masked" - "${intel[@]}" "${small[@]}" CROSSLANE_MASK=no-sub-groups
fi
if is_part large; then
  large "2^32 elements" build/werror/test/primitive/scan_large_test
  large "2^32 keys" build/werror/test/primitive/sort_large_test 'keys_*'
  large "2^32 keys of two arrays" build/werror/test/primitive/merge_large_test 'keys_*'
  large "2^32 keys in a file" ctest --test-dir build/werror -R 'tool_limits$' --output-on-failure
  ! command -v mpicc >/dev/null ||
    { build mpi mpi_large_test && large "2^31 elements on two ranks" ctest --test-dir build/mpi -R '^mpi_large_2$' --output-on-failure; }
fi
! is_part fuzz || check "parsers of files" fuzz
if is_part tidy; then
  check tidy tidy
  check cppcheck cppcheck_all
  check models ci/model.sh
fi
if is_part peers; then
  check peers ci/peers.sh --quick --max-n 2^16
  check "the script of the peers" ci/peers-test.sh
fi
if is_part packages; then
  check "Debian packages" env "${pocl[@]}" packaging/debian.sh --install
  check "recipes" env "${pocl[@]}" bash -c 'packaging/release.sh && packaging/recipes-test.py'
fi
! is_part mutants || check mutants ci/mutants.sh --slice "${NIGHTLY_SLICE:-$((10#$(date +%j) % 4))/4}"
finish
