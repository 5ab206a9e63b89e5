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

/* Sub-groups that rank together; numbers, where they are known, make loops over them straight.
 * Where there are none, 32 work-items are one: each of their digits then has a mask of those who
 * have it, in local memory behind the counters, and barriers stand between the steps. */
#if XL_LANE_WAY == 0
#define XL_RANK_GROUPS (XL_GROUP_SIZE / 32)
enum { XL_RANK_WORDS = 2 * XL_RANK_GROUPS * XL_DIGITS };
#define xl_rank_width() 32u
#define xl_rank_group() ((uint)get_local_id(0) / xl_rank_width())
#define xl_rank_lane() ((uint)get_local_id(0) % xl_rank_width())
#else
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_RANK_GROUPS (XL_GROUP_SIZE / XL_LANES)
#else
#define XL_RANK_GROUPS xl_lane_groups()
#endif
enum { XL_RANK_WORDS = XL_MOST_SUB_GROUPS * XL_DIGITS };
#define xl_rank_width() xl_lane_width()
#define xl_rank_group() xl_lane_group()
#define xl_rank_lane() xl_lane_id()
#endif

/* Counts an element of this work-item, whose digit it is. */
void xl_group_rank_count(uint digit, __local uint *counters)
{
    atomic_inc(counters + xl_rank_group() * XL_DIGITS + digit);
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
    __local uint *const counter = counters + xl_rank_group() * XL_DIGITS + digit;
#if XL_LANE_WAY == 0
    __local uint *const mask = counter + XL_RANK_GROUPS * XL_DIGITS;
    const uint mine = 1u << xl_rank_lane();
    atomic_or(mask, mine);
    xl_local_barrier();
    const uint same = *mask, first = *counter;
    xl_local_barrier();
    if (same < 2 * mine || mine == 1u << 31) { /* the highest */
        *mask = 0;
        *counter = first + (uint)popcount(same);
    }
    xl_local_barrier();
    return first + (uint)popcount(same & (mine - 1));
#else
    return xl_lane_count_into(counter, xl_lane_match(digit, XL_DIGIT_BITS));
#endif
}

#endif
