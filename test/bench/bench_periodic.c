/* SPDX-License-Identifier: MIT
 * Benchmarks of searches in periodic space: build, count, fill and a density by visit, of as many
 * uniform points with about 34 neighbours each in an open box, in a periodic one, in the same as a
 * cell with a reversed vector, and in the rhombohedral cell of a face-centred cubic lattice.
 * Verified for some points against every image of all others. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <stdlib.h>

static const char density_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return fma(t * t, t, sum); }";

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

static void make_points(bench_near *x, const space *s)
{
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < x->n; ++i) {
        float *const p = (float *)x->points + 3 * i;
        const float a = bench_unit(&state), b = bench_unit(&state), c = bench_unit(&state);
        for (size_t k = 0; k < 3; ++k)
            p[k] = a * s->cell[0][k] + b * s->cell[1][k] + c * s->cell[2][k];
    }
}

static xl_status make_plans(bench *b, bench_near *x, const space *s)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    bench_near_descs(x, &grid, &search);
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = s->periodic;
    for (int k = 0; k < 9; ++k)
        grid.space.cell[k / 3][k % 3] = (double)s->cell[k / 3][k % 3];
    if (s->points_back) { /* the same lattice; the cell is no box */
        grid.space.origin[0] = grid.space.cell[0][0];
        grid.space.cell[0][0] *= -1;
    }
    search.visit = density_text;
    x->params[0] = (float)(x->radius * x->radius);
    return bench_near_plans(b, x, &grid, &search);
}

static xl_status run_once(bench *b, bench_near *x, const space *s)
{
    make_points(x, s);
    xl_status status = make_plans(b, x, s);
    if (status == XL_SUCCESS && !bench_near_buffers(b, x, 12, NEAR_FOR_ALL))
        status = XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS)
        status = bench_near_list(b, x);
    return status == XL_SUCCESS ? xl_grid_index_status(x->index, b->queue, NULL, 0, NULL) : status;
}

static const char *fault_in_counts(bench *b, const bench_near *x, const space *s)
{
    ref_search search = {.points = x->points, .n = x->n, .stride = 3, .radius = (float)x->radius};
    for (int k = 0; k < 3 && s->periodic; ++k)
        search.period[k] = s->cell[k][k];
    search.tilt[0] = s->cell[1][0];
    search.tilt[1] = s->cell[2][0];
    search.tilt[2] = s->cell[2][1];
    return bench_near_fault(b, x, &search);
}

static void run(bench *b, const space *s, size_t n)
{
    bench_near x = {.n = n, .radius = (float)bench_radius(34, (double)n), .points = malloc(12 * n)};
    const xl_status status = x.points ? run_once(b, &x, s) : XL_ERROR_OUT_OF_MEMORY;
    const char *const why = status == XL_SUCCESS ? fault_in_counts(b, &x, s) : NULL;
    if (bench_right(b, "periodic", s->name, n, status, why))
        (void)bench_near_time(b, &x, "periodic", s->name);
    bench_near_end(&x);
}

void bench_periodic(bench *b)
{
    for (size_t n = (size_t)1 << 17; n <= (size_t)1 << 21; n *= 16)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; ++k)
            if (bench_near_wants(b, n, spaces[k].name))
                run(b, &spaces[k], n);
}
