/* SPDX-License-Identifier: MIT
 * The reduction's public calls, and the making of a plan: problem, shape, kernels. */
#include "reduce_plan.h"

void xl_reduce_desc_init_version(xl_reduce_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version,
                  &(const xl_reduce_desc){.type = XL_U32, .op = XL_SUM, .equal_zeros = 1},
                  sizeof *desc);
}

static xl_status make(xl_context *ctx, const xl_reduce_desc *desc, xli_reduce_plan **plan)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xl_scan_desc scan;
    xli_tune_device device;
    xli_tune tune;
    size_t most;
    xli_reduce_plan *made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a reduction");
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_reduce_check(ctx, desc, capabilities, &scan, &made->problem));
    XL_TRY(xli_init_take(ctx, &made->problem, &scan, &made->init));
    XL_TRY(
        xli_context_tune(ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_REDUCE, desc), &device, &tune));
    most = xli_most_work_items(capabilities);
    do { /* a kernel may allow smaller groups than its device: then all are built again */
        xli_reduce_shape_of(&made->problem, capabilities, &tune.reduce, most, &made->shape);
        XL_TRY(xli_reduce_build(made, &scan, capabilities, &most));
    } while (most < made->shape.group_size);
    XL_TRY(xli_reduce_make_counters(made));
    *plan = made;
    made = NULL;
done:
    xli_reduce_destroy(made);
    return status;
}

xl_status xli_reduce_create(xl_context *ctx, const xl_reduce_desc *desc, xli_reduce_plan **plan)
{
    xl_status status;
    xl_reduce_desc full;
    xl_reduce_desc_init(&full);
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    XL_TRY(XLI_DESC_READ(ctx, xl_reduce_desc, desc, &full));
    XL_TRY(make(ctx, &full, plan));
done:
    return status;
}

void xli_reduce_destroy(xli_reduce_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_reduce_drop_kernels(plan);
    xli_init_drop(&plan->init);
    xli_reduce_drop_counters(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_reduce_scratch(const xli_reduce_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment)
{
    xl_status status;
    size_t needed;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    needed = xli_reduce_layout_of(&plan->problem, &plan->shape, n).bytes;
    XL_TRY(xli_scratch_countable(plan->ctx, n, needed));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_reduce_info(const xli_reduce_plan *plan, size_t n, xl_plan_details *info)
{
    (void)n;
    const xli_reduce_shape *shape = &plan->shape;
    const xl_plan_details all = {.sub_group_size = shape->sub_group,
                                 .work_group_size = shape->group_size,
                                 .item_elements = shape->items,
                                 .tile_elements = shape->tile,
                                 .algorithm = "reduce-then-fold"};
    *info = all;
}

xl_status xli_reduce_call(xli_reduce_plan *plan, cl_command_queue queue, const xl_reduce_args *args,
                          size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_reduce_args given = {0};
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_reduce_args, args, size, &given));
    XL_TRY(xli_reduce_enqueue(plan, queue, &given, num_waits, waits, event));
done:
    return status;
}

XLI_WRAP(reduce)
XLI_WRAP_SCRATCH(reduce, args->n)
XLI_WRAP_ENQUEUE(reduce)
