/* SPDX-License-Identifier: MIT
 * Checks of descriptors of searches within a radius. */
#include "neighbors_plan.h"
#include "user_text.h"

xl_status xli_neighbors_check_desc(xl_context *ctx, const xl_neighbors_desc *desc)
{
    xl_status status;
    const bool wide = desc->scalar == XL_F64;
    const xli_idle_field radii[] = {
        {"desc.radius", desc->radius != 0, !wide, "desc.scalar is f64"},
        {"desc.radius_f64", desc->radius_f64 != 0, wide, "desc.scalar is f32"}};
    XL_TRY(xli_grid_check_scalar(ctx, desc->scalar));
    XL_TRY(xli_check_idle(ctx, radii, XLI_COUNT(radii)));
    XL_TRY(xli_grid_check_radius(ctx, radii[wide].name, desc->scalar,
                                 wide ? desc->radius_f64 : (double)desc->radius));
    XL_TRY(xli_grid_check_query_fields(ctx, desc->queries, desc->dimensions, desc->query_layout,
                                       desc->query_stride));
    XL_TRY(xli_check_source(ctx, "desc.visit", desc->visit));
    if (desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %u; must be 0",
                        (unsigned)desc->reserved);
    if (desc->batch > 1 || desc->reserved2 != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.batch: %u, desc.reserved2: %u; must "
                        "be 0 or 1, and 0",
                        (unsigned)desc->batch, (unsigned)desc->reserved2);
    if (desc->half && (desc->queries != XL_QUERIES_INDEXED || desc->radii))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.half: of %s a pair is no other one turned round",
                        desc->radii ? "radii of their own" : "given queries");
done:
    return status;
}
