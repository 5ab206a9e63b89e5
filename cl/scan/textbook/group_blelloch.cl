/* SPDX-License-Identifier: MIT
 * Scan of values in local memory by a work-group with the least work: up and down a tree.
 *
 * Blelloch, "Prefix sums and their applications" (CMU-CS-90-190, 1990), section 1.2; on GPUs
 * Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA" (GPU Gems 3, 2007),
 * sections 39.2.2 and 39.2.3.
 *
 *   Phase 1, up-sweep: a balanced tree of subtotals is built over the values, in their own
 *            places: the right one of two neighbours takes in the left one, then of
 *            neighbours 2 apart, 4 apart ... The last place ends with the total.
 *   Phase 2, down-sweep: the root is set to what comes before the whole array. From there
 *            every node tells its left child what came before itself, and its right child
 *            that and the left child's subtotal.
 *
 * Each phase takes log2(count) steps, about count operations. For the values
 *
 *   a  b  c  d     up:  a  ab  c  cd     a  ab  c  abcd
 *                down:  a  ab  c  -      a  -   c  ab       -  a  ab  abc
 *
 * A right child is always told (before op left), never the other way round, so that
 * operands keep their order.
 *
 * The work-items of the group, any number, share the nodes out among them, so that what is
 * combined with what depends on `count` alone. */
#ifndef XL_GROUP_BLELLOCH
#define XL_GROUP_BLELLOCH

#include "../../prelude/prelude_accumulator.cl"

/* Where value i lies: nodes far up the tree are 32, 64 ... values apart, which on GPUs are
 * places in one and the same bank of local memory, so that they would be served in turn. A
 * gap after every 32 values moves them into neighbouring banks. */
#if XL_IS_CPU
#define XL_BANKED(i) (i)
#else
#define XL_BANKED(i) ((i) + (i) / 32)
#endif

/* Phase 1 for `count` values, a power of two: the last of them becomes their total. The
 * functions here are called by all work-items together, and end with a barrier; this one starts
 * with one too. */
void xl_blelloch_up(__local XL_T *values, uint count)
{
    for (uint span = 1; span < count; span *= 2) {
        xl_local_barrier();
        for (uint k = (uint)get_local_id(0); k < count / (2 * span); k += XL_GROUP_SIZE) {
            const uint left = (2 * k + 1) * span - 1, right = left + span;
            values[XL_BANKED(right)] = xl_op(values[XL_BANKED(left)], values[XL_BANKED(right)]);
        }
    }
    xl_local_barrier();
}

/* Phase 2: value v becomes before op value 0 op ... op value v - 1. */
void xl_blelloch_down(__local XL_T *values, uint count, XL_T before)
{
    if (get_local_id(0) == 0)
        values[XL_BANKED(count - 1)] = before;
    for (uint span = count / 2; span > 0; span /= 2) {
        xl_local_barrier();
        for (uint k = (uint)get_local_id(0); k < count / (2 * span); k += XL_GROUP_SIZE) {
            const uint left = (2 * k + 1) * span - 1, right = left + span;
            const XL_T subtotal = values[XL_BANKED(left)], mine = values[XL_BANKED(right)];
            values[XL_BANKED(left)] = mine;
            values[XL_BANKED(right)] = xl_op(mine, subtotal);
        }
    }
    xl_local_barrier();
}

#endif
