/* SPDX-License-Identifier: MIT
 * Keys of a sort in host memory: their order as numbers, and searches in them. */
#ifndef XLM_SORT_KEYS_H
#define XLM_SORT_KEYS_H

#include "internal.h"

/* How a key becomes a number in the order of the sort: its code, or a part of it. */
typedef struct xlm_key_order {
    uint32_t type;
    unsigned bytes, begin_bit, bits;
    uint64_t zero; /* if -0 and +0 are equal: the code of +0; else 0 */
    uint64_t flip; /* XL_DESCENDING: all bits of a code; else 0 */
    uint64_t mask; /* of the bits that are compared */
} xlm_key_order;

xlm_key_order xlm_key_order_of(const xl_sort_desc *desc);

/* Sorted keys in host memory. */
typedef struct xlm_host_keys {
    xl_mpi *mpi; /* the first member: see xlm_split() */
    const xlm_key_order *order;
    const unsigned char *keys;
    uint64_t n;
} xlm_host_keys;

/* xl_split_args.find for them; user: an xlm_host_keys. */
xl_status xlm_find_codes(void *user, size_t count, const uint64_t *codes, uint64_t *at);

#endif
