/* SPDX-License-Identifier: MIT
 * A grid of cells over points in space: the index that crosslane/neighbors.h and
 * crosslane/nearest.h search. An index of n points {x, y, z} in f32:
 *
 *     xl_plan *grid;
 *     xl_grid_index *index;
 *     xl_grid_desc desc;
 *     xl_grid_desc_init(&desc);
 *     desc.cell_size = 1.5;
 *     xl_grid_create(ctx, &desc, &grid);
 *     xl_grid_index_create(ctx, &index);
 *     xl_grid_build_args args = {.n = n, .points = xl_view_of(buffer, 0)};
 *     xl_grid_build_enqueue(grid, index, queue, &args, 0, NULL, NULL);
 *
 * The plan, `grid`, is how to build. A build fills an xl_grid_index: the points in order, and where
 * cells begin. Any number of indices may exist, built by one plan or by several. docs/neighbors.md
 * has examples.
 *
 * A row is all cells with one y and one z. If the box has few cells for its points, an index has a
 * table of cells. Otherwise it has a list of the rows that contain points, so that a distant point
 * costs one row. With XL_GRID_AUTO, CPUs always list rows. Searches find the same neighbours
 * either way.
 *
 * Sources: Green, "Particle simulation using CUDA" (2010); counting: Hoetzlein, "Fast fixed-radius
 * nearest neighbors" (2014); sample sort: Frazer and McKellar (1970); bitonic sort: Lee and Kim,
 * "Fast access method of neighboring particles using bitonic sort based GPU hashing" (2022). */
#ifndef CROSSLANE_GRID_H
#define CROSSLANE_GRID_H

#include <crosslane/plan.h>
#include <crosslane/space.h>

typedef struct xl_grid_index xl_grid_index;

/* How a build orders points. The order does not depend on it: by row (z, then y), x, index
 * (docs/neighbors.md, "The order of visits"). XL_GRID_AUTO takes the fastest on the device.
 * The others make a table whenever there is room for its cells. */
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING = 1, /* a table: count, scan, scatter; rows: sample sort up to the tunable
                             grid.sampled points, the library's sort for more */
    XL_GRID_BITONIC = 2   /* the library's bitonic sort */
} xl_grid_algorithm;

/* How points are laid out in memory. */
typedef enum xl_points_layout {
    XL_POINTS_AOS = 0, /* the coordinates of a point are adjacent: an array of structures */
    XL_POINTS_SOA = 1  /* an array for each axis */
} xl_points_layout;

/* Start from xl_grid_desc_init(), then set cell_size for searches within a radius, and space if it
 * is bounded. Searches of an index are made from the grid's plan (crosslane/neighbors.h,
 * crosslane/nearest.h). */
typedef struct xl_grid_desc {
    uint32_t version; /* set by xl_grid_desc_init() */

    /* The points. */
    xl_space space;  /* default: 3 dimensions, XL_F32, bounds found. With XL_F64, cells are made of
                        floats relative to the lower corner of the box: give a box if points are far
                        from the origin, or builds are slow */
    uint32_t layout; /* xl_points_layout, of points and of given queries */
    uint32_t stride; /* scalars from one point to the next, at least space.dimensions; default 3 for
                        any dimensions: set 2 for adjacent {x, y}. No effect with XL_POINTS_SOA */

    /* The edge of the cells of the grid along y and z. Any edge is right; it changes the time and
     * the order of visits alone. For searches within a radius, set cell_size to the radius. For the
     * k nearest, leave both at 0. If both are above 0, the edge is the longer of the two. */
    double cell_size;       /* the edge, a float; 0 (default): no effect */
    double points_per_cell; /* the average number of points in a cell: each build computes the edge
                               from a sample of its points, without a twentieth at either end of each
                               axis. If that gives too many cells for a table, the edge becomes up to
                               3 times as long. 0 (default): no effect, or 2 if cell_size is 0 */
    uint32_t algorithm;     /* xl_grid_algorithm */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* grid.*, and sort.* for the sort inside */
} xl_grid_desc;

/* How a build came out. */
typedef struct xl_grid_report {
    uint64_t points;           /* n of the build */
    uint64_t non_finite;       /* points with a NaN or an infinity */
    uint64_t first_non_finite; /* the lowest index of one; UINT64_MAX if none */
    uint64_t out_of_domain;    /* points outside the box of the space or of their system
                                  (space.wrap: not movable inside), or of no valid system */
    uint64_t first_out_of_domain;
    uint32_t sparse;      /* 1: rows are listed; 0: there is a table */
    uint32_t table_cells; /* entries that the table has room for, or listed rows */
    uint32_t cells[3];    /* cells of the table along each axis, in a batch along z those of all
                             systems; 0 if rows are listed */
    double lower[3];      /* the box of the points; if bounds are given, that of the space */
    double upper[3];
} xl_grid_report;

/* The space of one system, as in xl_space. If all of it is 0, the system is open: its points may be
 * anywhere. */
typedef struct xl_system_cell {
    double origin[3];
    double cell[3][3];
    uint32_t periodic;
} xl_system_cell;

/* The arguments of the calls. A view that is left out is not given. Outputs and storage must not
 * overlap any other view. Inputs are not changed. */
typedef struct xl_grid_build_args {
    size_t n;         /* points, at most 2^32 - 2 */
    xl_view points;   /* (n - 1) * stride + dimensions scalars; the offset is in scalars, so points
                         {mass, x, y, z} have stride 4 and offset 1. XL_POINTS_SOA: n scalars, x */
    xl_view points_y; /* XL_POINTS_SOA with 2 or 3 dimensions: n scalars */
    xl_view points_z; /* XL_POINTS_SOA with 3 dimensions: n scalars */
    xl_view systems;  /* of a batch: n u32, the system of each point, below
                         space.num_systems */
    const xl_system_cell *cells; /* XL_BOUNDS_PER_SYSTEM: space.num_systems of them, in HOST memory;
                                    read before the call returns. A system costs some microseconds
                                    on the host, and 320 bytes (XL_F64: 640) of device memory beside
                                    the storage. Otherwise NULL */
    xl_view storage; /* xl_grid_scratch() bytes; as args.scratch in plan.h. The index retains it
                         and stays in it until its next build: do not write to it, and let no search
                         of its old contents run on another queue. Not given: the index's own
                         memory, for which the library takes care of that */
} xl_grid_build_args;

typedef struct xl_grid_reorder_args {
    size_t element_bytes; /* a multiple of 4 */
    uint32_t back;        /* 0: from the order of the points to that of the index. 1: back */
    xl_view in, out;      /* an element for each point; offsets in elements */
} xl_grid_reorder_args;

typedef struct xl_grid_moved_args {
    double distance; /* finite and at least 0; rounded to the scalar of the points, its square must
                        be a normal number or 0 */
    xl_view points;  /* where the n points of the index are now, in the order in which they were
                        passed to its build, and laid out as this plan says */
    xl_view points_y, points_z;
    xl_view moved; /* one u32, whatever it contains; kernels must be able to read and to write it */
} xl_grid_moved_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_grid_desc_init(desc) xl_grid_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_grid_desc_init_version(xl_grid_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc,
                                             xl_plan **grid);

/* Stores in *bytes the size of args->storage for an index of up to args->n points. Other arguments
 * are ignored. It is about 37 bytes a point if points are counted, 40 if they are sorted (as on
 * CPUs), and up to 64 KiB and 0.1 % more. XL_F64 adds 24 bytes a point, a batch 4, space.wrap 12.
 * Does not block. */
XL_NODISCARD XL_API xl_status xl_grid_scratch(const xl_plan *grid, const xl_grid_build_args *args,
                                              size_t *bytes);

/* Makes an empty index for plans of this context, which it retains. Plans may be destroyed before
 * it. One thread at a time may build or destroy it, and no other thread may enqueue a search of it
 * at that time. */
XL_NODISCARD XL_API xl_status xl_grid_index_create(xl_context *ctx, xl_grid_index **index);

/* Destroys an index. NULL is ignored. Enqueued work still completes. */
XL_API void xl_grid_index_destroy(xl_grid_index *index);

/* Enqueues a build, which replaces the contents of the index. Later calls that use the index wait
 * for the build, on any queue (on some drivers such a call on another queue blocks,
 * docs/drivers.md). A point that is not finite, outside the given box or of no system makes the
 * build fail. The device finds it, so this call succeeds: xl_grid_index_status() reports it, and
 * searches find nothing. If an event in `waits` fails there is no index until the next build: the
 * status says so, and searches treat the build as failed, or fail themselves. */
XL_NODISCARD XL_API xl_status xl_grid_build_enqueue(xl_plan *grid, xl_grid_index *index,
                                                    cl_command_queue queue,
                                                    const xl_grid_build_args *args,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);

/* Reads how the last build came out. BLOCKS until `waits` are complete and `queue` has read it.
 * Returns XL_SUCCESS; XL_ERROR_NON_FINITE or XL_ERROR_OUT_OF_DOMAIN, with the first such index and
 * its coordinates in the error text; or XL_ERROR_INVALID_ARGUMENT, and *report is unchanged, if
 * there was no build, an event that it waited for failed, or its storage was overwritten. report
 * may be NULL. */
XL_NODISCARD XL_API xl_status xl_grid_index_status(xl_grid_index *index, cl_command_queue queue,
                                                   xl_grid_report *report, cl_uint num_waits,
                                                   const cl_event *waits);

/* Returns the event of the last build in *event; the caller releases it. It is for kernels of your
 * own (xl_grid_index_set_kernel_args() in crosslane/neighbors.h) that run on another queue than the
 * build, or out of order: they must wait for it. The next build then takes new memory, if the index
 * owns its storage, so that such kernels may still run. Does not block, except on drivers whose
 * queues cannot wait for each other (docs/drivers.md).
 * XL_ERROR_INVALID_ARGUMENT: a NULL, no build, or an event that the build waited for has failed. */
XL_NODISCARD XL_API xl_status xl_grid_index_event(xl_grid_index *index, cl_event *event);

/* Enqueues out[k] = in[order[k]], where order is that of the index: for arrays that belong to the
 * points. With args->back, out[order[k]] = in[k]: for results that were computed in the order of
 * the index. The plan must have the same tunable grid.planes as the one that built the index. After
 * a failed build the order is some permutation of all points. */
XL_NODISCARD XL_API xl_status xl_grid_reorder_enqueue(xl_plan *grid, xl_grid_index *index,
                                                      cl_command_queue queue,
                                                      const xl_grid_reorder_args *args,
                                                      cl_uint num_waits, const cl_event *waits,
                                                      cl_event *event);

/* Enqueues a count of the points that are farther than `distance` from where the last build found
 * them. It tells whether a list of neighbours with a skin must be made again: a list with the
 * radius r + skin contains every pair within r until a point moves by more than skin / 2 (Verlet,
 * Phys. Rev. 159, 98, 1967). docs/neighbors.md has an example.
 *
 * A point counts if ((dx*dx + dy*dy) + dz*dz) > distance*distance, in the precision of the
 * coordinates; each operation is rounded once. dx is now.x - was.x; along a periodic axis of period
 * L it is (now.x - was.x) - s * L, with the whole number s that makes it nearest to 0, so points
 * may be wrapped into the box in between. With space.wrap both are the moved positions. In a cell,
 * a point counts if this holds for every image. A point counts also if it is not finite, or if now
 * - was, as a query, is too far for images (crosslane/neighbors.h). Rounding: with
 *     distance = skin / 2 - 2^-21 * ((r + skin) + the longest period, or 0)
 * no pair is missed because of rounding. In a cell, the longest period is four times the longest
 * edge of the report's box. With XL_F64 the factor is 2^-50.
 *
 * `moved` is UINT32_MAX if there is no sound index: the build failed, has not run, or its storage
 * was overwritten. The plan must have the dimensions, the scalar, space.wrap and the tunable
 * grid.planes of the index, and a cell that is no box, or cells per system, if the index has.
 * XL_ERROR_UNSUPPORTED: in a cell, a distance of more than 2^20 heights. */
XL_NODISCARD XL_API xl_status xl_grid_moved_enqueue(xl_plan *grid, xl_grid_index *index,
                                                    cl_command_queue queue,
                                                    const xl_grid_moved_args *args,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);

XL_EXTERN_C_END

#endif
