/* SPDX-License-Identifier: MIT
 * Benchmarks of the sort: keys and pairs, verified before they are timed. The sizes of
 * 17 bits are those of a grid's cells. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* FALLING: sorted the other way. LOGS: as many keys of each length in bits. UNIFORM, NORMAL: of
 * floating-point keys, in [0, 1) and about 0. */
typedef enum pattern { RANDOM, SORTED, FALLING, EQUAL, FEW, LOGS, UNIFORM, NORMAL } pattern;

typedef struct sorter {
    const char *variant;
    xl_type key, value;
    unsigned bits; /* of the keys */
    pattern pattern;
    size_t least_n;
    size_t length; /* of segments; 0: the whole array is one */
    const xl_user_comparator *comparator;
    xl_sort_algorithm algorithm;
} sorter;

static const xl_user_comparator less_u32 = {"less", "bool less(uint a, uint b) { return a < b; }"},
                                less_u64 = {"less",
                                            "bool less(ulong a, ulong b) { return a < b; }"};

static const sorter sorters[] = {
    {"u32 keys", XL_U32, XL_NONE, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_AUTO},
    {"u32 keys (bitonic)", XL_U32, XL_NONE, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_BITONIC},
    {"u32 keys (radix)", XL_U32, XL_NONE, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_RADIX},
    {"u64 keys", XL_U64, XL_NONE, 64, RANDOM, 1 << 10, 0, NULL, XL_SORT_AUTO},
    {"u32,u32 pairs", XL_U32, XL_U32, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_AUTO},
    {"u32,u32 pairs (bitonic)", XL_U32, XL_U32, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_BITONIC},
    {"u32,u32 pairs (radix)", XL_U32, XL_U32, 32, RANDOM, 1 << 10, 0, NULL, XL_SORT_RADIX},
    {"u64,u32 pairs", XL_U64, XL_U32, 64, RANDOM, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32,u32 pairs, 17 bits", XL_U32, XL_U32, 17, RANDOM, 1 << 10, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, one bit", XL_U32, XL_NONE, 1, RANDOM, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, sorted", XL_U32, XL_NONE, 32, SORTED, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, falling", XL_U32, XL_NONE, 32, FALLING, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, logs", XL_U32, XL_NONE, 32, LOGS, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"f32 keys, uniform", XL_F32, XL_NONE, 32, UNIFORM, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"f32 keys, normal", XL_F32, XL_NONE, 32, NORMAL, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"f64 keys, uniform", XL_F64, XL_NONE, 64, UNIFORM, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"f64 keys, normal", XL_F64, XL_NONE, 64, NORMAL, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, all equal", XL_U32, XL_NONE, 32, EQUAL, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, four distinct", XL_U32, XL_NONE, 32, FEW, 1 << 24, 0, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 1", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 1, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 8", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 8, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 32", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 32, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 100", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 100, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 1000", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 1000, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 1500", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 1500, NULL, XL_SORT_AUTO},
    {"u32 keys, segments of 100000", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 100000, NULL,
     XL_SORT_AUTO},
    {"u32,u32 pairs, segments of 100", XL_U32, XL_U32, 32, RANDOM, 1 << 24, 100, NULL,
     XL_SORT_AUTO},
    {"u32 keys, by a comparator, segments of 100", XL_U32, XL_NONE, 32, RANDOM, 1 << 24, 100,
     &less_u32, XL_SORT_AUTO},
    {"u32 keys, by a comparator", XL_U32, XL_NONE, 32, RANDOM, 1 << 10, 0, &less_u32, XL_SORT_AUTO},
    {"u64 keys, by a comparator", XL_U64, XL_NONE, 64, RANDOM, 1 << 24, 0, &less_u64, XL_SORT_AUTO},
    {"u32,u32 pairs, by a comparator", XL_U32, XL_U32, 32, RANDOM, 1 << 24, 0, &less_u32,
     XL_SORT_AUTO},
};

enum {
    KEYS_IN,
    VALUES_IN,
    KEYS_OUT,
    VALUES_OUT,
    OFFSETS,
    HOST_ARRAYS,
    SCRATCH = HOST_ARRAYS,
    BUFFERS
};

typedef struct job {
    const sorter *sorter;
    xl_plan *plan;
    size_t n;
    cl_mem mem[BUFFERS]; /* NULL where the plan has no such array */
    void *host[HOST_ARRAYS];
} job;

static size_t num_segments(const job *j)
{
    return j->sorter->length > 0 ? (j->n + j->sorter->length - 1) / j->sorter->length : 0;
}

static size_t bytes_of(const job *j, int which)
{
    if (which == OFFSETS)
        return num_segments(j) * sizeof(uint32_t);
    const bool keys = which == KEYS_IN || which == KEYS_OUT;
    return j->n * xl_type_size(keys ? j->sorter->key : j->sorter->value);
}

static uint64_t next_state(uint64_t state)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t bits_of(xl_type type, double x)
{
    const float rounded = (float)x;
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, &x, sizeof wide);
    memcpy(&narrow, &rounded, sizeof narrow);
    return type == XL_F64 ? wide : narrow;
}

/* The key of a random number; the sum of twelve is as good as normal. */
static uint64_t random_key(const sorter *s, uint64_t state)
{
    double sum = s->pattern == NORMAL ? -6 : 0;
    for (int k = 0; k < (s->pattern == NORMAL ? 12 : 1); ++k, state = next_state(state))
        sum += (double)(state >> 11) * 0x1p-53;
    if (s->pattern == UNIFORM || s->pattern == NORMAL)
        return bits_of(s->key, sum);
    if (s->pattern == LOGS)
        return state << 5 >> (64 - s->bits) >> (state >> 59);
    return s->pattern == FEW ? 0x9e3779b9u * (state >> 62) : state >> (64 - s->bits);
}

static void fill(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->n; ++i) {
        const pattern p = j->sorter->pattern;
        state = next_state(state);
        const uint64_t key = p == SORTED    ? (uint64_t)i
                             : p == FALLING ? (uint64_t)(j->n - i)
                             : p == EQUAL   ? 0x12345678u
                                            : random_key(j->sorter, state);
        if (xl_type_size(j->sorter->key) == 8)
            ((uint64_t *)j->host[KEYS_IN])[i] = key;
        else
            ((uint32_t *)j->host[KEYS_IN])[i] = (uint32_t)key;
        if (j->sorter->value != XL_NONE)
            ((uint32_t *)j->host[VALUES_IN])[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < num_segments(j); ++i)
        ((uint32_t *)j->host[OFFSETS])[i] = (uint32_t)(i * j->sorter->length);
}

static bool make_buffers(bench *b, job *j)
{
    size_t scratch;
    if (xl_sort_scratch(j->plan, &(xl_sort_args){.n = j->n}, &scratch) != XL_SUCCESS)
        return false;
    for (int i = 0; i < HOST_ARRAYS; ++i)
        if (bytes_of(j, i) > 0 && !(j->host[i] = malloc(bytes_of(j, i))))
            return false;
    fill(j);
    for (int i = 0; i < BUFFERS; ++i) {
        const size_t bytes = i == SCRATCH ? scratch : bytes_of(j, i);
        const bool given = i == KEYS_IN || i == VALUES_IN || i == OFFSETS;
        cl_int code;
        if (bytes == 0)
            continue;
        j->mem[i] = clCreateBuffer(xl_context_cl(b->ctx), given ? CL_MEM_COPY_HOST_PTR : 0, bytes,
                                   given ? j->host[i] : NULL, &code);
        if (!j->mem[i])
            return false;
    }
    return true;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    for (int i = 0; i < HOST_ARRAYS; ++i)
        free(j->host[i]);
    xl_plan_destroy(j->plan);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    return xl_sort_enqueue(
        j->plan, b->queue,
        &(xl_sort_args){.n = j->n,
                        .keys_in = xl_view_of(j->mem[KEYS_IN], 0),
                        .values_in = xl_view_of(j->mem[VALUES_IN], 0),
                        .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                        .values_out = xl_view_of(j->mem[VALUES_OUT], 0),
                        .scratch = xl_view_of(j->mem[SCRATCH], 0),
                        .segments = xl_view_n(j->mem[OFFSETS], 0, num_segments(j))},
        0, NULL, event);
}

/* The place of a key in the order; there are no NaN. */
static uint64_t key_at(const job *j, int which, size_t i)
{
    const xl_type type = j->sorter->key;
    const bool wide = xl_type_size(type) == 8, real = type == XL_F32 || type == XL_F64;
    const void *keys = j->host[which];
    const uint64_t key = wide ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
    const uint64_t sign = wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    return !real ? key : (key & sign) != 0 ? (sign | (sign - 1)) - key : key + sign;
}

/* Each segment is in order and has the same keys: pairs are compared with the key that the value
 * names, keys alone by their sum in each segment. */
static const char *fault(const job *j)
{
    const uint32_t *values = j->host[VALUES_OUT];
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < j->n; ++i) {
        const bool begins = i == 0 || (j->sorter->length > 0 && i % j->sorter->length == 0);
        if (begins && before != after)
            return "keys were lost";
        before += key_at(j, KEYS_IN, i);
        after += key_at(j, KEYS_OUT, i);
        if (!begins && key_at(j, KEYS_OUT, i - 1) > key_at(j, KEYS_OUT, i))
            return "keys are not in order";
        if (values &&
            (values[i] >= j->n || key_at(j, KEYS_IN, values[i]) != key_at(j, KEYS_OUT, i)))
            return "a value has lost its key";
    }
    return before == after ? NULL : "keys were lost";
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "sort", j->sorter->variant, j->n, status);
        return false;
    }
    for (int i = KEYS_OUT; i <= VALUES_OUT; ++i)
        if (j->mem[i])
            clEnqueueReadBuffer(b->queue, j->mem[i], CL_TRUE, 0, bytes_of(j, i), j->host[i], 0,
                                NULL, NULL);
    const char *why = fault(j);
    if (why)
        bench_wrong(b, "sort", j->sorter->variant, j->n, why);
    return !why;
}

static void run(bench *b, const sorter *s, size_t n)
{
    job j = {.sorter = s, .n = n};
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = s->key;
    desc.value = s->value;
    desc.comparator = s->comparator;
    desc.algorithm = s->algorithm;
    desc.segments = s->length > 0 ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
    desc.segment_type = s->length > 0 ? XL_U32 : XL_NONE;
    const xl_status status = xl_sort_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS)
        bench_failed(b, "sort", s->variant, n, status);
    else if (!make_buffers(b, &j))
        bench_wrong(b, "sort", s->variant, n, "no memory");
    else if (right(b, &j))
        (void)bench_case(b, "sort", s->variant, n,
                         2.0 * (double)(bytes_of(&j, KEYS_IN) + bytes_of(&j, VALUES_IN)), enqueue,
                         &j);
    end_job(&j);
}

void bench_sort(bench *b)
{
    const size_t most =
        (b->info.device_type & CL_DEVICE_TYPE_CPU) ? (size_t)1 << 24 : (size_t)1 << 28;
    for (size_t k = 0; k < sizeof sorters / sizeof sorters[0]; ++k)
        for (size_t n = sorters[k].least_n; n <= b->max_n && n <= most; n *= n < 1 << 24 ? 2 : 16)
            if (n >= b->options->min_n && bench_wants(b, sorters[k].variant))
                run(b, &sorters[k], n);
}
