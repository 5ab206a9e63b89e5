/* SPDX-License-Identifier: MIT
 * Workloads of points: grids, searches and Morton codes. Moved points, f64 points and triclinic
 * cells have no workload: their plans use the same tuning values. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum { OUT = WORKLOAD_OUT, RADIUS = 1, AROUND = 30, SAMPLES = 24 };
/* Cells for the 16 nearest, as crosslane/nearest.h recommends. */
#define CELL_OF_NEAREST (0.72f * RADIUS)

/* ---- grid: points with about 30 neighbours each -------------------------------- */

/* The edge of the cube of n such points. */
static float cube_of(size_t n)
{
    const double ball = 4.18879 * RADIUS * RADIUS * RADIUS;
    double edge = 1;
    while (edge * edge * edge * AROUND < ball * (double)n)
        edge *= 1.01;
    return (float)edge;
}

/* Random points, uniform in a cube. */
static int open_points(workload *w)
{
    const double edge = (double)cube_of(w->n);
    uint64_t state = 7;
    float *xyz = malloc(w->n * 3 * sizeof *xyz);
    w->input = xyz;
    if (!xyz)
        return workload_no_memory(w);
    for (size_t i = 0; i < 3 * w->n; ++i)
        xyz[i] = (float)((double)(random_next(&state) >> 40) * 0x1p-24 * edge);
    return session_upload(w->s, xyz, w->n * 3 * sizeof *xyz, w->kind->name, &w->buffers[0]);
}

int open_grid(workload *w)
{
    int result;
    uint32_t *index = malloc(w->n * sizeof *index);
    if (!index)
        return workload_no_memory(w);
    for (size_t i = 0; i < w->n; ++i)
        index[i] = (uint32_t)i;
    TRY(open_points(w));
    TRY(tool_check(w->s->ctx, xl_grid_index_create(w->s->ctx, &w->index), "index"));
    TRY(session_upload(w->s, index, w->n * sizeof *index, w->kind->name, &w->buffers[1]));
    TRY(workload_open_output(w, w->n * sizeof *index, 0));
done:
    free(index);
    return result;
}

/* The first order must be a permutation; later ones must equal it. The neighbour search checks that
 * the order is right. */
bool check_grid(const workload *w, bool first)
{
    const uint32_t *order = (const uint32_t *)(const void *)w->got;
    bool *seen = calloc(w->n, sizeof *seen);
    bool good = seen != NULL;
    for (size_t i = 0; good && i < w->n; ++i) {
        good = order[i] < w->n && !seen[order[i]];
        if (good)
            seen[order[i]] = true;
    }
    free(seen);
    return good && (first || check_equal(w, first));
}

static xl_status create_cells(const workload *w, float edge, const xl_tunable *values,
                              uint32_t count, xl_plan **plan)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = (double)edge;
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_grid_create(w->s->ctx, &desc, plan);
}

xl_status create_grid(const workload *w, const xl_tunable *values, uint32_t count, xl_plan **plan)
{
    return create_cells(w, RADIUS, values, count, plan);
}

xl_status enqueue_grid(const workload *w, xl_plan *plan)
{
    xl_status status =
        xl_grid_build_enqueue(plan, w->index, w->s->queue,
                              &(xl_grid_build_args){.n = w->n,
                                                    .points = xl_view_of(w->buffers[0], 0),
                                                    .storage = xl_view_of(w->scratch, 0)},
                              0, NULL, NULL);
    if (status == XL_SUCCESS)
        status =
            xl_grid_reorder_enqueue(plan, w->index, w->s->queue,
                                    &(xl_grid_reorder_args){.element_bytes = sizeof(uint32_t),
                                                            .in = xl_view_of(w->buffers[1], 0),
                                                            .out = xl_view_of(w->buffers[OUT], 0)},
                                    0, NULL, NULL);
    return status;
}

xl_status scratch_grid(const workload *w, const xl_plan *plan, size_t *bytes)
{
    return xl_grid_scratch(plan, &(xl_grid_build_args){.n = w->n}, bytes);
}

/* ---- neighbours: offsets and sorted rows ------------------------------------------ */

xl_status create_neighbors(const workload *w, const xl_tunable *values, uint32_t count,
                           xl_plan **plan)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = RADIUS;
    desc.tunables = values;
    desc.num_tunables = count;
    xl_plan *grid;
    xl_status status = create_cells(w, RADIUS, NULL, 0, &grid);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(grid, &desc, plan);
    xl_plan_destroy(grid);
    return status;
}

static xl_status enqueue_counts(const workload *w, xl_plan *plan)
{
    return xl_neighbors_count_enqueue(plan, w->index, w->s->queue,
                                      &(xl_neighbors_args){.offsets = xl_view_of(w->second, 0)}, 0,
                                      NULL, NULL);
}

xl_status enqueue_neighbors(const workload *w, xl_plan *plan)
{
    xl_status status = enqueue_counts(w, plan);
    if (status == XL_SUCCESS)
        status = xl_neighbors_fill_enqueue(
            plan, w->index, w->s->queue,
            &(xl_neighbors_args){.capacity = w->pairs,
                                 .offsets = xl_view_of(w->second, 0),
                                 .indices = xl_view_of(w->buffers[OUT], 0)},
            0, NULL, NULL);
    return status;
}

/* Points and their index, with cells of that edge. */
static int open_index(workload *w, float edge)
{
    int result;
    xl_context *ctx = w->s->ctx;
    TRY(open_points(w));
    TRY(tool_check(ctx, create_cells(w, edge, NULL, 0, &w->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &w->index), "index"));
    TRY(tool_check(ctx,
                   xl_grid_build_enqueue(
                       w->grid, w->index, w->s->queue,
                       &(xl_grid_build_args){.n = w->n, .points = xl_view_of(w->buffers[0], 0)}, 0,
                       NULL, NULL),
                   "grid build"));
done:
    return result;
}

/* The index, and outputs for all pairs. */
int open_neighbors(workload *w)
{
    int result;
    uint64_t pairs = 0;
    const size_t offsets = (w->n + 1) * sizeof(uint64_t);
    TRY(open_index(w, RADIUS));
    TRY(session_buffer(w->s, offsets, w->kind->name, &w->second));
    TRY(tool_check(w->s->ctx, enqueue_counts(w, w->plan), "neighbour counts"));
    TRY(tool_check_cl(clEnqueueReadBuffer(w->s->queue, w->second, CL_TRUE, w->n * sizeof pairs,
                                          sizeof pairs, &pairs, 0, NULL, NULL),
                      "reading the number of pairs"));
    session_release(&w->second);
    w->pairs = (size_t)pairs;
    TRY(workload_open_output(w, w->pairs * sizeof(uint32_t), offsets));
done:
    return result;
}

static float distance2_of(const float *xyz, size_t i, size_t j)
{
    const float dx = xyz[3 * j] - xyz[3 * i], dy = xyz[3 * j + 1] - xyz[3 * i + 1],
                dz = xyz[3 * j + 2] - xyz[3 * i + 2];
    return (dx * dx + dy * dy) + dz * dz;
}

/* First, compares the rows of some points with a serial search; later, all rows with the first
 * ones. */
bool check_neighbors(const workload *w, bool first)
{
    const float *xyz = w->input, r2 = (float)RADIUS * (float)RADIUS;
    const uint32_t *indices = (const uint32_t *)(const void *)w->got;
    if (!first)
        return memcmp(w->got, w->wanted, w->bytes + w->second_bytes) == 0;
    for (size_t k = 0; k < SAMPLES; ++k) {
        const size_t i = w->n / SAMPLES * k;
        uint64_t row[2];
        memcpy(row, w->got + w->bytes + i * sizeof *row, sizeof row);
        for (size_t j = 0; j < w->n; ++j) {
            const bool near = distance2_of(xyz, i, j) < r2;
            if (j == i || !near)
                continue;
            if (row[0] >= row[1] || row[0] >= w->pairs || indices[row[0]++] != j)
                return false;
        }
        if (row[0] != row[1])
            return false;
    }
    return true;
}

/* ---- nearest points, exact and approximate --------------------------------------------- */

enum { NEAREST = 16 };

/* Cells of NEAREST / 6 points, as crosslane/nearest.h recommends, if a ball of RADIUS has AROUND
 * points. */
int open_nearest(workload *w)
{
    int result;
    TRY(open_index(w, CELL_OF_NEAREST));
    TRY(workload_open_output(w, w->n * NEAREST * sizeof(uint32_t), 0));
done:
    return result;
}

xl_status create_nearest(const workload *w, const xl_tunable *values, uint32_t count,
                         xl_plan **plan)
{
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = NEAREST;
    desc.tunables = values;
    desc.num_tunables = count;
    xl_plan *grid;
    xl_status status = create_cells(w, CELL_OF_NEAREST, NULL, 0, &grid);
    if (status == XL_SUCCESS)
        status = xl_nearest_create(grid, &desc, plan);
    xl_plan_destroy(grid);
    return status;
}

xl_status enqueue_nearest(const workload *w, xl_plan *plan)
{
    return xl_nearest_enqueue(plan, w->index, w->s->queue,
                              &(xl_nearest_args){.indices = xl_view_of(w->buffers[OUT], 0)}, 0,
                              NULL, NULL);
}

int open_approximate(workload *w)
{
    int result;
    TRY(open_points(w));
    TRY(workload_open_output(w, w->n * NEAREST * sizeof(uint32_t), 0));
    TRY(session_buffer(w->s, w->n * NEAREST * sizeof(float), w->kind->name, &w->buffers[1]));
done:
    return result;
}

/* The edge for the most points of a search for tuning values. */
static float edge_of(const workload *w)
{
    return cube_of(w->kind->most[(w->s->info.device_type & CL_DEVICE_TYPE_CPU) == 0]);
}

xl_status create_approximate(const workload *w, const xl_tunable *values, uint32_t count,
                             xl_plan **plan)
{
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = NEAREST;
    for (int a = 0; a < 3; ++a)
        desc.space.cell[a][a] = (double)edge_of(w);
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_nearest_approximate_create(w->s->ctx, &desc, plan);
}

xl_status enqueue_approximate(const workload *w, xl_plan *plan)
{
    const xl_nearest_approximate_args args = {.n = w->n,
                                              .points = xl_view_of(w->buffers[0], 0),
                                              .indices = xl_view_of(w->buffers[OUT], 0),
                                              .distances2 = xl_view_of(w->buffers[1], 0)};
    return xl_nearest_approximate_enqueue(plan, w->s->queue, &args, 0, NULL, NULL);
}

static bool is_before(const float *xyz, size_t i, size_t j, size_t k)
{
    const float a = distance2_of(xyz, i, j), b = distance2_of(xyz, i, k);
    return a < b || (a == b && j < k);
}

/* Whether a row has other points in ascending order of distance. *before: the points that are
 * nearer than its last. */
static bool check_row(const workload *w, size_t i, size_t *before)
{
    const float *const xyz = w->input;
    const uint32_t *const row = (const uint32_t *)(const void *)w->got + i * NEAREST;
    *before = 0;
    for (size_t k = 0; k < NEAREST; ++k)
        if (row[k] >= w->n || row[k] == i || (k > 0 && !is_before(xyz, i, row[k - 1], row[k])))
            return false;
    for (size_t j = 0; j < w->n; ++j)
        *before += j != i && is_before(xyz, i, j, row[NEAREST - 1]);
    return true;
}

/* Compares the rows of some points with a serial search: the last point of a row must be among the
 * nearest times * NEAREST, on average. */
static bool check_rows(const workload *w, bool first, size_t times)
{
    size_t before = 0, all = 0;
    if (!first)
        return check_equal(w, first);
    for (size_t k = 0; k < SAMPLES; ++k) {
        if (!check_row(w, w->n / SAMPLES * k, &before))
            return false;
        all += before + 1;
    }
    return all <= times * SAMPLES * NEAREST;
}

bool check_nearest(const workload *w, bool first)
{
    return check_rows(w, first, 1);
}

bool check_approximate(const workload *w, bool first)
{
    return check_rows(w, first, 4);
}

/* ---- Morton codes ---------------------------------------------------------------------- */

int open_morton(workload *w)
{
    enum { BITS = 21 };
    int result;
    const float edge = edge_of(w), lower[3] = {0, 0, 0}, edges[3] = {edge, edge, edge};
    TRY(open_points(w));
    TRY(workload_open_output(w, w->n * sizeof(uint64_t), 0));
    const float *const xyz = w->input;
    uint64_t *const wanted = (uint64_t *)(void *)w->wanted;
    for (size_t i = 0; i < w->n; ++i)
        wanted[i] = ref_morton_of(3, BITS, true, lower, edges, xyz + 3 * i);
    w->known = true;
done:
    return result;
}

xl_status create_morton(const workload *w, const xl_tunable *values, uint32_t count, xl_plan **plan)
{
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    for (int a = 0; a < 3; ++a)
        desc.space.cell[a][a] = (double)edge_of(w);
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_morton_create(w->s->ctx, &desc, plan);
}

xl_status enqueue_morton(const workload *w, xl_plan *plan)
{
    return xl_morton_enqueue(plan, w->s->queue,
                             &(xl_morton_args){.n = w->n,
                                               .points = xl_view_of(w->buffers[0], 0),
                                               .codes = xl_view_of(w->buffers[OUT], 0)},
                             0, NULL, NULL);
}
