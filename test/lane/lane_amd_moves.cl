/* SPDX-License-Identifier: MIT
 * A kernel for each thing that lanes do, whose instructions lane_amd.sh looks at. */
#define XL_LANE_WAY 3
#define XL_E uint
#define XL_E_BYTES 4
#define XL_OP(a, b) ((a) + (b))
#define XL_COMMUTES 1
#define XL_HAS_IDENTITY 1
#define XL_KEEP_ORDER 0
#define XL_ACCUMULATOR 1
uint xl_identity_e(void)
{
    return 0;
}
#define XL_SCANS_ROWS 1
#include "../../cl/group/group_scan.cl"

/* A second type: the first one's are elements with flags. */
enum { sum_commutes = 1 };

uint sum_identity(void)
{
    return 0;
}

uint sum_op(uint a, uint b)
{
    return a + b;
}
#undef XL_NAME
#undef XL_T
#define XL_NAME sum
#define XL_T uint
#include "../../cl/group/group_segmented.cl"

__kernel void reduce(__global uint *a)
{
    a += get_local_id(0);
    *a = sum_lane_reduce(*a);
}

__kernel void scan(__global uint *a)
{
    a += get_local_id(0);
    *a = sum_lane_scan_inclusive(*a);
}

__kernel void before(__global uint *a)
{
    a += get_local_id(0);
    *a = xl_lane_shuffle_up(*a, 1);
}

__kernel void segments(__global uint *a, const __global uchar *heads)
{
    a += get_local_id(0);
    *a = sum_lane_segmented_scan_inclusive(*a, heads[get_local_id(0)] != 0);
}

__kernel void flags(__global uint *a, const __global uchar *heads)
{
    a += get_local_id(0);
    xl_accumulator all;
    *a = xl_lane_scan_total(xl_accumulator_of(*a, heads[get_local_id(0)] != 0), &all).value;
    a[64] = all.value;
}

__kernel void anywhere(__global uint *a)
{
    a += get_local_id(0);
    *a = xl_lane_shuffle(*a, a[64]);
}

__kernel void last(__global uint *a)
{
    a += get_local_id(0);
    *a = xl_lane_shuffle(*a, xl_lane_width() - 1);
}

__kernel void vote(__global ulong *a)
{
    a += get_local_id(0);
    *a = xl_lane_ballot(*a != 7);
}
