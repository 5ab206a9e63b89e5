/* SPDX-License-Identifier: MIT
 * The plan of a transform. A call goes from transform.c (arrays) to transform_enqueue.c (launches)
 * and cl/transform. */
#ifndef XLI_TRANSFORM_PLAN_H
#define XLI_TRANSFORM_PLAN_H

#include "primitive.h"
#include "transform_shape.h"

typedef struct xli_transform_plan {
    xl_plan base;
    xli_transform_problem problem;
    xli_transform_shape shape;
    xli_kernel run[XL_TRANSFORM_ARRAYS]; /* gather, scatter: one for each array; else the first */
    xli_kernel borders;                  /* XL_TRANSFORM_ADJACENT */
} xli_transform_plan;

/* The arrays of a call. */
enum {
    XLI_TRANSFORM_N_DEVICE,
    XLI_TRANSFORM_INDICES,
    XLI_TRANSFORM_IN,
    XLI_TRANSFORM_OUT = XLI_TRANSFORM_IN + XL_TRANSFORM_ARRAYS,
    XLI_TRANSFORM_SPANS = XLI_TRANSFORM_OUT + XL_TRANSFORM_ARRAYS
};

static inline bool xli_transform_is_in_place(const xli_span *spans)
{
    return xli_span_is_in_place(&spans[XLI_TRANSFORM_IN], &spans[XLI_TRANSFORM_OUT]);
}

/* transform_check.c: checks a descriptor, and then resolves it for a device. */
xl_status xli_transform_check(xl_context *ctx, const void *desc);
xl_status xli_transform_resolve(const xl_context *ctx, const xl_transform_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_transform_problem *problem);

/* transform_enqueue.c */
xl_status xli_transform_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                               const xli_span *scratch);

#endif
