/* SPDX-License-Identifier: MIT
 * Keys as kernels order them (cl/prelude/prelude_key.cl): every built-in scalar type, by its bits.
 * A device need not compute with that type. */
#ifndef XLI_KEY_H
#define XLI_KEY_H

#include "runtime.h"

#include <crosslane/types.h>

/* XL_ERROR_INVALID_ARGUMENT unless `type`, which a descriptor names `field`, is one of a key. */
xl_status xli_key_check(const xl_context *ctx, const char *field, xl_type type);

/* The lines that cl/prelude/prelude_key.cl asks for. */
void xli_key_text(xli_text *text, xl_type type, bool descending);

#endif
