/* SPDX-License-Identifier: MIT
 * Scans and reductions of one element per lane of a sub-group and, if XL_GROUP_SIZE is defined, of
 * one element per work-item of a work-group. An element may have any type: a scalar, a vector, a
 * struct of any size. If XL_LANE_WAY is 0, a sub-group is one work-item, and the functions are right
 * for a width of 1.
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
 *        All lanes of a whole sub-group must call these together
 *   XL_T group_scan_exclusive(XL_T x, __local XL_T *scratch, XL_T *total)
 *        x of work-item 0 op ... op x of the work-item before this one; *total: x of all combined
 *   XL_T group_scan_inclusive(XL_T x, __local XL_T *scratch, XL_T *total)
 *   XL_T group_reduce(XL_T x, __local XL_T *scratch)
 *        x of all work-items combined in their order, at every work-item
 *        All work-items of the group must call these together. scratch has XL_GROUP_SCRATCH
 *        elements. The functions begin without a barrier and end with one: scratch may be used
 *        again at once
 * If XL_SCANS_ROWS is 1, defines also xl_lane_scan_total() and xl_lane_total(), for the plan's type.
 * And XL_USE_LANES: 1 if sub-groups take part; otherwise all work of a group is done in local
 * memory, with barriers. They take part if the group certainly consists of whole sub-groups. The
 * width of a khr sub-group is known only at run time, but it divides 64 on every device that passed
 * the lane probe.
 *
 * There is no include guard: a program may include this file again with another XL_NAME.
 *
 * No function in cl/group changes a parameter that may be a struct: Mesa's rusticl (22.3, 2023)
 * passes structs by reference, so the caller's struct would change. */
#include "../lane/lane.cl"

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
#define XL_MOVER(type, words, name, mover)                                                         \
    type name(type x, uint k)                                                                      \
    {                                                                                              \
        words w;                                                                                   \
        w.word[sizeof w / 4 - 1] = 0;                                                              \
        w.value = x;                                                                               \
        for (uint i = 0; i < sizeof w / 4; ++i)                                                    \
            w.word[i] = mover(w.word[i], k);                                                       \
        return w.value;                                                                            \
    }
/* Not plain "shuffle": some compilers' built-ins are macros. */
XL_MOVER(XL_T, XL_FN(words), XL_FN(shuffle_from), xl_lane_shuffle)
XL_MOVER(XL_T, XL_FN(words), XL_FN(shuffle_up), xl_lane_shuffle_up)
XL_MOVER(XL_T, XL_FN(words), XL_FN(shuffle_down), xl_lane_shuffle_down)
XL_MOVER(XL_T, XL_FN(words), XL_FN(shuffle_xor), xl_lane_shuffle_xor)

#if XL_LANE_WAY == 3
/* The same sums by AMD's steps (cl/lane/lane.cl): Hillis and Steele's doubling within rows of
 * 16 lanes, then from row to row; the last lane of a row has the sum of all that it reaches. A lane
 * that takes nothing in a step still reads an element. */
XL_MOVER(XL_T, XL_FN(words), XL_FN(from_below), xl_lane_below)

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

#ifndef XL_SCANS_ROWS
#define XL_SCANS_ROWS 0
#endif
#if XL_SCANS_ROWS
#undef XL_SCANS_ROWS
#define XL_SCANS_ROWS 0
/* Scan of a row: one accumulator of the plan per lane, over a whole sub-group. If accumulators are
 * elements with flags, one ballot tells each lane how far its segment reaches down, as in
 * cl/group/group_segmented.cl: elements are moved without flags, and the flags of the results follow
 * from the ballot. Elements are combined in the same order as whole accumulators. */
#if XL_ACCUMULATOR == 1 && XL_HAS_IDENTITY && XL_LANE_WAY != 0
typedef union xl_element_words {
    XL_E value;
    uint word[(sizeof(XL_E) + 3) / 4];
} xl_element_words;
XL_MOVER(XL_E, xl_element_words, xl_element_up, xl_lane_shuffle_up)
XL_MOVER(XL_E, xl_element_words, xl_element_from, xl_lane_shuffle)
#if XL_LANE_WAY == 3
XL_MOVER(XL_E, xl_element_words, xl_element_below, xl_lane_below)
#endif

/* The inclusive scan of elements within segments. `heads`: the lanes in whose accumulators segments
 * begin. */
XL_E xl_elements_scan(XL_E mine, ulong heads)
{
    const uint reach = xl_lane_id() - xl_segment_start(heads, xl_lane_id());
    XL_E x = mine;
#pragma unroll
#if XL_LANE_WAY == 3 /* as in xl_lane_scan_reach() */
    for (uint by = 1; by < XL_LANES; by *= 2) {
        const XL_E below = xl_element_below(x, by);
        if (xl_lane_takes(reach, by))
            x = xl_op_e(below, x);
    }
#else
    for (uint by = 1; by < xl_lane_width(); by *= 2) {
        const XL_E below = xl_element_up(x, by);
        if (reach >= by)
            x = xl_op_e(below, x);
    }
#endif
    return x;
}

/* The exclusive scan; *all, at every lane, is the total of the row. */
XL_T xl_lane_scan_total(XL_T mine, XL_T *all)
{
    const ulong heads = xl_lane_ballot(xl_is_head(mine));
    const XL_E x = xl_elements_scan(xl_element_of(mine), heads);
    const XL_E below = xl_element_up(x, 1);
    XL_T before = xl_identity();
    *all = xl_accumulator_of(xl_element_from(x, xl_lane_width() - 1), heads != 0);
    if (xl_lane_id() > 0)
        before = xl_accumulator_of(below, (heads & xl_bits_below(xl_lane_id())) != 0);
    return before;
}
#else
XL_T xl_lane_scan_total(XL_T mine, XL_T *all)
{
    const XL_T inclusive = xl_lane_scan_inclusive(mine);
    *all = xl_shuffle_from(inclusive, xl_lane_width() - 1);
    return xl_lane_shift_up(inclusive);
}
#endif

/* The total, by the same operations. */
XL_T xl_lane_total(XL_T mine)
{
    XL_T all;
    (void)xl_lane_scan_total(mine, &all);
    return all;
}
#endif

#ifdef XL_GROUP_SIZE
#undef XL_USE_LANES
#if XL_LANE_WAY == 2 || XL_LANE_WAY == 3
#define XL_USE_LANES (XL_GROUP_SIZE % XL_LANES == 0)
#elif XL_LANE_WAY == 1
#define XL_USE_LANES (XL_GROUP_SIZE % 64 == 0 && XL_LANES <= 64)
#else
#define XL_USE_LANES 0
#endif

/* Elements of local memory that a call needs. */
#undef XL_GROUP_SCRATCH
#define XL_GROUP_SCRATCH XL_GROUP_SIZE

/* lane_scan_reach() over the work-group, through local memory: x of the `reach` work-items before
 * this one op ... op x of this one. Leaves the result of each work-item in scratch; a barrier must
 * precede the next use of scratch. */
XL_T XL_FN(group_scan_reach)(XL_T mine, uint reach, uint span, __local XL_T *scratch)
{
    const uint i = (uint)get_local_id(0);
    XL_T x = mine;
    scratch[i] = x;
    xl_local_barrier();
    for (uint by = 1; by < span; by *= 2) {
        if (reach >= by)
            x = XL_FN(op)(scratch[i - by], x);
        xl_local_barrier();
        scratch[i] = x;
        xl_local_barrier();
    }
    return x;
}

/* The inclusive result of the work-item before this one, if it is in the same segment. */
XL_T XL_FN(group_shift_reach)(uint reach, const __local XL_T *scratch)
{
    XL_T below = XL_FN(identity)();
    if (reach > 0)
        below = scratch[get_local_id(0) - 1];
    return below;
}

/* The total of the sub-groups before this one, from each lane's inclusive scan. */
XL_T XL_FN(group_before)(XL_T inclusive, __local XL_T *scratch, XL_T *total)
{
    if (xl_lane_id() == xl_lane_width() - 1)
        scratch[xl_lane_group()] = inclusive;
    xl_local_barrier();
    XL_T before = XL_FN(identity)(), all = XL_FN(identity)();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            before = all;
        all = XL_FN(op)(all, scratch[k]);
    }
    *total = all;
    return before;
}

XL_T XL_FN(group_scan_exclusive)(XL_T x, __local XL_T *scratch, XL_T *total)
{
#if XL_USE_LANES
    const XL_T inclusive = XL_FN(lane_scan_inclusive)(x);
    const XL_T before = XL_FN(group_before)(inclusive, scratch, total);
    const XL_T result = XL_FN(op)(before, XL_FN(lane_shift_up)(inclusive));
#else
    const uint i = (uint)get_local_id(0);
    XL_FN(group_scan_reach)(x, i, XL_GROUP_SIZE, scratch);
    *total = scratch[XL_GROUP_SIZE - 1];
    const XL_T result = XL_FN(group_shift_reach)(i, scratch);
#endif
    xl_local_barrier();
    return result;
}

XL_T XL_FN(group_scan_inclusive)(XL_T x, __local XL_T *scratch, XL_T *total)
{
#if XL_USE_LANES
    const XL_T inclusive = XL_FN(lane_scan_inclusive)(x);
    const XL_T before = XL_FN(group_before)(inclusive, scratch, total);
    const XL_T result = XL_FN(op)(before, inclusive);
#else
    const uint i = (uint)get_local_id(0);
    const XL_T result = XL_FN(group_scan_reach)(x, i, XL_GROUP_SIZE, scratch);
    *total = scratch[XL_GROUP_SIZE - 1];
#endif
    xl_local_barrier();
    return result;
}

XL_T XL_FN(group_reduce)(XL_T x, __local XL_T *scratch)
{
#if XL_USE_LANES
    const XL_T part = XL_FN(lane_reduce)(x);
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = part;
    xl_local_barrier();
    XL_T all = scratch[0];
    for (uint k = 1; k < xl_lane_groups(); ++k)
        all = XL_FN(op)(all, scratch[k]);
#else
    /* Each step folds two elements that are `by` apart into the left one; any group size. */
    const uint i = (uint)get_local_id(0);
    scratch[i] = x;
    xl_local_barrier();
    for (uint by = 1; by < XL_GROUP_SIZE; by *= 2) {
        if (i % (2 * by) == 0 && i + by < XL_GROUP_SIZE)
            scratch[i] = XL_FN(op)(scratch[i], scratch[i + by]);
        xl_local_barrier();
    }
    const XL_T all = scratch[0];
#endif
    xl_local_barrier();
    return all;
}
#endif
