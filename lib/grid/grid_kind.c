/* SPDX-License-Identifier: MIT
 * The kind of a search: that of the grid's plan that it is made from, and of the indices that it
 * may use. */
#include "grid_plan.h"

#include <crosslane/neighbors.h>

static xl_status check_same(xl_context *ctx, const char *field, uint32_t of_index, uint32_t of_plan)
{
    if (of_index != of_plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: built with %s %u; the plan has %u",
                        field, (unsigned)of_index, (unsigned)of_plan);
    return XL_SUCCESS;
}

static xl_status check_batch(xl_context *ctx, const xl_grid_index *index, bool batch)
{
    if (batch != (index->num_systems > 0))
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT, "index: of %s; the plan is made from a grid of %s",
            batch ? "one system" : "a batch of systems", batch ? "a batch" : "one system");
    return XL_SUCCESS;
}

xl_status xli_grid_check_order(xl_context *ctx, const xl_grid_index *index, uint32_t planes)
{
    const xl_status status = xli_grid_index_check(ctx, index);
    return status == XL_SUCCESS ? check_same(ctx, "grid.planes", index->planes, planes) : status;
}

xl_status xli_grid_check_points(xl_context *ctx, const xl_grid_index *index, uint32_t scalar,
                                uint32_t dimensions, bool wrap)
{
    xl_status status;
    if (index->scalar != scalar)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: built with desc.space.scalar %s; the plan has %s",
                        xl_type_name(index->scalar), xl_type_name(scalar));
    XL_TRY(check_same(ctx, "desc.space.dimensions", index->dimensions, dimensions));
    XL_TRY(check_same(ctx, "desc.space.wrap", index->wrap, wrap));
done:
    return status;
}

xl_status xli_grid_check_kind(xl_context *ctx, const xl_grid_index *index,
                              const xli_search_form *form)
{
    xl_status status;
    XL_TRY(xli_grid_check_order(ctx, index, form->planes));
    XL_TRY(xli_grid_check_repeats(ctx, index, form->repeats));
    XL_TRY(xli_grid_check_points(ctx, index, form->scalar, form->dimensions, form->wrap));
    XL_TRY(check_batch(ctx, index, form->batch));
done:
    return status;
}

xl_status xli_grid_search_form(xl_context *ctx, const xl_plan *base, uint32_t queries,
                               xli_search_form *form)
{
    const xli_grid_plan *const grid = (const xli_grid_plan *)base;
    if (queries > XL_QUERIES_GIVEN)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.queries: %u; must be 0 (XL_QUERIES_INDEXED) or 1 (XL_QUERIES_GIVEN)",
                        (unsigned)queries);
    *form = (xli_search_form){
        .scalar = grid->space.scalar,
        .planes = grid->tune.planes,
        .dimensions = grid->space.dimensions,
        .repeats = xli_grid_period_of(&grid->space, grid->lower, grid->upper).repeats,
        .batch = grid->space.num_systems > 0,
        .wrap = grid->space.wrap,
        .given = queries == XL_QUERIES_GIVEN,
        .soa = grid->layout == XL_POINTS_SOA,
        .stride = grid->stride};
    return XL_SUCCESS;
}
