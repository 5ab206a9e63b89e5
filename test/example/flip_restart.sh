#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: flip_restart.sh PROGRAM
#
# Six steps, and three steps with three more from a snapshot: the same file. And the messages for
# wrong options and files.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "flip_restart: $*"
  exit 1
}

"$program" --quiet --grid 16 --steps 6 --snapshot whole
"$program" --quiet --grid 16 --steps 3 --snapshot half
"$program" --quiet --restart half --steps 3 --snapshot again --csv steps.csv
cmp whole again || fail "a run that goes on from a snapshot ends otherwise"
[ "$(wc -l <steps.csv)" = 4 ] || fail "steps.csv has not a line for each step"
[ ! -e whole.part ] || fail "a temporary file is left"

refused() { # CODE ARGUMENTS...
  local code=0
  "$program" "${@:2}" >out 2>err || code=$?
  [ "$code" = "$1" ] || fail "$program ${*:2}: ends with $code, not $1"
  [ -s err ] || fail "$program ${*:2}: says nothing"
}
refused 2 --grid 18
refused 2 --particles
refused 2 --pcg jacobi
refused 2 --scene lake
refused 2 --animation dam.png --steps 4
head -c 1000 half >part-of-it
refused 1 --restart part-of-it --steps 1
refused 1 --restart nothing --steps 1
refused 1 --grid 16 --steps 1 --snapshot nowhere/file
