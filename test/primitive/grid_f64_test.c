/* SPDX-License-Identifier: MIT
 * The index of points of double precision: what it takes for points and reports, their order, and
 * which of them have moved. */
#include "wide_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void what_is_not_a_point(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    places p = places_uniform(100, 3, 0.0, 1.0, 71);
    wide_case a = wide_case_of(&p, 0.25);
    xl_grid_report report;
    for (unsigned k = 0; k < 6; ++k) {
        places_set(&p, 17, 0.5, k < 3 ? odd[k] : 0.5, 0.5);
        places_set(&p, 40, 0.5, 0.5, k < 3 ? odd[k] : 0.5);
        if (k == 3)
            wide_give_box(&a, 0.0, 1.0, 0);
        if (k >= 3) /* as a float, inside */
            places_set(&p, 17, k == 5 ? 0.5 : nextafter(k == 3 ? 1 : 0, k == 3 ? 2 : -1),
                       k == 5 ? 1e300 : 0.5, 0.5);
        wide_index b = wide_index_make(&a);
        const xl_status status = xl_grid_index_status(b.index, xlt_queue(), &report, 0, NULL);
        assert_int_equal(status, k < 3 ? XL_ERROR_NON_FINITE : XL_ERROR_OUT_OF_DOMAIN);
        assert_int_equal(report.non_finite, k < 3 ? 2 : 0);
        assert_int_equal(report.out_of_domain, k < 3 ? 0 : 1);
        assert_int_equal(k < 3 ? report.first_non_finite : report.first_out_of_domain, 17);
        wide_index_free(&b);
    }
    free(p.xyz);
}

/* The box that is found, and the one that is given, in double precision; and the order. */
static void reports_and_order(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(wide_sized(300), 3, 1e3, 1e-3, 81);
    double low[3], high[3];
    for (size_t i = 0; i < 3 * p.n; ++i) {
        low[i % 3] = i < 3 ? p.xyz[i] : fmin(low[i % 3], p.xyz[i]);
        high[i % 3] = i < 3 ? p.xyz[i] : fmax(high[i % 3], p.xyz[i]);
    }
    for (unsigned bounded = 0; bounded < 2; ++bounded) {
        wide_case a = wide_case_of(&p, 1e-4);
        xl_grid_report report;
        if (bounded)
            wide_give_box(&a, 999.9, 1000.1, 0);
        wide_index b = wide_index_make(&a);
        XLT_OK(xl_grid_index_status(b.index, xlt_queue(), &report, 0, NULL));
        for (int k = 0; k < 3; ++k) {
            assert_true(report.lower_f64[k] == (bounded ? 999.9 : low[k]));
            assert_true(report.upper_f64[k] == (bounded ? 1000.1 : high[k]));
            assert_true(report.lower[k] == (float)report.lower_f64[k]);
        }
        xlt_buffer there = xlt_buffer_make(NULL, p.n, 24, 0);
        xlt_buffer back = xlt_buffer_make(NULL, p.n, 24, 0);
        xlt_buffer in = xlt_buffer_make(p.xyz, p.n, 24, 1);
        xl_grid_reorder_args args = {
            .element_bytes = 24, .in = xlt_view(&in), .out = xlt_view(&there)};
        XLT_OK(xl_grid_reorder_enqueue(b.grid, b.index, xlt_queue(), &args, 0, NULL, NULL));
        args = (xl_grid_reorder_args){
            .element_bytes = 24, .in = args.out, .out = xlt_view(&back), .back = 1};
        XLT_OK(xl_grid_reorder_enqueue(b.grid, b.index, xlt_queue(), &args, 0, NULL, NULL));
        double *got = malloc(24 * p.n);
        assert_non_null(got);
        xlt_read(&back, got);
        assert_memory_equal(got, p.xyz, 24 * p.n);
        free(got);
        xlt_buffer_free(&in);
        xlt_buffer_free(&there);
        xlt_buffer_free(&back);
        wide_index_free(&b);
    }
    free(p.xyz);
}

/* A point counts as moved from the next double on. */
static void points_that_move(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(100, 3, 1.0, 1.0, 82), now = places_make(100, 3);
    memcpy(now.xyz, p.xyz, 300 * sizeof(double));
    wide_case a = wide_case_of(&p, 0.25);
    wide_give_box(&a, 1.0, 2.0, 7);
    now.xyz[30] = nextafter(now.xyz[30], 3);
    now.xyz[61] += 1; /* an image of itself, if that does not round */
    now.xyz[61] = p.xyz[61] = 1.25;
    now.xyz[61] += 1;
    now.xyz[92] += 0.125;
    wide_index b = wide_index_make(&a);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    given places_now = given_make(&now, 3, false);
    static const struct {
        double distance;
        uint32_t moved;
    } wanted[] = {{0, 2}, {1e-15, 1}, {0.2, 0}};
    for (size_t k = 0; k < 3; ++k) {
        uint32_t got = 7;
        XLT_OK(xl_grid_moved_enqueue(b.grid, b.index, xlt_queue(),
                                     &(xl_grid_moved_args){.distance_f64 = wanted[k].distance,
                                                           .points = places_now.view[0],
                                                           .moved = xlt_view(&moved)},
                                     0, NULL, NULL));
        xlt_read(&moved, &got);
        assert_int_equal(got, wanted[k].moved);
    }
    XLT_FAILS(xl_grid_moved_enqueue(b.grid, b.index, xlt_queue(),
                                    &(xl_grid_moved_args){.distance = 1,
                                                          .points = places_now.view[0],
                                                          .moved = xlt_view(&moved)},
                                    0, NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    given_free(&places_now);
    xlt_buffer_free(&moved);
    wide_index_free(&b);
    free(p.xyz);
    free(now.xyz);
}

/* As floats the box and all points are 0, in cells as small as there are, and thin. */
static void boxes_less_than_a_float(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(5, 3, 0.0, 0x1p-200, 83);
    wide_case a = wide_case_of(&p, 0x1p-201);
    wide_give_box(&a, 0.0, 0x1p-200, 0);
    a.grid.cell_size = FLT_MIN;
    a.grid.algorithm = XL_GRID_COUNTING;
    a.how = TUNED_TABLE;
    wide_index b = wide_index_make(&a);
    given now = given_make(&p, 3, false);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    uint32_t got = 7;
    XLT_OK(xl_grid_moved_enqueue(
        b.grid, b.index, xlt_queue(),
        &(xl_grid_moved_args){.points = now.view[0], .moved = xlt_view(&moved)}, 0, NULL, NULL));
    xlt_read(&moved, &got);
    assert_int_equal(got, 0);
    xlt_buffer_free(&moved);
    given_free(&now);
    wide_index_free(&b);
    free(p.xyz);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void a_device_without_them(void **state)
{
    (void)state;
    xl_grid *grid;
    xl_neighbors *plan;
    if (!lacks_doubles()) {
        skip();
        return;
    }
    places p = places_make(0, 3);
    const wide_case a = wide_case_of(&p, 0.5);
    XLT_FAILS(xl_grid_create(xlt_context(), &a.grid, &grid), XL_ERROR_UNSUPPORTED);
    XLT_FAILS(xl_neighbors_create(xlt_context(), &a.search, &plan), XL_ERROR_UNSUPPORTED);
    free(p.xyz);
}

static void grids_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_make(0, 3);
    wide_case a = wide_case_of(&p, 0.5);
    xl_grid *grid;
    wide_give_box(&a, 0.0, 1.0, 1);
    xl_grid_desc wrong = a.grid;
#define REFUSED(field, value, status)                                                              \
    wrong = a.grid;                                                                                \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), (status))
    REFUSED(scalar, XL_F16, XL_ERROR_UNSUPPORTED);
    REFUSED(scalar, XL_F32, bad); /* its box is that of doubles */
    REFUSED(lower[1], 1, bad);
    REFUSED(upper[2], 1, bad);
    REFUSED(upper_f64[1], NAN, bad);
    REFUSED(upper_f64[1], -1, bad);
    REFUSED(upper_f64[0], 0, bad); /* no period */
    wrong = a.grid;
    wrong.lower_f64[1] = -DBL_MAX; /* a length that is none */
    wrong.upper_f64[1] = DBL_MAX;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
#undef REFUSED
    free(p.xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_point),   cmocka_unit_test(reports_and_order),
        cmocka_unit_test(points_that_move),      cmocka_unit_test(boxes_less_than_a_float),
        cmocka_unit_test(a_device_without_them), cmocka_unit_test(grids_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
