/* SPDX-License-Identifier: MIT
 * Reduce-then-scan: in one launch each work-group reduces its run of whole tiles;
 * in a second each folds the totals of the runs before its own and scans its run
 * from there. Which elements form a run follows from n and the plan alone, so
 * that floating-point sums come out the same every time.
 * After Dotsenko et al., "Fast scan algorithms on graphics processors" (ICS 2008),
 * without a launch of its own for the few totals.
 *
 * A scan of one tile is the second launch alone, with one group and no totals.
 *
 * Asks for the lines of cl/prelude/prelude_type.cl, and
 *   XL_SERIAL      1: a group is one work-item that walks XL_TILE elements
 *   XL_INCLUSIVE   1: an element's result includes it
 *   XL_SERIAL 1:   XL_TILE  elements of a tile
 *   XL_SERIAL 0:   XL_GROUP_SIZE, XL_ITEMS  as in cl/tile/tile_load.cl */
#include "../prelude/prelude_type.cl"

#if !defined(XL_SERIAL) || !defined(XL_INCLUSIVE)
#error "XL_SERIAL and XL_INCLUSIVE must be defined"
#endif

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#define XL_GROUP_SIZE 1
#else
#include "../tile/tile_scan.cl"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* totals[g] = the run of group g reduced; a run is `run` elements, whole tiles. */
__kernel XL_REQUIRED void xl_scan_reduce(const __global XL_T *in, ulong in_offset, ulong n,
                                         ulong run, __global XL_T *totals, ulong totals_offset)
{
    const ulong group = get_group_id(0);
    ulong at = min(group * run, n);
    const ulong end = min(at + run, n);
    in += in_offset;
#if XL_SERIAL
    const XL_T total = xl_serial_reduce(in + at, end - at);
#else
    __local XL_T scratch[XL_TILE_SCRATCH];
    XL_T item[XL_ITEMS];
    XL_T total = XL_IDENTITY;
    for (; at < end; at += XL_TILE) {
        xl_tile_load(item, in + at, end - at, XL_UNIT, true);
        total = xl_op(total, xl_tile_reduce(item, scratch));
    }
#endif
    if (get_local_id(0) == 0)
        totals[totals_offset + group] = total;
}

/* init op totals[0] op ... op totals[group - 1] */
XL_T xl_fold_totals(const __global XL_T *totals, uint group, XL_T init
#if !XL_SERIAL
                    ,
                    __local XL_T *scratch
#endif
)
{
    XL_T sum = XL_IDENTITY;
#if XL_SERIAL
    for (uint k = 0; k < group; ++k)
        sum = xl_op(sum, totals[k]);
#else
    const uint share = XL_CEIL_DIV(group, XL_GROUP_SIZE);
    const uint first = min((uint)get_local_id(0) * share, group);
    const uint last = min(first + share, group);
    for (uint k = first; k < last; ++k)
        sum = xl_op(sum, totals[k]);
    sum = xl_group_reduce(sum, scratch);
#endif
    return xl_op(init, sum);
}

/* Scans run after run. With one group `totals` is not read. */
__kernel XL_REQUIRED void xl_scan_spread(const __global XL_T *in, ulong in_offset, ulong n,
                                         ulong run, const __global XL_T *totals,
                                         ulong totals_offset, __global XL_T *out, ulong out_offset,
                                         XL_T init, uint flags)
{
    const uint group = (uint)get_group_id(0);
    ulong at = min(group * run, n);
    const ulong end = min(at + run, n);
    in += in_offset;
    out += out_offset;
#if XL_SERIAL
    XL_T carry = xl_fold_totals(totals + totals_offset, group, init);
    xl_serial_scan(in + at, out + at, end - at, carry, flags & 1);
#else
    __local XL_T scratch[XL_TILE_SCRATCH];
    XL_T item[XL_ITEMS];
    XL_T carry = xl_fold_totals(totals + totals_offset, group, init, scratch);
    for (; at < end; at += XL_TILE) {
        XL_T before, all;
        xl_tile_load(item, in + at, end - at, XL_UNIT, false);
        const XL_T unit = xl_unit_scan(item, scratch);
        xl_units_fold(unit, scratch, &before, &all);
        xl_tile_store(item, out + at, end - at, xl_op(carry, before));
        carry = xl_op(carry, all);
    }
#endif
}
