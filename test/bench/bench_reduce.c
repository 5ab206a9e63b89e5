/* SPDX-License-Identifier: MIT
 * Sums of i32: of a whole array, by CSR offsets and by key with segments of one length. */
#include "bench_job.h"

typedef struct summer {
    const char *variant;
    xl_segments form;
    size_t length; /* of a segment; 0: there is one segment */
} summer;

#define OFFSETS(count)                                                                             \
    {                                                                                              \
        "i32 sum by offsets, segments of " #count, XL_SEGMENTS_OFFSETS, count                      \
    }
#define KEYS(count)                                                                                \
    {                                                                                              \
        "i32 sum by key, runs of " #count, XL_SEGMENTS_KEYS, count                                 \
    }

static const summer summers[] = {
    {"i32 sum", XL_SEGMENTS_NONE, 0},
    OFFSETS(1),
    OFFSETS(8),
    OFFSETS(32),
    OFFSETS(100),
    OFFSETS(1000),
    OFFSETS(100000),
    {"i32 sum by offsets, one segment", XL_SEGMENTS_OFFSETS, 0},
    KEYS(1),
    KEYS(8),
    KEYS(32),
    KEYS(100),
    KEYS(1000),
    KEYS(100000),
    {"i32 sum by key, one run", XL_SEGMENTS_KEYS, 0},
};

enum { IN, HEADS, OUT, KEYS_OUT, COUNT, HOST_END };

static size_t length_of(const bench_job *j)
{
    const size_t length = ((const summer *)j->kind)->length;
    return length > 0 ? length : j->n;
}

static xl_status create(bench *b, bench_job *j)
{
    const summer *s = j->kind;
    const bool offsets = s->form == XL_SEGMENTS_OFFSETS, keys = s->form == XL_SEGMENTS_KEYS;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = XL_I32;
    desc.segments = s->form;
    desc.segment_type = s->form == XL_SEGMENTS_NONE ? XL_NONE : XL_U32;
    j->results = (j->n + length_of(j) - 1) / length_of(j);
    j->size[IN] = 4 * j->n;
    j->size[HEADS] = offsets ? 4 * (j->results + 1) : keys ? 4 * j->n : 0;
    j->size[OUT] = 4 * j->results;
    j->size[KEYS_OUT] = keys ? 4 * j->results : 0;
    j->size[COUNT] = keys ? 8 : 0;
    j->bytes = (double)(j->size[IN] + j->size[HEADS] + j->size[OUT] + j->size[KEYS_OUT]);
    return xl_reduce_create(b->ctx, &desc, &j->plan);
}

/* Small numbers, so that no sum overflows. */
static void fill(bench_job *j)
{
    const summer *s = j->kind;
    uint32_t *heads = j->host[HEADS];
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        ((int32_t *)j->host[IN])[i] = (int32_t)(bench_random(&state) >> 32 & 255) - 100;
        if (s->form == XL_SEGMENTS_KEYS)
            heads[i] = (uint32_t)(i / length_of(j));
    }
    for (size_t k = 0; s->form == XL_SEGMENTS_OFFSETS && k <= j->results; ++k)
        heads[k] = (uint32_t)(k < j->results ? k * length_of(j) : j->n);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const bool keys = ((const summer *)j->kind)->form == XL_SEGMENTS_KEYS;
    const xl_reduce_args args = {.n = j->n,
                                 .in = xl_view_of(j->mem[IN], 0),
                                 .segments = keys ? xl_view_of(j->mem[HEADS], 0)
                                                  : xl_view_n(j->mem[HEADS], 0, j->size[HEADS] / 4),
                                 .out = xl_view_n(j->mem[OUT], 0, j->results),
                                 .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                                 .num_segments_out = xl_view_of(j->mem[COUNT], 0)};
    return xl_reduce_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* Compares every sum, every key and the number of keys. */
static const char *fault(bench_job *j)
{
    const uint32_t *in = j->host[IN], *out = j->host[OUT], *keys = j->host[KEYS_OUT];
    for (size_t s = 0, i = 0; s < j->results; ++s) {
        uint32_t sum = 0;
        for (; i < j->n && i < (s + 1) * length_of(j); ++i)
            sum += in[i];
        if (sum != out[s])
            return "differs from the serial sums";
        if (keys && keys[s] != s)
            return "the keys are wrong";
    }
    return keys && *(uint64_t *)j->host[COUNT] != j->results ? "the number of keys is wrong" : NULL;
}

void bench_reduce(bench *b)
{
    static const bench_part part = BENCH_PART("reduce", OUT, HOST_END, HOST_END, .peer = NULL);
    const size_t most = (size_t)1 << 24;
    const uint32_t every_other = 0x55555400; /* from 2^10 to 2^30 */
    bench_job_run(b, &part, &summers[0], summers[0].variant, every_other);
    for (size_t i = 1; i < sizeof summers / sizeof summers[0]; ++i)
        bench_job_run_size(b, &part, &summers[i], summers[i].variant,
                           b->max_n < most ? b->max_n : most);
}
