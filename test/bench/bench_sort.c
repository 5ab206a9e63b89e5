/* SPDX-License-Identifier: MIT
 * Benchmarks of the sort of keys and pairs. Cell numbers of a grid have about 17 bits. */
#include "bench_job.h"

#include <string.h>

/* FALLING: in descending order. LOGS: as many keys of each length in bits. UNIFORM: in [0, 1).
 * NORMAL: about 0. */
typedef enum pattern { RANDOM, SORTED, FALLING, EQUAL, FEW, LOGS, UNIFORM, NORMAL } pattern;

/* Zeros mean: all bits of the keys, one segment, no comparator, XL_SORT_AUTO. */
typedef struct sorter {
    const char *variant;
    uint32_t sizes;
    xl_type key, value;
    pattern pattern;
    unsigned bits;
    size_t length; /* of segments */
    const char *less;
    xl_sort_algorithm algorithm;
} sorter;

#define ALL (BENCH_LARGE | (BENCH_SIZE(25) - BENCH_SIZE(10)))
#define KEYS(text, width, ...)                                                                     \
    {                                                                                              \
        .variant = "u" #width " keys" text, .key = XL_U##width, __VA_ARGS__                        \
    }
#define PAIRS(text, width, ...)                                                                    \
    {                                                                                              \
        .variant = "u" #width ",u32 pairs" text, .key = XL_U##width, .value = XL_U32, __VA_ARGS__  \
    }
#define REALS(text, width, kind)                                                                   \
    {                                                                                              \
        .variant = "f" #width " keys, " text, .sizes = BENCH_LARGE, .key = XL_F##width,            \
        .pattern = kind                                                                            \
    }
#define SEGMENTS(count) KEYS(", segments of " #count, 32, .sizes = BENCH_LARGE, .length = count)

static const char less_u32[] = "bool less(uint a, uint b) { return a < b; }",
                  less_u64[] = "bool less(ulong a, ulong b) { return a < b; }";

static const sorter sorters[] = {
    KEYS("", 32, .sizes = ALL),
    KEYS(" (bitonic)", 32, .sizes = ALL, .algorithm = XL_SORT_BITONIC),
    KEYS(" (radix)", 32, .sizes = ALL, .algorithm = XL_SORT_RADIX),
    KEYS("", 64, .sizes = ALL),
    PAIRS("", 32, .sizes = ALL),
    PAIRS(" (bitonic)", 32, .sizes = ALL, .algorithm = XL_SORT_BITONIC),
    PAIRS(" (radix)", 32, .sizes = ALL, .algorithm = XL_SORT_RADIX),
    PAIRS("", 64, .sizes = BENCH_LARGE),
    PAIRS(", 17 bits", 32, .sizes = ALL, .bits = 17),
    KEYS(", one bit", 32, .sizes = BENCH_LARGE, .bits = 1),
    KEYS(", sorted", 32, .sizes = BENCH_LARGE, .pattern = SORTED),
    KEYS(", falling", 32, .sizes = BENCH_LARGE, .pattern = FALLING),
    KEYS(", logs", 32, .sizes = BENCH_LARGE, .pattern = LOGS),
    REALS("uniform", 32, UNIFORM),
    REALS("normal", 32, NORMAL),
    REALS("uniform", 64, UNIFORM),
    REALS("normal", 64, NORMAL),
    KEYS(", all equal", 32, .sizes = BENCH_LARGE, .pattern = EQUAL),
    KEYS(", four distinct", 32, .sizes = BENCH_LARGE, .pattern = FEW),
    SEGMENTS(1),
    SEGMENTS(8),
    SEGMENTS(32),
    SEGMENTS(100),
    SEGMENTS(1000),
    SEGMENTS(1500),
    SEGMENTS(100000),
    PAIRS(", segments of 100", 32, .sizes = BENCH_LARGE, .length = 100),
    KEYS(", by a comparator, segments of 100", 32, .sizes = BENCH_LARGE, .length = 100,
         .less = less_u32),
    KEYS(", by a comparator", 32, .sizes = ALL, .less = less_u32),
    KEYS(", by a comparator", 64, .sizes = BENCH_LARGE, .less = less_u64),
    PAIRS(", by a comparator", 32, .sizes = BENCH_LARGE, .less = less_u32),
};

enum { KEYS_IN, VALUES_IN, OFFSETS, KEYS_OUT, VALUES_OUT, HOST_END, SCRATCH = HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const sorter *s = j->kind;
    const xl_user_comparator comparator = {"less", s->less};
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = s->key;
    desc.value = s->value;
    desc.comparator = s->less ? &comparator : NULL;
    desc.algorithm = s->algorithm;
    desc.segments = s->length > 0 ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
    desc.segment_type = s->length > 0 ? XL_U32 : XL_NONE;
    j->size[KEYS_IN] = j->size[KEYS_OUT] = j->n * xl_type_size(s->key);
    j->size[VALUES_IN] = j->size[VALUES_OUT] = j->n * xl_type_size(s->value);
    j->size[OFFSETS] = s->length > 0 ? 4 * ((j->n + s->length - 1) / s->length) : 0;
    j->bytes = 2.0 * (double)(j->size[KEYS_IN] + j->size[VALUES_IN]);
    const xl_status status = xl_sort_create(b->ctx, &desc, &j->plan);
    return status == XL_SUCCESS
               ? xl_sort_scratch(j->plan, &(xl_sort_args){.n = j->n}, &j->size[SCRATCH])
               : status;
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

/* The sum of twelve uniform numbers is nearly normal. */
static uint64_t random_key(const sorter *s, uint64_t random)
{
    const unsigned unused = 64 - (s->bits > 0 ? s->bits : 8 * (unsigned)xl_type_size(s->key));
    uint64_t state = random;
    double sum = s->pattern == NORMAL ? -6 : 0;
    for (int k = 0; k < (s->pattern == NORMAL ? 12 : 1); ++k, (void)bench_random(&state))
        sum += (double)(state >> 11) * 0x1p-53;
    if (s->pattern == UNIFORM || s->pattern == NORMAL)
        return bits_of(s->key, sum);
    if (s->pattern == LOGS)
        return random << 5 >> unused >> (random >> 59);
    return s->pattern == FEW ? 0x9e3779b9u * (random >> 62) : random >> unused;
}

static void fill(bench_job *j)
{
    const sorter *s = j->kind;
    const pattern p = s->pattern;
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        const uint64_t random = bench_random(&state);
        const uint64_t key = p == SORTED    ? (uint64_t)i
                             : p == FALLING ? (uint64_t)(j->n - i)
                             : p == EQUAL   ? 0x12345678u
                                            : random_key(s, random);
        if (xl_type_size(s->key) == 8)
            ((uint64_t *)j->host[KEYS_IN])[i] = key;
        else
            ((uint32_t *)j->host[KEYS_IN])[i] = (uint32_t)key;
        if (s->value != XL_NONE)
            ((uint32_t *)j->host[VALUES_IN])[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < j->size[OFFSETS] / 4; ++i)
        ((uint32_t *)j->host[OFFSETS])[i] = (uint32_t)(i * s->length);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const xl_sort_args args = {.n = j->n,
                               .keys_in = xl_view_of(j->mem[KEYS_IN], 0),
                               .values_in = xl_view_of(j->mem[VALUES_IN], 0),
                               .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                               .values_out = xl_view_of(j->mem[VALUES_OUT], 0),
                               .scratch = xl_view_of(j->mem[SCRATCH], 0),
                               .segments = xl_view_n(j->mem[OFFSETS], 0, j->size[OFFSETS] / 4)};
    return xl_sort_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* The place of a key in the order; there are no NaN. */
static uint64_t key_at(const bench_job *j, int which, size_t i)
{
    const xl_type type = ((const sorter *)j->kind)->key;
    const bool wide = xl_type_size(type) == 8, real = type == XL_F32 || type == XL_F64;
    const void *keys = j->host[which];
    const uint64_t key = wide ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
    const uint64_t sign = wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    return !real ? key : (key & sign) != 0 ? (sign | (sign - 1)) - key : key + sign;
}

/* Each segment is in order and has the same keys: a pair is compared with the key at the index that
 * is its value, keys alone by their sum in each segment. */
static const char *fault(bench_job *j)
{
    const size_t length = ((const sorter *)j->kind)->length;
    const uint32_t *values = j->host[VALUES_OUT];
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < j->n; ++i) {
        const bool begins = i == 0 || (length > 0 && i % length == 0);
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

void bench_sort(bench *b)
{
    static const bench_part part = BENCH_PART("sort", KEYS_OUT, HOST_END, HOST_END, .peer = NULL);
    for (size_t k = 0; k < sizeof sorters / sizeof sorters[0]; ++k)
        bench_job_run(b, &part, &sorters[k], sorters[k].variant,
                      bench_sizes_for(b, sorters[k].sizes));
}
