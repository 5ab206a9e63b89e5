/* SPDX-License-Identifier: MIT
 * Bitonic networks over one tile that a work-group holds in registers.
 *
 * Source: Batcher, "Sorting networks and their applications" (AFIPS 1968), with all
 * comparators pointing the same way: the smaller key goes to the smaller position.
 * Phase p makes sorted runs of 2^p from pairs of runs of 2^(p-1). Its first step, the
 * flip, compares position i with i ^ (2^p - 1); the next ones, on bit b from p - 2
 * down to 0, compare i with i ^ 2^b.
 *
 * Elements past the end of the data hold the largest key and stand at the top of the
 * tile. Equal keys never change places, so they stay there, and a real element with
 * the largest key keeps its value.
 *
 * Layouts. Work-item w holds 2^H elements; in layout s element e stands at
 *     (w >> s) << (s + H)  |  e << s  |  (w mod 2^s)
 * so that the steps on bits s .. s + H - 1 happen in registers. In layout 0 an item
 * holds neighbours, and its sub-group covers the next bits: steps by shuffles. Every
 * other bit is reached by a change of layout through local memory. Local memory is
 * skewed by one word in 32, so that layout 0 meets no bank twice.
 *
 * Macros: XL_SORT_KEY     uint or ulong, the type of mapped keys
 *         XL_SORT_VALUES  1: a uint travels with each key
 *         XL_SORT_HELD_LOG  H: elements per work-item as a power of two, 1 .. 5
 *         XL_SORT_GROUP   work-items, a power of two
 *         XL_SORT_GROUP_LOG */
#include "../lane/lane.cl"

#if !defined(XL_SORT_KEY) || !defined(XL_SORT_VALUES) || !defined(XL_SORT_HELD_LOG) ||             \
    !defined(XL_SORT_GROUP) || !defined(XL_SORT_GROUP_LOG)
#error "XL_SORT_KEY, _VALUES, _HELD_LOG, _GROUP and _GROUP_LOG must be defined"
#endif
#if (1 << XL_SORT_GROUP_LOG) != XL_SORT_GROUP
#error "XL_SORT_GROUP must be 2 to the power of XL_SORT_GROUP_LOG"
#endif

#define XL_SORT_HELD (1 << XL_SORT_HELD_LOG)
#define XL_SORT_TILE_LOG (XL_SORT_HELD_LOG + XL_SORT_GROUP_LOG)
#define XL_SORT_TILE (1 << XL_SORT_TILE_LOG)
/* Elements of local memory for keys, and for values, that the functions below need. */
#define XL_SORT_LOCAL (XL_SORT_TILE + XL_SORT_TILE / 32)

/* What one work-item holds. */
typedef struct xl_held {
    XL_SORT_KEY key[XL_SORT_HELD];
#if XL_SORT_VALUES
    uint value[XL_SORT_HELD];
#endif
} xl_held;

/* The group's local memory. */
typedef struct xl_sort_local {
    __local XL_SORT_KEY *key;
    __local uint *value;
} xl_sort_local;

/* Position of element e in layout s. In a mirrored layout the upper half of the
 * elements stands where the flip of the lower half points to. */
uint xl_sort_position(uint e, uint s, bool mirrored)
{
    uint w = (uint)get_local_id(0);
    uint below = (1u << s) - 1u;
    uint low = w & below;
    if (mirrored && e >= XL_SORT_HELD / 2)
        low ^= below;
    return (w >> s) << (s + XL_SORT_HELD_LOG) | e << s | low;
}

/* Bits that a sub-group covers, 0 where lanes cannot exchange or do not tile the group. */
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

/* Changes the layout: where the held elements stand, then where they shall. Each call starts from
 * the layout in which the last one ended, so that a work-item writes where only itself has read. */
void xl_sort_exchange(xl_held *held, xl_sort_local local_, uint from, bool from_mirrored, uint to,
                      bool to_mirrored)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; ++e) {
        uint at = xl_sort_position(e, from, from_mirrored);
        local_.key[at + at / 32u] = held->key[e];
#if XL_SORT_VALUES
        local_.value[at + at / 32u] = held->value[e];
#endif
    }
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; ++e) {
        uint at = xl_sort_position(e, to, to_mirrored);
        held->key[e] = local_.key[at + at / 32u];
#if XL_SORT_VALUES
        held->value[e] = local_.value[at + at / 32u];
#endif
    }
}

/* One comparator in registers. */
void xl_sort_order(xl_held *held, uint low, uint high)
{
    XL_SORT_KEY a = held->key[low], b = held->key[high];
#if XL_SORT_VALUES
    bool swap = a > b;
    uint x = held->value[low], y = held->value[high];
    held->key[low] = swap ? b : a;
    held->key[high] = swap ? a : b;
    held->value[low] = swap ? y : x;
    held->value[high] = swap ? x : y;
#else
    held->key[low] = min(a, b);
    held->key[high] = max(a, b);
#endif
}

/* The flip among groups of 2^p held elements. */
void xl_sort_flip(xl_held *held, uint p)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_HELD / 2; ++pair) {
        uint low = pair >> (p - 1u) << p | (pair & ((1u << (p - 1u)) - 1u));
        xl_sort_order(held, low, low ^ ((1u << p) - 1u));
    }
}

/* The step on held bit b. */
void xl_sort_step(xl_held *held, uint b)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_HELD / 2; ++pair) {
        uint low = pair >> b << (b + 1u) | (pair & ((1u << b) - 1u));
        xl_sort_order(held, low, low | 1u << b);
    }
}

/* The steps on the held bits below `bits`. Written out, because a compiler that does not
 * unroll a loop over them puts what is held into memory. */
void xl_sort_halve(xl_held *held, uint bits)
{
#if XL_SORT_HELD_LOG > 4
    if (bits > 4)
        xl_sort_step(held, 4);
#endif
#if XL_SORT_HELD_LOG > 3
    if (bits > 3)
        xl_sort_step(held, 3);
#endif
#if XL_SORT_HELD_LOG > 2
    if (bits > 2)
        xl_sort_step(held, 2);
#endif
#if XL_SORT_HELD_LOG > 1
    if (bits > 1)
        xl_sort_step(held, 1);
#endif
    if (bits > 0)
        xl_sort_step(held, 0);
}

#if XL_LANE_WAY != 0
XL_SORT_KEY xl_sort_shuffle(XL_SORT_KEY key, uint mask)
{
#if XL_SORT_WIDE_KEY
    return xl_lane_shuffle_xor64(key, mask);
#else
    return xl_lane_shuffle_xor(key, mask);
#endif
}

/* One side of a comparator between lanes: keeps the larger if `upper`. Both sides turn
 * the order around alike, so that neither takes an equal key. */
void xl_sort_keep(xl_held *held, uint e, XL_SORT_KEY key, uint value, bool upper)
{
    XL_SORT_KEY mine = held->key[e];
#if XL_SORT_VALUES
    XL_SORT_KEY turn = upper ? (XL_SORT_KEY)0 - 1 : 0;
    bool take = (mine ^ turn) > (key ^ turn);
    held->key[e] = take ? key : mine;
    held->value[e] = take ? value : held->value[e];
#else
    held->key[e] = upper ? max(mine, key) : min(mine, key);
#endif
}

/* A step between lanes that differ in the bits of `mask`; with `flip`, element e meets
 * the element of the other lane that the flip points to. */
void xl_sort_order_lanes(xl_held *held, uint mask, bool upper, bool flip)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD / 2; ++e) {
        uint f = XL_SORT_HELD - 1u - e;
        XL_SORT_KEY key_e = xl_sort_shuffle(held->key[e], mask);
        XL_SORT_KEY key_f = xl_sort_shuffle(held->key[f], mask);
#if XL_SORT_VALUES
        uint value_e = xl_lane_shuffle_xor(held->value[e], mask);
        uint value_f = xl_lane_shuffle_xor(held->value[f], mask);
#else
        uint value_e = 0, value_f = 0;
#endif
        xl_sort_keep(held, e, flip ? key_f : key_e, flip ? value_f : value_e, upper);
        xl_sort_keep(held, f, flip ? key_e : key_f, flip ? value_e : value_f, upper);
    }
}
#endif

/* Steps between lanes on lane bits below `bits`. */
void xl_sort_halve_lanes(xl_held *held, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_order_lanes(held, 1u << bits, lane >> bits & 1u, false);
#endif
}

#if XL_LANE_WAY != 0
/* A step between lanes that differ in `mask` at half the price, for it moves elements:
 * of two neighbours in registers the lower lane gives away the second and the upper lane
 * the first, so that each lane has one whole comparator. What stood in different lanes
 * then stands in different registers and the other way round. */
void xl_sort_trade(xl_held *held, uint mask, bool upper)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; e += 2) {
        XL_SORT_KEY keep = upper ? held->key[e + 1] : held->key[e];
        XL_SORT_KEY give = upper ? held->key[e] : held->key[e + 1];
        XL_SORT_KEY get = xl_sort_shuffle(give, mask);
#if XL_SORT_VALUES
        uint keep_value = upper ? held->value[e + 1] : held->value[e];
        uint give_value = upper ? held->value[e] : held->value[e + 1];
        uint get_value = xl_lane_shuffle_xor(give_value, mask);
        /* Equal keys stay in place: what an upper lane keeps is above what it gets. */
        bool get_first = keep > get || (upper && keep == get);
        held->key[e] = get_first ? get : keep;
        held->key[e + 1] = get_first ? keep : get;
        held->value[e] = get_first ? get_value : keep_value;
        held->value[e + 1] = get_first ? keep_value : get_value;
#else
        held->key[e] = min(keep, get);
        held->key[e + 1] = max(keep, get);
#endif
    }
}
#endif

/* All steps below bit `bits` in layout `bits`, which a sub-group covers. Each trade puts
 * the bit it compares into the registers' lowest bit and that one's into the lane. */
void xl_sort_trade_lanes(xl_held *held, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_trade(held, 1u << bits, lane >> bits & 1u);
#endif
}

/* Where element e of a work-item stands after that: bit 0 is in the registers, and bits
 * 1 .. lane_bits are the lane. */
uint xl_sort_traded_position(uint e, uint lane_bits)
{
    uint w = (uint)get_local_id(0);
    uint lane = w & ((1u << lane_bits) - 1u);
    return (w >> lane_bits) << (lane_bits + XL_SORT_HELD_LOG) | (e >> 1) << (lane_bits + 1u) |
           lane << 1 | (e & 1u);
}

/* Phase p, which is above what one item holds, from layout 0 to layout 0. */
void xl_sort_phase(xl_held *held, xl_sort_local local_, uint lane_bits, uint p)
{
    uint reach = XL_SORT_HELD_LOG + lane_bits;
    uint todo = p; /* steps on bits below this one are still to be done */
    if (p > reach) {
        uint at = p - XL_SORT_HELD_LOG;
        xl_sort_exchange(held, local_, 0, false, at, true);
        xl_sort_flip(held, XL_SORT_HELD_LOG);
        xl_sort_halve(held, XL_SORT_HELD_LOG - 1u);
        bool mirrored = true;
        for (todo = at; todo > reach; todo = at) {
            uint next = todo - XL_SORT_HELD_LOG;
            xl_sort_exchange(held, local_, at, mirrored, next, false);
            xl_sort_halve(held, XL_SORT_HELD_LOG);
            mirrored = false;
            at = next;
        }
        xl_sort_exchange(held, local_, at, mirrored, 0, false);
    }
#if XL_LANE_WAY != 0
    else {
        uint top = p - XL_SORT_HELD_LOG - 1u;
        xl_sort_order_lanes(held, (2u << top) - 1u, xl_lane_id() >> top & 1u, true);
        todo = p - 1u;
    }
#endif
    if (todo > XL_SORT_HELD_LOG)
        xl_sort_halve_lanes(held, todo - XL_SORT_HELD_LOG);
    xl_sort_halve(held, XL_SORT_HELD_LOG);
}

/* Sorts a tile that is held in layout 0; it ends in layout XL_SORT_GROUP_LOG. */
void xl_group_sort(xl_held *held, xl_sort_local local_)
{
    uint lane_bits = xl_sort_lane_bits();
#pragma unroll
    for (uint p = 1; p <= XL_SORT_HELD_LOG; ++p) {
        xl_sort_flip(held, p);
        xl_sort_halve(held, p - 1u);
    }
#pragma unroll 1
    for (uint p = XL_SORT_HELD_LOG + 1u; p <= XL_SORT_TILE_LOG; ++p)
        xl_sort_phase(held, local_, lane_bits, p);
    xl_sort_exchange(held, local_, 0, false, XL_SORT_GROUP_LOG, false);
}

/* Sorts a tile that is held in layout XL_SORT_GROUP_LOG and falls, then rises. Then
 * elements stand where xl_sort_traded_position() says for the bits it returns. */
uint xl_group_merge(xl_held *held, xl_sort_local local_)
{
    uint lane_bits = xl_sort_lane_bits();
    uint at = XL_SORT_GROUP_LOG;
    xl_sort_halve(held, XL_SORT_HELD_LOG);
#pragma unroll 1
    while (at > lane_bits) {
        /* A window that also covers bits already done compares what is in order. */
        uint next = (uint)max((int)at - XL_SORT_HELD_LOG, (int)lane_bits);
        xl_sort_exchange(held, local_, at, false, next, false);
        xl_sort_halve(held, XL_SORT_HELD_LOG);
        at = next;
    }
    xl_sort_trade_lanes(held, lane_bits);
    return lane_bits;
}
