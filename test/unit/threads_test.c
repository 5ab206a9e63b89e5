/* SPDX-License-Identifier: MIT
 * Several threads on one context: they query its device, make its queue, build its programs and
 * enqueue at the same time, with separate plans and with shared plans; every result is compared with
 * serial code. Also run under a thread sanitizer. */
#define _GNU_SOURCE
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 4, N = 20000, WIDTH = 7, SEGMENTS = (N + WIDTH - 1) / WIDTH };

typedef struct plans {
    xl_plan *scan;
    xl_plan *reduce; /* of segments of WIDTH elements */
    xl_plan *sort;   /* with values */
} plans;

typedef struct worker {
    unsigned number;
    xl_context *ctx;
    const plans *shared; /* used with scratch given; NULL: there are none */
    pthread_barrier_t *start;
    char failure[512]; /* "" if all went well */
} worker;

/* cmocka may not be called from threads: what goes wrong is written down. */
static bool went(worker *w, xl_status status, const char *what)
{
    if (status != XL_SUCCESS && !w->failure[0])
        snprintf(w->failure, sizeof w->failure, "%s: %s: %.400s", what, xl_status_name(status),
                 xl_context_error(w->ctx));
    return status == XL_SUCCESS;
}

static bool went_cl(worker *w, cl_int code, const char *what)
{
    if (code != CL_SUCCESS && !w->failure[0])
        snprintf(w->failure, sizeof w->failure, "%s: %d", what, (int)code);
    return code == CL_SUCCESS;
}

static void same(worker *w, const char *what, const cl_uint *got, const cl_uint *wanted, unsigned n)
{
    for (unsigned i = 0; i < n && !w->failure[0]; ++i)
        if (got[i] != wanted[i])
            snprintf(w->failure, sizeof w->failure, "%s: element %u is %u, not %u", what, i,
                     (unsigned)got[i], (unsigned)wanted[i]);
}

/* One call: its arrays, and the thread that makes it. */
typedef struct job {
    worker *w;
    const plans *plans;
    cl_command_queue queue;
    bool scratch_given;
    cl_uint in[N]; /* no two are equal, and no other thread's or round's are the same */
    cl_mem from, values, to, values_to, scratch;
    cl_event event;
} job;

static cl_mem make(worker *w, const void *host, size_t bytes)
{
    cl_int code;
    cl_mem buffer =
        clCreateBuffer(xl_context_cl(w->ctx), CL_MEM_READ_WRITE | (host ? CL_MEM_COPY_HOST_PTR : 0),
                       bytes, (void *)(uintptr_t)host, &code);
    went_cl(w, code, "clCreateBuffer");
    return buffer;
}

/* Scratch of as many bytes as `status` came with, if it is given at all. */
static xl_view scratch_of(job *j, xl_status status, const size_t *bytes)
{
    if (!went(j->w, status, "scratch") || !j->scratch_given)
        return xl_no_view();
    j->scratch = make(j->w, NULL, *bytes + 1);
    return xl_view_of(j->scratch, 0);
}

static bool read_back(const job *j, cl_mem from, cl_uint *to, unsigned n)
{
    return went_cl(
        j->w,
        clEnqueueReadBuffer(j->queue, from, CL_TRUE, 0, n * sizeof *to, to, 1, &j->event, NULL),
        "read");
}

static void scan(job *j)
{
    cl_uint got[N], wanted[N], sum = 0;
    size_t bytes = 0;
    xl_plan *plan = j->plans->scan;
    for (unsigned i = 0; i < N; sum += j->in[i++])
        wanted[i] = sum;
    const xl_view scratch =
        scratch_of(j, xl_scan_scratch(plan, &(xl_scan_args){.n = N}, &bytes), &bytes);
    if (went(j->w,
             xl_scan_enqueue(plan, j->queue,
                             &(xl_scan_args){.n = N,
                                             .in = xl_view_of(j->from, 0),
                                             .out = xl_view_of(j->to, 0),
                                             .scratch = scratch},
                             0, NULL, &j->event),
             "xl_scan_enqueue") &&
        read_back(j, j->to, got, N))
        same(j->w, "scan", got, wanted, N);
}

static void reduce(job *j)
{
    cl_uint got[SEGMENTS], wanted[SEGMENTS] = {0};
    size_t bytes = 0;
    xl_plan *plan = j->plans->reduce;
    for (unsigned i = 0; i < N; ++i)
        wanted[i / WIDTH] += j->in[i];
    const xl_view scratch =
        scratch_of(j, xl_reduce_scratch(plan, &(xl_reduce_args){.n = N}, &bytes), &bytes);
    if (went(j->w,
             xl_reduce_enqueue(plan, j->queue,
                               &(xl_reduce_args){.n = N,
                                                 .in = xl_view_of(j->from, 0),
                                                 .out = xl_view_n(j->to, 0, SEGMENTS),
                                                 .scratch = scratch},
                               0, NULL, &j->event),
             "xl_reduce_enqueue") &&
        read_back(j, j->to, got, SEGMENTS))
        same(j->w, "reduce", got, wanted, SEGMENTS);
}

static int by_value(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

/* Values are the keys' complements: that tells which belongs to which. */
static void sort(job *j)
{
    cl_uint got[N], wanted[N];
    size_t bytes = 0;
    xl_plan *plan = j->plans->sort;
    for (unsigned i = 0; i < N; ++i)
        wanted[i] = ~j->in[i];
    j->values = make(j->w, wanted, sizeof wanted);
    j->values_to = make(j->w, NULL, sizeof wanted);
    memcpy(wanted, j->in, sizeof wanted);
    qsort(wanted, N, sizeof *wanted, by_value);
    const xl_view scratch =
        scratch_of(j, xl_sort_scratch(plan, &(xl_sort_args){.n = N}, &bytes), &bytes);
    if (!went(j->w,
              xl_sort_enqueue(plan, j->queue,
                              &(xl_sort_args){.n = N,
                                              .keys_in = xl_view_of(j->from, 0),
                                              .values_in = xl_view_of(j->values, 0),
                                              .keys_out = xl_view_of(j->to, 0),
                                              .values_out = xl_view_of(j->values_to, 0),
                                              .scratch = scratch},
                              0, NULL, &j->event),
              "xl_sort_enqueue"))
        return;
    if (read_back(j, j->to, got, N))
        same(j->w, "sort, keys", got, wanted, N);
    for (unsigned i = 0; i < N; ++i)
        wanted[i] = ~wanted[i];
    if (read_back(j, j->values_to, got, N))
        same(j->w, "sort, values", got, wanted, N);
}

static void run_job(void (*run)(job *), worker *w, const plans *p, cl_command_queue queue,
                    unsigned round)
{
    job *j = calloc(1, sizeof *j);
    const cl_uint seed = (cl_uint)(round * THREADS + w->number + 1);
    if (!j) {
        snprintf(w->failure, sizeof w->failure, "no memory");
        return;
    }
    *j = (job){.w = w, .plans = p, .queue = queue, .scratch_given = p == w->shared};
    for (cl_uint i = 0; i < N; ++i)
        j->in[i] = (i + seed * N) * 2654435761u;
    j->from = make(w, j->in, sizeof j->in);
    j->to = make(w, NULL, sizeof j->in);
    if (!w->failure[0])
        run(j);
    if (j->event)
        clReleaseEvent(j->event);
    cl_mem all[] = {j->from, j->values, j->to, j->values_to, j->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i])
            clReleaseMemObject(all[i]);
    free(j);
}

static xl_status make_plans(xl_context *ctx, plans *p)
{
    xl_scan_desc scan_desc;
    xl_reduce_desc reduce_desc;
    xl_sort_desc sort_desc;
    *p = (plans){NULL, NULL, NULL};
    xl_scan_desc_init(&scan_desc);
    xl_reduce_desc_init(&reduce_desc);
    reduce_desc.segments = XL_SEGMENTS_WIDTH;
    reduce_desc.segment_width = WIDTH;
    xl_sort_desc_init(&sort_desc);
    sort_desc.value = XL_U32;
    xl_status status = xl_scan_create(ctx, &scan_desc, &p->scan);
    if (status == XL_SUCCESS)
        status = xl_reduce_create(ctx, &reduce_desc, &p->reduce);
    if (status == XL_SUCCESS)
        status = xl_sort_create(ctx, &sort_desc, &p->sort);
    return status;
}

static void destroy_plans(plans *p)
{
    xl_plan_destroy(p->scan);
    xl_plan_destroy(p->reduce);
    xl_plan_destroy(p->sort);
}

static void provoke_a_failure(worker *w)
{
    xl_plan *none;
    xl_scan_desc desc;
    char wanted[16];
    xl_scan_desc_init(&desc);
    desc.type = (xl_type)(100 + (int)w->number);
    snprintf(wanted, sizeof wanted, "%u", 100 + w->number);
    if (xl_scan_create(w->ctx, &desc, &none) != XL_ERROR_INVALID_ARGUMENT ||
        !strstr(xl_context_error(w->ctx), wanted))
        snprintf(w->failure, sizeof w->failure, "not this thread's failure: %.400s",
                 xl_context_error(w->ctx));
}

static void *work(void *user)
{
    static void (*const runs[])(job *) = {scan, reduce, sort};
    worker *w = user;
    plans own;
    xl_device_info info;
    cl_int code;
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, w->number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        xl_context_cl(w->ctx), xl_context_device(w->ctx), list, &code);
    went_cl(w, code, "clCreateCommandQueueWithProperties");
    pthread_barrier_wait(w->start);
    cl_command_queue common = xl_context_queue(w->ctx);
    went(w, xl_context_device_info(w->ctx, &info), "xl_context_device_info");
    if (went(w, make_plans(w->ctx, &own), "plans"))
        for (unsigned round = 0; round < ROUNDS && !w->failure[0]; ++round) {
            for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
                run_job(runs[i], w, &own, round % 2 ? queue : common, round);
                if (w->shared)
                    run_job(runs[i], w, w->shared, round % 2 ? common : queue, round + ROUNDS);
            }
            provoke_a_failure(w);
        }
    destroy_plans(&own);
    clReleaseCommandQueue(queue);
    return NULL;
}

static void run_workers(xl_context *ctx, const plans *shared)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; ++i) {
        workers[i] = (worker){.number = i, .ctx = ctx, .shared = shared, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; ++i)
        if (workers[i].failure[0])
            XLT_FAIL("thread %d: %s", i, workers[i].failure);
}

XLT_TEST(everything_at_once_in_a_new_context)
{
    xlt_needs_threads();
    for (int repeat = 0; repeat < (xlt_small() ? 1 : 3); ++repeat) {
        xl_context *ctx;
        assert_int_equal(xl_context_create(NULL, &ctx), XL_SUCCESS);
        run_workers(ctx, NULL);
        xl_context_destroy(ctx);
    }
}

XLT_TEST(plans_that_all_threads_share)
{
    plans shared;
    xlt_needs_threads();
    XLT_OK(make_plans(xlt_context(), &shared));
    run_workers(xlt_context(), &shared);
    destroy_plans(&shared);
}

/* Each thread makes and destroys separate contexts. */
static void *contexts_of_its_own(void *user)
{
    bool *good = user;
    for (int i = 0; i < 3; ++i) {
        xl_context *ctx = NULL;
        xl_device_info info;
        *good = *good && xl_context_create(NULL, &ctx) == XL_SUCCESS &&
                xl_context_device_info(ctx, &info) == XL_SUCCESS;
        xl_context_destroy(ctx);
    }
    return NULL;
}

XLT_TEST(contexts_come_and_go)
{
    pthread_t threads[THREADS];
    bool good[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        good[i] = true;
        assert_int_equal(pthread_create(&threads[i], NULL, contexts_of_its_own, &good[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(good[i]);
    }
}

XLT_MAIN(NULL, xlt_teardown)
