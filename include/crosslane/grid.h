/* SPDX-License-Identifier: MIT
 * A grid of cells over points in space: the index that crosslane/neighbors.h searches.
 *
 * xl_grid is a plan: how to build. A build makes an xl_grid_index: the points in order, and where
 * cells begin. Any number of these may live at once, of one plan or of several: a fluid's and its
 * walls', or this step's and the last one's.
 *
 * Build: bounding box -> row and cell of each point -> points in this order -> where they begin
 * (Green, "Particle simulation using CUDA", 2010; by counting as in Hoetzlein, "Fast fixed-radius
 * nearest neighbors", 2014; the sort by a bitonic network as in Lee and Kim, "Fast access method of
 * neighboring particles using bitonic sort based GPU hashing", 2022). A row is all cells of one y
 * and one z. Where the box has few cells for its points, they have a table; else the rows that have
 * points are listed, so that a point far off costs one row. CPUs always list rows. */
#ifndef CROSSLANE_GRID_H
#define CROSSLANE_GRID_H

#include <crosslane/plan.h>

typedef struct xl_grid_index xl_grid_index;

/* How points are brought into order. Either way a grid with a table has one order: by row (z, then
 * y), by cell along x, then by index; and one with rows listed: by row, by x, then by index.
 * XL_GRID_AUTO takes what is faster on the device: a table by counting, or on CPUs rows by the
 * library's sort. The others have a table wherever it has room for the cells. */
typedef enum xl_grid_algorithm {
    XL_GRID_AUTO = 0,
    XL_GRID_COUNTING =
        1,              /* count per cell, scan, scatter; rows, of up to grid.sampled points, by
                           sample sort (Frazer and McKellar 1970), of more by the library's sort */
    XL_GRID_BITONIC = 2 /* both by the library's bitonic sort */
} xl_grid_algorithm;

/* How the points lie in memory. */
typedef enum xl_points_layout {
    XL_POINTS_AOS = 0, /* the coordinates of a point side by side: an array of structures */
    XL_POINTS_SOA = 1  /* those of an axis side by side: an array for each axis */
} xl_points_layout;

/* How space repeats, for searches: their desc.periodic. A search of XL_REPEATS_CELL takes indices
 * of boxes that repeat as well. */
typedef enum xl_repeats {
    XL_REPEATS_NOT = 0,
    XL_REPEATS_BOX = 1, /* along axes, with the edges of a box as periods: xl_grid_desc.periodic */
    XL_REPEATS_CELL = 2 /* along the vectors of a cell of any form: xl_grid_desc.triclinic */
} xl_repeats;

/* Start from xl_grid_desc_init(); cell_size must be set. */
typedef struct xl_grid_desc {
    uint32_t version;      /* set by xl_grid_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t dimensions;   /* 1, 2 or 3; 3 is the default */
    uint32_t scalar;       /* xl_type of coordinates: XL_F32, or, where the device has double
                              precision, XL_F64. A search of the index has the same */
    uint32_t stride;       /* scalars from one point to the next, `dimensions` or more; default 3.
                              Of XL_POINTS_SOA it means nothing: scalars follow each other */
    float cell_size;       /* edge of a cell along y and z, in the unit of the points; best the
                              search radius, and right for any */
    uint32_t bounded;      /* 0: the box is found from the points by a reduction; else the
                              box below, and a point outside it is XL_ERROR_OUT_OF_DOMAIN */
    float lower[3];        /* corners of the box; points on its faces are inside. The first
                              `dimensions` count, as in the report, where others are 0 */
    float upper[3];
    uint32_t algorithm; /* xl_grid_algorithm */
    /* Bit a: along axis a space repeats, with the period upper[a] - lower[a], which is above 0; the
       box must be given (bounded), and points be inside: a search meets their images as well */
    uint32_t periodic;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); grid.*, and scan.* and sort.*
     * for the scan or the sort that a build has inside. NULL: none */
    const xl_tunable *tunables;
    uint32_t layout;    /* xl_points_layout */
    uint32_t triclinic; /* 1: space repeats along the vectors of `cell` that `periodic` has a bit
                           of, bit 0 that of a, and not along axes */
    /* With `triclinic`: the vectors a, b and c of a cell, a row each; its corner is at `lower`. For
     * d dimensions d rows and d columns count. Any matrix whose rows are independent is accepted,
     * of either hand, and is used as it is given. `upper` and `bounded` have no effect. The image S
     * = (Sa, Sb, Sc) of point P[j], three whole numbers, is moved along each axis k by
     *     (Sa*cell[0][k] + Sb*cell[1][k]) + Sc*cell[2][k]
     * so that the vector from P[i] to it is -((P[i] - P[j]) - that), in the precision of the
     * coordinates, each operation rounded once, no contraction. A vector that `periodic` has no bit
     * of has no images.
     * All points must be in the box around the cell, which the report has; there they may be in the
     * cell or not. The box is larger by 2^-20 of its size and of its largest coordinate, for points
     * that were rounded. XL_ERROR_INVALID_ARGUMENT: rows that span no volume; or a cell so far from
     * the origin, or vectors so long beside the shortest ones of the same lattice, that rounding
     * moves images by several heights of the cell */
    float cell[3][3];
    /* The box of XL_F64, whose `lower` and `upper` stay 0, as these do of XL_F32. Its coordinates
       less its lower corner are rounded to floats, by which points are put into cells; without a
       box, their coordinates are. So far from the origin, give one. Points that are further off
       than the largest float, or than what cells can tell apart, cost time, and no accuracy */
    double lower_f64[3], upper_f64[3];
    /* The cell of XL_F64, whose `cell` stays 0, as this does of XL_F32. Its corner is `lower_f64`,
       and `upper_f64` means nothing. Images are moved in double precision; the box around it is
       larger by 2^-20 of its size, but only 2^-48 of its largest coordinate: the cell may be 2^48
       periods off */
    double cell_f64[3][3];
    /* 0: all points are of one system. Else a batch of so many independent systems, at most 2^20:
     * molecules, replicas, frames. Each point is of one of them (xl_grid_build_args.systems), and
     * meets no point of another. All have the same box and the same space; a system may have any
     * number of points, and these may stand anywhere among the others. Cells along z are numbered
     * one system behind the other; where rows are listed, and n systems reach over more than
     * 2^31 / n cells along z, what lies above these is searched as one cell */
    uint32_t num_systems;
} xl_grid_desc;

/* What the device found while it built an index. */
typedef struct xl_grid_report {
    uint32_t sparse;     /* 1: rows of cells are listed, as a table has none or too little room */
    uint64_t points;     /* n of the last build */
    uint64_t non_finite; /* points with a NaN or an infinity */
    uint64_t first_non_finite; /* the smallest such index; UINT64_MAX if none */
    uint64_t out_of_domain;    /* points outside the given box, or of a system that is none */
    uint64_t first_out_of_domain;
    float lower[3]; /* the box of the points, or the box given */
    float upper[3];
    uint32_t cells[3];    /* cells of the table per axis, of a batch along z those of all systems;
                             all 0 where rows are listed */
    uint32_t table_cells; /* entries there are room for in the table, or rows that are listed */
    double lower_f64[3];  /* the box in double precision, which of XL_F64 is rounded above */
    double upper_f64[3];
} xl_grid_report;

/* What the calls work on; a view that is left out is not given. */
typedef struct xl_grid_build_args {
    size_t n;        /* points, at most 2^32 - 2 */
    xl_view points;  /* of each point its x y z, one after the other, and from one x to the next
                        `stride` scalars: (n - 1) * stride + dimensions in all. Its offset counts
                        scalars: points {mass, x, y, z} have stride 4 and begin at offset 1. Not
                        changed. Of XL_POINTS_SOA only x: n scalars */
    xl_view storage; /* xl_grid_scratch() bytes, offset in bytes; the index lives there until its
                        next build, so leave it alone, and let no search of what it was before
                        still be under way on another queue; or not given: the index's own, which
                        sees to that */
    xl_view points_y, points_z; /* of XL_POINTS_SOA: n scalars each, of as many axes as there are;
                                   else not given */
    xl_view systems; /* of a batch: n u32, the system of each point, below desc.num_systems; one
                        that is not is XL_ERROR_OUT_OF_DOMAIN. Not changed. Else not given */
} xl_grid_build_args;

typedef struct xl_grid_reorder_args {
    size_t element_bytes; /* a multiple of 4 */
    xl_view in, out;      /* an element for each point, offsets in elements; may not overlap */
    uint32_t back;        /* 0: from the order in which the points were given to that of the index;
                             else from the index's to the given one */
} xl_grid_reorder_args;

typedef struct xl_grid_moved_args {
    float distance; /* finite, and 0, or above 0 and its square neither overflows nor underflows */
    xl_view points; /* where the n points of the index are now, in the order in which they were
                       given to its build and laid out as this plan has it: (n - 1) * stride +
                       dimensions scalars, offset in scalars. Not changed */
    xl_view moved;  /* one u32, whatever it holds before; not of a buffer that kernels may only
                       write or only read */
    xl_view points_y, points_z; /* as in xl_grid_build_args */
    double distance_f64; /* of XL_F64, whose `distance` stays 0, as this does of XL_F32; its square
                            is then one of double precision, as all of the comparison is */
} xl_grid_moved_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_grid_desc_init(desc) xl_grid_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_grid_desc_init_version(xl_grid_desc *desc, uint32_t version);

/* Makes a grid plan; as xl_scan_create(). Threads may share it. XL_ERROR_INVALID_ARGUMENT: a cell
 * size that is not finite and above 0, a box that is empty or not finite, a stride below the
 * dimensions, a period without a box, a cell without a volume. XL_ERROR_UNSUPPORTED: other
 * dimensions or scalars than this version has, or the device. */
XL_NODISCARD XL_API xl_status xl_grid_create(xl_context *ctx, const xl_grid_desc *desc,
                                             xl_plan **grid);

/* How many bytes an index of up to n points lives in, and is built in. What lasts is the reordered
 * points, 16 bytes each, and the cell table, of at most grid.table (4) entries of 4 bytes a point,
 * or the list of rows, at most 12 bytes a point: 32 bytes a point in all, wherever the points lie,
 * and less in a given box of few cells. What the build needs on the way makes it 37 where points
 * are counted and at most grid.sampled (grid.sampled_alone in a given box with too many cells for
 * a table), else, as on CPUs, 40; and up to 64 KiB more, and a thousandth. Of XL_F64 the
 * coordinates last as well: 24 bytes a point more; and of a batch the systems: 4. Pure, monotone in
 * n. */
XL_NODISCARD XL_API xl_status xl_grid_scratch(const xl_plan *grid, const xl_grid_build_args *args,
                                              size_t *bytes);

/* An index of nothing yet, for plans of this context. One thread at a time may build it or destroy
 * it, and none may enqueue a search of it meanwhile. */
XL_NODISCARD XL_API xl_status xl_grid_index_create(xl_context *ctx, xl_grid_index **index);

/* Lets go of an index; NULL is ignored. Commands under way keep what they need. */
XL_API void xl_grid_index_destroy(xl_grid_index *index);

/* Enqueues a build of `index`, which replaces what it was; never blocks. Waits, event, queue,
 * threads and failure as xl_scan_enqueue(). Calls that use the index wait for its build by
 * themselves, on whatever queue. (Where a driver's queues cannot wait for each other's commands,
 * docs/drivers.md, a call on another queue than the build's blocks until the build is done.)
 * A non-finite point, or one outside the given box or of no system of the batch, is found by the
 * device: xl_grid_index_status() tells. Where one of `waits` ends in an error there is no index
 * until the next build: xl_grid_index_status() says so, and searches take it for a build that
 * failed, or on another queue fail themselves. */
XL_NODISCARD XL_API xl_status xl_grid_build_enqueue(xl_plan *grid, xl_grid_index *index,
                                                    cl_command_queue queue,
                                                    const xl_grid_build_args *args,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);

/* Waits for the events given and for `queue`'s read, then says how the last
 * build went: XL_SUCCESS, XL_ERROR_NON_FINITE or XL_ERROR_OUT_OF_DOMAIN with the
 * first index in `report` (at most `size` bytes of it; may be NULL) and in the error text, which
 * has its coordinates, too. BLOCKS.
 * XL_ERROR_INVALID_ARGUMENT before the first build, as from every call that needs
 * one; and, with `report` left alone, where the build has not run or its storage was
 * overwritten since. */
XL_NODISCARD XL_API xl_status xl_grid_index_status(xl_grid_index *index, cl_command_queue queue,
                                                   xl_grid_report *report, cl_uint num_waits,
                                                   const cl_event *waits);

/* The event of the last build, for kernels of your own that search the index
 * (xl_grid_index_set_kernel_args() in crosslane/neighbors.h) on another queue than the build's, or
 * on one out of order: they wait for it. The caller releases it. The next build then takes storage
 * of its own, if the index owns it, so that such kernels may still be under way. Kernels on the
 * in-order queue of the build need none of this. Where a driver's queues cannot wait for each
 * other's commands (docs/drivers.md) this BLOCKS until the build is done.
 * XL_ERROR_INVALID_ARGUMENT: a NULL, or there is no build, or an event that it waited for failed.
 */
XL_NODISCARD XL_API xl_status xl_grid_index_event(xl_grid_index *index, cl_event *event);

/* Enqueues the gather out[k] = in[order[k]], where order is that of the index, which a plan with
 * the same tunable grid.planes as this one has built: see xl_grid_algorithm. For arrays that belong
 * to the points. With `back` it is the scatter out[order[k]] = in[k], which undoes that: for what
 * was computed in the index's order. After a build that failed the order is some order of all
 * points. */
XL_NODISCARD XL_API xl_status xl_grid_reorder_enqueue(xl_plan *grid, xl_grid_index *index,
                                                      cl_command_queue queue,
                                                      const xl_grid_reorder_args *args,
                                                      cl_uint num_waits, const cl_event *waits,
                                                      cl_event *event);

/* Enqueues the count of the points that are farther than `distance` from where the last build of
 * the index found them, into `moved`. For lists of neighbours that are used again: one that was
 * made with the radius r + skin has every pair within r for as long as no point has moved by more
 * than half the skin, since two points then came closer by the skin at most (Verlet, "Computer
 * 'experiments' on classical fluids", Phys. Rev. 159, 98, 1967). Nothing comes back to the host
 * inside of the call: read the number when you like, or let a kernel of your own decide by it.
 *
 * A point counts if
 *     ((dx*dx + dy*dy) + dz*dz) > distance*distance
 * (dy and dz 0 where points have fewer dimensions) in single precision, each operation rounded
 * once, no contraction, as searches compare, subnormal numbers as they do; exactly at the distance
 * it does not. dx is now.x - was.x. Along an axis of the index that is periodic, of period L, it is
 * (now.x - was.x) - s * L for the whole number s that makes it the nearest to 0 (the minimum
 * image): points may have been put back into the box in between, or not. A point that is more than
 * some 2^20 periods off counts, and so does one of which a coordinate is not finite. Of a triclinic
 * cell a point counts if that holds for every image of it, with (now.x - was.x) less what the image
 * is moved by.
 *
 * Rounding: lists and this count are right in single precision, not in real numbers. With
 *     distance = skin / 2 - 2^-21 * ((r + skin) + the longest period, 0 without any)
 * no pair is missed for that either; where space repeats, of points that are in the box. Of a
 * triclinic cell the longest period is four times the longest edge of the report's box. Of XL_F64
 * all of it is in double precision, with 2^-50.
 *
 * `moved` is UINT32_MAX, which no count is, where there is nothing to compare with: the build found
 * points that are not finite or outside the box, has not run, or its storage was overwritten since.
 * n is that of the build; without points it is 0. Any plan of the index's dimensions and scalar,
 * and of the same tunable grid.planes as the plan that has built it, will do, a batch's or not; of
 * a triclinic cell's, any plan of some such cell. Neither `points`, `moved` nor the index's storage
 * may overlap. Never blocks, but as xl_grid_build_enqueue() says of other queues than the
 * build's; waits, event, queue, threads and failure as xl_scan_enqueue().
 * XL_ERROR_INVALID_ARGUMENT: a distance or a view that is none, an index that was never built, of
 * another context, of other dimensions or scalars, or of a triclinic cell where the plan is not.
 * XL_ERROR_UNSUPPORTED: in a triclinic cell, a distance of more than 2^20 heights of the cell (1 on
 * devices that end long loops). */
XL_NODISCARD XL_API xl_status xl_grid_moved_enqueue(xl_plan *grid, xl_grid_index *index,
                                                    cl_command_queue queue,
                                                    const xl_grid_moved_args *args,
                                                    cl_uint num_waits, const cl_event *waits,
                                                    cl_event *event);

XL_EXTERN_C_END

#endif
