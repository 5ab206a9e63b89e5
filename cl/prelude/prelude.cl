/* SPDX-License-Identifier: MIT
 * Dialect, features and type names for every kernel file.
 *
 * The runtime (lib/ocl/program.c) puts lines before every program that define the properties of the
 * device, and then those of the plan. cl/parameters.txt states their meanings, for all files below
 * cl. */
#ifndef XL_PRELUDE
#define XL_PRELUDE

/* If kernels require a sub-group size, the runtime's lines make it part of __kernel
 * (lib/ocl/program_get.c). They also enable 64-bit floating point and atomics, if the device has
 * them. */

/* In a user's program, this is the user's choice. */
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

/* A barrier for local memory; xl_full_barrier() is for global memory, too. A group of one work-item
 * needs no barrier, and without one, compilers that split kernels at barriers need not do so. */
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

/* n / d rounded up, for any n: 32-bit and 64-bit functions, and a macro for constants. */
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
