/* SPDX-License-Identifier: MIT
 * Calls that have not ended yet. Calls that use their plan's own scratch, on any queues, wait for
 * each other and give the bytes that each gives alone. A context may end before its work begins. */
#define _GNU_SOURCE
#include "xlt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 6 };

static xl_context *ctx;
static size_t n;
static xl_plan *scan;
static xl_plan *topk;           /* launches a sort within its own launches */
static xlt_buffer words[CALLS]; /* of call i: different in each */

#define LAST                                                                                       \
    cl_command_queue queue, size_t call, xl_view out, xl_view scratch, cl_uint num,                \
        const cl_event *waits, cl_event *event

static xl_status run_scan(LAST)
{
    return xl_scan_enqueue(
        scan, queue,
        &(xl_scan_args){.n = n, .in = xlt_view(&words[call]), .out = out, .scratch = scratch}, num,
        waits, event);
}

static xl_status run_top_k(LAST)
{
    return xl_top_k_enqueue(topk, queue,
                            &(xl_top_k_args){.n = n,
                                             .k = n / 3,
                                             .keys_in = xlt_view(&words[call]),
                                             .keys_out = out,
                                             .scratch = scratch},
                            num, waits, event);
}

static const struct {
    const char *name;
    xl_status (*enqueue)(LAST);
} primitives[] = {{"scan", run_scan}, {"top-k", run_top_k}};
enum { PRIMITIVES = sizeof primitives / sizeof *primitives };

static cl_command_queue in_order_queue(void)
{
    cl_int code;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(xl_context_cl(ctx), xl_context_device(ctx), NULL, &code);
    XLT_CL(code);
    return queue;
}

static xl_plan *make_scan(void)
{
    xl_plan *made;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    XLT_OK(xl_scan_create(ctx, &desc, &made));
    return made;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Outputs of one primitive's calls, and the bytes that they must hold. */
typedef struct results {
    size_t p;
    xlt_buffer out[CALLS];
    cl_uint *wanted[CALLS];
} results;

/* Intel's CPU runtime (2026.22.10) lets another queue overtake a write that was waited for. */
static void results_clear(results *r)
{
    cl_uint *blank = calloc(n, 4);
    assert_non_null(blank);
    for (size_t c = 0; c < CALLS; ++c)
        XLT_CL(clEnqueueWriteBuffer(xlt_queue(), r->out[c].mem, CL_TRUE,
                                    xlt_view(&r->out[c]).offset * 4, n * 4, blank, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    free(blank);
}

static size_t room_of(size_t p)
{
    size_t bytes;
    XLT_OK(p == 0 ? xl_scan_scratch(scan, &(xl_scan_args){.n = n}, &bytes)
                  : xl_top_k_scratch(topk, &(xl_top_k_args){.n = n, .k = n / 3}, &bytes));
    assert_true(bytes > 0); /* without scratch nothing is tested */
    return bytes;
}

static results results_make(size_t p)
{
    results r = {.p = p};
    xlt_buffer scratch = xlt_scratch_make(room_of(p));
    for (size_t c = 0; c < CALLS; ++c) {
        r.out[c] = xlt_buffer_make(NULL, n, 4, 0);
        r.wanted[c] = malloc(n * 4);
        assert_non_null(r.wanted[c]);
    }
    results_clear(&r);
    for (size_t c = 0; c < CALLS; ++c) {
        XLT_OK(primitives[p].enqueue(xlt_queue(), c, xlt_view(&r.out[c]), xlt_view(&scratch), 0,
                                     NULL, NULL));
        xlt_read(&r.out[c], r.wanted[c]);
        assert_true(c == 0 || memcmp(r.wanted[c], r.wanted[0], n * 4) != 0);
    }
    results_clear(&r);
    xlt_buffer_free(&scratch);
    return r;
}

static void results_check(const results *r, size_t calls, const char *how)
{
    cl_uint *got = malloc(n * 4);
    assert_non_null(got);
    for (size_t c = 0; c < calls; ++c) {
        xlt_read(&r->out[c], got);
        xlt_check_guards(&r->out[c], primitives[r->p].name);
        if (memcmp(got, r->wanted[c], n * 4) != 0)
            XLT_FAIL("%s, %s: call %zu of %zu has other results than alone", primitives[r->p].name,
                     how, c, calls);
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

/* ---- own scratch ----------------------------------------------------------------------------- */

/* All calls at once, again and again, call c on queue c modulo 3. */
XLT_TEST(calls_on_queues_of_both_kinds)
{
    cl_command_queue queues[3] = {xlt_out_of_order_queue(), in_order_queue(), in_order_queue()};
    for (size_t p = 0; p < PRIMITIVES; ++p) {
        results r = results_make(p);
        for (int round = 0; round < (xlt_small() ? 2 : 8); ++round) {
            results_clear(&r);
            for (size_t c = 0; c < CALLS; ++c)
                XLT_OK(enqueue(&r, queues[c % 3], c, 0, NULL, NULL));
            for (size_t q = 0; q < 3; ++q)
                XLT_CL(clFinish(queues[q]));
            results_check(&r, CALLS, "queues of both kinds");
        }
        results_free(&r);
    }
    for (int q = 0; q < 3; ++q)
        XLT_CL(clReleaseCommandQueue(queues[q]));
}

/* A plan whose calls so far were on one queue has no event of them. The next call, on another
 * queue, takes a new buffer. */
XLT_TEST(the_first_calls_of_a_plan)
{
    xl_plan *const usual = scan;
    cl_command_queue queues[2] = {in_order_queue(), in_order_queue()};
    results r = results_make(0);
    for (int round = 0; round < (xlt_small() ? 2 : 20); ++round) {
        cl_event gate = xlt_user_event();
        scan = make_scan();
        results_clear(&r);
        for (size_t c = 0; c < 2; ++c) {
            XLT_OK(enqueue(&r, queues[c], c, 1, &gate, NULL));
            if (!xlt_on_oclgrind())
                XLT_CL(clFlush(queues[c]));
        }
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
        for (size_t c = 0; c < 2; ++c)
            XLT_CL(clFinish(queues[c]));
        results_check(&r, 2, "the first calls of a plan");
        XLT_CL(clReleaseEvent(gate));
        xl_plan_destroy(scan);
    }
    scan = usual;
    for (size_t c = 0; c < 2; ++c)
        XLT_CL(clReleaseCommandQueue(queues[c]));
    results_free(&r);
}

/* With rusticl each queue has separate scratch (lib/ocl/rusticl.c), because the driver does not
 * wait for events across queues. */
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

/* A call starts neither before the call in front of it ends nor before its own events. */
XLT_TEST(a_call_waits_for_the_one_before)
{
    needs_waits_across_queues();
    cl_command_queue first = xlt_out_of_order_queue(), second = in_order_queue();
    for (size_t k = 0; k < 2 * PRIMITIVES; ++k) {
        results r = results_make(k / 2);
        cl_event gates[2] = {xlt_user_event(), xlt_user_event()}, events[2];
        XLT_OK(enqueue(&r, first, 0, 1, &gates[0], &events[0]));
        XLT_OK(enqueue(&r, second, 1, 1, &gates[1], &events[1]));
        XLT_CL(clFlush(first));
        XLT_CL(clFlush(second));
        const bool early = k % 2 == 0; /* which gate opens first */
        XLT_CL(clSetUserEventStatus(gates[early], CL_COMPLETE));
        if (!early)
            XLT_CL(clWaitForEvents(1, events));
        const bool ended = comes_to_an_end(events[1], 50);
        XLT_CL(clSetUserEventStatus(gates[!early], CL_COMPLETE));
        XLT_CL(clWaitForEvents(2, events));
        if (ended)
            XLT_FAIL("%s: the second call ended before %s", primitives[k / 2].name,
                     early ? "the first began" : "its own event");
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

/* It does not wait for other commands on the queue of the call in front of it. */
XLT_TEST(a_call_waits_for_no_more_than_that)
{
    needs_waits_across_queues();
    results r = results_make(0);
    cl_command_queue queues[2] = {in_order_queue(), in_order_queue()};
    cl_event gate = xlt_user_event(), event;
    XLT_OK(enqueue(&r, queues[0], 0, 0, NULL, NULL));
    XLT_CL(clEnqueueBarrierWithWaitList(queues[0], 1, &gate, NULL));
    XLT_CL(clFlush(queues[0]));
    XLT_OK(enqueue(&r, queues[1], 1, 0, NULL, &event));
    XLT_CL(clFlush(queues[1]));
    const bool ended = comes_to_an_end(event, 60000);
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int q = 0; q < 2; ++q) {
        XLT_CL(clFinish(queues[q]));
        XLT_CL(clReleaseCommandQueue(queues[q]));
    }
    if (!ended)
        XLT_FAIL("the second call waits for a command behind the first");
    results_check(&r, 2, "the queue of the first held up");
    XLT_CL(clReleaseEvent(gate));
    XLT_CL(clReleaseEvent(event));
    results_free(&r);
}

/* ---- the context goes first ------------------------------------------------------------------ */

XLT_TEST(the_context_goes_first)
{
    for (int fails = 0; fails < 2; ++fails) {
        xl_context *own;
        xl_plan *sort;
        xl_sort_desc desc;
        cl_event gate = xlt_user_event(), event;
        cl_command_queue queue = in_order_queue();
        xlt_buffer out = xlt_buffer_make(NULL, n, 4, 0);
        XLT_OK(xl_context_adopt(xl_context_cl(ctx), xl_context_device(ctx), NULL, &own));
        xl_sort_desc_init(&desc);
        desc.algorithm = XL_SORT_BITONIC;
        XLT_OK(xl_sort_create(own, &desc, &sort));
        XLT_OK(xl_sort_enqueue(
            sort, queue,
            &(xl_sort_args){.n = n, .keys_in = xlt_view(&words[0]), .keys_out = xlt_view(&out)}, 1,
            &gate, &event));
        xl_plan_destroy(sort);
        xl_context_destroy(own);
        if (!xlt_on_oclgrind()) /* its clFlush() waits for the gate */
            XLT_CL(clFlush(queue));
        XLT_CL(clSetUserEventStatus(gate, fails ? CL_OUT_OF_RESOURCES : CL_COMPLETE));
        assert_true((clWaitForEvents(1, &event) != CL_SUCCESS) == fails);
        (void)clFinish(queue);
        XLT_CL(clReleaseCommandQueue(queue));
        XLT_CL(clReleaseEvent(gate));
        XLT_CL(clReleaseEvent(event));
        xlt_buffer_free(&out);
    }
}

static int setup(void **state)
{
    (void)state;
    xlt_random random = {.state = 7};
    xl_top_k_desc of_top_k;
    ctx = xlt_context();
    n = xlt_small() ? 40000 : 200000;
    scan = make_scan();
    xl_top_k_desc_init(&of_top_k);
    XLT_OK(xl_top_k_create(ctx, &of_top_k, &topk));
    cl_uint *host = malloc(n * sizeof *host);
    assert_non_null(host);
    for (size_t c = 0; c < CALLS; ++c) {
        for (size_t i = 0; i < n; ++i)
            host[i] = (cl_uint)xlt_next(&random);
        words[c] = xlt_buffer_make(host, n, 4, c);
    }
    free(host);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t c = 0; c < CALLS; ++c)
        xlt_buffer_free(&words[c]);
    xl_plan_destroy(scan);
    xl_plan_destroy(topk);
    xlt_finish();
    return 0;
}

XLT_MAIN(setup, teardown)
