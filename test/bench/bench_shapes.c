/* SPDX-License-Identifier: MIT
 * Benchmarks of what points of other shapes cost: build, count, fill and a density of points that
 * are spread evenly, more of them with half as many neighbours, in no order and in that of a
 * lattice, a slab, one point far off from all others, and all in one cell, to be compared by pair.
 * Verified for some points against all others before they are timed. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdlib.h>

typedef struct shape {
    const char *name;
    size_t n;
    float length;      /* of the box along x; 1 along y and z */
    double neighbours; /* of each, away from faces */
    bool is_lattice, has_outlier, has_list;
} shape;

static const shape shapes[] = {
    {"even", (size_t)1 << 20, 1, 34, false, false, true},
    {"even, 17 neighbours", (size_t)1 << 23, 1, 17, false, false, true},
    {"a lattice, 17 neighbours", (size_t)1 << 23, 1, 17, true, false, true},
    {"a slab 1000:1:1", (size_t)1 << 20, 1000, 34, false, false, true},
    {"one point far off", (size_t)1 << 20, 1, 34, false, true, true},
    {"all in one cell", (size_t)1 << 16, 1, 1e9, false, false, false}};

typedef struct job {
    bench_near near;
    float radius;
    float *points;
} job;

/* To its place in a lattice of the unit cube, of which it moves by less than half a spacing. */
static void put_in_order(float *p, size_t i, size_t side)
{
    const size_t at[3] = {i % side, i / side % side, i / side / side};
    for (size_t a = 0; a < 3; ++a)
        p[a] = ((float)at[a] + 0.4f * p[a]) / (float)side;
}

static void make_points(job *j, const shape *s)
{
    (void)bench_cloud_uniform(j->points, s->n);
    for (size_t i = 0; i < s->n; ++i)
        j->points[3 * i] *= s->length;
    for (size_t i = 0; i < s->n && s->is_lattice; ++i)
        put_in_order(j->points + 3 * i, i, (size_t)ceil(cbrt((double)s->n)));
    for (size_t i = 3 * (s->n - 1); i < 3 * s->n && s->has_outlier; ++i)
        j->points[i] = 1e9f;
    const double density = (double)s->n / (double)s->length;
    j->radius = (float)cbrt(s->neighbours / (4.0 / 3.0 * 3.14159265358979 * density));
}

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&search);
    grid.cell_size = search.radius = j->radius;
    search.visit = bench_near_poly6;
    j->near.params[0] = j->radius * j->radius;
    j->near.params[1] = 1.0f / (j->near.params[0] * j->near.params[0] * j->near.params[0]);
    return bench_near_plans(b, &j->near, &grid, &search);
}

static bool make_buffers(bench *b, job *j)
{
    return bench_near_points(b, &j->near, 12 * j->near.n, j->points) &&
           bench_near_rows(b, &j->near) &&
           bench_near_buffer(b, &j->near, NEAR_COUNTS, 4 * j->near.n, NULL) &&
           bench_near_buffer(b, &j->near, NEAR_DENSITY, 4 * j->near.n, NULL);
}

/* A list of all pairs there are would be larger than most buffers may be. */
static xl_status run_once(bench *b, job *j, const shape *s)
{
    if (s->has_list)
        return bench_near_list(b, &j->near);
    const xl_status status = bench_near_build(b, &j->near, NULL);
    return status == XL_SUCCESS ? bench_near_count(b, &j->near, NULL) : status;
}

static void run(bench *b, const shape *s)
{
    job j = {.near.n = s->n, .points = malloc(12 * s->n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    if (j.points) {
        make_points(&j, s);
        status = make_plans(b, &j);
        if (status == XL_SUCCESS)
            status = make_buffers(b, &j) ? run_once(b, &j, s) : XL_ERROR_OUT_OF_MEMORY;
    }
    const ref_search search = {.points = j.points, .n = s->n, .stride = 3, .radius = j.radius};
    const char *const why = status == XL_SUCCESS ? bench_near_fault(b, &j.near, &search) : NULL;
    if (status != XL_SUCCESS)
        bench_failed(b, "shapes", s->name, s->n, status);
    else if (why)
        bench_wrong(b, "shapes", s->name, s->n, why);
    else
        (void)bench_near_time(b, &j.near, "shapes", s->name);
    bench_near_end(&j.near);
    free(j.points);
}

void bench_shapes(bench *b)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        if (shapes[k].n >= b->options->min_n && shapes[k].n <= b->max_n &&
            bench_near_wants(b, shapes[k].name))
            run(b, &shapes[k]);
}
