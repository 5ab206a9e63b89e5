/* SPDX-License-Identifier: MIT
 * The grid: order of its points, what it says of itself, what it refuses. */
#include "grid_support.h"

#include "grid/grid_plan.h"
#include "xlt_misuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fail_unless_permutation(const uint32_t *order, size_t n)
{
    unsigned char *seen = calloc(n + 1, 1);
    assert_non_null(seen);
    for (size_t k = 0; k < n; ++k) {
        if (order[k] >= n || seen[order[k]])
            XLT_FAIL("order[%zu] is %u: %s", k, order[k], order[k] >= n ? "too large" : "twice");
        seen[order[k]] = 1;
    }
    free(seen);
}

/* Tables of cells as thin along x as that; rows in buckets of few points, which several groups
 * list. */
enum { THIN = 3 };
static const xl_tunable in_table[] = {{"grid.table", 64},
                                      {"grid.thin", THIN},
                                      {"grid.sampled", 1 << 20},
                                      {"grid.bucket", 16},
                                      {"grid.bounds_groups", 5}};
static const xl_tunable in_rows[] = {{"grid.table", 0}};

/* The dense cell of a point by the same float operations as the device's. */
static uint64_t dense_cell(const xl_grid_report *r, const float *p, float inverse)
{
    uint64_t at[3];
    for (size_t a = 0; a < 3; ++a) {
        float number = floorf((p[a] - r->lower[a]) * (a == 0 ? inverse * THIN : inverse));
        at[a] = (uint64_t)number;
        assert_true(at[a] < r->cells[a]);
    }
    return (at[2] * r->cells[1] + at[1]) * r->cells[0] + at[0];
}

static void fail_unless_by_cell_then_index(const built *b, const uint32_t *order, float cell_size)
{
    xl_grid_report r = report_of(b);
    assert_false(r.sparse);
    uint64_t last = 0;
    for (size_t k = 0; k < b->cloud->n; ++k) {
        uint64_t cell =
            dense_cell(&r, b->cloud->xyz + order[k] * b->cloud->stride, 1.0f / cell_size);
        if (k > 0 && (cell < last || (cell == last && order[k] < order[k - 1])))
            XLT_FAIL("slot %zu: point %u of cell %llu after point %u of cell %llu", k, order[k],
                     (unsigned long long)cell, order[k - 1], (unsigned long long)last);
        last = cell;
    }
}

/* Of listed rows those of one y and z are in one row for certain. */
static void fail_unless_by_x_then_index(const built *b, const uint32_t *order)
{
    for (size_t k = 1; k < b->cloud->n; ++k) {
        const float *p = b->cloud->xyz + order[k - 1] * b->cloud->stride;
        const float *q = b->cloud->xyz + order[k] * b->cloud->stride;
        if (p[1] == q[1] && p[2] == q[2] &&
            (p[0] > q[0] || (p[0] == q[0] && order[k - 1] > order[k])))
            XLT_FAIL("slot %zu: point %u after point %u", k, order[k], order[k - 1]);
    }
}

static void orders_equal(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t k = 0; k < n; ++k)
        if (a[k] != b[k])
            XLT_FAIL("slot %zu: point %u by counting, %u by sorting", k, a[k], b[k]);
}

/* Both algorithms, twice each: one order. */
static void check_orders(const cloud *c, float cell_size)
{
    xl_grid_desc desc = grid_desc_of(c, cell_size);
    uint32_t *orders[4];
    desc.tunables = in_table;
    desc.num_tunables = sizeof in_table / sizeof *in_table;
    for (size_t k = 0; k < 4; ++k) {
        desc.algorithm = k % 2 == 0 ? XL_GRID_COUNTING : XL_GRID_BITONIC;
        built b = build_grid(c, &desc);
        orders[k] = order_of(&b);
        fail_unless_permutation(orders[k], c->n);
        if (k == 0 && !report_of(&b).sparse)
            fail_unless_by_cell_then_index(&b, orders[k], cell_size);
        if (k == 0 && report_of(&b).sparse)
            fail_unless_by_x_then_index(&b, orders[k]);
        built_free(&b);
    }
    for (size_t k = 1; k < 4; ++k)
        orders_equal(orders[0], orders[k], c->n);
    for (size_t k = 0; k < 4; ++k)
        free(orders[k]);
}

/* The coordinates of each axis in an array of their own, which begins somewhere in its buffer. */
static void split_axes(const cloud *c, size_t dimensions, xlt_buffer axes[3])
{
    float *one = calloc(c->n, sizeof *one);
    assert_non_null(one);
    for (size_t a = 0; a < dimensions; ++a) {
        for (size_t i = 0; i < c->n; ++i)
            one[i] = c->xyz[i * c->stride + a];
        axes[a] = xlt_buffer_make(one, c->n, sizeof *one, 1 + 2 * a);
    }
    free(one);
}

/* How many points are not where the index has them. */
static uint32_t moved_of(const built *b, const xlt_buffer axes[3])
{
    uint32_t moved = 1;
    xlt_buffer at = xlt_buffer_make(&moved, 1, sizeof moved, 0);
    XLT_OK(xl_grid_moved_enqueue(b->grid, b->index, xlt_queue(),
                                 &(xl_grid_moved_args){.points = xlt_view(&axes[0]),
                                                       .points_y = xlt_view(&axes[1]),
                                                       .points_z = xlt_view(&axes[2]),
                                                       .moved = xlt_view(&at)},
                                 0, NULL, NULL));
    xlt_read(&at, &moved);
    xlt_buffer_free(&at);
    return moved;
}

/* Of the same points, of which each axis is by itself, the same order and as many pairs. */
static void check_layouts(const cloud *c, uint32_t algorithm, float radius)
{
    const size_t dimensions = c->dimensions ? c->dimensions : 3;
    xlt_buffer axes[3] = {{0}};
    xl_grid_desc desc = grid_desc_of(c, 0.1f);
    const xl_neighbors_desc search = search_desc_of(radius);
    desc.algorithm = algorithm;
    built aos = build_grid(c, &desc), soa = aos;
    uint32_t *wanted = order_of(&aos), *got;
    split_axes(c, dimensions, axes);
    desc.layout = XL_POINTS_SOA;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &soa.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &soa.index));
    XLT_OK(xl_grid_build_enqueue(soa.grid, soa.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c->n,
                                                       .points = xlt_view(&axes[0]),
                                                       .points_y = xlt_view(&axes[1]),
                                                       .points_z = xlt_view(&axes[2])},
                                 0, NULL, NULL));
    got = order_of(&soa);
    for (size_t k = 0; k < c->n; ++k)
        if (got[k] != wanted[k])
            XLT_FAIL("%zu dimensions, algorithm %u, slot %zu: point %u, not %u", dimensions,
                     (unsigned)algorithm, k, got[k], wanted[k]);
    assert_int_equal(pairs_of(&soa, &search), pairs_of(&aos, &search));
    assert_int_equal(moved_of(&soa, axes), 0);
    const xlt_buffer swapped[3] = {axes[dimensions - 1], axes[dimensions > 1 ? 0 : 1], axes[2]};
    if (dimensions == 2)
        assert_int_equal(moved_of(&soa, swapped), c->n);
    xl_grid_index_destroy(soa.index);
    xl_grid_destroy(soa.grid);
    for (size_t a = 0; a < dimensions; ++a)
        xlt_buffer_free(&axes[a]);
    built_free(&aos);
    free(wanted);
    free(got);
}

static void layouts_give_one_order(void **state)
{
    (void)state;
    for (size_t dimensions = 1; dimensions < 4; ++dimensions) {
        cloud from = cloud_uniform(xlt_small() ? 120 : 3000, 0.0f, 1.0f, 97);
        cloud c = cloud_make(from.n, 5);
        c.dimensions = dimensions;
        for (size_t i = 0; i < c.n; ++i)
            memcpy(c.xyz + 5 * i, from.xyz + 3 * i, dimensions * sizeof(float));
        check_layouts(&c, XL_GRID_COUNTING, 0.1f);
        check_layouts(&c, XL_GRID_BITONIC, 0.1f);
        c.xyz[5 * 7] = 1e6f; /* so that rows are listed */
        if (!xlt_few_programs() || dimensions == 3)
            check_layouts(&c, XL_GRID_COUNTING, 0.1f);
        cloud_free(&from);
        cloud_free(&c);
    }
}

static void both_algorithms_give_one_order(void **state)
{
    (void)state;
    size_t n = xlt_small() ? 300 : 6000;
    const float cells[] = {0.5f, 0.11f, 0.02f, 3.0f};
    cloud c = cloud_uniform(n, -0.5f, 1.0f, 7);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k)
        check_orders(&c, cells[k]);
    cloud_free(&c);
    for (size_t small = 1; small < 70; small += 17) {
        c = cloud_uniform(small, 3.0f, 1.0f, small);
        check_orders(&c, 0.2f);
        cloud_free(&c);
    }
}

/* One cell holds all, or most, of the points. */
static void overfull_cells_are_in_order(void **state)
{
    (void)state;
    size_t n = xlt_small() ? 400 : 100000;
    (void)xlt_context();
    if (ends_long_loops() && n > 30000) {
        /* Mesa 22.3 crashes in the work-group's sort of more than 2^15 indices. */
        n = 30000;
        print_message("only %zu points: a limit of %s\n", n, xlt_device());
    }
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 3);
    check_orders(&c, 2.0f);
    for (size_t i = 0; i < n; ++i)
        if (i % 3 != 0)
            cloud_set(&c, i, 0.1f, 0.2f, 0.3f);
    check_orders(&c, 0.25f);
    cloud_free(&c);
}

static void report_tells_the_box(void **state)
{
    (void)state;
    cloud c = cloud_make(3, 3);
    cloud_set(&c, 0, -1, 2, 5);
    cloud_set(&c, 1, 3, -2, 5);
    cloud_set(&c, 2, 0, 0, 5);
    xl_grid_desc desc = grid_desc_of(&c, 1.0f);
    desc.tunables = in_table;
    desc.num_tunables = sizeof in_table / sizeof *in_table;
    built b = build_grid(&c, &desc);
    xl_grid_report r = report_of(&b);
    assert_int_equal(r.points, 3);
    assert_int_equal(r.non_finite, 0);
    assert_true(r.first_non_finite == UINT64_MAX && r.first_out_of_domain == UINT64_MAX);
    assert_true(r.lower[0] == -1 && r.lower[1] == -2 && r.lower[2] == 5);
    assert_true(r.upper[0] == 3 && r.upper[1] == 2 && r.upper[2] == 5);
    assert_int_equal(r.cells[0], 4 * THIN + 1);
    assert_int_equal(r.cells[1], 5);
    assert_int_equal(r.cells[2], 1);
    assert_int_equal(r.sparse, 0);
    built_free(&b);
    desc.tunables = in_rows;
    desc.num_tunables = 1;
    b = build_grid(&c, &desc);
    r = report_of(&b);
    assert_true(r.sparse == 1 && r.cells[0] == 0 && r.table_cells == 3);
    assert_true(r.lower[1] == -2 && r.upper[0] == 3);
    built_free(&b);
    cloud_free(&c);
}

/* Of points in the unit cube, and one that is in a row of its own. */
static uint32_t rows_of(const cloud *c, float cell_size)
{
    const float inverse = 1.0f / cell_size;
    unsigned char seen[32][32] = {{0}};
    uint32_t rows = 1;
    for (size_t i = 0; i < c->n; ++i) {
        const float y = floorf(c->xyz[3 * i + 1] * inverse),
                    z = floorf(c->xyz[3 * i + 2] * inverse);
        if (y < 0 || z < 0 || y > 31 || z > 31)
            continue;
        rows += seen[(int)z][(int)y] ? 0 : 1;
        seen[(int)z][(int)y] = 1;
    }
    return rows;
}

static void check_rows(const cloud *c, const xl_grid_desc *desc)
{
    built b = build_grid(c, desc);
    xl_grid_report r = report_of(&b);
    assert_int_equal(r.sparse, 1);
    assert_int_equal(r.cells[0] + r.cells[1] + r.cells[2], 0);
    assert_int_equal(r.table_cells, rows_of(c, desc->cell_size));
    built_free(&b);
}

/* Rows of few points, and one that goes on through many buckets. */
static void far_outlier_is_one_more_row(void **state)
{
    (void)state;
    const float far[] = {1000.0f, 1e30f, -3e38f}, cells[] = {0.1f, 1.0f};
    cloud c = cloud_uniform(200, 0.0f, 1.0f, 5);
    for (size_t k = 0; k < 3; ++k)
        for (size_t of = 0; of < 2; ++of) {
            cloud_set(&c, 17, far[k], -far[k], far[k]);
            xl_grid_desc desc = grid_desc_of(&c, cells[of]);
            check_rows(&c, &desc);
            desc.tunables = in_table;
            desc.num_tunables = sizeof in_table / sizeof *in_table;
            check_rows(&c, &desc);
            check_orders(&c, cells[of]);
        }
    cloud_free(&c);
}

enum { REORDERED = 1500, MOST_WORDS = 8 }; /* more than a work-group takes */

/* Into the order of the index, or back from it. */
static void reorder(const built *b, size_t words, uint32_t back, const uint32_t *in, uint32_t *out)
{
    xlt_buffer from = xlt_buffer_make(in, REORDERED, words * 4, 3);
    xlt_buffer to = xlt_buffer_make(NULL, REORDERED, words * 4, 1);
    XLT_OK(xl_grid_reorder_enqueue(
        b->grid, b->index, xlt_queue(),
        &(xl_grid_reorder_args){
            .element_bytes = words * 4, .in = xlt_view(&from), .out = xlt_view(&to), .back = back},
        0, NULL, NULL));
    xlt_read(&to, out);
    xlt_check_guards(&to, "out");
    xlt_check_guards(&from, "in");
    xlt_buffer_free(&from);
    xlt_buffer_free(&to);
}

static void reorder_takes_any_multiple_of_four_bytes(void **state)
{
    (void)state;
    static uint32_t in[REORDERED * MOST_WORDS], out[REORDERED * MOST_WORDS],
        back[REORDERED * MOST_WORDS];
    for (uint32_t i = 0; i < REORDERED * MOST_WORDS; ++i)
        in[i] = i * 2654435761u;
    cloud c = cloud_uniform(REORDERED, 0.0f, 1.0f, 11);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    built b = build_grid(&c, &desc);
    uint32_t *order = order_of(&b);
    for (size_t words = 1; words <= MOST_WORDS; words += xlt_small() ? 4 : 1) {
        reorder(&b, words, 0, in, out);
        for (size_t k = 0; k < REORDERED; ++k)
            assert_memory_equal(out + k * words, in + order[k] * words, words * 4);
        reorder(&b, words, 1, out, back);
        assert_memory_equal(back, in, REORDERED * words * 4);
        reorder(&b, words, 7, in, out);
        for (size_t k = 0; k < REORDERED; ++k)
            assert_memory_equal(out + order[k] * words, in + k * words, words * 4);
    }
    free(order);
    built_free(&b);
    cloud_free(&c);
}

static void check_non_finite(float bad, size_t at, size_t axis)
{
    xl_grid_report r;
    cloud c = cloud_uniform(500, 0.0f, 1.0f, 9);
    c.xyz[3 * at + axis] = bad;
    c.xyz[3 * 490] = bad;
    for (int algorithm = XL_GRID_COUNTING; algorithm <= XL_GRID_BITONIC; ++algorithm) {
        xl_grid_desc desc = grid_desc_of(&c, 0.1f);
        desc.algorithm = (xl_grid_algorithm)algorithm;
        built b = build_grid(&c, &desc);
        XLT_FAILS(xl_grid_index_status(b.index, xlt_queue(), &r, 0, NULL), XL_ERROR_NON_FINITE);
        assert_int_equal(r.non_finite, at == 490 ? 1 : 2);
        assert_int_equal(r.first_non_finite, at);
        assert_non_null(strstr(xl_context_error(xlt_context()), "index"));
        uint32_t *order = order_of(&b);
        fail_unless_permutation(order, c.n);
        free(order);
        built_free(&b);
    }
    cloud_free(&c);
}

static void non_finite_points_are_told(void **state)
{
    (void)state;
    check_non_finite(NAN, 0, 0);
    check_non_finite(NAN, 77, 1);
    check_non_finite(INFINITY, 313, 2);
    check_non_finite(-INFINITY, 490, 0);
}

static void nothing_but_nan(void **state)
{
    (void)state;
    xl_grid_report r;
    cloud c = cloud_make(10, 3);
    xl_grid_desc desc = grid_desc_of(&c, 0.1f);
    built b = build_grid(&c, &desc);
    XLT_FAILS(xl_grid_index_status(b.index, xlt_queue(), &r, 0, NULL), XL_ERROR_NON_FINITE);
    assert_int_equal(r.non_finite, 10);
    built_free(&b);
    cloud_free(&c);
}

static xl_grid_desc unit_box(const cloud *c)
{
    xl_grid_desc desc = grid_desc_of(c, 0.25f);
    desc.bounded = 1;
    for (size_t a = 0; a < 3; ++a)
        desc.upper[a] = 1.0f;
    desc.tunables = in_table;
    desc.num_tunables = sizeof in_table / sizeof *in_table;
    return desc;
}

static void given_box_is_heeded(void **state)
{
    (void)state;
    xl_grid_report r;
    cloud c = cloud_uniform(200, 0.0f, 1.0f, 13);
    cloud_set(&c, 50, 1, 1, 1);
    cloud_set(&c, 60, 0, 0, 1);
    xl_grid_desc desc = unit_box(&c);
    built b = build_grid(&c, &desc);
    r = report_of(&b);
    assert_int_equal(r.out_of_domain, 0);
    assert_true(r.lower[0] == 0 && r.upper[2] == 1);
    assert_int_equal(r.cells[0], 4 * THIN + 1); /* a point on the upper face begins a cell */
    assert_int_equal(r.cells[1], 5);
    assert_int_equal(r.table_cells, 25 * (4 * THIN + 1));
    built_free(&b);
    cloud_set(&c, 120, 0.5f, nextafterf(1.0f, 2.0f), 0.5f);
    cloud_set(&c, 99, 0.5f, 0.5f, -0.001f);
    b = build_grid(&c, &desc);
    XLT_FAILS(xl_grid_index_status(b.index, xlt_queue(), &r, 0, NULL), XL_ERROR_OUT_OF_DOMAIN);
    assert_int_equal(r.out_of_domain, 2);
    assert_int_equal(r.first_out_of_domain, 99);
    assert_non_null(strstr(xl_context_error(xlt_context()), "index 99"));
    built_free(&b);
    cloud_free(&c);
}

/* A box of far more cells than points has no table. */
static void wide_box_has_its_rows_listed(void **state)
{
    (void)state;
    cloud c = cloud_uniform(100, 0.0f, 1.0f, 15);
    xl_grid_desc desc = unit_box(&c);
    desc.cell_size = 1e-4f;
    built b = build_grid(&c, &desc);
    xl_grid_report r = report_of(&b);
    assert_int_equal(r.sparse, 1);
    assert_true(r.table_cells <= 100);
    built_free(&b);
    cloud_free(&c);
}

/* How many buckets a build of these points has if so many may be known to be listed. */
static size_t buckets_of(const cloud *c, bool bounded, cl_ulong alone, uint32_t **order)
{
    const xl_tunable tunables[] = {{"grid.table", 4},
                                   {"grid.sampled", 1 << 20},
                                   {"grid.sampled_alone", alone},
                                   {"grid.bucket", 16}};
    xl_grid_desc desc = unit_box(c);
    desc.cell_size = 1e-4f;
    desc.bounded = bounded;
    desc.algorithm = XL_GRID_COUNTING;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof *tunables;
    built b = build_grid(c, &desc);
    const size_t buckets = b.grid->sorts ? SIZE_MAX : b.index->layout.buckets;
    *order = order_of(&b);
    built_free(&b);
    return buckets;
}

/* Of n points known to have listed rows grid.sampled_alone says whether they are sampled, of others
 * grid.sampled does. */
static void rows_known_to_be_listed_are_sampled_less(void **state)
{
    (void)state;
    enum { N = 100 };
    cloud c = cloud_uniform(N, 0.0f, 1.0f, 16);
    uint32_t *orders[4];
    size_t buckets[4];
    for (size_t k = 0; k < 4; ++k)
        buckets[k] = buckets_of(&c, k < 2, k % 2 ? N : N - 1, &orders[k]);
    for (size_t k = 0; k < 4; ++k) {
        if (buckets[k] != SIZE_MAX) /* where loops are ended all are sorted */
            assert_int_equal(buckets[k], k == 0 ? 0 : N / 16);
        orders_equal(orders[k], orders[0], N);
    }
    for (size_t k = 0; k < 4; ++k)
        free(orders[k]);
    cloud_free(&c);
}

static void no_points_at_all(void **state)
{
    (void)state;
    cl_event event = NULL;
    xl_grid_report r;
    cloud c = cloud_make(0, 3);
    for (int algorithm = XL_GRID_COUNTING; algorithm <= XL_GRID_BITONIC; ++algorithm) {
        xl_grid_desc desc = grid_desc_of(&c, 0.1f);
        desc.algorithm = (xl_grid_algorithm)algorithm;
        built b = build_grid(&c, &desc);
        r = report_of(&b);
        assert_int_equal(r.points, 0);
        XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(), &(xl_grid_build_args){.n = 0}, 0,
                                     NULL, &event));
        XLT_CL(clWaitForEvents(1, &event));
        XLT_CL(clReleaseEvent(event));
        built_free(&b);
    }
    cloud_free(&c);
}

static cl_uint references(cl_mem mem)
{
    cl_uint count = 0;
    XLT_CL(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

/* The caller may let go of the storage while the grid lives in it. Some runtimes count the
 * arguments of kernels as well: there it is only seen that the count is not too small. */
static void storage_is_kept_as_long_as_needed(void **state)
{
    (void)state;
    cloud c = cloud_uniform(100, 0.0f, 1.0f, 25);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    built b = build_grid(&c, &desc);
    XLT_CL(clFinish(xlt_queue()));
    const cl_uint count = references(b.storage.mem);
    assert_true(count >= 2);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c.n,
                                                       .points = xlt_view(&b.points),
                                                       .storage = xlt_view(&b.storage)},
                                 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    assert_true(count > 2 || references(b.storage.mem) == 2);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c.n, .points = xlt_view(&b.points)}, 0,
                                 NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    assert_true(count > 2 || references(b.storage.mem) == 1);
    built_free(&b);
    cloud_free(&c);
}

/* Plan-owned storage, growing and shrinking n. */
static void builds_replace_each_other(void **state)
{
    (void)state;
    const size_t sizes[] = {100, 3000, 10, 500};
    xl_grid *grid;
    xl_grid_index *index;
    cloud c = cloud_uniform(3000, -1.0f, 2.0f, 21);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    xlt_buffer points = xlt_buffer_make(c.xyz, c.n * 3, sizeof(float), 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        cloud part = {.xyz = c.xyz, .n = sizes[k], .stride = 3};
        built b = {.grid = grid, .index = index, .cloud = &part};
        XLT_OK(xl_grid_build_enqueue(
            grid, index, xlt_queue(),
            &(xl_grid_build_args){.n = sizes[k], .points = xlt_view(&points)}, 0, NULL, NULL));
        assert_int_equal(report_of(&b).points, sizes[k]);
        uint32_t *order = order_of(&b);
        fail_unless_permutation(order, sizes[k]);
        free(order);
    }
    xlt_buffer_free(&points);
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    cloud_free(&c);
}

static void scratch_grows_with_n(void **state)
{
    (void)state;
    cloud c = cloud_make(0, 3);
    for (uint32_t bounded = 0; bounded < 2; ++bounded) {
        size_t last = 0;
        xl_grid *grid;
        xl_grid_desc desc = unit_box(&c);
        desc.bounded = bounded;
        desc.cell_size = 0.01f;
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        for (size_t n = 0; n < 1 << 22; n = n * 5 / 4 + 1) {
            size_t bytes, alignment;
            XLT_OK(xl_grid_scratch(grid, n, &bytes, &alignment));
            if (bytes < last)
                XLT_FAIL("scratch of %zu points is %zu, less than for fewer: %zu", n, bytes, last);
            last = bytes;
        }
        xl_grid_destroy(grid);
    }
    cloud_free(&c);
}

static void refuse_desc(xl_status wanted, const char *word, const xl_grid_desc *desc)
{
    xl_grid *grid = (xl_grid *)&wanted;
    XLT_FAILS(xl_grid_create(xlt_context(), desc, &grid), wanted);
    assert_null(grid);
    if (!strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("\"%s\" is not in: %s", word, xl_context_error(xlt_context()));
}

/* What xl_grid_scratch() promises, with the values of any device's table. */
static void memory_is_as_promised(void **state)
{
    (void)state;
    static const xl_tunable gpu[] = {{"grid.table", 4}, {"grid.sampled", 1 << 20}};
    static const xl_tunable cpu[] = {{"grid.table", 0}, {"grid.sampled", 0}};
    const struct {
        xl_grid_algorithm algorithm;
        const xl_tunable *tunables;
        size_t bytes, most_n;
        uint32_t scalar;
    } kinds[] = {
        {XL_GRID_COUNTING, gpu, 37, 1 << 20, XL_F32}, {XL_GRID_COUNTING, gpu, 40, SIZE_MAX, XL_F32},
        {XL_GRID_BITONIC, gpu, 40, SIZE_MAX, XL_F32}, {XL_GRID_AUTO, cpu, 40, SIZE_MAX, XL_F32},
        {XL_GRID_COUNTING, gpu, 61, 1 << 20, XL_F64}, {XL_GRID_AUTO, cpu, 64, SIZE_MAX, XL_F64}};
    cloud c = cloud_make(0, 3);
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        xl_grid *grid;
        xl_grid_desc desc = grid_desc_of(&c, 0.01f);
        desc.algorithm = kinds[k].algorithm;
        desc.tunables = kinds[k].tunables;
        desc.num_tunables = 2;
        desc.scalar = kinds[k].scalar;
        if (desc.scalar == XL_F64 && !info.has_fp64)
            continue;
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        for (size_t n = 1; n < 1 << 27; n = n * 5 / 4 + 1) {
            size_t bytes, alignment;
            XLT_OK(xl_grid_scratch(grid, n, &bytes, &alignment));
            const size_t sorted = desc.scalar == XL_F64 ? 64 : 40;
            const size_t each = grid->sorts ? sorted : kinds[k].bytes; /* see xl_grid_create() */
            if (n <= kinds[k].most_n && bytes > each * n + (64 << 10) + n / 1000 * each)
                XLT_FAIL("kind %zu: an index of %zu points takes %zu bytes, more than %zu each", k,
                         n, bytes, each);
        }
        xl_grid_destroy(grid);
    }
    cloud_free(&c);
}

static void bad_descriptors_are_refused(void **state)
{
    (void)state;
    const float sizes[] = {0, -1, NAN, INFINITY};
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cloud c = cloud_make(0, 3);
    xl_grid_desc good = unit_box(&c), desc = good;
    for (size_t k = 0; k < 4; ++k) {
        desc.cell_size = sizes[k];
        refuse_desc(bad, "cell_size", &desc);
    }
    desc = good, desc.stride = 2;
    refuse_desc(bad, "stride", &desc);
    desc.dimensions = 1, desc.stride = 0;
    refuse_desc(bad, "stride", &desc);
    desc = good, desc.dimensions = 4;
    refuse_desc(XL_ERROR_UNSUPPORTED, "dimensions", &desc);
    desc.dimensions = 0;
    refuse_desc(XL_ERROR_UNSUPPORTED, "dimensions", &desc);
    desc = good, desc.scalar = XL_F16;
    refuse_desc(XL_ERROR_UNSUPPORTED, "scalar", &desc);
    desc = good, desc.layout = 2;
    refuse_desc(bad, "desc.layout: 2", &desc);
    desc = good, desc.reserved = 1;
    refuse_desc(bad, "desc.reserved: 1", &desc);
    desc = good, desc.algorithm = (xl_grid_algorithm)7;
    refuse_desc(bad, "algorithm", &desc);
    desc = good, desc.upper[1] = -1;
    refuse_desc(bad, "upper[1]", &desc);
    desc = good, desc.lower[2] = NAN;
    refuse_desc(bad, "lower[2]", &desc);
    desc = good, desc.struct_size = 0;
    refuse_desc(bad, "struct_size", &desc);
    refuse_desc(bad, "desc", NULL);
    XLT_FAILS(xl_grid_create(xlt_context(), &good, NULL), bad);
    assert_int_equal(xl_grid_create(NULL, &good, (xl_grid **)&desc), bad);
    cloud_free(&c);
}

/* Arrays of axes that are missing, too short, in the storage, or not asked for. */
static void bad_axes_are_refused(void **state)
{
    (void)state;
    enum { N = 40 };
    float zeros[N] = {0};
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cloud c = cloud_make(N, 2);
    c.dimensions = 2;
    xl_grid *grids[2];
    xl_grid_index *index;
    xlt_buffer x = xlt_buffer_make(zeros, N, 4, 0), y = xlt_buffer_make(zeros, N, 4, 0);
    xl_grid_desc desc = grid_desc_of(&c, 0.3f);
    for (uint32_t layout = 0; layout < 2; ++layout) {
        desc.layout = layout;
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grids[layout]));
    }
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    const xl_grid_build_args good = {.n = N, .points = xlt_view(&x), .points_y = xlt_view(&y)};
    xl_grid_build_args args = good;
    args.points_y = xl_no_view();
    xlt_refused(xlt_context(),
                xl_grid_build_enqueue(grids[1], index, xlt_queue(), &args, 0, NULL, NULL), bad,
                "points_y");
    args = good, args.points_y = xl_view_n(y.mem, xlt_view(&y).offset, N - 1);
    xlt_refused(xlt_context(),
                xl_grid_build_enqueue(grids[1], index, xlt_queue(), &args, 0, NULL, NULL), bad,
                "points_y: 40");
    args = good, args.points_z = xlt_view(&y);
    xlt_refused(xlt_context(),
                xl_grid_build_enqueue(grids[1], index, xlt_queue(), &args, 0, NULL, NULL), bad,
                "points_z: given, but points have fewer dimensions");
    args = good, args.points.count = args.points_y.count = 0, args.n = N / 2;
    xlt_refused(xlt_context(),
                xl_grid_build_enqueue(grids[0], index, xlt_queue(), &args, 0, NULL, NULL), bad,
                "points_y: given, but desc.layout is XL_POINTS_AOS");
    size_t bytes, alignment;
    XLT_OK(xl_grid_scratch(grids[1], N, &bytes, &alignment));
    xlt_buffer storage = xlt_scratch_make(bytes, alignment);
    args = good, args.storage = xlt_view(&storage);
    args.points_y = xl_view_of(storage.mem, args.storage.offset / sizeof(float) + 3);
    xlt_refused(xlt_context(),
                xl_grid_build_enqueue(grids[1], index, xlt_queue(), &args, 0, NULL, NULL),
                XL_ERROR_OVERLAP, "points_y");
    XLT_OK(xl_grid_build_enqueue(grids[1], index, xlt_queue(), &good, 0, NULL, NULL));
    xlt_finish();
    xl_grid_index_destroy(index);
    xl_grid_destroy(grids[0]);
    xl_grid_destroy(grids[1]);
    xlt_buffer_free(&storage);
    xlt_buffer_free(&x);
    xlt_buffer_free(&y);
    cloud_free(&c);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cl_event event = (cl_event)&bad;
    size_t bytes, alignment;
    cl_command_queue q = xlt_queue();
    cloud c = cloud_uniform(100, 0.0f, 1.0f, 1);
    xl_grid_desc desc = grid_desc_of(&c, 0.3f);
    xl_grid *grid;
    xl_grid_index *index;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_OK(xl_grid_scratch(grid, 100, &bytes, &alignment));
    xlt_buffer points = xlt_buffer_make(c.xyz, 300, 4, 0), small = xlt_scratch_make(512, 256);
    xlt_buffer storage = xlt_scratch_make(bytes + 256, alignment);
    xl_view p = xlt_view(&points), s = xlt_view(&storage);
    /* Nothing is built yet. */
    XLT_FAILS(xl_grid_index_status(index, q, NULL, 0, NULL), bad);
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q, &(xl_grid_reorder_args){.element_bytes = 12, .in = p, .out = s},
                  0, NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_build_enqueue(grid, index, q, &(xl_grid_build_args){.n = 100, .storage = s},
                                    0, NULL, &event),
              bad);
    assert_null(event);
    XLT_FAILS(xl_grid_build_enqueue(grid, index, NULL,
                                    &(xl_grid_build_args){.n = 100, .points = p, .storage = s}, 0,
                                    NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_build_enqueue(grid, index, q,
                                    &(xl_grid_build_args){.n = 1000000, .points = p, .storage = s},
                                    0, NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_build_enqueue(
                  grid, index, q, &(xl_grid_build_args){.n = UINT32_MAX, .points = p, .storage = s},
                  0, NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_build_enqueue(
                  grid, index, q,
                  &(xl_grid_build_args){.n = 100, .points = p, .storage = xlt_view(&small)}, 0,
                  NULL, NULL),
              XL_ERROR_SCRATCH_TOO_SMALL);
    XLT_FAILS(xl_grid_build_enqueue(
                  grid, index, q,
                  &(xl_grid_build_args){
                      .n = 100, .points = p, .storage = xl_view_of(s.buffer, s.offset + 4)},
                  0, NULL, NULL),
              XL_ERROR_MISALIGNED);
    XLT_FAILS(xl_grid_build_enqueue(
                  grid, index, q,
                  &(xl_grid_build_args){
                      .n = 100, .points = xl_view_of(s.buffer, s.offset / 4), .storage = s},
                  0, NULL, NULL),
              XL_ERROR_OVERLAP);
    XLT_FAILS(xl_grid_build_enqueue(grid, index, q,
                                    &(xl_grid_build_args){.n = 100, .points = p, .storage = s}, 1,
                                    NULL, NULL),
              bad);
    assert_int_equal(xl_grid_build_enqueue(
                         NULL, index, q, &(xl_grid_build_args){.n = 100, .points = p, .storage = s},
                         0, NULL, NULL),
                     bad);
    XLT_FAILS(xl_grid_scratch(grid, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_grid_scratch(grid, UINT32_MAX, &bytes, &alignment), bad);
    XLT_OK(xl_grid_build_enqueue(
        grid, index, q, &(xl_grid_build_args){.n = 100, .points = p, .storage = s}, 0, NULL, NULL));
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q, &(xl_grid_reorder_args){.element_bytes = 6, .in = p, .out = s}, 0,
                  NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q, &(xl_grid_reorder_args){.element_bytes = 0, .in = p, .out = s}, 0,
                  NULL, NULL),
              bad);
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q, &(xl_grid_reorder_args){.element_bytes = 4, .in = p, .out = p}, 0,
                  NULL, NULL),
              XL_ERROR_OVERLAP);
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q,
                  &(xl_grid_reorder_args){.element_bytes = 4, .in = p, .out = p, .back = 1}, 0,
                  NULL, NULL),
              XL_ERROR_OVERLAP);
    XLT_FAILS(xl_grid_reorder_enqueue(
                  grid, index, q,
                  &(xl_grid_reorder_args){.element_bytes = 4, .in = p, .out = p, .reserved = 9}, 0,
                  NULL, NULL),
              bad);
    assert_non_null(strstr(xl_context_error(xlt_context()), "reserved: 9"));
    XLT_OK(xl_grid_index_status(index, q, NULL, 0, NULL));
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    xl_grid_destroy(NULL);
    xl_grid_desc_init(NULL);
    xlt_check_guards(&storage, "storage");
    xlt_check_guards(&small, "small");
    xlt_buffer_free(&points);
    xlt_buffer_free(&small);
    xlt_buffer_free(&storage);
    cloud_free(&c);
}

/* A chain of events on a queue that keeps no order by itself. */
static void out_of_order_queue(void **state)
{
    (void)state;
    cl_event events[2] = {NULL, NULL};
    uint32_t numbers[400], got[400];
    cl_command_queue queue = xlt_out_of_order_queue();
    cloud c = cloud_uniform(400, 0.0f, 1.0f, 31);
    xl_grid_desc desc = grid_desc_of(&c, 0.2f);
    built b = build_grid(&c, &desc);
    uint32_t *wanted = order_of(&b);
    for (uint32_t i = 0; i < 400; ++i)
        numbers[i] = i;
    xlt_buffer in = xlt_buffer_make(numbers, 400, 4, 0), out = xlt_buffer_make(NULL, 400, 4, 0);
    for (int run = 0; run < 5; ++run) {
        XLT_OK(xl_grid_build_enqueue(b.grid, b.index, queue,
                                     &(xl_grid_build_args){.n = 400, .points = xlt_view(&b.points)},
                                     0, NULL, &events[0]));
        XLT_OK(xl_grid_reorder_enqueue(
            b.grid, b.index, queue,
            &(xl_grid_reorder_args){.element_bytes = 4, .in = xlt_view(&in), .out = xlt_view(&out)},
            1, &events[0], &events[1]));
        XLT_OK(xl_grid_index_status(b.index, queue, NULL, 1, &events[1]));
        xlt_read(&out, got);
        assert_memory_equal(got, wanted, sizeof got);
        XLT_CL(clReleaseEvent(events[0]));
        XLT_CL(clReleaseEvent(events[1]));
    }
    free(wanted);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    built_free(&b);
    cloud_free(&c);
    XLT_CL(clReleaseCommandQueue(queue));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_is_kept_as_long_as_needed),
        cmocka_unit_test(both_algorithms_give_one_order),
        cmocka_unit_test(layouts_give_one_order),
        cmocka_unit_test(overfull_cells_are_in_order),
        cmocka_unit_test(report_tells_the_box),
        cmocka_unit_test(far_outlier_is_one_more_row),
        cmocka_unit_test(reorder_takes_any_multiple_of_four_bytes),
        cmocka_unit_test(non_finite_points_are_told),
        cmocka_unit_test(nothing_but_nan),
        cmocka_unit_test(given_box_is_heeded),
        cmocka_unit_test(wide_box_has_its_rows_listed),
        cmocka_unit_test(rows_known_to_be_listed_are_sampled_less),
        cmocka_unit_test(no_points_at_all),
        cmocka_unit_test(builds_replace_each_other),
        cmocka_unit_test(scratch_grows_with_n),
        cmocka_unit_test(memory_is_as_promised),
        cmocka_unit_test(bad_descriptors_are_refused),
        cmocka_unit_test(bad_axes_are_refused),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(out_of_order_queue),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
