/* SPDX-License-Identifier: MIT
 * Serial reference of the sort: a merge sort of ranks, which shares no idea with the kernels. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* The bits of +infinity; greater magnitudes are NaN.
 */
static uint64_t infinity(size_t bytes)
{
    return bytes == 2   ? UINT64_C(0x7c00)
           : bytes == 4 ? UINT64_C(0x7f800000)
                        : UINT64_C(0x7ff0000000000000);
}

static bool is_float(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static bool is_signed(xl_type type)
{
    return type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64;
}

/* A number's bits, and the sign among them. */
static uint64_t bits_of(xl_type type, const void *key, uint64_t *sign)
{
    const unsigned char *bytes = key;
    const size_t size = ref_type_size(type);
    const uint16_t one = 1;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) /* the highest byte first */
        bits = bits << 8 | bytes[*(const unsigned char *)&one ? size - 1 - i : i];
    *sign = UINT64_C(1) << (8 * size - 1);
    return bits;
}

/* Ranks floats by classes and magnitudes, without a bit trick: after +inf come the positive NaN,
 * ascending, then the negative ones, descending. */
static uint64_t rank_of_float(uint64_t bits, uint64_t sign, uint64_t inf)
{
    const uint64_t magnitude = bits & (sign - 1), numbers = 2 * inf + 2;
    const bool negative = (bits & sign) != 0;
    if (magnitude > inf)
        return numbers +
               (negative ? (sign - 1 - inf) + (sign - 1 - magnitude) : magnitude - inf - 1);
    return negative ? inf - magnitude : inf + 1 + magnitude;
}

uint64_t ref_key_rank(xl_type type, const void *key)
{
    uint64_t sign;
    const uint64_t bits = bits_of(type, key, &sign);
    if (is_float(type))
        return rank_of_float(bits, sign, infinity(ref_type_size(type)));
    if (is_signed(type)) /* negative numbers are those from `sign` on */
        return bits >= sign ? bits - sign : bits + sign;
    return bits;
}

uint64_t ref_key_rank_equal_zeros(xl_type type, const void *key)
{
    uint64_t sign;
    const unsigned char zero[8] = {0};
    const uint64_t bits = bits_of(type, key, &sign);
    return ref_key_rank(type, is_float(type) && bits == sign ? zero : key);
}

int ref_key_order(xl_type key, const void *a, const void *b)
{
    const uint64_t x = ref_key_rank(key, a), y = ref_key_rank(key, b);
    return x < y ? -1 : x > y;
}

typedef struct entry {
    uint64_t rank;
    size_t from;
} entry;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void merge(const entry *in, entry *out, size_t begin, size_t middle, size_t end)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; ++i)
        out[i] = b == end || (a < middle && in[a].rank <= in[b].rank) ? in[a++] : in[b++];
}

/* Sorts `in` with the help of `other`; returns which of them holds the result. */
static entry *merge_sort(entry *in, entry *other, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run)
            merge(in, other, begin, smaller(begin + run, n), smaller(begin + 2 * run, n));
        entry *swap = in;
        in = other;
        other = swap;
    }
    return in;
}

void ref_equal_zeros(xl_type key, size_t n, void *keys)
{
    const size_t size = ref_type_size(key);
    unsigned char *at = keys;
    uint64_t sign;
    for (size_t i = 0; i < n; ++i, at += size)
        if (is_float(key) && bits_of(key, at, &sign) == sign)
            memset(at, 0, size);
}

static bool sort_by_rank(xl_type key, uint64_t (*rank_of)(xl_type type, const void *key),
                         bool descending, size_t n, void *keys, uint32_t *values)
{
    const size_t size = ref_type_size(key);
    entry *entries = malloc(2 * n * sizeof *entries + 1);
    unsigned char *old = malloc(n * (size + sizeof *values) + 1);
    const bool enough = entries && old;
    if (enough) {
        unsigned char *old_values = old + n * size;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t rank = rank_of(key, (unsigned char *)keys + i * size);
            entries[i] = (entry){descending ? UINT64_MAX - rank : rank, i};
        }
        if (n > 0)
            memcpy(old, keys, n * size);
        if (values && n > 0)
            memcpy(old_values, values, n * sizeof *values);
        const entry *sorted = merge_sort(entries, entries + n, n);
        for (size_t i = 0; i < n; ++i) {
            memcpy((unsigned char *)keys + i * size, old + sorted[i].from * size, size);
            if (values)
                memcpy(values + i, old_values + sorted[i].from * sizeof *values, sizeof *values);
        }
    }
    free(entries);
    free(old);
    return enough;
}

bool ref_sort(xl_type key, bool descending, size_t n, void *keys, uint32_t *values)
{
    return sort_by_rank(key, ref_key_rank, descending, n, keys, values);
}

bool ref_sort_equal_zeros(xl_type key, bool descending, size_t n, void *keys, uint32_t *values)
{
    return sort_by_rank(key, ref_key_rank_equal_zeros, descending, n, keys, values);
}

bool ref_sort_segments(xl_type key, bool descending, size_t n, const uint64_t *offsets,
                       size_t count, void *keys, uint32_t *values)
{
    bool enough = true;
    for (size_t i = 0; i < count && enough; ++i) {
        const size_t begin = (size_t)offsets[i], end = i + 1 < count ? (size_t)offsets[i + 1] : n;
        if (end > begin)
            enough = ref_sort(key, descending, end - begin,
                              (unsigned char *)keys + begin * ref_type_size(key),
                              values ? values + begin : NULL);
    }
    return enough;
}

bool ref_sort_by(size_t n, size_t *places, bool (*before)(const void *user, size_t a, size_t b),
                 const void *user)
{
    size_t *from = places, *to = malloc(n * sizeof *to + 1), *const other = to;
    if (!to)
        return false;
    for (size_t i = 0; i < n; ++i)
        places[i] = i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = smaller(begin + run, n), end = smaller(begin + 2 * run, n);
            size_t a = begin, b = middle;
            for (size_t i = begin; i < end; ++i)
                to[i] = b == end || (a < middle && !before(user, from[b], from[a])) ? from[a++]
                                                                                    : from[b++];
        }
        size_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != places)
        memcpy(places, from, n * sizeof *places);
    free(other);
    return true;
}
