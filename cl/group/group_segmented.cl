/* SPDX-License-Identifier: MIT
 * Segmented scans of one element per lane of a sub-group and, if XL_GROUP_SIZE is defined, of one
 * element per work-item of a work-group. Heads are a flag per lane or work-item, or a mask for rows
 * of `width` of them (cl/group/group_ballot.cl describes the mask).
 *
 * Requires the same as cl/group/group_scan.cl. Defines, with the prefix <XL_NAME>_:
 *   XL_T lane_segmented_scan_inclusive(XL_T x, bool is_head)
 *   XL_T lane_segmented_scan_exclusive(XL_T x, bool is_head)   the identity at a head
 *   XL_T subwarp_scan_inclusive(XL_T x, ulong heads, uint width)
 *   XL_T subwarp_scan_exclusive(XL_T x, ulong heads, uint width)
 *   XL_T group_segmented_scan_inclusive(XL_T x, bool is_head, __local XL_T *scratch,
 *                                       __local uint *bits)
 *   XL_T group_segmented_scan_exclusive(...)
 *   XL_T group_subwarp_scan_inclusive(XL_T x, ulong heads, uint width,
 *                                     __local XL_T *scratch)
 *   XL_T group_subwarp_scan_exclusive(...)
 *   XL_T group_shuffle_from(XL_T x, uint from, __local XL_T *scratch)
 *        x of work-item `from`
 *
 * scratch has XL_GROUP_SCRATCH elements, bits XL_GROUP_BITS words. The first of a sub-group, of a
 * row and of the group is always a head. One ballot tells a lane how far its segment reaches down,
 * so no flag is moved with the elements. Rows of a group may be wider than a sub-group. The rules
 * of group_scan.cl apply; there is no include guard either. */
#include "group_ballot.cl"
#include "group_scan.cl"

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

#ifdef XL_GROUP_SIZE
/* Words of local memory that a call needs: bits, or a flag for each sub-group. The width of a khr
 * sub-group is known only in the kernel. */
#undef XL_GROUP_BITS
#if XL_LANE_WAY == 1
#define XL_GROUP_BITS XL_GROUP_SIZE
#else
#define XL_GROUP_BITS XL_CEIL_DIV(XL_GROUP_SIZE, 32)
#endif

/* The sub-groups before this one combined, from the last head among them on. */
XL_T XL_FN(group_segment_before)(XL_T inclusive, bool has_head, __local XL_T *scratch,
                                 __local uint *has_heads)
{
    if (xl_lane_id() == xl_lane_width() - 1) {
        scratch[xl_lane_group()] = inclusive;
        has_heads[xl_lane_group()] = has_head;
    }
    xl_local_barrier();
    XL_T before = XL_FN(identity)();
    for (uint k = 0; k < xl_lane_group(); ++k) {
        if (has_heads[k])
            before = scratch[k];
        else
            before = XL_FN(op)(before, scratch[k]);
    }
    xl_local_barrier();
    return before;
}

/* Returns the inclusive scan; *before is the exclusive one. */
XL_T XL_FN(group_segmented_scan)(XL_T x, bool is_head, __local XL_T *scratch, __local uint *bits,
                                 XL_T *before)
{
#if XL_USE_LANES
    const uint lane = xl_lane_id();
    const ulong heads = xl_lane_ballot(is_head);
    const uint reach = lane - xl_segment_start(heads, lane);
    XL_T result = XL_FN(lane_scan_reach)(x, reach, xl_lane_width());
    *before = XL_FN(lane_shift_reach)(result, reach);
    const XL_T carry = XL_FN(group_segment_before)(result, heads != 0, scratch, bits);
    if ((heads & xl_bits_through(lane)) == 0) {
        result = XL_FN(op)(carry, result);
        *before = XL_FN(op)(carry, *before);
    }
#else
    const uint i = (uint)get_local_id(0);
    xl_group_ballot(is_head, bits);
    const uint reach = i - xl_group_segment_start(bits, i);
    const XL_T result = XL_FN(group_scan_reach)(x, reach, XL_GROUP_SIZE, scratch);
    *before = XL_FN(group_shift_reach)(reach, scratch);
    xl_local_barrier();
#endif
    return result;
}

XL_T XL_FN(group_segmented_scan_inclusive)(XL_T x, bool is_head, __local XL_T *scratch,
                                           __local uint *bits)
{
    XL_T before;
    return XL_FN(group_segmented_scan)(x, is_head, scratch, bits, &before);
}

XL_T XL_FN(group_segmented_scan_exclusive)(XL_T x, bool is_head, __local XL_T *scratch,
                                           __local uint *bits)
{
    XL_T before;
    XL_FN(group_segmented_scan)(x, is_head, scratch, bits, &before);
    return before;
}

XL_T XL_FN(group_subwarp_scan_inclusive)(XL_T x, ulong heads, uint width, __local XL_T *scratch)
{
    XL_T result;
    if (xl_subwarp_fits(width)) {
        result = XL_FN(subwarp_scan_inclusive)(x, heads, width);
    } else {
        const uint k = xl_group_subwarp_item(width);
        result = XL_FN(group_scan_reach)(x, k - xl_segment_start(heads, k), width, scratch);
    }
    return result;
}

XL_T XL_FN(group_subwarp_scan_exclusive)(XL_T x, ulong heads, uint width, __local XL_T *scratch)
{
    XL_T result;
    if (xl_subwarp_fits(width)) {
        result = XL_FN(subwarp_scan_exclusive)(x, heads, width);
    } else {
        const uint k = xl_group_subwarp_item(width);
        const uint reach = k - xl_segment_start(heads, k);
        XL_FN(group_scan_reach)(x, reach, width, scratch);
        result = XL_FN(group_shift_reach)(reach, scratch);
        xl_local_barrier();
    }
    return result;
}

XL_T XL_FN(group_shuffle_from)(XL_T x, uint from, __local XL_T *scratch)
{
    scratch[get_local_id(0)] = x;
    xl_local_barrier();
    const XL_T other = scratch[from];
    xl_local_barrier();
    return other;
}
#endif
