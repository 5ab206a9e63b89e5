/* SPDX-License-Identifier: MIT
 * What a scan gives to the tile prefix (cl/tile/tile_prefix.cl): where tiles come from, and how
 * the aggregate of one is computed again by those who wait for it, in the very order in which
 * the tile's owner does: a sum that rounds comes out the same.
 *
 * Asks for the functions of cl/tile/tile_load.cl (XL_SERIAL 0) or cl/tile/tile_serial.cl
 * (XL_SERIAL 1), and for XL_PIPELINED, 1: the kernels of scan_pipelined.cl. */
#ifndef XL_SCAN_SOURCE
#define XL_SCAN_SOURCE

#include "../tile/tile_input.cl"

typedef struct xl_source {
    xl_input input;
    uint rows; /* XL_PIPELINED: vectors of a work-item, an odd number: XL_VECTORS or
                  XL_SHORT_TILE_VECTORS, no variable */
} xl_source;
#define XL_SOURCE xl_source

#if XL_PIPELINED
#define XL_LOOKBACK_SCOPE 2
#define XL_TILE_ELEMENTS(source) (XL_GROUP_SIZE * XL_VLEN * (source)->rows)
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint sub_tile = 0; sub_tile < xl_sub_tiles(); ++sub_tile) {
        XL_T total = XL_IDENTITY;
        const ulong from = xl_tile_base(tile, XL_TILE_ELEMENTS(source)) +
                           xl_blocked_at(sub_tile * xl_lane_width() + xl_lane_id(), source->rows);
        for (uint row = 0; row < source->rows; ++row)
            total = xl_op(total, xl_vector_combine(&source->input, from + row * XL_VLEN));
        sum = xl_op(sum, xl_lane_reduce(total));
    }
    return sum;
}
#elif XL_SERIAL
#define XL_LOOKBACK_SCOPE 0
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    const ulong base = xl_tile_base(tile, XL_TILE);
    return xl_serial_reduce(&source->input, base, min(source->input.n - base, (ulong)XL_TILE));
}
#elif XL_USE_LANES
#define XL_LOOKBACK_SCOPE 1
XL_T xl_source_aggregate(const xl_source *source, uint tile)
{
    XL_T sum = XL_IDENTITY;
    for (uint sub_tile = 0; sub_tile < xl_sub_tiles(); ++sub_tile) {
        XL_T total = XL_IDENTITY;
        for (uint row = 0; row < XL_VECTORS; ++row) {
            XL_T part =
                xl_vector_combine(&source->input, xl_tile_base(tile, XL_TILE) +
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
#define XL_LOOKBACK_SCOPE 0
/* What work-item i adds to a group's reduction: its rows from `row` to before `end`. */
XL_T xl_item_combine(const xl_source *source, uint tile, uint i, uint row, uint end)
{
    XL_T total = XL_IDENTITY;
    for (; row < end; ++row)
        total = xl_op(total,
                      xl_vector_combine(&source->input, xl_tile_base(tile, XL_TILE) +
                                                            (row * XL_GROUP_SIZE + i) * XL_VLEN));
    return total;
}

/* xl_group_reduce() folds neighbours, then neighbours of those: a binary counter of what
 * is folded so far does the same one by one. */
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
#if XL_COMMUTES
    return xl_rows_combine(source, tile, 0, XL_VECTORS);
#else
    XL_T total = XL_IDENTITY;
    for (uint row = 0; row < XL_VECTORS; ++row)
        total = xl_op(total, xl_rows_combine(source, tile, row, row + 1));
    return total;
#endif
}
#endif

#include "../tile/tile_prefix.cl"

/* What a scan that looks back is given. `flags`: 1: results are written past the cache, where
 * a work-item walks a tile; 2: there is one tile and no state; 4: out is in. */
#define XL_LOOKBACK_ARGUMENTS                                                                      \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags
#define XL_LOOKBACK_MAKE(lookback, is_in_place, vectors)                                           \
    XL_INPUT_MAKE(lookback##_input);                                                               \
    xl_lookback lookback;                                                                          \
    lookback.header = state + state_offset;                                                        \
    lookback.tiles = lookback.header + XL_HEADER_WORDS;                                            \
    lookback.source.input = lookback##_input;                                                      \
    lookback.source.rows = (vectors);                                                              \
    lookback.start = xl_input_start(&lookback.source.input);                                       \
    lookback.epoch = 0;                                                                            \
    lookback.single_tile = (flags & 2) != 0;                                                       \
    lookback.in_place = (is_in_place)

#endif
