/* SPDX-License-Identifier: MIT
 * The plan of a histogram. A call goes from histogram.c (arrays) to histogram_enqueue.c (launches)
 * and cl/histogram/histogram.cl. */
#ifndef XLI_HISTOGRAM_PLAN_H
#define XLI_HISTOGRAM_PLAN_H

#include "histogram_shape.h"
#include "primitive.h"

typedef struct xli_histogram_plan {
    xl_plan base;
    xli_histogram_problem problem;
    xli_histogram_shape shape;
    xli_kernel clear, count;
    xli_kernel exponents, finish; /* XLI_ADDS_STEPS */
} xli_histogram_plan;

/* The arrays of a call. */
enum {
    XLI_HISTOGRAM_N_DEVICE,
    XLI_HISTOGRAM_IN,
    XLI_HISTOGRAM_LEVELS,
    XLI_HISTOGRAM_WEIGHTS,
    XLI_HISTOGRAM_BINS,
    XLI_HISTOGRAM_ARRAYS
};

/* histogram_check.c: checks a descriptor, and then resolves it for a device. */
xl_status xli_histogram_check(xl_context *ctx, const void *desc);
xl_status xli_histogram_resolve(const xl_context *ctx, const xl_histogram_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_histogram_problem *problem);

/* histogram_kernels.c: compiles the kernels of the plan's shape. *most: the work-items that they
 * allow in a group. */
xl_status xli_histogram_build(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                              const xli_capabilities *capabilities, size_t *most);
void xli_histogram_drop_kernels(xli_histogram_plan *plan);

/* histogram_enqueue.c: scratch, for XLI_ADDS_STEPS, holds the sum of each bin in steps, then the
 * greatest exponent of each bin. */
size_t xli_histogram_scratch_bytes(const xl_plan *plan, const void *args);
xl_status xli_histogram_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                               const xli_span *scratch);

#endif
