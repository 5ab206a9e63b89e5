/* SPDX-License-Identifier: MIT
 * The arrays of a case of the case runner: elements, segments, points. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void **kept;
static size_t num_kept;

void *keep_bytes(void *bytes)
{
    if ((num_kept & (num_kept - 1)) == 0)
        kept = realloc(kept, (num_kept > 0 ? 2 * num_kept : 1) * sizeof *kept);
    XLT_TRUE(bytes && kept);
    return kept[num_kept++] = bytes;
}

void *make_bytes(size_t n, size_t size)
{
    return keep_bytes(calloc(n * size + 1, 1));
}

void free_bytes(void)
{
    while (num_kept > 0)
        free(kept[--num_kept]);
    free(kept);
    kept = NULL;
}

xlt_random random_of(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xd1b54a32d192ed03u + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (xlt_random){x ^ x >> 31};
}

/* ---- elements ------------------------------------------------------------------------------ */

/* A rank in [0, 16) that rises or falls with i. */
static int rank_of(const fuzz_case *c, size_t i, size_t n)
{
    const int rank = (int)(i * 16 / (n > 0 ? n : 1));
    return c->of[DATA] == REVERSED ? 15 - rank : rank;
}

/* Factors whose products stay in range, and exact but for REAL. */
static long double factor(const fuzz_case *c, xlt_random *random, size_t i)
{
    const long double real = 1 + ((long double)xlt_unit(random) - 0.5L) / 32;
    const bool negative = xlt_next(random) >> 63;
    if (c->of[DATA] == REAL)
        return negative ? -real : real;
    return (negative ? -1.0L : 1.0L) * (i % 4096 != 17 ? 1.0L : i & 4096 ? 0.5L : 2.0L);
}

/* Terms whose sums are exact in any order but for REAL. */
static long double term(const fuzz_case *c, xlt_random *random, size_t i, size_t n)
{
    switch (c->of[DATA]) {
    case EQUAL:
        return 3;
    case REAL:
        return ((long double)xlt_unit(random) - 0.25L) * 16;
    case SORTED:
    case REVERSED:
        return rank_of(c, i, n) - 8;
    default:
        return element_of(c)->lane_bytes == 2 ? (int)xlt_below(random, 3) - 1
                                              : (int)xlt_below(random, 15) - 7;
    }
}

static long double odd_number(const fuzz_case *c, xlt_random *random, long double usual)
{
    static const double odd[] = {0.0,         -0.0,        (double)INFINITY, -(double)INFINITY,
                                 (double)NAN, -(double)NAN};
    /* Minimum and maximum pass NaN over; sums and products are NaN from the first on. */
    const bool selects = c->of[OP] >= 2 || has_keys(c);
    return xlt_below(random, selects ? 6 : 500) < 5 ? odd[xlt_below(random, 6)] : usual;
}

static void make_number(const fuzz_case *c, xlt_random *random, size_t i, size_t n, void *to)
{
    const element *e = element_of(c);
    long double x = c->of[OP] == 1 ? factor(c, random, i) : term(c, random, i, n);
    if (c->of[DATA] == ZEROS)
        x = 0;
    if (c->of[DATA] == MINUS_ZEROS)
        x = xlt_below(random, 40) ? -0.0L : 0.0L;
    if (c->of[DATA] == ODD)
        x = odd_number(c, random, x);
    lane_set_number(e, to, x);
}

static void make_integer(const fuzz_case *c, xlt_random *random, size_t i, size_t n, void *to)
{
    static const uint64_t extremes[] = {0, 1, UINT64_MAX, 0x8080808080808080u, 0x7f7f7f7f7f7f7f7fu};
    const element *e = element_of(c);
    uint64_t x = xlt_next(random);
    for (int k = 0; c->of[OP] == 4 && k < 3; ++k)
        x |= xlt_next(random); /* so that AND has something left */
    if (c->of[OP] == 1)
        x |= 1; /* a product of many even numbers is 0 */
    if (c->of[DATA] == ZEROS || c->of[DATA] == MINUS_ZEROS)
        x = 0;
    else if (c->of[DATA] == EQUAL)
        x = 0xf1f3f5f7f9fbfdffu;
    else if (c->of[DATA] == ODD)
        x = extremes[x >> 8 & 3 ? x % 5 : 2];
    else if (c->of[DATA] == SORTED || c->of[DATA] == REVERSED)
        x = (uint64_t)(int64_t)(rank_of(c, i, n) - 8);
    memcpy(to, &x, e->lane_bytes);
}

/* An element of the type that is converted, from one of the case's type. */
static void make_source(const fuzz_case *c, xlt_random *random, size_t i, size_t n, void *to)
{
    const element *e = element_of(c), *source = source_of(c);
    unsigned char value[8] = {0};
    (e->numbers == FLOATING ? make_number : make_integer)(c, random, i, n, value);
    if (e->numbers == FLOATING)
        lane_set_number(source, to, lane_number(e, value));
    else
        memcpy(to, value, source->bytes);
}

void *make_input(const fuzz_case *c, size_t n)
{
    const element *e = element_of(c);
    const size_t bytes = in_bytes_of(c);
    const bool any_bits = has_keys(c) && c->of[DATA] == RANDOM;
    xlt_random random = random_of(c->of[SEED], 1);
    char *in = make_bytes(n, bytes);
    for (size_t i = 0; i < n; ++i) {
        char *to = in + i * bytes;
        if (c->of[MAP] == MAP_LOAD || c->of[MAP] == MAP_BOTH)
            *to = (char)xlt_below(&random, 256);
        else if (c->of[FROM])
            make_source(c, &random, i, n, to);
        else if (e->make)
            e->make(&random, i, to);
        else
            for (size_t lane = 0; lane < e->lanes; ++lane)
                (e->numbers == FLOATING && !any_bits ? make_number : make_integer)(
                    c, &random, i + lane, n, to + lane * e->lane_bytes);
    }
    if (c->of[KEYS_FOR] != AS_DATA)
        make_keys_for(c, n, in);
    return in;
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool is_head(uint64_t pattern, size_t i, size_t n, xlt_random *random)
{
    static const uint16_t tiles[] = {32, 64, 128, 256, 512};
    switch (pattern) {
    case SINGLETONS:
        return true;
    case SHORT_RUNS:
    case CROWDS:
        return xlt_below(random, 6) == 0;
    case LONG_RUNS:
        return xlt_below(random, 500) == 0;
    case BORDERS: /* just before, on and just after a possible border */
        return (i + 1) % tiles[i / 1024 % 5] <= (i / 2048 % 3);
    case UNEVEN: /* about 45 each */
        return xlt_below(random, 45) == 0;
    case LAST_ALONE:
        return i + 1 == n;
    case MIXED:
        return is_head(i / 300 % 5, i, n, random);
    default:
        return false;
    }
}

static bool is_head_by_rule(const fuzz_case *c, size_t i)
{
    const uint64_t at = c->of[WIDTH] > 0 ? i % c->of[WIDTH] : 1;
    return i == 0 || (c->of[SEGMENTS] >= XL_SEGMENTS_WIDTH && at == 0) ||
           (c->of[SEGMENTS] == XL_SEGMENTS_MASK && (c->of[MASK] >> at & 1));
}

/* Keys that differ in one bit, any one, where a segment ends. */
static void encode_keys(segmentation *s, size_t n, xlt_random *random)
{
    uint64_t key = xlt_next(random);
    for (size_t i = 0; i < n; ++i) {
        if (i > 0 && s->heads[i])
            key ^= (uint64_t)1 << xlt_below(random, (uint32_t)(8 * s->array_bytes));
        memcpy((char *)s->array + i * s->array_bytes, &key, s->array_bytes);
    }
}

/* The first element begins a segment whatever the array says. */
static void encode_flags(segmentation *s, size_t n, xlt_random *random)
{
    for (size_t i = 0; i < n; ++i)
        if (i == 0 ? xlt_below(random, 2) : s->heads[i])
            ((uint8_t *)s->array)[i] = (uint8_t)(1u << xlt_below(random, 8));
}

static void encode_bits(segmentation *s, size_t n, xlt_random *random)
{
    uint32_t *words = s->array;
    for (size_t w = 0; w < s->array_n; ++w)
        words[w] = UINT32_MAX; /* past the end they may be anything */
    for (size_t i = 0; i < n; ++i)
        if (i == 0 ? xlt_below(random, 2) : !s->heads[i])
            words[i / 32] &= ~((uint32_t)1 << i % 32);
}

enum { MOST_REPEATS = 40 }; /* of an offset */

static void put_offset(segmentation *s, size_t at, uint64_t x)
{
    memcpy((char *)s->array + at * s->array_bytes, &x, s->array_bytes);
}

/* Elements before the first segment belong to none. */
static void start_late(const fuzz_case *c, segmentation *s, xlt_random *random)
{
    const uint64_t drawn = 1 + xlt_below(random, 50), start = drawn < c->of[N] ? drawn : c->of[N];
    for (size_t k = 0; k < s->count && s->begin[k] < start; ++k) {
        s->begin[k] = start;
        put_offset(s, k, start);
    }
}

static void break_offsets(const fuzz_case *c, segmentation *s, xlt_random *random)
{
    const size_t at = xlt_below(random, (uint32_t)s->array_n);
    const uint64_t n = c->of[N];
    if (c->of[BROKEN] == FALLS)
        put_offset(s, at, xlt_below(random, (uint32_t)n + 1) / 2);
    else if (c->of[BROKEN] == LATE_START)
        start_late(c, s, random);
    else if (c->of[BROKEN] == EARLY_END)
        put_offset(s, s->array_n - 1, n / 2);
    for (size_t k = at; c->of[BROKEN] == PASSES && k < s->array_n; ++k)
        put_offset(s, k, n + 1 + k - at);
    for (size_t k = 0; c->of[BROKEN] == HUGE_OFFSETS && k < s->array_n; ++k)
        put_offset(s, k, xlt_next(random));
    for (size_t k = 0; c->of[BROKEN] == ZIGZAG && k < s->array_n; ++k)
        put_offset(s, k, k % 2 * n);
}

/* The number of offsets of a segment: with more than one, empty segments are before it. */
static uint32_t draw_repeats(const fuzz_case *c, xlt_random *random)
{
    if (c->of[PATTERN] == CROWDS)
        return 1 + xlt_below(random, xlt_below(random, 4) ? 12 : MOST_REPEATS);
    return xlt_below(random, 5) ? 1 : xlt_below(random, 3) + 1;
}

/* Empty segments are between others, in front and behind. */
static void encode_offsets(const fuzz_case *c, segmentation *s, xlt_random *random)
{
    const size_t n = (size_t)c->of[N];
    s->begin = make_bytes((c->of[PATTERN] == CROWDS ? MOST_REPEATS : 4) * n + 8, sizeof *s->begin);
    s->count = 0;
    for (size_t i = 0; i < n; ++i)
        if (s->heads[i])
            for (uint32_t k = draw_repeats(c, random); k > 0; --k)
                s->begin[s->count++] = i;
    for (uint32_t k = n == 0 ? xlt_below(random, 4) : xlt_below(random, 8) / 6; k > 0; --k)
        s->begin[s->count++] = n;
    s->begin[s->count] = n;
    s->array_n = s->count + 1;
    s->array = make_bytes(s->array_n, s->array_bytes);
    for (size_t k = 0; k < s->array_n; ++k)
        put_offset(s, k, s->begin[k]);
    if (c->of[BROKEN] != UNBROKEN)
        break_offsets(c, s, random);
}

static void list_segments(const fuzz_case *c, segmentation *s, size_t most)
{
    const size_t n = (size_t)c->of[N];
    s->begin = make_bytes(most + 2, sizeof *s->begin);
    for (size_t i = 0; i < most; ++i) {
        if (i < n && s->heads[i])
            s->begin[s->count++] = i;
        s->most_count += s->heads[i];
    }
    if (c->of[SEGMENTS] == XL_SEGMENTS_NONE)
        s->count = s->most_count = 1;
    s->begin[s->count] = n;
}

static void encode_array(uint64_t kind, segmentation *s, size_t most, xlt_random *random)
{
    s->array = make_bytes(s->array_n, s->array_bytes);
    if (kind == XL_SEGMENTS_KEYS)
        encode_keys(s, most, random);
    else if (kind == XL_SEGMENTS_HEAD_FLAGS)
        encode_flags(s, most, random);
    else
        encode_bits(s, most, random);
}

segmentation make_segments(const fuzz_case *c)
{
    const size_t most = case_most(c);
    const uint64_t kind = c->of[SEGMENTS];
    xlt_random random = random_of(c->of[SEED], 2);
    segmentation s = {.heads = make_bytes(most, 1), .array_n = most};
    for (size_t i = 0; i < most; ++i)
        s.heads[i] = is_head(c->of[PATTERN], i, (size_t)c->of[N], &random) || is_head_by_rule(c, i);
    s.array_bytes = kind == XL_SEGMENTS_HEAD_FLAGS     ? 1
                    : kind == XL_SEGMENTS_FLAG_BITMASK ? 4
                                                       : xl_type_size(segment_type_of(c));
    if (kind == XL_SEGMENTS_FLAG_BITMASK)
        s.array_n = (most + 31) / 32;
    list_segments(c, &s, most);
    if (kind == XL_SEGMENTS_OFFSETS)
        encode_offsets(c, &s, &random);
    else if (s.array_bytes > 0)
        encode_array(kind, &s, most, &random);
    return s;
}
