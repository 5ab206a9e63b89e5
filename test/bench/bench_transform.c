/* SPDX-License-Identifier: MIT
 * Benchmarks of transforms of u32: maps, a gather and a scatter by a random permutation, and
 * differences of neighbours. */
#include "bench_job.h"

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

enum { X, Y, INDICES, OUT, HOST_END };

static xl_status create(bench *b, bench_job *j)
{
    const transformer *t = j->kind;
    const bool moves = t->kind == XL_TRANSFORM_GATHER || t->kind == XL_TRANSFORM_SCATTER;
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.kind = t->kind;
    desc.num_arrays = t->inputs;
    desc.types[0] = XL_U32;
    desc.types[1] = t->inputs > 1 ? XL_U32 : XL_NONE;
    desc.index_type = moves ? XL_U32 : XL_NONE;
    desc.expression = t->expression;
    j->in_place = t->in_place;
    j->size[X] = j->size[OUT] = 4 * j->n;
    j->size[Y] = t->inputs > 1 ? 4 * j->n : 0;
    j->size[INDICES] = moves ? 4 * j->n : 0;
    j->bytes = (1.0 + t->inputs + moves) * 4.0 * (double)j->n;
    return xl_transform_create(b->ctx, &desc, &j->plan);
}

static void fill(bench_job *j)
{
    uint64_t state = BENCH_SEED;
    uint32_t *x = j->host[X], *y = j->host[Y], *indices = j->host[INDICES];
    for (size_t i = 0; i < j->n; ++i) {
        x[i] = (uint32_t)(i * 2654435761u);
        if (y)
            y[i] = (uint32_t)(i ^ 12345u);
        if (indices)
            indices[i] = (uint32_t)i;
    }
    for (size_t i = j->n; indices && i-- > 1;) {
        const size_t k = bench_random(&state) % (i + 1);
        const uint32_t other = indices[k];
        indices[k] = indices[i];
        indices[i] = other;
    }
}

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const bench_job *j = user;
    const xl_transform_args args = {.n = j->n,
                                    .in = {xl_view_of(j->mem[X], 0), xl_view_of(j->mem[Y], 0)},
                                    .out = {xl_view_of(j->mem[OUT], 0)},
                                    .range = j->size[INDICES] / 4,
                                    .indices = xl_view_of(j->mem[INDICES], 0)};
    return xl_transform_enqueue(j->plan, b->queue, &args, 0, NULL, event);
}

/* Whether out[i], or the element to which a scatter moves in[i], is right. */
static bool is_right(const bench_job *j, size_t i)
{
    const uint32_t *in = j->host[X], *y = j->host[Y], *out = j->host[OUT],
                   *indices = j->host[INDICES];
    switch (((const transformer *)j->kind)->kind) {
    case XL_TRANSFORM_GATHER:
        return out[i] == in[indices[i]];
    case XL_TRANSFORM_SCATTER:
        return out[indices[i]] == in[i];
    case XL_TRANSFORM_ADJACENT:
        return out[i] == (i > 0 ? in[i] - in[i - 1] : in[i]);
    default:
        return out[i] == (y ? in[i] * 2 + y[i] : in[i]);
    }
}

static const char *fault(bench_job *j)
{
    for (size_t i = 0; i < j->n; ++i)
        if (!is_right(j, i))
            return "an element is not as on the host";
    return NULL;
}

void bench_transform(bench *b)
{
    static const bench_part part = BENCH_PART("transform", OUT, HOST_END, HOST_END, .peer = NULL);
    for (size_t t = 0; t < sizeof transformers / sizeof transformers[0]; ++t)
        bench_job_run(b, &part, &transformers[t], transformers[t].variant,
                      bench_sizes_for(b, BENCH_SIZE(16) | BENCH_SIZE(20) | BENCH_LARGE));
}
