/* SPDX-License-Identifier: MIT
 * What a tile of a work-group fetches: keys before they are sorted, and values by their places. */
#include "../group/group_bitonic.cl"
#include "sort_arrays.cl"

/* Leaves the keys of elements [first, first + count) in local memory, as ordinals, in their order.
 */
void xl_tile_stage(xl_sort_in in, uint first, uint count, xl_sort_local local_)
{
    const uint w = (uint)get_local_id(0);
    /* In halves, as a window of segments seldom has more than half a tile; all loads of a half are
     * under way at once. */
#pragma unroll
    for (uint part = 0; part < XL_SORT_ITEMS; part += XL_SORT_ITEMS / 2) {
        if (part * XL_SORT_GROUP >= count)
            continue;
#pragma unroll
        for (uint e = part; e < part + XL_SORT_ITEMS / 2; ++e) {
            const uint at = w + e * XL_SORT_GROUP;
            local_.key[at + at / 32u] = xl_key_map(in.keys[first + min(at, count - 1u)]);
        }
    }
    /* In place, other work-items write where this one has read. */
    XL_FULL_BARRIER();
}

#if XL_SORT_VALUES && XL_SORT_STABLE && !XL_SORT_INDICES
/* Values in the stead of places, by way of local memory: places are anywhere in the tile. In place
 * all values are read before any is written. */
void xl_tile_fetch(xl_sort_items *items, xl_sort_in in, uint first, uint count,
                   xl_sort_local local_)
{
    uint w = (uint)get_local_id(0);
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = w + e * XL_SORT_GROUP;
        local_.value[at] = in.values[first + min(at, count - 1u)];
    }
    XL_FULL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        items->value[e] = local_.value[min(items->value[e], XL_SORT_TILE - 1u)];
}
#endif
