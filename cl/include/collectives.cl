/* SPDX-License-Identifier: MIT
 * #include <crosslane/collectives.cl>: scans, reductions and shuffles for an element
 * type and an operator of your own, of a sub-group and of a work-group. Includes
 * crosslane/lanes.cl. Include it again for each further type or operator:
 *
 *     #define XL_NAME total              what the functions' names start with
 *     #define XL_T float                 any type: scalar, vector, struct (one that ends in a
 *                                        padding NVIDIA 580 may copy in part: fill it)
 *     #define XL_OP(a, b) ((a) + (b))    an associative operator, or a call
 *     #define XL_IDENTITY 0.0f           an expression; XL_OP(XL_IDENTITY, x) is x
 *     #define XL_COMMUTES 1              optional: operands may change places
 *     #define XL_GROUP_SIZE 128          optional: the kernel's required work-group size,
 *                                        of any value; without it no group functions
 *     #include <crosslane/collectives.cl>
 *
 * The macros except XL_GROUP_SIZE are taken away again. For XL_NAME total this gives
 *   float total_shuffle_from(float x, uint from)   with one `from` for all: a broadcast
 *   float total_shuffle_up(float x, uint by), _shuffle_down, _shuffle_xor
 *   float total_lane_scan_inclusive(float x), total_lane_scan_exclusive
 *   float total_lane_segmented_scan_inclusive(float x, bool is_head), _exclusive
 *   float total_lane_reduce(float x)               in lane order, at every lane
 *   float total_lane_reduce_down(float x)          the same from the last lane to lane 0
 *   float total_subwarp_scan_inclusive(float x, ulong heads, uint width), _exclusive
 *         of rows of width lanes: 1, 2, 4, 8, 16, 32 or 64, at most xl_lane_width(), the same
 *         for all lanes. Bit k of heads makes lane k of the row the first of a segment; lane 0
 *         is one always, and bits past the row count for nothing
 * and, with __local float scratch[XL_GROUP_SCRATCH] and __local uint bits[XL_GROUP_BITS],
 *   float total_group_scan_inclusive(float x, scratch, float *all), _exclusive
 *   float total_group_segmented_scan_inclusive(float x, bool is_head, scratch, bits),
 *         _exclusive
 *   float total_group_reduce(float x, scratch)     in work-item order, at every one
 *   float total_group_shuffle_from(float x, uint from, scratch)
 *   float total_group_subwarp_scan_inclusive(float x, ulong heads, uint width, scratch),
 *         _exclusive                               rows of any of these widths, also of more
 *                                                  work-items than a sub-group has
 * Exclusive scans give XL_IDENTITY at the first of a segment.
 *
 * Who calls together, and how work-items are numbered: crosslane/lanes.cl. Lane
 * functions are right where the width is 1, and then do next to nothing; the group
 * functions do the same work on every device, with barriers: each ends with one, or
 * does not touch scratch, so that scratch may be used again at once, for another type
 * too if it is large enough. In floating point the order of a fold depends on the
 * width. */
#include "../group/group_ballot.cl"

#if !defined(XL_NAME) || !defined(XL_T) || !defined(XL_OP) || !defined(XL_IDENTITY)
#error "crosslane/collectives.cl: XL_NAME, XL_T, XL_OP(a, b) and XL_IDENTITY must be defined"
#endif
#ifndef XL_COMMUTES
#define XL_COMMUTES 0
#endif
enum { XL_FN(commutes) = XL_COMMUTES };

XL_T XL_FN(identity)(void)
{
    return XL_IDENTITY;
}

/* Copies, lest an operator that changes its parameters change ours: see lane_scan.cl. */
XL_T XL_FN(op)(XL_T a, XL_T b)
{
    XL_T left = a, right = b;
    return XL_OP(left, right);
}

#include "../lane/lane_segmented.cl"
#ifdef XL_GROUP_SIZE
#include "../group/group_reduce.cl"
#include "../group/group_segmented.cl"
#endif

#undef XL_NAME
#undef XL_T
#undef XL_OP
#undef XL_IDENTITY
#undef XL_COMMUTES
