/* SPDX-License-Identifier: MIT
 * Benchmarks of the approximate search for the k nearest points, on the clouds of the exact one.
 * The time includes codes, sorts and candidates. Rows are named as those of the exact search, with
 * the number of shifts and the recall in parentheses: the share of the k nearest that is found,
 * measured on some rows. Verified: the distances and the order of every row, and that the recall is
 * not below a floor. */
#include "bench_clouds.h"
#include "bench_rows.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_K = 64, COMPARED = 128 };

/* With dimensions + 1 shifts, on every cloud here; more shifts find more. */
static const double LEAST_RECALL = 0.75;

typedef struct job {
    bench_rows rows;
    uint32_t shifts, code;
    xl_plan *plan;
    double recall;
} job;

static xl_status search(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_nearest_approximate_enqueue(
        j->plan, b->queue,
        &(xl_nearest_approximate_args){.n = j->rows.n,
                                       .points = xl_view_of(j->rows.mem[ROWS_POINTS], 0),
                                       .indices = xl_view_of(j->rows.mem[ROWS_INDICES], 0),
                                       .distances2 = xl_view_of(j->rows.mem[ROWS_DISTANCES], 0),
                                       .scratch = xl_view_of(j->rows.mem[ROWS_SCRATCH], 0)},
        0, NULL, event);
}

/* ---- verification -------------------------------------------------------- */

static const char *fault_in_rows(job *j)
{
    const char *why = NULL;
    const ref_nearest_search all = {
        .points = j->rows.points, .n = j->rows.n, .stride = 3, .dimensions = 3, .k = j->rows.k};
    uint32_t indices[MOST_K];
    float distances2[MOST_K];
    size_t found = 0, compared = 0;
    for (size_t c = 0; c < COMPARED && c < j->rows.n && !why; ++c, ++compared) {
        const size_t i = c * (j->rows.n / COMPARED + 1) % j->rows.n;
        ref_nearest(&all, i, indices, distances2);
        for (size_t a = 0; a < j->rows.k; ++a)
            found += j->rows.distances2[i * j->rows.k + a] <= distances2[j->rows.k - 1];
    }
    j->recall = compared > 0 ? (double)found / (double)(compared * j->rows.k) : 0;
    return why ? why : j->recall < LEAST_RECALL ? "too few of the nearest were found" : NULL;
}

static const char *fault_of(bench *b, job *j)
{
    const char *why = bench_rows_fault(b, &j->rows);
    return why ? why : fault_in_rows(j);
}

/* ---- one cloud ----------------------------------------------------------- */

static xl_status make_plan(bench *b, job *j)
{
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = j->rows.k;
    desc.shifts = j->shifts;
    desc.code = j->code;
    float lower[3], upper[3];
    for (size_t a = 0; a < 3; ++a)
        lower[a] = upper[a] = j->rows.points[a];
    for (size_t i = 0; i < 3 * j->rows.n; ++i) {
        lower[i % 3] = fminf(lower[i % 3], j->rows.points[i]);
        upper[i % 3] = fmaxf(upper[i % 3], j->rows.points[i]);
    }
    for (size_t a = 0; a < 3; ++a) {
        desc.space.origin[a] = (double)lower[a];
        desc.space.cell[a][a] = (double)upper[a] - (double)lower[a];
    }
    return xl_nearest_approximate_create(b->ctx, &desc, &j->plan);
}

static xl_status run_once(bench *b, job *j)
{
    size_t scratch;
    xl_status status = make_plan(b, j);
    if (status == XL_SUCCESS)
        status = xl_nearest_approximate_scratch(
            j->plan, &(xl_nearest_approximate_args){.n = j->rows.n, .num_queries = 0}, &scratch);
    if (status != XL_SUCCESS)
        return status;
    j->rows.mem[ROWS_SCRATCH] = bench_buffer(b, scratch, NULL);
    return bench_rows_buffers(b, &j->rows) && j->rows.mem[ROWS_SCRATCH] ? search(b, j, NULL)
                                                                        : XL_ERROR_OUT_OF_MEMORY;
}

static void end_job(job *j)
{
    xl_plan_destroy(j->plan);
    bench_rows_end(&j->rows);
}

static void run(bench *b, const char *cloud, job j)
{
    char variant[64];
    const char *const codes = j.code == XL_U32 ? ", u32 codes" : "";
    snprintf(variant, sizeof variant, "k %u, %s (%u shifts%s)", (unsigned)j.rows.k, cloud,
             (unsigned)j.shifts, codes);
    if (!j.rows.points || !bench_wants(b, variant)) {
        end_job(&j);
        return;
    }
    const xl_status status = run_once(b, &j);
    const char *why = status == XL_SUCCESS ? fault_of(b, &j) : NULL;
    snprintf(variant, sizeof variant, "k %u, %s (%u shifts%s, recall %.3f)", (unsigned)j.rows.k,
             cloud, (unsigned)j.shifts, codes, j.recall);
    if (bench_right(b, "nearest", variant, j.rows.n, status, why))
        (void)bench_case(b, "nearest", variant, j.rows.n,
                         (20.0 + 8.0 * j.rows.k) * (double)j.rows.n, search, &j);
    end_job(&j);
}

static void run_made(bench *b, const char *cloud, void (*make)(float *, size_t), job j)
{
    j.rows.points = malloc(12 * j.rows.n);
    if (j.rows.points)
        make(j.rows.points, j.rows.n);
    run(b, cloud, j);
}

static void run_file(bench *b, job j)
{
    float radius;
    j.rows.points = bench_cloud_of_file(b->options->cloud, &j.rows.n, &radius);
    run(b, "of a file", j);
}

void bench_approximate(bench *b)
{
    static const struct {
        uint32_t k, shifts, code;
    } cases[] = {
        {16, 4, XL_U64}, {16, 8, XL_U64}, {16, 4, XL_U32}, {8, 4, XL_U64}, {32, 4, XL_U64}};
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t most = is_cpu ? (size_t)1 << 17 : (size_t)1 << 20;
    for (size_t n = (size_t)1 << 14; n <= b->max_n && n <= most; n *= 8)
        for (size_t i = 0; i < sizeof cases / sizeof *cases && n >= b->options->min_n; ++i) {
            const job j = {.rows = {.n = n, .k = cases[i].k},
                           .shifts = cases[i].shifts,
                           .code = cases[i].code};
            run_made(b, "uniform", bench_cloud_uniform, j);
            if (j.rows.k != 16 || j.code != XL_U64)
                continue;
            run_made(b, "clusters", bench_cloud_clusters, j);
            run_made(b, "surface", bench_cloud_surface, j);
        }
    if (b->options->cloud)
        for (uint32_t shifts = 4; shifts <= 8; shifts += 4)
            run_file(b, (job){.rows = {.k = 16}, .shifts = shifts, .code = XL_U64});
}
