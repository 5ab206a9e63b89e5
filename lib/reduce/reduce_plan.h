/* SPDX-License-Identifier: MIT
 * The plan of a reduction. A call goes from reduce.c (arrays) to reduce_enqueue.c (launches) and to
 * kernels in cl/reduce. Each file uses only those above it:
 *     reduce_shape.c    how a problem is laid out on a device, and how calls are cut into chunks
 *     reduce_check.c    checks of descriptors, and the number of results
 *     reduce_counter.c  counters by which a single launch counts its work-groups
 *     reduce_enqueue.c  launches
 *     reduce.c          the kernels of problem and shape, and the primitive's table */
#ifndef XLI_REDUCE_PLAN_H
#define XLI_REDUCE_PLAN_H

#include "reduce_shape.h"

#include <crosslane/reduce.h>

typedef struct xli_reduce_kernels {
    xli_kernel count; /* flags, bits and keys */
    xli_kernel upsweep;
    xli_kernel fix_up;
} xli_reduce_kernels;

/* Counters for calls with the caller's scratch, each for one in-order queue. */
enum { XLI_REDUCE_COUNTERS = 32 };
typedef struct xli_reduce_counters {
    cl_mem buffer;   /* of zeros; NULL if the plan makes no single launches */
    xli_mutex *lock; /* guards the fields below */
    size_t used;
    cl_command_queue queues[XLI_REDUCE_COUNTERS]; /* to compare with, not to use */
} xli_reduce_counters;

typedef struct xli_reduce_plan {
    xl_plan base;
    xli_problem problem;
    xli_reduce_shape shape;
    xli_reduce_kernels kernels;
    xli_init init;
    xli_reduce_counters counters;
} xli_reduce_plan;

/* The arrays of a call, behind XLI_OUT. */
enum { XLI_REDUCE_KEYS = XLI_SHARED_ARRAYS, XLI_REDUCE_COUNT, XLI_REDUCE_ARRAYS };

/* ---- reduce_check.c ------------------------------------------------------- */

/* Resolves a descriptor. *scan: the inclusive scan of the same elements, whose last ones the
 * reduction keeps. */
xl_status xli_reduce_check(const xl_context *ctx, const xl_reduce_desc *desc,
                           const xli_capabilities *capabilities, xl_scan_desc *scan,
                           xli_problem *problem);

/* The arguments that a call has in common with that scan. */
xl_scan_args xli_reduce_scan_args(const xl_reduce_args *args);

/* Segments by CSR offsets; 0 for all others. */
size_t xli_reduce_segments(const xli_problem *problem, const xl_reduce_args *args);

/* Results that `out` must hold, or may receive. */
size_t xli_reduce_results(const xli_problem *problem, const xl_reduce_args *args);

/* ---- reduce_counter.c ----------------------------------------------------- */

/* The counter of one call; no buffer: the call takes two launches. */
typedef struct xli_reduce_counter {
    cl_mem buffer;
    size_t offset; /* 32-bit words */
} xli_reduce_counter;

/* Makes the plan's counters, and prepares its own scratch, which begins with one. */
xl_status xli_reduce_make_counters(xli_reduce_plan *plan);
void xli_reduce_drop_counters(xli_reduce_plan *plan);

xli_reduce_counter xli_reduce_take_counter(xli_reduce_plan *plan, const xli_flow *flow);

/* ---- reduce_enqueue.c ----------------------------------------------------- */

xl_status xli_reduce_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                            const xli_span *scratch);

#endif
