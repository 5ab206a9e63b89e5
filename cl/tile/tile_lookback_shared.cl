/* SPDX-License-Identifier: MIT
 * What both ways of looking back (cl/tile/tile_lookback.cl, cl/tile/tile_window.cl)
 * carry about and ask. */
#ifndef XL_TILE_LOOKBACK_SHARED
#define XL_TILE_LOOKBACK_SHARED

#include "tile_descriptor.cl"
#include "tile_input.cl"

/* What a look-back needs beside the number of its tile. */
typedef struct xl_lookback {
    __global ulong *header;
    __global ulong *tiles;
    xl_input input;
    XL_T start; /* what tile 0 starts from */
    uint epoch;
    bool single_tile; /* there is one tile only, and no state */
    /* Of cl/tile/tile_window.cl: */
    uint rows; /* vectors of a work-item, an odd number: XL_VECTORS or XL_SHORT_TILE_VECTORS, no
                  variable */
    bool in_place;
} xl_lookback;

/* What a kernel that looks back is given. `flags`: 1: results are written past the cache, where
 * a work-item walks a tile; 2: there is one tile and no state; 4: out is in. */
#define XL_LOOKBACK_ARGUMENTS                                                                      \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags
#define XL_LOOKBACK_MAKE(lookback)                                                                 \
    XL_INPUT_MAKE(lookback##_input);                                                               \
    xl_lookback lookback;                                                                          \
    lookback.header = state + state_offset;                                                        \
    lookback.tiles = lookback.header + XL_HEADER_WORDS;                                            \
    lookback.input = lookback##_input;                                                             \
    lookback.start = xl_input_start(&lookback.input);                                              \
    lookback.epoch = 0;                                                                            \
    lookback.single_tile = (flags & 2) != 0

bool xl_is_delayed(uint tile)
{
#if XL_INJECT_DELAY > 0
    /* Not a constant: were 1 one, nobody's sum would be used, and PoCL 3.1 (seen 2026-11) would do
     * what CONTRIBUTING.md, "Kernels", says of a branch behind a barrier. Tests only. */
    const volatile uint every = XL_INJECT_DELAY;
    return tile % every == every - 1;
#else
    return false;
#endif
}

/* For tests: takes long. */
void xl_inject_delay(const xl_lookback *lookback)
{
    for (uint k = 0; k < 20000; ++k)
        (void)xl_relaxed_load(lookback->header + XL_HEADER_WORDS - 1);
}

/* One work-item tells the others of a tile. `first`: of what is told of it. */
void xl_tile_publish(const xl_lookback *lookback, uint tile, uint state, XL_T value,
                     const bool in_place, bool first)
{
#if XL_INJECT_DELAY > 0
    const bool halves = XL_INJECT_TEAR && XL_VALUE_WORDS > 1;
    if (xl_is_delayed(tile)) {
        if (halves)
            xl_descriptor_publish_half(lookback->tiles, tile, state, lookback->epoch, value,
                                       tile / XL_INJECT_DELAY % 2);
        if (!in_place)
            return;
        if (first || halves)
            xl_inject_delay(lookback);
    }
#endif
    xl_descriptor_publish(lookback->tiles, tile, state, lookback->epoch, value);
}

uint xl_lowest_bit(ulong bits)
{
    return (uint)popcount((bits & (0ul - bits)) - 1ul); /* 64 for none */
}

#endif
