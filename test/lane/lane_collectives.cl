/* SPDX-License-Identifier: MIT
 * One sub-group's scan and reductions, one work-group wide, for lane_test.c.
 *
 * Per work-item four results: inclusive scan, exclusive scan, reduction, reduction
 * with lane 0 last; and the lane and the width that it saw. */
#include "../../cl/lane/lane_scan.cl"

__kernel void xl_test_lanes(const __global XL_T *in, __global XL_T *out, __global uint *seen)
{
    const uint i = (uint)get_local_id(0);
    const XL_T x = in[i];
#if XL_LANE_WAY != 0
    const XL_T inclusive = xl_lane_scan_inclusive(x);
    out[4 * i] = inclusive;
    out[4 * i + 1] = xl_lane_shift_up(inclusive);
    out[4 * i + 2] = xl_lane_reduce(x);
    out[4 * i + 3] = xl_lane_reduce_down(x);
#endif
    seen[2 * i] = xl_lane_id();
    seen[2 * i + 1] = xl_lane_width();
}
