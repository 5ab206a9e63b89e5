/* SPDX-License-Identifier: MIT
 * The first key that comes before the key in front of it. Each group searches a chunk of the keys,
 * and a second launch takes the lowest of their results, which does not depend on their order. */
#include "../prelude/prelude.cl"

#include "../prelude/prelude_key.cl"

#define XL_NOWHERE (~(ulong)0)

bool xl_unsorted_at(__global const XL_KEY *keys, ulong i)
{
    return xl_key_map(keys[i]) < xl_key_map(keys[i - 1]);
}

/* The lowest of the numbers that the work-items of the group have. */
ulong xl_group_lowest(ulong mine, __local ulong *local_)
{
    const uint w = (uint)get_local_id(0);
    local_[w] = mine;
    XL_LOCAL_BARRIER();
    for (uint width = XL_GROUP_SIZE; width > 1;) {
        const uint below = (width + 1) / 2;
        if (w + below < width)
            local_[w] = min(local_[w], local_[w + below]);
        XL_LOCAL_BARRIER();
        width = below;
    }
    return local_[0];
}

/* The number of keys. It is not used at a barrier, so that work-items may read different ones if
 * another kernel changes it concurrently. */
#define XL_UNSORTED_LENGTH ulong n, __global const ulong *n_device, ulong n_offset
#define XL_UNSORTED_READ_LENGTH n = n_device ? min(n, n_device[n_offset]) : n;

/* Group g searches the places from 1 + g * chunk on. A work-item ends with the first that it finds.
 */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_unsorted_chunks(XL_UNSORTED_LENGTH, ulong chunk, __global const XL_KEY *keys, ulong keys_offset,
                   __global ulong *found, ulong found_offset)
{
    __local ulong local_[XL_GROUP_SIZE];
    XL_UNSORTED_READ_LENGTH
    const ulong begin = 1 + get_group_id(0) * chunk, end = min(begin + chunk, n);
    const ulong step = XL_GROUP_SIZE * XL_SEARCH_ITEMS;
    ulong lowest = XL_NOWHERE;
    keys += keys_offset;
    for (ulong at = begin + get_local_id(0); at < end && lowest == XL_NOWHERE; at += step) {
        uint any = 0;
#pragma unroll
        for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
            any |= xl_unsorted_at(keys, min(at + e * (ulong)XL_GROUP_SIZE, end - 1));
        for (uint e = 0; any && e < XL_SEARCH_ITEMS; ++e) {
            const ulong i = min(at + e * (ulong)XL_GROUP_SIZE, end - 1);
            lowest = min(lowest, xl_unsorted_at(keys, i) ? i : XL_NOWHERE);
        }
    }
    lowest = xl_group_lowest(lowest, local_);
    if (get_local_id(0) == 0)
        found[found_offset + get_group_id(0)] = lowest;
}

/* One group. The result is n if there are no chunks, or none of them found a place. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_unsorted_lowest(XL_UNSORTED_LENGTH, ulong chunks, __global const ulong *found,
                   ulong found_offset, __global ulong *place_out, ulong place_offset)
{
    __local ulong local_[XL_GROUP_SIZE];
    XL_UNSORTED_READ_LENGTH
    ulong lowest = n;
    for (ulong k = get_local_id(0); k < chunks; k += XL_GROUP_SIZE)
        lowest = min(lowest, found[found_offset + k]);
    lowest = xl_group_lowest(lowest, local_);
    if (get_local_id(0) == 0)
        place_out[place_offset] = lowest;
}
