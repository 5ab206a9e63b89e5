/* SPDX-License-Identifier: MIT
 * The launches of a reduction. */
#include "reduce_plan.h"

/* A call while its launches are enqueued. */
typedef struct reduce_flow {
    xli_flow flow;
    size_t results;  /* that `out` must hold, or may receive */
    size_t segments; /* by CSR offsets */
    xli_reduce_layout layout;
    xli_reduce_counter counter; /* of a single launch */
} reduce_flow;

/* Most arguments of a launch beside the input's. */
enum { OWN_ARGS = 12 };
XLI_ARGS_FIT(XLI_INPUT_ARGS + OWN_ARGS);

/* One launch, with the arguments that XL_REDUCE_ARGUMENTS of cl/reduce/reduce_chunk.cl names, and
 * XL_WHOLE_ARGUMENTS of cl/reduce/reduce_whole.cl. */
static xl_status launch(xli_reduce_plan *plan, reduce_flow *f, xli_kernel *kernel, size_t groups,
                        uint64_t chunk, size_t first)
{
    const xli_span *const spans = f->flow.spans, *const scratch = f->flow.scratch;
    xli_args args = f->flow.input;
    xli_args_add(&args, XLI_U64(chunk));
    xli_args_add(&args, XLI_U64(first));
    xli_args_add_place(&args, scratch->buffer, scratch->offset + f->layout.carry_outs);
    xli_args_add(&args, XLI_U64(scratch->offset + f->layout.counts));
    xli_args_add_span(&args, &spans[XLI_OUT]);
    xli_args_add(&args, XLI_U64(f->results));
    if (plan->problem.segments == XL_SEGMENTS_KEYS)
        xli_args_add_span(&args, &spans[XLI_REDUCE_KEYS]); /* or NULL */
    if (plan->kernels.count.cl)
        xli_args_add_span(&args, &spans[XLI_REDUCE_COUNT]); /* or NULL */
    if (plan->problem.segments == XL_SEGMENTS_NONE)
        xli_args_add_place(&args, f->counter.buffer, f->counter.offset); /* or NULL */
    return xli_seq_launch_args(f->flow.seq, kernel, groups, plan->shape.group_size, &args, 0);
}

/* Folds the carry-outs of the chunks. A launch folds at most XLI_REDUCE_TOTALS: whole arrays may
 * have many more chunks. */
static xl_status fix_up(xli_reduce_plan *plan, reduce_flow *f, size_t chunks, size_t first)
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

static xl_status enqueue_chunks(xli_reduce_plan *plan, reduce_flow *f)
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

xl_status xli_reduce_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                            const xli_span *scratch)
{
    xl_status status;
    const xl_reduce_args *const args = of;
    const xl_scan_args scan = xli_reduce_scan_args(args);
    xli_reduce_plan *const plan = (xli_reduce_plan *)base;
    reduce_flow f;
    XL_TRY(xli_flow_begin(&f.flow, &plan->problem, &plan->init, seq, &scan, spans, scratch));
    f.results = xli_reduce_results(&plan->problem, args);
    f.segments = xli_reduce_segments(&plan->problem, args);
    f.layout = xli_reduce_layout_of(&plan->problem, &plan->shape, args->n);
    f.counter = (xli_reduce_counter){0};
    if (f.results > 0 || spans[XLI_REDUCE_COUNT].buffer)
        XL_TRY(enqueue_chunks(plan, &f));
done:
    return status;
}
