/* SPDX-License-Identifier: MIT
 * Serial reference of the merge: takes one element after the other. */
#include "reference.h"

#include <string.h>

void ref_merge(xl_type key, bool descending, const ref_run *a, const ref_run *b, void *keys_out,
               uint32_t *values_out)
{
    const size_t size = ref_type_size(key);
    size_t i = 0, k = 0;
    for (size_t at = 0; at < a->n + b->n; ++at) {
        const unsigned char *x = (const unsigned char *)a->keys + i * size;
        const unsigned char *y = (const unsigned char *)b->keys + k * size;
        bool from_a = k == b->n;
        if (i < a->n && k < b->n) {
            const uint64_t rank = ref_key_rank(key, x), other = ref_key_rank(key, y);
            from_a = descending ? rank >= other : rank <= other;
        }
        memcpy((unsigned char *)keys_out + at * size, from_a ? x : y, size);
        if (values_out)
            values_out[at] = from_a ? a->values[i] : b->values[k];
        i += from_a;
        k += !from_a;
    }
}
