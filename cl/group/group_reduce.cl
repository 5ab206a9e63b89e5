/* SPDX-License-Identifier: MIT
 * Reduction of one element per work-item over a work-group, in work-item order.
 *
 * Asks for what cl/group/group_scan.cl asks for; the same rules hold. */
#ifndef XL_GROUP_REDUCE
#define XL_GROUP_REDUCE

#include "group_scan.cl"

/* x of all work-items combined, at every work-item. */
XL_T xl_group_reduce(XL_T x, __local XL_T *scratch)
{
#if XL_USE_LANES
    x = xl_lane_reduce(x);
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = x;
    XL_LOCAL_BARRIER();
    x = scratch[0];
    for (uint k = 1; k < xl_lane_groups(); ++k)
        x = xl_op(x, scratch[k]);
#else
    /* Each step folds neighbours `by` apart into the left one; any group size. */
    const uint i = (uint)get_local_id(0);
    scratch[i] = x;
    XL_LOCAL_BARRIER();
    for (uint by = 1; by < XL_GROUP_SIZE; by *= 2) {
        if (i % (2 * by) == 0 && i + by < XL_GROUP_SIZE)
            scratch[i] = xl_op(scratch[i], scratch[i + by]);
        XL_LOCAL_BARRIER();
    }
    x = scratch[0];
#endif
    XL_LOCAL_BARRIER();
    return x;
}

#endif
