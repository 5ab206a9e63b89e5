#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: selftest_flips.sh PART PROGRAM LAYER
# `crosslane selftest`, when the layer flips bits in an array that it reads back: it must
# exit with 1 and name the family that failed. Each comparison of the self-test is met alone.
set -u
part=$1 crosslane=$2 layer=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export CROSSLANE_SCAN=reduce-then-scan # no self-test of look-back: the same reads in every run
unset OPENCL_LAYERS XLT_FLIP XLT_READS
failures=0

fail() {
  echo "FAILED: $*"
  cat out
  failures=$((failures + 1))
}

# clean FAMILY: sets `reads` to how many arrays it reads back where nothing is flipped.
clean() {
  local got=0
  : >reads
  OPENCL_LAYERS=$layer XLT_READS=$PWD/reads "$crosslane" selftest "$1" >out 2>&1 || got=$?
  [ $got -eq 0 ] || fail "exit $got with nothing flipped: $1"
  grep -q "^ok  *$1 " out || fail "not checked on this device: $1"
  reads=$(wc -l <reads)
  if [ "$reads" -eq 0 ] && [ $failures -eq 0 ]; then
    echo "skipped: the OpenCL loader knows no layers"
    exit 77
  fi
}

# sees FAMILY FLIP: what is flipped is noticed.
sees() {
  local got=0
  OPENCL_LAYERS=$layer XLT_FLIP=$2 "$crosslane" selftest "$1" >out 2>&1 || got=$?
  [ $got -eq 1 ] || fail "exit $got, not 1, with XLT_FLIP=$2 of $reads reads: $1"
  grep -q "^FAILED  *$1 " out || fail "no line with FAILED with XLT_FLIP=$2: $1"
}

# each FAMILY COUNT [MASK]: the last COUNT reads, one at a time, by their first and last word.
each() {
  clean "$1"
  for ((k = reads - $2 + 1; k <= reads; ++k)); do
    sees "$1" "$k:0:${3:-ffffffff}"
    sees "$1" "$k:-1:${3:-ffffffff}"
  done
}

# The reads of a family's last case, in their order, stand beside it.
case $part in
  scan)
    each "scan u32, reduce-then-scan" 1
    each "scan u8" 1
    each "scan, xor" 1
    # By any two calls of the same plan; against the sums; against other devices' bits.
    each "bits of f32 sums same again, reduce-then-scan" 1 1
    sees "bits of f32 sums same again, reduce-then-scan" 1+:0
    sees "bits of f32 sums same again, reduce-then-scan" 1+:1
    each "bits of f32 sums same everywhere, auto" 1
    sees "bits of f32 sums same everywhere, auto" 1+:-1:1
    each "bits of f32 sums same everywhere, kogge-stone" 1
    sees "bits of f32 sums same everywhere, kogge-stone" 1+:-1:1
    ;;
  segments)
    for form in flags bits keys offsets width mask; do
      each "scan by $form, reduce-then-scan" 1
    done
    ;;
  reduce)
    each "reduce u32" 1                            # an index, of arg-min
    each "reduce by keys" 3                        # results, their number, keys
    each "reduce by offsets" 1                     # results
    each "bits of f32 reductions same again" 1 1   # results, against those of the call before
    each "bits of f32 reductions same everywhere" 1
    sees "bits of f32 reductions same everywhere" 1+:-1:1
    ;;
  merge)
    each "merge i16" 2 # keys and values
    each "search i16" 1
    each "search u64" 1
    each "histogram u16" 1
    each "transform, gather" 1
    ;;
  sort)
    each "bitonic sort u32 with u32" 2 1 # keys, values
    # The first third of what it reads has no values beside it.
    clean "bitonic sort f32"
    sees "bitonic sort f32" $(((reads - 1) / 3 + 1)):0
    sees "bitonic sort f32" $(((reads - 1) / 3 + 1)):-1
    each "segmented sort u32 with indices" 2 # keys, places
    each "top-k u32" 2                       # keys, places
    each "select partition" 2                # elements, their number
    ;;
  grid)
    # How many are not finite, and which is the first, as xli_grid_header has them.
    clean "grid, points that are not finite"
    sees "grid, points that are not finite" "$reads:8:1"
    sees "grid, points that are not finite" "$reads:9:1"
    each "grid, reorder" 1
    ;;
  neighbors)
    each "neighbours, random, counting" 4 2 # counts, offsets, indices, sums
    each "nearest points, random" 2         # indices, distances
    each "approximate nearest points, of themselves" 2
    ;;
  *)
    echo "no such part: $part"
    exit 2
    ;;
esac
[ $failures -eq 0 ]
