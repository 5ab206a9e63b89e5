/* SPDX-License-Identifier: MIT
 * The search's public calls. */
#include "search_plan.h"

#include <string.h>

void xl_search_desc_init_version(xl_search_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version, &(const xl_search_desc){.key = XL_U32, .index = XL_U64},
                  sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_search_plan *plan, const xl_search_desc *desc,
                      const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    size_t most = xli_most_work_items(capabilities);
    plan->problem = (xli_search_problem){desc->key, desc->index, desc->order == XL_DESCENDING,
                                         (xl_search_kind)desc->kind, desc->equal_zeros != 0};
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SEARCH, desc), &device,
                            &tune));
    do {
        xli_search_shape_of(&plan->problem, &device, &tune.search, most, &plan->shape);
        XL_TRY(xli_search_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

xl_status xli_search_create(xl_context *ctx, const xl_search_desc *desc, xli_search_plan **plan)
{
    xl_status status;
    xli_search_plan *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_search_desc checked;
    xl_search_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_search_desc, desc, &checked));
    XL_TRY(xli_search_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(make(made, &checked, capabilities));
    *plan = made;
    made = NULL;
done:
    xli_search_destroy(made);
    return status;
}

void xli_search_destroy(xli_search_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_search_drop_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_search_scratch(const xli_search_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_search_check_n(plan->ctx, &plan->problem, n));
    *bytes = xli_search_scratch_bytes(&plan->problem, &plan->shape, n);
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_search_info(const xli_search_plan *plan, size_t n, xl_plan_details *info)
{
    const xli_search_shape *shape = &plan->shape;
    const bool unsorted = plan->problem.kind == XL_SEARCH_UNSORTED;
    xl_plan_details all = {.work_group_size = shape->group_size,
                           .item_elements = shape->serial ? 0 : shape->items,
                           .tile_elements = unsorted ? xli_search_chunks_of(shape, n).elements
                                                     : xli_search_queries(shape, n)};
    if (unsorted)
        strcpy(all.algorithm, "chunks");
    else
        strcpy(all.algorithm, "binary-search");
    *info = all;
}

xl_status xli_search_enqueue(xli_search_plan *plan, cl_command_queue queue,
                             const xl_search_args *args, size_t size, cl_uint num_waits,
                             const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_search_args given = {0};
    xli_seq seq = {0};
    xli_search_spans spans;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_search_args, args, size, &given));
    XL_TRY(xli_search_check_n(ctx, &plan->problem, given.n));
    XL_TRY(xli_search_check_queries(ctx, &plan->problem, &given));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_search_check_views(ctx, &plan->problem, &given, &spans));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch,
                           xli_search_scratch_bytes(&plan->problem, &plan->shape, given.n),
                           XLI_SCRATCH_ALIGN, &scratch));
    XL_TRY(xli_search_check_scratch(ctx, &spans, &scratch));
    XL_TRY(xli_search_launch(plan, &seq, &given, &spans, &scratch));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(search)
XLI_WRAP_SCRATCH(search, args->n)
XLI_WRAP_ENQUEUE(search)
