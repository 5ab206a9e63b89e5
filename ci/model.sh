#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks what work-groups of the single-pass scan publish and poll, and the queue of a segmented sort,
# with spin, for every interleaving of small sizes, and that the check can fail: known-wrong variants
# must be refuted, each by the assertion that it breaks.
#   usage: ci/model.sh [--long]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=$(nproc)
# With small sizes nearly all of the time would go into optimising.
level=-O0
[ "${1:-}" != --long ] || level=-O1

# Lines of WANTED MODEL NAME=VALUE...; WANTED is "right", or a fault that spin must find: "prefix", a
# tile's prefix is wrong, "reads", a wait without bound, "missing", a tile is not stored or a job does not
# run, "twice", a job runs twice, or "early", a job runs before one that it needs.
cases() {
    local form place
    for place in 0 1; do
        for form in WORDS=1 WORDS=2 "WORDS=2 HEADS=2" "WORDS=2 HEADS=5 COUNTS=1" \
            "WORDS=1 LANES=2" "WORDS=2 HEADS=2 LANES=2"; do
            echo "right scan_lookback GROUPS=2 TILES=4 $form IN_PLACE=$place"
        done
        echo "right scan_lookback GROUPS=2 TILES=5 WORDS=1 LANES=4 IN_PLACE=$place"
        for form in WORDS=1 WORDS=2 "WORDS=2 HEADS=4" "WORDS=2 HEADS=8" \
            "WORDS=2 HEADS=5 COUNTS=1"; do
            echo "right scan_ordered GROUPS=2 TILES=5 WINDOW=2 $form IN_PLACE=$place"
        done
        echo "right scan_ordered GROUPS=2 TILES=4 WINDOW=1 WORDS=1 IN_PLACE=$place"
        echo "right scan_ordered GROUPS=2 TILES=6 WINDOW=3 WORDS=1 IN_PLACE=$place"
        echo "right scan_lookback GROUPS=3 TILES=3 WORDS=1 IN_PLACE=$place"
        echo "right scan_lookback GROUPS=3 TILES=3 WORDS=2 HEADS=2 IN_PLACE=$place"
        echo "right scan_ordered GROUPS=3 TILES=3 WINDOW=2 WORDS=1 IN_PLACE=$place"
        echo "right scan_ordered GROUPS=3 TILES=3 WINDOW=2 WORDS=2 SPIN=0 CALLS=1 IN_PLACE=$place"
        echo "right scan_ordered GROUPS=3 TILES=4 WINDOW=2 WORDS=1 SPIN=0 CALLS=1 IN_PLACE=$place"
        for form in WORDS=1 "WORDS=2 HEADS=2"; do
            echo "right scan_lookback GROUPS=2 TILES=4 EARLY=1 $form IN_PLACE=$place"
        done
        for form in WORDS=1 "WORDS=2 HEADS=4"; do
            echo "right scan_ordered GROUPS=2 TILES=5 WINDOW=2 EARLY=1 $form IN_PLACE=$place"
        done
        echo "right scan_lookback GROUPS=3 TILES=3 EARLY=1 WORDS=1 IN_PLACE=$place"
        for form in "TILES=2 WORDS=2" "TILES=4 WORDS=2" "TILES=4 WORDS=2 HEADS=4" \
            "TILES=5 WORDS=2" "TILES=6 WORDS=1" "TILES=6 WINDOW=3 WORDS=1"; do
            echo "right scan_pipelined GROUPS=2 $form IN_PLACE=$place"
        done
        echo "right scan_pipelined GROUPS=3 TILES=2 WORDS=1 IN_PLACE=$place"
        echo "right scan_pipelined GROUPS=3 TILES=3 WORDS=1 IN_PLACE=$place"
        echo "right scan_pipelined GROUPS=3 TILES=3 WORDS=2 IN_PLACE=$place"
    done
    # Columns of a sort: a ring of descriptors. In place the second look at a tile would not tell.
    for form in "TILES=4 RING=1" "TILES=4 RING=2" "TILES=5 RING=3" "TILES=5 RING=2 SPIN=0"; do
        echo "right scan_lookback GROUPS=2 $form WORDS=1 IN_PLACE=0"
    done
    echo "right scan_lookback GROUPS=3 TILES=3 RING=2 WORDS=1 IN_PLACE=0"
    echo "prefix scan_lookback GROUPS=2 TILES=4 RING=2 WORDS=1 IN_PLACE=0 RING_EPOCHS=0"
    echo "prefix scan_lookback GROUPS=2 TILES=4 RING=1 WORDS=1 IN_PLACE=1"
    # Groups that wait for later ones: each has one tile, and the input does not change.
    for form in "GROUPS=2 TILES=2 WORDS=2" "GROUPS=3 TILES=3 WORDS=1" \
        "GROUPS=3 TILES=3 WORDS=2 SPIN=0 CALLS=1"; do
        echo "right select_parts $form IN_PLACE=0"
    done
    echo "prefix select_parts GROUPS=2 TILES=2 WORDS=1 IN_PLACE=0 EPOCHS=0"
    echo "prefix select_parts GROUPS=2 TILES=2 WORDS=2 IN_PLACE=0 ALL_WORDS=0"
    echo "reads select_parts GROUPS=2 TILES=2 WORDS=1 IN_PLACE=0 FALLBACK=0"
    # Jobs of a segmented sort.
    for form in "FIRST=3 GROUPS=3 RESIDENT=1" "FIRST=3 GROUPS=3 RESIDENT=2" \
        "FIRST=3 GROUPS=3 RESIDENT=3" "FIRST=2 SECOND=2 GROUPS=3" "FIRST=3 SECOND=2 GROUPS=2" \
        "FIRST=5 GROUPS=2" "FIRST=4 GROUPS=2 POLLS=2" "FIRST=2 GROUPS=4"; do
        echo "right segment_queue $form"
    done
    echo "reads segment_queue ENDS=0"
    for form in RETIRES=0 PASSES=0 ROOM=0; do
        echo "missing segment_queue $form"
    done
    echo "twice segment_queue SIBLINGS=0"
    echo "early segment_queue COUNTS=0"
    # What every form of look-back needs.
    for form in scan_lookback scan_ordered scan_pipelined; do
        echo "prefix $form GROUPS=2 WORDS=1 SECOND_READ=0"
        echo "prefix $form GROUPS=2 WORDS=1 READS_FIRST=1"
        echo "prefix $form GROUPS=2 WORDS=1 EPOCHS=0"
        echo "prefix $form GROUPS=2 WORDS=2 ALL_WORDS=0"
        echo "reads $form GROUPS=2 WORDS=1 FALLBACK=0"
    done
    # In order.
    for form in scan_ordered scan_pipelined; do
        echo "prefix $form GROUPS=2 WORDS=1 STORES_FIRST=1"
        echo "prefix $form GROUPS=2 TILES=4 WORDS=1 SEES_PREFIX=0"
        echo "prefix $form GROUPS=2 TILES=4 WORDS=1 PUBLISHES_LAST=1"
        echo "reads $form GROUPS=2 WORDS=1 START_FALLBACK=0"
    done
    echo "prefix scan_lookback GROUPS=2 WORDS=2 SECOND_READ=0 LANES=2"
    # The early PREFIX of a tile in which a segment begins, where segments are counted.
    echo "prefix scan_lookback GROUPS=2 TILES=4 WORDS=2 HEADS=5 COUNTS=1 AGGREGATE_IS_PREFIX=1"
    # Without a fixed order the expression depends on the timing.
    echo "prefix scan_lookback GROUPS=3 TILES=4 WORDS=1 ROUNDS=1 CALLS=1"
    echo "prefix scan_ordered GROUPS=2 WORDS=1 EVERY_PREFIX=1"
    echo "prefix scan_ordered GROUPS=2 TILES=4 WORDS=2 HEADS=5 COUNTS=1 SKIPS_START=1"
    echo "missing scan_pipelined GROUPS=2 TILES=4 WORDS=1 TICKETS=0"
    echo "missing scan_pipelined GROUPS=2 TILES=4 WORDS=1 LEAVES_TICKET=1"
    if [ "${1:-}" = --long ]; then
        echo "right scan_lookback GROUPS=3 TILES=4 WORDS=1"
        echo "right scan_lookback GROUPS=3 TILES=4 WORDS=2 SPIN=0 CALLS=1"
        echo "right scan_lookback GROUPS=3 TILES=4 WORDS=2 HEADS=4 SPIN=0 CALLS=1"
        echo "right scan_ordered GROUPS=3 TILES=4 WORDS=1"
        echo "right scan_ordered GROUPS=3 TILES=4 WORDS=2 SPIN=0 CALLS=1"
        echo "right scan_ordered GROUPS=3 TILES=5 WORDS=1 SPIN=0 CALLS=1"
        echo "right scan_pipelined GROUPS=3 TILES=4 WORDS=1 SPIN=0 CALLS=1 IN_PLACE=0"
        echo "right scan_pipelined GROUPS=3 TILES=4 WORDS=1 SPIN=0 CALLS=1 IN_PLACE=1"
    fi
}

# The files of a model, the most general one first.
files_of() { # MODEL
    [[ $1 = segment_queue ]] || echo scan_descriptor
    [[ $1 = scan_lookback || $1 = select_parts || $1 = segment_queue ]] || echo scan_window
    echo "$1"
}
# check NUMBER WANTED MODEL NAME=VALUE...
check() {
    local number=$1 wanted=$2 model=$3 verdict=incomplete file word unknown=
    local -A parameters=()
    shift 3
    mkdir "$work/$number" && cd "$work/$number"
    # The defaults are in comments: " *   NAME=VALUE ...".
    for file in $(files_of "$model"); do
        while read -r word; do
            parameters[${word%%=*}]=${word#*=}
        done < <(sed -nE 's/^ \*   ([A-Z_]+=[^ ]+).*/\1/p' "$root/test/model/$file.pml")
    done
    for word; do
        [ -n "${parameters[${word%%=*}]:-}" ] || unknown+="${word%%=*} is not in the model, "
        parameters[${word%%=*}]=${word#*=}
    done
    for word in "${!parameters[@]}"; do
        echo "#define $word ${parameters[$word]}"
    done >model.pml
    echo "#include \"$root/test/model/$model.pml\"" >>model.pml
    spin -a model.pml >spin.log
    gcc "$level" -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -DMEMLIM=6000 -o pan pan.c 2>gcc.log
    ./pan -m4000000 >pan.log || true
    if grep -q 'assertion violated (prefix==' pan.log; then
        verdict=prefix
    elif grep -q 'assertion violated (reads<=' pan.log; then
        verdict=reads
    elif grep -q 'assertion violated (missing<=' pan.log; then
        verdict=missing
    elif grep -q 'assertion violated (twice<=' pan.log; then
        verdict=twice
    elif grep -q 'assertion violated (early<=' pan.log; then
        verdict=early
    elif grep -q 'invalid end state' pan.log && ! grep -q 'errors: 0' pan.log; then
        verdict=stuck
    elif grep -q 'errors: 0' pan.log && ! grep -qE 'too small|out of memory|MEMLIM' pan.log; then
        verdict=right
    fi
    verdict=$unknown$verdict
    [ "$verdict" = "$wanted" ] && echo pass >passed || verdict="$verdict, not $wanted"
    printf '%-14s %-62s %s (%s)\n' "$model" "$*" "$verdict" \
        "$(grep -o '[0-9e+.]* states, stored' pan.log | head -1)"
    rm -f pan pan.*
}

number=0
while read -r line; do
    number=$((number + 1))
    # shellcheck disable=SC2086
    check $number $line &
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
done < <(cases "$@")
wait
passed=$(find "$work" -name passed | wc -l)
echo "$passed passed, $((number - passed)) failed"
[ "$passed" -eq "$number" ]
