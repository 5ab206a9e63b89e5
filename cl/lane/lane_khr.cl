/* SPDX-License-Identifier: MIT
 * Lanes by cl_khr_subgroups with cl_khr_subgroup_shuffle, _shuffle_relative and _ballot. The width
 * is the kernel's, queried at run time. */

uint xl_lane_width(void)
{
    return get_max_sub_group_size();
}

uint xl_lane_id(void)
{
    return get_sub_group_local_id();
}

uint xl_lane_group(void)
{
    return get_sub_group_id();
}

uint xl_lane_groups(void)
{
    return get_num_sub_groups();
}

uint xl_lane_shuffle(uint v, uint from)
{
    return sub_group_shuffle(v, from);
}

uint xl_lane_shuffle_up(uint v, uint by)
{
    return sub_group_shuffle_up(v, by);
}

uint xl_lane_shuffle_down(uint v, uint by)
{
    return sub_group_shuffle_down(v, by);
}

uint xl_lane_shuffle_xor(uint v, uint mask)
{
    return sub_group_shuffle_xor(v, mask);
}

ulong xl_lane_ballot(bool p)
{
    uint4 bits = sub_group_ballot(p ? 1 : 0);
    /* Bits beyond the width are undefined: they are masked, without a shift by the whole width. */
    return ((ulong)bits.y << 32 | bits.x) & (((1UL << (xl_lane_width() - 1)) - 1) << 1 | 1);
}
