/* SPDX-License-Identifier: MIT
 * Searches whose queries are points of their own, or have radii of their own, and searches in space
 * that repeats: every way of a search against every pair and every image of it. */
#include "neighbors_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>

/* ---- a search of any kind ------------------------------------------------------------------- */

static const char count_text[] = "float visit(float sum, float d2, uint i, uint j, float4 p)\n"
                                 "{ return sum + 1.0f + (float)(i % 3) * 0.0f + d2 * p.x; }\n";

static search_call call_make(const search_case *a)
{
    search_case counted = *a;
    counted.search.visit = count_text;
    return search_call_make(&counted);
}

static list list_make(size_t n, uint64_t pairs)
{
    list l = {.n = n,
              .offsets = calloc(n + 1, sizeof *l.offsets),
              .indices = calloc((size_t)pairs + 1, sizeof *l.indices)};
    assert_true(l.offsets && l.indices);
    return l;
}

/* Counts both ways, then the rows, then the sums, which are the counts once more. */
static list call_list(const search_call *c, uint64_t pairs)
{
    list l = list_make(c->n, pairs);
    uint32_t *counts = calloc(c->n + 1, sizeof *counts);
    float *sums = calloc(c->n + 1, sizeof *sums);
    assert_true(counts && sums);
    xlt_buffer narrow = xlt_buffer_make(NULL, c->n, 4, 1),
               offsets = xlt_buffer_make(NULL, c->n + 1, 8, 1),
               rows = xlt_buffer_make(NULL, (size_t)pairs, 4, 3),
               out = xlt_buffer_make(NULL, c->n, 4, 2);
    XLT_OK(xl_neighbors_count_enqueue(c->plan, c->b.index, xlt_queue(),
                                      &(xl_neighbors_count_args){.counts = xlt_view(&narrow),
                                                                 .offsets = xlt_view(&offsets),
                                                                 SEARCHED(c)},
                                      0, NULL, NULL));
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.capacity = pairs,
                                                               .offsets = xlt_view(&offsets),
                                                               .indices = xlt_view(&rows),
                                                               SEARCHED(c)},
                                     0, NULL, NULL));
    XLT_OK(xl_neighbors_visit_enqueue(
        c->plan, c->b.index, xlt_queue(),
        &(xl_neighbors_visit_args){.out = xlt_view(&out), SEARCHED(c)}, 0, NULL, NULL));
    xlt_read(&narrow, counts);
    xlt_read(&offsets, l.offsets);
    xlt_read(&rows, l.indices);
    xlt_read(&out, sums);
    for (size_t i = 0; i < c->n; ++i)
        if (counts[i] != l.offsets[i + 1] - l.offsets[i] || sums[i] != (float)counts[i])
            XLT_FAIL("query %zu: count %u, offsets %llu apart, sum %g", i, counts[i],
                     (unsigned long long)(l.offsets[i + 1] - l.offsets[i]), (double)sums[i]);
    xlt_buffer *const all[] = {&narrow, &offsets, &rows, &out};
    for (size_t i = 0; i < 4; ++i) {
        xlt_check_guards(all[i], "an output");
        xlt_buffer_free(all[i]);
    }
    free(counts);
    free(sums);
    return l;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns the number of pairs, so that a test can say that there are some. */
static uint64_t check(const char *what, const search_case *a)
{
    const ref_search r = ref_search_of(a);
    list wanted = {.n = ref_queries(&r)};
    wanted.offsets = calloc(wanted.n + 1, sizeof *wanted.offsets);
    assert_non_null(wanted.offsets);
    wanted.indices = ref_neighbors(&r, wanted.offsets);
    assert_non_null(wanted.indices);
    const uint64_t pairs = wanted.offsets[wanted.n];
    search_call c = call_make(a);
    (void)report_of(&c.b);
    list got = call_list(&c, pairs);
    for (size_t i = 0; i < got.n && !a->search.sorted; ++i)
        if (got.offsets[i] <= got.offsets[i + 1] && got.offsets[i + 1] <= pairs)
            qsort(got.indices + got.offsets[i], (size_t)(got.offsets[i + 1] - got.offsets[i]), 4,
                  by_value);
    lists_equal(what, &got, &wanted);
    list_free(&got);
    list_free(&wanted);
    search_call_free(&c);
    return pairs;
}

static uint64_t check_ways(const char *what, search_case a)
{
    return check_in_ways(what, a, check);
}

/* ---- queries of their own -------------------------------------------------------------------- */

static void queries_of_their_own(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 300 : 1500;
    cloud points = cloud_uniform(n, -1.0f, 2.0f, 31),
          queries = cloud_uniform(n / 2, -1.5f, 3.0f, 7);
    cloud wide = cloud_make(n / 3, 5);
    for (size_t i = 0; i < wide.n; ++i) /* some of them points of the index themselves */
        cloud_set(&wide, i, points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]);
    for (uint32_t form = 0; form < 3; ++form) {
        search_case a = {.points = &points, .queries = form ? &wide : &queries};
        a.grid = grid_desc_of(&points, 0.3f);
        a.search = search_desc_of(0.3f);
        a.search.inclusive = form == 2;
        a.search.sorted = form != 1;
        a.soa = form == 1;
        assert_true(check_ways("queries", a) > n / 4);
    }
    cloud_free(&points);
    cloud_free(&queries);
    cloud_free(&wide);
}

/* Queries that are all in one row and go on downwards, or in no order: where a work-item walks,
 * what it has found for some of them says nothing of the next. */
static void queries_along_a_row(void **state)
{
    (void)state;
    cloud points = cloud_uniform(300, 0.0f, 1.0f, 35), queries = cloud_make(100, 3);
    xlt_random random = {36};
    for (size_t i = 0; i < queries.n; ++i)
        cloud_set(&queries, i, i < 50 ? 1.0f - (float)i / 50 : xlt_unit(&random), 0.5f, 0.5f);
    search_case a = {.points = &points, .queries = &queries};
    a.grid = grid_desc_of(&points, 0.2f);
    a.search = search_desc_of(0.2f);
    assert_true(check("queries along a row", &a) > 500);
    cloud_free(&points);
    cloud_free(&queries);
}

/* Of what is not finite, nothing; of none, an empty list; and of queries around nothing, as well.
 */
static void queries_of_no_use(void **state)
{
    (void)state;
    cloud points = cloud_uniform(200, 0.0f, 1.0f, 3), none = cloud_make(0, 3);
    cloud queries = cloud_uniform(40, 0.0f, 1.0f, 4);
    queries.xyz[3] = NAN;
    queries.xyz[7] = INFINITY;
    queries.xyz[11] = -INFINITY;
    cloud_set(&queries, 5, 3e38f, -3e38f, 1e30f);
    search_case a = {.points = &points, .queries = &queries};
    a.grid = grid_desc_of(&points, 0.2f);
    a.search = search_desc_of(0.2f);
    assert_true(check_ways("not finite", a) > 0);
    a.queries = &none;
    assert_int_equal(check_ways("no queries", a), 0);
    a.points = &none;
    a.queries = &queries;
    assert_int_equal(check_ways("no points", a), 0);
    cloud_free(&points);
    cloud_free(&queries);
    cloud_free(&none);
}

static void queries_in_fewer_dimensions(void **state)
{
    (void)state;
    for (size_t dimensions = 1; dimensions < 3; ++dimensions) {
        cloud points = cloud_uniform(300, 0.0f, 1.0f, 5),
              queries = cloud_uniform(100, 0.0f, 1.0f, 6);
        points.dimensions = dimensions; /* what else there is of a point is not read */
        search_case a = {.points = &points, .queries = &queries, .soa = dimensions == 2};
        a.grid = grid_desc_of(&points, 0.05f);
        a.search = search_desc_of(0.05f);
        assert_true(check_ways("fewer dimensions", a) > 50);
        cloud_free(&points);
        cloud_free(&queries);
    }
}

/* ---- radii of their own ---------------------------------------------------------------------- */

static void radii_of_their_own(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 300 : 1200;
    cloud points = cloud_uniform(n, 0.0f, 1.0f, 41), queries = cloud_uniform(n, 0.0f, 1.0f, 42);
    float *radii = malloc(n * sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {43};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.25f * xlt_unit(&random);
    const float odd[] = {0, -0.1f, NAN, INFINITY, 1e-30f, -INFINITY, 7, 0.2f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i)
        radii[3 * i] = odd[i];
    cloud_set(&points, 12, points.xyz[39], points.xyz[40], points.xyz[41]); /* as point 13 */
    for (uint32_t form = 0; form < 4; ++form) {
        search_case a = {.points = &points, .queries = form & 1 ? &queries : NULL, .radii = radii};
        a.grid = grid_desc_of(&points, 0.1f);
        a.search = search_desc_of(0.2f);
        a.search.inclusive = form >= 2;
        a.search.include_self = form == 2;
        assert_true(check_ways("radii", a) > n / 2);
    }
    free(radii);
    cloud_free(&points);
    cloud_free(&queries);
}

/* Points of one row, of which some reach farther back than those before them: where a work-item
 * walks along a row, it has passed what they need. */
static void radii_that_reach_back(void **state)
{
    (void)state;
    enum { N = 160 };
    cloud points = cloud_make(N, 3);
    float radii[N];
    uint64_t wanted = 0;
    for (size_t i = 0; i < N; ++i) {
        cloud_set(&points, i, (float)i / N, 0.5f, 0.5f);
        radii[i] = i / 8 % 2 ? 0.2f : 0.01f;
        for (size_t j = 0; j < N; ++j)
            wanted += i != j && fabsf((float)i / N - (float)j / N) < radii[i] ? 1 : 0;
    }
    search_case a = {.points = &points, .radii = radii};
    a.grid = grid_desc_of(&points, 5.0f); /* all of them in as many rows around */
    a.grid.bounded = 1;
    for (int k = 0; k < 3; ++k)
        a.grid.upper[k] = 1.0f;
    a.search = search_desc_of(0.2f);
    assert_true(check("radii that reach back", &a) == wanted);
    cloud_free(&points);
}

/* ---- space that repeats ---------------------------------------------------------------------- */

static search_case in_box(const cloud *c, const float *lower, const float *upper, uint32_t periodic,
                          float radius)
{
    search_case a = {
        .points = c, .grid = grid_desc_of(c, radius), .search = search_desc_of(radius)};
    a.grid.bounded = 1;
    a.grid.periodic = periodic;
    for (int k = 0; k < 3; ++k) {
        a.grid.lower[k] = lower[k];
        a.grid.upper[k] = upper[k];
    }
    return a;
}

/* Points anywhere in the box, also on its faces, which are one. */
static cloud cloud_in_box(size_t n, const float *lower, const float *upper, uint64_t seed)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {seed};
    for (size_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) {
            const uint64_t place = xlt_below(&random, 12);
            const float x = lower[a] + xlt_unit(&random) * (upper[a] - lower[a]);
            c.xyz[3 * i + (size_t)a] = place == 0   ? lower[a]
                                       : place == 1 ? upper[a]
                                                    : fminf(fmaxf(x, lower[a]), upper[a]);
        }
    return c;
}

/* Every choice of axes; radii up to above a period, where a pair has several images and a point
 * is near its own; boxes that do not begin at 0, far from it even. */
static void space_that_repeats(void **state)
{
    (void)state;
    static const float lower[][3] = {{0, 0, 0}, {-0.7f, 1.3f, 100}, {1e5f, -1e4f, 3}};
    static const float length[][3] = {{1, 1, 1}, {0.9f, 1.7f, 1.1f}, {1, 2, 0.75f}};
    static const float radii[] = {0.2f, 0.55f, 1.01f};
    const size_t sizes[] = {xlt_small() ? 120u : 400u, 60, 20};
    for (size_t box = 0; box < 3; ++box)
        for (uint32_t axes = 1; axes < 8; axes += xlt_small() ? 3 : 1)
            for (size_t r = 0; r < 3; ++r) {
                float upper[3];
                for (int a = 0; a < 3; ++a)
                    upper[a] = lower[box][a] + length[box][a];
                const float radius = r == 2 ? 0.74f : radii[r];
                cloud c = cloud_in_box(sizes[r], lower[box], upper, 50 + axes);
                search_case a = in_box(&c, lower[box], upper, axes, radius);
                a.search.inclusive = axes == 5;
                a.search.sorted = axes != 3;
                assert_true(check_ways("a box that repeats", a) > 0);
                cloud_free(&c);
            }
}

/* Where a device ends long loops, as searches of more than a period are. */
static bool is_refused(const search_case *a)
{
    search_call c = call_make(a);
    xlt_buffer out = xlt_buffer_make(NULL, c.n, 4, 0);
    const xl_status status = xl_neighbors_count_enqueue(
        c.plan, c.b.index, xlt_queue(), &(xl_neighbors_count_args){.counts = xlt_view(&out)}, 0,
        NULL, NULL);
    assert_true(status == XL_SUCCESS || status == XL_ERROR_UNSUPPORTED);
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&out);
    search_call_free(&c);
    return status != XL_SUCCESS;
}

/* A radius of several periods: a lattice of one point has the shells of a lattice. */
static void radii_of_several_periods(void **state)
{
    (void)state;
    static const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    static const struct {
        float radius;
        uint64_t pairs;
    } shells[] = {{1.1f, 6}, {1.5f, 18}, {1.8f, 26}, {2.1f, 32}, {2.5f, 80}, {3.1f, 122}};
    cloud c = cloud_make(1, 3);
    cloud_set(&c, 0, 0.25f, 0.5f, 0.125f);
    for (size_t k = 0; k < sizeof shells / sizeof *shells; ++k) {
        search_case a = in_box(&c, lower, upper, 7, shells[k].radius);
        if (!is_refused(&a))
            assert_int_equal(check_ways("one point", a), shells[k].pairs);
    }
    cloud_free(&c);
}

/* Blocks of a lattice that repeat: each point has the shells of the whole one. */
static void lattices_that_repeat(void **state)
{
    (void)state;
    static const struct {
        float radius;
        uint64_t near;
    } shells[] = {{1.1f, 6}, {1.5f, 18}, {1.8f, 26}, {2.1f, 32}, {2.5f, 80}, {3.1f, 122}};
    const size_t side = 8;
    const float lower[3] = {0, 0, 0}, upper[3] = {8, 8, 8};
    cloud c = cloud_lattice(side, 1.0f, 0.0f, 1);
    for (size_t k = 0; k < sizeof shells / sizeof *shells; ++k) {
        search_case a = in_box(&c, lower, upper, 7, shells[k].radius);
        assert_int_equal(check("a lattice", &a), shells[k].near * c.n);
    }
    /* At the spacing itself: none are nearer, and six as far. */
    search_case tie = in_box(&c, lower, upper, 7, 1.0f);
    assert_int_equal(check("a tie", &tie), 0);
    tie.search.inclusive = 1;
    assert_int_equal(check("a tie", &tie), 6 * c.n);
    cloud_free(&c);
}

/* Queries of their own, inside and outside of the box, with radii of their own. */
static void all_of_it_at_once(void **state)
{
    (void)state;
    static const float lower[3] = {-1, 0, 2}, upper[3] = {0, 1.5f, 2.5f};
    const size_t n = 200;
    cloud c = cloud_in_box(n, lower, upper, 61), queries = cloud_uniform(n, -3.0f, 6.0f, 62);
    float radii[200];
    xlt_random random = {63};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.5f * xlt_unit(&random);
    for (uint32_t axes = 1; axes < 8; axes += 2) {
        search_case a = in_box(&c, lower, upper, axes, 0.4f);
        a.queries = &queries;
        a.radii = radii;
        assert_true(check_ways("all at once", a) > 0);
        a.queries = NULL;
        assert_true(check_ways("radii in a box", a) > 0);
    }
    cloud_free(&c);
    cloud_free(&queries);
}

/* Some thousand periods away a difference is rounded by far more than the margin of a radius,
 * which is just above a number that such differences have. */
static void queries_of_other_periods(void **state)
{
    (void)state;
    static const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    const size_t n = xlt_small() ? 100 : 400;
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 71), queries = cloud_make(n / 2, 3);
    const float radius = 0x1.001p-7f;
    float radii[200];
    xlt_random random = {72};
    for (size_t i = 0; i < c.n; ++i)
        cloud_set(&c, i, c.xyz[3 * i], 0.5f, 0.5f);
    for (size_t i = 0; i < queries.n; ++i) {
        cloud_set(&queries, i, 8192 * xlt_unit(&random) - 4096, 0.5f, 0.5f);
        radii[i] = radius;
    }
    search_case a = in_box(&c, lower, upper, 7, radius);
    a.queries = &queries;
    a.radii = radii;
    assert_true(check("queries of other periods", &a) > queries.n);
    cloud_free(&c);
    cloud_free(&queries);
}

/* In the plane, and on a line. */
static void planes_that_repeat(void **state)
{
    (void)state;
    static const float lower[3] = {0, 0, 0}, upper[3] = {2, 1, 1};
    for (size_t dimensions = 1; dimensions < 3; ++dimensions) {
        cloud c = cloud_in_box(200, lower, upper, 70);
        c.dimensions = dimensions;
        search_case a = in_box(&c, lower, upper, dimensions == 1 ? 1 : 3, 0.15f);
        assert_true(check_ways("fewer dimensions", a) > 100);
        cloud_free(&c);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    static const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    cloud c = cloud_in_box(50, lower, upper, 80);
    search_case a = in_box(&c, lower, upper, 1, 0.2f);
    xl_grid *grid;
    xl_neighbors *plan;
    xl_grid_desc wrong = a.grid;
    wrong.bounded = 0;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
    wrong = a.grid;
    wrong.periodic = 8;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
    wrong.periodic = 4;
    wrong.dimensions = 2;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
    wrong = a.grid;
    wrong.upper[0] = 0;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
    xl_neighbors_desc search = a.search;
    search.queries = 2;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &search, &plan), bad);
    search = a.search;
    search.query_stride = 2;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &search, &plan), bad);
    search = a.search;
    search.dimensions = 4;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &search, &plan), XL_ERROR_UNSUPPORTED);

    search_call right = call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, 50, 4, 0), more = xlt_buffer_make(NULL, 150, 4, 0);
#define COUNT(plan, ...)                                                                           \
    xl_neighbors_count_enqueue((plan), right.b.index, xlt_queue(),                                 \
                               &(xl_neighbors_count_args){.counts = xlt_view(&out), __VA_ARGS__},  \
                               0, NULL, NULL)
    XLT_FAILS(COUNT(right.plan, .num_queries = 50), bad);
    XLT_FAILS(COUNT(right.plan, .queries = xlt_view(&more)), bad);
    XLT_FAILS(COUNT(right.plan, .radii = xlt_view(&more)), bad);
    search = a.search; /* not for space that repeats */
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 0), bad);
    xl_neighbors_destroy(plan);
    search.periodic = 1;
    search.radius = 3e6f; /* periods */
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 0), XL_ERROR_UNSUPPORTED);
    xl_neighbors_destroy(plan);
    search.radius = 0.2f;
    search.queries = XL_QUERIES_GIVEN;
    search.radii = 1;
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 50, .radii = xlt_view(&more)), bad);
    XLT_FAILS(COUNT(plan, .num_queries = 50, .queries = xlt_view(&more)), bad);
    XLT_FAILS(
        COUNT(plan, .num_queries = 1 << 20, .queries = xlt_view(&more), .radii = xlt_view(&more)),
        bad);
    XLT_FAILS(COUNT(plan, .num_queries = 50, .queries = xlt_view(&more), .radii = xlt_view(&out)),
              XL_ERROR_OVERLAP);
    XLT_FAILS(COUNT(plan, .num_queries = UINT32_MAX, .queries = xlt_view(&more),
                    .radii = xlt_view(&more)),
              bad);
    xl_neighbors_destroy(plan);
    search.dimensions = 2;
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 5, .queries = xlt_view(&more), .radii = xlt_view(&more)),
              bad);
    xl_neighbors_destroy(plan);
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&more);
    search_call_free(&right);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_of_their_own),     cmocka_unit_test(queries_along_a_row),
        cmocka_unit_test(queries_of_no_use),        cmocka_unit_test(queries_in_fewer_dimensions),
        cmocka_unit_test(radii_of_their_own),       cmocka_unit_test(radii_that_reach_back),
        cmocka_unit_test(space_that_repeats),       cmocka_unit_test(radii_of_several_periods),
        cmocka_unit_test(lattices_that_repeat),     cmocka_unit_test(all_of_it_at_once),
        cmocka_unit_test(queries_of_other_periods), cmocka_unit_test(planes_that_repeat),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
