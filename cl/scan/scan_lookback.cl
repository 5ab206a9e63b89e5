/* SPDX-License-Identifier: MIT
 * The scan in one launch, by decoupled look-back (cl/tile/tile_prefix.cl): groups take tiles by
 * ticket, publish the aggregate of a tile before they scan it, and look back for its prefix.
 *
 * A group takes one tile after the other until there are no more. Tickets are given in order, so
 * every earlier tile belongs to a group that runs. */
#include "../tile/tile_input.cl"

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#else
#include "../tile/tile_load.cl"
#endif
#define XL_LOOKBACK_ORDERED XL_ORDERED
#include "scan_source.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))
#define XL_LOOKBACK_ARGUMENTS                                                                      \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags, uint spins, uint late

#if XL_IN_PLACE == 1
#define XL_LOOKBACK_KERNEL xl_scan_lookback_in_place
#elif XL_IN_PLACE == 2
#define XL_LOOKBACK_KERNEL xl_scan_lookback_either
#else
#define XL_LOOKBACK_KERNEL xl_scan_lookback
#endif

__kernel void xl_scan_clear(__global ulong *state, ulong state_offset, ulong words)
{
    xl_descriptors_clear(state + state_offset, words);
}

#if XL_SERIAL
/* Takes the ticket of the next tile before it scans a tile, so that the scan can prefetch the next
 * tile: only the reduction waits for memory. Not inlined: PoCL compiles a kernel three times, but such
 * a function once. */
__attribute__((noinline)) void xl_lookback_scan(xl_lookback lookback, __global XL_OUT *out,
                                                uint stream, uint groups)
{
    const uint tiles = xl_tile_count(lookback.source.input.n, XL_TILE);
    uint tile = 0;
    if (!lookback.single_tile) {
        lookback.epoch = ((volatile __global uint *)lookback.header)[XL_EPOCH];
        tile = xl_ticket_take(lookback.header);
    }
    while (tile < tiles) {
        const ulong base = xl_tile_base(tile, XL_TILE);
        const ulong count = min(lookback.source.input.n - base, (ulong)XL_TILE);
        const XL_T sum = xl_serial_reduce(&lookback.source.input, base, count);
        const XL_T prefix = xl_tile_prefix(&lookback, tile, sum, true);
        const uint next = lookback.single_tile ? tiles : xl_ticket_take(lookback.header);
        const ulong next_tile = next < tiles ? (ulong)(next - tile) * XL_TILE : 0;
        const XL_T all = xl_serial_scan(&lookback.source.input, out, base, count, prefix,
                                        stream & 1, XL_ORDERED, next_tile);
        if (XL_CARRY && base + count == lookback.source.input.n)
            xl_carry_leave(&lookback.source.input, all);
        tile = next;
    }
    if (!lookback.single_tile)
        xl_lookback_leave(lookback.header, groups, lookback.epoch);
}

__kernel XL_REQUIRED void XL_LOOKBACK_KERNEL(XL_LOOKBACK_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    xl_carry_pass(&input);
    xl_lookback_scan(xl_lookback_make(&input, state + state_offset, flags, spins, late),
                     out + out_offset, flags, (uint)get_num_groups(0));
}
#else
/* Local memory of a group, besides the scratch of the tile's scan. */
typedef struct xl_shared {
    uint ticket, epoch;
    XL_T prefix;
} xl_shared;

/* A barrier must precede the next call; the scan of a tile contains one. */
uint xl_next_tile(const xl_lookback *lookback, __local xl_shared *shared)
{
    if (get_local_id(0) == 0)
        shared->ticket = lookback->single_tile ? ~0u : xl_ticket_take(lookback->header);
    xl_local_barrier();
    return shared->ticket;
}

bool xl_is_last_tile(const xl_lookback *lookback, uint tile)
{
    return lookback->source.input.n - xl_tile_base(tile, XL_TILE) <= XL_TILE;
}

/* Scans the elements in `item`, which are tile number `tile`; returns the prefix of this
 * work-item's sub-tile. The first sub-group looks back while the others scan. But if the operator
 * does not commute, a reduction costs as much as a scan, so the scan comes first and also gives the
 * sum. */
XL_T xl_tile_scan_with_prefix(const xl_lookback *lookback, uint tile, XL_T *item,
                              __local XL_T *scratch, __local xl_shared *shared)
{
#if XL_USE_LANES
    XL_T before = xl_identity(), sum = xl_identity();
    XL_T sub_tile;
    if (xl_commutes)
        sub_tile = xl_sub_tile_reduce(item);
    else
        sub_tile = xl_sub_tile_scan(&lookback->source.input, item, scratch);
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = sub_tile;
    xl_local_barrier();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            before = sum;
        sum = xl_op(sum, scratch[k]);
    }
    if (xl_lane_group() == 0) {
        const XL_T prefix = xl_tile_prefix(lookback, tile, sum, xl_lane_id() == 0);
        if (xl_lane_id() == 0) {
            shared->prefix = prefix;
            if (XL_CARRY && xl_is_last_tile(lookback, tile))
                xl_carry_leave(&lookback->source.input, xl_op(prefix, sum));
        }
    }
    if (xl_commutes)
        xl_sub_tile_scan(&lookback->source.input, item, scratch);
    xl_local_barrier();
    return xl_op(shared->prefix, before);
#else
    const XL_T sum = xl_tile_reduce(item, scratch);
    if (get_local_id(0) == 0) {
        const XL_T prefix = xl_tile_prefix(lookback, tile, sum, true);
        shared->prefix = prefix;
        if (XL_CARRY && xl_is_last_tile(lookback, tile))
            xl_carry_leave(&lookback->source.input, xl_op(prefix, sum));
    }
    /* Contains barriers. */
    xl_sub_tile_scan(&lookback->source.input, item, scratch);
    return shared->prefix;
#endif
}

void xl_lookback_scan(xl_lookback lookback, __global XL_OUT *out, __local XL_T *scratch,
                      __local xl_shared *shared)
{
    const uint tiles = xl_tile_count(lookback.source.input.n, XL_TILE);
    XL_T item[XL_ITEMS];
    uint tile = 0;
    if (!lookback.single_tile) {
        if (get_local_id(0) == 0)
            shared->epoch = ((volatile __global uint *)lookback.header)[XL_EPOCH];
        tile = xl_next_tile(&lookback, shared);
        lookback.epoch = shared->epoch;
    }
    while (tile < tiles) {
        const ulong base = xl_tile_base(tile, XL_TILE);
        xl_tile_load(item, &lookback.source.input, base, xl_sub_tile(), !lookback.in_place);
        const XL_T before = xl_tile_scan_with_prefix(&lookback, tile, item, scratch, shared);
        xl_tile_store(item, &lookback.source.input, out, base, before, false);
        tile = xl_next_tile(&lookback, shared);
    }
    if (get_local_id(0) == 0 && !lookback.single_tile)
        xl_lookback_leave(lookback.header, (uint)get_num_groups(0), lookback.epoch);
}

__kernel XL_REQUIRED void XL_LOOKBACK_KERNEL(XL_LOOKBACK_ARGUMENTS)
{
    __local XL_T scratch[XL_TILE_SCRATCH];
    __local xl_shared shared;
    XL_INPUT_MAKE(input);
    xl_carry_pass(&input);
    xl_lookback_scan(xl_lookback_make(&input, state + state_offset, flags, spins, late),
                     out + out_offset, scratch, &shared);
}
#endif
