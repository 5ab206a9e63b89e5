/* SPDX-License-Identifier: MIT
 * The plan of a search within a radius. neighbors.c makes it, and neighbors_programs.c its
 * programs. Its calls are in neighbors_enqueue.c and neighbors_status.c, which share
 * neighbors_search.c. neighbors_radii.c has the radii of pairs. neighbors_kernel.c binds an index
 * to a user's kernel. */
#ifndef XLI_NEIGHBORS_PLAN_H
#define XLI_NEIGHBORS_PLAN_H

#include "grid_index.h"
#include "grid_sums.h"

#include <crosslane/neighbors.h>

typedef struct xli_neighbors_plan {
    xl_plan base;
    double radius, radius2, reach; /* the largest radius, rounded to the scalar; reach: with a
                                      margin for rounding */
    xli_search_form form;
    bool inclusive, half, includes_self, sorted;
    bool visits, has_details;  /* has_details: fills may give more than indices */
    uint32_t row_capacity;     /* 0: CSR rows */
    bool keeps_nearest;        /* of rows that are too long */
    uint32_t radii, num_types; /* xl_neighbors_radii */
    cl_mem table;              /* XL_RADII_TYPES: squares, as in cl/neighbors/neighbors_pair.cl */
    xli_tune_neighbors tune;
    uint32_t together; /* queries that a work-item counts or visits at a time */
    xli_sums sums;
    xli_parts parts; /* one: the program of lists */
    xli_kernel count, fill, visit, details;
    xli_kernel check;   /* of given queries */
    xli_kernel longest; /* row, with row_capacity */
} xli_neighbors_plan;

extern const xli_primitive *const xli_neighbors_primitive; /* neighbors.c */

/* Pairs are compared by their rounded square distance. So the true distance along an axis may
 * exceed the radius by some units of 2^-24: the subtraction and both squares round once each. 2^-19
 * is more than all of that. */
static inline float xli_neighbors_reach(float radius)
{
    return (float)((double)radius * (1.0 + 0x1p-19));
}

/* Likewise some units of 2^-53. */
static inline double xli_neighbors_reach_f64(double radius)
{
    return radius * (1.0 + 0x1p-48);
}

/* neighbors_programs.c. xli_near_build_visits() builds the program of sums by the user's function.
 * xli_near_build_lists() builds that of counts and lists, unless an earlier call did.
 * xli_near_prepare() builds the programs of a call; `args` begins with the call's arguments. */
xl_status xli_near_build_visits(xli_neighbors_plan *plan, const char *visit);
xl_status xli_near_build_lists(xli_neighbors_plan *plan);
xl_status xli_near_prepare(xl_plan *base, const void *args, const xli_span *spans);

/* neighbors.c: scratch of a count of n rows with offsets. SIZE_MAX: more than can be counted. */
size_t xli_neighbors_scratch_bytes(const xli_neighbors_plan *plan, size_t n);

/* ---- neighbors_radii.c ----------------------------------------------------------------------- */

/* Checks radii, num_types, pair_radii, radius and half. *most: the largest radius. */
xl_status xli_near_read_radii(xl_context *ctx, const xli_search_form *form,
                              const xl_neighbors_desc *desc, double *most);
/* Makes the table of a checked descriptor; none without types. */
xl_status xli_near_make_table(xli_neighbors_plan *plan, const xl_neighbors_desc *desc);
/* Lists the arrays from XLI_NEAR_RADII to XLI_NEAR_POINT_TYPES, of n queries. */
void xli_near_list_radii(const xli_neighbors_plan *plan, size_t n, size_t points,
                         const xl_neighbors_args *args, xli_array *arrays);
/* Adds XL_RADII_PARAMETERS of cl/neighbors/neighbors_ranges.cl. */
void xli_near_add_radii(const xli_neighbors_plan *plan, const xli_span *spans, xli_args *args);

/* ---- neighbors_search.c: shared by all calls ------------------------------------------------- */

/* The arrays that all calls have come first: those of queries, radii and types, and where rows
 * begin or how long they are. */
enum {
    XLI_NEAR_RADII = XLI_QUERIES_ARRAYS,
    XLI_NEAR_POINT_RADII,
    XLI_NEAR_TYPES,
    XLI_NEAR_POINT_TYPES,
    XLI_NEAR_COUNTS,
    XLI_NEAR_OFFSETS,
    XLI_NEAR_ROWS /* the number of them */
};

typedef struct xli_near_call {
    xl_neighbors_args args;
    xl_grid_index *index;
    uint32_t only; /* the one step of the call; 0: those whose outputs are given */
} xli_near_call;

/* Whether a call gives counts or offsets, and whether it gives a list. */
static inline bool xli_near_gives_counts(const xl_neighbors_args *args)
{
    return args->counts.buffer || args->offsets.buffer;
}
static inline bool xli_near_gives_list(const xl_neighbors_args *args)
{
    return args->indices.buffer || args->distances2.buffer || args->vectors.buffer ||
           args->shifts.buffer;
}

/* The queries of a checked call, and the rows that it makes or reads. */
static inline size_t xli_near_queries(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    return xli_grid_num_queries(&plan->form, call->index, call->args.num_queries);
}
static inline size_t xli_near_num_rows(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    return xli_rows_of(xli_near_queries(plan, call), call->args.first_row, call->args.num_rows);
}

/* Checks the index and the number of queries; and the part of the rows and the capacity. */
xl_status xli_near_check(const xli_neighbors_plan *plan, const xli_near_call *call);
xl_status xli_near_check_rows(const xli_neighbors_plan *plan, const xli_near_call *call);
/* Lists the arrays before XLI_NEAR_COUNTS. */
void xli_near_list(const xli_neighbors_plan *plan, const xli_near_call *call, xli_array *arrays);
/* Lists XLI_NEAR_COUNTS and XLI_NEAR_OFFSETS of a list that exists: one of them is unused. */
void xli_near_list_rows(const xli_neighbors_plan *plan, const xli_near_call *call, xl_view counts,
                        xli_access of_counts, xli_array *arrays);

/* Launches a search over the queries. Its arguments are those that all searches share, and then
 * these. */
typedef struct xli_search {
    xli_neighbors_plan *plan;
    xl_grid_index *index;
    xli_seq *seq;
    size_t n; /* queries */
    const xli_span *spans;
} xli_search;
enum { XLI_NEAR_SHARED_ARGS = XLI_GRID_INDEX_ARGS + 15, XLI_NEAR_OWN_ARGS = 15 }; /* at most */
/* Adds the storage, XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of
 * cl/neighbors/neighbors_ranges.cl, which all searches share. */
void xli_near_add_shared(const xli_search *s, xli_args *args);
xl_status xli_near_launch(const xli_search *s, xli_kernel *kernel, const xli_arg *own,
                          size_t num_own);

#endif
