/* SPDX-License-Identifier: MIT
 * Scan of a tile that a work-group holds as in cl/tile/tile_load.cl: work-items scan their vectors,
 * sub-groups their rows, and the totals of sub-tiles are combined in local memory.
 *
 * Local memory as in cl/tile/tile_reduce.cl. All work-items of the group must call these functions
 * together. */
#ifndef XL_SCAN_TILE
#define XL_SCAN_TILE

#include "../tile/tile_reduce.cl"

/* Replaces a vector by its scan from `carry` on; returns the carry after it. */
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

/* Scans the sub-tile in place, starting with xl_identity(); returns its total. */
XL_T xl_sub_tile_scan(const xl_input *input, XL_T *item, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T carry = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T all;
        const XL_T before = xl_lane_scan_total(xl_vector_reduce(item, row), &all);
        xl_vector_scan(input, item, row, xl_op(carry, before));
        carry = xl_op(carry, all);
    }
    return carry;
#else
    /* All rows together: the totals of vectors are in local memory in the order of elements, each
     * work-item scans XL_VECTORS consecutive ones, and the group scans the work-items' totals. At
     * the end a work-item reads the places that it wrote at the beginning, so it may write them
     * again without a barrier. */
    const uint i = (uint)get_local_id(0);
    __local XL_T *const totals = scratch + XL_GROUP_SIZE;
    for (uint row = 0; row < XL_VECTORS; ++row)
        totals[row * XL_GROUP_SIZE + i] = xl_vector_reduce(item, row);
    xl_local_barrier();
    XL_T mine = xl_identity(), all;
    for (uint k = 0; k < XL_VECTORS; ++k)
        mine = xl_op(mine, totals[i * XL_VECTORS + k]);
    mine = xl_group_scan_exclusive(mine, scratch, &all);
    for (uint k = 0; k < XL_VECTORS; ++k) {
        const XL_T total = totals[i * XL_VECTORS + k];
        totals[i * XL_VECTORS + k] = mine;
        mine = xl_op(mine, total);
    }
    xl_local_barrier();
    for (uint row = 0; row < XL_VECTORS; ++row)
        xl_vector_scan(input, item, row, totals[row * XL_GROUP_SIZE + i]);
    return all;
#endif
}

#endif
