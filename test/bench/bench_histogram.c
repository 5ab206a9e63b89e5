/* SPDX-License-Identifier: MIT
 * Benchmarks of the histogram: few bins and many, of random data and of one bin alone, verified
 * before they are timed. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef enum pattern { RANDOM, EQUAL, HALF } pattern;

typedef struct counter {
    const char *variant;
    xl_histogram_kind kind;
    xl_type type; /* XL_U8, XL_U32, XL_F32 */
    uint64_t bins;
    pattern pattern;
    xl_type weight; /* XL_NONE, or XL_U32 or XL_F32, which bins then have, too */
} counter;

static const counter counters[] = {
    {"u8 keys, 256 bins", XL_HISTOGRAM_KEYS, XL_U8, 256, RANDOM, XL_NONE},
    {"u8 keys, 256 bins, one taken", XL_HISTOGRAM_KEYS, XL_U8, 256, EQUAL, XL_NONE},
    {"u32 keys, 256 bins", XL_HISTOGRAM_KEYS, XL_U32, 256, RANDOM, XL_NONE},
    {"u32 keys, 256 bins, one taken", XL_HISTOGRAM_KEYS, XL_U32, 256, EQUAL, XL_NONE},
    {"u32 keys, 256 bins, half in one", XL_HISTOGRAM_KEYS, XL_U32, 256, HALF, XL_NONE},
    {"u32 keys, 2^13 bins", XL_HISTOGRAM_KEYS, XL_U32, 1 << 13, RANDOM, XL_NONE},
    {"u32 keys, 2^13 bins, one taken", XL_HISTOGRAM_KEYS, XL_U32, 1 << 13, EQUAL, XL_NONE},
    {"u32 keys, 2^14 bins", XL_HISTOGRAM_KEYS, XL_U32, 1 << 14, RANDOM, XL_NONE},
    {"u32 keys, 2^16 bins", XL_HISTOGRAM_KEYS, XL_U32, 1 << 16, RANDOM, XL_NONE},
    {"u32 keys, 2^20 bins", XL_HISTOGRAM_KEYS, XL_U32, 1 << 20, RANDOM, XL_NONE},
    {"u32 keys, 2^20 bins, one taken", XL_HISTOGRAM_KEYS, XL_U32, 1 << 20, EQUAL, XL_NONE},
    {"u32 keys, 2^20 bins, half in one", XL_HISTOGRAM_KEYS, XL_U32, 1 << 20, HALF, XL_NONE},
    {"f32 in 256 bins of one width", XL_HISTOGRAM_EVEN, XL_F32, 256, RANDOM, XL_NONE},
    {"u32 in 1000 bins of one width", XL_HISTOGRAM_EVEN, XL_U32, 1000, RANDOM, XL_NONE},
    {"f32 between 257 levels", XL_HISTOGRAM_LEVELS, XL_F32, 256, RANDOM, XL_NONE},
    {"u32 keys, 256 bins, u32 weights", XL_HISTOGRAM_KEYS, XL_U32, 256, RANDOM, XL_U32},
    {"u32 keys, 256 bins, f32 weights", XL_HISTOGRAM_KEYS, XL_U32, 256, RANDOM, XL_F32},
    {"u32 keys, 2^16 bins, f32 weights", XL_HISTOGRAM_KEYS, XL_U32, 1 << 16, RANDOM, XL_F32},
};

enum { IN, LEVELS, WEIGHTS, BINS, BUFFERS };

typedef struct job {
    const counter *c;
    xl_plan *plan;
    size_t n;
    cl_mem mem[BUFFERS];
    void *in;
    float *levels;
    void *weights;
    uint32_t *want, *got;
} job;

/* An element of bin k. Floats are k and a half, so that all kinds of bins have them alike. */
static void put(const job *j, size_t i, uint64_t k)
{
    if (j->c->type == XL_U8)
        ((uint8_t *)j->in)[i] = (uint8_t)k;
    else if (j->c->type == XL_F32)
        ((float *)j->in)[i] = (float)k + 0.5f;
    else
        ((uint32_t *)j->in)[i] = (uint32_t)k;
}

/* The weight of element i in eighths, so that sums of f32 are exact, or whole. */
static uint32_t put_weight(const job *j, size_t i)
{
    const uint32_t weight = (uint32_t)i % 8;
    if (j->c->weight == XL_F32)
        ((float *)j->weights)[i] = (float)weight / 8;
    else if (j->c->weight == XL_U32)
        ((uint32_t *)j->weights)[i] = weight;
    return j->weights ? weight : 1;
}

/* The bits of the sums of f32, which are known in eighths. */
static void make_sums(job *j)
{
    for (uint64_t k = 0; k < j->c->bins; ++k) {
        const float sum = (float)j->want[k] / 8;
        memcpy(&j->want[k], &sum, sizeof sum);
    }
}

static void fill(job *j)
{
    const uint64_t bins = j->c->bins, one = bins / 3;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const uint64_t k = j->c->pattern == EQUAL || (j->c->pattern == HALF && state >> 63)
                               ? one
                               : (state >> 32) % bins;
        put(j, i, k);
        j->want[k] += put_weight(j, i);
    }
    if (j->c->weight == XL_F32)
        make_sums(j);
    for (uint64_t k = 0; j->levels && k <= bins; ++k)
        j->levels[k] = (float)k;
}

static bool make_buffers(bench *b, job *j)
{
    const counter *c = j->c;
    const bool has_levels = c->kind == XL_HISTOGRAM_LEVELS;
    const size_t bins = (size_t)c->bins;
    const size_t bytes[BUFFERS] = {j->n * xl_type_size(c->type), 4 * (bins + 1), 4 * j->n,
                                   4 * bins};
    j->in = malloc(bytes[IN]);
    j->levels = has_levels ? malloc(bytes[LEVELS]) : NULL;
    j->weights = c->weight ? malloc(bytes[WEIGHTS]) : NULL;
    j->want = calloc(bins, 4);
    j->got = calloc(bins, 4);
    if (!j->in || !j->want || !j->got || (has_levels && !j->levels) || (c->weight && !j->weights))
        return false;
    fill(j);
    const void *const host[BUFFERS] = {j->in, j->levels, j->weights, NULL};
    for (int i = 0; i < BUFFERS; ++i) {
        cl_int code;
        if (i != BINS && !host[i])
            continue;
        j->mem[i] = clCreateBuffer(xl_context_cl(b->ctx), 0, bytes[i], NULL, &code);
        if (!j->mem[i] ||
            (host[i] && clEnqueueWriteBuffer(b->queue, j->mem[i], CL_TRUE, 0, bytes[i], host[i], 0,
                                             NULL, NULL) != CL_SUCCESS))
            return false;
    }
    return true;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    free(j->in);
    free(j->levels);
    free(j->weights);
    free(j->want);
    free(j->got);
    xl_plan_destroy(j->plan);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    return xl_histogram_enqueue(j->plan, b->queue,
                                &(xl_histogram_args){.n = j->n,
                                                     .in = xl_view_of(j->mem[IN], 0),
                                                     .levels = xl_view_of(j->mem[LEVELS], 0),
                                                     .weights = xl_view_of(j->mem[WEIGHTS], 0),
                                                     .bins = xl_view_of(j->mem[BINS], 0)},
                                0, NULL, event);
}

static bool right(bench *b, job *j)
{
    const size_t bytes = 4 * (size_t)j->c->bins;
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "histogram", j->c->variant, j->n, status);
        return false;
    }
    clEnqueueReadBuffer(b->queue, j->mem[BINS], CL_TRUE, 0, bytes, j->got, 0, NULL, NULL);
    if (memcmp(j->want, j->got, bytes) == 0)
        return true;
    bench_wrong(b, "histogram", j->c->variant, j->n, "a count is not as on the host");
    return false;
}

static void run(bench *b, const counter *c, size_t n)
{
    job j = {.c = c, .n = n};
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = c->kind;
    desc.type = c->type;
    desc.num_bins = c->bins;
    desc.weight = c->weight;
    if (c->weight)
        desc.counter = c->weight;
    if (c->kind == XL_HISTOGRAM_EVEN && c->type == XL_F32)
        desc.upper = (double)c->bins;
    else if (c->kind == XL_HISTOGRAM_EVEN)
        desc.upper_integer = (int64_t)c->bins;
    const xl_status status = xl_histogram_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS)
        bench_failed(b, "histogram", c->variant, n, status);
    else if (!make_buffers(b, &j))
        bench_wrong(b, "histogram", c->variant, n, "no memory");
    else if (right(b, &j))
        (void)bench_case(b, "histogram", c->variant, n,
                         (double)(n * (xl_type_size(c->type) + xl_type_size(c->weight))), enqueue,
                         &j);
    end_job(&j);
}

void bench_histogram(bench *b)
{
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t sizes[] = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28};
    for (size_t c = 0; c < sizeof counters / sizeof counters[0]; ++c)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            if (sizes[i] >= b->options->min_n && sizes[i] <= b->max_n && !(is_cpu && i == 3) &&
                bench_wants(b, counters[c].variant))
                run(b, &counters[c], sizes[i]);
}
