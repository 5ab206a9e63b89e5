/* SPDX-License-Identifier: MIT
 * The amount that an element adds to its bin, and counters of amounts. XL_HISTOGRAM_ADDS selects
 * it:
 *   0  each element counts 1
 *   1  an integer weight, modulo 2^bits of the counter
 *   2  the exponent of a floating-point weight; the counter keeps the greatest one
 *   3  a floating-point weight as a number of steps. All weights of a bin have the same step, which
 *      the greatest exponent in the bin and the number of elements determine
 * All amounts are integers. Therefore the order of the elements has no effect on the result. */
#ifndef XL_HISTOGRAM_AMOUNT
#define XL_HISTOGRAM_AMOUNT

#include "../prelude/prelude.cl"

/* The bin of an element outside all bins. */
#define XL_NO_BIN 0xffffffffu

#if XL_COUNTER_BYTES == 16
typedef ulong2 xl_counter; /* x is the lower half */
#elif XL_COUNTER_BYTES == 8
typedef ulong xl_counter;
#else
typedef uint xl_counter;
#endif
#define XL_COUNTER_WORDS (XL_COUNTER_BYTES / 4)

/* A counter in local memory. A group counts fewer than 2^32 elements. */
#if XL_HISTOGRAM_ADDS == 0
typedef uint xl_amount;
#define XL_AMOUNT_WORDS 1
#else
typedef xl_counter xl_amount;
#define XL_AMOUNT_WORDS XL_COUNTER_WORDS
#endif

/* ---- counters ---- */

/* Two amounts of one bin as one. */
#if XL_HISTOGRAM_ADDS == 2
#define XL_JOINED(a, b) max((a), (b))
#elif XL_COUNTER_BYTES == 16
xl_counter xl_sum_of(xl_counter a, xl_counter b)
{
    const ulong low = a.x + b.x;
    return (xl_counter)(low, a.y + b.y + (low < a.x ? 1 : 0));
}
#define XL_JOINED(a, b) xl_sum_of((a), (b))
#else
#define XL_JOINED(a, b) ((a) + (b))
#endif

/* Word `w` of a counter; word 0 is the lowest. */
uint xl_counter_word(xl_counter x, uint w)
{
#if XL_COUNTER_BYTES == 16
    return (uint)((w < 2 ? x.x : x.y) >> 32 * (w & 1));
#elif XL_COUNTER_BYTES == 8
    return (uint)(x >> 32 * w);
#else
    return x;
#endif
}

/* Defines a function that adds an amount to a counter while other work-items do the same. The
 * counter has `words` words, and word w is to[PLACE(w, step)]. A word that wraps carries into the
 * next one: not every device has atomics of 64 bits. */
#if XL_HISTOGRAM_ADDS == 2
#define XL_DEFINE_ADD(name, space, words, PLACE)                                                   \
    void name(volatile space uint *to, uint step, xl_counter by)                                   \
    {                                                                                              \
        if (by > 0)                                                                                \
            atomic_max(to, by);                                                                    \
    }
#else
#define XL_DEFINE_ADD(name, space, words, PLACE)                                                   \
    void name(volatile space uint *to, uint step, xl_counter by)                                   \
    {                                                                                              \
        uint carry = 0;                                                                            \
        _Pragma("unroll") for (uint w = 0; w < (words); ++w)                                       \
        {                                                                                          \
            const uint word = xl_counter_word(by, w), sum = word + carry;                          \
            carry = sum < word ? 1 : 0;                                                            \
            if (sum != 0) {                                                                        \
                const uint old = atomic_add(to + PLACE(w, step), sum);                             \
                carry += old + sum < old ? 1 : 0;                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#endif

/* A counter in global memory is a number of the device. */
#ifdef __ENDIAN_LITTLE__
#define XL_GLOBAL_PLACE(w, step) (w)
#else
#define XL_GLOBAL_PLACE(w, step) ((w) ^ (XL_COUNTER_WORDS > 1 ? 1 : 0))
#endif
XL_DEFINE_ADD(xl_words_add, __global, XL_COUNTER_WORDS, XL_GLOBAL_PLACE)

void xl_counter_add(volatile __global uint *words, uint bin, xl_counter by)
{
    xl_words_add(words + (size_t)bin * XL_COUNTER_WORDS, 1, by);
}

/* ---- weights ---- */

#if XL_HISTOGRAM_ADDS == 0
#define XL_WEIGHTS_ARGUMENTS
#define XL_WEIGHTS_MAKE(w, first, n)
#elif XL_HISTOGRAM_ADDS < 3
#define XL_WEIGHTS_ARGUMENTS , const __global XL_WEIGHT *weights, ulong weights_offset
#define XL_WEIGHTS_MAKE(w, first, n) (w).weight = weights + weights_offset + (first);
#else
#define XL_WEIGHTS_ARGUMENTS                                                                       \
    , const __global XL_WEIGHT *weights, ulong weights_offset, const __global uint *exponents,     \
        ulong exponents_offset
#define XL_WEIGHTS_MAKE(w, first, n)                                                               \
    (w).weight = weights + weights_offset + (first);                                               \
    (w).exponent = exponents + exponents_offset;                                                   \
    (w).shift = xl_steps_shift(n);
#endif

#if XL_HISTOGRAM_ADDS >= 2

/* A floating-point number by its bits: XL_FRACTION of them are behind the leading one. */
#if XL_HISTOGRAM_WIDE
typedef ulong xl_real_bits;
#define XL_REAL_BITS(x) as_ulong((double)(x))
#define XL_REAL_OF(bits) as_double(bits)
#define XL_FRACTION 52
#define XL_SPECIAL 2047 /* the exponent of an infinity or NaN */
#else
typedef uint xl_real_bits;
#define XL_REAL_BITS(x) as_uint((float)(x))
#define XL_REAL_OF(bits) as_float(bits)
#define XL_FRACTION 23
#define XL_SPECIAL 255
#endif
#define XL_SIGN ((xl_real_bits)1 << (8 * sizeof(xl_real_bits) - 1))
#define XL_INFINITY ((xl_real_bits)XL_SPECIAL << XL_FRACTION)

/* The exponent of a bin with such weights. A bin with -inf counts its +inf instead of steps,
 * because the sum of both is NaN. */
#define XL_HAS_INFINITY XL_SPECIAL
#define XL_HAS_MINUS_INFINITY (XL_SPECIAL + 1)
#define XL_HAS_NAN (XL_SPECIAL + 2)

/* 1 for zeros and denormal numbers, which have the steps of the least normal ones. */
uint xl_exponent_of(xl_real_bits bits)
{
    const xl_real_bits size = bits & ~XL_SIGN;
    if (size > XL_INFINITY)
        return XL_HAS_NAN;
    if (bits == (XL_INFINITY | XL_SIGN))
        return XL_HAS_MINUS_INFINITY;
    return max((uint)(size >> XL_FRACTION), 1u);
}

#endif

#if XL_HISTOGRAM_ADDS == 3

/* The bits of a counter below the leading bit of the greatest weight of a bin: a sum of n such
 * weights must fit, with its sign. */
int xl_steps_shift(ulong n)
{
    const int bits_of_n = 64 - (int)clz(n);
    return 8 * XL_COUNTER_BYTES - 1 - (XL_FRACTION + 1) - bits_of_n;
}

/* x * 2^shift; fractions are rounded to the nearest integer, halves away from 0. */
xl_counter xl_shifted(ulong x, int shift)
{
    ulong low = x, high = 0;
    if (shift < 0)
        low = shift < -60 ? 0 : (x + (1ul << (-shift - 1))) >> -shift;
    else if (shift >= 64) {
        low = 0;
        high = x << (shift - 64);
    } else if (shift > 0) {
        low = x << shift;
        high = x >> (64 - shift);
    }
#if XL_COUNTER_BYTES == 16
    return (xl_counter)(low, high);
#else
    return low;
#endif
}

xl_counter xl_negative(xl_counter x)
{
#if XL_COUNTER_BYTES == 16
    return (xl_counter)(-x.x, ~x.y + (x.x == 0 ? 1 : 0));
#else
    return -x;
#endif
}

/* A weight in steps. greatest: the greatest exponent in its bin. */
xl_counter xl_steps_of(xl_real_bits bits, uint greatest, int shift)
{
    const xl_real_bits fraction = bits & (((xl_real_bits)1 << XL_FRACTION) - 1);
    const uint field = (uint)((bits & ~XL_SIGN) >> XL_FRACTION);
    const ulong digits = field > 0 ? fraction | (xl_real_bits)1 << XL_FRACTION : fraction;
    if (greatest >= XL_SPECIAL)
        return (xl_counter)(bits == XL_INFINITY ? 1 : 0);
    const xl_counter steps = xl_shifted(digits, shift - (int)greatest + (int)max(field, 1u));
    return bits & XL_SIGN ? xl_negative(steps) : steps;
}

/* The bits of x * 2^exponent, rounded to nearest, ties to even. */
xl_real_bits xl_rounded(ulong x, int exponent)
{
    const int least = XL_FRACTION == 23 ? -149 : -1074; /* of the last bit of a denormal number */
    const int drop = max(63 - (int)clz(x) - XL_FRACTION, least - exponent);
    ulong kept = x, rest = 0; /* the fraction that is dropped; half: 2^63 */
    if (drop > 64) {
        kept = 0;
    } else if (drop == 64) {
        rest = x;
        kept = 0;
    } else if (drop > 0) {
        rest = x << (64 - drop);
        kept = x >> drop;
    } else {
        kept = x << -drop;
    }
    if (rest > 1ul << 63 || (rest == 1ul << 63 && (kept & 1)))
        ++kept;
    /* A carry out of the fraction adds 1 to the exponent, as it should. */
    const ulong bits = ((ulong)(exponent + drop - least) << XL_FRACTION) + kept;
    return x == 0 ? 0 : (xl_real_bits)min(bits, (ulong)XL_INFINITY);
}

/* The bits of the sum of a bin. */
xl_real_bits xl_sum_bits(xl_counter steps, uint greatest, int shift)
{
    const int least = XL_FRACTION == 23 ? -149 : -1074;
    int exponent = (int)greatest - 1 + least - shift;
#if XL_COUNTER_BYTES == 16
    const bool negative = steps.y >> 63 != 0;
    const xl_counter size = negative ? xl_negative(steps) : steps;
    ulong x = size.x;
    if (size.y != 0) { /* keep the upper 64 bits; the last one is also 1 if a dropped bit is */
        const int drop = 64 - (int)clz(size.y);
        const bool odd = size.x << (64 - drop) != 0;
        x = (drop < 64 ? size.y << (64 - drop) | size.x >> drop : size.y) | (odd ? 1 : 0);
        exponent += drop;
    }
    const bool any = (steps.x | steps.y) != 0;
#else
    const bool negative = steps >> 63 != 0, any = steps != 0;
    const ulong x = negative ? -steps : steps;
#endif
    if (greatest == XL_HAS_INFINITY)
        return XL_INFINITY;
    if (greatest == XL_HAS_NAN || (greatest == XL_HAS_MINUS_INFINITY && any))
        return XL_INFINITY | (xl_real_bits)1 << (XL_FRACTION - 1);
    if (greatest == XL_HAS_MINUS_INFINITY)
        return XL_INFINITY | XL_SIGN;
    return xl_rounded(x, exponent) | (negative ? XL_SIGN : 0);
}

#endif

typedef struct xl_weights {
#if XL_HISTOGRAM_ADDS > 0
    const __global XL_WEIGHT *weight; /* of the chunk's elements */
#endif
#if XL_HISTOGRAM_ADDS == 3
    const __global uint *exponent; /* the greatest one of each bin */
    int shift;
#endif
    uint bins;
} xl_weights;

/* The amount of element i of the chunk, in bin `bin`. It is unused for elements outside all
 * bins. */
xl_amount xl_amount_of(const xl_weights *w, uint i, uint bin)
{
#if XL_HISTOGRAM_ADDS == 0
    return 1;
#elif XL_HISTOGRAM_ADDS == 1
    return (xl_amount)(long)XL_WEIGHT_NUMBER(w->weight[i]);
#elif XL_HISTOGRAM_ADDS == 2
    return xl_exponent_of(XL_REAL_BITS(XL_WEIGHT_NUMBER(w->weight[i])));
#else
    return xl_steps_of(XL_REAL_BITS(XL_WEIGHT_NUMBER(w->weight[i])),
                       w->exponent[min(bin, w->bins - 1)], w->shift);
#endif
}

#endif
