/* SPDX-License-Identifier: MIT
 * A grid of cells over points in space, and exact neighbour search on it.
 *
 * Build: bounding box -> row and cell of each point -> points in this order -> where they begin
 * (Green, "Particle simulation using CUDA", 2010; by counting as in Hoetzlein, "Fast fixed-radius
 * nearest neighbors", 2014; the sort by a bitonic network as in Lee and Kim, "Fast access method of
 * neighboring particles using bitonic sort based GPU hashing", 2022). A row is all cells of one y
 * and one z. Where the box has few cells for its points, they have a table; else the rows that have
 * points are listed, so that a point far off costs one row. CPUs always list rows.
 *
 * Search: neighbours of a query are the points with
 *     ((dx*dx + dy*dy) + dz*dz) < r*r
 * (dy and dz 0 where points have fewer dimensions) in single precision, each operation rounded
 * once, no contraction: the same pairs as the same loop over all pairs finds, for any coordinates.
 * (A device that takes subnormal numbers for 0 does so here too; that shows at radii below 2^-38.)
 * How far points lie from the origin, or from each other, costs no time: with cells of
 * the radius a query looks at the points of its cell and of those next to it, out to the
 * largest floats. */
#ifndef CROSSLANE_GRID_H
#define CROSSLANE_GRID_H

#include <crosslane/context.h>

typedef struct xl_grid xl_grid;
typedef struct xl_neighbors xl_neighbors;

/* How points are brought into order. Either way a grid with a table has one order: by row (z, then
 * y), by cell along x, then by index; and one with rows listed: by row, by x, then by index.
 * XL_GRID_AUTO takes what is faster on the device: a table by counting, or on CPUs rows by the
 * library's sort. The others have a table wherever it has room for the cells. */
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING = 1, /* count per cell, scan, scatter; rows by the library's sort */
    XL_GRID_BITONIC = 2   /* both by the library's bitonic sort */
} xl_grid_algorithm;

/* Start from xl_grid_desc_init(); cell_size must be set. */
typedef struct xl_grid_desc {
    uint32_t struct_size;  /* set by xl_grid_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t dimensions;   /* 1, 2 or 3; 3 is the default */
    uint32_t scalar;       /* xl_type: XL_F32 */
    uint32_t stride;       /* scalars from one point to the next, `dimensions` or more; default 3 */
    float cell_size;       /* edge of a cell along y and z, in the unit of the points; best the
                              search radius, and right for any */
    uint32_t bounded;      /* 0: the box is found from the points by a reduction; else the
                              box below, and a point outside it is XL_ERROR_OUT_OF_DOMAIN */
    float lower[3];        /* corners of the box; points on its faces are inside. The first
                              `dimensions` count, as in the report, where others are 0 */
    float upper[3];
    uint32_t algorithm; /* xl_grid_algorithm */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); grid.*, and scan.* and sort.*
     * for the scan or the sort that a build has inside. NULL: none */
    const xl_tunable *tunables;
} xl_grid_desc;

/* What the device found while it built a grid or filled a list. */
typedef struct xl_grid_report {
    uint32_t struct_size; /* bytes that were written: the caller's, or this version's if fewer */
    uint32_t sparse;      /* 1: rows of cells are listed, as a table has none or too little room */
    uint64_t points;      /* n of the last build */
    uint64_t non_finite;  /* points with a NaN or an infinity */
    uint64_t first_non_finite; /* the smallest such index; UINT64_MAX if none */
    uint64_t out_of_domain;    /* points outside the given box */
    uint64_t first_out_of_domain;
    float lower[3]; /* the box of the points, or the box given */
    float upper[3];
    uint32_t cells[3];    /* cells of the table per axis; all 0 where rows are listed */
    uint32_t table_cells; /* entries there are room for in the table, or rows that are listed */
} xl_grid_report;

/* How neighbours are searched. Start from xl_neighbors_desc_init(); radius must
 * be set. */
typedef struct xl_neighbors_desc {
    uint32_t struct_size;  /* set by xl_neighbors_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    float radius;          /* finite, above 0, and its square neither overflows nor underflows */
    uint32_t inclusive;    /* 0: distance < radius; 1: distance <= radius */
    uint32_t include_self; /* 0: the point itself (by index) is left out; 1: it counts too */
    uint32_t sorted;       /* 1, the default: rows in ascending order of index; 0: in cell order,
                              cheaper */
    /* OpenCL C text for xl_neighbors_visit_enqueue(), or NULL. It defines
     *     float visit(float sum, float distance2, uint i, uint j, float4 params)
     * which is called for each pair in cell order, i the query and j the
     * neighbour, and returns the new sum. Errors point into it as "visit". */
    const char *visit;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); neighbors.*, scan.*
     * for the scan that a count has inside, and grid.planes, which is to be that of the grid. NULL:
     * none */
    const xl_tunable *tunables;
} xl_neighbors_desc;

/* What the calls work on; a view that is left out is not given. n is the number of points of the
 * last build. */
typedef struct xl_grid_build_args {
    size_t n;        /* points, at most 2^32 - 2 */
    xl_view points;  /* of each point its x y z, one after the other, and from one x to the next
                        `stride` scalars: (n - 1) * stride + dimensions in all. Its offset counts
                        scalars: points {mass, x, y, z} have stride 4 and begin at offset 1. Not
                        changed */
    xl_view storage; /* xl_grid_scratch() bytes, offset in bytes; the grid lives there until the
                        next build, so leave it alone; or not given: the grid's own, which a
                        build enters when the last one is done with it */
} xl_grid_build_args;

typedef struct xl_grid_reorder_args {
    size_t element_bytes; /* a multiple of 4 */
    xl_view in, out;      /* n elements each, their offsets in elements; may not overlap */
} xl_grid_reorder_args;

typedef struct xl_neighbors_count_args {
    xl_view counts;  /* n u32, or not given */
    xl_view offsets; /* n + 1 u64: the exclusive sum of the counts and, last, the number of
                        pairs: CSR offsets; or not given */
    xl_view scratch; /* xl_neighbors_scratch() bytes, or not given: as in xl_scan_args */
} xl_neighbors_count_args;

typedef struct xl_neighbors_fill_args {
    uint64_t capacity; /* A row that would end beyond it is not written at all. So one below
                          offsets[n] makes a shorter list, and never a write out of bounds;
                          offsets[n] is the capacity to give */
    xl_view offsets;   /* n + 1 u64 from xl_neighbors_count_enqueue() of this plan */
    xl_view indices;   /* `capacity` u32 */
} xl_neighbors_fill_args;

typedef struct xl_neighbors_visit_args {
    float start;     /* what each sum starts from */
    float params[4]; /* what visit() receives */
    xl_view out;     /* n f32, in the order the points were given to the build */
} xl_neighbors_visit_args;

XL_EXTERN_C_BEGIN

/* Write `size` bytes: the size, the defaults, and zeros in what this version does not know.
 * From C take xl_grid_desc_init() and xl_neighbors_desc_init(), which pass the size. NULL is
 * ignored. */
XL_API void xl_grid_desc_init_sized(xl_grid_desc *desc, size_t size);
XL_API void xl_neighbors_desc_init_sized(xl_neighbors_desc *desc, size_t size);

/* Makes a grid plan; as xl_scan_create(). XL_ERROR_INVALID_ARGUMENT: a cell size
 * that is not finite and above 0, a box that is empty or not finite, a stride
 * below the dimensions. XL_ERROR_UNSUPPORTED: other dimensions or scalars than this version has. */
XL_NODISCARD XL_API xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc,
                                             xl_grid **grid);

/* How many bytes a grid of up to n points lives in: the cell table or the list of rows, the
 * reordered points and what the build needs on the way; about 40 bytes a point, with a table 44.
 * Pure, monotone in n. */
XL_NODISCARD XL_API xl_status xl_grid_scratch(const xl_grid *grid, size_t n, size_t *bytes,
                                              size_t *alignment);

/* Enqueues a build; never blocks. Waits, event, queue, threads and failure as
 * xl_scan_enqueue_sized(). A non-finite point, or one outside the given box, is found by the
 * device: xl_grid_status() tells. A build replaces the last one; do not let it overlap with
 * searches of that. Where one of `waits` ends in an error there is no grid until the next build:
 * xl_grid_status() says so, and searches take it for a build that failed. `size` is the size of
 * *args, here and below: from C take the functions without _sized, which pass it. */
XL_NODISCARD XL_API xl_status xl_grid_build_enqueue_sized(xl_grid *grid, cl_command_queue queue,
                                                          const xl_grid_build_args *args,
                                                          size_t size, cl_uint num_waits,
                                                          const cl_event *waits, cl_event *event);

/* Waits for the events given and for `queue`'s read, then says how the last
 * build went: XL_SUCCESS, XL_ERROR_NON_FINITE or XL_ERROR_OUT_OF_DOMAIN with the
 * first index in `report` (at most `size` bytes of it; may be NULL) and in the error text. BLOCKS.
 * XL_ERROR_INVALID_ARGUMENT before the first build, as from every call that needs
 * one; and, with `report` left alone, where the build has not run or its storage was
 * overwritten since. */
XL_NODISCARD XL_API xl_status xl_grid_status_sized(xl_grid *grid, cl_command_queue queue,
                                                   xl_grid_report *report, size_t size,
                                                   cl_uint num_waits, const cl_event *waits);

/* Enqueues the gather out[k] = in[order[k]], where order is the grid's: see
 * xl_grid_algorithm.
 * For arrays that belong to the points. After a build that failed the order is some order of all
 * points. */
XL_NODISCARD XL_API xl_status xl_grid_reorder_enqueue_sized(xl_grid *grid, cl_command_queue queue,
                                                            const xl_grid_reorder_args *args,
                                                            size_t size, cl_uint num_waits,
                                                            const cl_event *waits, cl_event *event);

/* Lets go of a grid; NULL is ignored. */
XL_API void xl_grid_destroy(xl_grid *grid);

/* Makes a search plan for grids of the same context; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc,
                                                  xl_neighbors **plan);

/* Scratch of the calls below for up to n queries, as xl_scan_scratch(). */
XL_NODISCARD XL_API xl_status xl_neighbors_scratch(const xl_neighbors *plan, size_t n,
                                                   size_t *bytes, size_t *alignment);

/* Enqueues the count of each point's neighbours among the points of the grid, in the order they
 * were given to the build. A grid whose build failed (see xl_grid_status()) has all counts 0 and,
 * so that nobody takes that for a result, offsets[n] = UINT64_MAX. So has a search that a device
 * cannot do which ends long loops (docs/drivers.md, llvmpipe): a point with too many candidates, or
 * too many neighbours to put into order, has a count of UINT32_MAX, and offsets[n] = UINT64_MAX. */
XL_NODISCARD XL_API xl_status xl_neighbors_count_enqueue_sized(
    xl_neighbors *plan, xl_grid *grid, cl_command_queue queue, const xl_neighbors_count_args *args,
    size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

/* Enqueues the fill of the list: row i holds, from offsets[i] on, the indices of the neighbours of
 * point i. */
XL_NODISCARD XL_API xl_status xl_neighbors_fill_enqueue_sized(
    xl_neighbors *plan, xl_grid *grid, cl_command_queue queue, const xl_neighbors_fill_args *args,
    size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

/* Enqueues sums over pairs without a list: out[i] is what visit() of the descriptor makes of
 * `start` over the neighbours of point i. The order of visits is fixed, so equal input gives
 * equal bits on one device. For a grid whose build failed, out[i] is NaN, and for a point with more
 * candidates than the device can go through. */
XL_NODISCARD XL_API xl_status xl_neighbors_visit_enqueue_sized(
    xl_neighbors *plan, xl_grid *grid, cl_command_queue queue, const xl_neighbors_visit_args *args,
    size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

/* Lets go of a plan; NULL is ignored. */
XL_API void xl_neighbors_destroy(xl_neighbors *plan);

XL_EXTERN_C_END

/* The defaults, and the size of the structure as its user knows it. */
static inline void xl_grid_desc_init(xl_grid_desc *desc)
{
    xl_grid_desc_init_sized(desc, sizeof *desc);
}

/* The defaults, and the size of the structure as its user knows it. */
static inline void xl_neighbors_desc_init(xl_neighbors_desc *desc)
{
    xl_neighbors_desc_init_sized(desc, sizeof *desc);
}

/* As the functions of the same names and _sized. */
XL_NODISCARD static inline xl_status xl_grid_build_enqueue(xl_grid *grid, cl_command_queue queue,
                                                           const xl_grid_build_args *args,
                                                           cl_uint num_waits, const cl_event *waits,
                                                           cl_event *event)
{
    return xl_grid_build_enqueue_sized(grid, queue, args, sizeof *args, num_waits, waits, event);
}

XL_NODISCARD static inline xl_status xl_grid_status(xl_grid *grid, cl_command_queue queue,
                                                    xl_grid_report *report, cl_uint num_waits,
                                                    const cl_event *waits)
{
    return xl_grid_status_sized(grid, queue, report, sizeof *report, num_waits, waits);
}

XL_NODISCARD static inline xl_status xl_grid_reorder_enqueue(xl_grid *grid, cl_command_queue queue,
                                                             const xl_grid_reorder_args *args,
                                                             cl_uint num_waits,
                                                             const cl_event *waits, cl_event *event)
{
    return xl_grid_reorder_enqueue_sized(grid, queue, args, sizeof *args, num_waits, waits, event);
}

XL_NODISCARD static inline xl_status
xl_neighbors_count_enqueue(xl_neighbors *plan, xl_grid *grid, cl_command_queue queue,
                           const xl_neighbors_count_args *args, cl_uint num_waits,
                           const cl_event *waits, cl_event *event)
{
    return xl_neighbors_count_enqueue_sized(plan, grid, queue, args, sizeof *args, num_waits, waits,
                                            event);
}

XL_NODISCARD static inline xl_status
xl_neighbors_fill_enqueue(xl_neighbors *plan, xl_grid *grid, cl_command_queue queue,
                          const xl_neighbors_fill_args *args, cl_uint num_waits,
                          const cl_event *waits, cl_event *event)
{
    return xl_neighbors_fill_enqueue_sized(plan, grid, queue, args, sizeof *args, num_waits, waits,
                                           event);
}

XL_NODISCARD static inline xl_status
xl_neighbors_visit_enqueue(xl_neighbors *plan, xl_grid *grid, cl_command_queue queue,
                           const xl_neighbors_visit_args *args, cl_uint num_waits,
                           const cl_event *waits, cl_event *event)
{
    return xl_neighbors_visit_enqueue_sized(plan, grid, queue, args, sizeof *args, num_waits, waits,
                                            event);
}

#endif
