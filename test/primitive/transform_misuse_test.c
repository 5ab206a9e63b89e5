/* SPDX-License-Identifier: MIT
 * Transforms that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_transform
#include "xlt_misuse_calls.h"

#define MAP .kind = XL_TRANSFORM_MAP, .num_arrays = 1, .types = {XL_U32}
#define MOVE(name) .kind = name, .num_arrays = 1, .types = {XL_U32}

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_tunable bad[] = {{"transform.items", 99}}, other[] = {{"sort.shape", 1}};
    const xl_user_type type = {"t", 4, 4, "typedef struct { int a; } t;"};
    const wrong_desc cases[] = {
        {"kind: 4", {.kind = 4}},
        {"num_arrays: 5", {.kind = XL_TRANSFORM_MAP, .num_arrays = 5}},
        {"num_arrays: 0", {.kind = XL_TRANSFORM_MAP, .expression = "i"}},
        {"num_arrays: 0", {.kind = XL_TRANSFORM_MAP, .out_type = XL_U32}},
        {"num_arrays: 0, not 1 to 4", {.kind = XL_TRANSFORM_GATHER, .index_type = XL_U32}},
        {"num_arrays: 2, not 1 to 1",
         {.kind = XL_TRANSFORM_ADJACENT, .num_arrays = 2, .types = {XL_U8, XL_U8}}},
        {"types[0]", {.kind = XL_TRANSFORM_MAP, .num_arrays = 1}},
        {"types[1]: given", {MAP, .types[1] = XL_U8}},
        {"user_types[0]: given", {MAP, .user_types[0] = &type}},
        {"out_type", {MAP, .out_type = (uint32_t)77}},
        {"user_out_type: given", {MAP, .user_out_type = &type}},
        {"index_type: given", {MAP, .index_type = XL_U32}},
        {"index_type: i32", {MOVE(XL_TRANSFORM_GATHER), .index_type = XL_I32}},
        {"out_type: given", {MOVE(XL_TRANSFORM_GATHER), .index_type = XL_U32, .out_type = XL_U32}},
        {"expression: given",
         {MOVE(XL_TRANSFORM_SCATTER), .index_type = XL_U32, .expression = "x"}},
        {"types[0]: user",
         {.kind = XL_TRANSFORM_SCATTER,
          .num_arrays = 1,
          .types = {XL_USER_TYPE},
          .index_type = XL_U32}},
        {"expression: NULL",
         {.kind = XL_TRANSFORM_ADJACENT,
          .num_arrays = 1,
          .types = {XL_USER_TYPE},
          .user_types = {&type}}},
        {"transform.items = 99", {MAP, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"", {MAP, .tunables = other, .num_tunables = 1}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 2000 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    xl_transform_desc desc;
    xl_transform *plan, *map;
    xl_transform_desc_init(&desc);
    XLT_OK(xl_transform_create(xlt_context(), &desc, &map));
    desc.kind = XL_TRANSFORM_GATHER;
    desc.index_type = XL_U32;
    XLT_OK(xl_transform_create(xlt_context(), &desc, &plan));
    xlt_buffer all = xlt_buffer_make(NULL, 3 * N, 4, 0), length = xlt_buffer_make(NULL, 1, 8, 0);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .n_device = xlt_view(&length),
                                 .range = N,
                                 .in = {xl_view_of(all.mem, at)},
                                 .indices = xl_view_of(all.mem, at + N),
                                 .out = {xl_view_of(all.mem, at + 2 * N)}}};
    xlt_strangers s = xlt_strangers_make(4 * N);
    good = &right;
    EXPECT(bad, "in[0]: no buffer", x->in[0] = xl_no_view())
    EXPECT(bad, "indices: no buffer", x->indices = xl_no_view())
    EXPECT(bad, "out[0]: no buffer", x->out[0] = xl_no_view())
    EXPECT(bad, "in[1]: given", x->in[1] = x->in[0])
    EXPECT(bad, "out[3]: given", x->out[3] = x->in[0])
    EXPECT(bad, "indices: given", c.plan = map)
    EXPECT(bad, "in[0]", x->range = 100000)
    EXPECT(bad, "out[0]", x->n = 2 * N)
    EXPECT(bad, "n_device", x->n_device.offset = (size_t)1 << 40)
    EXPECT(overlap, "in[0] and out[0]", x->out[0] = x->in[0])
    EXPECT(overlap, "indices and out[0]", --x->out[0].offset)
    EXPECT(overlap, "in[0] and out[0]", c.plan = map; x->indices = xl_no_view();
           x->out[0] = x->in[0]; ++x->out[0].offset)
    refuses_objects(&s);
    EXPECT(bad, "in[0]: a buffer of another", x->in[0] = xl_view_of(s.buffer, 0))
    EXPECT(bad, "in[0]: a write-only buffer", x->in[0] = xl_view_of(s.write_only, 0))
    EXPECT(bad, "out[0]: a read-only buffer", x->out[0] = xl_view_of(s.read_only, 0))
    REFUSES_SCRATCH_QUESTIONS(1)
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    expect_success(&right);
    xlt_strangers_free(&s);
    xlt_buffer_free(&all);
    xlt_buffer_free(&length);
    xl_transform_destroy(plan);
    xl_transform_destroy(map);
    xl_transform_destroy(NULL);
    xl_transform_desc_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
