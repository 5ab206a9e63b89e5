/* SPDX-License-Identifier: MIT
 * A selection in one launch, which reads the input once: a group counts the selected elements of a
 * tile, and look-back (cl/tile/tile_prefix.cl) gives the count before the tile.
 *
 *   xl_select_clear   sets the state to 0
 *   xl_select_sweep   one piece of the input, whose counts have 32 bits. The carry from a piece to
 *                     the next one is stored before the state, in two places that alternate
 *
 * If another kernel changes the state concurrently, results are wrong, but nothing is written
 * outside the outputs: each place is compared with their capacity. */
#include "select_arrays.cl"

enum { xl_rooms = 2 }; /* of a group: one tile waits in local memory while the next one arrives */
#if XL_SERIAL
#include "select_serial.cl"
#else
#include "select_group.cl"
#endif

/* A piece of the input: where it begins and ends. */
typedef struct xl_source {
    xl_select select;
    ulong begin, end;
} xl_source;

#if XL_SERIAL
#define XL_LOOKBACK_SCOPE 0
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    const ulong base = source->begin + (ulong)tile * XL_TILE;
    return xl_serial_sum(&source->select, base, min(source->end, base + XL_TILE));
}
#else
/* With lanes the whole group looks back, in windows, so each tile loads all descriptors that it
 * needs together, and early. */
#define XL_LOOKBACK_SCOPE (XL_ORDERED ? 2 : 0)
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
#if XL_ORDERED
    const uint first = xl_lane_id(), step = xl_lane_width();
#else
    const uint first = 0, step = 1;
#endif
    const ulong base = source->begin + (ulong)tile * XL_TILE;
    XL_T sum =
        xl_select_count_each(&source->select, base + first, min(source->end, base + XL_TILE), step);
#if XL_ORDERED
    sum = xl_lane_reduce(sum);
#endif
    return sum;
}
#endif

#define XL_LOOKBACK_ORDERED XL_ORDERED
#define XL_LOOKBACK_TILES XL_TILES_PER_LANE
#include "../tile/tile_prefix.cl"

/* Words before the state; the host computes the same: lib/select/select_shape.c. */
#define XL_CARRY_WORDS 8

__kernel void xl_select_clear(__global ulong *state, ulong state_offset, ulong words)
{
    xl_descriptors_clear(state + state_offset, words);
}

/* The carry of all pieces before the one at `begin`; `turn` is the number of the piece. */
xl_select_before xl_carry_read(const __global ulong *scratch, ulong begin, uint turn)
{
    xl_select_before before = xl_select_nothing();
    if (begin > 0) {
        before.count = scratch[turn % 2 * 2];
        before.more = scratch[turn % 2 * 2 + 1];
    }
    return before;
}

/* Writes the carry, if there may be a next piece (`more`), or ends the selection. */
void xl_carry_leave(const xl_select *s, __global ulong *scratch, ulong end, bool more, uint turn,
                    xl_select_before all)
{
    if (more) {
        scratch[(turn + 1) % 2 * 2] = all.count;
        scratch[(turn + 1) % 2 * 2 + 1] = all.more;
    }
    if (end == s->n)
        xl_select_end(s, end, all);
}

/* Empty input has one tile, which writes the count 0. */
uint xl_tiles_of(const xl_source *source)
{
    const ulong tiles = xl_ceil_div_long(source->end - source->begin, XL_TILE);
    return source->begin == 0 ? max((uint)tiles, 1u) : (uint)tiles;
}

#if XL_SERIAL
void xl_select_tiles(xl_lookback *lookback, __global ulong *scratch, bool more, uint turn)
{
    const xl_source *const source = &lookback->source;
    const xl_select *const s = &source->select;
    const uint tiles = xl_tiles_of(source);
    const xl_select_before carry = xl_carry_read(scratch, source->begin, turn);
    uint tile = 0;
    if (!lookback->single_tile) {
        lookback->epoch = ((volatile __global uint *)lookback->header)[XL_EPOCH];
        tile = xl_ticket_take(lookback->header);
    }
    while (tile < tiles) {
        const ulong base = source->begin + (ulong)tile * XL_TILE;
        const ulong end = min(source->end, base + XL_TILE);
        const XL_T sum = xl_serial_sum(s, base, end);
        const XL_T prefix = xl_tile_prefix(lookback, tile, sum, true);
        const xl_select_before before = xl_select_after(carry, prefix);
        xl_serial_write(s, base, end, before, before, xl_sum_count(sum));
        if (end == source->end)
            xl_carry_leave(s, scratch, end, more, turn, xl_select_after(before, sum));
        tile = lookback->single_tile ? tiles : xl_ticket_take(lookback->header);
    }
    if (!lookback->single_tile)
        xl_lookback_leave(lookback->header, (uint)get_num_groups(0), lookback->epoch);
}
#define XL_SELECT_TILES xl_select_tiles(&lookback, scratch, n_most - begin > piece, turn);
#else
/* The facts about a piece that all work-items of a group need. */
typedef struct xl_piece {
    xl_select_before carry;
    __global ulong *scratch;
    ulong tickets; /* 1: tiles are taken by ticket, 0: a group takes the tile of its number */
    bool more;
    uint turn;
} xl_piece;

uint xl_ticket_next(const xl_lookback *lookback, const xl_piece *piece)
{
    return piece->tickets ? xl_ticket_take(lookback->header) : ~0u;
}

/* Where a tile begins, and the number of its elements. */
void xl_tile_of(const xl_source *source, uint tile, xl_select_out *o)
{
    o->base = source->begin + (ulong)tile * XL_TILE;
    o->count = (uint)min(source->end - o->base, (ulong)XL_TILE);
}

/* Writes a tile that is in local memory. */
void xl_select_leave(const xl_lookback *lookback, const xl_piece *piece, xl_select_out *o,
                     XL_T prefix, uint room, const __local xl_select_local *l)
{
    const xl_source *const source = &lookback->source;
    o->before = xl_select_after(piece->carry, prefix);
    o->places = xl_select_places_of(o->before, o->before, o->base);
    if (get_local_id(0) == 0 && o->base + o->count == source->end)
        xl_carry_leave(&source->select, piece->scratch, source->end, piece->more, piece->turn,
                       xl_select_after(o->before, o->total));
    xl_select_store(&source->select, o, room, l);
}

/* A group has three tiles: `mine` waits in local memory; its aggregate was published a round ago,
 * as were those that it waits for. `next` is in registers. `next_next` is loaded as soon as the
 * registers are free. The order of publishing and loading is that of cl/scan/scan_pipelined.cl,
 * whose model (test/model/scan_pipelined.pml) has the same names. Without look-back by a group, all
 * rounds, also the first and the last, pass the same barriers, because PoCL makes a copy of the
 * kernel for each barrier in a branch. */
void xl_select_tiles(xl_lookback *lookback, __global ulong *scratch, bool more, uint turn,
                     __local xl_select_local *l)
{
    const xl_source *const source = &lookback->source;
    const xl_select *const s = &source->select;
    const uint tiles = xl_tiles_of(source);
    const bool first = get_local_id(0) == 0;
    xl_select_loaded loaded;
    xl_select_out o, o_next, ahead;
    xl_piece piece;
    XL_T early = xl_identity();
    uint mine = tiles, after = ~0u, room = 0;
    piece.carry = xl_carry_read(scratch, source->begin, turn);
    piece.scratch = scratch;
    piece.tickets = tiles > get_num_groups(0);
    piece.more = more;
    piece.turn = turn;
    uint next = (uint)get_group_id(0), epoch = 0;
    if (first && !lookback->single_tile)
        epoch = ((volatile __global uint *)lookback->header)[XL_EPOCH];
    if (first)
        l->ticket = piece.tickets ? xl_ticket_take(lookback->header) : next;
    xl_local_barrier();
    next = l->ticket;
    xl_tile_of(source, min(next, tiles - 1), &ahead);
    o = ahead;
    if (next < tiles) {
        xl_select_load(s, ahead.base, ahead.count, &loaded);
        if (first)
            after = xl_ticket_next(lookback, &piece);
    }
    if (first)
        l->epoch = epoch; /* loaded meanwhile */
    xl_local_barrier();
    lookback->epoch = l->epoch;
    while (mine < tiles || next < tiles) {
        xl_select_items items;
        o_next = ahead;
        xl_select_classify(s, o_next.base, next < tiles ? o_next.count : 0, &loaded, &items);
        const XL_T sum = xl_select_sum(&items, o_next.base);
        if (get_local_id(0) == 0)
            l->ticket = after;
        o_next.total = xl_select_total(sum, &items, l);
        const uint next_next = l->ticket;
        if (next < tiles && !lookback->single_tile)
            xl_aggregate_publish(lookback, next, o_next.total, get_local_id(0) == 0);
#if XL_ORDERED
        xl_round round;
        xl_round_begin(&round, lookback, mine, next, tiles);
#endif
        if (next < tiles)
            xl_select_stage(s, &loaded, &items, &o_next, room ^ 1, l);
        if (next_next < tiles) {
            xl_tile_of(source, next_next, &ahead);
            xl_select_load(s, ahead.base, ahead.count, &loaded);
            if (get_local_id(0) == 0)
                after = xl_ticket_next(lookback, &piece);
        }
#if XL_ORDERED
        XL_T prefix = early;
        xl_round_end(&round, lookback, &prefix, &early, o_next.total, l->parts);
        if (!round.waits && !round.ends)
            xl_local_barrier(); /* as in every other round: scratch and ticket are written again */
#else
        if (get_local_id(0) == 0 && mine < tiles)
            l->prefix = xl_prefix_wait(lookback, mine, o.total, true);
        xl_local_barrier();
        const XL_T prefix = l->prefix;
#endif
        if (mine < tiles)
            xl_select_leave(lookback, &piece, &o, prefix, room, l);
        mine = next;
        next = next_next;
        o = o_next;
        room ^= 1;
    }
    if (get_local_id(0) == 0 && !lookback->single_tile)
        xl_lookback_leave(lookback->header, (uint)get_num_groups(0), lookback->epoch);
}
#define XL_SELECT_TILES                                                                            \
    __local xl_select_local local_;                                                                \
    xl_select_tiles(&lookback, scratch, n_most - begin > piece, turn, &local_);
#endif

/* Selects from at most `piece` elements, from place `begin` on. */
__kernel XL_REQUIRED void xl_select_sweep(ulong begin, ulong piece, uint turn, uint single_tile,
                                          uint spins, uint late, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    xl_lookback lookback;
    lookback.header = scratch + XL_CARRY_WORDS;
    lookback.tiles = lookback.header + XL_HEADER_WORDS;
    lookback.source.select = select;
    lookback.source.begin = min(begin, select.n);
    lookback.source.end = select.n - lookback.source.begin > piece ? begin + piece : select.n;
    lookback.start = xl_identity();
    lookback.epoch = 0;
    lookback.spins = spins;
    lookback.late = late;
    lookback.single_tile = single_tile != 0;
    lookback.in_place = false;
    XL_SELECT_TILES
}
