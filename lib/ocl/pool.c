/* SPDX-License-Identifier: MIT
 * Scratch: the caller's, or a plan's own that grows on demand. */
#include "private.h"

/* The zeros are in it from the start, in whatever queue it is used and whatever becomes of
 * the events that its first use waits for: no command of ours has to come before. */
static cl_mem make_buffer(const xl_context *ctx, size_t bytes, bool zeroed, cl_int *code)
{
    void *zeros = zeroed ? xli_alloc(bytes) : NULL;
    cl_mem buffer = NULL;
    *code = CL_OUT_OF_HOST_MEMORY;
    if (zeros || !zeroed)
        buffer = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE | (zeroed ? CL_MEM_COPY_HOST_PTR : 0),
                                bytes, zeros, code);
    xli_free(zeros);
    return buffer;
}

xl_status xli_pool_create(xl_context *ctx, xli_pool *pool)
{
    pool->per_queue = ctx->per_queue;
    pool->lock = xli_mutex_create();
    return pool->lock ? XL_SUCCESS
                      : xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's scratch");
}

void xli_pool_drop(xli_pool *pool)
{
    if (pool->buffer)
        clReleaseMemObject(pool->buffer);
    if (pool->last)
        clReleaseEvent(pool->last);
    pool->buffer = NULL;
    pool->last = NULL;
    pool->queue = NULL;
    pool->bytes = 0;
    pool->calls = 0;
}

void xli_pool_destroy(xli_pool *pool)
{
    xli_pool_drop(pool);
    xli_mutex_destroy(pool->lock);
    pool->lock = NULL;
}

static xl_status reserve(xl_context *ctx, xli_pool *pool, size_t bytes)
{
    cl_int code;
    if (bytes <= pool->bytes)
        return XL_SUCCESS;
    /* NVIDIA's driver 580 makes a buffer of any size, and fails when it is used. */
    cl_mem buffer = NULL;
    code = CL_INVALID_BUFFER_SIZE;
    if (bytes <= xli_device_ulong(ctx->device, CL_DEVICE_GLOBAL_MEM_SIZE))
        buffer = make_buffer(ctx, bytes, pool->zeroed, &code);
    if (code == CL_INVALID_BUFFER_SIZE)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY,
                        "scratch: %zu bytes are more than the device allows in one buffer", bytes);
    if (code != CL_SUCCESS)
        return xli_cl(ctx, code, "clCreateBuffer (scratch)");
    xli_pool_drop(pool);
    pool->buffer = buffer;
    pool->bytes = bytes;
    return XL_SUCCESS;
}

/* CL_COMPLETE, more before that, or less: it failed. */
static cl_int state_of(cl_event event)
{
    cl_int state = CL_QUEUED;
    const cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS ? state : CL_QUEUED;
}

xl_status xli_pool_enter(xl_context *ctx, xli_pool *pool, cl_command_queue queue, bool in_order,
                         size_t bytes, cl_event *wait)
{
    xl_status status;
    *wait = NULL;
    xli_mutex_lock(pool->lock);
    const bool elsewhere = pool->queue && pool->queue != queue, loose = elsewhere || !in_order;
    pool->keeps_events = pool->keeps_events || loose;
    /* A call that failed is not waited for: its failure is told to those who hold its event, and is
     * not this call's. But the one that it waited for may still run. */
    if (loose && (!pool->last || (elsewhere && pool->per_queue) || state_of(pool->last) < 0))
        xli_pool_drop(pool);
    if (pool->most_calls && ++pool->calls >= pool->most_calls)
        xli_pool_drop(pool);
    XL_TRY(reserve(ctx, pool, bytes));
    if (pool->last && loose && state_of(pool->last) != CL_COMPLETE)
        *wait = pool->last;
done:
    return status;
}

void xli_pool_used(xli_pool *pool, cl_command_queue queue, cl_event event)
{
    if (pool->last)
        clReleaseEvent(pool->last);
    pool->last = event && clRetainEvent(event) == CL_SUCCESS ? event : NULL;
    pool->queue = queue;
}

void xli_pool_leave(xli_pool *pool)
{
    xli_mutex_unlock(pool->lock);
}

xl_status xli_scratch_countable(const xl_context *ctx, size_t bytes)
{
    if (bytes < SIZE_MAX)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "args: more scratch than a size_t can count");
}

xl_status xli_scratch_check(const xl_context *ctx, xl_view scratch, size_t bytes, size_t alignment,
                            xli_span *span)
{
    xl_status status = XL_SUCCESS;
    size_t size = 0;
    if (scratch.offset % alignment != 0)
        return xli_fail(ctx, XL_ERROR_MISALIGNED, "scratch: byte offset %zu, not a multiple of %zu",
                        scratch.offset, alignment);
    /* Other mistakes are reported first, by a check of its first byte. */
    XL_TRY(xli_check_view(ctx, "scratch", xl_view_of(scratch.buffer, 0), 1, 1, XLI_READ | XLI_WRITE,
                          span));
    XL_TRY_CL(ctx, clGetMemObjectInfo(scratch.buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    size_t room = size - xli_min(size, scratch.offset);
    if (scratch.count > 0)
        room = xli_min(room, scratch.count);
    if (room < bytes)
        XL_TRY(xli_fail(ctx, XL_ERROR_SCRATCH_TOO_SMALL,
                        "scratch: %zu bytes given from byte %zu on; %zu are needed", room,
                        scratch.offset, bytes));
    return xli_check_view(ctx, "scratch", scratch, bytes, 1, XLI_READ | XLI_WRITE, span);
done:
    return status;
}
