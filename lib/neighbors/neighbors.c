/* SPDX-License-Identifier: MIT
 * Search within a radius: the descriptor and the plan. */
#include "neighbors_plan.h"
#include "user_text.h"

static const xl_neighbors_desc defaults = {.sorted = 1};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status read_desc(xli_neighbors_plan *plan, const xl_neighbors_desc *desc)
{
    xl_status status;
    xl_context *const ctx = plan->base.ctx;
    double most;
    XL_TRY(xli_grid_search_form(ctx, plan->base.grid, desc->queries, &plan->form));
    const bool wide = plan->form.scalar == XL_F64;
    XL_TRY(xli_near_read_radii(ctx, &plan->form, desc, &most));
    if (desc->keep_nearest && desc->row_capacity == 0)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.keep_nearest: %u; requires desc.row_capacity",
                        (unsigned)desc->keep_nearest));
    XL_TRY(xli_check_source(ctx, "desc.visit", desc->visit));
    plan->radius = wide ? most : (double)(float)most;
    plan->radius2 = xli_grid_square(plan->form.scalar, most);
    plan->reach = wide ? xli_neighbors_reach_f64(most) : (double)xli_neighbors_reach((float)most);
    plan->inclusive = desc->inclusive != 0;
    plan->half = desc->half != 0;
    plan->includes_self = desc->include_self != 0;
    plan->sorted = desc->sorted != 0;
    plan->visits = desc->visit != NULL;
    plan->radii = desc->radii;
    plan->num_types = desc->num_types;
    plan->has_details = desc->details != 0;
    plan->row_capacity = desc->row_capacity;
    plan->keeps_nearest = desc->keep_nearest != 0;
done:
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* The tuning values, and the sums inside a count. */
static xl_status make_parts(xli_neighbors_plan *plan, const xl_neighbors_desc *desc,
                            const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *wish = XLI_TUNE_WISH(XLI_TUNE_NEIGHBORS, desc);
    XL_TRY(xli_context_tune(plan->base.ctx, capabilities, wish, &device, &tune));
    plan->tune = tune.neighbors;
    xli_tune_neighbors_fit(&device, &plan->tune);
    XL_TRY(xli_sums_make(plan->base.ctx, &device, &plan->sums));
done:
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_neighbors_desc *const desc = of;
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    const xli_capabilities *capabilities;
    XL_TRY(read_desc(plan, desc));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(make_parts(plan, desc, capabilities));
    XL_TRY(xli_near_make_table(plan, desc));
    /* Given queries may be far apart. */
    plan->together = plan->form.given ? 1 : plan->tune.together;
    XL_TRY(xli_parts_create(base->ctx, &plan->parts));
    XL_TRY(desc->visit ? xli_near_build_visits(plan, desc->visit) : xli_near_build_lists(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    xli_kernel *const kernels[] = {&plan->count,   &plan->fill,  &plan->visit,
                                   &plan->details, &plan->check, &plan->longest};
    for (size_t k = 0; k < XLI_COUNT(kernels); ++k)
        xli_kernel_destroy(kernels[k]);
    if (plan->table)
        clReleaseMemObject(plan->table);
    xli_parts_destroy(&plan->parts);
    xli_sums_drop(&plan->sums);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    (void)n;
    const xli_kernel *const kernel = plan->visits ? &plan->visit : &plan->count;
    if (plan->tune.walk > 0)
        xli_grid_info_of(kernel, 1, plan->tune.walk, "rows", details);
    else
        xli_grid_info_of(kernel, plan->tune.group, 1, "cells", details);
}

/* The scratch question is that of a count with offsets, without an index. */
static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const xl_neighbors_args *const args = of;
    XL_TRY(xli_grid_check_num_queries(base->ctx, &((const xli_neighbors_plan *)base)->form, NULL,
                                      args->num_queries));
    XL_TRY(xli_check_rows(base->ctx, args->num_queries, args->first_row, args->num_rows));
done:
    return status;
}

size_t xli_neighbors_scratch_bytes(const xli_neighbors_plan *plan, size_t n)
{
    return xli_sums_scratch(&plan->sums, n + 1);
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xl_neighbors_args *const args = of;
    return xli_neighbors_scratch_bytes(
        (const xli_neighbors_plan *)base,
        xli_rows_of(args->num_queries, args->first_row, args->num_rows));
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE(neighbors, xli_neighbors_plan),
    .args = {"args", sizeof(xl_neighbors_args), NULL},
    .count = count,
    .scratch = scratch_bytes,
    .prepare = xli_near_prepare,
};
const xli_primitive *const xli_neighbors_primitive = &primitive;
XLI_PUBLIC_DESC_INIT(neighbors)
XLI_PUBLIC_CREATE_FROM_GRID(neighbors)
XLI_PUBLIC_SCRATCH(neighbors, xl_neighbors_args)
