/* SPDX-License-Identifier: MIT
 * Calls of one plan: in any order, on queues without order, from threads, in parts. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <unistd.h>
#endif

#include "scan_support.h"

#include <stdlib.h>
#include <string.h>

/* ---- one plan, many calls ----------------------------------------------------------- */

/* The plan's state is used again and again, in any order of sizes. In the second round every
 * other tile publishes late, so that later tiles find the state of the call before, which must
 * count as EMPTY: no two calls have the same data. */
static void calls_in_any_order(void **state)
{
    (void)state;
    static const char *const tunings[] = {
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\n",
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.inject_delay = 2\n"};
    const size_t tiles[] = {3, 40, 2, 39, 1, 40, 90, 5, 90, 60};
    const bool messages = can_publish();
    for (size_t t = 0; t < 2; ++t) {
        const bool late = t == 1;
        xl_context *ctx = open_context(tunings[t], NULL);
        job j;
        job_make(&j, "calls in any order", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
        if (messages)
            j.desc.algorithm = XL_SCAN_LOOKBACK;
        xl_plan *plan = job_plan(ctx, &j);
        const size_t tile = tile_of(ctx, plan);
        for (size_t i = 0; i < (xlt_small() ? 6 : 40); ++i) {
            j.seed = 1000003 * i;
            job_check(ctx, plan, &j, (xlt_small() ? i + 1 : tiles[i % 10]) * tile + i % 7,
                      (placing){0, 0, late || i % 2 == 1, late || i % 9 != 8});
        }
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Scratch grows with n and never shrinks. */
static void scratch_is_monotone(void **state)
{
    (void)state;
    for (int a = XL_SCAN_AUTO; a <= XL_SCAN_BLELLOCH; ++a) {
        size_t bytes, before = 0;
        job j;
        job_make(&j, "scratch", XL_F32, XL_SUM, XL_EXCLUSIVE, NULL);
        j.desc.algorithm = (xl_scan_algorithm)a;
        xl_plan *plan = job_plan(xlt_context(), &j);
        if (!plan)
            continue;
        for (size_t n = 0; n < (size_t)1 << 40; n += n / 3 + 1) {
            XLT_OK(xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes));
            if (bytes < before || bytes % XL_SCRATCH_ALIGNMENT != 0)
                XLT_FAIL("n %zu: %zu bytes after %zu", n, bytes, before);
            before = bytes;
        }
        xl_plan_destroy(plan);
    }
}

/* ---- queues and events ------------------------------------------------------------------ */

static cl_int progress(cl_event event)
{
    cl_int status = -1;
    XLT_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* On a queue without order only events order a write, two scans of it and a read. */
static void out_of_order(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 3000 : 300001;
    cl_command_queue queue = xlt_out_of_order_queue();
    job j;
    job_make(&j, "out of order", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
    xl_plan *plan = job_plan(xlt_context(), &j);
    cl_uint *host = malloc(n * sizeof *host), *got = malloc(n * sizeof *host);
    xlt_buffer a = xlt_buffer_make(NULL, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    for (size_t i = 0; i < n; ++i)
        host[i] = (cl_uint)i * 2654435761u;
    cl_event gate = xlt_user_event(), e[5] = {NULL};
    XLT_CL(clEnqueueWriteBuffer(queue, a.mem, CL_FALSE, xlt_view(&a).offset * 4, n * 4, host, 1,
                                &gate, &e[0]));
    XLT_OK(xl_scan_enqueue(plan, queue,
                           &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)}, 1,
                           &e[0], &e[1]));
    XLT_OK(xl_scan_enqueue(plan, queue,
                           &(xl_scan_args){.n = n, .in = xlt_view(&b), .out = xlt_view(&b)}, 1,
                           &e[1], &e[2]));
    XLT_OK(xl_scan_enqueue(plan, queue, &(xl_scan_args){.n = 0}, 1, &e[2], &e[3]));
    XLT_CL(clEnqueueReadBuffer(queue, b.mem, CL_FALSE, xlt_view(&b).offset * 4, n * 4, got, 1,
                               &e[3], &e[4]));
    for (int i = 0; i < 5; ++i)
        assert_true(progress(e[i]) > CL_COMPLETE);
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &e[4]));
    ref_scan(&j.ref, n, host, NULL, host);
    ref_scan(&j.ref, n, host, NULL, host);
    job_compare(&j, n, got, host);
    for (int i = 0; i < 5; ++i)
        clReleaseEvent(e[i]);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_plan_destroy(plan);
    free(host);
    free(got);
}

/* A call never ran, because an event that it waited for failed. The calls after it must be right.
 * It is the plan's first call, and the memory that the plan takes may have other contents. */
static void after_a_wait_that_failed(void **state)
{
    (void)state;
    enum { OWNERS = 32 };
    const size_t n = xlt_small() ? 3000 : 300001;
    cl_int code;
    size_t bytes;
    cl_mem owners[OWNERS];
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL, &code);
    XLT_CL(code);
    job j;
    job_make(&j, "after a wait that failed", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
    xl_plan *plan = job_plan(xlt_context(), &j);
    XLT_OK(xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes));
    for (int i = 0; i < OWNERS; ++i) {
        unsigned char *full = malloc(bytes + 1);
        memset(full, 0x5a, bytes + 1);
        owners[i] = clCreateBuffer(xl_context_cl(xlt_context()),
                                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes + 1, full, NULL);
        free(full);
    }
    for (int i = 0; i < OWNERS; ++i)
        clReleaseMemObject(owners[i]);
    xlt_buffer a = xlt_buffer_make(NULL, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    cl_event gate = xlt_user_event(), done = NULL;
    XLT_OK(xl_scan_enqueue(plan, queue,
                           &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)}, 1,
                           &gate, &done));
    XLT_CL(clSetUserEventStatus(gate, CL_OUT_OF_RESOURCES));
    (void)clWaitForEvents(1, &done); /* says that it failed, on most devices */
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseCommandQueue(queue);
    for (size_t i = 0; i < 3; ++i)
        job_check(xlt_context(), plan, &j, n - i, (placing){0, 0, false, true});
    xl_plan_destroy(plan);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
}

/* Work that is enqueued completes, though its plan is gone. */
static void plan_let_go_early(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 2000 : 200001;
    job j;
    job_make(&j, "plan let go", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
    uint32_t *host = bytes_for(n, 4), *got = bytes_for(n, 4);
    for (size_t i = 0; i < n; ++i)
        host[i] = (uint32_t)i;
    xlt_buffer a = xlt_buffer_make(host, n, 4, 0);
    for (int round = 0; round < 3; ++round) {
        xl_plan *plan = job_plan(xlt_context(), &j);
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                               NULL, NULL));
        xl_plan_destroy(plan);
        ref_scan(&j.ref, n, host, NULL, host);
    }
    xlt_read(&a, got);
    job_compare(&j, n, got, host);
    xlt_buffer_free(&a);
    free(host);
    free(got);
}

/* Making a plan runs kernels, in no queue of the caller's: the context's own may hold work
 * that waits for an event which the caller completes once it has the plan. */
static void create_waits_for_no_queue(void **state)
{
    (void)state;
    cl_int code;
    xl_plan *plan;
    xl_scan_desc desc;
    xl_context_desc how;
    xl_context *ctx;
    xl_context_desc_init(&how);
    how.cache_dir = "off"; /* that look-back works here is not known yet */
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &how,
                            &ctx));
    cl_event gate = clCreateUserEvent(xl_context_cl(ctx), &code);
    XLT_CL(code);
    XLT_CL(clEnqueueMarkerWithWaitList(xl_context_queue(ctx), 1, &gate, NULL));
    XLT_CL(clFlush(xl_context_queue(ctx)));
    xl_scan_desc_init(&desc);
#ifndef _WIN32
    alarm(200); /* a test that waits for ever has failed */
#endif
    XLT_OK(xl_scan_create(ctx, &desc, &plan));
#ifndef _WIN32
    alarm(0);
#endif
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clFinish(xl_context_queue(ctx)));
    clReleaseEvent(gate);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
}

/* ---- carries ----------------------------------------------------------------------------- */

/* Two parts of an array that is one segment, by offsets, none of which is in the second part. */
static void one_segment_in_two_parts(xl_plan *plan, const uint64_t *in, size_t n, size_t cut)
{
    const uint32_t first[] = {0, (uint32_t)cut}, second[] = {(uint32_t)(n - cut)};
    uint64_t *got = bytes_for(n, sizeof *got), sum = 0;
    xlt_buffer a = xlt_buffer_make(in, n, 8, 0), carry = xlt_buffer_make(NULL, 2, 8, 0);
    xlt_buffer offsets[] = {xlt_buffer_make(first, 2, 4, 0), xlt_buffer_make(second, 1, 4, 0)};
    xl_view at[2] = {xlt_view(&a), xlt_view(&a)}, carries[2] = {xlt_view(&carry), xlt_view(&carry)};
    at[1].offset += cut;
    carries[1].offset += 1;
    for (size_t k = 0; k < 2; ++k)
        XLT_OK(xl_scan_enqueue(
            plan, xlt_queue(),
            &(xl_scan_args){.n = k ? n - cut : cut,
                            .in = at[k],
                            .out = at[k],
                            .segments =
                                xl_view_n(offsets[k].mem, xlt_view(&offsets[k]).offset, 2 - k),
                            .carry_in = k ? carries[0] : xl_no_view(),
                            .carry_out = carries[k],
                            .first_index = k ? cut : 0},
            0, NULL, NULL));
    xlt_read(&a, got);
    for (size_t i = 0; i < n; sum += in[i++])
        if (got[i] != sum)
            XLT_FAIL("parts of %zu and %zu elements: element %zu is %llu, not %llu", cut, n - cut,
                     i, (unsigned long long)got[i], (unsigned long long)sum);
    for (size_t k = 0; k < 2; ++k)
        xlt_buffer_free(&offsets[k]);
    xlt_buffer_free(&a);
    xlt_buffer_free(&carry);
    free(got);
}

static void carries_over_offsets(void **state)
{
    (void)state;
    enum { N = 200 };
    static const char lines[] = "scan.shape = 0\nscan.tile_bytes = 256\n";
    static uint64_t in[N];
    xl_context *ctx = open_context(lines, NULL);
    job j;
    job_make(&j, "carries", XL_U64, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    j.desc.carry = 1;
    j.desc.segments = XL_SEGMENTS_OFFSETS;
    j.desc.segment_type = XL_U32;
    xl_plan *plan = job_plan(ctx, &j);
    for (size_t i = 0; i < N; ++i)
        in[i] = i * i + 1;
    for (size_t cut = 1; cut < N; cut += 29)
        one_segment_in_two_parts(plan, in, N, cut);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
}

/* The plan keeps the buffer of its init, which each call reads, and nothing of the host's. */
static void init_outlives_its_owner(void **state)
{
    (void)state;
    int32_t start = 41;
    job j;
    xlt_buffer init = xlt_buffer_make(NULL, 1, 4, 0);
    job_make(&j, "init let go", XL_I32, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.init_view = xlt_view(&init);
    xl_plan *on_device = job_plan(xlt_context(), &j);
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), init.mem, CL_TRUE, xlt_view(&init).offset * 4, 4,
                                &start, 0, NULL, NULL));
    xlt_buffer_free(&init);
    j.desc.init_view = xl_no_view();
    j.desc.init = &start;
    xl_plan *on_host = job_plan(xlt_context(), &j);
    start = 0;
    const int32_t was = 41;
    j.ref.init = &was;
    job_check(xlt_context(), on_device, &j, 333, placings[0]);
    job_check(xlt_context(), on_host, &j, 333, placings[0]);
    xl_plan_destroy(on_device);
    xl_plan_destroy(on_host);
}

/* ---- threads ------------------------------------------------------------------------------ */

#ifndef _WIN32
typedef struct worker {
    xl_plan *plan;
    cl_uint seed;
    size_t n;
    xl_status status;
    size_t wrong;
} worker;

/* One thread's share: its own queue and buffers, the common plan. No cmocka here. */
static void *work(void *argument)
{
    worker *w = argument;
    cl_int code;
    size_t bytes = 0;
    cl_context cl = xl_context_cl(xlt_context());
    cl_uint *host = malloc(w->n * sizeof *host);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(cl, xl_context_device(xlt_context()), NULL, &code);
    w->status = xl_scan_scratch(w->plan, &(xl_scan_args){.n = w->n}, &bytes);
    cl_mem data = clCreateBuffer(cl, CL_MEM_READ_WRITE, w->n * sizeof *host, NULL, &code);
    cl_mem scratch = clCreateBuffer(cl, CL_MEM_READ_WRITE, bytes + 1, NULL, &code);
    for (int round = 0; round < 10 && w->status == XL_SUCCESS; ++round) {
        const cl_uint step = w->seed + (cl_uint)round;
        for (size_t i = 0; i < w->n; ++i)
            host[i] = step;
        clEnqueueWriteBuffer(queue, data, CL_TRUE, 0, w->n * sizeof *host, host, 0, NULL, NULL);
        w->status = xl_scan_enqueue(w->plan, queue,
                                    &(xl_scan_args){.n = w->n,
                                                    .in = xl_view_of(data, 0),
                                                    .out = xl_view_of(data, 0),
                                                    .scratch = xl_view_of(scratch, 0)},
                                    0, NULL, NULL);
        clEnqueueReadBuffer(queue, data, CL_TRUE, 0, w->n * sizeof *host, host, 0, NULL, NULL);
        for (size_t i = 0; i < w->n; ++i)
            w->wrong += host[i] != step * (cl_uint)i;
    }
    clReleaseMemObject(data);
    clReleaseMemObject(scratch);
    clReleaseCommandQueue(queue);
    free(host);
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    (void)state;
    pthread_t threads[2];
    job j;
    job_make(&j, "threads", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
    xlt_needs_threads();
    xl_plan *plan = job_plan(xlt_context(), &j);
    const size_t n = xlt_small() ? 3000 : 100003;
    worker workers[2] = {{.plan = plan, .seed = 3, .n = n}, {.plan = plan, .seed = 70, .n = n / 2}};
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(workers[i].status, XL_SUCCESS);
        assert_int_equal(workers[i].wrong, 0);
    }
    xl_plan_destroy(plan);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_any_order),
        cmocka_unit_test(scratch_is_monotone),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(carries_over_offsets),
        cmocka_unit_test(init_outlives_its_owner),
        cmocka_unit_test(plan_let_go_early),
        cmocka_unit_test(after_a_wait_that_failed),
        cmocka_unit_test(create_waits_for_no_queue),
#ifndef _WIN32
        cmocka_unit_test(threads_share_a_plan),
#endif
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
