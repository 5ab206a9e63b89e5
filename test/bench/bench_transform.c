/* SPDX-License-Identifier: MIT
 * Benchmarks of transforms: maps, a gather and a scatter by a random permutation, differences of
 * neighbours; all of u32, verified before they are timed. */
#include "bench.h"

#include <stdlib.h>

typedef struct transformer {
    const char *variant;
    xl_transform_kind kind;
    uint32_t inputs;
    const char *expression;
    bool in_place;
} transformer;

static const transformer transformers[] = {
    {"u32 x", XL_TRANSFORM_MAP, 1, NULL, false},
    {"u32 x * 2 + y", XL_TRANSFORM_MAP, 2, "x * 2u + y", false},
    {"u32 x * 2 + y (in place)", XL_TRANSFORM_MAP, 2, "x * 2u + y", true},
    {"u32 x - p", XL_TRANSFORM_ADJACENT, 1, NULL, false},
    {"u32 x - p (in place)", XL_TRANSFORM_ADJACENT, 1, NULL, true},
    {"u32 gather, random", XL_TRANSFORM_GATHER, 1, NULL, false},
    {"u32 scatter, random", XL_TRANSFORM_SCATTER, 1, NULL, false},
};

enum { X, Y, INDICES, OUT, BUFFERS };

typedef struct job {
    const transformer *t;
    xl_plan *plan;
    size_t n;
    cl_mem mem[BUFFERS];
    uint32_t *host[BUFFERS];
} job;

static bool moves(const transformer *t)
{
    return t->kind == XL_TRANSFORM_GATHER || t->kind == XL_TRANSFORM_SCATTER;
}

static void fill(job *j)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < j->n; ++i) {
        j->host[X][i] = (uint32_t)(i * 2654435761u);
        j->host[Y][i] = (uint32_t)(i ^ 12345u);
        j->host[INDICES][i] = (uint32_t)i;
    }
    for (size_t i = j->n; i-- > 1;) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t k = state % (i + 1);
        const uint32_t other = j->host[INDICES][k];
        j->host[INDICES][k] = j->host[INDICES][i];
        j->host[INDICES][i] = other;
    }
}

static bool make_buffers(bench *b, job *j)
{
    for (int i = 0; i < BUFFERS; ++i) {
        cl_int code;
        j->host[i] = malloc(4 * j->n);
        j->mem[i] = clCreateBuffer(xl_context_cl(b->ctx), 0, 4 * j->n, NULL, &code);
        if (!j->host[i] || !j->mem[i])
            return false;
    }
    fill(j);
    for (int i = 0; i < OUT; ++i)
        if (clEnqueueWriteBuffer(b->queue, j->mem[i], CL_TRUE, 0, 4 * j->n, j->host[i], 0, NULL,
                                 NULL) != CL_SUCCESS)
            return false;
    return true;
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i) {
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
        free(j->host[i]);
    }
    xl_plan_destroy(j->plan);
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    xl_transform_args args = {.n = j->n,
                              .in = {xl_view_of(j->mem[X], 0)},
                              .out = {xl_view_of(j->mem[j->t->in_place ? X : OUT], 0)}};
    if (j->t->inputs > 1)
        args.in[1] = xl_view_of(j->mem[Y], 0);
    if (moves(j->t)) {
        args.range = j->n;
        args.indices = xl_view_of(j->mem[INDICES], 0);
    }
    return xl_transform_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* What out[i] has to be, or where a scatter's in[i] has to be. */
static bool is_right(const job *j, size_t i)
{
    const uint32_t x = j->host[X][i], *out = j->host[OUT], at = j->host[INDICES][i];
    switch (j->t->kind) {
    case XL_TRANSFORM_GATHER:
        return out[i] == j->host[X][at];
    case XL_TRANSFORM_SCATTER:
        return out[at] == x;
    case XL_TRANSFORM_ADJACENT:
        return out[i] == (i > 0 ? x - j->host[X][i - 1] : x);
    default:
        return out[i] == (j->t->inputs > 1 ? x * 2 + j->host[Y][i] : x);
    }
}

static bool right(bench *b, job *j)
{
    const xl_status status = enqueue(b, j, NULL);
    if (status != XL_SUCCESS) {
        bench_failed(b, "transform", j->t->variant, j->n, status);
        return false;
    }
    clEnqueueReadBuffer(b->queue, j->mem[j->t->in_place ? X : OUT], CL_TRUE, 0, 4 * j->n,
                        j->host[OUT], 0, NULL, NULL);
    for (size_t i = 0; i < j->n; ++i)
        if (!is_right(j, i)) {
            bench_wrong(b, "transform", j->t->variant, j->n, "an element is not as on the host");
            return false;
        }
    return true;
}

static void run(bench *b, const transformer *t, size_t n)
{
    job j = {.t = t, .n = n};
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.kind = t->kind;
    desc.num_arrays = t->inputs;
    desc.types[0] = XL_U32;
    desc.types[1] = t->inputs > 1 ? XL_U32 : XL_NONE;
    desc.index_type = moves(t) ? XL_U32 : XL_NONE;
    desc.expression = t->expression;
    const xl_status status = xl_transform_create(b->ctx, &desc, &j.plan);
    const double arrays = 1.0 + t->inputs + moves(t);
    if (status != XL_SUCCESS)
        bench_failed(b, "transform", t->variant, n, status);
    else if (!make_buffers(b, &j))
        bench_wrong(b, "transform", t->variant, n, "no memory");
    else if (right(b, &j))
        (void)bench_case(b, "transform", t->variant, n, arrays * 4.0 * (double)n, enqueue, &j);
    end_job(&j);
}

void bench_transform(bench *b)
{
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t sizes[] = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28};
    for (size_t t = 0; t < sizeof transformers / sizeof transformers[0]; ++t)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            if (sizes[i] >= b->options->min_n && sizes[i] <= b->max_n && !(is_cpu && i == 3) &&
                bench_wants(b, transformers[t].variant))
                run(b, &transformers[t], sizes[i]);
}
