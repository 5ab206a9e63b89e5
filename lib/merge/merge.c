/* SPDX-License-Identifier: MIT
 * The merge's public calls. */
#include "merge_plan.h"

#include <crosslane/plan_info.h>

#include <string.h>

void xl_merge_desc_init_sized(xl_merge_desc *desc, size_t size)
{
    xli_struct_init(desc, size, &(const xl_merge_desc){.key = XL_U32}, sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xl_merge *plan, const xl_merge_desc *desc,
                      const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    size_t most = xli_most_work_items(capabilities);
    plan->problem = (xli_merge_problem){desc->key, desc->value, desc->order == XL_DESCENDING,
                                        desc->equal_zeros != 0};
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_MERGE, desc), &device,
                            &tune));
    do {
        xli_merge_shape_of(&plan->problem, &device, &tune.merge, most, &plan->shape);
        XL_TRY(xli_merge_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

xl_status xl_merge_create(xl_context *ctx, const xl_merge_desc *desc, xl_merge **plan)
{
    xl_status status;
    xl_merge *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_merge_desc checked;
    xl_merge_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_merge_desc, desc, &checked));
    XL_TRY(xli_merge_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a merge plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(make(made, &checked, capabilities));
    *plan = made;
    made = NULL;
done:
    xl_merge_destroy(made);
    return status;
}

void xl_merge_destroy(xl_merge *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_merge_drop_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xl_merge_scratch(const xl_merge *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_merge_check_n(plan->ctx, n));
    *bytes = xli_merge_scratch_bytes(&plan->shape, n);
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

xl_status xl_merge_info_sized(const xl_merge *plan, size_t n, xl_plan_info *info, size_t size)
{
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    const xli_merge_shape *shape = &plan->shape;
    xl_plan_info all = {.work_group_size = shape->group_size,
                        .item_elements = shape->serial ? 0 : shape->items,
                        .tile_elements = xli_merge_tile(shape, n)};
    strcpy(all.algorithm, "merge-path");
    return xli_info_give(plan->ctx, &all, sizeof all, info, size);
}

xl_status xl_merge_enqueue_sized(xl_merge *plan, cl_command_queue queue, const xl_merge_args *args,
                                 size_t size, cl_uint num_waits, const cl_event *waits,
                                 cl_event *event)
{
    xl_status status;
    xl_merge_args given = {0};
    xli_seq seq = {0};
    xli_merge_spans spans;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_merge_args, args, size, &given));
    XL_TRY(xli_merge_check_lengths(ctx, given.n_a, given.n_b));
    const size_t n = given.n_a + given.n_b;
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_merge_check_views(ctx, &plan->problem, &given, &spans));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch,
                           xli_merge_scratch_bytes(&plan->shape, n), XLI_SCRATCH_ALIGN, &scratch));
    XL_TRY(xli_merge_check_scratch(ctx, &spans, &scratch));
    if (n > 0)
        XL_TRY(xli_merge_launch(plan, &seq, given.n_a, given.n_b, &spans, &scratch));
done:
    return xli_seq_end(&seq, status, event);
}
