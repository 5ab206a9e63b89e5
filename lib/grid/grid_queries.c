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

/* Periods that a radius may be if a device ends long loops. A search with a longer one may go
 * through more images than it counts. */
enum { FEW_PERIODS = 3 };

xl_status xli_grid_check_periods(xl_context *ctx, const xl_grid_index *index, const char *name,
                                 double radius, bool ends_loops)
{
    const xli_grid_lattice *const lattice = &index->lattice;
    const double most = ends_loops ? FEW_PERIODS : lattice->periods;
    for (uint32_t i = 0; i < lattice->rank; ++i)
        if (radius > most * lattice->height[i])
            return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                            "%s: %g; must be no more than %g periods of %g, which is the height of "
                            "the cell",
                            name, radius, most, lattice->height[i]);
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

/* Eight of sixteen numbers. */
static xli_arg eight(const xli_grid_lattice *lattice, const xli_grid_reals *reals, int from)
{
    return lattice->wide ? XLI_BYTES(reals->f64 + from, sizeof(cl_double8))
                         : XLI_BYTES(reals->f32 + from, sizeof(cl_float8));
}

xli_grid_cell_args xli_grid_cell_args_of(const xli_grid_lattice *lattice)
{
    return (xli_grid_cell_args){
        {eight(lattice, &lattice->cell, 0), eight(lattice, &lattice->cell, 8),
         eight(lattice, &lattice->slabs, 0), eight(lattice, &lattice->slabs, 8),
         eight(lattice, &lattice->rounding, 0), XLI_BYTES(&lattice->whole, sizeof lattice->whole)}};
}

void xli_grid_add_space(const xl_grid_index *index, xl_repeats repeats, xli_args *args)
{
    const xli_grid_cell_args cell = xli_grid_cell_args_of(&index->lattice);
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
    for (size_t i = 0; i < XLI_COUNT(floats) && repeats != XL_REPEATS_NOT; ++i)
        xli_args_add(args, wide ? doubles[i] : floats[i]);
    for (int i = 0; i < XLI_GRID_CELL_ARGS && repeats == XL_REPEATS_CELL; ++i)
        xli_args_add(args, cell.at[i]);
}

void xli_grid_add_index(const xl_grid_index *index, xli_arg reach, xli_arg radius2,
                        xl_repeats repeats, xli_args *args)
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
    xli_grid_add_space(index, repeats, args);
}
