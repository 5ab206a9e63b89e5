/* SPDX-License-Identifier: MIT
 * Calls of several launches whose events are released before the work begins, while it runs, or
 * after everything else is gone: plans, indices and queues are destroyed as soon as a call is
 * enqueued. The events that calls wait for pass, or fail. */
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 900, POINTS = N / 3, SEGMENTS = 4, K = 100, MOST_BYTES = 16 * N };

/* What a call works on, and where its results go. */
typedef struct flow {
    xl_context *ctx;
    cl_command_queue queue;
    cl_uint num_waits;
    const cl_event *waits;
    cl_event event;
    xl_view words, heads, starts, points;
    xl_view out; /* of words of 8 bytes */
} flow;

static xl_context *ctx;
static xlt_buffer words, heads, starts, points;

/* The output as an array of words of 4 bytes, from word `first` on. */
static xl_view words_out(const flow *f, size_t first)
{
    return xl_view_of(f->out.buffer, 2 * f->out.offset + first);
}

#define LAST f->num_waits, f->waits, &f->event
#define PLAN(kind, ...)                                                                            \
    kind *plan = NULL;                                                                             \
    kind##_desc desc;                                                                              \
    kind##_desc_init(&desc);                                                                       \
    __VA_ARGS__;                                                                                   \
    const xl_status status = kind##_create(f->ctx, &desc, &plan);                                  \
    if (status == XL_ERROR_UNSUPPORTED)                                                            \
        return false;                                                                              \
    ok(f->ctx, status, #kind "_create")

/* Each enqueues a call and destroys its plan; false where the device cannot do it. */
static bool call_scan(flow *f, uint32_t algorithm)
{
    PLAN(xl_scan, desc.algorithm = algorithm);
    ok(f->ctx,
       xl_scan_enqueue(plan, f->queue,
                       &(xl_scan_args){.n = N, .in = f->words, .out = words_out(f, 0)}, LAST),
       "xl_scan_enqueue");
    xl_scan_destroy(plan);
    return true;
}

static bool call_reduce(flow *f, uint32_t form)
{
    PLAN(xl_reduce, desc.segments = form);
    ok(f->ctx,
       xl_reduce_enqueue(
           plan, f->queue,
           &(xl_reduce_args){.n = N, .in = f->words, .segments = f->heads, .out = words_out(f, 0)},
           LAST),
       "xl_reduce_enqueue");
    xl_reduce_destroy(plan);
    return true;
}

static bool call_sort(flow *f, uint32_t algorithm)
{
    PLAN(xl_sort, desc.algorithm = algorithm);
    ok(f->ctx,
       xl_sort_enqueue(plan, f->queue,
                       &(xl_sort_args){.n = N, .keys_in = f->words, .keys_out = words_out(f, 0)},
                       LAST),
       "xl_sort_enqueue");
    xl_sort_destroy(plan);
    return true;
}

static bool call_sort_segments(flow *f, uint32_t form)
{
    PLAN(xl_sort, desc.segments = form; desc.segment_type = XL_U32);
    ok(f->ctx,
       xl_sort_enqueue(
           plan, f->queue,
           &(xl_sort_args){
               .n = N, .keys_in = f->words, .keys_out = words_out(f, 0), .segments = f->starts},
           LAST),
       "xl_sort_enqueue");
    xl_sort_destroy(plan);
    return true;
}

static bool call_topk(flow *f, uint32_t form)
{
    const bool whole = form == XL_SEGMENTS_NONE;
    PLAN(xl_topk, desc.segments = form; desc.segment_type = whole ? XL_NONE : XL_U32);
    ok(f->ctx,
       xl_topk_enqueue(plan, f->queue,
                       &(xl_topk_args){.n = N,
                                       .k = K,
                                       .keys_in = f->words,
                                       .keys_out = words_out(f, 0),
                                       .segments = whole ? xl_no_view() : f->starts},
                       LAST),
       "xl_topk_enqueue");
    xl_topk_destroy(plan);
    return true;
}

static bool call_select(flow *f, uint32_t by)
{
    PLAN(xl_select, desc.by = by; desc.predicate = "x & 1");
    ok(f->ctx,
       xl_select_enqueue(plan, f->queue,
                         &(xl_select_args){.n = N, .in = f->words, .out = words_out(f, 0)}, LAST),
       "xl_select_enqueue");
    xl_select_destroy(plan);
    return true;
}

static bool call_merge(flow *f, uint32_t unused)
{
    (void)unused;
    PLAN(xl_merge, (void)0);
    ok(f->ctx,
       xl_merge_enqueue(plan, f->queue,
                        &(xl_merge_args){.n_a = N,
                                         .n_b = N,
                                         .keys_a = f->words,
                                         .keys_b = f->words,
                                         .keys_out = words_out(f, 0)},
                        LAST),
       "xl_merge_enqueue");
    xl_merge_destroy(plan);
    return true;
}

static bool call_histogram(flow *f, uint32_t bins)
{
    PLAN(xl_histogram, desc.num_bins = bins; desc.type = XL_U32; desc.kind = XL_HISTOGRAM_EVEN;
         desc.upper_integer = UINT32_MAX);
    ok(f->ctx,
       xl_histogram_enqueue(plan, f->queue,
                            &(xl_histogram_args){.n = N, .in = f->words, .bins = words_out(f, 0)},
                            LAST),
       "xl_histogram_enqueue");
    xl_histogram_destroy(plan);
    return true;
}

/* Builds, counts and fills: each waits for the one before by its event, which is released at once.
 * Rows have as much room as there is. */
static bool call_grid(flow *f, uint32_t algorithm)
{
    enum { ROOM = 3 * N - 2 * POINTS };
    xl_grid_index *index;
    xl_neighbors *near;
    xl_neighbors_desc how;
    cl_event built, counted;
    xl_neighbors_desc_init(&how);
    how.radius = 0.1f;
    PLAN(xl_grid, desc.cell_size = 0.1f; desc.algorithm = algorithm);
    ok(f->ctx, xl_grid_index_create(f->ctx, &index), "xl_grid_index_create");
    ok(f->ctx, xl_neighbors_create(f->ctx, &how, &near), "xl_neighbors_create");
    ok(f->ctx,
       xl_grid_build_enqueue(plan, index, f->queue,
                             &(xl_grid_build_args){.n = POINTS, .points = f->points}, f->num_waits,
                             f->waits, &built),
       "xl_grid_build_enqueue");
    ok(f->ctx,
       xl_neighbors_count_enqueue(near, index, f->queue,
                                  &(xl_neighbors_count_args){.offsets = f->out}, 1, &built,
                                  &counted),
       "xl_neighbors_count_enqueue");
    XLT_CL(clReleaseEvent(built));
    ok(f->ctx,
       xl_neighbors_fill_enqueue(
           near, index, f->queue,
           &(xl_neighbors_fill_args){
               .offsets = f->out, .indices = words_out(f, 2 * (POINTS + 1)), .capacity = ROOM},
           1, &counted, &f->event),
       "xl_neighbors_fill_enqueue");
    XLT_CL(clReleaseEvent(counted));
    xl_neighbors_destroy(near);
    xl_grid_index_destroy(index);
    xl_grid_destroy(plan);
    return true;
}

static const struct {
    const char *name;
    bool (*enqueue)(flow *f, uint32_t variant);
    uint32_t variant;
} calls[] = {
    {"reduce-then-scan", call_scan, XL_SCAN_REDUCE_THEN_SCAN},
    {"look-back", call_scan, XL_SCAN_LOOKBACK},
    {"textbook scan", call_scan, XL_SCAN_BLELLOCH},
    {"reduction by flags", call_reduce, XL_SEGMENTS_HEAD_FLAGS},
    {"radix sort", call_sort, XL_SORT_RADIX},
    {"bitonic sort", call_sort, XL_SORT_BITONIC},
    {"sort of segments", call_sort_segments, XL_SEGMENTS_OFFSETS},
    {"top-k", call_topk, XL_SEGMENTS_NONE},
    {"top-k of segments", call_topk, XL_SEGMENTS_OFFSETS},
    {"selection", call_select, XL_SELECT_BY_PREDICATE},
    {"merge", call_merge, 0},
    {"histogram", call_histogram, 64},
    {"grid and list", call_grid, XL_GRID_COUNTING},
    {"grid by sorting and list", call_grid, XL_GRID_BITONIC},
};

/* When the event of a call is released, and how what it waits for ends. */
typedef enum lifetime { AT_ONCE, WHILE_IT_RUNS, LAST_OF_ALL } lifetime;
typedef enum gating { NO_GATE, PASSES, FAILS } gating;

static bool platform_is(const char *part)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(ctx, &info));
    return strstr(info.platform, part) != NULL;
}

/* Whether this is one of the trials of the device. The simulator is slow, and forgets that a
 * command failed if nobody holds its event. Intel's CPU runtime (2026) runs commands behind a call
 * that failed, and crashes in clFinish() of an out-of-order queue if the event of a command that
 * failed was released before. */
static bool is_tried(size_t c, bool in_order, lifetime released, gating end)
{
    if (xlt_on_oclgrind())
        return released == AT_ONCE && end == PASSES;
    if (end == FAILS && platform_is("Intel"))
        return in_order && calls[c].enqueue != call_grid;
    return true;
}

static cl_command_queue make_queue(xl_context *of, bool in_order)
{
    cl_int code;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(xl_context_cl(of), xl_context_device(of), list, &code);
    XLT_CL(code);
    return queue;
}

/* On rusticl of Mesa 22.3 clFinish() may return too early. */
static void wait_for_all(cl_command_queue queue)
{
    cl_event marker;
    if (platform_is("rusticl")) {
        XLT_CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
        (void)clWaitForEvents(1, &marker);
        XLT_CL(clReleaseEvent(marker));
    }
    (void)clFinish(queue); /* some drivers say here that a command failed */
}

/* Ends the gate, and waits for all of the call. */
static void let_it_end(flow *f, lifetime released, gating end, cl_event gate)
{
    if (released == AT_ONCE) {
        XLT_CL(clReleaseEvent(f->event));
        f->event = NULL;
    }
    if (end != NO_GATE)
        XLT_CL(clSetUserEventStatus(gate, end == PASSES ? CL_COMPLETE : CL_OUT_OF_RESOURCES));
    if (released == WHILE_IT_RUNS) {
        if (!platform_is(
                "rusticl")) /* Mesa 22.3: clFinish() behind a clFlush() returns too early */
            XLT_CL(clFlush(f->queue));
        XLT_CL(clReleaseEvent(f->event));
        f->event = NULL;
    }
    if (f->event) {
        const bool failed = clWaitForEvents(1, &f->event) != CL_SUCCESS;
        assert_true(failed == (end == FAILS));
    }
    wait_for_all(f->queue);
}

/* False where the device cannot do it. `got` has what is in the output, which is 0xA5 before. */
static bool run(size_t c, bool in_order, lifetime released, gating end, unsigned char *got)
{
    xlt_buffer out = xlt_buffer_make(NULL, MOST_BYTES / 8, 8, 0);
    cl_event gate = end == NO_GATE ? NULL : xlt_user_event();
    flow f = {.ctx = ctx,
              .queue = make_queue(ctx, in_order),
              .num_waits = gate ? 1 : 0,
              .waits = gate ? &gate : NULL,
              .words = xlt_view(&words),
              .heads = xlt_view(&heads),
              .starts = xlt_view(&starts),
              .points = xlt_view(&points),
              .out = xlt_view(&out)};
    f.starts.count = SEGMENTS;
    const bool can = calls[c].enqueue(&f, calls[c].variant);
    if (can)
        let_it_end(&f, released, end, gate);
    else if (gate)
        XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clReleaseCommandQueue(f.queue));
    if (gate)
        XLT_CL(clReleaseEvent(gate));
    xlt_read(&out, got);
    xlt_check_guards(&out, calls[c].name);
    xlt_buffer_free(&out);
    if (f.event)
        XLT_CL(clReleaseEvent(f.event));
    return can;
}

static void compare(size_t c, bool in_order, lifetime released, gating end,
                    const unsigned char *got, const unsigned char *wanted)
{
    static const char *const when[] = {"at once", "while it runs", "last of all"};
    for (size_t i = 0; i < MOST_BYTES; ++i)
        if (got[i] != (end == FAILS ? 0xA5 : wanted[i]))
            XLT_FAIL("%s, %s order, event released %s, %s: byte %zu is %02x", calls[c].name,
                     in_order ? "in" : "out of", when[released],
                     end == FAILS    ? "the wait fails"
                     : end == PASSES ? "gated"
                                     : "not gated",
                     i, got[i]);
}

static void every_call_on_a_queue(bool in_order)
{
    unsigned char *wanted = bytes_for(MOST_BYTES, 1), *got = bytes_for(MOST_BYTES, 1);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) {
        if (!run(c, true, LAST_OF_ALL, NO_GATE, wanted)) {
            print_message("left out, %s: not on this device\n", calls[c].name);
            continue;
        }
        for (gating end = NO_GATE; end <= FAILS; ++end)
            for (lifetime released = AT_ONCE; released <= LAST_OF_ALL; ++released) {
                if (!is_tried(c, in_order, released, end))
                    continue;
                (void)run(c, in_order, released, end, got);
                compare(c, in_order, released, end, got, wanted);
            }
    }
    free(wanted);
    free(got);
}

static void on_queues_in_order(void **state)
{
    (void)state;
    every_call_on_a_queue(true);
}

static void on_queues_out_of_order(void **state)
{
    (void)state;
    XLT_CL(clReleaseCommandQueue(xlt_out_of_order_queue()));
    every_call_on_a_queue(false);
}

/* The context ends before the work begins. */
static void the_context_goes_first(void **state)
{
    (void)state;
    cl_int code;
    for (int k = 0; k < 4; ++k) {
        const bool fails = k & 1, in_order = k < 2;
        xl_context *own;
        if (fails && !in_order && (platform_is("Intel") || xlt_on_oclgrind()))
            continue;
        XLT_OK(xl_context_adopt(xl_context_cl(ctx), xl_context_device(ctx), NULL, &own));
        xlt_buffer out = xlt_buffer_make(NULL, N, 8, 0);
        cl_event gate = clCreateUserEvent(xl_context_cl(ctx), &code);
        XLT_CL(code);
        flow f = {.ctx = own,
                  .queue = make_queue(own, in_order),
                  .num_waits = 1,
                  .waits = &gate,
                  .words = xlt_view(&words),
                  .out = xlt_view(&out)};
        assert_true(call_sort(&f, XL_SORT_BITONIC));
        xl_context_destroy(own);
        if (!xlt_on_oclgrind()) /* where that waits for the gate */
            XLT_CL(clFlush(f.queue));
        XLT_CL(clSetUserEventStatus(gate, fails ? CL_OUT_OF_RESOURCES : CL_COMPLETE));
        assert_true((clWaitForEvents(1, &f.event) != CL_SUCCESS) == fails);
        (void)clFinish(f.queue);
        XLT_CL(clReleaseCommandQueue(f.queue));
        XLT_CL(clReleaseEvent(gate));
        XLT_CL(clReleaseEvent(f.event));
        xlt_buffer_free(&out);
    }
}

static int setup(void **state)
{
    (void)state;
    static uint32_t word[N];
    static unsigned char head[N];
    static float xyz[N];
    static const uint32_t start[SEGMENTS] = {0, 10, 600, 603};
    char tune[512];
    xlt_random random = {17};
    /* A few hundred elements are many tiles. */
    snprintf(tune, sizeof tune, "%s%s", small_tiles,
             "reduce.chunk_elements = 256\nreduce.single_group_tiles = 1\nreduce.item_bytes = 16\n"
             "reduce.whole_bytes = 16\nreduce.group_size = 64\nreduce.whole_size = 64\n"
             "sort.serial_tile_log = 6\nsort.group_log = 6\nsort.items_log = 1\n");
    ctx = open_context(tune, NULL);
    for (size_t i = 0; i < N; ++i) {
        word[i] = (uint32_t)xlt_next(&random);
        head[i] = xlt_below(&random, 5) == 0;
        xyz[i] = xlt_unit(&random);
    }
    words = xlt_buffer_make(word, N, 4, 0);
    heads = xlt_buffer_make(head, N, 1, 0);
    starts = xlt_buffer_make(start, SEGMENTS, 4, 0);
    points = xlt_buffer_make(xyz, N, 4, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    xlt_buffer *const all[] = {&words, &heads, &starts, &points};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        xlt_buffer_free(all[i]);
    xl_context_destroy(ctx);
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_queues_in_order),
        cmocka_unit_test(on_queues_out_of_order),
        cmocka_unit_test(the_context_goes_first),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
