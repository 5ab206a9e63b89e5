/* SPDX-License-Identifier: MIT
 * Scan and reduction of one element per lane of a sub-group. An element may have any type: a
 * scalar, a vector, a struct of any size. If XL_LANE_WAY is 0, a sub-group is one work-item, and
 * the functions are right for a width of 1.
 *
 * Requires:
 *   XL_NAME   the prefix of the functions' names. If it is not defined, it is xl, and the type is
 *             the plan's: cl/prelude/prelude_accumulator.cl
 *   XL_T      the type of an element
 *   and, with the prefix <XL_NAME>_: op(a, b), identity() and the constant `commutes`, as there
 * Defines, with the prefix <XL_NAME>_:
 *   XL_T shuffle_from(XL_T x, uint from) x of lane `from`
 *   XL_T shuffle_up(XL_T x, uint by)     x of lane id - by; undefined in the lowest `by` lanes
 *   XL_T shuffle_down(XL_T x, uint by)   x of lane id + by; undefined in the highest `by` lanes
 *   XL_T shuffle_xor(XL_T x, uint mask)  x of lane id ^ mask
 *   XL_T lane_scan_inclusive(XL_T x)     x of lane 0 op ... op x of this lane
 *   XL_T lane_scan_exclusive(XL_T x)     the same without x of this lane
 *   XL_T lane_shift_up(XL_T inclusive)   exclusive from inclusive
 *   XL_T lane_reduce(XL_T x)             x of all lanes in lane order, at every lane
 *   XL_T lane_reduce_down(XL_T x)        the same from the last lane to lane 0
 *
 * All lanes of a whole sub-group must call these together. There is no include guard: a program may
 * include this file again with another XL_NAME.
 *
 * No function here or in cl/group changes a parameter that may be a struct: Mesa's rusticl (22.3,
 * 2023) passes structs by reference, so the caller's struct would change. */
#include "lane.cl"

#ifndef XL_NAME
#define XL_NAME xl
#include "../prelude/prelude_accumulator.cl"
#endif

/* An element is moved as 32-bit words; it may fill the last one in part. For a built-in scalar,
 * compilers make the same code as for a plain move. */
typedef union {
    XL_T value;
    uint word[(sizeof(XL_T) + 3) / 4];
} XL_FN(words);
#undef XL_MOVER
#define XL_MOVER(name, mover)                                                                      \
    XL_T XL_FN(name)(XL_T x, uint k)                                                               \
    {                                                                                              \
        XL_FN(words) w;                                                                            \
        w.word[sizeof w / 4 - 1] = 0;                                                              \
        w.value = x;                                                                               \
        for (uint i = 0; i < sizeof w / 4; ++i)                                                    \
            w.word[i] = mover(w.word[i], k);                                                       \
        return w.value;                                                                            \
    }
/* Not plain "shuffle": some compilers' built-ins are macros. */
XL_MOVER(shuffle_from, xl_lane_shuffle)
XL_MOVER(shuffle_up, xl_lane_shuffle_up)
XL_MOVER(shuffle_down, xl_lane_shuffle_down)
XL_MOVER(shuffle_xor, xl_lane_shuffle_xor)

#if XL_LANE_WAY == 3
/* The same sums by AMD's steps (cl/lane/lane_amd.cl): Hillis and Steele's doubling within rows of
 * 16 lanes, then from row to row; the last lane of a row has the sum of all that it reaches. A lane
 * that takes nothing in a step still reads an element. */
XL_MOVER(from_below, xl_lane_below)

/* Whether a lane combines the element that a step brings. */
bool XL_FN(lane_takes)(uint reach, uint by)
{
    const uint lane = xl_lane_id();
    return by < 16 ? min(reach, lane & 15) >= by : (lane & by) != 0 && reach > (lane & (by - 1));
}

XL_T XL_FN(lane_scan_reach)(XL_T mine, uint reach, uint span)
{
    XL_T x = mine;
#pragma unroll
    for (uint by = 1; by < XL_LANES; by *= 2) {
        if (by < span) {
            const XL_T below = XL_FN(from_below)(x, by);
            if (XL_FN(lane_takes)(reach, by))
                x = XL_FN(op)(below, x);
        }
    }
    return x;
}
#else
/* x of the `reach` lanes below op ... op x of this lane, reach < span. Hillis and Steele's
 * doubling: each step covers twice as many lanes below, as far as this lane reaches. A lane in
 * reach must itself reach down to the same lane. */
XL_T XL_FN(lane_scan_reach)(XL_T mine, uint reach, uint span)
{
    XL_T x = mine;
#pragma unroll
    for (uint by = 1; by < span; by *= 2) {
        const XL_T below = XL_FN(shuffle_up)(x, by);
        if (reach >= by)
            x = XL_FN(op)(below, x);
    }
    return x;
}
#endif

XL_T XL_FN(lane_scan_inclusive)(XL_T x)
{
    return XL_FN(lane_scan_reach)(x, xl_lane_id(), xl_lane_width());
}

XL_T XL_FN(lane_shift_up)(XL_T inclusive)
{
    XL_T below = XL_FN(shuffle_up)(inclusive, 1);
    if (xl_lane_id() == 0)
        below = XL_FN(identity)();
    return below;
}

XL_T XL_FN(lane_scan_exclusive)(XL_T x)
{
    return XL_FN(lane_shift_up)(XL_FN(lane_scan_inclusive)(x));
}

#if XL_LANE_WAY == 3
/* The tree is that of the butterfly below; the last lane has the result. */
XL_T XL_FN(lane_reduce)(XL_T mine)
{
    XL_T x = mine;
#pragma unroll
    for (uint by = 1; by < XL_LANES; by *= 2)
        x = XL_FN(op)(XL_FN(from_below)(x, by), x);
    return XL_FN(shuffle_from)(x, XL_LANES - 1);
}

XL_T XL_FN(lane_reduce_down)(XL_T mine)
{
    XL_T x = mine;
#pragma unroll
    for (uint by = 1; by < XL_LANES; by *= 2)
        x = XL_FN(op)(x, XL_FN(from_below)(x, by));
    return XL_FN(shuffle_from)(x, XL_LANES - 1);
}
#else
XL_T XL_FN(lane_reduce)(XL_T mine)
{
    XL_T x = mine;
#pragma unroll
    for (uint mask = 1; mask < xl_lane_width(); mask *= 2) {
        const XL_T other = XL_FN(shuffle_xor)(x, mask);
        if (!XL_FN(commutes) && (xl_lane_id() & mask))
            x = XL_FN(op)(other, x);
        else
            x = XL_FN(op)(x, other);
    }
    return x;
}

XL_T XL_FN(lane_reduce_down)(XL_T mine)
{
    XL_T x = mine;
#pragma unroll
    for (uint mask = 1; mask < xl_lane_width(); mask *= 2) {
        const XL_T other = XL_FN(shuffle_xor)(x, mask);
        if (XL_FN(commutes) || (xl_lane_id() & mask))
            x = XL_FN(op)(x, other);
        else
            x = XL_FN(op)(other, x);
    }
    return x;
}
#endif
