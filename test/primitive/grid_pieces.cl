/* SPDX-License-Identifier: MIT
 * Where points start, for grid_pieces_test.c.
 *
 *   XL_ITEMS    elements per work-item
 *   XL_PLANES   0: sorted points are four words each
 *   XL_DIMENSIONS  3
 *   XL_STRIDE   scalars from one point to the next */
#include "../../cl/grid/grid_points.cl"

__kernel void xl_test_points(__global const uint *points, uint n, __global ulong *at)
{
    XL_FOR_ITEMS(i, n)
    at[i] = xl_grid_point_at(points[i]);
}
