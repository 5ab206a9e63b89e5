/* SPDX-License-Identifier: MIT
 * What one sub-group does, whichever way the device offers: identity, shuffles
 * of 32-bit words, votes. Wider values travel as several words.
 *
 *   uint xl_lane_width(void)    work-items of this sub-group's width; 1 for local
 *   uint xl_lane_id(void)       position in the sub-group, 0 .. width - 1
 *   uint xl_lane_group(void)    which sub-group of the work-group
 *   uint xl_lane_groups(void)   how many sub-groups the work-group has
 *   uint xl_lane_shuffle(uint v, uint from)      v of lane `from`
 *   uint xl_lane_shuffle_up(uint v, uint by)     v of lane id - by; undefined below `by`
 *   uint xl_lane_shuffle_xor(uint v, uint mask)  v of lane id ^ mask
 *   uint xl_lane_shuffle_down(uint v, uint by)   v of lane id + by; undefined at the
 *                                                upper `by` lanes
 *   ulong xl_lane_ballot(bool p)                 bit k: p of lane k; none past the width
 *   bool xl_lanes_whole(void)   the work-group is whole sub-groups of a power of two lanes
 *   and xl_lane_shuffle64, xl_lane_shuffle_up64 and so on for 64 bits
 *
 * Every lane of a sub-group must call these together, in control flow that is the
 * same for all of them. With XL_LANE_WAY 0 the width is 1, a lane shuffles with
 * itself, and groups exchange through local memory with barriers (cl/group).
 * Work-groups are whole multiples of the width, or a single sub-group that is partial
 * and of which only identity and moves from lanes that exist are used; items are
 * numbered along dimension 0. */
#ifndef XL_LANE
#define XL_LANE

#include "../prelude/prelude.cl"

/* A function of an element type's family: XL_NAME is its family name. */
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
