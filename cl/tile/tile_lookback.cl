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
 * input never changes and the re-reduction is always right. */
#ifndef XL_TILE_LOOKBACK
#define XL_TILE_LOOKBACK

#include "tile_lookback_shared.cl"

/* What stands before such a tile is lost on what stands after it. */
#define XL_AGGREGATE_IS_PREFIX(sum) (!XL_ORDERED && XL_ACCUMULATOR == 1 && XL_IS_HEAD(sum))

/* What the owner of a tile posts as soon as it knows the tile's sum. */
#define XL_FIRST_STATE(tile, sum)                                                                  \
    (!XL_ORDERED && ((tile) == 0 || XL_AGGREGATE_IS_PREFIX(sum)) ? XL_PREFIX : XL_AGGREGATE)

/* Who looks back: one sub-group, or one work-item where there is none to speak of. */
#if !XL_SERIAL && XL_USE_LANES
#define XL_WINDOW_LANES xl_lane_width()
#define XL_WINDOW_LANE xl_lane_id()
#define XL_WINDOW_BALLOT(p) xl_lane_ballot(p)
#define XL_WINDOW_SHUFFLE(uint_value, k) xl_lane_shuffle((uint_value), (k))
#define XL_WINDOW_SHUFFLE_VALUE(t, k) xl_shuffle_from((t), (k))
#define XL_WINDOW_REDUCE(t) xl_lane_reduce(t)
#else
#define XL_WINDOW_LANES 1u
#define XL_WINDOW_LANE 0u
#define XL_WINDOW_BALLOT(p) ((ulong)(p))
#define XL_WINDOW_SHUFFLE(uint_value, k) (uint_value)
#define XL_WINDOW_SHUFFLE_VALUE(t, k) (t)
#define XL_WINDOW_REDUCE(t) (t)
#endif

/* A whole tile reduced by those who look back alone, in the very order in which the
 * tile's owner reduces it: a sum that rounds comes out the same. */
#if XL_SERIAL
XL_T xl_tile_fallback_reduce(const xl_lookback *lookback, uint tile)
{
    const ulong base = xl_tile_base(tile, XL_TILE);
    return xl_serial_reduce(&lookback->input, base, min(lookback->input.n - base, (ulong)XL_TILE));
}
#elif XL_USE_LANES
XL_T xl_tile_fallback_reduce(const xl_lookback *lookback, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint sub_tile = 0; sub_tile < XL_SUB_TILES; ++sub_tile) {
        XL_T total = XL_IDENTITY;
        for (uint row = 0; row < XL_VECTORS; ++row) {
            XL_T part = xl_vector_fallback_reduce(&lookback->input,
                                                  xl_tile_base(tile, XL_TILE) +
                                                      xl_tile_at(sub_tile, row, XL_VECTORS));
#if !XL_COMMUTES
            part = xl_lane_total(part);
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
XL_T xl_item_fallback_reduce(const xl_lookback *lookback, uint tile, uint i, uint row, uint end)
{
    XL_T total = XL_IDENTITY;
    for (; row < end; ++row)
        total = xl_op(total, xl_vector_fallback_reduce(&lookback->input,
                                                       xl_tile_base(tile, XL_TILE) +
                                                           (row * XL_GROUP_SIZE + i) * XL_VLEN));
    return total;
}

/* xl_group_reduce() folds neighbours, then neighbours of those: a binary counter of what
 * is folded so far does the same one by one. */
XL_T xl_vectors_fallback_reduce(const xl_lookback *lookback, uint tile, uint row, uint end)
{
    XL_T stack[12]; /* for 2048 work-items */
    uint top = 0;
    for (uint i = 0; i < XL_GROUP_SIZE; ++i) {
        XL_T sum = xl_item_fallback_reduce(lookback, tile, i, row, end);
        for (uint k = i; k & 1; k /= 2)
            sum = xl_op(stack[--top], sum);
        stack[top++] = sum;
    }
    return stack[0];
}

XL_T xl_tile_fallback_reduce(const xl_lookback *lookback, uint tile)
{
#if XL_COMMUTES
    return xl_vectors_fallback_reduce(lookback, tile, 0, XL_VECTORS);
#else
    XL_T total = XL_IDENTITY;
    for (uint row = 0; row < XL_VECTORS; ++row)
        total = xl_op(total, xl_vectors_fallback_reduce(lookback, tile, row, row + 1));
    return total;
#endif
}
#endif

/* The state of a tile that stayed EMPTY, made or met: never EMPTY. `mine`: this lane
 * is the one that waits for the tile. */
uint xl_tile_fallback(const xl_lookback *lookback, uint tile, bool mine, const bool in_place,
                      XL_T *value)
{
#if XL_INJECT_DELAY > 0
    if (in_place) { /* so late that what is read are results, and the second look counts */
        xl_inject_delay(lookback);
        xl_inject_delay(lookback);
    }
#endif
    XL_T sum = xl_tile_fallback_reduce(lookback, tile);
    uint state = XL_EMPTY;
    if (in_place)
        xl_device_fence();
    if (in_place && mine)
        state = xl_descriptor_read(lookback->tiles, tile, lookback->epoch, value);
    if (state == XL_EMPTY) {
        state = XL_FIRST_STATE(tile, sum);
        *value = sum;
        if (tile == 0 && !XL_ORDERED)
            *value = xl_op(lookback->start, sum);
#if XL_INJECT_DELAY > 0
        if (mine)
            atomic_inc((volatile __global uint *)lookback->header + XL_FALLBACKS);
#endif
    }
    return state;
}

#if XL_ORDERED
/* One fixed expression for each prefix, whatever the timing, for operators that round.
 * Tiles fall into blocks of XL_WINDOW. Every tile posts its AGGREGATE, and only the last of
 * a block its PREFIX, so that for tile t of block b
 *   prefix(t) = start(b) op (the sums of the tiles of b before t, in a fixed tree)
 *   start(b)  = PREFIX of the last tile of block b - 1 = prefix(last) op sum(last)
 * After the anchors of CUB's deterministic scan (NVIDIA/cccl PR 9098), with the fallback
 * of this file. A PREFIX that is late is made by hand from the nearest one there is. */
#define XL_WINDOW (XL_TILES_PER_LANE * XL_WINDOW_LANES)

/* The PREFIX of a tile, if it is there: everybody sees what the first of them sees. */
bool xl_prefix_poll(const xl_lookback *lookback, uint tile, XL_T *value)
{
    XL_T seen;
    const bool posted =
        xl_descriptor_poll(lookback->tiles, tile, XL_PREFIX, lookback->epoch, &seen);
    const bool there = XL_WINDOW_BALLOT(posted) & 1;
    if (there)
        *value = XL_WINDOW_SHUFFLE_VALUE(seen, 0);
    return there;
}

/* The sums of `count` < XL_WINDOW tiles from the first of `block` on. In passing it looks
 * for the block's start unless that is *ready. */
XL_T xl_window_reduce(const xl_lookback *lookback, uint block, uint count, const bool in_place,
                      bool *ready, XL_T *start)
{
    const uint mine = block * XL_WINDOW + XL_WINDOW_LANE * XL_TILES_PER_LANE;
    XL_T value[XL_TILES_PER_LANE];
    bool there[XL_TILES_PER_LANE], missing;
    uint polls = 0;
#pragma unroll
    for (uint s = 0; s < XL_TILES_PER_LANE; ++s) {
        value[s] = XL_IDENTITY;
        there[s] = XL_WINDOW_LANE * XL_TILES_PER_LANE + s >= count;
    }
    while (true) {
        if (!*ready)
            *ready = xl_prefix_poll(lookback, block * XL_WINDOW - 1, start);
        missing = false;
        uint late = 0;
#pragma unroll
        for (uint s = 0; s < XL_TILES_PER_LANE; ++s) {
            if (!there[s])
                there[s] = xl_descriptor_poll(lookback->tiles, mine + s, XL_AGGREGATE,
                                              lookback->epoch, &value[s]);
            if (!there[s] && !missing)
                late = mine + s;
            missing = missing || !there[s];
        }
        const ulong waiting = XL_WINDOW_BALLOT(missing);
        if (waiting == 0)
            break;
        if (polls++ >= XL_SPIN_LIMIT) {
            const uint who = xl_lowest_bit(waiting), tile = XL_WINDOW_SHUFFLE(late, who);
            XL_T computed = XL_IDENTITY;
            (void)xl_tile_fallback(lookback, tile, XL_WINDOW_LANE == who, in_place, &computed);
#pragma unroll
            for (uint s = 0; s < XL_TILES_PER_LANE; ++s) {
                if (mine + s == tile) {
                    there[s] = true;
                    value[s] = computed;
                }
            }
            polls = 0;
        }
    }
    XL_T sum = value[0];
#pragma unroll
    for (uint s = 1; s < XL_TILES_PER_LANE; ++s)
        sum = xl_op(sum, value[s]);
    return XL_WINDOW_REDUCE(sum);
}

/* The start of a block whose own PREFIX does not come: from the nearest one that is
 * there, block by block. */
XL_T xl_window_start_fallback(const xl_lookback *lookback, uint block, const bool in_place)
{
    XL_T start = lookback->start;
    uint at = block;
    while (at > 0 && !xl_prefix_poll(lookback, at * XL_WINDOW - 1, &start))
        --at;
    for (; at < block; ++at) {
        const uint last = at * XL_WINDOW + XL_WINDOW - 1;
        bool ready = true;
        const XL_T sum = xl_window_reduce(lookback, at, XL_WINDOW - 1, in_place, &ready, &start);
        XL_T value;
        uint state = xl_descriptor_read(lookback->tiles, last, lookback->epoch, &value);
        state = XL_WINDOW_SHUFFLE(state, 0);
        value = XL_WINDOW_SHUFFLE_VALUE(value, 0);
        if (state == XL_EMPTY) {
            state = xl_tile_fallback(lookback, last, XL_WINDOW_LANE == 0, in_place, &value);
            state = XL_WINDOW_SHUFFLE(state, 0);
            value = XL_WINDOW_SHUFFLE_VALUE(value, 0);
        }
        if (state != XL_PREFIX)
            value = xl_op(xl_op(start, sum), value);
        start = value;
    }
    return start;
}

XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile, const bool in_place)
{
    const uint block = tile / XL_WINDOW;
    bool ready = block == 0;
    XL_T start = lookback->start;
    const XL_T sum =
        xl_window_reduce(lookback, block, tile - block * XL_WINDOW, in_place, &ready, &start);
    /* What stands before a head counts for nothing, unless heads are counted. */
    ready = ready || (XL_ACCUMULATOR == 1 && XL_IS_HEAD(sum));
    for (uint polls = 0; !ready && polls < XL_SPIN_LIMIT; ++polls)
        ready = xl_prefix_poll(lookback, block * XL_WINDOW - 1, &start);
    if (!ready)
        start = xl_window_start_fallback(lookback, block, in_place);
    return xl_op(start, sum);
}

bool xl_publishes_prefix(uint tile, XL_T sum)
{
    return tile % XL_WINDOW == XL_WINDOW - 1;
}
#else
bool xl_publishes_prefix(uint tile, XL_T sum)
{
    return tile == 0 || !XL_AGGREGATE_IS_PREFIX(sum);
}

#if !XL_SERIAL && XL_USE_LANES
/* init op all tiles before `tile` > 0, by one sub-group: lane k looks at the k-th
 * tile before those that are summed up already. */
XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile, const bool in_place)
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
                state = xl_descriptor_read(lookback->tiles, mine, lookback->epoch, &value);
            const uint empty = xl_lowest_bit(xl_lane_ballot(there && state == XL_EMPTY));
            nearest = xl_lowest_bit(xl_lane_ballot(there && state == XL_PREFIX));
            if (empty == 64 || empty > nearest)
                break;
            if (polls++ >= XL_SPIN_LIMIT) {
                XL_T computed = XL_IDENTITY;
                const uint got = xl_tile_fallback(lookback, tile - 1 - empty, lane == empty,
                                                  in_place, &computed);
                state = lane == empty ? got : state;
                if (lane == empty)
                    value = computed;
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
XL_T xl_lookback_prefix(const xl_lookback *lookback, uint tile, const bool in_place)
{
    XL_T sum = XL_IDENTITY;
    uint state;
    do {
        XL_T value = XL_IDENTITY;
        --tile;
        state = xl_descriptor_read(lookback->tiles, tile, lookback->epoch, &value);
        for (uint polls = 0; state == XL_EMPTY && polls < XL_SPIN_LIMIT; ++polls)
            state = xl_descriptor_read(lookback->tiles, tile, lookback->epoch, &value);
        if (state == XL_EMPTY)
            state = xl_tile_fallback(lookback, tile, true, in_place, &value);
        sum = xl_op(value, sum);
    } while (state != XL_PREFIX && tile > 0); /* 0 without a PREFIX: the state is not one of ours */
    return sum;
}
#endif

#endif

/* From a tile's own sum to the prefix it starts from, telling the others of both.
 * `poster`: this work-item is the one to post. */
XL_T xl_tile_prefix(const xl_lookback *lookback, uint tile, XL_T sum, bool publisher,
                    const bool in_place)
{
    const bool early = tile > 0 || XL_ORDERED;
    XL_T prefix = lookback->start;
    if (lookback->single_tile)
        return prefix;
    if (publisher && early)
        xl_tile_publish(lookback, tile, XL_FIRST_STATE(tile, sum), sum, in_place, true);
    if (tile > 0)
        prefix = xl_lookback_prefix(lookback, tile, in_place);
    if (publisher && xl_publishes_prefix(tile, sum))
        xl_tile_publish(lookback, tile, XL_PREFIX, xl_op(prefix, sum), in_place, !early);
    if (in_place)
        xl_device_fence();
    return prefix;
}

#endif
