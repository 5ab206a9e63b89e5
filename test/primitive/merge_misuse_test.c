/* SPDX-License-Identifier: MIT
 * Merges that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_merge
#include "xlt_misuse_calls.h"

static void wrong_descriptors(void **state)
{
    (void)state;
    const wrong_desc cases[] = {
        {"desc.key: ", {.key = XL_NONE}},
        {"desc.key: ", {.key = (xl_type)99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = 7}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

/* All arrays stand in one buffer, so that they can be made to overlap. */
static void wrong_views(cl_mem all, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    const xl_view none = xl_no_view();
    EXPECT(bad, "keys_a: no buffer", x->keys_a = none)
    EXPECT(bad, "keys_b: no buffer", x->keys_b = none)
    EXPECT(bad, "keys_out: no buffer", x->keys_out = none)
    EXPECT(bad, "values_a: no buffer", x->values_a = none)
    EXPECT(bad, "values_b: no buffer", x->values_b = none)
    EXPECT(bad, "values_out: no buffer", x->values_out = none)
    EXPECT(bad, "keys_a: elements from", x->keys_a.offset = SIZE_MAX)
    EXPECT(bad, "values_out: elements from", x->values_out.offset = SIZE_MAX / 8)
    EXPECT(overlap, "keys_a and keys_out", x->keys_out = x->keys_a)
    EXPECT(overlap, "keys_b and keys_out", x->keys_out.offset = x->keys_b.offset + 1)
    EXPECT(overlap, "values_a and keys_out", x->keys_out = x->values_a)
    EXPECT(overlap, "values_b and keys_out", x->keys_out = x->values_b)
    EXPECT(overlap, "keys_a and values_out", x->values_out = x->keys_a)
    EXPECT(overlap, "keys_b and values_out", x->values_out = x->keys_b)
    EXPECT(overlap, "values_a and values_out", x->values_out = x->values_a)
    EXPECT(overlap, "values_b and values_out", x->values_out = x->values_b)
    EXPECT(overlap, "keys_out and values_out", x->values_out = x->keys_out)
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += 2 * alignment)
    EXPECT(overlap, "keys_a", x->scratch = xl_view_of(all, 4 * x->keys_a.offset))
}

static void wrong_objects(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4096);
    refuses_objects(&s);
    EXPECT(bad, "keys_b: a buffer of another", x->keys_b = xl_view_of(s.buffer, 0))
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "keys_a: a write-only buffer", x->keys_a = xl_view_of(s.write_only, 0))
    EXPECT(bad, "values_b: a write-only buffer", x->values_b = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_lengths(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
#if SIZE_MAX > UINT32_MAX
    size_t bytes, alignment;
    EXPECT(bad, "n_a, n_b: 4294967296 and 60, at most 4294967295 elements together",
           x->n_a = (size_t)UINT32_MAX + 1)
    EXPECT(bad, "n_a, n_b: 4294967295 and 60", x->n_a = UINT32_MAX)
    XLT_FAILS(xl_merge_scratch(good->plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    EXPECT(bad, "n_a, n_b: 40 and ", x->n_b = SIZE_MAX)
    REFUSES_SCRATCH_QUESTIONS(1)
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N_A = 40, N_B = 60, N = N_A + N_B };
    static const xl_tunable tiles_of_24[] = {{"merge.serial", 0},
                                             {"merge.group", 8},
                                             {"merge.item_bytes", 12},
                                             {"merge.search_tiles", 0}};
    xl_merge_desc pairs, plain;
    xl_merge *plan, *keys_only;
    size_t bytes, alignment;
    xl_merge_desc_init(&plain);
    xl_merge_desc_init(&pairs);
    pairs.value = XL_U32;
    pairs.tunables = tiles_of_24;
    pairs.num_tunables = COUNT(tiles_of_24);
    XLT_OK(xl_merge_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_merge_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_merge_scratch(plan, N, &bytes, &alignment));
    assert_true(bytes > 0);
    xlt_buffer all = xlt_buffer_make(NULL, 4 * N, 4, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n_a = N_A,
                                 .n_b = N_B,
                                 .keys_a = xl_view_of(all.mem, at),
                                 .keys_b = xl_view_of(all.mem, at + N_A),
                                 .values_a = xl_view_of(all.mem, at + N),
                                 .values_b = xl_view_of(all.mem, at + N + N_A),
                                 .keys_out = xl_view_of(all.mem, at + 2 * N),
                                 .values_out = xl_view_of(all.mem, at + 3 * N),
                                 .scratch = xlt_scratch_at_end(&scratch)}};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_objects();
    wrong_lengths();
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_a: given", c.plan = keys_only)
    EXPECT(bad, "values_b: given", c.plan = keys_only; x->values_a = xl_no_view())
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_a = x->values_b = xl_no_view())
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    xlt_check_unwritten(&scratch, "scratch");
    expect_success(&right);
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_merge_destroy(plan);
    xl_merge_destroy(keys_only);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
