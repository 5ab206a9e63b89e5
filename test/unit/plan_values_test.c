/* SPDX-License-Identifier: MIT
 * Tuning values in descriptors: they come before the file's and the built-in ones, mistakes are
 * named, and plans say what they took. */
#include "grid/grid_plan.h"
#include "runtime.h"
#include "xlt.h"

#include <crosslane/plan.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

/* What a plan of a primitive took, with those values in its descriptor. */
typedef xl_status plan_maker(xl_context *ctx, const xl_tunable *given, uint32_t count,
                             xl_plan_details *info);

static xl_plan *grid_of(xl_context *ctx)
{
    xl_plan *grid;
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    XLT_OK(xl_grid_create(ctx, &desc, &grid));
    return grid;
}

/* Makes a plan, asks it, and ends it. */
#define CREATE_ctx(what) xl_##what##_create(ctx, &desc, &plan)
#define CREATE_grid(what) xl_##what##_create(grid = grid_of(ctx), &desc, &plan)
#define MAKER(what, fields, FROM)                                                                  \
    static xl_status make_##what(xl_context *ctx, const xl_tunable *given, uint32_t count,         \
                                 xl_plan_details *info)                                            \
    {                                                                                              \
        xl_plan *plan, *grid = NULL;                                                               \
        xl_##what##_desc desc;                                                                     \
        *info = (xl_plan_details){0};                                                              \
        xl_##what##_desc_init(&desc);                                                              \
        fields;                                                                                    \
        desc.tunables = given;                                                                     \
        desc.num_tunables = count;                                                                 \
        xl_status status = CREATE_##FROM(what);                                                    \
        if (status == XL_SUCCESS)                                                                  \
            status = xl_plan_info(plan, N, info);                                                  \
        xl_plan_destroy(plan);                                                                     \
        xl_plan_destroy(grid);                                                                     \
        return status;                                                                             \
    }
MAKER(scan, (void)0, ctx)
MAKER(reduce, (void)0, ctx)
MAKER(sort, (void)0, ctx)
MAKER(merge, (void)0, ctx)
MAKER(search, (void)0, ctx)
MAKER(histogram, (void)0, ctx)
MAKER(transform, (void)0, ctx)
MAKER(grid, desc.cell_size = 1, ctx)
MAKER(neighbors, desc.radius = 1, grid)
MAKER(nearest, desc.k = 1, grid)
MAKER(nearest_approximate, desc.k = 1, ctx)

static xl_context *context_with(const char *file)
{
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.tune_file = "plan_values_test.tune";
    assert_true(xli_os_write_file_atomic(desc.tune_file, file, strlen(file)));
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    remove(desc.tune_file);
    return ctx;
}

#define GIVEN(...)                                                                                 \
    (const xl_tunable[]){__VA_ARGS__}, sizeof((xl_tunable[]){__VA_ARGS__}) / sizeof(xl_tunable)

/* Shapes in which a value shows whatever the device. */
static const char in_file[] = "scan.shape = 0\nscan.pipelined = 0\nscan.tile_bytes = 4096\n"
                              "reduce.serial = 0\nreduce.whole_size = 16\n"
                              "sort.shape = 1\nsort.serial_tile_log = 6\n"
                              "grid.group = 8\ngrid.items = 4\n"
                              "neighbors.group = 4\nneighbors.walk = 0\n";

static void a_descriptor_comes_before_the_file(void **state)
{
    (void)state;
    xl_plan_details info;
    xl_context *ctx = context_with(in_file);
    XLT_OK(make_scan(ctx, NULL, 0, &info));
    assert_int_equal(info.tile_elements, 4096 / 4);
    assert_int_equal(info.work_group_size, 1);
    assert_int_equal(info.item_elements, 0);
    assert_int_equal(info.sub_group_size, 0);
    XLT_OK(make_scan(ctx, GIVEN({"scan.tile_bytes", 1024}, {"scan.tile_bytes", 2048}), &info));
    assert_int_equal(info.tile_elements, 2048 / 4); /* the last one */
    XLT_OK(make_reduce(ctx, NULL, 0, &info));
    assert_int_equal(info.work_group_size, 16);
    XLT_OK(make_reduce(ctx, GIVEN({"reduce.whole_size", 8}), &info));
    assert_int_equal(info.work_group_size, 8);
    assert_int_equal(info.tile_elements, 8 * info.item_elements);
    XLT_OK(make_reduce(ctx, GIVEN({"reduce.serial", 1}), &info));
    assert_int_equal(info.work_group_size, 1);
    XLT_OK(make_sort(ctx, NULL, 0, &info));
    assert_int_equal(info.tile_elements, 64);
    XLT_OK(make_sort(ctx, GIVEN({"sort.serial_tile_log", 5}), &info));
    assert_int_equal(info.tile_elements, 32);
    XLT_OK(make_grid(ctx, NULL, 0, &info));
    assert_int_equal(info.tile_elements, 32);
    XLT_OK(make_grid(ctx, GIVEN({"grid.items", 2}), &info));
    assert_int_equal(info.tile_elements, 16);
    assert_int_equal(info.item_elements, 2);
    XLT_OK(make_neighbors(ctx, NULL, 0, &info));
    assert_int_equal(info.work_group_size, 4);
    XLT_OK(make_neighbors(ctx, GIVEN({"neighbors.group", 2}), &info));
    assert_int_equal(info.work_group_size, 2);
    XLT_OK(make_neighbors(ctx, GIVEN({"neighbors.walk", 100}), &info));
    assert_int_equal(info.tile_elements, 100);
    assert_string_equal(info.algorithm, "rows");
    xl_context_destroy(ctx);
}

/* The values of what a plan makes inside reach it, and those that are its own do not. */
static void inner_plans_take_their_own(void **state)
{
    (void)state;
    xl_plan_details info;
    xl_plan *grid;
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.tunables = (const xl_tunable[]){{"scan.shape", 0},         {"grid.items", 3},
                                         {"scan.pipelined", 0},     {"sort.shape", 1},
                                         {"scan.tile_bytes", 8192}, {"sort.serial_tile_log", 5}};
    desc.num_tunables = 6;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_plan_info(xli_grid_of(grid)->rank, N, &info));
    assert_int_equal(info.tile_elements, 8192 / 4);
    assert_int_equal(xli_grid_of(grid)->tune.items, 3);
    xl_plan_destroy(grid);
    desc.algorithm = XL_GRID_BITONIC;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_plan_info(xli_grid_of(grid)->sort, N, &info));
    assert_int_equal(info.tile_elements, 32);
    XLT_OK(xl_plan_info(grid, N, &info));
    assert_string_equal(info.algorithm, "bitonic");
    xl_plan_destroy(grid);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        plan_maker *make;
        xl_tunable given;
        const char *said[2];
    } wrong[] = {
        {make_scan, {"scan.grop_size", 64}, {"unknown name \"scan.grop_size\"", "scan.group_size"}},
        {make_scan, {"", 64}, {"unknown name \"\"", "scan.spin_limit)"}},
        {make_scan, {NULL, 64}, {"tunables[1].name: NULL", ""}},
        {make_scan, {"scan.group_size", 0}, {"scan.group_size = 0", "a number from 1 to 1024"}},
        {make_scan, {"scan.group_size", 1025}, {"tunables[1]", "= 1025"}},
        {make_scan, {"scan.shape", UINT64_C(1) << 32}, {"= 4294967296", "from 0 to 1"}},
        {make_scan,
         {"scan.chunk_elements_csr", UINT64_MAX},
         {"= 18446744073709551615", "not 0 or a number from 1 to"}},
        {make_scan,
         {"sort.serial_tile_log", 5},
         {"another primitive's \"sort.serial_tile_log\"", "scan.shape"}},
        {make_reduce, {"scan.group_size", 8}, {"another primitive's", "reduce.serial"}},
        {make_sort, {"grid.items", 8}, {"another primitive's", "sort.shape"}},
        {make_merge, {"sort.shape", 1}, {"another primitive's", "merge.serial"}},
        {make_search, {"merge.serial", 1}, {"another primitive's", "search.serial"}},
        {make_histogram, {"merge.serial", 1}, {"another primitive's", "histogram.serial"}},
        {make_transform, {"histogram.serial", 1}, {"another primitive's", "transform.serial"}},
        {make_grid, {"reduce.serial", 1}, {"another primitive's", "grid.group"}},
        {make_grid, {"neighbors.group", 8}, {"another primitive's", "sort.shape"}},
        {make_neighbors, {"sort.shape", 1}, {"another primitive's", "neighbors.staged"}},
        {make_neighbors, {"top_k.shape", 1}, {"another primitive's", "neighbors.walk"}},
        {make_nearest, {"neighbors.group", 1}, {"another primitive's", "nearest.aim"}},
        {make_nearest_approximate,
         {"nearest.group", 1},
         {"another primitive's", "nearest_approximate.group"}},
    };
    static const char *const good[] = {
        "scan.group_size", "reduce.group_size",        "sort.busy",
        "grid.group",      "neighbors.group",          "merge.group",
        "search.group",    "histogram.group",          "transform.group",
        "nearest.group",   "nearest_approximate.group"};
    static plan_maker *const makers[] = {make_scan,
                                         make_reduce,
                                         make_sort,
                                         make_grid,
                                         make_neighbors,
                                         make_merge,
                                         make_search,
                                         make_histogram,
                                         make_transform,
                                         make_nearest,
                                         make_nearest_approximate};
    xl_context *ctx = xlt_context();
    xl_plan_details info;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        xl_tunable given[2] = {{NULL, 8}, wrong[i].given};
        for (size_t k = 0; k < sizeof makers / sizeof makers[0]; ++k)
            if (makers[k] == wrong[i].make)
                given[0].name = good[k];
        XLT_FAILS(wrong[i].make(ctx, given, 2, &info), XL_ERROR_INVALID_ARGUMENT);
        for (int k = 0; k < 2; ++k)
            if (!strstr(xl_context_error(ctx), wrong[i].said[k]))
                XLT_FAIL("%zu: \"%s\" is not in: %s", i, wrong[i].said[k], xl_context_error(ctx));
    }
    for (size_t k = 0; k < sizeof makers / sizeof makers[0]; ++k) {
        XLT_FAILS(makers[k](ctx, NULL, 3, &info), XL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(xl_context_error(ctx), "num_tunables is 3"));
    }
}

/* A name of a plan's own is not the library's to keep. */
static void names_are_not_kept(void **state)
{
    (void)state;
    xl_plan *plan;
    xl_sort_desc desc;
    xl_plan_details info;
    char name[] = "sort.serial_tile_log", shape[] = "sort.shape";
    xl_tunable given[] = {{name, 7}, {shape, 1}};
    xl_sort_desc_init(&desc);
    desc.tunables = given;
    desc.num_tunables = 2;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    memset(name, 'x', sizeof name);
    memset(given, 0xa5, sizeof given);
    XLT_OK(xl_plan_info(plan, N, &info));
    assert_int_equal(info.tile_elements, 128);
    xl_plan_destroy(plan);
}

/* As much as the caller has room for, and no byte more. */
static void information_fits_the_caller(void **state)
{
    (void)state;
    xl_plan_details whole;
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_plan_info(plan, N, &whole));
    assert_true(whole.tile_elements > 0 && whole.work_group_size > 0 && whole.algorithm[0]);
    XLT_FAILS(xl_plan_info(plan, N, NULL), XL_ERROR_INVALID_ARGUMENT);
    xl_plan_destroy(plan);
    XLT_FAILS(xl_plan_info(NULL, N, &whole), XL_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_comes_before_the_file),
        cmocka_unit_test(inner_plans_take_their_own),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(names_are_not_kept),
        cmocka_unit_test(information_fits_the_caller),
    };
    return XLT_RUN_WITH_GRIDS(tests, NULL, xlt_teardown);
}
