/* SPDX-License-Identifier: MIT
 * An approximate search for nearest neighbours inside: problem, shape and kernels, and the plans of
 * the primitives that it calls.
 *
 * A call walks: check -> for each shift codes, sort and search through their public calls, and a
 * launch of cl/knn_approximate/knn_approximate.cl -> event. Each of the files uses only those above
 * it:
 *     knn_approximate_shape.c    how a problem is laid out, on a device and in the scratch
 *     knn_approximate_check.c    descriptors and calls, before any side effect
 *     knn_approximate_enqueue.c  the call
 *     knn_approximate.c          plans */
#ifndef XLI_KNN_APPROXIMATE_PLAN_H
#define XLI_KNN_APPROXIMATE_PLAN_H

#include "wrap.h"

#include <crosslane/knn_approximate.h>
#include <crosslane/morton.h>
#include <crosslane/search.h>
#include <crosslane/sort.h>

/* A list is kept in registers. */
#define XLI_KNN_APPROXIMATE_MOST 64
#define XLI_KNN_APPROXIMATE_SHIFTS 32
/* Corners of boxes, so that those of shifted ones are finite, too. */
#define XLI_KNN_APPROXIMATE_BEYOND 0x1p125f

typedef struct xli_box {
    float lower[3], upper[3];
} xli_box;

/* A checked descriptor. */
typedef struct xli_knn_approximate_problem {
    uint32_t k, shifts, dimensions, stride, query_stride;
    bool given, keeps_self;
    xl_type code;
    xli_box box;
} xli_knn_approximate_problem;

/* Where the parts of the scratch begin, in bytes. */
typedef struct xli_knn_approximate_layout {
    size_t codes, packed, sorted, query_codes, afters, nested, bytes;
} xli_knn_approximate_layout;

/* Plans of one shift: codes of the points, and of given queries. */
typedef struct xli_knn_approximate_shift {
    xl_plan *points, *queries;
} xli_knn_approximate_shift;

typedef struct xli_knn_approximate_plan xli_knn_approximate_plan;
struct xli_knn_approximate_plan {
    xl_context *ctx;
    xli_knn_approximate_problem problem;
    uint32_t group; /* work-items */
    xli_kernel pack, search;
    xl_plan *sort;
    xl_plan *places; /* of given queries; or NULL */
    xli_knn_approximate_shift shifts[XLI_KNN_APPROXIMATE_SHIFTS];
    xli_pool pool;
};

/* knn_approximate_shape.c: pure functions. */
xli_knn_approximate_problem xli_knn_approximate_problem_of(const xl_knn_approximate_desc *desc);
/* The box of which a shift's codes are: the points are in it, farther from its lower corner the
 * later the shift. Its cells are those of every other shift, moved. */
xli_box xli_knn_approximate_box(const xli_knn_approximate_problem *problem, uint32_t shift);
xli_knn_approximate_layout xli_knn_approximate_layout_of(const xli_knn_approximate_problem *problem,
                                                         size_t n, size_t num_queries,
                                                         size_t nested_bytes);

/* knn_approximate_check.c */
xl_status xli_knn_approximate_check_desc(xl_context *ctx, const xl_knn_approximate_desc *desc);
xl_status xli_knn_approximate_check_n(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries);

/* The arrays of one call, as spans. */
typedef struct xli_knn_approximate_spans {
    xli_span points, queries, indices, distances2;
} xli_knn_approximate_spans;
/* args->num_rows becomes that of the rows that there are to be. */
xl_status xli_knn_approximate_check_views(const xli_knn_approximate_plan *plan,
                                          xl_knn_approximate_args *args,
                                          xli_knn_approximate_spans *spans);
xl_status xli_knn_approximate_check_scratch(const xli_knn_approximate_plan *plan,
                                            const xli_knn_approximate_spans *spans,
                                            const xli_span *scratch);

/* knn_approximate_enqueue.c */
xl_status xli_knn_approximate_lay_out(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries, xli_knn_approximate_layout *layout);

XLI_DECLARE(knn_approximate)
xl_status xli_knn_approximate_scratch(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries, size_t *bytes, size_t *alignment);
xl_status xli_knn_approximate_enqueue(xli_knn_approximate_plan *plan, cl_command_queue queue,
                                      const xl_knn_approximate_args *args, size_t size,
                                      cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif
