/* SPDX-License-Identifier: MIT
 * Lanes where a device has no cross-lane operation: each work-item is a sub-group
 * of its own, which can shuffle with itself only; groups exchange through local memory
 * with barriers. */

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
