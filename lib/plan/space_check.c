/* SPDX-License-Identifier: MIT
 * Checks of the space that a descriptor gives. */
#include "space_check.h"

#include <float.h>
#include <math.h>

/* Most systems of a batch: a float can hold the number of each, and each has 2^11 layers of listed
 * rows. */
#define MOST_SYSTEMS ((uint32_t)1 << 20)

static xl_status check_scalar(xl_context *ctx, uint32_t scalar)
{
    xl_status status;
    const xli_capabilities *capabilities;
    if (scalar != XL_F32 && scalar != XL_F64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.space.scalar: %s (%d); must be f32 or f64", xl_type_name(scalar),
                        (int)scalar);
    if (scalar == XL_F32)
        return XL_SUCCESS;
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    if (!capabilities->info.has_fp64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.space.scalar: f64; needs cl_khr_fp64, which %s lacks",
                        capabilities->info.name);
done:
    return status;
}

static xl_status check_numbers(xl_context *ctx, const char *name, const xl_space *s)
{
    const struct {
        bool wrong;
        const char *name, *rule;
        uint32_t value;
    } rules[] = {
        {s->dimensions < 1 || s->dimensions > 3, "dimensions", "must be 1, 2 or 3", s->dimensions},
        {s->bounds > XL_BOUNDS_PER_SYSTEM, "bounds",
         "must be 0 (XL_BOUNDS_FOUND), 1 (XL_BOUNDS_GIVEN) or 2 (XL_BOUNDS_PER_SYSTEM)", s->bounds},
        {s->bounds == XL_BOUNDS_PER_SYSTEM && s->num_systems == 0, "num_systems",
         "must be above 0 with XL_BOUNDS_PER_SYSTEM", s->num_systems},
        {s->periodic != 0 && s->bounds != XL_BOUNDS_GIVEN, "periodic",
         "requires desc.space.bounds XL_BOUNDS_GIVEN", s->periodic},
        {s->periodic >> xli_min(s->dimensions, 3) != 0, "periodic",
         "must have bits of the first desc.space.dimensions vectors only", s->periodic},
        {s->wrap && s->bounds == XL_BOUNDS_FOUND, "wrap",
         "requires desc.space.bounds XL_BOUNDS_GIVEN", s->wrap},
        {s->wrap && s->bounds == XL_BOUNDS_GIVEN && s->periodic == 0, "wrap",
         "requires desc.space.periodic other than 0", s->wrap},
        {s->num_systems > MOST_SYSTEMS, "num_systems", "must be at most 2^20", s->num_systems}};
    for (size_t k = 0; k < XLI_COUNT(rules); ++k)
        if (rules[k].wrong)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s.%s: %u; %s", name, rules[k].name,
                            (unsigned)rules[k].value, rules[k].rule);
    return check_scalar(ctx, s->scalar);
}

/* Without bounds, a cell has no meaning. */
static xl_status check_unbounded(xl_context *ctx, const xl_space *s)
{
    for (int row = 0; row < 3; ++row) {
        if (s->origin[row] != 0)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.space.origin[%d]: %g; requires desc.space.bounds XL_BOUNDS_GIVEN",
                            row, s->origin[row]);
        for (int col = 0; col < 3; ++col)
            if (s->cell[row][col] != 0)
                return xli_fail(
                    ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.space.cell[%d][%d]: %g; requires desc.space.bounds XL_BOUNDS_GIVEN", row,
                    col, s->cell[row][col]);
    }
    return XL_SUCCESS;
}

/* Rounds origin and cell. */
static xl_status read_cell(xl_context *ctx, const xl_space *given, xli_space *space)
{
    for (uint32_t row = 0; row < space->dimensions; ++row) {
        space->lower[row] = space->origin[row] = xli_space_round(space, given->origin[row]);
        if (!isfinite(space->lower[row]))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s.origin[%u]: %g; must be a finite %s", space->name, (unsigned)row,
                            given->origin[row], xl_type_name(space->scalar));
        for (uint32_t col = 0; col < space->dimensions; ++col) {
            space->cell[row][col] = xli_space_round(space, given->cell[row][col]);
            if (!isfinite(space->cell[row][col]))
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "%s.cell[%u][%u]: %g; must be a finite %s", space->name,
                                (unsigned)row, (unsigned)col, given->cell[row][col],
                                xl_type_name(space->scalar));
            space->skewed = space->skewed || (row != col && space->cell[row][col] != 0) ||
                            space->cell[row][row] < 0;
        }
    }
    return XL_SUCCESS;
}

/* Along a periodic axis, images must be told apart: a coordinate may round by a period at most. */
static xl_status read_axis(xl_context *ctx, const xl_space *given, xli_space *space, uint32_t a)
{
    const bool wide = xli_space_is_wide(space);
    const double edge = space->cell[a][a], least = wide ? DBL_MIN : (double)FLT_MIN;
    space->upper[a] = xli_space_round(space, space->lower[a] + given->cell[a][a]);
    const double most = xli_larger(xli_magnitude(space->lower[a]), xli_magnitude(space->upper[a]));
    if (!isfinite(space->upper[a]) || !isfinite(space->upper[a] - space->lower[a]))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s.cell[%u][%u]: %g; its sum with origin[%u], %g, must be finite",
                        space->name, (unsigned)a, (unsigned)a, edge, (unsigned)a, space->lower[a]);
    if (!(space->periodic >> a & 1))
        return XL_SUCCESS;
    if (edge < least)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s.cell[%u][%u]: %g; a period must be a normal number above 0",
                        space->name, (unsigned)a, (unsigned)a, edge);
    if (most * (wide ? 0x1p-53 : 0x1p-24) > edge)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s.origin[%u]: %g; too far from 0 for a period of %g: coordinates "
                        "are rounded by more",
                        space->name, (unsigned)a, space->lower[a], edge);
    return XL_SUCCESS;
}

xl_status xli_space_read_named(xl_context *ctx, const char *name, const xl_space *given,
                               xli_space *space)
{
    xl_status status;
    *space = (xli_space){.name = name,
                         .dimensions = given->dimensions,
                         .scalar = given->scalar,
                         .periodic = given->periodic,
                         .num_systems = given->num_systems,
                         .bounded = given->bounds == XL_BOUNDS_GIVEN,
                         .own_cells = given->bounds == XL_BOUNDS_PER_SYSTEM,
                         .wrap = given->wrap != 0};
    XL_TRY(check_numbers(ctx, name, given));
    if (!space->bounded)
        return check_unbounded(ctx, given);
    XL_TRY(read_cell(ctx, given, space));
    for (uint32_t a = 0; a < space->dimensions && !space->skewed; ++a)
        XL_TRY(read_axis(ctx, given, space, a));
done:
    return status;
}

xl_status xli_space_read(xl_context *ctx, const xl_space *given, xli_space *space)
{
    return xli_space_read_named(ctx, "desc.space", given, space);
}

xl_status xli_space_read_box(xl_context *ctx, const xl_space *given, xli_space *space)
{
    xl_status status;
    if (given->scalar == XL_F64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.space.scalar: f64; must be f32");
    XL_TRY(xli_space_read(ctx, given, space));
    const struct {
        bool wrong;
        const char *name, *rule;
    } rules[] = {{space->dimensions < 2, "dimensions: 1", "must be 2 or 3"},
                 {space->own_cells, "bounds: 2 (XL_BOUNDS_PER_SYSTEM)", "must be XL_BOUNDS_GIVEN"},
                 {!space->bounded, "bounds: 0 (XL_BOUNDS_FOUND)", "must be XL_BOUNDS_GIVEN"},
                 {space->periodic != 0, "periodic: not 0", "must be 0"},
                 {space->skewed, "cell: not a box",
                  "must be a diagonal matrix whose entries are at least 0"},
                 {space->num_systems > 0, "num_systems: not 0", "must be 0"}};
    for (size_t k = 0; k < XLI_COUNT(rules); ++k)
        if (rules[k].wrong)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.space.%s; %s", rules[k].name,
                            rules[k].rule);
done:
    return status;
}
