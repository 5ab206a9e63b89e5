/* SPDX-License-Identifier: MIT
 * A search for nearest neighbours inside: problem, shape and kernel.
 *
 * A call walks: check (knn_check.c) -> launch (knn_enqueue.c) -> kernel (cl/knn/knn.cl) -> event. A
 * plan is made by knn.c. Each of the files uses only those above it:
 *     knn_shape.c    how a problem is laid out on a device
 *     knn_check.c    descriptors and calls, before any side effect
 *     knn_enqueue.c  the call
 *     knn_status.c   what became of its rows
 *     knn.c          plans */
#ifndef XLI_KNN_PLAN_H
#define XLI_KNN_PLAN_H

#include "grid_index.h"
#include "wrap.h"

#include <crosslane/knn.h>

/* A list is kept in registers. */
#define XLI_KNN_MOST 64

/* A checked descriptor. */
typedef struct xli_knn_problem {
    uint32_t k, dimensions, query_stride, scalar;
    bool given, keeps_self;
    bool soa; /* given queries have an array for each axis */
    bool batch;
    xl_repeats repeats;
    float radius2;      /* an infinity: none */
    double radius2_f64; /* the same with XL_F64 */
} xli_knn_problem;

typedef struct xli_knn_shape {
    uint32_t group, items; /* work-items of a group, queries of a work-item */
    uint32_t aim;          /* points that the first reach is to hold, in hundredths of k */
    uint32_t planes;       /* grid.planes: that of the indices that it takes */
    uint32_t most_rounds;  /* of all loops of a query; 0: any number */
} xli_knn_shape;

typedef struct xli_knn_plan xli_knn_plan;
struct xli_knn_plan {
    xl_context *ctx;
    xli_knn_problem problem;
    xli_knn_shape shape;
    xli_kernel search;
    xli_kernel check; /* of rows that were written */
};

/* knn_shape.c: a pure function of device and tuning values. */
xli_knn_shape xli_knn_shape_of(const xli_tune_device *device, const xli_tune *tune);

/* knn_check.c */
xl_status xli_knn_check_desc(xl_context *ctx, const xl_knn_desc *desc);
/* That the plan may search that index. */
xl_status xli_knn_check_index(const xli_knn_plan *plan, const xl_grid_index *index);

/* The arrays of one call, as spans. */
typedef struct xli_knn_spans {
    xli_span queries[3], query_systems, indices, distances2;
} xli_knn_spans;
/* *n: the number of queries. args->num_rows becomes that of the rows that there are to be. */
xl_status xli_knn_check_views(const xli_knn_plan *plan, const xl_grid_index *index,
                              xl_knn_args *args, size_t *n, xli_knn_spans *spans);

XLI_DECLARE(knn)
xl_status xli_knn_scratch(const xli_knn_plan *plan, size_t n, size_t *bytes, size_t *alignment);
xl_status xli_knn_enqueue(xli_knn_plan *plan, xl_grid_index *index, cl_command_queue queue,
                          const xl_knn_args *args, size_t size, cl_uint num_waits,
                          const cl_event *waits, cl_event *event);
xl_status xli_knn_status(xli_knn_plan *plan, xl_grid_index *index, cl_command_queue queue,
                         const xl_knn_status_args *args, size_t size, xl_knn_report *report,
                         size_t report_size, cl_uint num_waits, const cl_event *waits);

#endif
