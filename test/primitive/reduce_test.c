/* SPDX-License-Identifier: MIT
 * Reductions against the serial reference: every type and operator, every form of segments,
 * user types, places of extremes, expressions, what is promised of bits, misuse. */
#include "reduce_support.h"
#include "scan_users.h"
#include "xlt_misuse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tuning lines with which a few hundred elements are several runs. */
static const char small_runs[] =
    "reduce.chunk_elements = 256\nreduce.group_size = 64\nreduce.whole_size = 64\n";
static const char groups[] = "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
                             "64\nreduce.segment_chunk_groups = 3\n";

static void run(xl_context *ctx, job *j, size_t every)
{
    static const size_t sizes[] = {1,   2,   31,   33,   64,   65,    255,   256,   257,
                                   500, 777, 1023, 1025, 4096, 16385, 33000, 70001, 200003};
    xl_reduce *plan = reduce_plan(ctx, j);
    const bool array = j->desc.segments >= XL_SEGMENTS_HEAD_FLAGS;
    for (size_t i = every / 2; plan && i < sizeof sizes / sizeof sizes[0]; i += every)
        if (sizes[i] < (xlt_small() ? 1100u : 300000u)) {
            j->pattern = array ? (pattern)(i % NUM_PATTERNS) : ONE_SEGMENT;
            reduce_check(ctx, plan, j, sizes[i], i % 4 == 3);
        }
    xl_reduce_destroy(plan);
}

/* ---- types and operators ---------------------------------------------------------------- */

static void scalars(void **state)
{
    (void)state;
    unsigned turn = 0;
    xl_context *ctx = open_context(small_runs, NULL);
    for (int type = XL_I8; type <= XL_F64; ++type)
        for (int op = XL_SUM; op <= XL_XOR; ++op) {
            job j;
            if (!ref_op_of((xl_type)type, (xl_op)op) || (type + op) % (xlt_few_programs() ? 7 : 2))
                continue;
            ++turn;
            /* A reduction's own start is the identity, so that of an inclusive scan, but a
             * sum of nothing is 0. */
            job_make(&j, "scalars", (xl_type)type, (xl_op)op, XL_INCLUSIVE,
                     turn % 3 ? NULL : odd_init((xl_type)type));
            run(ctx, &j, 2);
        }
    xl_context_destroy(ctx);
}

static void vectors(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U8X3, XL_I16X4, XL_F32X3, XL_U64X2};
    xl_context *ctx = open_context(small_runs, NULL);
    for (size_t v = 0; v < 4; ++v) {
        job j;
        job_make(&j, "vectors", types[v], v % 2 ? XL_MAX : XL_SUM, XL_INCLUSIVE, NULL);
        j.desc.segments = v > 1 ? XL_SEGMENTS_HEAD_FLAGS : XL_SEGMENTS_NONE;
        run(ctx, &j, 3);
    }
    xl_context_destroy(ctx);
}

/* Operators that do not commute, with an identity and without; one by one, and in groups, whose
 * exchange of structs ends the process of rusticl 22.3 when it is compiled. */
static void users(void **state)
{
    (void)state;
    static const xl_segments kinds[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_OFFSETS,
                                        XL_SEGMENTS_HEAD_FLAGS};
    const int ways = strstr(xlt_device(), "llvmpipe") ? 1 : 2;
    for (size_t c = 0; c < NUM_USER_CASES; ++c) {
        job j;
        const xl_segments kind = kinds[c % 3];
        if (xlt_few_programs() && c % 3 != 1)
            continue;
        user_case_make(&j, &user_cases[c], XL_INCLUSIVE,
                       user_cases[c].init && (kind == XL_SEGMENTS_OFFSETS || c % 2));
        j.desc.segments = kind;
        j.desc.segment_type = XL_U64;
        for (int in_groups = 0; in_groups < ways; ++in_groups) {
            xl_context *ctx = open_context(in_groups ? groups : small_runs, NULL);
            run(ctx, &j, 3);
            xl_context_destroy(ctx);
        }
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

static const struct {
    xl_segments kind;
    xl_type segment_type, type;
    xl_op op;
    uint64_t width, mask;
} forms[] = {
    {XL_SEGMENTS_HEAD_FLAGS, XL_NONE, XL_U32, XL_SUM, 0, 0},
    {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, XL_I64, XL_MAX, 0, 0},
    {XL_SEGMENTS_KEYS, XL_U8, XL_F32, XL_SUM, 0, 0},
    {XL_SEGMENTS_KEYS, XL_I16, XL_U64, XL_XOR, 0, 0},
    {XL_SEGMENTS_KEYS, XL_I32, XL_U8, XL_SUM, 0, 0},
    {XL_SEGMENTS_KEYS, XL_U64, XL_U32, XL_ARG_MAX, 0, 0},
    {XL_SEGMENTS_OFFSETS, XL_U32, XL_U32, XL_SUM, 0, 0},
    {XL_SEGMENTS_OFFSETS, XL_U64, XL_F32, XL_MIN, 0, 0},
    {XL_SEGMENTS_OFFSETS, XL_U32, XL_F32, XL_ARG_MIN, 0, 0},
    {XL_SEGMENTS_WIDTH, XL_NONE, XL_U32, XL_SUM, 1, 0},
    {XL_SEGMENTS_WIDTH, XL_NONE, XL_I32, XL_MIN, 37, 0},
    {XL_SEGMENTS_WIDTH, XL_NONE, XL_U64, XL_SUM, 100000, 0},
    {XL_SEGMENTS_MASK, XL_NONE, XL_U32, XL_SUM, 8, 0x49},
    {XL_SEGMENTS_MASK, XL_NONE, XL_U16, XL_MAX, 64, 0x8000000000000101u},
    {XL_SEGMENTS_MASK, XL_NONE, XL_I32, XL_ARG_MIN, 31, 0xffffffff40000000u},
};

static bool finds_place(xl_op op)
{
    return op == XL_ARG_MIN || op == XL_ARG_MAX;
}

/* Few values, so that many are alike; NaN and infinities among floats. */
static void fill_alike(xlt_random *random, size_t i, void *to)
{
    const uint32_t x = xlt_below(random, 12);
    (void)i;
    *(uint32_t *)to = x;
}

static void fill_floats_alike(xlt_random *random, size_t i, void *to)
{
    static const float some[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1, -1, 2};
    (void)i;
    /* Long stretches of nothing but NaN. */
    *(float *)to = i / 50 % 3 == 0 ? NAN : some[xlt_below(random, i / 1000 % 2 ? 8 : 3)];
}

static void make_place_job(job *j, const char *what, xl_type type, xl_op op)
{
    job_make(j, what, type, op, XL_INCLUSIVE, NULL);
    j->ref.out_bytes = 8;
    j->out_type = XL_U64;
    j->fill = type == XL_F32 ? fill_floats_alike : xl_type_size(type) == 4 ? fill_alike : NULL;
}

static void check_forms(const char *what, const char *tune, const char *mask, size_t every)
{
    xl_context *ctx = open_context(tune, mask);
    for (size_t f = every / 2; f < sizeof forms / sizeof forms[0]; f += every) {
        job j;
        if (finds_place(forms[f].op))
            make_place_job(&j, what, forms[f].type, forms[f].op);
        else
            job_make(&j, what, forms[f].type, forms[f].op, XL_INCLUSIVE,
                     f % 3 ? NULL : odd_init(forms[f].type));
        j.desc.segments = forms[f].kind;
        j.desc.segment_type = forms[f].segment_type;
        j.desc.segment_width = forms[f].width;
        j.desc.segment_mask = forms[f].mask;
        run(ctx, &j, xlt_small() ? 3 : 1);
    }
    xl_context_destroy(ctx);
}

static void every_form(void **state)
{
    (void)state;
    check_forms("as tuned", NULL, NULL, xlt_few_programs() ? 9 : 2);
    check_forms("small runs", small_runs, NULL, xlt_few_programs() ? 10 : 1);
    check_forms("groups", groups, NULL, xlt_few_programs() ? 12 : 3);
    check_forms("groups of 8, no lanes", groups, "width=1,work-group=8", 6);
}

static void places(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_F32, XL_U32, XL_I8, XL_F64, XL_U64, XL_F16};
    xl_context *ctx = open_context(small_runs, NULL);
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        for (int op = XL_ARG_MIN; op <= XL_ARG_MAX; ++op) {
            job j;
            if (t > 1 && (size_t)op % 2 == t % 2)
                continue;
            make_place_job(&j, "places", types[t], (xl_op)op);
            run(ctx, &j, 2);
        }
    xl_context_destroy(ctx);
}

/* Of f16, which few devices have, and which take long to compile. */
static void halves(void **state)
{
    (void)state;
    static const struct {
        const char *tune;
        xl_op op;
        xl_segments kind;
        xl_type segment_type;
    } rows[] = {
        {small_runs, XL_SUM, XL_SEGMENTS_NONE, XL_NONE},
        {small_runs, XL_MIN, XL_SEGMENTS_HEAD_FLAGS, XL_NONE},
        {small_runs, XL_SUM, XL_SEGMENTS_OFFSETS, XL_U32},
        {small_runs, XL_ARG_MIN, XL_SEGMENTS_KEYS, XL_U16},
        {small_runs, XL_ARG_MAX, XL_SEGMENTS_NONE, XL_NONE},
        {groups, XL_MAX, XL_SEGMENTS_NONE, XL_NONE},
        {groups, XL_SUM, XL_SEGMENTS_KEYS, XL_U8},
        {groups, XL_MIN, XL_SEGMENTS_OFFSETS, XL_U64},
        {groups, XL_ARG_MAX, XL_SEGMENTS_HEAD_FLAGS, XL_NONE},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        job j;
        xl_context *ctx = open_context(rows[r].tune, NULL);
        if (finds_place(rows[r].op))
            make_place_job(&j, "halves", XL_F16, rows[r].op);
        else
            job_make(&j, "halves", XL_F16, rows[r].op, XL_INCLUSIVE,
                     rows[r].op == XL_MIN ? odd_init(XL_F16) : NULL);
        j.desc.segments = rows[r].kind;
        j.desc.segment_type = rows[r].segment_type;
        xl_reduce *plan = reduce_plan(ctx, &j);
        const bool some = plan != NULL;
        xl_reduce_destroy(plan);
        if (some)
            run(ctx, &j, 3);
        xl_context_destroy(ctx);
        if (!some)
            skip();
    }
}

/* ---- zeros of both signs ---- */

typedef struct zeros {
    xl_type type; /* a scalar, or of vectors the lane's */
    unsigned lanes;
    xl_op op;
    bool equal;
} zeros;

static uint64_t rank_of(const zeros *z, const unsigned char *x)
{
    return z->equal ? ref_key_rank_equal_zeros(z->type, x) : ref_key_rank(z->type, x);
}

/* Which of elements [from, to) has the result in that lane. */
static size_t place_of_zero(const zeros *z, const unsigned char *in, size_t from, size_t to,
                            unsigned lane)
{
    const size_t size = xl_type_size(z->type);
    size_t best = from;
    for (size_t i = from + 1; i < to; ++i) {
        const uint64_t mine = rank_of(z, in + (i * z->lanes + lane) * size);
        const uint64_t other = rank_of(z, in + (best * z->lanes + lane) * size);
        if (z->op == XL_MIN || z->op == XL_ARG_MIN ? mine < other : mine > other)
            best = i;
    }
    return best;
}

/* n elements, which are zeros, in segments of so many. */
static void check_zeros(const zeros *z, xl_reduce *plan, size_t n, size_t width)
{
    const size_t size = xl_type_size(z->type), bytes = size * z->lanes;
    const size_t results = (n + width - 1) / width, each = finds_place(z->op) ? 8 : bytes;
    unsigned char *in = bytes_for(n, bytes), *got = bytes_for(results, each);
    memset(in, 0, n * bytes);
    xlt_random random = {n + width};
    for (size_t i = 0; i < n * z->lanes; ++i) /* the sign stands in the last byte */
        in[i * size + size - 1] = (unsigned char)(xlt_below(&random, 2) << 7);
    xlt_buffer a = xlt_buffer_make(in, n, bytes, 0), b = xlt_buffer_make(NULL, results, each, 1);
    XLT_OK(xl_reduce_enqueue(plan, xlt_queue(),
                             &(xl_reduce_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)}, 0,
                             NULL, NULL));
    xlt_read(&b, got);
    for (size_t i = 0; i < results * z->lanes; ++i) {
        const size_t from = i / z->lanes * width, lane = i % z->lanes;
        const uint64_t place =
            place_of_zero(z, in, from, from + width < n ? from + width : n, (unsigned)lane);
        const void *wanted =
            finds_place(z->op) ? (const void *)&place : in + (place * z->lanes + lane) * size;
        if (memcmp(got + i * each / z->lanes, wanted, each / z->lanes) != 0)
            XLT_FAIL("%s of %s, %u lanes, zeros %s, n %zu, segments of %zu: result %zu is wrong",
                     xl_op_name(z->op), xl_type_name(z->type), z->lanes,
                     z->equal ? "equal" : "in order", n, width, i);
    }
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    free(in);
    free(got);
}

/* One plan for each; false where the device has no such type. */
static bool check_zeros_plan(const char *tune, const zeros *z, size_t width)
{
    static const size_t sizes[] = {1, 2, 3, 64, 257, 1025, 16385};
    xl_context *ctx = open_context(tune, NULL);
    xl_reduce *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    assert_int_equal(desc.equal_zeros, 1);
    desc.type = z->lanes == 2 ? XL_F32X2 : z->type;
    desc.op = z->op;
    desc.equal_zeros = z->equal;
    if (z->equal && z->lanes == 1) { /* a caller of an older version, whose structure ends before */
        desc.struct_size = offsetof(xl_reduce_desc, equal_zeros);
        desc.equal_zeros = 0;
    }
    desc.segments = width < SIZE_MAX / 2 ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
    desc.segment_width = desc.segments ? width : 0;
    const xl_status status = xl_reduce_create(ctx, &desc, &plan);
    const bool none =
        status == XL_ERROR_UNSUPPORTED && strstr(xl_context_error(ctx), "cl_khr_fp") != NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !none; ++i) {
        ok(ctx, status, "zeros");
        if (!xlt_small() || sizes[i] < 1000)
            check_zeros(z, plan, sizes[i], width);
    }
    xl_reduce_destroy(plan);
    xl_context_destroy(ctx);
    return !none;
}

/* Equal zeros: the earlier one is the result. Else -0 is less than +0. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_F32, XL_F64, XL_F16, XL_F32};
    static const xl_op ops[] = {XL_MIN, XL_MAX, XL_ARG_MIN, XL_ARG_MAX};
    static const char *const tunes[] = {NULL, small_runs, groups};
    for (size_t i = 0; i < 4 * 4 * 2; ++i) {
        const size_t t = i / 8, o = i / 2 % 4;
        const zeros z = {types[t], t == 3 ? 2 : 1, ops[o], i % 2};
        const size_t width = (o / 2 + t + i) % 2 ? SIZE_MAX / 2 : 5; /* the whole, or segments */
        if ((z.lanes == 2 && finds_place(z.op)) ||
            (xlt_few_programs() && (t == 3 ? o > 0 : t != o % 2 || (z.equal && o > 0))))
            continue;
        for (size_t k = 0; k < 3; ++k)
            if ((!xlt_few_programs() || o % 3 == k) && !check_zeros_plan(tunes[k], &z, width))
                print_message("no %s here\n", xl_type_name(z.type));
    }
}

/* Of nothing but NaN no element is least. */
static void places_of_nan(void **state)
{
    (void)state;
    float nan[100];
    uint64_t got = 0;
    xl_reduce *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = XL_F32;
    desc.op = XL_ARG_MAX;
    for (size_t i = 0; i < 100; ++i)
        nan[i] = NAN;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    xlt_buffer b = xlt_buffer_make(NULL, 1, 8, 0);
    for (int infinite = 0; infinite < 2; ++infinite) {
        nan[77] = infinite ? -INFINITY : NAN;
        xlt_buffer a = xlt_buffer_make(nan, 100, 4, 0);
        XLT_OK(xl_reduce_enqueue(
            plan, xlt_queue(), &(xl_reduce_args){.n = 100, .in = xlt_view(&a), .out = xlt_view(&b)},
            0, NULL, NULL));
        xlt_read(&b, &got);
        assert_true(got == (infinite ? 77 : UINT64_MAX));
        xlt_buffer_free(&a);
    }
    xlt_buffer_free(&b);
    xl_reduce_destroy(plan);
}

/* ---- expressions -------------------------------------------------------------------------- */

static void load_square(void *to, const void *x, uint64_t i)
{
    const int8_t *value = x;
    *(int64_t *)to = (int64_t)*value * *value + (int64_t)(i & 1);
}

static void store_half(void *to, const void *x, uint64_t i)
{
    const int64_t *value = x;
    *(uint32_t *)to = (uint32_t)(*value / 2) ^ (uint32_t)(i << 20);
}

static void expressions(void **state)
{
    (void)state;
    static const xl_segments kinds[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_OFFSETS,
                                        XL_SEGMENTS_FLAG_BITMASK};
    xl_context *ctx = open_context(small_runs, NULL);
    for (size_t k = 0; k < 3; ++k) {
        job j;
        job_make(&j, "expressions", XL_I64, XL_SUM, XL_INCLUSIVE, NULL);
        j.desc.load = "(long)x * x + (long)(i & 1)";
        j.desc.load_type = j.in_type = XL_I8;
        j.desc.store = "(uint)(x / 2) ^ (uint)(i << 20)";
        j.desc.store_type = j.out_type = XL_U32;
        j.ref.load = load_square;
        j.ref.store = store_half;
        j.ref.in_bytes = 1;
        j.ref.out_bytes = 4;
        j.desc.segments = kinds[k];
        j.desc.segment_type = XL_U32;
        run(ctx, &j, 2);
    }
    xl_context_destroy(ctx);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* 200 runs of a sum of numbers of very different size. */
static void sums_repeat(void **state)
{
    (void)state;
    static const xl_segments kinds[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_HEAD_FLAGS,
                                        XL_SEGMENTS_OFFSETS};
    const size_t n = xlt_small() ? 2000 : 100003;
    for (size_t k = 0; k < 3; ++k) {
        job j;
        job_make(&j, "sums", XL_F32, XL_SUM, XL_INCLUSIVE, NULL);
        j.desc.segments = kinds[k];
        j.desc.segment_type = XL_U32;
        j.pattern = LONG_RUNS;
        xl_context *ctx = open_context(k % 2 ? NULL : small_runs, NULL);
        xl_reduce *plan = reduce_plan(ctx, &j);
        reduce_call c = reduce_call_make(&j, n, false);
        xlt_random random = {3};
        for (size_t i = 0; i < n; ++i)
            ((float *)c.in)[i] = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 60) - 30);
        XLT_CL(clEnqueueWriteBuffer(xlt_queue(), c.a.mem, CL_TRUE, xlt_view(&c.a).offset * 4, n * 4,
                                    c.in, 0, NULL, NULL));
        float *first = bytes_for(c.room, 4), *got = bytes_for(c.room, 4);
        for (int round = 0; round < (xlt_small() ? 5 : 200); ++round) {
            ok(ctx,
               xl_reduce_enqueue(plan, xlt_queue(),
                                 &(xl_reduce_args){.n = n,
                                                   .in = xlt_view(&c.a),
                                                   .segments = reduce_view(&c.heads),
                                                   .out = reduce_view(&c.b)},
                                 0, NULL, NULL),
               j.what);
            xlt_read(&c.b, round ? got : first);
            if (round && memcmp(first, got, c.room * 4) != 0)
                XLT_FAIL("segments %d: run %d differs from the first", (int)kinds[k], round);
        }
        for (size_t s = 0; s < c.count; ++s) {
            double sum = 0, size = 0;
            for (uint64_t i = c.begin[s]; i < c.begin[s + 1]; ++i) {
                sum += ((float *)c.in)[i];
                size += fabs(((float *)c.in)[i]);
            }
            if (!(fabs(first[s] - sum) <= 1e-5 * size))
                XLT_FAIL("segment %zu is %g, not %g", s, (double)first[s], sum);
        }
        free(first);
        free(got);
        reduce_call_free(&c);
        xl_reduce_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- nothing to reduce --------------------------------------------------------------------------
 */

static void nothing(void **state)
{
    (void)state;
    const uint32_t init = 1234;
    uint32_t got[4] = {0};
    xl_reduce_desc desc;
    xl_reduce *plan;
    xlt_buffer b = xlt_buffer_make(NULL, 4, 4, 0);
    for (int given = 0; given < 2; ++given) {
        xl_reduce_desc_init(&desc);
        desc.op = XL_MIN;
        desc.init = given ? &init : NULL;
        XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
        XLT_OK(xl_reduce_enqueue(plan, xlt_queue(), &(xl_reduce_args){.n = 0, .out = xlt_view(&b)},
                                 0, NULL, NULL));
        xlt_read(&b, got);
        assert_int_equal(got[0], given ? init : UINT32_MAX);
        assert_int_equal(got[1], 0xa5a5a5a5);
        xl_reduce_destroy(plan);
    }
    /* Three empty segments of no elements. */
    const uint32_t offsets[4] = {0};
    xlt_buffer o = xlt_buffer_make(offsets, 4, 4, 0);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_reduce_enqueue(plan, xlt_queue(),
                             &(xl_reduce_args){.n = 0,
                                               .segments = xl_view_n(o.mem, xlt_view(&o).offset, 4),
                                               .out = xlt_view(&b)},
                             0, NULL, NULL));
    xlt_read(&b, got);
    for (int s = 0; s < 3; ++s)
        assert_int_equal(got[s], init);
    assert_int_equal(got[3], 0xa5a5a5a5);
    xl_reduce_destroy(plan);
    xlt_buffer_free(&b);
    xlt_buffer_free(&o);
}

/* ---- long runs -------------------------------------------------------------------------- */

/* Sums of 1, 2, 3 ... by the offsets given, the last of which is n. */
static void check_offsets(xl_context *ctx, const char *what, const uint32_t *offsets, size_t count)
{
    const size_t n = offsets[count - 1], sums = count - 1;
    uint32_t *in = bytes_for(n, 4), *got = bytes_for(sums, 4);
    xl_reduce *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    for (size_t i = 0; i < n; ++i)
        in[i] = (uint32_t)i + 1;
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), b = xlt_buffer_make(NULL, sums, 4, 0);
    xlt_buffer o = xlt_buffer_make(offsets, count, 4, 1);
    ok(ctx, xl_reduce_create(ctx, &desc, &plan), what);
    ok(ctx,
       xl_reduce_enqueue(plan, xlt_queue(),
                         &(xl_reduce_args){.n = n,
                                           .in = xlt_view(&a),
                                           .segments = xl_view_n(o.mem, xlt_view(&o).offset, count),
                                           .out = xl_view_n(b.mem, xlt_view(&b).offset, sums)},
                         0, NULL, NULL),
       what);
    xlt_read(&b, got);
    for (size_t s = 0; s < sums; ++s) {
        uint32_t sum = 0;
        for (size_t i = offsets[s]; i < offsets[s + 1]; ++i)
            sum += in[i];
        if (got[s] != sum)
            XLT_FAIL("%s: segment %zu is %u, not %u", what, s, (unsigned)got[s], (unsigned)sum);
    }
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&o);
    xl_reduce_destroy(plan);
    free(in);
    free(got);
}

/* Runs as long as the device takes: many segments in one, and few where others have many. */
static void long_runs_of_offsets(void **state)
{
    (void)state;
    static const char *const tunes[] = {
        "reduce.segment_chunk_groups = 1\n",
        ("reduce.serial = 0\nreduce.group_size = 64\nreduce.segment_chunk_groups = 1\n"
         "reduce.single_group_tiles = 1000\n"),
    };
    enum { EACH = 10, COUNT = 120000 };
    if (xlt_on_oclgrind()) {
        print_message("%s: long runs left out\n", xlt_device());
        skip();
    }
    uint32_t *offsets = bytes_for(COUNT, 4);
    for (size_t t = 0; t < sizeof tunes / sizeof tunes[0]; ++t) {
        xl_context *ctx = open_context(tunes[t], NULL);
        for (uint32_t s = 0; s < COUNT; ++s)
            offsets[s] = s / EACH;
        check_offsets(ctx, "nine of ten are empty", offsets, COUNT);
        for (uint32_t s = 0; s < COUNT; ++s)
            offsets[s] = s - s % 7 / 3;
        check_offsets(ctx, "none, one or three each", offsets, COUNT);
        for (uint32_t s = 1; s < COUNT; ++s)
            offsets[s] = s == 1 ? 16000 : 40000 + s;
        check_offsets(ctx, "two long ones before many", offsets, COUNT);
        xl_context_destroy(ctx);
    }
    free(offsets);
}

/* ---- misuse ----------------------------------------------------------------------------- */

static void create_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_reduce *plan;
    xl_reduce_desc desc;
    const uint32_t one = 1;
    const xl_user_op *no_identity = user_cases[USER_CASE_SPAN].op;
#define REFUSED(field, value, text)                                                                \
    do {                                                                                           \
        xl_reduce_desc_init(&desc);                                                                \
        desc.field = (value);                                                                      \
        xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, (text));  \
        assert_null(plan);                                                                         \
    } while (0)
    REFUSED(struct_size, 6, "struct_size");
    REFUSED(type, (xl_type)99, "type: ");
    REFUSED(op, (xl_op)10, "op: 10");
    REFUSED(op, XL_USER_OP, "user_op");
    REFUSED(determinism, (xl_determinism)3, "determinism: 3");
    REFUSED(segments, (xl_segments)7, "segments: 7");
    REFUSED(segments, XL_SEGMENTS_KEYS, "segment_type");
    REFUSED(segments, XL_SEGMENTS_WIDTH, "segment_width");
    REFUSED(load_type, XL_U8, "load_type");
    REFUSED(store_type, XL_U8, "store_type");
    REFUSED(reserved, 1, "desc.reserved: 1; must be 0");
    xl_reduce_desc_init(&desc);
    desc.op = XL_ARG_MIN;
    desc.init = &one;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "init: ");
    desc.init = NULL;
    desc.store = "x";
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "store: ");
    desc.store = NULL;
    desc.type = XL_U32X2;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "op: arg-min");
    desc.type = XL_USER_TYPE;
    desc.user_type = user_cases[USER_CASE_SPAN].user_type;
    desc.op = XL_USER_OP;
    desc.user_op = no_identity;
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "init: ");
    xlt_refused(ctx, xl_reduce_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(NULL, xl_reduce_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_reduce_destroy(NULL);
    xl_reduce_desc_init(NULL);
}

static void enqueue_refuses(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_context *ctx = xlt_context();
    xl_reduce *by_key, *by_offsets, *whole;
    xl_reduce_desc desc;
    size_t bytes, alignment;
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), s = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer b = xlt_buffer_make(NULL, N, 4, 0), k = xlt_buffer_make(NULL, N, 4, 0);
    const xl_view in = xlt_view(&a), keys = xlt_view(&s), out = xlt_view(&b), names = xlt_view(&k);
    const xl_view none = xl_no_view(), five = xl_view_n(s.mem, keys.offset, 5);
    xl_reduce_desc_init(&desc);
    XLT_OK(xl_reduce_create(ctx, &desc, &whole));
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_reduce_create(ctx, &desc, &by_key));
    desc.segments = XL_SEGMENTS_OFFSETS;
    XLT_OK(xl_reduce_create(ctx, &desc, &by_offsets));
#define CALL(plan, x, s, y, key, count)                                                            \
    xl_reduce_enqueue(plan, xlt_queue(),                                                           \
                      &(xl_reduce_args){.n = N,                                                    \
                                        .in = (x),                                                 \
                                        .segments = (s),                                           \
                                        .out = (y),                                                \
                                        .keys_out = (key),                                         \
                                        .num_segments_out = (count)},                              \
                      0, NULL, NULL)
#define WRONG(call, text) xlt_refused(ctx, call, XL_ERROR_INVALID_ARGUMENT, text)
#define APART(call, text) xlt_refused(ctx, call, XL_ERROR_OVERLAP, text)
    WRONG(CALL(by_key, none, keys, out, names, none), "in: ");
    WRONG(CALL(by_key, in, none, out, names, none), "segments: ");
    WRONG(CALL(by_key, in, keys, none, names, none), "out: ");
    WRONG(CALL(whole, in, keys, out, none, none), "segments: ");
    WRONG(CALL(whole, in, none, out, names, none), "keys_out: ");
    WRONG(CALL(whole, in, none, out, none, names), "num_segments_out: ");
    WRONG(CALL(by_key, in, keys, out, xl_view_of(k.mem, 1000), none), "keys_out: ");
    WRONG(CALL(by_offsets, in, keys, out, none, none), "CSR offsets without their number");
    WRONG(CALL(by_offsets, in, five, out, names, none), "keys_out: given");
    WRONG(CALL(by_offsets, in, five, out, none, names), "num_segments_out: given");
    WRONG(CALL(by_offsets, in, five, xl_view_n(b.mem, out.offset, 3), none, none),
          "out: 4 elements");
    APART(CALL(by_offsets, in, five, in, none, none), "in and out overlap");
    APART(CALL(by_key, in, keys, in, names, none), "in and out overlap");
    APART(CALL(by_key, in, keys, keys, names, none), "overlap");
    APART(CALL(by_key, in, keys, out, out, none), "overlap");
    APART(CALL(by_key, in, keys, out, in, none), "overlap");
    APART(CALL(by_key, in, keys, out, names, xl_view_of(b.mem, 66)), "overlap");
    APART(CALL(by_key, in, keys, out, names, xl_view_of(a.mem, 66)), "overlap");
    WRONG(xl_reduce_enqueue(whole, NULL, &(xl_reduce_args){.n = N, .in = in, .out = out}, 0, NULL,
                            NULL),
          "queue: NULL");
    WRONG(xl_reduce_enqueue(whole, xlt_queue(), &(xl_reduce_args){.n = N, .in = in, .out = out}, 1,
                            NULL, NULL),
          "waits: ");
    xlt_refused(NULL, CALL(NULL, in, none, out, none, none), XL_ERROR_INVALID_ARGUMENT,
                "plan: NULL");
    xlt_refused(ctx, xl_reduce_scratch(whole, 1, NULL, &alignment), XL_ERROR_INVALID_ARGUMENT,
                "bytes");
    XLT_OK(xl_reduce_scratch(by_key, 1000000, &bytes, &alignment));
    unsigned char got[4 * N];
    xlt_read(&b, got);
    for (size_t i = 0; i < sizeof got; ++i)
        assert_int_equal(got[i], 0xa5);
    XLT_OK(CALL(by_key, in, keys, out, names, none));
    /* Keys may be what is reduced; nobody need ask for keys or counts. */
    XLT_OK(CALL(by_key, keys, keys, out, none, none));
    XLT_CL(clFinish(xlt_queue()));
    xl_reduce_destroy(by_key);
    xl_reduce_destroy(by_offsets);
    xl_reduce_destroy(whole);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xlt_buffer_free(&k);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),        cmocka_unit_test(vectors),
        cmocka_unit_test(users),          cmocka_unit_test(every_form),
        cmocka_unit_test(places),         cmocka_unit_test(halves),
        cmocka_unit_test(places_of_nan),  cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(expressions),    cmocka_unit_test(sums_repeat),
        cmocka_unit_test(nothing),        cmocka_unit_test(long_runs_of_offsets),
        cmocka_unit_test(create_refuses), cmocka_unit_test(enqueue_refuses),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
