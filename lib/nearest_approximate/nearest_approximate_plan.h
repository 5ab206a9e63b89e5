/* SPDX-License-Identifier: MIT
 * The plan of an approximate search for nearest neighbours: problem, kernels, and the plans of the
 * primitives that it calls.
 *
 * A call goes from nearest_approximate.c (checks, arrays) to nearest_approximate_enqueue.c. This
 * enqueues for each shift Morton codes, a sort and a search, and launches
 * cl/nearest_approximate/nearest_approximate.cl. */
#ifndef XLI_NEAREST_APPROXIMATE_PLAN_H
#define XLI_NEAREST_APPROXIMATE_PLAN_H

#include "primitive.h"
#include "space_check.h"

#include <crosslane/morton.h>
#include <crosslane/nearest_approximate.h>
#include <crosslane/search.h>
#include <crosslane/sort.h>

/* Most neighbours of a query: a work-item keeps them in registers. */
#define XLI_NEAREST_APPROXIMATE_MOST 64
#define XLI_NEAREST_APPROXIMATE_SHIFTS 32
/* The largest coordinate of a box. Then the corners of shifted boxes are finite, too. */
#define XLI_NEAREST_APPROXIMATE_BEYOND 0x1p125f

typedef struct xli_box {
    float lower[3], upper[3];
} xli_box;

/* A checked descriptor. */
typedef struct xli_nearest_approximate_problem {
    uint32_t k, shifts, dimensions, stride, query_stride;
    bool given, keeps_self;
    xl_type code;
    xli_box box;
} xli_nearest_approximate_problem;

/* Where the parts of the scratch begin, in bytes. */
typedef struct xli_nearest_approximate_layout {
    size_t codes, packed, sorted, query_codes, afters, nested, bytes;
} xli_nearest_approximate_layout;

/* Plans of one shift: codes of the points, and of given queries. */
typedef struct xli_nearest_approximate_shift {
    xl_plan *points, *queries;
} xli_nearest_approximate_shift;

typedef struct xli_nearest_approximate_plan {
    xl_plan base;
    xli_nearest_approximate_problem problem;
    uint32_t group; /* work-items */
    xli_kernel pack, search;
    xl_plan *sort;
    xl_plan *places; /* of given queries; or NULL */
    xli_nearest_approximate_shift shifts[XLI_NEAREST_APPROXIMATE_SHIFTS];
} xli_nearest_approximate_plan;

/* The arrays of a call. */
enum {
    XLI_APPROXIMATE_POINTS,
    XLI_APPROXIMATE_QUERIES,
    XLI_APPROXIMATE_INDICES,
    XLI_APPROXIMATE_DISTANCES2,
    XLI_APPROXIMATE_ARRAYS
};

/* The number of rows that a call with checked sizes makes. */
static inline size_t xli_nearest_approximate_rows(const xli_nearest_approximate_plan *plan,
                                                  const xl_nearest_approximate_args *args)
{
    const size_t all = plan->problem.given ? args->num_queries : args->n;
    return xli_rows_of(all, args->first_row, args->num_rows);
}

/* nearest_approximate_shape.c: pure functions. */
xli_nearest_approximate_problem
xli_nearest_approximate_problem_of(const xl_nearest_approximate_desc *desc);
/* The box of the codes of a shift. It contains all points. The later the shift, the farther the
 * points are from its lower corner. Its cells are those of every other shift, moved. */
xli_box xli_nearest_approximate_box(const xli_nearest_approximate_problem *problem, uint32_t shift);
xli_nearest_approximate_layout
xli_nearest_approximate_layout_of(const xli_nearest_approximate_problem *problem, size_t n,
                                  size_t num_queries, size_t nested_bytes);

/* nearest_approximate_enqueue.c. Layout: its bytes are SIZE_MAX if they cannot be counted. */
xli_nearest_approximate_layout
xli_nearest_approximate_lay_out(const xli_nearest_approximate_plan *plan,
                                const xl_nearest_approximate_args *args);
xl_status xli_nearest_approximate_launch(xl_plan *plan, xli_seq *seq, const void *args,
                                         const xli_span *spans, const xli_span *scratch);

#endif
