/* SPDX-License-Identifier: MIT
 * Reduce-then-scan: in the first launch each work-group reduces its chunk of whole tiles; in the
 * second one, each folds the totals of the chunks before its own and scans its chunk from there. If
 * that fold would take a single work-item as long as its chunk, launches in between scan the
 * totals. The chunks depend only on n and the plan, so a floating-point sum is the same every time.
 * It is the same on every device if chunks have 256 elements and groups one work-item, as with
 * XL_REPRODUCIBLE for elements that are too large for cl/scan/scan_reproducible.cl.
 * After Dotsenko et al., "Fast scan algorithms on graphics processors" (ICS 2008), but without an
 * extra launch for few totals.
 *
 * For one tile there is only the second launch, with one group and no totals. For a carry alone
 * one group folds the totals instead. */
#include "../tile/tile_input.cl"

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#else
#include "../tile/tile_load.cl"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* spine[g] = the total of the chunk of group g, which is whole tiles. */
__kernel XL_REQUIRED void xl_scan_upsweep(XL_INPUT_ARGUMENTS, ulong chunk_elements,
                                          __global uchar *scratch_at, ulong scratch_offset)
{
    XL_INPUT_MAKE(input);
    const ulong group = get_group_id(0);
    ulong at = min(group * chunk_elements, input.n);
    const ulong end = min(at + chunk_elements, input.n);
#if XL_SERIAL
    const XL_T total = xl_serial_reduce(&input, at, end - at);
#else
    __local XL_T scratch[XL_TILE_SCRATCH];
    XL_T item[XL_ITEMS];
    XL_T total = xl_identity();
    for (; at < end; at += XL_TILE) {
        xl_tile_load(item, &input, at, xl_sub_tile(), true);
        total = xl_op(total, xl_tile_reduce(item, scratch));
    }
#endif
    if (get_local_id(0) == 0)
        ((__global XL_T *)(scratch_at + scratch_offset))[group] = total;
}

#if XL_SERIAL
/* For many totals, by one work-item: replaces the totals `from` to after - 1 by their inclusive
 * scan. The totals before `from` are already scanned. */
__kernel XL_REQUIRED void xl_scan_spine(__global uchar *scratch_at, ulong scratch_offset,
                                        ulong from, ulong after)
{
    __global XL_T *const spine = (__global XL_T *)(scratch_at + scratch_offset);
    XL_T sum = xl_identity();
    if (from > 0)
        sum = spine[from - 1];
    XL_IN_ORDER
    for (ulong k = from; k < after; ++k) {
        sum = xl_op(sum, spine[k]);
        spine[k] = sum;
    }
}

/* start op totals[0] op ... op totals[group - 1]. `scanned`: the last of these is already all of
 * them. */
XL_T xl_spine_fold(const __global XL_T *spine, uint group, XL_T start, bool scanned)
{
    XL_T sum = xl_identity();
    XL_IN_ORDER
    for (uint k = scanned && group > 0 ? group - 1 : 0; k < group; ++k)
        sum = xl_op(sum, spine[k]);
    return xl_op(start, sum);
}
#else
/* The same by a group; its totals are never scanned. */
XL_T xl_spine_fold(const __global XL_T *spine, uint group, XL_T start, __local XL_T *scratch)
{
    XL_T sum = xl_identity();
    const uint share = xl_ceil_div(group, XL_GROUP_SIZE);
    const uint first = min((uint)get_local_id(0) * share, group);
    const uint last = min(first + share, group);
    for (uint k = first; k < last; ++k)
        sum = xl_op(sum, spine[k]);
    return xl_op(start, xl_group_reduce(sum, scratch));
}
#endif

/* Scans the chunks. With one group, `spine` is not read. `flags`: 1: results are written past the
 * cache; 2: the totals are scanned. */
__kernel XL_REQUIRED void xl_scan_downsweep(XL_INPUT_ARGUMENTS, ulong chunk_elements,
                                            const __global uchar *scratch_at, ulong scratch_offset,
                                            __global XL_OUT *out, ulong out_offset, uint flags)
{
    XL_INPUT_MAKE(input);
    const uint group = (uint)get_group_id(0);
    const XL_T start = xl_input_start(&input);
    ulong at = min(group * chunk_elements, input.n);
    const ulong begin = at, end = min(at + chunk_elements, input.n);
    const __global XL_T *const spine = (const __global XL_T *)(scratch_at + scratch_offset);
    out += out_offset;
#if XL_SERIAL
    XL_T carry = xl_spine_fold(spine, group, start, (flags & 2) != 0);
    carry = xl_serial_scan(&input, out, at, end - at, carry, flags & 1, XL_ORDERED, 0);
    if (XL_CARRY && begin < end && end == input.n)
        xl_carry_leave(&input, carry);
#else
    __local XL_T scratch[XL_TILE_SCRATCH];
    XL_T item[XL_ITEMS];
    XL_T carry = xl_spine_fold(spine, group, start, scratch);
    for (; at < end; at += XL_TILE) {
        XL_T before, all;
        xl_tile_load(item, &input, at, xl_sub_tile(), false);
        const XL_T sub_tile = xl_sub_tile_scan(&input, item, scratch);
        xl_sub_tiles_fold(sub_tile, scratch, &before, &all);
        xl_tile_store(item, &input, out, at, xl_op(carry, before), false);
        carry = xl_op(carry, all);
    }
    if (XL_CARRY && begin < end && end == input.n && get_local_id(0) == 0)
        xl_carry_leave(&input, carry);
#endif
    xl_carry_pass(&input);
}

#if XL_CARRY
/* The carry alone, by one group: folds all totals. `flags` as above. */
__kernel XL_REQUIRED void xl_scan_carry(XL_INPUT_ARGUMENTS, ulong totals,
                                        const __global uchar *scratch_at, ulong scratch_offset,
                                        __global uint *head_out, ulong head_offset, uint flags)
{
    XL_INPUT_MAKE(input);
    const XL_T start = xl_input_start(&input);
    const __global XL_T *const spine = (const __global XL_T *)(scratch_at + scratch_offset);
#if XL_SERIAL
    const XL_T all = xl_spine_fold(spine, (uint)totals, start, (flags & 2) != 0);
#else
    __local XL_T scratch[XL_TILE_SCRATCH];
    const XL_T all = xl_spine_fold(spine, (uint)totals, start, scratch);
#endif
    if (get_local_id(0) == 0) {
        xl_carry_leave(&input, all);
        if (head_out)
            head_out[head_offset] = xl_is_head(all);
    }
}
#endif
