/* SPDX-License-Identifier: MIT
 * Calls that use their plan's own scratch, on any queues and from any threads: each waits for
 * the one before by itself, and gives the bytes that the same call gives alone with scratch of
 * the caller's. */
#define _GNU_SOURCE
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 6, STRIDE = 3 };

/* The queue and what the public calls have in common. */
#define LAST                                                                                       \
    cl_command_queue queue, size_t call, xl_view out, xl_view scratch, cl_uint num,                \
        const cl_event *waits, cl_event *event

static xl_context *ctx;
static size_t n;
static xl_scan *two_pass, *look_back, *textbook;
static xl_reduce *by_width, *whole;
static xl_sort *sort;
static xl_topk *topk;
static xl_grid *grids[CALLS];
static xl_grid_index *built_indices[CALLS];
static xl_neighbors *neighbors;
static xlt_buffer words[CALLS], points[CALLS]; /* of call i: different in each */

static xl_status run_scan(xl_scan *plan, LAST)
{
    return xl_scan_enqueue(
        plan, queue,
        &(xl_scan_args){.n = n, .in = xlt_view(&words[call]), .out = out, .scratch = scratch}, num,
        waits, event);
}

static xl_status run_two_pass(LAST)
{
    return run_scan(two_pass, queue, call, out, scratch, num, waits, event);
}

static xl_status run_look_back(LAST)
{
    return run_scan(look_back, queue, call, out, scratch, num, waits, event);
}

static xl_status run_textbook(LAST)
{
    return run_scan(textbook, queue, call, out, scratch, num, waits, event);
}

static xl_status run_reduce_by(xl_reduce *plan, LAST)
{
    return xl_reduce_enqueue(
        plan, queue,
        &(xl_reduce_args){.n = n, .in = xlt_view(&words[call]), .out = out, .scratch = scratch},
        num, waits, event);
}

static xl_status run_reduce(LAST)
{
    return run_reduce_by(by_width, queue, call, out, scratch, num, waits, event);
}

static xl_status run_reduce_whole(LAST)
{
    return run_reduce_by(whole, queue, call, out, scratch, num, waits, event);
}

static xl_status run_sort(LAST)
{
    return xl_sort_enqueue(
        sort, queue,
        &(xl_sort_args){
            .n = n, .keys_in = xlt_view(&words[call]), .keys_out = out, .scratch = scratch},
        num, waits, event);
}

static xl_status run_topk(LAST)
{
    return xl_topk_enqueue(topk, queue,
                           &(xl_topk_args){.n = n,
                                           .k = n / 3,
                                           .keys_in = xlt_view(&words[call]),
                                           .keys_out = out,
                                           .scratch = scratch},
                           num, waits, event);
}

static xl_status run_neighbors(LAST)
{
    return xl_neighbors_count_enqueue(
        neighbors, built_indices[call], queue,
        &(xl_neighbors_count_args){.offsets = out, .scratch = scratch}, num, waits, event);
}

static xl_status scan_room(xl_scan *plan, size_t *bytes)
{
    size_t alignment;
    return xl_scan_scratch(plan, n, bytes, &alignment);
}

static xl_status two_pass_room(size_t *bytes)
{
    return scan_room(two_pass, bytes);
}

static xl_status look_back_room(size_t *bytes)
{
    return scan_room(look_back, bytes);
}

static xl_status textbook_room(size_t *bytes)
{
    return scan_room(textbook, bytes);
}

static xl_status reduce_room(size_t *bytes)
{
    size_t alignment;
    return xl_reduce_scratch(by_width, n, bytes, &alignment);
}

static xl_status reduce_whole_room(size_t *bytes)
{
    size_t alignment;
    return xl_reduce_scratch(whole, n, bytes, &alignment);
}

static xl_status sort_room(size_t *bytes)
{
    size_t alignment;
    return xl_sort_scratch(sort, n, bytes, &alignment);
}

static xl_status topk_room(size_t *bytes)
{
    size_t alignment;
    return xl_topk_scratch(topk, n, n / 3, bytes, &alignment);
}

static xl_status neighbors_room(size_t *bytes)
{
    size_t alignment;
    return xl_neighbors_scratch(neighbors, n / STRIDE, bytes, &alignment);
}

static const struct {
    const char *name;
    xl_status (*enqueue)(LAST);
    xl_status (*room)(size_t *bytes);
    xl_scan **needs;  /* a plan that there may not be */
    size_t out_bytes; /* an element of out */
} primitives[] = {
    {"reduce-then-scan", run_two_pass, two_pass_room, NULL, 4},
    {"look-back", run_look_back, look_back_room, &look_back, 4},
    {"textbook scan", run_textbook, textbook_room, NULL, 4},
    {"reduction", run_reduce, reduce_room, NULL, 4},
    {"reduction of the whole array", run_reduce_whole, reduce_whole_room, NULL, 4},
    {"sort", run_sort, sort_room, NULL, 4},
    {"top-k", run_topk, topk_room, NULL, 4},
    {"neighbours", run_neighbors, neighbors_room, NULL, 8},
};
enum { PRIMITIVES = sizeof primitives / sizeof *primitives };

static size_t out_elements(size_t p)
{
    return primitives[p].out_bytes == 8 ? n / STRIDE + 1 : n;
}

static cl_command_queue in_order_queue(void)
{
    cl_int code;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(xl_context_cl(ctx), xl_context_device(ctx), NULL, &code);
    XLT_CL(code);
    return queue;
}

/* What one primitive's calls leave, and should leave. */
typedef struct results {
    size_t p, bytes;
    xlt_buffer out[CALLS];
    unsigned char *wanted[CALLS];
} results;

static void clear_out(const xlt_buffer *out, size_t bytes)
{
    unsigned char *blank = calloc(bytes + 1, 1); /* of nothing there is no memory */
    assert_non_null(blank);
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), out->mem, CL_TRUE, xlt_view(out).offset * out->size,
                                bytes, blank, 0, NULL, NULL));
    free(blank);
}

static results results_make(size_t p)
{
    results r = {.p = p, .bytes = out_elements(p) * primitives[p].out_bytes};
    size_t room = 0;
    XLT_OK(primitives[p].room(&room));
    if (room == 0)
        XLT_FAIL("%s of %zu elements needs no scratch: nothing is tested", primitives[p].name, n);
    xlt_buffer scratch = xlt_scratch_make(room, 256);
    for (size_t c = 0; c < CALLS; ++c) {
        r.out[c] = xlt_buffer_make(NULL, out_elements(p), primitives[p].out_bytes, 0);
        clear_out(&r.out[c], r.bytes);
        r.wanted[c] = malloc(r.bytes + 1);
        assert_non_null(r.wanted[c]);
        XLT_OK(primitives[p].enqueue(xlt_queue(), c, xlt_view(&r.out[c]), xlt_view(&scratch), 0,
                                     NULL, NULL));
        xlt_read(&r.out[c], r.wanted[c]);
        if (c > 0 && memcmp(r.wanted[c], r.wanted[0], r.bytes) == 0)
            XLT_FAIL("%s: calls 0 and %zu have the same results", primitives[p].name, c);
    }
    xlt_buffer_free(&scratch);
    return r;
}

/* Intel's CPU runtime (2026.22.10) lets another queue overtake a write that was waited for. */
static void results_clear(results *r)
{
    for (size_t c = 0; c < CALLS; ++c)
        clear_out(&r->out[c], r->bytes);
    XLT_CL(clFinish(xlt_queue()));
}

static void results_check(const results *r, size_t calls, const char *how)
{
    unsigned char *got = malloc(r->bytes + 1);
    assert_non_null(got);
    for (size_t c = 0; c < calls; ++c) {
        xlt_read(&r->out[c], got);
        xlt_check_guards(&r->out[c], primitives[r->p].name);
        size_t at = 0;
        while (at < r->bytes && got[at] == r->wanted[c][at])
            ++at;
        if (at < r->bytes)
            XLT_FAIL("%s, %s: call %zu of %zu has other results than alone, from byte %zu on: "
                     "0x%02x, not 0x%02x",
                     primitives[r->p].name, how, c, calls, at, got[at], r->wanted[c][at]);
    }
    free(got);
}

static void results_free(results *r)
{
    for (size_t c = 0; c < CALLS; ++c) {
        xlt_buffer_free(&r->out[c]);
        free(r->wanted[c]);
    }
}

static xl_status enqueue(const results *r, cl_command_queue queue, size_t c, cl_uint num,
                         const cl_event *waits, cl_event *event)
{
    return primitives[r->p].enqueue(queue, c, xlt_view(&r->out[c]), xl_no_view(), num, waits,
                                    event);
}

static bool there_is(size_t p)
{
    return !primitives[p].needs || *primitives[p].needs;
}

/* All calls at once, again and again, call c on queues[c % num_queues]. */
static void overlap(cl_command_queue *queues, size_t num_queues, const char *how)
{
    const int rounds = xlt_small() ? 2 : 8;
    for (size_t p = 0; p < PRIMITIVES; ++p) {
        if (!there_is(p))
            continue;
        results r = results_make(p);
        for (int round = 0; round < rounds; ++round) {
            results_clear(&r);
            for (size_t c = 0; c < CALLS; ++c)
                XLT_OK(enqueue(&r, queues[c % num_queues], c, 0, NULL, NULL));
            for (size_t q = 0; q < num_queues; ++q)
                XLT_CL(clFinish(queues[q]));
            results_check(&r, CALLS, how);
        }
        results_free(&r);
    }
}

static void calls_on_an_out_of_order_queue(void **state)
{
    (void)state;
    cl_command_queue queue = xlt_out_of_order_queue();
    overlap(&queue, 1, "an out-of-order queue");
    XLT_CL(clReleaseCommandQueue(queue));
}

static void calls_on_two_in_order_queues(void **state)
{
    (void)state;
    cl_command_queue queues[2] = {in_order_queue(), in_order_queue()};
    overlap(queues, 2, "two queues in order");
    for (int q = 0; q < 2; ++q)
        XLT_CL(clReleaseCommandQueue(queues[q]));
}

static void calls_on_queues_of_both_kinds(void **state)
{
    (void)state;
    cl_command_queue queues[3] = {xlt_out_of_order_queue(), in_order_queue(), in_order_queue()};
    overlap(queues, 3, "queues of both kinds");
    for (int q = 0; q < 3; ++q)
        XLT_CL(clReleaseCommandQueue(queues[q]));
}

/* See lib/ocl/rusticl.c: there each queue has scratch of its own, and these tests would wait for
 * events across queues themselves. */
static void needs_waits_across_queues(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(ctx, &info));
    if (strcmp(info.platform, "rusticl") == 0) {
        print_message("queues do not wait for each other's events here\n");
        skip();
    }
}

static bool comes_to_an_end(cl_event event, unsigned milliseconds)
{
    for (unsigned waited = 0;; ++waited) {
        cl_int now = CL_QUEUED;
        XLT_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
        if (now <= CL_COMPLETE || waited == milliseconds)
            return now <= CL_COMPLETE;
        usleep(1000);
    }
}

/* A call behind one that cannot start yet does not start either, nor before its own events. */
static void a_call_waits_for_the_one_before(void **state)
{
    (void)state;
    needs_waits_across_queues();
    cl_command_queue first = xlt_out_of_order_queue(), second = in_order_queue();
    for (size_t p = 0; p < PRIMITIVES; ++p) {
        if (!there_is(p))
            continue;
        results r = results_make(p);
        results_clear(&r);
        cl_event gates[2] = {xlt_user_event(), xlt_user_event()}, events[2];
        XLT_OK(enqueue(&r, first, 0, 1, &gates[0], &events[0]));
        XLT_OK(enqueue(&r, second, 1, 1, &gates[1], &events[1]));
        XLT_CL(clFlush(first));
        XLT_CL(clFlush(second));
        const bool early = p % 2 == 0; /* which gate opens first takes turns */
        XLT_CL(clSetUserEventStatus(gates[early], CL_COMPLETE));
        if (!early)
            XLT_CL(clWaitForEvents(1, events));
        const bool ended = comes_to_an_end(events[1], 50);
        XLT_CL(clSetUserEventStatus(gates[!early], CL_COMPLETE));
        XLT_CL(clWaitForEvents(2, events));
        if (ended)
            XLT_FAIL("%s: the second call ended before %s", primitives[p].name,
                     early ? "the first began" : "what it waits for");
        results_check(&r, 2, "one behind the other");
        for (int e = 0; e < 2; ++e) {
            XLT_CL(clReleaseEvent(gates[e]));
            XLT_CL(clReleaseEvent(events[e]));
        }
        results_free(&r);
    }
    XLT_CL(clFinish(second));
    XLT_CL(clReleaseCommandQueue(first));
    XLT_CL(clReleaseCommandQueue(second));
}

/* But it does not wait for what else is on the queue of the one before, which may wait for it. */
static void a_call_waits_for_no_more_than_that(void **state)
{
    (void)state;
    needs_waits_across_queues();
    for (size_t p = 0; p < PRIMITIVES; ++p) {
        if (!there_is(p))
            continue;
        results r = results_make(p);
        results_clear(&r);
        cl_command_queue queues[2] = {in_order_queue(), in_order_queue()};
        cl_event gate = xlt_user_event(), event;
        XLT_OK(enqueue(&r, queues[0], 0, 0, NULL, NULL));
        XLT_CL(clEnqueueBarrierWithWaitList(queues[0], 1, &gate, NULL));
        XLT_CL(clFlush(queues[0]));
        XLT_OK(enqueue(&r, queues[1], 1, 0, NULL, &event));
        XLT_CL(clFlush(queues[1]));
        const bool ended = comes_to_an_end(event, 300000);
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        for (int q = 0; q < 2; ++q) {
            XLT_CL(clFinish(queues[q]));
            XLT_CL(clReleaseCommandQueue(queues[q]));
        }
        if (!ended)
            XLT_FAIL("%s: the second call waits for what stands behind the first",
                     primitives[p].name);
        results_check(&r, 2, "the queue of the first held up");
        XLT_CL(clReleaseEvent(gate));
        XLT_CL(clReleaseEvent(event));
        results_free(&r);
    }
}

typedef struct worker {
    const results *r;
    size_t call;
    pthread_barrier_t *start;
    char failure[256]; /* "" if all went well */
} worker;

/* cmocka may not be called from threads: what goes wrong is written down. */
static void *work(void *given)
{
    worker *w = given;
    cl_int code;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(xl_context_cl(ctx), xl_context_device(ctx), NULL, &code);
    pthread_barrier_wait(w->start);
    for (int round = 0; queue && !w->failure[0] && round < 20; ++round)
        if (enqueue(w->r, queue, w->call, 0, NULL, NULL) != XL_SUCCESS)
            snprintf(w->failure, sizeof w->failure, "%.200s", xl_context_error(ctx));
    if (!queue || clFinish(queue) != CL_SUCCESS || clReleaseCommandQueue(queue) != CL_SUCCESS)
        snprintf(w->failure, sizeof w->failure, "its queue failed");
    return NULL;
}

static void calls_from_several_threads(void **state)
{
    (void)state;
    xlt_needs_threads();
    for (size_t p = 0; p < PRIMITIVES; ++p) {
        if (!there_is(p))
            continue;
        results r = results_make(p);
        results_clear(&r);
        pthread_t threads[CALLS];
        worker workers[CALLS];
        pthread_barrier_t start;
        assert_int_equal(pthread_barrier_init(&start, NULL, CALLS), 0);
        for (size_t c = 0; c < CALLS; ++c) {
            workers[c] = (worker){.r = &r, .call = c, .start = &start};
            assert_int_equal(pthread_create(&threads[c], NULL, work, &workers[c]), 0);
        }
        for (size_t c = 0; c < CALLS; ++c)
            assert_int_equal(pthread_join(threads[c], NULL), 0);
        for (size_t c = 0; c < CALLS; ++c)
            if (workers[c].failure[0])
                XLT_FAIL("%s, thread %zu: %s", primitives[p].name, c, workers[c].failure);
        results_check(&r, CALLS, "several threads");
        pthread_barrier_destroy(&start);
        results_free(&r);
    }
}

/* Builds of one grid in its own storage, on two queues: the last one counts. */
static void builds_of_one_grid(void **state)
{
    (void)state;
    cl_command_queue queues[2] = {in_order_queue(), in_order_queue()};
    xl_grid_desc desc;
    xl_grid *grid;
    xl_grid_index *index;
    cl_event last = NULL;
    const size_t bytes = n / STRIDE * sizeof(cl_uint);
    uint32_t *got[2] = {malloc(bytes), malloc(bytes)};
    assert_true(got[0] && got[1]);
    for (size_t i = 0; i < n / STRIDE; ++i)
        got[0][i] = (uint32_t)i;
    xlt_buffer in = xlt_buffer_make(got[0], n / STRIDE, 4, 0),
               out = xlt_buffer_make(NULL, n / STRIDE, 4, 0);
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    XLT_OK(xl_grid_create(ctx, &desc, &grid));
    XLT_OK(xl_grid_index_create(ctx, &index));
    for (int round = 0; round < 5; ++round) {
        for (size_t c = 0; c < CALLS; ++c) {
            if (last)
                XLT_CL(clReleaseEvent(last));
            XLT_OK(xl_grid_build_enqueue(
                grid, index, queues[c % 2],
                &(xl_grid_build_args){.n = n / STRIDE, .points = xlt_view(&points[c])}, 0, NULL,
                &last));
        }
        XLT_CL(clWaitForEvents(1, &last));
        XLT_OK(xl_grid_reorder_enqueue(
            grid, index, queues[0],
            &(xl_grid_reorder_args){.element_bytes = 4, .in = xlt_view(&in), .out = xlt_view(&out)},
            0, NULL, NULL));
        XLT_CL(clFinish(queues[0]));
        xlt_read(&out, got[0]);
        XLT_OK(xl_grid_reorder_enqueue(
            grids[CALLS - 1], built_indices[CALLS - 1], queues[0],
            &(xl_grid_reorder_args){.element_bytes = 4, .in = xlt_view(&in), .out = xlt_view(&out)},
            0, NULL, NULL));
        XLT_CL(clFinish(queues[0]));
        xlt_read(&out, got[1]);
        assert_memory_equal(got[0], got[1], bytes);
    }
    XLT_CL(clReleaseEvent(last));
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    for (int q = 0; q < 2; ++q) {
        XLT_CL(clFinish(queues[q]));
        XLT_CL(clReleaseCommandQueue(queues[q]));
        free(got[q]);
    }
}

static void make_data(void)
{
    xlt_random random = {.state = 7};
    cl_uint *host = malloc(n * sizeof *host);
    float *xyz = malloc(n * sizeof *xyz);
    assert_true(host && xyz);
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    for (size_t c = 0; c < CALLS; ++c) {
        for (size_t i = 0; i < n; ++i) {
            host[i] = (cl_uint)xlt_next(&random);
            xyz[i] = 16 * xlt_unit(&random);
        }
        words[c] = xlt_buffer_make(host, n, 4, c);
        points[c] = xlt_buffer_make(xyz, n / STRIDE * STRIDE, 4, 0);
        XLT_OK(xl_grid_create(ctx, &desc, &grids[c]));
        XLT_OK(xl_grid_index_create(ctx, &built_indices[c]));
        XLT_OK(xl_grid_build_enqueue(
            grids[c], built_indices[c], xlt_queue(),
            &(xl_grid_build_args){.n = n / STRIDE, .points = xlt_view(&points[c])}, 0, NULL, NULL));
    }
    XLT_CL(clFinish(xlt_queue()));
    free(host);
    free(xyz);
}

static int setup(void **state)
{
    (void)state;
    xl_scan_desc scan;
    xl_reduce_desc reduce;
    xl_sort_desc sorts;
    xl_neighbors_desc searches;
    ctx = xlt_context();
    n = xlt_small() ? 40000 : 200000;
    xl_scan_desc_init(&scan);
    scan.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    XLT_OK(xl_scan_create(ctx, &scan, &two_pass));
    scan.algorithm = XL_SCAN_BLELLOCH;
    XLT_OK(xl_scan_create(ctx, &scan, &textbook));
    scan.algorithm = XL_SCAN_LOOKBACK;
    if (xl_scan_create(ctx, &scan, &look_back) != XL_SUCCESS)
        look_back = NULL;
    xl_reduce_desc_init(&reduce);
    XLT_OK(xl_reduce_create(ctx, &reduce, &whole));
    reduce.segments = XL_SEGMENTS_WIDTH;
    reduce.segment_width = 1000;
    XLT_OK(xl_reduce_create(ctx, &reduce, &by_width));
    xl_sort_desc_init(&sorts);
    XLT_OK(xl_sort_create(ctx, &sorts, &sort));
    xl_topk_desc best;
    xl_topk_desc_init(&best);
    XLT_OK(xl_topk_create(ctx, &best, &topk));
    xl_neighbors_desc_init(&searches);
    searches.radius = 0.5f;
    XLT_OK(xl_neighbors_create(ctx, &searches, &neighbors));
    make_data();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t c = 0; c < CALLS; ++c) {
        xl_grid_index_destroy(built_indices[c]);
        xl_grid_destroy(grids[c]);
        xlt_buffer_free(&words[c]);
        xlt_buffer_free(&points[c]);
    }
    xl_scan_destroy(two_pass);
    xl_scan_destroy(look_back);
    xl_scan_destroy(textbook);
    xl_reduce_destroy(by_width);
    xl_reduce_destroy(whole);
    xl_sort_destroy(sort);
    xl_topk_destroy(topk);
    xl_neighbors_destroy(neighbors);
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_on_an_out_of_order_queue),
        cmocka_unit_test(calls_on_two_in_order_queues),
        cmocka_unit_test(calls_on_queues_of_both_kinds),
        cmocka_unit_test(a_call_waits_for_the_one_before),
        cmocka_unit_test(a_call_waits_for_no_more_than_that),
        cmocka_unit_test(calls_from_several_threads),
        cmocka_unit_test(builds_of_one_grid),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
