/* SPDX-License-Identifier: MIT
 * The merge path: how many of the first d elements of the merge of two sorted runs come from the
 * first run (Odeh, Green et al., "Merge path - parallel merging made simple", IPDPS workshops
 * 2012). If keys are equal, those of the first run come first.
 *
 * If a run is not sorted, the result is unspecified but within both runs. */
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

/* A tile of the merge: where its elements begin in each run, and how many it takes from each.
 * Indices count from the start of the run. */
typedef struct xl_merge_partition {
    uint first_begin;
    uint second_begin;
    uint from_first;
    uint from_second;
} xl_merge_partition;

/* Bounds of the number of elements that come from the first run. The lower one is computed in 64
 * bits and signed, because compilers make a saturating subtraction of the plain form, which
 * Oclgrind 21.10 does not know. */
uint xl_merge_path_low(const xl_runs *runs, uint d)
{
    return (uint)max((long)d - (long)runs->second_length, 0L);
}

uint xl_merge_path_high(const xl_runs *runs, uint d)
{
    return min(d, runs->first_length);
}

/* Whether element i of the first run is among the first d of the merge; i must be below
 * xl_merge_path_high(). */
bool xl_merge_path_takes(const xl_runs *runs, uint d, uint i)
{
    return !xl_key_before(runs->second[d - 1u - i], runs->first[i]);
}

/* The number of elements of the first run among the first d of the merge, found by one
 * work-item. */
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

/* If another kernel changes the keys concurrently, the two ends may contradict each other. The tile
 * is then wrong, but it still has `count` elements of the runs. */
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
