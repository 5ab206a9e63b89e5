/* SPDX-License-Identifier: MIT
 * Segmented sort, second part: the tiles of long segments, which cl/sort/segment_short.cl has
 * listed, are sorted separately and then merged like those of a whole array
 * (cl/sort/sort_bitonic.cl), but relative to the beginning of their segment. There are as many
 * launches as the longest possible segment needs. A segment that needs fewer merges ends earlier,
 * and begins on the side that makes it end in the output (xl_segment_side()). Launches that no
 * segment needs return at once. The host does not know the number of tiles, so the groups share the
 * list. */
#include "segment_windows.cl"

#define XL_LONG_REQUIRED __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1)))

__kernel XL_LONG_REQUIRED void xl_segment_tiles(XL_CSR, XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    XL_CSR_MAKE
    XL_SEGMENT_SPARE_MAKE
    const uint tiles = xl_csr_tiles_read(&csr, 0, &shared_tiles);
    const uint groups = (uint)get_num_groups(0);
    for (uint i = (uint)get_group_id(0); i < tiles; i += groups) {
        const xl_segment_tile t = xl_segment_tile_read(&csr, i, &shared);
        if (t.count > 0)
            xl_tile_sort(in, xl_segment_side(out, spare, t.merges), t.first, t.count, tile);
        XL_LOCAL_BARRIER();
    }
}

/* Merges runs of 2^level tiles. 2^search_log - 1 work-items search the cuts. */
__kernel XL_LONG_REQUIRED void xl_segment_merge(uint level, uint search_log, XL_CSR,
                                                XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    __local uint search[XL_SORT_SEARCH];
    XL_CSR_MAKE
    XL_SEGMENT_SPARE_MAKE
    const uint tiles = xl_csr_tiles_read(&csr, 1u << level, &shared_tiles);
    const uint groups = (uint)get_num_groups(0);
    for (uint i = (uint)get_group_id(0); i < tiles; i += groups) {
        const xl_segment_tile t = xl_segment_tile_read(&csr, i, &shared);
        if (t.count > 0 && t.merges > level)
            xl_segment_tile_merge(out, spare, &t, level, search_log, tile, search);
        XL_LOCAL_BARRIER();
    }
}
