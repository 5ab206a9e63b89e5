/* SPDX-License-Identifier: MIT
 * Benchmarks of the search for the k nearest of uniform points, of points in clusters and on a
 * surface. Cells are as crosslane/nearest.h recommends; the build of the index is not timed. Verified: every row for its order and distances, and some against a search of all points. */
#include "bench_clouds.h"
#include "bench_rows.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_K = 256, COMPARED = 300 };

typedef struct job {
    bench_rows rows;
    xl_grid_index *index;
    xl_plan *plan;
} job;

/* ---- timed call ------------------------------------------------------- */

static xl_status search(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_nearest_enqueue(
        j->plan, j->index, b->queue,
        &(xl_nearest_args){.indices = xl_view_of(j->rows.mem[ROWS_INDICES], 0),
                           .distances2 = xl_view_of(j->rows.mem[ROWS_DISTANCES], 0)},
        0, NULL, event);
}

/* ---- verification -------------------------------------------------------- */

static const char *fault_in_rows(const job *j)
{
    const char *why = NULL;
    const ref_nearest_search all = {
        .points = j->rows.points, .n = j->rows.n, .stride = 3, .dimensions = 3, .k = j->rows.k};
    uint32_t indices[MOST_K];
    float distances2[MOST_K];
    for (size_t c = 0; c < COMPARED && c < j->rows.n && !why; ++c) {
        const size_t i = c * (j->rows.n / COMPARED + 1) % j->rows.n;
        ref_nearest(&all, i, indices, distances2);
        for (size_t a = 0; a < j->rows.k; ++a)
            if (indices[a] != j->rows.indices[i * j->rows.k + a])
                why = "a row differs from a search through all points";
    }
    return why;
}

static const char *fault_of(bench *b, const job *j)
{
    const char *why = bench_rows_fault(b, &j->rows);
    return why ? why : fault_in_rows(j);
}

/* ---- one cloud ----------------------------------------------------------- */

/* The index, and the search that is made from its grid. */
static xl_status build(bench *b, job *j)
{
    xl_plan *grid = NULL;
    xl_nearest_desc nearest;
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.points_per_cell = fmax(j->rows.k / 12.0, 2);
    xl_status status = xl_grid_create(b->ctx, &desc, &grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    if (status == XL_SUCCESS)
        status = xl_grid_build_enqueue(
            grid, j->index, b->queue,
            &(xl_grid_build_args){.n = j->rows.n,
                                  .points = xl_view_of(j->rows.mem[ROWS_POINTS], 0)},
            0, NULL, NULL);
    xl_nearest_desc_init(&nearest);
    nearest.k = j->rows.k;
    if (status == XL_SUCCESS)
        status = xl_nearest_create(grid, &nearest, &j->plan);
    xl_plan_destroy(grid);
    return status;
}

static xl_status run_once(bench *b, job *j)
{
    if (!bench_rows_buffers(b, &j->rows))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_status status = build(b, j);
    return status == XL_SUCCESS ? search(b, j, NULL) : status;
}

static void end_job(job *j)
{
    xl_plan_destroy(j->plan);
    xl_grid_index_destroy(j->index);
    bench_rows_end(&j->rows);
}

static void run(bench *b, const char *cloud, void (*make)(float *, size_t), size_t n, uint32_t k)
{
    job j = {.rows = {.n = n, .k = k, .points = malloc(12 * n)}};
    char variant[64];
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    snprintf(variant, sizeof variant, "k %u, %s", (unsigned)k, cloud);
    if (n < b->options->min_n || !bench_wants(b, variant)) {
        end_job(&j);
        return;
    }
    if (j.rows.points) {
        make(j.rows.points, n);
        status = run_once(b, &j);
    }
    const char *why = status == XL_SUCCESS ? fault_of(b, &j) : NULL;
    if (bench_right(b, "nearest", variant, n, status, why))
        (void)bench_case(b, "nearest", variant, n, (20.0 + 8.0 * k) * (double)n, search, &j);
    end_job(&j);
}

void bench_nearest(bench *b)
{
    static const uint32_t ks[] = {8, 16, 32};
    for (size_t n = (size_t)1 << 14; n <= b->max_n && n <= (size_t)1 << 20; n *= 8) {
        for (size_t i = 0; i < sizeof ks / sizeof *ks; ++i)
            run(b, "uniform", bench_cloud_uniform, n, ks[i]);
        if (n < (size_t)1 << 20) /* rows take 2 KiB each */
            run(b, "uniform", bench_cloud_uniform, n, MOST_K);
        run(b, "clusters", bench_cloud_clusters, n, 16);
        run(b, "surface", bench_cloud_surface, n, 16);
    }
}
