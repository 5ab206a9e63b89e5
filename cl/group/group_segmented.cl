/* SPDX-License-Identifier: MIT
 * Segmented scans of one element per work-item over a work-group. Heads are a flag per work-item,
 * or a mask for rows of `width` work-items.
 *
 * Requires the same as cl/group/group_scan.cl. Defines, with the prefix <XL_NAME>_:
 *   XL_T group_segmented_scan_inclusive(XL_T x, bool is_head, __local XL_T *scratch,
 *                                       __local uint *bits)
 *   XL_T group_segmented_scan_exclusive(...)      the identity at a head
 *   XL_T group_subwarp_scan_inclusive(XL_T x, ulong heads, uint width,
 *                                     __local XL_T *scratch)
 *   XL_T group_subwarp_scan_exclusive(...)
 *
 * scratch has XL_GROUP_SCRATCH elements, bits XL_GROUP_BITS words. Work-item 0, or the first of a
 * row, is always a head. cl/lane/lane_subwarp.cl describes width and mask, but rows may be wider
 * than a sub-group here. The rules of group_scan.cl apply. */
#include "../lane/lane_segmented.cl"
#include "group_ballot.cl"
#include "group_scan.cl"

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
