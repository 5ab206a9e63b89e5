/* SPDX-License-Identifier: MIT
 * Stable ranks of digits in a tile whose elements a work-group holds. Each sub-group counts its
 * elements in counters of its own, which then become the places where its elements of each digit
 * begin, and ranks them in their order: of the lanes with one digit one adds how many they are, and
 * tells the others what stood there. After Merrill and Grimshaw, "High performance and scalable
 * radix sorting" (Parallel Processing Letters 21:2, 2011), with the ballots and the early counts of
 * Adinets and Merrill, "Onesweep" (arXiv 2206.01784, 2022).
 *
 * Element i of lane l of sub-group g is number (g * items + i) * lanes + l of the tile. Counters of
 * a sub-group are neighbours. Barriers stand between the calls for
 *   1. xl_group_rank_count()  all elements; the counters were zero
 *   2. xl_group_rank_total(), xl_group_rank_place()  all digits, a work-item for each
 *   3. xl_group_rank()        all elements, in their order
 *
 * Asks, beside the parameters, for
 *   XL_DIGITS, XL_DIGIT_BITS   digits there may be, 2^XL_DIGIT_BITS */
#ifndef XL_GROUP_RANK
#define XL_GROUP_RANK

#include "../lane/lane_match.cl"

/* Sub-groups of a group; a number, not a question to the device, makes loops over them straight. */
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_RANK_GROUPS (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_RANK_GROUPS xl_lane_groups()
#endif

/* Counts an element of this work-item, whose digit it is. */
void xl_group_rank_count(uint digit, __local uint *counters)
{
    atomic_inc(counters + xl_lane_group() * XL_DIGITS + digit);
}

/* What digit d has in all sub-groups. */
uint xl_group_rank_total(const __local uint *counters, uint d)
{
    uint sum = 0;
#pragma unroll
    for (uint group = 0; group < XL_RANK_GROUPS; ++group)
        sum += counters[group * XL_DIGITS + d];
    return sum;
}

/* Makes of the counters of digit d where its first element in each sub-group stands, if the first
 * of all stands at `first`. */
void xl_group_rank_place(__local uint *counters, uint d, uint first)
{
    uint sum = first;
#pragma unroll
    for (uint group = 0; group < XL_RANK_GROUPS; ++group) {
        const uint count = counters[group * XL_DIGITS + d];
        counters[group * XL_DIGITS + d] = sum;
        sum += count;
    }
}

/* The place in the tile of this work-item's next element, whose digit it is. */
uint xl_group_rank(uint digit, __local uint *counters)
{
    return xl_lane_count_into(counters + xl_lane_group() * XL_DIGITS + digit,
                              xl_lane_match(digit, XL_DIGIT_BITS));
}

#endif
