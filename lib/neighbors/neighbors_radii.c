/* SPDX-License-Identifier: MIT
 * The radii of a search: one, of each query, or of pairs. */
#include "neighbors_plan.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TYPES = 256 };

/* ---- the descriptor -------------------------------------------------------------------------- */

/* Fields that only XL_RADII_TYPES has. */
static xl_status check_fields(xl_context *ctx, const xl_neighbors_desc *desc)
{
    const bool types = desc->radii == XL_RADII_TYPES;
    if (desc->radii > XL_RADII_TYPES)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.radii: %u; must be an xl_neighbors_radii", (unsigned)desc->radii);
    if (types ? desc->num_types == 0 || desc->num_types > MOST_TYPES : desc->num_types > 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_types: %u; must be %s",
                        (unsigned)desc->num_types,
                        types ? "from 1 to 256" : "0, because desc.radii is not XL_RADII_TYPES");
    if (types != (desc->pair_radii != NULL))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.pair_radii: %s",
                        types ? "NULL; must be given, because desc.radii is XL_RADII_TYPES"
                              : "given; must be NULL, because desc.radii is not XL_RADII_TYPES");
    if (types && desc->radius != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.radius: %g; must be 0, because desc.radii is XL_RADII_TYPES",
                        desc->radius);
    return XL_SUCCESS;
}

static xl_status check_entry(xl_context *ctx, uint32_t scalar, double entry, size_t k)
{
    char name[64];
    snprintf(name, sizeof name, "desc.pair_radii[%zu]", k);
    if (!isfinite(entry))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite", name, entry);
    return entry > 0 ? xli_grid_check_radius(ctx, name, scalar, entry) : XL_SUCCESS;
}

/* The square of entry k, rounded to the scalar; -1: no neighbours. */
static double square_of(uint32_t scalar, const xl_neighbors_desc *desc, size_t k)
{
    return desc->pair_radii[k] > 0 ? xli_grid_square(scalar, desc->pair_radii[k]) : -1;
}

/* A half list has each pair in the row of the lower index, whatever the types are. */
static xl_status check_symmetric(xl_context *ctx, uint32_t scalar, const xl_neighbors_desc *desc)
{
    const size_t n = desc->num_types;
    for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < a; ++b)
            if (square_of(scalar, desc, a * n + b) != square_of(scalar, desc, b * n + a))
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "desc.half: 1; requires a symmetric desc.pair_radii, but types %zu "
                                "and %zu have %g, and %zu and %zu have %g",
                                a, b, desc->pair_radii[a * n + b], b, a,
                                desc->pair_radii[b * n + a]);
    return XL_SUCCESS;
}

static xl_status check_half(xl_context *ctx, const xli_search_form *form,
                            const xl_neighbors_desc *desc)
{
    if (!desc->half)
        return XL_SUCCESS;
    if (form->given || desc->radii == XL_RADII_QUERY)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.half: 1; requires %s",
                        form->given ? "desc.queries XL_QUERIES_INDEXED"
                                    : "a desc.radii other than XL_RADII_QUERY, with which (i, j) "
                                      "and (j, i) have different radii");
    return desc->radii == XL_RADII_TYPES ? check_symmetric(ctx, form->scalar, desc) : XL_SUCCESS;
}

xl_status xli_near_read_radii(xl_context *ctx, const xli_search_form *form,
                              const xl_neighbors_desc *desc, double *most)
{
    xl_status status;
    *most = desc->radius;
    XL_TRY(check_fields(ctx, desc));
    if (desc->radii != XL_RADII_TYPES)
        XL_TRY(xli_grid_check_radius(ctx, "desc.radius", form->scalar, desc->radius));
    for (size_t k = 0; k < (size_t)desc->num_types * desc->num_types; ++k) {
        XL_TRY(check_entry(ctx, form->scalar, desc->pair_radii[k], k));
        *most = desc->pair_radii[k] > *most ? desc->pair_radii[k] : *most;
    }
    if (*most <= 0)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.pair_radii: none above 0; at least one must be"));
    XL_TRY(check_half(ctx, form, desc));
done:
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* One more row and column, of types that do not exist. */
static void fill_table(uint32_t scalar, const xl_neighbors_desc *desc, void *table)
{
    const size_t n = desc->num_types, width = n + 1;
    for (size_t at = 0; at < width * width; ++at) {
        const size_t row = at / width, column = at % width;
        const double square =
            row < n && column < n ? square_of(scalar, desc, row * n + column) : -1;
        if (scalar == XL_F64)
            ((double *)table)[at] = square;
        else
            ((float *)table)[at] = (float)square;
    }
}

xl_status xli_near_make_table(xli_neighbors_plan *plan, const xl_neighbors_desc *desc)
{
    xl_status status = XL_SUCCESS;
    xl_context *const ctx = plan->base.ctx;
    const size_t width = (size_t)desc->num_types + 1;
    const size_t bytes = width * width * xli_scalar_bytes(plan->form.scalar);
    void *table = NULL;
    if (desc->radii != XL_RADII_TYPES)
        return XL_SUCCESS;
    table = xli_alloc(bytes);
    if (!table)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a table of radii"));
    fill_table(plan->form.scalar, desc, table);
    XL_TRY(
        xli_buffer_of(ctx, "clCreateBuffer (radii)", CL_MEM_READ_ONLY, bytes, table, &plan->table));
done:
    xli_free(table);
    return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void xli_near_list_radii(const xli_neighbors_plan *plan, size_t n, size_t points,
                         const xl_neighbors_args *args, xli_array *arrays)
{
    const size_t bytes = xli_scalar_bytes(plan->form.scalar);
    const bool larger = plan->radii == XL_RADII_LARGER, types = plan->radii == XL_RADII_TYPES,
               apart = plan->form.given;
    const struct {
        bool used;
        const char *other_kind;
        xli_array array;
    } rows[] = {{larger || plan->radii == XL_RADII_QUERY,
                 types ? "must not be given, because desc.radii is XL_RADII_TYPES"
                       : "must not be given, because desc.radii is XL_RADII_ONE",
                 xli_input("args.radii", args->radii, n, bytes)},
                {larger && apart,
                 larger ? "must not be given, because args.radii has those of the points"
                        : "must not be given, because desc.radii is not XL_RADII_LARGER",
                 xli_input("args.point_radii", args->point_radii, points, bytes)},
                {types, "must not be given, because desc.radii is not XL_RADII_TYPES",
                 xli_input("args.types", args->types, n, sizeof(cl_uint))},
                {types && apart,
                 types ? "must not be given, because args.types has those of the points"
                       : "must not be given, because desc.radii is not XL_RADII_TYPES",
                 xli_input("args.point_types", args->point_types, points, sizeof(cl_uint))}};
    for (size_t k = 0; k < XLI_COUNT(rows); ++k) {
        arrays[k] = rows[k].array;
        arrays[k].unused = rows[k].used ? NULL : rows[k].other_kind;
    }
}

void xli_near_add_radii(const xli_neighbors_plan *plan, const xli_span *spans, xli_args *args)
{
    const bool types = plan->radii == XL_RADII_TYPES;
    const xli_span *const own = &spans[types ? XLI_NEAR_TYPES : XLI_NEAR_RADII];
    if (plan->radii == XL_RADII_ONE)
        return;
    if (types) {
        xli_args_add(args, XLI_MEM(plan->table));
        xli_args_add(args, XLI_U32(plan->num_types));
    } else {
        xli_args_add(args, xli_grid_real(plan->form.scalar, plan->radius));
    }
    xli_args_add_span(args, own);
    if (plan->form.given && plan->radii != XL_RADII_QUERY)
        xli_args_add_span(args, own + 1);
}
