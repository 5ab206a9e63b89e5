/* SPDX-License-Identifier: MIT
 * What both ways of looking back (cl/tile/tile_lookback.cl, cl/tile/tile_ahead.cl) carry
 * about and ask.
 *
 * Asks for the lines of cl/tile/tile_state.cl and cl/tile/tile_input.cl, and
 *   XL_HOLD_BACK  tests: of every so many tiles the last never posts anything out of place,
 *                 and posts late in place, while who waits for it reads later still; 0: none
 *   XL_HOLD_HALF  tests: 1: of a state of several words such a tile posts every other word
 *                 at once */
#ifndef XL_TILE_RING
#define XL_TILE_RING

#include "tile_input.cl"
#include "tile_state.cl"

#if !defined(XL_HOLD_BACK) || !defined(XL_HOLD_HALF)
#error "XL_HOLD_BACK and XL_HOLD_HALF must be defined"
#endif

/* What a look-back needs beside the number of its tile. */
typedef struct xl_ring {
    __global ulong *header;
    __global ulong *tiles;
    xl_input input;
    XL_T start; /* what tile 0 starts from */
    uint epoch;
    bool alone; /* there is one tile only, and no state */
    /* Of cl/tile/tile_ahead.cl: */
    uint rows; /* vectors of a work-item, an odd number: XL_ROWS or XL_FEW, no variable */
    bool in_place;
} xl_ring;

/* What a kernel that looks back is given. `flags`: 1: results are written past the cache, where
 * a work-item walks a tile; 2: there is one tile and no state; 4: out is in. */
#define XL_RING_ARGUMENTS                                                                          \
    XL_INPUT_ARGUMENTS, __global ulong *state, ulong state_offset, __global XL_OUT *out,           \
        ulong out_offset, uint flags
#define XL_RING_MAKE(ring)                                                                         \
    XL_INPUT_MAKE(ring##_input);                                                                   \
    xl_ring ring;                                                                                  \
    ring.header = state + state_offset;                                                            \
    ring.tiles = ring.header + XL_HEADER_WORDS;                                                    \
    ring.input = ring##_input;                                                                     \
    ring.start = xl_input_start(&ring.input);                                                      \
    ring.epoch = 0;                                                                                \
    ring.alone = (flags & 2) != 0

bool xl_is_held(uint tile)
{
#if XL_HOLD_BACK > 0
    /* Not a constant: were 1 one, nobody's sum would be used, and PoCL 3.1 (seen 2026-11) would do
     * what CONTRIBUTING.md, "Kernels", says of a branch behind a barrier. Tests only. */
    const volatile uint every = XL_HOLD_BACK;
    return tile % every == every - 1;
#else
    return false;
#endif
}

/* For tests: takes long. */
void xl_hold_back(const xl_ring *ring)
{
    for (uint k = 0; k < 20000; ++k)
        (void)xl_message_load(ring->header + XL_HEADER_WORDS - 1);
}

/* One work-item tells the others of a tile. `first`: of what is told of it. */
void xl_tile_post(const xl_ring *ring, uint tile, uint state, XL_T value, const bool in_place,
                  bool first)
{
#if XL_HOLD_BACK > 0
    const bool halves = XL_HOLD_HALF && XL_VALUE_WORDS > 1;
    if (xl_is_held(tile)) {
        if (halves)
            xl_state_post_half(ring->tiles, tile, state, ring->epoch, value,
                               tile / XL_HOLD_BACK % 2);
        if (!in_place)
            return;
        if (first || halves)
            xl_hold_back(ring);
    }
#endif
    xl_state_post(ring->tiles, tile, state, ring->epoch, value);
}

uint xl_lowest_bit(ulong bits)
{
    return (uint)popcount((bits & (0ul - bits)) - 1ul); /* 64 for none */
}

#endif
