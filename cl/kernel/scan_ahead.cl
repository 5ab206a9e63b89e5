/* SPDX-License-Identifier: MIT
 * The scan in one launch, with sums posted one tile ahead: the fastest where a GPU can
 * copy into local memory by itself.
 *
 * A group has two tiles in hand: one in registers, whose sum is posted and which waits for
 * its prefix, and the next, which comes into local memory meanwhile. In each turn it
 *   1. sums up the next tile from local memory and posts the sum; if that tile is the
 *      last of a block, it also looks back for it at once and posts its PREFIX;
 *   2. asks for what others posted, scans the tile in registers, and only then waits for
 *      the answers: they were posted a turn ago, so that hardly anyone ever waits;
 *   3. stores the results, takes the next tile into registers, sends for the one after
 *      it, and takes a ticket for that one's successor.
 * With as many groups as tiles or more there is nothing to hand out and no ticket is taken:
 * the tile is the group's number. Should such a group not run, others do without its post
 * as they do without any other (cl/tile/tile_ahead.cl).
 *
 * test/model/scan_ahead.pml checks all this for every interleaving of small sizes, with
 * these names.
 *
 * Asks for the lines of cl/tile/tile_ahead.cl, and
 *   XL_FEW    vectors that a work-item takes in a kernel for few elements, an odd number;
 *             0: there is none
 *   XL_APART  1: in place has a kernel of its own, 0: one does both. (NVIDIA's compiler
 *             makes the one slower by a third where elements are of 8 bytes, and takes
 *             seconds for the other; 580.159.04, November 2026.) */
#include "../tile/tile_ahead.cl"
#include "../tile/tile_scan.cl"

#if !defined(XL_FEW) || !defined(XL_APART)
#error "XL_FEW and XL_APART must be defined"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

__kernel void xl_scan_clear(__global ulong *state, ulong state_offset, ulong words)
{
    xl_state_clear(state + state_offset, words);
}

/* What the work-items of a group share beside the stage. */
typedef struct xl_shared {
    uint next, epoch;
    XL_T units[XL_MOST_UNITS];                       /* sums of the next tile */
    XL_T parts[XL_MOST_UNITS], early[XL_MOST_UNITS]; /* of two look-backs */
} xl_shared;

/* The work-item that fetches and takes tickets: in the last sub-group, as the first
 * posts. */
#define XL_ISSUER (XL_GROUP_SIZE - 1)

/* A group takes no ticket beyond the one that is past the last tile, and so has waited for
 * all it took before it leaves. One still on its way could be counted after the last group
 * has put TICKET back to 0, and the next launch would miss its first tile. */
uint xl_take_next(const xl_ring *ring, bool tickets)
{
    return tickets ? xl_state_take_ticket(ring->header) : ~0u;
}

/* The tile to begin with, at every work-item. Barriers must stand before shared->next is written
 * again. */
uint xl_take_first(const xl_ring *ring, bool tickets, __local xl_shared *shared)
{
    if (!tickets)
        return (uint)get_group_id(0);
    if (get_local_id(0) == XL_ISSUER)
        shared->next = xl_take_next(ring, true);
    XL_LOCAL_BARRIER();
    return shared->next;
}

/* Step 1: posts the sum of the staged tile. Gives what stands before this sub-group in the
 * tile, the tile's sum, and, for the last tile of a block, the tile's prefix. */
XL_T xl_post_next(const xl_ring *ring, const xl_stage *stage, uint next, bool fetches, uint phase,
                  __local xl_shared *shared, XL_T *early, XL_T *sum)
{
    const ulong base = xl_tile_base(next, stage->tile);
    xl_stage_heads(stage, &ring->input, base);
    xl_fetch_end(stage, &ring->input, base, fetches, phase);
#if XL_SEGMENTS != 0 && !XL_MARKS
    XL_LOCAL_BARRIER();
#endif
    const XL_T mine = xl_staged_total(stage, &ring->input, base, ring->rows);
    const XL_T total = xl_lane_reduce(mine);
    if (xl_lane_id() == 0)
        shared->units[xl_lane_group()] = total;
    XL_LOCAL_BARRIER();
    XL_T before = XL_IDENTITY, own = XL_IDENTITY;
    for (uint k = 0; k < XL_UNITS; ++k) {
        if (k == xl_lane_group())
            before = own;
        own = xl_op(own, shared->units[k]);
    }
    if (get_local_id(0) == 0)
        xl_ahead_post(ring, next, XL_AGGREGATE, own);
    if (XL_IS_LAST(next)) {
        xl_looks looks;
        xl_look(&looks, ring, next);
        const XL_T start = xl_look_end(&looks, ring, next, shared->early);
        XL_LOCAL_BARRIER();
        *early = xl_look_fold(start, shared->early);
        if (get_local_id(0) == 0)
            xl_ahead_post(ring, next, XL_PREFIX, xl_op(*early, own));
    }
    /* Between this and the first store of a result stands a barrier: see
     * cl/tile/tile_lookback.cl. */
    if (ring->in_place && get_local_id(0) == 0)
        xl_message_fence();
    *sum = own;
    return before;
}

/* Step 2: scans the tile in `item` and gives its prefix, which is `known` for the last tile of
 * a block. */
XL_T xl_scan_mine(const xl_ring *ring, uint mine, XL_T *item, XL_T known, __local xl_shared *shared)
{
    xl_looks looks;
    XL_T prefix = known;
    if (!XL_IS_LAST(mine))
        xl_look(&looks, ring, mine);
    (void)xl_unit_scan(&ring->input, item, ring->rows, (__local XL_T *)0);
    if (!XL_IS_LAST(mine))
        prefix = xl_look_end(&looks, ring, mine, shared->parts);
    XL_LOCAL_BARRIER();
    return XL_IS_LAST(mine) ? prefix : xl_look_fold(prefix, shared->parts);
}

/* `mine` is the tile in registers, `next` the staged one, and the issuer has the ticket of
 * the one `after` it. */
void xl_ahead_run(xl_ring ring, __global XL_OUT *out, const xl_stage stage,
                  __local xl_shared *shared)
{
    const uint tiles = (uint)XL_CEIL_DIV(ring.input.n, stage.tile);
    const uint groups = (uint)get_num_groups(0);
    const bool tickets = tiles > groups, issuer = get_local_id(0) == XL_ISSUER;
    const bool fetches = xl_fetches(&ring.input);
    XL_T item[XL_ITEMS], before = XL_IDENTITY, early = XL_IDENTITY, sum_next = XL_IDENTITY;
    uint mine = tiles, next = xl_take_first(&ring, tickets, shared), after = ~0u, phase = 0;

    if (issuer) {
        xl_fetch_init(&stage);
        if (fetches && next < tiles)
            xl_fetch_start(&stage, &ring.input, xl_tile_base(next, stage.tile));
        shared->epoch = ring.alone ? 0 : ((volatile __global uint *)ring.header)[XL_EPOCH];
        after = xl_take_next(&ring, tickets && next < tiles);
    }
    XL_LOCAL_BARRIER();
    ring.epoch = shared->epoch;
    while (true) {
        const XL_T known = early;
        XL_T before_next = XL_IDENTITY;
#if XL_CARRY
        const XL_T sum = sum_next;
#endif
        if (next < tiles) {
            before_next =
                xl_post_next(&ring, &stage, next, fetches, phase, shared, &early, &sum_next);
            phase ^= 1;
        }
        if (mine < tiles) {
            const XL_T prefix = xl_scan_mine(&ring, mine, item, known, shared);
            xl_tile_store(item, &ring.input, out, xl_tile_base(mine, stage.tile),
                          xl_op(prefix, before), ring.rows);
            XL_CARRY_LEAVE(&ring.input, mine == tiles - 1 && get_local_id(0) == 0,
                           xl_op(prefix, sum));
        }
        if (next >= tiles)
            break;
        mine = next;
        before = before_next;
        xl_staged_load(item, &stage, &ring.input, xl_tile_base(mine, stage.tile), ring.rows);
        if (issuer)
            shared->next = after;
        XL_LOCAL_BARRIER();
        next = shared->next;
        if (issuer) {
            if (fetches && next < tiles)
                xl_fetch_start(&stage, &ring.input, xl_tile_base(next, stage.tile));
            after = xl_take_next(&ring, tickets && next < tiles);
        }
    }
    if (issuer && !ring.alone)
        xl_state_leave(ring.header, groups, ring.epoch);
}

#define XL_AHEAD_RUN(of_rows, is_in_place)                                                         \
    XL_STAGE_MAKE(stage);                                                                          \
    __local xl_shared shared;                                                                      \
    XL_RING_MAKE(ring);                                                                            \
    ring.in_place = (is_in_place);                                                                 \
    ring.rows = (of_rows);                                                                         \
    stage.tile = XL_STRIDE(&ring);                                                                 \
    XL_CARRY_PASS(&ring.input);                                                                    \
    xl_ahead_run(ring, out + out_offset, stage, &shared)

__kernel XL_REQUIRED void xl_scan_ahead(XL_RING_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_ROWS, !XL_APART && (flags & 4) != 0);
}

#if XL_APART
__kernel XL_REQUIRED void xl_scan_ahead_in_place(XL_RING_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_ROWS, true);
}
#endif

#if XL_FEW > 0
/* With shorter tiles, so that few elements are work for all groups. */
__kernel XL_REQUIRED void xl_scan_ahead_few(XL_RING_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_FEW, (flags & 4) != 0);
}
#endif
