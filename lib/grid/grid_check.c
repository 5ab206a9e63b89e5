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
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.scalar: %s (%d); this version has f32 and f64", xl_type_name(scalar),
                        (int)scalar);
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    if (scalar == XL_F64 && !capabilities->info.has_fp64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.scalar: f64 needs cl_khr_fp64, which %s lacks",
                        capabilities->info.name);
done:
    return status;
}

xl_status xli_grid_check_same_scalar(xl_context *ctx, const xl_grid_index *index, uint32_t scalar)
{
    if (index->scalar != scalar)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points of %s, the plan's desc.scalar is %s",
                        xl_type_name(index->scalar), xl_type_name(scalar));
    return XL_SUCCESS;
}

xl_status xli_grid_check_batch(xl_context *ctx, const xl_grid_index *index, bool batch)
{
    if (batch != (index->num_systems > 0))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: of %s, the plan's desc.batch is %d",
                        batch ? "one system" : "a batch of systems", batch ? 1 : 0);
    return XL_SUCCESS;
}

/* Of the two cells that a descriptor has room for, the one of another scalar. */
static xl_status check_other_cell(xl_context *ctx, const xl_grid_desc *desc)
{
    const bool wide = desc->scalar == XL_F64;
    for (int row = 0; row < 3; ++row)
        for (int col = 0; col < 3; ++col)
            if (wide ? desc->cell[row][col] != 0 : desc->cell_f64[row][col] != 0)
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "desc.cell%s[%d][%d]: must be 0, as desc.scalar is %s",
                                wide ? "" : "_f64", row, col, xl_type_name(desc->scalar));
    return XL_SUCCESS;
}

/* Of the two boxes, likewise. */
static xl_status check_other_box(xl_context *ctx, const xl_grid_desc *desc)
{
    const bool wide = desc->scalar == XL_F64;
    for (int a = 0; a < 3; ++a)
        if (wide ? desc->lower[a] != 0 || desc->upper[a] != 0
                 : desc->lower_f64[a] != 0 || desc->upper_f64[a] != 0)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower%s[%d], desc.upper%s[%d]: must be 0, as desc.scalar is %s",
                            wide ? "" : "_f64", a, wide ? "" : "_f64", a,
                            xl_type_name(desc->scalar));
    return XL_SUCCESS;
}

static xl_status check_box_f64(xl_context *ctx, const xl_grid_desc *desc)
{
    for (int a = 0; a < (int)desc->dimensions; ++a) {
        const double lower = desc->lower_f64[a], upper = desc->upper_f64[a];
        const double length = upper - lower;
        if (!isfinite(lower) || !isfinite(upper) || !isfinite(length))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower_f64[%d], desc.upper_f64[%d]: %g to %g is not finite", a, a,
                            lower, upper);
        if (lower > upper)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower_f64[%d], desc.upper_f64[%d]: %g to %g is empty", a, a,
                            lower, upper);
        if ((desc->periodic & 1u << a) && !(length >= DBL_MIN))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower_f64[%d], desc.upper_f64[%d]: a period of %g is below the "
                            "normal numbers, from %g on",
                            a, a, length, DBL_MIN);
    }
    return XL_SUCCESS;
}

static xl_status check_box(xl_context *ctx, const xl_grid_desc *desc)
{
    if (desc->scalar == XL_F64)
        return check_box_f64(ctx, desc);
    for (int a = 0; a < (int)desc->dimensions; ++a) {
        if (!isfinite(desc->lower[a]) || !isfinite(desc->upper[a]))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%d], desc.upper[%d]: %g to %g is not finite", a, a,
                            (double)desc->lower[a], (double)desc->upper[a]);
        if (desc->lower[a] > desc->upper[a])
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%d], desc.upper[%d]: %g to %g is empty", a, a,
                            (double)desc->lower[a], (double)desc->upper[a]);
        const float length = desc->upper[a] - desc->lower[a];
        if ((desc->periodic & 1u << a) && !(length >= FLT_MIN && length <= FLT_MAX))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%d], desc.upper[%d]: a period of %g is outside the floats, "
                            "%g to %g",
                            a, a, (double)length, (double)FLT_MIN, (double)FLT_MAX);
    }
    return XL_SUCCESS;
}

xl_status xli_grid_check_desc(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status;
    if (desc->dimensions < 1 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 1 to 3",
                        (unsigned)desc->dimensions);
    XL_TRY(xli_grid_check_scalar(ctx, desc->scalar));
    if (desc->layout > XL_POINTS_SOA)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.layout: %u is unknown",
                        (unsigned)desc->layout);
    if (desc->layout == XL_POINTS_AOS && desc->stride < desc->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.stride: %u scalars do not hold a point; %u or more",
                        (unsigned)desc->stride, (unsigned)desc->dimensions);
    if (!isfinite(desc->cell_size) || desc->cell_size <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell_size: %g; must be finite and above 0", (double)desc->cell_size);
    const bool boxed = desc->bounded || desc->triclinic;
    if (desc->periodic >> desc->dimensions != 0 || (desc->periodic != 0 && !boxed))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.periodic: %u %s",
                        (unsigned)desc->periodic,
                        boxed ? "names an axis that points do not have"
                              : "without a box; desc.bounded, lower and upper say it");
    if ((int)desc->algorithm < XL_GRID_AUTO || desc->algorithm > XL_GRID_BITONIC)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.algorithm: %d is unknown",
                        (int)desc->algorithm);
    if (desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %u, but must be 0",
                        (unsigned)desc->reserved);
    if (desc->num_systems > XLI_GRID_MAX_SYSTEMS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_systems: %u; at most %u",
                        (unsigned)desc->num_systems, (unsigned)XLI_GRID_MAX_SYSTEMS);
    if (desc->reserved2 != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved2: %u, but must be 0",
                        (unsigned)desc->reserved2);
    if (desc->triclinic > 1)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.triclinic: %u; 0 or 1",
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

xl_status xli_grid_check_n(xl_context *ctx, size_t n, uint32_t stride)
{
    if (n > XLI_GRID_MAX_N)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu; at most %llu", n,
                        (unsigned long long)XLI_GRID_MAX_N);
    if (n > SIZE_MAX / 64 || n > SIZE_MAX / stride)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu points exceed the address space",
                        n);
    return XL_SUCCESS;
}

xl_status xli_grid_check_points(const xli_grid_plan *grid, size_t n, const xl_view given[3],
                                xl_view points[3], xli_span spans[3])
{
    static const char *const names[] = {"points", "points_y", "points_z"};
    xl_status status = XL_SUCCESS;
    const uint32_t dimensions = grid->desc.dimensions;
    const bool soa = grid->desc.layout == XL_POINTS_SOA;
    XL_TRY(xli_grid_check_n(grid->ctx, n, grid->desc.stride));
    /* Behind the last point nothing is read, so that points may begin anywhere in a structure. */
    const size_t scalars = n > 0 ? (n - 1) * grid->desc.stride + (soa ? 1 : dimensions) : 0;
    for (uint32_t a = 0; a < 3; ++a) {
        const bool has = a == 0 || (soa && a < dimensions);
        if (!has && given[a].buffer)
            return xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but %s", names[a],
                            soa ? "points have fewer dimensions" : "desc.layout is XL_POINTS_AOS");
        points[a] = given[has ? a : 0];
        if (has)
            XL_TRY(xli_check_view(grid->ctx, names[a], given[a], scalars,
                                  xli_scalar_bytes(grid->desc.scalar), XLI_READ, &spans[a]));
    }
done:
    return status;
}

xl_status xli_grid_check_apart(xl_context *ctx, const xl_grid_index *index, const xli_span *spans,
                               size_t num_spans)
{
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < num_spans; ++i) {
        XL_TRY(xli_check_apart(ctx, &spans[i], &index->storage_span, false));
        for (size_t j = 0; j < i; ++j)
            XL_TRY(xli_check_apart(ctx, &spans[j], &spans[i], false));
    }
done:
    return status;
}
