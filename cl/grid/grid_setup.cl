/* SPDX-License-Identifier: MIT
 * From the box of the points to the shape of the grid: a table where the cells of
 * the box fit into it, a list of rows otherwise. */
#ifndef XL_GRID_SETUP
#define XL_GRID_SETUP

#include "grid_points.cl"

/* The box given, or that of the points; of no finite points at all, a point. */
void xl_grid_set_box(__global xl_grid_header *header, float4 lower, float4 upper)
{
#if XL_BOUNDED
    header->lower[0] = lower.x;
    header->lower[1] = lower.y;
    header->lower[2] = lower.z;
    header->upper[0] = upper.x;
    header->upper[1] = upper.y;
    header->upper[2] = upper.z;
#else
    bool empty = header->points == header->non_finite;
    for (int a = 0; a < 3; ++a) {
        header->lower[a] = empty ? 0.0f : xl_grid_from_ordered(header->low[a]);
        header->upper[a] = empty ? 0.0f : xl_grid_from_ordered(header->high[a]);
    }
#endif
}

/* Cells numbered from the corner of the box; false if there are more than the
 * table has entries. The last number is found as that of a point on the upper
 * face is, so that no point lies beyond it. */
bool xl_grid_set_dense(__global xl_grid_header *header, uint table)
{
    ulong cells = 1;
    for (int a = 0; a < 3; ++a) {
        const float inverse = a == 0 ? header->inverse * header->thin : header->inverse;
        float last = floor((header->upper[a] - header->lower[a]) * inverse);
        last = fmin(fmax(last, 0.0f), XL_GRID_MANY);
        cells *= (ulong)last + 1UL;
        if (cells > table)
            return false;
        header->origin[a] = header->lower[a];
        header->last[a] = last;
        header->cells[a] = (uint)last + 1u;
    }
    header->counted = cells + 1;
    return true;
}

/* Cells numbered from the origin of space: the box of a cloud with a point far
 * off has a corner that would cost the others their precision. What rows have in common is left
 * out of their keys. */
void xl_grid_set_sparse(__global xl_grid_header *header, uint points)
{
    for (int a = 0; a < 3; ++a) {
        header->origin[a] = 0.0f;
        header->last[a] = 0.0f;
        header->cells[a] = 0;
    }
    const xl_grid_map map = xl_grid_load(header, 1, points);
    const int4 first = xl_grid_far_cell(&map, xl_grid_float4(header->lower));
    const int4 last = xl_grid_far_cell(&map, xl_grid_float4(header->upper));
    header->first_y = first.y;
    header->first_z = first.z;
    header->y_bits = 32u - clz((uint)last.y - (uint)first.y);
    header->together = header->y_bits + 32u - clz((uint)last.z - (uint)first.z) <= 32u ? 1u : 0u;
    header->flagged = points;
    header->sorted = points;
    header->sorted_again = header->together ? 0 : points;
}

#endif
