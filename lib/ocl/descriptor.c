/* SPDX-License-Identifier: MIT
 * Descriptors and reports across versions of the library: each starts with its own size. */
#include "runtime.h"

#include <string.h>

/* No descriptor will ever be longer; a size that is was not set by anybody. */
enum { LONGEST = 4096 };

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (bytes[i] != 0)
            return false;
    return true;
}

xl_status xli_desc_read(const xl_context *ctx, const void *given, void *to, size_t bytes,
                        size_t alignment)
{
    uint32_t size;
    const unsigned char *from = given;
    if (!given)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    memcpy(&size, given, sizeof size);
    /* A size between two alignments is no version's: it would cut a pointer in two. */
    if (size < sizeof size || size > LONGEST || size % alignment != 0)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc: struct_size is %u, this version's is %zu; start from the _desc_init() "
            "function",
            (unsigned)size, bytes);
    if (size > bytes && !all_zero(from + bytes, size - bytes))
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc: struct_size is %u and a field past byte %zu is set, which this older "
            "version of the library does not know",
            (unsigned)size, bytes);
    memcpy(to, from, xli_min(size, bytes));
    size = (uint32_t)bytes;
    memcpy(to, &size, sizeof size);
    return XL_SUCCESS;
}

xl_status xli_info_give(const xl_context *ctx, const void *from, size_t bytes, void *info,
                        size_t size)
{
    const uint32_t set = (uint32_t)xli_min(bytes, size);
    if (!info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "info: NULL");
    if (size < sizeof set || size > LONGEST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "size: %zu is no structure's", size);
    memset(info, 0, size);
    memcpy(info, from, set);
    memcpy(info, &set, sizeof set);
    return XL_SUCCESS;
}
