#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: tool_test.sh PART PROGRAM ORACLE DATA_FOLDER
# Runs one part of the tests of the program in a folder of its own.
set -u
part=$1 crosslane=$2 oracle=$3 data=$4
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir out
failures=0
dtypes="i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8"
[ -z "${CROSSLANE_TEST_SMALL:-}" ] || dtypes="i1 u4 f2 f8"

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# What a driver says of its own is not the program's: PoCL 3.1, asked for a way to make
# work-groups that it does not know, says so for every kernel.
program_said() {
  grep -v "^Unknown work group generation method" stderr_all >stderr
}

# runs COMMAND...: it must succeed and say nothing on stderr.
runs() {
  local got=0
  "$@" >stdout 2>stderr_all || got=$?
  program_said
  [ $got -eq 0 ] || { fail "exit $got: $*"; cat stderr; return; }
  [ ! -s stderr ] || fail "stderr of $*: $(cat stderr)"
}

# refuses CODE TEXT ARGUMENT...: the program must end with CODE, print one line that
# holds TEXT, and leave no output file.
refuses() {
  local code=$1 text=$2 got=0
  shift 2
  "$crosslane" "$@" >stdout 2>stderr_all || got=$?
  program_said
  [ $got -eq "$code" ] || fail "exit $got, not $code: crosslane $*: $(cat stderr)"
  [ "$(wc -l <stderr)" -eq 1 ] || fail "not one line: crosslane $*: $(cat stderr)"
  grep -q '^crosslane: ' stderr || fail "no 'crosslane: ': $*: $(cat stderr)"
  grep -qF -- "$text" stderr || fail "no \"$text\": crosslane $*: $(cat stderr)"
  [ -z "$(ls -A out)" ] || fail "files left by crosslane $*: $(ls -A out)"
  rm -rf out
  mkdir out
}

says() { # FILE TEXT
  grep -qF -- "$2" "$1" || fail "no \"$2\" in: $(cat "$1")"
}

usage() {
  runs "$crosslane" --help
  says stdout "Exit status"
  runs "$crosslane" --version
  says stdout "crosslane "
  for command in devices selftest scan reduce sort neighbors demo; do
    runs "$crosslane" $command --help
    says stdout "Usage: crosslane $command"
  done
  refuses 2 "no command"
  refuses 2 'unknown command "plot"' plot
  refuses 2 'unknown option "--colour"' scan --colour in.npy out/o.npy
  refuses 2 'unknown option "-q"' demo -q
  refuses 2 'unknown "product"' scan in.npy out/o.npy --op product
  refuses 2 'unknown "radix"' sort in.npy out/o.npy --algorithm radix
  refuses 2 "1 of 2 files" scan in.npy
  refuses 2 "one file too many" sort a b c
  refuses 2 "exclude each other" scan a b --exclusive --inclusive
  refuses 2 'unknown "exact"; known are deterministic' scan a b --determinism exact
  refuses 2 "exclude each other" sort a b --argsort --values v w
  refuses 2 "takes two files" sort --values v
  refuses 2 "needs an argument" neighbors p.npy --radius
  refuses 2 "takes no argument" devices --json=yes
  refuses 2 "is no number" neighbors p.npy --radius wide
  refuses 2 "is no whole number" demo --n-side -3
  refuses 2 'usage: crosslane devices [OPTIONS]' devices more
  refuses 2 'no check has "quicksort" in its name' selftest quicksort
  runs "$crosslane" selftest "grid, reorder" "reduce u8"
  says stdout "2 families, 23 cases: 0 failures"
  refuses 2 "neighbors: --radius is missing" neighbors p.npy --out out/n
  refuses 2 "neighbors: --cut: 2" neighbors p.npy --radius 1 --png out/p.png --cut 2
  refuses 2 "neighbors: --mass: 0" neighbors p.npy --radius 1 --mass 0
  runs "$crosslane" scan --help
  says stdout "a bool, u8 or i8 is not 0"
  says stdout "u32, u64, i32, i64"
  refuses 2 "--n-side: 0" demo --n-side 0 --png out/p.png
  refuses 2 "--jitter: 2" demo --jitter 2 --png out/p.png
  refuses 2 "--repeat: 0" demo --repeat 0 --png out/p.png
  refuses 2 "--cut: 1.5" demo --cut 1.5 --png out/p.png
}

# Segments that do not fit the 100 elements of flat.npy.
bad_segments() {
  refuses 1 "99 keys for 100 elements" $1 flat.npy out/o.npy --keys fewer.npy
  refuses 1 "type f32; --keys takes integers" $1 flat.npy out/o.npy --keys flat.npy
  refuses 1 "shape (n,)" $1 flat.npy out/o.npy --keys points.npy
  refuses 1 "type u32; --flags takes bool" $1 flat.npy out/o.npy --flags fewer.npy
  refuses 1 "99 words of bits for 100 elements" $1 flat.npy out/o.npy --bits fewer.npy
  refuses 1 "type i16; --offsets takes" $1 flat.npy out/o.npy --offsets short.npy
  "$oracle" list u4 offsets.npy 1 50 100
  refuses 1 "the first offset is 1" $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list i8 offsets.npy 0 60 50 100
  refuses 1 "offset 2 is 50 after 60" $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list i8 offsets.npy 0 -1 100
  refuses 1 "offset 1 is" $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy 0 60 99
  refuses 1 "the last offset is 99" $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy
  refuses 1 "no offsets" $1 flat.npy out/o.npy --offsets offsets.npy
  refuses 1 "absent.npy: cannot be opened" $1 flat.npy out/o.npy --flags absent.npy
  refuses 2 "--flags and --keys exclude each other" $1 flat.npy out/o.npy --keys k --flags f
  refuses 2 'width: "0" is no whole number from 1' $1 flat.npy out/o.npy --width 0
  refuses 2 "with --mask it must be 1 to 64" $1 flat.npy out/o.npy --width 65 --mask 1
  refuses 2 'mask: "x" is no whole number' $1 flat.npy out/o.npy --width 8 --mask x
  refuses 2 "--mask needs --width" $1 flat.npy out/o.npy --mask 1
}

# Two results may not have one name, however it is written.
same_outputs() {
  refuses 2 "OUT.npy and --keys-out name one file" reduce flat.npy out/o.npy --keys short.npy \
    --keys-out out/o.npy
  refuses 2 "OUT.npy and --keys-out name one file" reduce flat.npy out/o.npy --keys short.npy \
    --keys-out ./out/../out/o.npy
  cp flat.npy old.npy
  ln -sf old.npy alias.npy
  refuses 2 "name one file, alias.npy" sort flat.npy old.npy --values flat.npy alias.npy
  cmp -s flat.npy old.npy || fail "a file was written by a call that was refused"
  refuses 2 "OUT.npy and the second file of --values name one file" sort flat.npy out/o.npy \
    --values flat.npy out/o.npy
  refuses 2 "--counts and --density name one file" neighbors points.npy --radius 1 \
    --counts out/c.npy --density out/c.npy
  refuses 2 "--out and --counts name one file" neighbors points.npy --radius 1 --out out/n \
    --counts out/n.offsets.npy
  runs "$crosslane" sort flat.npy /dev/null --values flat.npy /dev/null
}

bad_input() {
  "$oracle" points 100 f4 points.npy
  "$oracle" points 100 f8 wide.npy
  "$oracle" points 100 f4 nan.npy 42
  "$oracle" make f4 100 flat.npy
  "$oracle" make i1 100 bytes.npy
  "$oracle" make i2 100 short.npy
  "$oracle" make u4 99 fewer.npy
  "$oracle" heads flags b1 100 bools.npy
  "$oracle" make u8 100 keys.npy
  "$oracle" make f8 100 real.npy
  "$oracle" make f2 100 half.npy
  head -c 200 points.npy >cut.npy
  echo "no array" >text.npy
  : >empty.npy
  refuses 1 "absent.npy: cannot be opened" neighbors absent.npy --radius 1 --out out/n
  refuses 1 "header promises" neighbors cut.npy --radius 1 --out out/n
  refuses 1 "does not start with" scan text.npy out/o.npy
  refuses 1 "too short" sort empty.npy out/o.npy
  for radius in 0 -1 nan inf 1e-60; do
    refuses 2 "--radius: $radius" neighbors points.npy --radius $radius --out out/n
    refuses 2 "--radius: $radius" demo points.npy --radius $radius --png out/p.png
  done
  refuses 2 "--radius is missing" neighbors points.npy --out out/n
  refuses 2 "--radius is missing" demo points.npy --png out/p.png
  refuses 2 "--mass: 0" neighbors points.npy --radius 1 --mass 0 --density out/d.npy
  refuses 1 "42" neighbors nan.npy --radius 1 --out out/n --counts out/c.npy
  refuses 1 "42" demo nan.npy --radius 1 --png out/p.png
  refuses 1 "shape (n, 3)" neighbors flat.npy --radius 1 --out out/n
  refuses 1 "--f32" neighbors wide.npy --radius 1 --out out/n
  refuses 1 "shape (n,)" scan points.npy out/o.npy
  refuses 1 "shape (n,)" sort points.npy out/o.npy
  refuses 1 "type bool; scan takes" scan bools.npy out/o.npy
  refuses 1 "type i16" sort short.npy out/o.npy
  refuses 2 'init: "1.5" is no value of type u64' scan keys.npy out/o.npy --init 1.5
  refuses 2 'init: "128" is no value of type i8' scan bytes.npy out/o.npy --init 128
  refuses 2 'init: "-1" is no value of type u32' scan fewer.npy out/o.npy --init -1
  refuses 1 "integer" scan flat.npy out/o.npy --op xor
  for algorithm in look-back reduce-then-scan; do
    refuses 2 "--algorithm $algorithm, which rounds" scan flat.npy out/o.npy \
      --determinism reproducible --algorithm $algorithm
  done
  refuses 2 'init: "1e99" is no value of type f32' scan flat.npy out/o.npy --init 1e99
  refuses 2 'init: "-1e999" is no value of type f64' scan real.npy out/o.npy --init -1e999
  refuses 2 'init: "65520" is no value of type f16' scan half.npy out/o.npy --init 65520
  refuses 2 'init: "1e99" is no value of type f32' reduce flat.npy out/o.npy --init 1e99
  refuses 1 "type bool; --keys takes integers" scan flat.npy out/o.npy --keys bools.npy
  refuses 1 "type bool; sort takes" sort bools.npy out/o.npy
  bad_segments scan
  bad_segments reduce
  refuses 1 "type bool; reduce takes" reduce bools.npy out/o.npy
  refuses 1 "integer" reduce flat.npy out/o.npy --op and
  refuses 1 "shape (n,)" reduce points.npy out/o.npy
  refuses 2 'unknown "mean"' reduce flat.npy out/o.npy --op mean
  refuses 2 "--keys-out needs --keys" reduce flat.npy out/o.npy --keys-out out/k.npy
  refuses 2 "does not go with --op arg-min" reduce flat.npy out/o.npy --op arg-min --init 3
  refuses 2 'init: "300" is no value of type i8' reduce bytes.npy out/o.npy --init 300
  refuses 1 "nowhere/k.npy: cannot be written" reduce flat.npy out/o.npy --keys short.npy \
    --keys-out out/nowhere/k.npy
  refuses 1 "99 values for 100 keys" sort flat.npy out/o.npy --values fewer.npy out/w.npy
  refuses 1 "8 bytes" sort flat.npy out/o.npy --values keys.npy out/w.npy
  refuses 1 "nowhere/o.npy: cannot be written" scan flat.npy out/nowhere/o.npy
  refuses 1 "nowhere/n.offsets.npy: cannot be written" neighbors points.npy --radius 1 \
    --counts out/c.npy --out out/nowhere/n
  refuses 1 "nowhere/w.npy: cannot be written" sort flat.npy out/o.npy --values flat.npy \
    out/nowhere/w.npy
  refuses 1 "p.png: cannot be written" demo --n-side 4 --png out/nowhere/p.png
  refuses 1 "out: cannot be written" scan flat.npy out
  # Before any input is read.
  refuses 1 "nowhere/o.npy: cannot be written" scan absent.npy out/nowhere/o.npy
  refuses 1 "flat.npy/o.npy: cannot be written" sort absent.npy flat.npy/o.npy
  refuses 1 "nowhere/k.npy: cannot be written" reduce absent.npy out/o.npy --keys short.npy \
    --keys-out out/nowhere/k.npy
  refuses 1 "nowhere/d.npy: cannot be written" neighbors absent.npy --radius 1 \
    --density out/nowhere/d.npy
  refuses 1 "nowhere/p.png: cannot be written" demo absent.npy --radius 1 --png out/nowhere/p.png
  same_outputs
  refuses 1 "no such device" scan flat.npy out/o.npy --device "no such device"
  if [ -e /dev/full ]; then
    refuses 1 "/dev/full: cannot be written" scan flat.npy /dev/full
    refuses 1 "/dev/full: cannot be written" neighbors points.npy --radius 1 --png /dev/full
  fi
}

# The device's double or half precision may be missing: that is said, and no failure.
lacks() { # DTYPE
  { [ "$1" = f8 ] && grep -q fp64 stderr; } || { [ "$1" = f2 ] && grep -q fp16 stderr; }
}

scan_case() { # DTYPE N OP KIND INIT
  local init=()
  [ "$5" = none ] || init=(--init "$5")
  "$oracle" make "$1" "$2" in.npy
  if ! "$crosslane" scan in.npy out.npy --op "$3" "--$4" "${init[@]}" >stdout 2>stderr; then
    lacks "$1" && return
    fail "scan $*: $(cat stderr)"
  fi
  runs "$oracle" scan "$3" "$4" "$5" none - in.npy out.npy
}

arrays() {
  for dtype in $dtypes; do
    scan_case $dtype 10007 sum exclusive none
    scan_case $dtype 333 max inclusive 7
  done
  scan_case f4 1000 min exclusive none
  scan_case i2 5000 prod inclusive -7
  scan_case f4 9 prod exclusive none
  scan_case u1 5000 and exclusive none
  scan_case i8 5000 or exclusive none
  scan_case u4 5000 xor inclusive 77
  scan_case i4 0 sum exclusive none
  scan_case i4 1 sum inclusive -3
  "$oracle" make u4 5000 in.npy
  for algorithm in auto reduce-then-scan kogge-stone blelloch; do
    runs "$crosslane" scan in.npy out.npy --algorithm $algorithm --json
    says stdout '"n":5000'
    runs "$oracle" scan sum exclusive none none - in.npy out.npy
  done
  # Where the device cannot do it, the line says what it lacks. Deterministic all the same.
  if "$crosslane" scan in.npy out.npy --algorithm look-back --json >stdout 2>stderr; then
    says stdout '"determinism":"deterministic"'
    runs "$oracle" scan sum exclusive none none - in.npy out.npy
  else
    says stderr "look-back"
  fi
  cp in.npy both.npy
  runs "$crosslane" scan both.npy both.npy
  runs "$oracle" scan sum exclusive none none - in.npy both.npy
  for dtype in u4 i4 u8 f4; do
    "$oracle" make $dtype 3001 in.npy
    runs "$crosslane" sort in.npy out.npy
    runs "$oracle" sort ascending in.npy out.npy
    runs "$crosslane" sort in.npy out.npy --descending --algorithm bitonic
    runs "$oracle" sort descending in.npy out.npy
    runs "$crosslane" sort --argsort in.npy out.npy --json
    says stdout '"output":"order"'
    runs "$oracle" argsort ascending in.npy out.npy
  done
  "$oracle" make i4 3001 values.npy
  runs "$crosslane" sort --values values.npy moved.npy --descending in.npy out.npy
  runs "$oracle" pairs descending in.npy out.npy values.npy moved.npy
  for left in *.npy.*; do
    [ ! -e "$left" ] || fail "temporary file left: $left"
  done
  ln -s out.npy link.npy
  runs "$crosslane" scan in.npy link.npy
  [ -L link.npy ] || fail "the link was replaced"
  runs "$oracle" scan sum exclusive none none - in.npy out.npy
  runs "$crosslane" scan in.npy /dev/null
  [ -c /dev/null ] || fail "/dev/null was replaced"
}

# segment_case N DTYPE OP KIND FORM WHERE OPTION...
segment_case() {
  local n=$1 dtype=$2 op=$3 kind=$4 form=$5 where=$6
  shift 6
  "$oracle" make $dtype $n in.npy
  runs "$crosslane" scan in.npy out.npy --op $op --$kind "$@"
  runs "$oracle" scan $op $kind none $form "$where" in.npy out.npy
}

segments() {
  for n in 0 1 70 20011; do
    "$oracle" heads flags u1 $n flags.npy
    "$oracle" heads flags b1 $n bools.npy
    "$oracle" heads bits u4 $n bits.npy
    "$oracle" heads keys i2 $n keys.npy
    "$oracle" heads offsets u4 $n offsets.npy
    segment_case $n u4 sum exclusive flags flags.npy --flags flags.npy
    segment_case $n f4 max inclusive flags bools.npy --flags bools.npy
    segment_case $n i2 min exclusive bits bits.npy --bits bits.npy
    segment_case $n i8 sum inclusive keys keys.npy --keys keys.npy
    segment_case $n u4 xor exclusive offsets offsets.npy --offsets offsets.npy
    segment_case $n f4 sum exclusive width 7 --width 7
    segment_case $n u2 sum inclusive mask 8:0x29 --width 8 --mask 0x29
  done
  "$oracle" heads offsets i8 20011 offsets.npy
  segment_case 20011 i4 sum exclusive offsets offsets.npy --offsets offsets.npy
  for algorithm in reduce-then-scan kogge-stone blelloch; do
    segment_case 20011 f4 sum inclusive keys keys.npy --keys keys.npy --algorithm $algorithm
  done
  segment_case 20011 f4 sum inclusive keys keys.npy --keys keys.npy --determinism unordered
  runs "$crosslane" scan in.npy out.npy --keys keys.npy --determinism reproducible --json
  says stdout '"segments":"keys","algorithm":"kogge-stone","determinism":"reproducible"'
  # The worked example of sub-warp segments.
  "$oracle" list u4 in.npy 1 0 1 1 1 0 0 1
  "$oracle" list u4 want.npy 0 1 1 0 1 2 0 0
  runs "$crosslane" scan in.npy out.npy --width 8 --mask 0x49
  cmp -s out.npy want.npy || fail "the worked example comes out wrong"
}

# reduce_case N DTYPE OP FORM WHERE OPTION...
reduce_case() {
  local n=$1 dtype=$2 op=$3 form=$4 where=$5
  shift 5
  "$oracle" make $dtype $n in.npy
  if ! "$crosslane" reduce in.npy out.npy --op $op "$@" >stdout 2>stderr; then
    lacks $dtype && return
    fail "reduce $dtype $n $op $*: $(cat stderr)"
  fi
  runs "$oracle" reduce $op none $form "$where" in.npy out.npy
}

reduce() {
  for dtype in $dtypes; do
    reduce_case 10007 $dtype sum none -
    reduce_case 1000 $dtype arg-max none -
  done
  for op in prod and or xor; do
    reduce_case 5000 i2 $op none -
  done
  for n in 0 1 70 20011; do
    "$oracle" heads flags u1 $n flags.npy
    "$oracle" heads bits u4 $n bits.npy
    "$oracle" heads keys i2 $n keys.npy
    "$oracle" heads offsets u8 $n offsets.npy
    [ $n -eq 0 ] || reduce_case $n u4 min none -
    reduce_case $n u4 sum flags flags.npy --flags flags.npy
    reduce_case $n f4 arg-min bits bits.npy --bits bits.npy
    reduce_case $n i8 sum offsets offsets.npy --offsets offsets.npy
    reduce_case $n f4 max width 7 --width 7
    reduce_case $n u2 sum mask 8:0x29 --width 8 --mask 0x29
    reduce_case $n i4 arg-max mask 24:0xff840420 --width 24 --mask 0xff840420
    "$oracle" make f4 $n in.npy
    runs "$crosslane" reduce in.npy out.npy --keys keys.npy --keys-out first.npy --json
    runs "$oracle" reduce sum none keys keys.npy in.npy out.npy first.npy
    "$crosslane" reduce in.npy out.npy --keys keys.npy --count >count
    [ "$(cat count) segments" = "$(sed 's/.*, //' stdout)" ] ||
      fail "counted $(cat count): $(cat stdout)"
  done
  runs "$crosslane" reduce in.npy out.npy --init -7 --op min --json
  says stdout '"n":20011,"type":"f32","op":"min","segments":"none","count":1,'
  runs "$oracle" reduce min -7 none - in.npy out.npy
  cp in.npy both.npy
  runs "$crosslane" reduce both.npy both.npy
  runs "$oracle" reduce sum none none - in.npy both.npy
  runs "$crosslane" reduce in.npy out.npy --determinism reproducible
  runs "$oracle" reduce sum none none - in.npy out.npy
}

neighbors() {
  for n in 0 1 2 3000; do
    "$oracle" points $n f4 points.npy
    runs "$crosslane" neighbors points.npy --radius 1.25 --out list --counts counts.npy --json
    says stdout "\"points\":$n"
    runs "$oracle" neighbors 1.25 strict points.npy list
  done
  runs "$crosslane" neighbors points.npy --radius 2 --inclusive --out list
  runs "$oracle" neighbors 2 inclusive points.npy list
  runs "$crosslane" neighbors points.npy --radius 2 --density density.npy --png density.png
  runs "$oracle" density 2 points.npy density.npy
  [ "$(head -c 4 density.png | tail -c 3)" = PNG ] || fail "density.png is no PNG"
  "$oracle" points 500 f8 wide.npy
  "$oracle" points 500 f4 narrow.npy
  runs "$crosslane" neighbors wide.npy --f32 --radius 1.5 --out list
  runs "$oracle" neighbors 1.5 strict narrow.npy list
}

bunny() {
  [ -f "$data/stanford-bunny.npy" ] || { echo "skipped: no $data/stanford-bunny.npy"; exit 77; }
  [ -z "${CROSSLANE_TEST_SMALL:-}" ] || { echo "skipped: small sizes are asked for"; exit 77; }
  runs "$crosslane" neighbors "$data/stanford-bunny.npy" --radius 0.002 --out bunny
  runs "$oracle" neighbors 0.002 strict "$data/stanford-bunny.npy" bunny
  cat stdout
}

demo() {
  runs "$crosslane" demo --n-side 16 --png dam.png
  says stdout "Poly6 density"
  says stdout "64 points against a serial search"
  [ "$(head -c 4 dam.png | tail -c 3)" = PNG ] || fail "dam.png is no PNG"
  # Without jitter the lattice has 26 neighbours closer than 2 and density 1.009775.
  runs "$crosslane" demo --n-side 12 --jitter 0 --no-png --json --repeat 1
  says stdout '"bulk_neighbors_mean":26,'
  says stdout '"bulk_density_mean":1.00977'
  "$oracle" points 2000 f4 points.npy
  runs "$crosslane" demo points.npy --radius 1 --png points.png --repeat 1
  [ -f points.png ] || fail "no points.png"
}

devices() {
  runs "$crosslane" devices
  says stdout "probe:"
  says stdout "lane width"
  runs "$crosslane" devices --json
  says stdout '"platforms":['
}

selftest() {
  [ -z "${CROSSLANE_TEST_SMALL:-}" ] || { echo "skipped: small sizes are asked for"; exit 77; }
  runs "$crosslane" selftest
  says stdout ": 0 failures"
  cat stdout
}

$part
[ $failures -eq 0 ] || exit 1
