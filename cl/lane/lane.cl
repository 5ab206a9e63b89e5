/* SPDX-License-Identifier: MIT
 * The operations of one sub-group, whichever way the device has them: identity, shuffles of 32-bit
 * words, ballots. Wider values are moved as several words.
 *
 *   uint xl_lane_width(void)    the width: work-items of a full sub-group; 1 for XL_LANE_WAY 0
 *   uint xl_lane_id(void)       the lane of this work-item, 0 to width - 1
 *   uint xl_lane_group(void)    the number of its sub-group in the work-group
 *   uint xl_lane_groups(void)   number of sub-groups in the work-group
 *   uint xl_lane_shuffle(uint v, uint from)      v of lane `from`
 *   uint xl_lane_shuffle_up(uint v, uint by)     v of lane id - by; undefined in the lowest `by`
 *                                                lanes
 *   uint xl_lane_shuffle_xor(uint v, uint mask)  v of lane id ^ mask
 *   uint xl_lane_shuffle_down(uint v, uint by)   v of lane id + by; undefined in the highest `by`
 *                                                lanes
 *   ulong xl_lane_ballot(bool p)                 bit k: p of lane k; 0 beyond the width
 *   bool xl_lanes_whole(void)   the work-group consists of whole sub-groups of a power of two lanes
 *   and xl_lane_shuffle64, xl_lane_shuffle_up64 and so on for 64 bits
 *
 * All lanes of a sub-group must call these together, in control flow that is the same for all of
 * them. If XL_LANE_WAY is 0, the width is 1, a lane shuffles only with itself, and groups exchange
 * through local memory with barriers (cl/group). A work-group is a multiple of the width, or one
 * partial sub-group that uses only identity and moves from existing lanes. Work-items are numbered
 * along dimension 0. */
#ifndef XL_LANE
#define XL_LANE

#include "../prelude/prelude.cl"

/* The name of a function in the family of an element type, whose name is XL_NAME. */
#define XL_FN(function) XL_JOIN(XL_JOIN(XL_NAME, _), function)

#if XL_LANE_WAY == 3
#include "lane_amd.cl"
#elif XL_LANE_WAY == 2
#include "lane_ptx.cl"
#elif XL_LANE_WAY == 1
#include "lane_khr.cl"
#else
#include "lane_local.cl"
#endif

bool xl_lanes_whole(void)
{
    const uint width = xl_lane_width();
    return XL_LANE_WAY != 0 && width <= 64 && (width & (width - 1)) == 0 &&
           get_local_size(0) % width == 0;
}

/* 64-bit values as two words. */
ulong xl_lane_shuffle64(ulong v, uint from)
{
    uint2 w = as_uint2(v);
    return as_ulong((uint2)(xl_lane_shuffle(w.x, from), xl_lane_shuffle(w.y, from)));
}

ulong xl_lane_shuffle_up64(ulong v, uint by)
{
    uint2 w = as_uint2(v);
    return as_ulong((uint2)(xl_lane_shuffle_up(w.x, by), xl_lane_shuffle_up(w.y, by)));
}

ulong xl_lane_shuffle_down64(ulong v, uint by)
{
    uint2 w = as_uint2(v);
    return as_ulong((uint2)(xl_lane_shuffle_down(w.x, by), xl_lane_shuffle_down(w.y, by)));
}

ulong xl_lane_shuffle_xor64(ulong v, uint mask)
{
    uint2 w = as_uint2(v);
    return as_ulong((uint2)(xl_lane_shuffle_xor(w.x, mask), xl_lane_shuffle_xor(w.y, mask)));
}

#endif
