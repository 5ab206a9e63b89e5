/* SPDX-License-Identifier: MIT
 * Launches, counted by the layer: no thread comes between the arguments and the launch of another
 * thread, and a reduction of a whole array takes one launch if it can. */
#define _GNU_SOURCE
#include "faults.h"
#include "private.h"
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static xlt_fault_state *layer; /* NULL: the loader knows no layers */
static xlt_step_log *steps;

static void needs_layer(void)
{
    if (!layer) {
        print_message("the OpenCL loader knows no layers\n");
        skip();
    }
}

/* ---- two threads, one kernel ------------------------------------------------------- */

enum { THREADS = 2, CALLS = 6, CALL_N = 3000, DELAY_US = 200 };

typedef struct worker {
    unsigned number;
    xl_context *ctx;
    xl_plan *plan; /* shared, or NULL */
    cl_command_queue queue;
    cl_mem in, out, scratch; /* not shared; scratch NULL: the plan's */
    pthread_barrier_t *start;
    bool failed; /* cmocka may not be called from threads */
} worker;

static cl_uint element(unsigned thread, unsigned call, unsigned i)
{
    return (i + 1) * 2654435761u * (thread + 1) + call;
}

static bool scan_once(const worker *w, unsigned call)
{
    cl_uint host[CALL_N], sum = 0;
    bool good = true;
    for (unsigned i = 0; i < CALL_N; ++i)
        host[i] = element(w->number, call, i);
    good = !clEnqueueWriteBuffer(w->queue, w->in, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL) &&
           !xl_scan_enqueue(w->plan, w->queue,
                            &(xl_scan_args){.n = CALL_N,
                                            .in = xl_view_of(w->in, 0),
                                            .out = xl_view_of(w->out, 0),
                                            .scratch = xl_view_of(w->scratch, 0)},
                            0, NULL, NULL) &&
           !clEnqueueReadBuffer(w->queue, w->out, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
    for (unsigned i = 0; good && i < CALL_N; ++i) {
        good = host[i] == sum;
        sum += element(w->number, call, i);
    }
    return good;
}

static void *work(void *user)
{
    worker *w = user;
    pthread_barrier_wait(w->start);
    for (unsigned call = 0; call < CALLS; ++call)
        w->failed = !scan_once(w, call) || w->failed;
    return NULL;
}

static void make_worker(worker *w, unsigned number, xl_context *ctx, xl_plan *plan, size_t n,
                        pthread_barrier_t *start)
{
    size_t bytes = 0;
    if (plan)
        XLT_OK(xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes));
    *w = (worker){.number = number,
                  .ctx = ctx,
                  .plan = plan,
                  .queue = xlt_queue_with(ctx, 0),
                  .in = xlt_mem(ctx, NULL, n * sizeof(cl_uint)),
                  .out = xlt_mem(ctx, NULL, n * sizeof(cl_uint)),
                  .scratch = plan ? xlt_mem(ctx, NULL, bytes + 1) : NULL,
                  .start = start};
}

static void free_worker(worker *w)
{
    clReleaseMemObject(w->in);
    clReleaseMemObject(w->out);
    if (w->scratch)
        clReleaseMemObject(w->scratch);
    clReleaseCommandQueue(w->queue);
}

/* A kernel belongs to the thread that set an argument since its last launch. */
static void arguments_and_launch_are_one_step(void)
{
    enum { KERNELS = 16 };
    struct {
        const void *kernel;
        unsigned long thread; /* in whose step we are */
        bool open;
        unsigned launches;
    } seen[KERNELS] = {{0}};
    unsigned shared = 0;
    assert_true(steps->used <= XLT_STEPS);
    for (unsigned i = 0; i < steps->used; ++i) {
        const xlt_step *s = &steps->steps[i];
        size_t k = 0;
        while (k < KERNELS - 1 && seen[k].kernel && seen[k].kernel != s->kernel)
            ++k;
        assert_true(!seen[k].kernel || seen[k].kernel == s->kernel);
        if (seen[k].open && seen[k].thread != s->thread)
            XLT_FAIL("step %u of %u: %s between another thread's arguments and its launch", i,
                     steps->used, s->launch ? "a launch" : "an argument");
        shared += seen[k].launches > 0 && seen[k].thread != s->thread;
        seen[k].kernel = s->kernel;
        seen[k].thread = s->thread;
        seen[k].open = !s->launch;
        seen[k].launches += s->launch;
    }
    assert_true(shared > 0); /* the threads did meet at a kernel */
}

/* `count` threads begin `run` together; the plan may be NULL. */
static void run_threads(unsigned count, xl_context *ctx, xl_plan *plan, size_t n,
                        void *(*run)(void *))
{
    enum { MOST = 4 };
    pthread_t threads[MOST];
    worker workers[MOST];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, count), 0);
    for (unsigned i = 0; i < count; ++i)
        make_worker(&workers[i], i, ctx, plan, n, &start);
    for (unsigned i = 0; i < count; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
    for (unsigned i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < count; ++i) {
        assert_false(workers[i].failed);
        free_worker(&workers[i]);
    }
    pthread_barrier_destroy(&start);
}

/* Threads in a new context: each asks for facts, fails once, and scans with another plan. */
static void *begin_in_context(void *user)
{
    worker *w = user;
    xl_device_info info;
    xl_plan *none;
    xl_scan_desc desc;
    char wanted[16];
    snprintf(wanted, sizeof wanted, "%u", 100 + w->number);
    xl_scan_desc_init(&desc);
    pthread_barrier_wait(w->start);
    w->failed = !xl_context_queue(w->ctx) || xl_context_device_info(w->ctx, &info) != XL_SUCCESS ||
                xl_scan_create(w->ctx, &desc, &w->plan) != XL_SUCCESS;
    desc.type = (xl_type)(100 + w->number);
    for (unsigned call = 0; call < CALLS && !w->failed; ++call)
        w->failed = !scan_once(w, call) || xl_scan_create(w->ctx, &desc, &none) == XL_SUCCESS ||
                    !strstr(xl_context_error(w->ctx), wanted);
    xl_plan_destroy(w->plan);
    return NULL;
}

XLT_TEST(threads_begin_in_a_new_context)
{
    xlt_needs_threads();
    for (int repeat = 0; repeat < (xlt_small() ? 1 : 3); ++repeat) {
        xl_context *ctx = xlt_context_with(NULL);
        run_threads(4, ctx, NULL, CALL_N, begin_in_context);
        xl_context_destroy(ctx);
    }
}

/* Each thread does `run` on one plan, for calls of up to n elements; they count their launches in `steps`. */
static void threads_share_a_plan(xl_scan_algorithm algorithm, size_t n, void *(*run)(void *))
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.algorithm = algorithm;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    steps->used = 0;
    layer->delay_us = DELAY_US;
    run_threads(THREADS, xlt_context(), plan, n, run);
    layer->delay_us = 0;
    xl_plan_destroy(plan);
}

XLT_TEST(no_thread_comes_between)
{
    needs_layer();
    xlt_needs_threads();
    threads_share_a_plan(XL_SCAN_AUTO, CALL_N, work);
    arguments_and_launch_are_one_step();
    threads_share_a_plan(XL_SCAN_REDUCE_THEN_SCAN, CALL_N, work);
    arguments_and_launch_are_one_step();
}

/* ---- two threads, the plan's own scratch ---------------------------------------------- */

enum { OWN_N = 50000 };

static void *work_in_own_scratch(void *user)
{
    worker *w = user;
    pthread_barrier_wait(w->start);
    for (unsigned call = 0; call < CALLS; ++call)
        w->failed = xl_scan_enqueue(w->plan, w->queue,
                                    &(xl_scan_args){.n = OWN_N,
                                                    .in = xl_view_of(w->in, 0),
                                                    .out = xl_view_of(w->out, 0)},
                                    0, NULL, NULL) ||
                    w->failed;
    w->failed = clFinish(w->queue) || w->failed;
    return NULL;
}

/* All launches of one call come before any of the next. */
static void calls_are_one_step(void)
{
    unsigned long block = 0;
    unsigned launches = 0, turns = 0, at = 0;
    assert_true(steps->used <= XLT_STEPS);
    for (unsigned i = 0; i < steps->used; ++i)
        launches += steps->steps[i].launch;
    const unsigned a_call = launches / (THREADS * CALLS);
    if (a_call < 2 || launches != a_call * THREADS * CALLS) {
        XLT_FAIL("%u launches of %d calls", launches, THREADS * CALLS);
        return;
    }
    for (unsigned i = 0; i < steps->used; ++i) {
        const xlt_step *s = &steps->steps[i];
        if (!s->launch)
            continue;
        if (at % a_call == 0) {
            turns += at > 0 && s->thread != block;
            block = s->thread;
        } else if (s->thread != block) {
            XLT_FAIL("launch %u of %u comes between two of another thread's call", at, launches);
        }
        ++at;
    }
    assert_true(turns > 0);
}

XLT_TEST(no_call_comes_between_on_own_scratch)
{
    needs_layer();
    xlt_needs_threads();
    threads_share_a_plan(XL_SCAN_REDUCE_THEN_SCAN, OWN_N, work_in_own_scratch);
    calls_are_one_step();
}

/* ---- reductions of whole arrays ------------------------------------------------------------ */

/* One launch if the last work-group may fold the totals of the others, which needs a counter. A call
 * with the caller's scratch on an out-of-order queue has none. */
XLT_TEST(whole_arrays_take_one_launch)
{
    enum { N = 1 << 18, SCRATCH_BYTES = 1 << 20 };
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_device_info info;
    needs_layer();
    cl_command_queue queues[] = {xlt_queue(), xlt_out_of_order_queue()};
    cl_mem in = xlt_mem(xlt_context(), NULL, N * sizeof(cl_uint)),
           out = xlt_mem(xlt_context(), NULL, sizeof(cl_uint)),
           scratch = xlt_mem(xlt_context(), NULL, SCRATCH_BYTES);
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    xl_reduce_desc_init(&desc);
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    for (int loose = 0; loose < 2; ++loose)
        for (int own = 0; own < 2; ++own)
            for (int round = 0; round < 3; ++round) {
                const unsigned before = layer->launches;
                const unsigned wanted = info.has_device_scope && (own || !loose) ? 1 : 2;
                XLT_OK(xl_reduce_enqueue(
                    plan, queues[loose],
                    &(xl_reduce_args){.n = N,
                                      .in = xl_view_of(in, 0),
                                      .out = xl_view_of(out, 0),
                                      .scratch = own ? xl_no_view() : xl_view_of(scratch, 0)},
                    0, NULL, NULL));
                XLT_CL(clFinish(queues[loose]));
                assert_int_equal(layer->launches - before, wanted);
            }
    xl_plan_destroy(plan);
    clReleaseCommandQueue(queues[1]);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(scratch);
}

/* ---- platforms without devices ---------------------------------------------------- */

/* The next time that the devices of the platform with this number are asked for. */
static void strike_platform(cl_uint number, cl_int code)
{
    layer->only = "clGetDeviceIDs";
    layer->calls = 0;
    layer->strike_at = number + 1;
    layer->struck = NULL;
    layer->code = code;
    layer->counting = true;
}

static void strike_nothing(void)
{
    layer->counting = false;
    layer->strike_at = 0;
    layer->only = NULL;
}

/* A driver whose hardware is not there: the devices of all others are listed and taken. */
XLT_TEST(platforms_without_devices_are_passed_over)
{
    enum { MOST = 16 };
    static const cl_int codes[] = {CL_DEVICE_NOT_FOUND, CL_INVALID_PLATFORM, CL_OUT_OF_HOST_MEMORY};
    cl_platform_id platforms[MOST], used;
    cl_uint count = 0;
    needs_layer();
    XLT_CL(clGetDeviceInfo(xl_context_device(xlt_context()), CL_DEVICE_PLATFORM, sizeof used, &used,
                           NULL));
    XLT_CL(clGetPlatformIDs(MOST, platforms, &count));
    const uint32_t all = xl_devices_each(NULL, NULL);
    for (cl_uint p = 0; p < count && p < MOST; ++p)
        for (size_t k = 0; k < sizeof codes / sizeof codes[0]; ++k) {
            cl_uint own = 0;
            xl_context *ctx = NULL;
            if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &own) != CL_SUCCESS)
                own = 0;
            strike_platform(p, codes[k]);
            assert_int_equal(xl_devices_each(NULL, NULL), all - own);
            assert_non_null(layer->struck);
            strike_platform(p, codes[k]);
            const xl_status status = xl_context_create(NULL, &ctx);
            strike_nothing();
            if (platforms[p] != used)
                assert_int_equal(status, XL_SUCCESS);
            else
                assert_true(status == XL_SUCCESS || status == XL_ERROR_NO_DEVICE);
            xl_context_destroy(ctx);
        }
}

int main(void)
{
    layer = xlt_layer_load();
    steps = layer ? xlt_layer_steps() : NULL;
    return xlt_run_tests(NULL, xlt_teardown);
}
