/* SPDX-License-Identifier: MIT
 * Kernels with their lock: setting arguments and enqueuing is one step. */
#include "private.h"

#include <stdio.h>

/* A program of the disk cache may load and yet not be whole: then it is built anew. */
static xl_status create(xl_context *ctx, const xli_program *program, const char *name,
                        cl_kernel *kernel)
{
    xl_status status;
    cl_int code;
    char call[96];
    snprintf(call, sizeof call, "clCreateKernel (%s)", name);
    *kernel = clCreateKernel(program->cl, name, &code);
    if (code == CL_INVALID_KERNEL_NAME || code == CL_INVALID_PROGRAM_EXECUTABLE) {
        XL_TRY(xli_program_rebuild(ctx, program, &program));
        *kernel = clCreateKernel(program->cl, name, &code);
    }
    status = xli_cl(ctx, code, call);
done:
    return status;
}

/* A list of its arguments must fit into xli_args. */
static xl_status check_arguments(xl_context *ctx, cl_kernel kernel, const char *name)
{
    xl_status status;
    cl_uint count = 0;
    XL_TRY_CL(ctx, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    if (count > XLI_MAX_ARGS)
        status = xli_fail(ctx, XL_ERROR_INTERNAL, "kernel \"%s\": %u arguments; at most %u", name,
                          (unsigned)count, (unsigned)XLI_MAX_ARGS);
done:
    return status;
}

xl_status xli_kernel_create(xl_context *ctx, const xli_program *program, const char *name,
                            xli_kernel *kernel)
{
    xl_status status;
    *kernel = (xli_kernel){0};
    kernel->lock = xli_mutex_create();
    if (!kernel->lock)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for kernel \"%s\"", name);
    XL_TRY(create(ctx, program, name, &kernel->cl));
    XL_TRY(check_arguments(ctx, kernel->cl, name));
    XL_TRY_CL(ctx, clGetKernelWorkGroupInfo(kernel->cl, ctx->device, CL_KERNEL_WORK_GROUP_SIZE,
                                            sizeof kernel->max_group, &kernel->max_group, NULL));
    if (kernel->max_group == 0) {
        char device[128];
        xli_device_text(ctx->device, CL_DEVICE_NAME, device, sizeof device);
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "kernel \"%s\": %s says that it runs it in groups of no size at all "
                        "(CL_KERNEL_WORK_GROUP_SIZE is 0)",
                        name, device));
    }
    if (ctx->mask.work_group > 0)
        kernel->max_group = xli_min(kernel->max_group, ctx->mask.work_group);
done:
    if (status != XL_SUCCESS)
        xli_kernel_destroy(kernel);
    return status;
}

void xli_kernel_destroy(xli_kernel *kernel)
{
    if (kernel->cl)
        clReleaseKernel(kernel->cl);
    xli_mutex_destroy(kernel->lock);
    *kernel = (xli_kernel){0};
}

xl_status xli_kernels_create(xl_context *ctx, const xli_program *program, const xli_wanted *list,
                             size_t count, size_t *most)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < count; ++k) {
        if (!list[k].is_wanted)
            continue;
        XL_TRY(xli_kernel_create(ctx, program, list[k].name, list[k].kernel));
        if (most)
            *most = xli_min(*most, list[k].kernel->max_group);
    }
done:
    return status;
}

static xl_status launch(xl_context *ctx, cl_command_queue queue, xli_kernel *kernel, size_t items,
                        cl_mem buffer)
{
    xl_status status;
    xli_seq seq;
    XL_TRY(xli_seq_begin(&seq, ctx, queue, 0, NULL, NULL));
    XL_TRY(XLI_LAUNCH(&seq, kernel, 1, items, XLI_MEM(buffer)));
done:
    return xli_seq_end(&seq, status, NULL);
}

xl_status xli_kernel_query(xl_context *ctx, xli_kernel *kernel, size_t items, size_t bytes,
                           void *answer)
{
    xl_status status;
    cl_int code;
    cl_command_queue queue = NULL;
    cl_mem buffer = clCreateBuffer(ctx->cl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    XL_TRY(xli_cl(ctx, code, "clCreateBuffer"));
    queue = xli_queue_create(ctx);
    if (!queue)
        XL_TRY(XL_ERROR_OPENCL);
    XL_TRY(launch(ctx, queue, kernel, items, buffer));
    XL_TRY(xli_read_blocking(ctx, queue, buffer, 0, bytes, answer, 0, NULL));
done:
    if (buffer)
        clReleaseMemObject(buffer);
    if (queue)
        clReleaseCommandQueue(queue);
    return status;
}

size_t xli_kernel_width(const xl_context *ctx, cl_kernel kernel, size_t items)
{
    size_t width = 0;
    cl_int code = CL_INVALID_OPERATION;
#ifdef CL_VERSION_2_1
    code = clGetKernelSubGroupInfo(kernel, ctx->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                   sizeof items, &items, sizeof width, &width, NULL);
#else
    (void)ctx;
    (void)kernel;
    (void)items;
#endif
    return code == CL_SUCCESS ? width : 0;
}
