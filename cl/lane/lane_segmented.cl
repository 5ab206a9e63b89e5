/* SPDX-License-Identifier: MIT
 * Segmented scans of one element per lane. Heads are a flag per lane, or a mask for rows of `width`
 * lanes (cl/lane/lane_subwarp.cl describes the mask).
 *
 * Requires the same as cl/lane/lane_scan.cl. Defines, with the prefix <XL_NAME>_:
 *   XL_T lane_segmented_scan_inclusive(XL_T x, bool is_head)
 *   XL_T lane_segmented_scan_exclusive(XL_T x, bool is_head)   the identity at a head
 *   XL_T subwarp_scan_inclusive(XL_T x, ulong heads, uint width)
 *   XL_T subwarp_scan_exclusive(XL_T x, ulong heads, uint width)
 *
 * Lane 0 of the sub-group or of the row is always a head. One ballot tells a lane how far its
 * segment reaches down, so no flag is moved with the elements. All lanes of a whole sub-group must
 * call these together. No include guard, as in lane_scan.cl. */
#include "lane_scan.cl"
#include "lane_subwarp.cl"

/* Inclusive to exclusive; the segment begins `reach` lanes below. */
XL_T XL_FN(lane_shift_reach)(XL_T inclusive, uint reach)
{
    XL_T below = XL_FN(shuffle_up)(inclusive, 1);
    if (reach == 0)
        below = XL_FN(identity)();
    return below;
}

XL_T XL_FN(lane_segmented_scan_inclusive)(XL_T x, bool is_head)
{
    const uint lane = xl_lane_id();
    const uint reach = lane - xl_segment_start(xl_lane_ballot(is_head), lane);
    return XL_FN(lane_scan_reach)(x, reach, xl_lane_width());
}

XL_T XL_FN(lane_segmented_scan_exclusive)(XL_T x, bool is_head)
{
    const uint lane = xl_lane_id();
    const uint reach = lane - xl_segment_start(xl_lane_ballot(is_head), lane);
    return XL_FN(lane_shift_reach)(XL_FN(lane_scan_reach)(x, reach, xl_lane_width()), reach);
}

XL_T XL_FN(subwarp_scan_inclusive)(XL_T x, ulong heads, uint width)
{
    return XL_FN(lane_scan_reach)(x, xl_subwarp_reach(heads, width), width);
}

XL_T XL_FN(subwarp_scan_exclusive)(XL_T x, ulong heads, uint width)
{
    const uint reach = xl_subwarp_reach(heads, width);
    return XL_FN(lane_shift_reach)(XL_FN(lane_scan_reach)(x, reach, width), reach);
}
