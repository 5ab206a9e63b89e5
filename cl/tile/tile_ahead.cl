/* SPDX-License-Identifier: MIT
 * Look-back by a whole work-group, over blocks of tiles of fixed size.
 *
 * Tiles fall into blocks of XL_BLOCK. Every tile posts its AGGREGATE, only the last of a
 * block its PREFIX, so that for tile t of block b
 *   prefix(t) = start(b) op (the sums of the tiles of b before t, in one fixed tree)
 *   start(b)  = PREFIX of the last tile of block b - 1 = prefix(last) op sum(last)
 * which is one fixed expression whatever the timing: operators that round need no other
 * kernel. After the anchors of CUB's deterministic scan (NVIDIA/cccl PR 9098). Each
 * work-item looks at XL_LOOKS neighbouring tiles; sub-groups meet in local memory.
 *
 * Waits are bounded as in cl/tile/tile_lookback.cl, from which the argument for scans in
 * place is taken too: a tile that is silent is re-reduced by a sub-group that waits for
 * it, in its owner's own tree, and posted for all who come after, for whom the bits are
 * the same; a PREFIX that is late is made by hand from the nearest one there is.
 *
 * Asks for the lines of cl/tile/tile_state.cl and of cl/tile/tile_fetch.cl, sub-groups
 * (XL_USE_LANES 1), those of cl/tile/tile_ring.cl, XL_SPIN_LIMIT as in
 * cl/tile/tile_lookback.cl, and
 *   XL_SHARE  tiles of a block for each work-item */
#ifndef XL_TILE_AHEAD
#define XL_TILE_AHEAD

#include "tile_fetch.cl"
#include "tile_ring.cl"

#if !defined(XL_SPIN_LIMIT) || !defined(XL_SHARE)
#error "XL_SPIN_LIMIT and XL_SHARE must be defined"
#elif !XL_USE_LANES
#error "a look-back by a whole group needs sub-groups"
#endif

#define XL_STRIDE(ring) (XL_GROUP_SIZE * XL_VLEN * (ring)->rows) /* elements of a tile */
#define XL_LOOKS XL_SHARE
#define XL_BLOCK (XL_SHARE * XL_GROUP_SIZE)
#define XL_IS_LAST(tile) ((tile) % XL_BLOCK == XL_BLOCK - 1)
#if XL_LANE_WAY == 2
#define XL_MOST_UNITS (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_MOST_UNITS (XL_GROUP_SIZE / 4)
#endif

/* ---- sums of tiles ------------------------------------------------------------- */

/* A work-item sums up `rows` vectors that are neighbours; rows are odd where local memory has
 * 32 banks, so that the lanes' vectors meet in none of them. */
#define XL_SUM_AT(item, rows) ((item) * (rows)*XL_VLEN)

XL_T xl_vector_total(const XL_T *x)
{
    XL_T total = x[0];
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, x[v]);
    return total;
}

/* This work-item's part of the staged tile; the same operations as in xl_ahead_redo(). */
XL_T xl_staged_total(const xl_stage *stage, const xl_input *input, ulong base, const uint rows)
{
    const uint count = xl_stage_count(stage, input, base);
    const uint at = XL_SUM_AT((uint)get_local_id(0), rows);
    XL_T total = XL_IDENTITY, x[XL_VLEN];
    if (count == stage->tile) {
#pragma unroll
        for (uint row = 0; row < rows; ++row) {
            xl_staged_row(x, stage, input, base, at + row * XL_VLEN);
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
    const uint step = XL_ROW_STEP, at = xl_tile_at(XL_UNIT, 0, rows);
    if (count == stage->tile) {
#pragma unroll
        for (uint row = 0; row < rows; ++row)
            xl_staged_row(item + row * XL_VLEN, stage, input, base, at + row * step);
    } else {
#pragma unroll
        for (uint row = 0; row < rows; ++row)
            xl_staged_few(item + row * XL_VLEN, stage, input, base, at + row * step, count);
    }
}

/* The sum of a tile, by one sub-group, at every lane. */
XL_T xl_ahead_redo(const xl_ring *ring, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint unit = 0; unit < XL_UNITS; ++unit) {
        XL_T total = XL_IDENTITY;
        const ulong from = xl_tile_base(tile, XL_STRIDE(ring)) +
                           XL_SUM_AT(unit * xl_lane_width() + xl_lane_id(), ring->rows);
        for (uint row = 0; row < ring->rows; ++row)
            total = xl_op(total, xl_row_redo(&ring->input, from + row * XL_VLEN));
        sum = xl_op(sum, xl_lane_reduce(total));
    }
    return sum;
}

/* ---- slots ------------------------------------------------------------------------ */

/* Tells the others of a tile, by one work-item. */
void xl_ahead_post(const xl_ring *ring, uint tile, uint state, XL_T value)
{
    if (!ring->alone)
        xl_tile_post(ring, tile, state, value, ring->in_place, state == XL_AGGREGATE);
}

/* The sum of each lane's tile `slot`, re-reduced where nothing is posted. `asked`: this
 * lane wants one; `seen`: it has it already, in *value. A block's last tile is not posted
 * for its owner, who may be posting its PREFIX in the same place. */
void xl_slot_redo(const xl_ring *ring, uint slot, bool asked, bool seen, XL_T *value)
{
    for (ulong left = xl_lane_ballot(asked && !seen); left != 0; left &= left - 1) {
        const uint who = xl_lowest_bit(left), tile = xl_lane_shuffle(slot, who);
#if XL_HOLD_BACK > 0
        if (ring->in_place) { /* so late that what is read are results: the second look counts */
            xl_hold_back(ring);
            xl_hold_back(ring);
        }
#endif
        XL_T made = xl_ahead_redo(ring, tile);
        if (ring->in_place)
            xl_message_fence();
        if (xl_lane_id() != who)
            continue;
        /* In place what was read may have been results; then the sum is there by now. */
        if (ring->in_place && xl_state_take(ring->tiles, tile, XL_AGGREGATE, ring->epoch, value))
            continue;
        *value = made;
        if (!XL_IS_LAST(tile))
            xl_state_post(ring->tiles, tile, XL_AGGREGATE, ring->epoch, made);
#if XL_HOLD_BACK > 0
        atomic_inc((volatile __global uint *)ring->header + XL_REDONE);
#endif
    }
}

/* The PREFIX of a tile, if it is there: all lanes see what lane 0 sees. */
bool xl_prefix_take(const xl_ring *ring, uint tile, XL_T *value)
{
    XL_T seen;
    const bool there = xl_state_take(ring->tiles, tile, XL_PREFIX, ring->epoch, &seen);
    if ((xl_lane_ballot(there) & 1) == 0)
        return false;
    *value = xl_shuffle_from(seen, 0);
    return true;
}

/* start(block), by one sub-group that waited in vain for it to be posted. */
XL_T xl_blocks_redo(const xl_ring *ring, uint block)
{
    XL_T start = ring->start;
    uint at = block;
    while (at > 0 && !xl_prefix_take(ring, at * XL_BLOCK - 1, &start))
        --at;
    for (; at < block; ++at) {
        const uint last = at * XL_BLOCK + XL_BLOCK - 1;
        XL_T sum = XL_IDENTITY, own = XL_IDENTITY;
        for (uint unit = 0; unit < XL_UNITS; ++unit) {
            XL_T fold = XL_IDENTITY;
            for (uint k = 0; k < XL_LOOKS; ++k) {
                const uint item = unit * xl_lane_width() + xl_lane_id();
                const uint slot = at * XL_BLOCK + item * XL_LOOKS + k;
                XL_T value = XL_IDENTITY;
                bool seen = slot == last;
                if (!seen)
                    seen = xl_state_take(ring->tiles, slot, XL_AGGREGATE, ring->epoch, &value);
                xl_slot_redo(ring, slot, slot != last, seen, &value);
                fold = xl_op(fold, value);
            }
            sum = xl_op(sum, xl_lane_reduce(fold));
        }
        if (xl_prefix_take(ring, last, &start)) /* posted meanwhile, the same bits */
            continue;
        const bool seen =
            xl_lane_ballot(xl_state_take(ring->tiles, last, XL_AGGREGATE, ring->epoch, &own)) & 1;
        xl_slot_redo(ring, last, xl_lane_id() == 0, seen, &own);
        own = xl_shuffle_from(own, 0);
        /* Of a value in one word the PREFIX may have taken the place of the sum. */
        if (!xl_prefix_take(ring, last, &start))
            start = xl_op(xl_op(start, sum), own);
    }
    return start;
}

/* ---- looking back ------------------------------------------------------------------- */

/* What a work-item sees of the tiles before its own. */
typedef struct xl_looks {
    xl_message sum[XL_LOOKS], before;
} xl_looks;

/* Asks for all of them in one go, and does not wait. */
void xl_look(xl_looks *looks, const xl_ring *ring, uint tile)
{
    const uint base = tile - tile % XL_BLOCK, slot = base + (uint)get_local_id(0) * XL_LOOKS;
    if (base > 0)
        looks->before = xl_message_take(ring->tiles, base - 1, XL_PREFIX);
#pragma unroll
    for (uint k = 0; k < XL_LOOKS; ++k)
        if (slot + k < tile)
            looks->sum[k] = xl_message_take(ring->tiles, slot + k, XL_AGGREGATE);
}

/* Waits for them; leaves this sub-group's part in parts[] and gives start(block). */
XL_T xl_look_end(xl_looks *looks, const xl_ring *ring, uint tile, __local XL_T *parts)
{
    const uint base = tile - tile % XL_BLOCK, slot = base + (uint)get_local_id(0) * XL_LOOKS;
    XL_T fold = XL_IDENTITY, start = ring->start;
    uint polls = 0;
    ulong silent;
    do {
        bool waits = false;
#pragma unroll
        for (uint k = 0; k < XL_LOOKS; ++k) {
            if (slot + k < tile && !xl_message_is(&looks->sum[k], XL_AGGREGATE, ring->epoch)) {
                looks->sum[k] = xl_message_take(ring->tiles, slot + k, XL_AGGREGATE);
                waits = waits || !xl_message_is(&looks->sum[k], XL_AGGREGATE, ring->epoch);
            }
        }
        silent = xl_lane_ballot(waits);
    } while (silent != 0 && polls++ < XL_SPIN_LIMIT);
#pragma unroll
    for (uint k = 0; k < XL_LOOKS; ++k) {
        XL_T value = XL_IDENTITY;
        const bool asked = slot + k < tile;
        bool seen = false;
        if (asked) {
            seen = xl_message_is(&looks->sum[k], XL_AGGREGATE, ring->epoch);
            value = xl_message_value(&looks->sum[k]);
        }
        if (silent != 0)
            xl_slot_redo(ring, slot + k, asked, seen, &value);
        fold = xl_op(fold, value);
    }
    fold = xl_lane_reduce(fold);
    if (xl_lane_id() == 0)
        parts[xl_lane_group()] = fold;
    if (base == 0)
        return start;
    bool there = xl_message_is(&looks->before, XL_PREFIX, ring->epoch);
    for (polls = 0; xl_lane_ballot(!there) != 0 && polls < XL_SPIN_LIMIT; ++polls) {
        looks->before = xl_message_take(ring->tiles, base - 1, XL_PREFIX);
        there = xl_message_is(&looks->before, XL_PREFIX, ring->epoch);
    }
    start = xl_message_value(&looks->before);
    if (xl_lane_ballot(!there) != 0)
        start = xl_blocks_redo(ring, base / XL_BLOCK);
    return start;
}

/* After a barrier: the prefix itself. */
XL_T xl_look_fold(XL_T start, const __local XL_T *parts)
{
    XL_T sum = XL_IDENTITY;
    for (uint k = 0; k < XL_UNITS; ++k)
        sum = xl_op(sum, parts[k]);
    return xl_op(start, sum);
}

#endif
