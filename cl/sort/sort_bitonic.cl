/* SPDX-License-Identifier: MIT
 * Sort of any n: tiles are sorted separately, then runs of one, two, four, ... tiles are merged in
 * pairs, one launch per doubling. In a tile, bitonic networks sort and merge; with a comparator,
 * which costs more than moving keys, merge sorts do. A tile is held by a work-group
 * (bitonic_tile.cl, compare_tile.cl) or walked by one work-item (bitonic_serial.cl,
 * compare_serial.cl). */
#include "../prelude/prelude.cl"

/* Several files need these; embedding takes each file once, so not inside a condition. */
#include "merge_partition.cl"
#include "sort_local.cl"

#if XL_KEY_KIND == 3 && XL_SERIAL
#include "compare_serial.cl"
#elif XL_KEY_KIND == 3
#include "compare_tile.cl"
#elif XL_SERIAL
#include "bitonic_serial.cl"
#else
#include "bitonic_tile.cl"
#endif

__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_sort_tiles(XL_SORT_LENGTH, XL_SORT_ARRAYS)
{
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    XL_SORT_DECLARE_LOCAL
    xl_sort_in in = XL_SORT_IN;
    xl_sort_out out = XL_SORT_OUT;
    uint first = (uint)get_group_id(0) * XL_SORT_TILE;
    if (first >= n)
        return;
    xl_tile_sort(in, out, first, min((uint)XL_SORT_TILE, n - first), tile);
}

/* `run`: the length of runs that are already sorted, a multiple of the tile and a power of two.
 * 2^search_log - 1 work-items, at most the group, search the cuts. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_sort_merge(XL_SORT_LENGTH, uint run, uint search_log, XL_SORT_ARRAYS)
{
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    XL_SORT_DECLARE_LOCAL
    __local uint search[XL_SORT_SEARCH];
    xl_sort_in in = XL_SORT_IN;
    xl_sort_out out = XL_SORT_OUT;
    uint first = (uint)get_group_id(0) * XL_SORT_TILE;
    if (first >= n)
        return;
    uint count = min((uint)XL_SORT_TILE, n - first);
    xl_tile_merge(in, out, first, count, n, run, search_log, tile, search);
}
