/* SPDX-License-Identifier: MIT
 * Sets of up to 64 lanes as bits of a word, and the segments into which head bits divide a row of
 * lanes.
 *
 * A shift count wraps in OpenCL C: x << 64 is x. So no mask here is made by a shift by the number
 * of bits of the word or lanes of the row. */
#ifndef XL_LANE_MASK
#define XL_LANE_MASK

#include "../prelude/prelude.cl"

/* Bits 0 to k - 1, for k from 0 to 63. */
ulong xl_bits_below(uint k)
{
    return (1UL << k) - 1;
}

/* Bits 0 to k, for k from 0 to 63. */
ulong xl_bits_through(uint k)
{
    return xl_bits_below(k) << 1 | 1;
}

/* The lane at which the segment of lane k starts: the nearest head at or below it. Lane 0 is always
 * a head; heads above k are ignored. */
uint xl_segment_start(ulong heads, uint k)
{
    return 63 - (uint)clz((heads | 1) & xl_bits_through(k));
}

/* How many bits of `votes` are set in the segment of lane k, before lane k; the inclusive count
 * adds lane k. */
uint xl_segment_count_exclusive(ulong votes, ulong heads, uint k)
{
    const ulong before_segment = xl_bits_below(xl_segment_start(heads, k));
    return (uint)popcount(votes & xl_bits_below(k) & ~before_segment);
}

uint xl_segment_count_inclusive(ulong votes, ulong heads, uint k)
{
    return xl_segment_count_exclusive(votes, heads, k) + (uint)(votes >> k & 1);
}

#endif
