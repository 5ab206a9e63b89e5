/* SPDX-License-Identifier: MIT
 * Scans as plain C: one loop over elements of any size. */
#include "reference.h"

#include <string.h>

void ref_scan(const ref_flat *ref, size_t n, const void *in, const uint8_t *heads, void *out)
{
    const void *start = ref->init ? ref->init : ref->identity;
    unsigned char x[REF_MOST_BYTES], sum[REF_MOST_BYTES] = {0}, next[REF_MOST_BYTES];
    bool some = false; /* whether `sum` holds anything */
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || (heads && heads[i])) {
            some = start != NULL;
            if (start)
                memcpy(sum, start, ref->bytes);
        }
        ref_take(ref, in, i, x);
        memcpy(next, x, ref->bytes);
        if (some)
            ref_combine(ref, next, sum, x);
        some = true;
        ref_give(ref, ref->inclusive ? next : sum, i, out);
        memcpy(sum, next, ref->bytes);
    }
}
