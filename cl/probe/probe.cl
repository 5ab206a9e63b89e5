/* SPDX-License-Identifier: MIT
 * The lane probe: one work-group, whose work-items report their sub-groups, and whether shuffles
 * and ballots give the right results.
 *
 * Four words per work-item: width, sub-group, lane, and a bit set of failed checks (1 shuffle, 2
 * shuffle up, 4 shuffle xor, 8 ballot). */
#include "../lane/lane.cl"

/* The number of rounds that a loop of 70,000 rounds executes: fewer if the device ends long loops
 * (lib/ocl/rusticl.c). No compiler can compute it, because the bound depends on the number of
 * groups and the result on x. */
__kernel void xl_probe_rounds(__global uint *rounds)
{
    uint most = 70000u * (uint)get_num_groups(0), count = 0, x = most;
    for (uint i = 0; i < most; ++i) {
        x = (x ^ i) * 1664525u + 1013904223u;
        count += 1u + (x == 0u ? 1u : 0u);
    }
    rounds[0] = count;
    rounds[1] = x;
}

__kernel void xl_probe_lanes(__global uint *seen)
{
    uint i = (uint)get_local_id(0);
    uint width = xl_lane_width();
    uint lane = xl_lane_id();
    uint failed = 0;
#if XL_LANE_WAY != 0
    uint base = i - lane;
    uint mine = i * 7u + 3u;
    if (xl_lane_shuffle(mine, width - 1u - lane) != (base + width - 1u - lane) * 7u + 3u)
        failed |= 1u;
    for (uint by = 1; by < width; by *= 2) {
        uint up = xl_lane_shuffle_up(mine, by);
        if (lane >= by && up != (i - by) * 7u + 3u)
            failed |= 2u;
        if (xl_lane_shuffle_xor(mine, by) != (base + (lane ^ by)) * 7u + 3u)
            failed |= 4u;
    }
    ulong odd = xl_lane_ballot(lane % 2u == 1u);
    for (uint k = 0; k < width && k < 64u; ++k)
        if ((odd >> k & 1UL) != (ulong)(k % 2u))
            failed |= 8u;
#endif
    seen[4 * i] = width;
    seen[4 * i + 1] = xl_lane_group();
    seen[4 * i + 2] = lane;
    seen[4 * i + 3] = failed;
}
