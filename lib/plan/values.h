/* SPDX-License-Identifier: MIT
 * Arrays of values that follow keys or elements: desc.value and desc.more_values. A primitive moves
 * their elements without looking into them. */
#ifndef XLI_VALUES_H
#define XLI_VALUES_H

#include "primitive.h"

enum { XLI_VALUES = 1 + XL_MORE_VALUES };

typedef struct xli_values {
    size_t count, bytes[XLI_VALUES]; /* arrays, and bytes of an element of each */
} xli_values;

/* Reads the fields `value` and `more` of a descriptor, `more` up to the first XL_NONE.
 * XL_ERROR_INVALID_ARGUMENT if one is no type of values or follows XL_NONE. */
xl_status xli_values_read(const xl_context *ctx, uint32_t value,
                          const uint32_t more[XL_MORE_VALUES], xli_values *values);

/* Array k of a call, as args.values_in and args.more_values_in, or the same with `out`. An array
 * that the descriptor does not have must not be given. */
xli_array xli_values_in(const xli_values *values, size_t k, xl_view first, const xl_view *more,
                        size_t n);
xli_array xli_values_out(const xli_values *values, size_t k, xl_view first, const xl_view *more,
                         size_t n);

/* Adds the types of units for XL_TIMES() of cl/prelude/prelude.cl: xl_value0 and xl_value0_units,
 * and so on. */
void xli_values_text(xli_text *text, const xli_values *values);

/* Bytes of the largest unit, up to 16, to which all elements of an array are aligned: elements are
 * moved unit by unit (cl/prelude/prelude_unit.cl). */
size_t xli_value_unit(size_t bytes);

#endif
