/* SPDX-License-Identifier: MIT
 * What kernels are given when they run: where results start from, and the input's arguments. */
#include "problem.h"

#include <string.h>

xl_status xli_init_take(xl_context *ctx, const xli_problem *problem, const xl_scan_desc *desc,
                        xli_init *init)
{
    cl_int code = CL_SUCCESS;
    if (desc->init_view.buffer) {
        code = clRetainMemObject(desc->init_view.buffer);
        if (code != CL_SUCCESS)
            return xli_cl(ctx, code, "clRetainMemObject (init_view)");
        init->buffer = desc->init_view.buffer;
        init->offset = desc->init_view.offset;
    } else if (desc->init) {
        /* The call asks for a pointer to what may be written, and only reads. */
        void *bytes = xli_alloc(problem->element.bytes);
        if (!bytes)
            return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for init");
        memcpy(bytes, desc->init, problem->element.bytes);
        init->buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                      problem->element.bytes, bytes, &code);
        xli_free(bytes);
    }
    return xli_cl(ctx, code, "clCreateBuffer (init)");
}

void xli_init_drop(xli_init *init)
{
    if (init->buffer)
        clReleaseMemObject(init->buffer);
    init->buffer = NULL;
}

void xli_flow_set_input(xli_flow *flow, const xli_problem *problem, const xli_init *init)
{
    const xli_spans *spans = &flow->at;
    xli_args *const args = &flow->input;
    args->count = 0;
    xli_args_add(args, XLI_MEM(spans->in.buffer));
    xli_args_add(args, XLI_U64(spans->in.offset));
    xli_args_add(args, XLI_U64(flow->n));
    xli_args_add(args, XLI_OPTIONAL(spans->n_device.buffer));
    xli_args_add(args, XLI_U64(spans->n_device.offset));
    if (problem->has_init) {
        xli_args_add(args, XLI_MEM(init->buffer));
        xli_args_add(args, XLI_U64(init->offset));
    }
    if (problem->carries) {
        xli_args_add(args, XLI_OPTIONAL(spans->carry_in.buffer));
        xli_args_add(args, XLI_U64(spans->carry_in.buffer ? spans->carry_in.offset : UINT64_MAX));
        xli_args_add(args, XLI_MEM(spans->carry_out.buffer)); /* or NULL */
        xli_args_add(args, XLI_U64(spans->carry_out.offset));
        xli_args_add(args, XLI_U64(spans->first_index));
    }
    if (problem->segment_bytes > 0) {
        xli_args_add(args, XLI_MEM(spans->segments.buffer));
        xli_args_add(args, XLI_U64(spans->segments.offset));
        xli_args_add(args, XLI_U64(spans->segment_count));
    } else if (problem->segments != XL_SEGMENTS_NONE) {
        xli_args_add(args, XLI_U64(problem->width));
        xli_args_add(args, XLI_U64(problem->mask));
    }
    xli_args_add(args, xli_params_arg(&problem->params, &spans->params));
}

xl_status xli_flow_launch(xli_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more)
{
    xli_args args = flow->input;
    xli_args_add_all(&args, more, num_more);
    return xli_seq_launch_args(&flow->seq, kernel, groups, size, &args, 0);
}
