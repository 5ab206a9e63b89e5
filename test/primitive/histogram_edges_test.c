/* SPDX-License-Identifier: MIT
 * Even bins at their edges against an exact quotient, which this file computes by itself: few bins
 * of few values, 65,535 bins, and the whole ranges of i8, i16 and i32. */
#include "xlt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- one histogram ---- */

static void count(const xl_histogram_desc *desc, size_t n, const void *values, uint32_t *got)
{
    xl_histogram *plan;
    xlt_buffer in = xlt_buffer_make(values, n, xl_type_size((xl_type)desc->type), 0);
    xlt_buffer bins = xlt_buffer_make(NULL, (size_t)desc->num_bins, 4, 0);
    XLT_OK(xl_histogram_create(xlt_context(), desc, &plan));
    const xl_histogram_args args = {.n = n, .in = xlt_view(&in), .bins = xlt_view(&bins)};
    XLT_OK(xl_histogram_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&bins, got);
    xl_histogram_destroy(plan);
    xlt_buffer_free(&in);
    xlt_buffer_free(&bins);
}

static xl_histogram_desc even(xl_type type, uint64_t bins)
{
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = XL_HISTOGRAM_EVEN;
    desc.type = type;
    desc.num_bins = bins;
    return desc;
}

static void same(const char *what, const uint32_t *got, const uint32_t *wanted, size_t bins)
{
    for (size_t k = 0; k < bins; ++k)
        if (got[k] != wanted[k])
            XLT_FAIL("%s: bin %zu of %zu has %u, not %u", what, k, bins, (unsigned)got[k],
                     (unsigned)wanted[k]);
}

/* ---- counts written by hand ---- */

/* The values 0 to 7, each once. */
static const struct {
    int lower, upper;
    uint32_t bins, counts[14];
} by_hand[] = {
    {0, 6, 12, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}, /* two bins a value; 6 is outside */
    {0, 7, 12, {1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0}}, /* 12 x / 7 */
    {0, 7, 7, {1, 1, 1, 1, 1, 1, 1}},                 /* a value for each */
    {0, 7, 3, {3, 2, 2}},                             /* edges 2 1/3 and 4 2/3 */
    {0, 6, 3, {2, 2, 2}},                             /* edges at 2 and 4 belong to the next */
    {1, 7, 4, {2, 1, 2, 1}},                          /* edges 2.5, 4, 5.5 */
    {2, 3, 5, {1, 0, 0, 0, 0}},                       /* one value, on the lower edge */
    {0, 7, 14, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}, /* 2 x */
};

/* Element i of the values as the type has them. */
static void put_number(void *values, size_t i, xl_type type, int64_t x)
{
    const float f = (float)x;
    const double d = (double)x;
    const size_t bytes = xl_type_size(type);
    if (type == XL_F32)
        memcpy((char *)values + 4 * i, &f, 4);
    else if (type == XL_F64)
        memcpy((char *)values + 8 * i, &d, 8);
    else
        for (size_t k = 0; k < bytes; ++k) /* the lowest byte first */
            ((unsigned char *)values)[i * bytes + k] = (unsigned char)((uint64_t)x >> (8 * k));
}

static void few_values(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_I8,  XL_U8,  XL_I16, XL_U16, XL_I32,
                                    XL_U32, XL_I64, XL_U64, XL_F32, XL_F64};
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (size_t t = 0; t < COUNT(types); ++t)
        for (size_t c = 0; c < COUNT(by_hand); ++c) {
            uint64_t values[8];
            uint32_t got[14];
            xl_histogram_desc desc = even(types[t], by_hand[c].bins);
            const bool real = types[t] == XL_F32 || types[t] == XL_F64;
            if ((types[t] == XL_F64 && !info.has_fp64) || (xlt_few_programs() && (t + c) % 3 != 0))
                continue;
            for (size_t i = 0; i < 8; ++i)
                put_number(values, i, types[t], (int64_t)i);
            desc.lower = real ? by_hand[c].lower : 0;
            desc.upper = real ? by_hand[c].upper : 0;
            desc.lower_integer = real ? 0 : by_hand[c].lower;
            desc.upper_integer = real ? 0 : by_hand[c].upper;
            count(&desc, 8, values, got);
            same(xl_type_name(types[t]), got, by_hand[c].counts, by_hand[c].bins);
        }
}

/* ---- whole ranges of integers ---- */

static const struct {
    xl_type type;
    int64_t lower, upper;
    uint32_t bins;
} ranges[] = {
    {XL_I8, -128, 128, 256},
    {XL_I8, -128, 128, 12},
    {XL_I8, -128, 127, 255},
    {XL_I8, -128, 128, 65535},
    {XL_U8, 0, 256, 65535},
    {XL_I16, -32768, 32768, 256},
    {XL_I16, -32768, 32768, 65536},
    {XL_I16, -32768, 32768, 65535},
    {XL_I16, -32768, 32767, 65535},
    {XL_U16, 0, 65536, 65535},
    {XL_I32, INT32_MIN, (int64_t)INT32_MAX + 1, 256},
    {XL_I32, INT32_MIN, (int64_t)INT32_MAX + 1, 65535},
    {XL_I32, INT32_MIN, INT32_MAX, 65536},
    {XL_I32, INT32_MIN, (int64_t)INT32_MAX + 1, 1 << 20},
    {XL_U32, 0, (int64_t)UINT32_MAX + 1, 65535},
};

/* Of types of at most two bytes all values; else the first value of each of some bins, its
 * neighbours, and both ends of the type. */
static size_t values_of(size_t c, int64_t *values)
{
    const size_t bytes = xl_type_size(ranges[c].type);
    const uint64_t width = (uint64_t)(ranges[c].upper - ranges[c].lower);
    const uint64_t all = UINT64_C(1) << (8 * bytes), bins = ranges[c].bins;
    const int64_t least =
        ranges[c].type == XL_U32 || ranges[c].type == XL_U16 || ranges[c].type == XL_U8
            ? 0
            : -(int64_t)(all / 2);
    size_t n = 0;
    for (uint64_t i = 0; bytes < 4 && i < all; ++i)
        values[n++] = least + (int64_t)i;
    if (n > 0)
        return n;
    values[n++] = least;
    values[n++] = least + (int64_t)(all - 1);
    for (uint64_t b = 1; b < bins; b += bins / 5000 + 1) {
        const int64_t edge = ranges[c].lower + (int64_t)((b * width + bins - 1) / bins);
        for (int64_t x = edge - 1; x <= edge + 1; ++x)
            values[n++] = x;
    }
    return n;
}

static void whole_ranges(void **state)
{
    (void)state;
    enum { MOST = 1 << 16 };
    int64_t *const values = calloc(MOST, sizeof *values);
    void *const in = calloc(MOST, 4);
    uint32_t *const got = calloc(1 << 20, 4), *const wanted = calloc(1 << 20, 4);
    assert_true(values && in && got && wanted);
    for (size_t c = 0; c < COUNT(ranges); ++c) {
        xl_histogram_desc desc = even(ranges[c].type, ranges[c].bins);
        const size_t n = values_of(c, values);
        if (xlt_on_oclgrind() && c % 5 != 0)
            continue;
        desc.lower_integer = ranges[c].lower;
        desc.upper_integer = ranges[c].upper;
        memset(wanted, 0, ranges[c].bins * sizeof *wanted);
        for (size_t i = 0; i < n; ++i) {
            put_number(in, i, ranges[c].type, values[i]);
            if (values[i] >= ranges[c].lower && values[i] < ranges[c].upper)
                ++wanted[(uint64_t)(values[i] - ranges[c].lower) * ranges[c].bins /
                         (uint64_t)(ranges[c].upper - ranges[c].lower)];
        }
        count(&desc, n, in, got);
        same(xl_type_name(ranges[c].type), got, wanted, ranges[c].bins);
    }
    free(values);
    free(in);
    free(got);
    free(wanted);
}

/* ---- floating-point numbers beside exact edges ---- */

/* 65,535 bins of width 1/2: each edge, and the numbers beside it. The scale is 2, exactly. */
static void numbers_beside_edges(void **state)
{
    (void)state;
    enum { BINS = 65535 };
    const size_t step = xlt_on_oclgrind() ? 4001 : 1;
    float *const in = calloc(3 * (BINS + 1), sizeof *in);
    uint32_t *const got = calloc(BINS, 4), *const wanted = calloc(BINS, 4);
    size_t n = 0;
    assert_true(in && got && wanted);
    for (size_t b = 0; b <= BINS; b += step) {
        const float edge = (float)b / 2;
        in[n++] = b > 0 ? nextafterf(edge, 0) : -1; /* a denormal may count as 0 */
        in[n++] = edge; /* the first number of bin b; the last edge is outside */
        in[n++] = nextafterf(edge, INFINITY);
        if (b > 0)
            ++wanted[b - 1];
        if (b < BINS)
            wanted[b] += 2;
    }
    xl_histogram_desc desc = even(XL_F32, BINS);
    desc.lower = 0;
    desc.upper = BINS / 2.0;
    count(&desc, n, in, got);
    same("beside edges", got, wanted, BINS);
    free(in);
    free(got);
    free(wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_values),
        cmocka_unit_test(whole_ranges),
        cmocka_unit_test(numbers_beside_edges),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}
