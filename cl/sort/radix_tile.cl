/* SPDX-License-Identifier: MIT
 * A tile of a pass of a radix sort, held by a work-group: its keys are counted and ranked by their
 * digit, put into this order in local memory, and stored from there, so that adjacent work-items
 * store to adjacent places.
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

#include "radix_passes.cl"

#include "../group/group_rank.cl"
#include "../group/group_scan.cl"

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
            value[i] = xl_radix_value(tile->from, tile->first + first + i * step, tile->is_input);
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
