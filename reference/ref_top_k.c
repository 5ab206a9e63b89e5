/* SPDX-License-Identifier: MIT
 * Serial reference of the top-k selection: all keys sorted, stably, with their places. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

bool ref_top_k(xl_type key, bool largest, bool sorted, size_t n, size_t k, const void *keys,
               uint32_t *indices)
{
    const size_t bytes = n * ref_type_size(key), results = k < n ? k : n;
    void *copy = malloc(bytes + 1);
    uint32_t *places = malloc(n * sizeof *places + 1);
    unsigned char *taken = calloc(n + 1, 1);
    bool enough = copy && places && taken;
    if (enough) {
        size_t count = 0;
        if (n > 0)
            memcpy(copy, keys, bytes);
        for (size_t i = 0; i < n; ++i)
            places[i] = (uint32_t)i;
        enough = ref_sort(key, largest, n, copy, places);
        for (size_t i = 0; enough && i < results; ++i) {
            indices[i] = places[i];
            taken[places[i]] = 1;
        }
        for (size_t i = 0; enough && !sorted && i < n; ++i)
            if (taken[i])
                indices[count++] = (uint32_t)i;
    }
    free(copy);
    free(places);
    free(taken);
    return enough;
}

bool ref_top_k_segments(xl_type key, bool largest, bool sorted, size_t n, size_t k,
                        const uint64_t *offsets, size_t count, const void *keys, uint32_t *indices,
                        uint32_t *counts)
{
    bool enough = true;
    for (size_t s = 0; s < count && enough; ++s) {
        const size_t begin = (size_t)offsets[s], end = s + 1 < count ? (size_t)offsets[s + 1] : n;
        const size_t length = end - begin, results = k < length ? k : length;
        enough =
            ref_top_k(key, largest, sorted, length, k,
                      (const unsigned char *)keys + begin * ref_type_size(key), indices + s * k);
        for (size_t i = 0; enough && i < results; ++i)
            indices[s * k + i] += (uint32_t)begin;
        counts[s] = (uint32_t)results;
    }
    return enough;
}
