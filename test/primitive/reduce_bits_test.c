/* SPDX-License-Identifier: MIT
 * What XL_REPRODUCIBLE promises of reductions: the same bits on every device, for every form
 * of segments. A model in plain C, and the hashes of its results written down. */
#include "reduce_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs of 4096 elements, of CSR offsets 4096 steps of the merge of elements and segments'
 * ends (lib/reduce/reduce_shape.c, cl/reduce/reduce_chunk.cl). A run's part of a segment is
 * folded from left to right, and then the parts are. */
enum { RUN = 4096 };

/* x -> a x + b, the left one first: two roundings, which a fused operation would make one. */
typedef struct map {
    float a, b;
} map;

static const map no_map = {1, 0};
static const xl_user_op map_op = {"map_after",
                                  "float2 map_after(float2 f, float2 g)\n"
                                  "{\n"
                                  "    return (float2)(f.x * g.x, f.y * g.x + g.y);\n"
                                  "}",
                                  &no_map, 0};

typedef union value {
    float f32;
    double f64;
    map pair;
} value;

typedef struct promise {
    const char *what;
    xl_type type; /* pairs of f32: maps */
    xl_op op;
    xl_segments segments;
    size_t n;
    uint64_t hash;
} promise;

static value join(const promise *p, value a, value b)
{
    value r = {.f64 = 0};
    /* Through memory, so that no compiler keeps more bits, or fuses. */
    if (p->type == XL_F64) {
        volatile double x = p->op == XL_SUM ? a.f64 + b.f64 : a.f64 * b.f64;
        r.f64 = x;
    } else if (p->type == XL_F32) {
        volatile float x = p->op == XL_SUM ? a.f32 + b.f32 : a.f32 * b.f32;
        r.f32 = x;
    } else {
        volatile float x = a.pair.a * b.pair.a, y = a.pair.b * b.pair.a;
        y = y + b.pair.b;
        r.pair = (map){x, y};
    }
    return r;
}

static value identity_of(const promise *p)
{
    value r = {.f64 = 0};
    if (p->type == XL_F64)
        r.f64 = p->op == XL_SUM ? -0.0 : 1.0;
    else if (p->type == XL_F32)
        r.f32 = p->op == XL_SUM ? -0.0f : 1.0f;
    else
        r.pair = no_map;
    return r;
}

/* A segment without elements: the sum of nothing is +0. */
static value empty_of(const promise *p)
{
    value r = {.f64 = 0};
    return p->op == XL_SUM ? r : identity_of(p);
}

/* ---- arrays without segments ------------------------------------------------------------- */

/* Neighbours first, then neighbours of those. */
static value fold_wide(const promise *p, value *wide, size_t count)
{
    for (; count > 1; count /= 2)
        for (size_t k = 0; k < count / 2; ++k)
            wide[k] = join(p, wide[2 * k], wide[2 * k + 1]);
    return wide[0];
}

/* cl/tile/tile_serial.cl: built-in operators on scalars by four vectors of 64 bytes, then by
 * one, then one by one; the user's one by one. */
static value fold_run(const promise *p, const value *x, size_t n)
{
    const size_t wide = p->type == XL_F64 ? 8 : 16;
    value part[4][16], total = identity_of(p);
    size_t i = 0;
    if (p->op != XL_USER_OP) {
        for (size_t k = 0; k < 4 * wide; ++k)
            part[k / wide][k % wide] = total;
        for (; i + 4 * wide <= n; i += 4 * wide)
            for (size_t k = 0; k < 4 * wide; ++k)
                part[k / wide][k % wide] = join(p, part[k / wide][k % wide], x[i + k]);
        for (size_t k = 0; k < wide; ++k)
            part[0][k] = join(p, join(p, part[0][k], part[1][k]), join(p, part[2][k], part[3][k]));
        total = fold_wide(p, part[0], wide);
        for (; i + wide <= n; i += wide) {
            memcpy(part[1], x + i, wide * sizeof *x);
            total = join(p, total, fold_wide(p, part[1], wide));
        }
    }
    for (; i < n; ++i)
        total = join(p, total, x[i]);
    return total;
}

static value fold_whole(const promise *p, const value *x)
{
    value total = identity_of(p);
    for (size_t at = 0; at < p->n; at += RUN)
        total = join(p, total, fold_run(p, x + at, p->n - at < RUN ? p->n - at : RUN));
    return total;
}

/* ---- segments ------------------------------------------------------------------------------ */

/* Where runs begin: *count of them, and n behind. */
static size_t *runs_of(const promise *p, const reduce_call *c, size_t *count)
{
    const bool offsets = p->segments == XL_SEGMENTS_OFFSETS;
    const size_t steps = p->n + (offsets ? c->count : 0);
    size_t *begin = bytes_for(steps / RUN + 3, sizeof *begin), ends = 0;
    *count = 0;
    for (size_t step = 0; step < steps; step += RUN) {
        /* Element i comes before the end at offset e if i < e. */
        while (offsets && ends < c->count && c->begin[ends + 1] + ends < step)
            ++ends;
        begin[(*count)++] = step - ends < p->n ? step - ends : p->n;
    }
    begin[*count] = p->n;
    return begin;
}

static value fold_segment(const promise *p, const value *x, size_t from, size_t to,
                          const size_t *runs, size_t count)
{
    value total = empty_of(p);
    bool first = true;
    for (size_t g = 0; g < count; ++g) {
        const size_t begin = runs[g] > from ? runs[g] : from;
        const size_t end = runs[g + 1] < to ? runs[g + 1] : to;
        if (begin >= end)
            continue;
        value part = x[begin];
        for (size_t i = begin + 1; i < end; ++i)
            part = join(p, part, x[i]);
        total = first ? part : join(p, total, part);
        first = false;
    }
    return total;
}

/* ---- promises ------------------------------------------------------------------------------- */

static const promise promises[] = {
    {"sum", XL_F32, XL_SUM, XL_SEGMENTS_NONE, 9001, 0x31ce92e625277768u},
    {"sum by flags", XL_F32, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, 9001, 0xa04b798d6e2f074du},
    {"sum by keys, f64", XL_F64, XL_SUM, XL_SEGMENTS_KEYS, 9001, 0x3ab937cd0a2aae10u},
    {"sum by offsets", XL_F32, XL_SUM, XL_SEGMENTS_OFFSETS, 9001, 0xe5e8e424d52224c4u},
    {"product, f64", XL_F64, XL_PROD, XL_SEGMENTS_NONE, 9001, 0x50d838588bced212u},
    {"product by width", XL_F32, XL_PROD, XL_SEGMENTS_WIDTH, 9001, 0x435ef4f8c92db16au},
    {"maps", XL_F32X2, XL_USER_OP, XL_SEGMENTS_NONE, 9001, 0xa782c0e2722b4312u},
    {"maps by keys", XL_F32X2, XL_USER_OP, XL_SEGMENTS_KEYS, 9001, 0x860f3f6902f51f91u},
    {"maps by offsets", XL_F32X2, XL_USER_OP, XL_SEGMENTS_OFFSETS, 9001, 0x2c5d3d0fef0e4e12u},
    {"sum, f64", XL_F64, XL_SUM, XL_SEGMENTS_NONE, 100003, 0x9bf40a180e867f6fu},
    {"product", XL_F32, XL_PROD, XL_SEGMENTS_NONE, 100003, 0x2decc5afaf1594a9u},
    {"product by flags, f64", XL_F64, XL_PROD, XL_SEGMENTS_HEAD_FLAGS, 100003, 0xeb7e35458d9e93e5u},
    {"sum by offsets, f64", XL_F64, XL_SUM, XL_SEGMENTS_OFFSETS, 100003, 0x5feec0d903af565bu},
    {"sum by mask", XL_F32, XL_SUM, XL_SEGMENTS_MASK, 100003, 0x3145969752333fcbu},
};

/* Numbers that cancel, of very different size; factors whose products stay near 1. */
static void fill(const promise *p, value *x)
{
    xlt_random random = {7};
    for (size_t i = 0; i < p->n; ++i) {
        const float unit = xlt_unit(&random) - 0.5f;
        const float term = ldexpf(unit, (int)xlt_below(&random, 10) - 5);
        const float factor = 1 + unit * 0x1p-6f;
        x[i].f64 = 0;
        if (p->op == XL_USER_OP)
            x[i].pair = (map){factor, term};
        else if (p->type == XL_F64)
            x[i].f64 = (double)(p->op == XL_SUM ? term : factor) *
                       (1 + (double)xlt_unit(&random) * 0x1p-30);
        else
            x[i].f32 = p->op == XL_SUM ? term : factor;
    }
}

static uint64_t fnv1a(const void *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void print_value(const promise *p, const void *at, char *text, size_t room)
{
    value v = {.f64 = 0};
    memcpy(&v, at, xl_type_size(p->type));
    if (p->op == XL_USER_OP)
        snprintf(text, room, "(%a, %a)", (double)v.pair.a, (double)v.pair.b);
    else
        snprintf(text, room, "%a", p->type == XL_F64 ? v.f64 : (double)v.f32);
}

/* The results as an array of the type, and their hash compared with the promised one. */
static unsigned char *model(const promise *p, const reduce_call *c, const value *x)
{
    const size_t size = xl_type_size(p->type);
    unsigned char *wanted = bytes_for(c->count, size);
    size_t count, *runs = runs_of(p, c, &count);
    for (size_t s = 0; s < c->count; ++s) {
        const value v = p->segments == XL_SEGMENTS_NONE
                            ? fold_whole(p, x)
                            : fold_segment(p, x, c->begin[s], c->begin[s + 1], runs, count);
        memcpy(wanted + s * size, &v, size);
    }
    free(runs);
    const uint64_t hash = fnv1a(wanted, c->count * size);
    if (hash != p->hash)
        XLT_FAIL("%s: the model's bits have the hash 0x%016llx, not the promised one", p->what,
                 (unsigned long long)hash);
    return wanted;
}

static void keep(const promise *p, const char *tune, const char *mask)
{
    job j;
    const size_t size = xl_type_size(p->type);
    value *x = bytes_for(p->n, sizeof *x);
    xl_context *ctx = open_context(tune, mask);
    job_make(&j, p->what, p->type, XL_SUM, XL_INCLUSIVE, NULL);
    j.desc.op = p->op;
    j.desc.user_op = p->op == XL_USER_OP ? &map_op : NULL;
    j.desc.determinism = XL_REPRODUCIBLE;
    j.desc.segments = p->segments;
    if (p->segments == XL_SEGMENTS_KEYS || p->segments == XL_SEGMENTS_OFFSETS)
        j.desc.segment_type = XL_U32;
    if (p->segments == XL_SEGMENTS_WIDTH)
        j.desc.segment_width = 7001;
    if (p->segments == XL_SEGMENTS_MASK) {
        j.desc.segment_width = 61;
        j.desc.segment_mask = 0x1000000001000001u;
    }
    j.pattern = LONG_RUNS;
    xl_reduce *plan = reduce_plan(ctx, &j);
    if (plan) {
        char is[80], should[80];
        reduce_call c = reduce_call_make(&j, p->n, false);
        fill(p, x);
        unsigned char *wanted = model(p, &c, x), *got = bytes_for(c.room, size);
        for (size_t i = 0; i < p->n; ++i)
            memcpy((char *)c.in + i * size, &x[i], size);
        XLT_CL(clEnqueueWriteBuffer(xlt_queue(), c.a.mem, CL_TRUE, xlt_view(&c.a).offset * size,
                                    p->n * size, c.in, 0, NULL, NULL));
        ok(ctx,
           xl_reduce_enqueue(plan, xlt_queue(),
                             &(xl_reduce_args){.n = p->n,
                                               .in = xlt_view(&c.a),
                                               .segments = reduce_view(&c.heads),
                                               .out = reduce_view(&c.b)},
                             0, NULL, NULL),
           p->what);
        xlt_read(&c.b, got);
        for (size_t s = 0; s < c.count; ++s)
            if (!same_element(p->type, got + s * size, wanted + s * size)) {
                print_value(p, got + s * size, is, sizeof is);
                print_value(p, wanted + s * size, should, sizeof should);
                XLT_FAIL("%s: result %zu of %zu is %s, not %s", p->what, s, c.count, is, should);
            }
        free(wanted);
        free(got);
        reduce_call_free(&c);
    }
    xl_reduce_destroy(plan);
    xl_context_destroy(ctx);
    free(x);
}

static void bits_everywhere(void **state)
{
    (void)state;
    static const char *const masks[] = {NULL, "work-group=8", "width=1"};
    static const char other[] =
        "reduce.serial = 0\nreduce.group_size = 64\nreduce.chunk_groups = 3\n"
        "reduce.segment_chunk_groups = 3\nreduce.chunk_elements = 256\n";
    for (size_t p = 0; p < sizeof promises / sizeof promises[0]; ++p)
        if (!xlt_small() || promises[p].n < 10000)
            keep(&promises[p], p % 2 ? other : NULL, masks[p % 3]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_everywhere)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
