/* SPDX-License-Identifier: MIT
 * The merge path: how many of the first d elements of a merge come from the first of two sorted
 * runs (Odeh, Green et al., "Merge path - parallel merging made simple", IPDPS workshops 2012). If
 * keys are equal, those of the first run come first.
 *
 * If a run is not sorted, the result is some number that lies within both runs. */
#ifndef XL_TILE_MERGE_PATH
#define XL_TILE_MERGE_PATH

#include "../prelude/prelude_key.cl"

/* The place of an element in an array, or a number of elements. */
#if XL_LARGE
#define XL_PLACE ulong
#else
#define XL_PLACE uint
#endif

/* Two sorted runs. */
typedef struct xl_runs {
    __global const XL_KEY *first;
    __global const XL_KEY *second;
    XL_PLACE first_length;
    XL_PLACE second_length;
#if XL_LARGE
    XL_PLACE begin; /* for tests: elements before this one exist in neither run; else 0 */
#endif
} xl_runs;

/* The part of each run that makes one tile of the merge. Indices count from the start of the
 * run. */
typedef struct xl_merge_partition {
    XL_PLACE first_begin;
    XL_PLACE second_begin;
    uint from_first;
    uint from_second;
} xl_merge_partition;

/* The bounds of the result. The lower one is computed in signed 64 bits: compilers turn the plain
 * form into a saturating subtraction, which Oclgrind 21.10 does not know. */
XL_PLACE xl_merge_path_low(const xl_runs *runs, XL_PLACE d)
{
#if XL_LARGE
    return (ulong)max((long)d - (long)runs->second_length, (long)runs->begin);
#else
    return (uint)max((long)d - (long)runs->second_length, 0L);
#endif
}

XL_PLACE xl_merge_path_high(const xl_runs *runs, XL_PLACE d)
{
#if XL_LARGE
    d -= runs->begin;
#endif
    return min(d, runs->first_length);
}

/* Whether element i of the first run is among the first d of the merge; i must be below
 * xl_merge_path_high(). */
bool xl_merge_path_takes(const xl_runs *runs, XL_PLACE d, XL_PLACE i)
{
    return !xl_key_before(runs->second[d - 1u - i], runs->first[i]);
}

/* How many of the first d elements come from the first run. */
XL_PLACE xl_merge_path_search(const xl_runs *runs, XL_PLACE d)
{
    XL_PLACE low = xl_merge_path_low(runs, d), high = xl_merge_path_high(runs, d);
    while (low < high) {
        XL_PLACE middle = low + (high - low) / 2u;
        if (xl_merge_path_takes(runs, d, middle))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* The tile of `count` elements from element d on. If another kernel changes the keys concurrently,
 * both ends may contradict each other: then the tile is wrong, but lies within the runs. */
xl_merge_partition xl_merge_partition_of(XL_PLACE d, uint count, XL_PLACE first_begin,
                                         XL_PLACE first_end)
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
