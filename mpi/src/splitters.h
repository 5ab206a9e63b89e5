/* SPDX-License-Identifier: MIT
 * Exact splitters: divides the elements of all ranks, in the order of their codes, into parts of given
 * weights. Elements of one code are in the order of the ranks, and of their places on a rank. */
#ifndef XLM_SPLITTERS_H
#define XLM_SPLITTERS_H

#include "internal.h"

/* A search among the elements first to last. */
typedef struct xlm_edges {
    uint64_t first, last, edge;
} xlm_edges;

/* The sorted elements of this rank, and how they are searched. The weight before an element is that of all that
 * are before it; each one has at least 1. */
typedef struct xlm_sorted {
    uint64_t n;
    uint64_t least, greatest; /* codes, if n > 0 */
    void *user;
    /* at[row * count + j], for each j below `count`: the first element of that row whose code is at least
     * edge + (j << shift), or last. */
    xl_status (*bounds)(void *user, const xlm_edges *rows, int num_rows, int count, unsigned shift,
                        uint64_t *at);
    /* Both NULL: each element has weight 1. weights: the weight before each element of `at`, which may be n.
     * heavy: the first element with at least that weight before it; n if there is none. */
    xl_status (*weights)(void *user, int count, const uint64_t *at, uint64_t *weights);
    xl_status (*heavy)(void *user, int count, const uint64_t *weights, uint64_t *at);
} xlm_sorted;

/* COLLECTIVE; agreed. An element belongs to part k if the weight of all elements before it is at least
 * targets[k] and below targets[k + 1]. cuts[k], for 0 <= k <= parts, becomes the number of this rank's
 * elements that are in parts before k. targets: parts + 1 numbers, the same on all ranks, ascending, the
 * first 0 and the last the weight of all elements. */
xl_status xlm_split(xl_mpi *mpi, const xlm_sorted *sorted, int parts, const uint64_t *targets,
                    uint64_t *cuts);

/* part * total / parts, rounded down. */
uint64_t xlm_even_target(uint64_t total, int part, int parts);

#endif
