/* SPDX-License-Identifier: MIT
 * Scan of every type by every operator; where scans start; load and store expressions. */
#include "scan_support.h"

#include <string.h>

/* Every type meets every operator it has, one way or the other: kinds, starting values
 * and sizes take turns. */
static void scalars(void **state)
{
    (void)state;
    unsigned turn = 0;
    xl_context *ctx = open_context(small_tiles, NULL);
    for (int type = XL_I8; type <= XL_F64; ++type)
        for (int op = XL_SUM; op <= XL_XOR; ++op) {
            job j;
            if (!ref_op_of((xl_type)type, (xl_op)op) ||
                (xlt_few_programs() && (type + op) % 4 != 0))
                continue;
            ++turn;
            job_make(&j, "scalars", (xl_type)type, (xl_op)op,
                     turn / 2 % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                     turn % 3 ? NULL : odd_init((xl_type)type));
            job_run(ctx, &j, 2);
        }
    xl_context_destroy(ctx);
}

/* Of f16, which few devices have, every operator and both kinds, in small runs too. */
static void halves(void **state)
{
    (void)state;
    bool some = false;
    xl_context *ctx = open_context(small_tiles, NULL);
    for (int op = XL_SUM; op <= XL_MAX; ++op) {
        job j;
        job_make(&j, "halves", XL_F16, (xl_op)op, op % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                 op < XL_MIN ? NULL : odd_init(XL_F16));
        j.desc.segments = op == XL_PROD || op == XL_MAX ? XL_SEGMENTS_HEAD_FLAGS : XL_SEGMENTS_NONE;
        xl_scan *plan = job_plan(ctx, &j);
        some = some || plan;
        if (plan)
            job_check_sizes(ctx, plan, &j, 3);
        xl_scan_destroy(plan);
    }
    xl_context_destroy(ctx);
    if (!some) {
        print_message("%s: no cl_khr_fp16\n", xlt_device());
        skip();
    }
}

/* With the tuning of the device. */
static void common_types(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U32, XL_F32, XL_I64, XL_F64, XL_U8};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
            job j;
            if (xlt_few_programs() && t % 2 != (size_t)kind)
                continue;
            job_make(&j, "common types", types[t], XL_SUM, (xl_scan_kind)kind, NULL);
            job_run(xlt_context(), &j, 1);
        }
}

static void vectors(void **state)
{
    (void)state;
    static const struct {
        xl_type type;
        xl_op op;
    } cases[] = {
        {XL_U8X2, XL_MAX},   {XL_I8X3, XL_SUM},  {XL_U8X4, XL_XOR},   {XL_I16X2, XL_MIN},
        {XL_U16X3, XL_PROD}, {XL_I16X4, XL_SUM}, {XL_U32X2, XL_OR},   {XL_I32X3, XL_MAX},
        {XL_U32X4, XL_SUM},  {XL_I64X2, XL_MIN}, {XL_U64X3, XL_AND},  {XL_I64X4, XL_SUM},
        {XL_F32X2, XL_SUM},  {XL_F32X3, XL_MIN}, {XL_F32X4, XL_PROD}, {XL_F64X2, XL_SUM},
        {XL_F64X3, XL_MAX},  {XL_F16X2, XL_SUM}, {XL_F16X3, XL_MAX},  {XL_I32X2, XL_MIN},
    };
    xl_context *ctx = open_context(small_tiles, NULL);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        job j;
        if (xlt_few_programs() && c % 5 != 2)
            continue;
        job_make(&j, "vectors", cases[c].type, cases[c].op, c % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                 c % 3 ? NULL : odd_init(cases[c].type));
        job_run(ctx, &j, 3);
    }
    xl_context_destroy(ctx);
}

/* ---- init ----------------------------------------------------------------------- */

/* A starting value on the device is read when the call runs: changed between calls, it
 * changes results. */
static void init_on_the_device(void **state)
{
    (void)state;
    const int32_t first = -7, second = 123456789;
    xl_context *ctx = open_context(small_tiles, NULL);
    xlt_buffer init = xlt_buffer_make(&first, 1, 4, 3);
    for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind)
        for (int segmented = 0; segmented < 2; ++segmented) {
            job j;
            job_make(&j, "init on the device", XL_I32, XL_SUM, (xl_scan_kind)kind, NULL);
            j.desc.init_view = xlt_view(&init);
            j.desc.segments = segmented ? XL_SEGMENTS_HEAD_FLAGS : XL_SEGMENTS_NONE;
            XLT_CL(clEnqueueWriteBuffer(xlt_queue(), init.mem, CL_TRUE, xlt_view(&init).offset * 4,
                                        4, &first, 0, NULL, NULL));
            xl_scan *plan = job_plan(ctx, &j);
            j.ref.init = &first;
            job_check_sizes(ctx, plan, &j, 5);
            XLT_CL(clEnqueueWriteBuffer(xlt_queue(), init.mem, CL_TRUE, xlt_view(&init).offset * 4,
                                        4, &second, 0, NULL, NULL));
            j.ref.init = &second;
            job_check_sizes(ctx, plan, &j, 5);
            xl_scan_destroy(plan);
        }
    xlt_check_guards(&init, "init");
    xlt_buffer_free(&init);
    xl_context_destroy(ctx);
}

/* The plan keeps the buffer of its init, and nothing of the host's. */
static void init_outlives_its_owner(void **state)
{
    (void)state;
    int32_t start = 41;
    job j;
    xlt_buffer init = xlt_buffer_make(&start, 1, 4, 0);
    job_make(&j, "init let go", XL_I32, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.init_view = xlt_view(&init);
    xl_scan *on_device = job_plan(xlt_context(), &j);
    xlt_buffer_free(&init);
    j.desc.init_view = xl_no_view();
    j.desc.init = &start;
    xl_scan *on_host = job_plan(xlt_context(), &j);
    start = 0;
    const int32_t was = 41;
    j.ref.init = &was;
    job_check(xlt_context(), on_device, &j, 333, placings[0]);
    job_check(xlt_context(), on_host, &j, 333, placings[0]);
    xl_scan_destroy(on_device);
    xl_scan_destroy(on_host);
}

/* ---- load and store --------------------------------------------------------------- */

#define AS(type, pointer) (*(const type *)(pointer))

static void load_flag(void *to, const void *x, uint64_t i)
{
    (void)i;
    *(uint32_t *)to = AS(uint8_t, x) != 0;
}

static void sparse_byte(xlt_random *random, size_t i, void *to)
{
    (void)i;
    *(uint8_t *)to = (uint8_t)(xlt_below(random, 3) == 0 ? xlt_next(random) : 0);
}

static void store_index(void *to, const void *x, uint64_t i)
{
    *(uint64_t *)to = (uint64_t)AS(uint32_t, x) << 32 | (i + 1);
}

static void load_pair(void *to, const void *x, uint64_t i)
{
    const uint32_t *pair = x;
    *(int64_t *)to = (int64_t)pair[0] * (int64_t)(i % 10) - pair[1];
}

static void random_pair(xlt_random *random, size_t i, void *to)
{
    uint32_t *pair = to;
    (void)i;
    for (int k = 0; k < 3; ++k)
        pair[k] = (uint32_t)xlt_next(random);
}

static void store_low(void *to, const void *x, uint64_t i)
{
    (void)i;
    *(uint16_t *)to = (uint16_t)(AS(int64_t, x) >> 16);
}

static void load_square(void *to, const void *x, uint64_t i)
{
    (void)i;
    *(float *)to = AS(float, x) * AS(float, x);
}

static void store_bits(void *to, const void *x, uint64_t i)
{
    uint32_t bits;
    memcpy(&bits, x, 4);
    *(uint32_t *)to = bits + (uint32_t)i;
}

static void small_float(xlt_random *random, size_t i, void *to)
{
    (void)i;
    *(float *)to = (float)xlt_below(random, 4) - 1.0f;
}

static const xl_user_type triple = {"triple", 12, 4,
                                    "typedef struct triple { uint a, b, c; } triple;"};

static void run_expressions(job *j, xl_context *ctx)
{
    static const xl_segments kinds[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_FLAG_BITMASK};
    for (size_t s = 0; s < 2; ++s) {
        j->desc.segments = kinds[s];
        j->desc.kind = s ? XL_EXCLUSIVE : XL_INCLUSIVE;
        j->ref.inclusive = s == 0;
        job_run(ctx, j, xlt_small() ? 6 : 3);
    }
}

static void expressions(void **state)
{
    (void)state;
    job j;
    xl_context *ctx = open_context(small_tiles, NULL);
    job_make(&j, "flags counted", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.load = "x != 0";
    j.desc.load_type = XL_U8;
    j.ref.load = load_flag;
    j.ref.in_bytes = 1;
    j.fill = sparse_byte;
    run_expressions(&j, ctx);
    j.what = "flags counted, with indices";
    j.desc.store = "(ulong)x << 32 | (i + 1)";
    j.desc.store_type = j.out_type = XL_U64;
    j.ref.store = store_index;
    j.ref.out_bytes = 8;
    run_expressions(&j, ctx);
    job_make(&j, "structs to i64 to u16", XL_I64, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.load = "(long)x.a * (long)(i % 10) - x.b";
    j.desc.load_type = XL_USER_TYPE;
    j.desc.user_load_type = &triple;
    j.desc.store = "(ushort)(x >> 16)";
    j.desc.store_type = j.out_type = XL_U16;
    j.ref.load = load_pair;
    j.ref.store = store_low;
    j.ref.in_bytes = 12;
    j.ref.out_bytes = 2;
    j.fill = random_pair;
    run_expressions(&j, ctx);
    job_make(&j, "squares, bits shown", XL_F32, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.load = "x * x";
    j.desc.store = "as_uint(x) + (uint)i // a comment ends with its line";
    j.desc.store_type = j.out_type = XL_U32;
    j.ref.load = load_square;
    j.ref.store = store_bits;
    j.fill = small_float;
    run_expressions(&j, ctx);
    xl_context_destroy(ctx);
}

/* ---- from print ---------------------------------------------------------------- */

static void published_example(void **state)
{
    (void)state;
    cl_uint host[1024];
    xl_scan *plan;
    xl_scan_desc desc;
    for (cl_uint i = 0; i < 1024; ++i)
        host[i] = i + 1;
    xlt_buffer a = xlt_buffer_make(host, 1024, 4, 0);
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                           &(xl_scan_args){.n = 1024, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                           NULL, NULL));
    xlt_read(&a, host);
    assert_int_equal(host[0], 0);
    assert_int_equal(host[1023], 523776);
    xlt_buffer_free(&a);
    xl_scan_destroy(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_example),
        cmocka_unit_test(scalars),
        cmocka_unit_test(halves),
        cmocka_unit_test(common_types),
        cmocka_unit_test(vectors),
        cmocka_unit_test(init_on_the_device),
        cmocka_unit_test(init_outlives_its_owner),
        cmocka_unit_test(expressions),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
