#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks the messages of the single-pass scan with spin, for every interleaving of
# small sizes, and that the check can fail: one known-wrong variant must be refuted.
#   usage: ci/model.sh [--long]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0
failed=0

# check WANTED NAME=VALUE...: WANTED is "right" or "wrong".
check() {
    local wanted=$1 defines=() verdict=right
    shift
    for setting in "$@"; do defines+=("-D$setting"); done
    spin -a "${defines[@]}" "$root/test/model/scan_lookback.pml" >spin.log
    gcc -O2 -DVECTORSZ=4096 -DCOLLAPSE -DNFAIR=5 -o pan pan.c 2>gcc.log
    ./pan -a -f -m2000000 >pan.log
    grep -q 'errors: 0' pan.log || verdict=wrong
    if grep -q 'max search depth too small' pan.log; then verdict=incomplete; fi
    printf '%-52s %s (%s)\n' "$*" "$verdict" "$(grep -o '[0-9e+.]* states, stored' pan.log | head -1)"
    if [ "$verdict" = "$wanted" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for in_place in 0 1; do
    for halt in 0 1; do
        check right GROUPS=2 WORDS=1 SLOTS=1 IN_PLACE=$in_place HALT=$halt
        check right GROUPS=2 WORDS=2 SLOTS=2 IN_PLACE=$in_place HALT=$halt
    done
done
# Two words in shared slots: an owner that stops between them blocks an in-place reader.
check wrong GROUPS=2 WORDS=2 SLOTS=1 IN_PLACE=1 HALT=1
if [ "${1:-}" = --long ]; then
    check right GROUPS=3 WORDS=1 SLOTS=1 IN_PLACE=1 HALT=1
    check right GROUPS=3 WORDS=2 SLOTS=2 IN_PLACE=1 HALT=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
