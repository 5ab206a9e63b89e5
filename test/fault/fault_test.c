/* SPDX-License-Identifier: MIT
 * One fault at a time, at every place: the k-th OpenCL call fails, or the k-th
 * allocation. Then each public call still gives a status with a text (or succeeds),
 * the same call made again succeeds, and in the end nothing is held.
 *
 * The sweep is complete for the runtime that finds its programs on the disk, and sampled for the
 * rest: more finely in a warm context than in a fresh one, and least where all is compiled. */
#define _GNU_SOURCE
#include "faults.h"
#include "private.h"
#include "xlt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static xlt_fault_state *calls; /* of the layer; NULL: the loader knows no layers */

enum { N = 3000, SAMPLES = 20 };
static const char *what_ran; /* for messages: scenario and public call */
static const char *step_at;

static void count(bool on)
{
    if (calls)
        calls->counting = on;
    xlt_allocs.counting = on;
}

static bool struck(void)
{
    return (calls && calls->struck) || xlt_allocs.struck;
}

static void broken(const char *why, const char *text)
{
    count(false);
    XLT_FAIL("%s: %s: %s; fault at call %u (%s), allocation %u; text: %.500s", what_ran, step_at,
             why, calls ? calls->strike_at : 0, calls && calls->struck ? calls->struck : "none",
             xlt_allocs.strike_at, text);
}

/* A public call: a failure has a text, and the second try succeeds. */
#define STEP(ctx, call)                                                                            \
    do {                                                                                           \
        step_at = #call;                                                                           \
        count(true);                                                                               \
        xl_status got = (call);                                                                    \
        count(false);                                                                              \
        if (got != XL_SUCCESS) {                                                                   \
            if (!struck())                                                                         \
                broken(xl_status_name(got), xl_context_error(ctx));                                \
            if (!*xl_context_error(ctx))                                                           \
                broken("no text", "");                                                             \
            if (got != XL_ERROR_OPENCL && got != XL_ERROR_OUT_OF_MEMORY &&                         \
                got != XL_ERROR_BUILD && got != XL_ERROR_NO_DEVICE)                                \
                broken(xl_status_name(got), xl_context_error(ctx));                                \
            if ((call) != XL_SUCCESS)                                                              \
                broken("the second time too", xl_context_error(ctx));                              \
        }                                                                                          \
    } while (0)

/* Something that must hold whatever failed before. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        step_at = #condition;                                                                      \
        if (!(condition))                                                                          \
            broken("does not hold", "");                                                           \
    } while (0)

static void wait_and_read(cl_command_queue queue, cl_event event, cl_mem from, size_t bytes,
                          void *to)
{
    XLT_CL(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 1, &event, NULL));
    XLT_CL(clReleaseEvent(event));
}

static char folder[] = "/tmp/xlt-fault-XXXXXX";

/* Two contexts. The second one finds the program of the first one on the disk. */
static void make_contexts(const char *dump_dir)
{
    xl_context *ctx = NULL, *adopted = NULL;
    xl_device_info info;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.cache_dir = folder;
    desc.dump_dir = dump_dir;
    desc.mask = "work-group=64";
    STEP(NULL, xl_context_create(&desc, &ctx));
    STEP(ctx, xl_context_device_info(ctx, &info));
    HOLDS(info.sub_group_size >= 1);
    count(true);
    cl_command_queue queue = xl_context_queue(ctx);
    count(false);
    if (!queue) {
        HOLDS(struck() && *xl_context_error(ctx));
        HOLDS(xl_context_queue(ctx) != NULL);
    }
    desc.dump_dir = NULL;
    STEP(NULL, xl_context_adopt(xl_context_cl(ctx), xl_context_device(ctx), &desc, &adopted));
    STEP(adopted, xl_context_device_info(adopted, &info));
    count(true);
    xl_context_destroy(ctx);
    xl_context_destroy(adopted);
    count(false);
}

static void run_runtime(xl_context *unused)
{
    (void)unused;
    make_contexts(NULL);
}

/* On PoCL, where a dump keeps programs from the disk, the second context stores them. */
static void run_compiling_runtime(xl_context *unused)
{
    (void)unused;
    xlt_remove_folder(folder);
    make_contexts(folder);
}

static void run_scan(xl_context *ctx)
{
    static cl_ulong host[N], back[N];
    xl_plan *plan;
    xl_scan_desc desc;
    cl_event event = NULL;
    for (int i = 0; i < N; ++i)
        host[i] = (cl_ulong)i;
    cl_mem buffer = xlt_mem(ctx, host, sizeof host), out = xlt_mem(ctx, NULL, sizeof host);
    cl_command_queue queue = xlt_queue_with(ctx, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    xl_scan_desc_init(&desc);
    desc.type = XL_U64;
    desc.kind = XL_INCLUSIVE;
    STEP(ctx, xl_scan_create(ctx, &desc, &plan));
    STEP(ctx, xl_scan_enqueue(
                  plan, queue,
                  &(xl_scan_args){.n = N, .in = xl_view_of(buffer, 0), .out = xl_view_of(out, 0)},
                  0, NULL, &event));
    wait_and_read(queue, event, out, sizeof back, back);
    HOLDS(back[0] == 0 && back[1] == 1 && back[N - 1] == (cl_ulong)N * (N - 1) / 2);
    count(true);
    xl_plan_destroy(plan);
    count(false);
    clReleaseMemObject(buffer);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
}

static void run_sort(xl_context *ctx)
{
    static cl_uint keys[N], values[N];
    xl_plan *plan;
    xl_sort_desc desc;
    cl_event event = NULL;
    for (cl_uint i = 0; i < N; ++i) {
        keys[i] = (i * 2654435761u) >> 8;
        values[i] = keys[i] + 1;
    }
    cl_mem k = xlt_mem(ctx, keys, sizeof keys), v = xlt_mem(ctx, values, sizeof values);
    cl_mem k2 = xlt_mem(ctx, NULL, sizeof keys), v2 = xlt_mem(ctx, NULL, sizeof values);
    cl_command_queue queue = xl_context_queue(ctx);
    xl_sort_desc_init(&desc);
    desc.value = XL_U32;
    STEP(ctx, xl_sort_create(ctx, &desc, &plan));
    STEP(ctx, xl_sort_enqueue(plan, queue,
                              &(xl_sort_args){.n = N,
                                              .keys_in = xl_view_of(k, 0),
                                              .values_in = xl_view_of(v, 0),
                                              .keys_out = xl_view_of(k2, 0),
                                              .values_out = xl_view_of(v2, 0)},
                              0, NULL, &event));
    XLT_CL(clEnqueueReadBuffer(queue, v2, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    wait_and_read(queue, event, k2, sizeof keys, keys);
    for (int i = 0; i < N; ++i)
        HOLDS((i == 0 || keys[i - 1] <= keys[i]) && values[i] == keys[i] + 1);
    count(true);
    xl_plan_destroy(plan);
    count(false);
    cl_mem all[] = {k, v, k2, v2};
    for (int i = 0; i < 4; ++i)
        clReleaseMemObject(all[i]);
}

#ifdef XLT_HAS_GRID
/* A row of points one apart: with radius 1.5 each has its two neighbours. */
static void run_grid(xl_context *ctx)
{
    static float points[3 * N];
    static cl_ulong offsets[N + 1];
    static cl_uint indices[2 * N], pairs[2 * N];
    xl_plan *grid;
    xl_grid_index *index;
    xl_plan *search;
    xl_plan *nearest;
    xl_grid_desc desc;
    xl_neighbors_desc how;
    xl_nearest_desc few;
    for (int i = 0; i < N; ++i)
        points[3 * i] = (float)i;
    cl_mem p = xlt_mem(ctx, points, sizeof points), o = xlt_mem(ctx, NULL, sizeof offsets);
    cl_mem list = xlt_mem(ctx, NULL, sizeof indices), rows = xlt_mem(ctx, NULL, sizeof pairs);
    cl_command_queue queue = xl_context_queue(ctx);
    xl_grid_desc_init(&desc);
    desc.cell_size = 1.5;
    xl_neighbors_desc_init(&how);
    how.radius = 1.5;
    xl_nearest_desc_init(&few);
    few.k = 2;
    STEP(ctx, xl_grid_create(ctx, &desc, &grid));
    STEP(ctx, xl_grid_index_create(ctx, &index));
    STEP(ctx, xl_neighbors_create(grid, &how, &search));
    STEP(ctx, xl_grid_build_enqueue(grid, index, queue,
                                    &(xl_grid_build_args){.n = N, .points = xl_view_of(p, 0)}, 0,
                                    NULL, NULL));
    STEP(ctx, xl_neighbors_count_enqueue(search, index, queue,
                                         &(xl_neighbors_args){.offsets = xl_view_of(o, 0)}, 0, NULL,
                                         NULL));
    STEP(ctx, xl_neighbors_fill_enqueue(search, index, queue,
                                        &(xl_neighbors_args){.offsets = xl_view_of(o, 0),
                                                             .indices = xl_view_of(list, 0),
                                                             .capacity = 2 * N},
                                        0, NULL, NULL));
    STEP(ctx, xl_nearest_create(grid, &few, &nearest));
    STEP(ctx,
         xl_nearest_enqueue(nearest, index, queue,
                            &(xl_nearest_args){.indices = xl_view_of(rows, 0)}, 0, NULL, NULL));
    STEP(ctx, xl_grid_index_status(index, queue, NULL, 0, NULL));
    XLT_CL(clEnqueueReadBuffer(queue, rows, CL_TRUE, 0, sizeof pairs, pairs, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof offsets, offsets, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(queue, list, CL_TRUE, 0, sizeof indices, indices, 0, NULL, NULL));
    HOLDS(offsets[N] == 2 * N - 2);
    for (cl_uint i = 1; i + 1 < N; ++i)
        HOLDS(indices[offsets[i]] == i - 1 && indices[offsets[i] + 1] == i + 1 &&
              pairs[2 * i] == i - 1 && pairs[2 * i + 1] == i + 1);
    count(true);
    xl_plan_destroy(nearest);
    xl_plan_destroy(search);
    xl_grid_index_destroy(index);
    xl_plan_destroy(grid);
    count(false);
    clReleaseMemObject(p);
    clReleaseMemObject(o);
    clReleaseMemObject(list);
    clReleaseMemObject(rows);
}
#endif

typedef void scenario(xl_context *ctx);

/* A kernel of the user's, with included text in it, found or built. */
static void run_user_program(xl_context *ctx)
{
    static const char source[] = "#include <crosslane/lanes.cl>\n"
                                 "__kernel void k(__global uint *out) { out[0] = N; }\n";
    cl_program program = NULL;
    cl_int code;
    STEP(ctx, xl_program_create(ctx, source, "-DN=7", &program));
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    HOLDS(code == CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* The devices that others hold are not ours to count exactly, but the change is. */
static bool nothing_more_is_held(const xlt_fault_state *before, long allocations)
{
    return xlt_allocs.outstanding == allocations && (!calls || xlt_same_objects(calls, before));
}

/* On PoCL the library holds the events of its commands until they have ended, and some longer. */
static void release_held_events(void)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES && xli_held_sweep() > 0; ++i)
        usleep(1000);
}

static void arm(unsigned call, int code, unsigned allocation)
{
    if (calls) {
        calls->calls = 0;
        calls->strike_at = call;
        calls->code = code;
        calls->struck = NULL;
    }
    xlt_allocs.calls = 0;
    xlt_allocs.strike_at = allocation;
    xlt_allocs.struck = false;
}

/* A sweep. In a fresh context all is compiled, unless `cache_dir` is `folder`. */
typedef struct swept {
    const char *name;
    scenario *run;
    xl_context *warm; /* NULL: each run has a fresh context, or makes its own */
    const char *cache_dir;
    bool makes_contexts;
} swept;

/* Runs once with a fault. */
static void run_once(const swept *s, unsigned call, int code, unsigned allocation)
{
    release_held_events();
    xlt_fault_state before = calls ? *calls : (xlt_fault_state){0};
    long allocations = xlt_allocs.outstanding;
    what_ran = s->name;
    xl_context *ctx = s->warm || s->makes_contexts ? s->warm : xlt_context_with(s->cache_dir);
    if (s->warm) /* this thread's last text stays with the context */
        assert_int_equal(xl_context_device_info(s->warm, NULL), XL_ERROR_INVALID_ARGUMENT);
    allocations = s->warm ? xlt_allocs.outstanding : allocations;
    arm(call, code, allocation);
    s->run(ctx);
    count(false);
    if (!s->warm)
        xl_context_destroy(ctx);
    step_at = "the end";
    release_held_events();
    if (!nothing_more_is_held(&before, allocations))
        broken("something is still held", "");
}

/* Processor time, so that a busy machine takes no samples away. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* As many runs as fit into some seconds, for compilers that take long. */
static unsigned affordable(double run_seconds, unsigned samples)
{
    const double most = fmax(3.0 / run_seconds, 4);
    return most < samples ? (unsigned)most : samples;
}

static unsigned step_of(unsigned all, unsigned samples)
{
    return samples && all > samples ? all / samples + 1 : 1;
}

/* Every `step`-th call, then every `step`-th allocation; all of them for 0 samples. */
static void sweep(const swept *s, unsigned samples)
{
    static const int codes[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
    if (s->warm) /* its programs stay with the context, or on the disk */
        s->run(s->warm);
    else if (s->cache_dir == folder)
        run_once(s, 0, 0, 0);
    const double start = seconds();
    run_once(s, 0, 0, 0);
    if (samples)
        samples = affordable(seconds() - start, samples);
    const unsigned num_calls = calls ? calls->calls : 0, num_allocations = xlt_allocs.calls;
    const unsigned call_step = step_of(num_calls, samples),
                   allocation_step = step_of(num_allocations, samples);
    for (unsigned k = 1; k <= num_calls; k += call_step) {
        run_once(s, k, codes[k % 2], 0);
        assert_true(struck());
    }
    for (unsigned k = 1; k <= num_allocations; k += allocation_step) {
        run_once(s, 0, 0, k);
        assert_true(struck());
    }
    print_message("%s: %u calls, %u allocations, every %u. and %u. failed\n", s->name, num_calls,
                  num_allocations, call_step, allocation_step);
}

static const struct {
    const char *name;
    scenario *run;
} plans[] = {
    {"scan", run_scan},
    {"sort", run_sort},
    {"user program", run_user_program},
#ifdef XLT_HAS_GRID
    {"grid", run_grid},
#endif
};

/* Samples, fewer at a push. */
static unsigned sampled(unsigned at_a_push, unsigned else_)
{
    return xlt_few_programs() ? at_a_push : else_;
}

XLT_TEST(the_runtime)
{
    sweep(&(swept){"runtime", run_runtime, .cache_dir = folder, .makes_contexts = true}, 0);
}

XLT_TEST(the_runtime_that_compiles)
{
    sweep(&(swept){"compiling runtime", run_compiling_runtime, .makes_contexts = true},
          sampled(SAMPLES, 0));
}

XLT_TEST(plans_in_a_warm_context)
{
    xl_context *ctx = xlt_context_with("off");
    for (size_t i = 0; i < XLI_COUNT(plans); ++i)
        sweep(&(swept){plans[i].name, plans[i].run, .warm = ctx}, sampled(SAMPLES, 3 * SAMPLES));
    xl_context_destroy(ctx);
}

XLT_TEST(plans_in_a_fresh_context)
{
    for (size_t i = 0; i < XLI_COUNT(plans); ++i)
        sweep(&(swept){plans[i].name, plans[i].run, .cache_dir = folder},
              sampled(SAMPLES / 2, 3 * SAMPLES));
}

XLT_TEST(plans_that_compile)
{
    const size_t num = xlt_few_programs() ? 1 : XLI_COUNT(plans);
    for (size_t i = 0; i < num; ++i)
        sweep(&(swept){plans[i].name, plans[i].run, .cache_dir = "off"}, sampled(4, SAMPLES));
}

/* ---- self-tests that come to nothing ------------------------------------------------------ */

static const char before[] = "info: NULL"; /* the text of what failed last, before the self-test */

/* What fails in the first self-test of look-back. */
typedef struct trial_fault {
    const char *only; /* the OpenCL call; NULL: none */
    int code;
    size_t alloc_bytes; /* the least size of an allocation of the library that fails; 0: none */
    xl_status named;    /* of a plan that asks for look-back by name */
    bool built;         /* what failed may go well another time */
} trial_fault;

/* A plan by AUTO or by name from a context that knows its device. */
static xl_status create_struck(xl_context *ctx, xl_scan_algorithm algorithm,
                               const trial_fault *fault, xl_scan_algorithm *used)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.algorithm = algorithm;
    assert_int_equal(xl_context_device_info(ctx, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(ctx), before));
    arm(fault->only ? 1 : 0, fault->code, fault->alloc_bytes > 0 ? 1 : 0);
    if (calls)
        calls->only = fault->only;
    xlt_allocs.at_least = fault->alloc_bytes;
    xlt_allocs.for_good = true; /* there may be a second kernel to try */
    count(true);
    const xl_status status = xl_scan_create(ctx, &desc, &plan);
    count(false);
    if (calls)
        calls->only = NULL;
    xlt_allocs.at_least = 0;
    xlt_allocs.for_good = false;
    *used = xlt_scan_algorithm(plan, N);
    xl_plan_destroy(plan);
    return status;
}

static xl_context *context_that_knows_its_device(void)
{
    xl_device_info info;
    xl_context *ctx = xlt_context_with("off");
    XLT_OK(xl_context_device_info(ctx, &info));
    return ctx;
}

static bool looks_back(void)
{
    xl_scan_algorithm used;
    xl_context *ctx = context_that_knows_its_device();
    XLT_OK(create_struck(ctx, XL_SCAN_AUTO, &(trial_fault){0}, &used));
    xl_context_destroy(ctx);
    if (used != XL_SCAN_LOOKBACK)
        print_message("no look-back on this device\n");
    return used == XL_SCAN_LOOKBACK;
}

static void one_trial_fails(const trial_fault *fault)
{
    xl_scan_algorithm used;
    const trial_fault none = {0};
    const bool memory = fault->named == XL_ERROR_OUT_OF_MEMORY;
    xl_context *ctx = context_that_knows_its_device();
    XLT_OK(create_struck(ctx, XL_SCAN_AUTO, fault, &used));
    if (struck()) {
        assert_int_equal(used, XL_SCAN_REDUCE_THEN_SCAN);
        assert_non_null(strstr(xl_context_error(ctx), before));
        /* The result is kept until a plan asks for look-back by name; but memory may be there
         * again. */
        XLT_OK(create_struck(ctx, XL_SCAN_AUTO, &none, &used));
        assert_int_equal(used, memory ? XL_SCAN_LOOKBACK : XL_SCAN_REDUCE_THEN_SCAN);
        const xl_status named = create_struck(ctx, XL_SCAN_LOOKBACK, &none, &used);
        assert_int_equal(named, fault->built ? XL_SUCCESS : XL_ERROR_UNSUPPORTED);
    }
    xl_context_destroy(ctx);
    ctx = context_that_knows_its_device();
    const xl_status named = create_struck(ctx, XL_SCAN_LOOKBACK, fault, &used);
    if (struck()) {
        assert_int_equal(named, fault->named);
        assert_null(strstr(xl_context_error(ctx), before));
    }
    xl_context_destroy(ctx);
}

/* If a self-test of look-back cannot be built or does not run, the plan has no look-back, and the
 * caller gets no error, unless the caller asks for look-back by name. */
XLT_TEST(trials_that_fail)
{
    static const trial_fault faults[] = {
        {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, 0, XL_ERROR_UNSUPPORTED, false},
        {"clCompileProgram", CL_COMPILE_PROGRAM_FAILURE, 0, XL_ERROR_UNSUPPORTED, false},
        {"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, 0, XL_ERROR_OPENCL, true},
        {"clEnqueueReadBuffer", CL_INVALID_COMMAND_QUEUE, 0, XL_ERROR_OPENCL, true},
        {"clCreateBuffer", CL_OUT_OF_RESOURCES, 0, XL_ERROR_OPENCL, true},
        {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, XL_ERROR_OUT_OF_MEMORY, true},
        {"clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, XL_ERROR_OUT_OF_MEMORY,
         true},
        {"clEnqueueReadBuffer", CL_OUT_OF_HOST_MEMORY, 0, XL_ERROR_OUT_OF_MEMORY, true},
        {"clCreateKernel", CL_OUT_OF_HOST_MEMORY, 0, XL_ERROR_OUT_OF_MEMORY, true},
        {NULL, 0, 1 << 20, XL_ERROR_OUT_OF_MEMORY, true}, /* the host's copy of the array */
    };
    if (!looks_back())
        skip();
    for (size_t i = 0; i < XLI_COUNT(faults); ++i) {
        if (!calls && faults[i].only)
            continue;
        one_trial_fails(&faults[i]);
        if (!faults[i].only)
            assert_true(struck());
    }
}

/* A driver that says 0 where the size of a group is asked for gets no answer but an error. */
XLT_TEST(kernels_without_a_group)
{
    xl_plan *scan;
    xl_plan *reduce;
    xl_plan *sort;
    xl_scan_desc scan_desc;
    xl_reduce_desc reduce_desc;
    xl_sort_desc sort_desc;
    if (!calls)
        skip();
    xl_device_info info;
    xl_context *ctx = context_that_knows_its_device();
    XLT_OK(xl_context_device_info(ctx, &info));
    xl_scan_desc_init(&scan_desc);
    xl_reduce_desc_init(&reduce_desc);
    xl_sort_desc_init(&sort_desc);
    sort_desc.algorithm = XL_SORT_BITONIC; /* is built at creation */
    calls->no_groups = true;
    for (int a = XL_SCAN_AUTO; a <= XL_SCAN_REDUCE_THEN_SCAN; ++a) {
        scan_desc.algorithm = (xl_scan_algorithm)a;
        assert_int_equal(xl_scan_create(ctx, &scan_desc, &scan), XL_ERROR_UNSUPPORTED);
        if (a != XL_SCAN_LOOKBACK) /* which may be unsupported for another reason */
            assert_non_null(strstr(xl_context_error(ctx), "kernel \"xl_"));
    }
    assert_int_equal(xl_reduce_create(ctx, &reduce_desc, &reduce), XL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(xl_context_error(ctx), "kernel \"xl_reduce_"));
    assert_int_equal(xl_sort_create(ctx, &sort_desc, &sort), XL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(xl_context_error(ctx), info.name));
    calls->no_groups = false;
    XLT_OK(xl_reduce_create(ctx, &reduce_desc, &reduce));
    xl_plan_destroy(reduce);
    xl_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    calls = xlt_layer_load();
    if (!calls)
        print_message("the OpenCL loader knows no layers: only allocations are made to fail\n");
    assert_non_null(mkdtemp(folder));
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = xlt_run_tests(NULL, NULL);
    xlt_remove_folder(folder);
    return failed;
}
