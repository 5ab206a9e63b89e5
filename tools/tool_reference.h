/* SPDX-License-Identifier: MIT
 * Serial code that the self-test compares devices with: short, and shared with
 * nothing that it checks. */
#ifndef TOOL_REFERENCE_H
#define TOOL_REFERENCE_H

#include "tool.h"

/* xorshift64*: test data that is the same everywhere. */
uint64_t reference_random(uint64_t *state);

/* n random elements of `type`. For sums and products of floating-point numbers whatever
 * part of them is combined comes out exact; else also NaN, infinities and zeros of
 * either sign. */
void reference_fill(xl_type type, xl_op op, uint64_t seed, size_t n, void *out);

/* Segments of n elements: segment s is [at[s], at[s + 1]), and `array` what a call takes for
 * them. */
typedef struct reference_cuts {
    xl_segments form;
    xl_type type; /* of keys and offsets */
    uint64_t width, mask;
    void *array;
    size_t array_count, array_bytes;
    size_t *at, count;
} reference_cuts;
/* Makes segments of many lengths, empty ones where the form has them. False: no memory. */
bool reference_cut(xl_segments form, size_t n, reference_cuts *cuts);
void reference_cuts_free(reference_cuts *cuts);

typedef struct reference_flat {
    xl_type type;
    xl_op op;
    bool inclusive;
    const void *init; /* NULL: the identity */
} reference_flat;

/* out[i] = init op in[0] op ... in[i - 1], or up to in[i], in each segment. */
void reference_scan(const reference_flat *what, const reference_cuts *cuts, const void *in,
                    void *out);

/* out[s] = init op all elements of segment s; for XL_ARG_MIN and XL_ARG_MAX the index (u64)
 * of the first least or greatest, or UINT64_MAX. */
void reference_reduce(const reference_flat *what, const reference_cuts *cuts, const void *in,
                      void *out);

/* Numbers of all sizes and both signs: a sum in any other order has other bits. */
void reference_fill_rounding(size_t n, float *out);

/* FNV-1a over the numbers' bits, low byte first; of all zeros alike. */
uint64_t reference_hash(size_t n, const float *x);

/* A small whole number as an element. */
void reference_whole(xl_type type, int value, void *out);

/* Whether two elements hold the same bits, or both a NaN. */
bool reference_same(xl_type type, const void *a, const void *b);

/* The same, but that a zero of either sign is a zero: some devices add 0 and -0 to -0. */
bool reference_same_sum(xl_type type, const void *a, const void *b);

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
