/* SPDX-License-Identifier: MIT
 * Ballots of a work-group as bits in local memory, and segmented binary prefix sums below the width
 * of a sub-group: lanes form rows of `width`, head bits divide each row into segments, and each lane
 * gets the number of true predicates before it in its segment.
 *
 *   uint xl_subwarp_lane(uint width)   this lane's place in its row
 *   uint xl_subwarp_reach(ulong heads, uint width)   how many lanes of its segment are below it
 *   uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width)
 *   uint xl_subwarp_count_inclusive(bool p, ulong heads, uint width)
 *        width must be at most xl_lane_width(). All lanes of a whole sub-group must call these
 *        together
 *   void xl_group_ballot(bool p, __local uint *bits)
 *        bit b of bits[w]: p of work-item 32 * w + b. A barrier must precede the next use of bits
 *   uint xl_group_count_exclusive(bool p, __local uint *bits, uint *total)
 *        how many p are true before this work-item, and in the whole group: the place of an element
 *        if a group keeps the elements for which p is true
 *   uint xl_group_subwarp_count_exclusive(bool p, ulong heads, uint width, bits)
 *   uint xl_group_subwarp_count_inclusive(bool p, ulong heads, uint width, bits)
 *        xl_subwarp_count_...() for rows that may be wider than a sub-group; these use local memory
 *        All work-items of the group must call the functions of a group together. No barrier is
 *        needed before a call, nor after a call that counts. bits: a word for each 32 work-items,
 *        or part of 32
 *
 * width must be 1, 2, 4, 8, 16, 32 or 64, the same for all work-items. Bit k of `heads` makes lane k
 * of the row the first of a segment. Lane 0 always is one, and bits beyond the row are ignored. Rows
 * may have different heads.
 *
 * One ballot collects the predicates, and each lane counts bits: Harris and Garland, "Optimizing
 * parallel prefix operations for the Fermi architecture" (GPU Computing Gems Jade, 2011). Their
 * code masks the heads to the lanes BELOW a lane before it searches the nearest, so a lane that is
 * a head counts in the segment that it ends: p = 1 0 1 1 1 0 0 1 with heads at lanes 0, 3 and 6
 * gives 0 1 1 2 1 2 2 0. Park, "Correct implementation of sub-warp parallel prefix operations"
 * (Journal of Digital Contents Society 18(3), 2017) found this and uses two masks, heads at or
 * below the lane and predicates below it: 0 1 1 0 1 2 0 0. This file does the same in words of 64
 * bits, without the shifts by a whole word that both texts rely on. */
#ifndef XL_GROUP_BALLOT
#define XL_GROUP_BALLOT

#include "../lane/lane.cl"

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

uint xl_subwarp_lane(uint width)
{
    return xl_lane_id() & (width - 1);
}

uint xl_subwarp_reach(ulong heads, uint width)
{
    const uint k = xl_subwarp_lane(width);
    return k - xl_segment_start(heads, k);
}

/* The ballot of this lane's row from bit 0 on, followed by those of the rows above it. */
ulong xl_subwarp_ballot(bool p, uint width)
{
    return xl_lane_ballot(p) >> (xl_lane_id() & ~(width - 1));
}

uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width)
{
    return xl_segment_count_exclusive(xl_subwarp_ballot(p, width), heads, xl_subwarp_lane(width));
}

uint xl_subwarp_count_inclusive(bool p, ulong heads, uint width)
{
    return xl_segment_count_inclusive(xl_subwarp_ballot(p, width), heads, xl_subwarp_lane(width));
}

void xl_group_ballot(bool p, __local uint *bits)
{
    const uint i = (uint)get_local_id(0);
    if (i < XL_CEIL_DIV((uint)get_local_size(0), 32u))
        bits[i] = 0;
    xl_local_barrier();
    if (xl_lanes_whole()) {
        const ulong votes = xl_lane_ballot(p);
        if (xl_lane_id() == 0)
            atomic_or(&bits[i / 32], (uint)votes << i % 32);
        if (xl_lane_id() == 32)
            atomic_or(&bits[i / 32], (uint)(votes >> 32));
    } else if (p) {
        atomic_or(&bits[i / 32], 1u << i % 32);
    }
    xl_local_barrier();
}

uint xl_group_count_exclusive(bool p, __local uint *bits, uint *total)
{
    const uint i = (uint)get_local_id(0);
    uint before = 0, all = 0;
    xl_group_ballot(p, bits);
    for (uint w = 0; w < XL_CEIL_DIV((uint)get_local_size(0), 32u); ++w) {
        if (w == i / 32)
            before = all + popcount(bits[w] & (uint)xl_bits_below(i % 32));
        all += popcount(bits[w]);
    }
    *total = all;
    xl_local_barrier();
    return before;
}

/* The first work-item of the segment of work-item i: the nearest set bit at or below it, or 0. */
uint xl_group_segment_start(const __local uint *bits, uint i)
{
    uint w = i / 32;
    uint heads = bits[w] & (uint)xl_bits_through(i % 32);
    while (heads == 0 && w > 0)
        heads = bits[--w];
    return heads == 0 ? 0 : 32 * w + 31 - clz(heads);
}

/* This work-item's place in its row of `width`. */
uint xl_group_subwarp_item(uint width)
{
    return (uint)get_local_id(0) & (width - 1);
}

/* Whether a sub-group contains whole rows of `width`. The same for all work-items. */
bool xl_subwarp_fits(uint width)
{
    return xl_lanes_whole() && width <= xl_lane_width();
}

/* The ballot of this work-item's row from bit 0 on; bits of other rows may follow. */
ulong xl_group_subwarp_ballot(bool p, uint width, __local uint *bits)
{
    const uint row = (uint)get_local_id(0) & ~(width - 1);
    ulong votes;
    if (xl_subwarp_fits(width)) {
        votes = xl_subwarp_ballot(p, width);
    } else {
        xl_group_ballot(p, bits);
        votes = bits[row / 32] >> row % 32;
        if (width > 32 && row + 32 < get_local_size(0))
            votes |= (ulong)bits[row / 32 + 1] << 32;
        xl_local_barrier();
    }
    return votes;
}

uint xl_group_subwarp_count_exclusive(bool p, ulong heads, uint width, __local uint *bits)
{
    return xl_segment_count_exclusive(xl_group_subwarp_ballot(p, width, bits), heads,
                                      xl_group_subwarp_item(width));
}

uint xl_group_subwarp_count_inclusive(bool p, ulong heads, uint width, __local uint *bits)
{
    return xl_segment_count_inclusive(xl_group_subwarp_ballot(p, width, bits), heads,
                                      xl_group_subwarp_item(width));
}

#endif
