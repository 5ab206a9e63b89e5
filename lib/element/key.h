/* SPDX-License-Identifier: MIT
 * Keys as kernels order them (cl/prelude/prelude_key.cl): every built-in scalar type, by its bits.
 * A device need not compute with that type. Or elements, as a comparator does. */
#ifndef XLI_KEY_H
#define XLI_KEY_H

#include "element.h"

/* Checks of a descriptor's fields: XL_ERROR_INVALID_ARGUMENT unless `key` is a type of keys,
 * `order` ascending or descending, and `segments` none, or CSR offsets of type u32 or u64. */
xl_status xli_key_check(const xl_context *ctx, uint32_t key);
xl_status xli_key_check_order(const xl_context *ctx, uint32_t order);
xl_status xli_key_check_segments(const xl_context *ctx, uint32_t segments, uint32_t type);

/* Whether keys of that type may be zero with either sign. */
bool xli_key_is_float(xl_type type);

/* Adds the definitions that cl/prelude/prelude_key.cl requires. equal_zeros: -0 and +0 of
 * floating-point keys are mapped to one number. */
void xli_key_text(xli_text *text, xl_type type, bool descending, bool equal_zeros);

/* ---- keys that a comparator orders: elements of any type ---- */

/* XL_ERROR_INVALID_ARGUMENT unless its name is an identifier. */
xl_status xli_comparator_check(const xl_context *ctx, const xl_user_comparator *comparator);

/* Adds the same definitions after the user's source. */
void xli_comparator_text(xli_text *text, const xli_capabilities *capabilities,
                         const xli_element *key, const xl_user_comparator *comparator,
                         bool descending);

#endif
