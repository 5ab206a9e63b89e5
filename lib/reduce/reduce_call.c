/* SPDX-License-Identifier: MIT
 * One call of a reduction: checks, then launches. */
#include "reduce_plan.h"

#include <string.h>

/* A call on its way to the device. */
typedef struct flow {
    xli_flat_flow flat;
    xli_span keys, count;
    size_t results;  /* that `out` must hold, or may get */
    size_t segments; /* of CSR offsets */
} flow;

static size_t bits_of(uint64_t word)
{
    size_t bits = 0;
    for (; word; word &= word - 1)
        ++bits;
    return bits;
}

/* How many segments n elements fall into. */
static size_t segments_by_width(const xli_flat_source *source, size_t n)
{
    const uint64_t width = source->width, rounds = n / width, left = n % width;
    if (source->segments == XL_SEGMENTS_WIDTH)
        return (size_t)(rounds + (left > 0));
    const uint64_t heads = (source->mask | 1) & (UINT64_MAX >> (64 - width));
    return (size_t)rounds * bits_of(heads) + bits_of(heads & (((uint64_t)1 << left) - 1));
}

/* The number of results, and whether `out` need not hold all of them. */
static size_t choose_results(const xl_reduce *plan, const xl_reduce_args *call, flow *f)
{
    const xli_flat_source *source = &plan->flat.source;
    switch (source->segments) {
    case XL_SEGMENTS_NONE:
        return call->n > 0 || call->n_device.buffer || source->has_identity || source->has_init;
    case XL_SEGMENTS_OFFSETS:
        return f->segments;
    case XL_SEGMENTS_WIDTH:
    case XL_SEGMENTS_MASK:
        return segments_by_width(source, call->n);
    default:
        return call->out.count > 0 ? xli_min(call->out.count, call->n) : call->n;
    }
}

/* Views that only some forms of segments have. */
static xl_status check_given(const xl_reduce *plan, const char *name, xl_view view, bool allowed,
                             const char *forms)
{
    if (!view.buffer || allowed)
        return XL_SUCCESS;
    return xli_fail(plan->flat.ctx, XL_ERROR_INVALID_ARGUMENT,
                    "%s: given, but the plan's segments are not by %s; pass xl_no_view()", name,
                    forms);
}

static xl_status check_call(const xl_reduce *plan, const xl_reduce_args *call, flow *f)
{
    xl_status status;
    const xl_context *ctx = plan->flat.ctx;
    const xli_flat_source *source = &plan->flat.source;
    xli_flat_places *at = &f->flat.at;
    const xli_span *const inputs[] = {&at->in, &at->segments, &at->n_device};
    const xli_span *const outputs[] = {&at->out, &f->keys, &f->count};
    const bool keys = source->segments == XL_SEGMENTS_KEYS, counts = plan->count.cl != NULL;
    const xl_scan_args source_of_call = {
        .n = call->n, .n_device = call->n_device, .in = call->in, .segments = call->segments};
    XL_TRY(xli_flat_check_source(&plan->flat, &source_of_call, at));
    f->segments = source->segments == XL_SEGMENTS_OFFSETS && at->segment_count > 0
                      ? at->segment_count - 1
                      : 0;
    f->results = choose_results(plan, call, f);
    XL_TRY(check_given(plan, "keys_out", call->keys_out, keys, "keys"));
    XL_TRY(check_given(plan, "num_segments_out", call->num_segments_out, counts,
                       "flags, bits or keys"));
    XL_TRY(xli_check_view(ctx, "out", call->out, f->results, plan->flat.out.bytes, XLI_WRITE,
                          &at->out));
    XL_TRY(xli_check_view(ctx, "keys_out", call->keys_out, call->keys_out.buffer ? f->results : 0,
                          xli_max(1, source->segment_bytes), XLI_WRITE, &f->keys));
    XL_TRY(xli_check_view(ctx, "num_segments_out", call->num_segments_out,
                          call->num_segments_out.buffer ? 1 : 0, sizeof(cl_ulong), XLI_WRITE,
                          &f->count));
    for (size_t o = 0; o < XLI_COUNT(outputs); ++o) {
        for (size_t i = 0; i < XLI_COUNT(inputs); ++i)
            XL_TRY(xli_check_apart(ctx, inputs[i], outputs[o], false));
        for (size_t k = 0; k < o; ++k)
            XL_TRY(xli_check_apart(ctx, outputs[k], outputs[o], false));
    }
done:
    return status;
}

static xl_status take_scratch(xl_reduce *plan, flow *f, xl_view scratch, size_t bytes)
{
    xl_status status;
    const xli_flat_places *at = &f->flat.at;
    const xli_span *const others[] = {&at->in,  &at->segments, &at->n_device,
                                      &at->out, &f->keys,      &f->count};
    XL_TRY(xli_seq_scratch(&f->flat.seq, &plan->flat.pool, scratch, bytes, XLI_SCRATCH_ALIGN,
                           &f->flat.scratch));
    for (size_t i = 0; i < XLI_COUNT(others); ++i)
        XL_TRY(xli_check_apart(plan->flat.ctx, &f->flat.scratch, others[i], false));
done:
    return status;
}

/* One launch, with the arguments that XL_REDUCE_ARGUMENTS of
 * cl/tile/tile_reduce_run.cl names. */
static xl_status launch(xl_reduce *plan, flow *f, xli_kernel *kernel, size_t groups, uint64_t run,
                        size_t first)
{
    const xli_flat_places *at = &f->flat.at;
    const size_t counts = xli_reduce_room_of(plan, f->flat.n).counts;
    xli_arg args[12];
    size_t k = 0;
    args[k++] = XLI_U64(run);
    args[k++] = XLI_U64(first);
    args[k++] = XLI_MEM(f->flat.scratch.buffer);
    args[k++] = XLI_U64(f->flat.scratch.offset);
    args[k++] = XLI_U64(f->flat.scratch.offset + counts);
    args[k++] = XLI_MEM(at->out.buffer);
    args[k++] = XLI_U64(at->out.offset);
    args[k++] = XLI_U64(f->results);
    if (plan->flat.source.segments == XL_SEGMENTS_KEYS) {
        args[k++] = XLI_MEM(f->keys.buffer);
        args[k++] = XLI_U64(f->keys.offset);
    }
    if (plan->count.cl) {
        args[k++] = XLI_MEM(f->count.buffer);
        args[k++] = XLI_U64(f->count.offset);
    }
    return xli_flat_launch(&f->flat, kernel, groups, plan->flat.group_size, args, k);
}

/* Folds the records of so many runs. The records of whole arrays may be very many, and
 * a launch takes no more of them than a run has elements, for devices that end long loops
 * (reduce.run_elements in tune.h). */
static xl_status join(xl_reduce *plan, flow *f, size_t runs, size_t first)
{
    enum { AT_ONCE = 1 << 15 };
    const uint64_t more = (uint64_t)1 << 63;
    xl_status status = XL_SUCCESS;
    if (plan->flat.source.segments != XL_SEGMENTS_NONE)
        return launch(plan, f, &plan->join, 1, runs, first);
    for (size_t from = 0; from < runs; from += AT_ONCE) {
        const size_t many = xli_min(runs - from, AT_ONCE);
        XL_TRY(launch(plan, f, &plan->join, 1, many | (from + many < runs ? more : 0), from));
    }
done:
    return status;
}

static xl_status enqueue_runs(xl_reduce *plan, flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_reduce_cut cut = xli_reduce_cut_of(plan, f->flat.n, f->segments);
    for (size_t first = 0; first < cut.runs; first += cut.most) {
        const size_t runs = xli_min(cut.runs - first, cut.most);
        if (plan->count.cl && cut.runs > 1)
            XL_TRY(launch(plan, f, &plan->count, runs, cut.run, first));
        XL_TRY(launch(plan, f, &plan->walk, runs, cut.run, first));
        if (cut.runs > 1)
            XL_TRY(join(plan, f, runs, first));
    }
done:
    return status;
}

xl_status xli_reduce_enqueue(xl_reduce *plan, cl_command_queue queue, const xl_reduce_args *call,
                             cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    flow f = {.flat = {.n = call->n}};
    const size_t bytes = xli_reduce_room_of(plan, call->n).bytes;
    XL_TRY(xli_seq_begin(&f.flat.seq, plan->flat.ctx, queue, num_waits, waits, event));
    XL_TRY(check_call(plan, call, &f));
    XL_TRY(take_scratch(plan, &f, call->scratch, bytes));
    f.flat.num_input = xli_flat_input_args(&plan->flat.source, &f.flat.at, f.flat.n, f.flat.input);
    if (f.results > 0 || f.count.buffer)
        XL_TRY(enqueue_runs(plan, &f));
done:
    return xli_seq_end(&f.flat.seq, status, event);
}
