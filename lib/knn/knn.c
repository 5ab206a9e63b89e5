/* SPDX-License-Identifier: MIT
 * Plans of searches for nearest neighbours: descriptor to kernel. */
#include "knn_plan.h"

#include <math.h>

void xl_knn_desc_init_version(xl_knn_desc *desc, uint32_t version)
{
    static const xl_knn_desc defaults = {.dimensions = 3, .query_stride = 3, .scalar = XL_F32};
    xli_desc_init(desc, version, &defaults, sizeof defaults);
}

static xli_knn_problem problem_of(const xl_knn_desc *desc)
{
    const bool given = desc->queries == XL_QUERIES_GIVEN;
    const bool soa = desc->query_layout == XL_POINTS_SOA;
    const double most = desc->max_radius_f64;
    return (xli_knn_problem){.k = desc->k,
                             .dimensions = desc->dimensions,
                             .query_stride = soa ? 1 : desc->query_stride,
                             .scalar = desc->scalar,
                             .soa = soa,
                             .batch = desc->batch != 0,
                             .given = given,
                             .keeps_self = desc->include_self || given,
                             .repeats = xli_grid_repeats(desc->periodic),
                             .radius2 = desc->max_radius > 0 ? desc->max_radius * desc->max_radius
                                                             : INFINITY,
                             .radius2_f64 = most > 0 ? most * most : (double)INFINITY};
}

/* XL_RADII and XL_RADIUS_INCLUSIVE are of a search within a radius. */
static void add_text(xli_text *text, const xli_knn_problem *problem, const xli_knn_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_ITEMS", shape->items},
        {"XL_PLANES", shape->planes},
        {"XL_DIMENSIONS", problem->dimensions},
        {"XL_KEEP_SELF", problem->keeps_self},
        {"XL_PERIODIC", problem->repeats != XL_REPEATS_NOT},
        {"XL_TRICLINIC", problem->repeats == XL_REPEATS_CELL},
        {"XL_RADII", 0},
        {"XL_HALF", 0},
        {"XL_RADIUS_INCLUSIVE", 0},
        {"XL_GIVEN", problem->given},
        {"XL_F64", problem->scalar == XL_F64},
        {"XL_SYSTEMS", problem->batch},
        {"XL_QUERY_STRIDE", problem->soa ? 0 : problem->query_stride},
        {"XL_QUERY_DIMENSIONS", problem->dimensions},
        {"XL_MOST_ROUNDS", shape->most_rounds},
        {"XL_K", problem->k},
        {"XL_KNN_AIM", shape->aim},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build_kernel(xli_knn_plan *plan)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    add_text(&text, &plan->problem, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    XL_TRY(xli_program_get(plan->ctx, "knn", text.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_knn", &plan->search));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_knn_check", &plan->check));
done:
    xli_text_free(&text);
    return status;
}

static xl_status make(xli_knn_plan *plan, const xl_knn_desc *desc)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(plan->ctx, &capabilities));
    XL_TRY(xli_context_tune(plan->ctx, capabilities,
                            XLI_TUNE_WISH(XLI_TUNE_KNN | XLI_TUNE_GRID, desc), &device, &tune));
    plan->problem = problem_of(desc);
    plan->shape = xli_knn_shape_of(&device, &tune);
    XL_TRY(build_kernel(plan));
done:
    return status;
}

xl_status xli_knn_create(xl_context *ctx, const xl_knn_desc *desc, xli_knn_plan **plan)
{
    xl_status status;
    xli_knn_plan *made = NULL;
    xl_knn_desc checked;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_knn_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_knn_desc, desc, &checked));
    checked.scalar = xli_scalar_or_default(checked.scalar);
    XL_TRY(xli_knn_check_desc(ctx, &checked));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(make(made, &checked));
    *plan = made;
    made = NULL;
done:
    xli_knn_destroy(made);
    return status;
}

xl_status xli_knn_scratch(const xli_knn_plan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_grid_check_num_queries(plan->ctx, n, plan->problem.query_stride));
    *bytes = 0;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_knn_info(const xli_knn_plan *plan, size_t n, xl_plan_details *info)
{
    (void)n;
    const xl_plan_details all =
        xli_grid_info_of(&plan->search, plan->shape.group, plan->shape.items, "growing reach");
    *info = all;
}

void xli_knn_destroy(xli_knn_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->check);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

XLI_WRAP(knn)
XLI_WRAP_SCRATCH(knn, args->num_queries)
XLI_WRAP_INDEX(knn, enqueue, xl_knn_args)

xl_status xl_knn_status(xl_plan *plan, xl_grid_index *index, cl_command_queue queue,
                        const xl_knn_status_args *args, xl_knn_report *report, cl_uint num_waits,
                        const cl_event *waits)
{
    const xl_status status = xli_plan_check(&xli_knn_primitive, plan);
    return status == XL_SUCCESS ? xli_knn_status(xli_knn_of(plan), index, queue, args, sizeof *args,
                                                 report, sizeof *report, num_waits, waits)
                                : status;
}
