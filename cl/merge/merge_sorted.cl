/* SPDX-License-Identifier: MIT
 * Two sorted arrays into one. Each part of the output is made on its own, from the parts of both
 * arrays that the merge path tells: by a work-group (cl/merge/merge_tile.cl) or by one work-item
 * (cl/tile/tile_merge_serial.cl). */
#include "../prelude/prelude.cl"

#include "../tile/tile_merge_arrays.cl"

#if XL_SERIAL
#include "../tile/tile_merge_serial.cl"
#else
#include "merge_tile.cl"
#endif

/* The arrays of a kernel: buffers and where in them the data begins. */
#if XL_MERGE_VALUES
#define XL_MERGE_ARRAYS                                                                            \
    uint n_a, uint n_b, __global const XL_KEY *keys_a, ulong keys_a_offset,                        \
        __global const XL_KEY *keys_b, ulong keys_b_offset, __global XL_KEY *keys_out,             \
        ulong keys_out_offset, __global const uint *values_a, ulong values_a_offset,               \
        __global const uint *values_b, ulong values_b_offset, __global uint *values_out,           \
        ulong values_out_offset
#define XL_MERGE_OUT                                                                               \
    {                                                                                              \
        keys_out + keys_out_offset, values_out + values_out_offset                                 \
    }
#define XL_MERGE_IN                                                                                \
    {                                                                                              \
        {keys_a + keys_a_offset, keys_b + keys_b_offset, n_a, n_b}, values_a + values_a_offset,    \
            values_b + values_b_offset                                                             \
    }
#else
#define XL_MERGE_ARRAYS                                                                            \
    uint n_a, uint n_b, __global const XL_KEY *keys_a, ulong keys_a_offset,                        \
        __global const XL_KEY *keys_b, ulong keys_b_offset, __global XL_KEY *keys_out,             \
        ulong keys_out_offset
#define XL_MERGE_OUT                                                                               \
    {                                                                                              \
        keys_out + keys_out_offset                                                                 \
    }
#define XL_MERGE_IN                                                                                \
    {                                                                                              \
        {                                                                                          \
            keys_a + keys_a_offset, keys_b + keys_b_offset, n_a, n_b                               \
        }                                                                                          \
    }
#endif

#if XL_SERIAL

/* Work-item g makes the g-th `chunk` elements. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void xl_merge_chunks(uint chunk,
                                                                             XL_MERGE_ARRAYS)
{
    const xl_merge_in in = XL_MERGE_IN;
    const xl_merge_out out = XL_MERGE_OUT;
    const uint first = (uint)get_group_id(0) * chunk;
    xl_merge_chunk(in, &out, first, min(chunk, n_a + n_b - first));
}

#else

/* How many elements of the first array come before each of the `tiles` tiles, and before the end:
 * found by one work-item each, whose searches wait for memory side by side. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_merge_partitions(uint n_a, uint n_b, __global const XL_KEY *keys_a, ulong keys_a_offset,
                    __global const XL_KEY *keys_b, ulong keys_b_offset, uint tiles,
                    __global uint *cuts, ulong cuts_offset)
{
    const xl_runs runs = {keys_a + keys_a_offset, keys_b + keys_b_offset, n_a, n_b};
    const uint tile = (uint)get_global_id(0);
    if (tile <= tiles)
        cuts[cuts_offset + tile] =
            xl_merge_path_search(&runs, tile < tiles ? tile * XL_MERGE_TILE : n_a + n_b);
}

/* Group g makes the g-th tile. has_cuts 0: nobody has searched for its ends, and it does so. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_merge_tiles(uint has_cuts, __global const uint *cuts, ulong cuts_offset, XL_MERGE_ARRAYS)
{
    __local XL_ORDINAL keys[XL_MERGE_TILE];
    __local uint ends[2];
    const xl_merge_in in = XL_MERGE_IN;
    const xl_merge_out out = XL_MERGE_OUT;
    const uint tile = (uint)get_group_id(0), first = tile * XL_MERGE_TILE;
    const uint count = min((uint)XL_MERGE_TILE, n_a + n_b - first);
    for (uint side = (uint)get_local_id(0); side < 2; side += XL_GROUP_SIZE) {
        const uint d = first + side * count;
        /* Whatever stands in the scratch, the tile stays inside of the arrays. */
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
