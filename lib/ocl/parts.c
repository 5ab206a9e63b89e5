/* SPDX-License-Identifier: MIT
 * Parts of a plan that are built when a call needs them. */
#include "private.h"

xl_status xli_parts_create(const xl_context *ctx, xli_parts *parts)
{
    parts->lock = xli_mutex_create();
    return parts->lock ? XL_SUCCESS
                       : xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's lock");
}

void xli_parts_destroy(xli_parts *parts)
{
    xli_mutex_destroy(parts->lock);
    *parts = (xli_parts){0};
}

xl_status xli_parts_build(xli_parts *parts, unsigned part, xli_part_builder build, void *plan)
{
    xl_status status = XL_SUCCESS;
    xli_mutex_lock(parts->lock);
    if (!(parts->built >> part & 1u))
        status = build(plan, part);
    if (status == XL_SUCCESS)
        parts->built |= 1u << part;
    xli_mutex_unlock(parts->lock);
    return status;
}

uint32_t xli_parts_width(const xli_parts *parts, unsigned part, const uint32_t *widths,
                         uint32_t otherwise)
{
    xli_mutex_lock(parts->lock);
    const uint32_t width = parts->built >> part & 1u ? widths[part] : otherwise;
    xli_mutex_unlock(parts->lock);
    return width;
}
