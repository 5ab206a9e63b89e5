/* SPDX-License-Identifier: MIT
 * The k nearest points by looking at every point and every image of it, of coordinates of one
 * precision: a file that includes this says of which (REAL), and what names it has (OF_REAL()). To
 * be compiled without contraction, so that each operation of a distance rounds as in the kernels.
 */
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

/* One pair with all images, of which `images` on either side of the nearest are enough. */
static void put_images(const OF_REAL(ref_knn_search) * s, size_t i, size_t j, row *r)
{
    const REAL *const q = s->queries ? s->queries + i * s->query_stride : s->points + i * s->stride;
    const REAL *const p = s->points + j * s->stride;
    REAL difference[3] = {0, 0, 0};
    long first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    for (size_t a = 0; a < s->dimensions; ++a) {
        difference[a] = q[a] - p[a];
        if (s->period[a] > 0) {
            const long nearest = lround((double)difference[a] / (double)s->period[a]);
            first[a] = nearest - s->images;
            last[a] = nearest + s->images;
        }
    }
    for (long z = first[2]; z <= last[2]; ++z)
        for (long y = first[1]; y <= last[1]; ++y)
            for (long x = first[0]; x <= last[0]; ++x) {
                const REAL dx = difference[0] - (REAL)x * s->period[0];
                const REAL dy = difference[1] - (REAL)y * s->period[1];
                const REAL dz = difference[2] - (REAL)z * s->period[2];
                const REAL xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy, sum = xy + zz;
                const bool own = !s->queries && i == j && x == 0 && y == 0 && z == 0;
                if ((!own || s->include_self) && (s->radius2 == 0 || sum < s->radius2))
                    put(r, sum, (uint32_t)j);
            }
}

static bool is_finite(const OF_REAL(ref_knn_search) * s, size_t i)
{
    const REAL *const q = s->queries ? s->queries + i * s->query_stride : s->points + i * s->stride;
    bool finite = true;
    for (size_t a = 0; a < s->dimensions; ++a)
        finite = finite && isfinite(q[a]);
    return finite;
}

void OF_REAL(ref_knn)(const OF_REAL(ref_knn_search) * s, size_t i, uint32_t *indices,
                      REAL *distances2)
{
    row r = {.indices = indices, .distances2 = distances2, .k = s->k};
    for (size_t j = 0; j < s->n && is_finite(s, i); ++j)
        put_images(s, i, j, &r);
    for (size_t j = r.taken; j < s->k; ++j) {
        indices[j] = UINT32_MAX;
        distances2[j] = INFINITY;
    }
}
