/* SPDX-License-Identifier: MIT
 * The k first keys of each segment. The host does not know where segments begin. It launches
 *   xl_top_k_segments_begin   clears the list of long segments
 *   xl_top_k_segments_short   processes batches of segments: selects from short ones, which a tile
 *                            holds (top_k_segments_short.cl), and lists long ones
 * If there may be long segments, there follow for these (top_k_segments_long.cl), once for each
 * digit
 *   xl_top_k_segments_count   counts the next digit of each chunk's candidates
 *   xl_top_k_segments_find    finds the digit of each segment's k-th key
 * and then
 *   xl_top_k_segments_tally   counts the certain results and the candidates of each chunk
 *   xl_top_k_segments_places  adds up the counts of the chunks before
 *   xl_top_k_segments_write   writes the results in the order of the input
 * If results are sorted, there follow a stable sort of the segments of results and
 *   xl_top_k_segments_gather  writes the sorted results
 * Kernels end at once if the list is empty. Offsets, and numbers from scratch, are clamped as they
 * are read: nothing outside the arrays is accessed. */
#include "../prelude/prelude.cl"

#include "top_k_segments_short.cl"

#include "top_k_segments_long.cl"

#define XL_TOP_K_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* The results of segment s begin at element s * stride. */
#define XL_TOP_K_RESULTS_ARGUMENTS uint outputs, ulong stride, XL_TOP_K_ARRAYS
#define XL_TOP_K_RESULTS_MAKE                                                                      \
    XL_TOP_K_ARRAYS_MAKE                                                                           \
    xl_results out;                                                                                \
    out.arrays = arrays;                                                                           \
    out.stride = stride;

__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_begin(XL_TOP_K_LIST)
{
    const xl_list list = XL_TOP_K_LIST_OF;
    if (get_local_id(0) == 0) {
        list.head->longs = list.head->chunks = 0;
        list.head->results = 0;
    }
}

/* The segments of group g begin at g * batch. `length`: NULL, or the number of keys. `counts`:
 * NULL, or the number of results of each segment. */
__kernel XL_TOP_K_REQUIRED void
xl_top_k_segments_short(XL_TOP_K_LIST, __global const ulong *length, ulong length_offset,
                        uint batch, __global const XL_SEG *offsets, ulong offsets_offset,
                        __global uint *counts, ulong counts_offset, XL_TOP_K_RESULTS_ARGUMENTS)
{
    XL_TOP_K_DECLARE_SHORT
    const xl_list list = XL_TOP_K_LIST_OF;
    XL_TOP_K_RESULTS_MAKE
    xl_segments all;
    all.offsets.at = offsets + offsets_offset;
    all.offsets.n = (uint)xl_length(n, length, length_offset);
    all.offsets.count = segments;
    all.first = (uint)get_group_id(0) * batch;
    all.batch = min(batch, segments - all.first);
    all.counts = counts ? counts + counts_offset : 0;
    xl_short_batch(&list, &all, &out, XL_TOP_K_SHORT);
}

__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_count(XL_TOP_K_LIST, __global const XL_KEY *keys,
                                                        ulong keys_offset)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOP_K_LIST_OF;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_count(&list, c, keys + keys_offset, &local_);
}

__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_find(XL_TOP_K_LIST)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOP_K_LIST_OF;
    const uint longs = xl_list_read(&list, &local_)->longs;
    for (uint e = (uint)get_group_id(0); e < longs; e += (uint)get_num_groups(0))
        xl_long_find(&list, e, &local_);
}

__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_tally(XL_TOP_K_LIST, __global const XL_KEY *keys,
                                                        ulong keys_offset)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOP_K_LIST_OF;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_tally(&list, c, keys + keys_offset, &local_);
}

/* `starts`: bytes into scratch: the first result of each long segment, if results are sorted. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_places(XL_TOP_K_LIST, uint most_results,
                                                         ulong starts)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOP_K_LIST_OF;
    const uint longs = xl_list_read(&list, &local_)->longs;
    for (uint e = (uint)get_group_id(0); e < longs; e += (uint)get_num_groups(0))
        xl_long_places(&list, e, &local_);
    if (get_group_id(0) == 0 && most_results > 0)
        xl_long_starts(&list, longs, (__global uint *)(scratch + starts), most_results, &local_);
}

/* most_results: the most results that are sorted next, as ordinals and indices; 0: the results are
 * stored in the caller's arrays. */
__kernel XL_TOP_K_REQUIRED void xl_top_k_segments_write(XL_TOP_K_LIST, uint most_results,
                                                        ulong starts, ulong ordinals, ulong indices,
                                                        XL_TOP_K_RESULTS_ARGUMENTS)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOP_K_LIST_OF;
    XL_TOP_K_RESULTS_MAKE
    xl_sort_input sort;
    sort.starts = (__global uint *)(scratch + starts);
    sort.ordinals = (__global XL_ORDINAL *)(scratch + ordinals);
    sort.indices = (__global uint *)(scratch + indices);
    sort.most = most_results;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_write(&list, c, &out, &sort, &local_);
}

/* Writes sorted result p of the long segments. */
__kernel void xl_top_k_segments_gather(XL_TOP_K_LIST, uint most_results, ulong starts,
                                       ulong indices, XL_TOP_K_RESULTS_ARGUMENTS)
{
    const xl_list list = XL_TOP_K_LIST_OF;
    XL_TOP_K_RESULTS_MAKE
    const __global uint *const start = (const __global uint *)(scratch + starts);
    const uint p = (uint)get_global_id(0), longs = min(list.head->longs, most_longs);
    if (p >= min((ulong)most_results, list.head->results) || longs == 0)
        return;
    uint low = 0, high = longs - 1u; /* finds the last segment that begins at p or before */
    while (low < high) {
        const uint middle = low + (high - low + 1u) / 2u;
        const bool before = start[middle] <= p;
        low = before ? middle : low;
        high = before ? high : middle - 1u;
    }
    const uint place = p - min(start[low], p), i = ((const __global uint *)(scratch + indices))[p];
    const uint segment = list.longs[low].segment;
    if (i < n && place < k && segment < segments)
        xl_top_k_store(&out.arrays, (ulong)segment * stride + place, i);
}
