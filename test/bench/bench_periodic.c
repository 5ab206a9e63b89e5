/* SPDX-License-Identifier: MIT
 * Benchmarks of searches in space that repeats: build, count, fill and a density by visit, of as
 * many uniform points with some 34 neighbours each in a box that ends, in one that repeats, in the
 * same as a cell with a vector that points back, and in the rhombohedral cell of a face-centred cubic lattice.
 * Verified for some points against every image of all others before they are timed. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    bench_near near;
    float radius;
    float *points;
    xl_grid_desc grid;
    float cell[3][3];
} job;

static const char density_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return sum + t * t * t; }";

/* ---- spaces -------------------------------------------------------------- */

typedef struct space {
    const char *name;
    uint32_t periodic;
    bool points_back; /* one vector of the cell points the other way */
    float cell[3][3]; /* of volume 1 */
} space;

static const space spaces[] = {
    {"a box that ends", 0, false, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"a box that repeats", 7, false, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"an upright cell", 7, true, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"a triclinic cell",
     7,
     false,
     {{1.122462f, 0, 0}, {0.561231f, 0.972080f, 0}, {0.561231f, 0.324027f, 0.916486f}}}};

static void make_points(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->near.n; ++i) {
        float *const p = j->points + 3 * i;
        const float a = bench_unit(&state), b = bench_unit(&state), c = bench_unit(&state);
        for (size_t k = 0; k < 3; ++k)
            p[k] = a * j->cell[0][k] + b * j->cell[1][k] + c * j->cell[2][k];
    }
}

static void make_space(job *j, const space *s)
{
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->near.n));
    xl_grid_desc_init(&j->grid);
    j->grid.cell_size = (double)j->radius;
    j->grid.space.bounds = XL_BOUNDS_GIVEN;
    j->grid.space.periodic = s->periodic;
    memcpy(j->cell, s->cell, sizeof s->cell);
    for (int k = 0; k < 9; ++k)
        j->grid.space.cell[k / 3][k % 3] = (double)s->cell[k / 3][k % 3];
    if (s->points_back) { /* the same lattice; the cell is no box */
        j->grid.space.origin[0] = j->grid.space.cell[0][0];
        j->grid.space.cell[0][0] *= -1;
    }
}

/* ---- one space ----------------------------------------------------------- */

static xl_status make_plans(bench *b, job *j)
{
    xl_neighbors_desc search;
    xl_neighbors_desc_init(&search);
    search.radius = (double)j->radius;
    search.visit = density_text;
    return bench_near_plans(b, &j->near, &j->grid, &search);
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

static const char *fault_in_counts(bench *b, const job *j)
{
    ref_search search = {.points = j->points, .n = j->near.n, .stride = 3, .radius = j->radius};
    for (int k = 0; k < 3 && j->grid.space.periodic; ++k)
        search.period[k] = j->cell[k][k];
    search.tilt[0] = j->cell[1][0];
    search.tilt[1] = j->cell[2][0];
    search.tilt[2] = j->cell[2][1];
    return bench_near_fault(b, &j->near, &search);
}

static void end_job(job *j)
{
    bench_near_end(&j->near);
    free(j->points);
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
        (void)bench_near_time(b, &j.near, "periodic", s->name);
    end_job(&j);
}

void bench_periodic(bench *b)
{
    for (size_t n = (size_t)1 << 17; n <= b->max_n && n <= (size_t)1 << 21; n *= 16)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; ++k)
            if (n >= b->options->min_n && bench_near_wants(b, spaces[k].name))
                run(b, &spaces[k], n);
}
