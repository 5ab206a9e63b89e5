/* SPDX-License-Identifier: MIT
 * The scan in one launch, pipelined: aggregates are published one tile early. It is the fastest one
 * on GPUs that copy into local memory asynchronously.
 *
 * A group has two tiles: one in registers, whose aggregate is published and which waits for its
 * prefix, and the next one, which is on its way into local memory. In each round the group
 *   1. reduces the next tile from local memory and publishes its aggregate;
 *   2. loads the descriptors of earlier tiles, scans the tile in registers, and only then uses the
 *      descriptors: they were published a round ago, so it hardly ever waits for them. If the next
 *      tile is the last of a window, it looks back for that one, too, and publishes its PREFIX;
 *   3. stores the results, loads the next tile into registers, starts the copy of the tile after
 *      it, and takes the ticket of the tile after that.
 * If there are at least as many groups as tiles, no tickets are taken: the tile is the number of
 * the group. If such a group does not run, the others replace its values by the fallback, as always
 * (cl/tile/tile_prefix.cl).
 *
 * test/model/scan_pipelined.pml checks this for every interleaving of small sizes, with the same
 * names.
 *
 * Calls with few elements have shorter tiles, so that they occupy all groups. If elements have 8
 * bytes, scans in place have a separate kernel (XL_IN_PLACE), because NVIDIA's compiler makes a
 * kernel for both slower by a third (580.159.04, November 2026). Each of these is a program with one
 * large kernel, which is built when a call needs it. */

/* A constant, because the kernel may require no group size (XL_REGISTERS). It makes scans of u32
 * 3 % faster on an H200, but those of segments by scan_lookback.cl 4 % slower. */
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define xl_sub_tiles() (XL_GROUP_SIZE / XL_LANES)
#endif

#if XL_BULK == 1 /* arrays are aligned: cl/tile/tile_stage.cl */
#define xl_shifts_stores false
#endif

#include "../tile/tile_stage.cl"
#define XL_LOOKBACK_SCOPE 2
#define XL_LOOKBACK_ORDERED 1
#include "scan_source.cl"

#if !XL_USE_LANES
#error "a look-back by a work-group requires sub-groups"
#endif

#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_MAX_SUB_TILES (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_MAX_SUB_TILES (XL_GROUP_SIZE / 4)
#endif

/* NVIDIA's compiler ignores the host's limit of registers in a kernel that requires a group size.
 * Without the limit it gives most of these kernels 80 registers, not 128, and spills (580.159.04,
 * November 2026: 2^24 u32 take .065 ms on an H200, not .040). */
#if XL_LANE_WAY == 2
#define XL_REQUIRED
#else
#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))
#endif
/* ---- the tile that a group scans, between load and store ---- */

/* Packed (XL_PACKED 1 or 2), if elements are narrower than a register: as the vectors that were
 * loaded, each with its prefix in the sub-tile. The store scans them again, from that prefix on.
 * With a register per element, a tile would have a quarter of the bytes, and u8 at 2^28 then took
 * .280 ms on an H200, .46 of a copy.
 * Otherwise: as scanned accumulators, which the store combines with the prefix of the tile.
 *
 * Elements after the last one have arbitrary values: their results are not stored, and built-in
 * operators accept any value. */
#if XL_PACKED && XL_ACCUMULATOR != 0
#error "XL_PACKED requires built-in scalars and a built-in operator"
#endif

#if XL_PACKED
typedef struct xl_items {
    xl_in_vec vector[XL_VECTORS];
    XL_T before[XL_VECTORS];
} xl_items;

void xl_items_load(xl_items *items, const xl_stage *stage, const xl_input *input, ulong base)
{
    const uint at = xl_tile_at(xl_sub_tile(), 0);
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row)
        items->vector[row] = *(const __local xl_in_vec *)(stage->in + at + row * xl_row_step());
}

void xl_items_unpack(const xl_items *items, const xl_input *input, uint row, XL_T *x)
{
    XL_IN in[XL_VLEN];
    xl_in_unpack(items->vector[row], in);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        x[v] = xl_input_accumulator(input, in[v], 0, false);
}

XL_T xl_items_reduce(const xl_items *items, const xl_input *input, uint row)
{
#if XL_PACKED == 2
    return (XL_T)xl_bytes_sum(items->vector[row]);
#else
    XL_T x[XL_VLEN];
    xl_items_unpack(items, input, row, x);
    return xl_vector_reduce(x, 0);
#endif
}

#if XL_PACKED == 2
/* The results of four bytes; *sum becomes the sum after them. */
uint xl_bytes_scan(uint bytes, uint *sum)
{
    const uint s0 = *sum, s1 = xl_dot4(bytes, 0x00000001u, s0),
               s2 = xl_dot4(bytes, 0x00000101u, s0);
    const uint s3 = xl_dot4(bytes, 0x00010101u, s0), s4 = xl_dot4(bytes, 0x01010101u, s0);
    *sum = s4;
#if XL_INCLUSIVE
    return (s1 & 0xff) | (s2 & 0xff) << 8 | (s3 & 0xff) << 16 | s4 << 24;
#else
    return (s0 & 0xff) | (s1 & 0xff) << 8 | (s2 & 0xff) << 16 | s3 << 24;
#endif
}
#endif

void xl_items_scan(xl_items *items, const xl_input *input)
{
    XL_T carry = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T all;
        const XL_T before = xl_lane_scan_total(xl_items_reduce(items, input, row), &all);
        items->before[row] = xl_op(carry, before);
        carry = xl_op(carry, all);
    }
}

/* The results of a vector, from its prefix on. */
void xl_items_results(const xl_items *items, const xl_input *input, uint row, XL_T carry, XL_OUT *y)
{
#if XL_PACKED == 2
    const uint4 w = as_uint4(items->vector[row]);
    uint sum = carry;
    uint4 bytes;
    bytes.x = xl_bytes_scan(w.x, &sum);
    bytes.y = xl_bytes_scan(w.y, &sum);
    bytes.z = xl_bytes_scan(w.z, &sum);
    bytes.w = xl_bytes_scan(w.w, &sum);
    xl_out_unpack(xl_words_as_out(bytes), y);
#else
    XL_T x[XL_VLEN];
    xl_items_unpack(items, input, row, x);
    xl_vector_scan(input, x, 0, carry);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        y[v] = xl_result_store(input, x[v], 0);
#endif
}

void xl_packed_store(const xl_items *items, const xl_input *input, __global XL_OUT *out,
                     ulong first, XL_T before, const uint mode)
{
    const uint step = xl_row_step();
    const ulong n = input->n;
    const uint skew = (uint)(size_t)(out + first) & 15u; /* of all rows */
    const uint count = first < n ? (uint)min(n - first, (ulong)(XL_VECTORS * step)) : 0;
    uint4 last = (uint4)(0);
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_OUT y[XL_VLEN];
        xl_items_results(items, input, row, xl_op(before, items->before[row]), y);
        xl_vector_store(out + first + row * step, skew, y, &last, row,
                        count > row * step ? count - row * step : 0, mode);
    }
}

void xl_items_store(const xl_items *items, const xl_input *input, __global XL_OUT *out, ulong base,
                    XL_T before)
{
    const ulong first = base + xl_tile_at(xl_sub_tile(), 0);
    const uint mode = xl_store_mode(out + base, input->n - base);
    if (mode == XL_STORE_ALIGNED) /* a constant mode in each call */
        xl_packed_store(items, input, out, first, before, XL_STORE_ALIGNED);
    else if (xl_shifts_stores && mode == XL_STORE_SHIFTED)
        xl_packed_store(items, input, out, first, before, XL_STORE_SHIFTED);
    else
        xl_packed_store(items, input, out, first, before, XL_STORE_SOME);
}
#else
typedef struct xl_items {
    XL_T value[XL_ITEMS];
} xl_items;

void xl_items_load(xl_items *items, const xl_stage *stage, const xl_input *input, ulong base)
{
    xl_staged_load(items->value, stage, input, base);
}

void xl_items_scan(xl_items *items, const xl_input *input)
{
    (void)xl_sub_tile_scan(input, items->value, (__local XL_T *)0);
}

void xl_items_store(xl_items *items, const xl_input *input, __global XL_OUT *out, ulong base,
                    XL_T before)
{
    xl_tile_store(items->value, input, out, base, before, true);
}
#endif

/* ---- the kernels ---- */

#define XL_LOOKBACK_ARGUMENTS                                                                      \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags, uint spins, uint late

__kernel void xl_scan_clear(__global ulong *state, ulong state_offset, ulong words)
{
    xl_descriptors_clear(state + state_offset, words);
}

/* Local memory of a group, besides the stage. */
typedef struct xl_shared {
    uint next, epoch;
    XL_T sub_tiles[XL_MAX_SUB_TILES]; /* aggregates of the next tile */
    XL_T parts[2 * XL_MAX_SUB_TILES]; /* partial results of two look-backs */
} xl_shared;

/* The work-item that starts copies and takes tickets. It is in the last sub-group, because the
 * first one publishes. */
#define XL_ISSUER (XL_GROUP_SIZE - 1)

/* A group takes no ticket after the first one that is past the last tile, so it has received all
 * its tickets before it leaves. If one were still in flight, it might be counted after the last
 * group has reset TICKET to 0, and the next launch would miss its first tile. */
uint xl_ticket_next(const xl_lookback *lookback, bool tickets)
{
    return tickets ? xl_ticket_take(lookback->header) : ~0u;
}

/* The first tile, for all work-items. A barrier must precede the next write to shared->next. */
uint xl_ticket_first(const xl_lookback *lookback, bool tickets, __local xl_shared *shared)
{
    if (!tickets)
        return (uint)get_group_id(0);
    if (get_local_id(0) == XL_ISSUER)
        shared->next = xl_ticket_next(lookback, true);
    xl_local_barrier();
    return shared->next;
}

/* Step 1: publishes the aggregate of the staged tile, *sum. Returns the prefix of this sub-group in
 * the tile. */
XL_T xl_publish_next(const xl_lookback *lookback, const xl_stage *stage, uint next, uint phase,
                     __local xl_shared *shared, XL_T *sum)
{
    const ulong base = xl_tile_base(next, XL_TILE);
    xl_fetch_end(stage, &lookback->source.input, base, phase);
    const XL_T mine = xl_staged_total(stage, &lookback->source.input, base);
    const XL_T total = xl_lane_reduce(mine);
    if (xl_lane_id() == 0)
        shared->sub_tiles[xl_lane_group()] = total;
    xl_local_barrier();
    XL_T before = xl_identity(), own = xl_identity();
    for (uint k = 0; k < xl_sub_tiles(); ++k) {
        if (k == xl_lane_group())
            before = own;
        own = xl_op(own, shared->sub_tiles[k]);
    }
    if (get_local_id(0) == 0)
        xl_tile_publish(lookback, next, XL_AGGREGATE, own, true);
    *sum = own;
    return before;
}

/* Step 2: scans the tile in `items`, if there is one, and finds prefixes, as xl_round_end() says. */
void xl_scan_current(const xl_lookback *lookback, uint mine, uint next, uint tiles, xl_items *items,
                     XL_T *prefix, XL_T *early, XL_T sum, __local xl_shared *shared)
{
    xl_round round;
    xl_round_begin(&round, lookback, mine, next, tiles);
    if (mine < tiles)
        xl_items_scan(items, &lookback->source.input);
    xl_round_end(&round, lookback, prefix, early, sum, shared->parts);
    /* A barrier must be between this fence and the first store of a result of the next tile: see
     * cl/tile/tile_prefix.cl. */
    if (lookback->in_place && get_local_id(0) == 0)
        xl_device_fence();
}

/* `mine` is the tile in registers, `next` the staged one, and `after` the tile after that, whose
 * ticket only the issuer has. */
void xl_pipelined_scan(xl_lookback lookback, __global XL_OUT *out, const xl_stage stage,
                       __local xl_shared *shared)
{
    const uint tiles = xl_tile_count(lookback.source.input.n, XL_TILE);
    const uint groups = (uint)get_num_groups(0);
    const bool tickets = tiles > groups, issuer = get_local_id(0) == XL_ISSUER;
    xl_items items;
    XL_T before = xl_identity(), prefix, early = xl_identity(), sum_next = xl_identity();
    uint mine = tiles, next = xl_ticket_first(&lookback, tickets, shared), after = ~0u, phase = 0;

    if (issuer) {
        xl_fetch_init(&stage);
        if (next < tiles)
            xl_fetch_start(&stage, &lookback.source.input, xl_tile_base(next, XL_TILE));
        shared->epoch =
            lookback.single_tile ? 0 : ((volatile __global uint *)lookback.header)[XL_EPOCH];
        after = xl_ticket_next(&lookback, tickets && next < tiles);
    }
    xl_local_barrier();
    lookback.epoch = shared->epoch;
    while (true) {
        XL_T before_next = xl_identity();
        const XL_T sum = sum_next;
        prefix = early;
        if (next < tiles) {
            before_next = xl_publish_next(&lookback, &stage, next, phase, shared, &sum_next);
            phase ^= 1;
        }
        xl_scan_current(&lookback, mine, next, tiles, &items, &prefix, &early, sum_next, shared);
        if (mine < tiles) {
            xl_items_store(&items, &lookback.source.input, out, xl_tile_base(mine, XL_TILE),
                           xl_op(prefix, before));
            if (XL_CARRY && mine == tiles - 1 && get_local_id(0) == 0)
                xl_carry_leave(&lookback.source.input, xl_op(prefix, sum));
        }
        if (next >= tiles)
            break;
        mine = next;
        before = before_next;
        xl_items_load(&items, &stage, &lookback.source.input, xl_tile_base(mine, XL_TILE));
        if (issuer)
            shared->next = after;
        xl_local_barrier();
        next = shared->next;
        if (issuer) {
            if (next < tiles)
                xl_fetch_start(&stage, &lookback.source.input, xl_tile_base(next, XL_TILE));
            after = xl_ticket_next(&lookback, tickets && next < tiles);
        }
    }
    if (issuer && !lookback.single_tile)
        xl_lookback_leave(lookback.header, groups, lookback.epoch);
}

#if XL_IN_PLACE == 1
__kernel XL_REQUIRED void xl_scan_pipelined_in_place(XL_LOOKBACK_ARGUMENTS)
#else
__kernel XL_REQUIRED void xl_scan_pipelined(XL_LOOKBACK_ARGUMENTS)
#endif
{
    __local xl_stage_storage storage;
    __local xl_shared shared;
    XL_INPUT_MAKE(input);
    const xl_lookback lookback = xl_lookback_make(&input, state + state_offset, flags, spins, late);
    xl_carry_pass(&input);
    xl_pipelined_scan(lookback, out + out_offset, xl_stage_make(&storage), &shared);
}
