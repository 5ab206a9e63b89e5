#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: tool_points.sh PART PROGRAM ORACLE DATA_FOLDER VERSION
# `crosslane neighbors`: its results are compared with a search over all pairs (ORACLE), each option
# at least once.
# shellcheck disable=SC2046,SC2086,SC2206,SC2317 # words without blanks; parts are called by name
# shellcheck source-path=SCRIPTDIR source=tool_support.sh
. "$(dirname "$0")/tool_support.sh"

# neighbors_case FILE RADIUS STRICT_OR_INCLUSIVE POINTS [OPTION...]: compares lists, counts and
# reports (JSON and text) with a search over all pairs of POINTS.
neighbors_case() {
  local file=$1 radius=$2 kind=$3 points=$4 inclusive=false n pairs min max mean
  local single=$radius
  [ "$radius" != 0.002 ] || single=0.00200000009 # in single precision
  shift 4
  [ "$kind" = strict ] || inclusive=true
  rm -f list.*.npy counts.npy
  runs "$crosslane" neighbors "$file" --radius "$radius" --out list --counts counts.npy "$@"
  cp stdout words
  runs "$oracle" neighbors "$radius" "$kind" "$points" list counts.npy
  read -r n pairs min max mean <stdout
  printf -v mean '%.2f' "$mean"
  is_text words \
    "$n points, radius $radius: $pairs pairs; neighbours per point: $min to $max, mean $mean$rounded"
  runs "$crosslane" neighbors "$file" --radius "$radius" --json "$@"
  [[ $(sed -E 's/,"neighbors_mean":[^,]*//' stdout) == *,\"points\":$n,\"radius\":$single,\"inclusive\":$inclusive,\"pairs\":$pairs,\"neighbors_min\":$min,\"neighbors_max\":$max"}" ]] ||
    fail "not $n points, $pairs pairs, $min to $max: $(cat stdout)"
  [ "$(printf %.2f "$(json_number neighbors_mean)")" = "$mean" ] || fail "mean: $(cat stdout)"
}

rounded= # what is said of that

json_number() { # KEY
  sed -E "s/.*\"$1\":([0-9.e+-]+)[,}].*/\1/" stdout
}

# near A B: two numbers within 2e-5 of each other.
near() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 2e-5 * b && b - a < 2e-5 * b) }'
}

# Files in double precision: a lattice of tenths, and of thousandths at 10^9; one such file makes all
# arrays of double precision.
doubles() {
  local wide pairs
  "$oracle" lattice 8 tenths.npy 0.1 0.3
  "$oracle" lattice 8 far.npy 0.001 1e9
  for wide in "wide 1.5" "tenths 0.1" "far 0.0018"; do
    runs "$crosslane" neighbors ${wide% *}.npy --radius ${wide#* } --out list --distances d.npy \
      --vectors v.npy --counts counts.npy
    cp stdout said
    runs "$oracle" neighbors ${wide#* } strict ${wide% *}.npy list counts.npy distances=d.npy vectors=v.npy
    pairs=$(cut -d" " -f2 stdout)
    [[ $(cat said) == *" points, radius ${wide#* }: $pairs pairs; "* ]] || fail "not $pairs: $(cat said)"
    [ "$pairs" -gt 100 ] || fail "$wide: $pairs pairs"
    in_parts ${wide% *}.npy --radius ${wide#* } --distances d.npy --vectors v.npy
    runs "$crosslane" neighbors ${wide% *}.npy --nearest 7 --out nearest
    runs "$oracle" nearest 7 ${wide% *}.npy nearest
  done
  nearest_in_parts 512 7 far.npy
  runs "$crosslane" neighbors far.npy --radius 0.0018 --out list --distances d.npy --vectors v.npy \
    --counts counts.npy
  in_rows 30 far.npy --radius 0.0018 --distances d.npy --vectors v.npy
  runs "$crosslane" neighbors narrow.npy --queries wide.npy --radius 1.5 --density d.npy --json
  [[ $(cat stdout) == *'"queries":500,"points":500,'* ]] || fail "queries of f64: $(cat stdout)"
  wide_cells
}

# A periodic lattice with 26 neighbours within that radius, in a box and in a leaning cell.
wide_cells() {
  local file edge=8.00000011920928955078125 # 8 + 2^-23, which a float does not hold
  "$oracle" lattice 8 cell.npy 1 1e9
  for file in box cell; do
    local space=(--box 1e9 100000000$edge --periodic xyz)
    [ $file = box ] || space=(--cell "$edge,$edge,$edge,0,-$edge,$edge" --origin "1e9,1e9,1e9")
    runs "$crosslane" neighbors cell.npy --radius 1.8 --out $file --distances $file.d.npy "${space[@]}"
    [[ $(cat stdout) == "512 points, radius 1.8: 13312 pairs; neighbours per point: 26 to 26,"* ]] ||
      fail "a $file of f64: $(cat stdout)"
    runs "$crosslane" neighbors cell.npy --nearest 6 --out $file.near "${space[@]}"
  done
  for file in offsets indices d near.indices near.distances; do
    cmp -s box.$file.npy cell.$file.npy || fail "of a box and a cell $file are not the same"
  done
}

# no_grid OPTION...: a search that compiles something, but nothing that has to do with a grid.
no_grid() {
  CROSSLANE_CACHE_DIR=off CROSSLANE_DUMP_DIR=dump "$crosslane" neighbors "$@" >stdout 2>stderr_all ||
    fail "with a dump: $(cat stderr_all)"
  [ -n "$(ls dump/nearest_approximate-*.cl)" ] || fail "nothing compiled: $(ls dump)"
  for file in dump/grid*.cl; do [ ! -e "$file" ] || fail "a grid for an approximate search: $file"; done
}

neighbors() {
  for n in 0 1 2 3000; do
    "$oracle" points $n f4 points.npy
    neighbors_case points.npy 1.25 strict points.npy
  done
  "$oracle" lattice 11 lattice.npy
  neighbors_case lattice.npy 2 inclusive lattice.npy --inclusive
  "$oracle" points 500 f8 wide.npy
  "$oracle" points 500 f4 narrow.npy
  # The last sixteen bits of such a number are rounded away, up to 2^-24.
  rounded=$'\ndouble precision rounded to f32, each number by at most 5.96e-08'
  neighbors_case wide.npy 1.5 strict narrow.npy --f32
  near "$(json_number rounded_by)" 5.95919e-08 || fail "rounded by $(json_number rounded_by)"
  rounded=
  if "$crosslane" neighbors wide.npy --radius 1.5 --counts c.npy >stdout 2>stderr_all; then
    doubles
  elif [[ ${CROSSLANE_DEVICE-} == portable* ]] ||
    ! grep -q 'files in double precision, which .* lacks; --f32 rounds them$' stderr_all; then
    fail "of f64: $(cat stderr_all)"
  fi
  for n in 0 1 7 1500; do
    "$oracle" points $n f4 near.npy
    runs "$crosslane" neighbors near.npy --nearest 8 --out nearest
    runs "$oracle" nearest 8 near.npy nearest
    runs "$crosslane" neighbors near.npy --nearest 8 --approximate --out nearest
    [ $n -gt 8 ] || runs "$oracle" nearest 8 near.npy nearest # of so few, all
  done
  [[ $(cat stdout) == "1500 points, 8 nearest, approximate: 12000 found; "* ]] ||
    fail "approximate: $(cat stdout)"
  "$oracle" points 100 f4 some.npy
  for n in "" --approximate; do
    runs "$crosslane" neighbors some.npy --nearest 8 --out nearest $n
    nearest_in_parts 100 8 some.npy $n
  done
  no_grid near.npy --nearest 8 --approximate --out nearest
  runs "$crosslane" neighbors wide.npy --nearest 3 --f32 --json --out nearest
  [[ $(cat stdout) == *"\"points\":500,\"nearest\":3,\"found\":1500,"* ]] || fail "as JSON: $(cat stdout)"
  runs "$oracle" nearest 3 narrow.npy nearest
  runs "$crosslane" neighbors near.npy --nearest 8 --radius 1e-6 --out nearest
  [[ $(cat stdout) == "1500 points, 8 nearest: 0 found; "* ]] || fail "within a radius: $(cat stdout)"
  runs "$crosslane" neighbors points.npy --radius 2 --density density.npy --json
  cp stdout said
  runs "$oracle" density 2 points.npy density.npy
  local min max mean
  read -r min max mean <stdout
  cp said stdout
  for pair in "min $min" "max $max" "mean $mean"; do
    near "$(json_number "density_${pair% *}")" "${pair#* }" || fail "density $pair: $(cat said)"
  done
}

bunny() {
  [ -f "$data/stanford-bunny.npy" ] || { echo "skipped: no $data/stanford-bunny.npy"; exit 77; }
  [ -z "${CROSSLANE_TEST_SMALL:-}" ] || { echo "skipped: small sizes are asked for"; exit 77; }
  neighbors_case "$data/stanford-bunny.npy" 0.002 strict "$data/stanford-bunny.npy"
  cat words
}

# list_case R STRICT_OR_INCLUSIVE POINTS WORDS OPTION...: compares a list and its counts with the
# oracle, which receives WORDS; both may name the requested files.
list_case() {
  local radius=$1 kind=$2 points=$3 words=$4
  shift 4
  rm -f list.*.npy counts.npy d.npy v.npy s.npy
  runs "$crosslane" neighbors "$points" --out list --counts counts.npy "$@"
  cp stdout words
  runs "$oracle" neighbors "$radius" "$kind" "$points" list counts.npy $words
  cp stdout found
}

# in_parts POINTS OPTION...: makes the last list again in parts of one row, of some rows, and in one
# part; every byte is the same.
in_parts() {
  local points=$1 file parts pairs
  shift
  mkdir whole
  for file in list.*.npy [dvs].npy; do [ ! -e "$file" ] || mv "$file" whole; done
  for pairs in 1 50 1000000000; do
    runs "$crosslane" neighbors "$points" --out list --part-pairs $pairs --json "$@"
    parts=$(json_number parts)
    if [ $pairs -le 50 ]; then [ "$parts" -gt 3 ]; else [ "$parts" -eq 1 ]; fi ||
      fail "$parts parts of $pairs: $(cat stdout)"
    for file in whole/*; do cmp "$file" "${file#whole/}" || fail "in $parts parts: $file"; done
  done
  rm -r whole
}

# nearest_in_parts ROWS K POINTS OPTION...: makes the last tables of nearest again in parts of one
# row, of three rows, and in one part; every byte and the report are the same.
nearest_in_parts() {
  local rows=$1 k=$2 points=$3 file pairs said parts
  shift 3
  mkdir whole
  mv nearest.*.npy whole
  for pairs in 1 $((3 * k + k - 1)) 1000000000; do
    parts=1
    [ $pairs -ne 1 ] || parts=$rows
    [ $pairs -le 1 ] || [ $pairs -ge 1000 ] || parts=$(((rows + 2) / 3))
    runs "$crosslane" neighbors "$points" --nearest "$k" --out nearest --part-pairs $pairs --json "$@"
    [ "$(json_number parts)" -eq $parts ] || fail "not $parts parts: $(cat stdout)"
    said=${said:-$(sed 's/,"parts":[0-9]*//' stdout)}
    [ "$said" = "$(sed 's/,"parts":[0-9]*//' stdout)" ] || fail "not $said: $(cat stdout)"
    for file in whole/*; do cmp "$file" "${file#whole/}" || fail "in $parts parts: $file"; done
  done
  rm -r whole
}

# in_rows N POINTS OPTION...: ... with room for N in each row, in parts, too; counts.npy is the same.
# With --keep-nearest among the options, the list has squared distances, d.npy, and longer rows.
in_rows() {
  local room=$1 points=$2 file nearest=
  shift 2
  [[ " $* " != *" --keep-nearest "* ]] || nearest=whole/d.npy
  mkdir whole
  for file in list.*.npy [dvs].npy counts.npy; do [ ! -e "$file" ] || mv "$file" whole; done
  runs "$crosslane" neighbors "$points" --out list --counts counts.npy --row-capacity "$room" \
    --part-pairs $((room * 7)) --json "$@"
  [ "$(json_number parts)" -gt 3 ] || fail "rows in parts: $(cat stdout)"
  [ ! -e list.offsets.npy ] || fail "offsets of rows that begin at multiples of $room"
  cmp whole/counts.npy counts.npy || fail "counts of rows"
  for file in list.indices.npy [dvs].npy; do
    [ ! -e "$file" ] || runs "$oracle" rows "$room" whole/list.offsets.npy "whole/$file" "$file" $nearest
  done
  rm -r whole
}

# says TEXT: the report of the last list is TEXT, in which PAIRS and COUNTS are the oracle's
# numbers.
says() {
  local n pairs min max mean text=$1
  read -r n pairs min max mean <found
  printf -v mean '%.2f' "$mean"
  text=${text//PAIRS/$pairs pairs}
  is_text words "${text//COUNTS/$min to $max, mean $mean}"
  [ "$pairs" -gt 0 ] || fail "nothing to find: $(cat words)"
}

# Points, queries and spaces of one to three dimensions. Each search is of all options that go
# together, as each takes seconds to compile.
spaces() {
  "$oracle" box 60 f4 three.npy 3 0
  "$oracle" box 250 f4 two.npy 2 1
  "$oracle" box 40 f4 one.npy 1 2
  "$oracle" box 77 f4 places.npy 2 3
  images
  # A cell that leans, of whose vectors two repeat, or all.
  list_case 7 strict three.npy \
    "cell=17,5,16,-6,4,18 periodic=xz distances=d.npy vectors=v.npy shifts=s.npy" \
    --radius 7 --cell 17,5,16,-6,4,18 --origin -8,-8,-8 --periodic xz --distances d.npy \
    --vectors v.npy --shifts s.npy
  says "60 points, radius 7: PAIRS; neighbours per point: COUNTS"
  runs "$crosslane" neighbors two.npy --nearest 5 --queries places.npy --out nearest --cell 16,5,16 \
    --origin -8,-8
  runs "$oracle" nearest 5 two.npy nearest queries=places.npy cell=16,5,16 periodic=xy
  # Rows of queries in any order, with one radius each: the largest, or less.
  "$oracle" list f4 radii.npy 0 -1 3 2 1 1 4 $(printf '2 %.0s' {1..70})
  local most given=()
  for most in 4 2.5; do
    [ $most = 4 ] || given=(--radius $most)
    list_case $most strict two.npy \
      "queries=places.npy radii=radii.npy periodic=y unsorted squared distances=d.npy" \
      --queries places.npy --radii radii.npy --box -8 8 --periodic y --unsorted --squared \
      --distances d.npy "${given[@]}"
    says "77 queries among 250 points, radii up to $most: PAIRS; neighbours per query: COUNTS"
    in_parts two.npy --queries places.npy --radii radii.npy --box -8 8 --periodic y --unsorted \
      --squared --distances d.npy "${given[@]}"
    ! "$oracle" neighbors $most strict two.npy list counts.npy queries=places.npy \
      radii=radii.npy periodic=y >stdout 2>stderr || fail "in order, though --unsorted"
  done
  # Of points, the larger radius of both, each pair once.
  "$oracle" list f4 radii.npy 0 -1 3 2 1 1 4 $(printf '2 %.0s' {1..53})
  list_case 4 strict three.npy "radii=radii.npy larger half periodic=z shifts=s.npy" \
    --radii radii.npy --larger --half --box -8 8 --periodic z --shifts s.npy
  says "60 points, radii up to 4: PAIRS, each once; neighbours per point: COUNTS"
  densities
  nearest
  unwrapped
}

# Points of a lattice that were moved by whole periods: the same lists, and the shifts of these points.
unwrapped() {
  local file
  "$oracle" lattice 8 inside.npy
  "$oracle" unwrap inside.npy 8 outside.npy
  for file in inside outside; do
    runs "$crosslane" neighbors $file.npy --radius 1.5 --out $file --vectors $file.v.npy \
      --shifts $file.s.npy --box 0 8 --periodic xyz --wrap
    [[ $(cat stdout) == "512 points, radius 1.5: 9216 pairs; "* ]] || fail "wrapped: $(cat stdout)"
    "$oracle" unwrapped $file.npy 8 $file $file.v.npy $file.s.npy || fail "shifts of $file"
  done
  for file in offsets indices v; do
    cmp -s inside.$file.npy outside.$file.npy || fail "inside and outside $file are not the same"
  done
  ! cmp -s inside.s.npy outside.s.npy || fail "shifts are not those of the points given"
  refuses 1 "--box: points: 460 of 512 are outside the box (0, 0, 0) to (8, 8, 8), the first at index 0: (-40, 16, -16)" \
    neighbors outside.npy --radius 1.5 --counts c.npy --box 0 8 --periodic xy --wrap
}

# More than half a period: points have several images. All that a list has, in one and in parts.
images() {
  local longest room file
  local given=(--radius 9 --inclusive --self --half --box "-8,-8,-8" "8,8,8" --periodic xz
    --distances d.npy --vectors v.npy --shifts s.npy)
  list_case 9 inclusive three.npy "self half periodic=xz distances=d.npy vectors=v.npy shifts=s.npy" \
    "${given[@]}"
  says "60 points, radius 9: PAIRS, each once; neighbours per point: COUNTS"
  longest=$(cut -d' ' -f4 found)
  in_parts three.npy "${given[@]}"
  in_rows $((longest + 3)) three.npy "${given[@]}"
  runs "$crosslane" neighbors three.npy "${given[@]}" --squared --out list
  in_rows $((longest / 2)) three.npy "${given[@]}" --squared --keep-nearest
  rm [dvs].npy
  # One part has no room, or several have none.
  for room in $((longest - 1)) 1; do
    refuses 1 "--row-capacity: $room; the longest row has $longest neighbours: give --row-capacity $longest or --keep-nearest, or omit it for rows of any length" \
      neighbors three.npy "${given[@]}" --out out/list --row-capacity $room \
      --part-pairs $((room * 7))
    for file in d.npy v.npy s.npy; do [ ! -e $file ] || fail "of rows without room: $file"; done
  done
}

densities() {
  runs "$crosslane" neighbors two.npy --radius 3 --queries places.npy --density density.npy \
    --mass 2.5 --box -8 8 --periodic y --json
  [[ $(cat stdout) == *'"dimensions":2,"queries":77,"points":250,"radius":3,'* ]] ||
    fail "as JSON: $(cat stdout)"
  runs "$oracle" density 3 two.npy density.npy queries=places.npy mass=2.5 periodic=y
  pictures
}

# 1120 by 960 dots of 8 bits RGB, one picture like the other, and of other densities another.
pictures() {
  local header="89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 04 60 00 00 03 c0 08 02"
  if ! "$crosslane" neighbors three.npy --radius 7 --png p.png >stdout 2>stderr; then
    has_line stderr "crosslane: neighbors: --png: this program was built without libpng, and draws nothing"
    return
  fi
  [ "$(od -An -tx1 -N26 p.png | tr -s ' \n' ' ')" = " $header " ] || fail "no picture: $(od -An -tx1 -N26 p.png)"
  runs "$crosslane" neighbors three.npy --radius 7 --png q.png --density d.npy
  cmp p.png q.png || fail "two pictures of the same"
  runs "$crosslane" neighbors three.npy --radius 4 --png q.png
  ! cmp -s p.png q.png || fail "one picture of two densities"
  runs "$crosslane" neighbors two.npy --radius 3 --queries places.npy --png q.png
  runs "$crosslane" neighbors one.npy --radius 3 --png q.png
  refuses 2 "neighbors: --half and --png exclude each other; give one" \
    neighbors three.npy --radius 7 --half --png out/p.png
}

nearest() {
  runs "$crosslane" neighbors two.npy --nearest 5 --queries places.npy --out nearest --box -8,-9 8,9 \
    --periodic x
  [[ $(cat stdout) == "77 queries among 250 points, 5 nearest: 385 found; "* ]] ||
    fail "of queries: $(cat stdout)"
  runs "$oracle" nearest 5 two.npy nearest queries=places.npy periodic=x
  nearest_in_parts 77 5 two.npy --queries places.npy --box -8,-9 8,9 --periodic x
  runs "$crosslane" neighbors one.npy --nearest 12 --radius 2 --self --squared --out nearest
  runs "$oracle" nearest 12 one.npy nearest self squared below=2
  "$oracle" box 0 f4 none.npy 2 0
  runs "$crosslane" neighbors two.npy --nearest 5 --queries none.npy --out nearest --box -8 8 --periodic x
  runs "$oracle" nearest 5 two.npy nearest queries=none.npy periodic=x
}

# Systems that stand among each other, of which queries have some more.
batches() {
  "$oracle" box 250 f4 two.npy 2 1
  "$oracle" box 77 f4 places.npy 2 3
  "$oracle" list u4 systems.npy $(awk 'BEGIN { for (i = 0; i < 250; ++i) print i * i % 7 % 5 }')
  "$oracle" list u4 others.npy $(awk 'BEGIN { for (i = 0; i < 77; ++i) print i % 6 }')
  list_case 3 strict two.npy "systems=systems.npy distances=d.npy" --radius 3 \
    --systems systems.npy --distances d.npy
  says "250 points, radius 3: PAIRS; neighbours per point: COUNTS"
  runs "$crosslane" neighbors two.npy --radius 3 --systems systems.npy --json
  [[ $(cat stdout) == *'"points":250,"systems":5,'* || $(cat stdout) == *'"systems":5,"points":250,'* ]] ||
    fail "as JSON: $(cat stdout)"
  list_case 3 strict two.npy "queries=places.npy systems=systems.npy query-systems=others.npy" \
    --radius 3 --queries places.npy --systems systems.npy --query-systems others.npy
  says "77 queries among 250 points, radius 3: PAIRS; neighbours per query: COUNTS"
  runs "$crosslane" neighbors two.npy --nearest 5 --queries places.npy --systems systems.npy \
    --query-systems others.npy --out nearest
  runs "$oracle" nearest 5 two.npy nearest queries=places.npy systems=systems.npy \
    query-systems=others.npy
  nearest_in_parts 77 5 two.npy --queries places.npy --systems systems.npy \
    --query-systems others.npy
  refuses 2 "neighbors: --systems: given; requires --query-systems" \
    neighbors two.npy --radius 3 --queries places.npy --systems systems.npy
  refuses 2 "neighbors: --query-systems: given; requires --queries and --systems" \
    neighbors two.npy --radius 3 --query-systems others.npy --queries places.npy
  refuses 1 "others.npy: 77 numbers of systems for 250 rows; must be one for each row" \
    neighbors two.npy --radius 3 --systems others.npy
  refuses 1 "places.npy: shape (77, 2); neighbors --systems takes an array of one dimension, shape (n,)" \
    neighbors two.npy --radius 3 --systems places.npy
  "$oracle" list i4 signed.npy $(seq 250)
  refuses 1 "signed.npy: numbers of systems of type i32; must be u32" \
    neighbors two.npy --radius 3 --systems signed.npy
  "$oracle" list u4 many.npy 1048576 $(seq 249)
  refuses 1 "many.npy: system 1048576 of point 0; must be below 1048576" \
    neighbors two.npy --radius 3 --systems many.npy
}

# with TEXT OPTION...: wrong usage of `neighbors p.npy`, before p.npy, which is not there, is read.
with() {
  local text=$1
  shift
  refuses 2 "neighbors: $text" neighbors p.npy "$@"
}

wrong_options() {
  local apart needs="given; requires --out PREFIX"
  with "--radius: missing; give --radius R, in the unit of the points, or --nearest K" --out out/n
  with "--mass: 0; must be a finite number above 0" --radius 1 --mass 0
  for k in 0 1025 2.5 -1 nan; do
    with "--nearest: $k; must be a whole number from 1 to 1024" --nearest $k --out out/n
  done
  with "--nearest: 65; must be a whole number from 1 to 64" --nearest 65 --approximate --out out/n
  with '--nearest: "few"; must be a number' --nearest few --out out/n
  with "--nearest: given without --out; requires --out PREFIX" --nearest 8
  with "--radius: -1; must be a finite number above 0" --nearest 8 --radius -1 --out out/n
  for k in 0 2.5 5e+09 nan; do
    with "--row-capacity: $k; must be a whole number from 1 to 4294967295" --radius 1 --row-capacity $k --out out/n
  done
  with "--part-pairs: 0; must be a whole number from 1 to 9007199254740992" --radius 1 --part-pairs 0 --out out/n
  for apart in inclusive half unsorted "row-capacity 9" keep-nearest "counts c" "density d" "distances d" "vectors v" "shifts s" \
    "radii r"; do
    with "--nearest and --${apart% *} exclude each other; give one" --nearest 8 --out out/n --$apart
  done
  for apart in "half queries q" "half radii r" "half density d" "density d radii r" "self queries q" "larger queries q"; do
    set -- $apart
    with "--$1 and --${*: -2:1} exclude each other; give one" \
      --radius 1 $(sed -E 's/\b(half|queries|radii|density|self|larger)/--\1/g' <<<"$apart")
  done
  for option in "distances d" "vectors v" "shifts s" unsorted "row-capacity 9" "part-pairs 9"; do
    with "--${option% *}: $needs" --radius 1 --$option
  done
  with "--keep-nearest: given; requires --row-capacity N" --radius 1 --out out/n --keep-nearest
  with "--squared: given; requires --distances or --nearest" --radius 1 --squared
  with "--approximate: given; requires --nearest" --radius 1 --out out/n --approximate
  with "--larger: given; requires --radii" --radius 1 --larger
  for apart in "radius 1" "periodic x" "cell 1" "box 0 1"; do
    with "--approximate and --${apart%% *} exclude each other; give one" \
      --nearest 8 --out out/n --approximate --$apart
  done
  with "--mass: given; requires --density or --png" --radius 1 --mass 2
  with "--periodic: given; requires --box or --cell" --radius 1 --periodic x
  with "--origin: given; requires --cell" --radius 1 --origin 0,0,0
  with "--cell and --box exclude each other; give one" --radius 1 --cell 1,0,1 --box 0 1
  local cell
  for cell in 1,2 1,2,3,4 1,2,x ""; do
    with "--cell: \"$cell\"; must be AX,BX,BY,CX,CY,CZ, for points of 2 dimensions AX,BX,BY, of 1 AX" \
      --radius 1 --cell "$cell"
  done
  with "--origin: \"a\"; must be one number for each axis, such as 0,0,0" --radius 1 --cell 1 \
    --origin a
  with "--shifts: given; requires --periodic or --cell" --radius 1 --out out/n --shifts s
  with "--wrap: given; requires --periodic or --cell" --radius 1 --box 0 1 --wrap
  with "--box requires two arguments: LO HI" --radius 1 --box 0
  for corner in "" "," "1," 1,,2 1,2,3,4 1:2 nan inf 1e309 "1 2"; do
    with "--box: \"$corner\"; must be one number, or one for each axis, such as 0,0,0" \
      --radius 1 --box 0 "$corner"
  done
  for letters in w xx xyx XY x,y; do
    with "--periodic: \"$letters\"; must be letters of axes, each at most once, such as xy" \
      --radius 1 --box 0 1 --periodic $letters
  done
  with "--periodic: \"\"; must be letters of axes, such as xy" --radius 1 --box 0 1 --periodic ""
  with "--density and --distances name the same file, out/d.npy" --radius 1 --out out/n \
    --distances out/d.npy --density out/d.npy
  with "--out and --distances name the same file, out/n.indices.npy" --radius 1 --out out/n \
    --distances out/n.indices.npy
}

# What options say of files, and what files do not hold.
wrong_scenes() {
  "$oracle" box 100 f4 three.npy 3 0
  "$oracle" box 50 f4 two.npy 2 0
  "$oracle" box 50 f4 one.npy 1 0
  "$oracle" box 50 f8 wide.npy 3 0
  "$oracle" box 50 f4 four.npy 4 0
  "$oracle" points 50 f4 nan.npy 7
  "$oracle" make f4 99 flat.npy
  "$oracle" make i4 100 whole.npy
  "$oracle" list f4 none.npy $(printf '0 %.0s' {1..50})
  local near="neighbors three.npy --radius 1 --counts out/c.npy"
  refuses 1 "four.npy: shape (50, 4); points must be of shape (n, 3), (n, 2) or (n, 1)" \
    neighbors four.npy --radius 1 --counts out/c.npy
  refuses 1 "two.npy: queries of 2 dimensions; must have 3, like the points" $near --queries two.npy
  refuses 1 "flat.npy: shape (99,); queries must be of shape (n, 3), (n, 2) or (n, 1)" \
    $near --queries flat.npy
  refuses 2 "neighbors: --radius: 1e-30; its square must be finite and above 0 in single precision" \
    neighbors three.npy --radius 1e-30 --counts out/c.npy
  refuses 2 "neighbors: --radius: 1e-200; its square must be finite and above 0 in double precision" \
    neighbors wide.npy --radius 1e-200 --counts out/c.npy
  refuses 1 "nan.npy: query 7 is not finite in single precision" $near --queries nan.npy
  refuses 1 "--approximate: points of type f64; requires f32: --f32 rounds them" \
    neighbors wide.npy --nearest 3 --approximate --out out/n
  refuses 1 "--approximate: points of 1 dimension; requires 2 or 3" \
    neighbors one.npy --nearest 3 --approximate --out out/n
  refuses 1 "points: 1 of 50 are not finite, the first at index 7..." \
    neighbors nan.npy --nearest 3 --approximate --out out/n
  refuses 1 "points: 1 of 50 are not finite, the first at index 7..." neighbors nan.npy --nearest 3 --out out/n
  refuses 2 'neighbors: --cell: "1e39,0,2,0,0,2"; must be AX,BX,BY,CX,CY,CZ, for points of 2 dimensions AX,BX,BY, of 1 AX' \
    $near --cell 1e39,0,2,0,0,2
  refuses 2 'neighbors: --origin: "0,0,-1e39"; must be one number for each axis, such as 0,0,0' \
    $near --cell 2,0,2,0,0,2 --origin 0,0,-1e39
  refuses 1 "flat.npy: 99 radii for 100 points; must be one for each" $near --radii flat.npy
  refuses 1 "whole.npy: radii of type i32; must be f32 or f64" $near --radii whole.npy
  refuses 1 "two.npy: shape (50, 2); neighbors --radii takes an array of one dimension, shape (n,)" \
    $near --radii two.npy
  refuses 1 "none.npy: the largest radius is 0; its square must be above 0 in single precision: or give --radius, the maximum" \
    neighbors two.npy --counts out/c.npy --radii none.npy
  refuses 2 'neighbors: --box: "0,0" has 2 numbers; must be one number, or one for each of the 3 dimensions' \
    $near --box 0,0 1
  refuses 2 'neighbors: --box: "1e39"; must be one number, or one for each axis, such as 0,0,0' \
    $near --box 0 1e39
  refuses 2 "neighbors: --box: y from 8 to -8; LO must not be above HI" $near --box -8,8,-8 8,-8,8
  refuses 2 "neighbors: --periodic: z from 8 to 8; a period must be above 0 in single precision" \
    $near --box -8,-8,8 8 --periodic z
  refuses 2 'neighbors: --periodic: "xz"; the points have only 2 dimensions' \
    neighbors two.npy --radius 1 --box -8 8 --periodic xz
  refuses 2 'neighbors: --cell: "1,0,1" has 3 numbers; points of 3 dimensions require 6' $near --cell 1,0,1
  refuses 2 'neighbors: --origin: "1,0" has 2 numbers; must be one for each of the 3 dimensions' \
    $near --cell 1,0,1,0,0,1 --origin 1,0
  refuses 1 "--cell, whose corner is --origin: points: 88 of 100 are outside the box (..." $near \
    --cell 16,0,16,0,0,16
  refuses 1 "--box: points: 100 of 100 are outside the box (9, 9, 9) to (10, 10, 10), the first at index 0..." $near --box 9 10
  refuses 1 "neighbour counts: --radius: 1e+08; must be at most ..." \
    neighbors two.npy --radius 100000000 --counts out/c.npy --box -8 8 --periodic y
}

run_part
