/* SPDX-License-Identifier: MIT
 * Images in space that repeats along axes, or along the vectors of a triclinic cell. To be compiled
 * without contraction, so that each operation of a shift rounds as in the kernels. */
#include "reference.h"

#include <math.h>

void ref_cell_shift(const float *period, const float *tilt, const long *s, float *shift)
{
    const float a = (float)s[0], b = (float)s[1], c = (float)s[2];
    const float ax = a * period[0], bx = b * tilt[0], cx = c * tilt[1];
    const float by = b * period[1], cy = c * tilt[2];
    const float ab = ax + bx;
    shift[0] = ab + cx;
    shift[1] = by + cy;
    shift[2] = c * period[2];
}

/* Of a query so far off that nothing is near it any number will do. */
static long periods(double count)
{
    const double most = 1e9;
    return (long)fmax(-most, fmin(most, count));
}

/* Of an axis, where the images of the axes behind it are known. */
static void span(ref_images *images, int axis)
{
    const float *const tilt = images->tilt;
    const double length = (double)images->period[axis];
    double d = (double)images->difference[axis];
    images->s[axis] = images->last[axis] = 0;
    if (axis == 0)
        d -= (double)images->s[1] * (double)tilt[0] + (double)images->s[2] * (double)tilt[1];
    if (axis == 1)
        d -= (double)images->s[2] * (double)tilt[2];
    if (length > 0 && isfinite(d)) {
        images->s[axis] = periods(floor((d - images->reach) / length)) - 1;
        images->last[axis] = periods(ceil((d + images->reach) / length)) + 1;
    }
}

ref_images ref_cell_images(const float *period, const float *tilt, const float *difference,
                           double reach)
{
    ref_images images = {period, tilt, difference, reach, {0}, {0}};
    for (int axis = 2; axis >= 0; --axis)
        span(&images, axis);
    --images.s[0];
    return images;
}

bool ref_cell_next(ref_images *images)
{
    int axis = 0;
    while (axis < 3 && images->s[axis] == images->last[axis])
        ++axis;
    if (axis == 3)
        return false;
    ++images->s[axis];
    while (axis-- > 0)
        span(images, axis);
    return true;
}
