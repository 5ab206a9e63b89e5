/* SPDX-License-Identifier: MIT
 * Finds the k largest or smallest of n keys, with their indices or values. The simplest use:
 *
 *     xl_top_k_desc desc;
 *     xl_top_k_desc_init(&desc);  // the largest u32 keys, the largest first
 *     desc.key = XL_F32;
 *     xl_top_k_create(ctx, &desc, &plan);
 *     xl_top_k_args args = {.n = n, .k = 10, .keys_in = keys, .keys_out = best};
 *     xl_top_k_enqueue(plan, queue, &args, 0, NULL, NULL);
 *     xl_plan_destroy(plan);
 *
 * docs/top-k.md has a complete example and the exact bounds of scratch.
 *
 * Source: radix select with lists of candidates and a bound from a sample: Zhang et al., "Parallel
 * top-k algorithms on GPU: a comprehensive study and new methods" (SC '23, AIR top-k); Li et al.,
 * "RadiK: scalable and optimized GPU-parallel radix top-k selection" (ICS '24). */
#ifndef CROSSLANE_TOP_K_H
#define CROSSLANE_TOP_K_H

#include <crosslane/plan.h>

/* Describes a selection. Start from xl_top_k_desc_init(). Floating-point keys are ordered as by
 * xl_sort (xl_sort_desc): every NaN is greater than every number, so NaN come first
 * among the largest, unlike with XL_MAX. */
typedef struct xl_top_k_desc {
    uint32_t version; /* set by xl_top_k_desc_init() */

    uint32_t key;   /* xl_type: any built-in scalar, even if the device does not compute with it */
    uint32_t value; /* the element that belongs to each key: a built-in xl_type, XL_BYTES() or
                       XL_NONE */
    uint32_t more_values[XL_MORE_VALUES]; /* further arrays of values, up to the first XL_NONE: as
                                             value */
    uint32_t segment_type; /* xl_type of args.segments: XL_U32 or XL_U64; else XL_NONE */

    uint32_t largest;     /* 1: the largest keys; 0: the smallest */
    uint32_t sorted;      /* 1: the best first, equal keys by lower index; 0: in the order of the
                             input, which takes less time */
    uint32_t equal_zeros; /* 1: floating-point -0 and +0 are equal; 0: -0 comes before +0. Results
                             keep their bits. No effect on integers */
    uint32_t segments;    /* XL_SEGMENTS_NONE, or XL_SEGMENTS_OFFSETS: k results for each segment */

    uint32_t num_tunables; /* elements of tunables */
    /* NULL, or values for this plan (xl_tunable in types.h): top_k.*, and sort.* if sorted is 1 */
    const xl_tunable *tunables;
} xl_top_k_desc;

/* The arrays of a call. At least one output must be given unless n or k is 0. An output must
 * overlap no other array. The results are the first min(k, n) keys in the order of desc, equal keys
 * by lower index: the same on each run and each device. */
typedef struct xl_top_k_args {
    size_t n;          /* keys, at most 2^32 - 1 */
    size_t k;          /* results wanted; may be 0 or more than n */
    xl_view n_device;  /* optional: one u64, read when the call runs. The call processes
                          min(n, n_device[0]) keys, as if n were this number */
    xl_view keys_in;   /* n keys; not written */
    xl_view values_in; /* n values; required if values_out is given; not given for XL_NONE */
    xl_view more_values_in[XL_MORE_VALUES]; /* the same for each of desc.more_values */
    /* With XL_SEGMENTS_OFFSETS: where segments begin, as in xl_sort_args, 1 to 2^32 - 1 offsets in
     * a view made by xl_view_n(); the last segment ends at n. The outputs then have k elements for
     * each segment: the min(k, its length) results of segment s begin at element s * k, and the
     * elements behind them are not written. */
    xl_view segments;
    xl_view keys_out;   /* optional: min(k, n) keys */
    xl_view values_out; /* optional: their values */
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view indices_out; /* optional: their indices in keys_in, as u32 */
    xl_view count_out;   /* optional: one u64, min(k, n); not given with segments */
    xl_view counts_out;  /* optional, with segments: one u32 for each, min(k, its length) */
    xl_view scratch;     /* not given, or xl_top_k_scratch() bytes */
} xl_top_k_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_top_k_desc_init(desc) xl_top_k_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_top_k_desc_init_version(xl_top_k_desc *desc, uint32_t version);

/* Builds the programs of the selection. Those for many keys or many results are built at their
 * first use or by xl_plan_prepare(), unless the device has only one algorithm for sorts. */
XL_NODISCARD XL_API xl_status xl_top_k_create(xl_context *ctx, const xl_top_k_desc *desc,
                                              xl_plan **plan);

/* Scratch, by n, k and segments.count: at most 4 MiB, or with segments 3 bytes a key; if
 * desc.sorted is 1 also 16 bytes a result and the scratch of their sort; with values 4 bytes
 * for each element of an output. docs/top-k.md has the exact bounds. */
XL_NODISCARD XL_API xl_status xl_top_k_scratch(const xl_plan *plan, const xl_top_k_args *args,
                                               size_t *bytes);

XL_NODISCARD XL_API xl_status xl_top_k_enqueue(xl_plan *plan, cl_command_queue queue,
                                               const xl_top_k_args *args, cl_uint num_waits,
                                               const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif
