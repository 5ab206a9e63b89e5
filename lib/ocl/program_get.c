/* SPDX-License-Identifier: MIT
 * Programs for the device of a context, with the best sub-group size.
 *
 * Intel's compiler for GPUs chooses 8, 16 or 32 for each kernel, and kernels of one plan with
 * different widths would fold in different orders. So all kernels of a program require one width:
 * the first, in the order of xli_lanes_widths(), at which no kernel spills registers, else the one
 * that spills least. A width that a compiled kernel does not report is not used. If no width works,
 * the program is built without lane operations. */
#include "private.h"

#include <stdio.h>
#include <string.h>

#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#endif

/* Work-items of a group: the number that the kernel requires, else at least the largest width. */
static size_t group_of(const xl_context *ctx, cl_kernel kernel)
{
    size_t size[3] = {0};
    cl_int code = clGetKernelWorkGroupInfo(kernel, ctx->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                           sizeof size, size, NULL);
    return code == CL_SUCCESS && size[0] > 0 ? size[0] : 64;
}

/* Adds a kernel: whether its sub-groups have `width` work-items, and the bytes it spills. The width
 * of a group that is smaller is not checked. */
static void try_kernel(const xl_context *ctx, cl_kernel kernel, uint32_t width,
                       xli_width_trial *trial)
{
    cl_ulong spill = 0;
    const size_t items = group_of(ctx, kernel);
    if (clGetKernelWorkGroupInfo(kernel, ctx->device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof spill,
                                 &spill, NULL) == CL_SUCCESS)
        trial->spill_bytes += spill;
    if (items >= width && xli_kernel_width(ctx, kernel, items) != width)
        trial->fits = false;
}

static xli_width_trial try_program(const xl_context *ctx, const xli_program *program,
                                   uint32_t width)
{
    cl_kernel kernels[32];
    cl_uint count = 0;
    xli_width_trial trial = {0};
    if (clCreateKernelsInProgram(program->cl, XLI_COUNT(kernels), kernels, &count) != CL_SUCCESS)
        return trial;
    trial.fits = true;
    for (cl_uint i = 0; i < count; ++i) {
        try_kernel(ctx, kernels[i], width, &trial);
        clReleaseKernel(kernels[i]);
    }
    return trial;
}

/* The same, remembered: a program is asked for by every plan like the first. */
static xli_width_trial trial_of(xl_context *ctx, xli_program *program, uint32_t width)
{
    xli_mutex_lock(ctx->lock);
    const bool known = program->tried;
    xli_width_trial trial = program->trial;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return trial;
    trial = try_program(ctx, program, width);
    xli_mutex_lock(ctx->lock);
    program->trial = trial;
    program->tried = true;
    program->width = width;
    xli_mutex_unlock(ctx->lock);
    return trial;
}

/* The last resort: sub-groups of one work-item. */
static xl_status build_without_lanes(xl_context *ctx, const xli_capabilities *capabilities,
                                     const xli_source *source, const char *defines,
                                     xli_program **program)
{
    xl_status status;
    xli_capabilities without = *capabilities;
    without.lane_way = XLI_LANE_LOCAL;
    without.info.sub_group_size = 1;
    XL_TRY(xli_program_build_source(ctx, &without, source, defines, "", program));
    xli_mutex_lock(ctx->lock);
    (*program)->width = 1;
    xli_mutex_unlock(ctx->lock);
done:
    return status;
}

static xl_status build_best(xl_context *ctx, const xli_capabilities *capabilities,
                            const xli_source *source, const char *defines, xli_program **program)
{
    xl_status status = XL_SUCCESS;
    xli_width_trial best = {0};
    xli_capabilities with = *capabilities;
    *program = NULL;
    for (size_t i = 0; capabilities->widths[i] > 0 && !xli_lanes_settled(&best); ++i) {
        xli_program *tried;
        with.width = with.info.sub_group_size = capabilities->widths[i];
        status = xli_program_build_source(ctx, &with, source, defines, "", &tried);
        if (status == XL_ERROR_BUILD) /* not every kernel has every width */
            continue;
        XL_TRY(status);
        const xli_width_trial trial = trial_of(ctx, tried, with.width);
        if (xli_lanes_better(&trial, &best)) {
            best = trial;
            *program = tried;
        }
    }
    status =
        *program ? XL_SUCCESS : build_without_lanes(ctx, capabilities, source, defines, program);
done:
    return status;
}

/* A width that does not compile is no failure of the caller, so the error text from before is
 * restored. */
xl_status xli_program_build_widths(xl_context *ctx, const xli_capabilities *capabilities,
                                   const xli_source *source, const char *defines,
                                   xli_program **program)
{
    if (capabilities->widths[0] == 0)
        return xli_program_build_source(ctx, capabilities, source, defines, "", program);
    char *before = xli_strdup(xl_context_error(ctx));
    if (!before)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to choose a sub-group size");
    const xl_status status = build_best(ctx, capabilities, source, defines, program);
    if (status == XL_SUCCESS && strcmp(before, xl_context_error(ctx)) != 0)
        (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
    xli_free(before);
    return status;
}

uint32_t xli_program_sub_group(xl_context *ctx, const xli_program *program, uint32_t otherwise)
{
    xli_mutex_lock(ctx->lock);
    const uint32_t width = program->width;
    xli_mutex_unlock(ctx->lock);
    return otherwise == 0 || width == 0 ? otherwise : width == 1 ? 0 : width;
}

xl_status xli_program_get_source(xl_context *ctx, const xli_source *source, const char *defines,
                                 xli_program **program)
{
    const xli_capabilities *capabilities;
    *program = NULL;
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    return status == XL_SUCCESS
               ? xli_program_build_widths(ctx, capabilities, source, defines, program)
               : status;
}

xl_status xli_program_get(xl_context *ctx, const char *name, const char *defines,
                          xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    *program = NULL;
    return source ? xli_program_get_source(ctx, source, defines, program)
                  : xli_fail(ctx, XL_ERROR_INTERNAL, "no kernel source \"%s\" is embedded", name);
}

xl_status xli_program_get_limited(xl_context *ctx, const char *name, const char *defines,
                                  uint32_t registers, xli_program **program)
{
    const xli_source *source = xli_source_find(name);
    const xli_capabilities *capabilities;
    char option[64];
    *program = NULL;
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    if (status != XL_SUCCESS || !source || registers == 0 || capabilities->nv_capability == 0)
        return xli_program_get(ctx, name, defines, program);
    snprintf(option, sizeof option, "-cl-nv-maxrregcount=%u", (unsigned)registers);
    status = xli_program_build_source(ctx, capabilities, source, defines, option, program);
    /* A compiler for NVIDIA's GPUs that is not NVIDIA's may not know it. */
    return status == XL_ERROR_BUILD ? xli_program_get(ctx, name, defines, program) : status;
}

xl_status xli_kernels_build(xl_context *ctx, const char *name, const xli_text *defines,
                            const xli_wanted *list, size_t count, size_t *most)
{
    xl_status status;
    xli_program *program;
    if (defines->failed)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the source of \"%s\"", name);
    XL_TRY(xli_program_get(ctx, name, defines->data, &program));
    XL_TRY(xli_kernels_create(ctx, program, list, count, most));
done:
    return status;
}
