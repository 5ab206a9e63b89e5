/* SPDX-License-Identifier: MIT
 * Sorts that are refused: each has its status and its text, and writes nothing. */
#include "xlt_misuse.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        xl_sort_desc desc;
    } cases[] = {
        {"desc.key: f32x2", {.key = XL_F32X2}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = (xl_type)99}},
        {"desc.value", {.key = XL_U32, .value = 99}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = (xl_sort_order)7}},
        {"desc.algorithm: unknown value 9", {.key = XL_U32, .algorithm = (xl_sort_algorithm)9}},
    };
    xl_sort *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_sort_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_sort *)&desc;
        xlt_refused(ctx, xl_sort_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                    cases[i].said);
        assert_null(plan);
    }
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.struct_size = 3;
    xlt_refused(ctx, xl_sort_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "struct_size is 3");
    xl_sort_desc_init(&desc);
    xlt_refused(ctx, xl_sort_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(ctx, xl_sort_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, xl_sort_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
}

/* A right call, of which one argument at a time is made wrong. Keys and values stand in
 * one buffer, so that they can be made to overlap. */
typedef struct call {
    xl_sort *plan;
    cl_command_queue queue;
    xl_sort_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&wanted;
    xlt_refused(xlt_context(),
                xl_sort_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event),
                wanted, said);
    assert_null(event);
}

#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        call c = *good;                                                                            \
        xl_sort_args *const x = &c.args;                                                           \
        __VA_ARGS__;                                                                               \
        expect_fail(&c, status, said);                                                             \
        (void)x;                                                                                   \
    }

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
    const cl_event none = NULL;
    xlt_strangers s = xlt_strangers_make(4 * n);
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = s.queue)
    EXPECT(bad, "keys_in: a buffer of another", x->keys_in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
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
    uint32_t *before = malloc(16 * n), *after = malloc(16 * n);
    assert_true(before && after);
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = n,
                                 .keys_in = xl_view_of(all.mem, at),
                                 .values_in = xl_view_of(all.mem, at + n),
                                 .keys_out = xl_view_of(all.mem, at + 2 * n),
                                 .values_out = xl_view_of(all.mem, at + 3 * n),
                                 .scratch = tight}};
    good = &right;
    wrong_views(n, all.mem, bytes, alignment);
    wrong_objects(n);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_in: given", c.plan = keys_only)
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_in = xl_no_view())
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296", x->n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(xl_sort_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    XLT_FAILS(xl_sort_scratch(plan, n, NULL, &alignment), bad);
    XLT_FAILS(xl_sort_scratch(plan, n, &bytes, NULL), bad);
    assert_int_equal(xl_sort_scratch(NULL, n, &bytes, &alignment), bad);
    cl_event event = (cl_event)&bad;
    assert_int_equal(xl_sort_enqueue(NULL, xlt_queue(), &right.args, 0, NULL, &event), bad);
    assert_null(event);
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, 16 * n);
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    free(before);
    free(after);
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_sort_destroy(plan);
    xl_sort_destroy(keys_only);
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
