/* SPDX-License-Identifier: MIT
 * The k keys of each segment that come first. The host knows where no segment begins; it launches
 *   xl_topk_segments_begin   clears the list of long segments
 *   xl_topk_segments_short   batches of segments: those that a tile holds are done with
 *                            (topk_segments_rows.cl, topk_segments_heap.cl), others are listed
 * and, where a segment may be long, for those on the list (topk_segments_long.cl), as often as a
 * key has digits, xl_topk_segments_count   counts the next digit of each chunk's candidates
 *   xl_topk_segments_find    finds the digit of each segment's k-th key
 * then
 *   xl_topk_segments_tally   counts each chunk's results
 *   xl_topk_segments_places  where they go
 *   xl_topk_segments_write   writes them in the order of the input
 * and where results are sorted these are sorted in segments, stably, and put where they belong by
 *   xl_topk_segments_gather
 * Launches that no segment needs end at once. Offsets are clamped as they are read, and what is
 * read from scratch is held against the arrays: nothing is written outside. */
#include "../prelude/prelude.cl"

#include "topk_segments_list.cl"

#if XL_TOPK_SHAPE == 0
#include "topk_segments_rows.cl"
#else
#include "topk_segments_heap.cl"
#endif
#include "topk_segments_long.cl"

#define XL_TOPK_REQUIRED __attribute__((reqd_work_group_size(XL_TOPK_GROUP, 1, 1)))

/* Where results go; those of segment s stand at s * stride. */
#define XL_TOPK_RESULTS_ARGUMENTS uint gives, ulong stride, XL_TOPK_ARRAYS
#define XL_TOPK_RESULTS_MAKE                                                                       \
    XL_TOPK_ARRAYS_MAKE                                                                            \
    xl_results out;                                                                                \
    out.arrays = arrays;                                                                           \
    out.stride = stride;

__kernel XL_TOPK_REQUIRED void xl_topk_segments_begin(XL_TOPK_LIST)
{
    const xl_list list = XL_TOPK_LIST_OF;
    if (get_local_id(0) == 0) {
        list.head->longs = list.head->chunks = 0;
        list.head->results = 0;
    }
}

/* Group g has segments from g * batch on. counts: 0, or how many results each segment has. */
__kernel XL_TOPK_REQUIRED void xl_topk_segments_short(XL_TOPK_LIST, uint batch,
                                                      __global const XL_SEG *offsets,
                                                      ulong offsets_offset, __global uint *counts,
                                                      ulong counts_offset,
                                                      XL_TOPK_RESULTS_ARGUMENTS)
{
    XL_TOPK_DECLARE_SHORT
    const xl_list list = XL_TOPK_LIST_OF;
    XL_TOPK_RESULTS_MAKE
    xl_segments all;
    all.offsets = offsets + offsets_offset;
    all.count = segments;
    all.first = (uint)get_group_id(0) * batch;
    all.batch = min(batch, segments - all.first);
    all.counts = counts ? counts + counts_offset : 0;
    xl_short_batch(&list, &all, &out, XL_TOPK_SHORT);
}

__kernel XL_TOPK_REQUIRED void xl_topk_segments_count(XL_TOPK_LIST, __global const XL_KEY *keys,
                                                      ulong keys_offset)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOPK_LIST_OF;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_count(&list, c, keys + keys_offset, &local_);
}

__kernel XL_TOPK_REQUIRED void xl_topk_segments_find(XL_TOPK_LIST)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOPK_LIST_OF;
    const uint longs = xl_list_read(&list, &local_)->longs;
    for (uint e = (uint)get_group_id(0); e < longs; e += (uint)get_num_groups(0))
        xl_long_find(&list, e, &local_);
}

__kernel XL_TOPK_REQUIRED void xl_topk_segments_tally(XL_TOPK_LIST, __global const XL_KEY *keys,
                                                      ulong keys_offset)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOPK_LIST_OF;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_tally(&list, c, keys + keys_offset, &local_);
}

/* starts: of each listed segment's results where they are sorted together; all groups do chunks,
 * the first one these. */
__kernel XL_TOPK_REQUIRED void xl_topk_segments_places(XL_TOPK_LIST, uint most_results,
                                                       ulong starts)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOPK_LIST_OF;
    const uint longs = xl_list_read(&list, &local_)->longs;
    for (uint e = (uint)get_group_id(0); e < longs; e += (uint)get_num_groups(0))
        xl_long_places(&list, e, &local_);
    if (get_group_id(0) == 0 && most_results > 0)
        xl_long_starts(&list, longs, (__global uint *)(scratch + starts), most_results, &local_);
}

/* most_results: of those that are sorted next, as ordinals with indices beside them; 0: results go
 * to the arrays. */
__kernel XL_TOPK_REQUIRED void xl_topk_segments_write(XL_TOPK_LIST, uint most_results, ulong starts,
                                                      ulong ordinals, ulong indices,
                                                      XL_TOPK_RESULTS_ARGUMENTS)
{
    __local xl_long_local local_;
    const xl_list list = XL_TOPK_LIST_OF;
    XL_TOPK_RESULTS_MAKE
    xl_sorts sorts;
    sorts.starts = (__global uint *)(scratch + starts);
    sorts.ordinals = (__global XL_ORDINAL *)(scratch + ordinals);
    sorts.indices = (__global uint *)(scratch + indices);
    sorts.most = most_results;
    const uint chunks = xl_list_read(&list, &local_)->chunks;
    for (uint c = (uint)get_group_id(0); c < chunks; c += (uint)get_num_groups(0))
        xl_long_write(&list, c, &out, &sorts, &local_);
}

/* Of listed segments, whose indices are in order, result p. */
__kernel void xl_topk_segments_gather(XL_TOPK_LIST, uint most_results, ulong starts, ulong indices,
                                      XL_TOPK_RESULTS_ARGUMENTS)
{
    const xl_list list = XL_TOPK_LIST_OF;
    XL_TOPK_RESULTS_MAKE
    const __global uint *const start = (const __global uint *)(scratch + starts);
    const uint p = (uint)get_global_id(0), longs = min(list.head->longs, most_longs);
    if (p >= min((ulong)most_results, list.head->results) || longs == 0)
        return;
    uint low = 0, high = longs - 1u; /* the last that begins at p or before */
    while (low < high) {
        const uint middle = low + (high - low + 1u) / 2u;
        const bool before = start[middle] <= p;
        low = before ? middle : low;
        high = before ? high : middle - 1u;
    }
    const uint place = p - min(start[low], p), i = ((const __global uint *)(scratch + indices))[p];
    const uint segment = list.longs[low].segment;
    if (i < n && place < k && segment < segments)
        xl_give(&out, (ulong)segment * stride + place, i);
}
