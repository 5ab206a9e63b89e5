/* SPDX-License-Identifier: MIT
 * Histograms that are refused: each has its status and its text, and writes nothing. */
#define XLT_PRIMITIVE xl_histogram
#include "xlt_misuse_calls.h"

#include <math.h>

#define KEYS .kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32, .num_bins = 5
#define EVEN(name) .kind = XL_HISTOGRAM_EVEN, .type = name, .counter = XL_U32, .num_bins = 5

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_tunable bad[] = {{"histogram.copies", 99}}, other[] = {{"sort.shape", 1}};
    const wrong_desc cases[] = {
        {"kind: 3", {.kind = 3, .type = XL_U8, .counter = XL_U32, .num_bins = 5}},
        {"type: f32, not an integer",
         {.kind = XL_HISTOGRAM_KEYS, .type = XL_F32, .counter = XL_U32, .num_bins = 5}},
        {"type: u32x2",
         {.kind = XL_HISTOGRAM_KEYS, .type = XL_U32X2, .counter = XL_U32, .num_bins = 5}},
        {"counter: i32",
         {.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_I32, .num_bins = 5}},
        {"num_bins: 0", {.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32}},
        {"num_bins: 1048577",
         {.kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32, .num_bins = 1048577}},
        {"reserved: 1", {KEYS, .reserved = 1}},
        {"lower, upper: given", {KEYS, .upper = 1}},
        {"lower, upper: given", {KEYS, .lower = (double)NAN}},
        {"lower_integer, upper_integer: given", {KEYS, .upper_integer = 1}},
        {"lower, upper: given", {EVEN(XL_I32), .upper_integer = 9, .upper = 9}},
        {"lower_integer, upper_integer: given", {EVEN(XL_F32), .upper_integer = 9, .upper = 9}},
        {"do not rise", {EVEN(XL_I32)}},
        {"do not rise", {EVEN(XL_I32), .lower_integer = 5, .upper_integer = 5}},
        {"do not rise", {EVEN(XL_U64), .lower_integer = -1, .upper_integer = 5}},
        {"are not numbers of u8", {EVEN(XL_U8), .upper_integer = 257}},
        {"are not numbers of u32", {EVEN(XL_U32), .lower_integer = -1, .upper_integer = 257}},
        {"are not numbers of i8", {EVEN(XL_I8), .lower_integer = -129, .upper_integer = 2}},
        {"do not rise", {EVEN(XL_F32), .lower = 1, .upper = 1}},
        {"do not rise", {EVEN(XL_F32), .lower = 1, .upper = 1 + 1e-12}},
        {"not finite", {EVEN(XL_F32), .lower = (double)NAN, .upper = 1}},
        {"not finite", {EVEN(XL_F32), .lower = 0, .upper = (double)INFINITY}},
        {"not finite", {EVEN(XL_F32), .lower = -3e38, .upper = 3e38}},
        {"too close", {EVEN(XL_F32), .lower = 0, .upper = 1e-40}},
        {"load_type: given", {KEYS, .load_type = XL_U16}},
        {"user_load_type: given",
         {KEYS, .load_type = XL_U16, .load = "x", .user_load_type = &(xl_user_type){.name = "t"}}},
        {"load_type: XL_USER_TYPE", {KEYS, .load = "x", .load_type = XL_USER_TYPE}},
        {"histogram.copies = 99", {KEYS, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"", {KEYS, .tunables = other, .num_tunables = 1}},
    };
    refuses_descriptors(COUNT(cases), cases);
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 2000, BINS = 16 };
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    xl_histogram_desc desc;
    xl_histogram *plan, *keys;
    xl_histogram_desc_init(&desc);
    desc.type = XL_U32;
    desc.num_bins = BINS;
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &keys));
    desc.kind = XL_HISTOGRAM_LEVELS;
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
    xlt_buffer all = xlt_buffer_make(NULL, N + BINS + 1 + BINS, 4, 0),
               length = xlt_buffer_make(NULL, 1, 8, 0);
    const size_t at = xlt_view(&all).offset;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .n_device = xlt_view(&length),
                                 .in = xl_view_of(all.mem, at),
                                 .levels = xl_view_of(all.mem, at + N),
                                 .bins = xl_view_of(all.mem, at + N + BINS + 1)}};
    xlt_strangers s = xlt_strangers_make(4 * N);
    good = &right;
    EXPECT(bad, "in: no buffer", x->in = xl_no_view())
    EXPECT(bad, "levels: no buffer", x->levels = xl_no_view())
    EXPECT(bad, "bins: no buffer", x->bins = xl_no_view())
    EXPECT(bad, "levels: given", c.plan = keys)
    EXPECT(bad, "in: ", x->n = SIZE_MAX)
    EXPECT(bad, "in: ", x->in.count = N - 1)
    EXPECT(bad, "levels: ", x->levels.count = BINS)
    EXPECT(bad, "bins", x->bins.offset += 100000)
    EXPECT(bad, "n_device", x->n_device.offset = (size_t)1 << 40)
    EXPECT(overlap, "in and bins", x->bins = x->in)
    EXPECT(overlap, "in and bins", x->bins.offset = at + N - 1)
    EXPECT(overlap, "levels and bins", --x->bins.offset)
    EXPECT(overlap, "n_device and bins", x->bins = xl_view_of(length.mem, 0);
           x->n_device = xl_view_of(length.mem, 0))
    refuses_objects(&s);
    EXPECT(bad, "in: a buffer of another", x->in = xl_view_of(s.buffer, 0))
    EXPECT(bad, "in: a write-only buffer", x->in = xl_view_of(s.write_only, 0))
    EXPECT(bad, "levels: a write-only buffer", x->levels = xl_view_of(s.write_only, 0))
    EXPECT(bad, "bins: a read-only buffer", x->bins = xl_view_of(s.read_only, 0))
    EXPECT(bad, "bins: a write-only buffer", x->bins = xl_view_of(s.write_only, 0))
    REFUSES_SCRATCH_QUESTIONS(1)
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_check_unwritten(&all, "arrays");
    expect_success(&right);
    xlt_strangers_free(&s);
    xlt_buffer_free(&all);
    xlt_buffer_free(&length);
    xl_histogram_destroy(plan);
    xl_histogram_destroy(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
