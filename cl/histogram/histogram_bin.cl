/* SPDX-License-Identifier: MIT
 * The amount that an element adds to its bin, counters of amounts, and the bin of an element, as
 * include/crosslane/histogram.h defines it. XL_HISTOGRAM_ADDS selects the amount:
 *   0  each element counts 1
 *   1  an integer weight, modulo 2^bits of the counter
 *   2  the exponent of a floating-point weight; the counter keeps the greatest one
 *   3  a floating-point weight as a number of steps. All weights of a bin have the same step, which
 *      the greatest exponent in the bin and the number of elements determine
 * All amounts are integers. Therefore the order of the elements has no effect on the result. */
#ifndef XL_HISTOGRAM_BIN
#define XL_HISTOGRAM_BIN

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

/* ---- the bin ---- */

/* All bits if a condition holds, else 0. Compilers make a branch of ?:, which is often predicted
 * wrong. */
#define XL_ALL_IF(condition) (0 - (uint)(condition))

/* The type in which floating-point numbers are computed. */
#if XL_BINNED_KIND == 2 && XL_BINNED_BYTES == 8
typedef double xl_real;
#else
typedef float xl_real;
#endif

/* The bins that an element is compared with. */
typedef struct xl_binning {
    uint bins;
#if XL_LEVEL_BUCKETS > 0
    const __local XL_BINNED *levels;
    const __local uint *ranges; /* the levels of bucket q: from ranges[q] to ranges[q + 1] */
    XL_BINNED least, most;
#if XL_BINNED_KIND == 2
    xl_real scale;
#else
    uint shift;
#endif
#elif XL_HISTOGRAM_KIND == 2
    const __global XL_BINNED *levels;
#elif XL_HISTOGRAM_KIND == 0 && XL_BINNED_KIND == 2
    xl_real lower, upper, scale;
#elif XL_HISTOGRAM_KIND == 0
    ulong lower, span; /* modulo 2^64 */
    ulong whole,
        part; /* num_bins / span: its integer part, and 2^64 times the rest, rounded down */
#endif
#if XL_PARAM_WORDS > 0
    xl_params params; /* of the caller's expressions */
#endif
} xl_binning;

#if XL_LEVEL_BUCKETS > 0
#define XL_BINNING_ARGUMENTS                                                                       \
    , const __global XL_BINNED *levels, ulong levels_offset, __local XL_BINNED *level_room
#define XL_BINNING_MAKE(b)                                                                         \
    __local uint level_ranges[XL_LEVEL_BUCKETS + 1];                                               \
    xl_levels_stage(&(b), levels + levels_offset, level_room, level_ranges);
#elif XL_HISTOGRAM_KIND == 2
#define XL_BINNING_ARGUMENTS , const __global XL_BINNED *levels, ulong levels_offset
#define XL_BINNING_MAKE(b) (b).levels = levels + levels_offset;
#elif XL_HISTOGRAM_KIND == 0 && XL_BINNED_KIND == 2
#define XL_BINNING_ARGUMENTS , xl_real lower, xl_real upper, xl_real scale
#define XL_BINNING_MAKE(b)                                                                         \
    (b).lower = lower;                                                                             \
    (b).upper = upper;                                                                             \
    (b).scale = scale;
#elif XL_HISTOGRAM_KIND == 0
#define XL_BINNING_ARGUMENTS , ulong lower, ulong span, ulong whole, ulong part
#define XL_BINNING_MAKE(b)                                                                         \
    (b).lower = lower;                                                                             \
    (b).span = span;                                                                               \
    (b).whole = whole;                                                                             \
    (b).part = part;
#else
#define XL_BINNING_ARGUMENTS
#define XL_BINNING_MAKE(b)
#endif

#if XL_HISTOGRAM_KIND == 0 && XL_BINNED_KIND != 2
/* floor(d * rest / span) for d < span, where rest is the number of bins modulo span. d * part
 * yields this number or one less, because part is less than 1 too small. */
uint xl_bin_of_rest(const xl_binning *b, ulong d)
{
    const ulong rest = b->bins - b->whole * b->span;
#if XL_BINNED_BYTES <= 4
    /* For numbers of 32 bits, 44 bits of part are enough, and the product fits into 64 bits. */
    const ulong low = d * (b->part >> 20) >> 44, next = low + 1;
    return (uint)(next * b->span <= d * rest ? next : low);
#else
    const ulong low = mul_hi(d, b->part), next = low + 1;
    if (b->span == 0) /* 2^64: part is exact */
        return (uint)low;
    const ulong have = mul_hi(d, rest), want = mul_hi(next, b->span);
    const bool reaches = want < have || (want == have && next * b->span <= d * rest);
    return (uint)(reaches ? next : low);
#endif
}
#endif

#if XL_LEVEL_BUCKETS > 0
/* The bucket of x. It never decreases when x grows. If the levels are nearly evenly spread, few of
 * them share a bucket. */
uint xl_bucket_of(const xl_binning *b, XL_BINNED x)
{
    const uint last = XL_LEVEL_BUCKETS - 1;
#if XL_BINNED_KIND == 2
    const xl_real place = ((xl_real)x - (xl_real)b->least) * b->scale;
    return place >= 0 ? (uint)min(place, (xl_real)last) : 0; /* NaN is possible for infinities */
#else
    const ulong d = (ulong)(long)x - (ulong)(long)b->least;
    return (uint)min(d >> b->shift, (ulong)last);
#endif
}

/* Copies the levels to local memory and finds the levels of each bucket. The whole group must call
 * it; it ends with a barrier. For any levels, even unsorted ones, all ranges are valid. */
void xl_levels_stage(xl_binning *b, const __global XL_BINNED *from, __local XL_BINNED *levels,
                     __local uint *ranges)
{
    const uint item = (uint)get_local_id(0), count = b->bins + 1;
    for (uint k = item; k < count; k += XL_GROUP_SIZE)
        levels[k] = from[k];
    for (uint k = item; k <= XL_LEVEL_BUCKETS; k += XL_GROUP_SIZE)
        ranges[k] = 0;
    XL_LOCAL_BARRIER();
    b->levels = levels;
    b->ranges = ranges;
    b->least = levels[0];
    b->most = levels[b->bins];
#if XL_BINNED_KIND == 2
    const xl_real scale = XL_LEVEL_BUCKETS / ((xl_real)b->most - (xl_real)b->least);
    b->scale = scale > 0 && scale < INFINITY ? scale : 0; /* 0: all are in one bucket */
#else
    const ulong span = (ulong)(long)b->most - (ulong)(long)b->least;
    b->shift = 0;
    while (span >> b->shift >= XL_LEVEL_BUCKETS)
        ++b->shift;
#endif
    /* The first level of each bucket, which is where the bucket before it ends. */
    for (uint k = item; k <= count; k += XL_GROUP_SIZE) {
        const uint begin = k > 0 ? xl_bucket_of(b, levels[k - 1]) + 1 : 0;
        const uint end = k < count ? xl_bucket_of(b, levels[k]) : XL_LEVEL_BUCKETS;
        for (uint q = begin; q <= end; ++q)
            ranges[q] = k;
    }
    XL_LOCAL_BARRIER();
}
#endif

/* The bin of x; outside all bins some number that is not below b->bins. */
uint xl_bin_of(const xl_binning *b, XL_BINNED x)
{
#if XL_HISTOGRAM_KIND == 1
    /* The bits of a negative number are those of a large one. as_uchar(), because a conversion of
     * char ends the process on rusticl 22.3 (seen 2026-11). */
#if XL_BINNED_BYTES == 8
    const ulong key = as_ulong(x);
    return key < b->bins ? (uint)key : XL_NO_BIN;
#elif XL_BINNED_BYTES == 4
    return as_uint(x);
#else
#if XL_BINNED_BYTES == 2
    const uint key = as_ushort(x);
#else
    const uint key = as_uchar(x);
#endif
    return XL_BINNED_KIND == 1 && key >> (8 * XL_BINNED_BYTES - 1) ? XL_NO_BIN : key;
#endif
#elif XL_LEVEL_BUCKETS > 0
    if (!(x >= b->least && x < b->most))
        return XL_NO_BIN;
    const uint bucket = xl_bucket_of(b, x);
    uint low = b->ranges[bucket], high = b->ranges[bucket + 1]; /* low: levels <= x */
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (b->levels[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1 < b->bins ? low - 1 : XL_NO_BIN;
#elif XL_HISTOGRAM_KIND == 2
    uint low = 0; /* levels <= x */
    for (uint left = b->bins + 1; left > 1; left -= left / 2)
        low += left / 2 & XL_ALL_IF(b->levels[low + left / 2 - 1] <= x);
    low += b->levels[low] <= x ? 1 : 0;
    return low - 1 < b->bins ? low - 1 : XL_NO_BIN;
#elif XL_BINNED_KIND == 2
    const xl_real y = (xl_real)x;
    if (!(y >= b->lower && y < b->upper))
        return XL_NO_BIN;
    const xl_real above = y - b->lower;
    const xl_real place = above * b->scale;
    return min((uint)place, b->bins - 1);
#else
    /* An x below the lower bound wraps modulo 2^64 to a number at or above the span. */
    const ulong d = (ulong)(long)x - b->lower;
    if (d >= b->span && b->span != 0)
        return XL_NO_BIN;
    const uint rest = b->part != 0 ? xl_bin_of_rest(b, d) : 0;
    return (uint)(d * b->whole) + rest;
#endif
}

/* The bins of `count` elements, a constant. Searches among levels advance together, because each
 * step of one search waits for the step before. */
void xl_bins_of(const xl_binning *b, const XL_BINNED *x, uint *bin, const uint count)
{
#if XL_HISTOGRAM_KIND == 2 && XL_LEVEL_BUCKETS == 0
#pragma unroll
    for (uint k = 0; k < count; ++k)
        bin[k] = 0;
    for (uint left = b->bins + 1; left > 1; left -= left / 2)
#pragma unroll
        for (uint k = 0; k < count; ++k)
            bin[k] += left / 2 & XL_ALL_IF(b->levels[bin[k] + left / 2 - 1] <= x[k]);
#pragma unroll
    for (uint k = 0; k < count; ++k) {
        bin[k] -= b->levels[bin[k]] <= x[k] ? 0 : 1;
        bin[k] = bin[k] < b->bins ? bin[k] : XL_NO_BIN;
    }
#else
#pragma unroll
    for (uint k = 0; k < count; ++k)
        bin[k] = xl_bin_of(b, x[k]);
#endif
}

#if XL_LOAD
#define XL_LOADED(x, i) xl_user_load((x), (i)XL_PARAMS_OF(b))
#else
#define XL_LOADED(x, i) (x)
#endif

#endif
