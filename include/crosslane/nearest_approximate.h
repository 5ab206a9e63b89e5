/* SPDX-License-Identifier: MIT
 * Approximate search for the k nearest points, without an index. A row may lack some of the
 * nearest points, but each distance is exact. The 8 nearest of each of n points in the unit cube:
 *
 *     xl_nearest_approximate_desc desc;
 *     xl_nearest_approximate_desc_init(&desc);
 *     desc.k = 8;
 *     desc.space.cell[0][0] = desc.space.cell[1][1] = desc.space.cell[2][2] = 1;
 *     xl_nearest_approximate_create(ctx, &desc, &plan);
 *     xl_nearest_approximate_enqueue(plan, queue, &(xl_nearest_approximate_args){
 *         .n = n, .points = points, .indices = indices, .distances2 = distances2}, 0, NULL, NULL);
 *
 * The points are sorted by their Morton codes (crosslane/morton.h). The candidates of a query are
 * the k points before it and the k after it. This is repeated with all points shifted, and the k
 * best of all candidates are kept. The time depends on n, k and the shifts, and hardly on where the
 * points are. docs/neighbors.md has figures of how many of the nearest are found;
 * crosslane/nearest.h finds all of them, always.
 *
 * A row is ordered as in crosslane/nearest.h, has no point twice, and is the same on every device.
 *
 * Sources: Li, Simons, Pakaravoor, Abbasinejad, Owens and Amenta, "kANN on the GPU with shifted
 * sorting" (High-Performance Graphics 2012); the shifts: Chan, "Closest-point problems simplified
 * on the RAM" (SODA 2002). */
#ifndef CROSSLANE_NEAREST_APPROXIMATE_H
#define CROSSLANE_NEAREST_APPROXIMATE_H

#include <crosslane/neighbors.h>

/* Start from xl_nearest_approximate_desc_init(), then set k and the box. */
typedef struct xl_nearest_approximate_desc {
    uint32_t version; /* set by xl_nearest_approximate_desc_init() */

    /* The points and the queries. */
    xl_space space;   /* 2 or 3 dimensions, XL_F32, a box that is given (set the cell; the other
                         defaults are right for 3 dimensions), not periodic, one system; from -2^125
                         to 2^125. Points outside have less accurate rows */
    uint32_t stride;  /* scalars from one point to the next, at least space.dimensions; default 3 */
    uint32_t queries; /* xl_neighbors_queries */
    uint32_t query_stride; /* as stride, for given queries */
    uint32_t code; /* xl_type of codes: XL_U64 (default), or XL_U32: faster, and as good if no cell
                      has many points; 512 cells along an axis in 3 dimensions, 32,768 in 2 */

    /* The neighbours. */
    uint32_t k;            /* 1 to 64 */
    uint32_t include_self; /* 1: a point (by its index) is its own neighbour. No effect with
                              XL_QUERIES_GIVEN, where no point is left out */
    uint32_t shifts;       /* orders that are searched, 1 to 32; 0 (default): dimensions + 1. Time
                              is proportional to it, and more find more */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* nearest_approximate.*, sort.* */
} xl_nearest_approximate_desc;

/* The arguments of a call. The number of rows m is num_queries, or n. A view that is left out is
 * not given. Outputs and scratch must not overlap any other view. Inputs are not changed.
 * first_row, num_rows: a part of the rows, as in xl_nearest_args. Each part sorts
 * all points again. */
typedef struct xl_nearest_approximate_args {
    size_t n;           /* points, at most 2^32 - 2 */
    size_t num_queries; /* XL_QUERIES_GIVEN: at most 2^32 - 2; otherwise 0 */
    size_t first_row, num_rows;
    xl_view points;     /* (n - 1) * stride + dimensions f32; the offset is in scalars */
    xl_view queries;    /* XL_QUERIES_GIVEN: (num_queries - 1) * query_stride + dimensions f32.
                           Faster if adjacent queries are close to each other */
    xl_view indices;    /* m * k u32: row i begins at i * k. The device also reads it */
    xl_view distances2; /* m * k f32: square distances. The device also reads it */
    xl_view scratch;    /* not given, or xl_nearest_approximate_scratch() bytes */
} xl_nearest_approximate_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_nearest_approximate_desc_init(desc)                                                     \
    xl_nearest_approximate_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_nearest_approximate_desc_init_version(xl_nearest_approximate_desc *desc,
                                                     uint32_t version);

XL_NODISCARD XL_API xl_status xl_nearest_approximate_create(xl_context *ctx,
                                                            const xl_nearest_approximate_desc *desc,
                                                            xl_plan **plan);

/* Scratch, by n and num_queries: 32 bytes and a code for
 * each point, 4 bytes and a code for each given query, and the scratch of the sort. */
XL_NODISCARD XL_API xl_status xl_nearest_approximate_scratch(
    const xl_plan *plan, const xl_nearest_approximate_args *args, size_t *bytes);

/* If n is at most k, all points are found. A row with fewer than k neighbours
 * ends in UINT32_MAX and INFINITY; so is the whole row of a query that is not finite. A point that
 * is not finite is never a neighbour, but may take the place of a candidate. */
XL_NODISCARD XL_API xl_status xl_nearest_approximate_enqueue(
    xl_plan *plan, cl_command_queue queue, const xl_nearest_approximate_args *args,
    cl_uint num_waits, const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif
