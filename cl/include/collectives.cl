/* SPDX-License-Identifier: MIT
 * #include <crosslane/collectives.cl>: scans, reductions and shuffles of a sub-group and of a
 * work-group, for your element type and operator. Includes crosslane/lanes.cl. Include it again for
 * each further type or operator:
 *
 *     #define XL_NAME total              the prefix of the functions' names
 *     #define XL_T float                 any type: scalar, vector, struct (fill a padding at its
 *                                        end: NVIDIA 580 may copy it in part)
 *     #define XL_OP(a, b) ((a) + (b))    an associative operator, or a call
 *     #define XL_IDENTITY 0.0f           an expression; XL_OP(XL_IDENTITY, x) is x
 *     #define XL_COMMUTES 1              optional: the operator is commutative
 *     #define XL_GROUP_SIZE 128          optional: the kernel's required work-group size, of any
 *                                        value; without it there are no group functions
 *     #include <crosslane/collectives.cl>
 *
 * These macros, except XL_GROUP_SIZE, are undefined again. XL_NAME total defines
 *   float total_shuffle_from(float x, uint from)   with the same `from` for all: a broadcast
 *   float total_shuffle_up(float x, uint by), _shuffle_down, _shuffle_xor
 *   float total_lane_scan_inclusive(float x), total_lane_scan_exclusive
 *   float total_lane_segmented_scan_inclusive(float x, bool is_head), _exclusive
 *   float total_lane_reduce(float x)               in lane order; every lane gets the result
 *   float total_lane_reduce_down(float x)          the same, from the last lane to lane 0
 *   float total_subwarp_scan_inclusive(float x, ulong heads, uint width), _exclusive
 *         of rows of `width` lanes: 1, 2, 4, 8, 16, 32 or 64, at most xl_lane_width(), the same
 *         for all lanes. Bit k of heads: lane k of the row is the first of a segment. Lane 0 always
 *         is, and bits beyond the row are ignored
 * and, with __local float scratch[XL_GROUP_SCRATCH] and __local uint bits[XL_GROUP_BITS],
 *   float total_group_scan_inclusive(float x, scratch, float *all), _exclusive
 *   float total_group_segmented_scan_inclusive(float x, bool is_head, scratch, bits),
 *         _exclusive
 *   float total_group_reduce(float x, scratch)     in work-item order; every work-item gets it
 *   float total_group_shuffle_from(float x, uint from, scratch)
 *   float total_group_subwarp_scan_inclusive(float x, ulong heads, uint width, scratch),
 *         _exclusive                               rows of any of these widths, also wider than a
 *                                                  sub-group
 * An exclusive scan gives XL_IDENTITY to the first element of a segment.
 *
 * crosslane/lanes.cl states which work-items must call a function together, and how they are
 * numbered. If the width is 1, lane functions are correct and do almost nothing. Group functions do
 * the same work on every device, with barriers. Each one ends with a barrier or does not use
 * scratch, so scratch may be used again at once, also for another type if it is large enough. In
 * floating point, the order of a fold depends on the width. */
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

/* Copies, because an operator may change its parameters, which the caller may hold by reference. */
XL_T XL_FN(op)(XL_T a, XL_T b)
{
    XL_T left = a, right = b;
    return XL_OP(left, right);
}

#include "../group/group_segmented.cl"

#undef XL_NAME
#undef XL_T
#undef XL_OP
#undef XL_IDENTITY
#undef XL_COMMUTES
