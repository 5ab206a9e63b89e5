/* SPDX-License-Identifier: MIT
 * Benchmarks of merges and set operations of two sorted arrays of n / 2 elements, verified before
 * they are timed, and on the host of std::merge, std::set_union and so on with the same arrays. */
#include "bench.h"
#ifdef BENCH_HAS_STD
#include "bench_std.h"
#endif

#include <stdlib.h>

typedef struct merger {
    const char *variant;
    xl_type value;
    xl_merge_operation operation;
} merger;

static const merger mergers[] = {{"u32 keys", XL_NONE, XL_MERGE_ALL},
                                 {"u32,u32 pairs", XL_U32, XL_MERGE_ALL},
                                 {"u32 union", XL_NONE, XL_MERGE_UNION},
                                 {"u32 intersection", XL_NONE, XL_MERGE_INTERSECTION},
                                 {"u32 difference", XL_NONE, XL_MERGE_DIFFERENCE}};

enum { KEYS_A, KEYS_B, VALUES_A, VALUES_B, KEYS_OUT, VALUES_OUT, COUNT, ARRAYS };

typedef struct job {
    const merger *merger;
    xl_plan *plan;
    size_t n, results;
    cl_mem mem[ARRAYS], scratch; /* NULL where the plan has no such array */
    uint32_t *host[ARRAYS];
} job;

static size_t length_of(const job *j, int which)
{
    if (which == COUNT)
        return j->merger->operation == XL_MERGE_ALL ? 0 : 2;
    const bool is_value = which == VALUES_A || which == VALUES_B || which == VALUES_OUT;
    if (is_value && j->merger->value == XL_NONE)
        return 0;
    return which >= KEYS_OUT ? j->n : j->n / 2;
}

/* Two rising arrays whose steps are random, so that neither foretells which of them is next. For set
 * operations the steps are short, so that about half of the keys are in both, some of them often. */
static void fill(job *j)
{
    uint64_t state = 88172645463325252u;
    const uint32_t widest =
        j->merger->operation == XL_MERGE_ALL ? (uint32_t)(UINT32_MAX / (j->n / 2)) : 4;
    uint32_t key[2] = {0, 0};
    for (size_t i = 0; i < j->n / 2; ++i)
        for (int k = 0; k < 2; ++k) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            key[k] += (uint32_t)(state >> 32) % widest;
            j->host[KEYS_A + k][i] = key[k];
            if (j->host[VALUES_A + k])
                j->host[VALUES_A + k][i] = (uint32_t)(k ? j->n / 2 + i : i);
        }
}

static cl_mem buffer_of(bench *b, size_t bytes, void *host)
{
    cl_int code;
    return clCreateBuffer(xl_context_cl(b->ctx), host ? CL_MEM_COPY_HOST_PTR : 0, bytes, host,
                          &code);
}

static bool make_buffers(bench *b, job *j)
{
    size_t scratch;
    if (xl_merge_scratch(j->plan, &(xl_merge_args){.n_a = j->n}, &scratch) != XL_SUCCESS)
        return false;
    for (int i = 0; i < ARRAYS; ++i)
        if (length_of(j, i) > 0 && !(j->host[i] = malloc(4 * length_of(j, i))))
            return false;
    fill(j);
    for (int i = 0; i < ARRAYS; ++i)
        if (length_of(j, i) > 0 &&
            !(j->mem[i] = buffer_of(b, 4 * length_of(j, i), i < KEYS_OUT ? j->host[i] : NULL)))
            return false;
    return scratch == 0 || (j->scratch = buffer_of(b, scratch, NULL));
}

static void end_job(job *j)
{
    for (int i = 0; i < ARRAYS; ++i) {
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
        free(j->host[i]);
    }
    if (j->scratch)
        clReleaseMemObject(j->scratch);
    xl_plan_destroy(j->plan);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    return xl_merge_enqueue(j->plan, b->queue,
                            &(xl_merge_args){.n_a = j->n / 2,
                                             .n_b = j->n / 2,
                                             .keys_a = xl_view_of(j->mem[KEYS_A], 0),
                                             .keys_b = xl_view_of(j->mem[KEYS_B], 0),
                                             .values_a = xl_view_of(j->mem[VALUES_A], 0),
                                             .values_b = xl_view_of(j->mem[VALUES_B], 0),
                                             .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                                             .values_out = xl_view_of(j->mem[VALUES_OUT], 0),
                                             .count_out = xl_view_of(j->mem[COUNT], 0),
                                             .scratch = xl_view_of(j->scratch, 0)},
                            0, NULL, event);
}

/* Whether an element is taken in a step that passes one of a, one of b, or an equal one of both. */
static bool takes(const job *j, bool from_a, bool from_b)
{
    const bool of[] = {true, true, from_a && from_b, from_a && !from_b};
    return of[j->merger->operation];
}

/* Compares with the only possible result; sets the number of results. */
static const char *fault(job *j)
{
    const uint32_t *a = j->host[KEYS_A], *b = j->host[KEYS_B];
    const size_t half = j->n / 2;
    size_t i = 0, k = 0, at = 0;
    while (i < half || k < half) {
        const bool from_a = k == half || (i < half && a[i] <= b[k]);
        const bool from_b = j->merger->operation == XL_MERGE_ALL
                                ? !from_a
                                : i == half || (k < half && b[k] <= a[i]);
        if (takes(j, from_a, from_b)) {
            if (j->host[KEYS_OUT][at] != (from_a ? a[i] : b[k]))
                return "keys are not those that are next";
            if (j->host[VALUES_OUT] && j->host[VALUES_OUT][at] != (uint32_t)(from_a ? i : half + k))
                return "a value has lost its key";
            ++at;
        }
        i += from_a;
        k += from_b;
    }
    j->results = at;
    return j->host[COUNT] && j->host[COUNT][0] != at ? "the count is wrong" : NULL;
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "merge", j->merger->variant, j->n, status);
        return false;
    }
    for (int i = KEYS_OUT; i < ARRAYS; ++i)
        if (j->mem[i])
            clEnqueueReadBuffer(b->queue, j->mem[i], CL_TRUE, 0, 4 * length_of(j, i), j->host[i], 0,
                                NULL, NULL);
    const char *why = fault(j);
    if (why)
        bench_wrong(b, "merge", j->merger->variant, j->n, why);
    return !why;
}

#ifdef BENCH_HAS_STD
static double std_pairs(const job *j, unsigned runs)
{
    bench_std_pair *const pairs = malloc(2 * j->n * sizeof *pairs);
    if (!pairs)
        return 0;
    for (size_t i = 0; i < j->n; ++i) {
        const size_t side = i < j->n / 2 ? 0 : 1, at = i - side * (j->n / 2);
        pairs[i] = (bench_std_pair){j->host[KEYS_A + side][at], j->host[VALUES_A + side][at]};
    }
    const double ms =
        bench_std_merge_pairs(pairs, j->n / 2, pairs + j->n / 2, j->n / 2, pairs + j->n, runs);
    free(pairs);
    return ms;
}

/* After the device's result was verified: its copy on the host is written. */
static void run_std(bench *b, job *j, double bytes)
{
    const double ms = j->merger->value == XL_NONE
                          ? bench_std_merge((int)j->merger->operation, j->host[KEYS_A], j->n / 2,
                                            j->host[KEYS_B], j->n / 2, j->host[KEYS_OUT], b->runs)
                          : std_pairs(j, b->runs);
    if (j->merger->value == XL_NONE && fault(j))
        bench_host_wrong(b, "std", "merge", j->merger->variant, j->n, fault(j));
    else
        bench_host_case(b, "std", "merge", j->merger->variant, j->n, bytes, ms);
}
#endif

static void run(bench *b, const merger *m, size_t n)
{
    job j = {.merger = m, .n = n};
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.value = m->value;
    desc.operation = m->operation;
    const xl_status status = xl_merge_create(b->ctx, &desc, &j.plan);
    if (status != XL_SUCCESS) {
        bench_failed(b, "merge", m->variant, n, status);
    } else if (!make_buffers(b, &j)) {
        bench_wrong(b, "merge", m->variant, n, "no memory");
    } else if (right(b, &j)) {
        const double bytes = (double)(n + j.results) * (m->value == XL_NONE ? 4 : 8);
        (void)bench_case(b, "merge", m->variant, n, bytes, enqueue, &j);
#ifdef BENCH_HAS_STD
        if (n <= (size_t)1 << 24) /* more takes too long */
            run_std(b, &j, bytes);
#endif
    }
    end_job(&j);
}

void bench_merge(bench *b)
{
    const size_t most =
        (b->info.device_type & CL_DEVICE_TYPE_CPU) ? (size_t)1 << 24 : (size_t)1 << 28;
    for (size_t k = 0; k < sizeof mergers / sizeof mergers[0]; ++k)
        for (size_t n = (size_t)1 << 20; n <= b->max_n && n <= most; n *= 16)
            if (n >= b->options->min_n && bench_wants(b, mergers[k].variant))
                run(b, &mergers[k], n);
}
