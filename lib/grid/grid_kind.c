/* SPDX-License-Identifier: MIT
 * Checks that a plan may use an index. */
#include "grid_plan.h"

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
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of %s; the plan's desc.batch is %d, and must be %d",
                        batch ? "one system" : "a batch of systems", batch, !batch);
    return XL_SUCCESS;
}

xl_status xli_grid_check_order(xl_context *ctx, const xl_grid_index *index, uint32_t planes)
{
    const xl_status status = xli_grid_index_check(ctx, index);
    return status == XL_SUCCESS ? check_same(ctx, "grid.planes", index->planes, planes) : status;
}

xl_status xli_grid_check_points(xl_context *ctx, const xl_grid_index *index, uint32_t scalar,
                                uint32_t dimensions)
{
    if (index->scalar != scalar)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: built with desc.scalar %s; the plan has %s",
                        xl_type_name(index->scalar), xl_type_name(scalar));
    return check_same(ctx, "desc.dimensions", index->dimensions, dimensions);
}

xl_status xli_grid_check_kind(xl_context *ctx, const xl_grid_index *index,
                              const xli_search_form *form)
{
    xl_status status;
    XL_TRY(xli_grid_check_order(ctx, index, form->planes));
    XL_TRY(xli_grid_check_repeats(ctx, index, form->repeats));
    XL_TRY(xli_grid_check_points(ctx, index, form->scalar,
                                 form->dimensions > 0 ? form->dimensions : index->dimensions));
    XL_TRY(check_batch(ctx, index, form->batch));
done:
    return status;
}
