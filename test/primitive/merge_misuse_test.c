/* SPDX-License-Identifier: MIT
 * Merges that are refused: each has its status and its text, and writes nothing. */
#include "xlt_misuse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        xl_merge_desc desc;
    } cases[] = {
        {"desc.key: ", {.key = XL_NONE}},
        {"desc.key: ", {.key = (xl_type)99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = 7}},
        {"desc.reserved: 3, but must be 0", {.key = XL_U32, .reserved = 3}},
    };
    xl_merge *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_merge_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_merge *)&desc;
        xlt_refused(ctx, xl_merge_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                    cases[i].said);
        assert_null(plan);
    }
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.struct_size = 3;
    xlt_refused(ctx, xl_merge_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "struct_size is 3");
    xl_merge_desc_init(&desc);
    xlt_refused(ctx, xl_merge_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(ctx, xl_merge_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, xl_merge_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
}

/* A right call, of which one argument at a time is made wrong. All arrays stand in one buffer, so
 * that they can be made to overlap. */
typedef struct call {
    xl_merge *plan;
    cl_command_queue queue;
    xl_merge_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&wanted;
    xlt_refused(xlt_context(),
                xl_merge_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event),
                wanted, said);
    assert_null(event);
}

#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        call c = *good;                                                                            \
        xl_merge_args *const x = &c.args;                                                          \
        __VA_ARGS__;                                                                               \
        expect_fail(&c, status, said);                                                             \
        (void)x;                                                                                   \
    }

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
    const cl_event none = NULL;
    xlt_strangers s = xlt_strangers_make(4096);
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = s.queue)
    EXPECT(bad, "keys_b: a buffer of another", x->keys_b = xl_view_of(s.buffer, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "keys_a: a write-only buffer", x->keys_a = xl_view_of(s.write_only, 0))
    EXPECT(bad, "values_b: a write-only buffer", x->values_b = xl_view_of(s.write_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_lengths(const xl_merge *plan)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes, alignment;
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n_a, n_b: 4294967296 and 60, at most 4294967295 elements together",
           x->n_a = (size_t)UINT32_MAX + 1)
    EXPECT(bad, "n_a, n_b: 4294967295 and 60", x->n_a = UINT32_MAX)
    XLT_FAILS(xl_merge_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    EXPECT(bad, "n_a, n_b: 40 and ", x->n_b = SIZE_MAX)
    XLT_FAILS(xl_merge_scratch(plan, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_merge_scratch(plan, 1, &bytes, NULL), bad);
    assert_int_equal(xl_merge_scratch(NULL, 1, &bytes, &alignment), bad);
    assert_int_equal(xl_merge_enqueue(NULL, xlt_queue(), &good->args, 0, NULL, NULL), bad);
    XLT_FAILS(xl_merge_enqueue(good->plan, xlt_queue(), NULL, 0, NULL, NULL), bad);
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
    uint32_t before[4 * N], after[4 * N];
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
    const call right = {plan,
                        xlt_queue(),
                        {.n_a = N_A,
                         .n_b = N_B,
                         .keys_a = xl_view_of(all.mem, at),
                         .keys_b = xl_view_of(all.mem, at + N_A),
                         .values_a = xl_view_of(all.mem, at + N),
                         .values_b = xl_view_of(all.mem, at + N + N_A),
                         .keys_out = xl_view_of(all.mem, at + 2 * N),
                         .values_out = xl_view_of(all.mem, at + 3 * N),
                         .scratch = tight},
                        0,
                        NULL};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_objects();
    wrong_lengths(plan);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_a: given", c.plan = keys_only)
    EXPECT(bad, "values_b: given", c.plan = keys_only; x->values_a = xl_no_view())
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_a = x->values_b = xl_no_view())
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, sizeof before);
    xlt_check_guards(&all, "an array");
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_merge_destroy(plan);
    xl_merge_destroy(keys_only);
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
