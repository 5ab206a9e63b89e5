/* SPDX-License-Identifier: MIT
 * Exact search for the k nearest points, on an index of crosslane/grid.h. The 8 nearest of each
 * point:
 *
 *     xl_nearest_desc desc;
 *     xl_nearest_desc_init(&desc);
 *     desc.k = 8;
 *     xl_nearest_create(grid, &desc, &plan);
 *     xl_nearest_args args = {.indices = indices};
 *     xl_nearest_enqueue(plan, index, queue, &args, 0, NULL, NULL);
 *
 * docs/neighbors.md has more. A row is ordered by
 *     ((dx*dx + dy*dy) + dz*dz, index)
 * in the precision of the points; each operation is rounded once. It is the beginning of what
 * sorting all points gives, for any coordinates, the same on every device. (A device that flushes
 * subnormal numbers does so here too: this shows at distances below 2^-62.) In space that repeats,
 * each image of a point counts separately, with dx as in crosslane/neighbors.h. A point is not its
 * own neighbour, but its images are.
 *
 * Any grid is right. The default, cells of 2 points, is best for k up to 24; for larger k set
 * points_per_cell of xl_grid_desc to k / 12. */
#ifndef CROSSLANE_NEAREST_H
#define CROSSLANE_NEAREST_H

#include <crosslane/neighbors.h>

/* Start from xl_nearest_desc_init(), then set k. The plan has the space, the scalar, the layout
 * and the stride of its grid, for given queries too. "scalar" below is the type of coordinates,
 * space.scalar. */
typedef struct xl_nearest_desc {
    uint32_t version; /* set by xl_nearest_desc_init() */

    uint32_t queries; /* xl_neighbors_queries */

    /* The neighbours. */
    uint32_t k;            /* 1 to 1,024 */
    double max_radius;     /* 0 (default): none. Otherwise only points whose square distance is
                              below its square are neighbours. Finite; rounded to scalar, its square
                              must be a normal number */
    uint32_t include_self; /* 1: a point (by its index) is its own neighbour */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* nearest.* */
} xl_nearest_desc;

/* The arguments of a call. n is the number of queries: num_queries, or the points of the index. A
 * view that is left out is not given. Outputs must not overlap any other view or the storage of the
 * index. Inputs are not changed.
 * first_row, num_rows: a part of the rows, for results that are larger than memory: num_rows rows
 * from first_row on (0: all from there). Row i then begins at (i - first_row) * k. If queries are
 * indexed, each part reads all points, which costs a few bytes each. */
typedef struct xl_nearest_args {
    size_t num_queries; /* as in xl_neighbors_args */
    size_t first_row, num_rows;
    xl_view queries, queries_y, queries_z, query_systems; /* as in xl_neighbors_args */
    xl_view indices;    /* n * k u32: row i begins at i * k; indices of points, as the caller
                           passed them to the build */
    xl_view distances2; /* n * k scalars, their square distances; or not given */
    xl_view scratch;    /* xl_nearest_scratch() bytes, or not given */
} xl_nearest_args;

/* How complete rows are. */
typedef struct xl_nearest_report {
    uint64_t rows;           /* that were read */
    uint64_t short_rows;     /* with fewer than k neighbours, because there are no more within
                                max_radius */
    uint64_t given_up;       /* that were not searched to the end */
    uint64_t first_given_up; /* the first of these; UINT64_MAX if none */
} xl_nearest_report;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_nearest_desc_init(desc) xl_nearest_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_nearest_desc_init_version(xl_nearest_desc *desc, uint32_t version);

/* Makes a plan from that of a grid, as xl_neighbors_create(). */
XL_NODISCARD XL_API xl_status xl_nearest_create(xl_plan *grid, const xl_nearest_desc *desc,
                                                xl_plan **plan);

/* Scratch, by num_queries: 0 bytes in this version. */
XL_NODISCARD XL_API xl_status xl_nearest_scratch(const xl_plan *plan, const xl_nearest_args *args,
                                                 size_t *bytes);

/* Blocks only as xl_neighbors_enqueue(). XL_ERROR_INVALID_ARGUMENT also if the index is of another
 * kind than the plan. A row with fewer than k neighbours ends in UINT32_MAX and INFINITY; the whole
 * row is filled so if the query is not finite or the build failed. In space that repeats and
 * without max_radius, a row has k neighbours if its system has a point. A row that is given up is
 * UINT32_MAX - 1 and NaN throughout: the query is too far for images (the limit in
 * crosslane/neighbors.h). The time grows with the number of points in the cells that the ball of
 * the k-th neighbour touches (docs/performance.md). If all points are in one cell, or a query is
 * far outside the box, it reads all of them. */
XL_NODISCARD XL_API xl_status xl_nearest_enqueue(xl_plan *plan, xl_grid_index *index,
                                                 cl_command_queue queue,
                                                 const xl_nearest_args *args, cl_uint num_waits,
                                                 const cl_event *waits, cl_event *event);

/* Reads how complete the rows of a search with these arguments are. BLOCKS until `waits` are
 * complete and `queue` has read it. Returns XL_SUCCESS if no row was given up; the error of
 * xl_grid_index_status() if the build failed, and *report is unchanged; XL_ERROR_UNSUPPORTED if
 * rows were given up. report may be NULL. */
XL_NODISCARD XL_API xl_status xl_nearest_status(xl_plan *plan, xl_grid_index *index,
                                                cl_command_queue queue, const xl_nearest_args *args,
                                                xl_nearest_report *report, cl_uint num_waits,
                                                const cl_event *waits);

XL_EXTERN_C_END

#endif
