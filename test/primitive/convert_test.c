/* SPDX-License-Identifier: MIT
 * Scans and reductions that compute in another type than their arrays have, without an
 * expression. */
#include "xlt.h"

#include "reference.h"

#include <string.h>

enum { N = 3000, MOST_BYTES = 32 };

typedef struct types {
    xl_type load, type, store; /* store XL_NONE: type */
} types;

/* Cases with from= have scalars of one kind, without store. */
static const types rows[] = {
    {XL_U8, XL_F32, XL_NONE},       {XL_F32, XL_I32, XL_NONE},    {XL_F32, XL_F64, XL_F32},
    {XL_U8, XL_U64, XL_U32},        {XL_I8, XL_I32, XL_I16},      {XL_F16, XL_F32, XL_NONE},
    {XL_I16X3, XL_I64X3, XL_I32X3}, {XL_U8X4, XL_F32X4, XL_NONE}, {XL_U8X2, XL_U32X2, XL_NONE},
};

/* An integer as a number of that scalar type; integers wrap. */
static void put(xl_type scalar, void *to, int64_t x)
{
    const float f = (float)x;
    const double d = (double)x;
    const uint16_t h = ref_half_of(d);
    const void *const from = scalar == XL_F16   ? (const void *)&h
                             : scalar == XL_F32 ? (const void *)&f
                             : scalar == XL_F64 ? (const void *)&d
                                                : (const void *)&x;
    memcpy(to, from, xl_type_size(scalar)); /* the least byte first, as on every host we know */
}

static void put_lanes(xl_type type, void *to, const int64_t *lanes)
{
    const xl_type scalar = (xl_type)(type & 0xff);
    for (size_t k = 0; k < (size_t)(type >> 8 ? type >> 8 : 1); ++k)
        put(scalar, (char *)to + k * xl_type_size(scalar), lanes[k]);
}

/* Their sums leave the range of the array's type. None of floating-point numbers is 0, of which
 * some devices lose the sign. */
static int64_t number(xl_type type, size_t i, size_t lane)
{
    const xl_type scalar = (xl_type)(type & 0xff);
    const bool negative = scalar == XL_I8 || scalar == XL_I16;
    return 1 + (int64_t)((i * 7 + lane * 3) % 120) - (negative ? 40 : 0);
}

static bool is_refused(xl_status status)
{
    return status == XL_ERROR_UNSUPPORTED &&
           strstr(xl_context_error(xlt_context()), "cl_khr_fp") != NULL;
}

/* All lanes but the fourth of a vector of 3. */
static void same_lanes(xl_type type, const char *got, const char *wanted, size_t n)
{
    const size_t bytes = xl_type_size(type), lanes = type >> 8 ? type >> 8 : 1,
                 used = lanes * xl_type_size((xl_type)(type & 0xff));
    for (size_t i = 0; i < n; ++i)
        if (memcmp(got + i * bytes, wanted + i * bytes, used) != 0)
            XLT_FAIL("%s: element %zu is wrong", xl_type_name(type), i);
}

static void scan_row(const types *row, const xlt_buffer *in, const char *wanted)
{
    static char got[N * MOST_BYTES];
    const xl_type out = row->store ? row->store : row->type;
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = row->type;
    desc.load_type = row->load;
    desc.store_type = row->store;
    desc.kind = XL_INCLUSIVE;
    const xl_status status = xl_scan_create(xlt_context(), &desc, &plan);
    if (is_refused(status))
        return;
    XLT_OK(status);
    xlt_buffer to = xlt_buffer_make(NULL, N, xl_type_size(out), 2);
    XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                           &(xl_scan_args){.n = N, .in = xlt_view(in), .out = xlt_view(&to)}, 0,
                           NULL, NULL));
    xlt_read(&to, got);
    same_lanes(out, got, wanted, N);
    xlt_buffer_free(&to);
    xl_plan_destroy(plan);
}

static void reduce_row(const types *row, const xlt_buffer *in, const char *wanted)
{
    char got[MOST_BYTES];
    const xl_type out = row->store ? row->store : row->type;
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = row->type;
    desc.load_type = row->load;
    desc.store_type = row->store;
    const xl_status status = xl_reduce_create(xlt_context(), &desc, &plan);
    if (is_refused(status))
        return;
    XLT_OK(status);
    xlt_buffer to = xlt_buffer_make(NULL, 1, xl_type_size(out), 1);
    XLT_OK(xl_reduce_enqueue(plan, xlt_queue(),
                             &(xl_reduce_args){.n = N, .in = xlt_view(in), .out = xlt_view(&to)}, 0,
                             NULL, NULL));
    xlt_read(&to, got);
    same_lanes(out, got, wanted + (N - 1) * xl_type_size(out), 1);
    xlt_buffer_free(&to);
    xl_plan_destroy(plan);
}

XLT_TEST(sums_in_other_types)
{
    static char in[N * MOST_BYTES], wanted[N * MOST_BYTES];
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        const types *const row = &rows[r];
        const xl_type out = row->store ? row->store : row->type;
        int64_t lanes[4], sums[4] = {0};
        for (size_t i = 0; i < N; ++i) {
            for (size_t k = 0; k < 4; ++k)
                sums[k] += lanes[k] = number(row->load, i, k);
            put_lanes(row->load, in + i * xl_type_size(row->load), lanes);
            put_lanes(out, wanted + i * xl_type_size(out), sums);
        }
        xlt_buffer from = xlt_buffer_make(in, N, xl_type_size(row->load), 1);
        scan_row(row, &from, wanted);
        reduce_row(row, &from, wanted);
        xlt_buffer_free(&from);
    }
}

XLT_MAIN(NULL, xlt_teardown)
