/* SPDX-License-Identifier: MIT
 * Checks of a reduction's descriptor, and the number of its results. */
#include "reduce_plan.h"

#include <string.h>

/* The inclusive scan of the same elements, whose last ones a reduction keeps. */
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

/* Rules of reductions that scans do not have. */
static xl_status check(const xl_context *ctx, const xl_reduce_desc *desc,
                       const xli_problem *problem)
{
    const char *const given = desc->init                    ? "init"
                              : desc->store                 ? "store"
                              : desc->store_type != XL_NONE ? "store_type"
                                                            : NULL;
    if (xli_operator_finds_index(desc->op) && given)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.%s: given; must not be given, because results of %s are indices",
                        given, xl_op_name(desc->op));
    if (desc->segments == XL_SEGMENTS_OFFSETS && !problem->has_identity && !problem->has_init)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.init: NULL; required, because segments by CSR offsets may be empty "
                        "and desc.user_op, \"%s\", has no identity",
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

/* Segments of n elements by width or mask. */
static size_t segments_by_width(const xli_problem *problem, size_t n)
{
    const uint64_t width = problem->width, rounds = n / width, left = n % width;
    if (problem->segments == XL_SEGMENTS_WIDTH)
        return (size_t)(rounds + (left > 0));
    const uint64_t heads = (problem->mask | 1) & (UINT64_MAX >> (64 - width));
    return (size_t)rounds * bits_of(heads) + bits_of(heads & (((uint64_t)1 << left) - 1));
}

xl_scan_args xli_reduce_scan_args(const xl_reduce_args *args)
{
    xl_scan_args scan = {
        .n = args->n, .n_device = args->n_device, .in = args->in, .segments = args->segments};
    memcpy(scan.params, args->params, sizeof scan.params);
    return scan;
}

size_t xli_reduce_segments(const xli_problem *problem, const xl_reduce_args *args)
{
    if (problem->segments != XL_SEGMENTS_OFFSETS)
        return 0;
    const size_t offsets = xli_problem_segment_count(problem, args->n, args->segments);
    return offsets > 0 ? offsets - 1 : 0;
}

size_t xli_reduce_results(const xli_problem *problem, const xl_reduce_args *args)
{
    switch (problem->segments) {
    case XL_SEGMENTS_NONE:
        return args->n > 0 || args->n_device.buffer || problem->has_identity || problem->has_init;
    case XL_SEGMENTS_OFFSETS:
        return xli_reduce_segments(problem, args);
    case XL_SEGMENTS_WIDTH:
    case XL_SEGMENTS_MASK:
        return segments_by_width(problem, args->n);
    default:
        return args->out.count > 0 ? xli_min(args->out.count, args->n) : args->n;
    }
}
