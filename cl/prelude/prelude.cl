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

/* Bits of x without leading zeros; 0 for 0. */
uint xl_bit_length(ulong x)
{
    return 64u - (uint)clz(x);
}

/* The exponent of the least power of two that is not below x; 0 for 0. */
uint xl_log2_above(uint x)
{
    return x > 1 ? 32u - clz(x - 1u) : 0;
}

/* A fence of device scope, for devices whose work-groups may pass messages. A macro, because others
 * do not know these names. NVIDIA's OpenCL has no atomics of device scope, but its PTX has. */
#if defined(__NV_CL_C_VERSION)
#define xl_device_fence() __asm volatile("fence.acq_rel.gpu;" : : : "memory")
#else
#define xl_device_fence()                                                                          \
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#endif

/* The number of elements of a launch, which may be stored on the device: length[offset], at most
 * `most`; `most` if length is NULL. */
ulong xl_length(ulong most, __global const ulong *length, ulong offset)
{
    return length ? min(most, length[offset]) : most;
}

/* Sets n to xl_length(); `type` is an unsigned type. One work-item reads and broadcasts, so that a
 * concurrent write cannot make work-items diverge at a barrier. Use it once in a kernel. (A function
 * that returns a ulong for all types makes the sort of 2^24 u32 keys 3.5 % slower on an H200.) */
#if defined(XL_SERIAL) && XL_SERIAL
#define XL_LENGTH_READ(type, n, most, length, offset) n = (type)xl_length(most, length, offset);
#else
#define XL_LENGTH_READ(type, n, most, length, offset)                                              \
    __local type shared_length;                                                                    \
    n = most;                                                                                      \
    if (length) {                                                                                  \
        if (get_local_id(0) == 0)                                                                  \
            shared_length = (type)min((ulong)most, length[offset]);                                \
        xl_local_barrier();                                                                        \
        n = shared_length;                                                                         \
    }
#endif

/* The values that each call passes to the caller's expressions: a kernel's last argument, which
 * functions get in a struct or as their last parameter. */
#if defined(XL_PARAM_WORDS) && XL_PARAM_WORDS > 0
#define XL_PARAMS_ARGUMENT , xl_params params
#define XL_PARAMS_PASS , params
#define XL_PARAMS_MAKE(s) (s).params = params;
#define XL_PARAMS_OF(s) , (s)->params
#else
#define XL_PARAMS_ARGUMENT
#define XL_PARAMS_PASS
#define XL_PARAMS_MAKE(s)
#define XL_PARAMS_OF(s)
#endif

/* XL_TIMES(n, X) is X(0) X(1) and so on, n times, for the arrays of values that are moved with keys
 * or elements. The host defines for each the type of a unit, xl_value0 and so on, and the units of
 * an element, xl_value0_units. */
#define XL_TIMES_0(X)
#define XL_TIMES_1(X) X(0)
#define XL_TIMES_2(X) X(0) X(1)
#define XL_TIMES_3(X) X(0) X(1) X(2)
#define XL_TIMES_4(X) X(0) X(1) X(2) X(3)
#define XL_TIMES_(n, X) XL_TIMES_##n(X)
#define XL_TIMES(n, X) XL_TIMES_(n, X)

/* In a sort, the place of a key in the array, or a number of keys, and the value of a key. */
#if defined(XL_LARGE) && XL_LARGE > 0
typedef ulong xl_place;
#else
typedef uint xl_place;
#endif
#if defined(XL_LARGE) && XL_LARGE == 2
typedef ulong xl_value;
#else
typedef uint xl_value;
#endif

#endif
