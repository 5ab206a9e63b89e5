/* SPDX-License-Identifier: MIT
 * Points and spaces for the tests of halos, the same on all ranks. */
#ifndef MPI_POINTS_H
#define MPI_POINTS_H

#include "mpi_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct points_case {
    const char *name;
    xl_space space;
    double radius;
    size_t n;
    int sorted; /* 1: by rows of cells of twice the radius, so that parts are compact. 2: by Morton codes
                   of small cells */
} points_case;

#define POINTS_BOX(d, type, mask, x, y, z)                                                         \
    {                                                                                              \
        .dimensions = (d), .scalar = (type), .bounds = XL_BOUNDS_GIVEN, .periodic = (mask),        \
        .origin = {-1, 2, 0}, .cell = {                                                            \
            {(x), 0, 0},                                                                           \
            {0, (y), 0},                                                                           \
            {0, 0, (z)}                                                                            \
        }                                                                                          \
    }
#define POINTS_CELL(type, mask)                                                                    \
    {                                                                                              \
        .dimensions = 3, .scalar = (type), .bounds = XL_BOUNDS_GIVEN, .periodic = (mask),          \
        .origin = {-3, 1, -2}, .cell = {                                                           \
            {9, 0, 0},                                                                             \
            {4, 8, 0},                                                                             \
            {-3, 2.5, 7}                                                                           \
        }                                                                                          \
    }
#define POINTS_OPEN(d, type)                                                                       \
    {                                                                                              \
        .dimensions = (d), .scalar = (type), .bounds = XL_BOUNDS_FOUND                             \
    }

static const points_case points_cases[] = {
    {"open, f32", POINTS_OPEN(3, XL_F32), 1.1, 900, true},
    {"open, f32, random division", POINTS_OPEN(3, XL_F32), 1.1, 600, false},
    {"open, f64", POINTS_OPEN(3, XL_F64), 1.1, 900, true},
    {"open, 2 dimensions", POINTS_OPEN(2, XL_F32), .5, 900, true},
    {"open, 1 dimension", POINTS_OPEN(1, XL_F64), .05, 900, true},
    {"box, not periodic", POINTS_BOX(3, XL_F32, 0, 10, 9, 8), 1.1, 700, true},
    {"periodic along x", POINTS_BOX(3, XL_F32, 1, 10, 9, 8), 1.1, 700, true},
    {"periodic along y", POINTS_BOX(3, XL_F32, 2, 10, 9, 8), 1.1, 700, true},
    {"periodic along z", POINTS_BOX(3, XL_F64, 4, 10, 9, 8), 1.1, 700, true},
    {"periodic", POINTS_BOX(3, XL_F32, 7, 10, 9, 8), 1.1, 900, true},
    {"periodic, f64, random division", POINTS_BOX(3, XL_F64, 7, 10, 9, 8), 1.1, 600, false},
    {"periodic, 2 dimensions", POINTS_BOX(2, XL_F32, 3, 10, 9, 0), .6, 700, true},
    {"periodic, 1 dimension", POINTS_BOX(1, XL_F32, 1, 10, 0, 0), .05, 700, true},
    {"triclinic", POINTS_CELL(XL_F32, 7), 1.1, 900, true},
    {"triclinic, f64, random division", POINTS_CELL(XL_F64, 7), 1.1, 600, false},
    {"triclinic, periodic along two vectors", POINTS_CELL(XL_F32, 5), 1.1, 700, true},
    {"triclinic, periodic along one vector", POINTS_CELL(XL_F64, 2), 1.1, 700, true},
    {"thin: one and a half radii", POINTS_BOX(3, XL_F32, 7, 20, 1.65, 20), 1.1, 700, true},
    {"thin: a third of the radius", POINTS_BOX(3, XL_F64, 7, 20, 20, .37), 1.1, 200, true},
    {"thin: a hundredth of the radius", POINTS_BOX(2, XL_F32, 3, 20, .011, 0), 1.1, 60, true},
    {"thin along two axes", POINTS_BOX(3, XL_F32, 7, 30, 1.2, 1.3), 1.1, 200, true},
    {"a flat box", POINTS_BOX(3, XL_F32, 3, 10, 9, 0), .6, 700, true},
    {"far from 0",
     {.dimensions = 3,
      .scalar = XL_F32,
      .bounds = XL_BOUNDS_GIVEN,
      .periodic = 7,
      .origin = {1000, -1000, 500},
      .cell = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}},
     1.0,
     700,
     true},
};
enum { POINTS_CASES = sizeof points_cases / sizeof points_cases[0] };

/* A number from 0 to below 1. */
static inline double points_number(uint64_t *state)
{
    return (double)(test_random(state) >> 11) * 0x1p-53;
}

static inline double points_rounded(const xl_space *s, double x)
{
    return s->scalar == XL_F64 ? x : (double)(float)x;
}

/* A random point of the space; in open space of a cube with edges of 10. */
static inline void points_random(const xl_space *s, uint64_t *state, double p[3])
{
    double f[3];
    p[0] = p[1] = p[2] = 0;
    for (uint32_t k = 0; k < s->dimensions; ++k)
        f[k] = points_number(state);
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        p[a] = s->bounds == XL_BOUNDS_FOUND ? 10 * f[a] : s->origin[a];
        for (uint32_t k = 0; k < s->dimensions && s->bounds == XL_BOUNDS_GIVEN; ++k)
            p[a] += f[k] * s->cell[k][a];
        p[a] = points_rounded(s, p[a]);
        if (s->bounds == XL_BOUNDS_GIVEN && s->cell[a][a] > 0 && s->cell[1][0] == 0)
            p[a] = fmin(p[a], points_rounded(s, points_rounded(s, s->origin[a]) +
                                                    points_rounded(s, s->cell[a][a])));
    }
}

static double points_edge; /* of the cells by which points are compared */
static inline int points_compare(const void *a, const void *b)
{
    const double *const p = a, *const q = b;
    for (int axis = 2; axis >= 0; --axis) {
        const double x = floor(p[axis] / points_edge), y = floor(q[axis] / points_edge);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static inline uint64_t points_code(const double *p)
{
    uint64_t code = 0;
    for (int bit = 20; bit >= 0; --bit)
        for (int axis = 2; axis >= 0; --axis)
            code = code << 1 | ((uint64_t)(p[axis] * 1024 + 0x1p19) >> bit & 1);
    return code;
}

static inline int points_compare_codes(const void *a, const void *b)
{
    const uint64_t x = points_code(a), y = points_code(b);
    return x < y ? -1 : x > y;
}

/* All points of a case: n times 3 numbers. Some are equal, some are on the faces. */
static inline double (*points_make(const points_case *c))[3]
{
    double(*const points)[3] = malloc((c->n + 1) * sizeof *points);
    uint64_t state = c->n;
    for (size_t i = 0; i < c->n; ++i) {
        points_random(&c->space, &state, points[i]);
        if (i % 50 == 1)
            memcpy(points[i], points[i - 1], sizeof points[i]);
        if (i % 50 == 2 && c->space.bounds == XL_BOUNDS_GIVEN)
            for (uint32_t a = 0; a < c->space.dimensions; ++a)
                points[i][a] = points_rounded(&c->space, c->space.origin[a]);
    }
    points_edge = 2 * c->radius;
    if (c->sorted)
        qsort(points, c->n, sizeof *points, c->sorted == 2 ? points_compare_codes : points_compare);
    return points;
}

/* A buffer of points `begin` to `end`, of the scalar of the space: `offset` scalars, then one point each
 * `stride` scalars. */
static inline cl_mem points_buffer(const xl_space *s, double (*points)[3], size_t begin, size_t end,
                                   size_t stride, size_t offset)
{
    const size_t bytes = s->scalar == XL_F64 ? 8 : 4, count = offset + (end - begin) * stride;
    unsigned char *const memory = calloc(count + 1, bytes);
    for (size_t i = begin; i < end; ++i)
        for (uint32_t a = 0; a < s->dimensions; ++a) {
            const size_t at = (offset + (i - begin) * stride + a) * bytes;
            const float narrow = (float)points[i][a];
            memcpy(memory + at, bytes == 8 ? (const void *)&points[i][a] : (const void *)&narrow,
                   bytes);
        }
    const cl_mem buffer = test_buffer(count * bytes, memory);
    free(memory);
    return buffer;
}

#endif
