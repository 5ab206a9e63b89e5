/* SPDX-License-Identifier: MIT
 * Benchmarks of the histogram: few bins and many, of random data and of one bin alone. */
#include "bench_job.h"

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

enum { IN, LEVELS, WEIGHTS, BINS, WANTED, HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const counter *c = j->kind;
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
    j->size[IN] = j->n * xl_type_size(c->type);
    j->size[LEVELS] = c->kind == XL_HISTOGRAM_LEVELS ? 4 * ((size_t)c->bins + 1) : 0;
    j->size[WEIGHTS] = j->n * xl_type_size(c->weight);
    j->size[BINS] = j->size[WANTED] = 4 * (size_t)c->bins;
    j->bytes = (double)(j->size[IN] + j->size[WEIGHTS]);
    return xl_histogram_create(b->ctx, &desc, &j->plan);
}

/* An element of bin k. Floats are k and a half, so that all kinds of bins have them alike. */
static void put(const bench_job *j, size_t i, uint64_t k)
{
    const xl_type type = ((const counter *)j->kind)->type;
    if (type == XL_U8)
        ((uint8_t *)j->host[IN])[i] = (uint8_t)k;
    else if (type == XL_F32)
        ((float *)j->host[IN])[i] = (float)k + 0.5f;
    else
        ((uint32_t *)j->host[IN])[i] = (uint32_t)k;
}

/* The weight of element i in eighths, so that sums of f32 are exact, or whole. */
static uint32_t put_weight(const bench_job *j, size_t i)
{
    const xl_type type = ((const counter *)j->kind)->weight;
    const uint32_t weight = (uint32_t)i % 8;
    if (type == XL_F32)
        ((float *)j->host[WEIGHTS])[i] = (float)weight / 8;
    else if (type == XL_U32)
        ((uint32_t *)j->host[WEIGHTS])[i] = weight;
    return type != XL_NONE ? weight : 1;
}

static void fill(bench_job *j)
{
    const counter *c = j->kind;
    uint32_t *wanted = j->host[WANTED];
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        const uint64_t random = bench_random(&state);
        const bool in_one = c->pattern == EQUAL || (c->pattern == HALF && random >> 63);
        const uint64_t k = in_one ? c->bins / 3 : (random >> 32) % c->bins;
        put(j, i, k);
        wanted[k] += put_weight(j, i);
    }
    for (uint64_t k = 0; c->weight == XL_F32 && k < c->bins; ++k) {
        const float sum = (float)wanted[k] / 8;
        memcpy(&wanted[k], &sum, sizeof sum);
    }
    for (uint64_t k = 0; j->size[LEVELS] > 0 && k <= c->bins; ++k)
        ((float *)j->host[LEVELS])[k] = (float)k;
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const xl_histogram_args args = {.n = j->n,
                                    .in = xl_view_of(j->mem[IN], 0),
                                    .levels = xl_view_of(j->mem[LEVELS], 0),
                                    .weights = xl_view_of(j->mem[WEIGHTS], 0),
                                    .bins = xl_view_of(j->mem[BINS], 0)};
    return xl_histogram_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

static const char *fault(bench_job *j)
{
    return memcmp(j->host[WANTED], j->host[BINS], j->size[BINS]) == 0
               ? NULL
               : "a count is not as on the host";
}

void bench_histogram(bench *b)
{
    static const bench_part part = BENCH_PART("histogram", BINS, WANTED, HOST_END, .peer = NULL);
    for (size_t c = 0; c < sizeof counters / sizeof counters[0]; ++c)
        bench_job_run(b, &part, &counters[c], counters[c].variant,
                      bench_sizes_for(b, BENCH_SIZE(16) | BENCH_SIZE(20) | BENCH_LARGE));
}
