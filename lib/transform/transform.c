/* SPDX-License-Identifier: MIT
 * The public calls of the transform. */
#include "transform_plan.h"

#include <string.h>

void xl_transform_desc_init_version(xl_transform_desc *desc, uint32_t version)
{
    xli_desc_init(
        desc, version,
        &(const xl_transform_desc){.kind = XL_TRANSFORM_MAP, .num_arrays = 1, .types = {XL_F32}},
        sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_transform_plan *plan, const xl_transform_desc *desc,
                      const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    size_t most = SIZE_MAX;
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_TRANSFORM, desc),
                            &device, &tune));
    do {
        xli_transform_shape_of(&plan->problem, &device, &tune.transform, most, &plan->shape);
        XL_TRY(xli_transform_build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

xl_status xli_transform_create(xl_context *ctx, const xl_transform_desc *desc,
                               xli_transform_plan **plan)
{
    xl_status status;
    xli_transform_plan *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_transform_desc checked;
    xl_transform_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_transform_desc, desc, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of a transform"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(xli_transform_resolve(ctx, &checked, capabilities, &made->problem));
    XL_TRY(make(made, &checked, capabilities));
    *plan = made;
    made = NULL;
done:
    xli_transform_destroy(made);
    return status;
}

void xli_transform_destroy(xli_transform_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_transform_drop_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_transform_scratch(const xli_transform_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    const size_t needed = xli_transform_scratch_bytes(&plan->problem, &plan->shape, n);
    XL_TRY(xli_scratch_countable(plan->ctx, n, needed));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_transform_info(const xli_transform_plan *plan, size_t n, xl_plan_details *info)
{
    const xli_transform_shape *shape = &plan->shape;
    (void)n;
    xl_plan_details all = {.work_group_size = shape->group_size,
                           .item_elements = shape->serial ? 0 : shape->vector * shape->items,
                           .tile_elements = shape->tile};
    strcpy(all.algorithm, xli_transform_moves(plan->problem.kind) ? "move" : "map");
    *info = all;
}

xl_status xli_transform_enqueue(xli_transform_plan *plan, cl_command_queue queue,
                                const xl_transform_args *args, size_t size, cl_uint num_waits,
                                const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_transform_args given = {0};
    xli_seq seq = {0};
    xli_transform_spans spans;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_transform_args, args, size, &given));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_transform_check_views(ctx, &plan->problem, &given, &spans));
    XL_TRY(xli_seq_scratch(
        &seq, &plan->pool, given.scratch,
        spans.in_place ? xli_transform_scratch_bytes(&plan->problem, &plan->shape, given.n) : 0,
        XLI_SCRATCH_ALIGN, &scratch));
    XL_TRY(xli_transform_check_scratch(ctx, &spans, &scratch));
    if (given.n > 0)
        XL_TRY(xli_transform_launch(plan, &seq, &given, &spans, &scratch));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(transform)
XLI_WRAP_SCRATCH(transform, args->n)
XLI_WRAP_ENQUEUE(transform)
