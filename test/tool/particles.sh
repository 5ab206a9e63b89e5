#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: particles.sh PART PROGRAM ORACLE DATA_FOLDER VERSION EXAMPLE
# Tests the example of particles. EXAMPLE is its program; its results for the points of a file are
# compared with PROGRAM, which other tests compare with ORACLE.
# shellcheck disable=SC2317 # parts are called by name
# shellcheck source-path=SCRIPTDIR source=tool_support.sh
. "$(dirname "$0")/tool_support.sh"
example=$calls

# is_png FILE: 1120 x 960 points in 8-bit colours, with a beginning and an end.
is_png() {
  local head="89504e470d0a1a0a 0000000d49484452 00000460000003c0 0802000000"
  [ "$(head -c 29 "$1" | od -An -v -tx1 | tr -d ' \n')" = "${head// /}" ] ||
    fail "$1 begins like no such picture"
  [ "$(tail -c 12 "$1" | od -An -v -tx1 | tr -d ' \n')" = 0000000049454e44ae426082 ] ||
    fail "$1 ends like no picture"
}

stops() { # CODE TEXT ARGUMENT...: the example ends with CODE and a first line that starts with TEXT.
  local code=$1 text=$2 got=0
  shift 2
  "$example" "$@" >stdout 2>stderr_all || got=$?
  program_said
  [ $got -eq "$code" ] || fail "exit $got, not $code: $*: $(cat stderr)"
  [[ $(head -n 1 stderr) == "$text"* ]] || fail "not \"$text\": $(cat stderr)"
}

column() {
  runs "$example" --n-side 16 --png dam.png
  has_line_like stdout "4096 points, radius 2, on .+"
  has_line_like stdout "cells       (in 64 rows|[0-9]+ x 8 x 8)"
  has_line_like stdout "plans, compiling +[0-9.]+"
  for stage in upload "grid build" "neighbour counts" "Poly6 density" "read back"; do
    has_line_like stdout "$stage +[0-9.]+ +[0-9.]+"
  done
  has_line stdout "neighbours  8 to 32, mean 25.2773, 103536 pairs"
  has_line_like stdout 'density     0\.5039[0-9]* to 1\.117[0-9]*'
  has_line_like stdout \
    'inside      1728 particles away from the faces: mean density 1\.0114[0-9]* \(about 1 expected\), mean neighbours 28\.8814'
  has_line stdout "checked     64 points against a serial search among all: equal"
  has_line stdout "picture     dam.png"
  is_png dam.png
  runs "$example" --n-side 16 --png whole.png --cut 0
  is_png whole.png
  ! cmp -s whole.png dam.png || fail "--cut leaves the picture as it was"
}

points() {
  "$oracle" points 2000 f4 points.npy
  runs "$crosslane" neighbors points.npy --radius 1.5 --density density.npy --json
  local pairs low high
  pairs=$(sed -E 's/.*"pairs":([0-9]+),.*/\1/' stdout)
  low=$(sed -E 's/.*"density_min":([0-9.]+),.*/\1/' stdout)
  high=$(sed -E 's/.*"density_max":([0-9.]+)}.*/\1/' stdout)
  runs "$example" points.npy --radius 1.5 --png points.png
  has_line_like stdout "neighbours  [0-9]+ to [0-9]+, mean [0-9.]+, $pairs pairs"
  has_line stdout "density     $(printf '%.6g to %.6g' "$low" "$high")"
  is_png points.png
  ! grep -q ^inside stdout || fail "a file has no faces: $(cat stdout)"
  "$oracle" points 100 f8 wide.npy
  "$oracle" points 100 f4 nan.npy 42
  "$oracle" make f4 100 flat.npy
  stops 1 "out/nowhere/p.png: No such file or directory" points.npy --radius 1 --png out/nowhere/p.png
  stops 1 "XL_ERROR_NON_FINITE: points: 1 of 100 are not finite" nan.npy --radius 1
  stops 1 "absent.npy: cannot be opened" absent.npy --radius 1
  stops 1 "flat.npy: points are f32 of shape (n, 3)" flat.npy --radius 1
  stops 1 "wide.npy: points are f32 of shape (n, 3)" wide.npy --radius 1
  for wrong in "points.npy" "points.npy --radius 0" "--n-side 0" "--n-side 1601" "--cut 1.5" "--png" "--q 1"; do
    # shellcheck disable=SC2086 # words without blanks
    stops 2 "Usage: $example [POINTS.npy --radius R]" $wrong
  done
  [ ! -e particles.png ] || fail "a picture of what failed"
}

run_part
