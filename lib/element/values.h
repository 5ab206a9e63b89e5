/* SPDX-License-Identifier: MIT
 * Arrays of values that travel with keys or elements: any built-in type or number of bytes, up to
 * four arrays. */
#ifndef XLI_VALUES_H
#define XLI_VALUES_H

#include "runtime.h"

enum { XLI_VALUES = 1 + XL_MORE_VALUES };

typedef struct xli_values {
    size_t count;             /* arrays */
    size_t bytes[XLI_VALUES]; /* of an element of each; 0: there is no such array */
} xli_values;

/* Bytes of an element of values: a built-in type or XL_BYTES(); 0 for anything else. */
size_t xli_value_bytes(uint32_t value);

/* The arrays of desc.value and desc.more_values. XL_ERROR_INVALID_ARGUMENT if one has no type of
 * values, or if an array follows XL_NONE. */
xl_status xli_values_resolve(const xl_context *ctx, uint32_t value, const uint32_t *more,
                             xli_values *values);

/* Defines for kernels what cl/prelude/prelude_values.cl requires. */
void xli_values_text(xli_text *text, const xli_values *values);

#endif
