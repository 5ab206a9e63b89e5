/* SPDX-License-Identifier: MIT
 * A transform inside: problem, shape and kernels.
 *
 * A call walks: check (transform_check.c) -> launches (transform_enqueue.c) -> kernels
 * (cl/transform) -> event. A plan is made by transform.c. Each of the files uses only those above
 * it:
 *     transform_shape.c    how a problem is laid out on a device
 *     transform_check.c    descriptors and calls, before any side effect
 *     transform_kernels.c  what is compiled for problem and shape
 *     transform_enqueue.c  launches
 *     transform.c          the public calls */
#ifndef XLI_TRANSFORM_PLAN_H
#define XLI_TRANSFORM_PLAN_H

#include "transform_shape.h"
#include "wrap.h"

typedef struct xli_transform_plan xli_transform_plan;
struct xli_transform_plan {
    xl_context *ctx;
    xli_transform_problem problem;
    xli_transform_shape shape;
    xli_kernel run[XL_TRANSFORM_ARRAYS]; /* moves: one for each array; else the first */
    xli_kernel borders;                  /* of neighbours */
    xli_pool pool;
};

/* The arrays of one call, as spans. */
typedef struct xli_transform_spans {
    xli_span n_device, indices, in[XL_TRANSFORM_ARRAYS], out[XL_TRANSFORM_ARRAYS];
    bool in_place; /* out[0] is in[0] */
    xli_param_values params;
} xli_transform_spans;

/* ---- transform_check.c ----------------------------------------------------- */

/* Resolves a descriptor; texts stay the caller's. */
xl_status xli_transform_resolve(const xl_context *ctx, const xl_transform_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_transform_problem *problem);

/* Checks the views, and that only those overlap that may. */
xl_status xli_transform_check_views(const xl_context *ctx, const xli_transform_problem *problem,
                                    const xl_transform_args *args, xli_transform_spans *spans);
/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_transform_check_scratch(const xl_context *ctx, const xli_transform_spans *spans,
                                      const xli_span *scratch);

/* ---- transform_kernels.c --------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group. */
xl_status xli_transform_build(xli_transform_plan *plan, const xl_transform_desc *desc,
                              const xli_capabilities *capabilities, size_t *most);
void xli_transform_drop_kernels(xli_transform_plan *plan);

/* ---- transform_enqueue.c --------------------------------------------------- */

/* The launches of a call of n > 0 elements. */
xl_status xli_transform_launch(xli_transform_plan *plan, xli_seq *seq,
                               const xl_transform_args *args, const xli_transform_spans *spans,
                               const xli_span *scratch);

XLI_DECLARE(transform)
xl_status xli_transform_scratch(const xli_transform_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment);
xl_status xli_transform_enqueue(xli_transform_plan *plan, cl_command_queue queue,
                                const xl_transform_args *args, size_t size, cl_uint num_waits,
                                const cl_event *waits, cl_event *event);

#endif
