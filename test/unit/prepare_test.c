/* SPDX-License-Identifier: MIT
 * Programs that a plan builds at their first use, and xl_plan_prepare(), after which a call compiles
 * nothing. */
#include "private.h"
#include "top_k_plan.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

/* Many elements first: then few need an algorithm that has not been used. */
static const size_t sizes[] = {(size_t)1 << 21, (size_t)1 << 18, 60000, 3000, 300, 1};
enum { SIZES = sizeof sizes / sizeof *sizes, ON_SIMULATOR = 2 };

/* One call of a plan. Each element of `in` and `out` has 16 bytes, and those of `in` are zeros. */
typedef struct run {
    xl_context *ctx;
    xl_plan *plan;
    xl_grid_index *index;
    cl_command_queue queue;
    size_t n;
    xl_view in, out;
} run;

static size_t count_programs(const xl_context *ctx)
{
    size_t count = 0;
    for (const xli_program *p = ctx->programs; p; p = p->next)
        ++count;
    return count;
}

/* Prepares a call of r->n elements and runs it. */
typedef void (*prepare)(const run *r);
typedef void (*enqueue)(const run *r);

/* The number of programs after all sizes. */
static size_t compiles_nothing(run *r, prepare prepare_call, enqueue enqueue_call)
{
    for (size_t k = xlt_on_oclgrind() ? SIZES - ON_SIMULATOR : xlt_small(); k < SIZES; ++k) {
        r->n = sizes[k];
        void *const zeros = calloc(r->n, 16);
        assert_non_null(zeros);
        r->in = xl_view_of(xlt_mem(r->ctx, zeros, r->n * 16), 0);
        r->out = xl_view_of(xlt_mem(r->ctx, NULL, r->n * 16), 0);
        free(zeros);
        prepare_call(r);
        const size_t before = count_programs(r->ctx);
        enqueue_call(r);
        XLT_CL(clFinish(r->queue));
        assert_int_equal(count_programs(r->ctx), before);
        clReleaseMemObject(r->in.buffer);
        clReleaseMemObject(r->out.buffer);
    }
    return count_programs(r->ctx);
}

/* A context in which no other test has built anything. */
static run begin(void)
{
    xl_context *const ctx = xlt_context_with(NULL);
    return (run){.ctx = ctx, .queue = xlt_queue_with(ctx, 0)};
}

static void end(run *r)
{
    xl_plan_destroy(r->plan);
    xl_grid_index_destroy(r->index);
    clReleaseCommandQueue(r->queue);
    xl_context_destroy(r->ctx);
}

/* ---- sorts ---------------------------------------------------------------------------------- */

static void create_sort(run *r, xl_sort_algorithm algorithm)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = XL_U32;
    desc.algorithm = algorithm;
    XLT_OK(xl_sort_create(r->ctx, &desc, &r->plan));
}

static void prepare_sort(const run *r)
{
    XLT_OK(xl_plan_prepare(r->plan, &(xl_sort_args){.n = r->n}));
}

static void enqueue_sort(const run *r)
{
    const xl_sort_args args = {.n = r->n, .keys_in = r->in, .keys_out = r->out};
    XLT_OK(xl_sort_enqueue(r->plan, r->queue, &args, 0, NULL, NULL));
}

static bool has_several_algorithms(const xl_plan *plan)
{
    xl_plan_details few, many;
    XLT_OK(xl_plan_info(plan, 100, &few));
    XLT_OK(xl_plan_info(plan, 1 << 20, &many));
    return strcmp(few.algorithm, many.algorithm) != 0;
}

/* A plan that chooses an algorithm by n builds none of them at creation. */
XLT_TEST(a_sort_builds_the_algorithm_that_a_call_needs)
{
    run r = begin();
    create_sort(&r, XL_SORT_AUTO);
    const bool several = has_several_algorithms(r.plan);
    const size_t created = count_programs(r.ctx);
    prepare_sort(&(run){.plan = r.plan, .n = 100});
    assert_int_equal(count_programs(r.ctx), created + several);
    prepare_sort(&(run){.plan = r.plan, .n = 100});
    prepare_sort(&(run){.plan = r.plan, .n = 0});
    assert_int_equal(count_programs(r.ctx), created + several);
    assert_int_equal(compiles_nothing(&r, prepare_sort, enqueue_sort) > created, several);
    end(&r);
}

static void prepares_nothing(const run *r)
{
    (void)r;
}

/* One that does not choose has its programs from the start: here the first call prepares nothing. */
XLT_TEST(a_sort_of_one_algorithm_is_built_at_creation)
{
    run r = begin();
    create_sort(&r, XL_SORT_BITONIC);
    compiles_nothing(&r, prepares_nothing, enqueue_sort);
    end(&r);
}

/* ---- scans ---------------------------------------------------------------------------------- */

/* Skips the test on a device that cannot look back. Where there are lanes, few elements have shorter
 * tiles. */
static void create_scan(run *r, xl_type type, xl_type load_type)
{
    static const xl_tunable tunables[] = {{"scan.pipelined", 1},
                                          {"scan.pipelined_short_vectors", 1}};
    xl_scan_desc desc;
    xl_plan_details details;
    xl_scan_desc_init(&desc);
    desc.tunables = tunables;
    desc.num_tunables = XLI_COUNT(tunables);
    desc.type = type;
    desc.load_type = load_type;
    desc.algorithm = XL_SCAN_LOOKBACK;
    XLT_OK(xl_scan_create(r->ctx, &desc, &r->plan));
    XLT_OK(xl_plan_info(r->plan, 1, &details));
    if (strcmp(details.algorithm, "look-back") != 0) {
        end(r);
        skip();
    }
}

static void prepare_scan(const run *r)
{
    XLT_OK(xl_plan_prepare(r->plan, &(xl_scan_args){.n = r->n}));
}

static void scan_into(const run *r, xl_view out)
{
    const xl_scan_args args = {.n = r->n, .in = r->in, .out = out};
    XLT_OK(xl_scan_enqueue(r->plan, r->queue, &args, 0, NULL, NULL));
}

static void scan_apart(const run *r)
{
    scan_into(r, r->out);
}

static void scan_both_ways(const run *r)
{
    scan_into(r, r->out);
    scan_into(r, r->in);
}

/* The self-test of look-back compiles at the first creation; a second one compiles nothing. */
XLT_TEST(a_scan_builds_what_a_call_needs)
{
    static const struct {
        xl_type type, load_type;
        enqueue enqueue_scan;
    } kinds[] = {{XL_U32, XL_NONE, scan_both_ways},
                 {XL_U64, XL_NONE, scan_both_ways},
                 {XL_U64, XL_U32, scan_apart}};
    for (size_t k = 0; k < XLI_COUNT(kinds); ++k) {
        run r = begin();
        create_scan(&r, XL_U32, XL_NONE);
        xl_plan_destroy(r.plan);
        const size_t tested = count_programs(r.ctx);
        create_scan(&r, kinds[k].type, kinds[k].load_type);
        assert_int_equal(count_programs(r.ctx), tested);
        compiles_nothing(&r, prepare_scan, kinds[k].enqueue_scan);
        end(&r);
    }
}

/* A call builds nothing that only other calls need: results go to `out` here. */
XLT_TEST(a_scan_out_of_place_builds_one_program)
{
    run r = begin();
    create_scan(&r, XL_U64, XL_NONE);
    r.n = 1000;
    r.in = xl_view_of(xlt_mem(r.ctx, NULL, r.n * 8), 0);
    r.out = xl_view_of(xlt_mem(r.ctx, NULL, r.n * 8), 0);
    const size_t created = count_programs(r.ctx);
    for (int call = 0; call < 3; ++call)
        scan_apart(&r);
    XLT_CL(clFinish(r.queue));
    assert_int_equal(count_programs(r.ctx), created + 1);
    clReleaseMemObject(r.in.buffer);
    clReleaseMemObject(r.out.buffer);
    end(&r);
}

/* ---- primitives that sort ------------------------------------------------------------------- */

static void prepare_top_k(const run *r)
{
    XLT_OK(xl_plan_prepare(r->plan, &(xl_top_k_args){.n = r->n, .k = r->n / 64 + 1}));
}

static void enqueue_top_k(const run *r)
{
    const xl_top_k_args args = {
        .n = r->n, .k = r->n / 64 + 1, .keys_in = r->in, .keys_out = r->out};
    XLT_OK(xl_top_k_enqueue(r->plan, r->queue, &args, 0, NULL, NULL));
}

XLT_TEST(top_k_prepares_its_sorts)
{
    static const xl_type keys[] = {XL_U32, XL_U64};
    for (size_t k = 0; k < XLI_COUNT(keys); ++k) {
        run r = begin();
        xl_top_k_desc desc;
        xl_top_k_desc_init(&desc);
        desc.key = keys[k];
        desc.sorted = 1;
        XLT_OK(xl_top_k_create(r.ctx, &desc, &r.plan));
        compiles_nothing(&r, prepare_top_k, enqueue_top_k);
        end(&r);
    }
}

/* The kernels of a sample are built for the first call with many keys. */
XLT_TEST(top_k_builds_its_sample_when_needed)
{
    static const xl_tunable tunables[] = {{"top_k.sample", 64},
                                          {"top_k.sampled", 10000},
                                          {"top_k.chunks", 200},
                                          {"top_k.chunk", 1000}};
    run r = begin();
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.tunables = tunables;
    desc.num_tunables = XLI_COUNT(tunables);
    XLT_OK(xl_top_k_create(r.ctx, &desc, &r.plan));
    const bool samples = ((const xli_top_k_plan *)r.plan)->shape.room > 0;
    const size_t created = count_programs(r.ctx);
    XLT_OK(xl_plan_prepare(r.plan, &(xl_top_k_args){.n = 9999, .k = 1}));
    XLT_OK(xl_plan_prepare(r.plan, &(xl_top_k_args){.n = 60000, .k = 0}));
    assert_int_equal(count_programs(r.ctx), created);
    XLT_OK(xl_plan_prepare(r.plan, &(xl_top_k_args){.n = 60000, .k = 1}));
    assert_int_equal(count_programs(r.ctx), created + samples);
    compiles_nothing(&r, prepare_top_k, enqueue_top_k);
    end(&r);
}

static void prepare_approximate(const run *r)
{
    XLT_OK(xl_plan_prepare(r->plan, &(xl_nearest_approximate_args){.n = r->n}));
}

static void enqueue_approximate(const run *r)
{
    const xl_nearest_approximate_args args = {.n = r->n,
                                              .points = r->in,
                                              .indices = r->out,
                                              .distances2 = xl_view_of(r->out.buffer, r->n)};
    XLT_OK(xl_nearest_approximate_enqueue(r->plan, r->queue, &args, 0, NULL, NULL));
}

XLT_TEST(approximate_search_prepares_its_sort)
{
    run r = begin();
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = 1;
    for (int axis = 0; axis < 3; ++axis)
        desc.space.cell[axis][axis] = 1;
    XLT_OK(xl_nearest_approximate_create(r.ctx, &desc, &r.plan));
    compiles_nothing(&r, prepare_approximate, enqueue_approximate);
    end(&r);
}

static void prepare_grid(const run *r)
{
    XLT_OK(xl_plan_prepare(r->plan, &(xl_grid_build_args){.n = r->n}));
}

static void enqueue_grid(const run *r)
{
    const xl_grid_build_args args = {.n = r->n, .points = r->in};
    XLT_OK(xl_grid_build_enqueue(r->plan, r->index, r->queue, &args, 0, NULL, NULL));
}

/* Rows are listed, and from 100 points on by the library's sort. */
XLT_TEST(a_grid_prepares_its_sort)
{
    static const xl_tunable tunables[] = {{"grid.table", 0}, {"grid.sampled", 100}};
    run r = begin();
    xl_grid_desc desc;
    if (!xlt_has_grids())
        skip();
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.1;
    desc.tunables = tunables;
    desc.num_tunables = XLI_COUNT(tunables);
    XLT_OK(xl_grid_create(r.ctx, &desc, &r.plan));
    XLT_OK(xl_grid_index_create(r.ctx, &r.index));
    compiles_nothing(&r, prepare_grid, enqueue_grid);
    end(&r);
}

/* A list prepares the sum of its counts; with a function to sum, also its own program. */
static void prepare_list(const char *visit)
{
    enum { POINTS = 1000 };
    float xyz[3 * POINTS];
    run r = begin();
    xl_plan *grid;
    xl_grid_desc space;
    xl_neighbors_desc desc;
    xlt_random random = {7};
    for (size_t k = 0; k < 3 * POINTS; ++k)
        xyz[k] = xlt_unit(&random);
    xl_grid_desc_init(&space);
    xl_neighbors_desc_init(&desc);
    space.cell_size = desc.radius = 0.1;
    desc.visit = visit;
    XLT_OK(xl_grid_create(r.ctx, &space, &grid));
    XLT_OK(xl_grid_index_create(r.ctx, &r.index));
    XLT_OK(xl_neighbors_create(grid, &desc, &r.plan));
    r.in = xl_view_of(xlt_mem(r.ctx, xyz, sizeof xyz), 0);
    r.out = xl_view_of(xlt_mem(r.ctx, NULL, (POINTS + 1) * 8), 0);
    XLT_OK(xl_grid_build_enqueue(
        grid, r.index, r.queue, &(xl_grid_build_args){.n = POINTS, .points = r.in}, 0, NULL, NULL));
    const xl_neighbors_args args = {.num_queries = POINTS, .offsets = r.out};
    const xl_neighbors_args sums = {.num_queries = POINTS, .sums = r.out};
    const size_t created = count_programs(r.ctx);
    if (visit) {
        XLT_OK(xl_plan_prepare(r.plan, &sums));
        XLT_OK(xl_neighbors_enqueue(r.plan, r.index, r.queue, &sums, 0, NULL, NULL));
        assert_int_equal(count_programs(r.ctx), created);
    }
    XLT_OK(xl_plan_prepare(r.plan, &args));
    const size_t before = count_programs(r.ctx);
    assert_int_equal(before, created + (visit != NULL));
    XLT_OK(xl_neighbors_count_enqueue(r.plan, r.index, r.queue, &args, 0, NULL, NULL));
    XLT_CL(clFinish(r.queue));
    assert_int_equal(count_programs(r.ctx), before);
    clReleaseMemObject(r.in.buffer);
    clReleaseMemObject(r.out.buffer);
    xl_plan_destroy(grid);
    end(&r);
}

XLT_TEST(a_list_prepares_its_sum)
{
    if (!xlt_has_grids())
        skip();
    prepare_list(NULL);
}

XLT_TEST(a_list_beside_sums_prepares_its_program)
{
    if (!xlt_has_grids())
        skip();
    prepare_list("float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
                 "{\n"
                 "    return sum + 1;\n"
                 "}\n");
}

/* ---- mistakes ------------------------------------------------------------------------------- */

XLT_TEST(prepare_checks_plan_and_sizes)
{
    run r = begin();
    create_sort(&r, XL_SORT_AUTO);
    const xl_sort_args args = {.n = SIZE_MAX};
    XLT_FAILS(xl_plan_prepare(NULL, &args), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_plan_prepare(r.plan, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_plan_prepare(r.plan, &args), XL_ERROR_INVALID_ARGUMENT);
    end(&r);
}

XLT_MAIN(NULL, NULL)
