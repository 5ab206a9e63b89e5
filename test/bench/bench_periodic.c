/* SPDX-License-Identifier: MIT
 * Benchmarks of searches in space that repeats: build, count, fill and a density by visit, of as
 * many uniform points with some 34 neighbours each in a box that ends, in one that repeats, in the
 * same as a cell without tilts, and in the rhombohedral cell of a face-centred cubic lattice.
 * Verified for some points against every image of all others before they are timed. */
#include "bench_clouds.h"
#include "bench_near.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 2 }; /* points that are verified */

typedef struct job {
    bench_near near;
    float radius;
    float *points;
    xl_grid_desc space;
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
    for (size_t i = 0; i < j->near.n; ++i) {
        float *const p = j->points + 3 * i;
        const float a = bench_unit(&state), b = bench_unit(&state), c = bench_unit(&state);
        for (size_t k = 0; k < 3; ++k)
            p[k] = a * j->space.cell[0][k] + b * j->space.cell[1][k] + c * j->space.cell[2][k];
    }
}

static void make_space(job *j, const space *s)
{
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->near.n));
    xl_grid_desc_init(&j->space);
    j->space.cell_size = j->radius;
    j->space.bounded = 1;
    j->space.periodic = s->periodic;
    j->space.triclinic = s->triclinic;
    memcpy(j->space.cell, s->cell, sizeof s->cell);
    for (int k = 0; k < 3; ++k)
        j->space.upper[k] = 1;
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
    return bench_near_plans(b, &j->near, &j->space, &search);
}

static bool make_buffers(bench *b, job *j)
{
    return bench_near_points(b, &j->near, 12 * j->near.n, j->points) &&
           bench_near_rows(b, &j->near) &&
           bench_near_buffer(b, &j->near, NEAR_COUNTS, 4 * j->near.n, NULL) &&
           bench_near_buffer(b, &j->near, NEAR_DENSITY, 4 * j->near.n, NULL);
}

/* All once. */
static xl_status run_once(bench *b, job *j)
{
    xl_status status = bench_near_list(b, &j->near);
    j->near.params[0] = j->radius * j->radius;
    if (status == XL_SUCCESS)
        status = xl_grid_index_status(j->near.index, b->queue, NULL, 0, NULL);
    return status;
}

/* Of points all over the array; a query that is given is its own neighbour as well. */
static const char *fault_in_counts(bench *b, const job *j)
{
    uint64_t offsets[SAMPLE + 1];
    uint32_t *const got = malloc(j->near.n * sizeof *got);
    float queries[3 * SAMPLE];
    const size_t step = j->near.n / SAMPLE;
    const char *why = "no memory";
    ref_search search = {.points = j->points,
                         .n = j->near.n,
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
    if (rows && got && bench_near_read(b, &j->near, NEAR_COUNTS, 4 * j->near.n, got))
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
    const double n = (double)j->near.n;
    static bench_enqueue *const enqueues[KINDS] = {bench_near_build, bench_near_count,
                                                   bench_near_fill, bench_near_density};
    const double bytes[KINDS] = {28 * n, 28 * n, 24 * n + 4 * (double)j->near.pairs, 20 * n};
    for (int k = 0; k < KINDS; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", kinds[k], name);
        if (bench_wants(b, variant) && bench_case(b, "periodic", variant, j->near.n, bytes[k],
                                                  enqueues[k], &j->near) != XL_SUCCESS)
            return;
    }
}

static void end_job(job *j)
{
    bench_near_end(&j->near);
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
    job j = {.near.n = n, .points = malloc(12 * n)};
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
