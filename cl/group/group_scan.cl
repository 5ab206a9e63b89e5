/* SPDX-License-Identifier: MIT
 * Scan of one element per work-item over a work-group.
 *
 * Asks for what cl/prelude/prelude_state.cl asks for, and
 *   XL_GROUP_SIZE  work-items of the group, which is the kernel's required size
 * Gives XL_USE_LANES: 1 if sub-groups take part. They do when the group is whole
 * sub-groups for certain; the width of a khr sub-group is known only at run time,
 * but divides 64 on every device that passed the lane probe or the group does
 * without. Otherwise local memory and barriers do all the work.
 *
 * All work-items of the group must call these together. They start with no
 * barrier and end with one: scratch may be used again at once. */
#ifndef XL_GROUP_SCAN
#define XL_GROUP_SCAN

#include "../lane/lane_scan.cl"

#if !defined(XL_GROUP_SIZE)
#error "XL_GROUP_SIZE must be defined"
#endif

#if XL_LANE_WAY == 2
#define XL_USE_LANES (XL_GROUP_SIZE % XL_LANES == 0)
#elif XL_LANE_WAY == 1
#define XL_USE_LANES (XL_GROUP_SIZE % 64 == 0 && XL_LANES <= 64)
#else
#define XL_USE_LANES 0
#endif

/* Elements of local memory that a call needs. */
#define XL_GROUP_SCRATCH XL_GROUP_SIZE

/* x of work-item 0 op ... op x of the one before this; *total is that of all. */
XL_T xl_group_scan_exclusive(XL_T x, __local XL_T *scratch, XL_T *total)
{
#if XL_USE_LANES
    const XL_T inclusive = xl_lane_scan_inclusive(x);
    if (xl_lane_id() == xl_lane_width() - 1)
        scratch[xl_lane_group()] = inclusive;
    XL_LOCAL_BARRIER();
    XL_T before = XL_IDENTITY, all = XL_IDENTITY;
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            before = all;
        all = xl_op(all, scratch[k]);
    }
    *total = all;
    x = xl_op(before, xl_lane_shift_up(inclusive));
#else
    const uint i = (uint)get_local_id(0);
    scratch[i] = x;
    XL_LOCAL_BARRIER();
    for (uint by = 1; by < XL_GROUP_SIZE; by *= 2) {
        if (i >= by)
            x = xl_op(scratch[i - by], x);
        XL_LOCAL_BARRIER();
        scratch[i] = x;
        XL_LOCAL_BARRIER();
    }
    *total = scratch[XL_GROUP_SIZE - 1];
    x = XL_IDENTITY;
    if (i > 0)
        x = scratch[i - 1];
#endif
    XL_LOCAL_BARRIER();
    return x;
}

#endif
