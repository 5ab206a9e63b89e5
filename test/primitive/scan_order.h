/* SPDX-License-Identifier: MIT
 * The order of operands of XL_REPRODUCIBLE (cl/scan/scan_reproducible.cl), one operand after
 * another. */
#ifndef SCAN_ORDER_H
#define SCAN_ORDER_H

#include "reference.h"

/* The sizes of the tree; size 0: chunks of 256 elements. */
typedef struct scan_order {
    size_t size, rows, vector, window;
} scan_order;

/* As ref_scan(), in this order. `carry`: NULL, or the element before the first one; receives that
 * after the last one. `continues`: it precedes the first element. */
void scan_in_order(const ref_flat *ref, const scan_order *order, size_t n, const void *in,
                   const uint8_t *heads, bool continues, unsigned char *carry, void *out);

#endif
