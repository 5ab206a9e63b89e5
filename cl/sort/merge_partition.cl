/* SPDX-License-Identifier: MIT
 * Where two sorted runs are cut for a tile of their merge, searched by a work-group. */
#include "merge_runs.cl"

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
