/* SPDX-License-Identifier: MIT
 * The space that points are in: dimensions, precision, box or cell, and periodic boundaries. Grids
 * (and the searches that are made from them), Morton codes and the approximate search describe it
 * with one structure. A box of edges 10, 10 and 20, periodic along x and y:
 *
 *     xl_space space = {.dimensions = 3, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN,
 *                       .periodic = 3, .cell = {{10, 0, 0}, {0, 10, 0}, {0, 0, 20}}}; */
#ifndef CROSSLANE_SPACE_H
#define CROSSLANE_SPACE_H

#include <crosslane/types.h>

typedef enum xl_bounds {
    XL_BOUNDS_FOUND = 0, /* open space: the device finds the box of the points. `periodic`, `origin`
                            and `cell` must be 0, or the call that makes the plan returns
                            XL_ERROR_INVALID_ARGUMENT */
    XL_BOUNDS_GIVEN = 1, /* origin and cell are given; a point outside is an error, unless `wrap`
                            moves it inside */
    /* For grids: a batch (num_systems above 0) whose systems have their own origin, cell and
     * periodicity, given with each build (xl_grid_build_args.cells). `periodic`, `origin` and
     * `cell` must be 0. With `wrap`, boxes are moved by the rule of cells. */
    XL_BOUNDS_PER_SYSTEM = 2
} xl_bounds;

/* With XL_F32, origin and cell are rounded to float once. With d dimensions, the first d rows and
 * columns of the cell count, and the first d coordinates of the origin.
 *
 * A box is a diagonal matrix with entries of at least 0, and above 0 along periodic axes: points
 * must be in origin[a] <= x[a] <= origin[a] + cell[a][a]; that sum, too, is rounded once. Any other
 * cell must have independent rows, of either hand. Points must be in the smallest box with edges
 * along the axes that contains the cell. This box is enlarged by 2^-20 of its size and of its
 * largest coordinate (XL_F64: 2^-48 of the coordinate). The call that makes a plan refuses a space
 * if rounding of its coordinates could move an image by more than a part of the cell: choose an
 * origin near 0, or shorter vectors of the same lattice.
 *
 * The matrix is used as given. The image S = (Sa, Sb, Sc) of a point is moved along each axis k by
 *     (Sa*cell[0][k] + Sb*cell[1][k]) + Sc*cell[2][k]
 * in the precision of the coordinates; each operation is rounded once. S is 0 along vectors that
 * are not periodic.
 *
 * With `wrap`, points may be anywhere along periodic vectors, as in trajectories. A point that is
 * where points must be is taken as it is. Any other point x is replaced by x less W whole vectors.
 * In a box, each coordinate outside is moved along its axis by one fused multiply-add, x - W*L, for
 * the largest W that leaves it not below the box; if it is then above the box, by rounding, it is
 * put on the face. In a cell, x is moved by the rule of images above, for W that are the whole
 * parts of its fractions along the periodic vectors; by rounding, too, it is put on the face. If it
 * still is outside, such as along a vector that is not periodic, the build fails as without `wrap`.
 * Distances, vectors and searches are those of the moved points, which equal those of the points
 * given to within rounding of these. Shifts S are those of the points given: (P[j] + S . cell) -
 * P[i] is the vector from i to the image of j, to within rounding. Given queries are not moved.
 * Limits: along an axis of period L a point must be within 2^24 * L of 0; W is at most 2^24. With
 * XL_F64 these are 2^53 * L, and below 2^29. */
typedef struct xl_space {
    uint32_t dimensions;  /* 1, 2 or 3 */
    uint32_t scalar;      /* xl_type of coordinates: XL_F32, or XL_F64 if the device has double
                            precision */
    uint32_t bounds;      /* xl_bounds */
    uint32_t periodic;    /* bit a: periodic along vector a of the cell. Requires XL_BOUNDS_GIVEN */
    double origin[3];     /* the corner where the vectors of the cell begin */
    double cell[3][3];    /* rows are the edge vectors */
    uint32_t wrap;        /* 1: points outside along periodic vectors are moved into the box or cell
                             by whole vectors, and shifts of lists are relative to the coordinates
                             given. Requires XL_BOUNDS_GIVEN and periodic other than 0, or
                             XL_BOUNDS_PER_SYSTEM */
    uint32_t num_systems; /* 0: one system. Otherwise a batch of this number of systems, at most
                             2^20: only points of the same system are neighbours. All systems share
                             the cell unless bounds is XL_BOUNDS_PER_SYSTEM; each may have any
                             number of points */
} xl_space;

#endif
