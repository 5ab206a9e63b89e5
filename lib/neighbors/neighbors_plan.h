/* SPDX-License-Identifier: MIT
 * What the files of a neighbour search share: its plan. */
#ifndef XLI_NEIGHBORS_PLAN_H
#define XLI_NEIGHBORS_PLAN_H

#include "grid_index.h"
#include "wrap.h"

#include <crosslane/neighbors.h>

typedef struct xli_neighbors_plan xli_neighbors_plan;
struct xli_neighbors_plan {
    xl_context *ctx;
    /* Of one scalar: the other's are 0. `reach` is the radius and what rounding may add to it. */
    float radius, radius2, reach;
    double radius_f64, radius2_f64, reach_f64;
    uint32_t scalar;
    bool soa; /* given queries have an array for each axis */
    bool batch;
    bool visits;
    xl_repeats repeats;
    bool radii, given;     /* as the descriptor has it: queries are given */
    bool has_details;      /* fills may give more than indices */
    uint32_t row_capacity; /* 0: rows follow each other */
    uint32_t dimensions, query_stride;
    bool ends_loops; /* the device: see xli_capabilities */
    xli_tune_neighbors tune;
    uint32_t together; /* queries that a work-item counts or visits at a time */
    uint32_t planes;   /* grid.planes: that of the indices that it takes */
    xl_plan *scan;     /* of u64 */
    xli_kernel count, fill, visit, details;
    xli_kernel total;   /* where the device ends loops */
    xli_kernel check;   /* of given queries */
    xli_kernel longest; /* row, with row_capacity */
    xli_pool pool;
};

/* A pair is taken by its rounded square distance, so its true distance along an
 * axis may exceed the radius by some units of 2^-24: squaring, comparing with a
 * rounded square, and the subtraction round once each. 2^-19 is beyond all. */
static inline float xli_neighbors_reach(float radius)
{
    return (float)((double)radius * (1.0 + 0x1p-19));
}

/* Likewise of some units of 2^-53. */
static inline double xli_neighbors_reach_f64(double radius)
{
    return radius * (1.0 + 0x1p-48);
}

/* Queries of a call, as its arguments have them. */
typedef struct xli_near_given {
    size_t num_queries;
    xl_view queries, queries_y, queries_z, radii, query_systems;
} xli_near_given;
#define XLI_NEAR_GIVEN(args)                                                                       \
    (&(xli_near_given){(args)->num_queries, (args)->queries, (args)->queries_y, (args)->queries_z, \
                       (args)->radii, (args)->query_systems})

/* One call of a search plan. */
typedef struct xli_search {
    xli_neighbors_plan *plan;
    xl_grid_index *index;
    xli_seq seq;
    cl_command_queue queue;     /* of calls that read */
    size_t n;                   /* queries */
    xli_span queries[3], radii; /* of x, y and z, or all in the first */
    xli_span query_systems;
} xli_search;

/* neighbors_check.c */
xl_status xli_neighbors_check_desc(xl_context *ctx, const xl_neighbors_desc *desc);

/* neighbors_search.c: what every call checks first. */
xl_status xli_near_begin(xli_search *s, xli_neighbors_plan *plan, xl_grid_index *index,
                         cl_command_queue queue, cl_uint num_waits, const cl_event *waits,
                         cl_event *event);
/* The queries and their radii, as the plan has them. */
xl_status xli_near_queries(xli_search *s, const xli_near_given *given);
/* What is written shares no byte with anything else. */
xl_status xli_near_apart(const xli_search *s, const xli_span *spans, size_t num_spans);
/* neighbors_fill.c: fields of a call that belong to the other form of list than the plan's. */
xl_status xli_near_form(const xli_search *s, uint64_t capacity, xl_view offsets, xl_view counts);
/* neighbors_search.c: launches a search over the queries: the arguments that all share, and these.
 */
enum { XLI_NEAR_SHARED_ARGS = XLI_GRID_INDEX_ARGS + 12, XLI_NEAR_OWN_ARGS = 15 }; /* at most */
xl_status xli_near_launch(xli_search *s, xli_kernel *kernel, const xli_arg *own, size_t num_own);

XLI_DECLARE(neighbors)
xl_status xli_neighbors_scratch(const xli_neighbors_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment);
xl_status xli_neighbors_count_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                      cl_command_queue queue, const xl_neighbors_count_args *args,
                                      size_t size, cl_uint num_waits, const cl_event *waits,
                                      cl_event *event);
xl_status xli_neighbors_fill_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                     cl_command_queue queue, const xl_neighbors_fill_args *args,
                                     size_t size, cl_uint num_waits, const cl_event *waits,
                                     cl_event *event);
xl_status xli_neighbors_visit_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                      cl_command_queue queue, const xl_neighbors_visit_args *args,
                                      size_t size, cl_uint num_waits, const cl_event *waits,
                                      cl_event *event);
xl_status xli_neighbors_status(xli_neighbors_plan *plan, xl_grid_index *index,
                               cl_command_queue queue, const xl_neighbors_status_args *args,
                               size_t size, xl_neighbors_report *report, size_t report_size,
                               cl_uint num_waits, const cl_event *waits);

#endif
