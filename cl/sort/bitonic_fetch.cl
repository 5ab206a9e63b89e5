/* SPDX-License-Identifier: MIT
 * Values of a tile that a work-group has sorted by their places. */
#include "../group/group_bitonic.cl"
#include "sort_arrays.cl"

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
