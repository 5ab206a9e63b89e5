/* SPDX-License-Identifier: MIT
 * Serial reference of the sort, for tests and the self-test. */
#ifndef XLI_SORT_REF_H
#define XLI_SORT_REF_H

#include <crosslane/sort.h>
#include <stdbool.h>

/* The place of a key in the order of the descriptor: a smaller number comes first. */
uint64_t xli_sort_ref_rank(const xl_sort_desc *desc, const void *keys, size_t i);

/* Sorts n keys and, unless NULL, their values in place; equal keys keep their order.
 * False when there is no memory. */
bool xli_sort_ref(const xl_sort_desc *desc, size_t n, void *keys, uint32_t *values);

#endif
