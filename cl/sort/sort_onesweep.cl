/* SPDX-License-Identifier: MIT
 * Radix sort, stable, lowest digit first, one launch and one read and write of the keys for each
 * digit: a work-group ranks a tile's keys by their digit, learns by look-back how many of each
 * digit stand in the tiles before, and moves its keys there (Adinets and Merrill, "Onesweep: a
 * faster least significant digit radix sort for GPUs", arXiv 2206.01784, 2022).
 *
 *   xl_radix_clear      sets counters and tile descriptors to 0
 *   xl_radix_histogram  counts all digits of all keys; the last work-group to end finds the passes:
 *                       digits that are the same in all keys need none
 *   xl_radix_sweep      one pass
 *
 * The counts of a tile's digits are the columns of its descriptor (cl/tile/tile_descriptor.cl). A
 * ring of descriptors is enough: a tile whose place another one has taken looks as if it had not
 * begun, and its keys, which nobody writes during the pass, are counted again by who waits for it.
 * Keys that somebody changes meanwhile come out in any order, and nothing is written outside the
 * arrays. */
#include "radix_passes.cl"

#define XL_RANK_COUNTERS (XL_MOST_SUB_GROUPS * XL_DIGITS)
#define XL_TILE_KEYS (XL_GROUP_SIZE * XL_ITEMS)
#if XL_TILE_KEYS > 65536
#error "a place in a tile has 16 bits"
#endif
#define XL_KEY_DIGITS (XL_KEY_BITS / XL_DIGIT_BITS)

/* Where the keys come from, for those who count a tile again. */
typedef struct xl_source {
    const __global XL_KEY *keys;
    uint n, shift, digit;
} xl_source;
#define XL_SOURCE xl_source
#define XL_LOOKBACK_SCOPE 0
#define XL_COLUMNS XL_DIGITS
#define XL_RING XL_RING_TILES
#define XL_LOOKBACK_DEPTH XL_SWEEP_DEPTH
#include "../group/group_rank.cl"
#include "../group/group_scan.cl"

uint xl_sweep_digit(XL_KEY raw, uint shift)
{
    return xl_radix_digit(raw, shift, XL_DIGITS - 1);
}

uint xl_source_aggregate(const xl_source *source, uint tile)
{
    const uint first = tile * XL_TILE_KEYS;
    const uint count = min(source->n - first, (uint)XL_TILE_KEYS);
    uint sum = 0;
    for (uint i = 0; i < count; ++i)
        sum += xl_sweep_digit(source->keys[first + i], source->shift) == source->digit;
    return sum;
}

#include "../tile/tile_prefix.cl"

/* Behind the state of cl/sort/radix_passes.cl, in scratch. The host counts the same:
 * lib/sort/sort_shape.c. */
typedef struct xl_sweep_state {
    ulong header[9][XL_HEADER_WORDS]; /* of each pass, and of the histogram */
    uint count[8][XL_DIGITS];         /* of each digit of the keys: how many have which */
    uint start[8][XL_DIGITS];         /* of each pass: where its digits begin */
    ulong tiles[1];                   /* XL_RING_TILES descriptors of XL_DIGITS words, or fewer */
} xl_sweep_state;
#define XL_SWEEP_STATE(radix)                                                                      \
    ((__global xl_sweep_state *)((__global uchar *)(radix)->state + XL_RADIX_STATE_BYTES))

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

__kernel XL_REQUIRED void xl_radix_clear(__global uchar *scratch, ulong state, ulong words)
{
    xl_descriptors_clear((__global ulong *)(scratch + state), words);
}

/* ---- the histogram ---- */

/* Counts the digits of the keys from `begin` to before `end`. */
void xl_histogram_count(const __global XL_KEY *keys, uint begin, uint end, __local uint *counters)
{
    enum { AHEAD = 8 };
    for (uint i = begin + (uint)get_local_id(0); i < end; i += AHEAD * XL_GROUP_SIZE) {
        XL_KEY key[AHEAD];
#pragma unroll
        for (uint k = 0; k < AHEAD; ++k)
            if (k * XL_GROUP_SIZE < end - i)
                key[k] = keys[i + k * XL_GROUP_SIZE];
#pragma unroll
        for (uint k = 0; k < AHEAD; ++k) {
            if (k * XL_GROUP_SIZE >= end - i)
                continue;
            const XL_ORDINAL mapped = xl_key_map(key[k]);
#pragma unroll
            for (uint d = 0; d < XL_KEY_DIGITS; ++d)
                atomic_inc(counters + d * XL_DIGITS +
                           ((uint)(mapped >> (d * XL_DIGIT_BITS)) & (XL_DIGITS - 1)));
        }
    }
}

/* Whether this is the last work-group to come here, all of whose counts then are seen. */
bool xl_histogram_is_last(__global ulong *header, __local uint *shared)
{
    XL_FULL_BARRIER();
    if (get_local_id(0) == 0) {
        xl_device_fence();
        *shared = atomic_inc((volatile __global uint *)header + XL_DONE);
        xl_device_fence();
    }
    XL_FULL_BARRIER();
    return *shared == (uint)get_num_groups(0) - 1;
}

/* The passes: of digits that are not the same in all keys, or as many more as it takes for the last
 * pass to write the output: one at least out of place, an even number in place, and of these two at
 * least where keys or values are apart. `same`: a flag for each digit. pass_of: of each digit its
 * pass, or ~0; at [XL_KEY_DIGITS] that of none at all, which keys of one digit may need. */
void xl_passes_choose(const xl_radix *radix, const __local uint *same, __local uint *pass_of)
{
    uint passes = 0, needed = 0;
    for (uint d = 0; d < XL_KEY_DIGITS; ++d)
        needed += same[d] == 0;
    needed = radix->in_place ? needed + needed % 2 : needed;
    if (radix->moves)
        needed = max(needed, radix->in_place ? 2u : 1u);
    uint spare = needed;
    for (uint d = 0; d < XL_KEY_DIGITS; ++d)
        spare -= same[d] == 0;
    for (uint d = 0; d < XL_KEY_DIGITS; ++d) {
        pass_of[d] = ~0u;
        if (same[d] != 0 && spare == 0)
            continue;
        spare -= same[d] != 0;
        pass_of[d] = passes;
        radix->state->shift[passes] = d * XL_DIGIT_BITS;
        radix->state->bits[passes++] = XL_DIGIT_BITS;
    }
    pass_of[XL_KEY_DIGITS] = ~0u;
    if (passes < needed) {
        pass_of[XL_KEY_DIGITS] = passes;
        radix->state->shift[passes++] = XL_KEY_BITS;
    }
    radix->state->passes = passes;
}

__kernel XL_REQUIRED void xl_radix_histogram(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint counters[XL_KEY_DIGITS * XL_DIGITS], shared, same[8], pass_of[9];
    __local uint scratch_scan[XL_GROUP_SCRATCH];
    __global xl_sweep_state *const sweep = XL_SWEEP_STATE(&radix);
    const uint item = (uint)get_local_id(0);
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE)
        counters[k] = 0;
    XL_LOCAL_BARRIER();
    xl_histogram_count(radix.in.keys, radix.begin, radix.end, counters);
    XL_LOCAL_BARRIER();
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE)
        if (counters[k] != 0)
            atomic_add(&sweep->count[k / XL_DIGITS][k % XL_DIGITS], counters[k]);
    if (!xl_histogram_is_last(sweep->header[8], &shared))
        return;
    if (item < 8)
        same[item] = 0;
    XL_LOCAL_BARRIER();
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE) {
        counters[k] = atomic_or(&sweep->count[k / XL_DIGITS][k % XL_DIGITS], 0);
        if (counters[k] == n)
            same[k / XL_DIGITS] = 1;
    }
    XL_LOCAL_BARRIER();
    if (item == 0)
        xl_passes_choose(&radix, same, pass_of);
    XL_LOCAL_BARRIER();
    if (item < XL_DIGITS && pass_of[XL_KEY_DIGITS] != ~0u)
        sweep->start[pass_of[XL_KEY_DIGITS]][item] = 0;
    for (uint d = 0; d < XL_KEY_DIGITS; ++d) {
        uint total;
        const uint count = item < XL_DIGITS ? counters[d * XL_DIGITS + item] : 0;
        const uint start = xl_group_scan_exclusive(count, scratch_scan, &total);
        if (item < XL_DIGITS && pass_of[d] != ~0u)
            sweep->start[pass_of[d]][item] = start;
    }
}

/* ---- a pass ---- */

typedef struct xl_sweep {
    xl_sort_in from;
    xl_sort_out to;
    uint n, pass;
    uint tile, first, count; /* the tile, its first key, and how many it has */
} xl_sweep;

/* Element 0 of this work-item in the tile; from one to the next it is a sub-group's lanes. */
uint xl_sweep_at(void)
{
    return xl_lane_group() * XL_ITEMS * xl_lane_width() + xl_lane_id();
}

/* Past the last key stands the greatest, which stays behind all others. */
void xl_sweep_load(const xl_sweep *sweep, XL_KEY *key)
{
    const __global XL_KEY *const from = sweep->from.keys + sweep->first;
    const uint at = xl_sweep_at(), step = xl_lane_width();
    if (sweep->count == XL_TILE_KEYS) {
#pragma unroll
        for (uint i = 0; i < XL_ITEMS; ++i)
            key[i] = from[at + i * step];
    } else {
#pragma unroll
        for (uint i = 0; i < XL_ITEMS; ++i) {
            key[i] = xl_key_unmap(XL_LAST_ORDINAL);
            if (at + i * step < sweep->count)
                key[i] = from[at + i * step];
        }
    }
}

#if XL_SORT_VALUES
void xl_sweep_load_values(const xl_sweep *sweep, uint *value)
{
    const __global uint *const from = sweep->from.values + sweep->first;
    const uint at = xl_sweep_at(), step = xl_lane_width();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        if (at + i * step < sweep->count)
            value[i] = from[at + i * step];
}
#endif

void xl_sweep_begin(xl_sweep *sweep, const xl_radix *radix, uint n, uint pass, uint tile)
{
    sweep->from = xl_radix_source(radix, pass);
    sweep->to = xl_radix_target(radix, pass);
    sweep->n = n;
    sweep->pass = pass;
    sweep->tile = tile;
    sweep->first = tile * XL_TILE_KEYS;
    sweep->count = min(n - sweep->first, (uint)XL_TILE_KEYS);
}

/* For one digit. Made where it is used: before, it would take registers from the keys. */
xl_lookback xl_sweep_lookback(const xl_sweep *sweep, __global xl_sweep_state *state, uint shift,
                              uint digit)
{
    const uint tiles = XL_CEIL_DIV(sweep->n, XL_TILE_KEYS);
    xl_lookback lookback;
    lookback.header = state->header[sweep->pass];
    lookback.tiles = XL_COLUMN(state->tiles, digit);
    lookback.source.keys = sweep->from.keys;
    lookback.source.n = sweep->n;
    lookback.source.shift = shift;
    lookback.source.digit = digit;
    lookback.start = state->start[sweep->pass][digit];
    lookback.epoch = 1 + sweep->pass * XL_CEIL_DIV(tiles, XL_RING_TILES);
    lookback.single_tile = tiles == 1;
    lookback.in_place = false;
    return lookback;
}

/* Local memory of a group: the counters of its sub-groups, then the keys in the order of their
 * digits, then the values. */
#define XL_KEY_ROOM (XL_TILE_KEYS * sizeof(XL_KEY))
#define XL_COUNTER_ROOM (XL_RANK_COUNTERS * sizeof(uint))
#define XL_SWEEP_ROOM ((XL_KEY_ROOM > XL_COUNTER_ROOM ? XL_KEY_ROOM : XL_COUNTER_ROOM) / 16 + 1)

/* What a group shares beside that. `offset`: of each digit, from a key's place in the tile to its
 * place in the target. */
typedef struct xl_sweep_shared {
    uint tile, shift, offset[XL_DIGITS], scan[XL_GROUP_SCRATCH];
} xl_sweep_shared;

/* Places in a tile, two in a register, and digits, four in one. */
#define XL_PLACES ((XL_ITEMS + 1) / 2)
#define XL_PACKED_DIGITS ((XL_ITEMS + 3) / 4)
uint xl_place(const uint *place, uint i)
{
    return place[i / 2] >> i % 2 * 16 & 0xffffu;
}

/* Where the key in place `at` of a tile goes; at or past n: nowhere. */
uint xl_sweep_target(const xl_sweep *sweep, const __local xl_sweep_shared *shared, uint digit,
                     uint at)
{
    return at < sweep->count ? shared->offset[digit] + at : ~0u;
}

void xl_sweep_tile(const xl_sweep *sweep, __global xl_sweep_state *state, __local uint4 *room,
                   __local xl_sweep_shared *shared)
{
    const uint item = (uint)get_local_id(0);
    const bool has_digit = item < XL_DIGITS;
    __local uint *const counters = (__local uint *)room;
    __local XL_KEY *const keys = (__local XL_KEY *)room;
    XL_KEY key[XL_ITEMS];
    /* Read anew each time: compilers would keep digits in registers instead of keys alone. */
    const volatile __local uint *const shift = &shared->shift;
    uint place[XL_PLACES] = {0}, total, bits = *shift;

    xl_sweep_load(sweep, key);
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        xl_group_rank_count(xl_sweep_digit(key[i], bits), counters);
    XL_LOCAL_BARRIER();

    /* A work-item has a digit. It publishes the count before keys are ranked: when that is done the
     * tiles before have published theirs, and hardly anyone waits. */
    bits = *shift;
    const xl_lookback lookback = xl_sweep_lookback(sweep, state, bits, item % XL_DIGITS);
    const uint sum = has_digit ? xl_group_rank_total(counters, item) : 0;
    if (has_digit && !lookback.single_tile)
        xl_aggregate_publish(&lookback, sweep->tile, sum, true);
    const uint first = xl_group_scan_exclusive(sum, shared->scan, &total);
    if (has_digit)
        xl_group_rank_place(counters, item, first);
    XL_LOCAL_BARRIER();

    bits = *shift;
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        place[i / 2] |= xl_group_rank(xl_sweep_digit(key[i], bits), counters) << i % 2 * 16;
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        keys[xl_place(place, i)] = key[i];
#if XL_SORT_VALUES
    uint value[XL_ITEMS], digits[XL_PACKED_DIGITS] = {0};
    xl_sweep_load_values(sweep, value);
#endif
    if (has_digit)
        shared->offset[item] = xl_prefix_wait(&lookback, sweep->tile, sum, true) - first;
    XL_LOCAL_BARRIER();

#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i) {
        const uint at = i * XL_GROUP_SIZE + item;
        const XL_KEY raw = keys[at];
        const uint digit = xl_sweep_digit(raw, bits);
        const uint to = xl_sweep_target(sweep, shared, digit, at);
        if (to < sweep->n)
            sweep->to.keys[to] = raw;
#if XL_SORT_VALUES
        digits[i / 4] |= digit << i % 4 * 8;
#endif
    }
#if XL_SORT_VALUES
    __local uint *const values = (__local uint *)room;
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i)
        values[xl_place(place, i)] = value[i];
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i) {
        const uint at = i * XL_GROUP_SIZE + item;
        const uint to =
            xl_sweep_target(sweep, shared, digits[i / 4] >> i % 4 * 8 & (XL_DIGITS - 1), at);
        if (to < sweep->n)
            sweep->to.values[to] = values[at];
    }
#endif
}

__kernel XL_REQUIRED void xl_radix_sweep(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint4 room[XL_SWEEP_ROOM];
    __local xl_sweep_shared shared;
    __global xl_sweep_state *const sweep_state = XL_SWEEP_STATE(&radix);
    if (get_local_id(0) == 0) /* even if there is no such pass: not to wait twice */
        shared.tile = xl_ticket_take(sweep_state->header[pass]);
    if (get_local_id(0) == 1)
        shared.shift = radix.state->shift[pass];
    for (uint k = (uint)get_local_id(0); k < XL_RANK_COUNTERS; k += XL_GROUP_SIZE)
        ((__local uint *)room)[k] = 0;
    const bool needed = pass < radix.state->passes;
    XL_LOCAL_BARRIER();
    if (!needed || shared.tile >= XL_CEIL_DIV(n, XL_TILE_KEYS))
        return;
    xl_sweep sweep;
    xl_sweep_begin(&sweep, &radix, n, pass, shared.tile);
    xl_sweep_tile(&sweep, sweep_state, room, &shared);
}
