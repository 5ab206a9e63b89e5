/* SPDX-License-Identifier: MIT
 * Neighbour search on clouds that reach far: a pair that rounding alone makes near, and no more
 * work than near the origin. Cases of near with spread=far and spread=lines compare lists. */
#include "grid_support.h"

#include <math.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Gives the pairs within 1, and the time of the fastest of three counts. */
static uint64_t count(const cloud *c, bool inclusive, double *best)
{
    xl_plan *plan;
    uint64_t pairs = 0;
    const xl_grid_desc desc = grid_desc_of(c, 1.0f);
    xl_neighbors_desc search = search_desc_of(1.0f);
    search.inclusive = inclusive;
    built b = build_grid(c, &desc);
    XLT_OK(xl_neighbors_create(b.grid, &search, &plan));
    assert_int_equal(report_of(&b).sparse, 1);
    xlt_buffer offsets = xlt_buffer_make(NULL, c->n + 1, 8, 0);
    *best = INFINITY;
    for (int run = 0; run < 3; ++run) {
        const double start = seconds();
        XLT_OK(xl_neighbors_count_enqueue(plan, b.index, xlt_queue(),
                                          &(xl_neighbors_args){.offsets = xlt_view(&offsets)}, 0,
                                          NULL, NULL));
        XLT_CL(clFinish(xlt_queue()));
        *best = fmin(*best, seconds() - start);
    }
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), offsets.mem, CL_TRUE,
                               (xlt_view(&offsets).offset + c->n) * 8, 8, &pairs, 0, NULL, NULL));
    xlt_buffer_free(&offsets);
    xl_plan_destroy(plan);
    built_free(&b);
    return pairs;
}

/* Points along an axis, up to +-extent, in threes: the first is alone, the second has a
 * companion at its coordinate, and the third is at the next larger float. */
static cloud cloud_line(size_t n, float extent)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {19};
    float y = 0;
    for (size_t i = 0; i < n; ++i) {
        if (i % 3 == 0)
            y = extent * (2 * xlt_unit(&random) - 1);
        if (i % 3 == 2)
            y = nextafterf(y, INFINITY);
        cloud_set(&c, i, (float)(i % 3) * 0.25f, y, (float)(i % 3) * 0.25f);
    }
    return c;
}

/* Points that share a cell by mistake make the search quadratic: some forty times as slow. */
XLT_TEST(far_points_take_no_longer)
{
    if (xlt_small()) {
        print_message("too few points in a small run to tell by the time\n");
        skip();
    }
    static const float extents[] = {0x1p20f, 0x1p30f, 0x1p40f, 0x1p100f, 3.4e38f};
    double usual = 0, took;
    for (size_t k = 0; k < sizeof extents / sizeof extents[0]; ++k) {
        cloud c = cloud_line(60000, extents[k]);
        const uint64_t pairs = count(&c, false, &took);
        assert_true(pairs >= c.n / 3 * 2);
        usual = k == 0 ? took : usual;
        if (took > 5 * usual + 0.1)
            XLT_FAIL("%zu points of extent %g take %.3f s, of extent 2^20 %.3f s", c.n,
                     (double)extents[k], took, usual);
        cloud_free(&c);
    }
}

/* The distance of points 0 and 1 rounds to the radius, and their difference from below 0 to
 * above 1: only a reach beyond the radius meets them both. */
XLT_TEST(pairs_by_rounding_alone)
{
    double unused;
    cloud c = cloud_make(40, 3);
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < c.n; ++i) {
            float p[3] = {0, 0, 0};
            p[axis] = i == 0 ? 1.0f : i == 1 ? -0x1p-26f : 1e6f * (float)i;
            cloud_set(&c, i, p[0], p[1], p[2]);
        }
        assert_int_equal(count(&c, true, &unused), 2);
    }
    cloud_free(&c);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
