/* SPDX-License-Identifier: MIT
 * Merges two sorted arrays into one. The merge path finds the parts of both inputs that make each
 * part of the output, so that all parts are merged at once: each by a work-group (merge_tile.cl) or
 * by one work-item (cl/tile/tile_merge.cl). */
#include "../prelude/prelude.cl"

#if XL_SERIAL
#define xl_merge_has_keys(out) true
#endif
#include "merge_arguments.cl"

#if !XL_SERIAL
#include "merge_tile.cl"
#endif

#if XL_SERIAL

/* Work-item g merges chunk g, of `chunk` elements. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
xl_merge_chunks(XL_PLACE chunk, XL_MERGE_LENGTHS, XL_MERGE_ARRAYS)
{
    XL_MERGE_READ_LENGTHS
    XL_MERGE_MAKE
    const XL_PLACE first = XL_MERGE_OUT_PLACE((XL_PLACE)get_group_id(0) * chunk);
    if (first < n_a + n_b)
        xl_merge_chunk(in, &out, first, min(chunk, n_a + n_b - first));
}

#else

/* Stores for each of the `tiles` tiles, and for the end, how many elements of the first array come
 * before it. One work-item searches for each, so that their loads overlap. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_merge_partitions(XL_MERGE_LENGTHS, XL_MERGE_KEYS, XL_PLACE tiles, __global XL_PLACE *cuts,
                    ulong cuts_offset)
{
    XL_MERGE_READ_LENGTHS
    const xl_runs runs = XL_MERGE_RUNS;
    const XL_PLACE tile = (XL_PLACE)get_global_id(0), n = n_a + n_b;
    if (tile <= tiles)
        cuts[cuts_offset + tile] = xl_merge_path_search(
            &runs, tile < tiles ? min(XL_MERGE_OUT_PLACE(tile * XL_MERGE_TILE), n) : n);
}

/* Group g merges tile g. has_cuts 0: it searches for both ends of the tile. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_merge_tiles(uint has_cuts, __global const XL_PLACE *cuts, ulong cuts_offset, XL_MERGE_LENGTHS,
               XL_MERGE_ARRAYS)
{
    __local XL_ORDINAL keys[XL_MERGE_ROOM];
    __local XL_PLACE ends[2];
    XL_MERGE_READ_LENGTHS
    XL_MERGE_MAKE
    const XL_PLACE tile = (XL_PLACE)get_group_id(0),
                   first = XL_MERGE_OUT_PLACE(tile * XL_MERGE_TILE);
    if (first >= n_a + n_b)
        return;
    const uint count = min((XL_PLACE)XL_MERGE_TILE, n_a + n_b - first);
    for (uint side = (uint)get_local_id(0); side < 2; side += XL_GROUP_SIZE) {
        const XL_PLACE d = first + side * count;
        /* Whatever the scratch holds, the tile lies within the arrays. */
        ends[side] = has_cuts
                         ? clamp(cuts[cuts_offset + tile + side], xl_merge_path_low(&in.keys, d),
                                 xl_merge_path_high(&in.keys, d))
                         : xl_merge_path_search(&in.keys, d);
    }
    XL_LOCAL_BARRIER();
    const xl_merge_partition part = xl_merge_partition_of(first, count, ends[0], ends[1]);
    xl_merge_tile(&in, &out, &part, first, keys);
}

#endif
