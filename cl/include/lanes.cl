/* SPDX-License-Identifier: MIT
 * #include <crosslane/lanes.cl>: sub-groups as the device has them, for kernels of
 * your own. May be included more than once.
 *
 *   uint xl_lane_width(void)    how many lanes; 1 where the device has no cross-lane
 *                               operations. Ask; it is no constant of the trade
 *   uint xl_lane_id(void)       this work-item's lane, 0 .. width - 1
 *   uint xl_lane_group(void)    which sub-group of the work-group
 *   uint xl_lane_groups(void)   how many of them
 *   bool xl_lanes_whole(void)   the work-group is whole sub-groups of a power of two
 *                               lanes; false where the width is 1
 *   uint xl_lane_shuffle(uint v, uint from), _shuffle_up(v, by), _shuffle_down(v, by),
 *        _shuffle_xor(v, mask)  v of another lane; undefined where there is no such lane
 *   ulong xl_lane_shuffle64(ulong v, uint from), _up64, _down64, _xor64
 *   ulong xl_lane_ballot(bool p)   bit k: p of lane k
 *   ulong xl_bits_below(uint k), xl_bits_through(uint k)   bits under lane k, and with it
 *   uint xl_segment_start(ulong heads, uint k)   the nearest head at or below lane k
 *   uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width), _inclusive
 *        how many p hold in this lane's segment before it, or up to and with it. Rows of
 *        `width` lanes are cut into segments: bit k of `heads` makes lane k of the row the
 *        first of one, lane 0 is one always, and bits past the row count for nothing. width
 *        is 1, 2, 4, 8, 16, 32 or 64, the same for all lanes and at most xl_lane_width();
 *        two rows may have different heads
 *   uint xl_subwarp_lane(uint width)               this lane's place in its row
 *   uint xl_subwarp_reach(ulong heads, uint width) how many lanes of its segment lie below it
 *   void xl_group_ballot(bool p, __local uint *bits)
 *        bit b of bits[w]: p of work-item 32 * w + b. Set a barrier before bits is used again
 *   uint xl_group_count_exclusive(bool p, __local uint *bits, uint *total)
 *        how many p hold before this work-item, and in all
 *   uint xl_group_subwarp_count_exclusive(bool p, ulong heads, uint width, bits), _inclusive
 *        as xl_subwarp_count_exclusive(), for rows of any of these widths, wider than a
 *        sub-group too, which is done through local memory
 *        In these, groups are of any size, and `bits` is a __local uint for each 32 work-items
 *        or part of 32. No barrier is needed before a call, nor after those that count
 *
 * Work-items are numbered along dimension 0. What has "lane" or "subwarp" but not
 * "group" in its name is called by every lane of a whole sub-group together, in
 * control flow that is the same for all of them: check xl_lanes_whole() or launch
 * whole sub-groups. What has "group" in its name is called by every work-item of the
 * work-group together. */
#include "../group/group_ballot.cl"
