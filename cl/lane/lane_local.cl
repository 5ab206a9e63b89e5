/* SPDX-License-Identifier: MIT
 * Lanes where a device has no cross-lane operation: each work-item is a sub-group
 * of its own, and groups exchange through local memory with barriers. */

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
