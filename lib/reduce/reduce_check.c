/* SPDX-License-Identifier: MIT
 * Checks of a reduction's descriptor and of its calls, before any side effect. */
#include "reduce_plan.h"

/* The inclusive scan of the same elements, of which a reduction keeps the last ones. */
static xl_scan_desc scan_of(const xl_reduce_desc *desc)
{
    return (xl_scan_desc){.type = desc->type,
                          .op = desc->op,
                          .kind = XL_INCLUSIVE,
                          .init = desc->init,
                          .determinism = desc->determinism,
                          .user_type = desc->user_type,
                          .user_op = desc->user_op,
                          .segments = desc->segments,
                          .segment_type = desc->segment_type,
                          .segment_width = desc->segment_width,
                          .segment_mask = desc->segment_mask,
                          .load = desc->load,
                          .store = desc->store,
                          .load_type = desc->load_type,
                          .store_type = desc->store_type,
                          .user_load_type = desc->user_load_type,
                          .user_store_type = desc->user_store_type,
                          .num_params = desc->num_params,
                          .params = desc->params};
}

/* What only a reduction refuses. */
static xl_status check(const xl_context *ctx, const xl_reduce_desc *desc,
                       const xli_problem *problem)
{
    if (xli_operator_finds_index(desc->op) && (desc->init || desc->store))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but %s gives indices",
                        desc->init ? "init" : "store", xl_op_name(desc->op));
    if (desc->segments == XL_SEGMENTS_OFFSETS && !problem->has_identity && !problem->has_init)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "init: segments by CSR offsets may be empty, and \"%s\" has no identity; "
                        "it needs one",
                        desc->user_op->name);
    return XL_SUCCESS;
}

xl_status xli_reduce_check(const xl_context *ctx, const xl_reduce_desc *desc,
                           const xli_capabilities *capabilities, xl_scan_desc *scan,
                           xli_problem *problem)
{
    xl_status status;
    *scan = scan_of(desc);
    XL_TRY(xli_problem_resolve(ctx, scan, true, capabilities, problem));
    problem->element.orders_zeros = !desc->equal_zeros;
    XL_TRY(check(ctx, desc, problem));
    XL_TRY(xli_check_reserved(ctx, desc->reserved));
    if (xli_operator_finds_index(desc->op))
        XL_TRY(xli_element_resolve(ctx, capabilities, "out", XL_U64, NULL, &problem->out));
done:
    return status;
}

static size_t bits_of(uint64_t word)
{
    size_t bits = 0;
    for (; word; word &= word - 1)
        ++bits;
    return bits;
}

/* How many segments n elements fall into. */
static size_t segments_by_width(const xli_problem *problem, size_t n)
{
    const uint64_t width = problem->width, rounds = n / width, left = n % width;
    if (problem->segments == XL_SEGMENTS_WIDTH)
        return (size_t)(rounds + (left > 0));
    const uint64_t heads = (problem->mask | 1) & (UINT64_MAX >> (64 - width));
    return (size_t)rounds * bits_of(heads) + bits_of(heads & (((uint64_t)1 << left) - 1));
}

/* The number of results, and whether `out` need not hold all of them. */
static size_t choose_results(const xli_problem *problem, const xl_reduce_args *call,
                             const xli_reduce_flow *f)
{
    switch (problem->segments) {
    case XL_SEGMENTS_NONE:
        return call->n > 0 || call->n_device.buffer || problem->has_identity || problem->has_init;
    case XL_SEGMENTS_OFFSETS:
        return f->segments;
    case XL_SEGMENTS_WIDTH:
    case XL_SEGMENTS_MASK:
        return segments_by_width(problem, call->n);
    default:
        return call->out.count > 0 ? xli_min(call->out.count, call->n) : call->n;
    }
}

/* Views that only some forms of segments have. */
static xl_status check_given(const xl_context *ctx, const char *name, xl_view view, bool allowed,
                             const char *forms)
{
    if (!view.buffer || allowed)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "%s: given, but the plan's segments are not by %s; pass xl_no_view()", name,
                    forms);
}

xl_status xli_reduce_check_call(const xl_context *ctx, const xli_problem *problem,
                                const xl_reduce_args *call, xli_reduce_flow *f)
{
    xl_status status;
    xli_spans *at = &f->flow.at;
    const xli_span *const inputs[] = {&at->in, &at->segments, &at->n_device};
    const xli_span *const outputs[] = {&at->out, &f->keys, &f->count};
    const bool keys = problem->segments == XL_SEGMENTS_KEYS, counts = xli_reduce_counts(problem);
    const xl_scan_args source_of_call = {
        .n = call->n, .n_device = call->n_device, .in = call->in, .segments = call->segments};
    XL_TRY(xli_params_read(ctx, &problem->params, call->params, &at->params));
    XL_TRY(xli_problem_check_source(ctx, problem, &source_of_call, at));
    f->segments = problem->segments == XL_SEGMENTS_OFFSETS && at->segment_count > 0
                      ? at->segment_count - 1
                      : 0;
    f->results = choose_results(problem, call, f);
    XL_TRY(check_given(ctx, "keys_out", call->keys_out, keys, "keys"));
    XL_TRY(check_given(ctx, "num_segments_out", call->num_segments_out, counts,
                       "flags, bits or keys"));
    XL_TRY(
        xli_check_view(ctx, "out", call->out, f->results, problem->out.bytes, XLI_WRITE, &at->out));
    XL_TRY(xli_check_view(ctx, "keys_out", call->keys_out, call->keys_out.buffer ? f->results : 0,
                          xli_max(1, problem->segment_bytes), XLI_WRITE, &f->keys));
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
