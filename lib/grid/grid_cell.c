/* SPDX-License-Identifier: MIT
 * Space that repeats: the cell of a descriptor, the box around it, and what a search is given of
 * either. */
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

static bool is_wide(const xl_grid_desc *desc)
{
    return desc->scalar == XL_F64;
}

/* Of messages: the fields' names. */
static const char *name_end(const xl_grid_desc *desc)
{
    return is_wide(desc) ? "_f64" : "";
}

static double entry_of(const xl_grid_desc *desc, uint32_t row, uint32_t col)
{
    return is_wide(desc) ? desc->cell_f64[row][col] : (double)desc->cell[row][col];
}

static double corner_of(const xl_grid_desc *desc, uint32_t axis)
{
    return is_wide(desc) ? desc->lower_f64[axis] : (double)desc->lower[axis];
}

static xl_status check_entry(xl_context *ctx, const xl_grid_desc *desc, uint32_t row, uint32_t col)
{
    const double entry = entry_of(desc, row, col);
    if (!isfinite(entry))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.cell%s[%u][%u]: %g; must be finite",
                        name_end(desc), (unsigned)row, (unsigned)col, entry);
    return XL_SUCCESS;
}

/* As many rows and columns as points have dimensions; others are 0. */
static void matrix_of(const xl_grid_desc *desc, double matrix[3][3])
{
    for (uint32_t row = 0; row < 3; ++row)
        for (uint32_t col = 0; col < 3; ++col) {
            const bool counts = row < desc->dimensions && col < desc->dimensions;
            matrix[row][col] = counts ? entry_of(desc, row, col) : 0;
        }
}

/* The library links no libm. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double size_of(double x)
{
    return x < 0 ? -x : x;
}

/* From where to where the cell reaches along an axis, and some room. */
static void reach_of(const xl_grid_desc *desc, uint32_t axis, double *low, double *high)
{
    const double of_coordinates = is_wide(desc) ? ROOM_F64 : ROOM;
    *low = *high = corner_of(desc, axis);
    for (uint32_t row = 0; row < desc->dimensions; ++row) {
        const double entry = entry_of(desc, row, axis);
        *low += entry < 0 ? entry : 0;
        *high += entry > 0 ? entry : 0;
    }
    const double room =
        ROOM * (*high - *low) + of_coordinates * larger(size_of(*low), size_of(*high));
    *low -= room;
    *high += room;
}

static xl_status check_box(xl_context *ctx, const xl_grid_desc *desc, uint32_t axis)
{
    const double corner = corner_of(desc, axis), most = is_wide(desc) ? DBL_MAX : (double)FLT_MAX;
    double low, high;
    reach_of(desc, axis, &low, &high);
    if (!isfinite(corner) || !(high - low <= most) || larger(size_of(low), size_of(high)) > most)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.lower%s[%u]: %g; the box around the cell, from %g to %g, is not finite",
            name_end(desc), (unsigned)axis, corner, low, high);
    return XL_SUCCESS;
}

/* The numbers of the matrix, for messages. */
static void print_matrix(const xl_grid_desc *desc, char text[256])
{
    size_t at = 0;
    for (uint32_t row = 0; row < desc->dimensions; ++row)
        for (uint32_t col = 0; col < desc->dimensions && at < 240; ++col)
            at += (size_t)snprintf(text + at, 256 - at, "%s%.6g",
                                   row + col == 0 ? ""
                                   : col == 0     ? "; "
                                                  : ", ",
                                   entry_of(desc, row, col));
}

/* That the vectors span a volume, which is not too small for the numbers. */
static xl_status check_volume(xl_context *ctx, const xl_grid_desc *desc, const double matrix[3][3])
{
    char text[256];
    const uint32_t all = (1u << desc->dimensions) - 1;
    const double least = is_wide(desc) ? DBL_MIN : (double)FLT_MIN;
    print_matrix(desc, text);
    if (!xli_grid_lattice_is_sound(matrix, all) ||
        !xli_grid_lattice_is_sound(matrix, desc->periodic))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell%s: %s; no volume: the rows must be independent", name_end(desc),
                        text);
    const xli_grid_lattice lattice =
        xli_grid_lattice_of(matrix, all, desc->dimensions, is_wide(desc));
    for (uint32_t i = 0; i < lattice.rank; ++i)
        if (!(lattice.height[i] >= least))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.cell%s: %s; no volume: a height of %g; must be %g or more",
                            name_end(desc), text, lattice.height[i], least);
    return XL_SUCCESS;
}

/* That coordinates tell places in the cell apart. */
static xl_status check_rounding(xl_context *ctx, const xl_grid_desc *desc,
                                const double matrix[3][3])
{
    const xli_grid_lattice lattice =
        xli_grid_lattice_of(matrix, desc->periodic, desc->dimensions, is_wide(desc));
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis)
        for (uint32_t i = 0; i < lattice.rank; ++i) {
            double low, high;
            reach_of(desc, axis, &low, &high);
            const double most = larger(size_of(low), size_of(high));
            if (!(lattice.slack * most <= MOST_ROUNDING * lattice.height[i]) ||
                !(lattice.slack <= MOST_SLACK))
                return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                "desc.lower%s[%u]: %g; a cell of height %g from %g to %g: rounding "
                                "is more than a cell; move it to the origin, or take shorter "
                                "vectors of the same lattice",
                                name_end(desc), (unsigned)axis, corner_of(desc, axis),
                                lattice.height[i], low, high);
        }
    return XL_SUCCESS;
}

xl_status xli_grid_check_cell(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status = XL_SUCCESS;
    double matrix[3][3];
    for (uint32_t row = 0; row < desc->dimensions; ++row)
        for (uint32_t col = 0; col < desc->dimensions; ++col)
            XL_TRY(check_entry(ctx, desc, row, col));
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis)
        XL_TRY(check_box(ctx, desc, axis));
    matrix_of(desc, matrix);
    XL_TRY(check_volume(ctx, desc, (const double(*)[3])matrix));
    XL_TRY(check_rounding(ctx, desc, (const double(*)[3])matrix));
done:
    return status;
}

void xli_grid_fit_cell(xl_grid_desc *desc)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis)
        reach_of(desc, axis, &low[axis], &high[axis]);
    for (uint32_t axis = 0; axis < 3; ++axis) {
        desc->lower[axis] = is_wide(desc) ? 0 : (float)low[axis];
        desc->upper[axis] = is_wide(desc) ? 0 : (float)high[axis];
        desc->lower_f64[axis] = is_wide(desc) ? low[axis] : 0;
        desc->upper_f64[axis] = is_wide(desc) ? high[axis] : 0;
        for (uint32_t row = 0; row < 3; ++row)
            if (row >= desc->dimensions || axis >= desc->dimensions)
                desc->cell_f64[row][axis] = desc->cell[row][axis] = 0;
    }
    desc->bounded = 1;
}

xli_grid_lattice xli_grid_space_of(const xli_grid_plan *grid)
{
    double matrix[3][3] = {{0}};
    const xl_grid_desc *const desc = &grid->desc;
    const bool wide = is_wide(desc);
    if (desc->triclinic)
        matrix_of(desc, matrix);
    for (uint32_t a = 0; a < desc->dimensions && !desc->triclinic; ++a)
        matrix[a][a] = wide ? grid->box.period.s[a] : (double)(desc->upper[a] - desc->lower[a]);
    return xli_grid_lattice_of((const double(*)[3])matrix, desc->periodic, desc->dimensions, wide);
}

static cl_float4 corner(const float *p)
{
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

xli_grid_period xli_grid_period_of(const xl_grid_desc *desc)
{
    xli_grid_period p = {.repeats = desc->periodic == 0 ? XL_REPEATS_NOT
                                    : desc->triclinic   ? XL_REPEATS_CELL
                                                        : XL_REPEATS_BOX,
                         .lower = corner(desc->lower),
                         .upper = corner(desc->upper)};
    for (int a = 0; a < 3 && p.repeats != XL_REPEATS_NOT; ++a) {
        const double low = (double)desc->lower[a], high = (double)desc->upper[a];
        const float length = desc->upper[a] - desc->lower[a];
        if (desc->periodic & 1u << a)
            p.period.s[a] = desc->triclinic ? 0 : length;
        p.extent = (float)larger(larger((double)p.extent, (double)length),
                                 larger(size_of(low), size_of(high)));
    }
    return p;
}

xl_status xli_grid_check_repeats(xl_context *ctx, const xl_grid_index *index, xl_repeats plan)
{
    static const char *const names[] = {"0, XL_REPEATS_NOT", "1, XL_REPEATS_BOX",
                                        "2, XL_REPEATS_CELL"};
    static const char *const spaces[] = {"does not repeat", "repeats along axes",
                                         "repeats along a triclinic cell"};
    const xl_repeats is = index->period.repeats;
    if (plan == is || (plan == XL_REPEATS_CELL && is == XL_REPEATS_BOX))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "index: its space %s, but the plan's desc.periodic is %s", spaces[is],
                    names[plan]);
}
