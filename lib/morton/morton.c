/* SPDX-License-Identifier: MIT
 * Plans of Morton codes: descriptor to kernel. */
#include "morton_plan.h"

#include <crosslane/plan_info.h>

#include <string.h>

void xl_morton_desc_init_sized(xl_morton_desc *desc, size_t size)
{
    static const xl_morton_desc defaults = {
        .dimensions = 3, .scalar = XL_F32, .stride = 3, .code = XL_U64};
    xli_struct_init(desc, size, &defaults, sizeof defaults);
}

static xl_status build_kernel(xl_morton *plan)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const xli_definition lines[] = {{"XL_ITEMS", plan->shape.items},
                                    {"XL_DIMENSIONS", plan->problem.dimensions},
                                    {"XL_STRIDE", plan->problem.stride},
                                    {"XL_MORTON_WIDE", plan->problem.wide}};
    xli_text_define(&text, lines, XLI_COUNT(lines));
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of codes"));
    XL_TRY(xli_program_get(plan->ctx, "morton_codes", text.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_morton_codes", &plan->kernel));
done:
    xli_text_free(&text);
    return status;
}

static xl_status make(xl_morton *plan, const xl_morton_desc *desc)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(plan->ctx, &capabilities));
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_MORTON, desc), &device,
                            &tune));
    plan->problem = xli_morton_problem_of(desc);
    plan->shape = xli_morton_shape_of(&device, &tune.morton);
    XL_TRY(build_kernel(plan));
done:
    return status;
}

xl_status xl_morton_create(xl_context *ctx, const xl_morton_desc *desc, xl_morton **plan)
{
    xl_status status;
    xl_morton *made = NULL;
    xl_morton_desc checked;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_morton_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_morton_desc, desc, &checked));
    XL_TRY(xli_morton_check_desc(ctx, &checked));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of codes"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(make(made, &checked));
    *plan = made;
    made = NULL;
done:
    xl_morton_destroy(made);
    return status;
}

xl_status xl_morton_scratch(const xl_morton *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_morton_check_n(plan, n));
    *bytes = 0;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

xl_status xl_morton_info_sized(const xl_morton *plan, size_t n, xl_plan_info *info, size_t size)
{
    (void)n;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    const uint32_t group = (uint32_t)xli_min(plan->shape.group, plan->kernel.max_group);
    xl_plan_info all = {.work_group_size = group,
                        .item_elements = plan->shape.items,
                        .tile_elements = (uint64_t)group * plan->shape.items};
    strcpy(all.algorithm, "map");
    return xli_info_give(plan->ctx, &all, sizeof all, info, size);
}

void xl_morton_destroy(xl_morton *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_kernel_destroy(&plan->kernel);
    xli_context_release(plan->ctx);
    xli_free(plan);
}
