/* SPDX-License-Identifier: MIT
 * What `crosslane tune` measures of points: grids, searches and codes. Points that moved, points of
 * double precision and triclinic cells have no cases: their plans take the same values, and those
 * are in one file for all. */
#include "tune_cases.h"

#include <stdlib.h>
#include <string.h>

enum { OUT = TUNE_OUT, RADIUS = 1, AROUND = 30, SAMPLES = 24 };

/* ---- grid: points with about 30 neighbours each, and their order ---------------- */

/* The edge of a cube that n points fill so. */
static float cube_of(size_t n)
{
    const double ball = 4.18879 * RADIUS * RADIUS * RADIUS;
    double edge = 1;
    while (edge * edge * edge * AROUND < ball * (double)n)
        edge *= 1.01;
    return (float)edge;
}

/* Uniform in a cube. */
static int open_points(tune_case *c)
{
    const double edge = (double)cube_of(c->n);
    uint64_t state = 7;
    float *xyz = malloc(c->n * 3 * sizeof *xyz);
    c->input = xyz;
    if (!xyz)
        return tune_no_memory(c);
    for (size_t i = 0; i < 3 * c->n; ++i)
        xyz[i] = (float)((double)(tune_random(&state) >> 40) * 0x1p-24 * edge);
    return session_upload(c->s, xyz, c->n * 3 * sizeof *xyz, c->kind->name, &c->buffers[0]);
}

int open_grid(tune_case *c)
{
    int result;
    uint32_t *index = malloc(c->n * sizeof *index);
    if (!index)
        return tune_no_memory(c);
    for (size_t i = 0; i < c->n; ++i)
        index[i] = (uint32_t)i;
    TRY(open_points(c));
    TRY(tool_check(c->s->ctx, xl_grid_index_create(c->s->ctx, &c->index), "index"));
    TRY(session_upload(c->s, index, c->n * sizeof *index, c->kind->name, &c->buffers[1]));
    TRY(tune_open_output(c, c->n * sizeof *index, 0));
done:
    free(index);
    return result;
}

/* Each point once, and then in that order again. Which order that is, the search of neighbours
 * shows. */
bool check_grid(const tune_case *c, bool first)
{
    const uint32_t *order = (const uint32_t *)(const void *)c->got;
    bool *seen = calloc(c->n, sizeof *seen);
    bool good = seen != NULL;
    for (size_t i = 0; good && i < c->n; ++i) {
        good = order[i] < c->n && !seen[order[i]];
        if (good)
            seen[order[i]] = true;
    }
    free(seen);
    return good && (first || check_equal(c, first));
}

static xl_status create_cells(const tune_case *c, float edge, const xl_tunable *values,
                              uint32_t count, void **plan)
{
    xl_grid_desc desc;
    xl_plan *made;
    xl_grid_desc_init(&desc);
    desc.cell_size = (double)edge;
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_grid_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

xl_status create_grid(const tune_case *c, const xl_tunable *values, uint32_t count, void **plan)
{
    return create_cells(c, RADIUS, values, count, plan);
}

xl_status enqueue_grid(const tune_case *c, void *plan)
{
    xl_status status =
        xl_grid_build_enqueue(plan, c->index, c->s->queue,
                              &(xl_grid_build_args){.n = c->n,
                                                    .points = xl_view_of(c->buffers[0], 0),
                                                    .storage = xl_view_of(c->scratch, 0)},
                              0, NULL, NULL);
    if (status == XL_SUCCESS)
        status =
            xl_grid_reorder_enqueue(plan, c->index, c->s->queue,
                                    &(xl_grid_reorder_args){.element_bytes = sizeof(uint32_t),
                                                            .in = xl_view_of(c->buffers[1], 0),
                                                            .out = xl_view_of(c->buffers[OUT], 0)},
                                    0, NULL, NULL);
    return status;
}

xl_status scratch_grid(const tune_case *c, const void *plan, size_t *bytes)
{
    return xl_grid_scratch(plan, &(xl_grid_build_args){.n = c->n}, bytes);
}

void destroy_grid(void *plan)
{
    xl_plan_destroy(plan);
}

xl_status info_grid(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* ---- neighbours: offsets and sorted rows ------------------------------------------ */

xl_status create_neighbors(const tune_case *c, const xl_tunable *values, uint32_t count,
                           void **plan)
{
    xl_neighbors_desc desc;
    xl_plan *made = NULL;
    void *grid;
    xl_neighbors_desc_init(&desc);
    desc.radius = RADIUS;
    desc.tunables = values;
    desc.num_tunables = count;
    xl_status status = create_cells(c, RADIUS, NULL, 0, &grid);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(grid, &desc, &made);
    xl_plan_destroy(grid);
    *plan = made;
    return status;
}

static xl_status enqueue_counts(const tune_case *c, void *plan)
{
    return xl_neighbors_count_enqueue(plan, c->index, c->s->queue,
                                      &(xl_neighbors_args){.offsets = xl_view_of(c->second, 0)}, 0,
                                      NULL, NULL);
}

xl_status enqueue_neighbors(const tune_case *c, void *plan)
{
    xl_status status = enqueue_counts(c, plan);
    if (status == XL_SUCCESS)
        status = xl_neighbors_fill_enqueue(
            plan, c->index, c->s->queue,
            &(xl_neighbors_args){.capacity = c->pairs,
                                 .offsets = xl_view_of(c->second, 0),
                                 .indices = xl_view_of(c->buffers[OUT], 0)},
            0, NULL, NULL);
    return status;
}

void destroy_neighbors(void *plan)
{
    xl_plan_destroy(plan);
}

xl_status info_neighbors(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* Points, and the index that a grid with cells of that edge makes of them. */
static int open_index(tune_case *c, float edge)
{
    int result;
    void *made;
    xl_context *ctx = c->s->ctx;
    TRY(open_points(c));
    TRY(tool_check(ctx, create_cells(c, edge, NULL, 0, &made), "grid"));
    c->grid = made;
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &c->index), "index"));
    TRY(tool_check(ctx,
                   xl_grid_build_enqueue(
                       c->grid, c->index, c->s->queue,
                       &(xl_grid_build_args){.n = c->n, .points = xl_view_of(c->buffers[0], 0)}, 0,
                       NULL, NULL),
                   "grid build"));
done:
    return result;
}

/* The grid, and room for as many pairs as there are. */
int open_neighbors(tune_case *c)
{
    int result;
    uint64_t pairs = 0;
    const size_t offsets = (c->n + 1) * sizeof(uint64_t);
    TRY(open_index(c, RADIUS));
    TRY(session_buffer(c->s, offsets, c->kind->name, &c->second));
    TRY(tool_check(c->s->ctx, enqueue_counts(c, c->plan), "neighbour counts"));
    TRY(tool_check_cl(clEnqueueReadBuffer(c->s->queue, c->second, CL_TRUE, c->n * sizeof pairs,
                                          sizeof pairs, &pairs, 0, NULL, NULL),
                      "reading the number of pairs"));
    session_release(&c->second);
    c->pairs = (size_t)pairs;
    TRY(tune_open_output(c, c->pairs * sizeof(uint32_t), offsets));
done:
    return result;
}

static float distance2_of(const float *xyz, size_t i, size_t j)
{
    const float dx = xyz[3 * j] - xyz[3 * i], dy = xyz[3 * j + 1] - xyz[3 * i + 1],
                dz = xyz[3 * j + 2] - xyz[3 * i + 2];
    return (dx * dx + dy * dy) + dz * dz;
}

/* Of some points by looking at all; of the others as the first time. */
bool check_neighbors(const tune_case *c, bool first)
{
    const float *xyz = c->input, r2 = (float)RADIUS * (float)RADIUS;
    const uint32_t *indices = (const uint32_t *)(const void *)c->got;
    if (!first)
        return memcmp(c->got, c->wanted, c->bytes + c->second_bytes) == 0;
    for (size_t k = 0; k < SAMPLES; ++k) {
        const size_t i = c->n / SAMPLES * k;
        uint64_t row[2];
        memcpy(row, c->got + c->bytes + i * sizeof *row, sizeof row);
        for (size_t j = 0; j < c->n; ++j) {
            const bool near = distance2_of(xyz, i, j) < r2;
            if (j == i || !near)
                continue;
            if (row[0] >= row[1] || row[0] >= c->pairs || indices[row[0]++] != j)
                return false;
        }
        if (row[0] != row[1])
            return false;
    }
    return true;
}

/* ---- the nearest, all of them or most ------------------------------------------------- */

enum { NEAREST = 16 };

/* Cells of NEAREST / 6 points, as crosslane/knn.h recommends, if a ball of the radius has AROUND. */
#define CELL_OF_NEAREST (0.72f * RADIUS)

int open_knn(tune_case *c)
{
    int result;
    TRY(open_index(c, CELL_OF_NEAREST));
    TRY(tune_open_output(c, c->n * NEAREST * sizeof(uint32_t), 0));
done:
    return result;
}

xl_status create_knn(const tune_case *c, const xl_tunable *values, uint32_t count, void **plan)
{
    xl_knn_desc desc;
    xl_plan *made = NULL;
    void *grid;
    xl_knn_desc_init(&desc);
    desc.k = NEAREST;
    desc.tunables = values;
    desc.num_tunables = count;
    xl_status status = create_cells(c, CELL_OF_NEAREST, NULL, 0, &grid);
    if (status == XL_SUCCESS)
        status = xl_knn_create(grid, &desc, &made);
    xl_plan_destroy(grid);
    *plan = made;
    return status;
}

xl_status enqueue_knn(const tune_case *c, void *plan)
{
    return xl_knn_enqueue(plan, c->index, c->s->queue,
                          &(xl_knn_args){.indices = xl_view_of(c->buffers[OUT], 0)}, 0, NULL, NULL);
}

void destroy_knn(void *plan)
{
    xl_plan_destroy(plan);
}

xl_status info_knn(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

int open_approximate(tune_case *c)
{
    int result;
    TRY(open_points(c));
    TRY(tune_open_output(c, c->n * NEAREST * sizeof(uint32_t), 0));
    TRY(session_buffer(c->s, c->n * NEAREST * sizeof(float), c->kind->name, &c->buffers[1]));
done:
    return result;
}

/* For as many points as there may be. */
static float edge_of(const tune_case *c)
{
    return cube_of(c->kind->most[(c->s->info.device_type & CL_DEVICE_TYPE_CPU) == 0]);
}

xl_status create_approximate(const tune_case *c, const xl_tunable *values, uint32_t count,
                             void **plan)
{
    xl_knn_approximate_desc desc;
    xl_plan *made;
    xl_knn_approximate_desc_init(&desc);
    desc.k = NEAREST;
    for (int a = 0; a < 3; ++a)
        desc.space.cell[a][a] = (double)edge_of(c);
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_knn_approximate_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

xl_status enqueue_approximate(const tune_case *c, void *plan)
{
    const xl_knn_approximate_args args = {.n = c->n,
                                          .points = xl_view_of(c->buffers[0], 0),
                                          .indices = xl_view_of(c->buffers[OUT], 0),
                                          .distances2 = xl_view_of(c->buffers[1], 0)};
    return xl_knn_approximate_enqueue(plan, c->s->queue, &args, 0, NULL, NULL);
}

void destroy_approximate(void *plan)
{
    xl_plan_destroy(plan);
}

xl_status info_approximate(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

static bool is_before(const float *xyz, size_t i, size_t j, size_t k)
{
    const float a = distance2_of(xyz, i, j), b = distance2_of(xyz, i, k);
    return a < b || (a == b && j < k);
}

/* A row of other points in order, and how many points stand before its last. */
static bool check_row(const tune_case *c, size_t i, size_t *before)
{
    const float *const xyz = c->input;
    const uint32_t *const row = (const uint32_t *)(const void *)c->got + i * NEAREST;
    *before = 0;
    for (size_t k = 0; k < NEAREST; ++k)
        if (row[k] >= c->n || row[k] == i || (k > 0 && !is_before(xyz, i, row[k - 1], row[k])))
            return false;
    for (size_t j = 0; j < c->n; ++j)
        *before += j != i && is_before(xyz, i, j, row[NEAREST - 1]);
    return true;
}

/* Of some points by looking at all: the nearest, or no worse than so many times as many. */
static bool check_rows(const tune_case *c, bool first, size_t times)
{
    size_t before = 0, all = 0;
    if (!first)
        return check_equal(c, first);
    for (size_t k = 0; k < SAMPLES; ++k) {
        if (!check_row(c, c->n / SAMPLES * k, &before))
            return false;
        all += before + 1;
    }
    return all <= times * SAMPLES * NEAREST;
}

bool check_nearest(const tune_case *c, bool first)
{
    return check_rows(c, first, 1);
}

bool check_approximate(const tune_case *c, bool first)
{
    return check_rows(c, first, 4);
}

/* ---- Morton codes ---------------------------------------------------------------------- */

int open_morton(tune_case *c)
{
    enum { BITS = 21 };
    int result;
    const float edge = edge_of(c), lower[3] = {0, 0, 0}, edges[3] = {edge, edge, edge};
    TRY(open_points(c));
    TRY(tune_open_output(c, c->n * sizeof(uint64_t), 0));
    const float *const xyz = c->input;
    uint64_t *const wanted = (uint64_t *)(void *)c->wanted;
    for (size_t i = 0; i < c->n; ++i)
        wanted[i] = ref_morton_of(3, BITS, true, lower, edges, xyz + 3 * i);
    c->known = true;
done:
    return result;
}

xl_status create_morton(const tune_case *c, const xl_tunable *values, uint32_t count, void **plan)
{
    xl_morton_desc desc;
    xl_plan *made;
    xl_morton_desc_init(&desc);
    for (int a = 0; a < 3; ++a)
        desc.space.cell[a][a] = (double)edge_of(c);
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_morton_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

xl_status enqueue_morton(const tune_case *c, void *plan)
{
    return xl_morton_enqueue(plan, c->s->queue,
                             &(xl_morton_args){.n = c->n,
                                               .points = xl_view_of(c->buffers[0], 0),
                                               .codes = xl_view_of(c->buffers[OUT], 0)},
                             0, NULL, NULL);
}

void destroy_morton(void *plan)
{
    xl_plan_destroy(plan);
}

xl_status info_morton(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}
