/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid and the neighbour list of points of double precision: build, count and
 * fill, of uniform points with some 33 neighbours each, as those of bench_grid.c are. Verified
 * against a serial search before they are timed. */
#include "bench_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    bench_near near;
    double radius;
    double *points;
} job;

/* In the unit cube. */
static void make_points(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < 3 * j->near.n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        j->points[i] = (double)(state >> 11) * 0x1p-53;
    }
    j->radius = cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->near.n));
}

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&search);
    grid.space.scalar = XL_F64;
    grid.cell_size = search.radius = j->radius;
    return bench_near_plans(b, &j->near, &grid, &search);
}

static bool make_buffers(bench *b, job *j)
{
    return bench_near_points(b, &j->near, 24 * j->near.n, j->points) &&
           bench_near_rows(b, &j->near) &&
           bench_near_buffer(b, &j->near, NEAR_COUNTS, 4 * j->near.n, NULL);
}

/* With right counts, rows in ascending order of true neighbours are the rows. */
static const char *fault_in_rows(const ref_search_f64 *search, const uint32_t *counts,
                                 const uint32_t *indices)
{
    uint64_t at = 0;
    for (size_t i = 0; i < search->n; ++i)
        for (const uint64_t begin = at, end = at + counts[i]; at < end; ++at) {
            if (indices[at] >= search->n || (at > begin && indices[at] <= indices[at - 1]))
                return "a row is not in ascending order";
            if (!ref_near_f64(search, i, indices[at]))
                return "a row has an index that is no neighbour";
        }
    return NULL;
}

static const char *fault_in(bench *b, const job *j)
{
    const ref_search_f64 search = {
        .points = j->points, .n = j->near.n, .stride = 3, .radius = j->radius};
    uint32_t *got = malloc(j->near.n * sizeof *got), *wanted = malloc(j->near.n * sizeof *wanted);
    uint32_t *indices = malloc((size_t)j->near.pairs * sizeof *indices + 1);
    const char *why = "no memory";
    if (got && indices && wanted && ref_counts_f64(&search, wanted) &&
        bench_near_read(b, &j->near, NEAR_COUNTS, j->near.n * sizeof *got, got) &&
        bench_near_read(b, &j->near, NEAR_INDICES, (size_t)j->near.pairs * sizeof *indices,
                        indices))
        why = memcmp(got, wanted, j->near.n * sizeof *got) != 0
                  ? "counts differ from the serial"
                  : fault_in_rows(&search, got, indices);
    free(got);
    free(wanted);
    free(indices);
    return why;
}

static void time_all(bench *b, job *j)
{
    const double n = (double)j->near.n;
    const struct {
        const char *variant;
        bench_enqueue *enqueue;
        double bytes;
    } cases[] = {
        {"build, uniform, f64", bench_near_build, 64 * n},
        {"count, uniform, f64", bench_near_count, 52 * n},
        {"fill, uniform, f64", bench_near_fill, 48 * n + 4 * (double)j->near.pairs},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        if (bench_case(b, "grid", cases[k].variant, j->near.n, cases[k].bytes, cases[k].enqueue,
                       &j->near) != XL_SUCCESS)
            return;
}

static void run(bench *b, size_t n)
{
    job j = {.near.n = n, .points = malloc(24 * n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    const char *why = NULL;
    if (j.points) {
        make_points(&j);
        status = make_plans(b, &j);
    }
    if (status == XL_SUCCESS)
        status = make_buffers(b, &j) ? bench_near_list(b, &j.near) : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS)
        why = fault_in(b, &j);
    if (status != XL_SUCCESS)
        bench_failed(b, "grid", "uniform, f64", n, status);
    else if (why)
        bench_wrong(b, "grid", "uniform, f64", n, why);
    else
        time_all(b, &j);
    bench_near_end(&j.near);
    free(j.points);
}

void bench_wide(bench *b)
{
    for (size_t n = (size_t)1 << 20; n <= b->max_n && n <= (size_t)1 << 21 && b->info.has_fp64;
         n *= 2)
        if (n >= b->options->min_n)
            run(b, n);
}
