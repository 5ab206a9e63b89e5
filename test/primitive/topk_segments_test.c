/* SPDX-License-Identifier: MIT
 * The top-k selection of each segment against its serial reference: lengths about k and about a
 * tile, crowds of empty ones, one giant among many, in both shapes; offsets that break their rule;
 * misuse. */
#include "topk_trial.h"
#include "xlt_misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- offsets ------------------------------------------------------------------- */

typedef enum lengths {
    ONE,
    ABOUT_K,
    SHORT,
    ABOUT_A_TILE,
    LONG,
    ONE_GIANT,
    CROWDED,
    LENGTHS
} lengths;
static const char *const length_names[LENGTHS] = {"one of all",          "about k",
                                                  "up to a tile",        "about a tile",
                                                  "up to nine tiles",    "a giant among short",
                                                  "crowds of empty ones"};

static size_t length_of(lengths kind, size_t k, size_t tile, size_t n, size_t s, xlt_random *random)
{
    static const int about[] = {-1, 0, 1};
    const size_t near = xlt_below(random, 3), least = k > 0 ? k : 1;
    switch (kind) {
    case ONE:
        return n;
    case ABOUT_K: /* 0, 1, k - 1, k, k + 1 */
        return xlt_below(random, 5) < 2 ? xlt_below(random, 2) : least + (size_t)about[near];
    case SHORT:
        return xlt_below(random, (uint32_t)tile + 1);
    case ABOUT_A_TILE:
        return tile + (size_t)about[near];
    case LONG:
        return xlt_below(random, 9 * (uint32_t)tile);
    case ONE_GIANT:
        return s == 5 ? n / 2 : xlt_below(random, 9);
    default:
        return xlt_below(random, 40) == 0 ? xlt_below(random, 3 * (uint32_t)tile) : 0;
    }
}

typedef struct offsets {
    uint64_t *at;
    size_t count;
} offsets;

/* The first may be above 0; at most so many, the last of which has the rest. */
static offsets draw_offsets(lengths kind, size_t n, size_t k, size_t tile, size_t most,
                            xlt_random *random)
{
    offsets o = {topk_room(8 * most), 0};
    size_t at =
        n > 0 && xlt_below(random, 3) == 0 ? xlt_below(random, (uint32_t)(n < 40 ? n : 40)) : 0;
    while (o.count < most && at <= n) {
        o.at[o.count] = at;
        at += length_of(kind, k, tile, n, o.count++, random);
    }
    return o;
}

/* ---- one selection, checked ------------------------------------------------------ */

typedef struct trial {
    xl_context *ctx;
    const char *device;
    const xl_topk_desc *desc;
    xl_topk *plan;
    size_t n, k;
    lengths lengths;
    topk_pattern pattern;
    unsigned outputs; /* TOPK_COUNT: counts_out */
    bool own_scratch;
    uint64_t seed;
} trial;

static const char *describe(const trial *t)
{
    static char text[300];
    snprintf(text, sizeof text,
             "%s %s keys, %s, n %zu, k %zu, %s, pattern %d, outputs %u, seed %llu, %s",
             t->desc->largest ? "largest" : "smallest", xl_type_name((xl_type)t->desc->key),
             t->desc->sorted ? "sorted" : "as they stand", t->n, t->k, length_names[t->lengths],
             (int)t->pattern, t->outputs, (unsigned long long)t->seed, t->device);
    return text;
}

static xlt_buffer offsets_buffer(const offsets *o, uint32_t type, size_t offset)
{
    uint32_t *narrow = topk_room(4 * o->count);
    for (size_t i = 0; i < o->count; ++i)
        narrow[i] = (uint32_t)o->at[i];
    const bool wide = type == XL_U64;
    const xlt_buffer made =
        xlt_buffer_make(wide ? (const void *)o->at : narrow, o->count, wide ? 8 : 4, offset);
    free(narrow);
    return made;
}

/* Each segment's results are the elements that `from` names of `all`, or these themselves, and what
 * is behind them is as it was. */
static void check_results(const trial *t, const xlt_buffer *b, const char *name, const void *all,
                          const uint32_t *from, const uint32_t *counts)
{
    if (!b->mem)
        return;
    unsigned char *now = topk_room(b->n * b->size), untouched[8];
    memset(untouched, 0xA5, sizeof untouched);
    xlt_read(b, now);
    for (size_t i = 0; i < b->n; ++i) {
        const bool there = i % t->k < counts[i / t->k];
        const void *wanted = !there ? untouched
                             : all  ? (const unsigned char *)all + from[i] * b->size
                                    : (const unsigned char *)&from[i];
        if (memcmp(now + i * b->size, wanted, b->size) != 0)
            XLT_FAIL("%s: %s is wrong at %zu of segment %zu, of %u", describe(t), name, i % t->k,
                     i / t->k, (unsigned)counts[i / t->k]);
    }
    free(now);
}

enum { KEYS, VALUES, CSR, KEYS_OUT, VALUES_OUT, INDICES_OUT, COUNTS_OUT, SCRATCH, BUFFERS };
static const char *const names[BUFFERS] = {"keys_in",    "values_in",   "segments",   "keys_out",
                                           "values_out", "indices_out", "counts_out", "scratch"};

static void make_buffers(const trial *t, const offsets *o, const void *keys, const uint32_t *values,
                         xlt_buffer *b)
{
    const size_t size = xl_type_size((xl_type)t->desc->key), shift = t->seed % 4,
                 all = o->count * t->k;
    size_t bytes, alignment;
    XLT_OK(xl_topk_scratch(t->plan, t->n, t->k, &bytes, &alignment));
    b[KEYS] = xlt_buffer_make(keys, t->n, size, shift);
    b[CSR] = offsets_buffer(o, t->desc->segment_type, shift);
    if (t->desc->value != XL_NONE)
        b[VALUES] = xlt_buffer_make(values, t->n, 4, shift + 1);
    if (t->outputs & TOPK_KEYS)
        b[KEYS_OUT] = xlt_buffer_make(NULL, all, size, shift + 2);
    if (t->outputs & TOPK_VALUES && t->desc->value != XL_NONE)
        b[VALUES_OUT] = xlt_buffer_make(NULL, all, 4, shift);
    if (t->outputs & TOPK_INDICES)
        b[INDICES_OUT] = xlt_buffer_make(NULL, all, 4, shift);
    if (t->outputs & TOPK_COUNT)
        b[COUNTS_OUT] = xlt_buffer_make(NULL, o->count, 4, shift);
    if (!t->own_scratch)
        b[SCRATCH] = xlt_scratch_make(bytes, alignment);
}

static xl_view view(const xlt_buffer *b)
{
    return b->mem ? xlt_view(b) : xl_no_view();
}

static void check_all(const trial *t, const offsets *o, const xlt_buffer *b, const void *keys,
                      const uint32_t *values)
{
    uint32_t *wanted = topk_room(4 * (o->count * t->k)), *counts = topk_room(4 * o->count);
    uint32_t *counted = topk_room(4 * o->count);
    void *ranked = topk_ranked(t->desc, t->n, keys);
    assert_true(ref_topk_segments((xl_type)t->desc->key, t->desc->largest, t->desc->sorted, t->n,
                                  t->k, o->at, o->count, ranked, wanted, counts));
    free(ranked);
    check_results(t, &b[KEYS_OUT], "keys_out", keys, wanted, counts);
    check_results(t, &b[VALUES_OUT], "values_out", values, wanted, counts);
    check_results(t, &b[INDICES_OUT], "indices_out", NULL, wanted, counts);
    if (b[COUNTS_OUT].mem) {
        xlt_read(&b[COUNTS_OUT], counted);
        if (memcmp(counted, counts, 4 * o->count) != 0)
            XLT_FAIL("%s: counts_out is wrong", describe(t));
    }
    free(wanted);
    free(counts);
    free(counted);
}

/* `are_right`: else only what stands beside the arrays is looked at. */
static void run(const trial *t, const offsets *o, bool are_right)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    void *keys = topk_room(t->n * size);
    uint32_t *values = topk_room(4 * t->n);
    xlt_buffer b[BUFFERS] = {{0}};
    topk_fill(keys, t->pattern, size, t->n);
    for (size_t i = 0; i < t->n; ++i)
        values[i] = (uint32_t)i * 2654435761u;
    make_buffers(t, o, keys, values, b);
    const xl_topk_args args = {.n = t->n,
                               .k = t->k,
                               .keys_in = view(&b[KEYS]),
                               .values_in = view(&b[VALUES]),
                               .keys_out = view(&b[KEYS_OUT]),
                               .values_out = view(&b[VALUES_OUT]),
                               .indices_out = view(&b[INDICES_OUT]),
                               .counts_out = view(&b[COUNTS_OUT]),
                               .segments =
                                   xl_view_n(b[CSR].mem, xlt_view(&b[CSR]).offset, o->count),
                               .scratch = view(&b[SCRATCH])};
    const xl_status status = xl_topk_enqueue(t->plan, xlt_queue(), &args, 0, NULL, NULL);
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", describe(t), xl_context_error(t->ctx));
    XLT_CL(clFinish(xlt_queue()));
    if (are_right)
        check_all(t, o, b, keys, values);
    for (size_t i = 0; i < BUFFERS; ++i)
        if (b[i].mem) {
            xlt_check_guards(&b[i], names[i]);
            xlt_buffer_free(&b[i]);
        }
    free(keys);
    free(values);
}

/* ---- plans ------------------------------------------------------------------------ */

static const struct variant {
    const char *name, *mask;
    uint32_t shape, group_log, items, chunk;
} variants[] = {
    {"group of 16, tiles of 32", NULL, 0, 4, 2, 70},
    {"one work-item, tiles of 32", NULL, 1, 0, 1, 40},
    {"group of 64, tiles of 512", NULL, 0, 6, 8, 4096},
    {"group of 1, tiles of 16", "work-group=1", 0, 4, 8, 30},
    {"one work-item, tiles of 16", NULL, 1, 0, 1, 1},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static xl_topk_desc desc_of(size_t i)
{
    xl_topk_desc desc =
        topk_desc(topk_types[(i * 5 + 6) % TOPK_TYPES], i % 3 ? XL_U32 : XL_NONE, i % 4 < 2, i % 2);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = i % 3 == 1 ? XL_U64 : XL_U32;
    return desc;
}

static xl_context *context_of(const struct variant *v)
{
    xl_context *ctx;
    xl_context_desc context;
    xl_context_desc_init(&context);
    context.mask = v->mask;
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()),
                            &context, &ctx));
    return ctx;
}

static xl_topk *plan_of(xl_context *ctx, const struct variant *v, xl_topk_desc *desc)
{
    const xl_tunable tunables[] = {{"topk.shape", v->shape},
                                   {"topk.group_log", v->group_log},
                                   {"topk.items", v->items},
                                   {"topk.chunk", v->chunk}};
    xl_topk *plan;
    desc->tunables = tunables;
    desc->num_tunables = sizeof tunables / sizeof tunables[0];
    if (xl_topk_create(ctx, desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", v->name, xl_context_error(ctx));
    desc->tunables = NULL;
    desc->num_tunables = 0;
    return plan;
}

static size_t tile_of(const xl_topk *plan)
{
    xl_plan_info info;
    XLT_OK(xl_topk_info(plan, 1, &info));
    return info.tile_elements;
}

enum { MOST = 700 };

/* Every k that matters of one plan, with all kinds of lengths. */
static void run_plan(trial t, uint64_t *seed)
{
    const size_t tile = tile_of(t.plan);
    const size_t ks[] = {1, 2, 5, 31, tile - 1, tile + 1, 3 * tile + 2, 0};
    const size_t sizes[] = {0, 1, tile, 2 * tile + 1, 11 * tile + 3, 61 * tile};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (size_t i = 0; i < sizeof ks / sizeof ks[0]; ++i)
            for (t.lengths = 0; t.lengths < LENGTHS; ++t.lengths) {
                xlt_random random = {t.seed = ++*seed};
                t.n = sizes[s];
                t.k = ks[i];
                if ((xlt_on_oclgrind() && (*seed % 13 || sizes[s] > 500)) ||
                    (xlt_small() && *seed % 5))
                    continue;
                t.pattern =
                    t.desc->equal_zeros ? TOPK_ZEROS : (topk_pattern)(*seed % TOPK_PATTERNS);
                t.outputs = 1 + (unsigned)(*seed * 7 % TOPK_ALL);
                t.outputs |= t.desc->value == XL_NONE && t.outputs == TOPK_VALUES ? TOPK_KEYS : 0u;
                t.own_scratch = *seed % 3 == 0;
                offsets o = draw_offsets(t.lengths, t.n, t.k, tile, t.k > 100 ? 60 : MOST, &random);
                run(&t, &o, true);
                free(o.at);
            }
}

static void every_length(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const size_t shapes = xlt_few_programs() ? 2 : VARIANTS, each = xlt_few_programs() ? 2 : 6;
    for (size_t v = 0; v < shapes; ++v) {
        xl_context *ctx = context_of(&variants[v]);
        for (size_t i = v; i < v + each; ++i) {
            xl_topk_desc desc = desc_of(i);
            xl_topk *plan = plan_of(ctx, &variants[v], &desc);
            run_plan((trial){.ctx = ctx, .device = variants[v].name, .desc = &desc, .plan = plan},
                     &seed);
            xl_topk_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* -0 and +0 are equal keys. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_F32, XL_F64, XL_F16};
    uint64_t seed = 1;
    for (size_t i = 0; i < 2 * VARIANTS; ++i) {
        const struct variant *const v = &variants[i % VARIANTS];
        xl_topk_desc desc = desc_of(i);
        desc.key = keys[i % 3];
        desc.equal_zeros = 1;
        if ((xlt_few_programs() || xlt_on_oclgrind()) && i > 1)
            continue;
        xl_context *ctx = context_of(v);
        xl_topk *plan = plan_of(ctx, v, &desc);
        run_plan((trial){.ctx = ctx, .device = v->name, .desc = &desc, .plan = plan}, &seed);
        xl_topk_destroy(plan);
        xl_context_destroy(ctx);
    }
}

static void as_built_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < (xlt_few_programs() ? 2 : 4); ++i) {
        xl_topk_desc desc = desc_of(i);
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        for (int kind = 0; kind < (xlt_on_oclgrind() ? 0 : LENGTHS); ++kind) {
            xlt_random random = {77 + (uint64_t)kind};
            trial t = {xlt_context(),
                       "as built in",
                       &desc,
                       plan,
                       xlt_small() ? 9000 : 200000,
                       10,
                       (lengths)kind,
                       TOPK_RANDOM,
                       TOPK_ALL,
                       true,
                       (uint64_t)kind};
            offsets o = draw_offsets(t.lengths, t.n, t.k, tile_of(plan), 4000, &random);
            run(&t, &o, true);
            free(o.at);
        }
        xl_topk_destroy(plan);
    }
}

/* Offsets that fall, or pass n, or are anything: nothing beside the arrays is written or read. */
static void broken_offsets(void **state)
{
    (void)state;
    for (size_t at = 0; at == 0 || xlt_place_closely(at - 1); ++at)
        for (size_t v = 0; v < 2; ++v) {
            xl_context *ctx = context_of(&variants[v]);
            xl_topk_desc desc = desc_of(v);
            xl_topk *plan = plan_of(ctx, &variants[v], &desc);
            for (uint64_t seed = 0; seed < (xlt_on_oclgrind() ? 6 : 60); ++seed) {
                xlt_random random = {seed * 77 + 5};
                trial t = {.ctx = ctx,
                           .device = variants[v].name,
                           .desc = &desc,
                           .plan = plan,
                           .n = 1 + xlt_below(&random, 900),
                           .k = 1 + xlt_below(&random, 50),
                           .lengths = (lengths)(seed % LENGTHS),
                           .outputs = TOPK_ALL,
                           .seed = seed};
                offsets o = draw_offsets(t.lengths, t.n, t.k, tile_of(plan), 100, &random);
                for (size_t i = 0; i < o.count; ++i)
                    if (xlt_below(&random, 3) == 0)
                        o.at[i] = seed % 2 ? xlt_next(&random) : xlt_below(&random, 2) * t.n;
                run(&t, &o, false);
                free(o.at);
            }
            xl_topk_destroy(plan);
            xl_context_destroy(ctx);
        }
}

/* ---- misuse ------------------------------------------------------------------------ */

static void fails(xl_status got, xl_status wanted, const char *said)
{
    xlt_refused(xlt_context(), got, wanted, said);
}

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        uint32_t segments, type;
    } cases[] = {
        {"desc.segments: 3", XL_SEGMENTS_KEYS, XL_U32},
        {"desc.segment_type: i32", XL_SEGMENTS_OFFSETS, XL_I32},
        {"not u32 or u64", XL_SEGMENTS_OFFSETS, XL_NONE},
        {"desc.segment_type: u32", XL_SEGMENTS_NONE, XL_U32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_topk *plan;
        xl_topk_desc desc;
        xl_topk_desc_init(&desc);
        desc.segments = cases[i].segments;
        desc.segment_type = cases[i].type;
        fails(xl_topk_create(xlt_context(), &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
              cases[i].said);
        assert_null(plan);
    }
}

static void wrong_arguments(void **state)
{
    (void)state;
    enum { N = 40, COUNT = 5, K = 3 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    uint64_t zeros[N] = {0};
    xl_topk_desc desc = desc_of(3), plain = topk_desc((xl_type)desc.key, XL_NONE, true, true);
    desc.value = XL_NONE;
    desc.segment_type = XL_U32;
    xl_topk *plan, *whole;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_topk_create(xlt_context(), &plain, &whole));
    xlt_buffer keys = xlt_buffer_make(zeros, N, xl_type_size((xl_type)desc.key), 0);
    xlt_buffer csr = xlt_buffer_make(zeros, COUNT, 4, 0),
               out = xlt_buffer_make(NULL, COUNT * K, 4, 0);
    xlt_buffer count = xlt_buffer_make(NULL, 1, 8, 0);
    const xl_topk_args good = {.n = N,
                               .k = K,
                               .keys_in = xlt_view(&keys),
                               .indices_out = xlt_view(&out),
                               .segments = xl_view_n(csr.mem, xlt_view(&csr).offset, COUNT)};
    xl_topk_args args = good;
    XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    fails(xl_topk_enqueue(whole, xlt_queue(), &args, 0, NULL, NULL), bad, "segments: given");
    args.segments = xl_no_view();
    fails(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), bad, "segments: 0 CSR offsets");
    args.counts_out = xlt_view(&csr);
    fails(xl_topk_enqueue(whole, xlt_queue(), &args, 0, NULL, NULL), bad, "counts_out: given");
    args = good;
    args.count_out = xlt_view(&count);
    fails(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), bad, "count_out: given");
    args = good;
    args.counts_out = args.segments;
    fails(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), XL_ERROR_OVERLAP, "counts_out");
    args = good;
    args.indices_out.count = COUNT * K - 1;
    fails(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), bad,
          "indices_out: 15 elements asked for of a view that counts 14");
    args = (xl_topk_args){.n = 0, .k = K};
    XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_buffer_free(&keys);
    xlt_buffer_free(&csr);
    xlt_buffer_free(&out);
    xlt_buffer_free(&count);
    xl_topk_destroy(plan);
    xl_topk_destroy(whole);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),        cmocka_unit_test(as_built_in),
        cmocka_unit_test(zeros_of_both_signs), cmocka_unit_test(broken_offsets),
        cmocka_unit_test(wrong_descriptors),   cmocka_unit_test(wrong_arguments),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
