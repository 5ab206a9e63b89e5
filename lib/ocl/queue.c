/* SPDX-License-Identifier: MIT
 * Queues: a context's own, made when it is asked for, and others like it. */
#include "private.h"

cl_command_queue xli_queue_create(xl_context *ctx)
{
    cl_int code;
    cl_command_queue queue;
#ifdef CL_VERSION_2_0
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    if (xli_device_version(ctx->device) >= 200)
        queue = clCreateCommandQueueWithProperties(ctx->cl, ctx->device, properties, &code);
    else
#endif
        queue = clCreateCommandQueue(ctx->cl, ctx->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) {
        (void)xli_cl(ctx, code, "clCreateCommandQueue");
        queue = NULL;
    }
    return queue;
}

/* Two threads may both make one the first time; the first is kept. */
cl_command_queue xl_context_queue(xl_context *ctx)
{
    cl_command_queue spare = NULL;
    if (!ctx) {
        (void)xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
        return NULL;
    }
    if (xli_check_process() != XL_SUCCESS)
        return NULL;
    xli_mutex_lock(ctx->lock);
    cl_command_queue queue = ctx->queue;
    xli_mutex_unlock(ctx->lock);
    if (queue || !(spare = xli_queue_create(ctx)))
        return queue;
    xli_mutex_lock(ctx->lock);
    if (!ctx->queue) {
        ctx->queue = spare;
        spare = NULL;
    }
    queue = ctx->queue;
    xli_mutex_unlock(ctx->lock);
    if (spare)
        clReleaseCommandQueue(spare);
    return queue;
}
