/* SPDX-License-Identifier: MIT
 * The plan of a grid. grid.c makes it. Its calls: grid_build.c, grid_order.c
 * (an array into the order of an index and back) and grid_moved.c. grid_index.c owns the
 * result. */
#ifndef XLI_GRID_PLAN_H
#define XLI_GRID_PLAN_H

#include "grid_index.h"
#include "grid_sums.h"

#include <crosslane/sort.h>

/* The same words as xl_grid_found of cl/grid/grid.cl, and xl_grid_part of
 * cl/grid/grid_list.cl. */
typedef struct xli_grid_found {
    cl_uint low[3], high[3]; /* with XL_F64 twice as wide */
    cl_uint non_finite, first_non_finite;
    cl_uint out_of_domain, first_out_of_domain;
} xli_grid_found;

typedef struct xli_grid_part {
    cl_ulong first_row, last_row;
    cl_uint begin, heads;
} xli_grid_part;

typedef enum xli_grid_kernel {
    XLI_GRID_BOUNDS,
    XLI_GRID_INNER,
    XLI_GRID_SETUP,
    XLI_GRID_SPLIT,
    XLI_GRID_KEYS,
    XLI_GRID_SCATTER,
    XLI_GRID_ORDER,
    XLI_GRID_OVERFULL,
    XLI_GRID_LIST_PARTS,
    XLI_GRID_REORDER,
    XLI_GRID_REORDER_BACK,
    XLI_GRID_SORT_KEYS, /* the first of part XLI_GRID_SORTING */
    XLI_GRID_SORT_AGAIN,
    XLI_GRID_STARTS,
    XLI_GRID_GATHER,
    XLI_GRID_HEADS,
    XLI_GRID_LIST,
    XLI_GRID_MOVED_START, /* the first of part XLI_GRID_WATCHING */
    XLI_GRID_MOVED,
    XLI_GRID_KERNELS
} xli_grid_kernel;

/* Programs: that of creation; that of builds that sort, unless all builds of rows do: then they are
 * one; that of xl_grid_moved_enqueue(). */
typedef enum xli_grid_program {
    XLI_GRID_ALWAYS,
    XLI_GRID_SORTING,
    XLI_GRID_WATCHING,
    XLI_GRID_PROGRAMS
} xli_grid_program;

typedef struct xli_grid_plan {
    xl_plan base;
    xli_space space;
    uint32_t layout, stride, algorithm; /* stride: 1 for an array of each axis */
    float cell_size, points_per_cell;   /* as in xl_grid_desc; one is above 0 */
    float lower[3], upper[3];           /* of the box, in the grid's own coordinates */
    xli_tune_grid tune;
    float inverse;      /* 1 / cell size */
    float thin;         /* cells along x in the length of one along y */
    float beyond;       /* coordinates from which on cells of listed rows are numbered by bits */
    uint64_t box_cells; /* of a given box; UINT64_MAX if they are too many to count */
    uint32_t max_table;
    bool always_sorts; /* so do builds of few points */
    bool sorts;        /* a table is made by the library's sort instead of counting */
    bool counts;       /* builds may count */
    xli_grid_box box;
    xli_grid_lattice lattice;
    xli_grid_table table; /* of one cell, if points are moved inside */
    xli_sums sums;
    xl_plan *sort;
    xli_parts parts; /* XLI_GRID_... */
    xli_kernel kernels[XLI_GRID_KERNELS];
} xli_grid_plan;

/* The plan, or NULL if it is not a grid's. */
static inline xli_grid_plan *xli_grid_of(xl_plan *plan)
{
    return plan && plan->primitive == xli_grid_primitive ? (xli_grid_plan *)plan : NULL;
}

/* Sorted points of a plane, and some more: xl_grid_pitch() of cl/grid/grid_map.cl. */
static inline size_t xli_grid_pitch(size_t n)
{
    return (n + 31) / 16 * 16;
}

/* Tables larger than this cost more to clear than they save. */
#define XLI_GRID_MAX_TABLE ((uint32_t)1 << 26)
#define XLI_GRID_MIN_TABLE ((uint32_t)64)

/* grid_programs.c: builds a program if no call has needed it. */
xl_status xli_grid_build_program(xli_grid_plan *grid, xli_grid_program program);

/* grid_layout.c */
xl_status xli_grid_plan_layout(const xli_grid_plan *grid, size_t n, xli_grid_layout *layout);
/* Whether all builds that list rows sort keys. */
bool xli_grid_always_sorts(const xli_grid_plan *grid);
/* Whether a build is known to list rows, whether it counts points, and whether it sorts keys. */
bool xli_grid_lists(const xli_grid_plan *grid, const xli_grid_layout *layout);
bool xli_grid_counts(const xli_grid_plan *grid, const xli_grid_layout *layout);
bool xli_grid_sorts_keys(const xli_grid_plan *grid, const xli_grid_layout *layout);
/* Whether the device may find that a table for n points is too small. */
bool xli_grid_may_list(const xli_grid_plan *grid, size_t n);
/* Work-groups that loop over n elements: a few for each unit of the device, and more if a work-item
 * would loop over too many. */
xli_grid_shape xli_grid_few_groups(const xli_grid_plan *grid, xli_grid_kernel kernel, size_t n);
xl_status xli_grid_prepare(xl_plan *base, const void *args, const xli_span *spans);

/* grid_check.c: a descriptor but for its space. */
xl_status xli_grid_check_desc(xl_context *ctx, const xl_grid_desc *desc);

/* The arrays of points come first in a call: x, y and z, or all in the first. */
enum { XLI_POINTS_X, XLI_POINTS_Y, XLI_POINTS_Z, XLI_POINTS_ARRAYS };
void xli_grid_list_points(const xli_grid_plan *grid, size_t n, const xl_view axes[3],
                          xli_array *arrays);

/* grid_space.c. Checks that a skewed cell can be searched, and sets the box around it. */
xl_status xli_grid_fit_cell(xl_context *ctx, xli_space *space);
/* The box in the grid's own coordinates: with XL_F64 and bounds, floats relative to its lower
 * corner. Returns the box in double precision; zeros with XL_F32 or without bounds. */
xli_grid_box xli_grid_own_box(const xli_space *space, float lower[3], float upper[3]);
xli_grid_period xli_grid_period_of(const xli_space *space, const float lower[3],
                                   const float upper[3]);
xli_grid_lattice xli_grid_space_lattice(const xli_space *space);

/* grid_lattice.c. `given` has a vector in each row; space repeats along those in `periodic`. */
/* Whether the vectors are independent, and the numbers of a basis can be counted. */
bool xli_grid_lattice_is_sound(const double given[3][3], uint32_t periodic);
xli_grid_lattice xli_grid_lattice_of(const double given[3][3], uint32_t periodic,
                                     uint32_t dimensions, bool wide);

/* In of[i] the vector whose product with a point is the fraction of the point along vector i, for
 * each i of `mask`. The others must be at right angles to those, or independent and in it, too. */
void xli_grid_fractions_of(const double given[3][3], uint32_t mask, double of[3][3]);

/* grid_cells.c: makes the table of one cell; or, of the cells of all systems, after it has checked
 * them. */
xl_status xli_grid_table_of_one(xl_context *ctx, const xli_space *space,
                                const xli_grid_lattice *lattice, xli_grid_table *table);
xl_status xli_grid_table_of_all(xl_context *ctx, const xli_space *space,
                                const xl_system_cell *cells, xli_grid_table *table);

/* grid_index.c: begins a build of n points, whose arrays are `in`. If that succeeds, the storage
 * belongs to the build, even if the build then fails. The index retains the table. */
xl_status xli_grid_index_enter(xl_grid_index *index, xli_seq *seq, const xli_grid_plan *grid,
                               size_t n, xl_view storage, const xli_grid_table *table,
                               const xli_span in[4], xli_span *span);
/* Ends a build with `status`, and its sequence as xli_seq_end() does. index is NULL if the build
 * did not begin. */
xl_status xli_grid_index_leave(xl_grid_index *index, xli_seq *seq, xl_status status,
                               cl_event *event_or_null);

#endif
