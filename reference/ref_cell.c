/* SPDX-License-Identifier: MIT
 * Images in space that is periodic along axes or along the vectors of a triclinic cell. Must be
 * compiled without contraction, so that each operation of a shift rounds as in the kernels. */
#include "reference.h"

#include <math.h>

#define SHIFT(name, real)                                                                          \
    void name(const real *period, const real *tilt, const long *s, real *shift)                    \
    {                                                                                              \
        const real a = (real)s[0], b = (real)s[1], c = (real)s[2];                                 \
        const real ax = a * period[0], bx = b * tilt[0], cx = c * tilt[1];                         \
        const real by = b * period[1], cy = c * tilt[2];                                           \
        const real ab = ax + bx;                                                                   \
        shift[0] = ab + cx;                                                                        \
        shift[1] = by + cy;                                                                        \
        shift[2] = c * period[2];                                                                  \
    }
SHIFT(ref_cell_shift, float)
SHIFT(ref_cell_shift_f64, double)

#define LATTICE_SHIFT(name, real)                                                                  \
    void name(const real *cell, const long *s, real *shift)                                        \
    {                                                                                              \
        for (int k = 0; k < 3; ++k) {                                                              \
            const real a = (real)s[0] * cell[k], b = (real)s[1] * cell[3 + k];                     \
            const real c = (real)s[2] * cell[6 + k], ab = a + b;                                   \
            shift[k] = ab + c;                                                                     \
        }                                                                                          \
    }
LATTICE_SHIFT(ref_lattice_shift, float)
LATTICE_SHIFT(ref_lattice_shift_f64, double)

/* If a query is too far away for any neighbour, any number is right. */
static long periods(double count)
{
    const double most = 1e9;
    return (long)fmax(-most, fmin(most, count));
}

/* The shift along this axis by the images of the axes behind it. */
static double led(const double *tilt, const double *s, int axis)
{
    return axis == 0 ? s[1] * tilt[0] + s[2] * tilt[1] : axis == 1 ? s[2] * tilt[2] : 0;
}

/* The greatest error of a computed distance along an axis, for an image within `reach`. A shift
 * is rounded by at most four units of the lengths that it adds: those of the images that span
 * the difference and the reach. A distance is rounded by one unit of its operands. Axes are
 * rotated, so the square root of 3 times that suffices. */
static double rounding(const ref_images *images, double reach, double unit)
{
    const double tilts[3] = {fabs(images->tilt[0]), fabs(images->tilt[1]), fabs(images->tilt[2])};
    const double lengths[3] = {images->period[0], images->period[1] + tilts[0],
                               images->period[2] + tilts[1] + tilts[2]};
    double s[3] = {0, 0, 0}, more[3] = {0, 0, 0}, sum = reach;
    for (int axis = 2; axis >= 0; --axis) {
        const double length = images->period[axis], d = images->difference[axis];
        if (length > 0) {
            s[axis] = (d - led(images->tilt, s, axis)) / length;
            more[axis] = (reach + led(tilts, more, axis)) / length;
        }
        sum += fabs(d) + (fabs(s[axis]) + more[axis]) * lengths[axis];
    }
    return 16 * unit * sum;
}

/* The images of an axis, for given images of the axes behind it: all within reach along it, and
 * some that rounding may bring there. If there are none, s is past the last. */
static void span(ref_images *images, int axis)
{
    const double s[3] = {0, (double)images->s[1], (double)images->s[2]};
    const double length = images->period[axis];
    const double d = images->difference[axis] - led(images->tilt, s, axis);
    images->s[axis] = images->last[axis] = 0;
    if (length > 0 && isfinite(d)) {
        const double slack = 1e-6 + 1e-9 * fabs(d) / length;
        images->s[axis] = periods(ceil((d - images->reach) / length - slack));
        images->last[axis] = periods(floor((d + images->reach) / length + slack));
    }
}

/* Whether rounding hides the near images, so that a loop over all candidates would not end. The
 * library reports that such a query is too far away. */
static bool is_too_far(const ref_images *images, double rounds)
{
    double shortest = INFINITY;
    for (int axis = 0; axis < 3; ++axis)
        if (images->period[axis] > 0)
            shortest = fmin(shortest, images->period[axis]);
    return rounds > images->reach + 1024 * shortest;
}

/* The reach grows by the rounding errors of images within the larger reach. */
static ref_images images_of(const double *period, const double *tilt, const double *difference,
                            double reach, double unit)
{
    ref_images images = {.reach = reach};
    for (int axis = 0; axis < 3; ++axis) {
        images.period[axis] = period[axis];
        images.tilt[axis] = tilt[axis];
        images.difference[axis] = difference[axis];
    }
    const double rounds = rounding(&images, reach + 2 * rounding(&images, reach, unit), unit);
    images.last[0] = images.last[1] = images.last[2] = -1;
    if (is_too_far(&images, rounds))
        return images;
    images.reach += rounds;
    span(&images, 2);
    --images.s[2];
    return images;
}

ref_images ref_cell_images_f64(const double *period, const double *tilt, const double *difference,
                               double reach)
{
    return images_of(period, tilt, difference, reach, 0x1p-53);
}

ref_images ref_cell_images(const float *period, const float *tilt, const float *difference,
                           double reach)
{
    double wide[3][3];
    for (int axis = 0; axis < 3; ++axis) {
        wide[0][axis] = (double)period[axis];
        wide[1][axis] = (double)tilt[axis];
        wide[2][axis] = (double)difference[axis];
    }
    return images_of(wide[0], wide[1], wide[2], reach, 0x1p-24);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Rotates the axes: the first along the first row, the second in the plane of the first two
 * rows. The cell is then lower triangular, and lengths are unchanged. */
static ref_images lattice_images_of(const double *cell, const double *difference, double reach,
                                    double unit)
{
    double axes[3][3] = {{0}}, period[3] = {0}, along[3][3] = {{0}}, turned[3];
    for (int row = 0; row < 3; ++row) {
        double rest[3] = {cell[3 * row], cell[3 * row + 1], cell[3 * row + 2]};
        for (int k = 0; k < row; ++k) {
            along[row][k] = dot(&cell[3 * row], axes[k]);
            for (int axis = 0; axis < 3; ++axis)
                rest[axis] -= along[row][k] * axes[k][axis];
        }
        period[row] = sqrt(dot(rest, rest));
        for (int axis = 0; axis < 3 && period[row] > 0; ++axis)
            axes[row][axis] = rest[axis] / period[row];
    }
    for (int k = 0; k < 3; ++k)
        turned[k] = dot(difference, axes[k]);
    const double tilt[3] = {along[1][0], along[2][0], along[2][1]};
    return images_of(period, tilt, turned, reach, unit);
}

ref_images ref_lattice_images_f64(const double *cell, const double *difference, double reach)
{
    return lattice_images_of(cell, difference, reach, 0x1p-53);
}

ref_images ref_lattice_images(const float *cell, const float *difference, double reach)
{
    double wide[9], away[3];
    for (int k = 0; k < 9; ++k)
        wide[k] = (double)cell[k];
    for (int k = 0; k < 3; ++k)
        away[k] = (double)difference[k];
    return lattice_images_of(wide, away, reach, 0x1p-24);
}

bool ref_cell_next(ref_images *images)
{
    int axis = 0;
    ++images->s[0];
    while (axis < 3)
        if (images->s[axis] <= images->last[axis]) {
            if (axis == 0)
                return true;
            span(images, --axis);
        } else if (++axis < 3) {
            ++images->s[axis];
        }
    return false;
}
