/* SPDX-License-Identifier: MIT
 * Look-back by a whole work-group, over blocks of tiles of fixed size.
 *
 * Tiles fall into blocks of XL_WINDOW. Every tile posts its AGGREGATE, only the last of a
 * block its PREFIX, so that for tile t of block b
 *   prefix(t) = start(b) op (the sums of the tiles of b before t, in one fixed tree)
 *   start(b)  = PREFIX of the last tile of block b - 1 = prefix(last) op sum(last)
 * which is one fixed expression whatever the timing: operators that round need no other
 * kernel. After the anchors of CUB's deterministic scan (NVIDIA/cccl PR 9098). Each
 * work-item looks at XL_WINDOW_ITEMS neighbouring tiles; sub-groups meet in local memory.
 *
 * Waits are bounded as in cl/tile/tile_lookback.cl, from which the argument for scans in
 * place is taken too: a tile that is silent is re-reduced by a sub-group that waits for
 * it, in its owner's own tree, and posted for all who come after, for whom the bits are
 * the same; a PREFIX that is late is made by hand from the nearest one there is.
 *
 * Asks for sub-groups, XL_USE_LANES 1. */
#ifndef XL_TILE_LOOKBACK_PIPELINED
#define XL_TILE_LOOKBACK_PIPELINED

#include "tile_fetch.cl"
#include "tile_lookback_shared.cl"

#if !XL_USE_LANES
#error "a look-back by a whole group needs sub-groups"
#endif

#define XL_TILE_ELEMENTS(lookback)                                                                 \
    (XL_GROUP_SIZE * XL_VLEN * (lookback)->rows) /* elements of a tile */
#define XL_WINDOW_ITEMS XL_TILES_PER_LANE
#define XL_WINDOW (XL_TILES_PER_LANE * XL_GROUP_SIZE)
#define XL_ENDS_WINDOW(tile) ((tile) % XL_WINDOW == XL_WINDOW - 1)
#if XL_LANE_WAY == 2
#define XL_MAX_SUB_TILES (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_MAX_SUB_TILES (XL_GROUP_SIZE / 4)
#endif

/* ---- sums of tiles ------------------------------------------------------------- */

/* A work-item sums up `rows` vectors that are neighbours; rows are odd where local memory has
 * 32 banks, so that the lanes' vectors meet in none of them. */
#define XL_BLOCKED_AT(item, rows) ((item) * (rows)*XL_VLEN)

XL_T xl_vector_total(const XL_T *x)
{
    XL_T total = x[0];
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, x[v]);
    return total;
}

/* This work-item's part of the staged tile; the same operations as in
 * xl_pipelined_fallback_reduce(). */
XL_T xl_staged_total(const xl_stage *stage, const xl_input *input, ulong base, const uint rows)
{
    const uint count = xl_stage_count(stage, input, base);
    const uint at = XL_BLOCKED_AT((uint)get_local_id(0), rows);
    XL_T total = XL_IDENTITY, x[XL_VLEN];
    if (count == stage->tile) {
#pragma unroll
        for (uint row = 0; row < rows; ++row) {
            xl_staged_vector(x, stage, input, base, at + row * XL_VLEN);
            total = xl_op(total, xl_vector_total(x));
        }
    } else {
        for (uint row = 0; row < rows; ++row) {
            xl_staged_few(x, stage, input, base, at + row * XL_VLEN, count);
            total = xl_op(total, xl_vector_total(x));
        }
    }
    return total;
}

/* This work-item's rows of the staged tile, as cl/tile/tile_load.cl has them. */
void xl_staged_load(XL_T *item, const xl_stage *stage, const xl_input *input, ulong base,
                    const uint rows)
{
    const uint count = xl_stage_count(stage, input, base);
    const uint step = XL_VECTOR_STEP, at = xl_tile_at(XL_SUB_TILE, 0, rows);
    if (count == stage->tile) {
#pragma unroll
        for (uint row = 0; row < rows; ++row)
            xl_staged_vector(item + row * XL_VLEN, stage, input, base, at + row * step);
    } else {
#pragma unroll
        for (uint row = 0; row < rows; ++row)
            xl_staged_few(item + row * XL_VLEN, stage, input, base, at + row * step, count);
    }
}

/* The sum of a tile, by one sub-group, at every lane. */
XL_T xl_pipelined_fallback_reduce(const xl_lookback *lookback, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint sub_tile = 0; sub_tile < XL_SUB_TILES; ++sub_tile) {
        XL_T total = XL_IDENTITY;
        const ulong from = xl_tile_base(tile, XL_TILE_ELEMENTS(lookback)) +
                           XL_BLOCKED_AT(sub_tile * xl_lane_width() + xl_lane_id(), lookback->rows);
        for (uint row = 0; row < lookback->rows; ++row)
            total = xl_op(total, xl_vector_fallback_reduce(&lookback->input, from + row * XL_VLEN));
        sum = xl_op(sum, xl_lane_reduce(total));
    }
    return sum;
}

/* ---- slots ------------------------------------------------------------------------ */

/* Tells the others of a tile, by one work-item. */
void xl_pipelined_publish(const xl_lookback *lookback, uint tile, uint state, XL_T value)
{
    if (!lookback->single_tile)
        xl_tile_publish(lookback, tile, state, value, lookback->in_place, state == XL_AGGREGATE);
}

/* The sum of each lane's tile `slot`, re-reduced where nothing is posted. `asked`: this
 * lane wants one; `seen`: it has it already, in *value. A block's last tile is not posted
 * for its owner, who may be posting its PREFIX in the same place. */
void xl_descriptor_fallback(const xl_lookback *lookback, uint tile_index, bool asked, bool seen,
                            XL_T *value)
{
    for (ulong left = xl_lane_ballot(asked && !seen); left != 0; left &= left - 1) {
        const uint who = xl_lowest_bit(left), tile = xl_lane_shuffle(tile_index, who);
#if XL_INJECT_DELAY > 0
        if (lookback
                ->in_place) { /* so late that what is read are results: the second look counts */
            xl_inject_delay(lookback);
            xl_inject_delay(lookback);
        }
#endif
        XL_T computed = xl_pipelined_fallback_reduce(lookback, tile);
        if (lookback->in_place)
            xl_device_fence();
        if (xl_lane_id() != who)
            continue;
        /* In place what was read may have been results; then the sum is there by now. */
        if (lookback->in_place &&
            xl_descriptor_poll(lookback->tiles, tile, XL_AGGREGATE, lookback->epoch, value))
            continue;
        *value = computed;
        if (!XL_ENDS_WINDOW(tile))
            xl_descriptor_publish(lookback->tiles, tile, XL_AGGREGATE, lookback->epoch, computed);
#if XL_INJECT_DELAY > 0
        atomic_inc((volatile __global uint *)lookback->header + XL_FALLBACKS);
#endif
    }
}

/* The PREFIX of a tile, if it is there: all lanes see what lane 0 sees. */
bool xl_window_prefix_poll(const xl_lookback *lookback, uint tile, XL_T *value)
{
    XL_T seen;
    const bool there = xl_descriptor_poll(lookback->tiles, tile, XL_PREFIX, lookback->epoch, &seen);
    if ((xl_lane_ballot(there) & 1) == 0)
        return false;
    *value = xl_shuffle_from(seen, 0);
    return true;
}

/* start(block), by one sub-group that waited in vain for it to be posted. */
XL_T xl_windows_fallback(const xl_lookback *lookback, uint block)
{
    XL_T start = lookback->start;
    uint at = block;
    while (at > 0 && !xl_window_prefix_poll(lookback, at * XL_WINDOW - 1, &start))
        --at;
    for (; at < block; ++at) {
        const uint last = at * XL_WINDOW + XL_WINDOW - 1;
        XL_T sum = XL_IDENTITY, own = XL_IDENTITY;
        for (uint sub_tile = 0; sub_tile < XL_SUB_TILES; ++sub_tile) {
            XL_T fold = XL_IDENTITY;
            for (uint k = 0; k < XL_WINDOW_ITEMS; ++k) {
                const uint item = sub_tile * xl_lane_width() + xl_lane_id();
                const uint tile_index = at * XL_WINDOW + item * XL_WINDOW_ITEMS + k;
                XL_T value = XL_IDENTITY;
                bool seen = tile_index == last;
                if (!seen)
                    seen = xl_descriptor_poll(lookback->tiles, tile_index, XL_AGGREGATE,
                                              lookback->epoch, &value);
                xl_descriptor_fallback(lookback, tile_index, tile_index != last, seen, &value);
                fold = xl_op(fold, value);
            }
            sum = xl_op(sum, xl_lane_reduce(fold));
        }
        if (xl_window_prefix_poll(lookback, last, &start)) /* posted meanwhile, the same bits */
            continue;
        const bool seen = xl_lane_ballot(xl_descriptor_poll(lookback->tiles, last, XL_AGGREGATE,
                                                            lookback->epoch, &own)) &
                          1;
        xl_descriptor_fallback(lookback, last, xl_lane_id() == 0, seen, &own);
        own = xl_shuffle_from(own, 0);
        /* Of a value in one word the PREFIX may have taken the place of the sum. */
        if (!xl_window_prefix_poll(lookback, last, &start))
            start = xl_op(xl_op(start, sum), own);
    }
    return start;
}

/* ---- looking back ------------------------------------------------------------------- */

/* What a work-item sees of the tiles before its own. */
typedef struct xl_window {
    xl_descriptor sum[XL_WINDOW_ITEMS], before;
} xl_window;

/* Asks for all of them in one go, and does not wait. */
void xl_window_load(xl_window *window, const xl_lookback *lookback, uint tile)
{
    const uint base = tile - tile % XL_WINDOW,
               tile_index = base + (uint)get_local_id(0) * XL_WINDOW_ITEMS;
    if (base > 0)
        window->before = xl_descriptor_load(lookback->tiles, base - 1, XL_PREFIX);
#pragma unroll
    for (uint k = 0; k < XL_WINDOW_ITEMS; ++k)
        if (tile_index + k < tile)
            window->sum[k] = xl_descriptor_load(lookback->tiles, tile_index + k, XL_AGGREGATE);
}

/* Waits for them; leaves this sub-group's part in parts[] and gives start(block). */
XL_T xl_window_wait(xl_window *window, const xl_lookback *lookback, uint tile, __local XL_T *parts)
{
    const uint base = tile - tile % XL_WINDOW,
               tile_index = base + (uint)get_local_id(0) * XL_WINDOW_ITEMS;
    XL_T fold = XL_IDENTITY, start = lookback->start;
    uint polls = 0;
    ulong silent;
    do {
        bool waits = false;
#pragma unroll
        for (uint k = 0; k < XL_WINDOW_ITEMS; ++k) {
            if (tile_index + k < tile &&
                !xl_descriptor_is(&window->sum[k], XL_AGGREGATE, lookback->epoch)) {
                window->sum[k] = xl_descriptor_load(lookback->tiles, tile_index + k, XL_AGGREGATE);
                waits = waits || !xl_descriptor_is(&window->sum[k], XL_AGGREGATE, lookback->epoch);
            }
        }
        silent = xl_lane_ballot(waits);
    } while (silent != 0 && polls++ < XL_SPIN_LIMIT);
#pragma unroll
    for (uint k = 0; k < XL_WINDOW_ITEMS; ++k) {
        XL_T value = XL_IDENTITY;
        const bool asked = tile_index + k < tile;
        bool seen = false;
        if (asked) {
            seen = xl_descriptor_is(&window->sum[k], XL_AGGREGATE, lookback->epoch);
            value = xl_descriptor_value(&window->sum[k]);
        }
        if (silent != 0)
            xl_descriptor_fallback(lookback, tile_index + k, asked, seen, &value);
        fold = xl_op(fold, value);
    }
    fold = xl_lane_reduce(fold);
    if (xl_lane_id() == 0)
        parts[xl_lane_group()] = fold;
    if (base == 0)
        return start;
    bool there = xl_descriptor_is(&window->before, XL_PREFIX, lookback->epoch);
    for (polls = 0; xl_lane_ballot(!there) != 0 && polls < XL_SPIN_LIMIT; ++polls) {
        window->before = xl_descriptor_load(lookback->tiles, base - 1, XL_PREFIX);
        there = xl_descriptor_is(&window->before, XL_PREFIX, lookback->epoch);
    }
    start = xl_descriptor_value(&window->before);
    if (xl_lane_ballot(!there) != 0)
        start = xl_windows_fallback(lookback, base / XL_WINDOW);
    return start;
}

/* After a barrier: the prefix itself. */
XL_T xl_window_fold(XL_T start, const __local XL_T *parts)
{
    XL_T sum = XL_IDENTITY;
    for (uint k = 0; k < XL_SUB_TILES; ++k)
        sum = xl_op(sum, parts[k]);
    return xl_op(start, sum);
}

#endif
