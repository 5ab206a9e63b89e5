#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/test.sh [--quick | --all] [ROW]
#
# The tests of a push, in about 40 minutes on two cores from a cold clone, 15 with warm caches. Nearly
# all of that time is compilers of kernels; build/cache and build/pocl keep their results for the next
# run. The rows:
#   always      the checks of format, layers, parameters, mutants and shell scripts; installing and the
#               interface; every test on PoCL, at full size with fewer kinds of kernels
#               (CROSSLANE_TEST_PROGRAMS=few), which are not optimised; on rusticl, Intel's CPU runtime
#               and Oclgrind the tests that a mutant names for them (test/mutants, RUNNER=...); every test on each other device of this machine, such as a GPU
#   if changed  PoCL on one thread and with its other method for work-groups, reported properties of GPUs
#               that are absent, the package for Python, C++, Fortran, MPI, the site, the tarball and the amalgamation,
#               sanitizers, a second compiler, other hosts, compilers for other GPUs, the tests of the
#               checks: only if files on which the row depends (test/rows.tsv) have changed since it last
#               passed. A pass is written into that table: commit it.
#   --all       all of these rows
#   --quick     a build, the interface, the checks of format, layers and parameters, and on PoCL the tests
#               of host code and cases of some primitives, in under four minutes
#   ROW         only the rows whose names contain ROW
# ci/nightly.sh has the rows that take longer.
#
# Ends with a table of the rows: time, processor time, how much of that went into C, kernels, tests and the
# simulator, and the number of programs compiled. Exits with 1 if anything failed. Logs: build/log.
# A row whose driver or program is not on this machine is reported as absent and counts as skipped.
# shellcheck disable=SC2034,SC2317 # if_changed calls functions; rows.sh uses variables
set -u
quick=no all=no
case ${1:-} in
  --quick) quick=yes && shift ;;
  --all) all=yes && shift ;;
esac
[[ ${1:-} != -* && $# -le 1 ]] || { sed -n '3,26s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
only=${1:-}
log=$(cd "$(dirname "$0")/.." && pwd)/build/log
# shellcheck source=ci/rows.sh
. "$(dirname "$0")/rows.sh"

cbs_row() {
  # A PoCL that does not know the method says so when it compiles a kernel, and takes its usual one.
  if env "${pocl[@]}" "${cbs[@]}" POCL_KERNEL_CACHE=0 build/werror/test/cases/cases --case "scan n=3" 2>&1 |
    grep -q 'Unknown work group'; then
    clock_start
    row "PoCL cbs" run 0 0 1 "absent: this PoCL was built without that method"
  else
    configuration "PoCL cbs" werror "$(tests_for_pocl "$every_test")" - "${pocl[@]}" "${cbs[@]}" "${few[@]}"
  fi
}
one_thread_row() {
  configuration "PoCL one thread" werror '-L ^(lane|group|tile|primitive)$' - "${pocl[@]}" "${small[@]}" "${one_thread[@]}" "${unoptimised[@]}"
  configuration "PoCL one thread, cases" werror '-L ^cases$' - "${pocl[@]}" "${small[@]}" "${one_thread[@]}" "${unoptimised[@]}"
}
# Without optimising, to save time. Intel's compiler for CPUs (2026.2) crashes on some kernels then, above
# all on scans by sub-groups: ci/nightly.sh optimises, and runs the cases too.
facts_row() { # ROW FACTS LABELS
  configuration "$1" werror "-L ^($3)\$" - "${small[@]}" "${few[@]}" "${facts[@]}" XLT_VENDOR_FAST=1 "XLT_VENDOR=$2"
}
# The names of these tests are those of their programs, or they run what `all` of a folder has.
sanitizer_row() { # ROW PRESET LABELS TARGET...
  build "$2" "${@:4}" && configuration "$1" "$2" "-L ^($3)\$" - "${small[@]}" "${few[@]}" "${only_pocl[@]}" "${unoptimised[@]}"
}

fortran_row() {
  clock_start
  if command -v gfortran >/dev/null; then
    build fortran crosslane_fortran fortran_scan fortran_every_primitive fortran_lennard_jones example_11_lennard_jones &&
      configuration "fortran" fortran '-L ^fortran$' - "${pocl[@]}"
  else
    row fortran check 0 0 1 "absent: gfortran"
  fi
}

mpi_row() { # ROW PRESET COMPILER TESTS
  clock_start
  if command -v "$3" >/dev/null; then
    build "$2" mpi_tests && configuration "$1" "$2" "$4" - "${pocl[@]}"
  else
    row "$1" check 0 0 1 "absent: $3"
  fi
}

every_other_device() { # GPUs and whatever else has a driver here
  local selector device nvidia=no
  for selector in $(build/werror/test/which_device --others); do
    device=$(CROSSLANE_DEVICE=$selector build/werror/test/which_device) || continue
    [[ $device != *NVIDIA* ]] || nvidia=yes
    # The test of 2^32 elements looks itself for memory enough.
    configuration "device $selector" werror "$every_test" - "CROSSLANE_DEVICE=$selector" CROSSLANE_TEST_LARGE=1
  done
  clock_start
  [ $nvidia = yes ] || ! wanted "NVIDIA GPU" || row "NVIDIA GPU" run 0 0 1 "absent: no such device"
}

# In the background, on one core, while the other rows wait for their last test.
static_rows() {
  table=$log/table-static
  check mutants ci/mutants.sh --check
  check shellcheck shellcheck -x ci/*.sh .ci/run test/tool/*.sh test/fault/*.sh test/lane/*.sh adoption/*/*.sh packaging/*.sh packaging/debian/tests/{build,program}
  if_changed checks check checks ci/checks-test.sh
  if_changed clang build clang
  for host in windows x86 macos; do
    if_changed host-$host check host-$host ci/hosts.sh $host
  done
  if_changed site check site ci/site.sh
  if_changed vendors check vendors env VENDOR_JOBS=1 ci/vendors.sh
}

clock_start
if [ $quick = no ] && [ -z "$only" ]; then
  ci/setup.sh test || { row setup build 0 1 0 ""; finish; }
  row setup build 0 0 0 ""
fi
build werror || finish
check format ci/format.sh --check
check layers ci/check-layers.sh
check parameters ci/check-parameters.sh
if [ $quick = yes ]; then
  configuration "interface" werror '-L abi' - "${pocl[@]}"
  configuration "PoCL" werror '-L ^(unit|host|fuzz|versions)$' - "${pocl[@]}" "${small[@]}"
  configuration "PoCL, some cases" werror '-R ^cases_(reduce|merge|search|nearest|morton)$' - "${pocl[@]}" "${small[@]}"
  closing="this was the quick run; a push runs ci/test.sh"
  finish
fi
jobs=1 static_rows &
static=$!
configuration "install and interface" werror '-L install|abi' - "${pocl[@]}"
configuration "PoCL" werror "$(tests_for_pocl "$every_test|cases")" - "${pocl[@]}" "${unoptimised[@]}" "${few[@]}"
configuration "PoCL cases" werror "$(tests_for_pocl '-L ^cases$')" - "${pocl[@]}" "${unoptimised[@]}" "${few[@]}"
configuration "rusticl on llvmpipe" werror "$(tests_for rusticl)" - "${small[@]}" "${rusticl[@]}" "${few[@]}"
configuration "Intel CPU runtime" werror "$(tests_for intel)" - "${small[@]}" "${intel[@]}" "${few[@]}"
configuration "Oclgrind" werror "$(tests_for oclgrind)" oclgrind "${simulator[@]}"
configuration "Oclgrind races" werror "$(tests_for oclgrind-races oclgrind-O0)" \
  "oclgrind --build-options -O0 --data-races" "${simulator[@]}"
every_other_device
if_changed "packages" check "packages" env "${pocl[@]}" packaging/packages-test.sh
if_changed python check python env "${pocl[@]}" ci/python.sh
if_changed "PoCL cbs" cbs_row
if_changed "PoCL one thread" one_thread_row
if_changed "GPU facts of ROCm" facts_row "GPU facts of ROCm" rocm-gfx90a 'vendors|lane|group|tile'
if_changed "GPU facts of Intel" facts_row "GPU facts of Intel" neo 'vendors|lane|group'
if_changed "address, leak, undefined" sanitizer_row "address, leak, undefined" asan 'unit|host|fuzz|fault' \
  test/unit/all test/fault/all test/fuzz/all test/tool/all crosslane_tool
if_changed "C++" configuration "C++" werror '-L ^cpp$' - "${pocl[@]}"
if_changed fortran fortran_row
if_changed MPI mpi_row MPI mpi mpicc '-L ^mpi$'
# MPICH waits in busy loops: with more ranks than processors the long tests take minutes. ci/nightly.sh has all.
if_changed MPICH mpi_row MPICH mpich mpicc.mpich \
  '-R ^mpi_((agree|exchange|halo|scatter|neighbors)_3|(sort|owners|scan|reduce)_2)$'
if_changed threads sanitizer_row threads tsan threads test/unit/all test/fault/all
wait "$static"
finish
