/* SPDX-License-Identifier: MIT
 * A work-group's scan and reduction, for group_test.c: per work-item the exclusive
 * scan, the total it gave, and the reduction. Each is done twice in a row, so that a
 * missing barrier at the end of the first would show. */
#include "../../cl/group/group_reduce.cl"

__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_test_group(const __global XL_T *in, __global XL_T *out)
{
    __local XL_T scratch[XL_GROUP_SCRATCH];
    const uint i = (uint)get_local_id(0);
    XL_T total, other;
    const XL_T before = xl_group_scan_exclusive(in[i], scratch, &total);
    const XL_T second = xl_group_scan_exclusive(in[XL_GROUP_SIZE - 1 - i], scratch, &other);
    const XL_T all = xl_group_reduce(in[i], scratch);
    const XL_T back = xl_group_reduce(in[XL_GROUP_SIZE - 1 - i], scratch);
    out[6 * i] = before;
    out[6 * i + 1] = total;
    out[6 * i + 2] = second;
    out[6 * i + 3] = other;
    out[6 * i + 4] = all;
    out[6 * i + 5] = back;
}
