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

/* Clears a state buffer, header and all: every tile EMPTY whatever the epoch. */
__kernel void xl_scan_clear(__global ulong *state, ulong state_offset, ulong words)
{
    for (ulong i = get_global_id(0); i < words; i += get_global_size(0))
        state[state_offset + i] = 0;
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

/* Step 1: posts the sum of the staged tile. Gives what stands before this sub-group in the
 * tile, and, for the last tile of a block, the tile's prefix. */
XL_T xl_post_next(xl_ring *ring, const xl_stage *stage, uint next, bool fetches, uint phase,
                  __local xl_shared *shared, XL_T *prefix)
{
    const ulong base = (ulong)next * stage->tile;
    const uint count = (uint)min(ring->input.n - base, (ulong)stage->tile);
    xl_stage_heads(stage, &ring->input, base);
    xl_fetch_end(stage, &ring->input, base, fetches, phase);
#if XL_SEGMENTS != 0 && !XL_MARKS
    XL_LOCAL_BARRIER();
#endif
    const XL_T total =
        xl_lane_reduce(xl_staged_total(stage, &ring->input, base, count, ring->rows));
    if (xl_lane_id() == 0)
        shared->units[xl_lane_group()] = total;
    XL_LOCAL_BARRIER();
    XL_T before = XL_IDENTITY, sum = XL_IDENTITY;
    for (uint k = 0; k < XL_UNITS; ++k) {
        if (k == xl_lane_group())
            before = sum;
        sum = xl_op(sum, shared->units[k]);
    }
    if (get_local_id(0) == 0)
        xl_ahead_post(ring, next, XL_AGGREGATE, sum);
    if (XL_IS_LAST(next)) {
        xl_looks looks;
        xl_look(&looks, ring, next);
        const XL_T start = xl_look_end(&looks, ring, next, shared->early);
        XL_LOCAL_BARRIER();
        *prefix = xl_look_fold(start, shared->early);
        if (get_local_id(0) == 0)
            xl_ahead_post(ring, next, XL_PREFIX, xl_op(*prefix, sum));
    }
    /* Between this and the first store of a result stands a barrier: see
     * cl/tile/tile_lookback.cl. */
    if (ring->in_place && get_local_id(0) == 0)
        xl_message_fence();
    return before;
}

void xl_ahead_run(xl_ring ring, __global XL_OUT *out, const xl_stage stage,
                  __local xl_shared *shared)
{
    const ulong n = ring.input.n;
    const uint lid = (uint)get_local_id(0), groups = (uint)get_num_groups(0);
    const uint tiles = (uint)XL_CEIL_DIV(n, stage.tile);
    const bool tickets = tiles > groups, issuer = lid == XL_ISSUER;
    const bool fetches = xl_fetches(&ring.input);
    XL_T item[XL_ITEMS], before = XL_IDENTITY, early = XL_IDENTITY;
    uint tile = tiles, next = (uint)get_group_id(0), ticket = ~0u, phase = 0;

    if (tickets) {
        if (issuer)
            shared->next = xl_take_next(&ring, true);
        XL_LOCAL_BARRIER();
        next = shared->next;
        XL_LOCAL_BARRIER();
    }
    if (issuer) {
        xl_fetch_init(&stage);
        if (fetches && next < tiles)
            xl_fetch_start(&stage, &ring.input, (ulong)next * stage.tile);
        shared->epoch = ring.alone ? 0 : ((volatile __global uint *)ring.header)[XL_EPOCH];
        ticket = xl_take_next(&ring, tickets && next < tiles);
    }
    XL_LOCAL_BARRIER();
    ring.epoch = shared->epoch;
    while (true) {
        const XL_T known = early;
        XL_T before_next = XL_IDENTITY;
        if (next < tiles) {
            before_next = xl_post_next(&ring, &stage, next, fetches, phase, shared, &early);
            phase ^= 1;
        }
        if (tile < tiles) {
            xl_looks looks;
            XL_T prefix = known;
            if (!XL_IS_LAST(tile))
                xl_look(&looks, &ring, tile);
            (void)xl_unit_scan(&ring.input, item, ring.rows, (__local XL_T *)0);
            if (!XL_IS_LAST(tile))
                prefix = xl_look_end(&looks, &ring, tile, shared->parts);
            XL_LOCAL_BARRIER();
            if (!XL_IS_LAST(tile))
                prefix = xl_look_fold(prefix, shared->parts);
            xl_tile_store(item, out, (ulong)tile * stage.tile, n, xl_op(prefix, before), ring.rows);
        }
        if (next >= tiles)
            break;
        tile = next;
        before = before_next;
        const ulong base = (ulong)tile * stage.tile;
        const uint count = (uint)min(n - base, (ulong)stage.tile);
        xl_staged_load(item, &stage, &ring.input, base, count, ring.rows);
        if (issuer)
            shared->next = ticket;
        XL_LOCAL_BARRIER();
        next = shared->next;
        if (issuer) {
            if (fetches && next < tiles)
                xl_fetch_start(&stage, &ring.input, (ulong)next * stage.tile);
            ticket = xl_take_next(&ring, tickets && next < tiles);
        }
    }
    if (issuer && !ring.alone)
        xl_state_leave(ring.header, groups, ring.epoch);
}

/* `flags`: 2: there is one tile and no state; 4: out is in. */
#define XL_AHEAD_ARGUMENTS                                                                         \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags
#define XL_AHEAD_RUN(of_rows, is_in_place)                                                         \
    XL_STAGE_MAKE(stage);                                                                          \
    __local xl_shared shared;                                                                      \
    XL_INPUT_MAKE(input);                                                                          \
    xl_ring ring;                                                                                  \
    ring.header = state + state_offset;                                                            \
    ring.tiles = ring.header + XL_HEADER_WORDS;                                                    \
    ring.input = input;                                                                            \
    ring.start = xl_input_start(&input);                                                           \
    ring.epoch = 0;                                                                                \
    ring.alone = (flags & 2) != 0;                                                                 \
    ring.in_place = (is_in_place);                                                                 \
    ring.rows = (of_rows);                                                                         \
    stage.tile = XL_STRIDE(&ring);                                                                 \
    xl_ahead_run(ring, out + out_offset, stage, &shared)

__kernel XL_REQUIRED void xl_scan_ahead(XL_AHEAD_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_ROWS, !XL_APART && (flags & 4) != 0);
}

#if XL_APART
__kernel XL_REQUIRED void xl_scan_ahead_in_place(XL_AHEAD_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_ROWS, true);
}
#endif

#if XL_FEW > 0
/* With shorter tiles, so that few elements are work for all groups. */
__kernel XL_REQUIRED void xl_scan_ahead_few(XL_AHEAD_ARGUMENTS)
{
    XL_AHEAD_RUN(XL_FEW, (flags & 4) != 0);
}
#endif
