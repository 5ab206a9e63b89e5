/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid: build by counting and by sorting, count, fill, fill of rows with the same
 * room, without a count, and a Poly6 density by visit, over a jittered lattice and uniform random
 * points with about 32 neighbours each. Verified against a serial search. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS = NEAR_OWN, LENGTHS };

/* Room in each row of the last search; the longest row of 2^21 uniform points has 66. */
enum { ROOM = 80 };

/* Ways to build: by algorithm, and whether the caller gives the box. */
enum { SORTING, SORTING_BOX, COUNTING, COUNTING_BOX };

typedef struct job {
    bench_near near;
    double lower, upper; /* corners of a box around the points, along each axis */
    xl_plan *rooms;      /* the search with the same room for all rows */
} job;

/* ---- the clouds ---------------------------------------------------------- */

/* 32 neighbours within 2 if the points were not moved. */
static void make_lattice(job *j)
{
    j->upper = (double)bench_cloud_lattice(j->near.points, 3, j->near.n);
    j->lower = -0.2;
    j->near.radius = 2.1f;
}

/* In the unit cube, 34 neighbours on average away from its faces. */
static void make_uniform(job *j)
{
    bench_cloud_uniform(j->near.points, j->near.n);
    j->near.radius = (float)bench_radius(34, (double)j->near.n);
    j->upper = 1;
}

/* ---- timed calls --------------------------------------------------------- */

static xl_status fill_rooms(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_fill_enqueue(
        j->rooms, j->near.index, b->queue,
        &(xl_neighbors_args){.indices = xl_view_of(j->near.mem[ROOMS], 0),
                             .counts = xl_view_of(j->near.mem[LENGTHS], 0)},
        0, NULL, event);
}

/* ---- verification -------------------------------------------------------- */

static ref_search serial(const job *j)
{
    return (ref_search){
        .points = j->near.points, .n = j->near.n, .stride = 3, .radius = (float)j->near.radius};
}

static const char *fault_in_counts(bench *b, const job *j)
{
    const ref_search search = serial(j);
    uint32_t *wanted = malloc(4 * j->near.n);
    const char *why = wanted && ref_counts(&search, wanted)
                          ? bench_near_counts_fault(b, &j->near, wanted)
                          : "no memory";
    free(wanted);
    return why;
}

/* If the counts are right, ascending rows of true neighbours are right, too. Densities are summed
 * over them in double precision. */
static const char *fault_in_rows(const job *j, const uint64_t *offsets, const uint32_t *indices,
                                 const float *densities)
{
    const ref_search search = serial(j);
    const double h2 = (double)j->near.params[0];
    for (size_t i = 0; i < j->near.n; ++i) {
        double sum = 0;
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (indices[k] >= j->near.n || (k > offsets[i] && indices[k] <= indices[k - 1]))
                return "a row is not in ascending order";
            const float d2 = ref_distance2(&search, i, indices[k]);
            if (!(d2 < search.radius * search.radius) || indices[k] == i)
                return "a row has an index that is no neighbour";
            const double kept = h2 - (double)d2;
            sum += (double)j->near.params[1] * kept * kept * kept;
        }
        if (fabs((double)densities[i] - sum) > 1e-5 * sum + 1e-6)
            return "a density differs from the sum over the row";
    }
    return NULL;
}

/* Compares with the contiguous rows. */
static const char *fault_in_rooms(const job *j, const uint64_t *offsets, const uint32_t *indices,
                                  const uint32_t *lengths, const uint32_t *rooms)
{
    for (size_t i = 0; i < j->near.n; ++i) {
        const size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        if (length > ROOM)
            return "a row is longer than its room";
        if (lengths[i] != length ||
            memcmp(rooms + i * ROOM, indices + offsets[i], length * sizeof *rooms) != 0)
            return "a row with room differs from the one without";
    }
    return NULL;
}

static const char *fault_in_lists(bench *b, const job *j)
{
    const bench_near *x = &j->near;
    const char *why = "no memory";
    uint64_t *offsets = bench_near_copy(b, x, NEAR_OFFSETS, 8 * (x->n + 1));
    uint32_t *indices = bench_near_copy(b, x, NEAR_INDICES, 4 * (size_t)x->pairs);
    float *densities = bench_near_copy(b, x, NEAR_DENSITY, 4 * x->n);
    uint32_t *lengths = bench_near_copy(b, x, LENGTHS, 4 * x->n);
    uint32_t *rooms = bench_near_copy(b, x, ROOMS, 4 * x->n * ROOM);
    if (lengths && rooms && offsets && indices && densities) {
        why = fault_in_rows(j, offsets, indices, densities);
        why = why ? why : fault_in_rooms(j, offsets, indices, lengths, rooms);
    }
    free(lengths);
    free(rooms);
    free(offsets);
    free(indices);
    free(densities);
    return why;
}

/* ---- one cloud ----------------------------------------------------------- */

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_status status = XL_SUCCESS;
    bench_near_descs(&j->near, &grid, &search);
    for (int kind = 0; kind <= COUNTING_BOX && status == XL_SUCCESS; ++kind) {
        grid.algorithm = kind < COUNTING ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        const bool bounded = kind == SORTING_BOX || kind == COUNTING_BOX;
        grid.space.bounds = bounded ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
        for (int a = 0; a < 3; ++a) {
            grid.space.origin[a] = bounded ? j->lower : 0;
            grid.space.cell[a][a] = bounded ? j->upper - j->lower : 0;
        }
        status = xl_grid_create(b->ctx, &grid, &j->near.grids[kind]);
    }
    search.visit = bench_near_poly6;
    if (status == XL_SUCCESS)
        status = bench_near_plans(b, &j->near, NULL, &search);
    search.row_capacity = ROOM;
    return status == XL_SUCCESS ? xl_neighbors_create(j->near.grids[0], &search, &j->rooms)
                                : status;
}

static bool make_buffers(bench *b, job *j)
{
    return bench_near_buffers(b, &j->near, 12, NEAR_FOR_ALL) &&
           bench_near_buffer(b, &j->near, ROOMS, 4 * j->near.n * ROOM, NULL) &&
           bench_near_buffer(b, &j->near, LENGTHS, 4 * j->near.n, NULL);
}

static xl_status run_once(bench *b, job *j)
{
    bench_near_set_poly6(&j->near);
    xl_status status = make_plans(b, j);
    if (status == XL_SUCCESS && !make_buffers(b, j))
        status = XL_ERROR_OUT_OF_MEMORY;
    j->near.way = COUNTING;
    if (status == XL_SUCCESS)
        status = bench_near_list(b, &j->near);
    if (status == XL_SUCCESS)
        status = fill_rooms(b, j, NULL);
    return status == XL_SUCCESS ? bench_near_density(b, &j->near, NULL) : status;
}

static const bench_timed rows[] = {
    {"build by sorting", bench_near_build, 28, 0, SORTING},
    {"build by sorting in a given box", bench_near_build, 28, 0, SORTING_BOX},
    {"build by counting in a given box", bench_near_build, 28, 0, COUNTING_BOX},
    {"build by counting", bench_near_build, 28, 0, COUNTING},
    {"count", bench_near_count, 28, 0, COUNTING},
    {"fill", bench_near_fill, 24, 4, COUNTING},
    {"fill of rows with room, no count", fill_rooms, 20, 4, COUNTING},
    {"density", bench_near_density, 20, 0, COUNTING},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void run(bench *b, const char *cloud, void (*make)(job *), size_t n)
{
    job j = {.near = {.n = n, .points = malloc(12 * n)}};
    const char *why = NULL;
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    if (j.near.points) {
        make(&j);
        status = run_once(b, &j);
    }
    if (status == XL_SUCCESS)
        why = fault_in_counts(b, &j);
    if (status == XL_SUCCESS && !why)
        why = fault_in_lists(b, &j);
    if (bench_right(b, "grid", cloud, n, status, why))
        (void)bench_near_time_rows(b, &j.near, "grid", cloud, rows, ROWS);
    bench_near_end(&j.near);
    xl_plan_destroy(j.rooms);
}

void bench_grid(bench *b)
{
    static const struct {
        const char *name;
        void (*make)(job *);
    } clouds[] = {{"lattice", make_lattice}, {"uniform", make_uniform}};
    for (size_t n = (size_t)1 << 17; n <= (size_t)1 << 21; n *= 2)
        for (size_t k = 0; k < sizeof clouds / sizeof *clouds; ++k)
            if (bench_near_wants_rows(b, n, clouds[k].name, rows, ROWS))
                run(b, clouds[k].name, clouds[k].make, n);
}
