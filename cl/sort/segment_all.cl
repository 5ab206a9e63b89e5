/* SPDX-License-Identifier: MIT
 * Segmented sort, second part, if work-groups may pass messages: does in one launch, by the queue
 * of cl/sort/segment_queue.cl, what cl/sort/segment_long.cl does in as many launches as there may
 * be merges. */
#include "../prelude/prelude.cl"

/* Several files need these; embedding takes each file once, so not inside a condition. */
#include "../lane/lane.cl"
#include "../prelude/prelude_bits.cl"
#include "merge_partition.cl"

#if XL_KEY_KIND == 3
#include "compare_tile.cl"
#else
#include "bitonic_tile.cl"
#endif
#include "segment_queue.cl"
#include "segment_tile.cl"

__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_all(uint slots, uint polls, uint search_log, XL_CSR, XL_SORT_ARRAYS, XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    __local xl_queue_local queue;
    __local uint search[XL_SORT_SEARCH];
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    const xl_csr csr = XL_CSR_OF;
    const xl_sort_in in = XL_SORT_IN;
    const xl_sort_out out = XL_SORT_OUT, spare = XL_SEGMENT_SPARE_OUT;
    const uint tiles = xl_csr_tiles_read(&csr, 0, &shared_tiles);
    for (uint turn = 0; tiles > 0 && turn < slots + capacity; ++turn) {
        if (get_local_id(0) == 0)
            queue.job = xl_queue_take(&csr, slots, polls);
        XL_FULL_BARRIER();
        const xl_segment_job job = queue.job;
        if (!job.exists)
            break;
        const xl_segment_tile t = xl_segment_tile_read(&csr, job.tile, &shared);
        const bool sorts = t.count > 0 && job.level == 0;
        const bool merges = t.count > 0 && job.level > 0 && job.level <= t.merges;
        if (sorts)
            xl_tile_sort(in, xl_segment_side(out, spare, t.merges), t.first, t.count, tile);
        XL_LOCAL_BARRIER();
        if (merges)
            xl_segment_tile_merge(out, spare, &t, job.level - 1u, search_log, tile, search);
        xl_queue_done(&csr, &job, &t, slots, &queue);
    }
}
