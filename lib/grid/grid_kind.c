/* SPDX-License-Identifier: MIT
 * Checks that a plan may use an index. */
#include "grid_plan.h"

xl_status xli_grid_check_same_scalar(xl_context *ctx, const xl_grid_index *index, uint32_t scalar)
{
    if (index->scalar != scalar)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points of %s; the plan's desc.scalar is %s",
                        xl_type_name(index->scalar), xl_type_name(scalar));
    return XL_SUCCESS;
}

static xl_status check_planes(xl_context *ctx, const xl_grid_index *index, uint32_t planes)
{
    if (index->planes != planes)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: built by a plan with grid.planes %u; this plan has %u",
                        (unsigned)index->planes, (unsigned)planes);
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

xl_status xli_grid_check_kind(xl_context *ctx, const xl_grid_index *index,
                              const xli_grid_kind *kind)
{
    xl_status status;
    XL_TRY(xli_grid_index_check(ctx, index));
    XL_TRY(check_planes(ctx, index, kind->planes));
    XL_TRY(xli_grid_check_repeats(ctx, index, kind->repeats));
    XL_TRY(xli_grid_check_same_scalar(ctx, index, kind->scalar));
    XL_TRY(check_batch(ctx, index, kind->batch));
done:
    return status;
}

xl_status xli_grid_check_index(const xli_grid_plan *grid, const xl_grid_index *index)
{
    const xl_status status = xli_grid_index_check(grid->base.ctx, index);
    return status == XL_SUCCESS ? check_planes(grid->base.ctx, index, grid->tune.planes) : status;
}
