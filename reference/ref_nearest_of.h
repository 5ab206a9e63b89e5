/* SPDX-License-Identifier: MIT
 * The k nearest points, by comparing every image of every point. The including file defines the
 * precision (REAL) and names (OF_REAL()). Must be compiled without contraction, so that each
 * operation of a distance rounds as in the kernels.
 *  */
#include "reference.h"

#include <math.h>

typedef struct row {
    uint32_t *indices;
    REAL *distances2;
    size_t k, taken;
} row;

static bool is_before(REAL a2, uint32_t a, REAL b2, uint32_t b)
{
    return a2 < b2 || (a2 == b2 && a < b);
}

static void put(row *r, REAL distance2, uint32_t index)
{
    size_t at = r->taken;
    if (at == r->k) {
        if (!is_before(distance2, index, r->distances2[at - 1], r->indices[at - 1]))
            return;
        --at;
    } else {
        ++r->taken;
    }
    for (; at > 0 && is_before(distance2, index, r->distances2[at - 1], r->indices[at - 1]); --at) {
        r->distances2[at] = r->distances2[at - 1];
        r->indices[at] = r->indices[at - 1];
    }
    r->distances2[at] = distance2;
    r->indices[at] = index;
}

/* The range of the images of an axis, whose points are `away`. */
static void span_of(const OF_REAL(ref_nearest_search) * s, int axis, double away, long *first,
                    long *last)
{
    *first = *last = 0;
    if (s->period[axis] > 0) {
        const long nearest = lround(away / (double)s->period[axis]);
        *first = nearest - s->images;
        *last = nearest + s->images;
    }
}

static void put_image(const OF_REAL(ref_nearest_search) * s, const REAL *difference,
                      const long *image, bool own, uint32_t j, row *r)
{
    REAL d[3], shift[3];
    OF_REAL(ref_cell_shift)(s->period, s->tilt, image, shift);
    for (int a = 0; a < 3; ++a)
        d[a] = difference[a] - shift[a];
    const REAL xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2], xy = xx + yy, sum = xy + zz;
    own = own && image[0] == 0 && image[1] == 0 && image[2] == 0;
    if ((!own || s->include_self) && (s->radius2 == 0 || sum < s->radius2))
        put(r, sum, j);
}

/* One pair with its images: `images` on either side of the nearest one suffice. */
static void put_images(const OF_REAL(ref_nearest_search) * s, size_t i, size_t j, row *r)
{
    const REAL *const q = s->queries ? s->queries + i * s->query_stride : s->points + i * s->stride;
    const REAL *const p = s->points + j * s->stride;
    const bool own = !s->queries && i == j;
    REAL d[3] = {0, 0, 0};
    long at[3], first[3], last[3];
    for (size_t a = 0; a < s->dimensions; ++a)
        d[a] = q[a] - p[a];
    span_of(s, 2, (double)d[2], &first[2], &last[2]);
    for (at[2] = first[2]; at[2] <= last[2]; ++at[2]) {
        const double y = (double)d[1] - (double)at[2] * (double)s->tilt[2];
        span_of(s, 1, y, &first[1], &last[1]);
        for (at[1] = first[1]; at[1] <= last[1]; ++at[1]) {
            const double x = (double)d[0] - (double)at[1] * (double)s->tilt[0] -
                             (double)at[2] * (double)s->tilt[1];
            span_of(s, 0, x, &first[0], &last[0]);
            for (at[0] = first[0]; at[0] <= last[0]; ++at[0])
                put_image(s, d, at, own, (uint32_t)j, r);
        }
    }
}

static bool is_finite(const OF_REAL(ref_nearest_search) * s, size_t i)
{
    const REAL *const q = s->queries ? s->queries + i * s->query_stride : s->points + i * s->stride;
    bool finite = true;
    for (size_t a = 0; a < s->dimensions; ++a)
        finite = finite && isfinite(q[a]);
    return finite;
}

void OF_REAL(ref_nearest)(const OF_REAL(ref_nearest_search) * s, size_t i, uint32_t *indices,
                          REAL *distances2)
{
    row r = {.indices = indices, .distances2 = distances2, .k = s->k};
    for (size_t j = 0; j < s->n && is_finite(s, i); ++j)
        if (ref_same_system(s->systems, s->query_systems, i, j))
            put_images(s, i, j, &r);
    for (size_t j = r.taken; j < s->k; ++j) {
        indices[j] = UINT32_MAX;
        distances2[j] = INFINITY;
    }
}
