/* SPDX-License-Identifier: MIT
 * Serial code that the self-test compares devices with: short, and shared with
 * nothing that it checks. */
#ifndef TOOL_REFERENCE_H
#define TOOL_REFERENCE_H

#include "tool.h"

/* xorshift64*: test data that is the same everywhere. */
uint64_t reference_random(uint64_t *state);

/* n random elements of `type`. For sums of floating-point numbers, small whole
 * numbers, whose sums are exact; else also NaN, infinities and zeros of either
 * sign. */
void reference_fill(xl_type type, bool for_sum, uint64_t seed, size_t n, void *out);

/* out[i] = init op in[0] op ... in[i - 1], or up to in[i]. `init` may be NULL. */
void reference_scan(xl_type type, xl_op op, bool inclusive, const void *init, const void *in,
                    size_t n, void *out);

/* Whether two elements hold the same bits, or both a NaN. */
bool reference_same(xl_type type, const void *a, const void *b);

/* n keys in order: NaN after everything else, -0 before +0. */
bool reference_sort(xl_type type, bool descending, size_t n, void *keys);

/* Neighbours of each of n points by looking at every pair; `offsets` has n + 1
 * elements. *indices is allocated; NULL where there is no memory. */
typedef struct reference_search {
    float radius;
    bool inclusive;
    size_t n;
    const float *xyz;
} reference_search;
void reference_neighbors(const reference_search *search, uint64_t *offsets, uint32_t **indices);

#endif
