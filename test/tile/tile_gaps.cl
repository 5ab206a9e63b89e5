/* SPDX-License-Identifier: MIT
 * Distances from rows of cells, for tile_test.c. */
#include "../../cl/neighbors/neighbors_ranges.cl"

/* For each pair of a position, in edges, and the number of a row: their distance by both. */
__kernel void xl_test_gaps(__global const float2 *pairs, __global float2 *gaps)
{
    const float2 pair = pairs[get_global_id(0)];
    const float8 place = pair.x, row = pair.y;
    gaps[get_global_id(0)] = (float2)(xl_grid_gap(pair.x, pair.x, pair.y, 0.0f),
                                      xl_grid_gaps(place, place, row, 0.0f).s7);
}
