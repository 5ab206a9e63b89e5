/* SPDX-License-Identifier: MIT
 * Look-back: from the states that earlier tiles posted to the prefix of a tile.
 * After Merrill and Garland, "Single-pass parallel prefix scan with decoupled
 * look-back" (NVR-2016-002), with the fallback of Smith, Levien and Owens,
 * "Decoupled fallback" (SPAA 2025): a tile that stays EMPTY for XL_SPIN_LIMIT polls
 * is reduced by whoever waits for it, so no wait hangs on another group's progress.
 *
 * In place the re-reduction reads elements that their owner may be overwriting. It
 * is right all the same. The owner posts its AGGREGATE (tile 0: its PREFIX), then
 * issues a fence of device scope, and only then does any work-item of its group
 * store a result: a barrier stands between. The reader re-reduces, issues a fence,
 * and looks again. Had one of its loads met a stored result, the post, which was
 * visible before that store was issued, would be visible to this second look. So if
 * the tile is still EMPTY all that was read was input; if not, the posted value is
 * taken instead. (The stores are plain ones: in the language's terms a race. What
 * is relied on is that a fence completes earlier stores for the whole device before
 * later ones are issued, as PTX and the CPUs' models have it.) Out of place the
 * input never changes and the re-reduction is always right.
 *
 * Asks for the lines of cl/tile/tile_state.cl, of cl/tile/tile_load.cl (XL_SERIAL 0) or
 * cl/tile/tile_serial.cl (XL_SERIAL 1), and
 *   XL_SPIN_LIMIT  polls of an EMPTY tile before it is re-reduced; 0 is fine
 *   XL_HOLD_BACK   tests: of every so many tiles the last never posts anything out
 *                  of place, and posts late in place; 0: none */
#ifndef XL_TILE_LOOKBACK
#define XL_TILE_LOOKBACK

#include "tile_state.cl"

#if !defined(XL_SPIN_LIMIT) || !defined(XL_HOLD_BACK)
#error "XL_SPIN_LIMIT and XL_HOLD_BACK must be defined"
#endif

/* What stands before such a tile is lost on what stands after it. */
#define XL_ENDS_CHAIN(sum) (XL_STATE == 1 && XL_IS_HEAD(sum))

/* What a look-back needs beside the number of its tile. */
typedef struct xl_ring {
    __global ulong *header;
    __global ulong *tiles;
    xl_input input;
    XL_T start; /* what tile 0 starts from */
    uint epoch;
} xl_ring;

bool xl_is_held(uint tile)
{
#if XL_HOLD_BACK > 0
    return tile % XL_HOLD_BACK == XL_HOLD_BACK - 1;
#else
    return false;
#endif
}

void xl_hold_back(const xl_ring *ring)
{
    for (uint k = 0; k < 20000; ++k)
        (void)xl_message_load(ring->header + XL_HEADER_WORDS - 1);
}

#if !XL_SERIAL && XL_USE_LANES
/* A whole tile reduced by this sub-group alone, row after row, at every lane. */
XL_T xl_tile_redo(const xl_ring *ring, uint tile)
{
    const ulong base = (ulong)tile * XL_TILE, left = ring->input.n - base;
    const uint end = left < XL_TILE ? (uint)left : XL_TILE;
    xl_input input = ring->input;
    XL_T total = XL_IDENTITY;
    for (uint row = 0; row < end; row += xl_lane_width() * XL_VLEN) {
        XL_T part = XL_IDENTITY;
        for (uint v = 0; v < XL_VLEN; ++v) {
            const uint at = row + xl_lane_id() * XL_VLEN + v;
            if (at < end)
                part = xl_op(part, xl_input_one(&input, base + at));
        }
#if !XL_COMMUTES
        part = xl_lane_reduce(part);
#endif
        total = xl_op(total, part);
    }
#if XL_COMMUTES
    total = xl_lane_reduce(total);
#endif
    return total;
}
#else
XL_T xl_tile_redo(const xl_ring *ring, uint tile)
{
    const ulong base = (ulong)tile * XL_TILE;
    const ulong end = min(base + XL_TILE, ring->input.n);
    xl_input input = ring->input;
#if XL_SERIAL
    return xl_serial_reduce(&input, base, end - base);
#else
    XL_T total = XL_IDENTITY;
    for (ulong at = base; at < end; ++at)
        total = xl_op(total, xl_input_one(&input, at));
    return total;
#endif
}
#endif

/* The state of a tile that stayed EMPTY, made or met: never EMPTY. `mine`: this lane
 * is the one that waits for the tile. */
uint xl_tile_fall_back(const xl_ring *ring, uint tile, bool mine, const bool in_place, XL_T *value)
{
    XL_T sum = xl_tile_redo(ring, tile);
    uint state = XL_EMPTY;
    if (in_place)
        xl_message_fence();
    if (in_place && mine)
        state = xl_state_look(ring->tiles, tile, ring->epoch, value);
    if (state == XL_EMPTY) {
        state = tile == 0 || XL_ENDS_CHAIN(sum) ? XL_PREFIX : XL_AGGREGATE;
        *value = sum;
        if (tile == 0)
            *value = xl_op(ring->start, sum);
#if XL_HOLD_BACK > 0
        if (mine)
            atomic_inc((volatile __global uint *)ring->header + XL_REDONE);
#endif
    }
    return state;
}

#if !XL_SERIAL && XL_USE_LANES
uint xl_lowest_bit(ulong bits)
{
    return (uint)popcount((bits & (0ul - bits)) - 1ul); /* 64 for none */
}

/* init op all tiles before `tile` > 0, by one sub-group: lane k looks at the k-th
 * tile before those that are summed up already. */
XL_T xl_look_back(const xl_ring *ring, uint tile, const bool in_place)
{
    const uint lane = xl_lane_id();
    XL_T sum = XL_IDENTITY;
    uint nearest;
    do {
        const bool there = lane < tile;
        const uint mine = tile - 1 - lane;
        XL_T value = XL_IDENTITY;
        uint state = XL_EMPTY, polls = 0;
        while (true) {
            if (there && state == XL_EMPTY)
                state = xl_state_look(ring->tiles, mine, ring->epoch, &value);
            const uint empty = xl_lowest_bit(xl_lane_ballot(there && state == XL_EMPTY));
            nearest = xl_lowest_bit(xl_lane_ballot(there && state == XL_PREFIX));
            if (empty == 64 || empty > nearest)
                break;
            if (polls++ >= XL_SPIN_LIMIT) {
                XL_T made = XL_IDENTITY;
                const uint got =
                    xl_tile_fall_back(ring, tile - 1 - empty, lane == empty, in_place, &made);
                state = lane == empty ? got : state;
                if (lane == empty)
                    value = made;
                polls = 0;
            }
        }
        if (!there || lane > nearest)
            value = XL_IDENTITY;
        sum = xl_op(xl_lane_reduce_down(value), sum);
        tile -= xl_lane_width();
    } while (nearest == 64);
    return sum;
}
#else
/* The same by one work-item. */
XL_T xl_look_back(const xl_ring *ring, uint tile, const bool in_place)
{
    XL_T sum = XL_IDENTITY;
    uint state;
    do {
        XL_T value = XL_IDENTITY;
        --tile;
        state = xl_state_look(ring->tiles, tile, ring->epoch, &value);
        for (uint polls = 0; state == XL_EMPTY && polls < XL_SPIN_LIMIT; ++polls)
            state = xl_state_look(ring->tiles, tile, ring->epoch, &value);
        if (state == XL_EMPTY)
            state = xl_tile_fall_back(ring, tile, true, in_place, &value);
        sum = xl_op(value, sum);
    } while (state != XL_PREFIX);
    return sum;
}
#endif

/* From a tile's own sum to the prefix it starts from, telling the others of both.
 * `poster`: this work-item is the one to post. */
XL_T xl_tile_prefix(const xl_ring *ring, uint tile, XL_T sum, bool poster, const bool in_place)
{
    const bool held = xl_is_held(tile);
    const bool silent = held && !in_place;
    XL_T prefix = ring->start;
    if (held && in_place)
        xl_hold_back(ring);
    if (tile > 0) {
        if (poster && !silent)
            xl_state_post(ring->tiles, tile, XL_ENDS_CHAIN(sum) ? XL_PREFIX : XL_AGGREGATE,
                          ring->epoch, sum);
        prefix = xl_look_back(ring, tile, in_place);
    }
    if (poster && !silent && !(tile > 0 && XL_ENDS_CHAIN(sum)))
        xl_state_post(ring->tiles, tile, XL_PREFIX, ring->epoch, xl_op(prefix, sum));
    if (in_place)
        xl_message_fence();
    return prefix;
}

#endif
