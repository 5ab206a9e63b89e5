/* SPDX-License-Identifier: MIT
 * Benchmarks of the shape of a cloud: build, count, fill and density of evenly spread points, more
 * of them with half as many neighbours, in random order and in that of a lattice, a slab, one point
 * far from all others, and all in one cell, to be compared by pair. Verified for some points. */
#include "bench_clouds.h"
#include "bench_near.h"

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

static void make_points(bench_near *x, const shape *s)
{
    float *const points = x->points;
    if (s->is_lattice) {
        const float side = (float)bench_cloud_lattice(points, 3, s->n);
        for (size_t i = 0; i < 3 * s->n; ++i)
            points[i] /= side;
    } else {
        bench_cloud_uniform(points, s->n);
    }
    for (size_t i = 0; i < s->n; ++i)
        points[3 * i] *= s->length;
    for (size_t i = 3 * (s->n - 1); i < 3 * s->n && s->has_outlier; ++i)
        points[i] = 1e9f;
    x->radius = (float)bench_radius(s->neighbours, (double)s->n / (double)s->length);
    bench_near_set_poly6(x);
}

/* The list of all pairs of points in one cell would be larger than most buffers may be. */
static xl_status run_once(bench *b, bench_near *x, const shape *s)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    make_points(x, s);
    bench_near_descs(x, &grid, &search);
    search.visit = bench_near_poly6;
    xl_status status = bench_near_plans(b, x, &grid, &search);
    if (status == XL_SUCCESS && !bench_near_buffers(b, x, 12, NEAR_FOR_ALL))
        status = XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS && s->has_list)
        return bench_near_list(b, x);
    if (status == XL_SUCCESS)
        status = bench_near_build(b, x, NULL);
    return status == XL_SUCCESS ? bench_near_count(b, x, NULL) : status;
}

static void run(bench *b, const shape *s)
{
    bench_near x = {.n = s->n, .points = malloc(12 * s->n)};
    const char *why = NULL;
    const xl_status status = x.points ? run_once(b, &x, s) : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS) {
        const ref_search search = {
            .points = x.points, .n = s->n, .stride = 3, .radius = (float)x.radius};
        why = bench_near_fault(b, &x, &search);
    }
    if (bench_right(b, "shapes", s->name, s->n, status, why))
        (void)bench_near_time(b, &x, "shapes", s->name);
    bench_near_end(&x);
}

void bench_shapes(bench *b)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        if (bench_near_wants(b, shapes[k].n, shapes[k].name))
            run(b, &shapes[k]);
}
