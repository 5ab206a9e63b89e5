/* SPDX-License-Identifier: MIT
 * The merge path: of the first d elements that two sorted runs give when they are merged, how many
 * come from the first run (Odeh, Green et al., "Merge path - parallel merging made simple", IPDPS
 * workshops 2012). Of equal keys those of the first run come first.
 *
 * Runs that are not sorted give some place that is one of both runs. */
#ifndef XL_TILE_MERGE_PATH
#define XL_TILE_MERGE_PATH

#include "../prelude/prelude_key.cl"

/* Two sorted runs. */
typedef struct xl_runs {
    __global const XL_KEY *first;
    __global const XL_KEY *second;
    uint first_length;
    uint second_length;
} xl_runs;

/* One tile of the merge: so many elements of each run, from there on. Indices count from the start
 * of the run. */
typedef struct xl_merge_partition {
    uint first_begin;
    uint second_begin;
    uint from_first;
    uint from_second;
} xl_merge_partition;

/* How many of the first d elements come from the first run lies between these two. The
 * first is wide and signed because compilers make a saturating subtraction of the plain
 * form, which Oclgrind 21.10 does not know. */
uint xl_merge_path_low(const xl_runs *runs, uint d)
{
    return (uint)max((long)d - (long)runs->second_length, 0L);
}

uint xl_merge_path_high(const xl_runs *runs, uint d)
{
    return min(d, runs->first_length);
}

/* Whether element i of the first run is among the first d; i below xl_merge_path_high(). */
bool xl_merge_path_takes(const xl_runs *runs, uint d, uint i)
{
    return !xl_key_before(runs->second[d - 1u - i], runs->first[i]);
}

/* How many of the first d elements the first run gives, found by one work-item. */
uint xl_merge_path_search(const xl_runs *runs, uint d)
{
    uint low = xl_merge_path_low(runs, d), high = xl_merge_path_high(runs, d);
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (xl_merge_path_takes(runs, d, middle))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* Keys that somebody writes meanwhile may give two cuts that do not go together: the tile is then
 * wrong, but still `count` elements of the runs. */
xl_merge_partition xl_merge_partition_of(uint d, uint count, uint first_begin, uint first_end)
{
    xl_merge_partition partition;
    first_end = clamp(first_end, first_begin, first_begin + count);
    partition.first_begin = first_begin;
    partition.second_begin = d - first_begin;
    partition.from_first = first_end - first_begin;
    partition.from_second = count - partition.from_first;
    return partition;
}

#endif
