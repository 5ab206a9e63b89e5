/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a grid. */
#include "grid_plan.h"

#include <math.h>

xl_status xli_grid_check_desc(xl_context *ctx, const xl_grid_desc *d)
{
    const struct {
        bool wrong;
        const char *name, *rule;
        uint32_t value;
    } rules[] = {{d->layout > XL_POINTS_SOA, "layout",
                  "must be 0 (XL_POINTS_AOS) or 1 (XL_POINTS_SOA)", d->layout},
                 {d->layout == XL_POINTS_AOS && d->stride < d->space.dimensions, "stride",
                  "must be at least desc.space.dimensions", d->stride},
                 {d->algorithm > XL_GRID_BITONIC, "algorithm",
                  "must be 0 (XL_GRID_AUTO), 1 (XL_GRID_COUNTING) or 2 (XL_GRID_BITONIC)",
                  d->algorithm}};
    const struct {
        const char *name;
        double value;
    } sizes[] = {{"cell_size", d->cell_size}, {"points_per_cell", d->points_per_cell}};
    for (size_t i = 0; i < XLI_COUNT(sizes); ++i)
        if (!isfinite((float)sizes[i].value) || sizes[i].value < 0 ||
            (sizes[i].value > 0 && (float)sizes[i].value <= 0))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.%s: %g; must be 0 or a finite float above 0", sizes[i].name,
                            sizes[i].value);
    for (size_t i = 0; i < XLI_COUNT(rules); ++i)
        if (rules[i].wrong)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: %u; %s", rules[i].name,
                            (unsigned)rules[i].value, rules[i].rule);
    return XL_SUCCESS;
}

xl_status xli_grid_check_n(xl_context *ctx, const char *name, size_t n, uint32_t stride)
{
    const size_t most = xli_min(xli_size(XLI_GRID_MAX_N), SIZE_MAX / xli_max(stride, 64));
    if (n > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %zu; must be at most %zu", name, n,
                        most);
    return XL_SUCCESS;
}

/* Nothing is read behind the last point, so that points may begin anywhere in a structure. */
void xli_grid_list_points(const xli_grid_plan *grid, size_t n, const xl_view axes[3],
                          xli_array *arrays)
{
    static const char *const names[] = {"args.points", "args.points_y", "args.points_z"};
    const uint32_t dimensions = grid->space.dimensions;
    const bool soa = grid->layout == XL_POINTS_SOA;
    const size_t scalars = n > 0 ? (n - 1) * grid->stride + (soa ? 1 : dimensions) : 0;
    for (uint32_t a = 0; a < 3; ++a) {
        arrays[a] = xli_input(names[a], axes[a], scalars, xli_scalar_bytes(grid->space.scalar));
        if (a > 0 && !soa)
            arrays[a].unused = "must not be given, because desc.layout is XL_POINTS_AOS";
        else if (a >= dimensions)
            arrays[a].unused = "must not be given, because points have fewer dimensions";
    }
}
