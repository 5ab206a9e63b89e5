/* SPDX-License-Identifier: MIT
 * What cases of keys share: sorts, selections, merges and searches of the case runner. */
#include "cases.h"

#include "reference.h"

#include <string.h>

bool descends(const fuzz_case *c)
{
    return c->of[ORDER] == XL_DESCENDING;
}

uint32_t *make_values(size_t n)
{
    uint32_t *values = make_bytes(n, sizeof *values);
    for (size_t i = 0; i < n; ++i)
        values[i] = (uint32_t)i * 2654435761u;
    return values;
}

unsigned char *ranked_keys(const fuzz_case *c, size_t n, const void *keys)
{
    const element *e = element_of(c);
    unsigned char *copy = make_bytes(n, e->bytes);
    memcpy(copy, keys, n * e->bytes);
    if (c->of[EQUAL_ZEROS])
        ref_equal_zeros(e->type, n, copy);
    return copy;
}

void order_keys(const fuzz_case *c, size_t n, void *keys, uint64_t breaks)
{
    const element *e = element_of(c);
    xlt_random random = random_of(c->of[SEED], 4 + n);
    unsigned char *all = keys, swap[ELEMENT_MOST];
    XLT_TRUE(c->of[EQUAL_ZEROS] ? ref_sort_equal_zeros(e->type, descends(c), n, keys, NULL)
                                : ref_sort(e->type, descends(c), n, keys, NULL));
    for (uint64_t k = 0; n > 0 && k < breaks; ++k) {
        unsigned char *a = all + xlt_below(&random, (uint32_t)n) * e->bytes;
        unsigned char *b = all + xlt_below(&random, (uint32_t)n) * e->bytes;
        memcpy(swap, a, e->bytes);
        memmove(a, b, e->bytes);
        memcpy(b, swap, e->bytes);
    }
}
