/* SPDX-License-Identifier: MIT
 * Ballot of a work-group, as bits in local memory, and counts of its bits.
 *
 *   void xl_group_ballot(bool p, __local uint *bits)
 *        bit b of bits[w]: p of work-item 32 * w + b. A barrier must precede the next use of bits
 *   uint xl_group_count_exclusive(bool p, __local uint *bits, uint *total)
 *        how many p are true before this work-item, and in the whole group: the place of an element
 *        if a group keeps the elements for which p is true
 *   uint xl_group_subwarp_count_exclusive(bool p, ulong heads, uint width, bits)
 *   uint xl_group_subwarp_count_inclusive(bool p, ulong heads, uint width, bits)
 *        xl_subwarp_count_...() of cl/lane/lane_subwarp.cl for rows of any of its widths; uses
 *        local memory if a row is wider than a sub-group
 *
 * bits: a word for each 32 work-items, or part of 32. All work-items of the group must call these
 * together, with the same width. No barrier is needed before a call, nor after a call that
 * counts. */
#ifndef XL_GROUP_BALLOT
#define XL_GROUP_BALLOT

#include "../lane/lane_subwarp.cl"

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
