/* SPDX-License-Identifier: MIT
 * Sorted runs of keys, which are merged in pairs, and where two runs must be cut so that each tile of
 * their merge can be computed separately.
 *
 * The steps of a bitonic merge that reach farther than a tile only decide which elements go to
 * which tile. On two sorted runs, all comparators of such a step swap on one side of some place,
 * and none swaps on the other side. So this place can be searched for instead (Bilardi and Nicolau,
 * "Adaptive bitonic sorting", SIAM J. Comput. 1989; on a GPU, Peters, Schulz-Hildebrandt and
 * Luttenberger, "A novel sorting algorithm for many-core architectures based on adaptive bitonic
 * sort", IPDPS 2012). The merge path finds the place for all these steps at once. */
#include "../tile/tile_merge_path.cl"
#include "sort_arrays.cl"

/* The pair of runs of length `run` that contains element `at` of n. `run` is a power of two up to
 * 2^31, so 2 * run may wrap to 0. */
uint xl_runs_begin(uint at, uint run)
{
    return at & ~(2u * run - 1u);
}

xl_runs xl_runs_at(__global const XL_KEY *keys, uint begin, uint n, uint run)
{
    xl_runs runs;
    runs.first_length = min(run, n - begin);
    runs.second_length = min(run, n - begin - runs.first_length);
    runs.first = keys + begin;
    runs.second = keys + begin + runs.first_length;
    return runs;
}

/* 1: the word beside a key is its place in the tile, which orders equal keys and later fetches the
 * value. Indices order equal keys themselves. */
#define XL_SORT_PLACES (XL_SORT_VALUES && XL_SORT_STABLE && !XL_SORT_INDICES)

/* Where the element at `position` of a tile comes from, relative to the first run: the part of the
 * second run comes first, descending, then the part of the first run, ascending. */
uint xl_merge_partition_source(const xl_runs *runs, const xl_merge_partition *partition,
                               uint position)
{
    if (position < partition->from_second)
        return runs->first_length + partition->second_begin +
               (partition->from_second - 1u - position);
    return partition->first_begin + (position - partition->from_second);
}

#if XL_SORT_PLACES
/* The place of that element in the order of equal keys: the first run, then the second. */
uint xl_merge_partition_place(const xl_merge_partition *partition, uint position)
{
    return position < partition->from_second
               ? partition->from_first + partition->from_second - 1u - position
               : position - partition->from_second;
}

/* Where the element at this place comes from. */
uint xl_merge_place_source(const xl_runs *runs, const xl_merge_partition *partition, uint place)
{
    return place < partition->from_first
               ? partition->first_begin + place
               : runs->first_length + partition->second_begin + (place - partition->from_first);
}
#endif
