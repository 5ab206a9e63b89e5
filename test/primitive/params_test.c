/* SPDX-License-Identifier: MIT
 * Parameters of expressions: each primitive, each type of a parameter, other values in each call of
 * one plan; and parameters and values that are refused. */
#include "xlt_misuse.h"

#include <stdio.h>
#include <string.h>

enum { N = 5000 };

/* Numbers below 1000, and the arrays of all calls, of u32 and of u64. */
static cl_uint x[N];
static xlt_buffer in, out, wide, number;

static int make_arrays(void **state)
{
    (void)state;
    xlt_random random = {5};
    for (int i = 0; i < N; ++i)
        x[i] = xlt_below(&random, 1000);
    in = xlt_buffer_make(x, N, 4, 1);
    out = xlt_buffer_make(NULL, N, 4, 2);
    wide = xlt_buffer_make(NULL, N, 8, 1);
    number = xlt_buffer_make(NULL, 2, 8, 0);
    return 0;
}

static int free_arrays(void **state)
{
    xlt_buffer *const all[] = {&in, &out, &wide, &number};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        xlt_check_guards(all[k], "an array");
        xlt_buffer_free(all[k]);
    }
    return xlt_teardown(state);
}

static void same(const void *got, const void *wanted, size_t bytes, const char *what)
{
    if (memcmp(got, wanted, bytes) != 0)
        XLT_FAIL("%s: a wrong result", what);
}

/* ---- selections ---- */

static void select_by_value(xl_select_kind kind)
{
    static const xl_param params[] = {{"below", XL_U32}, {"from", XL_U64}};
    cl_uint got[N], wanted[N];
    cl_ulong count[2];
    xl_plan *plan;
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = kind;
    desc.predicate =
        kind == XL_SELECT_PARTITION3 ? "x < below && i >= from ? 0 : 2" : "x < below && i >= from";
    desc.params = params;
    desc.num_params = 2;
    XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
    for (cl_uint below = 100; below <= 900; below += 400) {
        const cl_ulong from = 3 * (cl_ulong)below;
        size_t kept = 0;
        const xl_select_args args = {.n = N,
                                     .in = xlt_view(&in),
                                     .out = xlt_view(&out),
                                     .count_out = xlt_view(&number),
                                     .params = {&below, &from}};
        XLT_OK(xl_select_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&number, count);
        xlt_read(&out, got);
        for (size_t i = 0; i < N; ++i)
            if (x[i] < below && i >= from)
                wanted[kept++] = x[i];
        assert_int_equal(count[0], kept);
        same(got, wanted, kept * sizeof *got, desc.predicate);
    }
    xl_plan_destroy(plan);
}

XLT_TEST(selections)
{
    for (int kind = XL_SELECT_IF; kind <= XL_SELECT_PARTITION3; ++kind)
        select_by_value((xl_select_kind)kind);
}

/* Neighbours are of one run while they differ by less than a step. */
XLT_TEST(runs)
{
    static const xl_param params[] = {{"step", XL_F32}};
    cl_uint steps[N], got[N], wanted[N], count = 0;
    cl_ulong found[2];
    const cl_float step = 2.5f;
    xl_plan *plan;
    xl_select_desc desc;
    for (cl_uint i = 0, at = 0; i < N; ++i)
        steps[i] = at += 1 + i * i % 4;
    for (int i = 0; i < N; ++i)
        if (i == 0 || (float)(steps[i] - steps[i - 1]) >= step)
            wanted[count++] = steps[i];
    xl_select_desc_init(&desc);
    desc.kind = XL_SELECT_UNIQUE;
    desc.equal = "b - a < step";
    desc.params = params;
    desc.num_params = 1;
    XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
    xlt_buffer from = xlt_buffer_make(steps, N, 4, 0);
    const xl_select_args args = {.n = N,
                                 .in = xlt_view(&from),
                                 .out = xlt_view(&out),
                                 .count_out = xlt_view(&number),
                                 .params = {&step}};
    XLT_OK(xl_select_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&number, found);
    xlt_read(&out, got);
    assert_int_equal(found[0], count);
    same(got, wanted, count * sizeof *got, "runs");
    xlt_buffer_free(&from);
    xl_plan_destroy(plan);
}

/* ---- transforms ---- */

static bool device_has(xl_type type)
{
    xl_plan *plan;
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.types[0] = type;
    const xl_status status = xl_transform_create(xlt_context(), &desc, &plan);
    if (status == XL_SUCCESS)
        xl_plan_destroy(plan);
    return status == XL_SUCCESS;
}

/* A value of the type, between two others. */
static void type_of_a_parameter(xl_type type)
{
    const xl_param params[] = {{"before", XL_U8}, {"value", type}, {"behind", XL_I16}};
    static const unsigned char bytes[32] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x07, 0x08,
                                            0x19, 0x2a, 0x3b, 0x4c, 0x5d, 0x6e, 0x0f, 0x10,
                                            0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x17, 0x18,
                                            0x29, 0x3a, 0x4b, 0x5c, 0x6d, 0x7e, 0x1f, 0x20};
    const cl_uchar before = 200;
    const cl_short behind = -3;
    unsigned char got[3 * 32];
    xl_plan *plan;
    xl_transform_desc desc;
    const size_t size = xl_type_size(type), lanes = (size_t)type >> 8;
    const size_t shown = lanes == 3 ? size / 4 * 3 : size;
    xl_transform_desc_init(&desc);
    desc.num_arrays = 0;
    desc.types[0] = XL_NONE;
    desc.out_type = type;
    desc.expression = "before == 200 && behind == -3 ? value : value - value";
    desc.params = params;
    desc.num_params = 3;
    if (lanes > 0) /* a choice of vectors is one by lanes */
        desc.expression = "value";
    XLT_OK(xl_transform_create(xlt_context(), &desc, &plan));
    xlt_buffer to = xlt_buffer_make(NULL, 3, size, 0);
    const xl_transform_args args = {
        .n = 3, .out = {xlt_view(&to)}, .params = {&before, bytes, &behind}};
    XLT_OK(xl_transform_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&to, got);
    for (size_t k = 0; k < 3; ++k)
        same(got + k * size, bytes, shown, xl_type_name(type));
    xlt_check_guards(&to, "out");
    xlt_buffer_free(&to);
    xl_plan_destroy(plan);
}

XLT_TEST(types)
{
    static const xl_type few[] = {XL_I8,    XL_U16,   XL_I32,   XL_U64,   XL_F32,
                                  XL_F64,   XL_U8X2,  XL_U8X3,  XL_I16X3, XL_F32X3,
                                  XL_F32X4, XL_U64X4, XL_F64X2, XL_F16};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; ++i)
        if (device_has(few[i]))
            type_of_a_parameter(few[i]);
    for (int lanes = 0; lanes <= 4 && !xlt_few_programs(); lanes += lanes == 0 ? 2 : 1)
        for (int scalar = XL_I8; scalar <= XL_F64; ++scalar)
            if (device_has((xl_type)(lanes << 8 | scalar)))
                type_of_a_parameter((xl_type)(lanes << 8 | scalar));
}

/* As many as there may be, of all the bytes that there may be. */
XLT_TEST(many)
{
    static const xl_param params[] = {{"c0", XL_U64}, {"c1", XL_U64}, {"c2", XL_U64},
                                      {"c3", XL_U64}, {"c4", XL_U64}, {"c5", XL_U64},
                                      {"c6", XL_U64}, {"c7", XL_U64}};
    cl_ulong c[8], got[N];
    xl_plan *plan;
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.types[0] = XL_U32;
    desc.out_type = XL_U64;
    desc.expression =
        "c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * (c5 + x * (c6 + x * c7))))))";
    desc.params = params;
    desc.num_params = 8;
    XLT_OK(xl_transform_create(xlt_context(), &desc, &plan));
    xl_transform_args args = {.n = N, .in = {xlt_view(&in)}, .out = {xlt_view(&wide)}};
    for (int k = 0; k < 8; ++k) {
        c[k] = 0x123456789abcdefu * (cl_ulong)(k + 1);
        args.params[k] = &c[k];
    }
    XLT_OK(xl_transform_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&wide, got);
    for (int i = 0; i < N; ++i) {
        cl_ulong sum = 0;
        for (int k = 7; k >= 0; --k)
            sum = sum * x[i] + c[k];
        if (got[i] != sum)
            XLT_FAIL("element %d: %llx, not %llx", i, (unsigned long long)got[i],
                     (unsigned long long)sum);
    }
    xl_plan_destroy(plan);
}

XLT_TEST(neighbours)
{
    static const xl_param params[] = {{"scale", XL_I32}};
    cl_uint got[N];
    const cl_int scale = -7;
    xl_plan *plan;
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.kind = XL_TRANSFORM_ADJACENT;
    desc.types[0] = XL_U32;
    desc.expression = "(x - p) * scale";
    desc.params = params;
    desc.num_params = 1;
    XLT_OK(xl_transform_create(xlt_context(), &desc, &plan));
    const xl_transform_args args = {
        .n = N, .in = {xlt_view(&in)}, .out = {xlt_view(&out)}, .params = {&scale}};
    XLT_OK(xl_transform_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&out, got);
    for (int i = 0; i < N; ++i)
        if (got[i] != (i == 0 ? x[0] : (x[i] - x[i - 1]) * (cl_uint)scale))
            XLT_FAIL("element %d: %u", i, (unsigned)got[i]);
    xl_plan_destroy(plan);
}

/* ---- scans and reductions ---- */

static const xl_param load_and_store[] = {{"scale", XL_U32}, {"shift", XL_U64}};

static void scan(const xlt_buffer *from, const cl_uint *numbers, xl_scan_algorithm algorithm,
                 xl_type type, size_t width)
{
    static cl_ulong got[N];
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = type;
    desc.kind = XL_INCLUSIVE;
    desc.algorithm = algorithm;
    desc.load_type = XL_U32;
    desc.load = "x * scale + i";
    desc.store_type = XL_U64;
    desc.store = "(ulong)x + shift * i";
    desc.segments = width > 0 ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
    desc.segment_width = width;
    desc.params = load_and_store;
    desc.num_params = 2;
    if (type == XL_F32) /* the reproducible tree */
        desc.determinism = XL_REPRODUCIBLE;
    const xl_status status = xl_scan_create(xlt_context(), &desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED && algorithm == XL_SCAN_LOOKBACK)
        return;
    XLT_OK(status);
    for (cl_uint scale = 0; scale < 3; ++scale) {
        const cl_ulong shift = 10000000000u * scale;
        const xl_scan_args args = {
            .n = N, .in = xlt_view(from), .out = xlt_view(&wide), .params = {&scale, &shift}};
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&wide, got);
        cl_uint sum = 0;
        for (size_t i = 0; i < N; ++i) {
            sum = (width > 0 && i % width == 0 ? 0 : sum) + numbers[i] * scale + (cl_uint)i;
            if (got[i] != sum + shift * i)
                XLT_FAIL("algorithm %d, width %zu, element %zu: %llu", (int)algorithm, width, i,
                         (unsigned long long)got[i]);
        }
    }
    xl_plan_destroy(plan);
}

XLT_TEST(scans)
{
    cl_uint small[N];
    for (int algorithm = XL_SCAN_AUTO; algorithm <= XL_SCAN_REDUCE_THEN_SCAN; ++algorithm)
        scan(&in, x, (xl_scan_algorithm)algorithm, XL_U32, 0);
    scan(&in, x, XL_SCAN_AUTO, XL_U32, 100);
    for (int i = 0; i < N; ++i) /* sums that are exact in single precision */
        small[i] = x[i] % 10;
    xlt_buffer from = xlt_buffer_make(small, N, 4, 0);
    scan(&from, small, XL_SCAN_AUTO, XL_F32, 50);
    xlt_buffer_free(&from);
}

static void reduce(xl_op op, size_t width)
{
    static cl_ulong got[N];
    xl_plan *plan;
    xl_reduce_desc desc;
    const size_t results = width > 0 ? (N + width - 1) / width : 1;
    xl_reduce_desc_init(&desc);
    desc.op = op;
    desc.load = "x * scale + (uint)i";
    if (op == XL_SUM) {
        desc.store_type = XL_U64;
        desc.store = "x + shift * (i + 1)";
    }
    desc.segments = width > 0 ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
    desc.segment_width = width;
    desc.params = load_and_store;
    desc.num_params = 2;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    for (cl_uint scale = 0; scale < 3; ++scale) {
        const cl_ulong shift = 10000000000u * scale;
        const xl_reduce_args args = {
            .n = N, .in = xlt_view(&in), .out = xlt_view(&wide), .params = {&scale, &shift}};
        XLT_OK(xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&wide, got);
        for (size_t s = 0; s < results; ++s) {
            const size_t end = width > 0 && (s + 1) * width < N ? (s + 1) * width : N;
            cl_uint sum = 0, most = 0;
            cl_ulong place = UINT64_MAX;
            for (size_t i = s * width; i < end; ++i) {
                const cl_uint value = x[i] * scale + (cl_uint)i;
                sum += value;
                if (place == UINT64_MAX || value > most) {
                    most = value;
                    place = i;
                }
            }
            const cl_ulong wanted = op == XL_SUM ? sum + shift * (s + 1) : place;
            if (got[s] != wanted)
                XLT_FAIL("width %zu, result %zu: %llu, not %llu", width, s,
                         (unsigned long long)got[s], (unsigned long long)wanted);
        }
    }
    xl_plan_destroy(plan);
}

XLT_TEST(reductions)
{
    reduce(XL_SUM, 0);
    reduce(XL_SUM, 300);
    reduce(XL_SUM, 3);
    reduce(XL_ARG_MAX, 0);
}

/* ---- histograms ---- */

XLT_TEST(histograms)
{
    enum { BINS = 32 };
    static const xl_param params[] = {{"width", XL_F32}};
    cl_uint bins[BINS];
    xl_plan *plan;
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.type = XL_U32;
    desc.num_bins = BINS;
    desc.load = "(uint)(x / width)";
    desc.params = params;
    desc.num_params = 1;
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
    xlt_buffer to = xlt_buffer_make(NULL, BINS, 4, 0);
    for (cl_float width = 32; width <= 128; width *= 2) { /* quotients are exact */
        cl_uint wanted[BINS] = {0};
        const xl_histogram_args args = {
            .n = N, .in = xlt_view(&in), .bins = xlt_view(&to), .params = {&width}};
        for (int i = 0; i < N; ++i)
            if (x[i] / (cl_uint)width < BINS)
                ++wanted[x[i] / (cl_uint)width];
        XLT_OK(xl_histogram_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&to, bins);
        same(bins, wanted, sizeof bins, "bins");
    }
    xlt_buffer_free(&to);
    xl_plan_destroy(plan);
}

/* ---- errors ---- */

static void refused(xl_status status, const char *said)
{
    xlt_refused(xlt_context(), status, XL_ERROR_INVALID_ARGUMENT, said);
}

XLT_TEST(wrong_parameters)
{
    static const struct {
        xl_param params[9];
        size_t count;
        const char *said;
    } cases[] = {
        {{{"a1", XL_U32}}, 9, "desc.num_params: 9; at most 8"},
        {{{NULL, XL_U32}}, 1, "desc.params[0].name: NULL"},
        {{{"", XL_U32}}, 1, "desc.params[0].name: \"\" is no identifier"},
        {{{"t", XL_U32}, {"9t", XL_U32}}, 2, "desc.params[1].name: \"9t\" is no identifier"},
        {{{"float", XL_U32}}, 1, "desc.params[0].name: \"float\"; the name is reserved"},
        {{{"xl_t", XL_U32}}, 1, "desc.params[0].name: \"xl_t\"; names that begin with xl_"},
        {{{"x", XL_U32}}, 1, "desc.params[0].name: \"x\"; x, y, z, w, p, a, b and i are"},
        {{{"t", XL_U32}, {"t", XL_F32}}, 2, "\"t\"; desc.params[0] has the same name"},
        {{{"t", XL_NONE}}, 1, "desc.params[0].type: "},
        {{{"t", 77}}, 1, "desc.params[0].type: "},
        {{{"t", XL_USER_TYPE}}, 1, "desc.params[0].type: XL_USER_TYPE; must be built in"},
        {{{"t", XL_U64X4}, {"u", XL_U64X4}, {"v", XL_U8}}, 3, "desc.params: 68 bytes; at most 64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_plan *plan;
        xl_select_desc desc;
        xl_select_desc_init(&desc);
        desc.predicate = "x > 0";
        desc.params = cases[i].params;
        desc.num_params = cases[i].count;
        refused(xl_select_create(xlt_context(), &desc, &plan), cases[i].said);
    }
}

/* There is none, or no number of them. */
XLT_TEST(wrong_counts)
{
    static const xl_param one[] = {{"t", XL_U32}};
    xl_plan *scan_plan;
    xl_scan_desc scan_desc;
    xl_scan_desc_init(&scan_desc);
    scan_desc.num_params = 1;
    scan_desc.load = "x";
    refused(xl_scan_create(xlt_context(), &scan_desc, &scan_plan),
            "desc.num_params: 1; params is NULL");
    scan_desc.params = one;
    scan_desc.num_params = 0;
    refused(xl_scan_create(xlt_context(), &scan_desc, &scan_plan),
            "desc.num_params: 0; params is given");
    scan_desc.num_params = 1;
    scan_desc.load = NULL;
    refused(xl_scan_create(xlt_context(), &scan_desc, &scan_plan),
            "desc.num_params: 1; requires an expression");
}

XLT_TEST(wrong_values)
{
    static const xl_param params[] = {{"t", XL_U32}, {"u", XL_U32}};
    const cl_uint t = 1;
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.load = "x + t + u";
    desc.params = params;
    desc.num_params = 2;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    xlt_buffer to = xlt_buffer_make(NULL, 1, 4, 0);
    xl_reduce_args args = {.n = N, .in = xlt_view(&in), .out = xlt_view(&to), .params = {&t}};
    refused(xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL),
            "params[1]: NULL; the plan has 2");
    args.params[1] = args.params[2] = &t;
    refused(xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL),
            "params[2]: given; the plan has 2");
    xlt_check_unwritten(&to, "out");
    xlt_buffer_free(&to);
    xl_plan_destroy(plan);
}

XLT_MAIN(make_arrays, free_arrays)
