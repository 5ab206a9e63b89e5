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

/* Checks a number in a field of the other scalar. */
static xl_status check_zero(xl_context *ctx, const xl_grid_desc *desc, const char *name, int a,
                            double value)
{
    if (value == 0)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.%s%s[%d]: %g; must be 0, because desc.scalar is %s", name,
                    desc->scalar == XL_F64 ? "" : "_f64", a, value, xl_type_name(desc->scalar));
}

static xl_status check_other_box(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status = XL_SUCCESS;
    const bool wide = desc->scalar == XL_F64;
    for (int a = 0; a < 3; ++a) {
        XL_TRY(
            check_zero(ctx, desc, "lower", a, wide ? (double)desc->lower[a] : desc->lower_f64[a]));
        XL_TRY(
            check_zero(ctx, desc, "upper", a, wide ? (double)desc->upper[a] : desc->upper_f64[a]));
    }
done:
    return status;
}

static xl_status check_other_cell(xl_context *ctx, const xl_grid_desc *desc)
{
    const bool wide = desc->scalar == XL_F64;
    for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col) {
            const double entry = wide ? (double)desc->cell[row][col] : desc->cell_f64[row][col];
            if (entry != 0)
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "desc.cell%s[%d][%d]: %g; must be 0, because desc.scalar is %s",
                                wide ? "" : "_f64", row, col, entry, xl_type_name(desc->scalar));
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

xl_status xli_grid_check_desc(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status;
    if (desc->dimensions < 1 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; must be 1, 2 or 3",
                        (unsigned)desc->dimensions);
    XL_TRY(xli_grid_check_scalar(ctx, desc->scalar));
    if (desc->layout > XL_POINTS_SOA)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.layout: %u; must be an xl_points_layout", (unsigned)desc->layout);
    if (desc->layout == XL_POINTS_AOS && desc->stride < desc->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.stride: %u; must be at least desc.dimensions, %u",
                        (unsigned)desc->stride, (unsigned)desc->dimensions);
    if (!isfinite(desc->cell_size) || desc->cell_size <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell_size: %g; must be finite and above 0", (double)desc->cell_size);
    const bool boxed = desc->bounded || desc->triclinic;
    if (desc->periodic >> desc->dimensions != 0 || (desc->periodic != 0 && !boxed))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.periodic: %u; %s",
                        (unsigned)desc->periodic,
                        boxed ? "must have bits of the axes of points only"
                              : "requires a box: desc.bounded, or desc.triclinic");
    if ((int)desc->algorithm < XL_GRID_AUTO || desc->algorithm > XL_GRID_BITONIC)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.algorithm: %d; must be an xl_grid_algorithm", (int)desc->algorithm);
    if (desc->num_systems > XLI_GRID_MAX_SYSTEMS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_systems: %u; must be at most %u",
                        (unsigned)desc->num_systems, (unsigned)XLI_GRID_MAX_SYSTEMS);
    if (desc->triclinic > 1)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.triclinic: %u; must be 0 or 1",
                        (unsigned)desc->triclinic);
    if (desc->triclinic)
        XL_TRY(xli_grid_check_cell(ctx, desc));
    else if (desc->bounded)
        XL_TRY(check_box(ctx, desc));
    XL_TRY(check_other_box(ctx, desc));
    XL_TRY(check_other_cell(ctx, desc));
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
