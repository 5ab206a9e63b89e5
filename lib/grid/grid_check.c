/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a grid and to a search on it. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>

static xl_status check_box(xl_context *ctx, const xl_grid_desc *desc)
{
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
    if (desc->dimensions < 1 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 1 to 3",
                        (unsigned)desc->dimensions);
    if (desc->scalar != XL_F32)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.scalar: %s (%d); this version has f32",
                        xl_type_name(desc->scalar), (int)desc->scalar);
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
    if (desc->triclinic > 1)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.triclinic: %u; 0 or 1",
                        (unsigned)desc->triclinic);
    if (desc->triclinic)
        return xli_grid_check_cell(ctx, desc);
    return desc->bounded ? check_box(ctx, desc) : XL_SUCCESS;
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

xl_status xli_grid_check_points(const xl_grid *grid, size_t n, const xl_view given[3],
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
            XL_TRY(xli_check_view(grid->ctx, names[a], given[a], scalars, sizeof(cl_float),
                                  XLI_READ, &spans[a]));
    }
done:
    return status;
}

xl_status xli_neighbors_check_radius(xl_context *ctx, const char *name, float radius)
{
    const float square = radius * radius;
    if (!isfinite(radius) || radius <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite and above 0", name,
                        (double)radius);
    if (!(square >= FLT_MIN && square <= FLT_MAX))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: the square of %g is outside the floats, %g to %g", name,
                        (double)radius, (double)FLT_MIN, (double)FLT_MAX);
    return XL_SUCCESS;
}

/* Radii longer than this many periods have more images than a search goes through, or where a
 * device ends long loops, than those that it counts. */
enum { MOST_PERIODS = 8, FEW_PERIODS = 1 };

xl_status xli_neighbors_check_period(xl_context *ctx, const xl_grid_index *index, const char *name,
                                     float radius, bool ends_loops)
{
    const float most = ends_loops ? FEW_PERIODS : MOST_PERIODS;
    for (int a = 0; a < 3; ++a)
        if (index->period.period.s[a] > 0 && radius > most * index->period.period.s[a])
            return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                            "%s: %g is more than %g periods of %g along axis %d", name,
                            (double)radius, (double)most, (double)index->period.period.s[a], a);
    return XL_SUCCESS;
}

xl_status xli_neighbors_check_desc(xl_context *ctx, const xl_neighbors_desc *desc)
{
    const xl_status status = xli_neighbors_check_radius(ctx, "desc.radius", desc->radius);
    if (status != XL_SUCCESS)
        return status;
    if (desc->queries > XL_QUERIES_GIVEN)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.queries: unknown value %u",
                        (unsigned)desc->queries);
    if (desc->dimensions < 1 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 1 to 3",
                        (unsigned)desc->dimensions);
    if (desc->query_stride < desc->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.query_stride: %u scalars do not hold a query; %u or more",
                        (unsigned)desc->query_stride, (unsigned)desc->dimensions);
    if (desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %u; must be 0",
                        (unsigned)desc->reserved);
    if (desc->half && (desc->queries != XL_QUERIES_INDEXED || desc->radii))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.half: of %s a pair is no other one turned round",
                        desc->radii ? "radii of their own" : "given queries");
    return XL_SUCCESS;
}

xl_status xli_neighbors_check_n(xl_context *ctx, size_t n, uint32_t stride)
{
    if (n > XLI_GRID_MAX_N)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "num_queries: %zu; at most %llu", n,
                        (unsigned long long)XLI_GRID_MAX_N);
    if (n > SIZE_MAX / 64 || n > SIZE_MAX / stride)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "num_queries: %zu queries exceed the address space", n);
    return XL_SUCCESS;
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
