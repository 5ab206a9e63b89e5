/* SPDX-License-Identifier: MIT
 * Radix sort, stable, least significant digit first, with one launch and one read and write of the
 * keys per digit. A work-group ranks the keys of a tile by their digit, finds by look-back how many
 * keys of each digit are in earlier tiles, and moves its keys (Adinets and Merrill, "Onesweep: a
 * faster least significant digit radix sort for GPUs", arXiv 2206.01784, 2022).
 *
 *   xl_radix_clear      sets counters and tile descriptors to 0
 *   xl_radix_histogram  counts all digits of all keys; the last work-group to finish chooses the
 *                       passes: a digit that is the same in all keys needs none
 *   xl_radix_sweep      one pass
 *
 * A tile's counts of digits are the columns of its descriptor (cl/tile/tile_prefix.cl). A ring
 * of descriptors is enough: if another tile has taken the place of a tile, that one looks EMPTY,
 * and a work-item that waits for it counts its keys again; keys do not change during the pass. The
 * counts of a descriptor have 32 bits. So a pass of a large sort is one launch for each part of
 * XL_PART_TILES tiles, whose last tile writes where each digit continues in the next part.
 *
 * If another kernel changes the keys concurrently, their order is unspecified, but nothing is
 * written outside the arrays. */
#include "radix_tile.cl"

enum { XL_KEY_DIGITS = XL_KEY_BITS / XL_DIGIT_BITS, XL_HALVES = XL_LARGE ? 2 : 1 };

/* The source of the keys, for a work-item that counts a tile again. */
typedef struct xl_source {
    const __global XL_KEY *keys;
    uint n, digit_spec, digit;
    bool is_input;
} xl_source;
#define XL_LOOKBACK_SCOPE 0
#define XL_COLUMNS XL_DIGITS
#define XL_RING XL_RING_TILES
#define XL_LOOKBACK_DEPTH XL_SWEEP_DEPTH

uint xl_source_aggregate(const xl_source *source, uint tile)
{
    const uint first = tile * XL_TILE_KEYS;
    const uint count = min(source->n - first, (uint)XL_TILE_KEYS);
    uint sum = 0;
    for (uint i = 0; i < count; ++i)
        sum += xl_tile_digit(xl_tile_key(source->keys[first + i], source->is_input),
                             source->digit_spec) == source->digit;
    return sum;
}

#include "../tile/tile_prefix.cl"

/* After the state of cl/sort/radix_passes.cl, in the scratch. The host computes the same:
 * lib/sort/sort_shape.c. */
typedef struct xl_sweep_state {
    ulong header[9][XL_HEADER_WORDS]; /* of each pass, and of the histogram */
    /* For each digit of the keys, how many keys have each value of it; for a large sort, the lower
     * and the upper halves of these numbers. */
    uint count[XL_HALVES][8][XL_DIGITS];
    /* For each pass, where its digits begin; for a large sort, where they continue in even and in
     * odd parts. */
    xl_place start[XL_HALVES][8][XL_DIGITS];
    ulong tiles[1]; /* XL_RING_TILES descriptors of XL_DIGITS words, or fewer */
} xl_sweep_state;

__global xl_sweep_state *xl_sweep_state_of(const xl_radix *radix)
{
    return (__global xl_sweep_state *)((__global uchar *)radix->state + XL_RADIX_STATE_BYTES);
}

/* With fewer registers more groups run at a time, and one ranks while another waits: on an H200 a
 * pass over 2^28 u32 keys took 1.18 ms with 56 registers, which fit three groups, and 1.38 with the
 * 80 that NVIDIA's compiler chooses. It ignores a limit in a kernel that requires a group size. */
#if XL_REGISTERS > 0
#define XL_REQUIRED
#else
#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))
#endif

__kernel XL_REQUIRED void xl_radix_clear(__global uchar *scratch, ulong state, ulong words)
{
    xl_descriptors_clear((__global ulong *)(scratch + state), words);
}

/* ---- the histogram ---- */

/* The bits of a key that are sorted by, the first one at bit 0. */
XL_ORDINAL xl_range_ordinal(const xl_radix *radix, XL_KEY raw)
{
    const XL_ORDINAL mapped = xl_key_map(raw);
    if (!XL_BIT_RANGE)
        return mapped;
    const uint bits = radix->end_bit - radix->first_bit;
    return mapped >> radix->first_bit & xl_last_ordinal() >> (8 * sizeof(XL_ORDINAL) - bits);
}

/* Counts the digits of a chunk's keys. */
void xl_histogram_count(const xl_radix *radix, __local uint *counters)
{
    enum { AHEAD = 8 };
    const __global XL_KEY *const keys = radix->in.keys + radix->begin;
    const uint count = (uint)(radix->end - radix->begin);
    for (uint i = (uint)get_local_id(0); i < count; i += AHEAD * XL_GROUP_SIZE) {
        XL_KEY key[AHEAD];
#pragma unroll
        for (uint k = 0; k < AHEAD; ++k)
            if (k * XL_GROUP_SIZE < count - i)
                key[k] = keys[i + k * XL_GROUP_SIZE];
#pragma unroll
        for (uint k = 0; k < AHEAD; ++k) {
            if (k * XL_GROUP_SIZE >= count - i)
                continue;
            const XL_ORDINAL mapped = xl_range_ordinal(radix, key[k]);
#pragma unroll
            for (uint d = 0; d < XL_KEY_DIGITS; ++d)
                atomic_inc(counters + d * XL_DIGITS +
                           ((uint)(mapped >> (d * XL_DIGIT_BITS)) & (XL_DIGITS - 1)));
        }
    }
}

/* Adds to number k of the counts of all digits. */
void xl_count_add(__global xl_sweep_state *sweep, uint k, uint count)
{
    const uint before = atomic_add(&sweep->count[0][0][0] + k, count);
    if (XL_LARGE && before + count < before)
        (void)atomic_inc(&sweep->count[XL_HALVES - 1][0][0] + k);
}

/* All counts, or their lower halves, two in a word. No work-group adds to them any more. */
void xl_counts_read(const __global xl_sweep_state *sweep, __local uint *counters)
{
    const __global ulong *const words = (const __global ulong *)sweep->count;
#pragma unroll
    for (uint w = (uint)get_local_id(0); w < XL_KEY_DIGITS * XL_DIGITS / 2; w += XL_GROUP_SIZE) {
        const uint2 two = as_uint2(xl_relaxed_load(words + w));
        counters[2 * w] = two.x;
        counters[2 * w + 1] = two.y;
    }
}

/* The whole count, whose lower half is `low`. */
xl_place xl_count_whole(__global xl_sweep_state *sweep, uint k, uint low)
{
#if XL_LARGE
    return (ulong)atomic_or(&sweep->count[1][0][0] + k, 0u) << 32 | low;
#else
    return low;
#endif
}

/* Whether this is the last work-group to arrive; it then sees the counts of all. */
bool xl_histogram_is_last(__global ulong *header, __local uint *shared)
{
    xl_full_barrier();
    if (get_local_id(0) == 0) {
        xl_device_fence();
        *shared = atomic_inc((volatile __global uint *)header + XL_DONE);
        xl_device_fence();
    }
    xl_full_barrier();
    return *shared == (uint)get_num_groups(0) - 1;
}

/* Makes digit d the next pass. Beyond the bits that are sorted by, digits are 0. */
void xl_passes_add(const xl_radix *radix, uint pass, uint d)
{
    const uint first = radix->first_bit + d * XL_DIGIT_BITS;
    radix->state->shift[pass] = XL_BIT_RANGE ? min(first, radix->end_bit - 1) : first;
    if (XL_BIT_RANGE)
        radix->state->bits[pass] =
            min(radix->end_bit - min(first, radix->end_bit), (uint)XL_DIGIT_BITS);
}

/* Chooses the passes: one per digit that varies, and as many more as are needed for the last pass
 * to write the output. Out of place: at least one pass. In place: an even number, and at least two
 * if only the keys or only the values are in place. `same`: a flag for each digit. pass_of: the
 * pass of each digit, or ~0; at [XL_KEY_DIGITS] a pass of no digit, which keys of one digit may
 * need. */
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
        xl_passes_add(radix, passes++, d);
    }
    pass_of[XL_KEY_DIGITS] = ~0u;
    if (passes < needed) {
        pass_of[XL_KEY_DIGITS] = passes;
        xl_passes_add(radix, passes++, XL_KEY_DIGITS);
    }
    radix->state->passes = passes;
}

/* Where the elements of each digit begin, for all passes by one scan of all counts: the counts of a
 * digit of the keys add up to n, which is subtracted. Each work-item below XL_DIGITS has
 * XL_KEY_DIGITS consecutive counts. */
void xl_starts_find(__global xl_sweep_state *sweep, xl_place n, const __local uint *counters,
                    const __local uint *pass_of, __local uint *scan)
{
    const uint first = (uint)get_local_id(0) * XL_KEY_DIGITS;
    const bool has_counts = get_local_id(0) < XL_DIGITS;
    xl_place count[XL_KEY_DIGITS], sum = 0;
#pragma unroll
    for (uint k = 0; k < XL_KEY_DIGITS; ++k) {
        count[k] = has_counts ? xl_count_whole(sweep, first + k, counters[first + k]) : 0;
        sum += count[k];
    }
    xl_place start = xl_places_before(sum, scan);
#pragma unroll
    for (uint k = 0; has_counts && k < XL_KEY_DIGITS; ++k) {
        const uint d = (first + k) / XL_DIGITS, pass = pass_of[d];
        if (pass != ~0u)
            sweep->start[0][pass][(first + k) % XL_DIGITS] = start - d * n;
        start += count[k];
    }
}

__kernel XL_REQUIRED void xl_radix_histogram(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint counters[XL_KEY_DIGITS * XL_DIGITS], shared, same[8], pass_of[9];
    __local uint scratch_scan[XL_GROUP_SIZE];
    __global xl_sweep_state *const sweep = xl_sweep_state_of(&radix);
    const uint item = (uint)get_local_id(0);
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE)
        counters[k] = 0;
    xl_local_barrier();
    xl_histogram_count(&radix, counters);
    xl_local_barrier();
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE)
        if (counters[k] != 0)
            xl_count_add(sweep, k, counters[k]);
    if (!xl_histogram_is_last(sweep->header[8], &shared))
        return;
    if (item < 8)
        same[item] = 0;
    xl_local_barrier();
    xl_counts_read(sweep, counters);
    xl_local_barrier();
    for (uint k = item; k < XL_KEY_DIGITS * XL_DIGITS; k += XL_GROUP_SIZE)
        if (xl_count_whole(sweep, k, counters[k]) == n)
            same[k / XL_DIGITS] = 1;
    xl_local_barrier();
    if (item == 0)
        xl_passes_choose(&radix, same, pass_of);
    xl_local_barrier();
    if (item < XL_DIGITS && pass_of[XL_KEY_DIGITS] != ~0u)
        sweep->start[0][pass_of[XL_KEY_DIGITS]][item] = xl_first_place();
    xl_starts_find(sweep, n, counters, pass_of, scratch_scan);
}

/* ---- a pass ---- */

/* The tiles that look back on each other: all of a pass, or those of a part. */
typedef struct xl_sweep_part {
    uint number, tile; /* of the part; of the tile in the part */
    uint n;            /* number of its keys */
    uint before;       /* parts of all passes before this one */
    xl_place first;
} xl_sweep_part;

xl_sweep_part xl_sweep_part_of(const xl_radix_tile *tile, uint pass, uint number)
{
    xl_sweep_part part;
    part.first = xl_first_place();
#if XL_LARGE
    enum { MOST = XL_PART_TILES * XL_TILE_KEYS };
    const ulong n = tile->n - xl_first_place();
    part.number = number / XL_PART_TILES;
    part.tile = number % XL_PART_TILES;
    part.first += (ulong)part.number * MOST;
    part.n = (uint)min(tile->n - part.first, (ulong)MOST);
    part.before = pass * (uint)((n + MOST - 1) / MOST) + part.number;
#else
    part.number = 0;
    part.tile = number;
    part.n = tile->n;
    part.before = pass;
#endif
    return part;
}

/* A look-back for one digit. Built late on purpose: if it were live during the ranking, it would
 * take registers from the keys. */
xl_lookback xl_sweep_lookback(const xl_radix_tile *tile, __global xl_sweep_state *state, uint pass,
                              const xl_sweep_part *part, uint digit)
{
    const uint tiles = xl_ceil_div(part->n, XL_TILE_KEYS);
    const uint most = XL_LARGE ? XL_PART_TILES : tiles;
    xl_lookback lookback;
    lookback.header = state->header[pass];
    lookback.tiles = xl_descriptor_column(state->tiles, digit);
    lookback.source.keys = tile->from.keys + part->first;
    lookback.source.n = part->n;
    lookback.source.digit_spec = xl_tile_digit_spec(tile);
    lookback.source.digit = digit;
    lookback.source.is_input = tile->is_input;
    lookback.start = XL_LARGE ? 0 : (uint)state->start[0][pass][digit];
    lookback.epoch = 1 + part->before * xl_ceil_div(most, XL_RING_TILES);
    lookback.spins = XL_SPIN_LIMIT;
    lookback.late = XL_LATE;
    lookback.single_tile = tiles == 1;
    lookback.in_place = false;
    return lookback;
}

/* Where a tile's elements of a digit begin; `prefix` is the result of the look-back. */
xl_place xl_sweep_place(__global xl_sweep_state *state, uint pass, const xl_sweep_part *part,
                        uint digit, uint prefix, uint sum)
{
#if XL_LARGE
    const ulong place = state->start[part->number % 2][pass][digit] + prefix;
    if (part->tile == XL_PART_TILES - 1)
        state->start[(part->number + 1) % 2][pass][digit] = place + sum;
    return place;
#else
    return prefix;
#endif
}

/* A tile publishes its counts before it ranks its keys: when the ranking is done, the tiles before
 * have published theirs, and there is hardly ever a wait. If counts were published after the
 * ranking, a sort of 2^24 u32 keys would take a sixth longer on an H200. */
void xl_sweep_tile(const xl_radix_tile *tile, __global xl_sweep_state *state, uint pass,
                   uint number)
{
    const uint item = (uint)get_local_id(0);
    const bool has_digit = item < XL_DIGITS;
    xl_radix_items items;
    const uint sum = xl_radix_tile_count(tile, &items);
    const xl_sweep_part part = xl_sweep_part_of(tile, pass, number);
    const xl_lookback lookback = xl_sweep_lookback(tile, state, pass, &part, item % XL_DIGITS);
    if (has_digit && !lookback.single_tile)
        xl_aggregate_publish(&lookback, part.tile, sum, true);
    const uint begin = xl_radix_tile_order(tile, &items, sum);
    if (has_digit) {
        const uint prefix = xl_prefix_wait(&lookback, part.tile, sum, true);
        tile->shared->offset[item] = xl_sweep_place(state, pass, &part, item, prefix, sum) - begin;
    }
    xl_local_barrier();
    xl_radix_tile_store(tile, &items);
}

__kernel XL_REQUIRED void xl_radix_sweep(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint4 room[XL_RADIX_ROOM];
    __local xl_radix_shared shared;
    __global xl_sweep_state *const sweep_state = xl_sweep_state_of(&radix);
    if (get_local_id(0) == 0) { /* all loads at once, even without such a pass: one wait, not two */
        const uint digit_spec = xl_tile_digit_spec_of(&radix, pass), passes = radix.state->passes;
        shared.tile = xl_ticket_take(sweep_state->header[pass]);
        shared.digit_spec = digit_spec;
        shared.passes = passes;
    }
    xl_radix_tile_clear(room);
    xl_local_barrier();
    /* In 64 bits: a ticket that another kernel has changed must not wrap to an existing tile. */
    if (pass >= shared.passes || (ulong)shared.tile * XL_TILE_KEYS >= n)
        return;
    xl_radix_tile tile;
    tile.from = xl_radix_source(&radix, pass, shared.passes);
    tile.to = xl_radix_target(&radix, pass, shared.passes);
    tile.n = xl_first_place() + n;
    tile.is_input = pass == 0;
    tile.is_last = pass + 1 == shared.passes;
    tile.first = xl_first_place() + (xl_place)shared.tile * XL_TILE_KEYS;
    tile.count = (uint)min(tile.n - tile.first, (xl_place)XL_TILE_KEYS);
    tile.room = room;
    tile.shared = &shared;
    xl_sweep_tile(&tile, sweep_state, pass, shared.tile);
}
