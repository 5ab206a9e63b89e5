/* SPDX-License-Identifier: MIT
 * Serial references of the gather, the scatter, and functions of neighbours. */
#include "reference.h"

#include <string.h>

void ref_gather(size_t bytes, size_t n, const uint64_t *indices, uint64_t range, const void *in,
                void *out)
{
    for (size_t i = 0; i < n; ++i) {
        char *const to = (char *)out + i * bytes;
        if (indices[i] < range)
            memcpy(to, (const char *)in + indices[i] * bytes, bytes);
        else
            memset(to, 0, bytes);
    }
}

void ref_scatter(size_t bytes, size_t n, const uint64_t *indices, uint64_t range, const void *in,
                 void *out)
{
    for (size_t i = 0; i < n; ++i)
        if (indices[i] < range)
            memcpy((char *)out + indices[i] * bytes, (const char *)in + i * bytes, bytes);
}

void ref_adjacent(size_t bytes, size_t n, ref_pair *pair, const void *in, void *out)
{
    if (n > 0)
        memcpy(out, in, bytes);
    for (size_t i = 1; i < n; ++i)
        pair((char *)out + i * bytes, (const char *)in + i * bytes,
             (const char *)in + (i - 1) * bytes, i);
}
