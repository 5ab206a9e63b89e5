/* SPDX-License-Identifier: MIT
 * Points that a build moves into a periodic box or cell, for the case runner: makes points outside
 * of points inside, and finds where a build must move them to. */
#include "cases.h"

#include "reference.h"

#include <math.h>
#include <string.h>

/* How far a point is from the box around a cell, of its size and of its coordinates, if it is
 * certain on which side it is. */
#define CERTAIN 0x1p-16
/* How near fractions may be to whole numbers. */
#define LEAST_PART 0x1p-6

/* ---- where a point must go ------------------------------------------------------------------- */

static bool wrap_in_box(const scene *s, const scene_cell *of, const double *x, double *moved,
                        int32_t *whole)
{
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        float narrow;
        if (x[a] >= of->lower[a] && x[a] <= of->upper[a])
            continue;
        if (!(of->periodic >> a & 1) ||
            fabs(x[a] - of->lower[a]) > (s->wide ? 0x1p29 : 0x1p24) * of->cell[a][a])
            return false;
        if (s->wide) {
            whole[a] =
                (int32_t)ref_wrap_f64(x[a], of->lower[a], of->upper[a], of->cell[a][a], &moved[a]);
            continue;
        }
        whole[a] = (int32_t)ref_wrap((float)x[a], (float)of->lower[a], (float)of->upper[a],
                                     (float)of->cell[a][a], &narrow);
        moved[a] = (double)narrow;
    }
    return true;
}

/* In the box around the cell: 1; outside: -1; 0: by rounding it may be either. */
static int side_of(const scene *s, const scene_cell *of, const double *x)
{
    int side = 1;
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        double low = of->lower[a], high = of->lower[a];
        for (uint32_t row = 0; row < s->dimensions; ++row) {
            low += fmin(of->cell[row][a], 0);
            high += fmax(of->cell[row][a], 0);
        }
        const double room = CERTAIN * ((high - low) + fmax(fabs(low), fabs(high)));
        if (x[a] < low - room || x[a] > high + room)
            return -1;
        if (x[a] < low || x[a] > high)
            side = 0;
    }
    return side;
}

/* The whole parts of the fractions along periodic vectors; false if rounding may change one. */
static bool whole_parts(const scene *s, const scene_cell *of, const double *x, long *whole)
{
    double cell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, d[3] = {0}, part[3];
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        d[a] = x[a] - of->lower[a];
        for (uint32_t b = 0; b < s->dimensions; ++b)
            cell[3 * a + b] = of->cell[a][b];
    }
    ref_fractions(cell, d, part);
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        const bool moves = of->periodic >> a & 1;
        const double down = floor(part[a]);
        whole[a] = moves ? (long)down : 0;
        if (moves && !(part[a] - down >= LEAST_PART && part[a] - down <= 1 - LEAST_PART))
            return false;
    }
    return true;
}

static bool wrap_in_cell(const scene *s, const scene_cell *of, const double *x, double *moved,
                         int32_t *whole)
{
    long w[3] = {0, 0, 0};
    double shift[3];
    float narrow[9], shifted[3];
    const int side = side_of(s, of, x);
    if (side >= 0)
        return side > 0;
    if (!whole_parts(s, of, x, w))
        return false;
    for (size_t k = 0; k < 9; ++k)
        narrow[k] = (float)of->repeats[k];
    ref_lattice_shift(narrow, w, shifted);
    ref_lattice_shift_f64(of->repeats, w, shift);
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        moved[a] = s->wide ? x[a] - shift[a] : (double)((float)x[a] - shifted[a]);
        whole[a] = (int32_t)w[a];
    }
    return side_of(s, of, moved) > 0; /* it may be outside along the other vectors */
}

bool wrap_point(const scene *s, const scene_cell *of, const void *points, size_t at, double *moved,
                int32_t *whole)
{
    double x[3] = {0};
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        moved[a] = x[a] = scalar_of(s, points, at + a);
        whole[a] = 0;
        if (!isfinite(x[a]))
            return true;
    }
    if (s->own && of->upper[0] > 1e30) /* open */
        return true;
    return (of->skewed || s->own ? wrap_in_cell : wrap_in_box)(s, of, x, moved, whole);
}

/* ---- points outside -------------------------------------------------------------------------- */

/* Whole vectors to move a point by: few, some hundred or, in a box, very many. */
static double times_of(const scene *s, bool skewed, xlt_random *random)
{
    const uint32_t most = skewed ? (s->wide ? 5000 : 50) : 1u << xlt_below(random, 21);
    const uint32_t span = xlt_below(random, 2) ? 2 : most;
    return (double)xlt_below(random, 2 * span + 1) - span;
}

/* Moves point i out, by whole vectors. */
static void put_out(const scene *s, const scene_cell *of, void *given, size_t i, xlt_random *random)
{
    double x[3] = {0}, times[3];
    for (uint32_t a = 0; a < 3; ++a)
        times[a] = times_of(s, of->skewed || s->own, random);
    for (uint32_t a = 0; a < s->dimensions; ++a)
        x[a] = scalar_of(s, given, i * s->stride + a);
    for (size_t k = 0; k < 9; ++k)
        x[k % 3] += times[k / 3] * of->repeats[k];
    for (uint32_t a = 0; a < s->dimensions; ++a)
        set_scalar(s, given, i * s->stride + a, x[a]);
}

void put_points_out(scene *s, xlt_random *random)
{
    const size_t scalars = s->n * s->stride;
    s->given = make_bytes(scalars, s->bytes);
    s->moves = make_bytes(3 * s->n, sizeof *s->moves);
    memcpy(s->given, s->points, scalars * s->bytes);
    for (size_t i = 0; i < s->n; ++i) {
        const scene_cell *const of = cell_of_point(s, i);
        const size_t at = i * s->stride;
        double moved[3];
        if (xlt_below(random, 3) > 0)
            put_out(s, of, s->given, i, random);
        if (!wrap_point(s, of, s->given, at, moved, s->moves + 3 * i)) {
            memcpy((char *)s->given + at * s->bytes, (char *)s->points + at * s->bytes,
                   s->dimensions * s->bytes);
            memset(s->moves + 3 * i, 0, 3 * sizeof *s->moves);
            continue;
        }
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, s->points, at + a, moved[a]);
    }
}
