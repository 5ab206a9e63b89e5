/* SPDX-License-Identifier: MIT
 * The public calls of a selection. */
#include "select_plan.h"

#include <stdio.h>

/* After so many calls a plan's own state of look-back is made anew, before an epoch comes round. */
enum { MOST_CALLS = 1 << 24 };

void xl_select_desc_init_version(xl_select_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version,
                  &(const xl_select_desc){.type = XL_U32, .index = XL_U32, .equal_zeros = 1},
                  sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_select_plan *plan, const xli_capabilities *capabilities,
                      const xli_tune_select *tune)
{
    xl_status status;
    size_t most = xli_most_work_items(capabilities);
    do {
        xli_select_shape_of(&plan->problem, capabilities, tune, most, &plan->shape);
        plan->sub_group = xli_sub_group_of(capabilities, plan->shape.group_size);
        XL_TRY(xli_select_build(plan, capabilities, &most));
    } while (plan->shape.group_size > most);
    if (plan->shape.look_back) {
        plan->pool.zeroed = true;
        plan->pool.most_calls = MOST_CALLS;
    }
    XL_TRY(xli_pool_create(plan->ctx, &plan->pool));
done:
    return status;
}

xl_status xli_select_create(xl_context *ctx, const xl_select_desc *desc, xli_select_plan **plan)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_select_problem problem;
    xli_tune_device device;
    xli_tune tune;
    xli_select_plan *made = NULL;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_select_desc checked;
    xl_select_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_select_desc, desc, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_select_check_desc(ctx, capabilities, &checked, &problem));
    XL_TRY(xli_context_tune(ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SELECT, &checked), &device,
                            &tune));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of a selection"));
    made->ctx = xli_context_retain(ctx);
    made->problem = problem;
    XL_TRY(make(made, capabilities, &tune.select));
    *plan = made;
    made = NULL;
done:
    xli_select_destroy(made);
    return status;
}

void xli_select_destroy(xli_select_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_select_drop_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_select_scratch(const xli_select_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    const size_t needed = xli_select_scratch_bytes(&plan->problem, &plan->shape, n);
    XL_TRY(xli_scratch_countable(plan->ctx, n, needed));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_select_info(const xli_select_plan *plan, size_t n, xl_plan_details *info)
{
    (void)n;
    const xli_select_shape *shape = &plan->shape;
    const char *name = plan->problem.kind == XL_SELECT_REPEAT ? "merge-path"
                       : shape->look_back                     ? "look-back"
                                                              : "reduce-then-scan";
    xl_plan_details all = {.sub_group_size = plan->sub_group,
                           .work_group_size = shape->group_size,
                           .item_elements = shape->items,
                           .tile_elements = shape->tile};
    snprintf(all.algorithm, sizeof all.algorithm, "%s", name);
    *info = all;
}

xl_status xli_select_enqueue(xli_select_plan *plan, cl_command_queue queue,
                             const xl_select_args *args, size_t size, cl_uint num_waits,
                             const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_select_args given = {0};
    xli_seq seq = {0};
    xli_select_spans spans;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_select_args, args, size, &given));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_select_check_call(ctx, &plan->problem, &given, &spans));
    const size_t bytes = xli_select_scratch_bytes(&plan->problem, &plan->shape, given.n);
    XL_TRY(xli_scratch_countable(ctx, given.n, bytes));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch, bytes, XLI_SCRATCH_ALIGN, &scratch));
    XL_TRY(xli_select_check_scratch(ctx, &spans, &scratch));
    XL_TRY(xli_select_launch(plan, &seq, &spans, &scratch));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(select)
XLI_WRAP_SCRATCH(select, args->n)
XLI_WRAP_ENQUEUE(select)
