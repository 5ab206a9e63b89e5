/* SPDX-License-Identifier: MIT
 * Reduction of one element per work-item over a work-group, in work-item order.
 *
 * Requires the same as cl/group/group_scan.cl, with the same rules. Defines, with the prefix
 * <XL_NAME>_:
 *   XL_T group_reduce(XL_T x, __local XL_T *scratch)
 *        x of all work-items combined, at every work-item
 *   XL_T group_shuffle_from(XL_T x, uint from, __local XL_T *scratch)
 *        x of work-item `from` */
#include "group_scan.cl"

XL_T XL_FN(group_reduce)(XL_T x, __local XL_T *scratch)
{
#if XL_USE_LANES
    const XL_T part = XL_FN(lane_reduce)(x);
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = part;
    xl_local_barrier();
    XL_T all = scratch[0];
    for (uint k = 1; k < xl_lane_groups(); ++k)
        all = XL_FN(op)(all, scratch[k]);
#else
    /* Each step folds two elements that are `by` apart into the left one; any group size. */
    const uint i = (uint)get_local_id(0);
    scratch[i] = x;
    xl_local_barrier();
    for (uint by = 1; by < XL_GROUP_SIZE; by *= 2) {
        if (i % (2 * by) == 0 && i + by < XL_GROUP_SIZE)
            scratch[i] = XL_FN(op)(scratch[i], scratch[i + by]);
        xl_local_barrier();
    }
    const XL_T all = scratch[0];
#endif
    xl_local_barrier();
    return all;
}

XL_T XL_FN(group_shuffle_from)(XL_T x, uint from, __local XL_T *scratch)
{
    scratch[get_local_id(0)] = x;
    xl_local_barrier();
    const XL_T other = scratch[from];
    xl_local_barrier();
    return other;
}
