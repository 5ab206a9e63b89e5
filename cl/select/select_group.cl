/* SPDX-License-Identifier: MIT
 * A tile of a selection by a work-group. Each sub-group has neighbouring elements, a row of lanes
 * after the other, so that a ballot ranks a row; without lanes each work-item has neighbours. What
 * the tile gives is put together in local memory and written from there, neighbours beside each
 * other. */
#ifndef XL_SELECT_GROUP
#define XL_SELECT_GROUP

#include "../group/group_scan.cl"
#include "../lane/lane_mask.cl"
#include "select_arrays.cl"

#if XL_TILE != XL_GROUP_SIZE * XL_ITEMS
#error "a tile is what the work-items of a group have"
#elif XL_ITEMS > 32 || XL_TILE > 65535
#error "flags of a work-item have 32 bits, places in a tile 16"
#endif
#define XL_PARTS (XL_SELECT_KIND == 1 ? 2u : XL_SELECT_KIND == 2 ? 3u : 1u)

/* Room for a tile's elements, or for their places. */
#if XL_SELECT_STAGED
#define XL_SELECT_ROOM XL_CEIL_DIV(XL_TILE * sizeof(xl_element), 16)
#else
#define XL_SELECT_ROOM 1
#endif
#define XL_PLACE_ROOM XL_CEIL_DIV(XL_TILE * 2, 16)

typedef struct xl_select_local {
    uint4 room[XL_SELECT_ROOM > XL_PLACE_ROOM ? XL_SELECT_ROOM : XL_PLACE_ROOM];
    XL_T scratch[XL_GROUP_SCRATCH];
    XL_T prefix;
    uint given; /* elements that the tile gives */
    uint ticket, epoch;
} xl_select_local;

/* The tile's elements of a work-item: which are of the first part, and of the second. */
typedef struct xl_select_items {
    uint first, second;
#if XL_SELECT_STAGED
    xl_element x[XL_ITEMS];
#endif
} xl_select_items;

/* Where in the tile the element of a row is. */
uint xl_select_at(uint row)
{
#if XL_USE_LANES
    return (xl_lane_group() * XL_ITEMS + row) * xl_lane_width() + xl_lane_id();
#else
    return (uint)get_local_id(0) * XL_ITEMS + row;
#endif
}

/* Reads `count` elements from place `base` on; all reads are under way at once. */
void xl_select_load(const xl_select *s, ulong base, uint count, xl_select_items *items)
{
    items->first = 0;
    items->second = 0;
#if XL_SELECT_STAGED
    if (XL_BY_EXPRESSION || XL_BY_HEADS || (s->gives & XL_GIVES_OUT)) {
#pragma unroll
        for (uint r = 0; r < XL_ITEMS; ++r)
            if (xl_select_at(r) < count)
                items->x[r] = s->in[base + xl_select_at(r)];
    }
#endif
#pragma unroll
    for (uint r = 0; r < XL_ITEMS; ++r) {
        const uint at = xl_select_at(r);
        if (at >= count)
            continue;
#if XL_SELECT_STAGED
        const uint class = xl_select_class(s, base + at, &items->x[r]);
#elif XL_BY_EXPRESSION || XL_BY_HEADS
        const xl_element x = s->in[base + at];
        const uint class = xl_select_class(s, base + at, &x);
#else
        const uint class = xl_select_class(s, base + at, 0);
#endif
        items->first |= (uint)(XL_PARTS == 3 ? class == 0 : class != 0) << r;
        items->second |= (uint)(XL_PARTS == 3 && class == 1) << r;
    }
}

/* What this work-item's elements come to, or with lanes its sub-group's. */
XL_T xl_select_sum(const xl_select_items *items, ulong base)
{
    uint count = 0;
    uint more = 0;
#if XL_USE_LANES
#pragma unroll
    for (uint r = 0; r < XL_ITEMS; ++r) {
        const ulong votes = xl_lane_ballot(items->first >> r & 1u);
        count += (uint)popcount(votes);
#if XL_SELECT_KIND == 2
        more += (uint)popcount(xl_lane_ballot(items->second >> r & 1u));
#elif XL_SELECT_KIND == 4
        if (votes != 0)
            more = (uint)base + xl_select_at(r) - xl_lane_id() + 64 - (uint)clz(votes);
#endif
    }
#else
    count = popcount(items->first);
#if XL_SELECT_KIND == 2
    more = popcount(items->second);
#elif XL_SELECT_KIND == 4
    /* Not by clz(), of which PoCL 3.1 made wrong numbers here (2026-11). */
    for (uint r = 0; r < XL_ITEMS; ++r)
        if (items->first >> r & 1u)
            more = (uint)base + xl_select_at(r) + 1;
#endif
#endif
#if XL_SELECT_KIND == 2 || XL_SELECT_KIND == 4
    return (ulong)more << 32 | count;
#else
    return count;
#endif
}

/* The tile's sum; *before is that of what stands before this work-item, or its sub-group. */
XL_T xl_select_total(XL_T sum, XL_T *before, __local xl_select_local *l)
{
    XL_T total = XL_IDENTITY;
#if XL_USE_LANES
    XL_T mine = XL_IDENTITY;
    if (xl_lane_id() == 0)
        l->scratch[xl_lane_group()] = sum;
    XL_LOCAL_BARRIER();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            mine = total;
        total = xl_op(total, l->scratch[k]);
    }
    *before = mine;
#else
    *before = xl_group_scan_exclusive(sum, l->scratch, &total);
#endif
    return total;
}

#define XL_NO_SLOT 0xffffffffu

/* Where among what the tile gives each element goes. */
void xl_select_slots(const xl_select_items *items, XL_T before, XL_T total, uint count, uint *slot)
{
    uint rank = XL_STATE_COUNT(before), second = XL_STATE_MORE(before);
    const uint all = XL_STATE_COUNT(total), more = XL_STATE_MORE(total);
#pragma unroll
    for (uint r = 0; r < XL_ITEMS; ++r) {
        const uint at = xl_select_at(r);
        const bool is_first = items->first >> r & 1u, is_second = items->second >> r & 1u;
#if XL_USE_LANES
        const ulong below = xl_bits_below(xl_lane_id());
        const ulong votes = xl_lane_ballot(is_first);
        const uint mine = rank + (uint)popcount(votes & below);
        rank += (uint)popcount(votes);
        uint mine2 = 0;
#if XL_SELECT_KIND == 2
        const ulong votes2 = xl_lane_ballot(is_second);
        mine2 = second + (uint)popcount(votes2 & below);
        second += (uint)popcount(votes2);
#endif
#else
        const uint mine = rank, mine2 = second;
        rank += is_first;
        second += is_second;
#endif
        slot[r] = XL_NO_SLOT;
        if (is_first)
            slot[r] = mine;
        else if (XL_PARTS == 2 && at < count)
            slot[r] = all + at - mine;
        else if (XL_PARTS == 3 && is_second)
            slot[r] = all + mine2;
        else if (XL_PARTS == 3 && at < count)
            slot[r] = all + more + at - mine - mine2;
    }
}

/* Where the k-th of what the tile gives goes. */
ulong xl_select_target(const xl_select_places *places, XL_T total, uint k)
{
    const uint all = XL_STATE_COUNT(total), more = XL_STATE_MORE(total);
    if (XL_PARTS == 1 || k < all)
        return places->at[0] + k;
    if (XL_PARTS == 2 || k < all + more)
        return places->at[1] + (k - all);
    return places->at[2] + (k - all - more);
}

/* A tile on its way out. */
typedef struct xl_select_out {
    ulong base;
    uint count; /* elements of it */
    XL_T total;
    xl_select_before before; /* of the whole array */
    xl_select_places places;
} xl_select_out;

/* All work-items go the same rounds, and each looks in a round whether it has an element: of a loop
 * that only some enter behind a barrier PoCL 3.1 lets all of them in. */

/* The elements, which somebody has put into local memory before the last barrier. */
void xl_select_write_elements(const xl_select *s, const xl_select_out *o,
                              const __local xl_select_local *l)
{
    const __local xl_element *const room = (const __local xl_element *)l->room;
    const uint given = l->given;
    for (uint row = 0; row < given; row += XL_GROUP_SIZE) {
        const uint k = row + (uint)get_local_id(0);
        if (k >= given)
            continue;
        const ulong to = xl_select_target(&o->places, o->total, k);
        if (to < s->capacity)
            s->out[to] = room[k];
    }
}

/* What goes with the elements, by their places, which stand in local memory. */
void xl_select_write_by_place(const xl_select *s, const xl_select_out *o,
                              const __local xl_select_local *l)
{
    const __local ushort *const room = (const __local ushort *)l->room;
    const uint given = l->given;
    for (uint row = 0; row < given; row += XL_GROUP_SIZE) {
        const uint k = row + (uint)get_local_id(0);
        if (k >= given)
            continue;
        const ulong to = xl_select_target(&o->places, o->total, k), from = o->base + room[k];
        if (to < s->capacity) {
#if !XL_SELECT_STAGED
            if (s->gives & XL_GIVES_OUT)
                s->out[to] = s->in[from];
#endif
            xl_select_give(s, to, from);
#if XL_SELECT_KIND == 4
            if (k + 1 < given && (s->gives & XL_GIVES_LENGTHS))
                s->lengths[to] = (uint)room[k + 1] - room[k];
#endif
        }
#if XL_SELECT_KIND == 4
        if (k == 0) /* the run before ends here */
            xl_select_run(s, to, o->before.more, from);
#endif
    }
}

/* Puts the tile's elements where they go: from here on nobody looks at them. Begins with no
 * barrier, and after it nobody may write l->room before one. */
void xl_select_store(const xl_select *s, const xl_select_items *items, const uint *slot,
                     const xl_select_out *o, __local xl_select_local *l)
{
    const bool by_place = !XL_SELECT_STAGED || (s->gives & XL_GIVES_BY_PLACE) != 0;
#if XL_SELECT_STAGED
    if (s->gives & XL_GIVES_OUT) {
        xl_select_write_elements(s, o, l);
        if (by_place)
            XL_LOCAL_BARRIER();
    }
#endif
    if (by_place) {
        __local ushort *const room = (__local ushort *)l->room;
#pragma unroll
        for (uint r = 0; r < XL_ITEMS; ++r)
            if (slot[r] != XL_NO_SLOT)
                room[slot[r]] = (ushort)xl_select_at(r);
        XL_LOCAL_BARRIER();
        xl_select_write_by_place(s, o, l);
    }
}

/* Puts the elements into local memory, where they are held; a barrier has to follow. */
void xl_select_stage(const xl_select *s, const xl_select_items *items, const uint *slot,
                     const xl_select_out *o, __local xl_select_local *l)
{
    if (get_local_id(0) == 0)
        l->given = XL_PARTS == 1 ? XL_STATE_COUNT(o->total) : o->count;
#if XL_SELECT_STAGED
    __local xl_element *const room = (__local xl_element *)l->room;
    if (s->gives & XL_GIVES_OUT) {
#pragma unroll
        for (uint r = 0; r < XL_ITEMS; ++r)
            if (slot[r] != XL_NO_SLOT)
                room[slot[r]] = items->x[r];
    }
#endif
}

#endif
