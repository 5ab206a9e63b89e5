/* SPDX-License-Identifier: MIT
 * Calls of a reduction: scratch and launches. */
#include "reduce_plan.h"

static xl_status take_scratch(xli_reduce_plan *plan, xli_reduce_flow *f, xl_view scratch)
{
    xl_status status;
    const xli_spans *at = &f->flow.at;
    const xli_span *const others[] = {&at->in,  &at->segments, &at->n_device,
                                      &at->out, &f->keys,      &f->count};
    XL_TRY(xli_scratch_countable(plan->ctx, f->flow.n, f->layout.bytes));
    XL_TRY(xli_seq_scratch(&f->flow.seq, &plan->pool, scratch, f->layout.bytes, XLI_SCRATCH_ALIGN,
                           &f->flow.scratch));
    XL_TRY(xli_check_apart_from(plan->ctx, &f->flow.scratch, others, XLI_COUNT(others)));
done:
    return status;
}

/* Most arguments of a launch beside the input's. */
enum { OWN_ARGS = 12 };
XLI_ARGS_FIT(XLI_INPUT_ARGS + OWN_ARGS);

/* One launch, with the arguments that XL_REDUCE_ARGUMENTS of cl/reduce/reduce_chunk.cl names, and
 * XL_WHOLE_ARGUMENTS of cl/reduce/reduce_whole.cl. */
static xl_status launch(xli_reduce_plan *plan, xli_reduce_flow *f, xli_kernel *kernel,
                        size_t groups, uint64_t chunk, size_t first)
{
    const xli_spans *at = &f->flow.at;
    xli_args args = f->flow.input;
    xli_args_add(&args, XLI_U64(chunk));
    xli_args_add(&args, XLI_U64(first));
    xli_args_add(&args, XLI_MEM(f->flow.scratch.buffer));
    xli_args_add(&args, XLI_U64(f->flow.scratch.offset + f->layout.carry_outs));
    xli_args_add(&args, XLI_U64(f->flow.scratch.offset + f->layout.counts));
    xli_args_add(&args, XLI_MEM(at->out.buffer));
    xli_args_add(&args, XLI_U64(at->out.offset));
    xli_args_add(&args, XLI_U64(f->results));
    if (plan->problem.segments == XL_SEGMENTS_KEYS) {
        xli_args_add(&args, XLI_MEM(f->keys.buffer));
        xli_args_add(&args, XLI_U64(f->keys.offset));
    }
    if (plan->kernels.count.cl) {
        xli_args_add(&args, XLI_MEM(f->count.buffer));
        xli_args_add(&args, XLI_U64(f->count.offset));
    }
    if (plan->problem.segments == XL_SEGMENTS_NONE) {
        xli_args_add(&args, XLI_MEM(f->counter.buffer)); /* or NULL */
        xli_args_add(&args, XLI_U64(f->counter.offset));
    }
    return xli_seq_launch_args(&f->flow.seq, kernel, groups, plan->shape.group_size, &args, 0);
}

/* Folds the carry-outs of so many chunks. Of whole arrays there may be very many, and a launch
 * takes so many at most. */
static xl_status fix_up(xli_reduce_plan *plan, xli_reduce_flow *f, size_t chunks, size_t first)
{
    const uint64_t more = (uint64_t)1 << 63;
    xl_status status = XL_SUCCESS;
    if (plan->problem.segments != XL_SEGMENTS_NONE)
        return launch(plan, f, &plan->kernels.fix_up, 1, chunks, first);
    for (size_t from = 0; from < chunks; from += XLI_REDUCE_TOTALS) {
        const size_t many = xli_min(chunks - from, XLI_REDUCE_TOTALS);
        XL_TRY(launch(plan, f, &plan->kernels.fix_up, 1, many | (from + many < chunks ? more : 0),
                      from));
    }
done:
    return status;
}

static xl_status enqueue_chunks(xli_reduce_plan *plan, xli_reduce_flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_reduce_partition partition =
        xli_reduce_partition_of(&plan->problem, &plan->shape, f->flow.n, f->segments);
    if (xli_reduce_is_single(&plan->shape, &partition))
        f->counter = xli_reduce_take_counter(plan, &f->flow);
    for (size_t first = 0; first < partition.chunks; first += partition.most) {
        const size_t chunks = xli_min(partition.chunks - first, partition.most);
        if (plan->kernels.count.cl && partition.chunks > 1)
            XL_TRY(launch(plan, f, &plan->kernels.count, chunks, partition.chunk, first));
        XL_TRY(launch(plan, f, &plan->kernels.upsweep, chunks, partition.chunk, first));
        if (partition.chunks > 1 && !f->counter.buffer)
            XL_TRY(fix_up(plan, f, chunks, first));
    }
done:
    return status;
}

xl_status xli_reduce_enqueue(xli_reduce_plan *plan, cl_command_queue queue,
                             const xl_reduce_args *call, cl_uint num_waits, const cl_event *waits,
                             cl_event *event)
{
    xl_status status;
    xli_reduce_flow f = {.flow = {.n = call->n}};
    f.layout = xli_reduce_layout_of(&plan->problem, &plan->shape, call->n);
    XL_TRY(xli_seq_begin(&f.flow.seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_reduce_check_call(plan->ctx, &plan->problem, call, &f));
    XL_TRY(take_scratch(plan, &f, call->scratch));
    xli_flow_set_input(&f.flow, &plan->problem, &plan->init);
    if (f.results > 0 || f.count.buffer)
        XL_TRY(enqueue_chunks(plan, &f));
done:
    return xli_seq_end(&f.flow.seq, status, event);
}
