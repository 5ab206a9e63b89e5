/* SPDX-License-Identifier: MIT
 * Reductions of whole arrays by many work-groups, of which the last folds what the others leave
 * (cl/reduce/reduce_whole.cl), against a serial fold: call after call with one plan and one
 * scratch, whatever that held, calls in flight together, lengths on the device. Where the device
 * has no messages between work-groups the same calls take two launches. */
#include "reduce_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 120, SEED = 29 };

/* The map x -> a x + b, of 32 bits each: order counts. */
static const uint64_t same = 1;
static const xl_user_op then = {
    "then",
    "ulong then(ulong p, ulong q)\n{\n    const uint a = (uint)p, b = (uint)(p >> 32), c = "
    "(uint)q, "
    "d = (uint)(q >> 32);\n    return (ulong)(b * c + d) << 32 | (uint)(a * c);\n}\n",
    &same, XL_OP_STRICTLY_ASSOCIATIVE};

static uint64_t then_of(uint64_t p, uint64_t q)
{
    const uint32_t a = (uint32_t)p, b = (uint32_t)(p >> 32), c = (uint32_t)q,
                   d = (uint32_t)(q >> 32);
    return (uint64_t)(b * c + d) << 32 | (uint32_t)(a * c);
}

static uint64_t plus_of(uint64_t p, uint64_t q)
{
    return p + q;
}

static const struct {
    const char *what;
    const xl_user_op *op; /* NULL: the sum */
    uint64_t (*fold)(uint64_t p, uint64_t q);
    uint64_t empty;
} kinds[] = {{"sum", NULL, plus_of, 0}, {"in order", &then, then_of, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Chunks of 256 elements, one for each work-item; and of as few as groups take. */
static const struct {
    const char *what, *tune, *mask;
} ways[] = {
    {"work-items", "reduce.serial = 1\nreduce.chunk_elements = 256\nreduce.chunk_groups = 64\n",
     NULL},
    {"groups",
     "reduce.serial = 0\nreduce.whole_size = 64\nreduce.whole_bytes = 32\n"
     "reduce.chunk_groups = 64\nreduce.single_group_vectors = 1\nreduce.chunk_vectors = 1\n",
     NULL},
    {"groups of 8, no lanes",
     "reduce.serial = 0\nreduce.whole_bytes = 64\nreduce.chunk_groups = 3\n"
     "reduce.single_group_vectors = 2\nreduce.chunk_vectors = 3\n",
     "width=1,work-group=8"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static size_t most_n(void)
{
    return xlt_small() ? 3001 : 70001;
}

static size_t num_calls(void)
{
    return xlt_small() ? 24 : MOST_CALLS;
}

/* One plan with its data, and what each number of elements comes to. */
typedef struct bench {
    size_t kind, n;
    xl_context *ctx;
    xl_reduce *plan;
    uint64_t *in, *wanted;
    xlt_buffer a, out, lengths;
    uint64_t length[MOST_CALLS];
    size_t scratch_bytes, scratch_align;
} bench;

/* All sizes from nothing on, those around a group's vectors, and the most there may be. */
static size_t call_size(size_t call)
{
    static const size_t some[] = {0, 1, 3, 63, 64, 127, 128, 129, 255, 256, 257, 600, 1025, 2999};
    const size_t few = sizeof some / sizeof *some, most = most_n();
    if (call % 5 == 4)
        return most - call / 5;
    return call % 2 ? some[call / 2 % few] : (call * 7919 + 13) % most;
}

static bench bench_make(size_t way, size_t kind)
{
    bench b = {.kind = kind, .n = most_n()};
    xlt_random random = {SEED + kind};
    xl_reduce_desc desc;
    b.ctx = open_context(ways[way].tune, ways[way].mask);
    xl_reduce_desc_init(&desc);
    desc.type = XL_U64;
    desc.op = kinds[kind].op ? XL_USER_OP : XL_SUM;
    desc.user_op = kinds[kind].op;
    ok(b.ctx, xl_reduce_create(b.ctx, &desc, &b.plan), ways[way].what);
    ok(b.ctx, xl_reduce_scratch(b.plan, b.n, &b.scratch_bytes, &b.scratch_align), "scratch");
    b.in = bytes_for(b.n, 8);
    b.wanted = bytes_for(b.n + 1, 8);
    b.wanted[0] = kinds[kind].empty;
    for (size_t i = 0; i < b.n; ++i) {
        b.in[i] = xlt_next(&random) | 1;
        b.wanted[i + 1] = kinds[kind].fold(b.wanted[i], b.in[i]);
    }
    for (size_t c = 0; c < MOST_CALLS; ++c)
        b.length[c] = call_size(c);
    b.a = xlt_buffer_make(b.in, b.n, 8, way + kind);
    b.out = xlt_buffer_make(NULL, MOST_CALLS, 8, 0);
    b.lengths = xlt_buffer_make(b.length, MOST_CALLS, 8, 0);
    return b;
}

static void bench_free(bench *b)
{
    xlt_buffer_free(&b->a);
    xlt_buffer_free(&b->out);
    xlt_buffer_free(&b->lengths);
    xl_reduce_destroy(b->plan);
    xl_context_destroy(b->ctx);
    free(b->in);
    free(b->wanted);
}

static xl_view place(const xlt_buffer *buffer, size_t i)
{
    xl_view view = xlt_view(buffer);
    view.offset += i;
    return view;
}

static void enqueue(const bench *b, cl_command_queue queue, size_t call, xl_view scratch,
                    bool on_device)
{
    ok(b->ctx,
       xl_reduce_enqueue(
           b->plan, queue,
           &(xl_reduce_args){.n = on_device ? b->n : b->length[call],
                             .n_device = on_device ? place(&b->lengths, call) : xl_no_view(),
                             .in = xlt_view(&b->a),
                             .out = place(&b->out, call),
                             .scratch = scratch},
           0, NULL, NULL),
       "xl_reduce_enqueue");
}

/* Results that no call gives, on any queue afterwards. */
static void bench_blank(bench *b)
{
    uint64_t blank[MOST_CALLS];
    memset(blank, 0xa5, sizeof blank);
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), b->out.mem, CL_TRUE, xlt_view(&b->out).offset * 8,
                                sizeof blank, blank, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
}

static void bench_check(const bench *b, size_t way, const char *how)
{
    uint64_t got[MOST_CALLS];
    xlt_read(&b->out, got);
    xlt_check_guards(&b->out, how);
    for (size_t c = 0; c < num_calls(); ++c)
        if (got[c] != b->wanted[b->length[c]])
            XLT_FAIL("%s by %s, %s: call %zu of %zu elements gives %llx, not %llx",
                     kinds[b->kind].what, ways[way].what, how, c, (size_t)b->length[c],
                     (unsigned long long)got[c], (unsigned long long)b->wanted[b->length[c]]);
}

typedef void scenario(bench *b, size_t way);

static void each(scenario *run)
{
    for (size_t way = 0; way < WAYS; ++way)
        for (size_t kind = 0; kind < KINDS; ++kind) {
            bench b = bench_make(way, kind);
            run(&b, way);
            bench_free(&b);
        }
}

static cl_command_queue in_order_queue(void)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL, &code);
    XLT_CL(code);
    return queue;
}

/* ---- call after call ------------------------------------------------------------------------ */

/* A scratch full of one byte, of another each time, and what the calls before left in it. */
static void with_one_scratch(bench *b, size_t way)
{
    static const unsigned char bytes[] = {0xa5, 0xff, 0, 1};
    xlt_buffer scratch = xlt_scratch_make(b->scratch_bytes, b->scratch_align);
    unsigned char *garbage = bytes_for(b->scratch_bytes, 1);
    for (size_t g = 0; g < sizeof bytes; ++g) {
        memset(garbage, bytes[g], b->scratch_bytes);
        XLT_CL(clEnqueueWriteBuffer(xlt_queue(), scratch.mem, CL_TRUE, xlt_view(&scratch).offset,
                                    b->scratch_bytes, garbage, 0, NULL, NULL));
        bench_blank(b);
        for (size_t c = 0; c < num_calls(); ++c)
            enqueue(b, xlt_queue(), c, xlt_view(&scratch), c % 3 == 2);
        bench_check(b, way, "the caller's scratch");
        xlt_check_guards(&scratch, "scratch");
    }
    bench_blank(b);
    for (size_t c = 0; c < num_calls(); ++c)
        enqueue(b, xlt_queue(), c, c % 2 ? xlt_view(&scratch) : xl_no_view(), c % 3 == 2);
    bench_check(b, way, "the caller's scratch and the plan's by turns");
    free(garbage);
    xlt_buffer_free(&scratch);
}

static void calls_one_after_the_other(void **state)
{
    (void)state;
    each(with_one_scratch);
}

/* ---- calls in flight together ---------------------------------------------------------------- */

static void on_queues(bench *b, size_t way, cl_command_queue *queues, size_t num_queues,
                      const char *how)
{
    xlt_buffer scratch[MOST_CALLS];
    for (size_t c = 0; c < num_calls(); ++c)
        scratch[c] = xlt_scratch_make(b->scratch_bytes, b->scratch_align);
    for (int own = 0; own < 2; ++own) {
        bench_blank(b);
        for (size_t c = 0; c < num_calls(); ++c)
            enqueue(b, queues[c % num_queues], c, own ? xl_no_view() : xlt_view(&scratch[c]),
                    c % 3 == 2);
        for (size_t q = 0; q < num_queues; ++q)
            XLT_CL(clFinish(queues[q]));
        bench_check(b, way, how);
    }
    for (size_t c = 0; c < num_calls(); ++c) {
        xlt_check_guards(&scratch[c], "scratch");
        xlt_buffer_free(&scratch[c]);
    }
}

static void out_of_order(bench *b, size_t way)
{
    cl_command_queue queue = xlt_out_of_order_queue();
    on_queues(b, way, &queue, 1, "out of order");
    XLT_CL(clReleaseCommandQueue(queue));
}

static void on_three_queues(bench *b, size_t way)
{
    cl_command_queue queues[3] = {in_order_queue(), in_order_queue(), in_order_queue()};
    on_queues(b, way, queues, 3, "three queues in order");
    for (int q = 0; q < 3; ++q)
        XLT_CL(clReleaseCommandQueue(queues[q]));
}

static void calls_in_flight_together(void **state)
{
    (void)state;
    each(out_of_order);
    each(on_three_queues);
}

/* More queues than a plan has counters for. */
static void many_queues(void **state)
{
    (void)state;
    enum { QUEUES = 40 };
    cl_command_queue queues[QUEUES];
    bench b = bench_make(0, 1);
    for (size_t q = 0; q < QUEUES; ++q)
        queues[q] = in_order_queue();
    on_queues(&b, 0, queues, QUEUES, "many queues in order");
    for (size_t q = 0; q < QUEUES; ++q)
        XLT_CL(clReleaseCommandQueue(queues[q]));
    bench_free(&b);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* A sum of numbers of very different size has the same bits each time, in whichever order groups
 * finish and by however many launches. */
static void bits_of_sums(void **state)
{
    (void)state;
    const size_t n = most_n();
    float *in = bytes_for(n, 4), first = 0, got;
    xlt_random random = {5};
    for (size_t i = 0; i < n; ++i)
        in[i] = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 60) - 30);
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), out = xlt_buffer_make(NULL, 1, 4, 0);
    cl_command_queue loose = xlt_out_of_order_queue();
    for (size_t way = 0; way < WAYS; ++way) {
        xl_reduce_desc desc;
        xl_reduce *plan;
        size_t bytes, alignment;
        xl_context *ctx = open_context(ways[way].tune, ways[way].mask);
        xl_reduce_desc_init(&desc);
        desc.type = XL_F32;
        ok(ctx, xl_reduce_create(ctx, &desc, &plan), "xl_reduce_create");
        ok(ctx, xl_reduce_scratch(plan, n, &bytes, &alignment), "xl_reduce_scratch");
        xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
        for (size_t c = 0; c < num_calls(); ++c) {
            cl_command_queue queue = c % 3 ? xlt_queue() : loose;
            ok(ctx,
               xl_reduce_enqueue(plan, queue,
                                 &(xl_reduce_args){.n = n,
                                                   .in = xlt_view(&a),
                                                   .out = xlt_view(&out),
                                                   .scratch = xlt_view(&scratch)},
                                 0, NULL, NULL),
               "xl_reduce_enqueue");
            XLT_CL(clFinish(queue));
            xlt_read(&out, c ? &got : &first);
            if (c > 0 && memcmp(&first, &got, 4) != 0)
                XLT_FAIL("%s: call %zu gives %a, the first %a", ways[way].what, c, (double)got,
                         (double)first);
        }
        xlt_buffer_free(&scratch);
        xl_reduce_destroy(plan);
        xl_context_destroy(ctx);
    }
    XLT_CL(clReleaseCommandQueue(loose));
    xlt_buffer_free(&a);
    xlt_buffer_free(&out);
    free(in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_one_after_the_other),
        cmocka_unit_test(calls_in_flight_together),
        cmocka_unit_test(many_queues),
        cmocka_unit_test(bits_of_sums),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
