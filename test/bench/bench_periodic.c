/* SPDX-License-Identifier: MIT
 * Benchmarks of searches in space that repeats: build, count, fill and a density by visit, of as
 * many uniform points with some 34 neighbours each in a box that ends, in one that repeats, in the
 * same as a cell without tilts, and in the rhombohedral cell of a face-centred cubic lattice.
 * Verified for some points against every image of all others before they are timed. */
#include "bench.h"
#include "bench_clouds.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS, STORAGE, COUNTS, OFFSETS, INDICES, SCRATCH, DENSITY, BUFFERS };
enum { SAMPLE = 2 }; /* points that are verified */

typedef struct job {
    size_t n;
    float radius;
    float *points;
    xl_grid_desc space;
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *search;
    cl_mem mem[BUFFERS];
    uint64_t pairs;
} job;

static const char density_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return sum + t * t * t; }";

/* ---- spaces -------------------------------------------------------------- */

typedef struct space {
    const char *name;
    uint32_t periodic, triclinic;
    float cell[3][3]; /* of volume 1 */
} space;

static const space spaces[] = {
    {"a box that ends", 0, 0, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"a box that repeats", 7, 0, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"an upright cell", 7, 1, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"a triclinic cell",
     7,
     1,
     {{1.122462f, 0, 0}, {0.561231f, 0.972080f, 0}, {0.561231f, 0.324027f, 0.916486f}}}};

static void make_points(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->n; ++i) {
        float *const p = j->points + 3 * i;
        const float a = bench_unit(&state), b = bench_unit(&state), c = bench_unit(&state);
        for (size_t k = 0; k < 3; ++k)
            p[k] = a * j->space.cell[0][k] + b * j->space.cell[1][k] + c * j->space.cell[2][k];
    }
}

static void make_space(job *j, const space *s)
{
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->n));
    xl_grid_desc_init(&j->space);
    j->space.cell_size = j->radius;
    j->space.bounded = 1;
    j->space.periodic = s->periodic;
    j->space.triclinic = s->triclinic;
    memcpy(j->space.cell, s->cell, sizeof s->cell);
    for (int k = 0; k < 3; ++k)
        j->space.upper[k] = 1;
}

/* ---- what is timed ------------------------------------------------------- */

static xl_status build(bench *b, void *user, cl_event *event)
{
    job *const j = user;
    return xl_grid_build_enqueue(j->grid, j->index, b->queue,
                                 &(xl_grid_build_args){.n = j->n,
                                                       .points = xl_view_of(j->mem[POINTS], 0),
                                                       .storage = xl_view_of(j->mem[STORAGE], 0)},
                                 0, NULL, event);
}

static xl_status count(bench *b, void *user, cl_event *event)
{
    job *const j = user;
    return xl_neighbors_count_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_count_args){.counts = xl_view_of(j->mem[COUNTS], 0),
                                   .offsets = xl_view_of(j->mem[OFFSETS], 0),
                                   .scratch = xl_view_of(j->mem[SCRATCH], 0)},
        0, NULL, event);
}

static xl_status fill(bench *b, void *user, cl_event *event)
{
    job *const j = user;
    return xl_neighbors_fill_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_fill_args){.offsets = xl_view_of(j->mem[OFFSETS], 0),
                                  .indices = xl_view_of(j->mem[INDICES], 0),
                                  .capacity = j->pairs},
        0, NULL, event);
}

static xl_status density(bench *b, void *user, cl_event *event)
{
    job *const j = user;
    return xl_neighbors_visit_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_visit_args){.params = {j->radius * j->radius},
                                   .out = xl_view_of(j->mem[DENSITY], 0)},
        0, NULL, event);
}

/* ---- one space ----------------------------------------------------------- */

static xl_status make_plans(bench *b, job *j)
{
    xl_neighbors_desc search;
    xl_neighbors_desc_init(&search);
    search.radius = j->radius;
    search.visit = density_text;
    search.periodic = !j->space.periodic   ? XL_REPEATS_NOT
                      : j->space.triclinic ? XL_REPEATS_CELL
                                           : XL_REPEATS_BOX;
    xl_status status = xl_grid_create(b->ctx, &j->space, &j->grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    return status == XL_SUCCESS ? xl_neighbors_create(b->ctx, &search, &j->search) : status;
}

static bool make_buffers(bench *b, job *j)
{
    size_t storage, scratch, alignment;
    if (xl_neighbors_scratch(j->search, j->n, &scratch, &alignment) != XL_SUCCESS ||
        xl_grid_scratch(j->grid, j->n, &storage, &alignment) != XL_SUCCESS)
        return false;
    const size_t bytes[BUFFERS] = {[STORAGE] = storage,
                                   [COUNTS] = 4 * j->n,
                                   [OFFSETS] = 8 * (j->n + 1),
                                   [SCRATCH] = scratch + 256,
                                   [DENSITY] = 4 * j->n};
    for (int i = 0; i < BUFFERS; ++i)
        if (bytes[i] > 0 && !(j->mem[i] = bench_buffer(b, bytes[i], NULL)))
            return false;
    j->mem[POINTS] = bench_buffer(b, 12 * j->n, j->points);
    return j->mem[POINTS] != NULL;
}

static bool read_back(bench *b, const job *j, int which, size_t at, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(b->queue, j->mem[which], CL_TRUE, at, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
}

/* All once; the list needs to know its length first. */
static xl_status run_once(bench *b, job *j)
{
    xl_status status = build(b, j, NULL);
    if (status == XL_SUCCESS)
        status = count(b, j, NULL);
    if (status == XL_SUCCESS)
        status = xl_grid_index_status(j->index, b->queue, NULL, 0, NULL);
    if (status != XL_SUCCESS)
        return status;
    if (!read_back(b, j, OFFSETS, 8 * j->n, 8, &j->pairs) ||
        !(j->mem[INDICES] = bench_buffer(b, 4 * (size_t)j->pairs + 4, NULL)))
        return XL_ERROR_OUT_OF_MEMORY;
    return fill(b, j, NULL);
}

/* Of points all over the array; a query that is given is its own neighbour as well. */
static const char *fault_in_counts(bench *b, const job *j)
{
    uint64_t offsets[SAMPLE + 1];
    uint32_t *const got = malloc(j->n * sizeof *got);
    float queries[3 * SAMPLE];
    const size_t step = j->n / SAMPLE;
    const char *why = "no memory";
    ref_search search = {.points = j->points,
                         .n = j->n,
                         .stride = 3,
                         .radius = j->radius,
                         .queries = queries,
                         .num_queries = SAMPLE,
                         .query_stride = 3};
    for (int k = 0; k < 3 && j->space.periodic; ++k)
        search.period[k] = j->space.cell[k][k];
    search.tilt[0] = j->space.cell[1][0];
    search.tilt[1] = j->space.cell[2][0];
    search.tilt[2] = j->space.cell[2][1];
    for (size_t k = 0; k < SAMPLE; ++k)
        memcpy(queries + 3 * k, j->points + 3 * k * step, 12);
    uint32_t *const rows = ref_neighbors(&search, offsets);
    if (rows && got && read_back(b, j, COUNTS, 0, 4 * j->n, got))
        why = NULL;
    for (size_t k = 0; k < SAMPLE && !why; ++k)
        if (got[k * step] + 1 != offsets[k + 1] - offsets[k])
            why = "a count differs from the serial";
    free(rows);
    free(got);
    return why;
}

enum { KINDS = 4 };
static const char *const kinds[KINDS] = {"build", "count", "fill", "density"};

static void time_all(bench *b, job *j, const char *name)
{
    const double n = (double)j->n;
    static bench_enqueue *const enqueues[KINDS] = {build, count, fill, density};
    const double bytes[KINDS] = {28 * n, 28 * n, 24 * n + 4 * (double)j->pairs, 20 * n};
    for (int k = 0; k < KINDS; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", kinds[k], name);
        if (bench_wants(b, variant) &&
            bench_case(b, "periodic", variant, j->n, bytes[k], enqueues[k], j) != XL_SUCCESS)
            return;
    }
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    xl_grid_index_destroy(j->index);
    xl_grid_destroy(j->grid);
    xl_neighbors_destroy(j->search);
    free(j->points);
}

/* Whether any row of a space is wanted. */
static bool is_wanted(const bench *b, const space *s)
{
    bool wanted = false;
    for (int k = 0; k < KINDS; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", kinds[k], s->name);
        wanted = wanted || bench_wants(b, variant);
    }
    return wanted;
}

static void run(bench *b, const space *s, size_t n)
{
    job j = {.n = n, .points = malloc(12 * n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    if (j.points) {
        make_space(&j, s);
        make_points(&j);
        status = make_plans(b, &j);
        if (status == XL_SUCCESS)
            status = make_buffers(b, &j) ? run_once(b, &j) : XL_ERROR_OUT_OF_MEMORY;
    }
    const char *const why = status == XL_SUCCESS ? fault_in_counts(b, &j) : NULL;
    if (status != XL_SUCCESS)
        bench_failed(b, "periodic", s->name, n, status);
    else if (why)
        bench_wrong(b, "periodic", s->name, n, why);
    else
        time_all(b, &j, s->name);
    end_job(&j);
}

void bench_periodic(bench *b)
{
    for (size_t n = (size_t)1 << 17; n <= b->max_n && n <= (size_t)1 << 21; n *= 16)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; ++k)
            if (n >= b->options->min_n && is_wanted(b, &spaces[k]))
                run(b, &spaces[k], n);
}
