/* SPDX-License-Identifier: MIT
 * Lanes for devices without cross-lane operations: each work-item is a separate sub-group, which
 * can only shuffle with itself. Groups exchange through local memory with barriers. */

uint xl_lane_width(void)
{
    return 1;
}

uint xl_lane_id(void)
{
    return 0;
}

uint xl_lane_group(void)
{
    return (uint)get_local_id(0);
}

uint xl_lane_groups(void)
{
    return (uint)get_local_size(0);
}

uint xl_lane_shuffle(uint v, uint from)
{
    return v;
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    return v;
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    return v;
}

uint xl_lane_shuffle_xor(uint v, uint mask)
{
    return v;
}

ulong xl_lane_ballot(bool p)
{
    return p ? 1 : 0;
}
