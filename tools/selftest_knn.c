/* SPDX-License-Identifier: MIT
 * The self-test's part of searches for the nearest points: against looking at all of them. */
#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>

enum { K = 8 };

typedef struct scene {
    const char *name;
    void (*make)(size_t n, float *xyz);
    bool given; /* queries of their own */
    float max_radius;
} scene;

static void make_random(size_t n, float *xyz)
{
    uint64_t state = n + 5;
    for (size_t i = 0; i < 3 * n; ++i)
        xyz[i] = (float)((double)(selftest_random(&state) >> 40) * 0x1p-24 * 20 - 10);
}

/* Whole numbers: most rows are decided by index. */
static void make_lattice(size_t n, float *xyz)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t at[3] = {i % 13, i / 13 % 13, i / 169};
        for (size_t axis = 0; axis < 3; ++axis)
            xyz[3 * i + axis] = (float)at[axis] - 6;
    }
}

/* Two crowds, and a point by itself. */
static void make_clusters(size_t n, float *xyz)
{
    make_random(n, xyz);
    for (size_t i = 0; i < 3 * n; ++i)
        xyz[i] = i % 7 == 0 ? xyz[i] : 1000 + 0.01f * xyz[i];
    for (size_t i = 0; n > 1 && i < 3; ++i)
        xyz[3 * (n / 2) + i] = -3e7f;
}

static const scene scenes[] = {{"random", make_random, false, 0},
                               {"lattice", make_lattice, false, 0},
                               {"clusters", make_clusters, false, 0},
                               {"within a radius", make_random, false, 1.5f},
                               {"queries of their own", make_random, true, 0}};

typedef struct objects {
    xl_grid *grid;
    xl_grid_index *index;
    xl_knn *plan;
    cl_mem points, queries, indices, distances2;
} objects;

static void objects_free(objects *o)
{
    xl_knn_destroy(o->plan);
    xl_grid_index_destroy(o->index);
    xl_grid_destroy(o->grid);
    cl_mem *buffers[] = {&o->points, &o->queries, &o->indices, &o->distances2};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
}

static bool make_objects(const selftest *t, family *f, const scene *s, const ref_knn_search *r,
                         objects *o)
{
    xl_grid_desc grid;
    xl_knn_desc find;
    const size_t bytes = 4 * K * r->n;
    xl_grid_desc_init(&grid);
    grid.cell_size = 1.0f;
    xl_knn_desc_init(&find);
    find.k = K;
    find.queries = s->given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    find.max_radius = s->max_radius;
    o->points = selftest_array(t, f, r->points, 3 * r->n * sizeof(float));
    if (s->given)
        o->queries = selftest_array(t, f, r->queries, 3 * r->n * sizeof(float));
    o->indices = selftest_array(t, f, NULL, bytes);
    o->distances2 = selftest_array(t, f, NULL, bytes);
    return family_passed(t, f, xl_grid_create(t->s.ctx, &grid, &o->grid), "grid plan", r->n) &&
           family_passed(t, f, xl_grid_index_create(t->s.ctx, &o->index), "index", r->n) &&
           family_passed(t, f, xl_knn_create(t->s.ctx, &find, &o->plan), "search plan", r->n);
}

static bool run_search(const selftest *t, family *f, const scene *s, size_t n, const objects *o)
{
    const xl_grid_build_args build = {.n = n, .points = xl_view_of(o->points, 0)};
    const xl_knn_args find = {.num_queries = s->given ? n : 0,
                              .queries = s->given ? xl_view_of(o->queries, 0) : xl_no_view(),
                              .indices = xl_view_of(o->indices, 0),
                              .distances2 = xl_view_of(o->distances2, 0)};
    return family_passed(
               t, f, xl_grid_build_enqueue(o->grid, o->index, t->s.queue, &build, 0, NULL, NULL),
               "grid build", n) &&
           family_passed(t, f, xl_knn_enqueue(o->plan, o->index, t->s.queue, &find, 0, NULL, NULL),
                         "search", n);
}

static void compare(family *f, const ref_knn_search *r, const uint32_t *indices,
                    const float *distances2)
{
    uint32_t want[K];
    float want2[K];
    for (size_t i = 0; i < r->n; ++i) {
        ref_knn(r, i, want, want2);
        for (size_t j = 0; j < K; ++j) {
            const size_t at = i * K + j;
            if (indices[at] != want[j] || !(distances2[at] == want2[j])) {
                family_note(f, "n %zu: neighbour %zu of query %zu is %" PRIu32 " at %g", r->n, j, i,
                            indices[at], (double)distances2[at]);
                return;
            }
        }
    }
}

static void check(const selftest *t, family *f, const scene *s, size_t n)
{
    const size_t bytes = 4 * K * n;
    float *xyz = malloc(6 * n * sizeof *xyz + 1), *distances2 = malloc(bytes + 1);
    uint32_t *indices = malloc(bytes + 1);
    objects o = {.grid = NULL};
    ++f->cases;
    if (!xyz || !distances2 || !indices) {
        family_note(f, "no memory for %zu points", n);
        goto done;
    }
    s->make(n, xyz);
    make_random(n, xyz + 3 * n);
    if (s->given && n > 1) /* one of them a point, one far outside */
        xyz[3 * n + 3] = xyz[3], xyz[3 * n] = 1e6f;
    const ref_knn_search r = {.points = xyz,
                              .n = n,
                              .stride = 3,
                              .dimensions = 3,
                              .queries = s->given ? xyz + 3 * n : NULL,
                              .query_stride = 3,
                              .k = K,
                              .radius2 = s->max_radius * s->max_radius};
    if (make_objects(t, f, s, &r, &o) && run_search(t, f, s, n, &o) &&
        selftest_read(t, f, o.indices, bytes, indices) &&
        selftest_read(t, f, o.distances2, bytes, distances2))
        compare(f, &r, indices, distances2);
done:
    objects_free(&o);
    free(xyz);
    free(distances2);
    free(indices);
}

void selftest_nearest(selftest *t)
{
    static const size_t sizes[] = {0, 1, 2, 9, 257, 1500};
    for (size_t i = 0; i < TOOL_COUNT(scenes); ++i) {
        family f;
        if (!family_begin(t, &f, "nearest points, %s", scenes[i].name))
            continue;
        for (size_t k = 0; k < TOOL_COUNT(sizes) && !f.unsupported; ++k)
            check(t, &f, &scenes[i], sizes[k]);
        family_end(t, &f);
    }
}
