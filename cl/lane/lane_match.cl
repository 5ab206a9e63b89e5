/* SPDX-License-Identifier: MIT
 * Which lanes of a sub-group have the same digit, by one ballot per bit: on GPUs this is faster
 * than an instruction that compares whole words, if there are four different digits or more. One of
 * these lanes then acts for all. All lanes must call these functions together. */
#ifndef XL_LANE_MATCH
#define XL_LANE_MATCH

#include "lane.cl"

/* One bit per lane. */
#if XL_LANE_WAY == 2
typedef uint xl_lane_set;
#else
typedef ulong xl_lane_set;
#endif

/* The lanes with this lane's digit; digits have `bits` bits. */
xl_lane_set xl_lane_match(uint digit, const uint bits)
{
#if XL_LANE_WAY == 2
    xl_lane_set same = xl_lane_all();
#pragma unroll
    for (uint bit = 0; bit < bits; ++bit) /* four instructions; the compiler makes six */
        __asm volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0;"
                       " vote.sync.ballot.b32 t, p, %3; @!p not.b32 t, t; and.b32 %0, %0, t; }"
                       : "+r"(same)
                       : "r"(digit), "r"(1u << bit), "r"(xl_lane_all()));
#else
    xl_lane_set same = xl_lane_ballot(true);
    for (uint bit = 0; bit < bits; ++bit) {
        const bool set = (digit >> bit & 1u) != 0;
        const xl_lane_set votes = xl_lane_ballot(set);
        same &= set ? votes : ~votes;
    }
#endif
    return same;
}

/* The number of lanes of a set below this one. */
uint xl_lane_count_below(xl_lane_set set)
{
    return (uint)popcount(set & (((xl_lane_set)1 << xl_lane_id()) - 1));
}

/* Adds the number of lanes of `same`, which all have this counter, to *counter. Returns to each
 * lane the old value plus the number of these lanes below it. The highest lane adds. */
uint xl_lane_count_into(__local uint *counter, xl_lane_set same)
{
    const uint below = xl_lane_count_below(same);
    uint before = 0;
#if XL_LANE_WAY == 2
    uint highest;
    __asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(same));
    __asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p atom.shared.add.u32 %0, [%3], %4; }"
                   : "+r"(before)
                   : "r"(xl_lane_id()), "r"(highest), "r"((uint)(size_t)counter), "r"(below + 1)
                   : "memory");
#else
    const uint highest = 63u - (uint)clz(same);
    if (xl_lane_id() == highest)
        before = atomic_add(counter, below + 1);
#endif
    return xl_lane_shuffle(before, highest) + below;
}

#endif
