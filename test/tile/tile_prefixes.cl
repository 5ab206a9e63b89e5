/* SPDX-License-Identifier: MIT
 * The tile prefix (cl/tile/tile_prefix.cl) under primitives that are no scans, for tile_test.c:
 *   XL_TEST_DIGITS 0: how many of the elements before a tile are odd, as a selection asks
 *   XL_TEST_DIGITS 1: how many of them have each low byte, as a radix sort asks: a column of 256
 *                     counts for each tile, of which work-item d looks up number d
 * Every `late`-th tile stays silent, so that others have to count for it. */
#if XL_TEST_DIGITS
#define XL_COLUMNS 256
#else
#define XL_COLUMNS 1
#endif
#define XL_TILE_OF 1000u

typedef struct xl_source {
    const __global uint *in;
    uint n, column;
} xl_source;
#define XL_LOOKBACK_SCOPE 0

bool xl_test_counts(uint x, uint column)
{
    return XL_COLUMNS == 1 ? (x & 1) != 0 : (x & 255) == column;
}

uint xl_source_aggregate(const xl_source *source, uint tile)
{
    const uint begin = tile * XL_TILE_OF, end = min(begin + XL_TILE_OF, source->n);
    uint count = 0;
    for (uint i = begin; i < end; ++i)
        count += xl_test_counts(source->in[i], source->column);
    return count;
}

#include "../../cl/tile/tile_prefix.cl"

/* before[tile * XL_COLUMNS + d]; a work-item for each column. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_test_prefixes(const __global uint *in, uint n, __global ulong *state, __global uint *before,
                 uint late)
{
    __local uint ticket;
    const uint column = (uint)get_local_id(0), tiles = (n + XL_TILE_OF - 1) / XL_TILE_OF;
    xl_lookback lookback;
    lookback.header = state;
    lookback.tiles = xl_descriptor_column(state + XL_HEADER_WORDS, column);
    lookback.source.in = in;
    lookback.source.n = n;
    lookback.source.column = column;
    lookback.start = 0;
    lookback.epoch = ((volatile __global uint *)state)[XL_EPOCH];
    lookback.spins = 50;
    lookback.late = late;
    lookback.single_tile = false;
    lookback.in_place = false;
    while (true) {
        if (column == 0)
            ticket = xl_ticket_take(state);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = ticket;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tile >= tiles)
            break;
        const uint count = xl_source_aggregate(&lookback.source, tile);
        before[tile * XL_COLUMNS + column] = xl_tile_prefix(&lookback, tile, count, true);
    }
    if (column == 0)
        xl_lookback_leave(state, (uint)get_num_groups(0), lookback.epoch);
}
