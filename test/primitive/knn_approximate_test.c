/* SPDX-License-Identifier: MIT
 * Approximate nearest points against the same algorithm, one query after the other; and how many
 * of the nearest there are. */
#include "grid_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    const cloud *points;
    const cloud *queries; /* or NULL */
    xl_knn_approximate_desc desc;
    bool own_scratch;
    size_t part; /* rows of a call; 0: all in one that does not say so */
} asked;

/* In a box from `low` on. */
static asked asked_of(const cloud *points, float low, float edge, uint32_t k)
{
    asked a = {.points = points};
    xl_knn_approximate_desc_init(&a.desc);
    a.desc.k = k;
    a.desc.stride = (uint32_t)points->stride;
    for (int axis = 0; axis < 3; ++axis) {
        a.desc.lower[axis] = low;
        a.desc.upper[axis] = low + edge;
    }
    return a;
}

static asked asked_around(const cloud *points, const cloud *queries, float low, float edge,
                          uint32_t k)
{
    asked a = asked_of(points, low, edge, k);
    a.queries = queries;
    a.desc.queries = XL_QUERIES_GIVEN;
    a.desc.query_stride = (uint32_t)queries->stride;
    return a;
}

KEPT_PLAN(xl_knn_approximate)

/* What all parts of a search work on. */
typedef struct around {
    xl_knn_approximate *plan;
    xlt_buffer points, queries, scratch;
} around;

/* Rows from `first` on, of which there are a->part, or what is left, or all. */
static void search_part(const asked *a, const around *all, size_t first, nearest_rows *r)
{
    static bool apart; /* in turn: rows that begin at no multiple of four words */
    const size_t left = r->n - first, rows = a->part > 0 && a->part < left ? a->part : left;
    apart = !apart;
    xlt_buffer indices = xlt_buffer_make(NULL, rows * r->k, 4, apart ? 3 : 4),
               distances2 = xlt_buffer_make(NULL, rows * r->k, 4, apart ? 1 : 8);
    XLT_OK(xl_knn_approximate_enqueue(
        all->plan, xlt_queue(),
        &(xl_knn_approximate_args){.n = a->points->n,
                                   .points = xlt_view(&all->points),
                                   .num_queries = a->queries ? a->queries->n : 0,
                                   .queries = xlt_view(&all->queries),
                                   .indices = xlt_view(&indices),
                                   .distances2 = xlt_view(&distances2),
                                   .scratch =
                                       a->own_scratch ? xl_no_view() : xlt_view(&all->scratch),
                                   .first_row = first,
                                   .num_rows = rows < left ? rows : 0},
        0, NULL, NULL));
    xlt_read(&indices, r->indices + first * r->k);
    xlt_read(&distances2, r->distances2 + first * r->k);
    xlt_check_guards(&indices, "indices");
    xlt_check_guards(&distances2, "distances2");
    xlt_buffer_free(&indices);
    xlt_buffer_free(&distances2);
}

static nearest_rows search(const asked *a)
{
    const size_t n = a->points->n, queries_n = a->queries ? a->queries->n : 0;
    nearest_rows r = nearest_rows_make(a->queries ? queries_n : n, a->desc.k);
    size_t bytes, alignment, first = 0;
    around all = {.plan = plan_of(&a->desc),
                  .points = cloud_buffer(a->points, a->desc.dimensions, 1)};
    XLT_OK(xl_knn_approximate_scratch(all.plan, n, queries_n, &bytes, &alignment));
    all.scratch = xlt_scratch_make(bytes, alignment);
    if (a->queries)
        all.queries = cloud_buffer(a->queries, a->desc.dimensions, 5);
    do {
        search_part(a, &all, first, &r);
        first += a->part > 0 ? a->part : r.n;
    } while (first < r.n);
    xlt_check_guards(&all.points, "points");
    if (bytes > 0)
        xlt_check_guards(&all.scratch, "scratch");
    xlt_buffer_free(&all.queries);
    xlt_buffer_free(&all.points);
    xlt_buffer_free(&all.scratch);
    return r;
}

static nearest_rows wanted_of(const asked *a)
{
    const xl_knn_approximate_desc *const d = &a->desc;
    ref_knn_approximate_search s = {.points = a->points->xyz,
                                    .n = a->points->n,
                                    .stride = d->stride,
                                    .dimensions = d->dimensions,
                                    .queries = a->queries ? a->queries->xyz : NULL,
                                    .num_queries = a->queries ? a->queries->n : 0,
                                    .query_stride = d->query_stride,
                                    .k = d->k,
                                    .shifts = d->shifts > 0 ? d->shifts : d->dimensions + 1,
                                    .include_self = d->include_self != 0,
                                    .wide = d->code == XL_U64};
    nearest_rows wanted = nearest_rows_make(a->queries ? s.num_queries : s.n, d->k);
    memcpy(s.lower, d->lower, sizeof s.lower);
    memcpy(s.upper, d->upper, sizeof s.upper);
    assert_true(ref_knn_approximate(&s, wanted.indices, wanted.distances2));
    return wanted;
}

static void check_once(const char *what, const asked *a, const nearest_rows *expected)
{
    nearest_rows got = search(a);
    const nearest_rows wanted = *expected;
    for (size_t at = 0; at < got.n * got.k; ++at)
        if (got.indices[at] != wanted.indices[at] || !(got.distances2[at] == wanted.distances2[at]))
            XLT_FAIL("%s, n %zu, k %zu: neighbour %zu of query %zu is %u at %g, not %u at %g", what,
                     a->points->n, got.k, at % got.k, at / got.k, got.indices[at],
                     (double)got.distances2[at], wanted.indices[at], (double)wanted.distances2[at]);
    nearest_rows_free(&got);
}

/* The rows that were wanted, which are those that came, at two places; on a simulator at one or the
 * other. */
static nearest_rows check(const char *what, const asked *a)
{
    const nearest_rows wanted = wanted_of(a);
    check_once(what, a, &wanted);
    if (!xlt_on_oclgrind())
        check_once(what, a, &wanted);
    return wanted;
}

static void check_only(const char *what, asked a)
{
    nearest_rows r = check(what, &a);
    nearest_rows_free(&r);
}

/* Its points are searched as they are, and around; `n` of them. */
static size_t size_of(size_t n)
{
    return xlt_on_oclgrind() ? 40 + n % 7 : xlt_small() ? n / 4 : n;
}

static void every_k(void **state)
{
    (void)state;
    static const uint32_t ks[] = {8, 1, 16, 33, 64, 63};
    cloud c = cloud_uniform(size_of(1500), -1.0f, 2.0f, 11);
    for (size_t i = 0; i < (xlt_few_programs() || xlt_small() ? 2 : sizeof ks / sizeof *ks); ++i) {
        asked a = asked_of(&c, -1.0f, 2.0f, ks[i]);
        a.own_scratch = i % 2 == 1;
        check_only("uniform", a);
    }
    cloud_free(&c);
}

/* Down to none; of up to k points all are found. */
static void any_number_of_points(void **state)
{
    (void)state;
    static const size_t ns[] = {0, 1, 2, 8, 9, 10, 63, 64, 65, 127, 128, 129, 300};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; ++i) {
        cloud c = cloud_uniform(ns[i], -1.0f, 2.0f, 14);
        const asked a = asked_of(&c, -1.0f, 2.0f, 8);
        nearest_rows r = check("some points", &a);
        for (size_t at = 0; at < r.n * r.k; ++at)
            assert_int_equal(r.indices[at] == UINT32_MAX, at % r.k + 1 >= r.n);
        nearest_rows_free(&r);
        cloud_free(&c);
    }
}

static cloud cloud_clusters(size_t n)
{
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 77);
    for (size_t i = 0; i < 3 * n; ++i)
        c.xyz[i] = i % 11 == 0 ? c.xyz[i] : 0.5f + 1e-4f * c.xyz[i];
    return c;
}

/* The same plan, of points that lie otherwise. */
static void hard_clouds(void **state)
{
    (void)state;
    const size_t n = size_of(700);
    cloud clouds[] = {cloud_lattice(xlt_small() ? 4 : 9, 0.2f, 0.0f, 1),
                      cloud_clusters(n),
                      cloud_line(n, 1, 0.9f),
                      cloud_block_and_stray(n, 1e9f),
                      cloud_uniform(n, -40.0f, 80.0f, 5),
                      cloud_uniform(n, -1.0f, 1e-30f, 6),
                      cloud_uniform(n, -3e38f, 1e38f, 7),
                      cloud_uniform(n, -1.0f, 2.0f, 8)};
    float *const odd = clouds[7].xyz; /* what is no number, or has no end */
    odd[1] = NAN;
    odd[3 * 5] = INFINITY;
    odd[3 * 7 + 2] = -INFINITY;
    odd[3 * 8] = -NAN;
    odd[3 * 9] = -0.0f;
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; ++i) {
        const asked a = asked_of(&clouds[i], -1.0f, 2.0f, 8);
        nearest_rows r = check("a hard cloud", &a);
        if (i == 7)
            for (size_t at = 0; at < r.n * r.k; ++at) {
                const uint32_t j = r.indices[at];
                assert_true(j != 0 && j != 5 && j != 7 && j != 8);
                assert_true(at >= r.k || (j == UINT32_MAX && isinf(r.distances2[at])));
            }
        nearest_rows_free(&r);
        cloud_free(&clouds[i]);
    }
}

/* Boxes of any size and place, and shifts: one program for all. */
static void boxes_and_shifts(void **state)
{
    (void)state;
    static const struct {
        float low, edge;
        uint32_t shifts;
    } cases[] = {{0, 1, 1},      {-1, 2, 2},   {-1, 2, 5},     {-0.7f, 1.3f, 32},
                 {0.5f, 0, 3},   {1e7f, 1, 0}, {0, 1e-38f, 0}, {-0x1p125f, 0x1p126f, 0},
                 {-100, 1000, 0}};
    cloud c = cloud_uniform(size_of(600), -1.0f, 2.0f, 21);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        asked a = asked_of(&c, cases[i].low, cases[i].edge, 8);
        a.desc.shifts = cases[i].shifts;
        check_only("a box", a);
    }
    cloud_free(&c);
}

static void what_a_descriptor_says(void **state)
{
    (void)state;
    const size_t n = size_of(500);
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 31), wide = cloud_make(n, 5);
    xlt_random random = {17};
    for (size_t i = 1; i < n; i += 10) /* at the places of others */
        memcpy(c.xyz + 3 * i, c.xyz + 3 * (i - 1), 3 * sizeof *c.xyz);
    asked a = asked_of(&c, -1.0f, 2.0f, 8);
    a.desc.include_self = 1;
    nearest_rows r = check("itself", &a);
    for (size_t i = 0; i < r.n; ++i)
        assert_true(r.distances2[i * r.k] == 0);
    nearest_rows_free(&r);
    a.desc.include_self = 0;
    a.desc.code = XL_U32;
    check_only("short codes", a);
    for (size_t i = 0; i < n; ++i)
        cloud_set(&wide, i, xlt_unit(&random), xlt_unit(&random), NAN);
    a = asked_of(&wide, 0.0f, 1.0f, 8);
    a.desc.dimensions = 2; /* what else there is of a point is not read */
    check_only("a plane", a);
    cloud_free(&c);
    cloud_free(&wide);
}

static void queries_of_their_own(void **state)
{
    (void)state;
    const size_t n = size_of(700);
    cloud points = cloud_uniform(n, -1.0f, 2.0f, 41), none = cloud_make(0, 3),
          few = cloud_uniform(3, -1.0f, 2.0f, 42), queries = cloud_make(n / 3, 4);
    xlt_random random = {43};
    for (size_t i = 0; i < queries.n; ++i) /* some are points, some lie outside of the box */
        if (i % 4 == 0)
            cloud_set(&queries, i, points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]);
        else
            cloud_set(&queries, i, 3 * xlt_unit(&random) - 1, 3 * xlt_unit(&random) - 1,
                      3 * xlt_unit(&random) - 1);
    cloud_set(&queries, 1, NAN, 0, 0);
    cloud_set(&queries, 2, 0, INFINITY, 0);
    cloud_set(&queries, 5, 3e38f, -3e38f, 1e30f);
    cloud_set(&few, 1, 0, INFINITY, 0); /* fewer than a row has places for, and one has no end */
    const asked a = asked_around(&points, &queries, -1.0f, 2.0f, 8);
    nearest_rows r = check("queries", &a);
    assert_true(r.indices[0] == 0 && r.distances2[0] == 0);
    assert_true(r.indices[8] == UINT32_MAX && isinf(r.distances2[8]));
    nearest_rows_free(&r);
    check_only("few points", asked_around(&few, &queries, -1.0f, 2.0f, 8));
    check_only("no points", asked_around(&none, &queries, -1.0f, 2.0f, 8));
    none.stride = queries.stride; /* the same plan */
    check_only("no queries", asked_around(&points, &none, -1.0f, 2.0f, 8));
    cloud_free(&points);
    cloud_free(&none);
    cloud_free(&few);
    cloud_free(&queries);
}

/* A call for each row, for some, and for more than there are. */
static void parts_of_rows(void **state)
{
    (void)state;
    const size_t n = xlt_on_oclgrind() ? 12 : 40, parts[] = {1, 7, n - 1, n, n + 9};
    cloud points = cloud_uniform(n, -1.0f, 2.0f, 44), queries = cloud_make(n, 4);
    for (size_t i = 0; i < n; ++i)
        cloud_set(&queries, i, -points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]);
    for (int given = 0; given < 2; ++given)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
            asked a = given ? asked_around(&points, &queries, -1.0f, 2.0f, 8)
                            : asked_of(&points, -1.0f, 2.0f, 8);
            a.part = parts[k];
            a.own_scratch = k % 2 == 1;
            check_only("parts", a);
        }
    cloud_free(&points);
    cloud_free(&queries);
}

/* Of 1000 rows of 8, as many of the nearest as docs/neighbors.md tells of, and more with more
 * shifts. */
static void how_many_are_right(void **state)
{
    (void)state;
    double found[2] = {0, 0};
    cloud c = cloud_uniform(xlt_small() ? 300 : 2000, 0.0f, 1.0f, 51);
    const ref_knn_search exact = {
        .points = c.xyz, .n = c.n, .stride = 3, .dimensions = 3, .k = 8, .radius2 = 0};
    for (int more = 0; more < 2; ++more) {
        asked a = asked_of(&c, 0.0f, 1.0f, 8);
        a.desc.shifts = more ? 12 : 4;
        nearest_rows r = search(&a);
        for (size_t i = 0; i < 1000 && i < c.n; ++i) {
            uint32_t indices[8];
            float distances2[8];
            ref_knn(&exact, i, indices, distances2);
            for (size_t j = 0; j < 8; ++j)
                found[more] += r.distances2[8 * i + j] <= distances2[7];
        }
        nearest_rows_free(&r);
        found[more] /= 8.0 * (double)(c.n < 1000 ? c.n : 1000);
    }
    if (found[0] < 0.75 || found[1] < 0.93 || found[0] > found[1])
        XLT_FAIL("%.3f of the nearest with 4 shifts, %.3f with 12", found[0], found[1]);
    cloud_free(&c);
}

static int end(void **state)
{
    xl_knn_approximate_destroy(kept);
    return xlt_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_points),
        cmocka_unit_test(every_k),
        cmocka_unit_test(hard_clouds),
        cmocka_unit_test(boxes_and_shifts),
        cmocka_unit_test(what_a_descriptor_says),
        cmocka_unit_test(queries_of_their_own),
        cmocka_unit_test(parts_of_rows),
        cmocka_unit_test(how_many_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
