/* SPDX-License-Identifier: MIT
 * Exact splitters: divides sorted elements that lie in several places (processes, devices, machines)
 * into parts of given sizes. It finds which elements of each place belong to which part, and moves
 * nothing. It is one step of a sort across devices: sort each array, split, send, merge what arrives
 * (crosslane/merge.h). crosslane/mpi.h has that whole sort for MPI.
 *
 * The messages are the caller's: xl_split() calls a function that adds numbers over all places, such
 * as MPI_Allreduce, ncclAllReduce, or a sum between threads. docs/sort.md has an example.
 *
 * Source: Kowalewski, Jungblut and Fuerlinger, "Engineering a distributed histogram sort", IEEE
 * Cluster 2019. */
#ifndef CROSSLANE_SPLIT_H
#define CROSSLANE_SPLIT_H

#include <crosslane/status.h>
#include <crosslane/types.h>

/* Fills found[k] for each values[k], k < count, as the member that points at the function says. Another
 * status than XL_SUCCESS: it failed. */
typedef xl_status xl_split_find(void *user, size_t count, const uint64_t *values, uint64_t *found);

/* Adds up values[0] to values[count - 1], each on its own. exclusive 0: over all places, for each of
 * them. exclusive 1: over the places before the caller's; 0 on the first place. All places call it
 * equally often, with the same count and the same `exclusive`. Another status than
 * XL_SUCCESS: it failed. */
typedef xl_status xl_split_sum(void *user, int exclusive, size_t count, uint64_t *values);

/* The arguments of one place. Elements are in the order of their codes, numbers of code_bits bits (for
 * keys xl_key_to_code() in crosslane/sort.h). Equal codes on different places are in the order of the
 * places. */
typedef struct xl_split_args {
    uint64_t n;         /* elements of this place; may be 0 */
    uint32_t code_bits; /* 1 to 64; the same on all places */
    uint32_t num_parts; /* at least 1; the same on all places */
    /* num_parts + 1 ascending numbers from 0 to the weight of all elements of all places, the same on
     * all of them: an element belongs to part k if the weight of all elements before it is at least
     * targets[k] and less than targets[k + 1] */
    const uint64_t *targets;
    void *user; /* passed to the functions */
    /* Ascending codes of code_bits bits -> the number of this place's elements with smaller codes: by a
     * binary search, or by xl_search_enqueue() on the device. Required, but not called if n is 0 */
    xl_split_find *find;
    /* Both NULL: each element has weight 1. Else a weight is at least 1.
     * weigh: m -> the weight of this place's first m elements, 0 <= m <= n.
     * find_weight: w -> the least m so that the first m elements weigh at least w; n if none do */
    xl_split_find *weigh, *find_weight;
    xl_split_sum *sum; /* NULL: there is only this place */
    /* num_parts + 1 numbers: the elements of this place that belong to part k are cuts[k] to
     * cuts[k + 1] - 1. Unspecified after an error */
    uint64_t *cuts;
    uint64_t *scratch; /* xl_split_scratch() bytes of host memory; NULL if these are 0 */
} xl_split_args;

XL_EXTERN_C_BEGIN

/* The bytes of scratch; 0 for num_parts 0 or 1. */
XL_API size_t xl_split_scratch(uint32_t num_parts);

/* Fills cuts. All places call it, each from its own process or thread. It calls `sum` at most
 * 1 + ceil(code_bits / 8) times, with at most 256 * (num_parts - 1) numbers, and allocates nothing.
 *
 * If find, weigh or find_weight fails on a place, this place continues with counts of 0, so that no
 * other place waits, and returns that status at the end; the cuts of all places are then wrong. A
 * status of `sum` other than XL_SUCCESS is returned at once.
 * XL_ERROR_INVALID_ARGUMENT: a number out of range, or a NULL. This place then has not called `sum`, and
 * others wait for it: correct the program. */
XL_NODISCARD XL_API xl_status xl_split(const xl_split_args *args);

XL_EXTERN_C_END

#endif
