/* SPDX-License-Identifier: MIT
 * Sorts that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_sort
#include "xlt_misuse_calls.h"

static void wrong_descriptors(void **state)
{
    (void)state;
    const wrong_desc cases[] = {
        {"desc.key: f32x2", {.key = XL_F32X2}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = (xl_type)99}},
        {"desc.value", {.key = XL_U32, .value = 99}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = (xl_sort_order)7}},
        {"desc.algorithm: unknown value 9", {.key = XL_U32, .algorithm = (xl_sort_algorithm)9}},
        {"desc.large: 2, not 0 or 1", {.key = XL_U32, .large = 2}},
        {"desc.reserved: 7, but must be 0", {.key = XL_U32, .reserved = 7}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

/* Keys and values stand in one buffer, so that they can be made to overlap. */
static void wrong_views(size_t n, cl_mem all, size_t scratch_bytes, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "keys_in: no buffer", x->keys_in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", x->values_in = xl_no_view())
    EXPECT(bad, "keys_out: no buffer", x->keys_out = xl_no_view())
    EXPECT(bad, "values_out: no buffer", x->values_out = xl_no_view())
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    EXPECT(bad, "values_out", x->values_out.offset = 4 * n + 1)
    EXPECT(overlap, "keys_in and keys_out", x->keys_out.offset = x->keys_in.offset + 1)
    EXPECT(overlap, "values_in and values_out", x->values_out.offset = x->values_in.offset - 1)
    EXPECT(overlap, "keys_out and values_out", x->values_out = x->keys_out)
    EXPECT(overlap, "keys_in and values_out", x->values_out = x->keys_in)
    EXPECT(overlap, "values_in and keys_out", x->keys_out = x->values_in)
    if (scratch_bytes == 0)
        return;
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += alignment)
    EXPECT(overlap, "scratch", x->scratch = xl_view_of(all, 0))
}

static void wrong_objects(size_t n)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4 * n);
    refuses_objects(&s);
    EXPECT(bad, "keys_in: a buffer of another", x->keys_in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "keys_in: a write-only buffer", x->keys_in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "values_out: a write-only buffer", x->values_out = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_calls(void **state)
{
    (void)state;
    xl_sort *plan, *keys_only;
    xl_sort_desc pairs, plain;
    xl_plan_info info;
    size_t bytes, alignment;
    xl_sort_desc_init(&plain);
    xl_sort_desc_init(&pairs);
    pairs.value = XL_U32;
    XLT_OK(xl_sort_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_sort_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_sort_info(plan, 1, &info));
    const size_t n = 2 * info.tile_elements + 1;
    XLT_OK(xl_sort_scratch(plan, n, &bytes, &alignment));
    xlt_buffer all = xlt_buffer_make(NULL, 4 * n, 4, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = n,
                                 .keys_in = xl_view_of(all.mem, at),
                                 .values_in = xl_view_of(all.mem, at + n),
                                 .keys_out = xl_view_of(all.mem, at + 2 * n),
                                 .values_out = xl_view_of(all.mem, at + 3 * n),
                                 .scratch = xlt_scratch_at_end(&scratch)}};
    good = &right;
    wrong_views(n, all.mem, bytes, alignment);
    wrong_objects(n);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_in: given", c.plan = keys_only)
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_in = xl_no_view())
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296, at most 4294967295 elements", x->n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(xl_sort_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    REFUSES_SCRATCH_QUESTIONS(n)
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    xlt_check_unwritten(&scratch, "scratch");
    expect_success(&right);
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_sort_destroy(plan);
    xl_sort_destroy(keys_only);
}

/* What a sort of more than 2^32 keys does not do, and how many it takes. */
static void large_sorts(void **state)
{
    (void)state;
    static const xl_user_comparator less = {"less", "bool less(uint a, uint b) { return a < b; }"};
    xl_context *const ctx = xlt_context();
    xl_sort *plan;
    size_t bytes, alignment;
    for (int k = 0; k < 4; ++k) {
        static const char *const said[] = {"desc.algorithm", "desc.comparator", "desc.segments",
                                           "desc.equal_zeros"};
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.large = 1;
        desc.algorithm = k == 0 ? XL_SORT_BITONIC : XL_SORT_AUTO;
        desc.comparator = k == 1 ? &less : NULL;
        desc.segments = k == 2 ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
        desc.segment_type = k == 2 ? XL_U32 : XL_NONE;
        desc.equal_zeros = k == 3;
        xlt_refused(ctx, xl_sort_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED, said[k]);
    }
#if SIZE_MAX > UINT32_MAX
    const size_t past = (size_t)UINT32_MAX + 1;
    for (int indices = 0; indices < 2; ++indices) {
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.large = 1;
        desc.value = indices ? XL_SORT_INDICES : XL_NONE;
        if (xl_sort_create(ctx, &desc, &plan) != XL_SUCCESS) {
            print_message("%s: %s\n", xlt_device(), xl_context_error(ctx));
            skip();
        }
        XLT_OK(xl_sort_scratch(plan, past, &bytes, &alignment));
        assert_true(bytes >= past * (indices ? 8 : 4));
        xlt_refused(ctx,
                    xl_sort_scratch(plan, indices ? past + 1 : (size_t)1 << 48, &bytes, &alignment),
                    XL_ERROR_INVALID_ARGUMENT,
                    indices ? "n: 4294967297, at most 4294967296 elements are sorted: indices"
                            : "n: 281474976710656, at most 281474976710655");
        xl_sort_destroy(plan);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(large_sorts),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
