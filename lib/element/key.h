/* SPDX-License-Identifier: MIT
 * Keys as kernels order them (cl/prelude/prelude_key.cl): every built-in scalar type, by its bits.
 * A device need not compute with that type. */
#ifndef XLI_KEY_H
#define XLI_KEY_H

#include "runtime.h"

#include <crosslane/types.h>

/* A descriptor's fields of that name: XL_ERROR_INVALID_ARGUMENT unless `key` is a type of keys,
 * `value` u32 or none, `order` ascending or descending. */
xl_status xli_key_check(const xl_context *ctx, uint32_t key);
xl_status xli_key_check_value(const xl_context *ctx, uint32_t value);
xl_status xli_key_check_order(const xl_context *ctx, uint32_t order);

/* The lines that cl/prelude/prelude_key.cl asks for. */
void xli_key_text(xli_text *text, xl_type type, bool descending);

#endif
