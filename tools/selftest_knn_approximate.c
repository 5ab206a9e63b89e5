/* SPDX-License-Identifier: MIT
 * The self-test's part of approximate searches for the nearest points: against the same algorithm,
 * one query after the other. */
#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>

enum { K = 8, SHIFTS = 4 };

typedef struct objects {
    xl_knn_approximate *plan;
    cl_mem points, queries, indices, distances2;
} objects;

static void objects_free(objects *o)
{
    xl_knn_approximate_destroy(o->plan);
    cl_mem *buffers[] = {&o->points, &o->queries, &o->indices, &o->distances2};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
}

static bool make_objects(const selftest *t, family *f, const ref_knn_approximate_search *r,
                         objects *o)
{
    const size_t bytes = 4 * K * r->n;
    xl_knn_approximate_desc desc;
    xl_knn_approximate_desc_init(&desc);
    desc.k = K;
    desc.shifts = SHIFTS;
    desc.queries = r->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    for (size_t a = 0; a < 3; ++a) {
        desc.lower[a] = r->lower[a];
        desc.upper[a] = r->upper[a];
    }
    o->points = selftest_array(t, f, r->points, 12 * r->n);
    if (r->queries)
        o->queries = selftest_array(t, f, r->queries, 12 * r->n);
    o->indices = selftest_array(t, f, NULL, bytes);
    o->distances2 = selftest_array(t, f, NULL, bytes);
    return family_passed(t, f, xl_knn_approximate_create(t->s.ctx, &desc, &o->plan), "plan", r->n);
}

static bool run_search(const selftest *t, family *f, const ref_knn_approximate_search *r,
                       const objects *o)
{
    const xl_knn_approximate_args args = {.n = r->n,
                                          .points = xl_view_of(o->points, 0),
                                          .num_queries = r->num_queries,
                                          .queries =
                                              r->queries ? xl_view_of(o->queries, 0) : xl_no_view(),
                                          .indices = xl_view_of(o->indices, 0),
                                          .distances2 = xl_view_of(o->distances2, 0)};
    return family_passed(t, f,
                         xl_knn_approximate_enqueue(o->plan, t->s.queue, &args, 0, NULL, NULL),
                         "search", r->n);
}

static void compare(family *f, size_t n, const uint32_t *indices, const float *distances2,
                    const uint32_t *want, const float *want2)
{
    for (size_t at = 0; at < K * n; ++at)
        if (indices[at] != want[at] || !(distances2[at] == want2[at])) {
            family_note(f, "n %zu: neighbour %zu of query %zu is %" PRIu32 " at %g", n, at % K,
                        at / K, indices[at], (double)distances2[at]);
            return;
        }
}

/* Half of the points in a crowd. */
static void make_points(size_t n, float *xyz)
{
    uint64_t state = n + 5;
    for (size_t i = 0; i < 3 * n; ++i) {
        const float x = (float)((double)(selftest_random(&state) >> 40) * 0x1p-24);
        xyz[i] = i % 6 < 3 ? x : 0.3f + 0.01f * x;
    }
}

static void check(const selftest *t, family *f, bool given, size_t n)
{
    const size_t bytes = 4 * K * n;
    float *xyz = malloc(24 * n + 1), *distances2 = malloc(2 * bytes + 1);
    uint32_t *indices = malloc(2 * bytes + 1);
    objects o = {.plan = NULL};
    ++f->cases;
    if (!xyz || !distances2 || !indices) {
        family_note(f, "no memory for %zu points", n);
        goto done;
    }
    make_points(n, xyz);
    make_points(n, xyz + 3 * n);
    const ref_knn_approximate_search r = {.points = xyz,
                                          .n = n,
                                          .stride = 3,
                                          .dimensions = 3,
                                          .queries = given ? xyz + 3 * n : NULL,
                                          .num_queries = given ? n : 0,
                                          .query_stride = 3,
                                          .k = K,
                                          .shifts = SHIFTS,
                                          .wide = true,
                                          .upper = {1, 1, 1}};
    if (make_objects(t, f, &r, &o) && run_search(t, f, &r, &o) &&
        selftest_read(t, f, o.indices, bytes, indices) &&
        selftest_read(t, f, o.distances2, bytes, distances2) &&
        ref_knn_approximate(&r, indices + K * n, distances2 + K * n))
        compare(f, n, indices, distances2, indices + K * n, distances2 + K * n);
done:
    objects_free(&o);
    free(xyz);
    free(distances2);
    free(indices);
}

void selftest_nearest_approximate(selftest *t)
{
    static const size_t sizes[] = {0, 1, 9, 257, 1500};
    for (int given = 0; given < 2; ++given) {
        family f;
        if (!family_begin(t, &f, "approximate nearest points, %s",
                          given ? "queries of their own" : "of themselves"))
            continue;
        for (size_t k = 0; k < TOOL_COUNT(sizes) && !f.unsupported; ++k)
            check(t, &f, given, sizes[k]);
        family_end(t, &f);
    }
}
