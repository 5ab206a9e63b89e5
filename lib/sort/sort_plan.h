/* SPDX-License-Identifier: MIT
 * A sort inside: problem, shape and kernels.
 *
 * A call walks: check (sort_check.c) -> launches (sort_enqueue.c) -> kernels
 * (cl/sort/sort_bitonic.cl, radix_serial.cl, radix_group.cl or sort_onesweep.cl, then
 * sort_gather.cl; segment_short.cl and segment_long.cl) -> event. A plan is made by sort.c. Each of
 * the files uses only those above it: sort_shape.c    how a problem is laid out on a device
 *   sort_check.c    descriptors and calls, before any side effect
 *   sort_zeros.c    zeros of both signs that are equal
 *   sort_gather.c   values that do not travel with the keys
 *   sort_kernels.c  what is compiled for problem and shape
 *   sort_segments.c launches of a segmented sort
 *   sort_enqueue.c  launches
 *   sort.c          the public calls */
#ifndef XLI_SORT_PLAN_H
#define XLI_SORT_PLAN_H

#include "sort_check.h"
#include "wrap.h"

typedef struct xli_sort_kernels {
    xli_kernel tiles, merge; /* bitonic */
    /* By samples, of either size. */
    xli_kernel sample_runs[XLI_SAMPLE_SIZES], sample_rank[XLI_SAMPLE_SIZES],
        sample_merge[XLI_SAMPLE_SIZES];
    xli_kernel bits, begin, count, offsets, scatter, end; /* radix, by chunks */
    xli_kernel alone, sample, bucket_count, bucket_starts, bucket_scatter, buckets; /* on CPUs */
    /* Radix, a launch a pass, of either size. */
    xli_kernel clear[XLI_RADIX_SIZES], histogram[XLI_RADIX_SIZES], sweep[XLI_RADIX_SIZES];
    xli_kernel places, rows, packed, long_tiles, long_merge, long_all; /* segments */
} xli_sort_kernels;

typedef struct xli_sort_gather {
    xli_kernel gather, copy;
} xli_sort_gather;

typedef struct xli_sort_zeros {
    xli_kernel merge, copy;
} xli_sort_zeros;

typedef struct xli_sort_plan xli_sort_plan;
struct xli_sort_plan {
    xl_context *ctx;
    xli_sort_problem problem;
    xli_sort_shape shape;
    xli_sort_kernels kernels;
    xli_sort_zeros zeros;
    xli_sort_gather gather[XLI_SORT_ARRAYS]; /* of each array that is gathered */
    xli_pool pool;
};

/* The values that kernels are given to read. Where they make them that is any buffer: they do not.
 */
static inline const xli_span *xli_sort_read_values(const xli_sort_plan *plan,
                                                   const xli_sort_spans *s)
{
    return plan->problem.indices ? &s->values_out : &s->values_in;
}

/* Whether short segments are sorted in rows first, which leave few windows
 * (cl/sort/segment_rows.cl).
 */
static inline bool xli_sort_has_rows(const xli_sort_plan *plan)
{
    return plan->shape.tune.shape == XLI_SORT_GROUP && !plan->problem.compares;
}

/* Where the last launch leaves the keys: in no array, where nobody asked for them. */
static inline xli_span xli_sort_last_keys(const xli_sort_plan *plan, const xli_sort_spans *s)
{
    return xli_sort_drops_keys(&plan->problem) ? (xli_span){0} : s->keys_out;
}

/* A number of keys, as kernels of radix sorts and of gathers take it. */
static inline xli_arg xli_sort_number(const xli_sort_plan *plan, size_t n)
{
    return plan->problem.large ? XLI_U64(n) : XLI_U32(n);
}

/* Where in the scratch's buffer the keys begin, in keys, and the values. */
static inline size_t xli_sort_spare_keys(const xli_sort_plan *plan, const xli_span *scratch)
{
    return xli_ceil_div(scratch->offset, xli_sort_key_bytes(&plan->problem));
}

static inline size_t xli_sort_spare_values(const xli_sort_layout *layout, const xli_span *scratch)
{
    return (scratch->offset + layout->values_at) / sizeof(cl_uint);
}

/* ---- sort_zeros.c -------------------------------------------------------- */

xl_status xli_sort_zeros_build(xli_sort_plan *plan);
void xli_sort_zeros_drop(xli_sort_plan *plan);

/* What follows a sort with equal zeros whose values, in spans->values_out, are the places of the
 * keys; of other sorts nothing. */
xl_status xli_sort_zeros_launch(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                const xli_sort_spans *spans, const xli_span *scratch);

/* ---- sort_gather.c -------------------------------------------------------- */

xl_status xli_sort_gather_build(xli_sort_plan *plan);
void xli_sort_gather_drop(xli_sort_plan *plan);

/* What follows a sort whose values, in spans->values_out, are the places of the keys. */
xl_status xli_sort_gather_launch(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                 const xli_sort_spans *spans, const xli_span *scratch);

/* ---- sort_kernels.c -------------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *limits: the work-items that they allow a group; if
 * that is what the shape has or more, all is well. */
xl_status xli_sort_build(xli_sort_plan *plan, xli_sort_limits *limits);
void xli_sort_drop_kernels(xli_sort_plan *plan);

/* ---- sort_segments.c ------------------------------------------------------- */

/* The launches of a call of n > 0 elements in segments. */
xl_status xli_sort_launch_segments(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                   const xli_sort_spans *spans, const xli_span *scratch);

/* ---- sort_enqueue.c -------------------------------------------------------- */

/* The launches of a call of n > 0 elements. Where places, or the keys in order, are in scratch,
 * that is filled into the spans. */
xl_status xli_sort_launch(xli_sort_plan *plan, xli_seq *seq, size_t n, xli_sort_spans *spans,
                          const xli_span *scratch);

XLI_DECLARE(sort)
xl_status xli_sort_scratch(const xli_sort_plan *plan, size_t n, size_t *bytes, size_t *alignment);
xl_status xli_sort_enqueue(xli_sort_plan *plan, cl_command_queue queue, const xl_sort_args *args,
                           size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif
