/* SPDX-License-Identifier: MIT
 * Exact search for the neighbours of points within a radius, on an index of crosslane/grid.h.
 *
 * Neighbours of a query are the points with
 *     ((dx*dx + dy*dy) + dz*dz) < r*r
 * (dy and dz 0 where points have fewer dimensions) in single precision, or where points are of
 * XL_F64 in double precision, each operation rounded once, no contraction: the same pairs as the
 * same loop over all pairs finds, for any coordinates. (A device that takes subnormal numbers for 0
 * does so here too; that shows at radii below 2^-38, of XL_F64 2^-485.) How far points lie from the
 * origin, or from each other, costs no time: with cells of the radius a query looks at the points
 * of its cell and of those next to it, out to the largest floats. (Of XL_F64 cells are of single
 * precision: desc.lower_f64 in crosslane/grid.h.)
 *
 * Along a periodic axis of period L, dx is (query.x - point.x) - s * L, for every whole number s.
 * Each image of a point within the radius is a neighbour of its own, so that a row has an index
 * more than once where the radius is above half a period. A point is left out as its own neighbour,
 * but not its images. In space that repeats along the vectors of a triclinic cell it is
 * (query.x - point.x) less the x by which the image is moved, which xl_grid_desc.cell has the
 * formula of, and y and z likewise. Either is the same, but for the sign, from both sides of a
 * pair: j is a neighbour of i in image s as i is of j in image -s. A radius may be up to 2^20
 * periods, or heights of a cell (3 on devices that end long loops, docs/drivers.md). */
#ifndef CROSSLANE_NEIGHBORS_H
#define CROSSLANE_NEIGHBORS_H

#include <crosslane/grid.h>

/* Whose neighbours are searched. */
typedef enum xl_neighbors_queries {
    XL_QUERIES_INDEXED = 0, /* of each point of the index */
    XL_QUERIES_GIVEN = 1    /* of each of the call's queries; no point is then left out as the query
                               itself. Best in an order in which neighbours follow each other */
} xl_neighbors_queries;

/* How neighbours are searched. Start from xl_neighbors_desc_init(); radius must
 * be set. */
typedef struct xl_neighbors_desc {
    uint32_t version;      /* set by xl_neighbors_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    float radius;          /* finite, above 0, and its square neither overflows nor underflows */
    uint32_t inclusive;    /* 0: distance < radius; 1: distance <= radius */
    uint32_t include_self; /* 0: the point itself (by index) is left out; 1: it counts too */
    uint32_t sorted;       /* 1, the default: rows in ascending order of index; 0: in cell order,
                              cheaper */
    uint32_t periodic;     /* xl_repeats: for indices of space that repeats like that, and for no
                              others */
    uint32_t queries;      /* xl_neighbors_queries */
    uint32_t dimensions;   /* of given queries: those of the index; default 3 */
    uint32_t query_stride; /* scalars from one given query to the next, `dimensions` or more;
                              default 3 */
    uint32_t radii;        /* 1: each query has a radius of its own, of which no more than `radius`
                              counts */
    /* OpenCL C text for xl_neighbors_visit_enqueue(), or NULL. It defines
     *     float visit(float sum, float distance2, uint i, uint j, float4 params)
     * which is called for each pair in cell order, i the query and j the neighbour, and returns the
     * new sum. GPUs call it for points that are too far away as well, and for i itself, and take no
     * notice of what it returns. Errors point into it as "visit". */
    const char *visit;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); neighbors.*, scan.*
     * for the scan that a count has inside, and grid.planes, which is to be that of the grid. NULL:
     * none */
    const xl_tunable *tunables;
    uint32_t half;    /* 1: of each pair of points i < j alone row i has j; of the images of a pair
                         likewise. A row has one of each two opposite images of its own point: the one
                         that is moved up, that is, the last coordinate z, y, x of its move that is not
                         0 is above 0. Counts, lists and visits; only of the index's points, with one
                         radius */
    uint32_t details; /* 1: a fill may give distances2, vectors and shifts */
    /* 0: rows follow each other, CSR. Else each has room for this many neighbours: row i begins at
     * i * row_capacity, and one fill, with no count before it, gives its neighbours and how many
     * they are. What is left of the room is not written. Of a row with more neighbours than that
     * the number is right, but nothing can be relied upon in its room: xl_neighbors_status() says
     * so, and how long the longest is */
    uint32_t row_capacity;
    /* Scalars: XL_F32, the default (0 is, too), or XL_F64, where the device has double precision:
     * that of the index. All that is said of f32 here and below, of queries, radii, distances2 and
     * vectors, is then f64, and visit() is
     *     double visit(double sum, double distance2, uint i, uint j, double4 params) */
    double radius_f64;     /* of XL_F64, whose `radius` stays 0, as this does of XL_F32; its square
                              is one of double precision */
    uint32_t scalar;       /* xl_type */
    uint32_t query_layout; /* xl_points_layout of given queries */
    uint32_t batch; /* 1: for indices of a batch of systems (xl_grid_desc.num_systems), and for no
                       others: neighbours are of the system of the point, or of the query */
} xl_neighbors_desc;

/* What the calls work on; a view that is left out is not given. n is the number of queries: of the
 * points of the index, or num_queries. */
typedef struct xl_neighbors_count_args {
    xl_view counts;     /* n u32, or not given */
    xl_view offsets;    /* n + 1 u64: the exclusive sum of the counts and, last, the number of
                           pairs: CSR offsets; or not given */
    xl_view scratch;    /* xl_neighbors_scratch() bytes, or not given: as in xl_scan_args */
    size_t num_queries; /* of the given queries, at most 2^32 - 2; else 0 */
    xl_view queries; /* (num_queries - 1) * query_stride + dimensions f32, offset in scalars, laid
                        out as points are; only with XL_QUERIES_GIVEN, not changed. One that is
                        not finite has no neighbours */
    xl_view radii;   /* n f32; only with desc.radii, not changed. A query whose radius is not
                        above 0 has no neighbours */
    xl_view queries_y, queries_z; /* of desc.query_layout XL_POINTS_SOA, whose `queries` has x:
                                     num_queries scalars each, of as many axes as there are */
    xl_view query_systems;        /* of desc.batch and given queries: n u32, the system of each, not
                                     changed. A query of a system that there is not has no neighbours */
} xl_neighbors_count_args;

typedef struct xl_neighbors_fill_args {
    uint64_t capacity;  /* A row that would end beyond it is not written at all. So one below
                           offsets[n] makes a shorter list, and never a write out of bounds;
                           offsets[n] is the capacity to give. A plan with desc.row_capacity has
                           that of each row instead, and takes 0 here */
    xl_view offsets;    /* n + 1 u64 from xl_neighbors_count_enqueue() of this plan; not given with
                           desc.row_capacity */
    xl_view indices;    /* `capacity` u32, or row_capacity for each row that is filled */
    size_t num_queries; /* these three as they were counted */
    xl_view queries, radii;
    /* Of the rows a part, for lists that are larger than memory: num_rows rows from first_row on
     * (0: all from there), in arrays of their own. Row i begins at offsets[i] - offsets[first_row]
     * there, and offsets[first_row + num_rows] - offsets[first_row] is the capacity to give. Each
     * part goes over all queries to find its own, which costs a few bytes each */
    size_t first_row, num_rows;
    /* With desc.details, or not given: of each index, in the place of its index, of points in
     * `dimensions` dimensions, and of as many as `indices` */
    xl_view distances2; /* an f32 of each: the squared distance, as it was compared */
    xl_view vectors;    /* `dimensions` f32 of each: from the query to the image of the point,
                           each coordinate -((query - point) - s * L), or with what an image of
                           a triclinic cell is moved by */
    xl_view shifts;     /* `dimensions` i32 of each: s, the periods by which the point is moved.
                           Images of one point follow each other by z, then y, then x; in a
                           cell so skewed that a search takes shorter vectors of the same lattice,
                           in another order, the same each time */
    xl_view counts;     /* only with desc.row_capacity: a u32 for each row that is filled, the
                           number of its neighbours; UINT32_MAX in all where the build failed, and
                           in a row that a device cannot search which ends long loops */
    xl_view queries_y, queries_z; /* as they were counted, these, too */
    xl_view query_systems;
} xl_neighbors_fill_args;

typedef struct xl_neighbors_visit_args {
    float start;        /* what each sum starts from */
    float params[4];    /* what visit() receives */
    xl_view out;        /* n f32, in the order the points were given to the build, or the queries */
    size_t num_queries; /* these three as in xl_neighbors_count_args */
    xl_view queries, radii;
    xl_view queries_y, queries_z;
    double start_f64; /* these two of XL_F64, whose `start` and `params` stay 0 */
    double params_f64[4];
    xl_view query_systems; /* as in xl_neighbors_count_args */
} xl_neighbors_visit_args;

typedef struct xl_neighbors_status_args {
    uint64_t capacity; /* these as in xl_neighbors_fill_args */
    xl_view offsets;
    size_t num_queries;
    xl_view queries, radii;
    size_t first_row, num_rows;
    xl_view counts; /* as they were filled */
    xl_view queries_y, queries_z, query_systems;
} xl_neighbors_status_args;

/* What the device found out about a list. */
typedef struct xl_neighbors_report {
    uint32_t incomplete; /* 1: there is no list, since the device ends long loops
                            (docs/drivers.md, llvmpipe) */
    uint64_t queries;    /* n */
    uint64_t pairs;      /* of the rows asked for: the capacity that they need; 0 of a plan with
                            desc.row_capacity */
    uint64_t non_finite; /* given queries with a NaN or an infinity, which have no neighbours */
    uint64_t first_non_finite; /* the smallest such index; UINT64_MAX if none */
    uint64_t longest_row; /* of the rows asked for: the desc.row_capacity that they need; 0 of a
                             plan without */
} xl_neighbors_report;

/* What a kernel of the user's searches for: see xl_grid_index_set_kernel_args(). */
typedef struct xl_neighbors_kernel_args {
    cl_kernel kernel;   /* of a program by xl_program_create() of the index's context */
    cl_uint first;      /* the number of the first parameter of XL_NEIGHBORS_PARAMETERS(), from 0 */
    float radius;       /* as desc.radius */
    uint32_t inclusive; /* as desc.inclusive */
    double radius_f64;  /* of an index of XL_F64, as desc.radius_f64; the kernel's program then has
                           `#define XL_NEIGHBORS_F64 1` before the include */
} xl_neighbors_kernel_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_neighbors_desc_init(desc) xl_neighbors_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_neighbors_desc_init_version(xl_neighbors_desc *desc, uint32_t version);

/* Makes a search plan for indices of the same context; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc,
                                                  xl_plan **plan);

/* Scratch of the calls below for up to n queries, as xl_scan_scratch(). */
XL_NODISCARD XL_API xl_status xl_neighbors_scratch(const xl_plan *plan, size_t n, size_t *bytes);

/* Enqueues the count of each query's neighbours among the points of the index; of the points
 * themselves in the order they were given to the build. An index whose build failed (see
 * xl_grid_index_status()) has all counts 0 and,
 * so that nobody takes that for a result, offsets[n] = UINT64_MAX. So has a search that a device
 * cannot do which ends long loops (docs/drivers.md, llvmpipe): a point with too many candidates, or
 * too many neighbours to put into order, has a count of UINT32_MAX, and offsets[n] = UINT64_MAX. */
XL_NODISCARD XL_API xl_status xl_neighbors_count_enqueue(xl_plan *plan, xl_grid_index *index,
                                                         cl_command_queue queue,
                                                         const xl_neighbors_count_args *args,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);

/* Enqueues the fill of the list: row i holds, from offsets[i] on, or from i * row_capacity on, the
 * indices of the neighbours of query i. What does not fit is left out without a word;
 * xl_neighbors_status() has it. */
XL_NODISCARD XL_API xl_status xl_neighbors_fill_enqueue(xl_plan *plan, xl_grid_index *index,
                                                        cl_command_queue queue,
                                                        const xl_neighbors_fill_args *args,
                                                        cl_uint num_waits, const cl_event *waits,
                                                        cl_event *event);

/* Waits for the events given and for `queue`'s reads, then says what became of a list whose offsets
 * were counted, or which was filled, with these arguments: XL_SUCCESS; what xl_grid_index_status()
 * says of the build; XL_ERROR_NON_FINITE, if queries are not; XL_ERROR_UNSUPPORTED, if the device
 * could not count; or XL_ERROR_CAPACITY, if the rows are longer than the capacity, or one is than
 * its own. Figures in `report` (at most report_size bytes of it; may be NULL; left alone where the
 * build failed) and in the error text. BLOCKS. */
XL_NODISCARD XL_API xl_status xl_neighbors_status(xl_plan *plan, xl_grid_index *index,
                                                  cl_command_queue queue,
                                                  const xl_neighbors_status_args *args,
                                                  xl_neighbors_report *report, cl_uint num_waits,
                                                  const cl_event *waits);

/* Enqueues sums over pairs without a list: out[i] is what visit() of the descriptor makes of
 * `start` over the neighbours of query i. The order of visits is fixed, so equal input gives
 * equal bits on one device. For an index whose build failed, out[i] is NaN, and for a point with
 * more candidates than the device can go through. */
XL_NODISCARD XL_API xl_status xl_neighbors_visit_enqueue(xl_plan *plan, xl_grid_index *index,
                                                         cl_command_queue queue,
                                                         const xl_neighbors_visit_args *args,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);

/* Binds the index, as it was built last, to a kernel of the user's that includes
 * <crosslane/neighbors.cl> (crosslane/program.h): sets the arguments that XL_NEIGHBORS_PARAMETERS()
 * stands for, which are those from `first` on, and says in *next, unless NULL, the number of the
 * one behind them. Needs no plan. Set them again after each build: a kernel that is bound to an
 * earlier one finds no index, and xl_neighbors_failed() there says so, as after a build that
 * failed.
 *
 * The kernel may run on the in-order queue of the build, behind it, and must not still be under way
 * where another build begins on another queue; on other queues behind xl_grid_index_event().
 *
 * One thread at a time for a kernel. Never blocks. XL_ERROR_INVALID_ARGUMENT: a NULL, no build, a
 * kernel of another context, or one that has other parameters there; a radius as desc.radius.
 * XL_ERROR_UNSUPPORTED: a radius of more than 2^20 periods, or heights of a cell (3 on devices that
 * end long loops); an index of a plan with grid.planes other than the device's own. */
XL_NODISCARD XL_API xl_status xl_grid_index_set_kernel_args(xl_grid_index *index,
                                                            const xl_neighbors_kernel_args *args,
                                                            cl_uint *next);

XL_EXTERN_C_END

#endif
