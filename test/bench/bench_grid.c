/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid: build by counting and by sorting, count, fill, fill of rows with the same
 * room, without a count, and a Poly6 density by visit, over a jittered lattice and uniform random
 * points with some 32 neighbours each. Verified against a serial search before they are timed. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS = NEAR_OWN, LENGTHS };

/* Room in each row of the last search; the longest row of 2^21 uniform points has 66. */
enum { ROOM = 80 };

/* Plans, by algorithm and by who says where the box is. */
typedef enum grid_kind { SORTING, SORTING_BOX, COUNTING, COUNTING_BOX } grid_kind;

typedef struct job {
    bench_near near; /* first: what takes one takes a job */
    float radius;
    float *points;
    float lower, upper; /* corners of a box around them, along each axis */
    xl_plan *rooms;     /* the same, of rows with the same room */
} job;

/* ---- the clouds ---------------------------------------------------------- */

/* n points of a cubic lattice of spacing 1, each moved by up to 0.2; 32 neighbours
 * within 2 were they not moved. */
static void make_lattice(job *j)
{
    uint64_t state = 88172645463325252u;
    size_t side = 1;
    while (side * side * side < j->near.n)
        ++side;
    for (size_t i = 0; i < j->near.n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; ++a)
            j->points[3 * i + a] = (float)at[a] + 0.4f * (bench_unit(&state) - 0.5f);
    }
    j->radius = 2.1f;
    j->lower = -0.2f;
    j->upper = (float)side;
}

/* In the unit cube, 34 neighbours on average away from its faces. */
static void make_uniform(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < 3 * j->near.n; ++i)
        j->points[i] = bench_unit(&state);
    j->lower = 0;
    j->upper = 1;
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->near.n));
}

/* ---- timed calls --------------------------------------------------------- */

static xl_status build(bench *b, bench_near *x, grid_kind kind, cl_event *event)
{
    x->way = (int)kind;
    return bench_near_build(b, x, event);
}

static xl_status build_sorting(bench *b, void *user, cl_event *event)
{
    return build(b, user, SORTING, event);
}

static xl_status build_sorting_box(bench *b, void *user, cl_event *event)
{
    return build(b, user, SORTING_BOX, event);
}

static xl_status build_counting(bench *b, void *user, cl_event *event)
{
    return build(b, user, COUNTING, event);
}

static xl_status build_counting_box(bench *b, void *user, cl_event *event)
{
    return build(b, user, COUNTING_BOX, event);
}

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
    return (ref_search){.points = j->points, .n = j->near.n, .stride = 3, .radius = j->radius};
}

static const char *fault_in_counts(bench *b, const job *j)
{
    ref_search search = serial(j);
    uint32_t *got = malloc(j->near.n * sizeof *got), *wanted = malloc(j->near.n * sizeof *wanted);
    const char *why = "no memory";
    if (got && wanted && ref_counts(&search, wanted) &&
        bench_near_read(b, &j->near, NEAR_COUNTS, j->near.n * sizeof *got, got))
        why = memcmp(got, wanted, j->near.n * sizeof *got) == 0 ? NULL
                                                                : "counts differ from the serial";
    free(got);
    free(wanted);
    return why;
}

/* With right counts, rows in ascending order of true neighbours are the rows. The
 * densities are summed over them in double precision. */
static const char *fault_in_rows(const job *j, const uint64_t *offsets, const uint32_t *indices,
                                 const float *densities)
{
    ref_search search = serial(j);
    const double h2 = (double)j->near.params[0];
    for (size_t i = 0; i < j->near.n; ++i) {
        double sum = 0;
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (indices[k] >= j->near.n || (k > offsets[i] && indices[k] <= indices[k - 1]))
                return "a row is not in ascending order";
            const float d2 = ref_distance2(&search, i, indices[k]);
            if (!(d2 < j->radius * j->radius) || indices[k] == i)
                return "a row has an index that is no neighbour";
            sum += (double)j->near.params[1] * pow(h2 - (double)d2, 3);
        }
        if (fabs((double)densities[i] - sum) > 1e-5 * sum + 1e-6)
            return "a density differs from the sum over the row";
    }
    return NULL;
}

/* Against the rows that follow each other. */
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
    const char *why = "no memory";
    uint64_t *offsets = malloc((j->near.n + 1) * sizeof *offsets);
    uint32_t *indices = malloc((size_t)j->near.pairs * sizeof *indices);
    float *densities = malloc(j->near.n * sizeof *densities);
    uint32_t *lengths = malloc(j->near.n * sizeof *lengths);
    uint32_t *rooms = malloc(j->near.n * ROOM * sizeof *rooms);
    if (lengths && rooms && offsets && indices && densities &&
        bench_near_read(b, &j->near, NEAR_OFFSETS, (j->near.n + 1) * sizeof *offsets, offsets) &&
        bench_near_read(b, &j->near, NEAR_INDICES, (size_t)j->near.pairs * sizeof *indices,
                        indices) &&
        bench_near_read(b, &j->near, NEAR_DENSITY, j->near.n * sizeof *densities, densities) &&
        bench_near_read(b, &j->near, LENGTHS, j->near.n * sizeof *lengths, lengths) &&
        bench_near_read(b, &j->near, ROOMS, j->near.n * ROOM * sizeof *rooms, rooms)) {
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
    xl_grid_desc_init(&grid);
    grid.cell_size = (double)j->radius;
    for (int kind = 0; kind <= COUNTING_BOX && status == XL_SUCCESS; ++kind) {
        grid.algorithm = kind < COUNTING ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        const bool bounded = kind == SORTING_BOX || kind == COUNTING_BOX;
        grid.space.bounds = bounded ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
        for (int a = 0; a < 3; ++a) {
            grid.space.origin[a] = bounded ? (double)j->lower : 0;
            grid.space.cell[a][a] = bounded ? (double)j->upper - (double)j->lower : 0;
        }
        status = xl_grid_create(b->ctx, &grid, &j->near.grids[kind]);
    }
    xl_neighbors_desc_init(&search);
    search.radius = (double)j->radius;
    search.visit = bench_near_poly6;
    if (status == XL_SUCCESS)
        status = bench_near_plans(b, &j->near, NULL, &search);
    search.row_capacity = ROOM;
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(j->near.grids[0], &search, &j->rooms);
    return status;
}

static bool make_buffers(bench *b, job *j)
{
    return bench_near_points(b, &j->near, 12 * j->near.n, j->points) &&
           bench_near_rows(b, &j->near) &&
           bench_near_buffer(b, &j->near, NEAR_COUNTS, 4 * j->near.n, NULL) &&
           bench_near_buffer(b, &j->near, NEAR_DENSITY, 4 * j->near.n, NULL) &&
           bench_near_buffer(b, &j->near, ROOMS, 4 * j->near.n * ROOM, NULL) &&
           bench_near_buffer(b, &j->near, LENGTHS, 4 * j->near.n, NULL);
}

static xl_status run_once(bench *b, job *j)
{
    j->near.way = COUNTING;
    xl_status status = bench_near_list(b, &j->near);
    if (status == XL_SUCCESS)
        status = fill_rooms(b, j, NULL);
    return status == XL_SUCCESS ? bench_near_density(b, &j->near, NULL) : status;
}

static void time_all(bench *b, job *j, const char *cloud)
{
    const double n = (double)j->near.n;
    const struct {
        const char *what;
        bench_enqueue *enqueue;
        double bytes;
    } cases[] = {
        {"build by sorting", build_sorting, 28 * n},
        {"build by sorting in a given box", build_sorting_box, 28 * n},
        {"build by counting in a given box", build_counting_box, 28 * n},
        {"build by counting", build_counting, 28 * n},
        {"count", bench_near_count, 28 * n},
        {"fill", bench_near_fill, 24 * n + 4 * (double)j->near.pairs},
        {"fill of rows with room, no count", fill_rooms, 20 * n + 4 * (double)j->near.pairs},
        {"density", bench_near_density, 20 * n},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", cases[k].what, cloud);
        if (bench_case(b, "grid", variant, j->near.n, cases[k].bytes, cases[k].enqueue, j) !=
            XL_SUCCESS)
            return;
    }
}

static void end_job(job *j)
{
    bench_near_end(&j->near);
    xl_plan_destroy(j->rooms);
    free(j->points);
}

static void run(bench *b, const char *cloud, void (*make)(job *), size_t n)
{
    job j = {.near.n = n, .points = malloc(12 * n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    const char *why = NULL;
    if (j.points) {
        make(&j);
        j.near.params[0] = j.radius * j.radius;
        j.near.params[1] = 1.0f / (j.near.params[0] * j.near.params[0] * j.near.params[0]);
        status = make_plans(b, &j);
        if (status == XL_SUCCESS)
            status = make_buffers(b, &j) ? run_once(b, &j) : XL_ERROR_OUT_OF_MEMORY;
    }
    if (status == XL_SUCCESS)
        why = fault_in_counts(b, &j);
    if (status == XL_SUCCESS && !why)
        why = fault_in_lists(b, &j);
    if (status != XL_SUCCESS)
        bench_failed(b, "grid", cloud, n, status);
    else if (why)
        bench_wrong(b, "grid", cloud, n, why);
    else
        time_all(b, &j, cloud);
    end_job(&j);
}

void bench_grid(bench *b)
{
    for (size_t n = (size_t)1 << 17; n <= b->max_n && n <= (size_t)1 << 21; n *= 2) {
        run(b, "lattice", make_lattice, n);
        run(b, "uniform", make_uniform, n);
    }
}
