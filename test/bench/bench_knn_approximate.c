/* SPDX-License-Identifier: MIT
 * Benchmarks of the approximate search for the k nearest points, on the clouds of the exact one,
 * everything counted: codes, sorts, candidates. Rows are named as those of the exact search, with
 * the number of shifts and the recall in parentheses: how many of the k nearest are in the row, of
 * some rows and a search through all points. Verified before they are timed: the distances and the
 * order of every row, and that the recall is not below a floor. */
#include "bench.h"
#include "bench_clouds.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS, INDICES, DISTANCES, SCRATCH, BUFFERS };
enum { MOST_K = 64, COMPARED = 128 };

/* Of dimensions + 1 shifts, on every cloud here; with more, more. */
static const double LEAST_RECALL = 0.75;

typedef struct job {
    size_t n;
    uint32_t k, shifts, code;
    float *points;
    xl_knn_approximate *plan;
    cl_mem mem[BUFFERS];
    uint32_t *indices;
    float *distances2;
    double recall;
} job;

static xl_status search(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_knn_approximate_enqueue(
        j->plan, b->queue,
        &(xl_knn_approximate_args){.n = j->n,
                                   .points = xl_view_of(j->mem[POINTS], 0),
                                   .indices = xl_view_of(j->mem[INDICES], 0),
                                   .distances2 = xl_view_of(j->mem[DISTANCES], 0),
                                   .scratch = xl_view_of(j->mem[SCRATCH], 0)},
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
            return "a row holds what is no neighbour, or a wrong distance";
        if (a > 0 && !is_before(row2[a - 1], row[a - 1], row2[a], row[a]))
            return "a row is not in order";
    }
    return NULL;
}

static const char *fault_in_rows(job *j)
{
    const char *why = NULL;
    const ref_knn_search all = {
        .points = j->points, .n = j->n, .stride = 3, .dimensions = 3, .k = j->k};
    uint32_t indices[MOST_K];
    float distances2[MOST_K];
    size_t found = 0, compared = 0;
    for (size_t i = 0; i < j->n && !why; ++i)
        why = fault_in_row(j, i);
    for (size_t c = 0; c < COMPARED && c < j->n && !why; ++c, ++compared) {
        const size_t i = c * (j->n / COMPARED + 1) % j->n;
        ref_knn(&all, i, indices, distances2);
        for (size_t a = 0; a < j->k; ++a)
            found += j->distances2[i * j->k + a] <= distances2[j->k - 1];
    }
    j->recall = compared > 0 ? (double)found / (double)(compared * j->k) : 0;
    return why ? why : j->recall < LEAST_RECALL ? "too few of the nearest were found" : NULL;
}

static const char *fault_of(bench *b, job *j)
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

static xl_status make_plan(bench *b, job *j)
{
    xl_knn_approximate_desc desc;
    xl_knn_approximate_desc_init(&desc);
    desc.k = j->k;
    desc.shifts = j->shifts;
    desc.code = j->code;
    for (size_t a = 0; a < 3; ++a)
        desc.lower[a] = desc.upper[a] = j->points[a];
    for (size_t i = 0; i < 3 * j->n; ++i) {
        desc.lower[i % 3] = fminf(desc.lower[i % 3], j->points[i]);
        desc.upper[i % 3] = fmaxf(desc.upper[i % 3], j->points[i]);
    }
    return xl_knn_approximate_create(b->ctx, &desc, &j->plan);
}

static xl_status run_once(bench *b, job *j)
{
    size_t scratch, alignment;
    const size_t bytes = 4 * j->n * j->k;
    xl_status status = make_plan(b, j);
    if (status == XL_SUCCESS)
        status = xl_knn_approximate_scratch(j->plan, j->n, 0, &scratch, &alignment);
    if (status != XL_SUCCESS)
        return status;
    j->mem[POINTS] = bench_buffer(b, 12 * j->n, j->points);
    j->mem[INDICES] = bench_buffer(b, bytes, NULL);
    j->mem[DISTANCES] = bench_buffer(b, bytes, NULL);
    j->mem[SCRATCH] = bench_buffer(b, scratch, NULL);
    j->indices = malloc(bytes);
    j->distances2 = malloc(bytes);
    for (int i = 0; i < BUFFERS; ++i)
        if (!j->mem[i])
            return XL_ERROR_OUT_OF_MEMORY;
    return j->indices && j->distances2 ? search(b, j, NULL) : XL_ERROR_OUT_OF_MEMORY;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    xl_knn_approximate_destroy(j->plan);
    free(j->points);
    free(j->indices);
    free(j->distances2);
}

static void run(bench *b, const char *cloud, job j)
{
    char variant[64];
    const char *const codes = j.code == XL_U32 ? ", u32 codes" : "";
    snprintf(variant, sizeof variant, "k %u, %s (%u shifts%s)", (unsigned)j.k, cloud,
             (unsigned)j.shifts, codes);
    if (!j.points || !bench_wants(b, variant)) {
        end_job(&j);
        return;
    }
    const xl_status status = run_once(b, &j);
    const char *why = status == XL_SUCCESS ? fault_of(b, &j) : NULL;
    snprintf(variant, sizeof variant, "k %u, %s (%u shifts%s, recall %.3f)", (unsigned)j.k, cloud,
             (unsigned)j.shifts, codes, j.recall);
    if (status != XL_SUCCESS)
        bench_failed(b, "knn", variant, j.n, status);
    else if (why)
        bench_wrong(b, "knn", variant, j.n, why);
    else
        (void)bench_case(b, "knn", variant, j.n, (20.0 + 8.0 * j.k) * (double)j.n, search, &j);
    end_job(&j);
}

static void run_made(bench *b, const char *cloud, double (*make)(float *, size_t), job j)
{
    j.points = malloc(12 * j.n);
    if (j.points)
        (void)make(j.points, j.n);
    run(b, cloud, j);
}

static void run_file(bench *b, job j)
{
    float radius;
    j.points = bench_cloud_of_file(b->options->cloud, &j.n, &radius);
    run(b, "of a file", j);
}

void bench_knn_approximate(bench *b)
{
    static const struct {
        uint32_t k, shifts, code;
    } cases[] = {
        {16, 4, XL_U64}, {16, 8, XL_U64}, {16, 4, XL_U32}, {8, 4, XL_U64}, {32, 4, XL_U64}};
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t most = is_cpu ? (size_t)1 << 17 : (size_t)1 << 20;
    for (size_t n = (size_t)1 << 14; n <= b->max_n && n <= most; n *= 8)
        for (size_t i = 0; i < sizeof cases / sizeof *cases && n >= b->options->min_n; ++i) {
            const job j = {
                .n = n, .k = cases[i].k, .shifts = cases[i].shifts, .code = cases[i].code};
            run_made(b, "uniform", bench_cloud_uniform, j);
            if (j.k != 16 || j.code != XL_U64)
                continue;
            run_made(b, "clusters", bench_cloud_clusters, j);
            run_made(b, "surface", bench_cloud_surface, j);
        }
    if (b->options->cloud)
        for (uint32_t shifts = 4; shifts <= 8; shifts += 4)
            run_file(b, (job){.k = 16, .shifts = shifts, .code = XL_U64});
}
