/* SPDX-License-Identifier: MIT
 * How many points have moved farther than a distance, in plain C. To be compiled without
 * contraction, as ref_neighbors.c. */
#include "reference.h"

#include <math.h>

/* Of away - s * period the nearest to 0, of every s that might be it. */
static float nearest_image(float away, float period)
{
    float nearest = away;
    if (!(period > 0) || !isfinite(away))
        return away;
    const double middle = round((double)away / (double)period);
    for (double s = middle - 3; s <= middle + 3; ++s) {
        const float shift = (float)s * period, other = away - shift;
        if (fabsf(other) < fabsf(nearest))
            nearest = other;
    }
    return nearest;
}

static bool has_moved(const ref_moved *m, const float *was, const float *now)
{
    float away[3] = {0}, square[3];
    for (size_t a = 0; a < m->dimensions; ++a) {
        if (!isfinite(now[a]))
            return true;
        away[a] = nearest_image(now[a] - was[a], m->period[a]);
    }
    for (size_t a = 0; a < 3; ++a)
        square[a] = away[a] * away[a];
    const float xy = square[0] + square[1], all = xy + square[2];
    const float distance2 = m->distance * m->distance;
    return all > distance2;
}

uint32_t ref_count_moved(const ref_moved *m)
{
    uint32_t count = 0;
    for (size_t i = 0; i < m->n; ++i)
        count += has_moved(m, m->was + i * m->was_stride, m->now + i * m->now_stride) ? 1 : 0;
    return count;
}
