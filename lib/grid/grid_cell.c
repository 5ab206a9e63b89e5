/* SPDX-License-Identifier: MIT
 * Space that repeats: the cell of a descriptor, the box around it, and what a search is given of
 * either. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>

/* Tilts of an axis, in periods: the box around such a cell has three, so that all images that a
 * radius of 8 periods may need are fewer than XL_CELL_MOST_IMAGES of cl/grid/grid_cell.cl. */
#define MOST_TILT 2.0
/* Room around a cell for points that were rounded when they were put into it. */
#define ROOM 0x1p-20

static xl_status check_entry(xl_context *ctx, const xl_grid_desc *desc, uint32_t row, uint32_t col)
{
    const double entry = (double)desc->cell[row][col];
    if (!isfinite(entry))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.cell[%u][%u]: %g is not finite",
                        (unsigned)row, (unsigned)col, entry);
    if (col > row && entry != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell[%u][%u]: %g, but must be 0: a lies along x, b in the plane of x "
                        "and y; turn cell and points with the Q of a QR decomposition of the "
                        "transposed matrix",
                        (unsigned)row, (unsigned)col, entry);
    if (col == row && entry < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell[%u][%u]: %g, but must be above 0; a vector's opposite makes the "
                        "same lattice",
                        (unsigned)row, (unsigned)col, entry);
    if (col == row && !(entry >= (double)FLT_MIN))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell[%u][%u]: a cell with %g there has no volume; it must be %g or "
                        "more",
                        (unsigned)row, (unsigned)col, entry, (double)FLT_MIN);
    return XL_SUCCESS;
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

/* Of the vectors that repeat, along an axis. */
static xl_status check_tilt(xl_context *ctx, const xl_grid_desc *desc, uint32_t axis)
{
    const double period = (double)desc->cell[axis][axis];
    double tilt = 0;
    uint32_t most = 0;
    for (uint32_t row = axis + 1; row < desc->dimensions; ++row)
        if (desc->periodic >> row & 1) {
            const double entry = size_of((double)desc->cell[row][axis]);
            tilt += entry;
            most = most == 0 || entry > size_of((double)desc->cell[most][axis]) ? row : most;
        }
    if ((desc->periodic >> axis & 1) && tilt > MOST_TILT * period)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell[%u][%u]: %g; tilts of %g in all are more than %g periods of %g. "
                        "Row %u less a whole multiple of row %u makes the same lattice",
                        (unsigned)most, (unsigned)axis, (double)desc->cell[most][axis], tilt,
                        MOST_TILT, period, (unsigned)most, (unsigned)axis);
    return XL_SUCCESS;
}

/* From where to where the cell reaches along an axis, and some room. */
static void reach_of(const xl_grid_desc *desc, uint32_t axis, double *low, double *high)
{
    const double corner = (double)desc->lower[axis];
    *low = *high = corner;
    for (uint32_t row = axis; row < desc->dimensions; ++row) {
        const double entry = (double)desc->cell[row][axis];
        *low += entry < 0 ? entry : 0;
        *high += entry > 0 ? entry : 0;
    }
    const double room = ROOM * (*high - *low + larger(size_of(*low), size_of(*high)));
    *low -= room;
    *high += room;
}

static xl_status check_box(xl_context *ctx, const xl_grid_desc *desc, uint32_t axis)
{
    double low, high;
    reach_of(desc, axis, &low, &high);
    if (!isfinite(desc->lower[axis]) || !(high - low <= (double)FLT_MAX) ||
        larger(size_of(low), size_of(high)) > (double)FLT_MAX)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.lower[%u]: %g; the box around the cell, from %g to %g, is not finite",
                        (unsigned)axis, (double)desc->lower[axis], low, high);
    return XL_SUCCESS;
}

xl_status xli_grid_check_cell(xl_context *ctx, const xl_grid_desc *desc)
{
    xl_status status = XL_SUCCESS;
    for (uint32_t row = 0; row < desc->dimensions; ++row)
        for (uint32_t col = 0; col < desc->dimensions; ++col)
            XL_TRY(check_entry(ctx, desc, row, col));
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis) {
        XL_TRY(check_tilt(ctx, desc, axis));
        XL_TRY(check_box(ctx, desc, axis));
    }
done:
    return status;
}

void xli_grid_fit_cell(xl_grid_desc *desc)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis)
        reach_of(desc, axis, &low[axis], &high[axis]);
    for (uint32_t axis = 0; axis < 3; ++axis) {
        desc->lower[axis] = (float)low[axis];
        desc->upper[axis] = (float)high[axis];
        for (uint32_t row = 0; row < 3; ++row)
            if (row >= desc->dimensions || axis >= desc->dimensions)
                desc->cell[row][axis] = 0;
    }
    desc->bounded = 1;
}

/* Of a vector along which space does not repeat there are no images, and no tilts. */
static void set_tilts(const xl_grid_desc *desc, xli_grid_period *p)
{
    const bool b = desc->periodic >> 1 & 1, c = desc->periodic >> 2 & 1;
    p->lower.s[3] = b ? desc->cell[1][0] : 0;
    p->upper.s[3] = c ? desc->cell[2][0] : 0;
    p->period.s[3] = c ? desc->cell[2][1] : 0;
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
            p.period.s[a] = desc->triclinic ? desc->cell[a][a] : length;
        p.extent = (float)larger(larger((double)p.extent, (double)length),
                                 larger(size_of(low), size_of(high)));
    }
    if (p.repeats == XL_REPEATS_CELL)
        set_tilts(desc, &p);
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

xl_repeats xli_grid_repeats(uint32_t periodic)
{
    return periodic == 0                 ? XL_REPEATS_NOT
           : periodic == XL_REPEATS_CELL ? XL_REPEATS_CELL
                                         : XL_REPEATS_BOX;
}
