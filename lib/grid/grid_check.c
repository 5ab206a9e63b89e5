/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a grid. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>

xl_status xli_grid_check_scalar(xl_context *ctx, uint32_t scalar)
{
    xl_status status;
    const xli_capabilities *capabilities;
    if (scalar != XL_F32 && scalar != XL_F64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.scalar: %s (%d); must be f32 or f64",
                        xl_type_name(scalar), (int)scalar);
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    if (scalar == XL_F64 && !capabilities->info.has_fp64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.scalar: f64; needs cl_khr_fp64, which %s lacks",
                        capabilities->info.name);
done:
    return status;
}

/* The fields of the other scalar must be 0. */
static xl_status check_other(xl_context *ctx, const xl_grid_desc *desc)
{
    static const char *const names[] = {"lower", "upper", "cell", "cell", "cell"}, *const rows[] = {
                                                                                       "", "",
                                                                                       "[0]", "[1]",
                                                                                       "[2]"};
    const bool wide = desc->scalar == XL_F64;
    const float *const f32[] = {desc->lower, desc->upper, desc->cell[0], desc->cell[1],
                                desc->cell[2]};
    const double *const f64[] = {desc->lower_f64, desc->upper_f64, desc->cell_f64[0],
                                 desc->cell_f64[1], desc->cell_f64[2]};
    for (size_t k = 0; k < XLI_COUNT(names); ++k)
        for (int a = 0; a < 3; ++a) {
            const double value = wide ? (double)f32[k][a] : f64[k][a];
            if (value != 0)
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "desc.%s%s%s[%d]: %g; must be 0, because desc.scalar is %s",
                                names[k], wide ? "" : "_f64", rows[k], a, value,
                                xl_type_name(desc->scalar));
        }
    return XL_SUCCESS;
}

static xl_status check_axis(xl_context *ctx, const xl_grid_desc *desc, uint32_t a)
{
    const bool wide = desc->scalar == XL_F64;
    const char *const end = wide ? "_f64" : "", *rule = NULL;
    const double lower = wide ? desc->lower_f64[a] : (double)desc->lower[a];
    const double upper = wide ? desc->upper_f64[a] : (double)desc->upper[a];
    const double length = wide ? upper - lower : (double)(desc->upper[a] - desc->lower[a]);
    const double least = wide ? DBL_MIN : (double)FLT_MIN;
    if (!isfinite(lower) || !isfinite(upper) || (wide && !isfinite(length)))
        rule = "must be finite";
    else if (lower > upper)
        rule = "lower must not exceed upper";
    else if (desc->periodic & 1u << a && !(length >= least && isfinite(length)))
        rule = "a period must be a normal number";
    if (rule)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.lower%s[%u], desc.upper%s[%u]: %g to %g; %s", end, (unsigned)a, end,
                        (unsigned)a, lower, upper, rule);
    return XL_SUCCESS;
}

static xl_status check_box(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status = XL_SUCCESS;
    for (uint32_t a = 0; a < desc->dimensions; ++a)
        XL_TRY(check_axis(ctx, desc, a));
done:
    return status;
}

xl_status xli_grid_check_desc(xl_context *ctx, const xl_grid_desc *d)
{
    xl_status status;
    const bool boxed = d->bounded || d->triclinic;
    const struct {
        bool wrong;
        const char *name, *rule;
        uint32_t value;
    } rules[] = {{d->layout > XL_POINTS_SOA, "layout", "must be an xl_points_layout", d->layout},
                 {d->layout == XL_POINTS_AOS && d->stride < d->dimensions, "stride",
                  "must be at least desc.dimensions", d->stride},
                 {d->periodic != 0 && !boxed, "periodic",
                  "requires a box: desc.bounded, or desc.triclinic", d->periodic},
                 {d->dimensions < 32 && d->periodic >> d->dimensions != 0, "periodic",
                  "must have bits of the axes of points only", d->periodic},
                 {d->triclinic > 1, "triclinic", "must be 0 or 1", d->triclinic},
                 {d->num_systems > XLI_GRID_MAX_SYSTEMS, "num_systems", "must be at most 2^20",
                  d->num_systems},
                 {d->algorithm > XL_GRID_BITONIC, "algorithm", "must be an xl_grid_algorithm",
                  d->algorithm}};
    if (d->dimensions < 1 || d->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; must be 1, 2 or 3",
                        (unsigned)d->dimensions);
    XL_TRY(xli_grid_check_scalar(ctx, d->scalar));
    if (!isfinite(d->cell_size) || d->cell_size <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell_size: %g; must be finite and above 0", (double)d->cell_size);
    for (size_t i = 0; i < XLI_COUNT(rules); ++i)
        if (rules[i].wrong)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: %u; %s", rules[i].name,
                            (unsigned)rules[i].value, rules[i].rule);
    if (d->triclinic)
        XL_TRY(xli_grid_check_cell(ctx, d));
    else if (d->bounded)
        XL_TRY(check_box(ctx, d));
    XL_TRY(check_other(ctx, d));
done:
    return status;
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
    const uint32_t dimensions = grid->desc.dimensions;
    const bool soa = grid->desc.layout == XL_POINTS_SOA;
    const size_t scalars = n > 0 ? (n - 1) * grid->desc.stride + (soa ? 1 : dimensions) : 0;
    for (uint32_t a = 0; a < 3; ++a) {
        arrays[a] = xli_input(names[a], axes[a], scalars, xli_scalar_bytes(grid->desc.scalar));
        if (a > 0 && !soa)
            arrays[a].unused = "must not be given, because desc.layout is XL_POINTS_AOS";
        else if (a >= dimensions)
            arrays[a].unused = "must not be given, because points have fewer dimensions";
    }
}
