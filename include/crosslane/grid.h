/* SPDX-License-Identifier: MIT
 * A grid of cells over points in space, and exact neighbour search on it.
 *
 * Build: bounding box -> cell of each point -> sort by cell -> cell bounds ->
 * reordered points (Green, "Particle simulation using CUDA", 2010; the sort by
 * a bitonic network as in Lee and Kim, "Fast access method of neighboring
 * particles using bitonic sort based GPU hashing", 2022; by counting as in
 * Hoetzlein, "Fast fixed-radius nearest neighbors", 2014).
 *
 * Search: neighbours of a query are the points with
 *     ((dx*dx + dy*dy) + dz*dz) < r*r
 * in single precision, each operation rounded once, no contraction: the same
 * pairs as the same loop over all pairs finds, for any coordinates. (A device that
 * takes subnormal numbers for 0 does so here too; that shows at radii below 2^-38.)
 * How far points lie from the origin, or from each other, costs no time: with cells of
 * the radius a query looks at the points of its cell and of those next to it, out to the
 * largest floats. */
#ifndef CROSSLANE_GRID_H
#define CROSSLANE_GRID_H

#include <crosslane/context.h>

typedef struct xl_grid xl_grid;
typedef struct xl_neighbors xl_neighbors;

/* How points are brought into the order of their cells. Both give the same
 * order: by cell (where cells are hashed, by entry of the table), then by index. */
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING = 1, /* count per cell, scan, scatter */
    XL_GRID_BITONIC = 2   /* the library's bitonic sort of (cell, index) */
} xl_grid_algorithm;

/* Start from xl_grid_desc_init(); cell_size must be set. */
typedef struct xl_grid_desc {
    uint32_t struct_size; /* set by xl_grid_desc_init() */
    uint32_t dimensions;  /* 3 */
    xl_type scalar;       /* XL_F32 */
    uint32_t stride;      /* scalars from one point to the next, 3 or more */
    float cell_size;      /* edge of a cell, in the unit of the points; best the search radius */
    int bounded;          /* 0: the box is found from the points by a reduction; else the
                             box below, and a point outside it is XL_ERROR_OUT_OF_DOMAIN */
    float lower[3];       /* corners of the box; points on its faces are inside */
    float upper[3];
    xl_grid_algorithm algorithm;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); grid.*, and scan.* and sort.*
     * for the scan or the sort that a build has inside. NULL: none */
    const xl_tunable *tunables;
    uint32_t num_tunables;
} xl_grid_desc;

/* What the device found while it built a grid or filled a list. */
typedef struct xl_grid_report {
    uint64_t points;           /* n of the last build */
    uint64_t non_finite;       /* points with a NaN or an infinity */
    uint64_t first_non_finite; /* the smallest such index; UINT64_MAX if none */
    uint64_t out_of_domain;    /* points outside the given box */
    uint64_t first_out_of_domain;
    float lower[3]; /* the box of the points, or the box given */
    float upper[3];
    uint32_t cells[3];    /* cells per axis; all 0 where cells are hashed */
    uint32_t table_cells; /* entries of the cell table */
    uint8_t hashed;       /* 1: the box has too many cells for a table of its own */
} xl_grid_report;

/* How neighbours are searched. Start from xl_neighbors_desc_init(); radius must
 * be set. */
typedef struct xl_neighbors_desc {
    uint32_t struct_size; /* set by xl_neighbors_desc_init() */
    float radius;         /* finite, above 0, and its square neither overflows nor underflows */
    int inclusive;        /* 0: distance < radius; 1: distance <= radius */
    int keep_self;        /* 0: the point itself (by index) is left out; 1: it counts too */
    int unsorted;         /* 0: rows in ascending order of index; 1: in cell order, cheaper */
    /* OpenCL C text for xl_neighbors_visit_enqueue(), or NULL. It defines
     *     float visit(float sum, float distance2, uint i, uint j, float4 params)
     * which is called for each pair in cell order, i the query and j the
     * neighbour, and returns the new sum. Errors point into it as "visit". */
    const char *visit;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); neighbors.*, and
     * scan.* for the scan that a count has inside. NULL: none */
    const xl_tunable *tunables;
    uint32_t num_tunables;
} xl_neighbors_desc;

XL_EXTERN_C_BEGIN

/* Fills in the size of the structure and the defaults. NULL is ignored. */
XL_API void xl_grid_desc_init(xl_grid_desc *desc);
XL_API void xl_neighbors_desc_init(xl_neighbors_desc *desc);

/* Makes a grid plan; as xl_scan_create(). XL_ERROR_INVALID_ARGUMENT: a cell size
 * that is not finite and above 0, a box that is empty or not finite, a stride
 * below 3. XL_ERROR_UNSUPPORTED: other dimensions or scalars than this version has. */
XL_NODISCARD XL_API xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc,
                                             xl_grid **grid);

/* How many bytes a grid of up to n points lives in: the cell table, the reordered
 * points and what the build needs on the way. Pure, monotone in n. */
XL_NODISCARD XL_API xl_status xl_grid_scratch(const xl_grid *grid, size_t n, size_t *bytes,
                                              size_t *alignment);

/* Enqueues the build over n points; never blocks.
 *   points   n * stride scalars, x y z first in each point; not changed; its
 *            offset counts scalars
 *   storage  xl_grid_scratch() bytes, offset in bytes; the grid lives there until
 *            the next build, so leave it alone; or not given: the grid's own, which a build
 *            enters when the last one is done with it
 * The rest as xl_scan_enqueue(); n is at most 2^32 - 2. A non-finite point, or
 * one outside the given box, is found by the device: xl_grid_status() tells.
 * A build replaces the last one; do not let it overlap with searches of that. Where one of
 * `waits` ends in an error there is no grid until the next build: xl_grid_status() says so, and
 * searches take it for a build that failed. */
XL_NODISCARD XL_API xl_status xl_grid_build_enqueue(xl_grid *grid, cl_command_queue queue, size_t n,
                                                    xl_view points, xl_view storage,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);

/* Waits for the events given and for `queue`'s read, then says how the last
 * build went: XL_SUCCESS, XL_ERROR_NON_FINITE or XL_ERROR_OUT_OF_DOMAIN with the
 * first index in `report` (may be NULL) and in the error text. BLOCKS.
 * XL_ERROR_INVALID_ARGUMENT before the first build, as from every call that needs
 * one; and, with `report` left alone, where the build has not run or its storage was
 * overwritten since. */
XL_NODISCARD XL_API xl_status xl_grid_status(xl_grid *grid, cl_command_queue queue,
                                             xl_grid_report *report, cl_uint num_waits,
                                             const cl_event *waits);

/* Enqueues the gather out[k] = in[order[k]] of elements of `element_bytes` (a
 * multiple of 4), where order is the grid's: by cell, then by index. For arrays
 * that belong to the points. `in` and `out` may not overlap; their offsets count
 * elements. After a build that failed the order is some order of all points. */
XL_NODISCARD XL_API xl_status xl_grid_reorder_enqueue(xl_grid *grid, cl_command_queue queue,
                                                      size_t element_bytes, xl_view in, xl_view out,
                                                      cl_uint num_waits, const cl_event *waits,
                                                      cl_event *event);

/* Lets go of a grid; NULL is ignored. */
XL_API void xl_grid_destroy(xl_grid *grid);

/* Makes a search plan for grids of the same context; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc,
                                                  xl_neighbors **plan);

/* Scratch of the calls below for up to n queries, as xl_scan_scratch(). */
XL_NODISCARD XL_API xl_status xl_neighbors_scratch(const xl_neighbors *plan, size_t n,
                                                   size_t *bytes, size_t *alignment);

/* Enqueues the count of each point's neighbours among the points of the grid,
 * n of them, in the order they were given to the build.
 *   counts   n u32, or not given
 *   offsets  n + 1 u64: the exclusive sum of the counts and, last, the number of
 *            pairs: CSR offsets; or not given
 * A grid whose build failed (see xl_grid_status()) has all counts 0 and, so that
 * nobody takes that for a result, offsets[n] = UINT64_MAX.
 * The rest as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_neighbors_count_enqueue(xl_neighbors *plan, xl_grid *grid,
                                                         cl_command_queue queue, xl_view counts,
                                                         xl_view offsets, xl_view scratch,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);

/* Enqueues the fill of the list: row i holds, from offsets[i] on, the indices of
 * the neighbours of point i.
 *   offsets   n + 1 u64 from xl_neighbors_count_enqueue() of this plan
 *   indices   `capacity` u32. A row that would end beyond `capacity` is not
 *             written at all. capacity < offsets[n] is therefore a shorter list,
 *             never a write out of bounds; offsets[n] is the capacity to give. */
XL_NODISCARD XL_API xl_status xl_neighbors_fill_enqueue(xl_neighbors *plan, xl_grid *grid,
                                                        cl_command_queue queue, xl_view offsets,
                                                        xl_view indices, uint64_t capacity,
                                                        cl_uint num_waits, const cl_event *waits,
                                                        cl_event *event);

/* Enqueues sums over pairs without a list: out[i] is what visit() of the
 * descriptor makes of `start` over the neighbours of point i. `params` is four
 * floats that visit() receives, read before the call returns; NULL for zeros.
 *   out  n f32, in the order the points were given to the build
 * The order of visits is fixed, so equal input gives equal bits on one device.
 * For a grid whose build failed, out[i] is NaN. */
XL_NODISCARD XL_API xl_status xl_neighbors_visit_enqueue(xl_neighbors *plan, xl_grid *grid,
                                                         cl_command_queue queue, float start,
                                                         const float *params, xl_view out,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);

/* Lets go of a plan; NULL is ignored. */
XL_API void xl_neighbors_destroy(xl_neighbors *plan);

XL_EXTERN_C_END

#endif
