/* SPDX-License-Identifier: MIT
 * Serial reference of the histogram. Integer bins are found by comparing products of 128 bits,
 * without a division. */
#include "reference.h"

#include <math.h>
#include <string.h>

/* A value as an integer, sign-extended, or as a double. */
static uint64_t integer_of(xl_type type, const void *value)
{
    uint64_t bits = 0;
    const size_t bytes = ref_type_size(type);
    const uint8_t *from = value;
    uint16_t u16;
    uint32_t u32;
    switch (bytes) {
    case 1:
        bits = *from;
        break;
    case 2:
        memcpy(&u16, value, sizeof u16);
        bits = u16;
        break;
    case 4:
        memcpy(&u32, value, sizeof u32);
        bits = u32;
        break;
    default:
        memcpy(&bits, value, sizeof bits);
    }
    const bool is_signed = type == XL_I8 || type == XL_I16 || type == XL_I32;
    if (is_signed && bits >> (8 * bytes - 1) != 0)
        bits |= UINT64_MAX << (8 * bytes - 1);
    return bits;
}

static double real_of(xl_type type, const void *value)
{
    uint16_t half;
    float single;
    double wide;
    if (type == XL_F16) {
        memcpy(&half, value, sizeof half);
        return ref_half_value(half);
    }
    if (type == XL_F32) {
        memcpy(&single, value, sizeof single);
        return (double)single;
    }
    memcpy(&wide, value, sizeof wide);
    return wide;
}

static bool is_real(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static bool is_signed(xl_type type)
{
    return type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
}

/* Whether a comes before b. */
static bool less(xl_type type, const void *a, const void *b)
{
    if (is_real(type))
        return real_of(type, a) < real_of(type, b);
    const uint64_t x = integer_of(type, a), y = integer_of(type, b);
    const uint64_t sign = is_signed(type) ? UINT64_C(1) << 63 : 0;
    return (x ^ sign) < (y ^ sign);
}

/* a * b, where b has at most 32 bits, in three words of 32 bits. */
typedef struct product {
    uint64_t high, low; /* bits from 32 on, and the 32 below */
} product;

static product times(uint64_t a, uint64_t b)
{
    const uint64_t low = (a & UINT32_MAX) * b;
    return (product){(a >> 32) * b + (low >> 32), low & UINT32_MAX};
}

/* The greatest k with k * span <= d * bins. */
static uint64_t even_integer(uint64_t d, uint64_t span, uint64_t bins)
{
    uint64_t low = 0, high = bins;
    const product have = times(d, bins);
    while (high - low > 1) {
        const uint64_t k = low + (high - low) / 2;
        const product want = span > 0 ? times(span, k) : (product){k << 32, 0};
        if (want.high < have.high || (want.high == have.high && want.low <= have.low))
            low = k;
        else
            high = k;
    }
    return low;
}

static uint64_t even_bin(const ref_histogram *h, const void *value)
{
    const xl_type type = h->type;
    const uint64_t least = type == XL_I64 ? UINT64_C(1) << 63 : 0;
    const uint64_t x = integer_of(type, value), lower = (uint64_t)h->lower_integer;
    const uint64_t upper = (uint64_t)h->upper_integer,
                   sign = is_signed(type) ? UINT64_C(1) << 63 : 0;
    const bool to_the_end = ref_type_size(type) == 8 && upper == least;
    if ((x ^ sign) < (lower ^ sign) || (!to_the_end && (x ^ sign) >= (upper ^ sign)))
        return h->num_bins;
    const uint64_t past = type == XL_I64 ? UINT64_C(1) << 63 : 0;
    return even_integer(x - lower, (to_the_end ? past : upper) - lower, h->num_bins);
}

static uint64_t even_real_bin(const ref_histogram *h, const void *value)
{
    const double x = real_of(h->type, value);
    uint64_t bin;
    if (h->type == XL_F64) {
        if (!(x >= h->lower && x < h->upper))
            return h->num_bins;
        const double scale = (double)h->num_bins / (h->upper - h->lower);
        bin = (uint64_t)((x - h->lower) * scale);
    } else {
        const float lower = (float)h->lower, upper = (float)h->upper, y = (float)x;
        if (!(y >= lower && y < upper))
            return h->num_bins;
        const float span = upper - lower, scale = (float)h->num_bins / span, above = y - lower;
        bin = (uint64_t)(above * scale);
    }
    return bin < h->num_bins ? bin : h->num_bins - 1;
}

/* The index of the last level that is not above the value. */
static uint64_t bin_by_levels(const ref_histogram *h, const void *value)
{
    const size_t bytes = ref_type_size(h->type);
    const char *const levels = h->levels;
    uint64_t low = 0, high = h->num_bins + 1;
    if (is_real(h->type) && isnan(real_of(h->type, value)))
        return h->num_bins;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (less(h->type, value, levels + middle * bytes))
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 ? low - 1 : h->num_bins;
}

uint64_t ref_bin_of(const ref_histogram *h, const void *value)
{
    if (h->kind == REF_BINS_KEYS) {
        const uint64_t key = integer_of(h->type, value);
        return key < h->num_bins ? key : h->num_bins;
    }
    if (h->kind == REF_BINS_EVEN)
        return is_real(h->type) ? even_real_bin(h, value) : even_bin(h, value);
    return bin_by_levels(h, value);
}

void ref_histogram_count(const ref_histogram *h, size_t n, const void *values, uint64_t *bins)
{
    const size_t bytes = ref_type_size(h->type);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t bin = ref_bin_of(h, (const char *)values + i * bytes);
        if (bin < h->num_bins)
            ++bins[bin];
    }
}

/* ---- sums of floating-point weights ---- */

/* A sum of steps in words of 32 bits, the lowest first, before carries. */
typedef struct steps {
    int64_t word[5];
} steps;

static void add_steps(steps *sum, double x)
{
    for (int k = 3; k >= 0; --k) {
        const double part = trunc(ldexp(x, -32 * k));
        sum->word[k] += (int64_t)part;
        x -= ldexp(part, 32 * k);
    }
}

/* Carries, so that each word but the last is from 0 to 2^32 - 1. */
static void carry(steps *sum)
{
    for (int k = 0; k < 4; ++k) {
        const int64_t low = sum->word[k] & UINT32_MAX;
        sum->word[k + 1] += (sum->word[k] - low) / ((int64_t)1 << 32);
        sum->word[k] = low;
    }
}

/* The sum, which is not negative, rounded once: its highest 64 bits, the last of which is also 1 if
 * a bit below is. */
static double rounded(const steps *sum, bool wide, int exponent)
{
    uint64_t top = 0, below = 0;
    int at = 4;
    while (at > 0 && sum->word[at] == 0)
        --at;
    for (int k = at; k >= 0; --k)
        for (int bit = 31; bit >= 0; --bit) {
            const uint64_t x = (uint64_t)sum->word[k] >> bit & 1;
            if (top >> 63 == 0)
                top = top << 1 | x;
            else {
                below |= x;
                ++exponent;
            }
        }
    top |= below;
    return wide ? ldexp((double)top, exponent) : (double)ldexpf((float)top, exponent);
}

double ref_weights_sum(bool wide, int b, size_t n, const double *weights)
{
    const int least = wide ? -1022 : -126;
    int greatest = least;
    double special = 0;
    steps sum = {{0}};
    for (size_t i = 0; i < n; ++i) {
        const int e = isfinite(weights[i]) && weights[i] != 0 ? ilogb(weights[i]) : least;
        greatest = e > greatest ? e : greatest;
        if (!isfinite(weights[i]))
            special += weights[i];
    }
    if (isnan(special) || isinf(special))
        return special;
    const int step = greatest + b - (wide ? 126 : 62);
    for (size_t i = 0; i < n; ++i)
        add_steps(&sum, round(ldexp(weights[i], -step)));
    carry(&sum);
    if (sum.word[4] >= 0)
        return rounded(&sum, wide, step);
    for (int k = 0; k < 5; ++k)
        sum.word[k] = -sum.word[k];
    carry(&sum);
    return -rounded(&sum, wide, step);
}
