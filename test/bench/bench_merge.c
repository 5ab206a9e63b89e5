/* SPDX-License-Identifier: MIT
 * Benchmarks of merges and set operations of two sorted arrays of n / 2 elements, beside
 * std::merge, std::set_union and so on of the same arrays; and of merges of many runs. */
#include "bench_job.h"

#include <stdlib.h>

typedef struct merger {
    const char *variant;
    xl_type value;
    xl_merge_operation operation;
    size_t runs; /* of equal length, at most MOST_RUNS; 0: two arrays */
} merger;

enum { MOST_RUNS = 64 };
static const merger mergers[] = {{"u32 keys", XL_NONE, XL_MERGE_ALL, 0},
                                 {"u32,u32 pairs", XL_U32, XL_MERGE_ALL, 0},
                                 {"u32 keys, 8 runs", XL_NONE, XL_MERGE_ALL, 8},
                                 {"u32 keys, 64 runs", XL_NONE, XL_MERGE_ALL, 64},
                                 {"u32,u32 pairs, 8 runs", XL_U32, XL_MERGE_ALL, 8},
                                 {"u32,u32 pairs, 64 runs", XL_U32, XL_MERGE_ALL, 64},
                                 {"u32 union", XL_NONE, XL_MERGE_UNION, 0},
                                 {"u32 intersection", XL_NONE, XL_MERGE_INTERSECTION, 0},
                                 {"u32 difference", XL_NONE, XL_MERGE_DIFFERENCE, 0}};

enum { KEYS_A, KEYS_B, VALUES_A, VALUES_B, KEYS_OUT, VALUES_OUT, COUNT, HOST_END };
enum { SCRATCH = HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const merger *m = j->kind;
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.value = m->value;
    desc.operation = m->operation;
    for (int i = 0; i < COUNT; ++i) {
        const bool is_value = i == VALUES_A || i == VALUES_B || i == VALUES_OUT;
        if (!is_value || m->value != XL_NONE)
            j->size[i] = i < KEYS_OUT && m->runs == 0 ? 2 * j->n : 4 * j->n;
    }
    if (m->runs > 0)
        j->size[KEYS_B] = j->size[VALUES_B] = 0;
    j->size[COUNT] = m->operation == XL_MERGE_ALL ? 0 : 8;
    const xl_status status = xl_merge_create(b->ctx, &desc, &j->plan);
    return status == XL_SUCCESS
               ? xl_merge_scratch(j->plan, &(xl_merge_args){.n_a = j->n, .num_runs = m->runs},
                                  &j->size[SCRATCH])
               : status;
}

static void fill_runs(bench_job *j)
{
    const size_t length = j->n / ((const merger *)j->kind)->runs;
    uint32_t *const keys = j->host[KEYS_A], *const values = j->host[VALUES_A], key = 0;
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; i < j->n; ++i) {
        const uint32_t step =
            (uint32_t)(bench_random(&state) >> 32) % (uint32_t)(UINT32_MAX / length);
        key = i % length == 0 ? step : key + step;
        keys[i] = key;
        if (values)
            values[i] = (uint32_t)i;
    }
}

/* Two ascending arrays with random steps, so that neither predicts which of them is next. For set
 * operations the steps are short, so that both contain about half of the keys. */
static void fill(bench_job *j)
{
    const merger *m = j->kind;
    uint64_t state = BENCH_SEED;
    if (m->runs > 0) {
        fill_runs(j);
        return;
    }
    const uint32_t widest = m->operation == XL_MERGE_ALL ? (uint32_t)(UINT32_MAX / (j->n / 2)) : 4;
    uint32_t key[2] = {0, 0};
    for (size_t i = 0; i < j->n / 2; ++i)
        for (int k = 0; k < 2; ++k) {
            key[k] += (uint32_t)(bench_random(&state) >> 32) % widest;
            ((uint32_t *)j->host[KEYS_A + k])[i] = key[k];
            if (m->value != XL_NONE)
                ((uint32_t *)j->host[VALUES_A + k])[i] = (uint32_t)(k ? j->n / 2 + i : i);
        }
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const size_t count = ((const merger *)j->kind)->runs;
    size_t runs[MOST_RUNS + 1] = {0};
    for (size_t k = 1; k <= count; ++k)
        runs[k] = j->n / count * k;
    const xl_merge_args args = {.n_a = count > 0 ? j->n : j->n / 2,
                                .n_b = count > 0 ? 0 : j->n / 2,
                                .num_runs = count,
                                .runs = count > 0 ? runs : NULL,
                                .keys_a = xl_view_of(j->mem[KEYS_A], 0),
                                .keys_b = xl_view_of(j->mem[KEYS_B], 0),
                                .values_a = xl_view_of(j->mem[VALUES_A], 0),
                                .values_b = xl_view_of(j->mem[VALUES_B], 0),
                                .keys_out = xl_view_of(j->mem[KEYS_OUT], 0),
                                .values_out = xl_view_of(j->mem[VALUES_OUT], 0),
                                .count_out = xl_view_of(j->mem[COUNT], 0),
                                .scratch = xl_view_of(j->mem[SCRATCH], 0)};
    return xl_merge_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* Whether an element is taken in a step that passes one of a, one of b, or an equal one of both. */
static bool takes(xl_merge_operation operation, bool from_a, bool from_b)
{
    const bool of[] = {true, true, from_a && from_b, from_a && !from_b};
    return of[operation];
}

static const char *fault_of_runs(bench_job *j)
{
    const size_t count = ((const merger *)j->kind)->runs, length = j->n / count;
    const uint32_t *keys = j->host[KEYS_A], *out = j->host[KEYS_OUT], *values = j->host[VALUES_OUT];
    size_t next[MOST_RUNS];
    for (size_t k = 0; k < count; ++k)
        next[k] = k * length;
    for (size_t i = 0; i < j->n; ++i) {
        size_t first = count;
        for (size_t k = 0; k < count; ++k)
            if (next[k] < (k + 1) * length && (first == count || keys[next[k]] < keys[next[first]]))
                first = k;
        if (out[i] != keys[next[first]])
            return "keys are not those that are next";
        if (values && values[i] != next[first])
            return "a value has lost its key";
        ++next[first];
    }
    j->bytes = 2 * (double)j->n * (values ? 8 : 4);
    return NULL;
}

/* Compares with the only possible result, whose length gives the bytes. */
static const char *fault(bench_job *j)
{
    const merger *m = j->kind;
    const uint32_t *a = j->host[KEYS_A], *b = j->host[KEYS_B], *out = j->host[KEYS_OUT],
                   *values = j->host[VALUES_OUT];
    const size_t half = j->n / 2;
    size_t i = 0, k = 0, at = 0;
    if (m->runs > 0)
        return fault_of_runs(j);
    while (i < half || k < half) {
        const bool from_a = k == half || (i < half && a[i] <= b[k]);
        const bool from_b =
            m->operation == XL_MERGE_ALL ? !from_a : i == half || (k < half && b[k] <= a[i]);
        if (takes(m->operation, from_a, from_b)) {
            if (out[at] != (from_a ? a[i] : b[k]))
                return "keys are not those that are next";
            if (values && values[at] != (uint32_t)(from_a ? i : half + k))
                return "a value has lost its key";
            ++at;
        }
        i += from_a;
        k += from_b;
    }
    j->bytes = (double)(j->n + at) * (m->value == XL_NONE ? 4 : 8);
    return j->size[COUNT] > 0 && *(uint32_t *)j->host[COUNT] != at ? "the count is wrong" : NULL;
}

#ifdef BENCH_HAS_STD
static double std_pairs(const bench_job *j, unsigned runs)
{
    const size_t half = j->n / 2;
    bench_std_pair *const pairs = malloc(2 * j->n * sizeof *pairs);
    if (!pairs)
        return 0;
    for (size_t i = 0; i < j->n; ++i) {
        const size_t side = i < half ? 0 : 1, at = i - side * half;
        pairs[i] = (bench_std_pair){((uint32_t *)j->host[KEYS_A + side])[at],
                                    ((uint32_t *)j->host[VALUES_A + side])[at]};
    }
    const double ms = bench_std_merge_pairs(pairs, half, pairs + half, half, pairs + j->n, runs);
    free(pairs);
    return ms;
}

/* Overwrites the result on the host. More than 2^24 elements take too long. */
static void run_std(bench *b, bench_job *j)
{
    const merger *m = j->kind;
    if (j->n > (size_t)1 << 24 || m->runs > 0)
        return;
    if (m->value != XL_NONE) {
        bench_job_std(b, j, "std", NULL, std_pairs(j, b->runs));
        return;
    }
    const double ms = bench_std_merge((int)m->operation, j->host[KEYS_A], j->n / 2, j->host[KEYS_B],
                                      j->n / 2, j->host[KEYS_OUT], b->runs);
    bench_job_std(b, j, "std", fault(j), ms);
}
#endif

void bench_merge(bench *b)
{
    static const bench_part part =
        BENCH_PART("merge", KEYS_OUT, HOST_END, HOST_END, .peer = BENCH_STD(run_std));
    for (size_t k = 0; k < sizeof mergers / sizeof mergers[0]; ++k)
        bench_job_run(b, &part, &mergers[k], mergers[k].variant,
                      bench_sizes_for(b, (mergers[k].runs > 0 ? BENCH_SIZE(16) : 0) |
                                             BENCH_SIZE(20) | BENCH_LARGE));
}
