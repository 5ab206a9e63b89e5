/* SPDX-License-Identifier: MIT
 * Exact search for all points within a radius, on an index of crosslane/grid.h. A list of the
 * neighbours of each of n points, as CSR rows with room for `capacity` indices:
 *
 *     xl_neighbors_desc desc;
 *     xl_neighbors_desc_init(&desc);
 *     desc.radius = 1.5;
 *     xl_neighbors_create(grid, &desc, &plan);
 *     xl_neighbors_args args = {.capacity = capacity, .offsets = offsets, .indices = indices};
 *     xl_neighbors_enqueue(plan, index, queue, &args, 0, NULL, NULL);
 *     status = xl_neighbors_status(plan, index, queue, &args, &report, 0, NULL);
 *
 * On arrays in host memory one call does all of this: xl_simple_neighbors() in crosslane/simple.h.
 * docs/neighbors.md has complete examples, sums without a list, and loops over neighbours in
 * kernels of your own.
 *
 * A point is a neighbour of a query if
 *     ((dx*dx + dy*dy) + dz*dz) < r*r
 * in the precision of the points (dy, dz 0 in fewer dimensions); each operation is rounded once. r
 * is one radius, or that of the query or of the pair (xl_neighbors_radii).
 * These are the pairs that a loop over all pairs finds, for any coordinates. (A device that
 * flushes subnormal numbers does so here too: this shows at radii below 2^-38, XL_F64 2^-485.)
 *
 * In space that repeats, each image of a point within the radius is a neighbour, so a row may have
 * an index several times. A point is not its own neighbour, but its images are. Along a periodic
 * axis of period L, dx is (query.x - point.x) - s * L for a whole number s; in a cell that is no
 * box it is (query.x - point.x) less the move of the image (crosslane/space.h). If j is a neighbour
 * of i in image s, then i is a neighbour of j in image -s, unless (j, i) has another radius. A
 * radius may have up to 2^20 periods, or heights of the cell, and no image within it may have a
 * component of S beyond 2^30.
 *
 * Limit: a given query that is too far for images has no neighbours, and xl_neighbors_status()
 * reports it. Along an axis of period L it is too far beyond 2^24 * L from 0 (XL_F64: 2^53 * L) or
 * 2^29 * L from the box. In a cell it is too far if it is outside the box and its images round by
 * more than 32 times the lowest height of the cell, or if their numbers exceed 2^29. */
#ifndef CROSSLANE_NEIGHBORS_H
#define CROSSLANE_NEIGHBORS_H

#include <crosslane/grid.h>

/* Whose neighbours are searched. */
typedef enum xl_neighbors_queries {
    XL_QUERIES_INDEXED = 0, /* those of each point of the index */
    XL_QUERIES_GIVEN = 1    /* those of each query of the call; no point is left out. Faster if
                               adjacent queries are close to each other */
} xl_neighbors_queries;

/* The radius of a pair: query i and point j. */
typedef enum xl_neighbors_radii {
    XL_RADII_ONE = 0,    /* desc.radius */
    XL_RADII_QUERY = 1,  /* args.radii[i] */
    XL_RADII_LARGER = 2, /* the larger of args.radii[i] and the radius of point j */
    XL_RADII_TYPES = 3   /* desc.pair_radii of the types of i and j */
} xl_neighbors_radii;

/* Start from xl_neighbors_desc_init(), then set radius. The plan has the space, the scalar, the
 * layout and the stride of its grid, for given queries too. "scalar" below is the type of
 * coordinates, space.scalar. */
typedef struct xl_neighbors_desc {
    uint32_t version; /* set by xl_neighbors_desc_init() */

    uint32_t queries; /* xl_neighbors_queries */

    /* The neighbours. */
    double radius;            /* finite and above 0; rounded to scalar, its square must be a normal
                                 number. XL_RADII_TYPES: 0 */
    uint32_t radii;           /* xl_neighbors_radii */
    uint32_t num_types;       /* XL_RADII_TYPES: 1 to 256. Otherwise 0 */
    const double *pair_radii; /* XL_RADII_TYPES: num_types * num_types numbers, the row by the type
                                 of the query, the column by that of the point. 0 or less: such
                                 pairs are not neighbours. Otherwise as radius; at least one must
                                 be above 0. The library copies them. Other radii: NULL */
    uint32_t inclusive;       /* 0: distance < radius; 1: distance <= radius */
    uint32_t include_self;    /* 1: a point (by its index) is its own neighbour */
    uint32_t half;            /* 1: each pair once, in row i for i < j. If two opposite images of
                                 the point itself are neighbours, the row has the one whose move
                                 has its last nonzero coordinate above 0. Requires indexed queries
                                 and a radius that (i, j) and (j, i) share: not XL_RADII_QUERY,
                                 and pair_radii must be symmetric */

    /* The results. */
    uint32_t sorted;       /* 1 (default): rows ascend by index. 0: any order, faster */
    uint32_t details;      /* 1 (not a sum of xl_list_details): lists may have distances2,
                              vectors and shifts */
    uint32_t row_capacity; /* 0: CSR rows. Otherwise row i of a call begins at i * row_capacity.
                              The remaining room of a row is not written; a row that is too long
                              has the right count, and undefined indices */
    uint32_t keep_nearest; /* 1: a row that is too long has the right count, and its row_capacity
                              nearest neighbours: the first ones by square distance as compared,
                              then index, then image in the order of rows. They are in the same
                              order as other rows. Requires row_capacity */
    const char *visit;     /* NULL, or OpenCL C source of what args.sums adds up: a function
                              float visit(float sum, float distance2, uint i, uint j,
                                          float4 params)
                              of query i and neighbour j that returns the new sum; XL_F64: double,
                              double4. It may be called for other points too, such as i itself; the
                              library then ignores its result. Such a plan builds the program of
                              counts and lists at the first call that needs it */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* neighbors.* */
} xl_neighbors_desc;

/* The arguments of all calls. n is the number of queries: num_queries, or the points of the index.
 * A view that is left out is not given. Outputs and scratch must not overlap any other view or the
 * storage of the index. Inputs are not changed. A call ignores outputs that it does not compute.
 *
 * first_row, num_rows: the rows that a call works on: num_rows rows from first_row on (0: all from
 * there). For lists that are larger than memory, and for points of which only some need
 * neighbours, such as owned points before copies of others. All outputs are of these rows alone;
 * below, `rows` is their number. Row i begins at indices[offsets[i] - offsets[0]]. To fill a part
 * after a count of all rows, pass the view of all offsets, moved by first_row. A part costs its
 * own searches and a few bytes for each other query. */
typedef struct xl_neighbors_args {
    size_t num_queries; /* XL_QUERIES_GIVEN: at most 2^32 - 2. XL_QUERIES_INDEXED: 0, or the number
                           of points of the index; xl_neighbors_scratch() requires the number */
    size_t first_row, num_rows;
    uint64_t capacity; /* CSR: indices that there is room for. A row that would end behind it is not
                          written. 0 with row_capacity */
    double start;      /* of sums: each starts from it; rounded to scalar, as the next */
    double params[4];  /* of sums: passed to visit() */

    xl_view queries; /* XL_QUERIES_GIVEN: (n - 1) * stride + dimensions scalars, offset in scalars;
                        with XL_POINTS_SOA n scalars, x. A query that is not finite has no
                        neighbours */
    xl_view queries_y, queries_z; /* XL_POINTS_SOA: n scalars each, for the axes that there are */
    xl_view query_systems; /* of a batch, with XL_QUERIES_GIVEN: n u32. A query of no system has no
                              neighbours */
    xl_view radii;         /* XL_RADII_QUERY, XL_RADII_LARGER: n scalars. One that is NaN or not
                              above 0 counts as 0, one above desc.radius as desc.radius. A pair
                              with radius 0 is not a neighbour, whatever include_self and
                              inclusive are */
    xl_view point_radii;   /* XL_RADII_LARGER with XL_QUERIES_GIVEN: as radii, of each point that
                              was passed to the build. Indexed queries: not given */
    xl_view types;         /* XL_RADII_TYPES: n u32. A query or point whose type is num_types or
                              more has no neighbours and is no neighbour */
    xl_view point_types;   /* XL_RADII_TYPES with XL_QUERIES_GIVEN: as types, of each point that
                              was passed to the build. Indexed queries: not given */

    xl_view counts;  /* `rows` u32, the length of each row; UINT32_MAX if this call makes a list
                        with row_capacity and the build failed */
    xl_view offsets; /* CSR: rows + 1 u64, the exclusive sum of the counts, and the total. The
                        device also reads it. It and the next four must not be
                        CL_MEM_WRITE_ONLY */
    xl_view indices; /* `capacity` u32, or row_capacity u32 for each row: indices of points, as the
                           caller passed them to the build */
    xl_view distances2; /* desc.details: a scalar for each index, the square distance that was
                           compared; its root is the distance */
    xl_view vectors;    /* desc.details: `dimensions` scalars for each index, from the query to the
                           image of the point: -((query - point) - the move of the image) */
    xl_view shifts;     /* desc.details: `dimensions` i32 for each index: S of the image, with
                           space.wrap relative to the coordinates given. Images of
                           one point ascend by z, y, x (in a badly skewed cell in another fixed
                           order) */
    xl_view sums;       /* desc.visit: `rows` scalars */
    xl_view scratch;    /* not given, or xl_neighbors_scratch() bytes */
} xl_neighbors_args;

/* How a list came out. */
typedef struct xl_neighbors_report {
    uint64_t queries;          /* n */
    uint64_t pairs;            /* CSR: in these rows, which is the capacity that they need */
    uint64_t longest_row;      /* row_capacity: in these rows, which is the row_capacity needed */
    uint64_t non_finite;       /* given queries with a NaN or an infinity */
    uint64_t first_non_finite; /* the lowest index of one; UINT64_MAX if none */
    uint64_t too_far;          /* given queries that are too far for images: no neighbours */
    uint64_t first_too_far;    /* the lowest index of one; UINT64_MAX if none */
} xl_neighbors_report;

/* What xl_grid_index_set_kernel_args() binds. */
typedef struct xl_neighbors_kernel_args {
    cl_kernel kernel;   /* of a program of xl_program_create() in the context of the index */
    cl_uint first;      /* position of the first parameter of XL_NEIGHBORS_PARAMETERS(), from 0 */
    double radius;      /* as desc.radius. For points of XL_F64 the program must have
                           `#define XL_NEIGHBORS_F64 1` before the include */
    uint32_t inclusive; /* as desc.inclusive */
} xl_neighbors_kernel_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_neighbors_desc_init(desc) xl_neighbors_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_neighbors_desc_init_version(xl_neighbors_desc *desc, uint32_t version);

/* Makes a plan from that of a grid, for indices that such a grid builds: of the same context,
 * dimensions, scalar, periodicity, wrap and tunable grid.planes, and a batch if that is one. The
 * edges of a box may differ from those of the plan's box. A plan with cells per system takes only
 * indices with such. A plan from a periodic box takes only indices of boxes; one from any other
 * periodic cell takes all cells. The grid's plan may be destroyed afterwards. */
XL_NODISCARD XL_API xl_status xl_neighbors_create(xl_plan *grid, const xl_neighbors_desc *desc,
                                                  xl_plan **plan);

/* Scratch, by num_queries, first_row and num_rows. Only calls that write offsets need any. */
XL_NODISCARD XL_API xl_status xl_neighbors_scratch(const xl_plan *plan,
                                                   const xl_neighbors_args *args, size_t *bytes);

/* The calls. They do not block, except on some drivers if the queue is not that of the build
 * (docs/drivers.md). Results are in the order of the queries, or of the points that were passed to
 * the build. XL_ERROR_INVALID_ARGUMENT also if the index is of another kind than the plan;
 * XL_ERROR_UNSUPPORTED if the radius has too many periods. */

/* Enqueues whatever is given of these: counts, offsets, the list (indices and its details), sums.
 * CSR rows require offsets and are counted first. Rows that do not fit are not written and no error
 * is raised here: call xl_neighbors_status() to find out. Sums: visit() over the neighbours of each
 * query, from `start` on, in the order of docs/neighbors.md, "The order of visits". That depends on
 * the points, cell_size and the space alone (points_per_cell of the grid: 0), so sums have equal bits
 * on all devices if visit() has.
 * If the build failed, counts are 0 (UINT32_MAX for a list with row_capacity), all offsets but the
 * first are UINT64_MAX, and sums are NaN. */
XL_NODISCARD XL_API xl_status xl_neighbors_enqueue(xl_plan *plan, xl_grid_index *index,
                                                   cl_command_queue queue,
                                                   const xl_neighbors_args *args, cl_uint num_waits,
                                                   const cl_event *waits, cl_event *event);

/* The same in two steps, to allocate in between or to fill in parts. The first enqueues counts and
 * offsets alone. The second enqueues the list alone; CSR rows require the offsets that a count with
 * the same plan, index and queries wrote. */
XL_NODISCARD XL_API xl_status xl_neighbors_count_enqueue(xl_plan *plan, xl_grid_index *index,
                                                         cl_command_queue queue,
                                                         const xl_neighbors_args *args,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);
XL_NODISCARD XL_API xl_status xl_neighbors_fill_enqueue(xl_plan *plan, xl_grid_index *index,
                                                        cl_command_queue queue,
                                                        const xl_neighbors_args *args,
                                                        cl_uint num_waits, const cl_event *waits,
                                                        cl_event *event);

/* Reads how a count or a list with these arguments came out: it reads offsets, or counts with
 * row_capacity, and the queries. BLOCKS until `waits` are complete and `queue` has read it. Returns
 * XL_SUCCESS; the error of xl_grid_index_status() if the build failed, and *report is unchanged;
 * XL_ERROR_NON_FINITE if queries are not finite; XL_ERROR_UNSUPPORTED if queries are too far for
 * images; XL_ERROR_INVALID_ARGUMENT if the list is of another build of the index;
 * XL_ERROR_CAPACITY if indices are given and the rows do not fit, unless they keep the nearest
 * neighbours: *report and the error text have the room that they need. report may be NULL. */
XL_NODISCARD XL_API xl_status xl_neighbors_status(xl_plan *plan, xl_grid_index *index,
                                                  cl_command_queue queue,
                                                  const xl_neighbors_args *args,
                                                  xl_neighbors_report *report, cl_uint num_waits,
                                                  const cl_event *waits);

/* Binds the index, as its last build made it, to a kernel that includes <crosslane/neighbors.cl>:
 * sets the arguments of XL_NEIGHBORS_PARAMETERS(), and stores the position behind them in *next,
 * unless next is NULL. Requires no plan. Repeat it after each build: a kernel that is bound to an
 * earlier build finds no index, and xl_neighbors_failed() says so.
 * The kernel may run behind the build on its in-order queue, or behind xl_grid_index_event() on
 * others; it must have ended before another build begins on another queue. One thread at a time for
 * each kernel. Does not block.
 * XL_ERROR_INVALID_ARGUMENT: a NULL, no build, a kernel of another context or with other
 * parameters, a radius that desc.radius could not have. XL_ERROR_UNSUPPORTED: too many periods, or
 * an index with another grid.planes than the default of the device, or with cells per system
 * (XL_BOUNDS_PER_SYSTEM). */
XL_NODISCARD XL_API xl_status xl_grid_index_set_kernel_args(xl_grid_index *index,
                                                            const xl_neighbors_kernel_args *args,
                                                            cl_uint *next);

XL_EXTERN_C_END

#endif
