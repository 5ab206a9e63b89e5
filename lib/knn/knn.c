/* SPDX-License-Identifier: MIT
 * Exact search for nearest neighbours: the descriptor and the plan. */
#include "knn_plan.h"

#include <math.h>

static const xl_knn_desc defaults = {.dimensions = 3, .query_stride = 3, .scalar = XL_F32};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status check_max_radius(xl_context *ctx, const xl_knn_desc *desc)
{
    xl_status status;
    const bool wide = desc->scalar == XL_F64;
    const xli_idle_field fields[] = {
        {"desc.max_radius", desc->max_radius != 0, !wide, "desc.scalar is f64"},
        {"desc.max_radius_f64", desc->max_radius_f64 != 0, wide, "desc.scalar is f32"}};
    const double radius = wide ? desc->max_radius_f64 : (double)desc->max_radius;
    XL_TRY(xli_check_idle(ctx, fields, XLI_COUNT(fields)));
    if (!isfinite(radius) || radius < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite and at least 0",
                        fields[wide].name, radius);
    if (radius > 0)
        XL_TRY(xli_grid_check_radius(ctx, fields[wide].name, desc->scalar, radius));
done:
    return status;
}

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_knn_desc *const desc = of;
    if (desc->k < 1 || desc->k > XLI_KNN_MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; must be 1 to %d",
                        (unsigned)desc->k, XLI_KNN_MOST);
    XL_TRY(xli_grid_check_search(ctx, XLI_SEARCH_FIELDS(desc)));
    XL_TRY(check_max_radius(ctx, desc));
done:
    return status;
}

static xli_knn_problem problem_of(const xl_knn_desc *desc, uint32_t planes)
{
    const float most = desc->max_radius;
    const double radius2 = desc->scalar == XL_F64 ? desc->max_radius_f64 * desc->max_radius_f64
                                                  : (double)(float)(most * most);
    return (xli_knn_problem){.k = desc->k,
                             .form = xli_grid_search_form(XLI_SEARCH_FIELDS(desc), planes),
                             .keeps_self = desc->include_self || desc->queries == XL_QUERIES_GIVEN,
                             .radius2 = radius2 > 0 ? radius2 : (double)INFINITY};
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A device that ends loops allows 65,535 rounds to eight work-items (lib/ocl/rusticl.c). Work-items
 * that search together go the same rounds; cl/knn/knn_shared.cl counts them for groups of 64. */
static xli_knn_shape shape_of(const xli_tune_device *device, const xli_tune *tune, uint32_t k)
{
    enum { MOST_ROUNDS = 8000, TOGETHER = 64, MOST_ROUNDS_TOGETHER = 60000 };
    const bool in_registers = k <= XLI_KNN_IN_REGISTERS, ends = device->ends_loops;
    const size_t together = ends ? TOGETHER : tune->knn.together;
    return (xli_knn_shape){
        .group = (uint32_t)xli_max(1, xli_min(tune->knn.group, device->max_work_group)),
        .items = ends ? 1 : tune->knn.items,
        .together = in_registers ? 0 : (uint32_t)xli_min(together, device->max_work_group),
        .aim = tune->knn.aim,
        .most_rounds = !ends          ? 0
                       : in_registers ? MOST_ROUNDS
                                      : MOST_ROUNDS_TOGETHER};
}

/* XL_RADII, XL_HALF and XL_RADIUS_INCLUSIVE are for searches within a radius. */
static void add_text(xli_text *text, const xli_knn_problem *problem, const xli_knn_shape *shape)
{
    const xli_search_form *const form = &problem->form;
    const xli_definition lines[] = {
        {"XL_ITEMS", shape->items},
        {"XL_PLANES", form->planes},
        {"XL_DIMENSIONS", form->dimensions},
        {"XL_KEEP_SELF", problem->keeps_self},
        {"XL_PERIODIC", form->repeats != XL_REPEATS_NOT},
        {"XL_TRICLINIC", form->repeats == XL_REPEATS_CELL},
        {"XL_RADII", 0},
        {"XL_HALF", 0},
        {"XL_RADIUS_INCLUSIVE", 0},
        {"XL_GIVEN", form->given},
        {"XL_F64", form->scalar == XL_F64},
        {"XL_SYSTEMS", form->batch},
        {"XL_QUERY_STRIDE", form->soa ? 0 : form->stride},
        {"XL_QUERY_DIMENSIONS", form->dimensions},
        {"XL_MOST_ROUNDS", shape->most_rounds},
        {"XL_K", problem->k},
        {"XL_KNN_AIM", shape->aim},
        {"XL_KNN_TOGETHER", shape->together},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build_kernels(xli_knn_plan *plan)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    xl_context *const ctx = plan->base.ctx;
    add_text(&text, &plan->problem, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source"));
    XL_TRY(xli_program_get(ctx, "knn", text.data, &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_knn", &plan->search));
    XL_TRY(xli_kernel_create(ctx, program, "xl_knn_check", &plan->check));
done:
    xli_text_free(&text);
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_knn_desc *const desc = of;
    xli_knn_plan *const plan = (xli_knn_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities,
                            XLI_TUNE_WISH(XLI_TUNE_KNN | XLI_TUNE_GRID, desc), &device, &tune));
    plan->problem = problem_of(desc, tune.grid.planes);
    plan->shape = shape_of(&device, &tune, desc->k);
    XL_TRY(build_kernels(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_knn_plan *const plan = (xli_knn_plan *)base;
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->check);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_knn_plan *const plan = (const xli_knn_plan *)base;
    (void)n;
    const xli_knn_shape *const shape = &plan->shape;
    xli_grid_info_of(&plan->search, shape->together > 0 ? shape->together : shape->group,
                     shape->items, "growing reach", details);
}

/* The sizes of a scratch question, which has no index. */
static xl_status count_sizes(const xl_plan *base, const void *of)
{
    const xli_knn_problem *const problem = &((const xli_knn_plan *)base)->problem;
    return xli_grid_check_n(base->ctx, "args.num_queries", ((const xl_knn_args *)of)->num_queries,
                            problem->form.stride);
}

static const xli_primitive primitive = {.name = "knn",
                                        .plan_bytes = sizeof(xli_knn_plan),
                                        .desc = {"desc", sizeof(xl_knn_desc), NULL},
                                        .args = {"args", sizeof(xl_knn_args), NULL},
                                        .defaults = &defaults,
                                        .check = check,
                                        .make = make,
                                        .drop = drop,
                                        .info = info,
                                        .count = count_sizes};
const xli_primitive *const xli_knn_primitive = &primitive;
XLI_PUBLIC_DESC_INIT(knn)
XLI_PUBLIC_CREATE(knn)
XLI_PUBLIC_SCRATCH(knn, xl_knn_args)
