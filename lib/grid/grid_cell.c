/* SPDX-License-Identifier: MIT
 * Space that repeats: the cell of a descriptor, the box around it, and what a search is given of
 * either. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>

/* Tilts of an axis, in periods: the box around such a cell has three, and where coordinates are so
 * large that its room counts, six. Queries that are taken together lie in it, so that all images
 * that a radius of 8 periods may need are fewer than XL_CELL_MOST_IMAGES of cl/grid/grid_cell.cl.
 */
#define MOST_TILT 2.0
#define MOST_BOX 6.0
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
    const double least = is_wide(desc) ? DBL_MIN : (double)FLT_MIN;
    const char *const end = name_end(desc);
    if (!isfinite(entry))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.cell%s[%u][%u]: %g is not finite",
                        end, (unsigned)row, (unsigned)col, entry);
    if (col > row && entry != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell%s[%u][%u]: %g, but must be 0: a lies along x, b in the plane of "
                        "x and y; turn cell and points with the Q of a QR decomposition of the "
                        "transposed matrix",
                        end, (unsigned)row, (unsigned)col, entry);
    if (col == row && entry < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell%s[%u][%u]: %g, but must be above 0; a vector's opposite makes "
                        "the same lattice",
                        end, (unsigned)row, (unsigned)col, entry);
    if (col == row && !(entry >= least))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell%s[%u][%u]: a cell with %g there has no volume; it must be %g or "
                        "more",
                        end, (unsigned)row, (unsigned)col, entry, least);
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

/* Along an axis that repeats: of all vectors, as points are anywhere in the box around the cell. */
static xl_status check_tilt(xl_context *ctx, const xl_grid_desc *desc, uint32_t axis)
{
    const double period = entry_of(desc, axis, axis);
    double tilt = 0;
    uint32_t most = 0;
    for (uint32_t row = axis + 1; row < desc->dimensions; ++row) {
        const double entry = size_of(entry_of(desc, row, axis));
        tilt += entry;
        most = most == 0 || entry > size_of(entry_of(desc, most, axis)) ? row : most;
    }
    if ((desc->periodic >> axis & 1) && tilt > MOST_TILT * period)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.cell%s[%u][%u]: %g; tilts of %g in all are more than %g periods of "
                        "%g. Row %u less a whole multiple of row %u makes the same lattice",
                        name_end(desc), (unsigned)most, (unsigned)axis, entry_of(desc, most, axis),
                        tilt, MOST_TILT, period, (unsigned)most, (unsigned)axis);
    return XL_SUCCESS;
}

/* From where to where the cell reaches along an axis, and some room. */
static void reach_of(const xl_grid_desc *desc, uint32_t axis, double *low, double *high)
{
    const double of_coordinates = is_wide(desc) ? ROOM_F64 : ROOM;
    *low = *high = corner_of(desc, axis);
    for (uint32_t row = axis; row < desc->dimensions; ++row) {
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
    if ((desc->periodic >> axis & 1) && high - low > MOST_BOX * entry_of(desc, axis, axis))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.lower%s[%u]: %g; so far off coordinates do not tell places in a cell "
                        "of %g apart",
                        name_end(desc), (unsigned)axis, corner, entry_of(desc, axis, axis));
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

/* Of a vector along which space does not repeat there are no images, and no tilts. */
static void find_tilts(const xl_grid_desc *desc, double tilt[3])
{
    const bool b = desc->periodic >> 1 & 1, c = desc->periodic >> 2 & 1;
    tilt[0] = b ? entry_of(desc, 1, 0) : 0;
    tilt[1] = c ? entry_of(desc, 2, 0) : 0;
    tilt[2] = c ? entry_of(desc, 2, 1) : 0;
}

static void set_tilts(const xl_grid_desc *desc, xli_grid_period *p)
{
    double tilt[3];
    find_tilts(desc, tilt);
    p->lower.s[3] = (float)tilt[0];
    p->upper.s[3] = (float)tilt[1];
    p->period.s[3] = (float)tilt[2];
}

xli_grid_box xli_grid_box_of(const xl_grid *grid)
{
    xli_grid_box box = grid->box;
    double tilt[3];
    if (grid->desc.scalar == XL_F64 && grid->desc.triclinic) {
        find_tilts(&grid->desc, tilt);
        box.lower.s[3] = tilt[0];
        box.upper.s[3] = tilt[1];
        box.period.s[3] = tilt[2];
    }
    return box;
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
