/* SPDX-License-Identifier: MIT
 * Selections that are refused: each has its status and its text, and writes nothing. */
#include "xlt_misuse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

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
    const struct {
        const char *said;
        xl_topk_desc desc;
    } cases[] = {
        {"desc.key: u32x2", {.key = XL_U32X2}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = 99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"topk.items = 99", {.key = XL_U32, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"",
         {.key = XL_U32, .tunables = other, .num_tunables = 1}},
    };
    xl_topk *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_topk_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_topk *)&desc;
        xlt_refused(ctx, xl_topk_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                    cases[i].said);
        assert_null(plan);
    }
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.struct_size = 3;
    xlt_refused(ctx, xl_topk_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "struct_size is 3");
    xl_topk_desc_init(&desc);
    xlt_refused(ctx, xl_topk_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(ctx, xl_topk_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, xl_topk_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
}

/* A right call, of which one argument at a time is made wrong. All arrays but the count stand in
 * one buffer, so that they can be made to overlap. */
typedef struct call {
    xl_topk *plan;
    cl_command_queue queue;
    xl_topk_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&wanted;
    xlt_refused(xlt_context(),
                xl_topk_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event),
                wanted, said);
    assert_null(event);
}

#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        call c = *good;                                                                            \
        xl_topk_args *const x = &c.args;                                                           \
        __VA_ARGS__;                                                                               \
        (void)x;                                                                                   \
        expect_fail(&c, status, said);                                                             \
    }

static void wrong_views(cl_mem all, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "keys_in: no buffer", x->keys_in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", x->values_in = xl_no_view())
    EXPECT(bad, "none is given",
           x->keys_out = x->values_out = x->indices_out = x->count_out = xl_no_view())
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    EXPECT(bad, "keys_out", x->keys_out.offset = (size_t)1 << 40)
    EXPECT(bad, "values_out", x->values_out.offset = (size_t)1 << 40)
    EXPECT(bad, "indices_out", x->indices_out.offset = (size_t)1 << 40)
    EXPECT(bad, "count_out", x->count_out.offset = (size_t)1 << 40)
    EXPECT(overlap, "keys_in and keys_out", x->keys_out = x->keys_in)
    EXPECT(overlap, "keys_in and values_out", x->values_out = x->keys_in)
    EXPECT(overlap, "keys_in and indices_out", x->indices_out = x->keys_in)
    EXPECT(overlap, "values_in and keys_out", x->keys_out = x->values_in)
    EXPECT(overlap, "values_in and values_out", x->values_out = x->values_in)
    EXPECT(overlap, "keys_out and values_out", x->values_out = x->keys_out)
    EXPECT(overlap, "values_out and indices_out", x->indices_out = x->values_out)
    EXPECT(overlap, "indices_out and count_out",
           x->count_out = xl_view_of(all, x->indices_out.offset / 2))
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += alignment)
    EXPECT(overlap, "scratch", x->scratch = xl_view_of(all, 0))
}

static void wrong_objects(size_t n)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    const cl_event none = NULL;
    xlt_strangers s = xlt_strangers_make(4 * n);
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = s.queue)
    EXPECT(bad, "keys_in: a buffer of another", x->keys_in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    EXPECT(bad, "keys_in: a write-only buffer", x->keys_in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "values_in: a write-only buffer", x->values_in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "indices_out: a read-only buffer", x->indices_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "count_out: a read-only buffer", x->count_out = xl_view_of(s.read_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_scratch_questions(const xl_topk *plan)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes, alignment;
    XLT_FAILS(xl_topk_scratch(plan, 1, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_topk_scratch(plan, 1, 1, &bytes, NULL), bad);
    assert_int_equal(xl_topk_scratch(NULL, 1, 1, &bytes, &alignment), bad);
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296, at most 4294967295", x->n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(xl_topk_scratch(plan, (size_t)UINT32_MAX + 1, 1, &bytes, &alignment), bad);
#endif
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 2000, K = 64 };
    const xl_topk_desc pairs = desc_of(XL_U32);
    const xl_topk_desc plain = desc_of(XL_NONE);
    xl_topk *plan, *keys_only;
    size_t bytes, alignment;
    XLT_OK(xl_topk_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_topk_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_topk_scratch(plan, N, K, &bytes, &alignment));
    xlt_buffer all = xlt_buffer_make(NULL, 2 * N + 3 * K, 4, 0),
               count = xlt_buffer_make(NULL, 1, 8, 0), scratch = xlt_scratch_make(bytes, alignment);
    uint32_t before[2 * N + 3 * K], after[2 * N + 3 * K];
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
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
                                 .scratch = tight}};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_objects(N);
    wrong_scratch_questions(plan);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_in: given", c.plan = keys_only)
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_in = xl_no_view())
    cl_event event = (cl_event)&bad;
    assert_int_equal(xl_topk_enqueue(NULL, xlt_queue(), &right.args, 0, NULL, &event), bad);
    assert_null(event);
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, sizeof before);
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&all);
    xlt_buffer_free(&count);
    xlt_buffer_free(&scratch);
    xl_topk_destroy(plan);
    xl_topk_destroy(keys_only);
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
