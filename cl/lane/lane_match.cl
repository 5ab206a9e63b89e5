/* SPDX-License-Identifier: MIT
 * Which lanes of a sub-group hold the same digit, by a ballot for each of its bits: on GPUs faster
 * than an instruction that compares whole words, from four different digits on. And one lane that
 * acts for them. All lanes call these together. */
#ifndef XL_LANE_MATCH
#define XL_LANE_MATCH

#include "lane.cl"

/* A bit for each lane. */
#if XL_LANE_WAY == 2
typedef uint xl_lane_set;
#else
typedef ulong xl_lane_set;
#endif

/* The lanes with this lane's digit, of digits of so many bits. */
xl_lane_set xl_lane_match(uint digit, const uint bits)
{
#if XL_LANE_WAY == 2
    xl_lane_set same = xl_lane_all();
#pragma unroll
    for (uint bit = 0; bit < bits; ++bit) /* four instructions, of the compiler's own six */
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

/* Those of a set below this lane. */
uint xl_lane_count_below(xl_lane_set set)
{
    return (uint)popcount(set & (((xl_lane_set)1 << xl_lane_id()) - 1));
}

/* Adds to *counter the lanes of `same`, which all have this counter, and gives each the number of
 * those before it: what stood there, and the lanes below. The highest adds. */
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
