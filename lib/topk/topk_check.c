/* SPDX-License-Identifier: MIT
 * Checks of a top-k selection's descriptor and arguments, before any side effect. */
#include "key.h"
#include "topk_plan.h"

xl_status xli_topk_check_desc(const xl_context *ctx, const xl_topk_desc *desc)
{
    xl_status status;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_value(ctx, desc->value));
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

static xl_status check_given(const xl_context *ctx, const xli_topk_problem *problem,
                             const xl_topk_args *args)
{
    if (problem->value == XL_NONE && (args->values_in.buffer || args->values_out.buffer))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: given, but the plan selects keys without values",
                        args->values_in.buffer ? "values_in" : "values_out");
    if (args->n > 0 && args->k > 0 && !args->keys_out.buffer && !args->values_out.buffer &&
        !args->indices_out.buffer && !args->count_out.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "keys_out, values_out, indices_out, count_out: none is given, and there is "
                        "nothing to write");
    return XL_SUCCESS;
}

xl_status xli_topk_check_views(const xl_context *ctx, const xli_topk_problem *problem,
                               const xl_topk_args *args, xli_topk_spans *s)
{
    const size_t n = args->n, results = xli_min(args->k, n);
    const size_t key = xl_type_size(problem->key);
    const bool values = args->values_out.buffer != NULL;
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
    };
    xl_status status;
    *s = (xli_topk_spans){0};
    XL_TRY(check_given(ctx, problem, args));
    for (size_t i = 0; i < XLI_TOPK_SPANS; ++i)
        if (all[i].needed || all[i].view.buffer)
            XL_TRY(xli_check_view(ctx, all[i].name, all[i].view, all[i].n, all[i].bytes,
                                  all[i].access, &s->at[i]));
    for (size_t i = 0; i < XLI_TOPK_SPANS; ++i)
        for (size_t j = xli_max(i + 1, XLI_TOPK_KEYS_OUT); j < XLI_TOPK_SPANS; ++j)
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
