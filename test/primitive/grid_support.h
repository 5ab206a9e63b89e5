/* SPDX-License-Identifier: MIT
 * Clouds of points, and a whole search compared with brute force: what the tests
 * of the grid and of the neighbour lists share. */
#ifndef GRID_SUPPORT_H
#define GRID_SUPPORT_H

#include "reference.h"
#include "xlt.h"

#include <string.h>

typedef struct cloud {
    float *xyz; /* n * stride; what lies between points is NaN */
    size_t n, stride;
    size_t dimensions;       /* 0: 3 */
    const uint32_t *systems; /* of each, where there is a batch of them; the test's */
} cloud;

cloud cloud_make(size_t n, size_t stride);
void cloud_free(cloud *c);
void cloud_set(cloud *c, size_t i, float x, float y, float z);
/* Its points on the device, up to the last one's last coordinate; see xlt_buffer_make(). */
xlt_buffer cloud_buffer(const cloud *c, size_t dimensions, size_t offset);
/* side^3 points `spacing` apart from 0 on, each moved by up to `jitter`. */
cloud cloud_lattice(size_t side, float spacing, float jitter, uint64_t seed);
/* Uniform in a cube with the corner `low` and the given edge. */
cloud cloud_uniform(size_t n, float low, float edge, uint64_t seed);

/* A grid over a cloud, in storage filled with 0xA5 that is watched by guards. */
typedef struct built {
    xl_grid *grid;
    xl_grid_index *index;
    xlt_buffer points, storage, systems;
    const cloud *cloud;
} built;

/* Clouds that reach far, whose points have few neighbours within 1: along an axis, or along
 * the diagonal (axis 3), up to +-extent; or a block of points a unit apart with one stray. */
cloud cloud_line(size_t n, int axis, float extent);
cloud cloud_block_and_stray(size_t n, float away);

/* How searches and grids are tuned: as the device's table has it; as for GPUs, in a table of cells
 * eight times as thin along x; the same, rows listed; work-items that walk, of points in fours. */
typedef enum tuned { TUNED_AS_IS, TUNED_TABLE, TUNED_ROWS, TUNED_WALK, TUNED_WAYS } tuned;

/* Whether a form of a search, which is a number of any size, is for this way. Where few programs
 * are tested each form has one of them, whichever points it is for, and on rusticl another one. */
bool tuned_turn(tuned how, unsigned form);
/* Whether this device has form k of a test that each push runs on rusticl and another device: where
 * few programs are tested rusticl has the odd ones, and others the even ones. */
bool is_its_form(size_t k);
void tune_as(tuned how, xl_grid_desc *grid, xl_neighbors_desc *search);

xl_grid_desc grid_desc_of(const cloud *c, float cell_size);
xl_neighbors_desc search_desc_of(float radius);
built build_grid(const cloud *c, const xl_grid_desc *desc);
void built_free(built *b);
xl_grid_report report_of(const built *b);

/* The order of the grid, by the gather of 0, 1, 2, ...; freed by the caller. */
uint32_t *order_of(const built *b);

/* offsets and rows; freed by list_free(). */
typedef struct list {
    uint64_t *offsets;
    uint32_t *indices;
    size_t n;
} list;
list list_of(const built *b, const xl_neighbors_desc *desc);
list list_by_brute_force(const cloud *c, const xl_neighbors_desc *desc);
/* The same by a sweep along the longest axis: fast where the points spread along it. */
list list_by_sweep(const cloud *c, const xl_neighbors_desc *desc);
void list_free(list *l);
/* Fail at the first difference, naming `what`; of offsets there are n + 1. */
void offsets_equal(const char *what, const uint64_t *got, const uint64_t *wanted, size_t n);
void lists_equal(const char *what, const list *got, const list *wanted);
/* The number of pairs, by counts alone. */
uint64_t pairs_of(const built *b, const xl_neighbors_desc *desc);
/* Builds, counts, fills, and compares with brute force. */
xl_grid_report check_search(const char *what, const cloud *c, const xl_grid_desc *grid,
                            const xl_neighbors_desc *search);

/* A search with all that it may have, and the same for the reference. */
typedef struct search_case {
    const cloud *points;
    const cloud *queries; /* or NULL */
    const float *radii;   /* or NULL */
    bool soa;             /* the queries have an array for each axis */
    xl_grid_desc grid;
    xl_neighbors_desc search;
    tuned how; /* where a test does not say it otherwise */
} search_case;
ref_search ref_search_of(const search_case *a);
/* Of a case of either precision, what is said alike in its reference's search. */
#define REF_SEARCH_SHARED(a)                                                                       \
    .points = (a)->points->xyz, .n = (a)->points->n, .stride = (a)->points->stride,                \
    .queries = (a)->queries ? (a)->queries->xyz : NULL,                                            \
    .num_queries = (a)->queries ? (a)->queries->n : 0,                                             \
    .query_stride = (a)->queries ? (a)->queries->stride : 0, .dimensions = (a)->grid.dimensions,   \
    .inclusive = (a)->search.inclusive != 0, .include_self = (a)->search.include_self != 0,        \
    .half = (a)->search.half != 0, .radii = (a)->radii
/* The form of a case of either precision: of what makes programs of a search, sums that spread over
 * the ways. */
#define SEARCH_FORM(a)                                                                             \
    ((a)->grid.dimensions + ((a)->grid.periodic ? 1u : 0u) + (a)->search.half +                    \
     2 * (a)->search.sorted + 2 * (a)->search.inclusive + 3 * (a)->search.include_self +           \
     ((a)->queries ? 1u : 0u) + ((a)->radii ? 2u : 0u) + ((a)->soa ? 1u : 0u))
/* Whether the device ends long loops, so that calls that take such may give up, and say so. */
bool ends_long_loops(void);
/* A count of n queries that has done that. */
bool count_is_given_up(const uint64_t *offsets, size_t n);
/* How space repeats that a grid is for, as the references have it. */
void ref_cell_of(const xl_grid_desc *grid, float period[3], float tilt[3]);

#endif
