/* SPDX-License-Identifier: MIT
 * Reduction and scan of a tile that a work-group holds as cl/tile/tile_load.cl
 * says: work-items scan their vectors, sub-groups scan their rows, and units meet
 * in local memory.
 *
 * Asks for what cl/tile/tile_load.cl asks for.
 *
 * Local memory: XL_TILE_SCRATCH elements. All work-items of the group must call
 * these together. */
#ifndef XL_TILE_SCAN
#define XL_TILE_SCAN

#include "../group/group_reduce.cl"
#include "../lane/lane_scan_total.cl"
#include "../tile/tile_load.cl"

#if XL_USE_LANES
#define XL_TILE_SCRATCH XL_GROUP_SCRATCH
#else
/* One total per row and work-item, and what a group scan needs. */
#define XL_TILE_SCRATCH (XL_VECTORS * XL_GROUP_SIZE + XL_GROUP_SCRATCH)
#endif

/* The vectors of a work-item. */
XL_T xl_vector_reduce(const XL_T *item, uint row)
{
    XL_T total = item[row * XL_VLEN];
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, item[row * XL_VLEN + v]);
    return total;
}

/* Replaces a vector by its scan that starts from `carry`; gives where it ends. */
XL_T xl_vector_scan(const xl_input *input, XL_T *item, uint row, XL_T carry)
{
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v) {
        const XL_T x = item[row * XL_VLEN + v], next = xl_op(carry, x);
        item[row * XL_VLEN + v] = xl_result(input, carry, x, next);
        carry = next;
    }
    return carry;
}

#if XL_USE_LANES
/* The part of a tile that this unit holds, reduced, at every lane. Unless operands may change
 * places that is what xl_sub_tile_scan() gives, by the same operations. */
XL_T xl_sub_tile_reduce(const XL_T *item)
{
    XL_T total = XL_IDENTITY;
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
#if XL_COMMUTES
        total = xl_op(total, xl_vector_reduce(item, row));
#else
        total = xl_op(total, xl_lane_total(xl_vector_reduce(item, row)));
#endif
    }
#if XL_COMMUTES
    total = xl_lane_reduce(total);
#endif
    return total;
}
#endif

/* Scans the unit's part in place, from XL_IDENTITY; gives its total. `rows`: those of the
 * tile, which must be XL_VECTORS where there are no sub-groups. */
XL_T xl_sub_tile_scan(const xl_input *input, XL_T *item, const uint rows, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T carry = XL_IDENTITY;
#pragma unroll
    for (uint row = 0; row < rows; ++row) {
        XL_T all;
        const XL_T before = xl_lane_scan_total(xl_vector_reduce(item, row), &all);
        xl_vector_scan(input, item, row, xl_op(carry, before));
        carry = xl_op(carry, all);
    }
    return carry;
#else
    /* All rows at once: the totals lie in element order in local memory, each
     * work-item scans XL_VECTORS neighbours of them, the group scans the work-items.
     * In the end a work-item reads what it wrote at the start, and may write it again. */
    const uint i = (uint)get_local_id(0);
    __local XL_T *const totals = scratch + XL_GROUP_SCRATCH;
    for (uint row = 0; row < XL_VECTORS; ++row)
        totals[row * XL_GROUP_SIZE + i] = xl_vector_reduce(item, row);
    XL_LOCAL_BARRIER();
    XL_T mine = XL_IDENTITY, all;
    for (uint k = 0; k < XL_VECTORS; ++k)
        mine = xl_op(mine, totals[i * XL_VECTORS + k]);
    mine = xl_group_scan_exclusive(mine, scratch, &all);
    for (uint k = 0; k < XL_VECTORS; ++k) {
        const XL_T total = totals[i * XL_VECTORS + k];
        totals[i * XL_VECTORS + k] = mine;
        mine = xl_op(mine, total);
    }
    XL_LOCAL_BARRIER();
    for (uint row = 0; row < XL_VECTORS; ++row)
        xl_vector_scan(input, item, row, totals[row * XL_GROUP_SIZE + i]);
    return all;
#endif
}

/* Of the totals of all units of the tile: those before this unit, and all. */
void xl_sub_tiles_fold(XL_T sub_tile_total, __local XL_T *scratch, XL_T *before, XL_T *all)
{
#if XL_USE_LANES
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = sub_tile_total;
    XL_LOCAL_BARRIER();
    XL_T sum = XL_IDENTITY;
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            *before = sum;
        sum = xl_op(sum, scratch[k]);
    }
    *all = sum;
    XL_LOCAL_BARRIER();
#else
    *before = XL_IDENTITY;
    *all = sub_tile_total;
#endif
}

/* The whole tile reduced, at every work-item. */
XL_T xl_tile_reduce(const XL_T *item, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T before, all;
    xl_sub_tiles_fold(xl_sub_tile_reduce(item), scratch, &before, &all);
    return all;
#else
    XL_T total = XL_IDENTITY;
#if XL_COMMUTES
    for (uint row = 0; row < XL_VECTORS; ++row)
        total = xl_op(total, xl_vector_reduce(item, row));
    total = xl_group_reduce(total, scratch);
#else
    for (uint row = 0; row < XL_VECTORS; ++row)
        total = xl_op(total, xl_group_reduce(xl_vector_reduce(item, row), scratch));
#endif
    return total;
#endif
}

#endif
