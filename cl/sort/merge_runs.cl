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

/* ---- the search by a work-group ---- */

/* Words of local memory for the search: two votes per work-item, and two answers. */
#define XL_SORT_SEARCH (2 * XL_SORT_GROUP + 2)

/* Searches the cuts for d and for d + count. In each round 2^search_log - 1 work-items, which must
 * exist, test evenly spaced places for each cut, and the ranges become 2^search_log times
 * shorter. */
xl_merge_partition xl_tile_merge_partition(const xl_runs *runs, uint d, uint count, uint search_log,
                                           __local uint *search)
{
    __local uint *answer = search + 2 * XL_SORT_GROUP;
    const uint w = (uint)get_local_id(0), searchers = (1u << search_log) - 1u;
    const uint ends[2] = {d, d + count};
    uint low[2], high[2], step[2];
#pragma unroll
    for (uint side = 0; side < 2; ++side) {
        low[side] = xl_merge_path_low(runs, ends[side]);
        high[side] = xl_merge_path_high(runs, ends[side]);
    }
    for (uint length = max(high[0] - low[0], high[1] - low[1]); length > 0; length >>= search_log) {
        bool takes[2];
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            step[side] = ((high[side] - low[side]) >> search_log) + 1u;
            uint place = low[side] + step[side] * (w + 1u) - 1u;
            takes[side] =
                w < searchers && place < high[side] && xl_merge_path_takes(runs, ends[side], place);
            search[2u * w + side] = takes[side];
        }
        XL_LOCAL_BARRIER();
        /* Votes change from 1 to 0 once: the work-item with the last 1 knows how many there are. */
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            if (takes[side] && (w == XL_SORT_GROUP - 1u || search[2u * (w + 1u) + side] == 0))
                answer[side] = w + 1u;
            if (!takes[side] && w == 0)
                answer[side] = 0;
        }
        XL_LOCAL_BARRIER();
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            low[side] += step[side] * answer[side];
            high[side] = min(high[side], low[side] + step[side] - 1u);
        }
    }
    return xl_merge_partition_of(d, count, low[0], low[1]);
}
