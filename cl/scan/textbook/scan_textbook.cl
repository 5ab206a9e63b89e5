/* SPDX-License-Identifier: MIT
 * The two textbook scans, device-wide: the array is divided into blocks that a work-group can hold,
 * and the totals of the blocks are scanned in the same way, until one block is left. Harris,
 * Sengupta and Owens, "Parallel prefix sum (scan) with CUDA" (GPU Gems 3, 2007), section 39.2.4;
 * Blelloch, CMU-CS-90-190, section 1.2.
 *
 *   Phase 1, up: each group reduces a block of XL_TILE elements to its total; on the next level,
 *            XL_TILE totals to one; and so on.
 *   Phase 2, down: on the last level one group scans the only block. On each level below, each
 *            group scans its block, starting with the prefix that the level above has computed for
 *            it, and on the lowest level it writes results.
 *
 * A block is scanned by Kogge and Stone's or by Blelloch's algorithm. Elements are read twice and
 * written once, and each level is 1 / XL_TILE of the one below. The books scan the blocks first and
 * later add the prefixes to the results: these would then be written and read once more, and would
 * need room for accumulators.
 *
 * Nothing here depends on the device. A block is XL_TILE / XL_ITEMS leaves of XL_ITEMS consecutive
 * elements, whatever the number of work-items that share them. Elements are combined from left to
 * right, and leaves by the group's scan. So an operator that rounds gives the same bits
 * everywhere. */
#include "../../tile/tile_heads.cl"
#include "group_blelloch.cl"
#include "group_kogge_stone.cl"

#if XL_SERIAL
#error "XL_SERIAL must be 0, because a group holds a block"
#elif XL_TILE % XL_ITEMS != 0 || (XL_TILE / XL_ITEMS & (XL_TILE / XL_ITEMS - 1)) != 0
#error "XL_TILE must be XL_ITEMS times a power of two"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))
#define XL_LEAVES (XL_TILE / XL_ITEMS)

/* Local memory of a group: a block, and its leaves. */
#define XL_BLOCK_VALUES XL_BANKED(XL_TILE)
#if XL_BLELLOCH
#define XL_LEAF_VALUES XL_BANKED(XL_LEAVES)
#define XL_LEAF(p) XL_BANKED(p)
#else
#define XL_LEAF_VALUES (2 * XL_LEAVES)
#define XL_LEAF(p) (p)
#endif

/* This work-item's share of the numbers below `end`. */
#define XL_FOR_EACH(e, end) for (uint e = (uint)get_local_id(0); e < (end); e += XL_GROUP_SIZE)

/* The number of elements in the block at `base`, of n in all blocks. Places after the last element
 * are set to xl_identity(). */
uint xl_block_count(ulong n, ulong base)
{
    return base < n ? (uint)min(n - base, (ulong)XL_TILE) : 0;
}

void xl_block_pad(__local XL_T *block, uint count)
{
    if (count < XL_TILE)
        XL_FOR_EACH(e, XL_TILE - count)
    block[XL_BANKED(count + e)] = xl_identity();
}

/* Loads the block at `base` into local memory. Adjacent work-items read adjacent elements. */
void xl_block_load(xl_input *input, __local uint4 *heads, __local XL_T *block, ulong base)
{
    const uint count = xl_block_count(input->n, base);
    xl_heads_prepare(input, heads, base);
    XL_FOR_EACH(e, count)
    block[XL_BANKED(e)] = xl_input_one(input, base + e);
    xl_block_pad(block, count);
    xl_local_barrier();
}

/* The same for totals. */
void xl_block_load_spine(const __global XL_T *spine, ulong n, __local XL_T *block, ulong base)
{
    const uint count = xl_block_count(n, base);
    XL_FOR_EACH(e, count)
    block[XL_BANKED(e)] = spine[base + e];
    xl_block_pad(block, count);
    xl_local_barrier();
}

/* Sets each leaf to the total of its elements. */
void xl_leaves_reduce(const __local XL_T *block, __local XL_T *leaves)
{
    XL_FOR_EACH(p, XL_LEAVES)
    {
        XL_T total = block[XL_BANKED(p * XL_ITEMS)];
        for (uint k = 1; k < XL_ITEMS; ++k)
            total = xl_op(total, block[XL_BANKED(p * XL_ITEMS + k)]);
        leaves[XL_LEAF(p)] = total;
    }
}

/* Returns the block's total. */
XL_T xl_block_reduce(const __local XL_T *block, __local XL_T *leaves)
{
    xl_leaves_reduce(block, leaves);
#if XL_BLELLOCH
    xl_blelloch_up(leaves, XL_LEAVES);
    return leaves[XL_LEAF(XL_LEAVES - 1)];
#else
    return xl_kogge_stone_total(leaves, XL_LEAVES);
#endif
}

/* Returns the prefix of each leaf: `before` and all leaves before this one. */
__local XL_T *xl_leaves_scan(const __local XL_T *block, __local XL_T *leaves, XL_T before)
{
    xl_leaves_reduce(block, leaves);
#if XL_BLELLOCH
    xl_blelloch_up(leaves, XL_LEAVES);
    xl_blelloch_down(leaves, XL_LEAVES, before);
    return leaves;
#else
    return xl_kogge_stone(leaves, leaves + XL_LEAVES, XL_LEAVES, before);
#endif
}

/* Phase 1, lowest level: the totals of the blocks of elements. They begin at byte `spine` of the
 * scratch. */
__kernel XL_REQUIRED void xl_textbook_upsweep(XL_INPUT_ARGUMENTS, __global uchar *scratch,
                                              ulong spine)
{
    __local XL_T block[XL_BLOCK_VALUES], leaves[XL_LEAF_VALUES];
    __local uint4 heads[XL_MARK_VECTORS];
    XL_INPUT_MAKE(input);
    const ulong group = get_group_id(0);
    xl_block_load(&input, heads, block, xl_tile_base(group, XL_TILE));
    const XL_T total = xl_block_reduce(block, leaves);
    if (get_local_id(0) == 0)
        ((__global XL_T *)(scratch + spine))[group] = total;
}

/* Phase 1, a higher level: the totals of the blocks of `count` totals. The totals at byte `from` of
 * the scratch are reduced to those at byte `to`. */
__kernel XL_REQUIRED void xl_textbook_upsweep_spine(__global uchar *scratch, ulong from,
                                                    ulong count, ulong to)
{
    __local XL_T block[XL_BLOCK_VALUES], leaves[XL_LEAF_VALUES];
    const ulong group = get_group_id(0);
    xl_block_load_spine((const __global XL_T *)(scratch + from), count, block,
                        xl_tile_base(group, XL_TILE));
    const XL_T total = xl_block_reduce(block, leaves);
    if (get_local_id(0) == 0)
        ((__global XL_T *)(scratch + to))[group] = total;
}

/* The prefix of this group's block. The last level has one block, whose prefix is empty. */
XL_T xl_block_before(const __global uchar *scratch, ulong above)
{
    if (get_num_groups(0) == 1)
        return xl_identity();
    return ((const __global XL_T *)(scratch + above))[get_group_id(0)];
}

/* Phase 2, the level of `count` totals at byte `at` of the scratch: each total becomes its prefix.
 * The level at byte `above` has the prefix of each block. */
__kernel XL_REQUIRED void xl_textbook_downsweep_spine(__global uchar *scratch, ulong at,
                                                      ulong count, ulong above)
{
    __local XL_T block[XL_BLOCK_VALUES], leaves[XL_LEAF_VALUES];
    const ulong base = xl_tile_base(get_group_id(0), XL_TILE);
    __global XL_T *const spine = (__global XL_T *)(scratch + at);
    xl_block_load_spine(spine, count, block, base);
    const __local XL_T *const scanned =
        xl_leaves_scan(block, leaves, xl_block_before(scratch, above));
    XL_FOR_EACH(p, XL_LEAVES)
    {
        XL_T before = scanned[XL_LEAF(p)];
        for (uint k = 0; k < XL_ITEMS; ++k) {
            const XL_T x = block[XL_BANKED(p * XL_ITEMS + k)];
            block[XL_BANKED(p * XL_ITEMS + k)] = before;
            before = xl_op(before, x);
        }
    }
    xl_local_barrier();
    XL_FOR_EACH(e, xl_block_count(count, base))
    spine[base + e] = block[XL_BANKED(e)];
}

/* Phase 2, lowest level: the results. */
__kernel XL_REQUIRED void xl_textbook_downsweep(XL_INPUT_ARGUMENTS, const __global uchar *scratch,
                                                ulong above, __global XL_OUT *out, ulong out_offset)
{
    __local XL_T block[XL_BLOCK_VALUES], leaves[XL_LEAF_VALUES];
    __local uint4 heads[XL_MARK_VECTORS];
    XL_INPUT_MAKE(input);
    const ulong base = xl_tile_base(get_group_id(0), XL_TILE);
    xl_block_load(&input, heads, block, base);
    const XL_T start = xl_op(xl_input_start(&input), xl_block_before(scratch, above));
    const __local XL_T *const scanned = xl_leaves_scan(block, leaves, start);
    XL_FOR_EACH(p, XL_LEAVES)
    {
        XL_T before = scanned[XL_LEAF(p)];
        for (uint k = 0; k < XL_ITEMS; ++k) {
            const XL_T x = block[XL_BANKED(p * XL_ITEMS + k)], next = xl_op(before, x);
            block[XL_BANKED(p * XL_ITEMS + k)] = xl_result(&input, before, x, next);
            if (XL_CARRY && base + p * XL_ITEMS + k + 1 == input.n)
                xl_carry_leave(&input, next);
            before = next;
        }
    }
    xl_local_barrier();
    out += out_offset + base;
    XL_FOR_EACH(e, xl_block_count(input.n, base))
    out[e] = xl_result_store(&input, xl_element_of(block[XL_BANKED(e)]), base + e);
    xl_carry_pass(&input);
}
