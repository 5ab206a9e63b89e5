/* SPDX-License-Identifier: MIT
 * Descriptors and calls that are refused: each has its status and its text, and writes
 * nothing. */
#include "scan_support.h"

#define XLT_PRIMITIVE xl_scan
#include "xlt_misuse_calls.h"

#include <string.h>

static bool has_fp64(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64;
}

static void wrong_descriptors(void **state)
{
    (void)state;
#define DESC(...)                                                                                  \
    {                                                                                              \
        .type = XL_U32, .op = XL_SUM, __VA_ARGS__                                                  \
    }
    const uint32_t one = 1;
    const xl_user_type type = {"uint", 4, 4, ""};
    const xl_user_op op = {"max", NULL, NULL, 0};
    const wrong_desc cases[] = {
        {"type: ", {.type = XL_NONE}},
        {"desc.op: 0", {.type = XL_U32}},
        {"desc.op: xor", {.type = XL_F32, .op = XL_XOR}},
        {"99", {.type = (xl_type)99, .op = XL_SUM}},
        {"type: ", {.type = (xl_type)0x501, .op = XL_SUM}},
        {"desc.op: arg-min", {.type = XL_U32, .op = XL_ARG_MIN}},
        {"desc.op: 10", {.type = XL_U32, .op = (xl_op)10}},
        {"user_type", {.type = XL_USER_TYPE, .op = XL_SUM}},
        {"desc.user_op", {.type = XL_U32, .op = XL_USER_OP}},
        {"desc.kind: 2", DESC(.kind = (xl_scan_kind)2)},
        {"desc.algorithm: 5", DESC(.algorithm = (xl_scan_algorithm)5)},
        {"desc.determinism: 3", DESC(.determinism = (xl_determinism)3)},
        {"load_type", DESC(.load = "x", .load_type = (xl_type)77)},
        {"load_type", DESC(.load = "x", .load_type = XL_USER_TYPE)},
        {"desc.user_type: given", DESC(.user_type = &type)},
        {"desc.user_op: given", DESC(.user_op = &op)},
        {"desc.user_load_type: given", DESC(.load = "x", .user_load_type = &type)},
        {"desc.user_store_type: given",
         DESC(.store = "x", .store_type = XL_U8, .user_store_type = &type)},
        {"desc.segment_type: given", DESC(.segment_type = XL_U32)},
        {"desc.segment_type: given",
         DESC(.segments = XL_SEGMENTS_HEAD_FLAGS, .segment_type = XL_U32)},
        {"desc.segment_type: given",
         DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_type = XL_U32)},
        {"desc.segment_width: given", DESC(.segment_width = 4)},
        {"desc.segment_width: given",
         DESC(.segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_U32, .segment_width = 4)},
        {"desc.segment_mask: given",
         DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_mask = 1)},
        {"desc.init: ", DESC(.init = &one, .init_view = {.buffer = (cl_mem)(uintptr_t)&one})},
        {"desc.op: and", {.type = XL_F64X2, .op = XL_AND}}, /* the last: not without doubles */
    };
    xl_plan *plan;
    xl_scan_desc desc;
    refuses_descriptors(COUNT(cases) - !has_fp64(), cases);
    xl_scan_desc_init(NULL);
    xl_scan_desc_init(&desc);
    if (!has_fp64()) {
        desc.type = XL_F64;
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan),
                    XL_ERROR_UNSUPPORTED, "cl_khr_fp64");
    }
    xl_plan_destroy(NULL);
}

static void wrong_views(const xlt_buffer *a, const xlt_buffer *b, size_t bytes)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    cl_int code;
    cl_mem small =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, bytes - 1, NULL, &code);
    XLT_CL(code);
    EXPECT(bad, "args.in: no buffer", x->in = xl_no_view())
    EXPECT(bad, "args.out: no buffer", x->out = xl_no_view())
    EXPECT(bad, "args.segments: given", x->segments = x->in)
    EXPECT(bad, "the buffer holds", x->in.offset = 2 * x->n)
    EXPECT(bad, "the buffer holds", x->in.offset = SIZE_MAX)
    EXPECT(bad, "the buffer holds", x->n = SIZE_MAX)
    EXPECT(bad, "args.in: ", x->in.count = x->n - 1)
    EXPECT(bad, "args.out: ", x->out.count = 1)
    EXPECT(overlap, "args.in and args.out overlap", x->out = xl_view_of(a->mem, x->in.offset + 1))
    EXPECT(XL_ERROR_MISALIGNED, "scratch: byte offset", x->scratch.offset += 8)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "bytes given", x->scratch = xl_view_of(small, 0))
    EXPECT(overlap, "scratch and args.in overlap", x->scratch = xl_view_of(a->mem, 512))
    EXPECT(overlap, "scratch and args.out overlap", x->scratch = xl_view_of(b->mem, 512))
    clReleaseMemObject(small);
}

static void wrong_objects(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4 * good->args.n);
    refuses_objects(&s);
    EXPECT(bad, "args.in: created with CL_MEM_WRITE_ONLY", x->in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "args.out: created with CL_MEM_READ_ONLY", x->out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "args.in: a buffer of another", x->in = xl_view_of(s.buffer, 0))
    xlt_strangers_free(&s);
}

/* The number of elements on the device is one more view to be wrong. */
static void wrong_counts(const xlt_buffer *b)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    const call *const before = good;
    const uint64_t number = 0;
    xlt_buffer count = xlt_buffer_make(&number, 1, 8, 0);
    call counted = *good;
    counted.args.n_device = xlt_view(&count);
    good = &counted;
    EXPECT(bad, "args.n_device: ", x->n_device.offset = 100000)
    EXPECT(XL_ERROR_OVERLAP, "n_device", x->n_device = xl_view_of(b->mem, 64))
    EXPECT(bad, "args.in: no buffer", x->in = xl_no_view())
    EXPECT(bad, "plan: NULL", c.plan = NULL)
    expect_success(good); /* of no elements */
    xlt_check_guards(&count, "count");
    xlt_buffer_free(&count);
    good = before;
}

static void wrong_calls(void **state)
{
    (void)state;
    xl_plan *plan;
    xl_scan_desc desc;
    size_t bytes;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    const size_t n = 3 * tile_of(xlt_context(), plan) + 1;
    XLT_OK(xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes));
    xlt_buffer a = xlt_buffer_make(NULL, 2 * n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 0);
    xlt_buffer s = xlt_scratch_make(bytes + XL_SCRATCH_ALIGNMENT);
    const call right = {
        .plan = plan,
        .queue = xlt_queue(),
        .args = {.n = n, .in = xlt_view(&a), .out = xlt_view(&b), .scratch = xlt_view(&s)}};
    good = &right;
    wrong_views(&a, &b, bytes);
    wrong_objects();
    wrong_counts(&b);
    REFUSES_SCRATCH_QUESTIONS(.n = 1)
    /* Nothing was written, and the right call works. */
    xlt_check_unwritten(&b, "out");
    expect_success(&right);
    xlt_check_guards(&a, "in");
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xl_plan_destroy(plan);
}

/* Elements of different size may not share a buffer's bytes, though they start together. */
static void in_place_needs_one_size(void **state)
{
    (void)state;
    enum { N = 64 };
    xl_plan *plan;
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
        XL_ERROR_OVERLAP, "args.in and args.out overlap");
    xl_plan_destroy(plan);
    xlt_buffer_free(&a);
}

/* Groups read init_view when they start, while others write results already. */
static void init_view_stands_apart(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const xl_scan_algorithm algorithms[] = {XL_SCAN_AUTO, XL_SCAN_BLELLOCH};
    /* Several of them on every device, so that a scan takes scratch memory. */
    static const char small[] = "scan.pipelined = 0\nscan.tile_bytes = 1024\n"
                                "scan.item_bytes = 16\nscan.group_size = 64\n";
    xl_context *ctx = open_context(small, NULL);
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_scratch_make((size_t)1 << 18);
    const xl_view none = xl_no_view(), in = xlt_view(&a);
    const xl_view inits[] = {xl_view_of(a.mem, in.offset + 7),
                             xl_view_of(s.mem, xlt_view(&s).offset / 4)};
    uint32_t got[N];
    for (size_t c = 0; c < 4; ++c) {
        xl_plan *plan;
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
            xlt_refused(ctx, INTO(in, none), XL_ERROR_OVERLAP,
                        "args.out and desc.init_view overlap");
        else
            xlt_refused(ctx, INTO(in, xlt_view(&s)), XL_ERROR_OVERLAP,
                        "scratch and desc.init_view overlap");
        xlt_read(&a, got);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(got[i], 0xa5a5a5a5);
        /* It may be an element that is scanned. */
        ok(ctx, INTO(xlt_view(&b), none), "init_view apart from out");
        xlt_read(&b, got);
        assert_int_equal(got[0], 0xa5a5a5a5);
        assert_int_equal(got[1], 2 * 0xa5a5a5a5u);
        xl_plan_destroy(plan);
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
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(in_place_needs_one_size),
        cmocka_unit_test(init_view_stands_apart),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
