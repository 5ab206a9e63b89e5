/* SPDX-License-Identifier: MIT
 * The edge of the cells that a build chooses (xl_grid_desc.points_per_cell), as the header of the index
 * has it. */
#include "grid_support.h"

#include "grid/grid_plan.h"

#include <math.h>

enum { N = 8000 };

/* Points in a box of these extents. */
static cloud cloud_in(const float extent[3])
{
    cloud c = cloud_uniform(N, 0.0f, 1.0f, 83);
    for (size_t i = 0; i < 3 * N; ++i)
        c.xyz[i] *= extent[i % 3];
    return c;
}

/* Builds an index; the edge of its cells, and whether its rows are listed. */
static double edge_of(const cloud *c, const xl_grid_desc *desc, bool *listed)
{
    built b = build_grid(c, desc);
    const xl_grid_report report = report_of(&b);
    xli_grid_header header;
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), b.index->storage, CL_TRUE,
                               b.index->storage_at + b.index->layout.header, sizeof header, &header,
                               0, NULL, NULL));
    *listed = report.sparse != 0;
    built_free(&b);
    return 1.0 / (double)header.inverse;
}

/* The sample has 128 points, and edges have steps of a sixteenth. */
static void assert_near(double edge, double wanted)
{
    if (!(edge > 0.75 * wanted && edge < 1.35 * wanted))
        fail_msg("edge %g, not about %g", edge, wanted);
}

/* Cells of `points` points; an axis on which the points are within one cell does not count. */
XLT_TEST(the_edge_fits_the_points)
{
    static const struct {
        float extent[3];
        double points, wanted; /* points 0: the default */
    } boxes[] = {{{1, 1, 1}, 0, 0.0630},
                 {{1, 1, 1}, 16, 0.126},
                 {{100, 1, 0.5f}, 2, 0.232},
                 {{4, 2, 1e-6f}, 2, 0.0447},
                 {{0, 5, 0}, 2, 1.25e-3},
                 {{1e30f, 1e30f, 1e30f}, 2, 6.3e28},
                 {{1e-30f, 1e-30f, 0}, 2, 1.58e-32},
                 {{1, 1, 1}, 1e9, 50}};
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k) {
        bool listed;
        cloud c = cloud_in(boxes[k].extent);
        xl_grid_desc desc = grid_desc_of(&c, 0);
        desc.points_per_cell = boxes[k].points;
        assert_near(edge_of(&c, &desc, &listed), boxes[k].wanted);
        cloud_free(&c);
    }
}

/* A box about as thin as a cell: the axis counts for cells without it and not for cells with it. */
XLT_TEST(boxes_as_thin_as_a_cell)
{
    for (int k = 0; k < 240; ++k) {
        bool listed;
        const float wide = 0.2f + 0.25f * (float)(k / 60);
        const float cell = sqrtf(2.0f / 5832 * wide); /* of 0.9 * 0.9 * N points */
        cloud c = cloud_in((float[3]){1, wide, cell * (0.9f + 0.005f * (float)(k % 60))});
        const xl_grid_desc desc = grid_desc_of(&c, 0);
        assert_true(edge_of(&c, &desc, &listed) > 0);
        cloud_free(&c);
    }
}

/* Points far from the others do not count, and equal points have any cell. */
XLT_TEST(few_points_far_off_do_not_count)
{
    bool listed;
    cloud c = cloud_in((float[3]){1, 1, 1});
    const xl_grid_desc desc = grid_desc_of(&c, 0);
    for (size_t i = 0; i < 100; ++i)
        c.xyz[3 * (79 * i + 1) + i % 3] = i % 2 ? 1e6f : -3e30f;
    assert_near(edge_of(&c, &desc, &listed), 0.0630);
    assert_true(listed);
    for (size_t i = 0; i < 3 * N; ++i)
        c.xyz[i] = 7.25f;
    assert_true(edge_of(&c, &desc, &listed) > 0);
    cloud_free(&c);
}

XLT_TEST(an_edge_that_is_given_is_a_lower_limit)
{
    bool listed;
    cloud c = cloud_in((float[3]){1, 1, 1});
    xl_grid_desc desc = grid_desc_of(&c, 0.5f);
    desc.points_per_cell = 2;
    assert_true(edge_of(&c, &desc, &listed) == 0.5);
    desc.cell_size = 0.01;
    assert_near(edge_of(&c, &desc, &listed), 0.0630);
    desc.points_per_cell = 0;
    assert_true(fabs(edge_of(&c, &desc, &listed) - 0.01) < 1e-8);
    cloud_free(&c);
}

/* Cells too many for the table become longer, up to three times; beyond that, rows are listed. */
XLT_TEST(cells_become_longer_for_a_table)
{
    static const xl_tunable few[] = {{"grid.table", 1}, {"grid.thin", 8}};
    bool listed;
    cloud c = cloud_in((float[3]){1, 1, 1});
    xl_grid_desc desc = grid_desc_of(&c, 0);
    desc.tunables = few;
    desc.num_tunables = 2;
    const double edge = edge_of(&c, &desc, &listed);
    assert_false(listed);
    assert_true(edge > 0.085 && edge < 0.13);
    for (size_t i = 0; i < 3; ++i)
        c.xyz[i] = 5.0f;
    assert_near(edge_of(&c, &desc, &listed), 0.0630);
    assert_true(listed);
    cloud_free(&c);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
