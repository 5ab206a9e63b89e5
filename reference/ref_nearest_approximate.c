/* SPDX-License-Identifier: MIT
 * Approximate nearest points by shifted sorting, one query after another, with the same orders
 * and candidates. Must be compiled without contraction, so that each operation of a distance
 * rounds as in the kernels. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point in the order of its code, then of its index. */
typedef struct place {
    uint64_t code;
    uint32_t index;
} place;

static int by_code(const void *a, const void *b)
{
    const place *const p = a, *const q = b;
    if (p->code != q->code)
        return p->code < q->code ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Corner and edges of the box of a shift, as lib/nearest_approximate/nearest_approximate_shape.c
 * has them. */
static void box_of(const ref_nearest_approximate_search *s, size_t shift, float *lower,
                   float *edges)
{
    double edge = 0x1p-80;
    for (size_t a = 0; a < s->dimensions; ++a)
        while (edge < (double)s->upper[a] - (double)s->lower[a])
            edge *= 2;
    const size_t parts = s->shifts % 2 == 1 ? s->shifts : s->shifts + 1;
    for (size_t a = 0; a < s->dimensions; ++a) {
        lower[a] = (float)((double)s->lower[a] - edge * (double)shift / (double)parts);
        edges[a] = (float)((double)lower[a] + 1.5 * edge) - lower[a];
    }
}

static uint64_t code_of(const ref_nearest_approximate_search *s, size_t shift, const float *point)
{
    const size_t bits = s->dimensions == 2 ? (s->wide ? 32 : 16) : s->wide ? 21 : 10;
    float lower[3], edges[3];
    box_of(s, shift, lower, edges);
    return ref_morton_of(s->dimensions, bits, s->wide, lower, edges, point);
}

static bool is_finite(const ref_nearest_approximate_search *s, const float *point)
{
    bool finite = true;
    for (size_t a = 0; a < s->dimensions; ++a)
        finite = finite && isfinite(point[a]);
    return finite;
}

static float distance2_of(const ref_nearest_approximate_search *s, const float *p, const float *q)
{
    const float dx = p[0] - q[0], dy = p[1] - q[1], dz = s->dimensions == 3 ? p[2] - q[2] : 0;
    const float xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy;
    return xy + zz;
}

/* Inserts a point into a row, unless the row has it or k points are before it. Unused indices
 * are at the end. */
static void put(size_t k, uint32_t *indices, float *distances2, float distance2, uint32_t index)
{
    size_t at = k;
    for (size_t j = 0; j < k; ++j)
        if (indices[j] == index)
            return;
    while (at > 0 && (distance2 < distances2[at - 1] ||
                      (distance2 == distances2[at - 1] && index < indices[at - 1])))
        --at;
    if (at == k)
        return;
    memmove(indices + at + 1, indices + at, (k - 1 - at) * sizeof *indices);
    memmove(distances2 + at + 1, distances2 + at, (k - 1 - at) * sizeof *distances2);
    indices[at] = index;
    distances2[at] = distance2;
}

/* The candidates of a query that comes after `after` points. */
static void look(const ref_nearest_approximate_search *s, const place *places, size_t after,
                 const float *query, size_t row, uint32_t *indices, float *distances2)
{
    const size_t first = after > s->k ? after - s->k : 0;
    const size_t last = after + s->k + (s->queries ? 0 : 1);
    for (size_t at = first; at < last && at < s->n && is_finite(s, query); ++at) {
        const uint32_t other = places[at].index;
        const float *const p = s->points + other * s->stride;
        if (is_finite(s, p) && (s->queries || s->include_self || other != row))
            put(s->k, indices + row * s->k, distances2 + row * s->k, distance2_of(s, query, p),
                other);
    }
}

static size_t points_before(const place *places, size_t n, uint64_t code)
{
    size_t low = 0;
    while (n > low) {
        const size_t middle = low + (n - low) / 2;
        if (places[middle].code < code)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void shifted(const ref_nearest_approximate_search *s, size_t shift, place *places,
                    uint32_t *indices, float *distances2)
{
    for (size_t i = 0; i < s->n; ++i)
        places[i] = (place){code_of(s, shift, s->points + i * s->stride), (uint32_t)i};
    qsort(places, s->n, sizeof *places, by_code);
    for (size_t i = 0; !s->queries && i < s->n; ++i)
        look(s, places, i, s->points + places[i].index * s->stride, places[i].index, indices,
             distances2);
    for (size_t i = 0; s->queries && i < s->num_queries; ++i) {
        const float *const query = s->queries + i * s->query_stride;
        look(s, places, points_before(places, s->n, code_of(s, shift, query)), query, i, indices,
             distances2);
    }
}

bool ref_nearest_approximate(const ref_nearest_approximate_search *s, uint32_t *indices,
                             float *distances2)
{
    const size_t rows = s->queries ? s->num_queries : s->n;
    place *const places = malloc((s->n + 1) * sizeof *places);
    for (size_t i = 0; i < rows * s->k; ++i) {
        indices[i] = UINT32_MAX;
        distances2[i] = INFINITY;
    }
    for (size_t i = 0; places && i < s->shifts; ++i)
        shifted(s, i, places, indices, distances2);
    free(places);
    return places != NULL;
}
