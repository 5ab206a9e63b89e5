/* SPDX-License-Identifier: MIT
 * What a tile of a work-group fetches: keys before they are sorted, and values by their places. */
#include "../group/group_bitonic.cl"
#include "sort_arrays.cl"

/* Leaves the keys of elements [first, first + count) in local memory, as ordinals, in their order.
 */
void xl_tile_stage(xl_sort_in in, uint first, uint count, xl_sort_local local_)
{
    const uint w = (uint)get_local_id(0);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w + e * XL_SORT_GROUP;
        if (e * XL_SORT_GROUP < count) /* a window has half a tile, and more seldom */
            local_.key[at + at / 32u] = xl_key_map(in.keys[first + min(at, count - 1u)]);
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
