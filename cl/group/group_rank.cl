/* SPDX-License-Identifier: MIT
 * Stable ranks of digits in a tile whose elements a work-group holds: how many elements before it
 * have the same digit. Each sub-group counts in counters of its own, in the order of its elements:
 * of the lanes with one digit the lowest adds how many they are and tells the others what stood
 * there. After Merrill and Grimshaw, "High performance and scalable radix sorting" (Parallel
 * Processing Letters 21:2, 2011), with the ballots of Adinets and Merrill, "Onesweep" (2022).
 *
 * Element i of lane l of sub-group g is number (g * XL_ITEMS + i) * lanes + l of the tile.
 *
 * Asks, beside the parameters, for
 *   XL_DIGITS, XL_DIGIT_BITS   digits there may be, 2^XL_DIGIT_BITS */
#ifndef XL_GROUP_RANK
#define XL_GROUP_RANK

#include "../lane/lane_match.cl"

/* Counters of a sub-group are neighbours. All of them are zero, and a barrier stands before and
 * behind. Leaves in each how many elements of the sub-group have the digit. */
void xl_group_rank(const uint *digit, uint *rank, __local uint *counters)
{
    __local uint *const mine = counters + xl_lane_group() * XL_DIGITS;
    const uint lane = xl_lane_id();
#pragma unroll
    for (uint i = 0; i < XL_ITEMS; ++i) {
        const xl_lane_set same = xl_lane_match(digit[i], XL_DIGIT_BITS);
        const uint leader = xl_lane_lowest(same);
        uint before = 0;
        if (lane == leader)
            before = atomic_add(mine + digit[i], (uint)popcount(same));
        rank[i] = xl_lane_shuffle(before, leader) + xl_lane_count_below(same);
    }
}

/* What digit d has in all sub-groups. */
uint xl_group_rank_total(const __local uint *counters, uint d)
{
    uint sum = 0;
    for (uint group = 0; group < xl_lane_groups(); ++group)
        sum += counters[group * XL_DIGITS + d];
    return sum;
}

/* Makes of the counters of digit d where its first element in each sub-group stands, if the first
 * of all stands at `first`. */
void xl_group_rank_place(__local uint *counters, uint d, uint first)
{
    uint sum = first;
    for (uint group = 0; group < xl_lane_groups(); ++group) {
        const uint count = counters[group * XL_DIGITS + d];
        counters[group * XL_DIGITS + d] = sum;
        sum += count;
    }
}

#endif
