/* SPDX-License-Identifier: MIT
 * Searches that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_search
#include "xlt_misuse_calls.h"

static void wrong_descriptors(void **state)
{
    (void)state;
    const wrong_desc cases[] = {
        {"desc.key: ", {.key = XL_NONE, .index = XL_U32}},
        {"desc.key: ", {.key = (xl_type)99, .index = XL_U32}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = 7, .index = XL_U32}},
        {"desc.kind: unknown value 3", {.key = XL_U32, .kind = 3, .index = XL_U32}},
        {"desc.index: i32", {.key = XL_U32, .index = XL_I32}},
        {"desc.reserved: 1; must be 0", {.key = XL_F32, .index = XL_U32, .reserved = 1}},
        {"desc.index: u32", {.key = XL_U32, .index = XL_U32, .kind = XL_SEARCH_UNSORTED}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

static void wrong_views(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    const xl_view none = xl_no_view();
    EXPECT(bad, "keys: no buffer", x->keys = none)
    EXPECT(bad, "queries: no buffer", x->queries = none)
    EXPECT(bad, "indices_out: no buffer", x->indices_out = none)
    EXPECT(bad, "keys: elements from", x->keys.offset = SIZE_MAX)
    EXPECT(bad, "queries: elements from", x->num_queries = SIZE_MAX / 16)
    EXPECT(overlap, "keys and indices_out", x->indices_out = x->keys)
    EXPECT(overlap, "queries and indices_out", x->indices_out = x->queries)
    EXPECT(bad, "num_queries: ", x->num_queries = SIZE_MAX)
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296, at most 4294967295 keys are searched where places are u32",
           x->n = (size_t)UINT32_MAX + 1)
#endif
}

static void wrong_objects(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4096);
    refuses_objects(&s);
    EXPECT(bad, "keys: a buffer of another", x->keys = xl_view_of(s.buffer, 0))
    EXPECT(bad, "queries: a buffer of another", x->queries = xl_view_of(s.buffer, 0))
    EXPECT(bad, "indices_out: a read-only buffer", x->indices_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "keys: a write-only buffer", x->keys = xl_view_of(s.write_only, 0))
    EXPECT(bad, "queries: a write-only buffer", x->queries = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

/* Where keys are not in order: no queries, but scratch. */
static void wrong_unsorted(size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "queries: given", x->queries = x->keys)
    EXPECT(bad, "num_queries: 5, at most 0", x->num_queries = 5)
    EXPECT(bad, "indices_out: no buffer", x->indices_out = xl_no_view())
    EXPECT(bad, "n: ", x->n = SIZE_MAX)
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += 2 * alignment)
    EXPECT(XL_ERROR_OVERLAP, "keys", x->scratch = xl_view_of(x->keys.buffer, 4 * x->keys.offset))
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_search_desc lower, asks;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_search *plan, *asking;
    size_t bytes, alignment;
    xl_search_desc_init(&lower);
    lower.index = XL_U32;
    xl_search_desc_init(&asks);
    asks.kind = XL_SEARCH_UNSORTED;
    XLT_OK(xl_search_create(xlt_context(), &lower, &plan));
    XLT_OK(xl_search_create(xlt_context(), &asks, &asking));
    XLT_OK(xl_search_scratch(asking, N, &bytes, &alignment));
    assert_true(bytes > 0);
    xlt_buffer all = xlt_buffer_make(NULL, 3 * N, 4, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .keys = xl_view_of(all.mem, at),
                                 .num_queries = N,
                                 .queries = xl_view_of(all.mem, at + N),
                                 .indices_out = xl_view_of(all.mem, at + 2 * N)}};
    call no_queries = right;
    no_queries.plan = asking;
    no_queries.args.num_queries = 0;
    no_queries.args.queries = xl_no_view();
    no_queries.args.indices_out = xl_view_of(all.mem, (at + 2 * N) / 2);
    no_queries.args.scratch = xlt_scratch_at_end(&scratch);
    good = &no_queries;
    wrong_unsorted(alignment);
    good = &right;
    wrong_views();
    wrong_objects();
#if SIZE_MAX > UINT32_MAX
    XLT_FAILS(xl_search_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    REFUSES_SCRATCH_QUESTIONS(1)
    /* Nothing of all this has written anything; the same calls made right work. */
    xlt_check_unwritten(&all, "arrays");
    xlt_check_unwritten(&scratch, "scratch");
    expect_success(&right);
    expect_success(&no_queries);
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_search_destroy(plan);
    xl_search_destroy(asking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
