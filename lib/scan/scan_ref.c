/* SPDX-License-Identifier: MIT
 * Scans and reductions as plain C: one loop, and a table of operators. */
#include "scan_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- operators ------------------------------------------------------------ */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static float from_half(uint16_t half)
{
    const unsigned exponent = half >> 10 & 31, fraction = half & 1023;
    float x;
    if (exponent == 31)
        x = fraction ? NAN : INFINITY;
    else
        x = exponent ? ldexpf((float)(fraction + 1024), (int)exponent - 25)
                     : ldexpf((float)fraction, -24);
    return half >> 15 ? -x : x;
}

/* To the nearest, ties to even: scaled so that the last bit of a half is a one, rintf()
 * rounds as IEEE 754 says. A sum or product of two halves is exact enough in f32 for the
 * second rounding to be right. */
static uint16_t to_half(float x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    if (isnan(x))
        return 0x7e00;
    const float size = fabsf(x);
    if (size >= 65520.0f)
        return sign | 0x7c00;
    (void)frexpf(size, &exponent);
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    const unsigned whole = (unsigned)rintf(ldexpf(size, -unit));
    /* `whole` may be 2048: then it carries into the exponent by itself. */
    return (uint16_t)(sign | (whole < 1024 ? whole : whole - 1024 + ((unsigned)(unit + 25) << 10)));
}

#define HALF(name, of_float)                                                                       \
    static void name(void *to, const void *left, const void *right)                                \
    {                                                                                              \
        uint16_t bits;                                                                             \
        float a, b;                                                                                \
        memcpy(&bits, left, sizeof bits);                                                          \
        a = from_half(bits);                                                                       \
        memcpy(&bits, right, sizeof bits);                                                         \
        b = from_half(bits);                                                                       \
        of_float(&a, &a, &b);                                                                      \
        bits = to_half(a);                                                                         \
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

xli_ref_op *xli_ref_op_of(xl_type scalar, xl_op op)
{
    static xli_ref_op *const ops[][XL_XOR + 1] = {
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
    const size_t bytes = xl_type_size(scalar);
    const bool is_signed =
        scalar == XL_I8 || scalar == XL_I16 || scalar == XL_I32 || scalar == XL_I64;
    const float infinite = op == XL_MIN ? INFINITY : -INFINITY;
    const float value = op == XL_SUM ? (inclusive ? -0.0f : 0.0f) : op == XL_PROD ? 1.0f : infinite;
    const double wide = (double)value;
    const uint16_t half = to_half(value);
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

void xli_ref_of(xli_ref *ref, xl_type type, xl_op op, xl_scan_kind kind, const void *init)
{
    const xl_type scalar = (xl_type)((unsigned)type & 0xff);
    const size_t bytes = xl_type_size(type);
    *ref = (xli_ref){.op_name = op,
                     .scalar = scalar,
                     .lanes = (unsigned)type >> 8 ? (unsigned)type >> 8 : 1,
                     .lane_bytes = xl_type_size(scalar),
                     .bytes = bytes,
                     .in_bytes = bytes,
                     .out_bytes = bytes,
                     .op = xli_ref_op_of(scalar, op),
                     .init = init,
                     .inclusive = kind == XL_INCLUSIVE};
    for (size_t lane = 0; ref->op && lane < ref->lanes; ++lane)
        lane_identity(scalar, op, ref->inclusive, ref->room + lane * ref->lane_bytes);
    ref->identity = ref->room;
}

/* ---- segments ---------------------------------------------------------------- */

static uint64_t integer_at(const void *array, size_t bytes, size_t i)
{
    uint64_t x = 0;
    memcpy(&x, (const unsigned char *)array + i * bytes, bytes);
    return x;
}

void xli_ref_heads(xl_segments kind, xl_type segment_type, uint64_t width, uint64_t mask,
                   const void *segments, size_t count, size_t n, uint8_t *heads)
{
    const size_t bytes = xl_type_size(segment_type);
    memset(heads, 0, n);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t at = width > 0 ? i % width : 0;
        if (kind == XL_SEGMENTS_HEAD_FLAGS)
            heads[i] = ((const uint8_t *)segments)[i] != 0;
        else if (kind == XL_SEGMENTS_FLAG_BITMASK)
            heads[i] = integer_at(segments, 4, i / 32) >> i % 32 & 1;
        else if (kind == XL_SEGMENTS_KEYS)
            heads[i] =
                i > 0 && integer_at(segments, bytes, i - 1) != integer_at(segments, bytes, i);
        else if (kind == XL_SEGMENTS_WIDTH)
            heads[i] = at == 0;
        else if (kind == XL_SEGMENTS_MASK)
            heads[i] = at == 0 || (mask >> at & 1);
    }
    if (kind == XL_SEGMENTS_OFFSETS)
        for (size_t s = 0; s < count; ++s) {
            const uint64_t at = integer_at(segments, bytes, s);
            if (at < n)
                heads[at] = 1;
        }
    if (n > 0)
        heads[0] = 1;
}

/* ---- scan and reduce ----------------------------------------------------------- */

static void combine(const xli_ref *ref, unsigned char *to, const unsigned char *a,
                    const unsigned char *b)
{
    for (size_t lane = 0; lane < ref->lanes; ++lane)
        ref->op(to + lane * ref->lane_bytes, a + lane * ref->lane_bytes,
                b + lane * ref->lane_bytes);
}

/* What is scanned of element i. */
static void take(const xli_ref *ref, const void *in, size_t i, unsigned char *to)
{
    const unsigned char *x = (const unsigned char *)in + i * ref->in_bytes;
    if (ref->load)
        ref->load(to, x, i);
    else
        memcpy(to, x, ref->bytes);
}

static void give(const xli_ref *ref, const unsigned char *result, size_t i, void *out)
{
    unsigned char *to = (unsigned char *)out + i * ref->out_bytes;
    if (ref->store)
        ref->store(to, result, i);
    else
        memcpy(to, result, ref->bytes);
}

void xli_ref_scan(const xli_ref *ref, size_t n, const void *in, const uint8_t *heads, void *out)
{
    const void *start = ref->init ? ref->init : ref->identity;
    unsigned char x[XLI_REF_MOST_BYTES], sum[XLI_REF_MOST_BYTES] = {0}, next[XLI_REF_MOST_BYTES];
    bool some = false; /* whether `sum` holds anything */
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || (heads && heads[i])) {
            some = start != NULL;
            if (start)
                memcpy(sum, start, ref->bytes);
        }
        take(ref, in, i, x);
        memcpy(next, x, ref->bytes);
        if (some)
            combine(ref, next, sum, x);
        some = true;
        give(ref, ref->inclusive ? next : sum, i, out);
        memcpy(sum, next, ref->bytes);
    }
}

static bool is_nan(xl_type scalar, const unsigned char *x)
{
    float f;
    double d;
    uint16_t half;
    if (scalar == XL_F16)
        return memcpy(&half, x, sizeof half), isnan(from_half(half));
    if (scalar == XL_F32)
        return memcpy(&f, x, sizeof f), isnan(f);
    return scalar == XL_F64 && (memcpy(&d, x, sizeof d), isnan(d));
}

/* The index of the first least (or greatest) element of [begin, end). */
static uint64_t best_of(const xli_ref *ref, const void *in, uint64_t begin, uint64_t end)
{
    xli_ref_op *choose = xli_ref_op_of(ref->scalar, ref->op_name == XL_ARG_MIN ? XL_MIN : XL_MAX);
    unsigned char best[XLI_REF_MOST_BYTES], x[XLI_REF_MOST_BYTES], kept[XLI_REF_MOST_BYTES];
    uint64_t index = UINT64_MAX;
    for (uint64_t i = begin; i < end; ++i) {
        take(ref, in, i, x);
        if (is_nan(ref->scalar, x))
            continue;
        if (index != UINT64_MAX) {
            choose(kept, best, x);
            if (memcmp(kept, best, ref->bytes) == 0)
                continue;
        }
        memcpy(best, x, ref->bytes);
        index = i;
    }
    return index;
}

void xli_ref_reduce(const xli_ref *ref, const void *in, const uint64_t *begin, size_t count,
                    void *out)
{
    const void *start = ref->init ? ref->init : ref->identity;
    unsigned char x[XLI_REF_MOST_BYTES], sum[XLI_REF_MOST_BYTES] = {0};
    for (size_t s = 0; s < count; ++s) {
        bool some = start != NULL;
        if (ref->op_name == XL_ARG_MIN || ref->op_name == XL_ARG_MAX) {
            ((uint64_t *)out)[s] = best_of(ref, in, begin[s], begin[s + 1]);
            continue;
        }
        if (start)
            memcpy(sum, start, ref->bytes);
        /* A sum of nothing is 0, not the -0 that changes no number. */
        if (begin[s] == begin[s + 1] && !ref->init && ref->op_name == XL_SUM)
            memset(sum, 0, ref->bytes);
        for (uint64_t i = begin[s]; i < begin[s + 1]; ++i) {
            take(ref, in, i, x);
            if (some)
                combine(ref, sum, sum, x);
            else
                memcpy(sum, x, ref->bytes);
            some = true;
        }
        give(ref, sum, s, out);
    }
}

bool xli_scan_reference(const xl_scan_desc *desc, size_t n, const void *in, const void *segments,
                        size_t count, void *out)
{
    xli_ref ref;
    uint8_t *heads = NULL;
    xli_ref_of(&ref, desc->type, desc->op, desc->kind, desc->init);
    if (!ref.op || desc->load || desc->store || desc->init_view.buffer)
        return false;
    if (desc->segments != XL_SEGMENTS_NONE) {
        heads = malloc(n + 1);
        if (!heads)
            return false;
        xli_ref_heads(desc->segments, desc->segment_type, desc->segment_width, desc->segment_mask,
                      segments, count, n, heads);
    }
    xli_ref_scan(&ref, n, in, heads, out);
    free(heads);
    return true;
}
