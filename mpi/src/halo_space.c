/* SPDX-License-Identifier: MIT
 * The space of a halo, and its points on the host. The rules are those of crosslane/space.h. */
#include "halo.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the space ----------------------------------------------------------------------------- */

/* To the precision of coordinates. */
static double rounded(const xlm_domain *d, double x)
{
    return d->wide ? x : (double)(float)x;
}

static bool is_box(const xl_space *s)
{
    for (uint32_t r = 0; r < s->dimensions; ++r)
        for (uint32_t a = 0; a < s->dimensions; ++a)
            if (r != a && s->cell[r][a] != 0)
                return false;
    return true;
}

static xl_status check_kind(xl_mpi *mpi, const xl_space *s)
{
    const xl_status status = xlm_check_space(mpi, s);
    if (status == XL_SUCCESS && s->periodic >> s->dimensions != 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.space.periodic: %u; there are %u dimensions", (unsigned)s->periodic,
                        (unsigned)s->dimensions);
    return status;
}

static xl_status check_found(xl_mpi *mpi, const xl_space *s)
{
    bool zero = s->periodic == 0;
    for (int r = 0; r < 3; ++r)
        for (int a = 0; a < 3; ++a)
            zero = zero && s->origin[a] == 0 && s->cell[r][a] == 0;
    return zero ? XL_SUCCESS
                : xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                           "args.space: XL_BOUNDS_FOUND; periodic, origin and cell must be 0");
}

static xl_status check_edges(xl_mpi *mpi, const xl_space *s)
{
    for (uint32_t a = 0; a < s->dimensions; ++a)
        if (!(s->cell[a][a] >= 0) || (s->cell[a][a] == 0 && s->periodic >> a & 1))
            return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                            "args.space.cell[%u][%u]: %g; an edge of a box must be at least 0, and "
                            "above 0 if it is periodic",
                            (unsigned)a, (unsigned)a, s->cell[a][a]);
    return XL_SUCCESS;
}

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Rounds vectors and origin; axes that do not exist have unit vectors. */
static xl_status take_cell(xl_mpi *mpi, const xl_space *s, bool box, xlm_domain *d)
{
    for (uint32_t r = 0; r < 3; ++r)
        for (uint32_t a = 0; a < 3; ++a) {
            const bool exists = r < s->dimensions && a < s->dimensions;
            const bool given = exists && (!box || s->periodic >> r & 1);
            d->cell[r][a] = given ? rounded(d, s->cell[r][a]) : r == a;
            if (exists &&
                !(isfinite(rounded(d, s->cell[r][a])) && isfinite(rounded(d, s->origin[a]))))
                return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                                "args.space: origin[%u] %g, cell[%u][%u] %g; must be finite",
                                (unsigned)a, s->origin[a], (unsigned)r, (unsigned)a, s->cell[r][a]);
        }
    const double volume = determinant(d->cell);
    if (!isfinite(volume) || volume == 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.space.cell: no volume: the rows must be independent");
    return XL_SUCCESS;
}

/* Where points must be along an axis: the box, or that around the cell with room for rounding. */
static void bound(const xl_space *s, bool box, uint32_t axis, xlm_domain *d)
{
    double low = rounded(d, s->origin[axis]), high = low;
    if (box) {
        d->lower[axis] = low;
        d->upper[axis] = rounded(d, low + rounded(d, s->cell[axis][axis]));
        return;
    }
    for (uint32_t r = 0; r < s->dimensions; ++r) {
        low += fmin(d->cell[r][axis], 0);
        high += fmax(d->cell[r][axis], 0);
    }
    const double room =
        0x1p-20 * (high - low) + (d->wide ? 0x1p-48 : 0x1p-20) * fmax(fabs(low), fabs(high));
    d->lower[axis] = rounded(d, low - room);
    d->upper[axis] = rounded(d, high + room);
}

xl_status xlm_halo_space(xl_mpi *mpi, const xl_space *s, xlm_domain *d)
{
    xl_status status = check_kind(mpi, s);
    if (status != XL_SUCCESS)
        return status;
    *d = (xlm_domain){.dimensions = s->dimensions,
                      .periodic = s->periodic,
                      .wide = s->scalar == XL_F64,
                      .lower = {-INFINITY, -INFINITY, -INFINITY},
                      .upper = {INFINITY, INFINITY, INFINITY}};
    if (s->bounds == XL_BOUNDS_FOUND)
        return check_found(mpi, s);
    const bool box = is_box(s);
    if (box)
        status = check_edges(mpi, s);
    if (status == XL_SUCCESS)
        status = take_cell(mpi, s, box, d);
    for (uint32_t a = 0; a < s->dimensions && status == XL_SUCCESS; ++a)
        bound(s, box, a, d);
    return status;
}

xl_status xlm_halo_same(xl_mpi *mpi, xl_status mine, const xl_mpi_halo_args *args)
{
    xlm_value values[XLM_SPACE_VALUES + 2];
    xlm_space_values(args ? args->space : NULL, values);
    values[XLM_SPACE_VALUES] = (xlm_value){"args.order", args ? args->order : 0};
    values[XLM_SPACE_VALUES + 1] = (xlm_value){"args.radius", args ? xlm_bits_of(args->radius) : 0};
    return xlm_same(mpi, mine, values, XLM_SPACE_VALUES + 2);
}

/* ---- the points ---------------------------------------------------------------------------- */

/* The reason why a point is refused. */
static xl_status refuse_point(xlm_halo *halo, size_t i)
{
    const xlm_domain *const d = &halo->domain;
    double p[3];
    const xl_status status =
        xlm_points_at(halo->mpi, halo->queue, &halo->given, &halo->args->points, i, p);
    if (status != XL_SUCCESS)
        return status;
    if (!(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])))
        return xlm_fail(halo->mpi, XL_ERROR_NON_FINITE,
                        "args.points: point %zu is (%.9g, %.9g, %.9g); must be finite", i, p[0],
                        p[1], p[2]);
    return xlm_fail(halo->mpi, XL_ERROR_OUT_OF_DOMAIN,
                    "args.points: point %zu is (%.9g, %.9g, %.9g); must be in the space, from "
                    "(%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g)",
                    i, p[0], p[1], p[2], d->lower[0], d->lower[1], d->lower[2], d->upper[0],
                    d->upper[1], d->upper[2]);
}

xl_status xlm_halo_points(xlm_halo *halo, xlm_part *part)
{
    const xl_mpi_halo_args *const args = halo->args;
    xlm_survey found;
    const xl_status status = xlm_points_survey(halo->mpi, halo->queue, &halo->given, &args->points,
                                               halo->domain.lower, halo->domain.upper, &found);
    *part = (xlm_part){.n = args->n, .has_ids = args->ids.buffer != NULL};
    memcpy(part->lower, found.lower, sizeof part->lower);
    memcpy(part->upper, found.upper, sizeof part->upper);
    return status == XL_SUCCESS && found.lowest != XLM_NO_INDEX ? refuse_point(halo, found.lowest)
                                                                : status;
}
