/* SPDX-License-Identifier: MIT
 * Checks of the merge's descriptor and arguments, before any side effect. */
#include "merge_plan.h"

#include "key.h"

xl_status xli_merge_check_desc(const xl_context *ctx, const xl_merge_desc *desc)
{
    xl_status status;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_value(ctx, desc->value));
    XL_TRY(xli_key_check_order(ctx, desc->order));
done:
    return status;
}

/* Indices on the device have 32 bits; 16 bytes are more than an element has. */
static size_t most_elements(void)
{
    return xli_min(UINT32_MAX, SIZE_MAX / 16);
}

xl_status xli_merge_check_n(const xl_context *ctx, size_t n)
{
    if (n > most_elements())
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu, at most %zu elements are merged",
                        n, most_elements());
    return XL_SUCCESS;
}

xl_status xli_merge_check_lengths(const xl_context *ctx, size_t n_a, size_t n_b)
{
    if (n_a > most_elements() || n_b > most_elements() - n_a)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "n_a, n_b: %zu and %zu, at most %zu elements together are merged", n_a, n_b,
                        most_elements());
    return XL_SUCCESS;
}

static xl_status check_not_given(const xl_context *ctx, const char *name, xl_view view)
{
    if (!view.buffer)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "%s: given, but the plan merges keys without values", name);
}

static xl_status check_keys(const xl_context *ctx, const xli_merge_problem *problem,
                            const xl_merge_args *args, xli_merge_spans *s)
{
    xl_status status;
    const size_t bytes = xl_type_size(problem->key), n = args->n_a + args->n_b;
    XL_TRY(xli_check_view(ctx, "keys_a", args->keys_a, args->n_a, bytes, XLI_READ, &s->keys_a));
    XL_TRY(xli_check_view(ctx, "keys_b", args->keys_b, args->n_b, bytes, XLI_READ, &s->keys_b));
    XL_TRY(xli_check_view(ctx, "keys_out", args->keys_out, n, bytes, XLI_WRITE, &s->keys_out));
done:
    return status;
}

static xl_status check_values(const xl_context *ctx, const xli_merge_problem *problem,
                              const xl_merge_args *args, xli_merge_spans *s)
{
    xl_status status;
    const size_t bytes = xl_type_size(problem->value), n = args->n_a + args->n_b;
    if (problem->value == XL_NONE) {
        XL_TRY(check_not_given(ctx, "values_a", args->values_a));
        XL_TRY(check_not_given(ctx, "values_b", args->values_b));
        XL_TRY(check_not_given(ctx, "values_out", args->values_out));
        goto done;
    }
    XL_TRY(
        xli_check_view(ctx, "values_a", args->values_a, args->n_a, bytes, XLI_READ, &s->values_a));
    XL_TRY(
        xli_check_view(ctx, "values_b", args->values_b, args->n_b, bytes, XLI_READ, &s->values_b));
    XL_TRY(
        xli_check_view(ctx, "values_out", args->values_out, n, bytes, XLI_WRITE, &s->values_out));
done:
    return status;
}

xl_status xli_merge_check_views(const xl_context *ctx, const xli_merge_problem *problem,
                                const xl_merge_args *args, xli_merge_spans *s)
{
    xl_status status;
    const xli_span *const read[] = {&s->keys_a, &s->keys_b, &s->values_a, &s->values_b};
    *s = (xli_merge_spans){{0}, {0}, {0}, {0}, {0}, {0}};
    XL_TRY(check_keys(ctx, problem, args, s));
    XL_TRY(check_values(ctx, problem, args, s));
    for (size_t i = 0; i < XLI_COUNT(read); ++i) {
        XL_TRY(xli_check_apart(ctx, read[i], &s->keys_out, false));
        XL_TRY(xli_check_apart(ctx, read[i], &s->values_out, false));
    }
    XL_TRY(xli_check_apart(ctx, &s->keys_out, &s->values_out, false));
done:
    return status;
}

xl_status xli_merge_check_scratch(const xl_context *ctx, const xli_merge_spans *s,
                                  const xli_span *scratch)
{
    const xli_span *const spans[] = {&s->keys_a,   &s->keys_b,   &s->keys_out,
                                     &s->values_a, &s->values_b, &s->values_out};
    return xli_check_apart_from(ctx, scratch, spans, XLI_COUNT(spans));
}
