/* SPDX-License-Identifier: MIT
 * The box that leans with a triclinic cell around the points of a build, whichever they are: a
 * search passes over images by it. */
#ifndef XL_GRID_LEAN
#define XL_GRID_LEAN

#include "grid_points.cl"

#if XL_TRICLINIC
#include "grid_cell.cl"

/* What counts of each axis: the lowest, turned round, and the highest, so that zeros are none. */
#define XL_GRID_LEAN_WORDS 6u

/* Into header->lean, which the setup has filled with zeros. Any number of groups. */
__kernel void xl_grid_lean(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                           float4 lower, float4 upper, float4 period, float extent)
{
    __local uint found[XL_GRID_LEAN_WORDS];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    uint low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    xl_cell cell;
    xl_cell_set(&cell, lower, upper, period, extent);
    for (uint k = (uint)get_local_id(0); k < XL_GRID_LEAN_WORDS; k += (uint)get_local_size(0))
        found[k] = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const float4 p = xl_grid_point(XL_POINTS, (uint)i);
        const float4 at = xl_cell_straighten(&cell, p);
        if (!xl_grid_finite(p) || !xl_grid_finite(at))
            continue;
        low[0] = max(low[0], ~xl_grid_to_ordered(at.x));
        low[1] = max(low[1], ~xl_grid_to_ordered(at.y));
        low[2] = max(low[2], ~xl_grid_to_ordered(at.z));
        high[0] = max(high[0], xl_grid_to_ordered(at.x));
        high[1] = max(high[1], xl_grid_to_ordered(at.y));
        high[2] = max(high[2], xl_grid_to_ordered(at.z));
    }
    XL_LOCAL_BARRIER();
    for (int a = 0; a < 3; ++a) {
        atomic_max(&found[a], low[a]);
        atomic_max(&found[a + 3], high[a]);
    }
    XL_LOCAL_BARRIER();
    for (uint k = (uint)get_local_id(0); k < XL_GRID_LEAN_WORDS; k += (uint)get_local_size(0))
        atomic_max(&header->lean[k], found[k]);
}
#endif

#endif
