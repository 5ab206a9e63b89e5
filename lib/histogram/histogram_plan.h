/* SPDX-License-Identifier: MIT
 * A histogram inside: problem, shape and kernels.
 *
 * A call walks: check (histogram_check.c) -> launches (histogram_enqueue.c) -> kernels
 * (cl/histogram/histogram.cl) -> event. A plan is made by histogram.c. Each of the files uses only
 * those above it:
 *     histogram_shape.c    how a problem is laid out on a device
 *     histogram_check.c    descriptors and calls, before any side effect
 *     histogram_kernels.c  what is compiled for problem and shape
 *     histogram_enqueue.c  launches
 *     histogram.c          the public calls */
#ifndef XLI_HISTOGRAM_PLAN_H
#define XLI_HISTOGRAM_PLAN_H

#include "histogram_shape.h"
#include "wrap.h"

typedef struct xli_histogram_plan xli_histogram_plan;
struct xli_histogram_plan {
    xl_context *ctx;
    xli_histogram_problem problem;
    xli_histogram_shape shape;
    xli_kernel clear, count;
};

/* The arrays of one call, as spans. */
typedef struct xli_histogram_spans {
    xli_span n_device, in, levels, bins;
    xli_param_values params;
} xli_histogram_spans;

/* ---- histogram_check.c ----------------------------------------------------- */

/* Resolves a descriptor; texts stay the caller's. */
xl_status xli_histogram_resolve(const xl_context *ctx, const xl_histogram_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_histogram_problem *problem);

/* Checks the views, and that the bins overlap nothing. */
xl_status xli_histogram_check_views(const xl_context *ctx, const xli_histogram_problem *problem,
                                    const xl_histogram_args *args, xli_histogram_spans *spans);

/* ---- histogram_kernels.c --------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group. */
xl_status xli_histogram_build(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                              const xli_capabilities *capabilities, size_t *most);
void xli_histogram_drop_kernels(xli_histogram_plan *plan);

/* ---- histogram_enqueue.c --------------------------------------------------- */

xl_status xli_histogram_launch(xli_histogram_plan *plan, xli_seq *seq, size_t n,
                               const xli_histogram_spans *spans);

XLI_DECLARE(histogram)
xl_status xli_histogram_scratch(const xli_histogram_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment);
xl_status xli_histogram_enqueue(xli_histogram_plan *plan, cl_command_queue queue,
                                const xl_histogram_args *args, size_t size, cl_uint num_waits,
                                const cl_event *waits, cl_event *event);

#endif
