/* SPDX-License-Identifier: MIT
 * Dialect, features and type names that every kernel file starts from.
 *
 * The runtime (lib/ocl/program.c) puts these lines in front of every program:
 *   XL_LANE_WAY           0 local memory, 1 khr sub-groups, 2 NVIDIA PTX
 *   XL_LANES              lane width the host learnt (PTX); a hint for khr, where
 *                         a kernel asks get_sub_group_size(); 1 for local memory
 *   XL_HAS_FP64           1: double may be used
 *   XL_HAS_INT64_ATOMICS  1: 64-bit atomics may be used
 *   XL_CAN_PUBLISH        1: relaxed 64-bit words may pass between work-groups
 *   XL_IS_CPU             1: work-items of a group run one after another on a core
 *   XL_OPENCL3            1: built as OpenCL C 2.0 or 3.0
 *   XL_NV_CAPABILITY      NVIDIA's compute capability, the major number; 0 elsewhere
 * and then the plan's own lines. */
#ifndef XL_PRELUDE
#define XL_PRELUDE

#if !defined(XL_LANE_WAY) || !defined(XL_LANES) || !defined(XL_HAS_FP64) ||                        \
    !defined(XL_HAS_INT64_ATOMICS) || !defined(XL_CAN_PUBLISH) || !defined(XL_IS_CPU) ||           \
    !defined(XL_OPENCL3) || !defined(XL_NV_CAPABILITY)
#error "the feature lines of lib/ocl/program.c must stand in front"
#endif

/* In a user's program that is the user's choice. */
#ifndef XL_USER_PROGRAM
#pragma OPENCL FP_CONTRACT OFF
#endif

#if XL_HAS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if XL_HAS_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
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
#if defined(XL_GROUP_SIZE) && XL_GROUP_SIZE == 1
#define XL_LOCAL_BARRIER()
#else
#define XL_LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define XL_FULL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* n / d rounded up for any n. */
#define XL_CEIL_DIV(n, d) ((n) / (d) + ((n) % (d) != 0))

#endif
