/* SPDX-License-Identifier: MIT
 * Segmented binary prefix sums below the width of a sub-group: lanes form rows of `width`, head
 * bits divide each row into segments, and each lane gets the number of true predicates before it in
 * its segment.
 *
 *   uint xl_subwarp_lane(uint width)   this lane's place in its row
 *   uint xl_subwarp_reach(ulong heads, uint width)   how many lanes of its segment are below it
 *   uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width)
 *   uint xl_subwarp_count_inclusive(bool p, ulong heads, uint width)
 *
 * width must be 1, 2, 4, 8, 16, 32 or 64, the same for all lanes of the sub-group, and at most
 * xl_lane_width(); cl/group/group_ballot.cl has no such limit. Bit k of `heads` makes lane k of the
 * row the first of a segment. Lane 0 always is one, and bits beyond the row are ignored. Rows may
 * have different heads. All lanes of a whole sub-group must call these together.
 *
 * One ballot collects the predicates, and each lane counts bits: Harris and Garland, "Optimizing
 * parallel prefix operations for the Fermi architecture" (GPU Computing Gems Jade, 2011). Their
 * code masks the heads to the lanes BELOW a lane before it searches the nearest, so a lane that is
 * a head counts in the segment that it ends: p = 1 0 1 1 1 0 0 1 with heads at lanes 0, 3 and 6
 * gives 0 1 1 2 1 2 2 0. Park, "Correct implementation of sub-warp parallel prefix operations"
 * (Journal of Digital Contents Society 18(3), 2017) found this and uses two masks, heads at or
 * below the lane and predicates below it: 0 1 1 0 1 2 0 0. lane_mask.cl does the same in words of
 * 64 bits, without the shifts by a whole word that both texts rely on. */
#ifndef XL_LANE_SUBWARP
#define XL_LANE_SUBWARP

#include "lane.cl"
#include "lane_mask.cl"

uint xl_subwarp_lane(uint width)
{
    return xl_lane_id() & (width - 1);
}

uint xl_subwarp_reach(ulong heads, uint width)
{
    const uint k = xl_subwarp_lane(width);
    return k - xl_segment_start(heads, k);
}

/* The ballot of this lane's row from bit 0 on, followed by those of the rows above it. */
ulong xl_subwarp_ballot(bool p, uint width)
{
    return xl_lane_ballot(p) >> (xl_lane_id() & ~(width - 1));
}

uint xl_subwarp_count_exclusive(bool p, ulong heads, uint width)
{
    return xl_segment_count_exclusive(xl_subwarp_ballot(p, width), heads, xl_subwarp_lane(width));
}

uint xl_subwarp_count_inclusive(bool p, ulong heads, uint width)
{
    return xl_segment_count_inclusive(xl_subwarp_ballot(p, width), heads, xl_subwarp_lane(width));
}

#endif
