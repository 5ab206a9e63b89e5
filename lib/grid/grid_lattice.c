/* SPDX-License-Identifier: MIT
 * The lattice of space that repeats: from the vectors given to a basis that searches enumerate
 * images over, and the numbers that cl/grid/grid_cell.cl needs of both.
 *
 * All of it is found in double precision. The library links no libm. */
#include "grid_plan.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Vectors given are the basis unless they are so skewed: the volume of the three, each divided by
 * its largest entry. */
#define SKEWED 0x1p-4
/* Below this, they are not independent. */
#define SINGULAR 0x1p-40
/* Whole numbers that the basis may take of a vector given. */
#define MOST_WHOLE 0x1p24
/* Images that a search counts to either side, and periods that a radius may be at most. */
#define COUNTED 0x1p30
#define MOST_PERIODS 0x1p20
/* How numbers round, in units: cl/grid/grid_cell.cl has these, and says why. */
#define UNITS 20.0
#define UNITS_OF_BASIS 10.0
#define UNITS_OF_SHIFTS 8.0
/* Heights of the cell that places may be rounded by: XL_CELL_HEIGHTS there. */
#define HEIGHTS 32.0

/* Vectors of a basis, as many as `rank`, and which whole numbers of the vectors given they are. */
typedef struct basis {
    uint32_t rank;
    double v[3][3], of[3][3];
} basis;

static double nearest(double x)
{
    if (!(xli_magnitude(x) < 0x1p52))
        return x;
    return (double)(int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double largest_of(const double v[3])
{
    return xli_larger(xli_magnitude(v[0]), xli_larger(xli_magnitude(v[1]), xli_magnitude(v[2])));
}

static double sum_of(const double v[3])
{
    return xli_magnitude(v[0]) + xli_magnitude(v[1]) + xli_magnitude(v[2]);
}

/* The vectors given that `mask` has a bit of. */
static basis basis_of(const double given[3][3], uint32_t mask)
{
    basis b = {0};
    for (int row = 0; row < 3; ++row)
        if (mask >> row & 1) {
            for (int k = 0; k < 3; ++k)
                b.v[b.rank][k] = given[row][k];
            b.of[b.rank++][row] = 1;
        }
    return b;
}

/* Each vector over its largest entry; that of a zero vector is one. */
static void directions_of(const basis *b, double hat[3][3])
{
    for (uint32_t i = 0; i < b->rank; ++i) {
        const double most = largest_of(b->v[i]);
        for (int k = 0; k < 3; ++k)
            hat[i][k] = most > 0 ? b->v[i][k] / most : 0;
    }
}

/* The volume of the directions: 1 if they are at right angles, 0 if they are not independent. */
static double volume_of(const basis *b)
{
    double hat[3][3], normal[3];
    directions_of(b, hat);
    if (b->rank == 0)
        return 1;
    if (b->rank == 1)
        return largest_of(hat[0]);
    cross(hat[0], hat[1], normal);
    return b->rank == 2 ? largest_of(normal) : xli_magnitude(dot(normal, hat[2]));
}

/* Replaces vector i by its sum with whole numbers of the others if that is shorter. */
static bool shorten(basis *b, const double given[3][3], uint32_t i, const double times[3])
{
    double of[3], v[3] = {0, 0, 0};
    for (int row = 0; row < 3; ++row) {
        of[row] = b->of[i][row];
        for (uint32_t j = 0; j < b->rank; ++j)
            of[row] += times[j] * b->of[j][row];
    }
    for (int k = 0; k < 3; ++k)
        v[k] = of[0] * given[0][k] + of[1] * given[1][k] + of[2] * given[2][k];
    if (!(dot(v, v) < dot(b->v[i], b->v[i]) * (1 - 0x1p-20)))
        return false;
    for (int k = 0; k < 3; ++k) {
        b->v[i][k] = v[k];
        b->of[i][k] = of[k];
    }
    return true;
}

/* By the whole number of vector j that makes i shortest. */
static bool shorten_by_one(basis *b, const double given[3][3], uint32_t i, uint32_t j)
{
    double times[3] = {0, 0, 0};
    const double square = dot(b->v[j], b->v[j]);
    if (i == j || !(square > 0))
        return false;
    times[j] = -nearest(dot(b->v[i], b->v[j]) / square);
    return times[j] != 0 && shorten(b, given, i, times);
}

/* By one of each of both others. */
static bool shorten_by_both(basis *b, const double given[3][3], uint32_t i)
{
    bool shorter = false;
    for (int signs = 0; signs < 4 && b->rank == 3; ++signs) {
        double times[3] = {0, 0, 0};
        times[(i + 1) % 3] = signs & 1 ? 1 : -1;
        times[(i + 2) % 3] = signs & 2 ? 1 : -1;
        shorter = shorten(b, given, i, times) || shorter;
    }
    return shorter;
}

/* Vectors as short as whole numbers of each other make them (in three dimensions that is a
 * Minkowski basis: Semaev, "A 3-dimensional lattice reduction algorithm", 2001). */
static void reduce(basis *b, const double given[3][3])
{
    enum { MOST_ROUNDS = 4000 };
    bool shorter = true;
    for (int round = 0; shorter && round < MOST_ROUNDS; ++round) {
        shorter = false;
        for (uint32_t i = 0; i < b->rank; ++i) {
            for (uint32_t j = 0; j < b->rank; ++j)
                shorter = shorten_by_one(b, given, i, j) || shorter;
            shorter = shorten_by_both(b, given, i) || shorter;
        }
    }
}

/* Over the largest entry of all, so that squares neither overflow nor vanish. */
static double scale(const double given[3][3], double scaled[3][3])
{
    double most = 0;
    for (int row = 0; row < 3; ++row)
        most = xli_larger(most, largest_of(given[row]));
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 3; ++k)
            scaled[row][k] = most > 0 ? given[row][k] / most : 0;
    return most;
}

/* The basis of the vectors that `mask` has a bit of, reduced if they are skewed. */
static basis search_basis(const double given[3][3], uint32_t mask)
{
    double scaled[3][3];
    basis b = basis_of(given, mask);
    if (volume_of(&b) >= SKEWED)
        return b;
    (void)scale(given, scaled);
    b = basis_of((const double(*)[3])scaled, mask);
    reduce(&b, (const double(*)[3])scaled);
    for (uint32_t i = 0; i < b.rank; ++i)
        for (int k = 0; k < 3; ++k)
            b.v[i][k] =
                b.of[i][0] * given[0][k] + b.of[i][1] * given[1][k] + b.of[i][2] * given[2][k];
    return b;
}

static double largest_whole(const basis *b)
{
    double most = 0;
    for (uint32_t i = 0; i < b->rank; ++i)
        most = xli_larger(most, largest_of(b->of[i]));
    return most;
}

bool xli_grid_lattice_is_sound(const double given[3][3], uint32_t mask)
{
    const basis b = search_basis(given, mask);
    return volume_of(&b) > SINGULAR && largest_whole(&b) <= MOST_WHOLE;
}

/* ---- what searches are given ----------------------------------------------------------------- */

/* Puts numbers at a place of 16, in the precision of the coordinates. */
static void put(xli_grid_reals *to, bool wide, int at, const double *from, int count)
{
    for (int k = 0; k < count; ++k)
        if (wide)
            to->f64[at + k] = from[k];
        else
            to->f32[at + k] = (float)from[k];
}

/* The axes bound t0. */
static void put_inner(xli_grid_lattice *l, const basis *b)
{
    double inverse[3];
    for (int k = 0; k < 3; ++k)
        inverse[k] =
            xli_magnitude(b->v[0][k]) > SINGULAR * largest_of(b->v[0]) ? 1 / b->v[0][k] : 0;
    put(&l->slabs, l->wide, 0, inverse, 3);
}

/* v0 x e, for the axes e, bound t1. */
static void put_middle(xli_grid_lattice *l, const basis *b, double hat[3][3])
{
    double next[3], after[3], outer[3];
    const double length = largest_of(b->v[1]);
    for (int e = 0; e < 3; ++e) {
        const int j = (e + 1) % 3, k = (e + 2) % 3;
        const double by = hat[0][k] * hat[1][j] - hat[0][j] * hat[1][k];
        const bool bounds = xli_magnitude(by) > SINGULAR;
        next[e] = bounds ? hat[0][k] / by / length : 0;
        after[e] = bounds ? -hat[0][j] / by / length : 0;
        outer[e] = next[e] * b->v[2][j] + after[e] * b->v[2][k];
    }
    put(&l->slabs, l->wide, 3, next, 3);
    put(&l->slabs, l->wide, 6, after, 3);
    put(&l->slabs, l->wide, 9, outer, 3);
}

/* v0 x v1 bounds t2. */
static void put_outer(xli_grid_lattice *l, const basis *b, double hat[3][3])
{
    double normal[3];
    cross(hat[0], hat[1], normal);
    const double by = dot(normal, hat[2]) * largest_of(b->v[2]);
    for (int k = 0; k < 3; ++k)
        normal[k] /= by;
    put(&l->slabs, l->wide, 12, normal, 3);
}

/* Vector i of the reciprocal basis, times the largest entry of vector i of the basis. */
static void find_reciprocal(const basis *b, double hat[3][3], uint32_t i, double v[3])
{
    memcpy(v, hat[i], sizeof hat[i]);
    double by = dot(v, v);
    if (b->rank == 2) {
        const double *const other = hat[1 - i];
        const double along = dot(v, other) / dot(other, other);
        for (int k = 0; k < 3; ++k)
            v[k] -= along * other[k];
        by = dot(v, hat[i]);
    } else if (b->rank == 3) {
        cross(hat[(i + 1) % 3], hat[(i + 2) % 3], v);
        by = dot(v, hat[i]);
    }
    for (int k = 0; k < 3; ++k)
        v[k] /= by;
}

/* What its entries add up to. */
static double reciprocal_of(const basis *b, double hat[3][3], uint32_t i)
{
    double v[3];
    find_reciprocal(b, hat, i, v);
    return sum_of(v);
}

/* What cl/grid/grid_cell.cl adds to a reach: of the vectors given `of_a` and the next, and `slack`,
 * and the most that both are together. */
static void put_rounding(xli_grid_lattice *l, const double given[3][3], uint32_t mask,
                         const basis *b, double hat[3][3])
{
    const double unit = l->wide ? 0x1p-53 : 0x1p-24;
    const basis of = basis_of(given, mask);
    double along[9] = {0}, directions[3][3], units = UNITS;
    directions_of(&of, directions);
    for (uint32_t i = 0; i < b->rank; ++i)
        units += UNITS_OF_BASIS * reciprocal_of(b, hat, i);
    l->whole.s[9] = (cl_int)units + 1;
    l->slack = unit * l->whole.s[9];
    for (uint32_t i = 0, row = 0; row < 3; ++row)
        if (mask >> row & 1) {
            find_reciprocal(&of, directions, i++, along + 3 * row);
            for (int k = 0; k < 3; ++k)
                l->along[k] +=
                    xli_magnitude(along[3 * row + (uint32_t)k] *= UNITS_OF_SHIFTS * unit);
            l->slack += sum_of(along + 3 * row);
        }
    put(&l->rounding, l->wide, 0, along, 8);
    put(&l->cell, l->wide, 15, &along[8], 1);
}

static void put_whole(xli_grid_lattice *l, const basis *b, uint32_t dimensions)
{
    for (uint32_t i = 0; i < b->rank; ++i)
        for (int row = 0; row < 3; ++row)
            l->whole.s[3 * i + (uint32_t)row] = (cl_int)b->of[i][row];
    l->whole.s[10] = (cl_int)b->rank;
    l->whole.s[11] = b->rank == dimensions;
}

/* Within which distance of the nearest image of a point k more of it are: of those in a box of
 * whole numbers of the shortest vectors. */
double xli_grid_lattice_reach(const xli_grid_lattice *l, uint32_t k)
{
    double least = DBL_MAX, lengths = 0, all = 0;
    for (uint32_t rank = 1; rank <= l->rank; ++rank) {
        uint32_t side = 1, images = 1;
        lengths += l->length[rank - 1];
        for (; images < k + 2; ++side) {
            images = 1;
            for (uint32_t i = 0; i < rank; ++i)
                images *= side + 1;
        }
        least = lengths * side < least ? lengths * side : least;
        all = lengths;
    }
    return (least + all) * (1 + 0x1p-8);
}

static void put_lengths(xli_grid_lattice *l, const basis *b, double hat[3][3])
{
    l->rank = b->rank;
    for (uint32_t i = 0; i < b->rank; ++i) {
        uint32_t at = i;
        const double length = sum_of(b->v[i]);
        for (; at > 0 && l->length[at - 1] > length; --at)
            l->length[at] = l->length[at - 1];
        l->length[at] = length;
        l->height[i] = largest_of(b->v[i]) / reciprocal_of(b, hat, i);
    }
}

/* What there may be of the lowest height. */
static void put_limits(xli_grid_lattice *l, const basis *b)
{
    double lowest = (l->wide ? DBL_MAX : (double)FLT_MAX) / HEIGHTS, numbers = 1;
    for (uint32_t i = 0; i < l->rank; ++i)
        lowest = l->height[i] < lowest ? l->height[i] : lowest;
    for (int row = 0; row < 3; ++row) {
        double sum = 0;
        for (uint32_t i = 0; i < l->rank; ++i)
            sum += xli_magnitude(b->of[i][row]) * (lowest / l->height[i]);
        numbers = xli_larger(numbers, sum);
    }
    const double farthest = HEIGHTS * lowest;
    l->periods = COUNTED / xli_larger(COUNTED / MOST_PERIODS, numbers);
    put(&l->slabs, l->wide, 15, &farthest, 1);
}

void xli_grid_fractions_of(const double given[3][3], uint32_t mask, double of[3][3])
{
    double hat[3][3];
    const basis b = basis_of(given, mask);
    directions_of(&b, hat);
    for (uint32_t i = 0, row = 0; row < 3; ++row)
        if (mask >> row & 1) {
            find_reciprocal(&b, hat, i, of[row]);
            for (int k = 0; k < 3; ++k)
                of[row][k] /= largest_of(b.v[i]);
            ++i;
        }
}

xli_grid_lattice xli_grid_lattice_of(const double given[3][3], uint32_t periodic,
                                     uint32_t dimensions, bool wide)
{
    double hat[3][3] = {{0}};
    xli_grid_lattice l = {.wide = wide};
    const basis b = search_basis(given, periodic);
    directions_of(&b, hat);
    for (int row = 0; row < 3; ++row)
        if (periodic >> row & 1)
            put(&l.cell, wide, 3 * row, given[row], 3);
    put(&l.cell, wide, 9, b.v[1], 3);
    put(&l.cell, wide, 12, b.v[2], 3);
    if (b.rank > 0)
        put_inner(&l, &b);
    if (b.rank > 1)
        put_middle(&l, &b, hat);
    if (b.rank > 2)
        put_outer(&l, &b, hat);
    put_whole(&l, &b, dimensions);
    put_lengths(&l, &b, hat);
    put_rounding(&l, given, periodic, &b, hat);
    put_limits(&l, &b);
    return l;
}
