/* SPDX-License-Identifier: MIT
 * The k largest or smallest of n keys, with a value each or their places.
 *
 * Source: radix select: the digits of the k-th key are found one after the other from the highest,
 * by counting the keys that have each digit among those whose higher digits are known (Zhang et
 * al., "Parallel top-k algorithms on GPU: a comprehensive study and new methods", SC '23, AIR
 * top-k; Li et al., "RadiK: scalable and optimized GPU-parallel radix top-k selection", ICS '24).
 * Here each chunk of the keys keeps a list of those that may still be results, once that is short,
 * and is not read again: keys that are spread evenly over their range are read twice, and of very
 * many, few of which are wanted, once, as a sample gives a bound first. Results come out in the
 * order of the input. */
#ifndef CROSSLANE_TOPK_H
#define CROSSLANE_TOPK_H

#include <crosslane/plan.h>

/* Start from xl_topk_desc_init(): the largest u32 keys, in order, no values.
 * Floating-point keys are ordered as by xl_sort (xl_sort_desc in sort.h): -0 before +0, unless
 * equal_zeros is 1, and every NaN greater than every number, the negative ones greatest. */
typedef struct xl_topk_desc {
    uint32_t version;      /* set by xl_topk_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t key;          /* xl_type: any built-in scalar; a device need not compute with it */
    uint32_t value;        /* xl_type: XL_NONE or XL_U32 */
    uint32_t largest;      /* 1: the largest keys; 0: the smallest */
    uint32_t sorted;       /* 1: the best first, equal keys by lower index; 0: results in the order
                              of the input, which takes less time */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); topk.*, and sort.* where results are sorted. NULL:
     * none */
    const xl_tunable *tunables;
    /* XL_SEGMENTS_NONE, or XL_SEGMENTS_OFFSETS: k keys are found in each segment by itself */
    uint32_t segments;
    uint32_t segment_type; /* xl_type of the offsets: XL_U32 or XL_U64; else XL_NONE */
    /* 0: -0 comes before +0. 1: they are equal keys, of which the one of lower index comes first.
     * Results keep their bits. No effect on integers */
    uint32_t equal_zeros;
    uint32_t reserved; /* 0 */
} xl_topk_desc;

/* What one call works on; a view that is left out is not given. Of the outputs at least one is
 * given, where there are results; no output may overlap anything else. Results are min(k, n):
 * those keys that come first in the order asked for, of equal keys those of lower index. They are
 * the same on every run and every device. */
typedef struct xl_topk_args {
    size_t n;            /* keys, at most 2^32 - 1 */
    size_t k;            /* results wanted; may be 0, or more than n */
    xl_view keys_in;     /* n keys in any order; not changed */
    xl_view values_in;   /* n values that travel with the keys; not given for XL_NONE, and needed
                            only where values_out is given */
    xl_view keys_out;    /* min(k, n) keys, or not given */
    xl_view values_out;  /* min(k, n) values, or not given */
    xl_view indices_out; /* min(k, n) u32 places in the input, from 0, or not given */
    xl_view count_out;   /* one u64: min(k, n), or not given */
    xl_view scratch;     /* xl_topk_scratch() bytes, or not given: as in xl_scan_args */
    /* With XL_SEGMENTS_OFFSETS: where each segment begins, as in xl_sort_args: as many segments as
     * offsets (xl_view_n(); 1 to 2^32 - 1), the last of which ends in n. keys_out, values_out and
     * indices_out have k elements for each: min(k, its length) results of segment s stand from
     * element s * k on, and what is behind them is not written. Indices are places in the whole
     * array. count_out is not given */
    xl_view segments;
    xl_view counts_out; /* with segments: one u32 for each, min(k, its length), or not given */
} xl_topk_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_topk_desc_init(desc) xl_topk_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_topk_desc_init_version(xl_topk_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_topk_create(xl_context *ctx, const xl_topk_desc *desc,
                                             xl_plan **plan);

/* As xl_scan_scratch(), for n keys of which k are wanted: at most 4 MiB of counts; where results
 * are sorted also 16 bytes a result, of keys of 8 bytes 32, and what xl_sort needs for its counts.
 * Only a device that ends long loops (docs/drivers.md) and has groups of fewer than 128 work-items
 * may take more counts, where there are very many keys. With segments, however many: at most 3
 * bytes a key and 1 KiB; where results are sorted 12 bytes more, of keys of 8 bytes 16, for each of
 * those that are in segments longer than a group holds, and what xl_sort needs for them. */
XL_NODISCARD XL_API xl_status xl_topk_scratch(const xl_plan *plan, const xl_topk_args *args,
                                              size_t *bytes);

/* Enqueues a selection; never blocks, and allocates nothing when scratch is given. Nothing is
 * copied to the host.
 * Waits, event, queue, threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_topk_enqueue(xl_plan *plan, cl_command_queue queue,
                                              const xl_topk_args *args, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif
