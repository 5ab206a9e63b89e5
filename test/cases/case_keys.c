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

/* ---- keys for one path ----------------------------------------------------------------------- */

/* Which key of each `stride` is number i of a selection's sample: cl/top_k/top_k_pass.cl. */
static uint64_t sampled(uint32_t i, uint64_t stride)
{
    uint32_t mixed = (i + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    mixed ^= mixed >> 13;
    return (uint64_t)i * stride + (mixed * stride >> 32);
}

/* Whether key i of n is in a sample of 64, which the tunings ask for: its number, or none. */
static uint64_t number_in_sample(uint64_t i, uint64_t n)
{
    enum { SAMPLE = 64 };
    const uint64_t stride = n / SAMPLE, number = stride > 0 ? i / stride : SAMPLE;
    return number < SAMPLE && sampled((uint32_t)number, stride) == i ? number : UINT64_MAX;
}

static uint64_t key_for(const fuzz_case *c, uint64_t i, uint64_t n, unsigned bits, uint64_t any)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), step = top / (n + 1), seed = c->of[SEED];
    switch (c->of[KEYS_FOR]) {
    case RISING: /* negative numbers fall, but so few that a sign does not matter */
        return i * step;
    case FALLING:
        return (n - 1 - i) * step;
    case FEW: /* seven keys, all of whose bytes differ */
        return any % 7 * 0x2468135724681357u;
    case ONE_BIT:
        return (0x3f0000003f000000u & ~top) | any >> 63 << (bits / 2 + 1);
    case LOW_BITS: /* of keys with the same upper bits lower ones decide, in one digit or in two */
        return any % (seed % 4 + 2) << (bits - 4) | any >> 50 |
               (seed & 4 ? any >> 32 & 3 : 0) << (bits - bits / 4 - 3);
    case LATE_BEST: /* only the last digit tells them apart; the largest come last */
        return (top >> 1) + (i + 5 >= n ? 100 + i % 5 : i % 50);
    case CROWDED: /* as many of each 1000 below all others as a list has room for, or some more */
        return i % 1000 * 7919 % 1000 >= 638 + seed % 4 ? top - 1 - any % (top / 2)
               : i % 97 == 5                            ? 3
                                                        : 5;
    default: /* the least of all are those of a sample */
        return number_in_sample(i, n) != UINT64_MAX ? number_in_sample(i, n)
                                                    : top - 1 - any % (top / 2);
    }
}

void make_keys_for(const fuzz_case *c, size_t n, void *keys)
{
    const size_t bytes = element_of(c)->bytes;
    xlt_random random = random_of(c->of[SEED], 5);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_for(c, i, n, (unsigned)(8 * bytes), xlt_next(&random));
        memcpy((unsigned char *)keys + i * bytes, &key, bytes); /* the lowest byte is the first */
    }
}
