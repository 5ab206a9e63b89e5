#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: tool_test.sh PART PROGRAM ORACLE DATA_FOLDER VERSION
# Runs one part of the tests of the program in a new folder.
# shellcheck disable=SC2013,SC2046,SC2086,SC2317 # words without blanks; parts are called by name
# shellcheck source-path=SCRIPTDIR source=tool_support.sh
. "$(dirname "$0")/tool_support.sh"
dtypes="i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8"
[ -z "${CROSSLANE_TEST_SMALL:-}${CROSSLANE_TEST_PROGRAMS:-}" ] || dtypes="i1 f8"

# helps COMMAND FILES OPTION...: the usage line, each option once, in order, and --help; nothing
# that is not in the help's form.
helps() {
  local command=$1 files=$2
  shift 2
  runs "$crosslane" "$command" --help
  [ "$(head -n 1 stdout)" = "Usage: crosslane $command$files [OPTIONS]" ] ||
    fail "usage of $command: $(head -n 1 stdout)"
  [ "$(grep -oE '^  --[a-z0-9-]+' stdout | tr -d ' \n')" = "$(printf -- '--%s' "$@" help)" ] ||
    fail "options of $command: $(cat stdout)"
  has_line_like stdout '  --help, -h {18}this text'
}

# Help and version have one text each, however they are asked for.
says_who() {
  local command way
  cp stdout want
  runs "$crosslane" help help
  cmp -s stdout want || fail "help help: $(cat stdout)"
  for way in help -h --help; do
    runs "$crosslane" $way
    cmp -s stdout want || fail "$way: $(cat stdout)"
    for command in $(sed -nE 's/^  ([a-z]+)  .*/\1/p' want); do
      runs "$crosslane" $way $command
      is_text stdout "$("$crosslane" $command --help)"
    done
  done
  for command in $(sed -nE 's/^  ([a-z]+)  .*/\1/p' want); do
    runs "$crosslane" $command -h
    is_text stdout "$("$crosslane" $command --help)"
    runs "$crosslane" $command --version
    prints "crosslane $version"
  done
  for way in version --version; do
    runs "$crosslane" $way
    prints "crosslane $version"
  done
  refuses 2 'unknown command "plot"; "crosslane help" lists the commands' help plot
}

usage() {
  runs "$crosslane" --help
  is_text stdout "$(cat <<'END'
Usage: crosslane COMMAND [OPTIONS]

Parallel primitives on any OpenCL device, for arrays in .npy files.

  devices     list every OpenCL device and its properties
  selftest    compare every primitive on a device with serial code
  bench       time the main primitives on a device
  tune        find faster tuning values for a device and write them to a file
  warm        compile the kernels of the commands ahead of time
  scan        running sums, minima ... of an array or of each of its segments
  reduce      the sum, minimum ... of an array or of each of its segments
  sort        sort an array, alone or with values, or find its order
  topk        the k largest or smallest elements, and their indices
  select      the elements that meet a condition, or one of each run
  merge       merge two sorted arrays into one
  search      the places of numbers in a sorted array
  histogram   count the elements in each bin
  neighbors   the neighbours of each point, within a radius or the k nearest

"crosslane help COMMAND" lists the options of a command, "crosslane version" prints the
version. --device or CROSSLANE_DEVICE chooses the device: "gpu", "cpu", a part of its
name, or "platform:device". Exit status: 0 success, 1 failure, 2 wrong usage.
END
  )"
  says_who
  local segments="flags bits keys offsets width mask"
  helps devices "" json
  helps selftest " [NAME...]" quick all case device tune-file
  helps bench " [NAME...]" n device tune-file json
  helps histogram " IN.npy OUT.npy" bins range edges assume-sorted device tune-file json
  helps tune " [NAME...]" out seconds device tune-file json
  helps warm " [COMMAND...]" types device tune-file json
  helps scan " IN.npy OUT.npy" op exclusive inclusive init dtype wrap axis $segments algorithm determinism device \
    tune-file json
  helps reduce " IN.npy OUT.npy" op init dtype wrap axis $segments keys-out count determinism device \
    tune-file json
  helps sort " IN.npy OUT.npy" values argsort descending stable axis offsets algorithm device tune-file json
  helps topk " IN.npy OUT.npy --k K" k axis smallest input-order indices device tune-file json
  helps merge " A.npy B.npy OUT.npy" union intersection difference descending assume-sorted device tune-file json
  helps search " KEYS.npy QUERIES.npy OUT.npy" upper descending assume-sorted device tune-file json
  helps select " IN.npy OUT.npy" where flags partition unique runs values indices device tune-file json
  helps neighbors " POINTS.npy (--radius R | --nearest K)" radius radii larger nearest approximate inclusive self half queries systems query-systems box \
    periodic cell origin wrap out unsorted row-capacity keep-nearest part-pairs distances squared vectors shifts counts density mass png f32 \
    device tune-file json
  refuses 2 'no command given; "crosslane help" lists the commands'
  refuses 2 'unknown command "plot"; "crosslane help" lists the commands' plot
  refuses 2 'scan: unknown option "--colour"; "crosslane scan --help" lists the options' \
    scan --colour in.npy out/o.npy
  refuses 2 'scan: --op: "product"; must be one of sum, prod, min, max, and, or, xor' \
    scan in.npy out/o.npy --op product
  refuses 2 "scan: 1 of 2 files given; usage: crosslane scan IN.npy OUT.npy [OPTIONS]" scan in.npy
  refuses 2 'sort: "c" is one file too many; usage: crosslane sort IN.npy OUT.npy [OPTIONS]' \
    sort a b c
  refuses 2 "scan: --exclusive and --inclusive exclude each other; give one" \
    scan a b --exclusive --inclusive
  refuses 2 "sort: --offsets and --algorithm radix exclude each other; give one" \
    sort flat.npy out/o.npy --offsets keys.npy --algorithm radix
  refuses 2 "sort: --values requires two arguments: V.npy W.npy" sort --values v
  refuses 2 "neighbors: --radius requires an argument" neighbors p.npy --radius
  refuses 2 "devices: --json takes no argument" devices --json=yes
  refuses 2 'neighbors: --radius: "wide"; must be a number' neighbors p.npy --radius wide
  refuses 2 "selftest: --quick and --all exclude each other; give one" selftest --quick --all
  refuses 2 'selftest: --case: there is no field "size"' selftest --case "sort size=3"
  refuses 2 'selftest: NAME: "quicksort"; must be one of scan, ...' \
    selftest quicksort
  runs "$crosslane" selftest --case "reduce type=u8 n=1000"
  has_line stdout "1 cases: 0 failures, 0 unsupported"
  runs "$crosslane" scan --help
  has_line stdout "  --flags F.npy               a segment begins at each element that is not 0"
  has_line stdout \
    "  --offsets O.npy             CSR: segment s is [O[s], O[s + 1]); 32- or 64-bit integers"
}

# tile_of FILE: the elements of a scan's tile with this tuning file, or with the result of one
# second of search from it.
tile_of() {
  runs "$crosslane" tune --seconds 1 --tune-file "$1" --json
  sed -E 's/.*"case":"scan","n":[0-9]+,"algorithm":"[a-z-]+","sub_group_size":0,"work_group_size":1,"tile_elements":([0-9]+).*/\1/' stdout
}

tune() {
  local name bytes
  printf '%s\n' "scan.shape = 0" "scan.pipelined = 0" "scan.tile_bytes = 256" "sort.serial_tile_log = 6" >start.tune
  runs "$crosslane" tune --seconds 4 --tune-file start.tune --out out/found.tune
  has_line_like stdout 'tunable +before +after +gain'
  has_line_like stdout '.*: [0-9]+ values tried, [0-9]+ tunables changed(; the time was over)?; out/found.tune'
  has_line out/found.tune "# Tuning values of Crosslane $version, measured by \"crosslane tune\"."
  for name in device driver "begun from"; do has_line_like out/found.tune "# $name: .+"; done
  has_line_like out/found.tune '# date: 20[0-9]{2}-[0-9]{2}-[0-9]{2}'
  # The initial values are kept, or replaced by measured ones.
  for name in scan.shape scan.pipelined scan.tile_bytes sort.serial_tile_log; do
    has_line_like out/found.tune \
      "$name = [0-9]+ # (as it was|[0-9]+ before; [a-z ]+ is [0-9]+\.[0-9]{2} times as fast with it)"
  done
  # The file is read, and plans take its values.
  for bytes in 4096 8192; do
    sed -E "s/^scan\.tile_bytes = .*/scan.tile_bytes = $bytes/; s/^(scan\.(shape|pipelined)) = .*/\1 = 0/" \
      out/found.tune >again.tune
    name=$(tile_of again.tune)
    [ "$name" = $((bytes / 4)) ] || grep -q "\"name\":\"scan.tile_bytes\",\"before\":$bytes" stdout ||
      fail "a tile of $name elements with: $(cat again.tune)"
  done
  "$oracle" list u4 few.npy 3 1 2
  runs "$crosslane" scan few.npy out/o.npy --tune-file out/found.tune
  runs env CROSSLANE_TUNE_FILE=out/found.tune "$crosslane" sort few.npy out/o.npy
  printf '%s\n' "" "scan.shap = 0" >bad.tune
  rm -r out && mkdir out
  refuses 1 '--tune-file bad.tune:2: unknown name "scan.shap"...' sort few.npy out/o.npy --tune-file bad.tune
  # The environment's file is not where a search begins.
  runs env CROSSLANE_TUNE_FILE=bad.tune "$crosslane" tune --seconds 1 --json
  refuses 1 '--tune-file (CROSSLANE_TUNE_FILE): "absent.tune" is no file that can be read' \
    tune --tune-file absent.tune --out out/found.tune
  refuses 1 "absent/found.tune: cannot be written: No such file or directory" \
    tune --out absent/found.tune
  refuses 2 "tune: --seconds: 0; must be 1 to 86400" tune --seconds 0
  refuses 2 'tune: NAME: "knm"; must be one of scan, reduce, sort, top_k, merge, search, histogram, transform, grid, neighbors, nearest, nearest_approximate, morton' \
    tune nearest knm
  tune_again
  tune_some
}

# A run that finds nothing, or less, takes no value away from a file that is there.
tune_again() {
  local name
  printf '%s\n' "sort.serial_tile_log = 7" "merge.search_tiles = 9" >kept.tune
  runs "$crosslane" tune scan --seconds 1 --out kept.tune
  has_line kept.tune "# begun from: kept.tune"
  for name in "sort.serial_tile_log = 7" "merge.search_tiles = 9"; do
    has_line kept.tune "$name # as it was"
  done
  runs "$crosslane" tune scan --seconds 1 --tune-file start.tune --out kept.tune
  for name in "sort.serial_tile_log = 6" "merge.search_tiles = 9"; do
    has_line kept.tune "$name # as it was"
  done
  printf '%s\n' "# device: abacus" "merge.search_tiles = 9" >other.tune
  refuses 1 "--out: other.tune has values of the device abacus; give another file for ..." \
    tune scan --seconds 1 --out other.tune
  has_line other.tune "merge.search_tiles = 9"
}

# Primitives by name: each is measured, right with the values before, and nothing else is.
tune_some() {
  local pair
  for pair in "nearest:nearest points" "nearest_approximate:nearest, approximate" "histogram:histogram" \
    "transform:transform" "morton:Morton codes"; do
    runs "$crosslane" tune "${pair%%:*}" --seconds 2 --json
    [[ $(cat stdout) == *"\"cases\":[{\"case\":\"${pair#*:}\",\"n\":"* && $(cat stdout) != *'},{"case"'* ]] ||
      fail "$pair: $(cat stdout)"
  done
}

# Segments that do not fit the 100 elements of flat.npy.
bad_segments() {
  refuses 1 "fewer.npy: 99 keys for 100 elements; must be one for each element" \
    $1 flat.npy out/o.npy --keys fewer.npy
  refuses 1 "flat.npy: elements of type f32; --keys requires integers" \
    $1 flat.npy out/o.npy --keys flat.npy
  refuses 1 "fewer.npy: elements of type u32; --flags requires bool, u8 or i8" \
    $1 flat.npy out/o.npy --flags fewer.npy
  refuses 1 "fewer.npy: 99 words of bits; must be 4, one for each 32 of the 100 elements" \
    $1 flat.npy out/o.npy --bits fewer.npy
  refuses 1 "short.npy: elements of type i16; --offsets requires u32, u64, i32 or i64" \
    $1 flat.npy out/o.npy --offsets short.npy
  "$oracle" list u4 offsets.npy 1 50 100
  refuses 1 "offsets.npy: offset 0 is 1; must be 0" \
    $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list i8 offsets.npy 0 60 50 100
  refuses 1 "offsets.npy: offset 2 is 50 after 60; must not be less than the offset before it or more than the number of elements, 100" \
    $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list i8 offsets.npy 0 -1 100
  refuses 1 "offsets.npy: offset 1 is -1 after 0; must not be less than the offset before it or more than the number of elements, 100" \
    $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy 0 60 99
  refuses 1 "offsets.npy: the last offset is 99; must be the number of elements, 100" \
    $1 flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy
  refuses 1 "offsets.npy: 0 offsets; must be one more than there are segments" \
    $1 flat.npy out/o.npy --offsets offsets.npy
  refuses 2 "$1: --width: \"0\"; must be a whole number from 1 to 2^64 - 1" \
    $1 flat.npy out/o.npy --width 0
  refuses 2 "$1: --width: 65; must be 1 to 64 with --mask" \
    $1 flat.npy out/o.npy --width 65 --mask 1
  refuses 2 "$1: --mask: \"x\"; must be a whole number from 0 to 2^64 - 1, such as 0x29" \
    $1 flat.npy out/o.npy --width 8 --mask x
  refuses 2 "$1: --mask: given without --width; requires --width W, the number of elements that the mask covers" \
    $1 flat.npy out/o.npy --mask 1
}

# What `crosslane select` keeps: its files are those of the oracle, byte for byte.
keeps() { # WANT OPTIONS...
  local want=$1
  shift
  rm -f out/o.npy
  runs "$crosslane" select in.npy out/o.npy "$@"
  cmp want.npy out/o.npy || fail "select $*: OUT is not $want"
}
selection() {
  "$oracle" list u4 in.npy 3 3 0 7 7 7 0 1
  "$oracle" list u1 flags.npy 0 1 0 0 2 0 0 1
  "$oracle" list i8 values.npy -1 -2 -3 -4 -5 -6 -7 -8
  "$oracle" list u4 want.npy 3 3 7 7 7 1
  keeps "the elements other than 0" --values values.npy out/w.npy
  "$oracle" list i8 want.npy -1 -2 -4 -5 -6 -8
  cmp want.npy out/w.npy || fail "select --values: the values are wrong"
  "$oracle" list u4 want.npy 7 7 7
  keeps "what --where wants" --where "x > 3 && i < 7" --indices out/i.npy
  "$oracle" list u8 want.npy 3 4 5
  cmp want.npy out/i.npy || fail "select --indices: the places are wrong"
  "$oracle" list u4 want.npy 3 7 1
  keeps "what --flags wants" --flags flags.npy
  "$oracle" list u4 want.npy 7 7 7 3 3 0 0 1
  keeps "two parts" --partition --where "x == 7" --json
  grep -qF "\"count\":3" stdout || fail "the count: $(cat stdout)"
  "$oracle" list u4 want.npy 3 0 7 0 1
  keeps "the first of each run" --unique
  keeps "the first of each run" --runs out/l.npy
  "$oracle" list u4 want.npy 2 1 3 1 1
  cmp want.npy out/l.npy || fail "select --runs: the lengths are wrong"
  "$oracle" list u4 in.npy
  "$oracle" list u4 want.npy
  keeps "nothing"
  rm -f out/*
  refuses 2 "select: --where and --flags exclude each other; give one" \
    select in.npy out/o.npy --where x --flags flags.npy
  refuses 2 "select: --runs and --partition exclude each other; give one" \
    select in.npy out/o.npy --runs out/l.npy --partition
  refuses 1 "flags.npy: 8 flags for 0 elements; must be one for each element" \
    select in.npy out/o.npy --flags flags.npy
  refuses 1 "values.npy: 8 values for 0 elements; must be one for each element" \
    select in.npy out/o.npy --values values.npy out/w.npy
}

# A sort takes offsets that begin past 0 or end before the last element, but no others.
bad_sort_segments() {
  "$oracle" list u4 offsets.npy 1 60 50
  refuses 1 "offsets.npy: offset 2 is 50 after 60; must not be less than the offset before it or more than the number of elements, 100" \
    sort flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy 101
  refuses 1 "offsets.npy: the last offset is 101; must be at most the number of elements, 100" \
    sort flat.npy out/o.npy --offsets offsets.npy
  "$oracle" list u8 offsets.npy
  refuses 1 "offsets.npy: 0 offsets; must be one for each segment" \
    sort flat.npy out/o.npy --offsets offsets.npy
}

# Two results may not have one name, however it is written.
same_outputs() {
  refuses 2 "reduce: OUT.npy and --keys-out name the same file, ./out/../out/o.npy" \
    reduce flat.npy out/o.npy --keys short.npy \
    --keys-out ./out/../out/o.npy
  cp flat.npy old.npy
  ln -sf old.npy alias.npy
  refuses 2 "sort: OUT.npy and the second file of --values name the same file, alias.npy" \
    sort flat.npy old.npy --values flat.npy alias.npy
  cmp -s flat.npy old.npy || fail "a file was written by a call that was refused"
  refuses 2 "neighbors: --counts and --density name the same file, out/c.npy" \
    neighbors points.npy --radius 1 \
    --counts out/c.npy --density out/c.npy
  refuses 2 "neighbors: --out and --counts name the same file, out/n.offsets.npy" \
    neighbors points.npy --radius 1 --out out/n \
    --counts out/n.offsets.npy
  own_device null 3 && runs "$crosslane" sort flat.npy "$device" --values flat.npy "$device"
}

# holds FILE DTYPE NUMBERS...
holds() {
  local file=$1 dtype=$2
  shift 2
  "$oracle" list "$dtype" wanted.npy "$@"
  cmp -s "$file" wanted.npy || fail "$file: not $*"
}

selections() {
  "$oracle" list f4 few.npy 3 1 4 1 5 9 2 6
  "$oracle" list f4 a.npy 1 3 5
  "$oracle" list f4 b.npy 2 3 9 9
  "$oracle" list i4 whole.npy 1 2
  runs "$crosslane" topk few.npy out/t.npy --k 3 --indices out/i.npy
  holds out/t.npy f4 9 6 5
  holds out/i.npy u4 5 7 4
  runs "$crosslane" topk few.npy out/t.npy --k 3 --smallest --input-order --indices out/i.npy --json
  has_line_like stdout '.*"n":8,"k":3,.*"keys":"smallest".*'
  holds out/t.npy f4 1 1 2
  holds out/i.npy u4 1 3 6
  "$oracle" list f4 down.npy 9 5 1
  "$oracle" list f4 lower.npy 6 5
  runs "$crosslane" merge down.npy lower.npy out/m.npy --descending
  holds out/m.npy f4 9 6 5 5 1
  runs "$crosslane" merge a.npy b.npy out/m.npy
  holds out/m.npy f4 1 2 3 3 5 9 9
  runs "$crosslane" merge --union a.npy b.npy out/u.npy --json
  has_line_like stdout '.*"n":6,.*'
  holds out/u.npy f4 1 2 3 5 9 9
  runs "$crosslane" merge --intersection b.npy a.npy out/u.npy
  holds out/u.npy f4 3
  runs "$crosslane" merge --difference b.npy a.npy out/u.npy
  holds out/u.npy f4 2 9 9
  runs "$crosslane" merge --difference a.npy a.npy out/u.npy
  holds out/u.npy f4
  runs "$crosslane" search out/m.npy few.npy out/s.npy --json
  has_line_like stdout '.*"n":7,"queries":8,.*'
  holds out/s.npy u8 2 0 4 0 4 5 1 5
  runs "$crosslane" search out/m.npy few.npy out/s.npy --upper
  holds out/s.npy u8 4 1 4 1 5 7 2 5
  rm -f out/*
  refuses 2 "topk: --k: missing or 0; must be 1 or more" topk few.npy out/t.npy
  refuses 2 "merge: --union, --intersection, --difference: only one may be given" \
    merge --union --difference a.npy b.npy out/m.npy
  refuses 1 "whole.npy: elements of type i32; must be f32, the type of the other array" \
    merge a.npy whole.npy out/m.npy
}

# needs_order FILE I A B [OPTION]: merge and search refuse the file, whose element I is A, after B.
needs_order() {
  local why="$1: element $2 is $3 after $4" order=ascending command
  [ $# -eq 4 ] || order=descending
  for command in merge search; do
    refuses 1 "$why; $command requires $order order: sort the array with crosslane sort, or give --assume-sorted" \
      $command "$1" "$1" out/o.npy "${@:5}"
  done
}

order() {
  local dtype
  for dtype in $dtypes; do
    "$oracle" list "$dtype" up.npy 0 1 1 3 7 7 9
    "$oracle" list "$dtype" down.npy 9 7 7 3 1 1 0
    "$oracle" list "$dtype" last.npy 0 1 1 3 7 7 6
    runs "$crosslane" merge up.npy up.npy out/o.npy
    runs "$crosslane" search up.npy last.npy out/o.npy
    rm -f out/*
    needs_order down.npy 1 7 9
    needs_order last.npy 6 6 7
  done
  runs "$crosslane" merge down.npy down.npy out/o.npy --descending
  rm -f out/*
  needs_order up.npy 1 1 0 --descending
  "$oracle" make u4 100000 many.npy
  runs "$crosslane" sort many.npy sorted.npy
  refuses 1 "many.npy: element ..." merge sorted.npy many.npy out/o.npy
  runs "$crosslane" merge sorted.npy many.npy out/o.npy --assume-sorted
  runs "$crosslane" search many.npy many.npy out/o.npy --assume-sorted
  "$oracle" list i8 one.npy -4
  "$oracle" list i8 none.npy
  runs "$crosslane" merge one.npy none.npy out/o.npy
  rm -f out/*
  "$oracle" list i8 signed.npy 3 -4
  needs_order signed.npy 1 -4 3
  # -inf, 1, NaN; NaN, 1; NaN of two kinds
  "$oracle" bits f4 up.npy 0xff800000 0x3f800000 0x7fc00000
  runs "$crosslane" merge up.npy up.npy out/o.npy
  rm -f out/*
  "$oracle" bits f4 nan.npy 0x7fc00000 0x3f800000
  needs_order nan.npy 1 1 "NaN (bits 0x7fc00000)"
  "$oracle" bits f2 nans.npy 0x7e01 0x7e00
  needs_order nans.npy 1 "NaN (bits 0x7e00)" "NaN (bits 0x7e01)"
}

# An expression that does not compile: nothing of the driver's comes before, and no field of C.
bad_expression() {
  "$oracle" list u4 in.npy 1 2 3
  "$crosslane" select in.npy out/o.npy --where "x > y" >stdout 2>stderr
  [ $? -eq 1 ] || fail "an unknown name in --where"
  has_line_like stderr "crosslane: select: --where does not compile: .*'?y'?.*"
  [ "$(wc -l <stderr)" -eq 1 ] || fail "more than one line: $(cat stderr)"
}

bad_input() {
  bad_expression
  "$oracle" points 100 f4 points.npy
  "$oracle" points 100 f8 wide.npy
  "$oracle" points 100 f4 nan.npy 42
  "$oracle" make f4 100 flat.npy
  "$oracle" make i1 100 bytes.npy
  "$oracle" make i2 100 short.npy
  "$oracle" make u4 99 fewer.npy
  "$oracle" list b1 bools.npy $(printf '0 1 %.0s' {1..50})
  "$oracle" make f2 100 half.npy
  head -c 200 points.npy >cut.npy
  echo "no array" >text.npy
  : >empty.npy
  refuses 1 "cut.npy: 72 bytes of data, the header promises 1200" \
    neighbors cut.npy --radius 1 --out out/n
  refuses 1 'text.npy: no .npy file: it does not start with \x93NUMPY' scan text.npy out/o.npy
  refuses 1 "empty.npy: 0 bytes, too short for a .npy file" sort empty.npy out/o.npy
  for radius in 0 -1 nan inf; do
    refuses 2 "neighbors: --radius: $radius; must be a finite number above 0" \
      neighbors points.npy --radius $radius --out out/n
  done
  refuses 1 "points: 1 of 100 are not finite, the first at index 42..." \
    neighbors nan.npy --radius 1 --out out/n --counts out/c.npy
  refuses 1 "points.npy: shape (100, 3); scan takes an array of one dimension, or of two with --axis 0 or --axis 1" \
    scan points.npy out/o.npy
  refuses 2 'scan: --init: "128"; must be a value of type i8' scan bytes.npy out/o.npy --init 128 --op max
  refuses 2 'scan: --init: "-1"; must be a value of type u64' scan fewer.npy out/o.npy --init -1
  refuses 1 "scan: --op: xor for type f32; requires integers" scan flat.npy out/o.npy --op xor
  for algorithm in look-back reduce-then-scan; do
    refuses 2 "scan: --algorithm: $algorithm; --determinism reproducible requires auto" \
      scan flat.npy out/o.npy \
      --determinism reproducible --algorithm $algorithm
  done
  refuses 2 'scan: --init: "1e99"; must be a value of type f32' scan flat.npy out/o.npy --init 1e99 --dtype f32
  refuses 2 'scan: --init: "65520"; must be a value of type f16' scan half.npy out/o.npy --init 65520 --op min
  bad_segments scan
  bad_segments reduce
  bad_sort_segments
  refuses 2 'reduce: --op: "mean"; must be one of sum, prod, min, max, and, or, xor, arg-min, arg-max' \
    reduce flat.npy out/o.npy --op mean
  refuses 2 "reduce: --keys-out: given without --keys; requires --keys K.npy" \
    reduce flat.npy out/o.npy --keys-out out/k.npy
  refuses 2 "reduce: --init: given with --op arg-min; requires an operator other than arg-min and arg-max" \
    reduce flat.npy out/o.npy --op arg-min --init 3
  refuses 2 "reduce: --dtype: given with --op min; requires --op sum or prod" \
    reduce bytes.npy out/o.npy --op min --dtype i64
  refuses 2 "scan: --wrap: given with --op max; requires --op sum or prod" \
    scan bytes.npy out/o.npy --op max --wrap
  refuses 2 "scan: --dtype: i64; elements of type f32 require f16, f32 or f64" \
    scan flat.npy out/o.npy --dtype i64
  refuses 1 "fewer.npy: 99 values for 100 keys; must be one for each key" \
    sort flat.npy out/o.npy --values fewer.npy out/w.npy
  refuses 1 "out: is a folder; give the name of a file" scan flat.npy out
  # Before any input is read.
  refuses 1 "out/nowhere/o.npy: cannot be written: No such file or directory" \
    scan absent.npy out/nowhere/o.npy
  refuses 1 "flat.npy/o.npy: cannot be written: Not a directory" sort absent.npy flat.npy/o.npy
  refuses 1 "out/nowhere/k.npy: cannot be written: No such file or directory" \
    reduce absent.npy out/o.npy --keys short.npy \
    --keys-out out/nowhere/k.npy
  same_outputs
  refuses 1 '--device (CROSSLANE_DEVICE): none matches "no such device"; there are: ...' \
    scan flat.npy out/o.npy --device "no such device"
  if own_device full 7; then
    refuses 1 "$device: cannot be written: No space left on device" scan flat.npy "$device" --op max
  fi
}

# The device's double or half precision may be missing: that is said, and no failure.
lacks() { # DTYPE
  { [ "$1" = f8 ] && grep -q fp64 stderr; } || { [ "$1" = f2 ] && grep -q fp16 stderr; }
}

# prints_scan N SEGMENTS ALGORITHM DETERMINISM [TYPE DTYPE]: the line of --json about a sum.
prints_scan() {
  local algorithm=$3
  [ "$3" != auto ] || algorithm=$(grep -oE 'look-back|reduce-then-scan' stdout)
  prints "{\"device\":D,\"n\":$1,\"type\":\"${5:-u32}\",\"dtype\":\"${6:-u64}\",\"op\":\"sum\",\"kind\":\"exclusive\",\"segments\":\"$2\",\"algorithm\":\"$algorithm\",\"determinism\":\"$4\",\"device_ms\":T,\"wall_ms\":T,\"first_wall_ms\":T}"
}

# gives DTYPE "NUMBERS" ARGUMENT...: in.npy makes out.npy hold that.
gives() {
  local dtype=$1 numbers=$2
  shift 2
  runs "$crosslane" "$1" in.npy out.npy "${@:2}"
  holds out.npy "$dtype" $numbers
}

# The options, types and results of scan, reduce and sort. Other tests cover the primitives.
arrays() {
  each_type
  each_operator
  each_algorithm
  each_order
  each_segment
  [ -z "$(find . -name '.?*')" ] || fail "temporary files left: $(find . -name '.?*')"
}

each_type() {
  local dtype
  for dtype in $dtypes; do
    "$oracle" list "$dtype" in.npy 3 1 2
    gives "$dtype" "1 2 3" sort --values in.npy moved.npy
    cmp -s out.npy moved.npy || fail "values of type $dtype do not come with their keys"
    if "$crosslane" scan in.npy out.npy --op max --inclusive >stdout 2>stderr || ! lacks "$dtype"; then
      gives "$dtype" "3 3 3" scan --op max --inclusive
      gives u8 1 reduce --op arg-min
    fi
  done
}

each_operator() {
  "$oracle" list i2 in.npy 3 1 2 7
  gives i8 "-7 -21 -21 -42" scan --op prod --init -7
  gives i2 "32767 3 1 1" scan --op min
  gives i2 "-1 3 1 0" scan --op and
  gives i2 "0 3 3 3" scan --op or
  gives i2 "3 2 0 7" scan --op xor --inclusive
  gives i8 42 reduce --op prod
  gives i2 7 reduce --op or
  gives i2 -7 reduce --op min --init -7 --json
  prints '{"device":D,"n":4,"type":"i16","dtype":"i16","op":"min","segments":"none","count":1,"determinism":"deterministic","device_ms":T,"wall_ms":T,"first_wall_ms":T}'
  "$oracle" list i4 in.npy
  gives i8 "" scan
  gives i8 0 reduce
}

each_algorithm() {
  local algorithm got=0
  "$oracle" list u4 in.npy 5 4 3 2 1
  for algorithm in auto reduce-then-scan; do
    gives u8 "0 5 9 12 14" scan --algorithm $algorithm --json
    prints_scan 5 none "$algorithm" deterministic
  done
  gives u8 "0 5 9 12 14" scan --determinism reproducible --json
  prints_scan 5 none auto reproducible
  # If the device does not support it, the line names the missing feature.
  "$crosslane" scan in.npy out.npy --algorithm look-back --json >stdout 2>stderr_all || got=$?
  program_said
  if [ $got -eq 0 ]; then
    prints_scan 5 none look-back deterministic
    holds out.npy u8 0 5 9 12 14
  else
    [ $got -eq 1 ] || fail "exit $got, not 1: look-back"
    has_line_like stderr 'crosslane: .*look-back.*'
    [ "$(wc -l <stderr)" -eq 1 ] || fail "not one line: $(cat stderr)"
  fi
  cp in.npy both.npy
  runs "$crosslane" scan both.npy both.npy
  holds both.npy u8 0 5 9 12 14
}

each_order() {
  "$oracle" list u4 in.npy 9 3 7 1 8 2 2 0
  "$oracle" list i8 offsets.npy 1 4 4
  gives u4 "9 8 7 3 2 2 1 0" sort --descending --algorithm bitonic
  gives u4 "0 1 2 2 3 7 8 9" sort --stable --algorithm bitonic
  gives u4 "7 3 5 6 1 2 4 0" sort --argsort --stable --json
  prints '{"device":D,"n":8,"type":"u32","order":"ascending","output":"order","device_ms":T,"wall_ms":T,"first_wall_ms":T}'
  gives u4 "9 1 3 7 0 2 2 8" sort --offsets offsets.npy
  gives u4 "0 3 1 2 7 5 6 4" sort --offsets offsets.npy --argsort
}

# Segments that begin at 0, 2 and 5, in each form.
each_segment() {
  local form
  "$oracle" list i4 in.npy 1 2 3 4 5 6 7 8
  "$oracle" list u1 flags.npy 0 0 1 0 0 9 0 0
  "$oracle" list b1 bools.npy 0 0 1 0 0 1 0 0
  "$oracle" list u4 bits.npy 0x24
  "$oracle" list i2 keys.npy 5 5 -6 -6 -6 5 5 5
  "$oracle" list u4 offsets.npy 0 2 5 8
  "$oracle" list i8 longs.npy 0 2 5 8
  for form in "flags flags.npy" "flags bools.npy" "bits bits.npy" "keys keys.npy" "offsets offsets.npy" "offsets longs.npy" \
    "width 8 --mask 0x24"; do
    gives i8 "0 1 0 3 7 0 6 13" scan --$form
  done
  gives i8 "3 12 21" reduce --offsets offsets.npy
  gives i8 "1 3 6 4 9 15 7 15" scan --inclusive --width 3
  gives u8 "2 5 7" reduce --width 3 --op arg-max
  gives i8 "0 1 0 3 7 0 6 13" scan --keys keys.npy --algorithm reduce-then-scan --json
  prints_scan 8 keys reduce-then-scan deterministic i32 i64
  gives i8 "3 12 21" reduce --keys keys.npy --keys-out first.npy --determinism unordered
  holds first.npy i2 5 -6 5
  runs "$crosslane" reduce in.npy out.npy --keys keys.npy --count
  prints 3
}

# no_room WHAT TYPE BITS ARGUMENT...: the result is refused, unless it may wrap.
no_room() {
  refuses 1 "in.npy: the $1, out of the range of $2; give another --dtype, such as f64, or --wrap for results modulo 2^$3" \
    "$4" in.npy out/o.npy "${@:5}"
}

# Sums and products have 64 bits, and one that its type does not hold is an error.
totals() {
  "$oracle" list u1 in.npy $(yes 1 | head -n 260)
  gives u8 260 reduce
  gives u8 "$(seq 0 259)" scan
  gives u8 "100 100 60" reduce --width 100
  gives u2 260 reduce --dtype u16
  gives u1 4 reduce --dtype u8 --wrap
  no_room "sum at index 0 of the result is 260" u8 8 reduce --dtype u8
  no_room "sum at index 0 of the result is 256" u8 8 reduce --dtype u8 --width 2 --init 254
  no_room "sum at index 128 of the result is 128" i8 8 scan --dtype i8
  "$oracle" list i1 in.npy 100 100 -128 -3
  gives i8 69 reduce
  gives i1 69 reduce --dtype i8 # what comes between is not a result
  gives f4 69 reduce --dtype f32
  gives i8 3840000 reduce --op prod
  no_room "sum at index 1 of the result is 200" i8 8 scan --inclusive --dtype i8
  no_room "sum at index 1 of the result is -131" u64 64 reduce --dtype u64 --width 2
  "$oracle" list i8 in.npy 0x7fffffffffffffff 1 -1 -0x7fffffffffffffff
  gives i8 0 reduce
  gives i8 "0 0" reduce --width 2 --init 0 --wrap --op prod --dtype i64
  no_room "sum at index 0 of the result is 9223372036854775808" i64 64 reduce --width 2
  gives i8 "-0x8000000000000000 -0x8000000000000000" reduce --width 2 --wrap
  "$oracle" list u8 in.npy 0x8000000000000000 0x7fffffffffffffff 1
  gives u8 "0xffffffffffffffff 1" reduce --width 2
  no_room "sum at index 2 of the result is a number of more than 64 bits" u64 64 scan --inclusive
  gives u8 "0x8000000000000000 0xffffffffffffffff 0" scan --inclusive --wrap
  "$oracle" list u4 offsets.npy 0 3 6 7
  "$oracle" list i8 in.npy -2 0x40000000 0x100000000 0x7fffffffffffffff 0x7fffffffffffffff 0 0x7fffffffffffffff
  gives i8 "-0x8000000000000000 0 0x7fffffffffffffff" reduce --op prod --offsets offsets.npy
  no_room "product at index 0 of the result is 9223372036854775808" i64 64 reduce --op prod \
    --init -1 --offsets offsets.npy
  no_room "product at index 0 of the result is a number of more than 64 bits" i64 64 reduce --op prod \
    --init 2 --offsets offsets.npy
}

# A sum of f32 that single precision cannot hold; other operators keep the input's type.
real_totals() {
  "$oracle" list f4 in.npy 16777216 1 1
  if "$crosslane" reduce in.npy out.npy 2>stderr && [ ! -s stderr ]; then
    holds out.npy f8 16777218
    gives f8 "16777216 16777217 16777218" scan --inclusive
    runs "$crosslane" reduce in.npy out.npy --op max
    holds out.npy f4 16777216
  fi
  gives f4 16777216 reduce --dtype f32
  CROSSLANE_MASK=no-fp64 "$crosslane" reduce in.npy out.npy 2>stderr_all || fail "no fp64: exit $?"
  program_said
  has_line_like stderr "crosslane: reduce: .* has no fp64; sums and products accumulate in f32"
  holds out.npy f4 16777216
}

# A mask is numbers: 0 and 1.
bools() {
  "$oracle" list b1 in.npy 1 0 1 1 0
  "$oracle" list i4 values.npy 10 20 30 40 50
  gives u8 3 reduce
  gives u1 0 reduce --op min
  gives u8 "0 1 1 2 3" scan
  gives b1 "0 0 1 1 1" sort
  gives b1 "1 1 1" select
  gives b1 "1 1 1 0" topk --k 4
  runs "$crosslane" reduce values.npy out.npy --keys in.npy --keys-out keys.npy
  holds out.npy i8 10 20 70 50
  holds keys.npy b1 1 0 1 0
  "$oracle" list b1 up.npy 0 0 1
  runs "$crosslane" merge up.npy up.npy out.npy
  holds out.npy b1 0 0 0 0 1 1
  runs "$crosslane" search up.npy in.npy out.npy
  holds out.npy u8 2 0 2 2 0
  # Another byte than 1 is true as well.
  "$oracle" bits b1 in.npy 0 255 2
  gives u8 2 reduce
}

# gives_bits DTYPE "BITS" ARGUMENT...: as gives(), of elements by their bits.
gives_bits() {
  runs "$crosslane" "$3" in.npy out.npy "${@:4}"
  "$oracle" bits "$1" wanted.npy $2
  cmp -s out.npy wanted.npy || fail "$1: ${*:3} does not give $2"
}

# zeros_of DTYPE MINUS_ONE MINUS_ZERO ONE: -0 equals 0, with the results of NumPy 2.
zeros_of() {
  local m=$2 z=$3 p=$4
  # np.searchsorted([-1, -0., 0, 1], [0, -0.], side)
  "$oracle" bits $1 in.npy $m $z 0 $p
  "$oracle" bits $1 queries.npy 0 $z
  runs "$crosslane" search in.npy queries.npy out.npy
  holds out.npy u8 1 1
  runs "$crosslane" search in.npy queries.npy out.npy --upper
  holds out.npy u8 3 3
  # A file that NumPy sorted may have zeros in any order.
  "$oracle" bits $1 in.npy $m 0 $z 0 $z $p
  runs "$crosslane" search in.npy queries.npy out.npy
  holds out.npy u8 1 1
  "$oracle" bits $1 more.npy $z 0
  runs "$crosslane" merge in.npy more.npy out.npy
  "$oracle" bits $1 wanted.npy $m 0 $z 0 $z $z 0 $p
  cmp -s out.npy wanted.npy || fail "$1: zeros are merged in another order"
  # np.argsort([0, -0., 1, -0., 0, -1], kind="stable"), of the negative for descending
  "$oracle" bits $1 in.npy 0 $z $p $z 0 $m
  gives u4 "5 0 1 3 4 2" sort --stable --argsort
  gives u4 "2 0 1 3 4 5" sort --stable --argsort --descending
  gives_bits $1 "$m 0 $z $z 0 $p" sort --stable
  "$oracle" list u4 offsets.npy 0 2
  gives u4 "0 1 5 3 4 2" sort --offsets offsets.npy --argsort
  # np.argsort(-a, kind="stable")[:2]
  "$oracle" bits $1 in.npy $z 0 $z 0 $m
  gives_bits $1 "$z 0" topk --k 2 --indices places.npy
  holds places.npy u4 0 1
  gives_bits $1 "$m $z" topk --k 2 --smallest --indices places.npy
  holds places.npy u4 4 0
  if "$crosslane" select in.npy out.npy >stdout 2>stderr || ! lacks $1; then
    gives_bits $1 "$z $m" select --unique
  fi
}

zeros() {
  zeros_of f4 0xbf800000 0x80000000 0x3f800000
  [ -z "${CROSSLANE_TEST_PROGRAMS:-}" ] || return 0
  zeros_of f2 0xbc00 0x8000 0x3c00
  zeros_of f8 0xbff0000000000000 0x8000000000000000 0x3ff0000000000000
}

# table_is FILE DTYPE COLUMNS NUMBERS...
table_is() {
  "$oracle" table "$2" wanted.npy "${@:3}"
  cmp -s "$1" wanted.npy || fail "$1: not a table of $3 columns: ${*:4}"
}

# tables DTYPE COLUMNS "NUMBERS" ARGUMENT...: in.npy makes out.npy that table.
tables() {
  runs "$crosslane" "$4" in.npy out.npy "${@:5}"
  table_is out.npy "$1" "$2" $3
}

# Arrays of two dimensions along an axis, with the results of NumPy.
axes() {
  "$oracle" table i4 in.npy 3 3 1 2 9 7 8
  tables i8 3 "0 3 4 0 9 16" scan --axis 1
  tables i8 3 "0 0 0 3 1 2" scan --axis 0
  tables i4 3 "3 1 2 9 7 8" scan --axis 0 --inclusive --op max
  gives i8 "6 24" reduce --axis 1
  gives i8 "12 8 10" reduce --axis 0
  gives u8 "1 1 1" reduce --axis 0 --op arg-max
  gives u8 "0 0" reduce --axis 1 --op arg-max
  tables i4 3 "1 2 3 7 8 9" sort --axis 1
  tables i4 3 "9 7 8 3 1 2" sort --axis 0 --descending
  tables u4 3 "1 2 0 1 2 0" sort --axis 1 --argsort
  tables u4 3 "0 0 0 1 1 1" sort --axis 0 --argsort
  "$oracle" table i2 values.npy 3 1 2 3 4 5 6
  tables i4 3 "1 2 3 7 8 9" sort --axis 1 --values values.npy moved.npy
  table_is moved.npy i2 3 2 3 1 5 6 4
  tables i4 2 "3 2 9 8" topk --axis 1 --k 2 --indices places.npy
  table_is places.npy u4 2 0 2 0 2
  tables i4 3 "9 7 8" topk --axis 0 --k 1 --indices places.npy
  table_is places.npy u4 3 1 1 1
  tables i4 3 "9 7 8 3 1 2" topk --axis 0 --k 9
  axis_of_few
  bad_axes
}

# One dimension has axis 0; rows and columns may be missing.
axis_of_few() {
  "$oracle" list i4 in.npy 3 1 2
  gives i8 "0 3 4" scan --axis 0
  gives i4 "3 2 1" sort --axis 0 --descending
  "$oracle" table i4 in.npy 3
  tables i8 3 "" scan --axis 0
  tables i4 3 "" sort --axis 1
  gives i8 "0 0 0" reduce --axis 0
  gives i8 "" reduce --axis 1
  tables i4 3 "" topk --k 2 --axis 0
}

bad_axes() {
  "$oracle" list i4 flat.npy 3 1 2
  "$oracle" table i4 in.npy 3 3 1 2 9 7 8
  "$oracle" table i4 turned.npy 2 3 1 2 9 7 8
  "$oracle" list u4 offsets.npy 0 3 6
  refuses 2 "scan: --axis: 1; flat.npy has one dimension, axis 0" scan flat.npy out/o.npy --axis 1
  refuses 2 'sort: --axis: "2"; must be one of 0, 1' sort in.npy out/o.npy --axis 2
  refuses 2 "reduce: --axis and --offsets exclude each other; give one" \
    reduce in.npy out/o.npy --axis 1 --offsets offsets.npy
  refuses 2 "sort: --axis and --offsets exclude each other; give one" \
    sort in.npy out/o.npy --axis 1 --offsets offsets.npy
  refuses 2 "sort: --axis and --algorithm radix exclude each other; give one" \
    sort in.npy out/o.npy --axis 1 --algorithm radix
  refuses 1 "turned.npy: the values differ from the keys in shape; must be equal" \
    sort in.npy out/o.npy --axis 1 --values turned.npy out/w.npy
}

histograms() {
  "$oracle" list u1 in.npy 0 1 1 3 200 4 3
  gives u8 "1 2 0 2" histogram --bins 4 --json
  prints '{"device":D,"n":7,"type":"u8","bins":4,"counted":5,"device_ms":T,"wall_ms":T,"first_wall_ms":T}'
  gives u8 "3 2 1 0" histogram --bins 4 --range 0 8
  gives u8 "6 1" histogram --bins 2 --range 0 256
  "$oracle" list i8 in.npy 0x7fffffffffffffff -0x8000000000000000 -1
  gives u8 "2 1" histogram --bins 2 --range -9223372036854775808 9223372036854775808
  "$oracle" list f4 in.npy -1 0 1 2 3 4
  gives u8 "2 2" histogram --bins 2 --range -1.5 2.5
  "$oracle" list f4 edges.npy 0 1 1 4
  gives u8 "1 0 3" histogram --edges edges.npy
  "$oracle" list b1 in.npy 0 1 1
  gives u8 "1 2" histogram --bins 2
  "$oracle" list u4 in.npy
  gives u8 "0 0 0" histogram --bins 3
  bad_histograms
}

bad_histograms() {
  "$oracle" list f4 in.npy 1 2
  "$oracle" list f4 falls.npy 0 2 1
  "$oracle" list f4 one.npy 0
  "$oracle" list i4 whole.npy 0 1
  "$oracle" list u1 bytes.npy 0 1
  "$oracle" bits f4 nan.npy 0 0x7fc00000
  refuses 2 "histogram: --bins: missing or 0; give the number of bins, or --edges" histogram in.npy out/o.npy
  refuses 2 "histogram: --edges and --bins exclude each other; give one" \
    histogram in.npy out/o.npy --bins 2 --edges one.npy
  refuses 2 "histogram: --edges and --range exclude each other; give one" \
    histogram in.npy out/o.npy --range 2 3 --edges one.npy
  refuses 2 "histogram: --assume-sorted: given; requires --edges" histogram in.npy out/o.npy --bins 2 --assume-sorted
  refuses 2 "histogram: --bins: given without --range for elements of type f32; give --range LO HI or --edges" \
    histogram in.npy out/o.npy --bins 2
  refuses 2 'histogram: --range: "x"; elements of type f32 require numbers' \
    histogram in.npy out/o.npy --bins 2 --range 0 x
  refuses 2 'histogram: --range: "0.5"; elements of type i32 require whole numbers' \
    histogram whole.npy out/o.npy --bins 2 --range 0.5 2
  refuses 1 "histogram: --range: ..." histogram in.npy out/o.npy --bins 2 --range 3 2
  refuses 1 "histogram: --range: -1 and 7; must be numbers of u8, the upper one at most one past its greatest" \
    histogram bytes.npy out/o.npy --bins 4 --range -1 7
  refuses 1 "histogram: --bins: 1048577; ..." histogram in.npy out/o.npy --bins 1048577 --range 0 2
  refuses 1 "one.npy: 1 edges; must be at least 2, the ends of the first bin" \
    histogram in.npy out/o.npy --edges one.npy
  refuses 1 "whole.npy: elements of type i32; must be f32, the type of the other array" \
    histogram in.npy out/o.npy --edges whole.npy
  refuses 1 "falls.npy: element 2 is 1 after 2; histogram requires ascending order: sort the array with crosslane sort, or give --assume-sorted" \
    histogram in.npy out/o.npy --edges falls.npy
  refuses 1 "nan.npy: element 1 is NaN; an edge must be a number" histogram in.npy out/o.npy --edges nan.npy
}

# A line for a copy and for each workload of the primitives named; no other.
bench() {
  local number='[0-9.]+'
  runs "$crosslane" bench scan select neighbors --n 1000
  has_line_like stdout " +elements +ms +elements/us +GB/s +of a copy"
  for name in copy scan "segmented scan" selection; do
    has_line_like stdout "$name +1000 +$number +$number +$number +$number %"
  done
  for name in "neighbour search" "nearest points"; do
    has_line_like stdout "$name +1000 +$number +$number"
  done
  [ "$(wc -l <stdout)" -eq 8 ] || fail "other lines: $(cat stdout)"
  runs "$crosslane" bench reduce sort topk merge search histogram --n 5000 --json
  for name in copy reduction "segmented reduction" sort top-k merge search histogram; do
    [ "$(grep -oE "\{\"name\":\"$name\",\"n\":5000,\"ms\":$number(,\"gigabytes_per_second\":$number)?\}" stdout |
      wc -l)" -eq 1 ] || [ "$name" = "segmented reduction" ] || fail "no $name: $(cat stdout)"
  done
  refuses 2 'bench: NAME: "quicksort"; must be one of scan, reduce, sort, topk, select, merge, search, histogram, neighbors' \
    bench quicksort
  refuses 2 "bench: --n: 63; must be 64 to 268435456" bench --n 63
}

devices() {
  runs "$crosslane" devices
  local found
  found=$(grep -cE '^  [0-9]+:[0-9]+  .+' stdout)
  [ "$found" -gt 0 ] || fail "no device: $(cat stdout)"
  # Each line is one of these; those of a device come as often as devices do.
  local forms=(
    '       (CPU|GPU|accelerator|other), [0-9]+ compute units, work-groups of up to [0-9]+, .+'
    '       memory [0-9.]+ [GK]iB, one buffer [0-9.]+ [GK]iB, local [0-9.]+ [GK]iB'
    '       driver .+'
    '       sub-group size [0-9]+, exchange by [a-z0-9 -]+ \((reported by: [^;]+|not used: [0-9]+ of [^;]+)(; preferred multiple of a work-group [1-9][0-9]*)?\)'
    '       probe: .+'
    '       fp64 (yes|no), int64 atomics (yes|no), sub-groups (yes|no), look-back (possible|not possible)')
  local failed
  failed=$(grep -cE '^       FAILED: ' stdout)
  for form in "${forms[@]}"; do
    [ "$(grep -cxE -- "$form" stdout)" -eq $((found - failed)) ] ||
      fail "not $((found - failed)) lines like \"$form\": $(cat stdout)"
  done
  [ "$(grep -cE '^cache of compiled programs: .+' stdout)" -eq 1 ] || fail "no line of the cache"
  ! grep -vxE "$(printf '%s|' "${forms[@]}")cache of compiled programs: .+|platform [0-9]+: .+|  no device|  [0-9]+:[0-9]+  .+|       FAILED: .+" \
    stdout || fail "lines that are none of a device"
  runs "$crosslane" devices --json
  grep -qF "{\"version\":\"$version\",\"platforms\":[{\"platform\":0,\"name\":\"" stdout ||
    fail "the beginning: $(cat stdout)"
  [ "$(wc -l <stdout)" -eq 1 ] || fail "not one line: $(cat stdout)"
  [ "$(grep -o '"device":' stdout | wc -l)" -eq "$found" ] || fail "not $found devices"
  for key in vendor type driver opencl_c compute_units global_bytes max_buffer_bytes local_bytes \
    max_work_group_size sub_group_size cross_lane sub_group_source sub_group_size_reported \
    work_group_size_multiple sub_group_size_measured probe fp64 int64_atomics sub_groups look_back caches_from_source; do
    [ "$(grep -oE "\"$key\":(\"[^\"]+\"|[0-9]+|true|false)" stdout | wc -l)" -eq $((found - failed)) ] ||
      fail "\"$key\" does not come once for each device: $(cat stdout)"
  done
}

# The two primitives with results that are the same on every device, and one with points.
selftest() {
  [ -z "${CROSSLANE_TEST_SMALL:-}" ] || { echo "skipped: small sizes are asked for"; exit 77; }
  runs "$crosslane" selftest --quick scan reduce near
  cat stdout
  local number='[0-9]+' sum
  [ "$(grep -cE "^ok {11}(scan|reduce|near) +$number cases +$number plans +$number\.[0-9] s" stdout)" -eq 3 ] ||
    fail "not a line for each primitive"
  sum=$(awk '$1 == "ok" { s += $3 } END { print s }' stdout)
  grep -qE "^$sum cases: 0 failures, $number unsupported\$" stdout || fail "no sum of $sum cases"
  [ "$(wc -l <stdout)" -eq 5 ] || fail "other lines"
}

run_part
