/* SPDX-License-Identifier: MIT
 * Morton codes that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_morton
#include "xlt_misuse_calls.h"

#include <math.h>

#define RIGHT .dimensions = 3, .scalar = XL_F32, .stride = 3, .code = XL_U64

static void wrong_descriptors(void **state)
{
    (void)state;
    xl_morton *plan;
    const wrong_desc cases[] = {
        {"desc.stride: 2 scalars",
         {.dimensions = 3, .scalar = XL_F32, .stride = 2, .code = XL_U64}},
        {"desc.lower[1], desc.upper[1]: nan to 0 is not finite", {RIGHT, .lower = {0, NAN, 0}}},
        {"desc.lower[0], desc.upper[0]: 0 to inf is not finite", {RIGHT, .upper = {INFINITY}}},
        {"desc.lower[2], desc.upper[2]: -3e+38 to 3e+38 is not finite",
         {RIGHT, .lower = {0, 0, -3e38f}, .upper = {0, 0, 3e38f}}},
        {"desc.lower[0], desc.upper[0]: 2 to 1 is empty", {RIGHT, .lower = {2}, .upper = {1}}},
    };
    const wrong_desc other[] = {
        {"desc.dimensions: 1", {.dimensions = 1, .scalar = XL_F32, .stride = 3, .code = XL_U64}},
        {"desc.dimensions: 4", {.dimensions = 4, .scalar = XL_F32, .stride = 4, .code = XL_U64}},
        {"desc.scalar: f64", {.dimensions = 3, .scalar = XL_F64, .stride = 3, .code = XL_U64}},
        {"desc.code: u16", {.dimensions = 3, .scalar = XL_F32, .stride = 3, .code = XL_U16}},
    };
    refuses_descriptors(COUNT(cases), cases);
    for (size_t i = 0; i < COUNT(other); ++i) {
        xl_morton_desc desc = other[i].desc;
        desc.struct_size = sizeof desc;
        xlt_refused(xlt_context(), xl_morton_create(xlt_context(), &desc, &plan),
                    XL_ERROR_UNSUPPORTED, other[i].said);
    }
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 100 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    xl_morton_desc desc;
    xl_morton *plan;
    xl_morton_desc_init(&desc);
    desc.code = XL_U32;
    XLT_OK(xl_morton_create(xlt_context(), &desc, &plan));
    xlt_buffer all = xlt_buffer_make(NULL, 4 * N, 4, 0);
    xlt_strangers s = xlt_strangers_make(1 << 14);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .points = xl_view_of(all.mem, at),
                                 .codes = xl_view_of(all.mem, at + 3 * N)}};
    good = &right;
    EXPECT(bad, "points: no buffer", x->points = xl_no_view())
    EXPECT(bad, "codes: no buffer", x->codes = xl_no_view())
    EXPECT(bad, "points: elements from", x->n = 10 * N)
    EXPECT(bad, "codes: elements from", x->codes.offset = SIZE_MAX)
    EXPECT(bad, "n: ", x->n = SIZE_MAX)
    EXPECT(XL_ERROR_OVERLAP, "points and codes", x->codes.offset = at)
    EXPECT(bad, "points: a buffer of another", x->points = xl_view_of(s.buffer, 0))
    EXPECT(bad, "points: a write-only buffer", x->points = xl_view_of(s.write_only, 0))
    EXPECT(bad, "codes: a read-only buffer", x->codes = xl_view_of(s.read_only, 0))
    refuses_objects(&s);
    REFUSES_SCRATCH_QUESTIONS(1)
    XLT_FAILS(xl_morton_scratch(plan, SIZE_MAX, &(size_t){0}, &(size_t){0}), bad);
    xlt_strangers_free(&s);
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    expect_success(&right);
    xlt_buffer_free(&all);
    xl_morton_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
