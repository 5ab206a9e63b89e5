/* SPDX-License-Identifier: MIT
 * Merges two sorted arrays into one. The merge path finds the parts of both inputs that make each
 * part of the output, so that all parts are merged at once: each by a work-group or
 * by one work-item (cl/tile/tile_merge.cl). */
#if XL_SERIAL
#define xl_merge_has_keys(out) true
#endif
#define XL_PLACE ulong /* for any number of elements; on NVIDIA's GPUs also faster than uint */
#include "merge_arguments.cl"

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
/* A work-group loads the keys of its tile into local memory. Each work-item finds there the keys of
 * its items and merges them into registers. The items are stored through local memory, so that
 * adjacent work-items load and store adjacent elements (Green, McColl and Bader, "GPU merge path",
 * ICS 2012). Values are copied by the places of their keys. */
#define XL_MERGE_TILE (XL_GROUP_SIZE * XL_ITEMS)

/* Key `at` of the tile, in which the part of the first run comes before that of the second. */
__global const XL_KEY *xl_merge_key(const xl_merge_in *in, const xl_merge_partition *part, uint at)
{
    return at < part->from_first ? in->keys.first + (part->first_begin + at)
                                 : in->keys.second + (part->second_begin + (at - part->from_first));
}

/* A key in local memory, and back: its ordinal, or its bits if two keys may have one ordinal. */
XL_ORDINAL xl_merge_hold(XL_KEY key)
{
#if XL_KEY_KIND == 4
    return key;
#else
    return xl_key_map(key);
#endif
}

XL_KEY xl_merge_release(XL_ORDINAL held)
{
#if XL_KEY_KIND == 4
    return (XL_KEY)held;
#else
    return xl_key_unmap(held);
#endif
}

/* Whether key b does not come before key a; both are in local memory. */
bool xl_merge_keeps(XL_ORDINAL a, XL_ORDINAL b)
{
#if XL_KEY_KIND == 4
    return xl_key_map((XL_KEY)a) <= xl_key_map((XL_KEY)b);
#else
    return a <= b;
#endif
}

/* xl_merge_path_search() for both parts of a tile. */
uint xl_merge_tile_search(__local const XL_ORDINAL *keys, uint from_first, uint from_second, uint d)
{
    uint low = (uint)max((int)d - (int)from_second, 0), high = min(d, from_first);
    while (low < high) {
        const uint middle = (low + high) / 2u;
        if (xl_merge_keeps(keys[middle], keys[from_first + d - 1u - middle]))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* Elements of the array with the keys of a tile: work-items read up to XL_ITEMS elements past it,
 * which they do not use. */
#define XL_MERGE_ROOM (XL_MERGE_TILE + XL_ITEMS)

/* The items of a work-item in order, and which keys of the tile they were. Items beyond the end of
 * the tile are any values. */
void xl_merge_items(__local const XL_ORDINAL *keys, const xl_merge_partition *part,
                    XL_ORDINAL *items, uint *sources)
{
    const uint count = part->from_first + part->from_second;
    const uint d = min((uint)get_local_id(0) * XL_ITEMS, count);
    uint i = xl_merge_tile_search(keys, part->from_first, part->from_second, d);
    uint j = part->from_first + d - i;
    XL_ORDINAL a = keys[i], b = keys[j];
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const bool from_first = (j >= count) | ((i < part->from_first) & xl_merge_keeps(a, b));
        items[e] = from_first ? a : b;
        sources[e] = from_first ? i : j;
        i += from_first;
        j += !from_first;
        const XL_ORDINAL next = keys[from_first ? i : j];
        a = from_first ? next : a;
        b = from_first ? b : next;
    }
}

/* Copies the values of key `at` of the tile to element `to` of the output. */
void xl_merge_tile_values(const xl_merge_in *in, const xl_merge_out *out,
                          const xl_merge_partition *part, XL_PLACE to, uint at)
{
    const bool from_first = at < part->from_first;
    xl_merge_put_values(in, out, to, from_first,
                        from_first ? part->first_begin + at
                                   : part->second_begin + (at - part->from_first));
}

/* Writes elements [first, first + count) of the output. */
void xl_merge_tile(const xl_merge_in *in, const xl_merge_out *out, const xl_merge_partition *part,
                   XL_PLACE first, __local XL_ORDINAL *keys)
{
    const uint w = (uint)get_local_id(0), count = part->from_first + part->from_second;
    XL_ORDINAL items[XL_ITEMS];
    uint sources[XL_ITEMS];
    /* There is no branch, so that all loads of a work-item overlap. */
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint at = w + e * XL_GROUP_SIZE;
        keys[at] = xl_merge_hold(*xl_merge_key(in, part, min(at, count - 1u)));
    }
    XL_LOCAL_BARRIER();
    xl_merge_items(keys, part, items, sources);
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e)
        keys[w * XL_ITEMS + e] = items[e];
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint at = w + e * XL_GROUP_SIZE;
        if (at < count)
            out->keys[first + at] = xl_merge_release(keys[at]);
    }
#if XL_VALUES > 0
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e)
        keys[w * XL_ITEMS + e] = sources[e];
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint at = w + e * XL_GROUP_SIZE;
        if (at < count)
            xl_merge_tile_values(in, out, part, first + at, (uint)keys[at]);
    }
#endif
}

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
