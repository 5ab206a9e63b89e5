/* SPDX-License-Identifier: MIT
 * Compaction that is refused: each case has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_select
#include "xlt_misuse_calls.h"

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_tunable bad[] = {{"select.item_bytes", 1}}, other[] = {{"sort.shape", 1}};
#define BASE .type = XL_U32, .index = XL_U32
    const wrong_desc cases[] = {
        {"desc.kind: unknown value 6", {BASE, .kind = 6}},
        {"desc.by: unknown value 3", {BASE, .by = 3}},
        {"desc.index: u16", {.type = XL_U32, .index = XL_U16}},
        {"desc.by: runs of equal elements", {BASE, .kind = XL_SELECT_RUNS, .by = 1}},
        {"desc.by: a bit does not say", {BASE, .kind = XL_SELECT_PARTITION3, .by = 2}},
        {"desc.predicate: given", {BASE, .by = 1, .predicate = "x"}},
        {"desc.predicate: given", {BASE, .kind = XL_SELECT_UNIQUE, .predicate = "x"}},
        {"desc.equal: given", {BASE, .equal = "a == b"}},
        {"desc.equal_zeros: 0; must be 1 if desc.equal",
         {BASE, .kind = XL_SELECT_UNIQUE, .equal = "a == b"}},
        {"desc.reserved: 1; must be 0", {BASE, .reserved = 1}},
        {"type: unknown", {.type = 99, .index = XL_U32}},
        {"user_type", {.type = XL_USER_TYPE, .index = XL_U32}},
        {"desc.predicate: elements of type float2 need one", {.type = XL_F32X2, .index = XL_U32}},
        {"desc.value: 77", {BASE, .value = 77}},
        {"desc.value: 131072", {BASE, .value = XL_SELECT_BYTES(0)}},
        {"desc.more_values[0]: given", {BASE, .more_values = {XL_U32}}},
        {"desc.more_values[1]: 4096",
         {BASE, .value = XL_U32, .more_values = {XL_U32, XL_USER_TYPE}}},
        {"select.item_bytes = 1", {BASE, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"", {BASE, .tunables = other, .num_tunables = 1}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

/* What does not compile is named, at the caller's own line. */
static void wrong_expressions(void **state)
{
    (void)state;
    xl_select_desc desc;
    xl_select *plan = NULL;
    xl_select_desc_init(&desc);
    desc.predicate = "x >";
    xlt_refused(xlt_context(), xl_select_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD,
                "predicate");
    assert_null(plan);
}

/* All arrays but the count stand in one buffer, so that they can be made to overlap. */
static void wrong_views(cl_mem all, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "in: no buffer", x->in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", x->values_in = xl_no_view())
    EXPECT(bad, "none is given",
           x->out = x->values_out = x->indices_out = x->count_out = xl_no_view())
    EXPECT(bad, "flags: given", x->flags = x->in)
    EXPECT(bad, "lengths_in: given", x->lengths_in = x->in)
    EXPECT(bad, "lengths_out: given", x->lengths_out = x->out)
    EXPECT(bad, "more_values_in[0]: given", x->more_values_in[0] = x->in)
    EXPECT(bad, "more_values_out[2]: given", x->more_values_out[2] = x->out)
    EXPECT(bad, "in", x->in.offset = SIZE_MAX)
    EXPECT(bad, "out", x->out.offset = (size_t)1 << 40)
    EXPECT(bad, "indices_out", x->indices_out.offset = (size_t)1 << 40)
    EXPECT(bad, "count_out", x->count_out.offset = (size_t)1 << 40)
    EXPECT(overlap, "in and out", x->out = x->in)
    EXPECT(overlap, "in and values_out", x->values_out = x->in)
    EXPECT(overlap, "values_in and values_out", x->values_out = x->values_in)
    EXPECT(overlap, "out and indices_out", x->indices_out = x->out)
    EXPECT(overlap, "values_out", x->values_out = x->out)
    EXPECT(overlap, "count_out", x->count_out = xl_view_of(all, x->out.offset / 2 + 1))
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += alignment)
    EXPECT(overlap, "scratch", x->scratch = xl_view_of(all, 1 << 18))
}

static void wrong_objects(size_t n)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xlt_strangers s = xlt_strangers_make(4 * n);
    refuses_objects(&s);
    EXPECT(bad, "in: a buffer of another", x->in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "in: a write-only buffer", x->in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "out: a read-only buffer", x->out = xl_view_of(s.read_only, 0))
    EXPECT(bad, "count_out: a read-only buffer", x->count_out = xl_view_of(s.read_only, 0))
    xlt_strangers_free(&s);
}

static void wrong_lengths(void)
{
#if SIZE_MAX > UINT32_MAX
    EXPECT(XL_ERROR_INVALID_ARGUMENT, "n: 4294967296, but indices", x->n = (size_t)UINT32_MAX + 1)
#endif
    REFUSES_SCRATCH_QUESTIONS(1)
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 90000, ROOM = 64 };
    const xl_tunable small[] = {{"select.tile_bytes", 256}};
    xl_select_desc desc;
    xl_select *plan;
    size_t bytes, alignment;
    xl_select_desc_init(&desc);
    desc.value = XL_U32;
    desc.tunables = small;
    desc.num_tunables = 1;
    XLT_OK(xl_select_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_select_scratch(plan, N, &bytes, &alignment));
    xlt_buffer all = xlt_buffer_make(NULL, 2 * N + 3 * ROOM, 4, 0),
               count = xlt_buffer_make(NULL, 1, 8, 0), scratch = xlt_scratch_make(bytes, alignment);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .capacity = ROOM,
                                 .in = xl_view_of(all.mem, at),
                                 .values_in = xl_view_of(all.mem, at + N),
                                 .out = xl_view_of(all.mem, at + 2 * N),
                                 .values_out = xl_view_of(all.mem, at + 2 * N + ROOM),
                                 .indices_out = xl_view_of(all.mem, at + 2 * N + 2 * ROOM),
                                 .count_out = xlt_view(&count),
                                 .scratch = xlt_scratch_at_end(&scratch)}};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_objects(N);
    wrong_lengths();
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    xlt_check_unwritten(&count, "count");
    xlt_check_unwritten(&scratch, "scratch");
    expect_success(&right);
    xlt_buffer_free(&all);
    xlt_buffer_free(&count);
    xlt_buffer_free(&scratch);
    xl_select_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_expressions),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
