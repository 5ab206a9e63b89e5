/* SPDX-License-Identifier: MIT
 * Sorts consecutive short segments together, by a work-group.
 *
 * Elements are ordered by where in the tile their segment begins (16 bits), by key, and by place
 * (16 bits). In the network of cl/group/group_bitonic.cl these are a key and a word: the key is the
 * segment, followed by the upper bits of the element's key; the word is the lower 16 bits of that
 * key, followed by the place.
 *
 * If the longest segment has L elements, not all phases of the network are needed. After phase p,
 * runs of 2^p elements are sorted. If this is 2 L or more, only segments that cross the border of
 * two runs are not yet sorted, and these are within half a run of that border. So one more merge,
 * of the halves on both sides of each border, ends the sort: 14 steps for segments of 8 elements,
 * instead of the 66 of a tile of 2048. Tiles are on average half full, which costs registers and
 * local memory, but no traffic. */
#include "bitonic_fetch.cl"
#include "segment_heads.cl"

#if XL_SORT_GROUP_LOG + XL_SORT_ITEMS_LOG > 16
#error "XL_SORT_TILE: at most 2^16 elements, because a place has 16 bits"
#endif

#define XL_ORDINAL_BITS (XL_KEY_BYTES == 8 ? 64 : 32)
#define XL_PLACE_BITS 16

/* How many phases make sorted runs, and whether the borders must then be merged. */
typedef struct xl_pack_phases {
    uint phases;
    uint borders; /* 0 or 1 */
} xl_pack_phases;

xl_pack_phases xl_pack_phases_of(uint count, uint longest)
{
    const uint all = clamp(xl_log2_above(count), (uint)XL_SORT_ITEMS_LOG, (uint)XL_SORT_TILE_LOG);
    const uint near = max(xl_log2_above(2u * longest), XL_SORT_ITEMS_LOG + 1u);
    xl_pack_phases p;
    p.borders = near + 1u < all;
    p.phases = p.borders ? near : all;
    return p;
}

/* The position of element q of the tile if runs of 2^phases go from middle to middle. The first and
 * the last half, which have no neighbour, form one run, in order. */
uint xl_pack_shifted(uint q, uint phases)
{
    const uint run = 1u << phases, within = q & (run - 1u);
    if (q < XL_SORT_TILE - run)
        return q + run / 2u;
    return within < run / 2u ? within : q;
}

/* Loads the window's short segments, and gives each work-item the elements of layout 0. */
void xl_pack_load(xl_sort_items *items, xl_sort_in in, const xl_segment_window *window,
                  xl_sort_local tile, const __local xl_pack_local *local_)
{
    const uint w = (uint)get_local_id(0), count = window->end - window->begin;
    xl_tile_stage(in, window->begin, count, 0, tile);
    uint head = xl_pack_head(local_, w * XL_SORT_ITEMS);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w * XL_SORT_ITEMS + e;
        const XL_ORDINAL key = tile.key[at + at / 32u];
        head = (local_->heads[at / 32u] >> at % 32u & 1u) != 0 ? at : head;
        items->key[e] = at < count ? (XL_ORDINAL)head << (XL_ORDINAL_BITS - XL_PLACE_BITS) |
                                         key >> XL_PLACE_BITS
                                   : xl_last_ordinal();
        items->value[e] = at < count ? (uint)key << XL_PLACE_BITS | at : ~0u;
    }
}

/* Changes the layout from 0 to `to`: each work-item gets the elements at its positions in the new
 * layout. A shift that is not 0 applies xl_pack_shifted() to the positions of that layout. */
void xl_pack_move(xl_sort_items *items, xl_sort_local tile, uint from_shift, uint to, uint to_shift)
{
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, 0, false);
        at = from_shift > 0 ? xl_pack_shifted(at, from_shift) : at;
        tile.key[at + at / 32u] = items->key[e];
        tile.value[at + at / 32u] = items->value[e];
    }
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, to, false);
        at = to_shift > 0 ? xl_pack_shifted(at, to_shift) : at;
        items->key[e] = tile.key[at + at / 32u];
        items->value[e] = tile.value[at + at / 32u];
    }
}

/* Sorts elements in layout 0, and leaves them in layout XL_SORT_GROUP_LOG. */
void xl_pack_network(xl_sort_items *items, xl_sort_local tile, const xl_pack_phases *p)
{
    const uint lane_bits = xl_sort_lane_bits();
#pragma unroll
    for (uint phase = 1; phase <= XL_SORT_ITEMS_LOG; ++phase) {
        xl_sort_flip(items, phase);
        xl_sort_halve(items, phase - 1u);
    }
    /* The second pass merges the borders. */
#pragma unroll 1
    for (uint pass = 0; pass <= p->borders; ++pass) {
        const bool last = pass == p->borders;
#pragma unroll 1
        for (uint phase = pass == 0 ? XL_SORT_ITEMS_LOG + 1u : p->phases; phase <= p->phases;
             ++phase)
            xl_sort_phase(items, tile, lane_bits, phase);
        xl_pack_move(items, tile, pass == 0 ? 0 : p->phases, last ? XL_SORT_GROUP_LOG : 0,
                     last ? 0 : p->phases);
        XL_LOCAL_BARRIER();
    }
}

/* Sorts a window's short segments; there must be some. */
void xl_pack_sort(xl_sort_in in, xl_sort_out out, const xl_csr *csr,
                  const xl_segment_window *window, xl_sort_local tile,
                  __local xl_pack_local *local_)
{
    xl_sort_items items;
    const uint count = window->end - window->begin;
    xl_pack_mark(csr, window, local_);
    xl_pack_load(&items, in, window, tile, local_);
    const xl_pack_phases p = xl_pack_phases_of(count, local_->longest);
    xl_pack_network(&items, tile, &p);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        const XL_ORDINAL key =
            items.key[e] << XL_PLACE_BITS | (XL_ORDINAL)(items.value[e] >> XL_PLACE_BITS);
        if (at < count && xl_sort_has_keys(out))
            out.keys[window->begin + at] = xl_key_unmap(key);
        items.value[e] &= (1u << XL_PLACE_BITS) - 1u;
    }
#if XL_SORT_VALUES
#if !XL_SORT_INDICES
    xl_tile_fetch(&items, in, window->begin, count, tile);
#endif
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        if (at < count)
            out.values[window->begin + at] =
                XL_SORT_INDICES ? window->begin + items.value[e] : items.value[e];
    }
#endif
}
