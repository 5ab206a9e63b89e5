/* SPDX-License-Identifier: MIT
 * The launches of a search: one for queries, two for where keys are not in order. */
#include "search_plan.h"

static xl_status launch_queries(xli_search_plan *plan, xli_seq *seq, const xl_search_args *args,
                                const xli_search_spans *s)
{
    const size_t queries = xli_search_queries(&plan->shape, args->num_queries);
    /* A kernel cannot be given no buffer; of this one it reads nothing. */
    const xli_span *const keys = s->keys.buffer ? &s->keys : &s->queries;
    xli_args list = {.count = 0};
    xli_args_add(&list, XLI_U64(args->n));
    xli_args_add(&list, XLI_U64(args->num_queries));
    if (plan->shape.serial)
        xli_args_add(&list, XLI_U64(queries));
    xli_args_add(&list, XLI_MEM(keys->buffer));
    xli_args_add(&list, XLI_U64(keys->offset));
    xli_args_add(&list, XLI_MEM(s->queries.buffer));
    xli_args_add(&list, XLI_U64(s->queries.offset));
    xli_args_add(&list, XLI_MEM(s->indices_out.buffer));
    xli_args_add(&list, XLI_U64(s->indices_out.offset));
    return xli_seq_launch_args(seq, &plan->keys, xli_ceil_div(args->num_queries, queries),
                               plan->shape.group_size, &list, 0);
}

static xl_status launch_unsorted(xli_search_plan *plan, xli_seq *seq, size_t n,
                                 const xli_search_spans *s, const xli_span *scratch)
{
    xl_status status;
    const size_t group = plan->shape.group_size;
    const xli_search_chunks chunks = xli_search_chunks_of(&plan->shape, n);
    const bool any = chunks.count > 0;
    const cl_mem found = any ? scratch->buffer : s->indices_out.buffer;
    const size_t found_at = any ? scratch->offset / sizeof(cl_ulong) : 0;
    if (any)
        XL_TRY(XLI_LAUNCH(seq, &plan->chunks, chunks.count, group, XLI_U64(n),
                          XLI_U64(chunks.elements), XLI_MEM(s->keys.buffer),
                          XLI_U64(s->keys.offset), XLI_MEM(found), XLI_U64(found_at)));
    XL_TRY(XLI_LAUNCH(seq, &plan->lowest, 1, group, XLI_U64(n), XLI_U64(chunks.count),
                      XLI_MEM(found), XLI_U64(found_at), XLI_MEM(s->indices_out.buffer),
                      XLI_U64(s->indices_out.offset)));
done:
    return status;
}

xl_status xli_search_launch(xli_search_plan *plan, xli_seq *seq, const xl_search_args *args,
                            const xli_search_spans *spans, const xli_span *scratch)
{
    if (plan->problem.kind == XL_SEARCH_UNSORTED)
        return launch_unsorted(plan, seq, args->n, spans, scratch);
    return args->num_queries > 0 ? launch_queries(plan, seq, args, spans) : XL_SUCCESS;
}
