/* SPDX-License-Identifier: MIT
 * Types and operators as plain C: a function each, in a table. */
#include "reference.h"

#include <math.h>
#include <string.h>

size_t ref_type_size(xl_type type)
{
    static const uint8_t sizes[] = {
        [XL_I8] = 1,  [XL_U8] = 1,  [XL_I16] = 2, [XL_U16] = 2, [XL_I32] = 4, [XL_U32] = 4,
        [XL_I64] = 8, [XL_U64] = 8, [XL_F16] = 2, [XL_F32] = 4, [XL_F64] = 8};
    const unsigned scalar = (unsigned)type & 0xff, lanes = (unsigned)type >> 8;
    if (scalar > XL_F64 || lanes > 4)
        return 0;
    return sizes[scalar] * (size_t)(lanes == 0 ? 1 : lanes == 3 ? 4 : lanes);
}

/* ---- operators ------------------------------------------------------------ */

#define BINARY(name, type, expression)                                                             \
    static void name(void *to, const void *left, const void *right)                                \
    {                                                                                              \
        type a, b, r;                                                                              \
        memcpy(&a, left, sizeof a);                                                                \
        memcpy(&b, right, sizeof b);                                                               \
        r = (type)(expression);                                                                    \
        memcpy(to, &r, sizeof r);                                                                  \
    }

/* Sums and products wrap: they are made in `wide`, which is unsigned. */
#define INTEGER(type, wide, suffix)                                                                \
    BINARY(sum_##suffix, type, (wide)a + (wide)b)                                                  \
    BINARY(prod_##suffix, type, (wide)a *(wide)b)                                                  \
    BINARY(min_##suffix, type, b < a ? b : a)                                                      \
    BINARY(max_##suffix, type, b > a ? b : a)                                                      \
    BINARY(and_##suffix, type, a &b)                                                               \
    BINARY(or_##suffix, type, a | b)                                                               \
    BINARY(xor_##suffix, type, a ^ b)

INTEGER(int8_t, uint32_t, i8)
INTEGER(uint8_t, uint32_t, u8)
INTEGER(int16_t, uint32_t, i16)
INTEGER(uint16_t, uint32_t, u16)
INTEGER(int32_t, uint32_t, i32)
INTEGER(uint32_t, uint32_t, u32)
INTEGER(int64_t, uint64_t, i64)
INTEGER(uint64_t, uint64_t, u64)

/* Minimum and maximum skip NaN and keep the earlier of equal numbers. */
#define FLOATING(type, suffix)                                                                     \
    BINARY(sum_##suffix, type, a + b)                                                              \
    BINARY(prod_##suffix, type, a *b)                                                              \
    BINARY(min_##suffix, type, b < a || isnan(a) ? b : a)                                          \
    BINARY(max_##suffix, type, b > a || isnan(a) ? b : a)

FLOATING(float, f32)
FLOATING(double, f64)

double ref_half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent > 0 ? ldexp(1024 + fraction, exponent - 25) : fraction * 0x1p-24;
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    return half & 0x8000 ? -size : size;
}

uint16_t ref_half_of(double x)
{
    const unsigned sign = signbit(x) ? 0x8000u : 0u;
    const double size = fabs(x);
    int exponent = 0;
    if (isnan(x))
        return (uint16_t)(sign | 0x7e00u);
    if (size >= 65520)
        return (uint16_t)(sign | 0x7c00u);
    if (size < 0x1p-14)
        return (uint16_t)(sign | (unsigned)rint(size * 0x1p24));
    /* From 1024 to 2048, which carries into the exponent. */
    const unsigned significand = (unsigned)rint(frexp(size, &exponent) * 2048);
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + significand - 1024u));
}

/* A sum or product of two halves is exact enough in f32 for the second rounding to be right. */
#define HALF(name, of_float)                                                                       \
    static void name(void *to, const void *left, const void *right)                                \
    {                                                                                              \
        uint16_t bits;                                                                             \
        float a, b;                                                                                \
        memcpy(&bits, left, sizeof bits);                                                          \
        a = (float)ref_half_value(bits);                                                           \
        memcpy(&bits, right, sizeof bits);                                                         \
        b = (float)ref_half_value(bits);                                                           \
        of_float(&a, &a, &b);                                                                      \
        bits = ref_half_of((double)a);                                                             \
        memcpy(to, &bits, sizeof bits);                                                            \
    }
HALF(sum_f16, sum_f32)
HALF(prod_f16, prod_f32)
HALF(min_f16, min_f32)
HALF(max_f16, max_f32)

#define INTEGER_ROW(suffix)                                                                        \
    {                                                                                              \
        [XL_SUM] = sum_##suffix, [XL_PROD] = prod_##suffix, [XL_MIN] = min_##suffix,               \
        [XL_MAX] = max_##suffix, [XL_AND] = and_##suffix, [XL_OR] = or_##suffix,                   \
        [XL_XOR] = xor_##suffix                                                                    \
    }
#define FLOATING_ROW(suffix)                                                                       \
    {                                                                                              \
        [XL_SUM] = sum_##suffix, [XL_PROD] = prod_##suffix, [XL_MIN] = min_##suffix,               \
        [XL_MAX] = max_##suffix                                                                    \
    }

ref_op *ref_op_of(xl_type scalar, xl_op op)
{
    static ref_op *const ops[][XL_XOR + 1] = {
        [XL_I8] = INTEGER_ROW(i8),    [XL_U8] = INTEGER_ROW(u8),    [XL_I16] = INTEGER_ROW(i16),
        [XL_U16] = INTEGER_ROW(u16),  [XL_I32] = INTEGER_ROW(i32),  [XL_U32] = INTEGER_ROW(u32),
        [XL_I64] = INTEGER_ROW(i64),  [XL_U64] = INTEGER_ROW(u64),  [XL_F16] = FLOATING_ROW(f16),
        [XL_F32] = FLOATING_ROW(f32), [XL_F64] = FLOATING_ROW(f64),
    };
    const bool known = scalar >= XL_I8 && scalar <= XL_F64 && op >= XL_SUM && op <= XL_XOR;
    return known ? ops[scalar][op] : NULL;
}

/* ---- identities ------------------------------------------------------------ */

/* One lane of the operator's identity. The identity of a sum of floats is -0, which leaves
 * every number as it is; an exclusive scan starts from 0. */
static void lane_identity(xl_type scalar, xl_op op, bool inclusive, unsigned char *to)
{
    const size_t bytes = ref_type_size(scalar);
    const bool is_signed =
        scalar == XL_I8 || scalar == XL_I16 || scalar == XL_I32 || scalar == XL_I64;
    const float infinite = op == XL_MIN ? INFINITY : -INFINITY;
    const float value = op == XL_SUM ? (inclusive ? -0.0f : 0.0f) : op == XL_PROD ? 1.0f : infinite;
    const double wide = (double)value;
    const uint16_t half = ref_half_of(wide);
    uint64_t whole = op == XL_PROD ? 1 : op == XL_MIN || op == XL_AND ? UINT64_MAX : 0;
    /* Two's complement, least byte first: the ends of a signed type's range. */
    if (is_signed && (op == XL_MIN || op == XL_MAX)) {
        const uint64_t top = (uint64_t)1 << (8 * bytes - 1);
        whole = op == XL_MIN ? top - 1 : top;
    }
    if (scalar == XL_F16)
        memcpy(to, &half, bytes);
    else if (scalar == XL_F32)
        memcpy(to, &value, bytes);
    else if (scalar == XL_F64)
        memcpy(to, &wide, bytes);
    else
        memcpy(to, &whole, bytes);
}

void ref_flat_of(ref_flat *ref, xl_type type, xl_op op, bool inclusive, const void *init)
{
    const xl_type scalar = (xl_type)((unsigned)type & 0xff);
    const size_t bytes = ref_type_size(type);
    *ref = (ref_flat){.op_name = op,
                      .scalar = scalar,
                      .lanes = (unsigned)type >> 8 ? (unsigned)type >> 8 : 1,
                      .lane_bytes = ref_type_size(scalar),
                      .bytes = bytes,
                      .in_bytes = bytes,
                      .out_bytes = bytes,
                      .op = ref_op_of(scalar, op),
                      .init = init,
                      .inclusive = inclusive};
    for (size_t lane = 0; ref->op && lane < ref->lanes; ++lane)
        lane_identity(scalar, op, ref->inclusive, ref->room + lane * ref->lane_bytes);
    ref->identity = ref->room;
}

/* ---- elements ---------------------------------------------------------------- */

void ref_combine(const ref_flat *ref, unsigned char *to, const unsigned char *a,
                 const unsigned char *b)
{
    for (size_t lane = 0; lane < ref->lanes; ++lane)
        ref->op(to + lane * ref->lane_bytes, a + lane * ref->lane_bytes,
                b + lane * ref->lane_bytes);
}

/* Loads element i. */
void ref_take(const ref_flat *ref, const void *in, size_t i, unsigned char *to)
{
    const unsigned char *x = (const unsigned char *)in + i * ref->in_bytes;
    if (ref->load)
        ref->load(to, x, i);
    else
        memcpy(to, x, ref->bytes);
}

void ref_give(const ref_flat *ref, const unsigned char *result, size_t i, void *out)
{
    unsigned char *to = (unsigned char *)out + i * ref->out_bytes;
    if (ref->store)
        ref->store(to, result, i);
    else
        memcpy(to, result, ref->bytes);
}
