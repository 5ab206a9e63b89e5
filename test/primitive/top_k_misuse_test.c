/* SPDX-License-Identifier: MIT
 * Selections that are refused, each with its status and its text. misuse_tables.c has more of them.
 */
#define XLT_PRIMITIVE xl_top_k
#include "xlt_misuse_calls.h"

XLT_TEST(wrong_descriptors)
{
    const wrong_desc cases[] = {
        {"desc.segments: 3", {.key = XL_F32, .segments = XL_SEGMENTS_KEYS, .segment_type = XL_U32}},
        {"desc.segment_type: i32",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_I32}},
        {"desc.segment_type: none (0); must be u32 or u64",
         {.key = XL_F32, .segments = XL_SEGMENTS_OFFSETS}},
        {"desc.segment_type: u32", {.key = XL_F32, .segment_type = XL_U32}},
    };
    refuses_descriptors(COUNT(cases), cases);
    xl_top_k_desc_init(NULL);
}

XLT_TEST(wrong_segments)
{
    enum { N = 40, COUNT_CSR = 5, K = 3 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    uint32_t zeros[N] = {0};
    xl_top_k_desc desc;
    xl_plan *plan, *whole;
    xl_top_k_desc_init(&desc);
    XLT_OK(xl_top_k_create(xlt_context(), &desc, &whole));
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_top_k_create(xlt_context(), &desc, &plan));
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
    EXPECT(bad, "args.keys_out, args.indices_out, args.counts_out: none given",
           x->indices_out = xl_no_view())
    EXPECT(bad, "args.counts_out: given", c.plan = whole; x->segments = xl_no_view();
           x->counts_out = xlt_view(&csr))
    EXPECT(bad,
           "args.count_out: given; must not be given, because desc.segments is XL_SEGMENTS_OFFSETS",
           x->count_out = xlt_view(&count))
    EXPECT(XL_ERROR_OVERLAP, "counts_out", x->counts_out = x->segments)
    EXPECT(bad, "indices_out: 15 elements are needed; view.count is 14",
           x->indices_out.count = COUNT_CSR * K - 1)
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    xlt_buffer_free(&keys);
    xlt_buffer_free(&csr);
    xlt_buffer_free(&out);
    xlt_buffer_free(&count);
    xl_plan_destroy(plan);
    xl_plan_destroy(whole);
}

XLT_MAIN(NULL, xlt_teardown)
