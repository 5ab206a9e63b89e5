/* SPDX-License-Identifier: MIT
 * The scan's part of the tile prefix (cl/tile/tile_prefix.cl): the source of tiles, and the
 * aggregate of a tile as a waiting work-item computes it, in exactly the order of the tile's owner,
 * so that a sum that rounds has the same bits.
 *
 * Requires the functions of cl/tile/tile_load.cl (XL_SERIAL 0) or cl/tile/tile_serial.cl (XL_SERIAL
 * 1), and XL_LOOKBACK_ORDERED. scan_pipelined.cl defines XL_LOOKBACK_SCOPE as 2. */
#ifndef XL_SCAN_SOURCE
#define XL_SCAN_SOURCE

#ifndef XL_LOOKBACK_SCOPE
#define XL_LOOKBACK_SCOPE (!XL_SERIAL && XL_USE_LANES)
#endif
#define XL_LOOKBACK_TILES XL_TILES_PER_LANE

#include "../tile/tile_input.cl"

typedef struct xl_source {
    xl_input input;
} xl_source;

#if XL_LOOKBACK_SCOPE == 2
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    XL_T sum = xl_identity();
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint sub_tile = 0; sub_tile < xl_sub_tiles(); ++sub_tile) {
        XL_T total = xl_identity();
        const ulong from =
            xl_tile_base(tile, XL_TILE) + xl_blocked_at(sub_tile * xl_lane_width() + xl_lane_id());
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
        for (uint row = 0; row < XL_VECTORS; ++row)
            total = xl_op(total, xl_vector_combine(&source->input, from + row * XL_VLEN));
        sum = xl_op(sum, xl_lane_reduce(total));
    }
    return sum;
}
#elif XL_SERIAL
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    const ulong base = xl_tile_base(tile, XL_TILE);
    return xl_serial_reduce(&source->input, base, min(source->input.n - base, (ulong)XL_TILE));
}
#elif XL_USE_LANES
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    XL_T sum = xl_identity();
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint sub_tile = 0; sub_tile < xl_sub_tiles(); ++sub_tile) {
        XL_T total = xl_identity();
        for (uint row = 0; row < XL_VECTORS; ++row) {
            XL_T part = xl_vector_combine(&source->input,
                                          xl_tile_base(tile, XL_TILE) + xl_tile_at(sub_tile, row));
            if (!xl_commutes)
                part = xl_lane_total(part);
            total = xl_op(total, part);
        }
        if (xl_commutes)
            total = xl_lane_reduce(total);
        sum = xl_op(sum, total);
    }
    return sum;
}
#else
/* The part of work-item i in a group's reduction: its rows `row` to end - 1. */
XL_T xl_item_combine(const xl_source *source, uint tile, uint i, uint row, uint end)
{
    XL_T total = xl_identity();
    for (; row < end; ++row)
        total = xl_op(total,
                      xl_vector_combine(&source->input, xl_tile_base(tile, XL_TILE) +
                                                            (row * XL_GROUP_SIZE + i) * XL_VLEN));
    return total;
}

/* xl_group_reduce() folds pairs of neighbours, then pairs of these results. A stack that works like
 * a binary counter does the same with one value after the other. */
XL_T xl_rows_combine(const xl_source *source, uint tile, uint row, uint end)
{
    XL_T stack[12]; /* for 2048 work-items */
    uint top = 0;
    for (uint i = 0; i < XL_GROUP_SIZE; ++i) {
        XL_T sum = xl_item_combine(source, tile, i, row, end);
        for (uint k = i; k & 1; k /= 2)
            sum = xl_op(stack[--top], sum);
        stack[top++] = sum;
    }
    return stack[0];
}

XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    if (xl_commutes)
        return xl_rows_combine(source, tile, 0, XL_VECTORS);
    XL_T total = xl_identity();
    for (uint row = 0; row < XL_VECTORS; ++row)
        total = xl_op(total, xl_rows_combine(source, tile, row, row + 1));
    return total;
}
#endif

#include "../tile/tile_prefix.cl"

/* `state` begins with the header. `flags`, from the host: 1: results are written past the cache, if
 * a work-item walks a tile; 2: there is one tile and no state; 4: `out` is `in`, for a kernel that
 * takes both. `spins` and `late` are those of xl_lookback. */
xl_lookback xl_lookback_make(const xl_input *input, __global ulong *state, uint flags, uint spins,
                             uint late)
{
    xl_lookback lookback;
    lookback.header = state;
    lookback.tiles = state + XL_HEADER_WORDS;
    lookback.source.input = *input;
    lookback.start = xl_input_start(input);
    lookback.epoch = 0;
    lookback.spins = spins;
    lookback.late = late;
    lookback.single_tile = (flags & 2) != 0;
    lookback.in_place = XL_IN_PLACE < 2 ? XL_IN_PLACE : (flags & 4) != 0;
    return lookback;
}

#endif
