/* SPDX-License-Identifier: MIT
 * Neighbour search in plain C, without a grid or a trick. To be compiled without
 * contraction, so that each operation of a distance rounds as in the kernels. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

float ref_distance2(const ref_search *search, size_t i, size_t j)
{
    const float *p = search->points + i * search->stride;
    const float *q = search->points + j * search->stride;
    const size_t dimensions = search->dimensions > 0 ? search->dimensions : 3;
    float dx = p[0] - q[0];
    float dy = dimensions > 1 ? p[1] - q[1] : 0;
    float dz = dimensions > 2 ? p[2] - q[2] : 0;
    float xx = dx * dx, yy = dy * dy, zz = dz * dz;
    float xy = xx + yy;
    return xy + zz;
}

bool ref_near(const ref_search *search, size_t i, size_t j)
{
    float distance2 = ref_distance2(search, i, j);
    float radius2 = search->radius * search->radius;
    bool near = search->inclusive ? distance2 <= radius2 : distance2 < radius2;
    return near && (search->include_self || i != j);
}

/* Room for one more of `used` numbers, or NULL and nothing kept. */
static uint32_t *grow(uint32_t *rows, uint64_t used, uint64_t *room)
{
    if (used < *room)
        return rows;
    *room = 2 * *room + 1024;
    uint32_t *grown = realloc(rows, (size_t)*room * sizeof *rows);
    if (!grown)
        free(rows);
    return grown;
}

size_t ref_queries(const ref_search *search)
{
    return search->queries ? search->num_queries : search->n;
}

/* A query against a point: how the images of the query lie. */
typedef struct pair {
    float difference[3];
    long first[3], last[3]; /* images that may be near, in periods */
    float radius2;
    bool strict, own; /* `own`: the point is the query itself */
} pair;

/* The square of the radius that counts for query i; below 0, nothing is near. */
static float radius2_of(const ref_search *search, size_t i)
{
    const float own = search->radii ? search->radii[i] : search->radius;
    const float radius = own < search->radius ? own : search->radius;
    return own > 0 ? radius * radius : -1;
}

static pair pair_of(const ref_search *search, size_t i, size_t j)
{
    const size_t dimensions = search->dimensions > 0 ? search->dimensions : 3;
    const float *const q = search->queries ? search->queries + i * search->query_stride
                                           : search->points + i * search->stride;
    const float *const p = search->points + j * search->stride;
    pair of = {.radius2 = radius2_of(search, i),
               .strict = !search->inclusive,
               .own = !search->queries && i == j && !search->include_self};
    for (size_t a = 0; a < dimensions; ++a) {
        of.difference[a] = q[a] - p[a];
        if (!(search->period[a] > 0) || !isfinite(of.difference[a]))
            continue;
        const double d = (double)of.difference[a], length = (double)search->period[a];
        of.first[a] = (long)floor((d - (double)search->radius) / length) - 1;
        of.last[a] = (long)ceil((d + (double)search->radius) / length) + 1;
    }
    return of;
}

static bool image_is_near(const ref_search *search, const pair *of, long x, long y, long z)
{
    const float dx = of->difference[0] - (float)x * search->period[0];
    const float dy = of->difference[1] - (float)y * search->period[1];
    const float dz = of->difference[2] - (float)z * search->period[2];
    const float xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy, sum = xy + zz;
    if (of->own && x == 0 && y == 0 && z == 0)
        return false;
    return of->strict ? sum < of->radius2 : sum <= of->radius2;
}

static size_t images_near(const ref_search *search, size_t i, size_t j)
{
    const pair of = pair_of(search, i, j);
    size_t images = 0;
    for (long z = of.first[2]; z <= of.last[2]; ++z)
        for (long y = of.first[1]; y <= of.last[1]; ++y)
            for (long x = of.first[0]; x <= of.last[0]; ++x)
                images += image_is_near(search, &of, x, y, z) ? 1 : 0;
    return images;
}

uint32_t *ref_neighbors(const ref_search *search, uint64_t *offsets)
{
    const size_t queries = ref_queries(search);
    uint64_t at = 0, room = 0;
    uint32_t *rows = grow(NULL, at, &room);
    for (size_t i = 0; i < queries; ++i) {
        offsets[i] = at;
        for (size_t j = 0; j < search->n && rows; ++j)
            for (size_t k = images_near(search, i, j); k > 0 && rows; --k)
                if ((rows = grow(rows, at, &room)))
                    rows[at++] = (uint32_t)j;
    }
    offsets[queries] = at;
    return rows;
}

/* Lists of points by cell: `first` of each cell, `next` of each point, n at the end.
 * Cells are a thousandth wider than the radius, so that rounding in double precision
 * never brings a neighbour further than the next cell. */
typedef struct lists {
    double lower[3], width;
    size_t cells[3];
    size_t *first, *next;
} lists;

static void find_box(const ref_search *search, lists *l)
{
    double upper[3] = {0, 0, 0};
    l->width = (double)search->radius * 1.001;
    for (size_t a = 0; a < 3; ++a) {
        l->lower[a] = upper[a] = (double)search->points[a];
        for (size_t i = 1; i < search->n; ++i) {
            double x = (double)search->points[i * search->stride + a];
            l->lower[a] = x < l->lower[a] ? x : l->lower[a];
            upper[a] = x > upper[a] ? x : upper[a];
        }
    }
    /* Wider cells for a wide box: at most 256 an axis. */
    for (size_t a = 0; a < 3; ++a)
        if ((upper[a] - l->lower[a]) / l->width > 255)
            l->width = (upper[a] - l->lower[a]) / 255;
    for (size_t a = 0; a < 3; ++a)
        l->cells[a] = (size_t)((upper[a] - l->lower[a]) / l->width) + 1;
}

static size_t axis_of(const ref_search *search, const lists *l, size_t i, size_t a)
{
    double x = (double)search->points[i * search->stride + a];
    return smaller((size_t)((x - l->lower[a]) / l->width), l->cells[a] - 1);
}

static uint32_t count_in(const ref_search *search, const lists *l, size_t i, size_t cell)
{
    uint32_t count = 0;
    for (size_t j = l->first[cell]; j < search->n; j = l->next[j])
        count += ref_near(search, i, j) ? 1 : 0;
    return count;
}

static uint32_t count_around(const ref_search *search, const lists *l, size_t i)
{
    size_t low[3], high[3];
    uint32_t count = 0;
    for (size_t a = 0; a < 3; ++a) {
        size_t at = axis_of(search, l, i, a);
        low[a] = at > 0 ? at - 1 : 0;
        high[a] = smaller(at + 1, l->cells[a] - 1);
    }
    for (size_t z = low[2]; z <= high[2]; ++z)
        for (size_t y = low[1]; y <= high[1]; ++y)
            for (size_t x = low[0]; x <= high[0]; ++x)
                count += count_in(search, l, i, (z * l->cells[1] + y) * l->cells[0] + x);
    return count;
}

bool ref_counts(const ref_search *search, uint32_t *counts)
{
    lists l = {.first = NULL};
    bool done = false;
    if (search->n == 0)
        return true;
    find_box(search, &l);
    size_t cells = l.cells[0] * l.cells[1] * l.cells[2];
    l.first = malloc(cells * sizeof *l.first);
    l.next = malloc(search->n * sizeof *l.next);
    if (l.first && l.next) {
        for (size_t c = 0; c < cells; ++c)
            l.first[c] = search->n;
        for (size_t i = search->n; i-- > 0;) {
            size_t cell =
                (axis_of(search, &l, i, 2) * l.cells[1] + axis_of(search, &l, i, 1)) * l.cells[0] +
                axis_of(search, &l, i, 0);
            l.next[i] = l.first[cell];
            l.first[cell] = i;
        }
        for (size_t i = 0; i < search->n; ++i)
            counts[i] = count_around(search, &l, i);
        done = true;
    }
    free(l.first);
    free(l.next);
    return done;
}
