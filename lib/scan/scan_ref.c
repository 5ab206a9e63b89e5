/* SPDX-License-Identifier: MIT
 * The scan as plain C: one loop per type, written for being right. */
#include "scan_ref.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The operators as types.h states them. A sum is made in `wrap`, which is unsigned
 * for signed integers. */
#define OP(type, wrap, op, a, b)                                                                   \
    ((op) == XL_SUM   ? (type)((wrap)(a) + (wrap)(b))                                              \
     : (op) == XL_MIN ? ((b) < (a) || (a) != (a) ? (b) : (a))                                      \
                      : ((b) > (a) || (a) != (a) ? (b) : (a)))

#define SCAN(name, type, wrap, lowest, highest)                                                    \
    static void name(const xl_scan_desc *desc, size_t n, const void *in_bytes, void *out_bytes)    \
    {                                                                                              \
        const type *in = in_bytes;                                                                 \
        type *out = out_bytes;                                                                     \
        /* -0 leaves every first element as it is, 0 does not. */                                  \
        const type zero = (type)(desc->kind == XL_INCLUSIVE ? -0.0 : 0.0);                         \
        type sum = desc->op == XL_SUM ? zero : desc->op == XL_MIN ? (highest) : (lowest);          \
        if (desc->init)                                                                            \
            memcpy(&sum, desc->init, sizeof sum);                                                  \
        for (size_t i = 0; i < n; ++i) {                                                           \
            type x = in[i], next = OP(type, wrap, desc->op, sum, x);                               \
            out[i] = desc->kind == XL_INCLUSIVE ? next : sum;                                      \
            sum = next;                                                                            \
        }                                                                                          \
    }

SCAN(scan_u32, uint32_t, uint32_t, 0, UINT32_MAX)
SCAN(scan_i32, int32_t, uint32_t, INT32_MIN, INT32_MAX)
SCAN(scan_u64, uint64_t, uint64_t, 0, UINT64_MAX)
SCAN(scan_i64, int64_t, uint64_t, INT64_MIN, INT64_MAX)
SCAN(scan_f32, float, float, -INFINITY, INFINITY)
SCAN(scan_f64, double, double, -(double)INFINITY, (double)INFINITY)

void xli_scan_reference(const xl_scan_desc *desc, size_t n, const void *in, void *out)
{
    static void (*const scans[])(const xl_scan_desc *, size_t, const void *, void *) = {
        [XL_I32] = scan_i32, [XL_U32] = scan_u32, [XL_I64] = scan_i64,
        [XL_U64] = scan_u64, [XL_F32] = scan_f32, [XL_F64] = scan_f64,
    };
    const size_t type = (size_t)desc->type;
    const bool known = desc->op == XL_SUM || desc->op == XL_MIN || desc->op == XL_MAX;
    if (known && type < sizeof scans / sizeof scans[0] && scans[type])
        scans[type](desc, n, in, out);
}
