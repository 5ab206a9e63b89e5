/* SPDX-License-Identifier: MIT
 * Calls of scans and reductions: init, the arrays and arguments of the input, launches. */
#include "problem.h"

#include <string.h>

xl_status xli_init_take(xl_context *ctx, const xli_problem *problem, const xl_scan_desc *desc,
                        xli_init *init)
{
    xl_status status = XL_SUCCESS;
    if (desc->init_view.buffer) {
        XL_TRY(xli_cl(ctx, clRetainMemObject(desc->init_view.buffer),
                      "clRetainMemObject (init_view)"));
        init->buffer = desc->init_view.buffer;
        init->offset = desc->init_view.offset;
    } else if (desc->init) {
        XL_TRY(xli_buffer_of(ctx, "clCreateBuffer (init)", CL_MEM_READ_ONLY, problem->element.bytes,
                             desc->init, &init->buffer));
    }
done:
    return status;
}

void xli_init_drop(xli_init *init)
{
    if (init->buffer)
        clReleaseMemObject(init->buffer);
    init->buffer = NULL;
}

size_t xli_problem_segment_count(const xli_problem *problem, size_t n, xl_view segments)
{
    if (problem->segment_bytes == 0)
        return 0;
    if (problem->segments == XL_SEGMENTS_OFFSETS)
        return n > 0 || segments.buffer ? segments.count : 0;
    return problem->segments == XL_SEGMENTS_FLAG_BITMASK ? xli_ceil_div(n, 32) : n;
}

void xli_problem_inputs(const xli_problem *problem, const xl_scan_args *args, xli_array *arrays)
{
    const size_t n = args->n, count = xli_problem_segment_count(problem, n, args->segments);
    arrays[XLI_N_DEVICE] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_N_DEVICE].optional = true;
    arrays[XLI_IN] = xli_input("args.in", args->in, n, problem->in.bytes);
    arrays[XLI_SEGMENTS] =
        xli_input("args.segments", args->segments, count, problem->segment_bytes);
    if (problem->segment_bytes == 0)
        arrays[XLI_SEGMENTS].unused =
            "must not be given, because desc.segments is XL_SEGMENTS_NONE, _WIDTH or _MASK";
}

static xl_status check_offsets(const xl_context *ctx, const xli_problem *problem,
                               const xl_scan_args *args)
{
    if (problem->segments != XL_SEGMENTS_OFFSETS || args->n == 0 || args->segments.count > 0)
        return XL_SUCCESS;
    return xli_fail(
        ctx, XL_ERROR_INVALID_ARGUMENT,
        "args.segments: a count of 0; must be the number of CSR offsets, segments + 1: use "
        "xl_view_n()");
}

static void add_carries(xli_args *list, const xli_span *spans, uint64_t first_index)
{
    const xli_span *const in = &spans[XLI_CARRY_IN];
    xli_args_add(list, XLI_OPTIONAL(in->buffer));
    xli_args_add(list, XLI_U64(in->buffer ? in->offset : UINT64_MAX));
    xli_args_add_span(list, &spans[XLI_CARRY_OUT]); /* or NULL */
    xli_args_add(list, XLI_U64(first_index));
}

static void add_input(xli_args *list, const xli_problem *problem, const xli_init *init,
                      const xl_scan_args *args, const xli_span *spans)
{
    xli_args_add_span(list, &spans[XLI_IN]);
    xli_args_add(list, XLI_U64(args->n));
    xli_args_add(list, XLI_OPTIONAL(spans[XLI_N_DEVICE].buffer));
    xli_args_add(list, XLI_U64(spans[XLI_N_DEVICE].offset));
    if (problem->has_init)
        xli_args_add_place(list, init->buffer, init->offset);
    if (problem->carries)
        add_carries(list, spans, args->first_index);
    if (problem->segment_bytes > 0) {
        xli_args_add_span(list, &spans[XLI_SEGMENTS]);
        xli_args_add(list, XLI_U64(xli_problem_segment_count(problem, args->n, args->segments)));
    } else if (problem->segments != XL_SEGMENTS_NONE) {
        xli_args_add(list, XLI_U64(problem->width));
        xli_args_add(list, XLI_U64(problem->mask));
    }
}

xl_status xli_flow_begin(xli_flow *flow, const xli_problem *problem, const xli_init *init,
                         xli_seq *seq, const xl_scan_args *args, const xli_span *spans,
                         const xli_span *scratch)
{
    xl_status status;
    flow->seq = seq;
    flow->n = args->n;
    flow->spans = spans;
    flow->scratch = scratch;
    flow->in_place = xli_span_is_in_place(&spans[XLI_IN], &spans[XLI_OUT]);
    flow->stream = false;
    flow->input.count = 0;
    XL_TRY(check_offsets(seq->ctx, problem, args));
    XL_TRY(xli_params_read(seq->ctx, &problem->params, args->params, &flow->params));
    add_input(&flow->input, problem, init, args, spans);
    xli_args_add(&flow->input, xli_params_arg(&problem->params, &flow->params));
done:
    return status;
}

xl_status xli_flow_launch(xli_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more)
{
    xli_args args = flow->input;
    xli_args_add_all(&args, more, num_more);
    return xli_seq_launch_args(flow->seq, kernel, groups, size, &args, 0);
}
