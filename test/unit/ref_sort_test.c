/* SPDX-License-Identifier: MIT
 * The reference for sorts, compared with arrays made by hand. */
#include "reference.h"
#include "xlt.h"

#include <math.h>
#include <string.h>

/* Keys in ascending order, as their bits. */
typedef struct row {
    xl_type type;
    size_t count;
    uint64_t keys[22];
} row;

/* -inf, numbers, -0, +0, numbers, +inf; then NaNs, in ascending order without a sign and in
 * descending order with one. */
static const row rows[] = {
    {XL_F16, 20, {0xfc00, 0xfbff, 0xbc00, 0x8400, 0x83ff, 0x8001, 0x8000, 0x0000, 0x0001, 0x03ff,
                  0x0400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0xffff, 0xfe00, 0xfc01}},
    {XL_F32, 20, {0xff800000, 0xff7fffff, 0xbf800000, 0x80800000, 0x807fffff,
                  0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x007fffff,
                  0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001,
                  0x7fc00000, 0x7fffffff, 0xffffffff, 0xffc00000, 0xff800001}},
    {XL_F64, 20, {0xfff0000000000000, 0xffefffffffffffff, 0xbff0000000000000, 0x8010000000000000,
                  0x800fffffffffffff, 0x8000000000000001, 0x8000000000000000, 0x0000000000000000,
                  0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
                  0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
                  0x7fffffffffffffff, 0xffffffffffffffff, 0xfff8000000000000, 0xfff0000000000001}},
    {XL_I8, 6, {0x80, 0x81, 0xff, 0x00, 0x01, 0x7f}},
    {XL_U8, 6, {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff}},
    {XL_I16, 7, {0x8000, 0x80ff, 0xffff, 0x0000, 0x0001, 0x0100, 0x7fff}},
    {XL_U16, 7, {0x0000, 0x0001, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xffff}},
    {XL_I32, 6, {0x80000000, 0x80000001, 0xffffffff, 0x00000000, 0x00010000, 0x7fffffff}},
    {XL_U32, 6, {0x00000000, 0x00000001, 0x00010000, 0x7fffffff, 0x80000000, 0xffffffff}},
    {XL_I64,
     6,
     {0x8000000000000000, 0xfffffffeffffffff, 0xffffffffffffffff, 0, 0x100000000,
      0x7fffffffffffffff}},
    {XL_U64,
     6,
     {0, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff}},
};
enum { ROWS = sizeof rows / sizeof rows[0], MOST = 3 * 22 };

/* A key among others of its type, in the host's order of bytes. */
static void key_put(void *keys, size_t i, size_t size, uint64_t key)
{
    const uint8_t one = (uint8_t)key;
    const uint16_t two = (uint16_t)key;
    const uint32_t four = (uint32_t)key;
    const void *from = size == 1   ? &one
                       : size == 2 ? (const void *)&two
                       : size == 4 ? (const void *)&four
                                   : (const void *)&key;
    memcpy((unsigned char *)keys + i * size, from, size);
}

static void check_row(const row *r, bool descending, size_t first, size_t step)
{
    const size_t size = xl_type_size(r->type), n = 2 * r->count;
    unsigned char keys[MOST * 8], wanted[MOST * 8];
    uint32_t values[MOST];
    /* Twice, from the `first` on, each `step`-th: all come, as `step` and the count share nothing.
     */
    for (size_t i = 0; i < n; ++i) {
        values[i] = (uint32_t)i;
        key_put(keys, i, size, r->keys[(first + i * step) % r->count]);
        key_put(wanted, i, size, r->keys[descending ? r->count - 1 - i / 2 : i / 2]);
    }
    assert_true(ref_sort(r->type, descending, n, keys, values));
    if (memcmp(keys, wanted, n * size) != 0)
        XLT_FAIL("%s, %s, from %zu by %zu", xl_type_name(r->type),
                 descending ? "descending" : "ascending", first, step);
    for (size_t i = 0; i < n; ++i) { /* values go with their keys, equal ones in their order */
        key_put(wanted, 0, size, r->keys[(first + values[i] * step) % r->count]);
        assert_memory_equal(keys + i * size, wanted, size);
        if (i % 2 == 1)
            assert_int_equal(values[i], values[i - 1] + r->count);
    }
}

XLT_TEST(arrays_made_by_hand)
{
    for (size_t k = 0; k < ROWS; ++k)
        for (size_t first = 0; first < rows[k].count; ++first) {
            check_row(&rows[k], false, first, rows[k].count - 1);
            check_row(&rows[k], true, first, 1);
            check_row(&rows[k], first % 2 == 0, first, 11 % rows[k].count == 0 ? 1 : 11);
        }
}

/* Numbers are in the order that C gives them. */
XLT_TEST(numbers_in_order)
{
    for (size_t k = 1; k < rows[1].count; ++k) {
        float a, b;
        double c, d;
        const uint32_t before = (uint32_t)rows[1].keys[k - 1], after = (uint32_t)rows[1].keys[k];
        memcpy(&a, &before, sizeof a);
        memcpy(&b, &after, sizeof b);
        memcpy(&c, &rows[2].keys[k - 1], sizeof c);
        memcpy(&d, &rows[2].keys[k], sizeof d);
        assert_int_equal(a <= b, !isnan(b));
        assert_int_equal(c <= d, !isnan(d));
        assert_int_equal(ref_half_value((uint16_t)rows[0].keys[k - 1]) <=
                             ref_half_value((uint16_t)rows[0].keys[k]),
                         rows[0].keys[k] % 0x8000 <= 0x7c00);
    }
}

XLT_MAIN(NULL, NULL)
