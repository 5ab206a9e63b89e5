/* SPDX-License-Identifier: MIT
 * Counts of the neighbours of each query, and sums over them.
 *
 * Phases of a list: count per query -> exclusive sum in 64 bits -> fill (neighbors_fill.c). */
#include "neighbors_plan.h"

/* The kernel's way to say "not given" is a flag; the buffer is then any. */
static cl_mem or_any(xl_view view, const xl_grid_index *index)
{
    return view.buffer ? view.buffer : index->storage;
}

static xl_status check_count(xli_search *s, const xl_neighbors_count_args *args, xli_span *work)
{
    xl_status status;
    xli_neighbors_plan *const plan = s->plan;
    const xl_view counts = args->counts, offsets = args->offsets;
    xli_span spans[3] = {{0}};
    size_t bytes = 0, alignment = 1;
    *work = spans[2];
    XL_TRY(xli_near_queries(s, XLI_NEAR_GIVEN(args)));
    if (!counts.buffer && !offsets.buffer && s->n > 0)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "counts, offsets: none is given");
    if (counts.buffer)
        XL_TRY(xli_check_view(plan->ctx, "counts", counts, s->n, sizeof(cl_uint), XLI_WRITE,
                              &spans[0]));
    if (offsets.buffer) {
        XL_TRY(xli_check_view(plan->ctx, "offsets", offsets, s->n + 1, sizeof(cl_ulong),
                              XLI_READ | XLI_WRITE, &spans[1]));
        XL_TRY(xli_neighbors_scratch(plan, s->n, &bytes, &alignment));
    }
    XL_TRY(xli_seq_scratch(&s->seq, &plan->pool, args->scratch, bytes, alignment, &spans[2]));
    XL_TRY(xli_near_apart(s, spans, XLI_COUNT(spans)));
    *work = spans[2];
done:
    return status;
}

/* Of the counts in `offsets` the exclusive sum. */
static xl_status launch_sum(xli_search *s, xl_view offsets, const xli_span *work)
{
    xl_status status;
    xli_neighbors_plan *const plan = s->plan;
    XL_TRY(xli_seq_nest(&s->seq));
    XL_TRY(xl_scan_enqueue(plan->scan, s->seq.queue,
                           &(xl_scan_args){.n = s->n + 1,
                                           .in = offsets,
                                           .out = offsets,
                                           .scratch = xl_view_of(work->buffer, work->offset)},
                           XLI_NEST(&s->seq)));
    xli_seq_nested(&s->seq);
    if (plan->ends_loops)
        XL_TRY(XLI_LAUNCH(&s->seq, &plan->total, 1, 1, XLI_MEM(s->index->storage),
                          XLI_GRID_PART(s->index, header), XLI_U32(s->n), XLI_MEM(offsets.buffer),
                          XLI_U64(offsets.offset)));
done:
    return status;
}

xl_status xli_neighbors_count_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                      cl_command_queue queue, const xl_neighbors_count_args *args,
                                      size_t size, cl_uint num_waits, const cl_event *waits,
                                      cl_event *event)
{
    xl_status status;
    xli_search s = {0};
    xli_span work;
    xl_neighbors_count_args given = {0};
    XL_TRY(xli_near_begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_count_args, args, size, &given));
    XL_TRY(check_count(&s, &given, &work));
    const xli_arg own[] = {
        XLI_U32(given.counts.buffer != NULL),  XLI_MEM(or_any(given.counts, index)),
        XLI_U64(given.counts.offset),          XLI_U32(given.offsets.buffer != NULL),
        XLI_MEM(or_any(given.offsets, index)), XLI_U64(given.offsets.offset)};
    if (s.n > 0 || given.offsets.buffer)
        XL_TRY(xli_near_launch(&s, &plan->count, own, XLI_COUNT(own)));
    if (s.n > 0 && given.offsets.buffer)
        XL_TRY(launch_sum(&s, given.offsets, &work));
done:
    return xli_seq_end(&s.seq, status, event);
}

/* What a visit starts from, and what it is given, are of the plan's scalar. */
static xl_status check_start(const xli_neighbors_plan *plan, const xl_neighbors_visit_args *args)
{
    const bool wide = plan->scalar == XL_F64;
    bool narrow_set = args->start != 0, wide_set = args->start_f64 != 0;
    for (int k = 0; k < 4; ++k) {
        narrow_set = narrow_set || args->params[k] != 0;
        wide_set = wide_set || args->params_f64[k] != 0;
    }
    const xli_idle_field fields[] = {
        {"start, params", narrow_set, !wide, "desc.scalar is f64"},
        {"start_f64, params_f64", wide_set, wide, "desc.scalar is f32"}};
    return xli_check_idle(plan->ctx, fields, XLI_COUNT(fields));
}

xl_status xli_neighbors_visit_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                      cl_command_queue queue, const xl_neighbors_visit_args *args,
                                      size_t size, cl_uint num_waits, const cl_event *waits,
                                      cl_event *event)
{
    xl_status status;
    xli_search s = {0};
    xli_span span;
    xl_neighbors_visit_args given = {0};
    XL_TRY(xli_near_begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_visit_args, args, size, &given));
    if (!plan->visits)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "plan: made without desc.visit, so there is nothing to visit with"));
    XL_TRY(xli_near_queries(&s, XLI_NEAR_GIVEN(&given)));
    XL_TRY(check_start(plan, &given));
    XL_TRY(xli_check_view(plan->ctx, "out", given.out, s.n, xli_scalar_bytes(plan->scalar),
                          XLI_WRITE, &span));
    XL_TRY(xli_near_apart(&s, &span, 1));
    const bool wide = plan->scalar == XL_F64;
    const xli_arg own[] = {wide ? XLI_BYTES(&given.start_f64, sizeof given.start_f64)
                                : XLI_BYTES(&given.start, sizeof given.start),
                           wide ? XLI_BYTES(given.params_f64, sizeof given.params_f64)
                                : XLI_BYTES(given.params, sizeof given.params),
                           XLI_MEM(given.out.buffer), XLI_U64(given.out.offset)};
    if (s.n > 0)
        XL_TRY(xli_near_launch(&s, &plan->visit, own, XLI_COUNT(own)));
done:
    return xli_seq_end(&s.seq, status, event);
}
