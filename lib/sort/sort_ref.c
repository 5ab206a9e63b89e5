/* SPDX-License-Identifier: MIT
 * Serial reference of the sort: merge sort of ranks, written on its own terms so that
 * it shares no idea with the kernels. */
#include "sort_ref.h"

#include "core.h"

#include <math.h>
#include <string.h>

/* Floats by comparing classes and magnitudes, not by a bit trick. */
static uint64_t rank_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t magnitude = bits & 0x7fffffffu;
    const uint64_t middle = (uint64_t)1 << 32;
    /* After +inf come the positive NaN, rising, and then the negative ones, falling. */
    if (isnan(x))
        return 2 * middle + (signbit(x) ? 2 * middle - magnitude : magnitude);
    return signbit(x) ? middle - 1 - magnitude : middle + magnitude;
}

uint64_t xli_sort_ref_rank(const xl_sort_desc *desc, const void *keys, size_t i)
{
    uint64_t rank = 0;
    if (desc->key == XL_U32)
        rank = ((const uint32_t *)keys)[i];
    else if (desc->key == XL_I32)
        rank = (uint64_t)((int64_t)((const int32_t *)keys)[i] - INT32_MIN);
    else if (desc->key == XL_U64)
        rank = ((const uint64_t *)keys)[i];
    else
        rank = rank_of_float(((const float *)keys)[i]);
    return desc->order == XL_DESCENDING ? UINT64_MAX - rank : rank;
}

typedef struct entry {
    uint64_t rank;
    size_t from;
} entry;

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
            merge(in, other, begin, xli_min(begin + run, n), xli_min(begin + 2 * run, n));
        entry *swap = in;
        in = other;
        other = swap;
    }
    return in;
}

bool xli_sort_ref(const xl_sort_desc *desc, size_t n, void *keys, uint32_t *values)
{
    const size_t size = xl_type_size(desc->key);
    entry *entries = xli_alloc(2 * n * sizeof *entries + 1);
    unsigned char *old = xli_alloc(n * (size + sizeof *values) + 1);
    const bool enough = entries && old;
    if (enough) {
        unsigned char *old_values = old + n * size;
        for (size_t i = 0; i < n; ++i)
            entries[i] = (entry){xli_sort_ref_rank(desc, keys, i), i};
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
    xli_free(entries);
    xli_free(old);
    return enough;
}
