/* SPDX-License-Identifier: MIT
 * Bitonic networks over a tile that a work-group holds in registers.
 *
 * Source: Batcher, "Sorting networks and their applications" (AFIPS 1968), with all comparators in
 * the same direction: the smaller key goes to the smaller position. Phase p makes sorted runs of
 * 2^p from pairs of runs of 2^(p-1). Its first step, the flip, compares position i with i ^ (2^p -
 * 1). The next steps, on bit b from p - 2 down to 0, compare i with i ^ 2^b.
 *
 * Elements after the end of the data have the largest key and are at the end of the tile. Equal
 * keys never change places, so these elements stay there, and a real element with the largest key
 * keeps its value. With XL_SORT_STABLE a word orders equal keys, in place of a value; elements
 * after the end then also have the largest word.
 *
 * Layouts. Work-item w holds 2^H elements. In layout s, its element e is at position
 *     (w >> s) << (s + H)  |  e << s  |  (w mod 2^s)
 * so the steps on bits s to s + H - 1 need only registers. In layout 0 a work-item holds
 * consecutive elements, and the next bits are within its sub-group: their steps are shuffles. Every
 * other bit takes a change of layout through local memory, which is skewed by one word in 32, so
 * that layout 0 has no bank conflicts.
 *
 * Requires XL_ORDINAL, the type of mapped keys. H is XL_SORT_ITEMS_LOG. */
#include "../lane/lane.cl"
#include "../prelude/prelude_bits.cl"

#if (1 << XL_SORT_GROUP_LOG) != XL_SORT_GROUP
#error "XL_SORT_GROUP must be 2 to the power of XL_SORT_GROUP_LOG"
#endif

#define XL_SORT_ITEMS (1 << XL_SORT_ITEMS_LOG)
#define XL_SORT_TILE_LOG (XL_SORT_ITEMS_LOG + XL_SORT_GROUP_LOG)
#define XL_SORT_TILE (1 << XL_SORT_TILE_LOG)
/* Elements of local memory that the functions below need, for keys and for values each. */
#define XL_SORT_LOCAL (XL_SORT_TILE + XL_SORT_TILE / 32)

/* 1: a word is moved with each key: its value or, with XL_SORT_STABLE, the order of equal keys. */
#define XL_SORT_WORDS (XL_SORT_VALUES || XL_SORT_STABLE)

/* The elements of one work-item. */
typedef struct xl_sort_items {
    XL_ORDINAL key[XL_SORT_ITEMS];
#if XL_SORT_WORDS
    uint value[XL_SORT_ITEMS];
#endif
} xl_sort_items;

/* The group's local memory. */
typedef struct xl_sort_local {
    __local XL_ORDINAL *key;
    __local uint *value;
} xl_sort_local;

/* Position of element e in layout s. In a mirrored layout, the elements of the upper half are at
 * the positions that the flip compares with those of the lower half. */
uint xl_sort_position(uint e, uint s, bool mirrored)
{
    uint w = (uint)get_local_id(0);
    uint below = (1u << s) - 1u;
    uint low = w & below;
    if (mirrored && e >= XL_SORT_ITEMS / 2)
        low ^= below;
    return (w >> s) << (s + XL_SORT_ITEMS_LOG) | e << s | low;
}

/* Bits of a position that are within a sub-group; 0 if lanes cannot exchange, or if sub-groups do
 * not divide the group. */
uint xl_sort_lane_bits(void)
{
#if XL_LANE_WAY == 0
    return 0;
#else
    uint width = xl_lane_width();
    if (width > XL_SORT_GROUP || (width & (width - 1u)) != 0)
        return 0;
    return 31u - clz(width);
#endif
}

/* Changes the layout from `from` to `to`. `from` must be the layout in which the last call ended:
 * each work-item then writes only places that it alone has read. */
void xl_sort_exchange(xl_sort_items *items, xl_sort_local local_, uint from, bool from_mirrored,
                      uint to, bool to_mirrored)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, from, from_mirrored);
        local_.key[at + at / 32u] = items->key[e];
#if XL_SORT_WORDS
        local_.value[at + at / 32u] = items->value[e];
#endif
    }
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, to, to_mirrored);
        items->key[e] = local_.key[at + at / 32u];
#if XL_SORT_WORDS
        items->value[e] = local_.value[at + at / 32u];
#endif
    }
}

#if XL_SORT_WORDS
/* Whether key a with word x comes after key b with word y. */
bool xl_sort_after(XL_ORDINAL a, uint x, XL_ORDINAL b, uint y)
{
#if !XL_SORT_STABLE
    return a > b;
#elif XL_KEY_BYTES == 8
    return a > b || (a == b && x > y);
#else
    return upsample(a, x) > upsample(b, y);
#endif
}
#endif

/* One comparator between elements of a work-item. */
void xl_sort_order(xl_sort_items *items, uint low, uint high)
{
    XL_ORDINAL a = items->key[low], b = items->key[high];
#if XL_SORT_WORDS
    uint x = items->value[low], y = items->value[high];
    bool swap = xl_sort_after(a, x, b, y);
    items->key[low] = swap ? b : a;
    items->key[high] = swap ? a : b;
    items->value[low] = swap ? y : x;
    items->value[high] = swap ? x : y;
#else
    items->key[low] = min(a, b);
    items->key[high] = max(a, b);
#endif
}

/* The flip in groups of 2^p elements of a work-item. */
void xl_sort_flip(xl_sort_items *items, uint p)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_ITEMS / 2; ++pair) {
        uint low = pair >> (p - 1u) << p | (pair & ((1u << (p - 1u)) - 1u));
        xl_sort_order(items, low, low ^ ((1u << p) - 1u));
    }
}

/* The step on bit b of an element's number. */
void xl_sort_step(xl_sort_items *items, uint b)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_ITEMS / 2; ++pair) {
        uint low = pair >> b << (b + 1u) | (pair & ((1u << b) - 1u));
        xl_sort_order(items, low, low | 1u << b);
    }
}

/* The steps on the bits of an element's number below `bits`. Written out, because a compiler that
 * does not unroll a loop over them keeps the elements in memory. */
void xl_sort_halve(xl_sort_items *items, uint bits)
{
#if XL_SORT_ITEMS_LOG > 4
    if (bits > 4)
        xl_sort_step(items, 4);
#endif
#if XL_SORT_ITEMS_LOG > 3
    if (bits > 3)
        xl_sort_step(items, 3);
#endif
#if XL_SORT_ITEMS_LOG > 2
    if (bits > 2)
        xl_sort_step(items, 2);
#endif
#if XL_SORT_ITEMS_LOG > 1
    if (bits > 1)
        xl_sort_step(items, 1);
#endif
    if (bits > 0)
        xl_sort_step(items, 0);
}

#if XL_LANE_WAY != 0
XL_ORDINAL xl_sort_shuffle(XL_ORDINAL key, uint mask)
{
#if XL_KEY_BYTES == 8
    return xl_lane_shuffle_xor64(key, mask);
#else
    return xl_lane_shuffle_xor(key, mask);
#endif
}

/* One side of a comparator between lanes: keeps the larger key if `upper`. Both sides reverse the
 * order in the same way, so neither takes an equal key. */
void xl_sort_keep(xl_sort_items *items, uint e, XL_ORDINAL key, uint value, bool upper)
{
    XL_ORDINAL mine = items->key[e];
#if XL_SORT_WORDS
    XL_ORDINAL turn = upper ? (XL_ORDINAL)0 - 1 : 0;
    bool take =
        xl_sort_after(mine ^ turn, items->value[e] ^ (uint)turn, key ^ turn, value ^ (uint)turn);
    items->key[e] = take ? key : mine;
    items->value[e] = take ? value : items->value[e];
#else
    items->key[e] = upper ? max(mine, key) : min(mine, key);
#endif
}

/* A step between lanes that differ in the bits of `mask`. With `flip`, element e is compared with
 * the element of the other lane that the flip determines. */
void xl_sort_order_lanes(xl_sort_items *items, uint mask, bool upper, bool flip)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS / 2; ++e) {
        uint f = XL_SORT_ITEMS - 1u - e;
        XL_ORDINAL key_e = xl_sort_shuffle(items->key[e], mask);
        XL_ORDINAL key_f = xl_sort_shuffle(items->key[f], mask);
#if XL_SORT_WORDS
        uint value_e = xl_lane_shuffle_xor(items->value[e], mask);
        uint value_f = xl_lane_shuffle_xor(items->value[f], mask);
#else
        uint value_e = 0, value_f = 0;
#endif
        xl_sort_keep(items, e, flip ? key_f : key_e, flip ? value_f : value_e, upper);
        xl_sort_keep(items, f, flip ? key_e : key_f, flip ? value_e : value_f, upper);
    }
}
#endif

/* The steps between lanes, on lane bits below `bits`. */
void xl_sort_halve_lanes(xl_sort_items *items, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_order_lanes(items, 1u << bits, lane >> bits & 1u, false);
#endif
}

#if XL_LANE_WAY != 0
/* A step between lanes that differ in `mask`, at half the cost, because it moves elements: from
 * each pair of adjacent elements, the lower lane gives away the second and the upper lane the
 * first, so each lane has one whole comparator. Elements of different lanes are then in different
 * registers of a lane, and vice versa. Both elements are read before one is chosen: if the place to
 * read were chosen, Intel's compiler for GPUs (ocloc 22.43) would choose an address and keep the
 * items in private memory. */
void xl_sort_swap(xl_sort_items *items, uint mask, bool upper)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; e += 2) {
        const XL_ORDINAL first = items->key[e], second = items->key[e + 1];
        XL_ORDINAL keep = upper ? second : first;
        XL_ORDINAL give = upper ? first : second;
        XL_ORDINAL get = xl_sort_shuffle(give, mask);
#if XL_SORT_WORDS
        const uint first_value = items->value[e], second_value = items->value[e + 1];
        uint keep_value = upper ? second_value : first_value;
        uint give_value = upper ? first_value : second_value;
        uint get_value = xl_lane_shuffle_xor(give_value, mask);
#if XL_SORT_STABLE
        bool get_first = xl_sort_after(keep, keep_value, get, get_value);
#else
        /* Equal keys stay in place: an upper lane keeps the element that is above the one it
         * gets. */
        bool get_first = keep > get || (upper && keep == get);
#endif
        items->key[e] = get_first ? get : keep;
        items->key[e + 1] = get_first ? keep : get;
        items->value[e] = get_first ? get_value : keep_value;
        items->value[e + 1] = get_first ? keep_value : get_value;
#else
        items->key[e] = min(keep, get);
        items->key[e + 1] = max(keep, get);
#endif
    }
}
#endif

/* All steps below bit `bits`, in layout `bits`, which are within a sub-group. Each swap moves the
 * bit that it compares to the lowest bit of the element's number, and that bit to the lane. */
void xl_sort_swap_lanes(xl_sort_items *items, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_swap(items, 1u << bits, lane >> bits & 1u);
#endif
}

/* The position of element e of a work-item after that: bit 0 is in the element's number, and bits 1
 * to lane_bits are the lane. */
uint xl_sort_swapped_position(uint e, uint lane_bits)
{
    uint w = (uint)get_local_id(0);
    uint lane = w & ((1u << lane_bits) - 1u);
    return (w >> lane_bits) << (lane_bits + XL_SORT_ITEMS_LOG) | (e >> 1) << (lane_bits + 1u) |
           lane << 1 | (e & 1u);
}

/* Phase p, which exceeds the elements of a work-item; from layout 0 to layout 0. */
void xl_sort_phase(xl_sort_items *items, xl_sort_local local_, uint lane_bits, uint p)
{
    uint reach = XL_SORT_ITEMS_LOG + lane_bits;
    uint todo = p; /* steps on bits below this one remain */
    if (p > reach) {
        uint at = p - XL_SORT_ITEMS_LOG;
        xl_sort_exchange(items, local_, 0, false, at, true);
        xl_sort_flip(items, XL_SORT_ITEMS_LOG);
        xl_sort_halve(items, XL_SORT_ITEMS_LOG - 1u);
        bool mirrored = true;
        for (todo = at; todo > reach; todo = at) {
            uint next = todo - XL_SORT_ITEMS_LOG;
            xl_sort_exchange(items, local_, at, mirrored, next, false);
            xl_sort_halve(items, XL_SORT_ITEMS_LOG);
            mirrored = false;
            at = next;
        }
        xl_sort_exchange(items, local_, at, mirrored, 0, false);
    }
#if XL_LANE_WAY != 0
    else {
        uint top = p - XL_SORT_ITEMS_LOG - 1u;
        xl_sort_order_lanes(items, (2u << top) - 1u, xl_lane_id() >> top & 1u, true);
        todo = p - 1u;
    }
#endif
    if (todo > XL_SORT_ITEMS_LOG)
        xl_sort_halve_lanes(items, todo - XL_SORT_ITEMS_LOG);
    xl_sort_halve(items, XL_SORT_ITEMS_LOG);
}

/* Sorts a tile from layout 0, whose elements after `count` are padding, into layout
 * XL_SORT_GROUP_LOG. */
void xl_group_sort(xl_sort_items *items, xl_sort_local local_, uint count)
{
    const uint lane_bits = xl_sort_lane_bits();
    const uint phases = min(xl_log2_above(count), (uint)XL_SORT_TILE_LOG);
#pragma unroll
    for (uint p = 1; p <= XL_SORT_ITEMS_LOG; ++p) {
        xl_sort_flip(items, p);
        xl_sort_halve(items, p - 1u);
    }
#pragma unroll 1
    for (uint p = XL_SORT_ITEMS_LOG + 1u; p <= phases; ++p)
        xl_sort_phase(items, local_, lane_bits, p);
    xl_sort_exchange(items, local_, 0, false, XL_SORT_GROUP_LOG, false);
}

/* Sorts a tile in layout XL_SORT_GROUP_LOG that first descends, then ascends. Elements end at the
 * positions xl_sort_swapped_position() for the number of bits that this returns. */
uint xl_group_merge(xl_sort_items *items, xl_sort_local local_)
{
    uint lane_bits = xl_sort_lane_bits();
    uint at = XL_SORT_GROUP_LOG;
    xl_sort_halve(items, XL_SORT_ITEMS_LOG);
#pragma unroll 1
    while (at > lane_bits) {
        /* Steps on bits that are already done compare elements that are in order. */
        uint next = (uint)max((int)at - XL_SORT_ITEMS_LOG, (int)lane_bits);
        xl_sort_exchange(items, local_, at, false, next, false);
        xl_sort_halve(items, XL_SORT_ITEMS_LOG);
        at = next;
    }
    xl_sort_swap_lanes(items, lane_bits);
    return lane_bits;
}
