/* SPDX-License-Identifier: MIT
 * Exact search for nearest neighbours: the descriptor and the plan. */
#include "nearest_plan.h"

#include <math.h>

static const xl_nearest_desc defaults = {0};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status check_max_radius(xl_context *ctx, const xl_nearest_desc *desc, uint32_t scalar)
{
    if (!isfinite(desc->max_radius) || desc->max_radius < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.max_radius: %g; must be finite and at least 0", desc->max_radius);
    return desc->max_radius > 0
               ? xli_grid_check_radius(ctx, "desc.max_radius", scalar, desc->max_radius)
               : XL_SUCCESS;
}

static xl_status read_desc(xli_nearest_plan *plan, const xl_nearest_desc *desc)
{
    xl_status status;
    xl_context *const ctx = plan->base.ctx;
    xli_nearest_problem *const p = &plan->problem;
    XL_TRY(xli_grid_search_form(ctx, plan->base.grid, desc->queries, &p->form));
    if (desc->k < 1 || desc->k > XLI_NEAREST_MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; must be 1 to %d",
                        (unsigned)desc->k, XLI_NEAREST_MOST);
    XL_TRY(check_max_radius(ctx, desc, p->form.scalar));
    const double radius2 = xli_grid_square(p->form.scalar, desc->max_radius);
    p->k = desc->k;
    p->keeps_self = desc->include_self || p->form.given;
    p->radius2 = radius2 > 0 ? radius2 : (double)INFINITY;
done:
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static xli_nearest_shape shape_of(const xli_tune_device *device, const xli_tune *tune, uint32_t k)
{
    return (xli_nearest_shape){
        .group = (uint32_t)xli_max(1, xli_min(tune->nearest.group, device->max_work_group)),
        .items = tune->nearest.items,
        .together = k <= XLI_NEAREST_IN_REGISTERS
                        ? 0
                        : (uint32_t)xli_min(tune->nearest.together, device->max_work_group),
        .aim = tune->nearest.aim};
}

/* XL_RADII, XL_HALF and XL_RADIUS_INCLUSIVE are for searches within a radius. */
static void add_text(xli_text *text, const xli_nearest_problem *problem,
                     const xli_nearest_shape *shape)
{
    const xli_search_form *const form = &problem->form;
    const xli_definition lines[] = {
        {"XL_ITEMS", shape->items},
        {"XL_PLANES", form->planes},
        {"XL_DIMENSIONS", form->dimensions},
        {"XL_KEEP_SELF", problem->keeps_self},
        {"XL_PERIODIC", form->repeats != XLI_REPEATS_NOT},
        {"XL_TRICLINIC", form->repeats >= XLI_REPEATS_CELL},
        {form->repeats == XLI_REPEATS_CELLS ? "XL_CELLS" : NULL, 1},
        {"XL_RADII", 0},
        {"XL_HALF", 0},
        {"XL_RADIUS_INCLUSIVE", 0},
        {"XL_GIVEN", form->given},
        {"XL_F64", form->scalar == XL_F64},
        {"XL_SYSTEMS", form->batch},
        {"XL_QUERY_STRIDE", form->soa ? 0 : form->stride},
        {"XL_QUERY_DIMENSIONS", form->dimensions},
        {"XL_K", problem->k},
        {"XL_NEAREST_AIM", shape->aim},
        {"XL_NEAREST_TOGETHER", shape->together},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build_kernels(xli_nearest_plan *plan)
{
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_nearest", &plan->search, true},
                               {"xl_nearest_check", &plan->check, true}};
    add_text(&text, &plan->problem, &plan->shape);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "nearest", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_nearest_desc *const desc = of;
    xli_nearest_plan *const plan = (xli_nearest_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(read_desc(plan, desc));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_NEAREST, desc), &device,
                            &tune));
    plan->shape = shape_of(&device, &tune, desc->k);
    XL_TRY(build_kernels(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_nearest_plan *const plan = (xli_nearest_plan *)base;
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->check);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_nearest_plan *const plan = (const xli_nearest_plan *)base;
    (void)n;
    const xli_nearest_shape *const shape = &plan->shape;
    xli_grid_info_of(&plan->search, shape->together > 0 ? shape->together : shape->group,
                     shape->items, "growing reach", details);
}

/* The sizes of a scratch question, which has no index. */
static xl_status count_sizes(const xl_plan *base, const void *of)
{
    return xli_grid_check_num_queries(base->ctx, &((const xli_nearest_plan *)base)->problem.form,
                                      NULL, ((const xl_nearest_args *)of)->num_queries);
}

static const xli_primitive primitive = {XLI_PRIMITIVE(nearest, xli_nearest_plan),
                                        .args = {"args", sizeof(xl_nearest_args), NULL},
                                        .count = count_sizes};
const xli_primitive *const xli_nearest_primitive = &primitive;
XLI_PUBLIC_DESC_INIT(nearest)
XLI_PUBLIC_CREATE_FROM_GRID(nearest)
XLI_PUBLIC_SCRATCH(nearest, xl_nearest_args)
