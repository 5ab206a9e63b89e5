/* SPDX-License-Identifier: MIT
 * Benchmarks of searches: 2^20 queries, random and ascending, in n sorted keys, and whether n keys
 * are in order; beside std::lower_bound of the same. */
#include "bench_job.h"

typedef struct searcher {
    const char *variant;
    xl_search_kind kind;
    bool rising;
} searcher;

static const searcher searchers[] = {
    {"u32 lower bounds, 2^20 random queries", XL_SEARCH_LOWER, false},
    {"u32 lower bounds, 2^20 rising queries", XL_SEARCH_LOWER, true},
    {"u32 keys in order", XL_SEARCH_UNSORTED, true},
};

enum { QUERIES = 1 << 20, KEYS = 0, ASKED, PLACES, HOST_END, SCRATCH = HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const searcher *s = j->kind;
    const bool asks = s->kind != XL_SEARCH_UNSORTED;
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.kind = s->kind;
    desc.index = asks ? XL_U32 : XL_U64;
    j->size[KEYS] = 4 * j->n;
    j->size[ASKED] = asks ? 4 * (size_t)QUERIES : 0;
    j->size[PLACES] = asks ? 4 * (size_t)QUERIES : 8;
    j->bytes = asks ? 8.0 * QUERIES : 4.0 * (double)j->n;
    const xl_status status = xl_search_create(b->ctx, &desc, &j->plan);
    return status == XL_SUCCESS
               ? xl_search_scratch(j->plan, &(xl_search_args){.n = j->n}, &j->size[SCRATCH])
               : status;
}

/* Ascending keys with random steps; queries also, or anywhere. */
static void fill(bench_job *j)
{
    const bool rising = ((const searcher *)j->kind)->rising;
    uint64_t state = BENCH_SEED;
    uint32_t key = 0, query = 0;
    for (size_t i = 0; i < j->n; ++i)
        ((uint32_t *)j->host[KEYS])[i] = key +=
            (uint32_t)(bench_random(&state) >> 32) % (uint32_t)(UINT32_MAX / j->n);
    for (size_t i = 0; i < j->size[ASKED] / 4; ++i) {
        const uint32_t random = (uint32_t)(bench_random(&state) >> 32);
        ((uint32_t *)j->host[ASKED])[i] =
            rising ? (query += random % (UINT32_MAX / QUERIES / 2)) : random / 2;
    }
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const xl_search_args args = {.n = j->n,
                                 .keys = xl_view_of(j->mem[KEYS], 0),
                                 .num_queries = j->size[ASKED] / 4,
                                 .queries = xl_view_of(j->mem[ASKED], 0),
                                 .indices_out = xl_view_of(j->mem[PLACES], 0),
                                 .scratch = xl_view_of(j->mem[SCRATCH], 0)};
    return xl_search_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

static const char *fault(bench_job *j)
{
    const uint32_t *keys = j->host[KEYS], *places = j->host[PLACES], *asked = j->host[ASKED];
    if (!asked)
        return *(const uint64_t *)j->host[PLACES] == j->n ? NULL : "keys are in order";
    for (size_t i = 0; i < QUERIES; ++i)
        if (places[i] > j->n || (places[i] > 0 && keys[places[i] - 1] >= asked[i]) ||
            (places[i] < j->n && keys[places[i]] < asked[i]))
            return "a place is another one";
    return NULL;
}

#ifdef BENCH_HAS_STD
static void run_std(bench *b, bench_job *j)
{
    if (j->size[ASKED] == 0)
        return;
    const double ms = bench_std_lower_bound(j->host[KEYS], j->n, j->host[ASKED], QUERIES,
                                            j->host[PLACES], b->runs);
    bench_job_std(b, j, "std", fault(j), ms);
}
#endif

void bench_search(bench *b)
{
    static const bench_part part =
        BENCH_PART("search", PLACES, HOST_END, HOST_END, .peer = BENCH_STD(run_std));
    for (size_t k = 0; k < sizeof searchers / sizeof searchers[0]; ++k)
        bench_job_run(b, &part, &searchers[k], searchers[k].variant, BENCH_SIZE(24));
}
