/* SPDX-License-Identifier: MIT
 * Serial reference of searches in sorted arrays. */
#include "reference.h"

/* Whether a key comes before another one. */
static bool is_before(xl_type key, bool descending, const void *a, const void *b)
{
    const uint64_t x = ref_key_rank(key, a), y = ref_key_rank(key, b);
    return descending ? x > y : x < y;
}

uint64_t ref_bound(xl_type key, bool descending, bool upper, size_t n, const void *keys,
                   const void *query)
{
    const size_t size = ref_type_size(key);
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const void *at = (const unsigned char *)keys + middle * size;
        if (upper ? is_before(key, descending, query, at) : !is_before(key, descending, at, query))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t ref_unsorted(xl_type key, bool descending, size_t n, const void *keys)
{
    const size_t size = ref_type_size(key);
    const unsigned char *at = keys;
    for (size_t i = 1; i < n; ++i, at += size)
        if (is_before(key, descending, at + size, at))
            return i;
    return n;
}
