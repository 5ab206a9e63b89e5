/* SPDX-License-Identifier: MIT
 * Morton codes inside: problem, shape and kernel. Each of the files uses only those above it:
 *     morton_shape.c    how a problem is laid out on a device
 *     morton_check.c    descriptors and calls, before any side effect
 *     morton_enqueue.c  the call
 *     morton.c          plans */
#ifndef XLI_MORTON_PLAN_H
#define XLI_MORTON_PLAN_H

#include "runtime.h"

#include <crosslane/morton.h>

/* A checked descriptor. */
typedef struct xli_morton_problem {
    uint32_t dimensions, stride;
    bool wide;
    cl_float4 lower;
    float scale; /* cells in a unit of length, a power of two */
} xli_morton_problem;

typedef struct xli_morton_shape {
    uint32_t group, items; /* work-items of a group, points of a work-item */
} xli_morton_shape;

struct xl_morton {
    xl_context *ctx;
    xli_morton_problem problem;
    xli_morton_shape shape;
    xli_kernel kernel;
};

xli_morton_problem xli_morton_problem_of(const xl_morton_desc *desc);
xli_morton_shape xli_morton_shape_of(const xli_tune_device *device, const xli_tune_morton *tune);

xl_status xli_morton_check_desc(xl_context *ctx, const xl_morton_desc *desc);
xl_status xli_morton_check_n(const xl_morton *plan, size_t n);
xl_status xli_morton_check_views(const xl_morton *plan, const xl_morton_args *args,
                                 xli_span *points, xli_span *codes);

#endif
