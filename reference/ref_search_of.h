/* SPDX-License-Identifier: MIT
 * Neighbour search without a grid. The including file defines the precision (REAL) and names
 * (OF_REAL()). Must be compiled without contraction, so that each operation of a distance rounds
 * as in the kernels. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

REAL OF_REAL(ref_distance2)(const OF_REAL(ref_search) * search, size_t i, size_t j)
{
    const REAL *p = search->points + i * search->stride;
    const REAL *q = search->points + j * search->stride;
    const size_t dimensions = search->dimensions > 0 ? search->dimensions : 3;
    REAL dx = p[0] - q[0];
    REAL dy = dimensions > 1 ? p[1] - q[1] : 0;
    REAL dz = dimensions > 2 ? p[2] - q[2] : 0;
    REAL xx = dx * dx, yy = dy * dy, zz = dz * dz;
    REAL xy = xx + yy;
    return xy + zz;
}

bool OF_REAL(ref_near)(const OF_REAL(ref_search) * search, size_t i, size_t j)
{
    REAL distance2 = OF_REAL(ref_distance2)(search, i, j);
    REAL radius2 = search->radius * search->radius;
    bool near = search->inclusive ? distance2 <= radius2 : distance2 < radius2;
    return near && (search->include_self || i != j);
}

size_t OF_REAL(ref_queries)(const OF_REAL(ref_search) * search)
{
    return search->queries ? search->num_queries : search->n;
}

/* A query against a point. */
typedef struct pair {
    const REAL *query;
    REAL difference[3];
    REAL radius2;
    const REAL *cell; /* of the search or of the system; or NULL */
    size_t dimensions;
    bool repeats, own; /* `own`: the point is the query itself */
} pair;

/* The square of a radius of at most search->radius; below 0: no neighbours. */
static REAL square_of(const OF_REAL(ref_search) * search, REAL own)
{
    const REAL radius = own < search->radius ? own : search->radius;
    return own > 0 ? radius * radius : -1;
}

/* The squared radius of query i and point j. */
static REAL radius2_of(const OF_REAL(ref_search) * search, size_t i, size_t j)
{
    if (search->pair_radii) {
        const size_t n = search->num_types, a = search->types[i], b = search->point_types[j];
        return a < n && b < n ? square_of(search, (REAL)search->pair_radii[a * n + b]) : -1;
    }
    const REAL of_query = square_of(search, search->radii ? search->radii[i] : search->radius);
    const REAL of_point = search->point_radii ? square_of(search, search->point_radii[j]) : -1;
    return of_point > of_query ? of_point : of_query;
}

/* For query i; the point and the radius are set later. */
static pair pair_of(const OF_REAL(ref_search) * search, size_t i)
{
    const REAL *const period = search->period;
    return (pair){.query = search->queries ? search->queries + i * search->query_stride
                                           : search->points + i * search->stride,
                  .dimensions = search->dimensions > 0 ? search->dimensions : 3,
                  .cell = search->cell,
                  .repeats = search->cell || search->cells || period[0] > 0 || period[1] > 0 ||
                             period[2] > 0};
}

static void take_point(const OF_REAL(ref_search) * search, pair *of, size_t i, size_t j)
{
    const REAL *const p = search->points + j * search->stride;
    of->own = !search->queries && i == j;
    of->radius2 = radius2_of(search, i, j);
    if (search->cells)
        of->cell = search->cells + 9 * search->systems[j];
    for (size_t a = 0; a < of->dimensions; ++a)
        of->difference[a] = of->query[a] - p[a];
}

/* Whether the image of the query itself with this shift is a neighbour. */
static bool own_is_wanted(const OF_REAL(ref_search) * search, const REAL *moved)
{
    const REAL last = moved[2] != 0 ? moved[2] : moved[1] != 0 ? moved[1] : moved[0];
    return last == 0 ? search->include_self : !search->half || last > 0;
}

static bool is_near(const OF_REAL(ref_search) * search, const pair *of, const REAL *d,
                    REAL *distance2)
{
    const REAL xx = d[0] * d[0], yy = d[1] * d[1], zz = d[2] * d[2], xy = xx + yy;
    *distance2 = xy + zz;
    return search->inclusive ? *distance2 <= of->radius2 : *distance2 < of->radius2;
}

/* The results; `pairs` NULL: only indices. failed: no memory, and nothing is kept. */
typedef struct found {
    uint32_t *rows;
    OF_REAL(ref_pairs) * pairs;
    uint64_t used, room;
    bool failed;
} found;

static bool resize(void *array, uint64_t bytes)
{
    void **const at = array;
    void *const grown = realloc(*at, (size_t)bytes);
    *at = grown ? grown : *at;
    return grown != NULL;
}

static void make_room(found *f)
{
    if (f->failed || f->used < f->room)
        return;
    f->room = 2 * f->room + 1024;
    f->failed = !resize(&f->rows, f->room * sizeof *f->rows);
    if (f->pairs && !f->failed)
        f->failed = !resize(&f->pairs->distances2, f->room * sizeof(REAL)) ||
                    !resize(&f->pairs->vectors, f->room * 3 * sizeof(REAL)) ||
                    !resize(&f->pairs->shifts, f->room * 3 * sizeof(int32_t));
}

static void add_pair(found *f, size_t j, const long *shift, const REAL *d, REAL distance2)
{
    make_room(f);
    if (f->failed)
        return;
    f->rows[f->used] = (uint32_t)j;
    if (f->pairs) {
        f->pairs->distances2[f->used] = distance2;
        for (size_t a = 0; a < 3; ++a) {
            f->pairs->vectors[3 * f->used + a] = -d[a];
            f->pairs->shifts[3 * f->used + a] = (int32_t)shift[a];
        }
    }
    ++f->used;
}

/* Open space has one image, with shift 0. */
static void add_point(const OF_REAL(ref_search) * search, found *f, const pair *of, size_t j)
{
    static const long shift[3];
    static const REAL moved[3];
    REAL distance2;
    if (is_near(search, of, of->difference, &distance2) &&
        (!of->own || own_is_wanted(search, moved)))
        add_pair(f, j, shift, of->difference, distance2);
}

static void add_images(const OF_REAL(ref_search) * search, found *f, const pair *of, size_t j)
{
    const double reach = (double)search->radius;
    ref_images images =
        of->cell ? OF_REAL(ref_lattice_images)(of->cell, of->difference, reach)
                 : OF_REAL(ref_cell_images)(search->period, search->tilt, of->difference, reach);
    REAL d[3], moved[3], distance2;
    while (ref_cell_next(&images)) {
        if (of->cell)
            OF_REAL(ref_lattice_shift)(of->cell, images.s, moved);
        else
            OF_REAL(ref_cell_shift)(search->period, search->tilt, images.s, moved);
        for (size_t a = 0; a < 3; ++a)
            d[a] = of->difference[a] - moved[a];
        if (is_near(search, of, d, &distance2) && (!of->own || own_is_wanted(search, moved)))
            add_pair(f, j, images.s, d, distance2);
    }
}

uint32_t *OF_REAL(ref_neighbors_pairs)(const OF_REAL(ref_search) * search, uint64_t *offsets,
                                       OF_REAL(ref_pairs) * pairs)
{
    const size_t queries = OF_REAL(ref_queries)(search);
    found f = {.pairs = pairs};
    make_room(&f);
    for (size_t i = 0; i < queries; ++i) {
        pair of = pair_of(search, i);
        offsets[i] = f.used;
        for (size_t j = search->half ? i : 0; j < search->n; ++j) {
            if (!ref_same_system(search->systems, search->query_systems, i, j))
                continue;
            take_point(search, &of, i, j);
            if (of.repeats)
                add_images(search, &f, &of, j);
            else
                add_point(search, &f, &of, j);
        }
    }
    offsets[queries] = f.used;
    if (f.failed) {
        free(f.rows);
        f.rows = NULL;
    }
    return f.rows;
}

void OF_REAL(ref_pairs_free)(OF_REAL(ref_pairs) * pairs)
{
    free(pairs->distances2);
    free(pairs->vectors);
    free(pairs->shifts);
    *pairs = (OF_REAL(ref_pairs)){0};
}

uint32_t *OF_REAL(ref_neighbors)(const OF_REAL(ref_search) * search, uint64_t *offsets)
{
    return OF_REAL(ref_neighbors_pairs)(search, offsets, NULL);
}

/* Lists of points by cell: `first` of each cell, `next` of each point, n at the end.
 * Cells are a thousandth wider than the radius, so that rounding in double precision
 * never brings a neighbour further than the next cell. */
typedef struct lists {
    double lower[3], width;
    size_t cells[3];
    size_t *first, *next;
} lists;

static void find_box(const OF_REAL(ref_search) * search, lists *l)
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

static size_t axis_of(const OF_REAL(ref_search) * search, const lists *l, size_t i, size_t a)
{
    double x = (double)search->points[i * search->stride + a];
    return smaller((size_t)((x - l->lower[a]) / l->width), l->cells[a] - 1);
}

static uint32_t count_in(const OF_REAL(ref_search) * search, const lists *l, size_t i, size_t cell)
{
    uint32_t count = 0;
    for (size_t j = l->first[cell]; j < search->n; j = l->next[j])
        count += OF_REAL(ref_near)(search, i, j) ? 1 : 0;
    return count;
}

static uint32_t count_around(const OF_REAL(ref_search) * search, const lists *l, size_t i)
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

bool OF_REAL(ref_counts)(const OF_REAL(ref_search) * search, uint32_t *counts)
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
