/* SPDX-License-Identifier: MIT
 * Sums of i32: of a whole array, by CSR offsets and by key with segments of one length. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reduce_case {
    xl_plan *plan;
    xl_segments form;
    char variant[64];
    size_t n, length, segments; /* elements, of a segment, how many */
    cl_mem in, heads, out, keys, count;
    int32_t *values, *got;
    uint32_t *array; /* offsets or keys */
} reduce_case;

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const reduce_case *c = user;
    const bool offsets = c->form == XL_SEGMENTS_OFFSETS, keys = c->form == XL_SEGMENTS_KEYS;
    const xl_view none = xl_no_view();
    return xl_reduce_enqueue(
        c->plan, b->queue,
        &(xl_reduce_args){.n = c->n,
                          .in = xl_view_of(c->in, 0),
                          .segments = offsets ? xl_view_n(c->heads, 0, c->segments + 1)
                                      : keys  ? xl_view_of(c->heads, 0)
                                              : none,
                          .out = xl_view_n(c->out, 0, c->segments),
                          .keys_out = keys ? xl_view_of(c->keys, 0) : none,
                          .num_segments_out = keys ? xl_view_of(c->count, 0) : none},
        0, NULL, event);
}

/* Small whole numbers, which no sum overflows. */
static void fill(reduce_case *c)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < c->n; ++i) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        c->values[i] = (int32_t)(x >> 32 & 255) - 100;
        if (c->form == XL_SEGMENTS_KEYS)
            c->array[i] = (uint32_t)(i / c->length);
    }
    for (size_t s = 0; c->form == XL_SEGMENTS_OFFSETS && s <= c->segments; ++s)
        c->array[s] = (uint32_t)(s < c->segments ? s * c->length : c->n);
}

static bool verify(const reduce_case *c, const int32_t *got)
{
    for (size_t s = 0, i = 0; s < c->segments; ++s) {
        const size_t end = s + 1 < c->segments ? (s + 1) * c->length : c->n;
        uint32_t sum = 0;
        for (; i < end; ++i)
            sum += (uint32_t)c->values[i];
        if ((int32_t)sum != got[s])
            return false;
    }
    return true;
}

static size_t heads_of(const reduce_case *c)
{
    return c->form == XL_SEGMENTS_OFFSETS ? c->segments + 1
           : c->form == XL_SEGMENTS_KEYS  ? c->n
                                          : 0;
}

/* Runs it once and looks at every result; of keys also at the last and at the count. */
static bool check(bench *b, reduce_case *c)
{
    cl_command_queue queue = b->queue;
    const size_t heads = heads_of(c);
    cl_ulong count = c->segments;
    uint32_t last = 0;
    const char *why = NULL;
    fill(c);
    clEnqueueWriteBuffer(queue, c->in, CL_TRUE, 0, c->n * 4, c->values, 0, NULL, NULL);
    if (heads > 0)
        clEnqueueWriteBuffer(queue, c->heads, CL_TRUE, 0, heads * 4, c->array, 0, NULL, NULL);
    memset(c->got, 0xA5, c->segments * 4);
    clEnqueueWriteBuffer(queue, c->out, CL_TRUE, 0, c->segments * 4, c->got, 0, NULL, NULL);
    const xl_status status = enqueue(b, c, NULL);
    clEnqueueReadBuffer(queue, c->out, CL_TRUE, 0, c->segments * 4, c->got, 0, NULL, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "reduce", c->variant, c->n, status);
        return false;
    }
    if (!verify(c, c->got))
        why = "differs from the serial sums";
    if (c->form == XL_SEGMENTS_KEYS) {
        clEnqueueReadBuffer(queue, c->count, CL_TRUE, 0, 8, &count, 0, NULL, NULL);
        clEnqueueReadBuffer(queue, c->keys, CL_TRUE, (c->segments - 1) * 4, 4, &last, 0, NULL,
                            NULL);
        if (count != c->segments || last != c->segments - 1)
            why = "the keys or their count are wrong";
    }
    if (why)
        bench_wrong(b, "reduce", c->variant, c->n, why);
    return !why;
}

static bool take_memory(bench *b, reduce_case *c)
{
    cl_context cl = xl_context_cl(b->ctx);
    const size_t heads = heads_of(c) > 0 ? heads_of(c) : 1, results = c->segments * 4;
    c->in = clCreateBuffer(cl, CL_MEM_READ_WRITE, c->n * 4, NULL, NULL);
    c->heads = clCreateBuffer(cl, CL_MEM_READ_WRITE, heads * 4, NULL, NULL);
    c->out = clCreateBuffer(cl, CL_MEM_READ_WRITE, results, NULL, NULL);
    c->keys = clCreateBuffer(cl, CL_MEM_READ_WRITE, results, NULL, NULL);
    c->count = clCreateBuffer(cl, CL_MEM_READ_WRITE, 8, NULL, NULL);
    c->values = malloc(c->n > 0 ? c->n * 4 : 1);
    c->got = malloc(results > 0 ? results : 1);
    c->array = malloc(heads * 4);
    return c->in && c->heads && c->out && c->keys && c->count && c->values && c->got && c->array;
}

static void leave_memory(reduce_case *c)
{
    cl_mem *const mems[] = {&c->in, &c->heads, &c->out, &c->keys, &c->count};
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; ++i) {
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
        *mems[i] = NULL;
    }
    free(c->values);
    free(c->got);
    free(c->array);
}

/* n elements in segments of `length`; 0: in one. */
static void run_size(bench *b, reduce_case *c, size_t n, size_t length)
{
    c->n = n;
    c->length = length > 0 ? length : n;
    c->segments = (n + c->length - 1) / c->length;
    /* Keys are read, and as many written as results. */
    const double results = c->form == XL_SEGMENTS_NONE ? 1.0 : 2.0 * (double)c->segments;
    const double read = (double)n * (c->form == XL_SEGMENTS_KEYS ? 2 : 1);
    const double offset = c->form == XL_SEGMENTS_OFFSETS ? 1 : 0;
    if (!take_memory(b, c))
        bench_failed(b, "reduce", c->variant, n, XL_ERROR_OUT_OF_MEMORY);
    else if (check(b, c))
        (void)bench_case(b, "reduce", c->variant, n, 4.0 * (read + results + offset), enqueue, c);
    leave_memory(c);
}

static bool make_plan(bench *b, reduce_case *c, xl_segments form)
{
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = XL_I32;
    desc.segments = c->form = form;
    desc.segment_type = form == XL_SEGMENTS_NONE ? XL_NONE : XL_U32;
    const xl_status status = xl_reduce_create(b->ctx, &desc, &c->plan);
    if (status != XL_SUCCESS)
        bench_failed(b, "reduce", "i32 sum", 0, status);
    return status == XL_SUCCESS;
}

static void run_whole(bench *b)
{
    reduce_case c = {.variant = "i32 sum"};
    if (bench_wants(b, c.variant) && make_plan(b, &c, XL_SEGMENTS_NONE))
        for (size_t n = 1 << 10; n <= b->max_n; n *= 4)
            run_size(b, &c, n, 0);
    xl_plan_destroy(c.plan);
}

static void run_segments(bench *b, xl_segments form, const char *words)
{
    static const size_t lengths[] = {1, 8, 32, 100, 1000, 100000, 0};
    reduce_case c = {0};
    const size_t most = (size_t)1 << 24, n = b->max_n < most ? b->max_n : most;
    if (make_plan(b, &c, form)) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            if (lengths[i] > 0)
                snprintf(c.variant, sizeof c.variant, "i32 sum by %s of %zu", words, lengths[i]);
            else if (form == XL_SEGMENTS_KEYS)
                snprintf(c.variant, sizeof c.variant, "i32 sum by key, one run");
            else
                snprintf(c.variant, sizeof c.variant, "i32 sum by offsets, one segment");
            if (bench_wants(b, c.variant))
                run_size(b, &c, n, lengths[i]);
        }
    }
    xl_plan_destroy(c.plan);
}

void bench_reduce(bench *b)
{
    run_whole(b);
    run_segments(b, XL_SEGMENTS_OFFSETS, "offsets, segments");
    run_segments(b, XL_SEGMENTS_KEYS, "key, runs");
}
