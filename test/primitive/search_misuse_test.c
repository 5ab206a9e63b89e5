/* SPDX-License-Identifier: MIT
 * Searches that are refused: each has its status and its text, and writes nothing. */
#include "xlt_misuse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        xl_search_desc desc;
    } cases[] = {
        {"desc.key: ", {.key = XL_NONE, .index = XL_U32}},
        {"desc.key: ", {.key = (xl_type)99, .index = XL_U32}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = 7, .index = XL_U32}},
        {"desc.kind: unknown value 3", {.key = XL_U32, .kind = 3, .index = XL_U32}},
        {"desc.index: i32", {.key = XL_U32, .index = XL_I32}},
        {"desc.index: u32", {.key = XL_U32, .index = XL_U32, .kind = XL_SEARCH_UNSORTED}},
    };
    xl_search *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_search_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_search *)&desc;
        xlt_refused(ctx, xl_search_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                    cases[i].said);
        assert_null(plan);
    }
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.struct_size = 3;
    xlt_refused(ctx, xl_search_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "struct_size is 3");
    xl_search_desc_init(&desc);
    xlt_refused(ctx, xl_search_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(ctx, xl_search_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, xl_search_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
}

/* A right call, of which one argument at a time is made wrong. */
typedef struct call {
    xl_search *plan;
    cl_command_queue queue;
    xl_search_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&wanted;
    xlt_refused(xlt_context(),
                xl_search_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event),
                wanted, said);
    assert_null(event);
}

#define EXPECT(good, status, said, ...)                                                            \
    {                                                                                              \
        call c = *(good);                                                                          \
        xl_search_args *const x = &c.args;                                                         \
        __VA_ARGS__;                                                                               \
        expect_fail(&c, status, said);                                                             \
        (void)x;                                                                                   \
    }

static void wrong_views(const call *good)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    const xl_view none = xl_no_view();
    EXPECT(good, bad, "keys: no buffer", x->keys = none)
    EXPECT(good, bad, "queries: no buffer", x->queries = none)
    EXPECT(good, bad, "indices_out: no buffer", x->indices_out = none)
    EXPECT(good, bad, "keys: elements from", x->keys.offset = SIZE_MAX)
    EXPECT(good, bad, "queries: elements from", x->num_queries = SIZE_MAX / 16)
    EXPECT(good, overlap, "keys and indices_out", x->indices_out = x->keys)
    EXPECT(good, overlap, "queries and indices_out", x->indices_out = x->queries)
    EXPECT(good, bad, "num_queries: ", x->num_queries = SIZE_MAX)
#if SIZE_MAX > UINT32_MAX
    EXPECT(good, bad, "n: 4294967296, at most 4294967295 keys are searched where places are u32",
           x->n = (size_t)UINT32_MAX + 1)
#endif
}

static void wrong_objects(const call *good)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    const cl_event none = NULL;
    xlt_strangers s = xlt_strangers_make(4096);
    EXPECT(good, bad, "queue: NULL", c.queue = NULL)
    EXPECT(good, bad, "queue", c.queue = s.queue)
    EXPECT(good, bad, "keys: a buffer of another", x->keys = xl_view_of(s.buffer, 0))
    EXPECT(good, bad, "queries: a buffer of another", x->queries = xl_view_of(s.buffer, 0))
    EXPECT(good, bad, "waits", c.num_waits = 1)
    EXPECT(good, bad, "waits", c.waits = &none)
    EXPECT(good, bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    EXPECT(good, bad, "indices_out: a read-only buffer",
           x->indices_out = xl_view_of(s.read_only, 0))
    EXPECT(good, bad, "keys: a write-only buffer", x->keys = xl_view_of(s.write_only, 0))
    EXPECT(good, bad, "queries: a write-only buffer", x->queries = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

/* Where keys are not in order: no queries, but scratch. */
static void wrong_unsorted(const call *good, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(good, bad, "queries: given", x->queries = x->keys)
    EXPECT(good, bad, "num_queries: 5, at most 0", x->num_queries = 5)
    EXPECT(good, bad, "indices_out: no buffer", x->indices_out = xl_no_view())
    EXPECT(good, bad, "n: ", x->n = SIZE_MAX)
    EXPECT(good, XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(good, XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += 2 * alignment)
    EXPECT(good, XL_ERROR_OVERLAP, "keys",
           x->scratch = xl_view_of(x->keys.buffer, 4 * x->keys.offset))
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_search_desc lower, asks;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_search *plan, *asking;
    size_t bytes, alignment;
    uint32_t before[3 * N], after[3 * N];
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
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
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
    no_queries.args.scratch = tight;
    wrong_views(&right);
    wrong_objects(&right);
    wrong_unsorted(&no_queries, alignment);
#if SIZE_MAX > UINT32_MAX
    XLT_FAILS(xl_search_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    XLT_FAILS(xl_search_scratch(plan, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_search_scratch(plan, 1, &bytes, NULL), bad);
    assert_int_equal(xl_search_scratch(NULL, 1, &bytes, &alignment), bad);
    assert_int_equal(xl_search_enqueue(NULL, xlt_queue(), &right.args, 0, NULL, NULL), bad);
    XLT_FAILS(xl_search_enqueue(plan, xlt_queue(), NULL, 0, NULL, NULL), bad);
    /* Nothing of all this has written anything; the same calls made right work. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, sizeof before);
    xlt_check_guards(&all, "an array");
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_search_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_OK(xl_search_enqueue(asking, xlt_queue(), &no_queries.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_search_destroy(plan);
    xl_search_destroy(asking);
}

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
