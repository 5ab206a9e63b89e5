/* SPDX-License-Identifier: MIT
 * Stable ranks of digits in a tile that a work-group holds. Each sub-group counts its elements in
 * separate counters. The counters then become the places where its elements of each digit begin,
 * and it ranks its elements in their order: of the lanes with the same digit, one adds their number
 * to the counter, and gives the others its old value. After Merrill and Grimshaw, "High performance
 * and scalable radix sorting" (Parallel Processing Letters 21:2, 2011), with the ballots and the
 * early counts of Adinets and Merrill, "Onesweep" (arXiv 2206.01784, 2022).
 *
 * Element i of lane l of sub-group g is number (g * items + i) * lanes + l of the tile. The
 * counters of a sub-group are contiguous. The calls, with barriers between them:
 *   1. xl_group_rank_count()  for all elements; the counters must be 0 before
 *   2. xl_group_rank_total(), xl_group_rank_place()  for all digits, one work-item each
 *   3. xl_group_rank()        for all elements, in their order
 *
 * Requires XL_DIGITS = 2^XL_DIGIT_BITS, the number of digits. */
#ifndef XL_GROUP_RANK
#define XL_GROUP_RANK

#include "../lane/lane_match.cl"

/* The sub-groups that rank together; if their number is a constant, loops over them are unrolled.
 * Without sub-groups, 32 work-items act as one: each of their digits has a mask of the work-items
 * with this digit, in local memory after the counters, with barriers between the steps. */
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

/* Counts an element of this work-item, by its digit. */
void xl_group_rank_count(uint digit, __local uint *counters)
{
    atomic_inc(counters + xl_rank_group() * XL_DIGITS + digit);
}

/* The number of elements with digit d in all sub-groups. */
uint xl_group_rank_total(const __local uint *counters, uint d)
{
    uint sum = 0;
#pragma unroll
    for (uint group = 0; group < XL_RANK_GROUPS; ++group)
        sum += counters[group * XL_DIGITS + d];
    return sum;
}

/* Replaces the counters of digit d by the places of its first elements in the sub-groups; the first
 * of all is at `first`. */
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

/* The place in the tile of this work-item's next element, by its digit. */
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
    if (same < 2 * mine || mine == 1u << 31) { /* the highest work-item */
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
