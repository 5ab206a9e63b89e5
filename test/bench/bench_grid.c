/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid: build by counting and by sorting, count, fill, fill of rows with the same
 * room, without a count, and a Poly6 density by visit, over a jittered lattice and uniform random
 * points with some 32 neighbours each. Verified against a serial search before they are timed. */
#include "bench.h"
#include "bench_clouds.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS, STORAGE, COUNTS, OFFSETS, INDICES, SCRATCH, DENSITY, ROOMS, LENGTHS, BUFFERS };

/* Of each row of the last; the longest row of 2^21 uniform points has 66. */
enum { ROOM = 80 };

/* Plans, by algorithm and by who says where the box is. */
typedef enum grid_kind { SORTING, SORTING_BOX, COUNTING, COUNTING_BOX, GRIDS } grid_kind;

typedef struct job {
    size_t n;
    float radius;
    float params[4]; /* of the density */
    float *points;
    float lower, upper; /* corners of a box around them, along each axis */
    xl_grid *grids[GRIDS];
    xl_grid_index *index;
    xl_neighbors *search;
    xl_neighbors *rooms; /* the same, of rows with the same room */
    cl_mem mem[BUFFERS];
    uint64_t pairs;
} job;

static const char density_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return sum + p.y * (t * t * t); }";

/* ---- the clouds ---------------------------------------------------------- */

/* n points of a cubic lattice of spacing 1, each moved by up to 0.2; 32 neighbours
 * within 2 were they not moved. */
static void make_lattice(job *j)
{
    uint64_t state = 88172645463325252u;
    size_t side = 1;
    while (side * side * side < j->n)
        ++side;
    for (size_t i = 0; i < j->n; ++i) {
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
    for (size_t i = 0; i < 3 * j->n; ++i)
        j->points[i] = bench_unit(&state);
    j->lower = 0;
    j->upper = 1;
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->n));
}

/* ---- what is timed ------------------------------------------------------- */

static xl_status build(bench *b, job *j, grid_kind kind, cl_event *event)
{
    return xl_grid_build_enqueue(j->grids[kind], j->index, b->queue,
                                 &(xl_grid_build_args){.n = j->n,
                                                       .points = xl_view_of(j->mem[POINTS], 0),
                                                       .storage = xl_view_of(j->mem[STORAGE], 0)},
                                 0, NULL, event);
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

static xl_status count(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_count_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_count_args){.counts = xl_view_of(j->mem[COUNTS], 0),
                                   .offsets = xl_view_of(j->mem[OFFSETS], 0),
                                   .scratch = xl_view_of(j->mem[SCRATCH], 0)},
        0, NULL, event);
}

static xl_status fill(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_fill_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_fill_args){.offsets = xl_view_of(j->mem[OFFSETS], 0),
                                  .indices = xl_view_of(j->mem[INDICES], 0),
                                  .capacity = j->pairs},
        0, NULL, event);
}

static xl_status fill_rooms(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_fill_enqueue(
        j->rooms, j->index, b->queue,
        &(xl_neighbors_fill_args){.indices = xl_view_of(j->mem[ROOMS], 0),
                                  .counts = xl_view_of(j->mem[LENGTHS], 0)},
        0, NULL, event);
}

static xl_status density(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_visit_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_visit_args){
            .start = 0,
            .params = {j->params[0], j->params[1], j->params[2], j->params[3]},
            .out = xl_view_of(j->mem[DENSITY], 0)},
        0, NULL, event);
}

/* ---- verification -------------------------------------------------------- */

static bool read_back(bench *b, const job *j, int which, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(b->queue, j->mem[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
}

static ref_search serial(const job *j)
{
    return (ref_search){.points = j->points, .n = j->n, .stride = 3, .radius = j->radius};
}

static const char *fault_in_counts(bench *b, const job *j)
{
    ref_search search = serial(j);
    uint32_t *got = malloc(j->n * sizeof *got), *wanted = malloc(j->n * sizeof *wanted);
    const char *why = "no memory";
    if (got && wanted && ref_counts(&search, wanted) &&
        read_back(b, j, COUNTS, j->n * sizeof *got, got))
        why = memcmp(got, wanted, j->n * sizeof *got) == 0 ? NULL : "counts differ from the serial";
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
    const double h2 = (double)j->params[0];
    for (size_t i = 0; i < j->n; ++i) {
        double sum = 0;
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (indices[k] >= j->n || (k > offsets[i] && indices[k] <= indices[k - 1]))
                return "a row is not in ascending order";
            const float d2 = ref_distance2(&search, i, indices[k]);
            if (!(d2 < j->radius * j->radius) || indices[k] == i)
                return "a row holds what is no neighbour";
            sum += (double)j->params[1] * pow(h2 - (double)d2, 3);
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
    for (size_t i = 0; i < j->n; ++i) {
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
    uint64_t *offsets = malloc((j->n + 1) * sizeof *offsets);
    uint32_t *indices = malloc((size_t)j->pairs * sizeof *indices);
    float *densities = malloc(j->n * sizeof *densities);
    uint32_t *lengths = malloc(j->n * sizeof *lengths);
    uint32_t *rooms = malloc(j->n * ROOM * sizeof *rooms);
    if (lengths && rooms && offsets && indices && densities &&
        read_back(b, j, OFFSETS, (j->n + 1) * sizeof *offsets, offsets) &&
        read_back(b, j, INDICES, (size_t)j->pairs * sizeof *indices, indices) &&
        read_back(b, j, DENSITY, j->n * sizeof *densities, densities) &&
        read_back(b, j, LENGTHS, j->n * sizeof *lengths, lengths) &&
        read_back(b, j, ROOMS, j->n * ROOM * sizeof *rooms, rooms)) {
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
    grid.cell_size = j->radius;
    for (int a = 0; a < 3; ++a) {
        grid.lower[a] = j->lower;
        grid.upper[a] = j->upper;
    }
    for (int kind = 0; kind < GRIDS && status == XL_SUCCESS; ++kind) {
        grid.algorithm = kind < COUNTING ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        grid.bounded = kind == SORTING_BOX || kind == COUNTING_BOX;
        status = xl_grid_create(b->ctx, &grid, &j->grids[kind]);
    }
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    xl_neighbors_desc_init(&search);
    search.radius = j->radius;
    search.visit = density_text;
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(b->ctx, &search, &j->search);
    search.row_capacity = ROOM;
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(b->ctx, &search, &j->rooms);
    return status;
}

static bool make_buffers(bench *b, job *j)
{
    size_t storage = 0, scratch, alignment;
    if (xl_neighbors_scratch(j->search, j->n, &scratch, &alignment) != XL_SUCCESS)
        return false;
    for (int kind = 0; kind < GRIDS; ++kind) {
        size_t bytes;
        if (xl_grid_scratch(j->grids[kind], j->n, &bytes, &alignment) != XL_SUCCESS)
            return false;
        storage = bytes > storage ? bytes : storage;
    }
    j->mem[POINTS] = bench_buffer(b, 12 * j->n, j->points);
    j->mem[STORAGE] = bench_buffer(b, storage, NULL);
    j->mem[COUNTS] = bench_buffer(b, 4 * j->n, NULL);
    j->mem[OFFSETS] = bench_buffer(b, 8 * (j->n + 1), NULL);
    j->mem[SCRATCH] = bench_buffer(b, scratch + 256, NULL);
    j->mem[DENSITY] = bench_buffer(b, 4 * j->n, NULL);
    j->mem[ROOMS] = bench_buffer(b, 4 * j->n * ROOM, NULL);
    j->mem[LENGTHS] = bench_buffer(b, 4 * j->n, NULL);
    for (int i = 0; i < BUFFERS; ++i)
        if (!j->mem[i] && i != INDICES)
            return false;
    return true;
}

/* Runs all once; the list needs to know its length first. */
static xl_status run_once(bench *b, job *j)
{
    xl_status status = build_counting(b, j, NULL);
    if (status == XL_SUCCESS)
        status = count(b, j, NULL);
    if (status != XL_SUCCESS)
        return status;
    if (clEnqueueReadBuffer(b->queue, j->mem[OFFSETS], CL_TRUE, 8 * j->n, 8, &j->pairs, 0, NULL,
                            NULL) != CL_SUCCESS ||
        !(j->mem[INDICES] = bench_buffer(b, 4 * (size_t)j->pairs + 4, NULL)))
        return XL_ERROR_OUT_OF_MEMORY;
    status = fill(b, j, NULL);
    if (status == XL_SUCCESS)
        status = fill_rooms(b, j, NULL);
    return status == XL_SUCCESS ? density(b, j, NULL) : status;
}

static void time_all(bench *b, job *j, const char *cloud)
{
    const double n = (double)j->n;
    const struct {
        const char *what;
        bench_enqueue *enqueue;
        double bytes;
    } cases[] = {
        {"build by sorting", build_sorting, 28 * n},
        {"build by sorting in a given box", build_sorting_box, 28 * n},
        {"build by counting in a given box", build_counting_box, 28 * n},
        {"build by counting", build_counting, 28 * n},
        {"count", count, 28 * n},
        {"fill", fill, 24 * n + 4 * (double)j->pairs},
        {"fill of rows with room, no count", fill_rooms, 20 * n + 4 * (double)j->pairs},
        {"density", density, 20 * n},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", cases[k].what, cloud);
        if (bench_case(b, "grid", variant, j->n, cases[k].bytes, cases[k].enqueue, j) != XL_SUCCESS)
            return;
    }
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    xl_grid_index_destroy(j->index);
    for (int kind = 0; kind < GRIDS; ++kind)
        xl_grid_destroy(j->grids[kind]);
    xl_neighbors_destroy(j->search);
    xl_neighbors_destroy(j->rooms);
    free(j->points);
}

static void run(bench *b, const char *cloud, void (*make)(job *), size_t n)
{
    job j = {.n = n, .points = malloc(12 * n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    const char *why = NULL;
    if (j.points) {
        make(&j);
        j.params[0] = j.radius * j.radius;
        j.params[1] = 1.0f / (j.params[0] * j.params[0] * j.params[0]);
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
