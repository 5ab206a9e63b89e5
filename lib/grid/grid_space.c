/* SPDX-License-Identifier: MIT
 * Space as a grid and its searches use it: whether a skewed cell can be searched, the box around
 * it, the same box in the grid's own coordinates, and the lattice of images. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Heights of the cell that rounding may be as long as for points: a quarter of what searches allow,
 * so that all places in the box are near. */
#define MOST_ROUNDING 8.0
/* How much of itself a coordinate may round by, of all vectors given (cl/grid/grid_cell.cl). */
#define MOST_SLACK 0.25
/* Room around a cell for points that were rounded when they were put into it: of its size, in
 * single precision, and of the coordinates, in their own. */
#define ROOM 0x1p-20
#define ROOM_F64 0x1p-48
/* XL_GRID_FARTHEST of cl/grid/grid_map.cl. */
#define FARTHEST 0x1.fffffcp127f

/* ---- a skewed cell --------------------------------------------------------------------------- */

/* The extent of the cell along an axis, and some room. */
static void reach_of(const xli_space *s, uint32_t axis, double *low, double *high)
{
    const double of_coordinates = xli_space_is_wide(s) ? ROOM_F64 : ROOM;
    *low = *high = s->lower[axis];
    for (uint32_t row = 0; row < s->dimensions; ++row) {
        const double entry = s->cell[row][axis];
        *low += entry < 0 ? entry : 0;
        *high += entry > 0 ? entry : 0;
    }
    const double room = ROOM * (*high - *low) +
                        of_coordinates * xli_larger(xli_magnitude(*low), xli_magnitude(*high));
    *low -= room;
    *high += room;
}

static xl_status check_extent(xl_context *ctx, const xli_space *s, uint32_t axis)
{
    const double most = xli_space_is_wide(s) ? DBL_MAX : (double)FLT_MAX;
    double low, high;
    reach_of(s, axis, &low, &high);
    if (!(high - low <= most) || xli_larger(xli_magnitude(low), xli_magnitude(high)) > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s.origin[%u]: %g; the box around the cell, from %g to %g, is not finite",
                        s->name, (unsigned)axis, s->lower[axis], low, high);
    return XL_SUCCESS;
}

/* The numbers of the matrix, for messages. */
static void print_matrix(const xli_space *s, char text[256])
{
    size_t at = 0;
    for (uint32_t row = 0; row < s->dimensions; ++row)
        for (uint32_t col = 0; col < s->dimensions && at < 240; ++col)
            at += (size_t)snprintf(text + at, 256 - at, "%s%.6g",
                                   row + col == 0 ? ""
                                   : col == 0     ? "; "
                                                  : ", ",
                                   s->cell[row][col]);
}

static xli_grid_lattice lattice_of(const xli_space *s, uint32_t periodic)
{
    return xli_grid_lattice_of(s->cell, periodic, s->dimensions, xli_space_is_wide(s));
}

/* The vectors must span a volume that is not too small for the numbers. */
static xl_status check_volume(xl_context *ctx, const xli_space *s)
{
    char text[256];
    const uint32_t all = (1u << s->dimensions) - 1;
    const double least = xli_space_is_wide(s) ? DBL_MIN : (double)FLT_MIN;
    print_matrix(s, text);
    if (!xli_grid_lattice_is_sound(s->cell, all) ||
        !xli_grid_lattice_is_sound(s->cell, s->periodic))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s.cell: %s; no volume: the rows must be independent", s->name, text);
    const xli_grid_lattice lattice = lattice_of(s, all);
    for (uint32_t i = 0; i < lattice.rank; ++i)
        if (!(lattice.height[i] >= least))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s.cell: %s; no volume: a height of %g; must be %g or more", s->name,
                            text, lattice.height[i], least);
    return XL_SUCCESS;
}

/* Coordinates must tell places in the cell apart. */
static xl_status check_rounding(xl_context *ctx, const xli_space *s, uint32_t axis)
{
    double low, high;
    const xli_grid_lattice lattice = lattice_of(s, s->periodic);
    reach_of(s, axis, &low, &high);
    for (uint32_t i = 0; i < lattice.rank; ++i)
        if (!(lattice.slack * xli_larger(xli_magnitude(low), xli_magnitude(high)) <=
              MOST_ROUNDING * lattice.height[i]) ||
            !(lattice.slack <= MOST_SLACK))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s.origin[%u]: %g; a cell of height %g from %g to %g: rounding "
                            "is more than a cell; move it to the origin, or take shorter vectors "
                            "of the same lattice",
                            s->name, (unsigned)axis, s->lower[axis], lattice.height[i], low, high);
    return XL_SUCCESS;
}

xl_status xli_grid_fit_cell(xl_context *ctx, xli_space *s)
{
    xl_status status = XL_SUCCESS;
    double low[3] = {0}, high[3] = {0};
    for (uint32_t axis = 0; axis < s->dimensions; ++axis)
        XL_TRY(check_extent(ctx, s, axis));
    XL_TRY(check_volume(ctx, s));
    for (uint32_t axis = 0; axis < s->dimensions; ++axis)
        XL_TRY(check_rounding(ctx, s, axis));
    for (uint32_t axis = 0; axis < s->dimensions; ++axis)
        reach_of(s, axis, &low[axis], &high[axis]);
    for (uint32_t axis = 0; axis < s->dimensions; ++axis) {
        s->lower[axis] = xli_space_round(s, low[axis]);
        s->upper[axis] = xli_space_round(s, high[axis]);
    }
done:
    return status;
}

/* ---- what kernels are given ------------------------------------------------------------------ */

/* Along an axis; 0: it does not repeat, or space repeats along vectors of a skewed cell. */
static double period_of(const xli_space *s, uint32_t axis)
{
    return !s->skewed && s->periodic & 1u << axis ? s->cell[axis][axis] : 0;
}

/* The largest of coordinates and lengths along an axis. */
static double extent_of(const xli_space *s, uint32_t axis, double low, double high)
{
    return xli_larger(xli_larger(xli_magnitude(low), xli_magnitude(high)),
                      xli_larger(high - low, period_of(s, axis)));
}

/* xl_cell_reach() of cl/grid/grid_cell.cl for all positions in the box, rounded up. */
static void put_inside(const xli_space *s, xli_grid_lattice *l)
{
    const double unit = l->wide ? 0x1p-53 : 0x1p-24, slack = unit * l->whole.s[9];
    double inside[2] = {0, l->slack}, extent = 0;
    cl_float2 narrow;
    for (uint32_t axis = 0; axis < s->dimensions; ++axis) {
        const double low = s->lower[axis], high = s->upper[axis];
        extent = xli_larger(extent, extent_of(s, axis, low, high));
        inside[0] += l->along[axis] * (high - low);
    }
    inside[0] += slack * 2 * extent;
    for (int k = 0; k < 2; ++k) {
        inside[k] *= l->rank > 0 ? 1 + 0x1p-10 : 0;
        narrow.s[k] = (float)inside[k];
    }
    memcpy(&l->whole.s[12], l->wide ? (const void *)inside : (const void *)&narrow,
           l->wide ? sizeof inside : sizeof narrow);
}

xli_grid_lattice xli_grid_space_lattice(const xli_space *s)
{
    xli_grid_lattice l = lattice_of(s, s->periodic);
    put_inside(s, &l);
    return l;
}

/* As xl_grid_narrow() of cl/grid/grid_map.cl. */
static float narrow(double x)
{
    return x > (double)FARTHEST ? FARTHEST : (float)x;
}

/* The next float above one that is 0 or more. */
static float above(float x)
{
    cl_uint bits;
    memcpy(&bits, &x, sizeof bits);
    ++bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

xli_grid_box xli_grid_own_box(const xli_space *s, float lower[3], float upper[3])
{
    xli_grid_box box = {.extent = 0};
    for (uint32_t a = 0; a < 3; ++a) {
        const bool wide = xli_space_is_wide(s) && s->bounded && a < s->dimensions;
        const double length = s->upper[a] - s->lower[a];
        lower[a] = wide ? 0 : (float)s->lower[a];
        upper[a] = wide ? narrow(length) : (float)s->upper[a];
        if (!wide)
            continue;
        box.lower.s[a] = s->lower[a];
        box.upper.s[a] = s->upper[a];
        box.period.s[a] = period_of(s, a);
        if (s->periodic)
            box.extent = xli_larger(box.extent, extent_of(s, a, s->lower[a], s->upper[a]));
        box.outside.s[a] = above(upper[a]);
    }
    return box;
}

static cl_float4 corner(const float *p)
{
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

xli_grid_period xli_grid_period_of(const xli_space *s, const float lower[3], const float upper[3])
{
    xli_grid_period p = {.repeats = s->own_cells       ? XLI_REPEATS_CELLS
                                    : s->periodic == 0 ? XLI_REPEATS_NOT
                                    : s->skewed        ? XLI_REPEATS_CELL
                                                       : XLI_REPEATS_BOX,
                         .lower = corner(lower),
                         .upper = corner(upper)};
    for (int a = 0; a < 3 && p.repeats != XLI_REPEATS_NOT; ++a) {
        const double extent = extent_of(s, (uint32_t)a, (double)lower[a], (double)upper[a]);
        p.period.s[a] = (float)period_of(s, (uint32_t)a);
        p.extent = (float)xli_larger((double)p.extent, extent);
    }
    return p;
}

xl_status xli_grid_check_repeats(xl_context *ctx, const xl_grid_index *index, xli_repeats plan)
{
    static const char *const spaces[] = {"an open space", "a periodic box",
                                         "a periodic cell that is no box", "cells per system"};
    const xli_repeats is = index->period.repeats;
    if (plan == is || (plan == XLI_REPEATS_CELL && is == XLI_REPEATS_BOX))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "index: in %s; the plan is made from a grid in %s", spaces[is], spaces[plan]);
}
