/* SPDX-License-Identifier: MIT
 * #include <crosslane/lanes.cl>: the sub-groups of the device, for your kernels. It may be included
 * more than once.
 *
 *   uint xl_lane_width(void)    number of lanes; 1 if the device has no cross-lane operations. Do
 *                               not assume a width
 *   uint xl_lane_id(void)       the lane of this work-item, 0 to width - 1
 *   uint xl_lane_group(void)    the number of its sub-group in the work-group
 *   uint xl_lane_groups(void)   number of sub-groups
 *   bool xl_lanes_whole(void)   the work-group consists of whole sub-groups, of a power of two
 *                               lanes; false if the width is 1
 *   uint xl_lane_shuffle(uint v, uint from), _shuffle_up(v, by), _shuffle_down(v, by),
 *        _shuffle_xor(v, mask)  v of another lane; undefined if there is no such lane
 *   ulong xl_lane_shuffle64(ulong v, uint from), _up64, _down64, _xor64
 *   ulong xl_lane_ballot(bool p)   bit k: p of lane k
 *   ulong xl_bits_below(uint k), xl_bits_through(uint k)   the bits below lane k; and bit k too
 *   uint xl_segment_start(ulong heads, uint k)   the nearest head at or below lane k
 *   uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width), _inclusive
 *        how many p are true in this lane's segment before it; the inclusive count adds its own.
 *        Rows of `width` lanes are divided into segments. Bit k of `heads`: lane k of the row is
 *        the first of a segment. Lane 0 always is, and bits beyond the row are ignored. width is
 *        1, 2, 4, 8, 16, 32 or 64, the same for all lanes and at most xl_lane_width(); `heads` may
 *        differ between rows
 *   uint xl_subwarp_lane(uint width)               this lane's place in its row
 *   uint xl_subwarp_reach(ulong heads, uint width) how many lanes of its segment are below it
 *   void xl_group_ballot(bool p, __local uint *bits)
 *        bit b of bits[w]: p of work-item 32 * w + b. A barrier must precede the next use of bits
 *   uint xl_group_count_exclusive(bool p, __local uint *bits, uint *total)
 *        how many p are true before this work-item, and in the whole group
 *   uint xl_group_subwarp_count_exclusive(bool p, ulong heads, uint width, bits), _inclusive
 *        as xl_subwarp_count_exclusive(), for rows of any of these widths, also wider than a
 *        sub-group; uses local memory
 *        These three accept any work-group size; `bits` has a __local uint for each 32 work-items
 *        or part of 32. No barrier is needed before a call, nor after a call that counts
 *
 * Work-items are numbered along dimension 0. A function with "lane" or "subwarp" but not "group" in
 * its name must be called by all lanes of a whole sub-group together, in control flow that is the
 * same for all of them: check xl_lanes_whole(), or launch whole sub-groups. A function with "group"
 * in its name must be called by all work-items of the work-group together. */
#include "../group/group_ballot.cl"
