/* SPDX-License-Identifier: MIT
 * Benchmarks of searches: 2^20 queries, random and rising, in n sorted keys, and whether n keys are
 * in order; verified before they are timed; and on the host std::lower_bound of the same. */
#include "bench.h"
#ifdef BENCH_HAS_STD
#include "bench_std.h"
#endif

#include <stdlib.h>

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

enum { QUERIES = 1 << 20, KEYS = 0, ASKED, PLACES, SCRATCH, BUFFERS };

typedef struct job {
    const searcher *searcher;
    xl_plan *plan;
    size_t n;
    cl_mem mem[BUFFERS]; /* NULL where the plan has no such array */
    uint32_t *host[3];
} job;

static size_t queries_of(const job *j)
{
    return j->searcher->kind == XL_SEARCH_UNSORTED ? 0 : QUERIES;
}

/* Rising keys whose steps are random, and queries alike or anywhere. */
static void fill(job *j)
{
    uint64_t state = 88172645463325252u;
    uint32_t key = 0, query = 0;
    for (size_t i = 0; i < j->n + QUERIES; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const uint32_t random = (uint32_t)(state >> 32);
        if (i < j->n)
            j->host[KEYS][i] = key += random % (uint32_t)(UINT32_MAX / j->n);
        else
            j->host[ASKED][i - j->n] =
                j->searcher->rising ? (query += random % (UINT32_MAX / QUERIES / 2)) : random / 2;
    }
}

static bool make_buffers(bench *b, job *j)
{
    size_t scratch;
    if (xl_search_scratch(j->plan, &(xl_search_args){.n = j->n}, &scratch) != XL_SUCCESS)
        return false;
    const size_t bytes[BUFFERS] = {4 * j->n, 4 * (size_t)QUERIES, 4 * (size_t)QUERIES, scratch};
    for (int i = 0; i < SCRATCH; ++i)
        if (!(j->host[i] = malloc(bytes[i])))
            return false;
    fill(j);
    for (int i = 0; i < BUFFERS; ++i) {
        cl_int code;
        if (bytes[i] == 0)
            continue;
        j->mem[i] = clCreateBuffer(xl_context_cl(b->ctx), i < PLACES ? CL_MEM_COPY_HOST_PTR : 0,
                                   bytes[i], i < PLACES ? j->host[i] : NULL, &code);
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
    for (int i = 0; i < SCRATCH; ++i)
        free(j->host[i]);
    xl_plan_destroy(j->plan);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    const xl_view none = xl_no_view();
    return xl_search_enqueue(
        j->plan, b->queue,
        &(xl_search_args){.n = j->n,
                          .keys = xl_view_of(j->mem[KEYS], 0),
                          .num_queries = queries_of(j),
                          .queries = queries_of(j) > 0 ? xl_view_of(j->mem[ASKED], 0) : none,
                          .indices_out = xl_view_of(j->mem[PLACES], 0),
                          .scratch = j->mem[SCRATCH] ? xl_view_of(j->mem[SCRATCH], 0) : none},
        0, NULL, event);
}

static const char *fault(const job *j)
{
    const uint32_t *keys = j->host[KEYS], *places = j->host[PLACES];
    if (queries_of(j) == 0)
        return *(const uint64_t *)(const void *)places == j->n ? NULL : "keys are in order";
    for (size_t i = 0; i < QUERIES; ++i)
        if (places[i] > j->n || (places[i] > 0 && keys[places[i] - 1] >= j->host[ASKED][i]) ||
            (places[i] < j->n && keys[places[i]] < j->host[ASKED][i]))
            return "a place is another one";
    return NULL;
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "search", j->searcher->variant, j->n, status);
        return false;
    }
    clEnqueueReadBuffer(b->queue, j->mem[PLACES], CL_TRUE, 0, 4 * (size_t)QUERIES, j->host[PLACES],
                        0, NULL, NULL);
    const char *why = fault(j);
    if (why)
        bench_wrong(b, "search", j->searcher->variant, j->n, why);
    return !why;
}

/* Bytes that must be moved: queries and places, or all keys. */
static double bytes_of(const job *j)
{
    return queries_of(j) > 0 ? 8.0 * QUERIES : 4.0 * (double)j->n;
}

#ifdef BENCH_HAS_STD
static void run_std(bench *b, const job *j)
{
    const double ms = bench_std_lower_bound(j->host[KEYS], j->n, j->host[ASKED], QUERIES,
                                            j->host[PLACES], b->runs);
    const char *why = fault(j);
    if (why)
        bench_host_wrong(b, "std", "search", j->searcher->variant, j->n, why);
    else
        bench_host_case(b, "std", "search", j->searcher->variant, j->n, bytes_of(j), ms);
}
#endif

static void run(bench *b, const searcher *s, size_t n)
{
    job j = {.searcher = s, .n = n};
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.kind = s->kind;
    desc.index = s->kind == XL_SEARCH_UNSORTED ? XL_U64 : XL_U32;
    const xl_status status = xl_search_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS) {
        bench_failed(b, "search", s->variant, n, status);
    } else if (!make_buffers(b, &j)) {
        bench_wrong(b, "search", s->variant, n, "no memory");
    } else if (right(b, &j)) {
        (void)bench_case(b, "search", s->variant, n, bytes_of(&j), enqueue, &j);
#ifdef BENCH_HAS_STD
        if (queries_of(&j) > 0)
            run_std(b, &j);
#endif
    }
    end_job(&j);
}

void bench_search(bench *b)
{
    const size_t n = (size_t)1 << 24;
    for (size_t k = 0; k < sizeof searchers / sizeof searchers[0]; ++k)
        if (n <= b->max_n && n >= b->options->min_n && bench_wants(b, searchers[k].variant))
            run(b, &searchers[k], n);
}
