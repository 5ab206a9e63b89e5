/* SPDX-License-Identifier: MIT
 * Sorts that are refused, each with its status and its text. misuse_tables.c has more of them. */
#define XLT_PRIMITIVE xl_sort
#include "xlt_misuse_calls.h"

static const xl_user_comparator above = {"above", "bool above(float a, float b) { return a > b; }"},
                                no_name = {NULL, NULL}, two_names = {"a b", NULL};
static const xl_user_type three_bytes = {"bytes", 3, 1, "typedef struct { uchar a, b, c; } bytes;"};

XLT_TEST(wrong_descriptors)
{
    const wrong_desc cases[] = {
        {"desc.value", {.key = XL_U32, .value = XL_BYTES(0)}},
        {"desc.value", {.key = XL_U32, .value = XL_BYTES(65536)}},
        {"desc.more_values[0]: given", {.key = XL_U32, .more_values = {XL_U32}}},
        {"desc.more_values[1]", {.key = XL_U32, .value = XL_U8, .more_values = {XL_U8, 99}}},
        {"desc.more_values[2]: given",
         {.key = XL_U32, .value = XL_U8, .more_values = {XL_U8, XL_NONE, XL_U8}}},
        {"desc.more_values[0]: XL_SORT_INDICES; only desc.value",
         {.key = XL_U32, .value = XL_U8, .more_values = {XL_SORT_INDICES}}},
        {"desc.begin_bit, desc.end_bit: 4 to 4; begin_bit must be less",
         {.key = XL_U32, .begin_bit = 4, .end_bit = 4}},
        {"at most 16", {.key = XL_F16, .begin_bit = 4, .end_bit = 17}},
        {"at most 8", {.key = XL_U8, .begin_bit = 8}},
        {"must be all bits of the key if desc.algorithm is XL_SORT_BITONIC",
         {.key = XL_U8, .begin_bit = 1, .algorithm = XL_SORT_BITONIC}},
        {"desc.values_only: 1; must be 0 if desc.value is XL_NONE",
         {.key = XL_U8, .values_only = 1}},
        {"desc.values_only: 3", {.key = XL_F32, .values_only = 3, .equal_zeros = 1}},
        {"desc.segments: 3", {.key = XL_F32, .segments = XL_SEGMENTS_KEYS, .segment_type = XL_U32}},
        {"desc.segments: 77", {.key = XL_F32, .segments = 77}},
        {"desc.segment_type: i32",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_I32}},
        {"desc.segment_type: none (0); must be u32 or u64",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.segment_type: u32", {.key = XL_F32, .segment_type = XL_U32}},
        {"desc.segment_type: none",
         {.key = XL_F32, .comparator = &above, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.comparator->name: NULL; must be given", {.key = XL_F32, .comparator = &no_name}},
        {"desc.comparator: \"a b\" is no identifier", {.key = XL_F32, .comparator = &two_names}},
        {"key: none", {.key = XL_NONE, .comparator = &above}},
        {"key: XL_USER_TYPE; requires desc.user_key", {.key = XL_USER_TYPE, .comparator = &above}},
        {"desc.key:", {.key = XL_USER_TYPE, .user_key = &three_bytes}},
    };
    refuses_descriptors(COUNT(cases), cases);
    xl_sort_desc_init(NULL);
}

/* Descriptors that are refused with other statuses. */
XLT_TEST(contradictions)
{
    static const xl_user_comparator unknown = {"unknown",
                                               "bool unknown(float a, float b) { return c > b; }"},
                                    first = {"first",
                                             "bool first(bytes a, bytes b) { return a.a < b.a; }"};
    static const xl_user_type four = {"bytes", 4, 1, "typedef struct { uchar a, b, c; } bytes;"},
                              large = {"bytes", 2000, 1,
                                       "typedef struct { uchar a[2000]; } bytes;"};
    const xl_status no = XL_ERROR_INVALID_ARGUMENT, build = XL_ERROR_BUILD;
    const struct {
        const char *said;
        xl_status status;
        xl_sort_desc desc;
    } cases[] = {
        {"desc.begin_bit, desc.end_bit: given; must be 0 if desc.segments",
         no,
         {.end_bit = 5, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.begin_bit, desc.end_bit: given; must be 0 if desc.comparator",
         no,
         {.end_bit = 5, .comparator = &above}},
        {"desc.algorithm: XL_SORT_RADIX",
         no,
         {.algorithm = XL_SORT_RADIX, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.algorithm: not XL_SORT_AUTO; must be",
         no,
         {.algorithm = XL_SORT_RADIX, .comparator = &above}},
        {"desc.algorithm: not XL_SORT_AUTO; must be",
         no,
         {.algorithm = XL_SORT_BITONIC, .comparator = &above}},
        {"desc.equal_zeros: 1; must be 0 if desc.begin_bit and",
         no,
         {.equal_zeros = 1, .end_bit = 20}},
        {"desc.equal_zeros: 1; must be 0 if desc.comparator",
         no,
         {.equal_zeros = 1, .comparator = &above}},
        {"desc.key: 2000 bytes; must be at most 512",
         no,
         {.key = XL_USER_TYPE, .user_key = &large, .comparator = &first}},
        {"comparator unknown", build, {.comparator = &unknown}},
        {"type \"bytes\": the device says 3 bytes",
         build,
         {.key = XL_USER_TYPE, .user_key = &four, .comparator = &first}},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_plan *plan;
        xl_sort_desc desc = cases[i].desc;
        desc.version = XL_VERSION_NUMBER;
        if (desc.key == XL_NONE)
            desc.key = XL_F32;
        desc.segment_type = desc.segments ? XL_U32 : XL_NONE;
        xlt_refused(xlt_context(), xl_sort_create(xlt_context(), &desc, &plan), cases[i].status,
                    cases[i].said);
        assert_null(plan);
    }
}

/* Several arrays, and values alone: parts of one buffer of n elements of 8 bytes each. */
XLT_TEST(wrong_arrays)
{
    enum { N = 100, PARTS = 8 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    cl_int code;
    xl_plan *plan, *alone;
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = desc.value = XL_U64;
    desc.more_values[0] = XL_F64;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    desc.values_only = 1;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &alone));
    cl_mem all =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, 8 * N * PARTS, NULL, &code);
    XLT_CL(code);
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .keys_in = xl_view_of(all, 0),
                                 .keys_out = xl_view_of(all, N),
                                 .values_in = xl_view_of(all, 2 * N),
                                 .values_out = xl_view_of(all, 3 * N),
                                 .more_values_in = {xl_view_of(all, 4 * N)},
                                 .more_values_out = {xl_view_of(all, 5 * N)},
                                 .n_device = xl_view_of(all, 6 * N)}};
    good = &right;
    EXPECT(bad, "more_values_in[0]: no buffer", x->more_values_in[0] = xl_no_view())
    EXPECT(bad, "more_values_out[0]: no buffer", x->more_values_out[0] = xl_no_view())
    EXPECT(
        bad,
        "args.more_values_in[1]: given; must not be given, because desc.more_values[1] is XL_NONE",
        x->more_values_in[1] = xl_view_of(all, 7 * N))
    EXPECT(bad, "args.more_values_out[2]: given", x->more_values_out[2] = xl_view_of(all, 7 * N))
    EXPECT(bad, "values_in", x->values_in.offset = 7 * N + 1)
    EXPECT(bad, "n_device", x->n_device.offset = 8 * N)
    EXPECT(overlap, "args.values_out and args.more_values_out[0]",
           x->more_values_out[0].offset = 3 * N)
    EXPECT(overlap, "args.more_values_in[0] and args.more_values_out[0]",
           x->more_values_out[0].offset = 4 * N + 1)
    EXPECT(overlap, "args.more_values_in[0] and args.values_out", x->values_out.offset = 4 * N)
    EXPECT(overlap, "args.keys_in and args.more_values_out[0]", x->more_values_out[0].offset = 0)
    EXPECT(overlap, "args.keys_out and args.values_out", x->values_out.offset = N)
    EXPECT(overlap, "args.n_device and args.keys_out", x->n_device.offset = 2 * N - 1)
    EXPECT(overlap, "args.n_device and args.more_values_out[0]", x->n_device.offset = 5 * N)
    EXPECT(bad, "args.keys_out: given; must not be given, because desc.values_only is 1",
           c.plan = alone)
    EXPECT(overlap, "args.keys_in and args.values_out", c.plan = alone; x->keys_out = xl_no_view();
           x->values_out.offset = N - 1)
    EXPECT(bad, "values_out: no buffer", c.plan = alone; x->keys_out = x->values_out = xl_no_view())
    clReleaseMemObject(all);
    xl_plan_destroy(plan);
    xl_plan_destroy(alone);
}

XLT_TEST(wrong_segments)
{
    enum { N = 40, COUNT_CSR = 5 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    uint32_t zeros[N + COUNT_CSR] = {0};
    size_t bytes_needed;
    xl_plan *plan, *whole;
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    XLT_OK(xl_sort_create(xlt_context(), &desc, &whole));
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_sort_scratch(plan, &(xl_sort_args){.n = N}, &bytes_needed));
    xlt_buffer keys = xlt_buffer_make(zeros, N + COUNT_CSR, 4, 0),
               csr = xlt_buffer_make(zeros, COUNT_CSR, 4, 0),
               scratch = xlt_scratch_make(bytes_needed);
    const xl_view in = xl_view_of(keys.mem, xlt_view(&keys).offset);
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .keys_in = in,
                                 .keys_out = in,
                                 .segments = xl_view_n(csr.mem, xlt_view(&csr).offset, COUNT_CSR),
                                 .scratch = xlt_view(&scratch)}};
    good = &right;
    expect_success(&right);
    EXPECT(bad, "args.segments: given; must not be given", c.plan = whole)
    EXPECT(bad, "segments: 0 CSR offsets", x->segments.count = 0)
    EXPECT(bad, "segments: 0 CSR offsets", x->segments = xl_no_view())
    EXPECT(bad, "segments: 1000000 elements of", x->segments.count = 1000000)
    EXPECT(bad, "keys_out: 40 elements are needed; view.count is 39", x->keys_out.count = N - 1)
    EXPECT(XL_ERROR_OVERLAP, "segments",
           x->segments = xl_view_n(keys.mem, in.offset + N - 1, COUNT_CSR))
    EXPECT(XL_ERROR_OVERLAP, "segments",
           x->segments = xl_view_n(scratch.mem, x->scratch.offset / sizeof(uint32_t) + 1, 1))
    xlt_buffer_free(&keys);
    xlt_buffer_free(&csr);
    xlt_buffer_free(&scratch);
    xl_plan_destroy(plan);
    xl_plan_destroy(whole);
}

XLT_MAIN(NULL, xlt_teardown)
