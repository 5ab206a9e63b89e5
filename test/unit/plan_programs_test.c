/* SPDX-License-Identifier: MIT
 * How many programs and kernels each kind of plan builds until its first call has ended: what first
 * use costs is mostly their compilation. */
#include "private.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

enum { N = 1000, MANY = 100000, BUFFERS = 4, BYTES = 4 * MANY };

/* One use of a plan: buffers of BYTES, the first of zeros or, for points, of random numbers. */
typedef struct use {
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *grid, *plan;
    xl_grid_index *index;
    cl_mem mem[BUFFERS];
} use;

static xl_view view(const use *u, int which)
{
    return xl_view_of(u->mem[which], 0);
}

/* ---- kinds of plans: each creates its plan and makes one call ----------------------------------- */

#define MAKE(primitive, ...)                                                                       \
    xl_##primitive##_desc desc;                                                                    \
    xl_##primitive##_desc_init(&desc);                                                             \
    __VA_ARGS__                                                                                    \
    XLT_OK(xl_##primitive##_create(u->ctx, &desc, &u->plan))
#define CALL(primitive, ...)                                                                       \
    XLT_OK(xl_##primitive##_enqueue(u->plan, u->queue, &(xl_##primitive##_args){__VA_ARGS__}, 0,   \
                                    NULL, NULL))

static void create_scan(use *u)
{
    MAKE(scan, );
}

static void scan(use *u)
{
    create_scan(u);
    CALL(scan, .n = N, .in = view(u, 0), .out = view(u, 1));
}

static void segmented_scan(use *u)
{
    MAKE(scan, desc.segments = XL_SEGMENTS_KEYS; desc.segment_type = XL_U32;);
    CALL(scan, .n = N, .in = view(u, 0), .segments = xl_view_n(u->mem[2], 0, N), .out = view(u, 1));
}

static void reduce(use *u)
{
    MAKE(reduce, );
    CALL(reduce, .n = N, .in = view(u, 0), .out = view(u, 1));
}

static void sort(use *u)
{
    MAKE(sort, );
    CALL(sort, .n = N, .keys_in = view(u, 0), .keys_out = view(u, 1));
}

/* By another algorithm, if the device has several. */
static void sort_many(use *u)
{
    MAKE(sort, );
    CALL(sort, .n = MANY, .keys_in = view(u, 0), .keys_out = view(u, 1));
}

static void sort_pairs(use *u)
{
    MAKE(sort, desc.value = XL_U32;);
    CALL(sort, .n = N, .keys_in = view(u, 0), .values_in = view(u, 2), .keys_out = view(u, 1),
         .values_out = view(u, 3));
}

static void top_k(use *u)
{
    MAKE(top_k, );
    CALL(top_k, .n = N, .k = 10, .keys_in = view(u, 0), .keys_out = view(u, 1));
}

static void selection(use *u)
{
    MAKE(select, desc.predicate = "x > 5";);
    CALL(select, .n = N, .in = view(u, 0), .out = view(u, 1), .count_out = view(u, 2));
}

static void partition(use *u)
{
    MAKE(select, desc.kind = XL_SELECT_PARTITION;);
    CALL(select, .n = N, .in = view(u, 0), .out = view(u, 1), .count_out = view(u, 2));
}

static void merge(use *u)
{
    MAKE(merge, );
    CALL(merge, .n_a = N, .n_b = N, .keys_a = view(u, 0), .keys_b = view(u, 0),
         .keys_out = view(u, 1));
}

static void search(use *u)
{
    MAKE(search, );
    CALL(search, .n = N, .num_queries = N, .keys = view(u, 0), .queries = view(u, 0),
         .indices_out = view(u, 1));
}

static void histogram(use *u)
{
    MAKE(histogram, desc.type = XL_U32; desc.kind = XL_HISTOGRAM_KEYS; desc.num_bins = 256;);
    CALL(histogram, .n = N, .in = view(u, 0), .bins = view(u, 1));
}

static void transform(use *u)
{
    MAKE(transform, desc.num_arrays = 1; desc.types[0] = XL_U32; desc.expression = "x + 1";);
    CALL(transform, .n = N, .in = {view(u, 0)}, .out = {view(u, 1)});
}

static void morton(use *u)
{
    MAKE(morton, desc.space.bounds = XL_BOUNDS_GIVEN;
         for (int axis = 0; axis < 3; ++axis) desc.space.cell[axis][axis] = 1;);
    CALL(morton, .n = N, .points = view(u, 0), .codes = view(u, 1));
}

static void grid(use *u)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.2;
    XLT_OK(xl_grid_create(u->ctx, &desc, &u->grid));
    XLT_OK(xl_grid_index_create(u->ctx, &u->index));
    const xl_grid_build_args args = {.n = N, .points = view(u, 0)};
    XLT_OK(xl_grid_build_enqueue(u->grid, u->index, u->queue, &args, 0, NULL, NULL));
}

/* With its grid; so has the next. */
static void neighbour_list(use *u)
{
    xl_neighbors_desc desc;
    grid(u);
    xl_neighbors_desc_init(&desc);
    desc.radius = 0.2;
    XLT_OK(xl_neighbors_create(u->grid, &desc, &u->plan));
    const xl_neighbors_args args = {.offsets = view(u, 1), .indices = view(u, 2), .capacity = N};
    XLT_OK(xl_neighbors_enqueue(u->plan, u->index, u->queue, &args, 0, NULL, NULL));
}

static void nearest(use *u)
{
    xl_nearest_desc desc;
    grid(u);
    xl_nearest_desc_init(&desc);
    desc.k = 4;
    XLT_OK(xl_nearest_create(u->grid, &desc, &u->plan));
    const xl_nearest_args args = {.indices = view(u, 1)};
    XLT_OK(xl_nearest_enqueue(u->plan, u->index, u->queue, &args, 0, NULL, NULL));
}

/* ---- the table ---------------------------------------------------------------------------------- */

/* The most that a use builds, without the probe and the trials of look-back. */
typedef struct most {
    size_t programs, kernels;
} most;

static const struct {
    const char *name;
    void (*run)(use *u);
    bool has_grid;
    /* On CPUs whose scans look back; on other devices. llvmpipe builds top-k again for a smaller
     * work-group, and the only sort that it has. */
    most cpu, other;
} kinds[] = {{"scan", scan, false, {1, 2}, {1, 3}},
             {"segmented scan", segmented_scan, false, {1, 2}, {1, 3}},
             {"reduce", reduce, false, {1, 2}, {1, 2}},
             {"sort", sort, false, {1, 2}, {1, 2}},
             {"sort of many", sort_many, false, {1, 12}, {1, 12}},
             {"sort of pairs", sort_pairs, false, {1, 2}, {1, 2}},
             {"top-k", top_k, false, {1, 8}, {3, 18}},
             {"select", selection, false, {1, 2}, {2, 6}},
             {"partition", partition, false, {1, 3}, {2, 6}},
             {"merge", merge, false, {1, 1}, {1, 2}},
             {"search", search, false, {1, 1}, {1, 1}},
             {"histogram", histogram, false, {1, 3}, {2, 6}},
             {"transform", transform, false, {1, 1}, {1, 1}},
             {"morton", morton, false, {1, 1}, {1, 1}},
             {"grid", grid, true, {3, 15}, {2, 13}},
             {"list", neighbour_list, true, {4, 17}, {3, 15}},
             {"nearest", nearest, true, {4, 17}, {3, 15}}};

static most built(const xl_context *ctx)
{
    most all = {0, 0};
    for (const xli_program *p = ctx->programs; p; p = p->next) {
        size_t kernels = 0;
        XLT_CL(clGetProgramInfo(p->cl, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
        ++all.programs;
        all.kernels += kernels;
    }
    return all;
}

/* In a context that has been probed, and in which the trials of look-back have been made if `tried`
 * is a context that made them. */
static most count(size_t kind, xl_context *ctx, const xl_context *tried)
{
    xl_device_info info;
    use u = {.ctx = ctx, .queue = xlt_queue_with(ctx, 0)};
    xlt_random random = {7};
    float *const points = malloc(BYTES);
    assert_non_null(points);
    for (size_t i = 0; i < BYTES / sizeof *points; ++i)
        points[i] = kinds[kind].run == morton || kinds[kind].has_grid ? xlt_unit(&random) : 0;
    for (int k = 0; k < BUFFERS; ++k)
        u.mem[k] = xlt_mem(ctx, points, BYTES);
    free(points);
    XLT_OK(xl_context_device_info(ctx, &info));
    if (tried)
        memcpy(ctx->self_test_results, tried->self_test_results, sizeof ctx->self_test_results);
    const most before = built(ctx);
    kinds[kind].run(&u);
    XLT_CL(clFinish(u.queue));
    const most after = built(ctx);
    for (int k = 0; k < BUFFERS; ++k)
        clReleaseMemObject(u.mem[k]);
    xl_plan_destroy(u.plan);
    xl_plan_destroy(u.grid);
    xl_grid_index_destroy(u.index);
    clReleaseCommandQueue(u.queue);
    return (most){after.programs - before.programs, after.kernels - before.kernels};
}

static bool is_cpu_that_looks_back(void)
{
    const xli_capabilities *capabilities;
    use u = {.ctx = xlt_context()};
    create_scan(&u);
    const bool looks_back = xlt_scan_algorithm(u.plan, N) == XL_SCAN_LOOKBACK;
    xl_plan_destroy(u.plan);
    XLT_OK(xli_context_capabilities(u.ctx, &capabilities));
    return capabilities->is_cpu && looks_back;
}

XLT_TEST(plans_build_few_programs)
{
    const bool has_grids = xlt_has_grids(), is_cpu = is_cpu_that_looks_back();
    size_t too_many = 0;
    for (size_t k = 0; k < XLI_COUNT(kinds); ++k) {
        if (kinds[k].has_grid && !has_grids)
            continue;
        xl_context *const ctx = xlt_context_with(NULL);
        count(k, xlt_context(), NULL);
        const most got = count(k, ctx, xlt_context());
        const most limit = is_cpu ? kinds[k].cpu : kinds[k].other;
        xl_context_destroy(ctx);
        if (got.programs <= limit.programs && got.kernels <= limit.kernels)
            continue;
        print_message("%s: %u programs, %u kernels; at most %u, %u\n", kinds[k].name,
                      (unsigned)got.programs, (unsigned)got.kernels, (unsigned)limit.programs,
                      (unsigned)limit.kernels);
        ++too_many;
    }
    assert_int_equal(too_many, 0);
}

/* On a CPU look-back is tried by the program of the plan that asks, if that sums u32. Without a cache
 * on disk, which would know the result of the trial. */
XLT_TEST(the_trial_of_look_back_builds_no_program)
{
    if (!is_cpu_that_looks_back())
        skip();
    for (size_t k = 0; k < XLI_COUNT(kinds); ++k) {
        if (kinds[k].run != scan && !(kinds[k].run == neighbour_list && xlt_has_grids()))
            continue;
        xl_context *const tried = xlt_context_with("off"), *const fresh = xlt_context_with("off");
        assert_int_equal(count(k, fresh, NULL).programs, count(k, tried, xlt_context()).programs);
        xl_context_destroy(tried);
        xl_context_destroy(fresh);
    }
}

XLT_MAIN(NULL, xlt_teardown)
