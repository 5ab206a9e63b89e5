/* SPDX-License-Identifier: MIT
 * A tile of a pass of a radix sort, held by a work-group: its keys are counted and ranked by their
 * digit, put into this order in local memory, and stored from there, so that adjacent work-items
 * store to adjacent places.
 *
 * The ranks are stable. Each sub-group counts its elements in separate counters. The counters then
 * become the places where its elements of each digit begin, and it ranks its elements in their
 * order: of the lanes with the same digit, one adds their number to the counter, and gives the
 * others its old value. After Merrill and Grimshaw, "High performance and scalable radix sorting"
 * (Parallel Processing Letters 21:2, 2011), with the ballots and the early counts of Adinets and
 * Merrill, "Onesweep" (arXiv 2206.01784, 2022).
 *
 * Element i of lane l of sub-group g is number (g * XL_ITEMS + i) * lanes + l of the tile.
 * Work-item d, below XL_DIGITS, has digit d.
 *
 * All work-items call, in this order:
 *   xl_radix_tile_clear()   a barrier must follow
 *   xl_radix_tile_count()   returns how many elements have this work-item's digit
 *   xl_radix_tile_order()   returns where they begin in the tile
 *   shared->offset[digit] = where they go - where they begin; a barrier must follow
 *   xl_radix_tile_store() */
#ifndef XL_RADIX_TILE
#define XL_RADIX_TILE

/* Scans and look-back sum counts. For other primitives the host defines the same names
 * (lib/element/element.c). */
#define XL_E uint
#define XL_E_BYTES 4
#define XL_E_ALIGNMENT 4
#define XL_OP(a, b) ((a) + (b))
#define XL_COMMUTES 1
#define XL_HAS_IDENTITY 1
XL_E xl_identity_e(void)
{
    return (XL_E)(0);
}

#include "../group/group_scan.cl"
#include "radix_passes.cl"

/* ---- the lanes of a sub-group with the same digit ---- */

/* By one ballot per bit: on GPUs this is faster than an instruction that compares whole words, if
 * there are four different digits or more. One of these lanes then acts for all. All lanes must
 * call these functions together. */

/* One bit per lane. */
#if XL_LANE_WAY == 2
typedef uint xl_lane_set;
#else
typedef ulong xl_lane_set;
#endif

/* The lanes with this lane's digit; digits have `bits` bits. */
xl_lane_set xl_lane_match(uint digit, const uint bits)
{
#if XL_LANE_WAY == 2
    xl_lane_set same = xl_lane_all();
#pragma unroll
    for (uint bit = 0; bit < bits; ++bit) /* four instructions; the compiler makes six */
        __asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0;"
                       " vote.sync.ballot.b32 t, p, %3; @!p not.b32 t, t; and.b32 %0, %0, t; }"
                       : "+r"(same)
                       : "r"(digit), "r"(1u << bit), "r"(xl_lane_all()));
#else
    xl_lane_set same = xl_lane_ballot(true);
    for (uint bit = 0; bit < bits; ++bit) {
        const bool set = (digit >> bit & 1u) != 0;
        const xl_lane_set votes = xl_lane_ballot(set);
        same &= set ? votes : ~votes;
    }
#endif
    return same;
}

/* The number of lanes of a set below this one. */
uint xl_lane_count_below(xl_lane_set set)
{
    return (uint)popcount(set & (((xl_lane_set)1 << xl_lane_id()) - 1));
}

/* Adds the number of lanes of `same`, which all have this counter, to *counter. Returns to each
 * lane the old value plus the number of these lanes below it. The highest lane adds. */
uint xl_lane_count_into(__local uint *counter, xl_lane_set same)
{
    const uint below = xl_lane_count_below(same);
    uint before = 0;
#if XL_LANE_WAY == 2
    uint highest;
    __asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(same));
    __asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p atom.shared.add.u32 %0, [%3], %4; }"
                   : "+r"(before)
                   : "r"(xl_lane_id()), "r"(highest), "r"((uint)(size_t)counter), "r"(below + 1)
                   : "memory");
#else
    const uint highest = 63u - (uint)clz(same);
    if (xl_lane_id() == highest)
        before = atomic_add(counter, below + 1);
#endif
    return xl_lane_shuffle(before, highest) + below;
}

/* ---- ranks ---- */

/* The counters of a sub-group are contiguous. The calls, with barriers between them:
 *   1. xl_group_rank_count()  for all elements; the counters must be 0 before
 *   2. xl_group_rank_total(), xl_group_rank_place()  for all digits, one work-item each
 *   3. xl_group_rank()        for all elements, in their order */

/* The sub-groups that rank together; if their number is a constant, loops over them are unrolled.
 * Without sub-groups, 32 work-items act as one: each of their digits has a mask of the work-items
 * with this digit, in local memory after the counters, with barriers between the steps. */
#if XL_LANE_WAY == 0
#define XL_RANK_GROUPS (XL_GROUP_SIZE / 32)
enum { XL_RANK_WORDS = 2 * XL_RANK_GROUPS * XL_DIGITS };
#define xl_rank_width() 32u
#define xl_rank_group() ((uint)get_local_id(0) / xl_rank_width())
#define xl_rank_lane() ((uint)get_local_id(0) % xl_rank_width())
#else
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_RANK_GROUPS (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_RANK_GROUPS xl_lane_groups()
#endif
enum { XL_RANK_WORDS = XL_MOST_SUB_GROUPS * XL_DIGITS };
#define xl_rank_width() xl_lane_width()
#define xl_rank_group() xl_lane_group()
#define xl_rank_lane() xl_lane_id()
#endif

/* Counts an element of this work-item, by its digit. */
void xl_group_rank_count(uint digit, __local uint *counters)
{
    atomic_inc(counters + xl_rank_group() * XL_DIGITS + digit);
}

/* The number of elements with digit d in all sub-groups. */
uint xl_group_rank_total(const __local uint *counters, uint d)
{
    uint sum = 0;
#pragma unroll
    for (uint group = 0; group < XL_RANK_GROUPS; ++group)
        sum += counters[group * XL_DIGITS + d];
    return sum;
}

/* Replaces the counters of digit d by the places of its first elements in the sub-groups; the first
 * of all is at `first`. */
void xl_group_rank_place(__local uint *counters, uint d, uint first)
{
    uint sum = first;
#pragma unroll
    for (uint group = 0; group < XL_RANK_GROUPS; ++group) {
        const uint count = counters[group * XL_DIGITS + d];
        counters[group * XL_DIGITS + d] = sum;
        sum += count;
    }
}

/* The place in the tile of this work-item's next element, by its digit. */
uint xl_group_rank(uint digit, __local uint *counters)
{
    __local uint *const counter = counters + xl_rank_group() * XL_DIGITS + digit;
#if XL_LANE_WAY == 0
    __local uint *const mask = counter + XL_RANK_GROUPS * XL_DIGITS;
    const uint mine = 1u << xl_rank_lane();
    atomic_or(mask, mine);
    xl_local_barrier();
    const uint same = *mask, first = *counter;
    xl_local_barrier();
    if (same < 2 * mine || mine == 1u << 31) { /* the highest work-item */
        *mask = 0;
        *counter = first + (uint)popcount(same);
    }
    xl_local_barrier();
    return first + (uint)popcount(same & (mine - 1));
#else
    return xl_lane_count_into(counter, xl_lane_match(digit, XL_DIGIT_BITS));
#endif
}

/* ---- the tile ---- */

enum { XL_TILE_KEYS = XL_GROUP_SIZE * XL_ITEMS };
typedef char xl_a_place_in_a_tile_has_16_bits[XL_TILE_KEYS <= 65536 ? 1 : -1];
typedef char xl_a_digit_needs_a_work_item[XL_GROUP_SIZE >= XL_DIGITS ? 1 : -1];

/* Local memory of a group: the counters for ranking, then the keys in the order of their digits,
 * then the values. */
enum {
    XL_VALUE_ROOM = XL_SORT_VALUES ? sizeof(xl_value) : 0,
    XL_ELEMENT_ROOM = XL_TILE_KEYS * (XL_KEY_BYTES < XL_VALUE_ROOM ? XL_VALUE_ROOM : XL_KEY_BYTES),
    XL_RANK_ROOM = 4 * XL_RANK_WORDS,
    XL_RADIX_ROOM = (XL_ELEMENT_ROOM > XL_RANK_ROOM ? XL_ELEMENT_ROOM : XL_RANK_ROOM) / 16 + 1
};

/* Other local memory of a group. `offset`, of each digit: the distance from a key's place in the
 * tile to its place in the target. */
typedef struct xl_radix_shared {
    uint tile, passes, digit_spec;
    xl_place offset[XL_DIGITS];
    uint scan[XL_GROUP_SIZE];
} xl_radix_shared;

/* The elements of a work-item in a tile. Two places share a register. */
enum { XL_PLACES = (XL_ITEMS + 1) / 2 };
typedef struct xl_radix_items {
    XL_KEY key[XL_ITEMS];
    uint place[XL_PLACES];
} xl_radix_items;

typedef struct xl_radix_tile {
    xl_sort_in from;
    xl_sort_out to;
    xl_place n, first;      /* the end of all keys; where the tile begins */
    uint count;             /* number of its keys */
    bool is_input, is_last; /* the first pass; the last pass */
    __local uint4 *room;
    __local xl_radix_shared *shared;
} xl_radix_tile;

/* The digit of a pass as one number. Bits 0 to 7: the lowest bit of the digit. Bits 8 and above,
 * only for a range of bits: how many bits it has, at most 8. */
uint xl_tile_digit_spec_of(const xl_radix *radix, uint pass)
{
    const uint shift = radix->state->shift[pass];
    return XL_BIT_RANGE ? shift | radix->state->bits[pass] << 8 : shift;
}

uint xl_tile_digit(XL_KEY key, uint digit_spec)
{
    const uint digit = (uint)(key >> (digit_spec & (XL_BIT_RANGE ? 63 : ~0u))) & (XL_DIGITS - 1);
    return XL_BIT_RANGE ? digit & ((1u << (digit_spec >> 8)) - 1) : digit;
}

/* Between passes keys are ordinals: mapping a double for each of its digits took a fifth of a
 * sort. */
XL_KEY xl_tile_key(XL_KEY raw, bool is_input)
{
    return is_input ? (XL_KEY)xl_key_map(raw) : raw;
}

/* volatile: read again in each step, because compilers would keep digits in registers besides the
 * keys. */
uint xl_tile_digit_spec(const xl_radix_tile *tile)
{
    return *(const volatile __local uint *)&tile->shared->digit_spec;
}

/* Whether there is such a pass. One work-item reads and broadcasts, so that a concurrent write
 * cannot make work-items diverge at a barrier. `passes` is in local memory. */
bool xl_radix_has_pass(const xl_radix *radix, uint pass, __local uint *passes)
{
    if (get_local_id(0) == 0)
        *passes = radix->state->passes;
    xl_local_barrier();
    return pass < *passes;
}

/* Where the elements of this work-item's digit begin; there are `count` of them. */
xl_place xl_places_before(xl_place count, __local uint *scan)
{
    uint total;
#if XL_LARGE
    /* For numbers below 2^48: sums of 256 numbers of 24 bits fit into 32 bits. */
    const uint low = xl_group_scan_exclusive((uint)count & 0xffffffu, scan, &total);
    const uint high = xl_group_scan_exclusive((uint)(count >> 24), scan, &total);
    return xl_first_place() + ((ulong)high << 24) + low;
#else
    return xl_group_scan_exclusive(count, scan, &total);
#endif
}

uint xl_radix_at(void)
{
    return xl_rank_group() * XL_ITEMS * xl_rank_width() + xl_rank_lane();
}

void xl_radix_tile_clear(__local uint4 *room)
{
    for (uint k = (uint)get_local_id(0); k < XL_RANK_WORDS; k += XL_GROUP_SIZE)
        ((__local uint *)room)[k] = 0;
}

/* Places after the last key get the greatest one, which stays behind all others. */
void xl_radix_load(const xl_radix_tile *tile, XL_KEY *key)
{
    const __global XL_KEY *const from = tile->from.keys + tile->first;
    const uint at = xl_radix_at(), step = xl_rank_width();
    if (tile->count == XL_TILE_KEYS) {
#pragma unroll
        for (uint i = 0; i < XL_ITEMS; ++i)
            key[i] = from[at + i * step];
#pragma unroll
        for (uint i = 0; i < XL_ITEMS; ++i)
            key[i] = xl_tile_key(key[i], tile->is_input);
    } else {
#pragma unroll
        for (uint i = 0; i < XL_ITEMS; ++i) {
            key[i] = (XL_KEY)xl_last_ordinal();
            if (at + i * step < tile->count)
                key[i] = xl_tile_key(from[at + i * step], tile->is_input);
        }
    }
}

uint xl_radix_tile_count(const xl_radix_tile *tile, xl_radix_items *items)
{
    __local uint *const counters = (__local uint *)tile->room;
    const uint item = (uint)get_local_id(0), digit_spec = xl_tile_digit_spec(tile);
    xl_radix_load(tile, items->key);
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        xl_group_rank_count(xl_tile_digit(items->key[i], digit_spec), counters);
    xl_local_barrier();
    return item < XL_DIGITS ? xl_group_rank_total(counters, item) : 0;
}

uint xl_radix_place(const xl_radix_items *items, uint i)
{
    return items->place[i / 2] >> i % 2 * 16 & 0xffffu;
}

/* `sum`: the result of xl_radix_tile_count(). Leaves the keys in local memory. */
uint xl_radix_tile_order(const xl_radix_tile *tile, xl_radix_items *items, uint sum)
{
    __local uint *const counters = (__local uint *)tile->room;
    __local XL_KEY *const keys = (__local XL_KEY *)tile->room;
    const uint item = (uint)get_local_id(0);
    uint total;
    const uint begin = xl_group_scan_exclusive(sum, tile->shared->scan, &total);
    if (item < XL_DIGITS)
        xl_group_rank_place(counters, item, begin);
    xl_local_barrier();

    const uint digit_spec = xl_tile_digit_spec(tile);
#pragma unroll
    for (uint i = 0; i < XL_PLACES; ++i)
        items->place[i] = 0;
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        items->place[i / 2] |= xl_group_rank(xl_tile_digit(items->key[i], digit_spec), counters)
                               << i % 2 * 16;
    xl_local_barrier();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        keys[xl_radix_place(items, i)] = items->key[i];
    return begin;
}

/* The place in the target of the key at place `at` of a tile; not below n: it is not stored. */
xl_place xl_radix_target_of(const xl_radix_tile *tile, uint digit, uint at)
{
    return at < tile->count ? tile->shared->offset[digit] + at : ~(xl_place)0;
}

#if XL_SORT_VALUES
/* The value of key `at` of the tile; indices are generated in the first pass. A pointer to the
 * tile, to which small numbers are added, makes a sort of pairs 2 % faster on an H200. */
xl_value xl_tile_value(const xl_radix_tile *tile, uint at)
{
    if (XL_SORT_INDICES && tile->is_input)
        return (xl_value)(tile->first + at - xl_first_place());
    return (tile->from.values + tile->first)[at];
}
#endif

enum { XL_PACKED_DIGITS = (XL_ITEMS + 3) / 4 };
void xl_radix_tile_store(const xl_radix_tile *tile, const xl_radix_items *items)
{
    const __local XL_KEY *const keys = (const __local XL_KEY *)tile->room;
    const uint item = (uint)get_local_id(0), digit_spec = xl_tile_digit_spec(tile);
#if XL_SORT_VALUES
    uint digits[XL_PACKED_DIGITS] = {0}; /* four in a register */
#endif
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i) {
        const uint at = i * XL_GROUP_SIZE + item;
        const XL_KEY key = keys[at];
        const uint digit = xl_tile_digit(key, digit_spec);
        const xl_place to = xl_radix_target_of(tile, digit, at);
        if (to < tile->n && !(xl_values_only() && tile->is_last))
            tile->to.keys[to] = tile->is_last ? xl_key_unmap(key) : key;
#if XL_SORT_VALUES
        digits[i / 4] |= digit << i % 4 * 8;
#endif
    }
#if XL_SORT_VALUES
    /* Values are read late on purpose: if they were read before keys are stored, both would occupy
     * registers. */
    __local xl_value *const values = (__local xl_value *)tile->room;
    const uint first = xl_radix_at(), step = xl_rank_width();
    xl_value value[XL_ITEMS];
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        if (first + i * step < tile->count)
            value[i] = xl_tile_value(tile, first + i * step);
    xl_local_barrier();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        values[xl_radix_place(items, i)] = value[i];
    xl_local_barrier();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i) {
        const uint at = i * XL_GROUP_SIZE + item;
        const xl_place to =
            xl_radix_target_of(tile, digits[i / 4] >> i % 4 * 8 & (XL_DIGITS - 1), at);
        if (to < tile->n)
            tile->to.values[to] = values[at];
    }
#endif
}

#endif
