/* SPDX-License-Identifier: MIT
 * Tuning values in descriptors: they override the file and the built-in values, mistakes are
 * named, and plans report the values that they use. */
#include "grid/grid_plan.h"
#include "runtime.h"
#include "xlt_misuse.h"

#include <crosslane/plan.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

/* The details of a plan with these values in its descriptor. */
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

/* Shapes in which a value shows whatever the device. */
static const char in_file[] = "scan.shape = 0\nscan.pipelined = 0\nscan.tile_bytes = 4096\n"
                              "reduce.serial = 0\nreduce.whole_size = 16\n"
                              "sort.shape = 1\nsort.serial_tile_log = 6\n"
                              "grid.group = 8\ngrid.items = 4\n"
                              "neighbors.group = 4\nneighbors.walk = 0\n";

enum { TILE, GROUP, ITEM };

XLT_TEST(a_descriptor_comes_before_the_file)
{
    static const struct {
        plan_maker *make;
        xl_tunable given[2]; /* the last one counts; none: the file does */
        int field;
        uint64_t wanted;
    } rows[] = {
        {make_scan, {{0}}, TILE, 4096 / 4},
        {make_scan, {{0}}, GROUP, 1},
        {make_scan, {{0}}, ITEM, 0},
        {make_scan, {{"scan.tile_bytes", 1024}, {"scan.tile_bytes", 2048}}, TILE, 2048 / 4},
        {make_reduce, {{0}}, GROUP, 16},
        {make_reduce, {{"reduce.whole_size", 8}}, GROUP, 8},
        {make_reduce, {{"reduce.serial", 1}}, GROUP, 1},
        {make_sort, {{0}}, TILE, 64},
        {make_sort, {{"sort.serial_tile_log", 5}}, TILE, 32},
        {make_grid, {{0}}, TILE, 32},
        {make_grid, {{"grid.items", 2}}, TILE, 16},
        {make_grid, {{"grid.items", 2}}, ITEM, 2},
        {make_neighbors, {{0}}, GROUP, 4},
        {make_neighbors, {{"neighbors.group", 2}}, GROUP, 2},
        {make_neighbors, {{"neighbors.walk", 100}}, TILE, 100},
    };
    xl_context *ctx = context_with(in_file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        xl_plan_details info;
        const uint32_t count = rows[i].given[1].name ? 2 : rows[i].given[0].name ? 1 : 0;
        XLT_OK(rows[i].make(ctx, rows[i].given, count, &info));
        const uint64_t got = rows[i].field == TILE    ? info.tile_elements
                             : rows[i].field == GROUP ? info.work_group_size
                                                      : info.item_elements;
        if (got != rows[i].wanted)
            XLT_FAIL("row %zu: %llu, not %llu", i, (unsigned long long)got,
                     (unsigned long long)rows[i].wanted);
    }
    xl_context_destroy(ctx);
}

/* An inner plan receives its values, and the outer plan keeps the others. */
XLT_TEST(inner_plans_take_their_own)
{
    xl_plan_details info;
    xl_plan *grid;
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.tunables =
        (const xl_tunable[]){{"grid.items", 3}, {"sort.shape", 1}, {"sort.serial_tile_log", 5}};
    desc.num_tunables = 3;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
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

/* Makers, a tunable of each, and another that the error about a foreign one lists. */
static const struct {
    plan_maker *make;
    const char *own, *listed;
} makers[] = {
    {make_scan, "scan.group_size", "scan.shape"},
    {make_reduce, "reduce.group_size", "reduce.serial"},
    {make_sort, "sort.busy", "sort.shape"},
    {make_merge, "merge.group", "merge.serial"},
    {make_search, "search.group", "search.serial"},
    {make_histogram, "histogram.group", "histogram.serial"},
    {make_transform, "transform.group", "transform.serial"},
    {make_neighbors, "neighbors.group", "neighbors.staged"},
    {make_nearest, "nearest.group", "nearest.aim"},
    {make_nearest_approximate, "nearest_approximate.group", "nearest_approximate.group"},
    {make_grid, "grid.group", "grid.group"},
};
enum { MAKERS = sizeof makers / sizeof *makers };

static void refused(size_t maker, xl_tunable second, const char *part, const char *other)
{
    const xl_tunable given[2] = {{makers[maker].own, 8}, second};
    xl_plan_details info;
    xlt_refused(xlt_context(), makers[maker].make(xlt_context(), given, 2, &info),
                XL_ERROR_INVALID_ARGUMENT, part);
    if (!strstr(xl_context_error(xlt_context()), other))
        XLT_FAIL("\"%s\" is not in: %s", other, xl_context_error(xlt_context()));
}

XLT_TEST(mistakes_are_named)
{
    static const struct {
        xl_tunable given;
        const char *said[2];
    } wrong[] = {
        {{"scan.grop_size", 64}, {"unknown name \"scan.grop_size\"", "scan.group_size"}},
        {{"", 64}, {"unknown name \"\"", "scan.spin_limit)"}},
        {{NULL, 64}, {"tunables[1].name: NULL", ""}},
        {{"scan.group_size", 0}, {"scan.group_size = 0", "a number from 1 to 1024"}},
        {{"scan.group_size", 1025}, {"tunables[1]", "= 1025"}},
        {{"scan.shape", UINT64_C(1) << 32}, {"= 4294967296", "from 0 to 1"}},
        {{"scan.pipelined_registers", UINT64_MAX},
         {"= 18446744073709551615", "not 0 or a number from 32 to"}},
    };
    xl_plan_details info;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
        refused(0, wrong[i].given, wrong[i].said[0], wrong[i].said[1]);
    for (size_t k = 0; k < MAKERS; ++k) {
        /* Plans of grids take tunables of scans and sorts, too. */
        refused(k, (xl_tunable){"top_k.shape", 1}, "another primitive's", makers[k].listed);
        refused(k, (xl_tunable){makers[(k + 1) % (MAKERS - 1)].own, 1}, "another primitive's", "");
        xlt_refused(xlt_context(), makers[k].make(xlt_context(), NULL, 3, &info),
                    XL_ERROR_INVALID_ARGUMENT, "num_tunables is 3");
    }
}

/* A name of a plan's own is not the library's to keep. */
XLT_TEST(names_are_not_kept)
{
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
    XLT_FAILS(xl_plan_info(plan, N, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_plan_info(NULL, N, &info), XL_ERROR_INVALID_ARGUMENT);
    xl_plan_destroy(plan);
}

int main(void)
{
    return xlt_has_grids() ? xlt_run_tests(NULL, xlt_teardown) : XLT_SKIPPED;
}
