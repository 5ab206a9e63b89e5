/* SPDX-License-Identifier: MIT
 * Several threads on one context: they learn its facts, make its queue, build its
 * programs and enqueue at the same time, with plans of their own and with one plan
 * that all of them share. Meant to run under a thread sanitizer too. */
#define _GNU_SOURCE
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, N = 5000 };

typedef struct worker {
    int number;
    xl_context *ctx;
    xl_scan *shared; /* used with scratch given */
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

static void wrong(worker *w, const char *what, int i, unsigned got, unsigned wanted)
{
    if (!w->failure[0])
        snprintf(w->failure, sizeof w->failure, "%s: element %d is %u, not %u", what, i, got,
                 wanted);
}

typedef struct store {
    cl_mem in, out, scratch;
} store;

static cl_mem make(worker *w, size_t bytes)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(xl_context_cl(w->ctx), CL_MEM_READ_WRITE, bytes, NULL, &code);
    went_cl(w, code, "clCreateBuffer");
    return buffer;
}

static void free_store(store *s)
{
    cl_mem all[] = {s->in, s->out, s->scratch};
    for (int i = 0; i < 3; ++i)
        if (all[i])
            clReleaseMemObject(all[i]);
}

static void scan_with(worker *w, xl_scan *plan, cl_command_queue queue, cl_uint factor)
{
    static const char what[] = "scan";
    cl_uint host[N], sum = 0;
    size_t bytes = 0, alignment = 0;
    cl_event event = NULL;
    for (int i = 0; i < N; ++i)
        host[i] = (cl_uint)i * factor;
    went(w, xl_scan_scratch(plan, N, &bytes, &alignment), "xl_scan_scratch");
    store s = {make(w, sizeof host), make(w, sizeof host), make(w, bytes + 1)};
    if (went_cl(w, clEnqueueWriteBuffer(queue, s.in, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL),
                "write") &&
        went(w,
             xl_scan_enqueue(plan, queue, N, xl_view_of(s.in, 0), xl_no_view(),
                             xl_view_of(s.out, 0), xl_view_of(s.scratch, 0), 0, NULL, &event),
             "xl_scan_enqueue") &&
        went_cl(w,
                clEnqueueReadBuffer(queue, s.out, CL_TRUE, 0, sizeof host, host, 1, &event, NULL),
                "read"))
        for (int i = 0; i < N; ++i) {
            if (host[i] != sum)
                wrong(w, what, i, host[i], sum);
            sum += (cl_uint)i * factor;
        }
    if (event)
        clReleaseEvent(event);
    free_store(&s);
}

static void sort_with(worker *w, xl_sort *plan, cl_command_queue queue, cl_uint seed)
{
    cl_uint host[N];
    size_t bytes = 0, alignment = 0;
    cl_event event = NULL;
    for (int i = 0; i < N; ++i)
        host[i] = ((cl_uint)i + seed) * 2654435761u;
    went(w, xl_sort_scratch(plan, N, &bytes, &alignment), "xl_sort_scratch");
    store s = {make(w, sizeof host), make(w, sizeof host), make(w, bytes + 1)};
    if (went_cl(w, clEnqueueWriteBuffer(queue, s.in, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL),
                "write") &&
        went(w,
             xl_sort_enqueue(plan, queue, N, xl_view_of(s.in, 0), xl_no_view(),
                             xl_view_of(s.out, 0), xl_no_view(), xl_view_of(s.scratch, 0), 0, NULL,
                             &event),
             "xl_sort_enqueue") &&
        went_cl(w,
                clEnqueueReadBuffer(queue, s.out, CL_TRUE, 0, sizeof host, host, 1, &event, NULL),
                "read"))
        for (int i = 1; i < N; ++i)
            if (host[i] < host[i - 1])
                wrong(w, "sort", i, host[i], host[i - 1]);
    if (event)
        clReleaseEvent(event);
    free_store(&s);
}

static void provoke_a_failure(worker *w)
{
    xl_scan *none;
    xl_scan_desc desc;
    char wanted[16];
    xl_scan_desc_init(&desc);
    desc.type = (xl_type)(100 + w->number);
    snprintf(wanted, sizeof wanted, "%d", 100 + w->number);
    if (xl_scan_create(w->ctx, &desc, &none) != XL_ERROR_INVALID_ARGUMENT ||
        !strstr(xl_context_error(w->ctx), wanted))
        snprintf(w->failure, sizeof w->failure, "not this thread's failure: %.400s",
                 xl_context_error(w->ctx));
}

static void *work(void *user)
{
    worker *w = user;
    xl_device_info info;
    xl_scan *scan = NULL;
    xl_sort *sort = NULL;
    xl_scan_desc scan_desc;
    xl_sort_desc sort_desc;
    cl_int code;
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, w->number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
    cl_command_queue own = clCreateCommandQueueWithProperties(
        xl_context_cl(w->ctx), xl_context_device(w->ctx), list, &code);
    went_cl(w, code, "clCreateCommandQueueWithProperties");
    xl_scan_desc_init(&scan_desc);
    xl_sort_desc_init(&sort_desc);
    pthread_barrier_wait(w->start);
    cl_command_queue common = xl_context_queue(w->ctx);
    went(w, xl_context_device_info(w->ctx, &info), "xl_context_device_info");
    if (went(w, xl_scan_create(w->ctx, &scan_desc, &scan), "xl_scan_create") &&
        went(w, xl_sort_create(w->ctx, &sort_desc, &sort), "xl_sort_create"))
        for (cl_uint round = 1; round <= 4 && !w->failure[0]; ++round) {
            scan_with(w, scan, own, round);
            scan_with(w, w->shared ? w->shared : scan, common, round + 7);
            sort_with(w, sort, round % 2 ? own : common, round);
            provoke_a_failure(w);
        }
    xl_scan_destroy(scan);
    xl_sort_destroy(sort);
    clReleaseCommandQueue(own);
    return NULL;
}

static void run_workers(xl_context *ctx, xl_scan *shared)
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; ++i) {
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

static void everything_at_once_in_a_new_context(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < (xlt_small() ? 1 : 3); ++repeat) {
        xl_context *ctx;
        assert_int_equal(xl_context_create(NULL, &ctx), XL_SUCCESS);
        run_workers(ctx, NULL);
        xl_context_destroy(ctx);
    }
}

static void one_plan_for_all_threads(void **state)
{
    (void)state;
    xl_scan *shared;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &shared));
    run_workers(xlt_context(), shared);
    xl_scan_destroy(shared);
}

/* Each thread makes and ends contexts of its own. */
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

static void contexts_come_and_go(void **state)
{
    (void)state;
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

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_at_once_in_a_new_context),
        cmocka_unit_test(one_plan_for_all_threads),
        cmocka_unit_test(contexts_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
