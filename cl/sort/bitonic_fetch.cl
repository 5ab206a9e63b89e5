/* SPDX-License-Identifier: MIT
 * How a work-group loads a tile: keys before they are sorted, and values by their places. */
#include "../group/group_bitonic.cl"
#include "sort_arrays.cl"

/* Loads half number `half_` of a tile, of the keys of elements [first, first + count), some of
 * which must be in it. Adjacent work-items load adjacent keys, all at once. */
enum { XL_HALF_ITEMS = XL_SORT_ITEMS / 2 };
void xl_half_load(xl_sort_in in, uint first, uint count, uint half_, XL_KEY *key)
{
#pragma unroll
    for (uint e = 0; e < XL_HALF_ITEMS; ++e) {
        const uint at = (uint)get_local_id(0) + (half_ * XL_HALF_ITEMS + e) * XL_SORT_GROUP;
        key[e] = in.keys[first + min(at, count - 1u)];
    }
}

/* Stores these keys in local memory, as ordinals. */
void xl_half_stage(const XL_KEY *key, uint half_, xl_sort_local local_)
{
#pragma unroll
    for (uint e = 0; e < XL_HALF_ITEMS; ++e) {
        const uint at = (uint)get_local_id(0) + (half_ * XL_HALF_ITEMS + e) * XL_SORT_GROUP;
        local_.key[at + at / 32u] = xl_key_map(key[e]);
    }
}

/* Stores the keys of elements [first, first + count) in local memory, as ordinals, in their order,
 * from half number `half_` on: a window of segments seldom has more than one half. */
void xl_tile_stage(xl_sort_in in, uint first, uint count, uint half_, xl_sort_local local_)
{
#pragma unroll
    for (uint k = half_; k < 2; ++k) {
        XL_KEY key[XL_HALF_ITEMS];
        if (k * XL_HALF_ITEMS * XL_SORT_GROUP >= count)
            continue;
        xl_half_load(in, first, count, k, key);
        xl_half_stage(key, k, local_);
    }
    /* In place, other work-items write where this one has read. */
    XL_FULL_BARRIER();
}

#if XL_SORT_VALUES && XL_SORT_STABLE && !XL_SORT_INDICES
/* Replaces places by values, through local memory, because places are anywhere in the tile. In
 * place, all values are read before any is written. */
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
