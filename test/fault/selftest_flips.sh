#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: selftest_flips.sh PART PROGRAM LAYER
# `crosslane selftest --case`, when the layer flips bits in an array that it reads back: it must
# exit with 1 and print the case. So each comparison of the case runner is tried alone.
set -u
part=$1 crosslane=$2 layer=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export CROSSLANE_SCAN=reduce-then-scan # no self-test of look-back: each run has the same reads
unset OPENCL_LAYERS XLT_FLIP XLT_READS
failures=0

fail() {
  echo "FAILED: $*"
  cat out
  failures=$((failures + 1))
}

# clean: runs the case $line with nothing flipped, and sets `reads` to the number of arrays that are
# read. Arrays have 512 bytes in front and behind.
clean() {
  local got=0
  # The first run may try the device, and read more.
  "$crosslane" selftest --case "$line" >out 2>&1 || fail "exit $? with no layer: $line"
  : >reads
  OPENCL_LAYERS=$layer XLT_READS=$PWD/reads "$crosslane" selftest --case "$line" >out 2>&1 || got=$?
  [ $got -eq 0 ] || fail "exit $got with nothing flipped: $line"
  grep -q '0 failures, 0 unsupported' out || fail "not checked on this device: $line"
  reads=$(wc -l <reads)
  if [ "$reads" -eq 0 ] && [ $failures -eq 0 ]; then
    echo "skipped: the OpenCL loader knows no layers"
    exit 77
  fi
}

# sees READ:WORD[:MASK]: the case $line fails. READ counts the reads of the case, from 1.
sees() {
  local got=0
  set -- "$((${1%%:*} + before)):${1#*:}"
  OPENCL_LAYERS=$layer XLT_FLIP=$1 "$crosslane" selftest --case "$line" >out 2>&1 || got=$?
  [ $got -eq 1 ] || fail "exit $got, not 1, with XLT_FLIP=$1 of $reads reads: $line"
  grep -q '^FAILED .* 1 failures; the first: ' out || fail "no failure with XLT_FLIP=$1: $line"
}

# each FIRST COUNT LINE: the reads from FIRST on, one at a time, by their first and last element.
each() {
  line=$3
  clean
  for ((k = $1; k < $1 + $2; ++k)); do
    sees "$k:128"
    sees "$k:-129"
  done
}

# The library may read before the case: the results of the probe. A scan has two reads.
line="scan n=1025 scratch=own"
clean
before=$((reads - 2))

case $part in
  scan)
    each 1 2 "scan n=1025 scratch=own" # results, input
    sees 1:0                           # bytes in front, bytes behind
    sees 1:-1
    each 1 1 "scan type=f32 n=1025 data=real scratch=own"
    # Within the bound of rounding errors; by two calls, and by the hash of other devices' bits.
    line="scan type=f32 n=1025 data=real twice=yes scratch=own"
    clean
    sees 1:-129:1
    line="scan type=f32 determinism=reproducible n=150001 data=real scratch=own seed=1"
    line+=" hash=0x7798b503eb88638d"
    clean
    sees 1:-129:1
    ;;
  reduce)
    each 4 1 "reduce segments=keys n=1025 pattern=mixed scratch=own seed=1" # results, ..., keys
    sees 1:128
    sees "$((reads - before)):134:1" # their number
    line="reduce type=f32 segments=width width=300 n=1025 data=real twice=yes scratch=own"
    clean
    sees 1:129:1
    ;;
  arrays)
    each 1 4 "sort values=u32 n=1025 scratch=own"
    each 3 4 "topk values=u32 n=1025 scratch=own k=40"
    each 5 2 "merge values=u32 n=1025 scratch=own other=200"
    each 3 1 "search n=1025 scratch=own other=200"
    each 2 4 "select choice=runs n=1025 scratch=own"
    each 2 1 "histogram num-bins=64 n=1025 scratch=own"
    each 2 1 "transform n=1025 scratch=own"
    each 2 2 "approximate n=64 scratch=own"
    each 2 1 "morton n=64 scratch=own"
    ;;
  space)
    each 2 7 "near visits=yes n=64 scratch=own" # counts, offsets, indices, distances, ..., sums
    each 2 2 "nearest limited=yes n=64 scratch=own"
    each 3 4 "moved n=64 shape=1 scratch=own" # the number of points, elements in two orders and before
    sees 5:128:1 # a point of the order, twice
    # The number of points that are not finite, and the first: xli_grid_header.
    line="near fails=non-finite n=64 scratch=own seed=2"
    clean
    sees 8:8:1
    sees 8:9:1
    ;;
  *)
    echo "no such part: $part"
    exit 2
    ;;
esac
[ $failures -eq 0 ]
