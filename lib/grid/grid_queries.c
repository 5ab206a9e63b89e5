/* SPDX-License-Identifier: MIT
 * What searches within a radius and of the nearest share: radii, given queries, and the box of an
 * index. */
#include "grid_index.h"

#include <crosslane/neighbors.h>
#include <float.h>
#include <math.h>

xl_status xli_grid_check_radius(xl_context *ctx, const char *name, uint32_t scalar, double radius)
{
    const bool wide = scalar == XL_F64;
    const double least = wide ? DBL_MIN : (double)FLT_MIN, most = wide ? DBL_MAX : (double)FLT_MAX;
    const double square = wide ? radius * radius : (double)((float)radius * (float)radius);
    if (!isfinite(radius) || radius <= 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite and above 0", name,
                        radius);
    if (!(square >= least && square <= most))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: the square of %g is outside the %s, %g to %g", name, radius,
                        wide ? "doubles" : "floats", least, most);
    return XL_SUCCESS;
}

/* Radii longer than this many periods have more images than a search goes through, or where a
 * device ends long loops, than those that it counts. */
enum { MOST_PERIODS = 8, FEW_PERIODS = 1 };

xl_status xli_grid_check_periods(xl_context *ctx, const xl_grid_index *index, const char *name,
                                 double radius, bool ends_loops)
{
    const double most = ends_loops ? FEW_PERIODS : MOST_PERIODS;
    for (int a = 0; a < 3; ++a) {
        const double period =
            index->scalar == XL_F64 ? index->box.period.s[a] : (double)index->period.period.s[a];
        if (period > 0 && radius > most * period)
            return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                            "%s: %g is more than %g periods of %g along axis %d", name, radius,
                            most, period, a);
    }
    return XL_SUCCESS;
}

xl_status xli_grid_check_query_fields(xl_context *ctx, uint32_t queries, uint32_t dimensions,
                                      uint32_t layout, uint32_t stride)
{
    if (queries > XL_QUERIES_GIVEN)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.queries: unknown value %u",
                        (unsigned)queries);
    if (dimensions < 1 || dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 1 to 3",
                        (unsigned)dimensions);
    if (layout > XL_POINTS_SOA)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.query_layout: %u is unknown",
                        (unsigned)layout);
    if (layout == XL_POINTS_AOS && stride < dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.query_stride: %u scalars do not hold a query; %u or more",
                        (unsigned)stride, (unsigned)dimensions);
    return XL_SUCCESS;
}

xl_status xli_grid_check_idle_queries(xl_context *ctx, bool given, const xli_queries_form *form,
                                      size_t num_queries, const xl_view views[3], xl_view systems)
{
    const char *const indexed = "desc.queries is XL_QUERIES_INDEXED";
    const char *const axes = !given      ? indexed
                             : form->soa ? "queries have fewer dimensions"
                                         : "desc.query_layout is XL_POINTS_AOS";
    const bool soa = given && form->soa;
    const xli_idle_field fields[] = {
        {"num_queries", num_queries != 0, given, indexed},
        {"queries", views[0].buffer != NULL, given, indexed},
        {"queries_y", views[1].buffer != NULL, soa && form->dimensions > 1, axes},
        {"queries_z", views[2].buffer != NULL, soa && form->dimensions > 2, axes},
        {"query_systems", systems.buffer != NULL, given && form->batch,
         given ? "desc.batch is 0" : indexed}};
    return xli_check_idle(ctx, fields, XLI_COUNT(fields));
}

xl_status xli_grid_check_num_queries(xl_context *ctx, size_t n, uint32_t stride)
{
    if (n > XLI_GRID_MAX_N)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "num_queries: %zu; at most %llu", n,
                        (unsigned long long)XLI_GRID_MAX_N);
    if (n > SIZE_MAX / 64 || n > SIZE_MAX / stride)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "num_queries: %zu queries exceed the address space", n);
    return XL_SUCCESS;
}

xl_status xli_grid_check_queries(xl_context *ctx, const xli_queries_form *form, size_t n,
                                 const xl_view given[3], xli_span spans[3])
{
    static const char *const names[] = {"queries", "queries_y", "queries_z"};
    xl_status status = XL_SUCCESS;
    const size_t last = form->soa ? 1 : form->dimensions;
    const size_t scalars = n > 0 ? (n - 1) * form->stride + last : 0;
    for (uint32_t a = 0; a < (form->soa ? form->dimensions : 1); ++a)
        XL_TRY(xli_check_view(ctx, names[a], given[a], scalars, xli_scalar_bytes(form->scalar),
                              XLI_READ, &spans[a]));
    for (uint32_t a = 1; a < 3; ++a)
        if (!spans[a].buffer)
            spans[a] = spans[0];
done:
    return status;
}

xl_status xli_grid_check_query_systems(xl_context *ctx, const xli_queries_form *form, size_t n,
                                       xl_view given, xli_span *span)
{
    if (!form->batch)
        return XL_SUCCESS;
    return xli_check_view(ctx, "query_systems", given, n, sizeof(cl_uint), XLI_READ, span);
}

/* Where the grid's coordinates begin, and the box that repeats. */
static void add_space(const xl_grid_index *index, bool periodic, xli_args *args)
{
    const xli_grid_period *const p = &index->period;
    const xli_grid_box *const box = &index->box;
    const bool wide = index->scalar == XL_F64;
    const xli_arg floats[] = {
        XLI_BYTES(&p->lower, sizeof p->lower), XLI_BYTES(&p->upper, sizeof p->upper),
        XLI_BYTES(&p->period, sizeof p->period), XLI_BYTES(&p->extent, sizeof p->extent)};
    const xli_arg doubles[] = {
        XLI_BYTES(&box->lower, sizeof box->lower), XLI_BYTES(&box->upper, sizeof box->upper),
        XLI_BYTES(&box->period, sizeof box->period), XLI_BYTES(&box->extent, sizeof box->extent)};
    if (wide)
        xli_args_add(args, doubles[0]);
    for (size_t i = 0; i < XLI_COUNT(floats) && periodic; ++i)
        xli_args_add(args, wide ? doubles[i] : floats[i]);
}

void xli_grid_add_index(const xl_grid_index *index, xli_arg reach, xli_arg radius2, bool periodic,
                        xli_args *args)
{
    const xli_arg shared[] = {XLI_MEM(index->storage),
                              XLI_GRID_PART(index, header),
                              XLI_GRID_PART(index, starts),
                              XLI_GRID_PART(index, begins),
                              XLI_GRID_PART(index, sorted),
                              XLI_U32(index->n),
                              XLI_U32(index->layout.table),
                              XLI_U32(index->stamp),
                              reach,
                              radius2};
    for (size_t i = 0; i < XLI_COUNT(shared); ++i)
        xli_args_add(args, shared[i]);
    add_space(index, periodic, args);
}
