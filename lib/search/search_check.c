/* SPDX-License-Identifier: MIT
 * Checks of the search's descriptor and arguments, before any side effect. */
#include "key.h"
#include "search_plan.h"

xl_status xli_search_check_desc(const xl_context *ctx, const xl_search_desc *desc)
{
    xl_status status;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_order(ctx, desc->order));
    if (desc->kind > XL_SEARCH_UNSORTED)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.kind: unknown value %d",
                        (int)desc->kind);
    if (desc->index != XL_U32 && desc->index != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.index: %s (%d); places are u32 or u64", xl_type_name(desc->index),
                        (int)desc->index);
    if (desc->kind == XL_SEARCH_UNSORTED && desc->index != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.index: u32 (%d); the place of XL_SEARCH_UNSORTED is u64",
                        (int)desc->index);
    XL_TRY(xli_check_reserved(ctx, desc->reserved));
done:
    return status;
}

/* 16 bytes are more than an element has. */
xl_status xli_search_check_n(const xl_context *ctx, const xli_search_problem *problem, size_t n)
{
    const size_t most =
        problem->index == XL_U32 ? xli_min(UINT32_MAX, SIZE_MAX / 16) : SIZE_MAX / 16;
    if (n > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "n: %zu, at most %zu keys are searched where places are %s", n, most,
                        xl_type_name(problem->index));
    return XL_SUCCESS;
}

xl_status xli_search_check_queries(const xl_context *ctx, const xli_search_problem *problem,
                                   const xl_search_args *args)
{
    const bool unsorted = problem->kind == XL_SEARCH_UNSORTED;
    if (unsorted && args->queries.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "queries: given, but XL_SEARCH_UNSORTED takes none");
    if (args->num_queries > (unsorted ? 0 : SIZE_MAX / 16))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "num_queries: %zu, at most %zu%s",
                        args->num_queries, unsorted ? (size_t)0 : SIZE_MAX / 16,
                        unsorted ? ": XL_SEARCH_UNSORTED takes none" : "");
    return XL_SUCCESS;
}

xl_status xli_search_check_views(const xl_context *ctx, const xli_search_problem *problem,
                                 const xl_search_args *args, xli_search_spans *s)
{
    xl_status status;
    const size_t key = xl_type_size(problem->key), index = xl_type_size(problem->index);
    const size_t places = problem->kind == XL_SEARCH_UNSORTED ? 1 : args->num_queries;
    *s = (xli_search_spans){{0}, {0}, {0}};
    XL_TRY(xli_check_view(ctx, "keys", args->keys, args->n, key, XLI_READ, &s->keys));
    XL_TRY(xli_check_view(ctx, "queries", args->queries, args->num_queries, key, XLI_READ,
                          &s->queries));
    XL_TRY(xli_check_view(ctx, "indices_out", args->indices_out, places, index, XLI_WRITE,
                          &s->indices_out));
    XL_TRY(xli_check_apart(ctx, &s->keys, &s->indices_out, false));
    XL_TRY(xli_check_apart(ctx, &s->queries, &s->indices_out, false));
done:
    return status;
}

xl_status xli_search_check_scratch(const xl_context *ctx, const xli_search_spans *s,
                                   const xli_span *scratch)
{
    const xli_span *const spans[] = {&s->keys, &s->queries, &s->indices_out};
    return xli_check_apart_from(ctx, scratch, spans, XLI_COUNT(spans));
}
