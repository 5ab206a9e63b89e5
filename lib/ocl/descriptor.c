/* SPDX-License-Identifier: MIT
 * Public structures of callers whose headers are older than the library; checks of fields; and
 * settings, which are a field of the context's descriptor or an environment variable. */
#include "private.h"

#include <string.h>

static size_t bytes_in(const xli_structure *structure, uint32_t version)
{
    for (const xli_growth *g = structure->grown; g && g->before != 0; ++g)
        if (version < g->before)
            return g->bytes;
    return structure->bytes;
}

xl_status xli_check_version(const xl_context *ctx, uint32_t version)
{
    enum { FIRST = 100 };
    if (version >= FIRST && version <= XL_VERSION_NUMBER)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.version: %u; must be a version from %d to %d: call the descriptor's "
                    "_desc_init() first, and link a library that is not older than the headers",
                    (unsigned)version, (int)FIRST, (int)XL_VERSION_NUMBER);
}

void xli_structure_init(const xli_structure *structure, void *to, uint32_t version,
                        const void *defaults)
{
    if (!to)
        return;
    memcpy(to, defaults, bytes_in(structure, version));
    memcpy(to, &version, sizeof version);
}

xl_status xli_structure_read(const xl_context *ctx, const xli_structure *structure,
                             uint32_t version, const void *given, void *to)
{
    const xl_status status = ctx ? xli_check_process() : XL_SUCCESS;
    if (status != XL_SUCCESS)
        return status;
    if (!given)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", structure->name);
    memcpy(to, given, bytes_in(structure, version));
    return XL_SUCCESS;
}

xl_status xli_desc_read(const xl_context *ctx, const xli_structure *structure, const void *given,
                        void *to)
{
    uint32_t version = XL_VERSION_NUMBER;
    if (given)
        memcpy(&version, given, sizeof version);
    const xl_status status = xli_check_version(ctx, version);
    return status == XL_SUCCESS ? xli_structure_read(ctx, structure, version, given, to) : status;
}

void xli_structure_write(const xli_structure *structure, uint32_t version, void *to,
                         const void *from)
{
    if (to)
        memcpy(to, from, bytes_in(structure, version));
}

/* NULL asks the environment, "" does not. */
const char *xli_setting(const char *field, const char *variable)
{
    const char *value = field ? field : xli_os_env(variable);
    return value && *value ? value : NULL;
}

xl_status xli_check_idle(const xl_context *ctx, const xli_idle_field *fields, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (fields[i].given && !fields[i].used)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: given; must not be given, because %s", fields[i].name,
                            fields[i].wanted);
    return XL_SUCCESS;
}

xl_status xli_check_rows(const xl_context *ctx, size_t n, size_t first, size_t num)
{
    if (first > n || num > n - first)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.first_row, args.num_rows: %zu rows from %zu on; there are %zu", num,
                        first, n);
    return XL_SUCCESS;
}
