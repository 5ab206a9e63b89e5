/* SPDX-License-Identifier: MIT
 * Scan of values in local memory by a work-group in the fewest steps.
 *
 * Kogge and Stone, "A parallel algorithm for the efficient solution of a general class of
 * recurrence equations" (IEEE Trans. Comp. C-22:8, 1973); for sums Hillis and Steele, "Data
 * parallel algorithms" (CACM 29:12, 1986), all partial sums of an array.
 *
 *   Phase 1, doubling: after the step of distance d each place has the sum of the 2d values that
 *            end with it, because the step added the sum that is d places before it. log2(count)
 *            steps, about count * log2(count) operations.
 *   Phase 2, shift: each place takes the sum of the place before it, after the value that precedes
 *            the whole array. That makes the scan exclusive.
 *
 * A step reads one buffer and writes the other, so no work-item reads a value that another one has
 * overwritten, and one barrier per step is enough. For the values
 *
 *   a  b  c   d     step 1:  a  ab  bc  cd     step 2:  a  ab  abc  abcd
 *
 * The work-items of the group, any number, share the values. Which values are combined depends only
 * on `count`. */
#ifndef XL_GROUP_KOGGE_STONE
#define XL_GROUP_KOGGE_STONE

#include "../../prelude/prelude_accumulator.cl"

/* The total of `count` values, a power of two, which are overwritten: the steps of phase 1 for the
 * last value, and for those that it depends on. All work-items call it together; it begins and ends
 * with a barrier. */
XL_T xl_kogge_stone_total(__local XL_T *values, uint count)
{
    for (uint distance = 1; distance < count; distance *= 2) {
        xl_local_barrier();
        for (uint k = (uint)get_local_id(0); k < count / (2 * distance); k += XL_GROUP_SIZE) {
            const uint v = count - 1 - k * 2 * distance;
            values[v] = xl_op(values[v - distance], values[v]);
        }
    }
    xl_local_barrier();
    return values[count - 1];
}

/* Scans the `count` values of `from`; `to` is a second buffer of the same size. Returns the buffer
 * in which place v is before op value 0 op ... op value v - 1. All work-items call it together; it
 * begins with a barrier but does not end with one: work-item i has written the places i, i +
 * XL_GROUP_SIZE, ..., and may read them. */
__local XL_T *xl_kogge_stone(__local XL_T *from, __local XL_T *to, uint count, XL_T before)
{
    __local XL_T *swap;
    for (uint distance = 1; distance < count; distance *= 2) {
        xl_local_barrier();
        for (uint v = (uint)get_local_id(0); v < count; v += XL_GROUP_SIZE) {
            XL_T x = from[v];
            if (v >= distance)
                x = xl_op(from[v - distance], x);
            to[v] = x;
        }
        swap = from;
        from = to;
        to = swap;
    }
    xl_local_barrier();
    for (uint v = (uint)get_local_id(0); v < count; v += XL_GROUP_SIZE) {
        XL_T x = before;
        if (v > 0)
            x = xl_op(before, from[v - 1]);
        to[v] = x;
    }
    return to;
}

#endif
