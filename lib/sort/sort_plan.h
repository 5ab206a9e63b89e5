/* SPDX-License-Identifier: MIT
 * The plan of a sort, and one call of it.
 *
 * Each file uses only those above it:
 *     sort_shape.c     how a problem is laid out on a device
 *     sort_check.c     descriptors
 *     sort_zeros.c     launches that keep the signs of zeros
 *     sort_gather.c    launches that gather values by the places of their keys
 *     sort_kernels.c   the kernels of a problem and shape
 *     sort_segments.c  launches of a segmented sort
 *     sort_enqueue.c   launches
 *     sort.c           the primitive's table and the public calls
 * Kernels: cl/sort/sort_bitonic.cl, sort_samples.cl, radix_serial.cl, radix_group.cl,
 * sort_onesweep.cl, segment_*.cl, sort_zeros.cl and sort_gather.cl. */
#ifndef XLI_SORT_PLAN_H
#define XLI_SORT_PLAN_H

#include "primitive.h"
#include "sort_shape.h"

typedef struct xli_sort_kernels {
    xli_kernel tiles, merge; /* bitonic */
    /* by samples, in both sizes */
    xli_kernel sample_runs[XLI_SAMPLE_SIZES], sample_rank[XLI_SAMPLE_SIZES],
        sample_merge[XLI_SAMPLE_SIZES];
    xli_kernel bits, begin, count, offsets, scatter, end; /* radix, by chunks */
    xli_kernel alone, sample, bucket_count, bucket_starts, bucket_scatter, buckets; /* on CPUs */
    /* radix, one launch a pass, in both sizes */
    xli_kernel clear[XLI_RADIX_SIZES], histogram[XLI_RADIX_SIZES], sweep[XLI_RADIX_SIZES];
    xli_kernel places, rows, others, long_tiles, long_merge, long_all; /* segments */
} xli_sort_kernels;

typedef struct xli_sort_zeros {
    xli_kernel keep, restore;
} xli_sort_zeros;

/* Kernels that are compiled with the same definitions, and built together. A call of a sort without
 * segments needs one part. */
typedef enum xli_sort_part {
    XLI_SORT_PLAIN, /* bitonic, or segments */
    XLI_SORT_RADIX,
    XLI_SORT_RADIX_SMALL,
    XLI_SORT_PACKED, /* segments: their places; by a comparator, several in a tile */
    XLI_SORT_SAMPLES,
    XLI_SORT_SAMPLES_LARGE,
    XLI_SORT_PARTS
} xli_sort_part;

typedef struct xli_sort_plan {
    xl_plan base;
    xli_sort_problem problem;
    xli_sort_shape shape;
    xli_parts parts;
    uint32_t sub_group[XLI_SORT_PARTS]; /* as xli_sub_group_of(), of the kernels of each part */
    xli_sort_kernels kernels;
    xli_sort_zeros zeros;
    xli_kernel gather[XLI_SORT_VALUES]; /* for each array that is gathered */
} xli_sort_plan;

/* The arrays of a call. */
enum {
    XLI_SORT_N_DEVICE,
    XLI_SORT_KEYS_IN,
    XLI_SORT_VALUES_IN,
    XLI_SORT_SEGMENTS = XLI_SORT_VALUES_IN + XLI_SORT_VALUES,
    XLI_SORT_KEYS_OUT,
    XLI_SORT_VALUES_OUT,
    XLI_SORT_ARRAYS = XLI_SORT_VALUES_OUT + XLI_SORT_VALUES
};

/* A call of n > 0 keys. */
typedef struct xli_sort_call {
    xli_sort_plan *plan;
    xli_seq *seq;
    size_t n;
    const xli_span *given; /* the caller's arrays */
    size_t segment_count;
    const xli_span *scratch;
    xli_sort_layout layout;
    /* Where the sorted keys and the values that travel with them go: the caller's outputs, or
     * scratch if the caller has none for them. */
    xli_span keys_out, values_out;
} xli_sort_call;

/* The values that kernels are given to read. If kernels make the values, they read none, but are
 * given a buffer. */
static inline const xli_span *xli_sort_read_values(const xli_sort_call *c)
{
    return c->plan->problem.indices ? &c->values_out : &c->given[XLI_SORT_VALUES_IN];
}

/* Where the last launch writes the keys: nowhere, if the caller wants values only. */
static inline xli_span xli_sort_last_keys(const xli_sort_call *c)
{
    return c->plan->problem.values_only ? (xli_span){0} : c->keys_out;
}

/* Whether short segments are sorted in rows first, after which few windows remain
 * (cl/sort/segment_rows.cl). */
static inline bool xli_sort_has_rows(const xli_sort_plan *plan)
{
    return plan->shape.tune.shape == XLI_SORT_GROUP && !plan->problem.compares;
}

/* Adds n, in 64 bits for a large sort, and n_device or NULL. */
static inline void xli_sort_add_n(xli_args *args, const xli_sort_call *c)
{
    const xli_span *const n_device = &c->given[XLI_SORT_N_DEVICE];
    xli_args_add(args, c->plan->problem.large ? XLI_U64(c->n) : XLI_U32(c->n));
    xli_args_add(args, XLI_OPTIONAL(n_device->buffer));
    xli_args_add(args, XLI_U64(n_device->offset));
}

/* The first key in the scratch's buffer that belongs to the scratch, as an index of keys, and the
 * first value. */
static inline size_t xli_sort_spare_keys(const xli_sort_call *c)
{
    return xli_ceil_div(c->scratch->offset, xli_sort_key_bytes(&c->plan->problem));
}

static inline size_t xli_sort_spare_values(const xli_sort_call *c)
{
    return (c->scratch->offset + c->layout.values_at) / sizeof(cl_uint);
}

/* ---- sort_check.c ---------------------------------------------------------- */

xl_status xli_sort_check_desc(const xl_context *ctx, const xl_sort_desc *desc);

/* The problem of a checked descriptor. Resolves the type of a key that a comparator orders. */
xl_status xli_sort_problem_of(const xl_context *ctx, const xli_capabilities *capabilities,
                              const xl_sort_desc *desc, xli_sort_problem *problem);

/* ---- sort_zeros.c ---------------------------------------------------------- */

xl_status xli_sort_zeros_build(xli_sort_plan *plan);
void xli_sort_zeros_drop(xli_sort_plan *plan);

/* Before and after a sort with equal zeros, whose values are the places of the keys. Other sorts
 * need nothing. */
xl_status xli_sort_zeros_keep(const xli_sort_call *c);
xl_status xli_sort_zeros_restore(const xli_sort_call *c);

/* ---- sort_gather.c ---------------------------------------------------------- */

xl_status xli_sort_gather_build(xli_sort_plan *plan);
void xli_sort_gather_drop(xli_sort_plan *plan);

/* Follows a sort whose values are the places of the keys. */
xl_status xli_sort_gather_launch(const xli_sort_call *c);

/* ---- sort_kernels.c --------------------------------------------------------- */

/* Bit p: part p has kernels. */
unsigned xli_sort_parts(xli_sort_plan *plan);

/* Compiles the kernels of some parts. XL_ERROR_UNSUPPORTED if one of them allows fewer work-items in
 * a group than the shape has. */
xl_status xli_sort_build(xli_sort_plan *plan, unsigned parts);
void xli_sort_drop_kernels(xli_sort_plan *plan);

/* ---- sort_segments.c --------------------------------------------------------- */

xl_status xli_sort_launch_segments(const xli_sort_call *c);

/* ---- sort_enqueue.c ---------------------------------------------------------- */

xl_status xli_sort_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                          const xli_span *scratch);

#endif
