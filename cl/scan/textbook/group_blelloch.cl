/* SPDX-License-Identifier: MIT
 * Scan of values in local memory by a work-group with the least work: up and down a tree.
 *
 * Blelloch, "Prefix sums and their applications" (CMU-CS-90-190, 1990), section 1.2; on GPUs
 * Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA" (GPU Gems 3, 2007), sections
 * 39.2.2 and 39.2.3.
 *
 *   Phase 1, up-sweep: builds a balanced tree of subtotals in the places of the values: the right
 *            one of two neighbours becomes the sum of both, then the same for places 2 apart,
 *            4 apart, ... The last place ends with the total.
 *   Phase 2, down-sweep: the root becomes the value that precedes the whole array. From there every
 *            node passes its own value to its left child, and that value op the left child's
 *            subtotal to its right child.
 *
 * Each phase takes log2(count) steps, about count operations. For the values
 *
 *   a  b  c  d     up:  a  ab  c  cd     a  ab  c  abcd
 *                down:  a  ab  c  -      a  -   c  ab       -  a  ab  abc
 *
 * A right child always gets (before op left), never (left op before), so operands keep their order.
 *
 * The work-items of the group, any number, share the nodes. Which values are combined depends only
 * on `count`. */
#ifndef XL_GROUP_BLELLOCH
#define XL_GROUP_BLELLOCH

#include "../../prelude/prelude_accumulator.cl"

/* The place of value i. Nodes high in the tree are 32, 64, ... values apart. On GPUs these places
 * are in the same bank of local memory and would be served one after the other; an unused place
 * after every 32 values puts them into different banks. */
#if XL_IS_CPU
#define XL_BANKED(i) (i)
#else
#define XL_BANKED(i) ((i) + (i) / 32)
#endif

/* Phase 1 for `count` values, a power of two: the last one becomes their total. All work-items must
 * call the functions of this file together. Each ends with a barrier, and this one also begins with
 * one. */
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
