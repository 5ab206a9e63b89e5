/* SPDX-License-Identifier: MIT
 * Scratch: the caller's, or a plan's own that grows on demand. */
#include "private.h"

xl_status xli_pool_reserve(xl_context *ctx, xli_pool *pool, size_t bytes)
{
    cl_int code;
    if (bytes <= pool->bytes)
        return XL_SUCCESS;
    /* NVIDIA's driver 580 makes a buffer of any size, and fails when it is used. */
    cl_mem buffer = NULL;
    code = CL_INVALID_BUFFER_SIZE;
    if (bytes <= xli_device_ulong(ctx->device, CL_DEVICE_GLOBAL_MEM_SIZE))
        buffer = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_INVALID_BUFFER_SIZE)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY,
                        "scratch: %zu bytes are more than the device allows in one buffer", bytes);
    if (code != CL_SUCCESS)
        return xli_cl(ctx, code, "clCreateBuffer (scratch)");
    /* Work that still runs on the old buffer keeps it alive. */
    xli_pool_destroy(pool);
    *pool = (xli_pool){.buffer = buffer, .bytes = bytes, .fresh = true};
    return XL_SUCCESS;
}

void xli_pool_destroy(xli_pool *pool)
{
    if (pool->buffer)
        clReleaseMemObject(pool->buffer);
    *pool = (xli_pool){0};
}

xl_status xli_scratch_take(xl_context *ctx, xli_pool *pool, xl_view scratch, size_t bytes,
                           size_t alignment, xli_span *span)
{
    xl_status status = XL_SUCCESS;
    size_t size = 0;
    *span = (xli_span){.name = "scratch", .access = XLI_WRITE};
    if (bytes == 0)
        return XL_SUCCESS;
    if (!scratch.buffer) {
        XL_TRY(xli_pool_reserve(ctx, pool, bytes));
        return xli_check_view(ctx, "scratch", xl_view_of(pool->buffer, 0), bytes, 1,
                              XLI_READ | XLI_WRITE, span);
    }
    if (scratch.offset % alignment != 0)
        return xli_fail(ctx, XL_ERROR_MISALIGNED, "scratch: byte offset %zu, not a multiple of %zu",
                        scratch.offset, alignment);
    /* What else may be wrong with it is told first, by checks of its first byte. */
    XL_TRY(xli_check_view(ctx, "scratch", xl_view_of(scratch.buffer, 0), 1, 1, XLI_READ | XLI_WRITE,
                          span));
    XL_TRY_CL(ctx, clGetMemObjectInfo(scratch.buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    size_t room = size - xli_min(size, scratch.offset);
    if (room < bytes)
        XL_TRY(xli_fail(ctx, XL_ERROR_SCRATCH_TOO_SMALL,
                        "scratch: %zu bytes given from byte %zu on, %zu needed", room,
                        scratch.offset, bytes));
    return xli_check_view(ctx, "scratch", scratch, bytes, 1, XLI_READ | XLI_WRITE, span);
done:
    return status;
}
