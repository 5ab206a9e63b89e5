/* SPDX-License-Identifier: MIT
 * A tile of a bitonic sort by a work-group, which holds it in registers: the tile is sorted, or
 * merged from two sorted runs. */
#include "../group/group_bitonic.cl"
#include "merge_runs.cl"

/* Loads one element, from an existing place even if it is not wanted: without a branch, all loads
 * of a work-item are under way at once. `first`: keys are read for the first time. `place`: its
 * place in the order of equal keys. */
void xl_tile_take(xl_sort_items *items, uint e, xl_sort_in in, uint source, bool wanted,
                  const bool first, uint place)
{
    XL_ORDINAL key = xl_key_map(in.keys[source]);
    items->key[e] = wanted ? key : xl_last_ordinal();
#if XL_SORT_PLACES
    items->value[e] = wanted ? place : ~0u; /* behind all others */
#elif XL_SORT_STABLE
    uint value = xl_sort_value(in, source, first);
    items->value[e] = wanted ? value : ~0u;
#elif XL_SORT_VALUES
    items->value[e] = xl_sort_value(in, source, first);
#endif
}

void xl_tile_put(const xl_sort_items *items, uint e, xl_sort_out out, uint first, uint count,
                 uint at)
{
    if (at < count) {
        if (xl_sort_has_keys(out))
            out.keys[first + at] = xl_key_unmap(items->key[e]);
#if XL_SORT_VALUES
        out.values[first + at] = items->value[e];
#endif
    }
}

#if XL_SORT_PLACES
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

/* Sorts elements [first, first + count) of the input, and leaves them in layout
 * XL_SORT_GROUP_LOG. */
void xl_tile_order(xl_sort_items *items, xl_sort_in in, uint first, uint count,
                   xl_sort_local local_)
{
    uint w = (uint)get_local_id(0);
    /* In a full tile the initial order of elements does not matter, so adjacent work-items read
     * adjacent elements. In the last tile, missing elements must be at the end. */
    bool full = count == XL_SORT_TILE;
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = full ? w + e * XL_SORT_GROUP : w * XL_SORT_ITEMS + e;
        xl_tile_take(items, e, in, first + min(at, count - 1u), at < count, true, at);
    }
    /* In place, other work-items write where this one has read. */
    XL_FULL_BARRIER();
    xl_group_sort(items, local_, count);
#if XL_SORT_PLACES
    xl_tile_fetch(items, in, first, count, local_);
#endif
}

/* The same, into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local local_)
{
    xl_sort_items items;
    xl_tile_order(&items, in, first, count, local_);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        xl_tile_put(&items, e, out, first, count, xl_sort_position(e, XL_SORT_GROUP_LOG, false));
}

/* Computes elements [first, first + count) of the output, the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   uint search_log, xl_sort_local local_, __local uint *search)
{
    xl_sort_items items;
    uint begin = xl_runs_begin(first, run);
    xl_runs runs = xl_runs_at(in.keys, begin, n, run);
    xl_merge_partition partition =
        xl_tile_merge_partition(&runs, first - begin, count, search_log, search);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        uint source = xl_merge_partition_source(&runs, &partition, min(at, count - 1u));
#if XL_SORT_PLACES
        uint place = xl_merge_partition_place(&partition, at);
#else
        const uint place = 0;
#endif
        xl_tile_take(&items, e, in, begin + source, at < count, false, place);
    }
    uint lane_bits = xl_group_merge(&items, local_);
#if XL_SORT_PLACES
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint place = min(items.value[e], count - 1u);
        items.value[e] = in.values[begin + xl_merge_place_source(&runs, &partition, place)];
    }
#endif
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        xl_tile_put(&items, e, out, first, count, xl_sort_swapped_position(e, lane_bits));
}
