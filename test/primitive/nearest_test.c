/* SPDX-License-Identifier: MIT
 * The nearest points, beyond cases: very many candidates, the part of the nearest that an
 * approximate search finds, and descriptors of double precision. */
#include "grid_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_doubles(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

/* The k nearest points of a few queries. */
static void check_queries(size_t n, float cell, const xl_nearest_desc *desc)
{
    enum { QUERIES = 4, MOST = 100 };
    uint32_t got[QUERIES * MOST], indices[MOST];
    float far[QUERIES * MOST], distances2[MOST];
    xl_plan *plan;
    const size_t k = desc->k;
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 71), queries = cloud_uniform(QUERIES, 0.0f, 1.0f, 72);
    xl_grid_desc grid = grid_desc_of(&c, cell);
    xl_neighbors_desc unused = search_desc_of(1);
    tune_as(TUNED_TABLE, &grid, &unused);
    built b = build_grid(&c, &grid);
    xlt_buffer around = cloud_buffer(&queries, 3, 5),
               near_ones = xlt_buffer_make(NULL, QUERIES * k, 4, 3),
               distances = xlt_buffer_make(NULL, QUERIES * k, 4, 1);
    XLT_OK(xl_nearest_create(b.grid, desc, &plan));
    XLT_OK(xl_nearest_enqueue(plan, b.index, xlt_queue(),
                              &(xl_nearest_args){.num_queries = QUERIES,
                                                 .queries = xlt_view(&around),
                                                 .indices = xlt_view(&near_ones),
                                                 .distances2 = xlt_view(&distances)},
                              0, NULL, NULL));
    xlt_read(&near_ones, got);
    xlt_read(&distances, far);
    const ref_nearest_search wanted = {.points = c.xyz,
                                       .n = n,
                                       .stride = 3,
                                       .dimensions = 3,
                                       .queries = queries.xyz,
                                       .query_stride = 3,
                                       .k = desc->k};
    for (size_t row = 0; row < QUERIES; ++row) {
        ref_nearest(&wanted, row, indices, distances2);
        assert_memory_equal(indices, got + row * k, k * sizeof *indices);
        assert_memory_equal(distances2, far + row * k, k * sizeof *distances2);
    }
    xlt_buffer_free(&around);
    xlt_buffer_free(&near_ones);
    xlt_buffer_free(&distances);
    xl_plan_destroy(plan);
    built_free(&b);
    cloud_free(&c);
    cloud_free(&queries);
}

/* A group searches for one query. */
XLT_TEST(many_neighbors)
{
    static const xl_tunable tunables[] = {{"nearest.together", 8}, {"nearest.items", 2}};
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = 100;
    desc.queries = XL_QUERIES_GIVEN;
    desc.tunables = tunables;
    desc.num_tunables = 2;
    check_queries(500, 0.3f, &desc);
}

/* Compares the k nearest of each point with a search of all points, and frees the cloud. */
static void check_points(cloud *c, float cell, uint32_t k)
{
    enum { MOST = 8 };
    uint32_t *const got = malloc(sizeof *got * c->n * k), indices[MOST];
    float distances2[MOST];
    xl_plan *plan;
    xl_nearest_desc desc;
    xl_grid_desc grid = grid_desc_of(c, cell);
    xl_nearest_desc_init(&desc);
    desc.k = k;
    built b = build_grid(c, &grid);
    xlt_buffer rows = xlt_buffer_make(NULL, c->n * k, 4, 0);
    XLT_OK(xl_nearest_create(b.grid, &desc, &plan));
    XLT_OK(xl_nearest_enqueue(plan, b.index, xlt_queue(),
                              &(xl_nearest_args){.indices = xlt_view(&rows)}, 0, NULL, NULL));
    xlt_read(&rows, got);
    const ref_nearest_search wanted = {
        .points = c->xyz, .n = c->n, .stride = 3, .dimensions = 3, .k = k};
    for (size_t i = 0; i < c->n; ++i) {
        ref_nearest(&wanted, i, indices, distances2);
        assert_memory_equal(indices, got + i * k, k * sizeof *indices);
    }
    xlt_buffer_free(&rows);
    xl_plan_destroy(plan);
    built_free(&b);
    cloud_free(c);
    free(got);
}

/* So far from the origin that the numbers of cells are rounded. */
XLT_TEST(far_cloud)
{
    cloud c = cloud_uniform(6000, 0.0f, 1.0f, 73);
    for (size_t i = 0; i < c.n; ++i) {
        c.xyz[3 * i] *= 60;
        c.xyz[3 * i + 1] = 400000 + 3.7f * c.xyz[3 * i + 1];
        c.xyz[3 * i + 2] *= 3.7f;
    }
    check_points(&c, 0.5f, 8);
}

/* Pairs of points in a row, 4 in each block, whose distances grow so slowly that no block is walked
 * twice. The nearest of the last pair's first point is in a row that no earlier block needs. */
XLT_TEST(rows_needed_late)
{
    enum { PAIRS = 32 };
    cloud c = cloud_uniform(2 * PAIRS + 1, 0.0f, 1.0f, 73);
    float distance = 0.9f;
    for (size_t i = 0; i < PAIRS; ++i) {
        float *const a = c.xyz + 6 * i;
        const bool last = i == PAIRS - 1;
        distance *= i >= 8 && i % 4 == 0 ? 1.04f : 1.0f;
        a[0] = 5.0f * (float)i;
        a[3] = a[0] + distance;
        a[1] = a[4] = i < 4 ? -7.5f : last ? 0.97f : 0.5f;
        a[2] = a[5] = 0.5f;
    }
    float *const late = c.xyz + 6 * PAIRS;
    late[0] = late[-6];
    late[1] = 2.02f;
    late[2] = 0.5f;
    check_points(&c, 1.0f, 1);
}

/* All points are candidates of each query: more than cases have. */
XLT_TEST(too_many_points)
{
    xl_nearest_desc desc;
    if (xlt_on_oclgrind())
        skip();
    xl_nearest_desc_init(&desc);
    desc.k = 8;
    desc.queries = XL_QUERIES_GIVEN;
    check_queries(xlt_small() ? 9000 : 12000, 10.0f, &desc);
}

/* ---- approximate searches ------------------------------------------------------------------- */

enum { NEAREST = 8 };

/* Square distances; freed by the caller. */
static float *approximate(const cloud *c, uint32_t shifts)
{
    float *const far = malloc(c->n * NEAREST * sizeof *far);
    assert_non_null(far);
    xl_plan *plan;
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = NEAREST;
    desc.shifts = shifts;
    for (int axis = 0; axis < 3; ++axis)
        desc.space.cell[axis][axis] = 1;
    XLT_OK(xl_nearest_approximate_create(xlt_context(), &desc, &plan));
    xlt_buffer points = cloud_buffer(c, 3, 1),
               indices = xlt_buffer_make(NULL, c->n * NEAREST, 4, 0),
               distances2 = xlt_buffer_make(NULL, c->n * NEAREST, 4, 0);
    XLT_OK(xl_nearest_approximate_enqueue(
        plan, xlt_queue(),
        &(xl_nearest_approximate_args){.n = c->n,
                                       .points = xlt_view(&points),
                                       .indices = xlt_view(&indices),
                                       .distances2 = xlt_view(&distances2)},
        0, NULL, NULL));
    xlt_read(&distances2, far);
    xlt_buffer_free(&points);
    xlt_buffer_free(&indices);
    xlt_buffer_free(&distances2);
    xl_plan_destroy(plan);
    return far;
}

/* The part of the nearest of up to 1000 points that was found. */
static double part_found(const cloud *c, uint32_t shifts)
{
    const ref_nearest_search exact = {
        .points = c->xyz, .n = c->n, .stride = 3, .dimensions = 3, .k = NEAREST};
    const size_t rows = c->n < 1000 ? c->n : 1000;
    float *const far = approximate(c, shifts);
    double found = 0;
    for (size_t i = 0; i < rows; ++i) {
        uint32_t indices[NEAREST];
        float distances2[NEAREST];
        ref_nearest(&exact, i, indices, distances2);
        for (size_t j = 0; j < NEAREST; ++j)
            found += far[NEAREST * i + j] <= distances2[NEAREST - 1];
    }
    free(far);
    return found / (double)(NEAREST * rows);
}

/* As docs/neighbors.md says. */
XLT_TEST(how_many_are_right)
{
    cloud c = cloud_uniform(xlt_small() ? 300 : 2000, 0.0f, 1.0f, 51);
    const double few = part_found(&c, 4), more = part_found(&c, 12);
    if (few < 0.75 || more < 0.93 || few > more)
        XLT_FAIL("%.3f of the nearest with 4 shifts, %.3f with 12", few, more);
    cloud_free(&c);
}

/* ---- descriptors ---------------------------------------------------------------------------- */

#define REFUSE(field, value)                                                                       \
    do {                                                                                           \
        xl_nearest_desc wrong = right;                                                             \
        wrong.field = (value);                                                                     \
        XLT_FAILS(xl_nearest_create(of_doubles, &wrong, &plan), XL_ERROR_INVALID_ARGUMENT);        \
    } while (0)

XLT_TEST(refused_in_double_precision)
{
    cloud c = cloud_uniform(20, 0.0f, 1.0f, 90);
    xl_grid_desc grid = grid_desc_of(&c, 0.5f);
    built b = build_grid(&c, &grid);
    xl_plan *plan, *of_doubles;
    xl_nearest_desc right;
    xl_nearest_desc_init(&right);
    right.k = 2;
    grid.space.scalar = XL_F64;
    if (has_doubles()) {
        xlt_buffer out = xlt_buffer_make(NULL, 40, 4, 0);
        XLT_OK(xl_grid_create(xlt_context(), &grid, &of_doubles));
        REFUSE(max_radius, -1);
        REFUSE(max_radius, 1e160);
        REFUSE(queries, 2);
        XLT_OK(xl_nearest_create(of_doubles, &right, &plan));
        XLT_FAILS(xl_nearest_enqueue(plan, b.index, xlt_queue(),
                                     &(xl_nearest_args){.indices = xlt_view(&out)}, 0, NULL, NULL),
                  XL_ERROR_INVALID_ARGUMENT); /* the index is of floats */
        xl_plan_destroy(plan);
        xl_plan_destroy(of_doubles);
        xlt_check_unwritten(&out, "indices");
        xlt_buffer_free(&out);
    } else {
        XLT_FAILS(xl_grid_create(xlt_context(), &grid, &of_doubles), XL_ERROR_UNSUPPORTED);
    }
    built_free(&b);
    cloud_free(&c);
}

/* A query far along an axis that does not repeat, in the cell of its system: the two nearest images
 * of the only point. */
XLT_TEST(farthest_in_own_cell)
{
    const float point[3] = {0, 0, 0}, query[3] = {0, 0, 90};
    const cl_uint system = 1;
    const xl_system_cell cells[2] = {{.periodic = 0},
                                     {.cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 100}}, .periodic = 1}};
    cl_uint near[2];
    float distances2[2];
    xlt_buffer points = xlt_buffer_make(point, 3, 4, 0), queries = xlt_buffer_make(query, 3, 4, 0),
               systems = xlt_buffer_make(&system, 1, 4, 0),
               indices = xlt_buffer_make(NULL, 2, 4, 0), far = xlt_buffer_make(NULL, 2, 4, 0);
    xl_plan *grid, *plan;
    xl_grid_index *index;
    xl_grid_desc desc;
    xl_nearest_desc search_desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.space.bounds = XL_BOUNDS_PER_SYSTEM;
    desc.space.num_systems = 2;
    xl_nearest_desc_init(&search_desc);
    search_desc.k = 2;
    search_desc.queries = XL_QUERIES_GIVEN;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_OK(xl_nearest_create(grid, &search_desc, &plan));
    XLT_OK(xl_grid_build_enqueue(
        grid, index, xlt_queue(),
        &(xl_grid_build_args){
            .n = 1, .points = xlt_view(&points), .systems = xlt_view(&systems), .cells = cells},
        0, NULL, NULL));
    XLT_OK(xl_nearest_enqueue(plan, index, xlt_queue(),
                              &(xl_nearest_args){.num_queries = 1,
                                                 .queries = xlt_view(&queries),
                                                 .query_systems = xlt_view(&systems),
                                                 .indices = xlt_view(&indices),
                                                 .distances2 = xlt_view(&far)},
                              0, NULL, NULL));
    xlt_read(&indices, near);
    xlt_read(&far, distances2);
    assert_true(near[0] == 0 && near[1] == 0);
    assert_true(distances2[0] == 8100 && distances2[1] == 8101);
    xl_plan_destroy(plan);
    xl_grid_index_destroy(index);
    xl_plan_destroy(grid);
    xlt_buffer_free(&points);
    xlt_buffer_free(&queries);
    xlt_buffer_free(&systems);
    xlt_buffer_free(&indices);
    xlt_buffer_free(&far);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)
