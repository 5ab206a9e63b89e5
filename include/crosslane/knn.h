/* SPDX-License-Identifier: MIT
 * Exact search for the k nearest neighbours of points, on an index of crosslane/grid.h.
 *
 * Neighbours of a query come in the order of
 *     ((dx*dx + dy*dy) + dz*dz, index)
 * in single precision, or where points are of XL_F64 in double precision, each operation rounded
 * once, no contraction: of points that are equally far, the one of lower index first. So a row is
 * the beginning of what sorting all points would give, for any coordinates, the same on every
 * device. (A device that takes subnormal numbers for 0 does so here too; that shows at distances
 * below 2^-62.)
 *
 * Along a periodic axis of period L, dx is (query.x - point.x) - s * L, for every whole number s,
 * as in crosslane/neighbors.h, which also has what it is of a triclinic cell: each image of a point
 * counts by itself. A point is left out as its own neighbour, but not its images.
 *
 * Any cell size is right. What is looked at is about all points in the cells that the ball of the
 * k-th neighbour touches, so that cells should be small beside it, but not so small that a grid has
 * no table for them: best is a cell of k / 6 points, and of 1.5 at least, which has the edge
 *     (max(k / 6, 1.5) / d)^(1 / dimensions)
 * where d is how many points there are in a unit of space; where that varies, in crowded places. A
 * query far outside of the points' box looks at all of them. */
#ifndef CROSSLANE_KNN_H
#define CROSSLANE_KNN_H

#include <crosslane/neighbors.h>

/* How neighbours are searched. Start from xl_knn_desc_init(); k must be set. */
typedef struct xl_knn_desc {
    uint32_t version;      /* set by xl_knn_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t k;            /* neighbours of each query, 1 to 64 */
    uint32_t queries;      /* xl_neighbors_queries; of XL_QUERIES_GIVEN no point is left out as the
                              query itself */
    uint32_t dimensions;   /* of the points of the index; default 3 */
    uint32_t query_stride; /* scalars from one given query to the next, `dimensions` or more;
                              default 3 */
    uint32_t include_self; /* 0: the point itself (by index) is left out; 1: it counts too */
    uint32_t periodic;     /* xl_repeats: for indices of space that repeats like that, and for no
                              others */
    float max_radius;      /* 0: none; else only points whose square distance is below its square
                              are neighbours. Finite, and its square neither overflows nor
                              underflows */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); knn.*, and grid.planes, which is to be that of the
     * grid. NULL: none */
    const xl_tunable *tunables;
    double max_radius_f64; /* of XL_F64, whose max_radius stays 0, as this does of XL_F32; its
                              square is one of double precision */
    uint32_t scalar; /* xl_type: XL_F32, the default (0 is, too), or, where the device has double
                        precision, XL_F64: that of the index, of queries and distances2, which
                        below are said to be f32 */
    uint32_t query_layout; /* xl_points_layout of given queries */
    uint32_t batch;        /* 1: for indices of a batch of systems, and for no others, as in
                              xl_neighbors_desc */
} xl_knn_desc;

/* What the call works on; a view that is left out is not given. n is the number of queries: of the
 * points of the index, or num_queries. */
typedef struct xl_knn_args {
    size_t num_queries; /* of the given queries, at most 2^32 - 2; else 0 */
    xl_view queries; /* (num_queries - 1) * query_stride + dimensions f32, offset in scalars, laid
                        out as points are; only with XL_QUERIES_GIVEN, not changed */
    xl_view indices; /* n * k u32: row i, from i * k on, is that of query i; of points in the order
                        they were given to the build */
    xl_view distances2;           /* n * k f32, their square distances; or not given */
    xl_view scratch;              /* xl_knn_scratch() bytes, or not given: as in xl_scan_args */
    xl_view queries_y, queries_z; /* of desc.query_layout XL_POINTS_SOA, whose `queries` has x:
                                     num_queries scalars each, of as many axes as there are */
    xl_view query_systems;        /* of desc.batch and given queries: n u32, the system of each, not
                                     changed. A query of a system that there is not has no neighbours */
    /* Of the rows a part, for results that are larger than memory: num_rows rows from first_row on
     * (0: all from there), in arrays of their own, of num_rows * k, of which row i begins at
     * (i - first_row) * k. Of the points of an index each part goes over all of them to find its
     * own, which costs a few bytes each, and on a GPU more where points that follow each other are
     * far apart */
    size_t first_row, num_rows;
} xl_knn_args;

/* Results of a call, as they were given to it. */
typedef struct xl_knn_status_args {
    size_t num_queries; /* these as in xl_knn_args */
    xl_view queries, indices;
    xl_view queries_y, queries_z, query_systems;
    size_t first_row, num_rows;
} xl_knn_status_args;

/* How many rows are incomplete, and the first one. */
typedef struct xl_knn_report {
    uint64_t rows;       /* that were looked at */
    uint64_t short_rows; /* with fewer than k neighbours, because there are no more */
    uint64_t given_up;   /* that were not searched to the end: UINT32_MAX - 1 and NaN throughout */
    uint64_t first_given_up; /* the smallest such row; UINT64_MAX if none */
} xl_knn_report;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_knn_desc_init(desc) xl_knn_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_knn_desc_init_version(xl_knn_desc *desc, uint32_t version);

/* Makes a search plan for indices of the same context; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_knn_create(xl_context *ctx, const xl_knn_desc *desc,
                                            xl_plan **plan);

/* Scratch of a call with up to n queries, as xl_scan_scratch(): in this version none, 0 bytes. */
XL_NODISCARD XL_API xl_status xl_knn_scratch(const xl_plan *plan, const xl_knn_args *args,
                                             size_t *bytes);

/* Enqueues the search; never blocks. Waits, event, queue, threads and failure as
 * xl_scan_enqueue(); the index, its build and its status as in crosslane/grid.h. Outputs may
 * overlap nothing. A row that has fewer than k neighbours ends in UINT32_MAX and INFINITY. So does
 * all of the row of a query that is not finite, and each row where the build failed
 * (xl_grid_index_status() tells). In space that repeats a row has k neighbours if there is a point,
 * however many images that takes. A row that is given up is UINT32_MAX - 1 and NaN throughout, and
 * xl_knn_status() reports it: that of a query so far from the cell that its coordinates tell no
 * images apart (some 2^20 periods in single precision), and on a device that ends long loops
 * (docs/drivers.md, llvmpipe) that of a query that would look at more than about 7,500 points.
 *
 * Cost: see above; the table of docs/performance.md has figures. Where all points are in one cell
 * each query looks at all of them. */
XL_NODISCARD XL_API xl_status xl_knn_enqueue(xl_plan *plan, xl_grid_index *index,
                                             cl_command_queue queue, const xl_knn_args *args,
                                             cl_uint num_waits, const cl_event *waits,
                                             cl_event *event);

/* Waits for the events given and for `queue`'s read, then reports how complete the rows of a call
 * with these arguments are: XL_SUCCESS if none was given up; the error of xl_grid_index_status() if
 * the build failed; or XL_ERROR_UNSUPPORTED if rows were given up, with the number and the first in
 * `report` (at most report_size bytes of it; may be NULL) and in the error text. Rows with fewer
 * than k neighbours are complete, and counted. BLOCKS. */
XL_NODISCARD XL_API xl_status xl_knn_status(xl_plan *plan, xl_grid_index *index,
                                            cl_command_queue queue, const xl_knn_status_args *args,
                                            xl_knn_report *report, cl_uint num_waits,
                                            const cl_event *waits);

XL_EXTERN_C_END

#endif
