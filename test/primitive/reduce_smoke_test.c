/* SPDX-License-Identifier: MIT
 * Reductions against a serial fold written here: every form of segments, operators that
 * commute or not and have an identity or not, both shapes of work-groups, many sizes. */
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- contexts ------------------------------------------------------------- */

typedef struct setup {
    const char *name, *tune, *mask;
} setup;

static const setup setups[] = {
    {"as it is", NULL, NULL},
    {"groups",
     "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = 64\nreduce.part_groups = 3\n",
     NULL},
    {"small groups",
     "reduce.serial = 0\nreduce.group_size = 8\nreduce.whole_size = 8\nreduce.item_bytes = 16\n",
     "work-group=8"},
    {"one by one", "reduce.serial = 1\nreduce.run_elements = 256\n", "width=1"},
};

static const char tune_path[] = "reduce_smoke_test.tune";

static xl_context *open_context(const setup *s)
{
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = s->mask;
    if (s->tune) {
        FILE *file = fopen(tune_path, "w");
        assert_non_null(file);
        fputs(s->tune, file);
        fclose(file);
        desc.tune_file = tune_path;
    }
    const xl_status status = xl_context_adopt(xl_context_cl(xlt_context()),
                                              xl_context_device(xlt_context()), &desc, &ctx);
    remove(tune_path);
    if (status != XL_SUCCESS)
        XLT_FAIL("no context \"%s\": %s", s->name, xl_context_error(NULL));
    return ctx;
}

static void ok(xl_context *ctx, xl_status status, const char *what)
{
    if (status != XL_SUCCESS)
        XLT_FAIL("%s gave %s: %.900s", what, xl_status_name(status), xl_context_error(ctx));
}

/* ---- operators ------------------------------------------------------------ */

/* x -> a x + b modulo 2^32, the left one first: does not commute. */
typedef struct affine {
    uint32_t a, b;
} affine;

static const char affine_type[] = "typedef struct { uint a, b; } affine;";
static const char affine_op[] = "affine after(affine f, affine g)\n"
                                "{\n"
                                "    affine h;\n"
                                "    h.a = f.a * g.a;\n"
                                "    h.b = f.b * g.a + g.b;\n"
                                "    return h;\n"
                                "}\n";

typedef struct kind {
    const char *name;
    xl_type type;
    xl_op op;
    bool identity, init;
    size_t in, out; /* bytes */
} kind;

static const kind kinds[] = {
    {"u32 sum", XL_U32, XL_SUM, true, false, 4, 4},
    {"i32 sum with init", XL_I32, XL_SUM, true, true, 4, 4},
    {"u64 xor", XL_U64, XL_XOR, true, false, 8, 8},
    {"i8 max", XL_I8, XL_MAX, true, false, 1, 1},
    {"f32 max", XL_F32, XL_MAX, true, false, 4, 4},
    {"f32 arg-min", XL_F32, XL_ARG_MIN, true, false, 4, 8},
    {"u32 arg-max", XL_U32, XL_ARG_MAX, true, false, 4, 8},
    {"affine", XL_USER_TYPE, XL_USER_OP, true, false, 8, 8},
    {"affine without identity, init", XL_USER_TYPE, XL_USER_OP, false, true, 8, 8},
    {"affine without identity", XL_USER_TYPE, XL_USER_OP, false, false, 8, 8},
};

static const union {
    uint32_t u32;
    affine map;
    unsigned char bytes[8];
} start = {.map = {3, 5}};

static void describe(const kind *k, xl_reduce_desc *desc)
{
    static const xl_user_type type = {"affine", 8, 4, affine_type};
    static const affine one = {1, 0};
    static const xl_user_op ops[] = {{"after", affine_op, NULL, XL_OP_EXACT},
                                     {"after", affine_op, &one, XL_OP_EXACT}};
    xl_reduce_desc_init(desc);
    desc->type = k->type;
    desc->op = k->op;
    desc->init = k->init ? start.bytes : NULL;
    desc->user_type = k->type == XL_USER_TYPE ? &type : NULL;
    desc->user_op = k->op == XL_USER_OP ? &ops[k->identity] : NULL;
}

/* The fold of elements [from, to) as bytes of a result. */
static void fold_numbers(const kind *k, const void *in, size_t from, size_t to, void *out)
{
    uint32_t u = k->init ? start.u32 : 0;
    uint64_t x = 0, place = UINT64_MAX;
    int8_t c = INT8_MIN;
    float f = k->op == XL_MAX ? -INFINITY : INFINITY;
    for (size_t i = from; i < to; ++i) {
        const uint32_t v = k->in == 4 ? ((const uint32_t *)in)[i] : 0;
        const float g = k->type == XL_F32 ? ((const float *)in)[i] : 0;
        if (k->op == XL_SUM)
            u += v;
        if (k->op == XL_XOR)
            x ^= ((const uint64_t *)in)[i];
        if (k->type == XL_I8 && ((const int8_t *)in)[i] > c)
            c = ((const int8_t *)in)[i];
        if (k->op == XL_ARG_MAX && (place == UINT64_MAX || v > u))
            u = v, place = i;
        if (k->op == XL_ARG_MIN && !isnan(g) && (place == UINT64_MAX || g < f))
            f = g, place = i;
        if (k->op == XL_MAX && k->type == XL_F32 && g > f)
            f = g;
    }
    const bool arg = k->op == XL_ARG_MIN || k->op == XL_ARG_MAX;
    const void *const made = arg                 ? (const void *)&place
                             : k->type == XL_I8  ? (const void *)&c
                             : k->type == XL_F32 ? (const void *)&f
                             : k->op == XL_XOR   ? (const void *)&x
                                                 : (const void *)&u;
    memcpy(out, made, k->out);
}

static void fold(const kind *k, const void *in, size_t from, size_t to, void *out)
{
    if (k->type != XL_USER_TYPE) {
        fold_numbers(k, in, from, to, out);
        return;
    }
    const affine *maps = in;
    affine sum = k->init ? start.map : (affine){1, 0};
    for (size_t i = from; i < to; ++i)
        sum = (affine){sum.a * maps[i].a, sum.b * maps[i].a + maps[i].b};
    memcpy(out, &sum, sizeof sum);
}

static void fill(const kind *k, xlt_random *random, size_t n, void *to)
{
    for (size_t i = 0; i < n; ++i) {
        const uint64_t x = xlt_next(random);
        if (k->type == XL_F32)
            ((float *)to)[i] = xlt_below(random, 9) == 0 ? NAN : (float)(int)(x % 2001) - 1000;
        else if (k->type == XL_U32 && k->op == XL_ARG_MAX)
            ((uint32_t *)to)[i] = (uint32_t)(x % 1000);
        else
            memcpy((unsigned char *)to + i * k->in, &x, k->in);
    }
}

/* ---- segments ------------------------------------------------------------- */

/* Where each of `count` segments starts, and n after the last. */
typedef struct layout {
    size_t *start, count;
    void *array; /* what the library is told */
    size_t array_n, array_size;
    xl_type type;
    uint64_t width, mask;
} layout;

enum { SPARSE, DENSE, ONES, GIANT, MIXED, PATTERNS };

/* Whether a segment begins at i > 0. */
static bool begins(xlt_random *random, int pattern, size_t i)
{
    static const uint32_t one_in[] = {1000, 3, 1, 1u << 31};
    if (pattern == MIXED) /* stretches of each */
        pattern = (int)(i / 700 % 4);
    return xlt_below(random, one_in[pattern]) == 0;
}

static void lay_heads(layout *l, xl_segments form, size_t n, const unsigned char *heads)
{
    for (size_t i = 0; i < n; ++i)
        if (heads[i])
            l->start[l->count++] = i;
    l->start[l->count] = n;
    l->array_n = form == XL_SEGMENTS_HEAD_BITS ? (n + 31) / 32 : n;
    l->array_size = form == XL_SEGMENTS_HEAD_FLAGS ? 1 : form == XL_SEGMENTS_HEAD_BITS ? 4 : 2;
    l->type = form == XL_SEGMENTS_KEYS ? XL_I16 : XL_NONE;
    l->array = calloc(l->array_n + 1, l->array_size);
    int16_t key = -3;
    for (size_t i = 0; i < n; ++i) {
        key = (int16_t)(key + (i > 0 && heads[i] ? 1 : 0));
        if (form == XL_SEGMENTS_HEAD_FLAGS)
            ((unsigned char *)l->array)[i] = i == 0 ? 0 : heads[i];
        else if (form == XL_SEGMENTS_KEYS)
            ((int16_t *)l->array)[i] = key;
        else if (i > 0)
            ((uint32_t *)l->array)[i / 32] |= (uint32_t)(heads[i] != 0) << i % 32;
    }
}

/* Offsets with an empty segment here and there, and a crowd of them in the middle. */
static void lay_offsets(layout *l, xlt_random *random, size_t n, const unsigned char *heads)
{
    size_t crowd = n > 100 ? 5000 : 3;
    l->start = realloc(l->start, (3 * n + 3 * crowd + 8) * sizeof *l->start);
    for (size_t i = 0; i < n; ++i) {
        if (heads[i])
            l->start[l->count++] = i;
        if (heads[i] && xlt_below(random, 5) == 0)
            l->start[l->count++] = i;
        for (; heads[i] && i >= n / 2 && crowd > 0; --crowd)
            l->start[l->count++] = i;
    }
    for (uint32_t k = xlt_below(random, 3); k > 0; --k)
        l->start[l->count++] = n;
    l->start[l->count] = n;
    l->array_n = l->count + 1;
    l->array_size = 4;
    l->type = XL_U32;
    l->array = calloc(l->array_n, 4);
    for (size_t s = 0; s <= l->count; ++s)
        ((uint32_t *)l->array)[s] = (uint32_t)l->start[s];
}

static layout lay(xl_segments form, int pattern, size_t n, xlt_random *random)
{
    static const uint64_t widths[] = {1000, 3, 1, 1u << 30, 37};
    static const uint64_t masks[] = {0x8, 0x5a5a, ~0ull, 0, 0x8000000000000010};
    layout l = {.start = calloc(n + 2, sizeof *l.start)};
    unsigned char *heads = calloc(n + 1, 1);
    l.width = form == XL_SEGMENTS_MASK ? (pattern == MIXED ? 64 : 29) : widths[pattern];
    l.mask = masks[pattern];
    for (size_t i = 0; i < n; ++i) {
        const uint64_t at = i % l.width;
        heads[i] = i == 0 || (form < XL_SEGMENTS_WIDTH && begins(random, pattern, i)) ||
                   (form >= XL_SEGMENTS_WIDTH && at == 0) ||
                   (form == XL_SEGMENTS_MASK && (l.mask >> at & 1));
    }
    if (form == XL_SEGMENTS_OFFSETS) {
        lay_offsets(&l, random, n, heads);
    } else if (form == XL_SEGMENTS_NONE) {
        l.start[l.count = 1] = n;
    } else {
        lay_heads(&l, form, n, heads);
        if (form >= XL_SEGMENTS_WIDTH)
            l.array_n = 0;
    }
    free(heads);
    return l;
}

/* ---- one verified call ----------------------------------------------------- */

typedef struct trial {
    xl_context *ctx;
    xl_reduce *plan;
    const kind *k;
    xl_segments form;
    const char *where;
} trial;

static void compare(const trial *t, size_t n, const layout *l, size_t room, const void *in,
                    const unsigned char *got)
{
    unsigned char wanted[8];
    for (size_t s = 0; s < room; ++s) {
        fold(t->k, in, l->start[s], l->start[s + 1], wanted);
        if (memcmp(wanted, got + s * t->k->out, t->k->out) != 0)
            XLT_FAIL("%s, %s, form %d, n %zu: result %zu of %zu, of elements %zu to %zu, is wrong",
                     t->where, t->k->name, (int)t->form, n, s, l->count, l->start[s],
                     l->start[s + 1]);
    }
}

static void check_keys(const trial *t, const layout *l, size_t room, const xlt_buffer *keys)
{
    int16_t *got = malloc(room * 2 + 2);
    xlt_read(keys, got);
    for (size_t s = 0; s < room; ++s)
        if (got[s] != ((int16_t *)l->array)[l->start[s]])
            XLT_FAIL("%s, %s: key %zu is %d", t->where, t->k->name, s, got[s]);
    free(got);
}

/* `cut`: there is room for a part of the results. `on_device`: n stands on the device. */
static void check(const trial *t, size_t n, int pattern, bool cut, bool on_device)
{
    xlt_random random = {n * 8 + (size_t)pattern + 1};
    layout l = lay(t->form, pattern, n, &random);
    const bool counted = t->form >= XL_SEGMENTS_HEAD_FLAGS && t->form <= XL_SEGMENTS_KEYS;
    const bool by_width = t->form >= XL_SEGMENTS_WIDTH;
    const size_t most = on_device ? n + 777 : n;
    const size_t room = cut && counted ? l.count / 2 + 1 : l.count;
    uint64_t count = 0, length = n;
    size_t bytes, alignment;
    void *in = calloc(most + 8, t->k->in);
    unsigned char *got = malloc((most + l.count + 1) * 8);
    fill(t->k, &random, most, in);
    /* With n on the device the views must hold what `most` asks for. */
    const size_t extra = on_device ? most - n + 1 : 0;
    const size_t out_n = by_width && on_device ? most : room;
    l.array = realloc(l.array, (l.array_n + extra + 1) * (l.array_size + 1));
    xlt_buffer a = xlt_buffer_make(in, most, t->k->in, 1 + n % 3);
    xlt_buffer b = xlt_buffer_make(NULL, out_n, t->k->out, n % 4);
    xlt_buffer c = xlt_buffer_make(NULL, 1, 8, 1);
    xlt_buffer d = xlt_buffer_make(&length, 1, 8, 2);
    xlt_buffer keys = xlt_buffer_make(NULL, room, 2, 3);
    xlt_buffer heads = {0};
    if (l.array_n > 0)
        heads =
            xlt_buffer_make(l.array, l.array_n + (t->form == 4 ? 0 : extra), l.array_size, n % 5);
    xl_view segments = heads.mem ? xlt_view(&heads) : xl_no_view();
    segments.count = t->form == XL_SEGMENTS_OFFSETS ? l.array_n : 0;
    xl_view out = xlt_view(&b);
    out.count = room < most || t->form == XL_SEGMENTS_OFFSETS ? out_n : 0;
    ok(t->ctx, xl_reduce_scratch(t->plan, most, &bytes, &alignment), "xl_reduce_scratch");
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    const xl_view place = n % 2 && bytes > 0 ? xlt_view(&scratch) : xl_no_view();
    const xl_view number = counted ? xlt_view(&c) : xl_no_view();
    const xl_view names = t->form == XL_SEGMENTS_KEYS ? xlt_view(&keys) : xl_no_view();
    if (on_device)
        ok(t->ctx,
           xl_reduce_enqueue_n(t->plan, xlt_queue(), most, xlt_view(&d), xlt_view(&a), segments,
                               out, names, number, place, 0, NULL, NULL),
           t->where);
    else
        ok(t->ctx,
           xl_reduce_enqueue(t->plan, xlt_queue(), n, xlt_view(&a), segments, out, names, number,
                             place, 0, NULL, NULL),
           t->where);
    xlt_read(&b, got);
    if (n > 0 || t->form == XL_SEGMENTS_OFFSETS ||
        (t->form == XL_SEGMENTS_NONE && (t->k->identity || t->k->init)))
        compare(t, n, &l, room, in, got);
    if (counted) {
        xlt_read(&c, &count);
        if (count != (n > 0 ? l.count : 0))
            XLT_FAIL("%s, %s, form %d, n %zu: %llu segments, not %zu", t->where, t->k->name,
                     (int)t->form, n, (unsigned long long)count, l.count);
    }
    if (t->form == XL_SEGMENTS_KEYS)
        check_keys(t, &l, n > 0 ? room : 0, &keys);
    xlt_check_guards(&b, "out");
    xlt_check_guards(&c, "count");
    xlt_check_guards(&keys, "keys");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    xlt_buffer *const all[] = {&a, &b, &c, &d, &keys, &heads, &scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (all[i]->mem)
            xlt_buffer_free(all[i]);
    free(in);
    free(got);
    free(l.start);
    free(l.array);
}

static xl_reduce *plan_of(xl_context *ctx, const kind *k, xl_segments form, int pattern)
{
    xl_reduce *plan = NULL;
    xl_reduce_desc desc;
    xlt_random random = {1};
    layout l = lay(form, pattern, 1, &random);
    describe(k, &desc);
    desc.segments = form;
    desc.segment_type = form == XL_SEGMENTS_KEYS      ? XL_I16
                        : form == XL_SEGMENTS_OFFSETS ? XL_U32
                                                      : XL_NONE;
    desc.segment_width = form >= XL_SEGMENTS_WIDTH ? l.width : 0;
    desc.segment_mask = form == XL_SEGMENTS_MASK ? l.mask : 0;
    free(l.start);
    free(l.array);
    ok(ctx, xl_reduce_create(ctx, &desc, &plan), k->name);
    return plan;
}

static bool on_oclgrind(void)
{
    return strstr(xlt_device(), "Oclgrind") != NULL;
}

/* rusticl 22.3 ends the process when it compiles a group's exchange of structs. Oclgrind
 * takes the gap behind a narrow value for one that nobody set, and does not know what
 * LLVM makes of some functions on structs. */
static bool left_out(const setup *s, const kind *k)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    const bool groups = s->tune && strstr(s->tune, "serial = 0");
    return (groups && k->type == XL_USER_TYPE && strstr(info.platform, "rusticl")) ||
           (on_oclgrind() && (k->type == XL_USER_TYPE || k->type == XL_I8));
}

static void check_form(const setup *s, xl_context *ctx, xl_segments form, size_t every)
{
    static const size_t sizes[] = {0, 1, 2, 33, 63, 64, 255, 1000, 2048, 4097, 20011, 65537};
    const size_t most = xlt_small() ? 7 : sizeof sizes / sizeof sizes[0];
    size_t turn = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        if (form == XL_SEGMENTS_OFFSETS && !kinds[k].identity && !kinds[k].init)
            continue;
        for (int pattern = 0; pattern < PATTERNS; ++pattern) {
            if (left_out(s, &kinds[k]) || turn++ % every != 0 ||
                (form == XL_SEGMENTS_NONE && pattern > 0))
                continue;
            const trial t = {ctx, plan_of(ctx, &kinds[k], form, pattern), &kinds[k], form, s->name};
            for (size_t i = 0; i < most; ++i)
                check(&t, sizes[i], pattern, i % 4 == 3, i % 3 == 2);
            xl_reduce_destroy(t.plan);
        }
    }
}

static void every_form_in_every_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; ++i) {
        xl_context *ctx = open_context(&setups[i]);
        for (int form = XL_SEGMENTS_NONE; form <= XL_SEGMENTS_MASK; ++form)
            check_form(&setups[i], ctx, (xl_segments)form, form == XL_SEGMENTS_NONE ? 3 : 17 + i);
        xl_context_destroy(ctx);
    }
}

/* ---- bits ------------------------------------------------------------------ */

enum { BITS_N = 50001, BITS_WIDTH = 7001 };

/* Sums that depend on the order of operands. */
static void fill_badly(float *to)
{
    xlt_random random = {4711};
    for (size_t i = 0; i < BITS_N; ++i)
        to[i] = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 40) - 20);
}

/* What XL_REPRODUCIBLE promises: runs of 4096 elements, each from left to right, then
 * the parts of a segment from left to right. */
static void fold_by_runs(const float *in, size_t from, size_t to, float *out)
{
    float sum = 0;
    for (size_t i = from; i < to;) {
        const size_t end = i / 4096 * 4096 + 4096 < to ? i / 4096 * 4096 + 4096 : to;
        volatile float part = in[i];
        const bool first = i == from;
        for (++i; i < end; ++i)
            part += in[i];
        sum = first ? part : sum + part;
    }
    *out = sum;
}

typedef struct bits_case {
    xlt_buffer in, heads, out;
    size_t segments;
    float *results;
} bits_case;

static bits_case bits_case_make(xl_segments form, const float *in)
{
    xlt_random random = {99};
    layout l = lay(form, MIXED, BITS_N, &random);
    if (form == XL_SEGMENTS_WIDTH)
        l.count = (BITS_N + BITS_WIDTH - 1) / BITS_WIDTH;
    bits_case c = {.segments = l.count};
    c.in = xlt_buffer_make(in, BITS_N, 4, 0);
    c.out = xlt_buffer_make(NULL, l.count, 4, 0);
    if (l.array_n > 0)
        c.heads = xlt_buffer_make(l.array, l.array_n, l.array_size, 0);
    c.results = malloc(l.count * sizeof *c.results);
    free(l.start);
    free(l.array);
    return c;
}

static void bits_run(xl_context *ctx, xl_reduce *plan, bits_case *c, float *results)
{
    xl_view heads = c->heads.mem ? xlt_view(&c->heads) : xl_no_view(), out = xlt_view(&c->out);
    heads.count = c->heads.n;
    out.count = c->segments;
    ok(ctx,
       xl_reduce_enqueue(plan, xlt_queue(), BITS_N, xlt_view(&c->in), heads, out, xl_no_view(),
                         xl_no_view(), xl_no_view(), 0, NULL, NULL),
       "xl_reduce_enqueue");
    xlt_read(&c->out, results);
}

/* The same bits from run to run; `fixed`: and in every shape, and for a width those
 * of the fold above. */
static void check_bits(xl_segments form, bool fixed, const float *in)
{
    bits_case c = bits_case_make(form, in);
    float *again = malloc(c.segments * sizeof *again), wanted;
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; ++i) {
        xl_context *ctx = open_context(&setups[i]);
        xl_reduce *plan;
        xl_reduce_desc desc;
        xl_reduce_desc_init(&desc);
        desc.type = XL_F32;
        desc.segments = form;
        desc.segment_type = form == XL_SEGMENTS_KEYS      ? XL_I16
                            : form == XL_SEGMENTS_OFFSETS ? XL_U32
                                                          : XL_NONE;
        desc.segment_width = form == XL_SEGMENTS_WIDTH ? BITS_WIDTH : 0;
        desc.determinism = fixed ? XL_REPRODUCIBLE : XL_DETERMINISTIC;
        ok(ctx, xl_reduce_create(ctx, &desc, &plan), "xl_reduce_create");
        if (i == 0 || !fixed)
            bits_run(ctx, plan, &c, c.results);
        for (int run = 0; run < (fixed || xlt_small() ? 1 : 40); ++run) {
            bits_run(ctx, plan, &c, again);
            if (memcmp(again, c.results, c.segments * sizeof *again) != 0)
                XLT_FAIL("%s, form %d: other bits%s", setups[i].name, (int)form,
                         fixed ? " than in the first shape" : " on another run");
        }
        xl_reduce_destroy(plan);
        xl_context_destroy(ctx);
    }
    for (size_t s = 0; fixed && form == XL_SEGMENTS_WIDTH && s < c.segments; ++s) {
        const size_t end = (s + 1) * BITS_WIDTH;
        fold_by_runs(in, s * BITS_WIDTH, end < BITS_N ? end : BITS_N, &wanted);
        if (memcmp(&wanted, &c.results[s], 4) != 0)
            XLT_FAIL("sum %zu is %a, not %a", s, (double)c.results[s], (double)wanted);
    }
    xlt_buffer_free(&c.in);
    xlt_buffer_free(&c.out);
    if (c.heads.mem)
        xlt_buffer_free(&c.heads);
    free(c.results);
    free(again);
}

static void bits_stay_the_same(void **state)
{
    (void)state;
    static const xl_segments forms[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_KEYS,
                                        XL_SEGMENTS_OFFSETS, XL_SEGMENTS_WIDTH};
    float *in = malloc(BITS_N * sizeof *in);
    fill_badly(in);
    /* Its check for uninitialised values ends the process on 16-element vectors. */
    for (size_t f = on_oclgrind() ? 1 : 0; f < sizeof forms / sizeof forms[0]; ++f) {
        check_bits(forms[f], false, in);
        check_bits(forms[f], true, in);
    }
    free(in);
}

/* ---- misuse ----------------------------------------------------------------- */

static void refused(xl_status got, xl_status wanted, const char *text)
{
    const char *error = xl_context_error(xlt_context());
    if (got != wanted || !strstr(error, text))
        XLT_FAIL("got %s \"%.300s\", not %s with \"%s\"", xl_status_name(got), error,
                 xl_status_name(wanted), text);
}

static void create_refuses(void **state)
{
    (void)state;
    static const uint32_t one = 1;
    static const xl_user_op bare = {"max", NULL, NULL, XL_OP_EXACT};
    static const struct {
        xl_reduce_desc desc;
        const char *text;
    } cases[] = {
        {{.type = XL_F32, .op = XL_ARG_MIN, .init = &one}, "init: given, but arg-min"},
        {{.type = XL_F32, .op = XL_ARG_MAX, .store = "x"}, "store: given, but arg-max"},
        {{.type = XL_U32,
          .op = XL_USER_OP,
          .user_op = &bare,
          .segments = XL_SEGMENTS_OFFSETS,
          .segment_type = XL_U32},
         "\"max\" has no identity"},
        {{.type = XL_U32, .op = XL_SUM, .segments = XL_SEGMENTS_WIDTH}, "segment_width: 0"},
        {{.type = XL_F32X2, .op = XL_ARG_MIN}, "vectors have no order"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_reduce *plan = NULL;
        xl_reduce_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        refused(xl_reduce_create(xlt_context(), &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                cases[i].text);
        assert_null(plan);
    }
}

static void enqueue_refuses(void **state)
{
    (void)state;
    xl_reduce_desc desc;
    xl_reduce *plan;
    xl_reduce_desc_init(&desc);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    xlt_buffer a = xlt_buffer_make(NULL, 100, 4, 0), b = xlt_buffer_make(NULL, 4, 4, 0);
    const xl_view in = xlt_view(&a), out = xlt_view(&b), none = xl_no_view();
    const xl_view five = xl_view_n(a.mem, in.offset, 5);
    cl_command_queue q = xlt_queue();
    refused(xl_reduce_enqueue(plan, q, 10, in, in, out, none, none, none, 0, NULL, NULL),
            XL_ERROR_INVALID_ARGUMENT, "CSR offsets without their number");
    refused(xl_reduce_enqueue(plan, q, 10, in, five, in, none, none, none, 0, NULL, NULL),
            XL_ERROR_OVERLAP, "in and out overlap");
    refused(xl_reduce_enqueue(plan, q, 10, in, five, out, out, none, none, 0, NULL, NULL),
            XL_ERROR_INVALID_ARGUMENT, "keys: given");
    refused(xl_reduce_enqueue(plan, q, 10, in, five, out, none, out, none, 0, NULL, NULL),
            XL_ERROR_INVALID_ARGUMENT, "count: given");
    refused(xl_reduce_enqueue(plan, q, 10, in, five, xl_view_n(b.mem, out.offset, 3), none, none,
                              none, 0, NULL, NULL),
            XL_ERROR_INVALID_ARGUMENT, "out: 4 elements");
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_reduce_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_in_every_shape),
        cmocka_unit_test(bits_stay_the_same),
        cmocka_unit_test(create_refuses),
        cmocka_unit_test(enqueue_refuses),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
