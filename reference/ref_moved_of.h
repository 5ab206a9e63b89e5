/* SPDX-License-Identifier: MIT
 * Counts the points that have moved farther than a distance. The including file defines the
 * precision (REAL) and names (OF_REAL()). Must be compiled without contraction, as
 * ref_neighbors.c. */
#include "reference.h"

#include <math.h>

/* The value of away - s * period that is nearest to 0, over all candidates s. */
static REAL nearest_image(REAL away, REAL period)
{
    REAL nearest = away;
    if (!(period > 0) || !isfinite(away))
        return away;
    const double middle = round((double)away / (double)period);
    for (double s = middle - 3; s <= middle + 3; ++s) {
        const REAL shift = (REAL)s * period, other = away - shift;
        if (fabs((double)other) < fabs((double)nearest))
            nearest = other;
    }
    return nearest;
}

static REAL square_of(const REAL *d)
{
    const REAL xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2], xy = xx + yy;
    return xy + zz;
}

/* For a triclinic cell: whether no image is within the distance. */
static bool all_images_are_far(const OF_REAL(ref_moved) * m, const REAL *away)
{
    const double reach = (double)m->distance;
    ref_images images = m->cell ? OF_REAL(ref_lattice_images)(m->cell, away, reach)
                                : OF_REAL(ref_cell_images)(m->period, m->tilt, away, reach);
    REAL d[3], shift[3];
    while (ref_cell_next(&images)) {
        if (m->cell)
            OF_REAL(ref_lattice_shift)(m->cell, images.s, shift);
        else
            OF_REAL(ref_cell_shift)(m->period, m->tilt, images.s, shift);
        for (size_t a = 0; a < 3; ++a)
            d[a] = away[a] - shift[a];
        if (square_of(d) <= m->distance * m->distance)
            return false;
    }
    return true;
}

static bool has_moved(const OF_REAL(ref_moved) * m, const REAL *was, const REAL *now)
{
    REAL away[3] = {0};
    for (size_t a = 0; a < m->dimensions; ++a) {
        if (!isfinite(now[a]))
            return true;
        away[a] = now[a] - was[a];
    }
    if (m->cell || m->tilt[0] != 0 || m->tilt[1] != 0 || m->tilt[2] != 0)
        return all_images_are_far(m, away);
    for (size_t a = 0; a < m->dimensions; ++a)
        away[a] = nearest_image(away[a], m->period[a]);
    return square_of(away) > m->distance * m->distance;
}

uint32_t OF_REAL(ref_count_moved)(const OF_REAL(ref_moved) * m)
{
    uint32_t count = 0;
    for (size_t i = 0; i < m->n; ++i)
        count += has_moved(m, m->was + i * m->was_stride, m->now + i * m->now_stride) ? 1 : 0;
    return count;
}
