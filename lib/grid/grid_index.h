/* SPDX-License-Identifier: MIT
 * An index, and all that searches within a radius (lib/neighbors) and for the nearest (lib/nearest)
 * use of lib/grid. */
#ifndef XLI_GRID_INDEX_H
#define XLI_GRID_INDEX_H

#include "primitive.h"
#include "space_check.h"

#include <crosslane/grid.h>
#include <string.h>

extern const xli_primitive *const xli_grid_primitive; /* grid.c */

/* The same words as xl_grid_header of cl/grid/grid_map.cl. */
typedef struct xli_grid_header {
    cl_ulong counted, sorted, sorted_again, flagged;
    cl_uint non_finite, first_non_finite;
    cl_uint out_of_domain, first_out_of_domain;
    cl_uint big, buckets, far_off, points, table;
    cl_uint sparse, rows, together, y_bits;
    cl_int first_y, first_z;
    cl_uint failed;
    cl_uint stamp;
    cl_uint cells[3];
    cl_float lower[3], upper[3];
    cl_int first[3];
    cl_float inverse, thin, beyond;
    cl_uint systems, layers;
    cl_int first_layer;
    cl_double box[6]; /* with XL_F64 alone */
} xli_grid_header;

/* The ways in which a build of n points may run, and where the parts of the storage start, in
 * bytes. Parts that are not needed at the same time share bytes. */
typedef struct xli_grid_layout {
    uint32_t table; /* entries of the table of starts, which has one word more; 0: there is none */
    uint32_t buckets;  /* for points whose rows are listed; 0: keys are sorted */
    uint32_t entries;  /* the larger of these */
    uint32_t overfull; /* cells that a work-group may have to sort */
    bool lists;        /* rows may be listed */
    size_t header;
    size_t found;     /* the box that each work-group found */
    size_t places;    /* buckets: the keys of the sample */
    size_t splitters; /* buckets: the keys between them */
    size_t parts;     /* buckets that are in order */
    size_t crowded;   /* the list of overfull cells */
    size_t keys;      /* sorting: 8 bytes a point */
    size_t unordered; /* counting: indices by entry */
    size_t sorted;    /* 16 bytes a point: position and index; behind them those of XL_F64 and of a
                         batch. Before that: scratch of the sort, or the next two */
    size_t bucket_of; /* counting: the entry of each point */
    size_t ranks;     /* counting: the number of points that came to the entry before */
    size_t starts;    /* the table; or the keys of rows */
    size_t begins;    /* where rows begin */
    size_t values;    /* sorting: indices; later flags of points that begin a row, and their sums */
    size_t totals;    /* of sums */
    size_t bytes;
} xli_grid_layout;

/* How space repeats: not, along the edges of a box, along the vectors of a skewed cell, or along
 * those of one cell per system. */
typedef enum xli_repeats {
    XLI_REPEATS_NOT,
    XLI_REPEATS_BOX,
    XLI_REPEATS_CELL,
    XLI_REPEATS_CELLS
} xli_repeats;

/* The box of the points, and the periods along its axes: 0 if there are none, and in a cell. */
typedef struct xli_grid_period {
    xli_repeats repeats;
    cl_float4 lower, upper, period;
    float extent; /* the largest coordinate or period */
} xli_grid_period;

/* The same with XL_F64, for any given box; zeros if none is given. */
typedef struct xli_grid_box {
    cl_double4 lower, upper, period;
    double extent;
    cl_float4 outside; /* in the grid's own coordinates: the next floats above its upper faces */
} xli_grid_box;

/* Sixteen numbers in the precision of the coordinates, by eight: kernel arguments. */
typedef union xli_grid_reals {
    cl_float f32[16];
    cl_double f64[16];
} xli_grid_reals;

/* Space that repeats as kernels take it (xl_cell_of() of cl/grid/grid_cell.cl): along the vectors
 * of a cell, or along the edges of a box. */
typedef struct xli_grid_lattice {
    bool wide;
    xli_grid_reals cell, slabs, rounding;
    cl_int16 whole;
    uint32_t rank;    /* vectors of the basis */
    double slack;     /* how far a coordinate rounds, at most, of its size */
    double along[3];  /* of it, the rounding of shifts, by the axis of the coordinate */
    double periods;   /* most heights of the basis that a radius may be, for images to be counted */
    double length[3]; /* of the basis, ascending, or more */
    double height[3]; /* of the basis, or less */
} xli_grid_lattice;

/* The table of cells in device memory (grid_cells.c). */
typedef struct xli_grid_table {
    cl_mem rows; /* NULL: there is no table */
    /* If there is a cell for each system: the longest radius that searches may have, and the system
     * that limits it. */
    double most_radius;
    uint32_t limits;
} xli_grid_table;

/* The result of the last build. Calls on the in-order queue of the build run behind it; all others
 * wait for its event. If a call on another queue may still use the index's own storage, the next
 * build gets new storage: to wait for that call might be a deadlock. */
struct xl_grid_index {
    xl_context *ctx;
    xli_pool pool;
    xli_mutex *lock; /* guards `elsewhere`, which searches change */
    bool built;
    cl_uint stamp; /* of the build, in its header; changes with each */
    size_t n;
    uint32_t dimensions, planes, scalar;
    uint32_t num_systems; /* of a batch; else 0 */
    bool bounded;
    bool wrap;            /* points outside were moved inside */
    xli_grid_table table; /* retained */
    xli_grid_period period;
    xli_grid_box box;
    xli_grid_lattice lattice;
    cl_mem storage;    /* retained */
    size_t storage_at; /* bytes */
    xli_span storage_span;
    xli_grid_layout layout;
    cl_command_queue queue; /* of the build, retained */
    bool in_order;
    cl_event done;  /* of the build */
    bool elsewhere; /* it was used since then on another queue, or on an out-of-order queue */
};

/* Where a part of an index's storage starts, in words: a kernel argument. */
#define XLI_GRID_PART(index, part)                                                                 \
    XLI_U64(((index)->storage_at + (index)->layout.part) / sizeof(cl_uint))

static inline size_t xli_scalar_bytes(uint32_t scalar)
{
    return scalar == XL_F64 ? sizeof(cl_double) : sizeof(cl_float);
}

/* A kernel argument: a number in the precision of the coordinates. */
static inline xli_arg xli_grid_real(uint32_t scalar, double number)
{
    const float narrow = (float)number;
    cl_uint bits;
    cl_ulong bits_f64;
    memcpy(&bits, &narrow, sizeof bits);
    memcpy(&bits_f64, &number, sizeof bits_f64);
    return scalar == XL_F64 ? XLI_U64(bits_f64) : XLI_U32(bits);
}

/* Longest n: indices and starts are 32 bits wide, and one value means "none". */
#define XLI_GRID_MAX_N ((uint64_t)UINT32_MAX - 1)

/* How many work-groups of which size take n elements. */
typedef struct xli_grid_shape {
    size_t groups, size;
} xli_grid_shape;
xli_grid_shape xli_grid_shape_of(const xli_kernel *kernel, size_t n, uint32_t group,
                                 uint32_t items);

/* grid_check.c: arguments, before any side effect. `name` is the field. */
xl_status xli_grid_check_n(xl_context *ctx, const char *name, size_t n, uint32_t stride);
/* How a plan searches: the indices that it takes, and its queries. */
typedef struct xli_search_form {
    uint32_t scalar, planes; /* planes: the tunable grid.planes */
    uint32_t dimensions;
    xli_repeats repeats;
    bool batch, given, soa; /* given: queries are given; soa: with an array for each axis */
    bool wrap;              /* points outside were moved inside */
    uint32_t stride;        /* of given queries */
} xli_search_form;

/* grid_kind.c: checks that the index was built in this context, and its order; its points; and all
 * of it. */
xl_status xli_grid_check_order(xl_context *ctx, const xl_grid_index *index, uint32_t planes);
xl_status xli_grid_check_points(xl_context *ctx, const xl_grid_index *index, uint32_t scalar,
                                uint32_t dimensions, bool wrap);
xl_status xli_grid_check_kind(xl_context *ctx, const xl_grid_index *index,
                              const xli_search_form *form);

/* grid_queries.c. XL_INDEX_PARAMETERS of cl/neighbors/neighbors_ranges.cl up to XL_BOX_PARAMETERS,
 * the last of them: the index, the search's reach and squared radius, and its space. */
enum { XLI_GRID_CELL_ARGS = 6, XLI_GRID_INDEX_ARGS = 15 + XLI_GRID_CELL_ARGS }; /* at most */
void xli_grid_add_index(const xl_grid_index *index, xli_arg reach, xli_arg radius2,
                        xli_repeats repeats, xli_args *args);
/* The box in the precision of the coordinates: its corners, periods, and largest coordinate. */
typedef struct xli_grid_box_args {
    xli_arg lower, upper, period, extent;
} xli_grid_box_args;
xli_grid_box_args xli_grid_box_args_of(const xl_grid_index *index);
/* XL_CELL_PARAMETERS of cl/grid/grid_cell.cl. */
typedef struct xli_grid_cell_args {
    xli_arg at[XLI_GRID_CELL_ARGS];
} xli_grid_cell_args;
xli_grid_cell_args xli_grid_cell_args_of(const xli_grid_lattice *lattice);
/* If space repeats along a vector for each dimension: a distance within which each point has k
 * images or more. Otherwise the same, plus the distance to the farthest point. */
double xli_grid_lattice_reach(const xli_grid_lattice *lattice, uint32_t k);

/* grid_kind.c: the form of a search that is made from a grid's plan. */
xl_status xli_grid_search_form(xl_context *ctx, const xl_plan *grid, uint32_t queries,
                               xli_search_form *form);

/* The arrays of given queries, in every search the first ones of a call. */
enum { XLI_QUERIES_X, XLI_QUERIES_Y, XLI_QUERIES_Z, XLI_QUERIES_SYSTEMS, XLI_QUERIES_ARRAYS };
xl_status xli_grid_check_num_queries(xl_context *ctx, const xli_search_form *form,
                                     const xl_grid_index *index, size_t num_queries);
/* The number of queries of a checked call. */
static inline size_t xli_grid_num_queries(const xli_search_form *form, const xl_grid_index *index,
                                          size_t num_queries)
{
    return form->given || !index ? num_queries : index->n;
}
/* Lists the arrays of n queries; axes: x, y and z, or all in the first. */
void xli_grid_list_queries(const xli_search_form *form, size_t n, const xl_view axes[3],
                           xl_view systems, xli_array *arrays);
/* The array of an axis: that of x if the axis has no array. */
const xli_span *xli_grid_axis(const xli_span *spans, uint32_t axis);
/* Adds the arguments of given queries from query `first` on; nothing for the index's points. */
enum { XLI_GRID_QUERY_ARGS = 8 }; /* at most */
void xli_grid_add_queries(const xli_search_form *form, const xli_span *spans, size_t first,
                          xli_args *args);

/* Checks a radius or a distance, in the field of that name; and that a search in the space of the
 * index needs no more images than it can loop over. */
xl_status xli_grid_check_radius(xl_context *ctx, const char *name, uint32_t scalar, double radius);
/* The square that kernels compare with; the radius and it are rounded to the scalar. */
double xli_grid_square(uint32_t scalar, double radius);
xl_status xli_grid_check_periods(xl_context *ctx, const xl_grid_index *index, const char *name,
                                 double radius);

/* Runs a kernel that looks at results of a search and answers in the words of its first argument,
 * a buffer; `rest` are the others. *answer: the words before and after. Blocks. */
xl_status xli_grid_ask(xl_context *ctx, cl_command_queue queue, xli_kernel *kernel,
                       xli_grid_shape shape, const xli_args *rest, void *answer, size_t bytes);

/* grid_space.c: checks that a plan of a grid in such a space can search the index. */
xl_status xli_grid_check_repeats(xl_context *ctx, const xl_grid_index *index, xli_repeats plan);

/* grid_index.c. Checks that there is something to search. */
xl_status xli_grid_index_check(xl_context *ctx, const xl_grid_index *index);
/* Begins a call that uses the index: checks that its arrays and its scratch do not overlap the
 * storage, and waits for the build if the queue does not. Comes before the first launch. */
xl_status xli_grid_index_use(xl_grid_index *index, xli_seq *seq, const xli_span *spans,
                             size_t count, const xli_span *scratch_or_null);

/* grid.c. How a kernel runs whose work-items each take one element at a time. */
void xli_grid_info_of(const xli_kernel *kernel, uint32_t group, uint32_t items,
                      const char *algorithm, xl_plan_details *details);

#endif
