/* SPDX-License-Identifier: MIT
 * What benchmarks of grids and neighbour lists share. */
#include "bench_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char bench_near_poly6[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return sum + p.y * (t * t * t); }";

/* ---- plans and buffers --------------------------------------------------- */

xl_status bench_near_plans(bench *b, bench_near *x, const xl_grid_desc *grid,
                           const xl_neighbors_desc *search)
{
    xl_status status = grid ? xl_grid_create(b->ctx, grid, &x->grids[0]) : XL_SUCCESS;
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &x->index);
    return status == XL_SUCCESS ? xl_neighbors_create(x->grids[0], search, &x->search) : status;
}

bool bench_near_buffer(bench *b, bench_near *x, int which, size_t bytes, void *host)
{
    x->mem[which] = bench_buffer(b, bytes, host);
    return x->mem[which] != NULL;
}

bool bench_near_points(bench *b, bench_near *x, size_t bytes, void *host)
{
    size_t most = 0, storage;
    for (int way = 0; way < NEAR_GRIDS && x->grids[way]; ++way) {
        if (xl_grid_scratch(x->grids[way], &(xl_grid_build_args){.n = x->n}, &storage) !=
            XL_SUCCESS)
            return false;
        most = storage > most ? storage : most;
    }
    return bench_near_buffer(b, x, NEAR_POINTS, bytes, host) &&
           bench_near_buffer(b, x, NEAR_STORAGE, most, NULL);
}

bool bench_near_rows(bench *b, bench_near *x)
{
    size_t scratch;
    return xl_neighbors_scratch(x->search, &(xl_neighbors_args){.num_queries = x->n}, &scratch) ==
               XL_SUCCESS &&
           bench_near_buffer(b, x, NEAR_OFFSETS, 8 * (x->n + 1), NULL) &&
           bench_near_buffer(b, x, NEAR_SCRATCH, scratch + 256, NULL);
}

/* ---- timed calls --------------------------------------------------------- */

xl_status bench_near_build(bench *b, void *user, cl_event *event)
{
    const bench_near *x = user;
    const xl_grid_build_args args = {.n = x->n,
                                     .points = xl_view_of(x->mem[NEAR_POINTS], 0),
                                     .systems = xl_view_of(x->mem[NEAR_SYSTEMS], 0),
                                     .storage = xl_view_of(x->mem[NEAR_STORAGE], 0)};
    return xl_grid_build_enqueue(x->grids[x->way], x->index, b->queue, &args, 0, NULL, event);
}

xl_status bench_near_count(bench *b, void *user, cl_event *event)
{
    const bench_near *x = user;
    const xl_neighbors_args args = {.counts = xl_view_of(x->mem[NEAR_COUNTS], 0),
                                    .offsets = xl_view_of(x->mem[NEAR_OFFSETS], 0),
                                    .scratch = xl_view_of(x->mem[NEAR_SCRATCH], 0)};
    return xl_neighbors_count_enqueue(x->search, x->index, b->queue, &args, 0, NULL, event);
}

xl_status bench_near_fill(bench *b, void *user, cl_event *event)
{
    const bench_near *x = user;
    const xl_neighbors_args args = {.offsets = xl_view_of(x->mem[NEAR_OFFSETS], 0),
                                    .indices = xl_view_of(x->mem[NEAR_INDICES], 0),
                                    .capacity = x->pairs};
    return xl_neighbors_fill_enqueue(x->search, x->index, b->queue, &args, 0, NULL, event);
}

xl_status bench_near_density(bench *b, void *user, cl_event *event)
{
    const bench_near *x = user;
    xl_neighbors_args args = {.start = (double)x->start,
                              .sums = xl_view_of(x->mem[NEAR_DENSITY], 0)};
    for (int k = 0; k < 4; ++k)
        args.params[k] = (double)x->params[k];
    return xl_neighbors_enqueue(x->search, x->index, b->queue, &args, 0, NULL, event);
}

/* ---- one list ------------------------------------------------------------ */

xl_status bench_near_pairs(bench *b, bench_near *x)
{
    if (clEnqueueReadBuffer(b->queue, x->mem[NEAR_OFFSETS], CL_TRUE, 8 * x->n, 8, &x->pairs, 0,
                            NULL, NULL) != CL_SUCCESS)
        return XL_ERROR_OPENCL;
    return x->mem[NEAR_INDICES] ||
                   bench_near_buffer(b, x, NEAR_INDICES, 4 * (size_t)x->pairs + 4, NULL)
               ? XL_SUCCESS
               : XL_ERROR_OUT_OF_MEMORY;
}

xl_status bench_near_list(bench *b, bench_near *x)
{
    xl_status status = bench_near_build(b, x, NULL);
    if (status == XL_SUCCESS)
        status = bench_near_count(b, x, NULL);
    if (status == XL_SUCCESS)
        status = bench_near_pairs(b, x);
    return status == XL_SUCCESS ? bench_near_fill(b, x, NULL) : status;
}

bool bench_near_read(bench *b, const bench_near *x, int which, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(b->queue, x->mem[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
}

/* A query that is given is its own neighbour as well. */
const char *bench_near_fault(bench *b, const bench_near *x, const ref_search *of_points)
{
    enum { SAMPLE = 2 };
    uint64_t offsets[SAMPLE + 1];
    uint32_t *const got = malloc(x->n * sizeof *got);
    float queries[3 * SAMPLE];
    const size_t step = x->n / SAMPLE;
    const char *why = "no memory";
    ref_search search = *of_points;
    search.queries = queries;
    search.num_queries = SAMPLE;
    search.query_stride = 3;
    for (size_t k = 0; k < SAMPLE; ++k)
        memcpy(queries + 3 * k, search.points + 3 * k * step, 12);
    uint32_t *const rows = ref_neighbors(&search, offsets);
    if (rows && got && bench_near_read(b, x, NEAR_COUNTS, 4 * x->n, got))
        why = NULL;
    for (size_t k = 0; k < SAMPLE && !why; ++k)
        if (got[k * step] + 1 != offsets[k + 1] - offsets[k])
            why = "a count differs from the serial";
    free(rows);
    free(got);
    return why;
}

/* ---- the rows of a cloud ------------------------------------------------- */

enum { FILL = 2, KINDS = 4 };
static const char *const kinds[KINDS] = {"build", "count", "fill", "density"};

bool bench_near_wants(const bench *b, const char *cloud)
{
    bool wanted = false;
    for (int k = 0; k < KINDS; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", kinds[k], cloud);
        wanted = wanted || bench_wants(b, variant);
    }
    return wanted;
}

bool bench_near_time(bench *b, bench_near *x, const char *name, const char *cloud)
{
    const double n = (double)x->n;
    static bench_enqueue *const enqueues[KINDS] = {bench_near_build, bench_near_count,
                                                   bench_near_fill, bench_near_density};
    const double bytes[KINDS] = {28 * n, 28 * n, 24 * n + 4 * (double)x->pairs, 20 * n};
    bool done = true;
    for (int k = 0; k < KINDS && done; ++k) {
        char variant[64];
        snprintf(variant, sizeof variant, "%s, %s", kinds[k], cloud);
        done = !bench_wants(b, variant) || (k == FILL && !x->mem[NEAR_INDICES]) ||
               bench_case(b, name, variant, x->n, bytes[k], enqueues[k], x) == XL_SUCCESS;
    }
    return done;
}

void bench_near_end(bench_near *x)
{
    for (int i = 0; i < NEAR_BUFFERS; ++i)
        if (x->mem[i])
            clReleaseMemObject(x->mem[i]);
    for (int way = 0; way < NEAR_GRIDS; ++way)
        xl_plan_destroy(x->grids[way]);
    xl_plan_destroy(x->search);
    xl_grid_index_destroy(x->index);
}
