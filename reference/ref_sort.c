/* SPDX-License-Identifier: MIT
 * Serial reference of the sort: merge sort of ranks, written on its own terms so that
 * it shares no idea with the kernels. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above every f32 that is a number, and at or below every one that is none. */
#define FIRST_NAN ((uint64_t)2 << 32)

/* Floats by comparing classes and magnitudes, not by a bit trick. */
static uint64_t rank_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t magnitude = bits & 0x7fffffffu;
    const uint64_t middle = FIRST_NAN / 2;
    /* After +inf come the positive NaN, rising, and then the negative ones, falling. */
    if (isnan(x))
        return FIRST_NAN + (signbit(x) ? 2 * middle - magnitude : magnitude);
    return signbit(x) ? middle - 1 - magnitude : middle + magnitude;
}

/* The place of a key in ascending order: a smaller number comes first. */
static uint64_t rank_of(xl_type type, const void *key)
{
    uint32_t bits = 0;
    uint64_t wide = 0;
    float number = 0;
    if (type == XL_U64)
        return memcpy(&wide, key, sizeof wide), wide;
    if (type == XL_F32)
        return memcpy(&number, key, sizeof number), rank_of_float(number);
    memcpy(&bits, key, sizeof bits);
    return type == XL_I32 ? bits ^ UINT32_C(0x80000000) : bits;
}

int ref_key_order(xl_type key, const void *a, const void *b)
{
    const uint64_t x = rank_of(key, a), y = rank_of(key, b);
    if (key == XL_F32 && x >= FIRST_NAN && y >= FIRST_NAN)
        return 0;
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

bool ref_sort(xl_type key, bool descending, size_t n, void *keys, uint32_t *values)
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
