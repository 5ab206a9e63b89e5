/* SPDX-License-Identifier: MIT
 * Scan of one element per work-item over a work-group.
 *
 * Requires the same as cl/lane/lane_scan.cl, and XL_GROUP_SIZE.
 * Defines XL_USE_LANES: 1 if sub-groups take part; otherwise all work is done in local memory, with
 * barriers. They take part if the group certainly consists of whole sub-groups. The width of a khr
 * sub-group is known only at run time, but it divides 64 on every device that passed the lane
 * probe. And, with the prefix <XL_NAME>_ and scratch of XL_GROUP_SCRATCH elements, which are
 * XL_GROUP_SIZE:
 *   XL_T group_scan_exclusive(XL_T x, __local XL_T *scratch, XL_T *total)
 *        x of work-item 0 op ... op x of the work-item before this one; *total: x of all combined
 *   XL_T group_scan_inclusive(XL_T x, __local XL_T *scratch, XL_T *total)
 *
 * All work-items of the group must call these together. They begin without a barrier and end with
 * one: scratch may be used again at once. No include guard, as in lane_scan.cl. */
#include "../lane/lane_scan.cl"

#undef XL_USE_LANES
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_USE_LANES (XL_GROUP_SIZE % XL_LANES == 0)
#elif XL_LANE_WAY == 1
#define XL_USE_LANES (XL_GROUP_SIZE % 64 == 0 && XL_LANES <= 64)
#else
#define XL_USE_LANES 0
#endif

/* Elements of local memory that a call needs. */
#undef XL_GROUP_SCRATCH
#define XL_GROUP_SCRATCH XL_GROUP_SIZE

/* lane_scan_reach() over the work-group, through local memory: x of the `reach` work-items before
 * this one op ... op x of this one. Leaves the result of each work-item in scratch; a barrier must
 * precede the next use of scratch. */
XL_T XL_FN(group_scan_reach)(XL_T mine, uint reach, uint span, __local XL_T *scratch)
{
    const uint i = (uint)get_local_id(0);
    XL_T x = mine;
    scratch[i] = x;
    xl_local_barrier();
    for (uint by = 1; by < span; by *= 2) {
        if (reach >= by)
            x = XL_FN(op)(scratch[i - by], x);
        xl_local_barrier();
        scratch[i] = x;
        xl_local_barrier();
    }
    return x;
}

/* The inclusive result of the work-item before this one, if it is in the same segment. */
XL_T XL_FN(group_shift_reach)(uint reach, const __local XL_T *scratch)
{
    XL_T below = XL_FN(identity)();
    if (reach > 0)
        below = scratch[get_local_id(0) - 1];
    return below;
}

/* The total of the sub-groups before this one, from each lane's inclusive scan. */
XL_T XL_FN(group_before)(XL_T inclusive, __local XL_T *scratch, XL_T *total)
{
    if (xl_lane_id() == xl_lane_width() - 1)
        scratch[xl_lane_group()] = inclusive;
    xl_local_barrier();
    XL_T before = XL_FN(identity)(), all = XL_FN(identity)();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            before = all;
        all = XL_FN(op)(all, scratch[k]);
    }
    *total = all;
    return before;
}

XL_T XL_FN(group_scan_exclusive)(XL_T x, __local XL_T *scratch, XL_T *total)
{
#if XL_USE_LANES
    const XL_T inclusive = XL_FN(lane_scan_inclusive)(x);
    const XL_T before = XL_FN(group_before)(inclusive, scratch, total);
    const XL_T result = XL_FN(op)(before, XL_FN(lane_shift_up)(inclusive));
#else
    const uint i = (uint)get_local_id(0);
    XL_FN(group_scan_reach)(x, i, XL_GROUP_SIZE, scratch);
    *total = scratch[XL_GROUP_SIZE - 1];
    const XL_T result = XL_FN(group_shift_reach)(i, scratch);
#endif
    xl_local_barrier();
    return result;
}

XL_T XL_FN(group_scan_inclusive)(XL_T x, __local XL_T *scratch, XL_T *total)
{
#if XL_USE_LANES
    const XL_T inclusive = XL_FN(lane_scan_inclusive)(x);
    const XL_T before = XL_FN(group_before)(inclusive, scratch, total);
    const XL_T result = XL_FN(op)(before, inclusive);
#else
    const uint i = (uint)get_local_id(0);
    const XL_T result = XL_FN(group_scan_reach)(x, i, XL_GROUP_SIZE, scratch);
    *total = scratch[XL_GROUP_SIZE - 1];
#endif
    xl_local_barrier();
    return result;
}
