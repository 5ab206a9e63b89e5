/* SPDX-License-Identifier: MIT
 * Sort of any n: tiles are sorted separately, then runs of one, two, four, ... tiles are merged in
 * pairs, one launch per doubling. */
#include "sort_tile.cl"

__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_sort_tiles(XL_SORT_LENGTH, XL_SORT_ARRAYS)
{
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    XL_SORT_DECLARE_LOCAL
    XL_SORT_MAKE
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
    XL_SORT_MAKE
    uint first = (uint)get_group_id(0) * XL_SORT_TILE;
    if (first >= n)
        return;
    uint count = min((uint)XL_SORT_TILE, n - first);
    xl_tile_merge(in, out, first, count, n, run, search_log, tile, search);
}
