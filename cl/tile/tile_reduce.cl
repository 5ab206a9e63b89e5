/* SPDX-License-Identifier: MIT
 * Reduction of a tile that a work-group holds as in cl/tile/tile_load.cl: work-items reduce their
 * vectors, sub-groups their rows, and the totals of sub-tiles are combined in local memory.
 *
 * Local memory: XL_TILE_SCRATCH elements. All work-items of the group must call these functions
 * together. */
#ifndef XL_TILE_REDUCE
#define XL_TILE_REDUCE

#include "../group/group_reduce.cl"
#include "../lane/lane_scan_total.cl"
#include "tile_load.cl"

/* Without sub-groups, a scan needs one total per vector and the scratch of a group scan. */
enum { XL_TILE_SCRATCH = XL_GROUP_SIZE * (XL_USE_LANES ? 1 : XL_VECTORS + 1) };

#if XL_USE_LANES
/* The total of this work-item's sub-tile, at every lane. If the operator does not commute, this is
 * the total that xl_sub_tile_scan() returns, by the same operations. */
XL_T xl_sub_tile_reduce(const XL_T *item)
{
    XL_T total = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T part = xl_vector_reduce(item, row);
        if (!xl_commutes)
            part = xl_lane_total(part);
        total = xl_op(total, part);
    }
    if (xl_commutes)
        total = xl_lane_reduce(total);
    return total;
}
#endif

/* From the totals of all sub-tiles of the tile: *before, those before this one, and *all. */
void xl_sub_tiles_fold(XL_T sub_tile_total, __local XL_T *scratch, XL_T *before, XL_T *all)
{
#if XL_USE_LANES
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = sub_tile_total;
    xl_local_barrier();
    XL_T sum = xl_identity();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            *before = sum;
        sum = xl_op(sum, scratch[k]);
    }
    *all = sum;
    xl_local_barrier();
#else
    *before = xl_identity();
    *all = sub_tile_total;
#endif
}

/* The total of the tile, at every work-item. */
XL_T xl_tile_reduce(const XL_T *item, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T before, all;
    xl_sub_tiles_fold(xl_sub_tile_reduce(item), scratch, &before, &all);
    return all;
#else
    XL_T total = xl_identity();
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T part = xl_vector_reduce(item, row);
        if (!xl_commutes)
            part = xl_group_reduce(part, scratch);
        total = xl_op(total, part);
    }
    if (xl_commutes)
        total = xl_group_reduce(total, scratch);
    return total;
#endif
}

#endif
