/* SPDX-License-Identifier: MIT
 * Checks of a top-k selection's descriptor and arguments, before any side effect. */
#include "key.h"
#include "topk_plan.h"

static xl_status check_segments(const xl_context *ctx, const xl_topk_desc *desc)
{
    const bool offsets = desc->segments == XL_SEGMENTS_OFFSETS;
    const uint32_t type = desc->segment_type;
    if (!offsets && desc->segments != XL_SEGMENTS_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.segments: %u; selections take XL_SEGMENTS_NONE or _OFFSETS",
                        (unsigned)desc->segments);
    if (offsets ? type != XL_U32 && type != XL_U64 : type != XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: %s (%u), not %s",
                        xl_type_name((xl_type)type), (unsigned)type,
                        offsets ? "u32 or u64" : "XL_NONE, as there are no offsets");
    return XL_SUCCESS;
}

xl_status xli_topk_check_desc(const xl_context *ctx, const xl_topk_desc *desc)
{
    xl_status status;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_value(ctx, desc->value));
    XL_TRY(check_segments(ctx, desc));
    XL_TRY(xli_check_reserved(ctx, desc->reserved));
done:
    return status;
}

xl_status xli_topk_check_n(const xl_context *ctx, size_t n)
{
    /* Indices on the device have 32 bits; 16 bytes are more than an element has. */
    if (n > UINT32_MAX || n > SIZE_MAX / 16)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu, at most %zu keys are looked at", n,
                        xli_min(UINT32_MAX, SIZE_MAX / 16));
    return XL_SUCCESS;
}

static xl_status check_segments_given(const xl_context *ctx, const xli_topk_problem *problem,
                                      const xl_topk_args *args)
{
    const bool has = problem->segments != XL_NONE;
    const xl_view view = args->segments;
    if (!has && (view.buffer || args->counts_out.buffer))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: given, but the plan selects from the whole array",
                        view.buffer ? "segments" : "counts_out");
    if (has && args->count_out.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "count_out: given, but the plan selects from each segment; counts_out has "
                        "their numbers");
    if (has && (view.buffer || args->n > 0) && (view.count == 0 || view.count > UINT32_MAX))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: %zu CSR offsets, not 1 to 2^32 - 1; pass xl_view_n() with their "
                        "number",
                        view.count);
    return XL_SUCCESS;
}

static xl_status check_given(const xl_context *ctx, const xli_topk_problem *problem,
                             const xl_topk_args *args)
{
    if (problem->value == XL_NONE && (args->values_in.buffer || args->values_out.buffer))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: given, but the plan selects keys without values",
                        args->values_in.buffer ? "values_in" : "values_out");
    if (args->n > 0 && args->k > 0 && !args->keys_out.buffer && !args->values_out.buffer &&
        !args->indices_out.buffer && !args->count_out.buffer && !args->counts_out.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "keys_out, values_out, indices_out, %s: none is given, and there is "
                        "nothing to write",
                        problem->segments != XL_NONE ? "counts_out" : "count_out");
    return check_segments_given(ctx, problem, args);
}

xl_status xli_topk_check_views(const xl_context *ctx, const xli_topk_problem *problem,
                               const xl_topk_args *args, xli_topk_spans *s)
{
    const size_t n = args->n, key = xl_type_size(problem->key), segments = args->segments.count;
    const bool values = args->values_out.buffer != NULL, has = problem->segments != XL_NONE;
    const size_t results = has ? xli_mul(segments, args->k) : xli_min(args->k, n);
    const struct {
        const char *name;
        xl_view view;
        size_t n, bytes;
        xli_access access;
        bool needed;
    } all[XLI_TOPK_SPANS] = {
        {"keys_in", args->keys_in, n, key, XLI_READ, true},
        {"values_in", args->values_in, n, sizeof(cl_uint), XLI_READ, values},
        {"keys_out", args->keys_out, results, key, XLI_WRITE, false},
        {"values_out", args->values_out, results, sizeof(cl_uint), XLI_WRITE, false},
        {"indices_out", args->indices_out, results, sizeof(cl_uint), XLI_WRITE, false},
        {"count_out", args->count_out, 1, sizeof(cl_ulong), XLI_WRITE, false},
        {"segments", args->segments, segments, xl_type_size(problem->segments), XLI_READ,
         has && n > 0},
        {"counts_out", args->counts_out, segments, sizeof(cl_uint), XLI_WRITE, false},
    };
    xl_status status;
    *s = (xli_topk_spans){.num_segments = has ? segments : 0};
    XL_TRY(check_given(ctx, problem, args));
    for (size_t i = 0; i < XLI_TOPK_SPANS; ++i)
        if (all[i].needed || all[i].view.buffer)
            XL_TRY(xli_check_view(ctx, all[i].name, all[i].view, all[i].n, all[i].bytes,
                                  all[i].access, &s->at[i]));
    for (size_t i = 0; i < XLI_TOPK_SPANS; ++i)
        for (size_t j = i + 1; j < XLI_TOPK_SPANS; ++j)
            if (all[i].access != XLI_READ || all[j].access != XLI_READ)
                XL_TRY(xli_check_apart(ctx, &s->at[i], &s->at[j], false));
done:
    return status;
}

xl_status xli_topk_check_scratch(const xl_context *ctx, const xli_topk_spans *s,
                                 const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < XLI_TOPK_SPANS && status == XL_SUCCESS; ++i)
        status = xli_check_apart(ctx, scratch, &s->at[i], false);
    return status;
}
