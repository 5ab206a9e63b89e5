/* SPDX-License-Identifier: MIT
 * The nearest points, beyond cases: rows that are given up, images without end, the part of the
 * nearest that an approximate search finds, and descriptors of double precision. */
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

/* Rows of the points, or of `queries` that are given. */
static void search(const built *b, const xl_nearest_desc *desc, const cloud *queries,
                   uint32_t *indices, float *distances2)
{
    xl_plan *plan;
    const size_t n = queries ? queries->n : b->cloud->n;
    xlt_buffer around = {0}, near = xlt_buffer_make(NULL, n * desc->k, 4, 3),
               far = xlt_buffer_make(NULL, n * desc->k, 4, 1);
    if (queries)
        around = cloud_buffer(queries, 3, 5);
    XLT_OK(xl_nearest_create(b->grid, desc, &plan));
    XLT_OK(xl_nearest_enqueue(plan, b->index, xlt_queue(),
                              &(xl_nearest_args){.num_queries = queries ? n : 0,
                                                 .queries = xlt_view(&around),
                                                 .indices = xlt_view(&near),
                                                 .distances2 = xlt_view(&far)},
                              0, NULL, NULL));
    xlt_read(&near, indices);
    xlt_read(&far, distances2);
    xlt_check_guards(&near, "indices");
    xlt_check_guards(&far, "distances2");
    xlt_buffer_free(&near);
    xlt_buffer_free(&far);
    xlt_buffer_free(&around);
    xl_plan_destroy(plan);
}

/* All points are candidates of each query. */
static void too_many_points(void **state)
{
    (void)state;
    if (xlt_on_oclgrind())
        skip();
    enum { K = 8, QUERIES = 5 };
    uint32_t got[QUERIES * K], indices[K];
    float far[QUERIES * K], distances2[K];
    cloud c = cloud_uniform(xlt_small() ? 9000 : 12000, 0.0f, 1.0f, 71);
    cloud queries = cloud_uniform(QUERIES, 0.0f, 1.0f, 72);
    xl_grid_desc grid = grid_desc_of(&c, 10.0f);
    xl_neighbors_desc unused = search_desc_of(1);
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = K;
    desc.queries = XL_QUERIES_GIVEN;
    tune_as(TUNED_TABLE, &grid, &unused);
    built b = build_grid(&c, &grid);
    search(&b, &desc, &queries, got, far);
    const ref_nearest_search wanted = {.points = c.xyz,
                                       .n = c.n,
                                       .stride = 3,
                                       .dimensions = 3,
                                       .queries = queries.xyz,
                                       .query_stride = 3,
                                       .k = K};
    for (size_t row = 0; row < QUERIES; ++row) {
        ref_nearest(&wanted, row, indices, distances2);
        for (size_t j = 0, at = row * K; j < K; ++j, ++at)
            assert_true(got[at] == indices[j] && far[at] == distances2[j]);
    }
    built_free(&b);
    cloud_free(&c);
    cloud_free(&queries);
}

/* One point has as many neighbours as it has images: two at each whole number. */
static void images_without_end(void **state)
{
    (void)state;
    enum { K = 17 };
    uint32_t indices[K];
    float distances2[K];
    cloud one = cloud_make(1, 3);
    cloud_set(&one, 0, 0.25f, 0.5f, 0.125f);
    xl_grid_desc grid = grid_desc_of(&one, 0.4f);
    xl_nearest_desc desc;
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = 7;
    grid.space.cell[0][0] = 1;
    grid.space.cell[1][1] = grid.space.cell[2][2] = 20;
    xl_nearest_desc_init(&desc);
    desc.k = K;
    built b = build_grid(&one, &grid);
    search(&b, &desc, NULL, indices, distances2);
    for (size_t j = 0; j < K; ++j) {
        const float far = (float)(j / 2 + 1);
        assert_true(indices[j] == 0 && distances2[j] == far * far);
    }
    built_free(&b);
    cloud_free(&one);
}

/* A group searches for one query. */
static void many_neighbors(void **state)
{
    (void)state;
    enum { K = 100, QUERIES = 3 };
    uint32_t got[QUERIES * K], indices[K];
    float far[QUERIES * K], distances2[K];
    cloud c = cloud_uniform(500, 0.0f, 1.0f, 73), queries = cloud_uniform(QUERIES, 0.0f, 1.0f, 74);
    const xl_grid_desc grid = grid_desc_of(&c, 0.3f);
    const xl_tunable tunables[] = {{"nearest.together", 8}, {"nearest.items", 2}};
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = K;
    desc.queries = XL_QUERIES_GIVEN;
    desc.tunables = tunables;
    desc.num_tunables = 2;
    built b = build_grid(&c, &grid);
    search(&b, &desc, &queries, got, far);
    const ref_nearest_search wanted = {.points = c.xyz,
                                       .n = c.n,
                                       .stride = 3,
                                       .dimensions = 3,
                                       .queries = queries.xyz,
                                       .query_stride = 3,
                                       .k = K};
    for (size_t row = 0; row < QUERIES; ++row) {
        ref_nearest(&wanted, row, indices, distances2);
        assert_memory_equal(indices, got + row * K, sizeof indices);
        assert_memory_equal(distances2, far + row * K, sizeof distances2);
    }
    built_free(&b);
    cloud_free(&c);
    cloud_free(&queries);
}

/* The images of the middle of a unit cube are the points of a lattice. */
static void many_images(void **state)
{
    (void)state;
    if (xlt_on_oclgrind())
        skip();
    enum { K = 1024, WAY = 8 };
    static uint32_t indices[K];
    static float distances2[K];
    size_t places[WAY * WAY + 1] = {0}, j = 0;
    cloud one = cloud_make(1, 3);
    cloud_set(&one, 0, 0.5f, 0.5f, 0.5f);
    xl_grid_desc grid = grid_desc_of(&one, 0.4f);
    xl_nearest_desc desc;
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = 7;
    grid.space.cell[0][0] = grid.space.cell[1][1] = grid.space.cell[2][2] = 1;
    xl_nearest_desc_init(&desc);
    desc.k = K;
    built b = build_grid(&one, &grid);
    search(&b, &desc, NULL, indices, distances2);
    for (int x = -WAY; x <= WAY; ++x)
        for (int y = -WAY; y <= WAY; ++y)
            for (int z = -WAY; z <= WAY; ++z)
                if (x * x + y * y + z * z <= WAY * WAY)
                    ++places[x * x + y * y + z * z];
    for (int distance2 = 1; distance2 <= WAY * WAY; ++distance2)
        for (size_t i = 0; i < places[distance2] && j < K; ++i, ++j)
            assert_true(indices[j] == 0 && distances2[j] == (float)distance2);
    assert_int_equal(j, K);
    built_free(&b);
    cloud_free(&one);
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
static void how_many_are_right(void **state)
{
    (void)state;
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

static void refused_in_double_precision(void **state)
{
    (void)state;
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
static void farthest_in_own_cell(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_points),      cmocka_unit_test(images_without_end),
        cmocka_unit_test(many_neighbors),       cmocka_unit_test(many_images),
        cmocka_unit_test(how_many_are_right),   cmocka_unit_test(refused_in_double_precision),
        cmocka_unit_test(farthest_in_own_cell),
    };
    return XLT_RUN_WITH_GRIDS(tests, NULL, xlt_teardown);
}
