/* SPDX-License-Identifier: MIT
 * Descriptors and calls that are refused: each has its status and its text, and writes
 * nothing. */
#include "scan_support.h"
#include "xlt_misuse.h"

#include <stdlib.h>
#include <string.h>

static bool has_fp64(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

static void create_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
#define DESC(...)                                                                                  \
    {                                                                                              \
        .struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = XL_SUM, __VA_ARGS__             \
    }
    const uint32_t one = 1;
    const xl_user_type type = {"uint", 4, 4, ""};
    const xl_user_op op = {"max", NULL, NULL, 0};
    const struct {
        xl_scan_desc desc;
        const char *text;
    } cases[] = {
        {{.struct_size = 1}, "struct_size is 1"},
        {{.struct_size = sizeof(xl_scan_desc)}, "type: "},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32}, "op: 0"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_F32, .op = XL_XOR}, "op: xor"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_F64X2, .op = XL_AND},
         has_fp64() ? "op: and" : NULL},
        {{.struct_size = sizeof(xl_scan_desc), .type = (xl_type)99, .op = XL_SUM}, "99"},
        {{.struct_size = sizeof(xl_scan_desc), .type = (xl_type)0x501, .op = XL_SUM}, "type: "},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = XL_ARG_MIN}, "op: arg-min"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = (xl_op)10}, "op: 10"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_USER_TYPE, .op = XL_SUM}, "user_type"},
        {{.struct_size = sizeof(xl_scan_desc), .type = XL_U32, .op = XL_USER_OP}, "user_op"},
        {DESC(.kind = (xl_scan_kind)2), "kind: 2"},
        {DESC(.algorithm = (xl_scan_algorithm)5), "algorithm: 5"},
        {DESC(.determinism = (xl_determinism)3), "determinism: 3"},
        {DESC(.load_type = XL_U8), "load_type"},
        {DESC(.store_type = XL_U8), "store_type"},
        {DESC(.load = "x", .load_type = (xl_type)77), "load_type"},
        {DESC(.load = "x", .load_type = XL_USER_TYPE), "load_type"},
        {DESC(.user_type = &type), "user_type: given"},
        {DESC(.user_op = &op), "user_op: given"},
        {DESC(.load = "x", .user_load_type = &type), "user_load_type: given"},
        {DESC(.store = "x", .store_type = XL_U8, .user_store_type = &type),
         "user_store_type: given"},
        {DESC(.segment_type = XL_U32), "segment_type: given"},
        {DESC(.segments = XL_SEGMENTS_HEAD_FLAGS, .segment_type = XL_U32), "segment_type: given"},
        {DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_type = XL_U32),
         "segment_type: given"},
        {DESC(.segment_width = 4), "segment_width: given"},
        {DESC(.segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_U32, .segment_width = 4),
         "segment_width: given"},
        {DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_mask = 1),
         "segment_mask: given"},
        {DESC(.init = &one, .init_view = {.buffer = (cl_mem)(uintptr_t)&one}), "init: "},
    };
    xl_scan_desc desc;
    xl_scan *plan = (xl_scan *)&desc;
    xl_scan_desc_init(NULL);
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (!cases[i].text)
            continue;
        plan = (xl_scan *)&desc;
        xlt_refused(ctx, xl_scan_create(ctx, &cases[i].desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                    cases[i].text);
        assert_null(plan);
    }
    xlt_refused(ctx, xl_scan_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(ctx, xl_scan_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, xl_scan_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    if (!has_fp64()) {
        desc.type = XL_F64;
        xlt_refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED, "cl_khr_fp64");
    }
    xl_scan_destroy(NULL);
}

/* A descriptor from a later version: more bytes are fine as long as they say nothing. */
static void longer_descriptors(void **state)
{
    (void)state;
    struct {
        xl_scan_desc desc;
        unsigned char more[16];
    } later;
    xl_scan *plan;
    memset(&later, 0, sizeof later);
    xl_scan_desc_init(&later.desc);
    later.desc.struct_size = sizeof later;
    XLT_OK(xl_scan_create(xlt_context(), &later.desc, &plan));
    xl_scan_destroy(plan);
    later.more[9] = 1;
    assert_int_not_equal(xl_scan_create(xlt_context(), &later.desc, &plan), XL_SUCCESS);
    assert_null(plan);
}

/* A call whose arguments are right, to be spoilt one at a time. */
typedef struct call {
    xl_scan *plan;
    cl_command_queue queue;
    xl_scan_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static xl_status enqueue(const call *c, cl_event *event)
{
    return xl_scan_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, event);
}

static void expect_refusal(const call *good, const call *bad, xl_status wanted, const char *text)
{
    cl_event event = (cl_event)(uintptr_t)good;
    xlt_refused(good->plan && bad->plan ? xlt_context() : NULL, enqueue(bad, &event), wanted, text);
    assert_null(event);
}

#define REFUSED(field, spoilt, status, text)                                                       \
    do {                                                                                           \
        bad = good;                                                                                \
        bad.field = (spoilt);                                                                      \
        expect_refusal(&good, &bad, (status), (text));                                             \
    } while (0)

static void refuse_objects(call good, const xlt_buffer *a, const xlt_buffer *b, size_t bytes)
{
    call bad;
    cl_int code;
    cl_event none = NULL;
    xlt_strangers strange = xlt_strangers_make(4 * good.args.n);
    cl_mem small =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, bytes - 1, NULL, &code);
    XLT_CL(code);
    REFUSED(plan, NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    REFUSED(queue, NULL, XL_ERROR_INVALID_ARGUMENT, "queue: NULL");
    REFUSED(queue, strange.queue, XL_ERROR_INVALID_ARGUMENT, "queue");
    REFUSED(args.in, xl_view_of(strange.write_only, 0), XL_ERROR_INVALID_ARGUMENT,
            "in: a write-only buffer");
    REFUSED(args.in, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "in: no buffer");
    REFUSED(args.out, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "out: no buffer");
    REFUSED(args.out, xl_view_of(strange.read_only, 0), XL_ERROR_INVALID_ARGUMENT,
            "out: a read-only buffer");
    REFUSED(args.in, xl_view_of(strange.buffer, 0), XL_ERROR_INVALID_ARGUMENT,
            "in: a buffer of another");
    REFUSED(args.segments, good.args.in, XL_ERROR_INVALID_ARGUMENT, "segments: given");
    REFUSED(args.in.offset, 2 * good.args.n, XL_ERROR_INVALID_ARGUMENT, "in a buffer that holds");
    REFUSED(args.in.offset, SIZE_MAX, XL_ERROR_INVALID_ARGUMENT, "in a buffer that holds");
    REFUSED(args.n, SIZE_MAX, XL_ERROR_INVALID_ARGUMENT, "in a buffer that holds");
    REFUSED(args.in.count, good.args.n - 1, XL_ERROR_INVALID_ARGUMENT, "in: ");
    REFUSED(args.out.count, 1, XL_ERROR_INVALID_ARGUMENT, "out: ");
    REFUSED(args.out, xl_view_of(a->mem, good.args.in.offset + 1), XL_ERROR_OVERLAP,
            "in and out overlap");
    REFUSED(args.scratch.offset, good.args.scratch.offset + 8, XL_ERROR_MISALIGNED,
            "scratch: byte offset");
    REFUSED(args.scratch, xl_view_of(small, 0), XL_ERROR_SCRATCH_TOO_SMALL, "bytes given");
    REFUSED(args.scratch, xl_view_of(a->mem, 512), XL_ERROR_OVERLAP, "scratch and in overlap");
    REFUSED(args.scratch, xl_view_of(b->mem, 512), XL_ERROR_OVERLAP, "scratch and out overlap");
    REFUSED(num_waits, 1, XL_ERROR_INVALID_ARGUMENT, "waits: NULL with num_waits 1");
    REFUSED(waits, &none, XL_ERROR_INVALID_ARGUMENT, "waits: a list with num_waits 0");
    bad = good;
    bad.num_waits = 1;
    bad.waits = &none;
    expect_refusal(&good, &bad, XL_ERROR_INVALID_ARGUMENT, "waits[0]");
    clReleaseMemObject(small);
    xlt_strangers_free(&strange);
}

/* The number of elements on the device is one more view to be wrong. */
static void refuse_counts(call good, const xlt_buffer *b)
{
    call bad;
    const uint64_t number = 0;
    xlt_buffer count = xlt_buffer_make(&number, 1, 8, 0);
    good.args.n_device = xlt_view(&count);
    REFUSED(args.n_device.offset, 100000, XL_ERROR_INVALID_ARGUMENT, "n_device: ");
    REFUSED(args.n_device, xl_view_of(b->mem, 64), XL_ERROR_OVERLAP, "n_device");
    REFUSED(args.in, xl_no_view(), XL_ERROR_INVALID_ARGUMENT, "in: no buffer");
    REFUSED(plan, NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    ok(xlt_context(), enqueue(&good, NULL), "a call of no elements");
    xlt_check_guards(&count, "count");
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&count);
}

static void enqueue_refuses(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_scan_desc desc;
    call good = {.queue = xlt_queue()};
    size_t bytes, alignment;
    xl_scan_desc_init(&desc);
    ok(ctx, xl_scan_create(ctx, &desc, &good.plan), "xl_scan_create");
    good.args.n = 3 * tile_of(ctx, good.plan) + 1;
    XLT_OK(xl_scan_scratch(good.plan, good.args.n, &bytes, &alignment));
    xlt_buffer a = xlt_buffer_make(NULL, 2 * good.args.n, 4, 0);
    xlt_buffer b = xlt_buffer_make(NULL, good.args.n, 4, 0);
    xlt_buffer s = xlt_scratch_make(bytes + alignment, alignment);
    unsigned char *got = bytes_for(good.args.n, 4);
    good.args.in = xlt_view(&a);
    good.args.out = xlt_view(&b);
    good.args.scratch = xlt_view(&s);
    refuse_objects(good, &a, &b, bytes);
    refuse_counts(good, &b);
    xlt_refused(ctx, xl_scan_scratch(good.plan, 1, NULL, &alignment), XL_ERROR_INVALID_ARGUMENT,
                "bytes: NULL");
    xlt_refused(ctx, xl_scan_scratch(good.plan, 1, &bytes, NULL), XL_ERROR_INVALID_ARGUMENT,
                "alignment: NULL");
    xlt_refused(NULL, xl_scan_scratch(NULL, 1, &bytes, &alignment), XL_ERROR_INVALID_ARGUMENT,
                "plan: NULL");
    /* Nothing was written, and the right call works. */
    xlt_read(&b, got);
    for (size_t i = 0; i < 4 * good.args.n; ++i)
        assert_int_equal(got[i], 0xa5);
    ok(ctx, enqueue(&good, NULL), "the right call");
    XLT_CL(clFinish(xlt_queue()));
    xlt_check_guards(&a, "in");
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    free(got);
    xl_scan_destroy(good.plan);
}

/* Elements of different size may not share a buffer's bytes, though they start together. */
static void in_place_needs_one_size(void **state)
{
    (void)state;
    enum { N = 64 };
    xl_scan *plan;
    xl_scan_desc desc;
    xlt_buffer a = xlt_buffer_make(NULL, 2 * N, 4, 0);
    xl_scan_desc_init(&desc);
    desc.load = "x";
    desc.load_type = XL_U64;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    xlt_refused(
        xlt_context(),
        xl_scan_enqueue(
            plan, xlt_queue(),
            &(xl_scan_args){.n = N, .in = xl_view_of(a.mem, 64), .out = xl_view_of(a.mem, 128)}, 0,
            NULL, NULL),
        XL_ERROR_OVERLAP, "in and out overlap");
    xl_scan_destroy(plan);
    xlt_buffer_free(&a);
}

/* Groups read init_view when they start, while others write results already. */
static void init_view_stands_apart(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const xl_scan_algorithm algorithms[] = {XL_SCAN_AUTO, XL_SCAN_BLELLOCH};
    xl_context *ctx = open_context(small_tiles, NULL);
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_scratch_make((size_t)1 << 18, 256);
    const xl_view none = xl_no_view(), in = xlt_view(&a);
    const xl_view inits[] = {xl_view_of(a.mem, in.offset + 7),
                             xl_view_of(s.mem, xlt_view(&s).offset / 4)};
    uint32_t got[N];
    for (size_t c = 0; c < 4; ++c) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.algorithm = algorithms[c / 2];
        desc.segments = c / 2 ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
        desc.segment_width = c / 2 ? 100 : 0;
        desc.init_view = inits[c % 2];
        XLT_OK(xl_scan_create(ctx, &desc, &plan));
#define INTO(to, space)                                                                            \
    xl_scan_enqueue(plan, xlt_queue(),                                                             \
                    &(xl_scan_args){.n = N, .in = in, .out = (to), .scratch = (space)}, 0, NULL,   \
                    NULL)
        if (c % 2 == 0)
            xlt_refused(ctx, INTO(in, none), XL_ERROR_OVERLAP, "init_view and out overlap");
        else
            xlt_refused(ctx, INTO(in, xlt_view(&s)), XL_ERROR_OVERLAP,
                        "scratch and init_view overlap");
        xlt_read(&a, got);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(got[i], 0xa5a5a5a5);
        /* It may be an element that is scanned. */
        ok(ctx, INTO(xlt_view(&b), none), "init_view apart from out");
        xlt_read(&b, got);
        assert_int_equal(got[0], 0xa5a5a5a5);
        assert_int_equal(got[1], 2 * 0xa5a5a5a5u);
        xl_scan_destroy(plan);
    }
    xlt_check_guards(&a, "in");
    xlt_check_guards(&b, "out");
    xlt_check_guards(&s, "scratch");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xl_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_refuses),         cmocka_unit_test(longer_descriptors),
        cmocka_unit_test(enqueue_refuses),        cmocka_unit_test(in_place_needs_one_size),
        cmocka_unit_test(init_view_stands_apart),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}
