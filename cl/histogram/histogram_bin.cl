/* SPDX-License-Identifier: MIT
 * The bin of an element, as include/crosslane/histogram.h defines it. */
#ifndef XL_HISTOGRAM_BIN
#define XL_HISTOGRAM_BIN

#include "histogram_amount.cl"

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
