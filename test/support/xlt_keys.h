/* SPDX-License-Identifier: MIT
 * Keys of every scalar type, for tests of what takes them in order. */
#ifndef XLT_KEYS_H
#define XLT_KEYS_H

#include "xlt.h"

typedef enum xlt_keys {
    XLT_KEYS_RANDOM,
    XLT_KEYS_FEW_DISTINCT,
    XLT_KEYS_ALL_EQUAL,
    XLT_KEYS_SPECIAL, /* zeros, infinities, NaN, all of both signs, and numbers beside them */
    XLT_KEYS_KINDS,
    XLT_KEYS_ZEROS = XLT_KEYS_KINDS /* of floating-point types: zeros of both signs, and few others;
                                       for tests of these alone */
} xlt_keys;

extern const char *const xlt_keys_names[XLT_KEYS_KINDS + 1];

/* Writes n keys, in no order. */
void xlt_keys_fill(void *keys, xl_type type, xlt_keys kind, size_t n, xlt_random *random);

#endif
