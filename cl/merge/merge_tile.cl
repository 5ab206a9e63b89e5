/* SPDX-License-Identifier: MIT
 * A tile of a merge by a work-group: the keys that it is made of come to local memory, each
 * work-item finds there where its own items begin and merges them into registers, and all leave by
 * local memory again, so that neighbouring work-items load and store neighbours (Green, McColl and
 * Bader, "GPU merge path", ICS 2012). Values are loaded by where their keys came from. */
#include "../tile/tile_merge_arrays.cl"

#define XL_MERGE_TILE (XL_GROUP_SIZE * XL_ITEMS)

/* Which key of the tile an element is: the first run's part stands before the second's. */
__global const XL_KEY *xl_merge_key(const xl_merge_in *in, const xl_merge_partition *part, uint at)
{
    return at < part->from_first ? in->keys.first + (part->first_begin + at)
                                 : in->keys.second + (part->second_begin + (at - part->from_first));
}

#if XL_MERGE_VALUES
__global const uint *xl_merge_value(const xl_merge_in *in, const xl_merge_partition *part, uint at)
{
    return at < part->from_first
               ? in->first_values + (part->first_begin + at)
               : in->second_values + (part->second_begin + (at - part->from_first));
}
#endif

/* A key in local memory, and back: its ordinal, or, where two keys may have one ordinal, its bits.
 */
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

/* Whether key b does not come before key a, both in local memory. */
bool xl_merge_keeps(XL_ORDINAL a, XL_ORDINAL b)
{
#if XL_KEY_KIND == 4
    return xl_key_map((XL_KEY)a) <= xl_key_map((XL_KEY)b);
#else
    return a <= b;
#endif
}

/* As xl_merge_path_search(), of a tile's two parts. */
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

/* A work-item's items in order, and which keys of the tile they were. Past the end of the tile
 * there is no item, but always some key. */
void xl_merge_items(__local const XL_ORDINAL *keys, const xl_merge_partition *part,
                    XL_ORDINAL *items, uint *sources)
{
    const uint count = part->from_first + part->from_second;
    const uint d = min((uint)get_local_id(0) * XL_ITEMS, count);
    uint i = xl_merge_tile_search(keys, part->from_first, part->from_second, d);
    uint j = part->from_first + d - i;
    XL_ORDINAL a = keys[min(i, XL_MERGE_TILE - 1u)], b = keys[min(j, XL_MERGE_TILE - 1u)];
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const bool from_first = (j >= count) | ((i < part->from_first) & xl_merge_keeps(a, b));
        items[e] = from_first ? a : b;
        sources[e] = from_first ? i : j;
        i += from_first;
        j += !from_first;
        const XL_ORDINAL next = keys[min(from_first ? i : j, XL_MERGE_TILE - 1u)];
        a = from_first ? next : a;
        b = from_first ? b : next;
    }
}

/* Makes elements [first, first + count) of the output. */
void xl_merge_tile(const xl_merge_in *in, const xl_merge_out *out, const xl_merge_partition *part,
                   uint first, __local XL_ORDINAL *keys)
{
    const uint w = (uint)get_local_id(0), count = part->from_first + part->from_second;
    XL_ORDINAL items[XL_ITEMS];
    uint sources[XL_ITEMS];
    /* Without a branch all loads of a work-item are under way at once. */
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
#if XL_MERGE_VALUES
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e)
        keys[w * XL_ITEMS + e] = sources[e];
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint at = w + e * XL_GROUP_SIZE;
        if (at < count)
            out->values[first + at] = *xl_merge_value(in, part, (uint)keys[at]);
    }
#endif
}
