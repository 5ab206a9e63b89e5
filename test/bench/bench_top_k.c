/* SPDX-License-Identifier: MIT
 * Benchmarks of the top-k selection: the largest u32 keys with their places, verified before they
 * are timed, beside the C++ standard library on one core. */
#include "bench.h"
#ifdef BENCH_HAS_STD
#include "bench_std.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum pattern { RANDOM, EQUAL } pattern;

typedef struct selector {
    const char *variant;
    size_t k;
    bool sorted;
    pattern pattern;
} selector;

static const selector selectors[] = {
    {"u32 keys, k 8", 8, true, RANDOM},
    {"u32 keys, k 100", 100, true, RANDOM},
    {"u32 keys, k 100, unsorted", 100, false, RANDOM},
    {"u32 keys, k 10000", 10000, true, RANDOM},
    {"u32 keys, k 10000, unsorted", 10000, false, RANDOM},
    {"u32 keys, k 10000, all equal", 10000, true, EQUAL},
};

enum { KEYS_IN, KEYS_OUT, INDICES_OUT, SCRATCH, BUFFERS };

typedef struct job {
    const selector *selector;
    xl_plan *plan;
    size_t n;
    cl_mem mem[BUFFERS];
    uint32_t *host[3];
} job;

static void fill(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->n; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        j->host[KEYS_IN][i] = j->selector->pattern == EQUAL ? 0x12345678u : (uint32_t)(state >> 32);
    }
}

static bool make_buffers(bench *b, job *j)
{
    size_t scratch;
    if (xl_top_k_scratch(j->plan, &(xl_top_k_args){.n = j->n, .k = j->selector->k}, &scratch) !=
        XL_SUCCESS)
        return false;
    const size_t bytes[BUFFERS] = {4 * j->n, 4 * j->selector->k, 4 * j->selector->k, scratch};
    for (int i = 0; i < SCRATCH; ++i)
        if (!(j->host[i] = malloc(bytes[i])))
            return false;
    fill(j);
    for (int i = 0; i < BUFFERS; ++i) {
        const bool given = i == KEYS_IN;
        cl_int code;
        j->mem[i] = clCreateBuffer(xl_context_cl(b->ctx), given ? CL_MEM_COPY_HOST_PTR : 0,
                                   bytes[i], given ? j->host[i] : NULL, &code);
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
    return xl_top_k_enqueue(j->plan, b->queue,
                            &(xl_top_k_args){.n = j->n,
                                             .k = j->selector->k,
                                             .keys_in = xl_view_of(j->mem[KEYS_IN], 0),
                                             .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                                             .indices_out = xl_view_of(j->mem[INDICES_OUT], 0),
                                             .scratch = xl_view_of(j->mem[SCRATCH], 0)},
                            0, NULL, event);
}

/* Whether key i is worse than key j, as the plan orders them. */
static bool is_worse(const uint32_t *keys, uint32_t i, uint32_t j)
{
    return keys[i] != keys[j] ? keys[i] < keys[j] : i > j;
}

/* Each result is a key of its own, in order, and none of the others is better than the worst. */
static const char *fault(const job *j)
{
    const uint32_t *keys = j->host[KEYS_IN], *places = j->host[INDICES_OUT];
    const size_t k = j->selector->k;
    uint32_t worst = places[0];
    size_t better = 0;
    for (size_t i = 0; i < k; ++i) {
        if (places[i] >= j->n || keys[places[i]] != j->host[KEYS_OUT][i])
            return "an index has lost its key";
        if (i > 0 && (j->selector->sorted ? !is_worse(keys, places[i], places[i - 1])
                                          : places[i] <= places[i - 1]))
            return "results are not in order";
        if (is_worse(keys, places[i], worst))
            worst = places[i];
    }
    for (size_t i = 0; i < j->n; ++i)
        better += !is_worse(keys, (uint32_t)i, worst);
    return better == k ? NULL : "there are better keys";
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "topk", j->selector->variant, j->n, status);
        return false;
    }
    for (int i = KEYS_OUT; i <= INDICES_OUT; ++i)
        clEnqueueReadBuffer(b->queue, j->mem[i], CL_TRUE, 0, 4 * j->selector->k, j->host[i], 0,
                            NULL, NULL);
    const char *why = fault(j);
    if (why)
        bench_wrong(b, "topk", j->selector->variant, j->n, why);
    return !why;
}

/* The same keys by std::nth_element and std::sort, without places. */
static void run_std(bench *b, const job *j, double bytes)
{
#ifdef BENCH_HAS_STD
    const selector *s = j->selector;
    const double ms = bench_std_top_k(j->host[KEYS_IN], j->host[KEYS_OUT], j->n, s->k, s->sorted,
                                      b->runs < 5 ? b->runs : 5);
    bench_host_case(b, "std", "topk", s->variant, j->n, bytes, ms);
#else
    (void)b, (void)j, (void)bytes;
#endif
}

static void run(bench *b, const selector *s, size_t n)
{
    job j = {.selector = s, .n = n};
    const double bytes = 4.0 * (double)n;
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.sorted = s->sorted;
    const xl_status status = xl_top_k_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS) {
        bench_failed(b, "topk", s->variant, n, status);
    } else if (!make_buffers(b, &j)) {
        bench_wrong(b, "topk", s->variant, n, "no memory");
    } else if (right(b, &j)) {
        (void)bench_case(b, "topk", s->variant, n, bytes, enqueue, &j);
        if (n <= (size_t)1 << 24)
            run_std(b, &j, bytes);
    }
    end_job(&j);
}

void bench_top_k(bench *b)
{
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t sizes[] = {(size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28};
    for (size_t s = 0; s < sizeof selectors / sizeof selectors[0]; ++s)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            if (sizes[i] >= b->options->min_n && sizes[i] <= b->max_n && !(is_cpu && i == 2) &&
                bench_wants(b, selectors[s].variant))
                run(b, &selectors[s], sizes[i]);
}
