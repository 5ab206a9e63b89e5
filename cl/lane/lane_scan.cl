/* SPDX-License-Identifier: MIT
 * Scan and reduction of one element per lane of a sub-group. With XL_LANE_WAY 0
 * a sub-group is one work-item and there is nothing here: see cl/group.
 *
 * Asks for what cl/prelude/prelude_type.cl asks for. Every lane of a whole
 * sub-group must call these together. */
#ifndef XL_LANE_SCAN
#define XL_LANE_SCAN

#include "../prelude/prelude_type.cl"
#include "lane.cl"

#if XL_LANE_WAY != 0
#if XL_T_BYTES == 4
#define XL_LANE_MOVE(how, x, k) XL_AS_T(XL_JOIN(xl_lane_, how)(as_uint(x), (k)))
#else
#define XL_LANE_MOVE(how, x, k) XL_AS_T(XL_JOIN(XL_JOIN(xl_lane_, how), 64)(as_ulong(x), (k)))
#endif

/* x of lane 0 op ... op x of this lane. Hillis and Steele's doubling: each step
 * covers twice as many lanes below. */
XL_T xl_lane_scan_inclusive(XL_T x)
{
    const uint lane = xl_lane_id();
#pragma unroll
    for (uint by = 1; by < xl_lane_width(); by *= 2) {
        XL_T below = XL_LANE_MOVE(shuffle_up, x, by);
        if (lane >= by)
            x = xl_op(below, x);
    }
    return x;
}

/* The same without this lane's own x; XL_IDENTITY at lane 0. */
XL_T xl_lane_shift_up(XL_T inclusive)
{
    XL_T below = XL_LANE_MOVE(shuffle_up, inclusive, 1);
    return xl_lane_id() > 0 ? below : XL_IDENTITY;
}

/* x of all lanes combined in lane order, at every lane. */
XL_T xl_lane_reduce(XL_T x)
{
#pragma unroll
    for (uint mask = 1; mask < xl_lane_width(); mask *= 2) {
        XL_T other = XL_LANE_MOVE(shuffle_xor, x, mask);
#if XL_COMMUTES
        x = xl_op(x, other);
#else
        x = xl_lane_id() & mask ? xl_op(other, x) : xl_op(x, other);
#endif
    }
    return x;
}

/* The same with lane 0 last in order. */
XL_T xl_lane_reduce_down(XL_T x)
{
#pragma unroll
    for (uint mask = 1; mask < xl_lane_width(); mask *= 2) {
        XL_T other = XL_LANE_MOVE(shuffle_xor, x, mask);
#if XL_COMMUTES
        x = xl_op(x, other);
#else
        x = xl_lane_id() & mask ? xl_op(x, other) : xl_op(other, x);
#endif
    }
    return x;
}
#endif

#endif
