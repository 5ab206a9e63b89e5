/* SPDX-License-Identifier: MIT
 * Selections that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_topk
#include "xlt_misuse_calls.h"

static xl_topk_desc desc_of(xl_type value)
{
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.value = value;
    return desc;
}

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_tunable bad[] = {{"topk.items", 99}}, other[] = {{"sort.shape", 1}};
    const wrong_desc cases[] = {
        {"desc.key: u32x2", {.key = XL_U32X2}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = 99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"topk.items = 99", {.key = XL_U32, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"",
         {.key = XL_U32, .tunables = other, .num_tunables = 1}},
        {"desc.segments: 3", {.key = XL_F32, .segments = XL_SEGMENTS_KEYS, .segment_type = XL_U32}},
        {"desc.segment_type: i32",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_I32}},
        {"desc.segment_type: none (0); must be u32 or u64",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.segment_type: u32", {.key = XL_F32, .segment_type = XL_U32}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

/* All arrays but the count stand in one buffer, so that they can be made to overlap. */
static void wrong_views(cl_mem all)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "keys_in: no buffer", x->keys_in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", x->values_in = xl_no_view())
    EXPECT(bad,
           "args.keys_out, args.values_out, args.indices_out, args.count_out: none given; at least "
           "one",
           x->keys_out = x->values_out = x->indices_out = x->count_out = xl_no_view())
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    EXPECT(bad, "keys_out", x->keys_out.offset = (size_t)1 << 40)
    EXPECT(bad, "values_out", x->values_out.offset = (size_t)1 << 40)
    EXPECT(bad, "indices_out", x->indices_out.offset = (size_t)1 << 40)
    EXPECT(bad, "count_out", x->count_out.offset = (size_t)1 << 40)
    EXPECT(overlap, "args.keys_in and args.keys_out", x->keys_out = x->keys_in)
    EXPECT(overlap, "args.keys_in and args.values_out", x->values_out = x->keys_in)
    EXPECT(overlap, "args.keys_in and args.indices_out", x->indices_out = x->keys_in)
    EXPECT(overlap, "args.values_in and args.keys_out", x->keys_out = x->values_in)
    EXPECT(overlap, "args.values_in and args.values_out", x->values_out = x->values_in)
    EXPECT(overlap, "args.keys_out and args.values_out", x->values_out = x->keys_out)
    EXPECT(overlap, "args.values_out and args.indices_out", x->indices_out = x->values_out)
    EXPECT(overlap, "args.indices_out and args.count_out",
           x->count_out = xl_view_of(all, x->indices_out.offset / 2))
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += XL_SCRATCH_ALIGNMENT / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += XL_SCRATCH_ALIGNMENT)
    EXPECT(overlap, "scratch", x->scratch = xl_view_of(all, 0))
}

static void wrong_objects(size_t n)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4 * n);
    refuses_objects(&s);
    EXPECT(bad, "keys_in: a buffer of another", x->keys_in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "keys_in: a write-only buffer", x->keys_in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "values_in: a write-only buffer", x->values_in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "indices_out: a read-only buffer", x->indices_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "count_out: a read-only buffer", x->count_out = xl_view_of(s.read_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_lengths(void)
{
#if SIZE_MAX > UINT32_MAX
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes;
    EXPECT(bad, "args.n: 4294967296; must be at most 4294967295", x->n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(
        xl_topk_scratch(good->plan, &(xl_topk_args){.n = (size_t)UINT32_MAX + 1, .k = 1}, &bytes),
        bad);
#endif
    REFUSES_SCRATCH_QUESTIONS(.n = 1, .k = 1)
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 20000, K = 64 }; /* the arrays are more than the scratch */
    const xl_topk_desc pairs = desc_of(XL_U32);
    const xl_topk_desc plain = desc_of(XL_NONE);
    xl_plan *plan, *keys_only;
    size_t bytes;
    XLT_OK(xl_topk_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_topk_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_topk_scratch(plan, &(xl_topk_args){.n = N, .k = K}, &bytes));
    xlt_buffer all = xlt_buffer_make(NULL, 2 * N + 3 * K, 4, 0),
               count = xlt_buffer_make(NULL, 1, 8, 0), scratch = xlt_scratch_make(bytes);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .k = K,
                                 .keys_in = xl_view_of(all.mem, at),
                                 .values_in = xl_view_of(all.mem, at + N),
                                 .keys_out = xl_view_of(all.mem, at + 2 * N),
                                 .values_out = xl_view_of(all.mem, at + 2 * N + K),
                                 .indices_out = xl_view_of(all.mem, at + 2 * N + 2 * K),
                                 .count_out = xlt_view(&count),
                                 .scratch = xlt_scratch_at_end(&scratch)}};
    good = &right;
    wrong_views(all.mem);
    wrong_objects(N);
    wrong_lengths();
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "args.values_in: given; must not be given, because desc.value is XL_NONE",
           c.plan = keys_only)
    EXPECT(bad, "args.values_out: given", c.plan = keys_only; x->values_in = xl_no_view())
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    xlt_check_unwritten(&count, "count");
    xlt_check_unwritten(&scratch, "scratch");
    expect_success(&right);
    xlt_buffer_free(&all);
    xlt_buffer_free(&count);
    xlt_buffer_free(&scratch);
    xl_plan_destroy(plan);
    xl_plan_destroy(keys_only);
}

static void wrong_segments(void **state)
{
    (void)state;
    enum { N = 40, COUNT_CSR = 5, K = 3 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    uint32_t zeros[N] = {0};
    xl_topk_desc desc = desc_of(XL_NONE);
    xl_plan *plan, *whole;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &whole));
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    xlt_buffer keys = xlt_buffer_make(zeros, N, 4, 0),
               csr = xlt_buffer_make(zeros, COUNT_CSR, 4, 0),
               out = xlt_buffer_make(NULL, COUNT_CSR * K, 4, 0),
               count = xlt_buffer_make(NULL, 1, 8, 0);
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .k = K,
                                 .keys_in = xlt_view(&keys),
                                 .indices_out = xlt_view(&out),
                                 .segments = xl_view_n(csr.mem, xlt_view(&csr).offset, COUNT_CSR)}};
    good = &right;
    expect_success(&right);
    EXPECT(bad,
           "args.segments: given; must not be given, because desc.segments is XL_SEGMENTS_NONE",
           c.plan = whole)
    EXPECT(bad, "args.segments: 0 CSR offsets", x->segments = xl_no_view())
    EXPECT(bad, "args.keys_out, args.values_out, args.indices_out, args.counts_out: none given",
           x->indices_out = xl_no_view())
    EXPECT(bad, "args.counts_out: given", c.plan = whole; x->segments = xl_no_view();
           x->counts_out = xlt_view(&csr))
    EXPECT(bad,
           "args.count_out: given; must not be given, because desc.segments is XL_SEGMENTS_OFFSETS",
           x->count_out = xlt_view(&count))
    EXPECT(XL_ERROR_OVERLAP, "counts_out", x->counts_out = x->segments)
    EXPECT(bad, "indices_out: 15 elements asked for of a view that counts 14",
           x->indices_out.count = COUNT_CSR * K - 1)
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    xlt_buffer_free(&keys);
    xlt_buffer_free(&csr);
    xlt_buffer_free(&out);
    xlt_buffer_free(&count);
    xl_plan_destroy(plan);
    xl_plan_destroy(whole);
}

/* No keys, or none wanted: an event, and a count of 0. */
static void nothing_yields_an_event(void **state)
{
    (void)state;
    const xl_topk_desc desc = desc_of(XL_NONE);
    xlt_buffer count = xlt_buffer_make(NULL, 1, 8, 1), keys = xlt_buffer_make(NULL, 5, 4, 0);
    xl_plan *plan;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    for (size_t n = 0; n < 2; ++n) {
        uint64_t counted = 9;
        cl_event event = NULL;
        xl_topk_args args = {.n = 5 * n, .k = 7 * (1 - n)};
        if (n > 0)
            args.keys_in = xlt_view(&keys);
        XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, &event));
        XLT_CL(clWaitForEvents(1, &event));
        XLT_CL(clReleaseEvent(event));
        args.count_out = xlt_view(&count);
        XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&count, &counted);
        assert_true(counted == 0);
    }
    xl_plan_destroy(plan);
    xl_plan_destroy(NULL);
    xl_topk_desc_init(NULL);
    xlt_buffer_free(&count);
    xlt_buffer_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(wrong_segments),
        cmocka_unit_test(nothing_yields_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
