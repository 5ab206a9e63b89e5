/* SPDX-License-Identifier: MIT
 * Which lanes of a sub-group hold the same digit, by a ballot for each of its bits: on GPUs faster
 * than an instruction that compares whole words, from four different digits on. */
#ifndef XL_LANE_MATCH
#define XL_LANE_MATCH

#include "lane.cl"

/* A bit for each lane. */
#if XL_LANE_WAY == 2
typedef uint xl_lane_set;
#define XL_LANES_ALL XL_LANE_ALL
#define xl_lane_lowest(set) (31u - (uint)clz((set) & (0u - (set))))
#else
typedef ulong xl_lane_set;
#define XL_LANES_ALL xl_lane_ballot(true)
#define xl_lane_lowest(set) ((uint)(63ul - clz((set) & (0ul - (set)))))
#endif

/* The lanes with this lane's digit, of digits below 2^bits. All lanes call it together. */
xl_lane_set xl_lane_match(uint digit, const uint bits)
{
    xl_lane_set same = XL_LANES_ALL;
#pragma unroll
    for (uint bit = 0; bit < bits; ++bit) {
        const bool set = (digit >> bit & 1u) != 0;
        const xl_lane_set votes = (xl_lane_set)xl_lane_ballot(set);
        same &= set ? votes : ~votes;
    }
    return same;
}

/* Those of a set below this lane. */
uint xl_lane_count_below(xl_lane_set set)
{
    return (uint)popcount(set & (((xl_lane_set)1 << xl_lane_id()) - 1));
}

#endif
