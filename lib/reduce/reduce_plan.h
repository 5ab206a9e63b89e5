/* SPDX-License-Identifier: MIT
 * A reduction inside: problem, shape and kernels.
 *
 * A call walks: check (reduce_check.c) -> launches (reduce_enqueue.c) -> kernels
 * (cl/reduce/reduce_*.cl) -> event. A plan is made by reduce.c. Each of the files uses only
 * those above it:
 *     reduce_shape.c    how a problem is laid out on a device, and how calls are cut into chunks
 *     reduce_check.c    descriptors and calls, before any side effect
 *     reduce_kernels.c  what is compiled for problem and shape
 *     reduce_counter.c  what a single launch counts its work-groups by
 *     reduce_enqueue.c  launches
 *     reduce.c          the public calls */
#ifndef XLI_REDUCE_PLAN_H
#define XLI_REDUCE_PLAN_H

#include "reduce_shape.h"
#include "wrap.h"

#include <crosslane/reduce.h>

typedef struct xli_reduce_kernels {
    xli_kernel count; /* flags, bits and keys */
    xli_kernel upsweep;
    xli_kernel fix_up;
} xli_reduce_kernels;

/* Counters for calls with the caller's scratch, each for one in-order queue. */
enum { XLI_REDUCE_COUNTERS = 32 };
typedef struct xli_reduce_counters {
    cl_mem buffer;   /* of zeros; NULL where the plan makes no single launches */
    xli_mutex *lock; /* guards what follows */
    size_t used;
    cl_command_queue queues[XLI_REDUCE_COUNTERS]; /* to compare with, not to use */
} xli_reduce_counters;

/* That of one call; no buffer: it takes two launches. */
typedef struct xli_reduce_counter {
    cl_mem buffer;
    size_t offset; /* 32-bit words */
} xli_reduce_counter;

typedef struct xli_reduce_plan xli_reduce_plan;
struct xli_reduce_plan {
    xl_context *ctx;
    xli_problem problem;
    xli_reduce_shape shape;
    xli_reduce_kernels kernels;
    xli_init init;
    xli_pool pool;
    xli_reduce_counters counters;
};

/* ---- reduce_check.c ------------------------------------------------------- */

/* Resolves a descriptor; *scan is the inclusive scan of the same elements, of which a reduction
 * keeps the last ones, for whoever takes a scan's descriptor. */
xl_status xli_reduce_check(const xl_context *ctx, const xl_reduce_desc *desc,
                           const xli_capabilities *capabilities, xl_scan_desc *scan,
                           xli_problem *problem);

/* A call on its way to the device. */
typedef struct xli_reduce_flow {
    xli_flow flow;
    xli_span keys, count;
    size_t results;  /* that `out` must hold, or may get */
    size_t segments; /* of CSR offsets */
    xli_reduce_layout layout;
    xli_reduce_counter counter; /* of a single launch */
} xli_reduce_flow;
/* Fills in what follows from the call's arguments. */
xl_status xli_reduce_check_call(const xl_context *ctx, const xli_problem *problem,
                                const xl_reduce_args *call, xli_reduce_flow *f);

/* ---- reduce_kernels.c ----------------------------------------------------- */

/* Builds the kernels for problem and shape, in place of what is there; *most is the least of
 * their own limits of work-items of a group. */
xl_status xli_reduce_build(xli_reduce_plan *plan, const xl_scan_desc *scan,
                           const xli_capabilities *capabilities, size_t *most);
void xli_reduce_drop_kernels(xli_reduce_plan *plan);

/* ---- reduce_counter.c ----------------------------------------------------- */

/* Settles the pool's zeros, too; before the first call. */
xl_status xli_reduce_make_counters(xli_reduce_plan *plan);
void xli_reduce_drop_counters(xli_reduce_plan *plan);

/* For a call with its scratch. */
xli_reduce_counter xli_reduce_take_counter(xli_reduce_plan *plan, const xli_flow *flow);

/* ---- reduce_enqueue.c ----------------------------------------------------- */

xl_status xli_reduce_enqueue(xli_reduce_plan *plan, cl_command_queue queue,
                             const xl_reduce_args *call, cl_uint num_waits, const cl_event *waits,
                             cl_event *event);

XLI_DECLARE(reduce)
xl_status xli_reduce_scratch(const xli_reduce_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment);
xl_status xli_reduce_call(xli_reduce_plan *plan, cl_command_queue queue, const xl_reduce_args *args,
                          size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif
