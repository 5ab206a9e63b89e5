/* SPDX-License-Identifier: MIT
 * Exact splitters: divides the elements of all ranks, in the order of their codes, into parts of given
 * weights. Elements of one code are in the order of the ranks, and of their places on a rank. */
#ifndef XLM_SPLITTERS_H
#define XLM_SPLITTERS_H

#include "internal.h"

/* The sorted elements of this rank. */
typedef struct xlm_sorted {
    uint64_t n;
    uint64_t (*code)(const void *user, uint64_t i); /* of element i; ascending */
    const void *user;
    const uint64_t *sums; /* sums[i], for 0 <= i <= n: the weight of the elements before element i;
                             each element has at least 1. NULL: each has 1 */
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
