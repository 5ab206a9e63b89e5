/* SPDX-License-Identifier: MIT
 * Benchmarks of the top-k selection: the largest u32 keys with their indices, beside the C++
 * standard library on one core. */
#include "bench_job.h"

typedef struct selector {
    const char *variant;
    size_t k;
    bool sorted, all_equal;
} selector;

static const selector selectors[] = {
    {"u32 keys, k 8", 8, true, false},
    {"u32 keys, k 100", 100, true, false},
    {"u32 keys, k 100, unsorted", 100, false, false},
    {"u32 keys, k 10000", 10000, true, false},
    {"u32 keys, k 10000, unsorted", 10000, false, false},
    {"u32 keys, k 10000, all equal", 10000, true, true},
};

enum { KEYS_IN, KEYS_OUT, INDICES_OUT, HOST_END, SCRATCH = HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const selector *s = j->kind;
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.sorted = s->sorted;
    j->bytes = 4.0 * (double)j->n;
    j->size[KEYS_IN] = 4 * j->n;
    j->size[KEYS_OUT] = j->size[INDICES_OUT] = 4 * s->k;
    const xl_status status = xl_top_k_create(b->ctx, &desc, &j->plan);
    return status == XL_SUCCESS ? xl_top_k_scratch(j->plan, &(xl_top_k_args){.n = j->n, .k = s->k},
                                                   &j->size[SCRATCH])
                                : status;
}

static void fill(bench_job *j)
{
    const bool all_equal = ((const selector *)j->kind)->all_equal;
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        const uint64_t random = bench_random(&state);
        ((uint32_t *)j->host[KEYS_IN])[i] = all_equal ? 0x12345678u : (uint32_t)(random >> 32);
    }
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const xl_top_k_args args = {.n = j->n,
                                .k = ((const selector *)j->kind)->k,
                                .keys_in = xl_view_of(j->mem[KEYS_IN], 0),
                                .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                                .indices_out = xl_view_of(j->mem[INDICES_OUT], 0),
                                .scratch = xl_view_of(j->mem[SCRATCH], 0)};
    return xl_top_k_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* Whether the plan orders key i after key j. */
static bool is_worse(const uint32_t *keys, uint32_t i, uint32_t j)
{
    return keys[i] != keys[j] ? keys[i] < keys[j] : i > j;
}

/* The results are different keys, in order, and no other key is better than the worst of them. */
static const char *fault(bench_job *j)
{
    const selector *s = j->kind;
    const uint32_t *keys = j->host[KEYS_IN], *places = j->host[INDICES_OUT],
                   *out = j->host[KEYS_OUT];
    uint32_t worst = places[0];
    size_t better = 0;
    for (size_t i = 0; i < s->k; ++i) {
        if (places[i] >= j->n || keys[places[i]] != out[i])
            return "an index has lost its key";
        if (i > 0 &&
            (s->sorted ? !is_worse(keys, places[i], places[i - 1]) : places[i] <= places[i - 1]))
            return "results are not in order";
        if (is_worse(keys, places[i], worst))
            worst = places[i];
    }
    for (size_t i = 0; i < j->n; ++i)
        better += !is_worse(keys, (uint32_t)i, worst);
    return better == s->k ? NULL : "there are better keys";
}

#ifdef BENCH_HAS_STD
/* The same keys by std::nth_element and std::sort, without indices. */
static void run_std(bench *b, bench_job *j)
{
    const selector *s = j->kind;
    if (j->n <= (size_t)1 << 24)
        bench_job_std(b, j, "std", NULL,
                      bench_std_top_k(j->host[KEYS_IN], j->host[KEYS_OUT], j->n, s->k, s->sorted,
                                      b->runs < 5 ? b->runs : 5));
}
#endif

void bench_topk(bench *b)
{
    static const bench_part part =
        BENCH_PART("topk", KEYS_OUT, HOST_END, HOST_END, .peer = BENCH_STD(run_std));
    for (size_t k = 0; k < sizeof selectors / sizeof selectors[0]; ++k)
        bench_job_run(b, &part, &selectors[k], selectors[k].variant,
                      bench_sizes_for(b, BENCH_SIZE(20) | BENCH_LARGE));
}
