/* SPDX-License-Identifier: MIT
 * Scan of a row: one accumulator of the plan per lane, over a whole sub-group.
 *
 * If accumulators are elements with flags, one ballot tells each lane how far its segment reaches
 * down, as in cl/lane/lane_segmented.cl: elements are moved without flags, and the flags of the
 * results follow from the ballot. Elements are combined in the same order as whole accumulators.
 *
 * Defines
 *   XL_T xl_lane_scan_total(XL_T mine, XL_T *all)  the exclusive scan; *all, at every lane, is the
 *                                                 total of the row
 *   XL_T xl_lane_total(XL_T mine)            the total, by the same operations
 * All lanes of a whole sub-group must call these together. */
#ifndef XL_LANE_SCAN_TOTAL
#define XL_LANE_SCAN_TOTAL

#include "lane_mask.cl"
#include "lane_scan.cl"

#if XL_ACCUMULATOR == 1 && XL_HAS_IDENTITY && XL_LANE_WAY != 0
typedef union xl_element_words {
    XL_E value;
    uint word[(sizeof(XL_E) + 3) / 4];
} xl_element_words;
#define XL_MOVE_ELEMENT(function, mover)                                                           \
    XL_E function(XL_E x, uint k)                                                                  \
    {                                                                                              \
        xl_element_words w;                                                                        \
        w.word[sizeof w / 4 - 1] = 0;                                                              \
        w.value = x;                                                                               \
        for (uint i = 0; i < sizeof w / 4; ++i)                                                    \
            w.word[i] = mover(w.word[i], k);                                                       \
        return w.value;                                                                            \
    }
XL_MOVE_ELEMENT(xl_element_up, xl_lane_shuffle_up)
XL_MOVE_ELEMENT(xl_element_from, xl_lane_shuffle)
#if XL_LANE_WAY == 3
XL_MOVE_ELEMENT(xl_element_below, xl_lane_below)
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

XL_T xl_lane_total(XL_T mine)
{
    XL_T all;
    (void)xl_lane_scan_total(mine, &all);
    return all;
}

#endif
