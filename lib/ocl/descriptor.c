/* SPDX-License-Identifier: MIT
 * Structures across versions of the library: what a caller was compiled with may be shorter or
 * longer than what this version knows. And what a field of a context's says, or in its place the
 * environment. */
#include "private.h"

#include <string.h>

/* No structure will ever be longer; a size that is was not set by anybody. */
enum { LONGEST = 4096 };

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Fields are of 4 bytes and more; a version without pointers may end at any multiple of that. */
static bool is_a_size(size_t size)
{
    return size >= sizeof(uint32_t) && size <= LONGEST && size % sizeof(uint32_t) == 0;
}

void xli_struct_init(void *to, size_t size, const void *defaults, size_t bytes)
{
    const uint32_t stated = (uint32_t)size;
    if (!to || size < sizeof stated)
        return;
    memset(to, 0, size);
    memcpy(to, defaults, xli_min(size, bytes));
    memcpy(to, &stated, sizeof stated);
}

void xli_struct_write(void *to, size_t size, const void *from, size_t bytes)
{
    const uint32_t written = (uint32_t)xli_min(size, bytes);
    if (!to || size < sizeof written)
        return;
    memset(to, 0, size);
    memcpy(to, from, written);
    memcpy(to, &written, sizeof written);
}

xl_status xli_struct_read(const xl_context *ctx, const char *name, const void *given, size_t size,
                          void *to, size_t bytes)
{
    const unsigned char *from = given;
    const xl_status status = ctx ? xli_check_process() : XL_SUCCESS;
    if (status != XL_SUCCESS)
        return status;
    if (!given)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", name);
    if (!is_a_size(size))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: its size is %zu, this version's is %zu", name, size, bytes);
    if (size > bytes && !all_zero(from + bytes, size - bytes))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: its size is %zu and a field past byte %zu is set, which this older "
                        "version of the library does not know",
                        name, size, bytes);
    memcpy(to, from, xli_min(size, bytes));
    return XL_SUCCESS;
}

xl_status xli_desc_read(const xl_context *ctx, const void *given, void *to, size_t bytes)
{
    uint32_t size = 0;
    if (given)
        memcpy(&size, given, sizeof size);
    if (given && !is_a_size(size))
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc: struct_size is %u, this version's is %zu; start from the _desc_init() "
            "function",
            (unsigned)size, bytes);
    const xl_status status = xli_struct_read(ctx, "desc", given, size, to, bytes);
    size = (uint32_t)bytes;
    if (status == XL_SUCCESS)
        memcpy(to, &size, sizeof size);
    return status;
}

/* NULL asks the environment, "" does not. */
const char *xli_setting(const char *field, const char *variable)
{
    const char *value = field ? field : xli_os_env(variable);
    return value && *value ? value : NULL;
}

xl_status xli_info_give(const xl_context *ctx, const void *from, size_t bytes, void *info,
                        size_t size)
{
    if (!info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "info: NULL");
    if (!is_a_size(size))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "size: %zu is no structure's", size);
    xli_struct_write(info, size, from, bytes);
    return XL_SUCCESS;
}

xl_status xli_check_idle(const xl_context *ctx, const xli_idle_field *fields, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (fields[i].given && !fields[i].used)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but %s", fields[i].name,
                            fields[i].wanted);
    return XL_SUCCESS;
}

xl_status xli_check_rows(const xl_context *ctx, size_t n, size_t first, size_t *num)
{
    if (first > n || *num > n - first)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "first_row, num_rows: %zu rows from %zu on; there are %zu", *num, first, n);
    if (*num == 0)
        *num = n - first;
    return XL_SUCCESS;
}
