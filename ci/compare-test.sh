#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/compare-test.sh
#
# Gives ci/compare.sh small files with known answers and checks its table, and that it
# draws where there is gnuplot. Exits with 77 where there is no jq.
set -eu
cd "$(dirname "$0")/.."
command -v jq >/dev/null || {
  echo "compare-test: there is no jq" >&2
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

result() { # PROGRAM VARIANT N DEVICE_MS WRONG: 8 bytes an element, the copy takes 0.5 ms
  printf '{"program": "%s", "name": "scan", "variant": "%s", "n": %d, "bytes": %d, "device_ms": %s,
    "spread": 0, "wall_us": 4000, "copy_ms": 0.5, "wrong": "%s"}' "$1" "$2" "$3" $((8 * $3)) "$4" "$5"
}
results() { # PROGRAM RESULT...: a file
  local IFS=,
  printf '{"program": "%s", "device": "card", "results": [%s]}' "$1" "${*:2}"
}
results ours "$(result ours "u32 sum" 1048576 1 "")" "$(result ours "u32 sum (in place)" 1048576 2 "")" \
  "$(result host "u32 sum" 1048576 8 "")" "$(result ours "u32 sum" 1000 0.25 "")" \
  "$(result ours "u32 sum" 2097152 1 "all of it")" "$(result ours "u32 sum" 4194304 4 "")" >"$work/a"
results theirs "$(result theirs "u32 sum (radix)" 1048576 3 "")" "$(result theirs "f32 sum" 64 3 "")" >"$work/b"

failed=0
expect() { # OPTIONS, as one word, TEXT: a line of the table, its blanks squeezed
  # shellcheck disable=SC2086
  if ! ci/compare.sh $1 2>&1 | tr -s ' ' | grep -qxF -- "$2"; then
    echo "compare-test: no line '$2' of: $1"
    failed=1
  fi
}
refuse() { # OPTIONS TEXT: no line holds it
  # shellcheck disable=SC2086
  if ci/compare.sh $1 2>&1 | tr -s ' ' | grep -qF -- "$2"; then
    echo "compare-test: a line with '$2' of: $1"
    failed=1
  fi
}
files="$work/a $work/b"
expect "$files" "card; device time in ms per call"
expect "$files" "name case n ours host theirs x best GB/s of copy"
expect "$files" "scan u32 sum 2^20 1.0000 8.0000 3.0000 3.00 8.4 0.50"
expect "$files" "scan u32 sum (in place) 2^20 2.0000 8.0000 3.0000 1.50 4.2 0.25"
expect "$files" "scan u32 sum 1000 0.2500 - - - 0.0 2.00"
expect "$files" "compare: wrong, left out: ours scan u32 sum 2097152: all of it"
refuse "$files" "2^21"
refuse "$files" "f32 sum"
expect "--all $files" "scan f32 sum 2^6 - - 3.0000 - - -"
expect "--wall $files" "scan u32 sum 2^20 4.0000 4.0000 4.0000 1.00 2.1 0.12"
expect "--only sort $files" "name case n ours x best GB/s of copy"
expect "old=$work/a new=$work/a" "name case n old host new x best GB/s of copy"

if command -v gnuplot >/dev/null; then
  for kind in png svg; do
    ci/compare.sh --plot "$work/plot.$kind" "$work/a" "$work/b" >"$work/log" 2>&1 || {
      cat "$work/log"
      failed=1
    }
  done
  grep -q 'u32 sum' "$work/plot.svg" && [ "$(head -c 4 "$work/plot.png" | tail -c 3)" = PNG ] || failed=1
fi
exit $failed
