/* SPDX-License-Identifier: MIT
 * Benchmarks of the search for the k nearest points: uniform ones, ones in clusters, and ones on a
 * surface, on cells as crosslane/knn.h says; the build of the index is not timed. Verified before
 * they are timed: every row for its order and its distances, and some against a search through all
 * points. */
#include "bench.h"
#include "bench_clouds.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS, INDICES, DISTANCES, BUFFERS };
enum { MOST_K = 32, COMPARED = 300 };

typedef struct job {
    size_t n;
    uint32_t k;
    float *points;
    xl_grid_index *index;
    xl_knn *plan;
    cl_mem mem[BUFFERS];
    uint32_t *indices;
    float *distances2;
} job;

/* ---- what is timed ------------------------------------------------------- */

static xl_status search(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_knn_enqueue(j->plan, j->index, b->queue,
                          &(xl_knn_args){.indices = xl_view_of(j->mem[INDICES], 0),
                                         .distances2 = xl_view_of(j->mem[DISTANCES], 0)},
                          0, NULL, event);
}

/* ---- verification -------------------------------------------------------- */

static bool is_before(float a2, uint32_t a, float b2, uint32_t b)
{
    return a2 < b2 || (a2 == b2 && a < b);
}

static const char *fault_in_row(const job *j, size_t i)
{
    const ref_search pair = {.points = j->points, .n = j->n, .stride = 3};
    const uint32_t *row = j->indices + i * j->k;
    const float *row2 = j->distances2 + i * j->k;
    for (size_t a = 0; a < j->k; ++a) {
        if (row[a] >= j->n || row[a] == i || !(row2[a] == ref_distance2(&pair, i, row[a])))
            return "a row holds what is no neighbour";
        if (a > 0 && !is_before(row2[a - 1], row[a - 1], row2[a], row[a]))
            return "a row is not in order";
    }
    return NULL;
}

static const char *fault_in_rows(const job *j)
{
    const char *why = NULL;
    const ref_knn_search all = {
        .points = j->points, .n = j->n, .stride = 3, .dimensions = 3, .k = j->k};
    uint32_t indices[MOST_K];
    float distances2[MOST_K];
    for (size_t i = 0; i < j->n && !why; ++i)
        why = fault_in_row(j, i);
    for (size_t c = 0; c < COMPARED && c < j->n && !why; ++c) {
        const size_t i = c * (j->n / COMPARED + 1) % j->n;
        ref_knn(&all, i, indices, distances2);
        for (size_t a = 0; a < j->k; ++a)
            if (indices[a] != j->indices[i * j->k + a])
                why = "a row differs from a search through all points";
    }
    return why;
}

static const char *fault_of(bench *b, const job *j)
{
    const size_t bytes = 4 * j->n * j->k;
    if (clEnqueueReadBuffer(b->queue, j->mem[INDICES], CL_TRUE, 0, bytes, j->indices, 0, NULL,
                            NULL) != CL_SUCCESS ||
        clEnqueueReadBuffer(b->queue, j->mem[DISTANCES], CL_TRUE, 0, bytes, j->distances2, 0, NULL,
                            NULL) != CL_SUCCESS)
        return "rows could not be read";
    return fault_in_rows(j);
}

/* ---- one cloud ----------------------------------------------------------- */

/* The formula of crosslane/knn.h. */
static float cell_of(const job *j, double density)
{
    return (float)cbrt(fmax(j->k / 6.0, 1.5) / density);
}

static xl_status build(bench *b, job *j, double density)
{
    xl_grid *grid = NULL;
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = cell_of(j, density);
    xl_status status = xl_grid_create(b->ctx, &desc, &grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    if (status == XL_SUCCESS)
        status = xl_grid_build_enqueue(
            grid, j->index, b->queue,
            &(xl_grid_build_args){.n = j->n, .points = xl_view_of(j->mem[POINTS], 0)}, 0, NULL,
            NULL);
    xl_grid_destroy(grid);
    return status;
}

static xl_status run_once(bench *b, job *j, double density)
{
    xl_knn_desc desc;
    const size_t bytes = 4 * j->n * j->k;
    j->mem[POINTS] = bench_buffer(b, 12 * j->n, j->points);
    j->mem[INDICES] = bench_buffer(b, bytes, NULL);
    j->mem[DISTANCES] = bench_buffer(b, bytes, NULL);
    j->indices = malloc(bytes);
    j->distances2 = malloc(bytes);
    if (!j->mem[POINTS] || !j->mem[INDICES] || !j->mem[DISTANCES] || !j->indices || !j->distances2)
        return XL_ERROR_OUT_OF_MEMORY;
    xl_knn_desc_init(&desc);
    desc.k = j->k;
    xl_status status = build(b, j, density);
    if (status == XL_SUCCESS)
        status = xl_knn_create(b->ctx, &desc, &j->plan);
    return status == XL_SUCCESS ? search(b, j, NULL) : status;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    xl_knn_destroy(j->plan);
    xl_grid_index_destroy(j->index);
    free(j->points);
    free(j->indices);
    free(j->distances2);
}

static void run(bench *b, const char *cloud, double (*make)(float *, size_t), size_t n, uint32_t k)
{
    job j = {.n = n, .k = k, .points = malloc(12 * n)};
    char variant[64];
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    snprintf(variant, sizeof variant, "k %u, %s", (unsigned)k, cloud);
    if (!bench_wants(b, variant)) {
        end_job(&j);
        return;
    }
    if (j.points)
        status = run_once(b, &j, make(j.points, n));
    const char *why = status == XL_SUCCESS ? fault_of(b, &j) : NULL;
    if (status != XL_SUCCESS)
        bench_failed(b, "knn", variant, n, status);
    else if (why)
        bench_wrong(b, "knn", variant, n, why);
    else
        (void)bench_case(b, "knn", variant, n, (20.0 + 8.0 * k) * (double)n, search, &j);
    end_job(&j);
}

void bench_knn(bench *b)
{
    static const uint32_t ks[] = {8, 16, 32};
    for (size_t n = (size_t)1 << 14; n <= b->max_n && n <= (size_t)1 << 20; n *= 8) {
        for (size_t i = 0; i < sizeof ks / sizeof *ks; ++i)
            run(b, "uniform", bench_cloud_uniform, n, ks[i]);
        run(b, "clusters", bench_cloud_clusters, n, 16);
        run(b, "surface", bench_cloud_surface, n, 16);
    }
}
