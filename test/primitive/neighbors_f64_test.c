/* SPDX-License-Identifier: MIT
 * Lists of points of double precision, and of given queries that have an array for each axis: every
 * way of a search against every pair and every image of it. */
#include "wide_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points anywhere ------------------------------------------------------------------------- */

static void open_space(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double radii[] = {0, 0.02, 0.1, 0.25};
    for (uint32_t dimensions = 1; dimensions <= 3; ++dimensions) {
        /* A stride of its own is another program of the grid: on the line alone. */
        const size_t stride = dimensions == 1 ? 5 : 3;
        places p = places_uniform(wide_sized(600), stride, -0.3, 1.0, 3 + dimensions);
        wide_case a = wide_case_of(&p, radii[dimensions]);
        a.grid.dimensions = dimensions;
        a.search.half = dimensions == 1;
        a.search.sorted = dimensions != 2;
        a.soa = dimensions == 2;
        assert_true(check_ways("open space", a) > p.n / 4);
        free(p.xyz);
    }
}

/* 0.1 is neither a float nor a double: which of the spacings are below it is known in double
 * precision alone. */
static void lattices_with_ties(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t side = xlt_small() ? 6 : 9;
    places p = places_lattice(side, 0.0, 0.1);
    wide_case a = wide_case_of(&p, 0.1);
    const uint64_t as_near = check("nearer than the spacing", &a);
    a.search.inclusive = 1;
    const uint64_t as_far = check("as far as the spacing", &a);
    if (!(as_near > 0 && as_near < as_far && as_far < 6 * p.n))
        XLT_FAIL("%llu and %llu pairs of %zu points", (unsigned long long)as_near,
                 (unsigned long long)as_far, p.n);
    free(p.xyz);
}

/* In a box there a thousandth is as much as anywhere; floats are 64 apart. */
static void far_from_the_origin(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(xlt_small() ? 6 : 9, 1e9, 1e-3);
    wide_case a = wide_case_of(&p, 1.8e-3);
    wide_give_box(&a, 1e9 - 0.01, 1e9 + 0.01, 0);
    const uint64_t pairs = check_ways("far off", a);
    assert_true(pairs > 10 * p.n && pairs < 27 * p.n);
    a.grid.bounded = 0; /* that is right as well, if slow */
    memset(a.grid.lower_f64, 0, sizeof a.grid.lower_f64);
    memset(a.grid.upper_f64, 0, sizeof a.grid.upper_f64);
    assert_int_equal(check("far off without a box", &a), pairs);
    free(p.xyz);
}

/* Beyond the floats, and where these are subnormal: a double is finite, and others are near it. */
static void beyond_the_floats(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t n = xlt_small() ? 60 : 200;
    places p = places_uniform(n, 3, 0.0, 1.0, 5);
    for (size_t i = 0; i < n; ++i) {
        static const double scales[] = {1, 1e40, -1e40, 1e120, 1e-42};
        const double scale = scales[i % 5];
        places_set(&p, i, i % 2 ? scale : p.xyz[3 * i], i % 3 ? p.xyz[3 * i + 1] : scale,
                   p.xyz[3 * i + 2]);
    }
    places_set(&p, n - 1, DBL_MAX, -DBL_MAX, 0.5);
    wide_case a = wide_case_of(&p, 0.5);
    assert_true(check("beyond the floats", &a) > n / 4);
    a.search.radius_f64 = 1e39;
    a.grid.cell_size = 1e38f;
    assert_true(check("radii beyond them", &a) > n);
    wide_give_box(&a, -DBL_MAX / 4, DBL_MAX / 4, 0);
    places_set(&p, n - 1, DBL_MAX / 4, -DBL_MAX / 4, 0.5);
    assert_true(check("a box of nearly all", &a) > n);
    free(p.xyz);
}

static void a_stray_point(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(wide_sized(500), 4, 0.0, 5.0, 23);
    places_set(&p, p.n / 2, 1e30, -1e200, 3);
    wide_case a = wide_case_of(&p, 1.0);
    a.soa = true;
    assert_true(check_ways("a stray point", a) > p.n / 4);
    free(p.xyz);
}

/* ---- given queries, radii, rows with room ---------------------------------------------------- */

static void queries_of_their_own(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t n = wide_sized(800);
    places p = places_uniform(n, 3, 100.0, 1.0, 31), q = places_uniform(n / 2, 4, 99.8, 1.4, 7);
    double *radii = malloc(n * sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {43};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.3 * wide_unit(&random);
    const double odd[] = {0, -0.1, NAN, INFINITY, 1e-200, -INFINITY, 7, 0.25};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i)
        radii[i] = odd[i];
    for (size_t i = 10; i < q.n; i += 7) /* places of points, at a distance of 0 */
        places_set(&q, i, p.xyz[3 * i], p.xyz[3 * i + 1], p.xyz[3 * i + 2]);
    for (unsigned form = 0; form < 3; ++form) {
        wide_case a = wide_case_of(&p, 0.2);
        a.queries = form < 2 ? &q : NULL;
        a.radii = form > 0 ? radii : NULL;
        a.soa = form == 1;
        a.search.inclusive = form == 1;
        assert_true(check_ways("queries and radii", a) > 0);
    }
    free(radii);
    free(p.xyz);
    free(q.xyz);
}

/* The details of a list with each option that adds arguments: no kernel has more. */
static void every_option_at_once(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t n = wide_sized(200);
    places p = places_uniform(n, 3, 0.0, 1.0, 81), q = places_uniform(n, 3, 0.0, 1.0, 82);
    double *radii = malloc(n * sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {83};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.3 * wide_unit(&random);
    wide_case a = wide_case_of(&p, 0.3);
    wide_give_box(&a, 0.0, 1.0, 7);
    a.queries = &q;
    a.radii = radii;
    a.soa = true;
    a.grid.num_systems = 1;
    assert_true(check_ways("every option", a) > 0);
    free(radii);
    free(p.xyz);
    free(q.xyz);
}

/* The longest row has just the room, or one place too little, which the status says. */
static void rows_with_room(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(5, 0.0, 0.25);
    wide_case a = wide_case_of(&p, 0.26);
    a.search.row_capacity = 6;
    assert_true(check_ways("rows with room", a) > 3 * p.n);
    a.search.row_capacity = 5;
    call c = call_make(&a);
    xlt_buffer counts = xlt_buffer_make(NULL, c.n, 4, 0);
    xlt_buffer indices = xlt_buffer_make(NULL, 5 * c.n, 4, 1);
    XLT_OK(xl_neighbors_fill_enqueue(
        c.plan, c.of.index, xlt_queue(),
        &(xl_neighbors_fill_args){.counts = xlt_view(&counts), .indices = xlt_view(&indices)}, 0,
        NULL, NULL));
    xl_neighbors_report report;
    XLT_FAILS(xl_neighbors_status(c.plan, c.of.index, xlt_queue(),
                                  &(xl_neighbors_status_args){.counts = xlt_view(&counts)}, &report,
                                  0, NULL),
              XL_ERROR_CAPACITY);
    assert_int_equal(report.longest_row, 6);
    xlt_buffer_free(&counts);
    xlt_buffer_free(&indices);
    call_free(&c);
    free(p.xyz);
}

/* ---- space that repeats ---------------------------------------------------------------------- */

static void space_that_repeats(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double corners[] = {0, -0.7, 1e6};
    const size_t n = wide_sized(240);
    for (unsigned form = 0; form < 3; ++form) {
        const double low = corners[form], high = low + 1.1;
        places p = places_uniform(n, 3, low, 1.1, 50 + form), q = places_make(n / 2, 3);
        xlt_random random = {9};
        for (size_t i = 0; i < p.n * 3; ++i)
            p.xyz[i] = i % 11 == 0 ? low : i % 13 == 0 ? high : fmin(p.xyz[i], high);
        for (size_t i = 0; i < q.n; ++i) /* of other periods as well */
            places_set(&q, i, low + 4000 * wide_unit(&random), low - 3 * wide_unit(&random), low);
        wide_case a = wide_case_of(&p, 0.3);
        a.search.half = form == 1;
        a.search.inclusive = form == 2;
        wide_give_box(&a, low, high, form == 0 ? 7 : form == 1 ? 5 : 3);
        assert_true(check_ways("a box that repeats", a) > n / 2);
        a.search.half = 0;
        a.queries = &q;
        if (form < 2)
            assert_true(check("queries of other periods", &a) > 0);
        free(p.xyz);
        free(q.xyz);
    }
}

/* The shells of a lattice whose spacing is a tenth: the box is rounded, too. */
static void lattices_that_repeat(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(4, 0.0, 0.1);
    wide_case a = wide_case_of(&p, 0.1000001);
    wide_give_box(&a, 0.0, 0.4, 7);
    assert_int_equal(check("a lattice", &a), 6 * p.n);
    a.search.radius_f64 = 0.1;
    const uint64_t some = check("ties", &a);
    assert_true(some > 0 && some < 6 * p.n);
    free(p.xyz);
}

static void queries_of_no_use(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(100, 3, 0.0, 1.0, 72), q = places_uniform(20, 3, 0.0, 1.0, 73);
    places none = places_make(0, 3);
    q.xyz[3] = NAN;
    q.xyz[7] = INFINITY;
    q.xyz[11] = 1e300;
    wide_case a = wide_case_of(&p, 0.25);
    a.queries = &q;
    a.soa = true;
    call c = call_make(&a);
    xlt_buffer offsets = xlt_buffer_make(NULL, c.n + 1, 8, 0);
    xl_neighbors_report report;
    XLT_OK(xl_neighbors_count_enqueue(
        c.plan, c.of.index, xlt_queue(),
        &(xl_neighbors_count_args){.offsets = xlt_view(&offsets), QUERIES(&c)}, 0, NULL, NULL));
    const xl_neighbors_status_args args = {
        .capacity = UINT64_MAX, .offsets = xlt_view(&offsets), QUERIES(&c)};
    XLT_FAILS(xl_neighbors_status(c.plan, c.of.index, xlt_queue(), &args, &report, 0, NULL),
              XL_ERROR_NON_FINITE);
    assert_true(report.non_finite == 2 && report.first_non_finite == 1);
    xlt_buffer_free(&offsets);
    call_free(&c);
    a.queries = &none;
    assert_int_equal(check("no queries", &a), 0);
    a.points = &none;
    a.queries = NULL;
    assert_int_equal(check("no points", &a), 0);
    free(p.xyz);
    free(q.xyz);
    free(none.xyz);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void searches_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_uniform(20, 3, 0.0, 1.0, 90);
    wide_case a = wide_case_of(&p, 0.5);
    xl_neighbors *plan;
    xl_neighbors_desc wrong = a.search;
#define REFUSED(field, value, status)                                                              \
    wrong = a.search;                                                                              \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_neighbors_create(xlt_context(), &wrong, &plan), (status))
    REFUSED(scalar, XL_I32, XL_ERROR_UNSUPPORTED);
    REFUSED(scalar, XL_F32, bad);
    REFUSED(radius, 1, bad);
    REFUSED(radius_f64, 0, bad);
    REFUSED(radius_f64, INFINITY, bad);
    REFUSED(radius_f64, 1e-160, bad);
    REFUSED(radius_f64, 1e160, bad);
    REFUSED(query_layout, 2, bad);
#undef REFUSED
    call c = call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, 20, 4, 0);
#define COUNT(plan, ...)                                                                           \
    xl_neighbors_count_enqueue((plan), c.of.index, xlt_queue(),                                    \
                               &(xl_neighbors_count_args){.counts = xlt_view(&out), __VA_ARGS__},  \
                               0, NULL, NULL)
    XLT_FAILS(COUNT(c.plan, .queries_y = c.of.points.view[0]), bad);
    XLT_FAILS(xl_neighbors_visit_enqueue(
                  c.plan, c.of.index, xlt_queue(),
                  &(xl_neighbors_visit_args){.start = 1, .out = xlt_view(&out)}, 0, NULL, NULL),
              bad);
    xl_neighbors_desc narrow = search_desc_of(0.5f); /* of an index of doubles */
    XLT_OK(xl_neighbors_create(xlt_context(), &narrow, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 0), bad);
    xl_neighbors_destroy(plan);
    wrong = a.search;
    wrong.queries = XL_QUERIES_GIVEN;
    wrong.query_layout = XL_POINTS_SOA;
    wrong.dimensions = 3;
    XLT_OK(xl_neighbors_create(xlt_context(), &wrong, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 20, .queries = c.of.points.view[0]), bad); /* no y */
    XLT_FAILS(COUNT(plan, .num_queries = 20, .queries = c.of.points.view[0],
                    .queries_y = c.of.points.view[0], .queries_z = xlt_view(&out)),
              bad); /* too short */
    xl_neighbors_destroy(plan);
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    call_free(&c);
    free(p.xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),           cmocka_unit_test(lattices_with_ties),
        cmocka_unit_test(far_from_the_origin),  cmocka_unit_test(beyond_the_floats),
        cmocka_unit_test(a_stray_point),        cmocka_unit_test(queries_of_their_own),
        cmocka_unit_test(every_option_at_once), cmocka_unit_test(rows_with_room),
        cmocka_unit_test(space_that_repeats),   cmocka_unit_test(lattices_that_repeat),
        cmocka_unit_test(queries_of_no_use),    cmocka_unit_test(searches_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
