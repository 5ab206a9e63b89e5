/* SPDX-License-Identifier: MIT
 * Neighbour search on clouds that reach far: exact lists at any distance from the origin,
 * without more work than near it. */
#include "grid_support.h"

#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t sized(size_t n)
{
    return xlt_small() ? 300 : n;
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The fastest of some builds and counts. */
static double time_of(const cloud *c, float cell_size, float radius)
{
    xl_grid_desc desc = grid_desc_of(c, cell_size);
    xl_neighbors_desc search = search_desc_of(radius);
    built b = build_grid(c, &desc);
    double best = INFINITY;
    for (int run = 0; run < 3; ++run) {
        double start = seconds();
        (void)pairs_of(&b, &search);
        best = fmin(best, seconds() - start);
    }
    built_free(&b);
    return best;
}

static void check_list(const char *what, const cloud *c, float cell_size, float radius)
{
    for (uint32_t inclusive = 0; inclusive < 2; ++inclusive) {
        xl_grid_desc desc = grid_desc_of(c, cell_size);
        xl_neighbors_desc search = search_desc_of(radius);
        search.inclusive = inclusive;
        desc.algorithm = inclusive ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        built b = build_grid(c, &desc);
        assert_int_equal(report_of(&b).sparse, 1);
        list got = list_of(&b, &search), wanted = list_by_sweep(c, &search);
        assert_true(wanted.offsets[c->n] >= c->n / 3);
        lists_equal(what, &got, &wanted);
        list_free(&got);
        list_free(&wanted);
        built_free(&b);
    }
}

static void lines_of_any_extent(void **state)
{
    (void)state;
    const float extents[] = {0x1p20f, 0x1p24f, 0x1p25f, 0x1p30f, 0x1p40f, 0x1p100f, 3.4e38f};
    char what[64];
    for (size_t k = 0; k < sizeof extents / sizeof extents[0]; ++k)
        for (int axis = 0; axis < 4; ++axis) {
            if ((int)k % 4 != axis && axis != 3)
                continue;
            cloud c = cloud_line(sized(12000), axis, extents[k]);
            snprintf(what, sizeof what, "a line along %d of extent %g", axis, (double)extents[k]);
            check_list(what, &c, 1.0f, 1.0f);
            cloud_free(&c);
        }
}

/* Points that share a cell by mistake make the search quadratic: some forty times as slow. */
static void far_points_take_no_longer(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("too few points in a small run to tell by the time\n");
        skip();
    }
    const float extents[] = {0x1p30f, 0x1p40f, 0x1p100f, 3.4e38f};
    cloud near = cloud_line(60000, 1, 0x1p20f);
    double usual = time_of(&near, 1.0f, 1.0f);
    for (size_t k = 0; k < sizeof extents / sizeof extents[0]; ++k) {
        cloud c = cloud_line(60000, 1, extents[k]);
        double got = time_of(&c, 1.0f, 1.0f);
        if (got > 5 * usual + 0.1)
            XLT_FAIL("%zu points of extent %g take %.3f s, of extent 2^20 %.3f s", c.n,
                     (double)extents[k], got, usual);
        cloud_free(&c);
    }
    cloud_free(&near);
}

/* The distance of points 0 and 1 rounds to the radius, and their difference from below 0 to
 * above 1: only a reach beyond the radius meets them both. */
static void pairs_by_rounding_alone(void **state)
{
    (void)state;
    cloud c = cloud_make(40, 3);
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < c.n; ++i) {
            float p[3] = {0, 0, 0};
            p[axis] = i == 0 ? 1.0f : i == 1 ? -0x1p-26f : 1e6f * (float)i;
            cloud_set(&c, i, p[0], p[1], p[2]);
        }
        xl_grid_desc desc = grid_desc_of(&c, 1.0f);
        xl_neighbors_desc search = search_desc_of(1.0f);
        search.inclusive = 1;
        built b = build_grid(&c, &desc);
        assert_int_equal(report_of(&b).sparse, 1);
        assert_int_equal(pairs_of(&b, &search), 2);
        built_free(&b);
        (void)check_search("a pair by rounding", &c, &desc, &search);
    }
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_any_extent),
        cmocka_unit_test(far_points_take_no_longer),
        cmocka_unit_test(pairs_by_rounding_alone),
    };
    return XLT_RUN_WITH_GRIDS(tests, NULL, xlt_teardown);
}
