/* SPDX-License-Identifier: MIT
 * Dialect, features and type names that every kernel file starts from.
 *
 * The runtime (lib/ocl/program.c) puts in front of every program the lines that tell of the
 * device, and then the plan's own. What they mean, of this file and all others below cl, stands
 * in cl/parameters.txt. */
#ifndef XL_PRELUDE
#define XL_PRELUDE

/* Where kernels require a sub-group size, the runtime's lines make that part of __kernel
 * (lib/ocl/width.c). They turn on 64-bit floating point and atomics, too, where the device has
 * them. */

/* In a user's program that is the user's choice. */
#ifndef XL_USER_PROGRAM
#pragma OPENCL FP_CONTRACT OFF
#endif

#if XL_LANE_WAY == 1
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#endif

#define XL_JOIN_(a, b) a##b
#define XL_JOIN(a, b) XL_JOIN_(a, b)

/* A barrier for the local memory of the group; for global memory it names both. A group of
 * one has nobody to wait for, and compilers that cut kernels at barriers need not. */
void xl_local_barrier(void)
{
#if !defined(XL_GROUP_SIZE) || XL_GROUP_SIZE != 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

void xl_full_barrier(void)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#define XL_LOCAL_BARRIER() xl_local_barrier()
#define XL_FULL_BARRIER() xl_full_barrier()

/* n / d rounded up for any n: of numbers of 32 and of 64 bits; and, for the sizes of arrays too, of
 * any. */
uint xl_ceil_div(uint n, uint d)
{
    return n / d + (n % d != 0);
}

ulong xl_ceil_div_long(ulong n, ulong d)
{
    return n / d + (n % d != 0);
}
#define XL_CEIL_DIV(n, d) ((n) / (d) + ((n) % (d) != 0))

#endif
