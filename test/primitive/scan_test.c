/* SPDX-License-Identifier: MIT
 * Scan against the serial reference: sizes, types, operators, kinds, placement,
 * scratch, queues, threads, misuse, repeatability, tiles held back. */
#include "scan/scan_ref.h"
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context beside the common one, with tuning values and features of its own. */
typedef struct setup {
    const char *name;
    const char *tune; /* lines of a tuning file */
    const char *mask;
    xl_scan_algorithm algorithm;
    xl_context *ctx;
} setup;

static const char tune_path[] = "scan_test.tune";

static xl_context *open_context(const char *tune, const char *mask)
{
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = mask;
    if (tune) {
        FILE *file = fopen(tune_path, "w");
        assert_non_null(file);
        fputs(tune, file);
        fclose(file);
        desc.tune_file = tune_path;
    }
    xl_status status = xl_context_adopt(xl_context_cl(xlt_context()),
                                        xl_context_device(xlt_context()), &desc, &ctx);
    remove(tune_path);
    if (status != XL_SUCCESS)
        XLT_FAIL("no context with tuning \"%s\": %s", tune ? tune : "", xl_context_error(NULL));
    return ctx;
}

static void ok(xl_context *ctx, xl_status status, const char *what)
{
    if (status != XL_SUCCESS)
        XLT_FAIL("%s gave %s: %.700s", what, xl_status_name(status), xl_context_error(ctx));
}

/* Fails unless the call gave `wanted` and a text that holds `text`. */
static void refused(xl_context *ctx, xl_status got, xl_status wanted, const char *text)
{
    if (got != wanted || !strstr(xl_context_error(ctx), text))
        XLT_FAIL("got %s \"%.300s\", not %s with \"%s\"", xl_status_name(got),
                 xl_context_error(ctx), xl_status_name(wanted), text);
}

static bool has_fp64(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

/* ---- data ---------------------------------------------------------------- */

static double number(xlt_random *random, xl_op op)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30};
    const uint32_t pick = xlt_below(random, 97);
    if (op != XL_SUM && pick < sizeof odd / sizeof odd[0])
        return odd[pick];
    /* Whole numbers whose sums are exact in f32 whatever the order. */
    return (double)xlt_below(random, 15) - 7.0;
}

static void fill(xlt_random *random, const xl_scan_desc *desc, size_t n, void *to)
{
    for (size_t i = 0; i < n; ++i) {
        if (desc->type == XL_F32)
            ((float *)to)[i] = (float)number(random, desc->op);
        else if (desc->type == XL_F64)
            ((double *)to)[i] = number(random, desc->op);
        else if (xl_type_size(desc->type) == 4)
            ((uint32_t *)to)[i] = (uint32_t)xlt_next(random);
        else
            ((uint64_t *)to)[i] = xlt_next(random);
    }
}

static bool same_element(xl_type type, const void *a, const void *b)
{
    float f, g;
    double d, e;
    if (memcmp(a, b, xl_type_size(type)) == 0)
        return true;
    if (type == XL_F32)
        return memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g), isnan(f) && isnan(g);
    if (type == XL_F64)
        return memcpy(&d, a, sizeof d), memcpy(&e, b, sizeof e), isnan(d) && isnan(e);
    return false;
}

static uint64_t bits_of(const unsigned char *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    return bits;
}

static void compare(const char *what, const xl_scan_desc *desc, size_t n, const unsigned char *got,
                    const unsigned char *wanted)
{
    const size_t size = xl_type_size(desc->type);
    if (memcmp(got, wanted, n * size) == 0)
        return;
    for (size_t i = 0; i < n; ++i)
        if (!same_element(desc->type, got + i * size, wanted + i * size))
            XLT_FAIL("%s: %s %s of %s, n %zu: element %zu is 0x%llx, not 0x%llx", what,
                     desc->kind == XL_INCLUSIVE ? "inclusive" : "exclusive", xl_op_name(desc->op),
                     xl_type_name(desc->type), n, i,
                     (unsigned long long)bits_of(got + i * size, size),
                     (unsigned long long)bits_of(wanted + i * size, size));
}

/* ---- one verified call --------------------------------------------------- */

typedef struct placing {
    size_t in_offset, out_offset;
    bool in_place, own_scratch;
} placing;

static const placing placings[] = {
    {0, 0, false, true},  {0, 0, true, false}, {1, 0, false, false},
    {0, 1, false, false}, {3, 3, true, true},  {2, 5, false, true},
};

static void check(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc, const char *what,
                  size_t n, placing place)
{
    const size_t size = xl_type_size(desc->type);
    xlt_random random = {n + 1};
    unsigned char *in = malloc(n * size + 1), *wanted = malloc(n * size + 1);
    unsigned char *got = malloc(n * size + 1);
    size_t bytes, alignment;
    fill(&random, desc, n, in);
    xli_scan_reference(desc, n, in, wanted);
    xlt_buffer a = xlt_buffer_make(in, n, size, place.in_offset);
    xlt_buffer b = place.in_place ? a : xlt_buffer_make(NULL, n, size, place.out_offset);
    ok(ctx, xl_scan_scratch(plan, n, &bytes, &alignment), "xl_scan_scratch");
    xlt_buffer scratch = place.own_scratch ? (xlt_buffer){0} : xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(), n, xlt_view(&a), xl_no_view(), xlt_view(&b),
                       scratch.mem ? xlt_view(&scratch) : xl_no_view(), 0, NULL, NULL),
       what);
    xlt_read(&b, got);
    compare(what, desc, n, got, wanted);
    xlt_check_guards(&b, "out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (!place.in_place) {
        xlt_read(&a, got);
        assert_memory_equal(got, in, n * size);
        xlt_buffer_free(&b);
    }
    xlt_buffer_free(&a);
    xlt_buffer_free(&scratch);
    free(in);
    free(wanted);
    free(got);
}

/* The most elements that need no scratch: what one group scans alone. */
static size_t tile_of(xl_context *ctx, const xl_scan *plan)
{
    size_t low = 0, high = (size_t)1 << 32, bytes, alignment;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        ok(ctx, xl_scan_scratch(plan, middle, &bytes, &alignment), "xl_scan_scratch");
        *(bytes > 0 ? &high : &low) = middle;
    }
    return low;
}

static void check_sizes(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc, const char *what,
                        bool all)
{
    const size_t tile = tile_of(ctx, plan);
    const size_t sizes[] = {0,
                            1,
                            2,
                            3,
                            31,
                            32,
                            33,
                            63,
                            64,
                            65,
                            255,
                            256,
                            257,
                            tile - 1,
                            tile,
                            tile + 1,
                            tile + tile / 3,
                            2 * tile - 1,
                            2 * tile,
                            2 * tile + 1,
                            65535,
                            65536,
                            65537,
                            7 * tile + 5,
                            37 * tile + 1};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count; ++i)
        if ((all || i % 3 == 1) && (sizes[i] < 70000 || !xlt_small()))
            check(ctx, plan, desc, what, sizes[i],
                  placings[i % (sizeof placings / sizeof placings[0])]);
}

/* ---- every type, operator and kind --------------------------------------- */

static const xl_type types[] = {XL_U32, XL_I32, XL_F32, XL_U64, XL_I64, XL_F64};
static const xl_op ops[] = {XL_SUM, XL_MIN, XL_MAX};

/* A value to start from that is not the identity, as bytes of the type. */
static const void *odd_init(xl_type type)
{
    static const uint32_t u = 1000003;
    static const int32_t i = -77;
    static const float f = -5.0f;
    static const uint64_t ul = 0x123456789abcdefu;
    static const int64_t l = -1234567890123;
    static const double d = 3.0;
    static const void *const all[] = {
        [XL_U32] = &u, [XL_I32] = &i, [XL_F32] = &f, [XL_U64] = &ul, [XL_I64] = &l, [XL_F64] = &d};
    return all[type];
}

/* For every k-th combination of type, operator and kind. */
static void check_all(xl_context *ctx, const setup *s, unsigned every)
{
    unsigned turn = 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; ++o)
            for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
                xl_scan *plan;
                xl_scan_desc desc;
                if (turn++ % every != 0 || (types[t] == XL_F64 && !has_fp64()))
                    continue;
                xl_scan_desc_init(&desc);
                desc.type = types[t];
                desc.op = ops[o];
                desc.kind = (xl_scan_kind)kind;
                desc.algorithm = s->algorithm;
                desc.determinism = XL_UNORDERED;
                desc.init = turn / every % 2 ? odd_init(types[t]) : NULL;
                ok(ctx, xl_scan_create(ctx, &desc, &plan), s->name);
                check_sizes(ctx, plan, &desc, s->name, desc.type == XL_U32 || every == 1);
                xl_scan_destroy(plan);
            }
}

static void every_type_operator_and_kind(void **state)
{
    (void)state;
    const setup s = {.name = "as tuned", .algorithm = XL_SCAN_AUTO};
    check_all(xlt_context(), &s, 1);
}

/* ---- every way a device may have to take ---------------------------------- */

static void every_way(void **state)
{
    (void)state;
    static const setup setups[] = {
        {"one work-item per tile", "scan.shape = 0\nscan.tile_bytes = 4096\n", NULL,
         XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"one work-item per tile, past the cache", "scan.shape = 0\nscan.stream_kib = 0\n", NULL,
         XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"work-groups", "scan.shape = 1\n", NULL, XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"work-groups without sub-groups", "scan.shape = 1\n", "width=1", XL_SCAN_REDUCE_THEN_SCAN,
         NULL},
        {"work-groups of 8", "scan.shape = 1\n", "work-group=8", XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"work-groups of 1", "scan.shape = 1\n", "work-group=1", XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"many groups", "scan.shape = 1\nscan.run_groups = 64\nscan.item_bytes = 16\n", NULL,
         XL_SCAN_REDUCE_THEN_SCAN, NULL},
        {"one group per unit", "scan.run_groups = 1\n", NULL, XL_SCAN_REDUCE_THEN_SCAN, NULL},
    };
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; ++i) {
        xl_context *ctx = open_context(setups[i].tune, setups[i].mask);
        check_all(ctx, &setups[i], 5);
        xl_context_destroy(ctx);
    }
}

/* ---- misuse --------------------------------------------------------------- */

static void create_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    const struct {
        xl_scan_desc desc;
        const char *text;
    } cases[] = {
        {{.struct_size = 1}, "struct_size is 1"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U8, .op = XL_SUM}, "type: u8"},
        {{.struct_size = sizeof(xl_scan_desc), .type = (xl_type)99, .op = XL_SUM}, "99"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = XL_PROD}, "op: prod"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .kind = (xl_scan_kind)2},
         "kind: 2"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .algorithm = (xl_scan_algorithm)3},
         "algorithm: 3"},
        {{.struct_size = sizeof(xl_scan_desc),
          .type = XL_U32,
          .op = XL_SUM,
          .determinism = (xl_determinism)2},
         "determinism: 2"},
    };
    xl_scan_desc desc;
    xl_scan *plan = (xl_scan *)&desc;
    xl_scan_desc_init(NULL);
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        plan = (xl_scan *)&desc;
        refused(ctx, xl_scan_create(ctx, &cases[i].desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                cases[i].text);
        assert_null(plan);
    }
    refused(ctx, xl_scan_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    refused(ctx, xl_scan_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    refused(NULL, xl_scan_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    if (!has_fp64()) {
        desc.type = XL_F64;
        refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED, "cl_khr_fp64");
    }
    xl_scan_destroy(NULL);
}

/* A call whose arguments are right, to be spoilt one at a time. */
typedef struct call {
    xl_scan *plan;
    cl_command_queue queue;
    size_t n;
    xl_view in, segments, out, scratch;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static xl_status enqueue(const call *c, cl_event *event)
{
    return xl_scan_enqueue(c->plan, c->queue, c->n, c->in, c->segments, c->out, c->scratch,
                           c->num_waits, c->waits, event);
}

static void expect_refusal(const call *good, const call *bad, xl_status wanted, const char *text)
{
    cl_event event = (cl_event)(uintptr_t)good;
    refused(good->plan && bad->plan ? xlt_context() : NULL, enqueue(bad, &event), wanted, text);
    assert_null(event);
}

static void enqueue_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_scan_desc desc;
    call good = {.queue = xlt_queue()}, bad;
    size_t bytes, alignment;
    cl_event none = NULL;
    xl_scan_desc_init(&desc);
    ok(ctx, xl_scan_create(ctx, &desc, &good.plan), "xl_scan_create");
    good.n = 3 * tile_of(ctx, good.plan) + 1;
    XLT_OK(xl_scan_scratch(good.plan, good.n, &bytes, &alignment));
    xlt_buffer a = xlt_buffer_make(NULL, 2 * good.n, 4, 0);
    xlt_buffer b = xlt_buffer_make(NULL, good.n, 4, 0);
    xlt_buffer s = xlt_scratch_make(bytes + alignment, alignment);
    cl_context other = NULL;
    cl_int code;
    cl_device_id device = xl_context_device(ctx);
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 4 * good.n, NULL, &code);
    XLT_CL(code);
    cl_mem constant = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_ONLY, 4 * good.n, NULL, &code);
    XLT_CL(code);
    cl_mem small = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, bytes - 1, NULL, &code);
    XLT_CL(code);
    good.in = xlt_view(&a);
    good.out = xlt_view(&b);
    good.scratch = xlt_view(&s);
#define REFUSED(field, spoilt, status, text)                                                       \
    do {                                                                                           \
        bad = good;                                                                                \
        bad.field = (spoilt);                                                                      \
        expect_refusal(&good, &bad, (status), (text));                                             \
    } while (0)
    REFUSED(plan, NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    REFUSED(queue, NULL, XL_ERROR_INVALID_ARGUMENT, "queue: NULL");
    REFUSED(in, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "in: no buffer");
    REFUSED(out, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "out: no buffer");
    REFUSED(out, xl_view_of(constant, 0), XL_ERROR_INVALID_ARGUMENT, "out: a read-only buffer");
    REFUSED(in, xl_view_of(foreign, 0), XL_ERROR_INVALID_ARGUMENT, "in: a buffer of another");
    REFUSED(segments, good.in, XL_ERROR_INVALID_ARGUMENT, "segments: given");
    REFUSED(in.offset, 2 * good.n, XL_ERROR_INVALID_ARGUMENT, "in: elements");
    REFUSED(n, SIZE_MAX, XL_ERROR_INVALID_ARGUMENT, "in: elements");
    REFUSED(out, xl_view_of(a.mem, good.in.offset + 1), XL_ERROR_OVERLAP, "in and out overlap");
    REFUSED(scratch.offset, good.scratch.offset + 8, XL_ERROR_MISALIGNED, "scratch: byte offset");
    REFUSED(scratch, xl_view_of(small, 0), XL_ERROR_SCRATCH_TOO_SMALL, "bytes given");
    REFUSED(scratch, xl_view_of(a.mem, 512), XL_ERROR_OVERLAP, "scratch and in overlap");
    REFUSED(scratch, xl_view_of(b.mem, 512), XL_ERROR_OVERLAP, "scratch and out overlap");
    REFUSED(num_waits, 1, XL_ERROR_INVALID_ARGUMENT, "waits: NULL with num_waits 1");
    REFUSED(waits, &none, XL_ERROR_INVALID_ARGUMENT, "waits: a list with num_waits 0");
    bad = good;
    bad.num_waits = 1;
    bad.waits = &none;
    expect_refusal(&good, &bad, XL_ERROR_INVALID_ARGUMENT, "waits[0]");
    refused(ctx, xl_scan_scratch(good.plan, 1, NULL, &alignment), XL_ERROR_INVALID_ARGUMENT,
            "bytes: NULL");
    /* After all of that the right call works, and nothing had been written. */
    xlt_check_guards(&a, "in");
    xlt_check_guards(&b, "out");
    ok(ctx, enqueue(&good, NULL), "the right call");
    XLT_CL(clFinish(xlt_queue()));
    clReleaseMemObject(foreign);
    clReleaseMemObject(constant);
    clReleaseMemObject(small);
    clReleaseContext(other);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xl_scan_destroy(good.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_operator_and_kind),
        cmocka_unit_test(every_way),
        cmocka_unit_test(create_refuses),
        cmocka_unit_test(enqueue_refuses),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
