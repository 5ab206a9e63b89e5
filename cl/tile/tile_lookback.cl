/* SPDX-License-Identifier: MIT
 * Look-back: from the states that earlier tiles posted to the prefix of a tile.
 * After Merrill and Garland, "Single-pass parallel prefix scan with decoupled
 * look-back" (NVR-2016-002), with the fallback of Smith, Levien and Owens,
 * "Decoupled fallback" (SPAA 2025): a tile that stays EMPTY for XL_SPIN_LIMIT polls
 * is reduced by whoever waits for it, so no wait hangs on another group's progress.
 *
 * In place the re-reduction reads elements that their owner may be overwriting. It
 * is right all the same. The owner posts its AGGREGATE (or at once its PREFIX), then
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
 *   XL_ORDERED     1: each prefix is one fixed expression, for operators that round
 *   XL_SHARE       XL_ORDERED 1: tiles of a block for each of those who look back
 *   XL_SPIN_LIMIT  polls of an EMPTY tile before it is re-reduced; 0 is fine
 *   and those of cl/tile/tile_ring.cl */
#ifndef XL_TILE_LOOKBACK
#define XL_TILE_LOOKBACK

#include "tile_ring.cl"

#if !defined(XL_SPIN_LIMIT) || !defined(XL_ORDERED) || !defined(XL_SHARE)
#error "XL_SPIN_LIMIT, XL_ORDERED and XL_SHARE must be defined"
#endif

/* What stands before such a tile is lost on what stands after it. */
#define XL_ENDS_CHAIN(sum) (!XL_ORDERED && XL_STATE == 1 && XL_IS_HEAD(sum))

/* What the owner of a tile posts as soon as it knows the tile's sum. */
#define XL_FIRST_POST(tile, sum)                                                                   \
    (!XL_ORDERED && ((tile) == 0 || XL_ENDS_CHAIN(sum)) ? XL_PREFIX : XL_AGGREGATE)

/* Who looks back: one sub-group, or one work-item where there is none to speak of. */
#if !XL_SERIAL && XL_USE_LANES
#define XL_LOOKERS xl_lane_width()
#define XL_LOOKER xl_lane_id()
#define XL_LOOK_BALLOT(p) xl_lane_ballot(p)
#define XL_LOOK_FROM(uint_value, k) xl_lane_shuffle((uint_value), (k))
#define XL_LOOK_STATE_FROM(t, k) xl_shuffle_from((t), (k))
#define XL_LOOK_REDUCE(t) xl_lane_reduce(t)
#else
#define XL_LOOKERS 1u
#define XL_LOOKER 0u
#define XL_LOOK_BALLOT(p) ((ulong)(p))
#define XL_LOOK_FROM(uint_value, k) (uint_value)
#define XL_LOOK_STATE_FROM(t, k) (t)
#define XL_LOOK_REDUCE(t) (t)
#endif

/* A whole tile reduced by those who look back alone, in the very order in which the
 * tile's owner reduces it: a sum that rounds comes out the same. */
#if XL_SERIAL
XL_T xl_tile_redo(const xl_ring *ring, uint tile)
{
    const ulong base = xl_tile_base(tile, XL_TILE);
    return xl_serial_reduce(&ring->input, base, min(ring->input.n - base, (ulong)XL_TILE));
}
#elif XL_USE_LANES
XL_T xl_tile_redo(const xl_ring *ring, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint unit = 0; unit < XL_UNITS; ++unit) {
        XL_T total = XL_IDENTITY;
        for (uint row = 0; row < XL_ROWS; ++row) {
            XL_T part = xl_row_redo(&ring->input,
                                    xl_tile_base(tile, XL_TILE) + xl_tile_at(unit, row, XL_ROWS));
#if !XL_COMMUTES
            part = xl_lane_row_total(part);
#endif
            total = xl_op(total, part);
        }
#if XL_COMMUTES
        total = xl_lane_reduce(total);
#endif
        sum = xl_op(sum, total);
    }
    return sum;
}
#else
/* What work-item i adds to a group's reduction: its rows from `row` to before `end`. */
XL_T xl_item_redo(const xl_ring *ring, uint tile, uint i, uint row, uint end)
{
    XL_T total = XL_IDENTITY;
    for (; row < end; ++row)
        total = xl_op(total, xl_row_redo(&ring->input, xl_tile_base(tile, XL_TILE) +
                                                           (row * XL_GROUP_SIZE + i) * XL_VLEN));
    return total;
}

/* xl_group_reduce() folds neighbours, then neighbours of those: a binary counter of what
 * is folded so far does the same one by one. */
XL_T xl_rows_redo(const xl_ring *ring, uint tile, uint row, uint end)
{
    XL_T stack[12]; /* for 2048 work-items */
    uint top = 0;
    for (uint i = 0; i < XL_GROUP_SIZE; ++i) {
        XL_T sum = xl_item_redo(ring, tile, i, row, end);
        for (uint k = i; k & 1; k /= 2)
            sum = xl_op(stack[--top], sum);
        stack[top++] = sum;
    }
    return stack[0];
}

XL_T xl_tile_redo(const xl_ring *ring, uint tile)
{
#if XL_COMMUTES
    return xl_rows_redo(ring, tile, 0, XL_ROWS);
#else
    XL_T total = XL_IDENTITY;
    for (uint row = 0; row < XL_ROWS; ++row)
        total = xl_op(total, xl_rows_redo(ring, tile, row, row + 1));
    return total;
#endif
}
#endif

/* The state of a tile that stayed EMPTY, made or met: never EMPTY. `mine`: this lane
 * is the one that waits for the tile. */
uint xl_tile_fall_back(const xl_ring *ring, uint tile, bool mine, const bool in_place, XL_T *value)
{
#if XL_HOLD_BACK > 0
    if (in_place) { /* so late that what is read are results, and the second look counts */
        xl_hold_back(ring);
        xl_hold_back(ring);
    }
#endif
    XL_T sum = xl_tile_redo(ring, tile);
    uint state = XL_EMPTY;
    if (in_place)
        xl_message_fence();
    if (in_place && mine)
        state = xl_state_look(ring->tiles, tile, ring->epoch, value);
    if (state == XL_EMPTY) {
        state = XL_FIRST_POST(tile, sum);
        *value = sum;
        if (tile == 0 && !XL_ORDERED)
            *value = xl_op(ring->start, sum);
#if XL_HOLD_BACK > 0
        if (mine)
            atomic_inc((volatile __global uint *)ring->header + XL_REDONE);
#endif
    }
    return state;
}

#if XL_ORDERED
/* One fixed expression for each prefix, whatever the timing, for operators that round.
 * Tiles fall into blocks of XL_BLOCK. Every tile posts its AGGREGATE, and only the last of
 * a block its PREFIX, so that for tile t of block b
 *   prefix(t) = start(b) op (the sums of the tiles of b before t, in a fixed tree)
 *   start(b)  = PREFIX of the last tile of block b - 1 = prefix(last) op sum(last)
 * After the anchors of CUB's deterministic scan (NVIDIA/cccl PR 9098), with the fallback
 * of this file. A PREFIX that is late is made by hand from the nearest one there is. */
#define XL_BLOCK (XL_SHARE * XL_LOOKERS)

/* The PREFIX of a tile, if it is there: everybody sees what the first of them sees. */
bool xl_prefix_look(const xl_ring *ring, uint tile, XL_T *value)
{
    XL_T seen;
    const bool posted = xl_state_take(ring->tiles, tile, XL_PREFIX, ring->epoch, &seen);
    const bool there = XL_LOOK_BALLOT(posted) & 1;
    if (there)
        *value = XL_LOOK_STATE_FROM(seen, 0);
    return there;
}

/* The sums of `count` < XL_BLOCK tiles from the first of `block` on. In passing it looks
 * for the block's start unless that is *ready. */
XL_T xl_block_sum(const xl_ring *ring, uint block, uint count, const bool in_place, bool *ready,
                  XL_T *start)
{
    const uint mine = block * XL_BLOCK + XL_LOOKER * XL_SHARE;
    XL_T value[XL_SHARE];
    bool there[XL_SHARE], missing;
    uint polls = 0;
#pragma unroll
    for (uint s = 0; s < XL_SHARE; ++s) {
        value[s] = XL_IDENTITY;
        there[s] = XL_LOOKER * XL_SHARE + s >= count;
    }
    while (true) {
        if (!*ready)
            *ready = xl_prefix_look(ring, block * XL_BLOCK - 1, start);
        missing = false;
        uint late = 0;
#pragma unroll
        for (uint s = 0; s < XL_SHARE; ++s) {
            if (!there[s])
                there[s] =
                    xl_state_take(ring->tiles, mine + s, XL_AGGREGATE, ring->epoch, &value[s]);
            if (!there[s] && !missing)
                late = mine + s;
            missing = missing || !there[s];
        }
        const ulong waiting = XL_LOOK_BALLOT(missing);
        if (waiting == 0)
            break;
        if (polls++ >= XL_SPIN_LIMIT) {
            const uint who = xl_lowest_bit(waiting), tile = XL_LOOK_FROM(late, who);
            XL_T made = XL_IDENTITY;
            (void)xl_tile_fall_back(ring, tile, XL_LOOKER == who, in_place, &made);
#pragma unroll
            for (uint s = 0; s < XL_SHARE; ++s) {
                if (mine + s == tile) {
                    there[s] = true;
                    value[s] = made;
                }
            }
            polls = 0;
        }
    }
    XL_T sum = value[0];
#pragma unroll
    for (uint s = 1; s < XL_SHARE; ++s)
        sum = xl_op(sum, value[s]);
    return XL_LOOK_REDUCE(sum);
}

/* The start of a block whose own PREFIX does not come: from the nearest one that is
 * there, block by block. */
XL_T xl_start_by_hand(const xl_ring *ring, uint block, const bool in_place)
{
    XL_T start = ring->start;
    uint at = block;
    while (at > 0 && !xl_prefix_look(ring, at * XL_BLOCK - 1, &start))
        --at;
    for (; at < block; ++at) {
        const uint last = at * XL_BLOCK + XL_BLOCK - 1;
        bool ready = true;
        const XL_T sum = xl_block_sum(ring, at, XL_BLOCK - 1, in_place, &ready, &start);
        XL_T value;
        uint state = xl_state_look(ring->tiles, last, ring->epoch, &value);
        state = XL_LOOK_FROM(state, 0);
        value = XL_LOOK_STATE_FROM(value, 0);
        if (state == XL_EMPTY) {
            state = xl_tile_fall_back(ring, last, XL_LOOKER == 0, in_place, &value);
            state = XL_LOOK_FROM(state, 0);
            value = XL_LOOK_STATE_FROM(value, 0);
        }
        if (state != XL_PREFIX)
            value = xl_op(xl_op(start, sum), value);
        start = value;
    }
    return start;
}

XL_T xl_look_back(const xl_ring *ring, uint tile, const bool in_place)
{
    const uint block = tile / XL_BLOCK;
    bool ready = block == 0;
    XL_T start = ring->start;
    const XL_T sum = xl_block_sum(ring, block, tile - block * XL_BLOCK, in_place, &ready, &start);
    /* What stands before a head counts for nothing, unless heads are counted. */
    ready = ready || (XL_STATE == 1 && XL_IS_HEAD(sum));
    for (uint polls = 0; !ready && polls < XL_SPIN_LIMIT; ++polls)
        ready = xl_prefix_look(ring, block * XL_BLOCK - 1, &start);
    if (!ready)
        start = xl_start_by_hand(ring, block, in_place);
    return xl_op(start, sum);
}

bool xl_posts_prefix(uint tile, XL_T sum)
{
    return tile % XL_BLOCK == XL_BLOCK - 1;
}
#else
bool xl_posts_prefix(uint tile, XL_T sum)
{
    return tile == 0 || !XL_ENDS_CHAIN(sum);
}

#if !XL_SERIAL && XL_USE_LANES
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
        tile -= min(tile, xl_lane_width());
    } while (nearest == 64 && tile > 0); /* 0 without a PREFIX: the state is not one of ours */
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
    } while (state != XL_PREFIX && tile > 0); /* 0 without a PREFIX: the state is not one of ours */
    return sum;
}
#endif

#endif

/* From a tile's own sum to the prefix it starts from, telling the others of both.
 * `poster`: this work-item is the one to post. */
XL_T xl_tile_prefix(const xl_ring *ring, uint tile, XL_T sum, bool poster, const bool in_place)
{
    const bool early = tile > 0 || XL_ORDERED;
    XL_T prefix = ring->start;
    if (ring->alone)
        return prefix;
    if (poster && early)
        xl_tile_post(ring, tile, XL_FIRST_POST(tile, sum), sum, in_place, true);
    if (tile > 0)
        prefix = xl_look_back(ring, tile, in_place);
    if (poster && xl_posts_prefix(tile, sum))
        xl_tile_post(ring, tile, XL_PREFIX, xl_op(prefix, sum), in_place, !early);
    if (in_place)
        xl_message_fence();
    return prefix;
}

#endif
