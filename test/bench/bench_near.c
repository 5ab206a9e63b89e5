/* SPDX-License-Identifier: MIT
 * Shared by benchmarks of grids and neighbour lists. */
#include "bench_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char bench_near_poly6[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return fma(p.y * t, t * t, sum); }";

void bench_near_set_poly6(bench_near *x)
{
    const float radius2 = (float)x->radius * (float)x->radius;
    x->params[0] = radius2;
    x->params[1] = 1.0f / (radius2 * radius2 * radius2);
}

/* ---- plans and buffers --------------------------------------------------- */

void bench_near_descs(const bench_near *x, xl_grid_desc *grid, xl_neighbors_desc *search)
{
    xl_grid_desc_init(grid);
    xl_neighbors_desc_init(search);
    grid->cell_size = search->radius = x->radius;
}

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

static bool make_points(bench *b, bench_near *x, size_t bytes)
{
    size_t most = 0, storage;
    for (int way = 0; way < NEAR_GRIDS && x->grids[way]; ++way) {
        if (xl_grid_scratch(x->grids[way], &(xl_grid_build_args){.n = x->n}, &storage) !=
            XL_SUCCESS)
            return false;
        most = storage > most ? storage : most;
    }
    return bench_near_buffer(b, x, NEAR_POINTS, bytes, x->points) &&
           bench_near_buffer(b, x, NEAR_STORAGE, most, NULL);
}

static bool make_rows(bench *b, bench_near *x)
{
    size_t scratch;
    return xl_neighbors_scratch(x->search, &(xl_neighbors_args){.num_queries = x->n}, &scratch) ==
               XL_SUCCESS &&
           bench_near_buffer(b, x, NEAR_OFFSETS, 8 * (x->n + 1), NULL) &&
           bench_near_buffer(b, x, NEAR_SCRATCH, scratch + 256, NULL);
}

bool bench_near_buffers(bench *b, bench_near *x, size_t point_bytes, unsigned wanted)
{
    return make_points(b, x, point_bytes * x->n) &&
           (!(wanted & NEAR_FOR_LISTS) || make_rows(b, x)) &&
           (!(wanted & NEAR_FOR_COUNTS) || bench_near_buffer(b, x, NEAR_COUNTS, 4 * x->n, NULL)) &&
           (!(wanted & NEAR_FOR_DENSITY) || bench_near_buffer(b, x, NEAR_DENSITY, 4 * x->n, NULL));
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

void *bench_near_copy(bench *b, const bench_near *x, int which, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to && bench_near_read(b, x, which, bytes, to))
        return to;
    free(to);
    return NULL;
}

const char *bench_near_counts_fault(bench *b, const bench_near *x, const uint32_t *wanted)
{
    uint32_t *const got = bench_near_copy(b, x, NEAR_COUNTS, 4 * x->n);
    const char *why = !got ? "no memory" : NULL;
    if (got && memcmp(got, wanted, 4 * x->n) != 0)
        why = "counts differ from the serial";
    free(got);
    return why;
}

/* A query is a neighbour of the point at the same place. */
const char *bench_near_fault(bench *b, const bench_near *x, const ref_search *of_points)
{
    enum { SAMPLE = 2 };
    uint64_t offsets[SAMPLE + 1];
    float queries[3 * SAMPLE];
    const size_t step = x->n / SAMPLE;
    ref_search search = *of_points;
    search.queries = queries;
    search.num_queries = SAMPLE;
    search.query_stride = 3;
    for (size_t k = 0; k < SAMPLE; ++k)
        memcpy(queries + 3 * k, search.points + 3 * k * step, 12);
    uint32_t *const rows = ref_neighbors(&search, offsets);
    uint32_t *const got = bench_near_copy(b, x, NEAR_COUNTS, 4 * x->n);
    const char *why = rows && got ? NULL : "no memory";
    for (size_t k = 0; k < SAMPLE && !why; ++k)
        if (got[k * step] + 1 != offsets[k + 1] - offsets[k])
            why = "a count differs from the serial";
    free(rows);
    free(got);
    return why;
}

/* ---- the rows of a cloud ------------------------------------------------- */

static bool wants(const bench *b, const char *what, const char *cloud, char variant[64])
{
    snprintf(variant, 64, "%s%s%s", what, cloud ? ", " : "", cloud ? cloud : "");
    return bench_wants(b, variant);
}

bool bench_near_time_rows(bench *b, bench_near *x, const char *name, const char *cloud,
                          const bench_timed *rows, size_t count)
{
    char variant[64];
    for (size_t k = 0; k < count; ++k) {
        const bench_timed *const row = &rows[k];
        if (!row->enqueue || (row->of_pair > 0 && !x->mem[NEAR_INDICES]) ||
            !wants(b, row->what, cloud, variant))
            continue;
        x->way = row->way;
        const double bytes = row->of_point * (double)x->n + row->of_pair * (double)x->pairs;
        if (bench_case(b, name, variant, x->n, bytes, row->enqueue, x) != XL_SUCCESS)
            return false;
    }
    return true;
}

bool bench_near_wants_rows(const bench *b, size_t n, const char *cloud, const bench_timed *rows,
                           size_t count)
{
    char variant[64];
    for (size_t k = 0; k < count; ++k)
        if (wants(b, rows[k].what, cloud, variant))
            return n >= b->options->min_n && n <= b->max_n;
    return false;
}

static const bench_timed usual[] = {{"build", bench_near_build, 28, 0, 0},
                                    {"count", bench_near_count, 28, 0, 0},
                                    {"fill", bench_near_fill, 24, 4, 0},
                                    {"density", bench_near_density, 20, 0, 0}};

bool bench_near_wants(const bench *b, size_t n, const char *cloud)
{
    return bench_near_wants_rows(b, n, cloud, usual, sizeof usual / sizeof *usual);
}

bool bench_near_time(bench *b, bench_near *x, const char *name, const char *cloud)
{
    return bench_near_time_rows(b, x, name, cloud, usual, sizeof usual / sizeof *usual);
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
    free(x->points);
}
