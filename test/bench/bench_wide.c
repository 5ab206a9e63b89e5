/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid and the neighbour list of points of double precision: build, count and
 * fill, of uniform points with some 33 neighbours each, as those of bench_grid.c are. Verified
 * against a serial search before they are timed. */
#include "bench.h"

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS, STORAGE, COUNTS, OFFSETS, INDICES, SCRATCH, BUFFERS };

typedef struct job {
    size_t n;
    double radius;
    double *points;
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *search;
    cl_mem mem[BUFFERS];
    uint64_t pairs;
} job;

/* In the unit cube. */
static void make_points(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < 3 * j->n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        j->points[i] = (double)(state >> 11) * 0x1p-53;
    }
    j->radius = cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * (double)j->n));
}

static xl_status build(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_grid_build_enqueue(j->grid, j->index, b->queue,
                                 &(xl_grid_build_args){.n = j->n,
                                                       .points = xl_view_of(j->mem[POINTS], 0),
                                                       .storage = xl_view_of(j->mem[STORAGE], 0)},
                                 0, NULL, event);
}

static xl_status count(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_count_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_count_args){.counts = xl_view_of(j->mem[COUNTS], 0),
                                   .offsets = xl_view_of(j->mem[OFFSETS], 0),
                                   .scratch = xl_view_of(j->mem[SCRATCH], 0)},
        0, NULL, event);
}

static xl_status fill(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_fill_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_fill_args){.offsets = xl_view_of(j->mem[OFFSETS], 0),
                                  .indices = xl_view_of(j->mem[INDICES], 0),
                                  .capacity = j->pairs},
        0, NULL, event);
}

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&search);
    grid.scalar = search.scalar = XL_F64;
    grid.cell_size = (float)j->radius;
    search.radius_f64 = j->radius;
    xl_status status = xl_grid_create(b->ctx, &grid, &j->grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(b->ctx, &search, &j->search);
    return status;
}

static xl_status make_buffers(bench *b, job *j)
{
    size_t storage, scratch, alignment;
    xl_status status = xl_grid_scratch(j->grid, j->n, &storage, &alignment);
    if (status == XL_SUCCESS)
        status = xl_neighbors_scratch(j->search, j->n, &scratch, &alignment);
    if (status != XL_SUCCESS)
        return status;
    j->mem[POINTS] = bench_buffer(b, 24 * j->n, j->points);
    j->mem[STORAGE] = bench_buffer(b, storage, NULL);
    j->mem[COUNTS] = bench_buffer(b, 4 * j->n, NULL);
    j->mem[OFFSETS] = bench_buffer(b, 8 * (j->n + 1), NULL);
    j->mem[SCRATCH] = bench_buffer(b, scratch + 256, NULL);
    for (int i = 0; i < BUFFERS; ++i)
        if (!j->mem[i] && i != INDICES)
            return XL_ERROR_OUT_OF_MEMORY;
    return XL_SUCCESS;
}

/* Runs all once; the list needs to know its length first. */
static xl_status run_once(bench *b, job *j)
{
    xl_status status = build(b, j, NULL);
    if (status == XL_SUCCESS)
        status = count(b, j, NULL);
    if (status != XL_SUCCESS)
        return status;
    if (clEnqueueReadBuffer(b->queue, j->mem[OFFSETS], CL_TRUE, 8 * j->n, 8, &j->pairs, 0, NULL,
                            NULL) != CL_SUCCESS ||
        !(j->mem[INDICES] = bench_buffer(b, 4 * (size_t)j->pairs + 4, NULL)))
        return XL_ERROR_OUT_OF_MEMORY;
    return fill(b, j, NULL);
}

static bool read_back(bench *b, const job *j, int which, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(b->queue, j->mem[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
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
                return "a row holds what is no neighbour";
        }
    return NULL;
}

static const char *fault_in(bench *b, const job *j)
{
    const ref_search_f64 search = {
        .points = j->points, .n = j->n, .stride = 3, .radius = j->radius};
    uint32_t *got = malloc(j->n * sizeof *got), *wanted = malloc(j->n * sizeof *wanted);
    uint32_t *indices = malloc((size_t)j->pairs * sizeof *indices + 1);
    const char *why = "no memory";
    if (got && indices && wanted && ref_counts_f64(&search, wanted) &&
        read_back(b, j, COUNTS, j->n * sizeof *got, got) &&
        read_back(b, j, INDICES, (size_t)j->pairs * sizeof *indices, indices))
        why = memcmp(got, wanted, j->n * sizeof *got) != 0 ? "counts differ from the serial"
                                                           : fault_in_rows(&search, got, indices);
    free(got);
    free(wanted);
    free(indices);
    return why;
}

static void time_all(bench *b, job *j)
{
    const double n = (double)j->n;
    const struct {
        const char *variant;
        bench_enqueue *enqueue;
        double bytes;
    } cases[] = {
        {"build, uniform, f64", build, 64 * n},
        {"count, uniform, f64", count, 52 * n},
        {"fill, uniform, f64", fill, 48 * n + 4 * (double)j->pairs},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        if (bench_case(b, "grid", cases[k].variant, j->n, cases[k].bytes, cases[k].enqueue, j) !=
            XL_SUCCESS)
            return;
}

static void run(bench *b, size_t n)
{
    job j = {.n = n, .points = malloc(24 * n)};
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    const char *why = NULL;
    if (j.points) {
        make_points(&j);
        status = make_plans(b, &j);
    }
    if (status == XL_SUCCESS)
        status = make_buffers(b, &j);
    if (status == XL_SUCCESS)
        status = run_once(b, &j);
    if (status == XL_SUCCESS)
        why = fault_in(b, &j);
    if (status != XL_SUCCESS)
        bench_failed(b, "grid", "uniform, f64", n, status);
    else if (why)
        bench_wrong(b, "grid", "uniform, f64", n, why);
    else
        time_all(b, &j);
    for (int i = 0; i < BUFFERS; ++i)
        if (j.mem[i])
            clReleaseMemObject(j.mem[i]);
    xl_neighbors_destroy(j.search);
    xl_grid_index_destroy(j.index);
    xl_grid_destroy(j.grid);
    free(j.points);
}

void bench_wide(bench *b)
{
    for (size_t n = (size_t)1 << 20; n <= b->max_n && n <= (size_t)1 << 21 && b->info.has_fp64;
         n *= 2)
        if (n >= b->options->min_n)
            run(b, n);
}
