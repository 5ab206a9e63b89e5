/* SPDX-License-Identifier: MIT
 * Pieces of the grid and of the walk of a search by themselves, for grid_pieces_test.c.
 *
 *   XL_ITEMS    elements per work-item
 *   XL_PLANES   0: sorted points are four words each
 *   XL_DIMENSIONS  3
 *   XL_STRIDE   scalars from one point to the next */
#include "../../cl/grid/grid_points.cl"
#include "../../cl/neighbors/neighbors_iterator.cl"

/* The cells of coordinates where rows are listed. */
__kernel void xl_test_cells(__global const float *x, uint n, float inverse, float beyond,
                            __global int *cells)
{
    xl_grid_map map;
    map.origin = map.last = (float4)(0.0f);
    map.inverse = (float4)(inverse);
    map.beyond = as_int(beyond);
    map.row = map.layer = map.table = map.points = map.rows = map.cells = 1;
    map.sparse = true;
    map.failed = false;
    XL_FOR_ITEMS(i, n)
    cells[i] = xl_grid_cell(&map, (float4)(0.0f, x[i], 0.0f, 0.0f)).y;
}

/* The sorted points that the search of each point looks at. */
__kernel void xl_test_candidates(__global const uint *storage, ulong header_at, ulong starts_at,
                                 ulong begins_at, ulong sorted_at, uint n, uint table, float reach,
                                 __global uint *counts)
{
    xl_grid_map map =
        xl_grid_load((__global const xl_grid_header *)(storage + header_at), table, n);
    xl_grid_index index;
    index.starts = storage + starts_at;
    index.keys = (__global const ulong *)(storage + starts_at);
    index.begins = storage + begins_at;
    index.sorted = storage + sorted_at;
    XL_FOR_ITEMS(k, n)
    {
        uint count = 0;
        const float4 p = xl_grid_position(xl_grid_sorted(index.sorted, n, (uint)k));
        xl_cell_iterator walk = xl_cell_iterator_begin(&map, p, p, reach);
        while (xl_cell_iterator_next(&walk, &map, &index))
            count += walk.end > walk.begin ? walk.end - walk.begin : 0u;
        counts[k] = count;
    }
}

/* Where points start. */
__kernel void xl_test_points(__global const uint *points, uint n, __global ulong *at)
{
    XL_FOR_ITEMS(i, n)
    at[i] = xl_grid_point_at(points[i]);
}
