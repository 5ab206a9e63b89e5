/* SPDX-License-Identifier: MIT
 * The launches of a search: one for queries; two to find where keys are not sorted. */
#include "search_plan.h"

static void add_length(xli_args *list, size_t n, const xli_span *device)
{
    xli_args_add(list, XLI_U64(n));
    xli_args_add(list, XLI_OPTIONAL(device->buffer));
    xli_args_add(list, XLI_U64(device->offset));
}

static xl_status launch_queries(xli_search_plan *plan, xli_seq *seq, const xl_search_args *args,
                                const xli_span *spans)
{
    const size_t queries = xli_search_queries(&plan->shape, args->num_queries);
    /* If there are no keys, the kernel is given the queries' buffer and reads no keys. */
    const bool has_keys = spans[XLI_SEARCH_KEYS].buffer != NULL;
    xli_args list = {.count = 0};
    add_length(&list, args->n, &spans[XLI_SEARCH_N]);
    add_length(&list, args->num_queries, &spans[XLI_SEARCH_NUM_QUERIES]);
    if (plan->shape.serial)
        xli_args_add(&list, XLI_U64(queries));
    xli_args_add_span(&list, &spans[has_keys ? XLI_SEARCH_KEYS : XLI_SEARCH_QUERIES]);
    xli_args_add_span(&list, &spans[XLI_SEARCH_QUERIES]);
    xli_args_add_span(&list, &spans[XLI_SEARCH_INDICES_OUT]);
    return xli_seq_launch_args(seq, &plan->keys, xli_ceil_div(args->num_queries, queries),
                               plan->shape.group_size, &list, 0);
}

static xl_status launch_unsorted(xli_search_plan *plan, xli_seq *seq, size_t n,
                                 const xli_span *spans, const xli_span *scratch)
{
    xl_status status;
    const size_t group = plan->shape.group_size;
    const xli_search_chunks chunks = xli_search_chunks_of(&plan->shape, n);
    const xli_span *const keys = &spans[XLI_SEARCH_KEYS];
    const xli_span *const out = &spans[XLI_SEARCH_INDICES_OUT];
    const bool any = chunks.count > 0;
    const xli_span *const found = any ? scratch : out;
    const size_t found_at = any ? scratch->offset / sizeof(cl_ulong) : 0;
    xli_args list = {.count = 0};
    add_length(&list, n, &spans[XLI_SEARCH_N]);
    xli_args_add(&list, XLI_U64(chunks.elements));
    xli_args_add_span(&list, keys);
    xli_args_add_place(&list, found->buffer, found_at);
    if (any)
        XL_TRY(xli_seq_launch_args(seq, &plan->chunks, chunks.count, group, &list, 0));
    list.count = 0;
    add_length(&list, n, &spans[XLI_SEARCH_N]);
    xli_args_add(&list, XLI_U64(chunks.count));
    xli_args_add_place(&list, found->buffer, found_at);
    xli_args_add_span(&list, out);
    XL_TRY(xli_seq_launch_args(seq, &plan->lowest, 1, group, &list, 0));
done:
    return status;
}

xl_status xli_search_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                            const xli_span *scratch)
{
    const xl_search_args *const args = of;
    xli_search_plan *const plan = (xli_search_plan *)base;
    if (plan->problem.kind == XL_SEARCH_UNSORTED)
        return launch_unsorted(plan, seq, args->n, spans, scratch);
    return args->num_queries > 0 ? launch_queries(plan, seq, args, spans) : XL_SUCCESS;
}
