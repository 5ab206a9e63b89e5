/* SPDX-License-Identifier: MIT
 * Functions of a whole work-group, for group_test.c. Each function is called twice in a row on
 * the same local memory, so that a missing barrier at the end of the first call would show. */
#include "../../cl/group/group_segmented.cl"

#define XLT_RESULTS 19
#define XLT_ROW 64u

__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_test_group(const __global XL_T *in, __global XL_T *out)
{
    __local XL_T scratch[XL_GROUP_SCRATCH];
#if XL_LANE_WAY == 0
    __local uint bits[XL_GROUP_BITS];
    uint all;
#endif
    const uint i = (uint)get_local_id(0), mirrored = XL_GROUP_SIZE - 1 - i;
    const XL_T x = in[i], y = in[mirrored];
    XL_T total, other;
    out += XLT_RESULTS * i;
    out[0] = xl_group_scan_exclusive(x, scratch, &total);
    out[2] = xl_group_scan_exclusive(y, scratch, &other);
    out[1] = total;
    out[3] = other;
    out[4] = xl_group_reduce(x, scratch);
    out[5] = xl_group_reduce(y, scratch);
    out[6] = xl_group_shuffle_from(x, mirrored, scratch);
    out[7] = xl_group_shuffle_from(y, mirrored, scratch);
    out[8] = xl_group_scan_inclusive(x, scratch, &total);
    out[9] = xl_group_scan_inclusive(y, scratch, &other);
    out[10] = xl_group_reduce((XL_T)(i + 1), scratch); /* differs from what scratch held before */
    /* With sub-groups Intel's CPU compiler 2026 may crash if both are in one kernel. */
#if XL_LANE_WAY == 0
    out[11] = (XL_T)xl_group_count_exclusive(i % 3 == 0, bits, &all);
    out[12] = (XL_T)xl_group_count_exclusive(i % 2 == 0, bits, &all);
    out[13] = (XL_T)xl_group_subwarp_count_exclusive(i % 3 == 0, 1, XLT_ROW, bits);
    out[14] = (XL_T)xl_group_subwarp_count_exclusive(i % 2 == 0, 1, XLT_ROW, bits);
    out[17] = xl_group_segmented_scan_exclusive(x, i % 40 == 0, scratch, bits);
    out[18] = xl_group_segmented_scan_exclusive(y, i % 24 == 0, scratch, bits);
    out[15] = xl_group_subwarp_scan_exclusive(x, 1, XLT_ROW, scratch);
    out[16] = xl_group_subwarp_scan_exclusive(y, 1, XLT_ROW, scratch);
#endif
}
