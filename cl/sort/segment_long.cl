/* SPDX-License-Identifier: MIT
 * Segmented sort, its end: the tiles of long segments, as cl/sort/segment_short.cl has listed them,
 * are sorted on their own and then merged as those of a whole array are (cl/sort/sort_bitonic.cl),
 * but relative to where their segment begins. There are as many launches as the longest that there
 * might be needs; a segment that needs fewer merges begins later on the side that ends in the
 * output, and launches that no segment needs end at once. The host knows no number of tiles: each
 * work-group takes every so many-th of the list. */
#include "../prelude/prelude.cl"

/* Several need these; embedding takes each file once, so not inside a condition. */
#include "../lane/lane.cl"
#include "../prelude/prelude_bits.cl"
#include "bitonic_merge.cl"
#include "merge_partition.cl"
#include "segment_arrays.cl"

#if XL_KEY_KIND == 3 && XL_SERIAL
#include "compare_serial.cl"
#elif XL_KEY_KIND == 3
#include "compare_tile.cl"
#elif XL_SERIAL
#include "bitonic_serial.cl"
#else
#include "bitonic_tile.cl"
#endif
#include "segment_windows.cl"
#if XL_SEGMENT_QUEUE
#include "segment_queue.cl"
#endif

/* Where a segment is to stand that so many merges, from one side to the other, bring to the output.
 */
xl_sort_out xl_segment_side(xl_sort_out out, xl_sort_out spare, uint merges)
{
    const bool away = merges % 2u != 0;
    xl_sort_out side;
    side.keys = away ? spare.keys : out.keys;
#if XL_SORT_VALUES
    side.values = away ? spare.values : out.values;
#endif
    return side;
}

/* Makes a tile of runs of 2^level tiles. */
void xl_segment_tile_merge(xl_sort_out out, xl_sort_out spare, const xl_segment_tile *t, uint level,
                           uint search_log, xl_sort_local tile, __local uint *search)
{
    const xl_sort_out from = xl_segment_side(out, spare, t->merges - level);
    xl_sort_out to = xl_segment_side(out, spare, t->merges - level - 1u);
    xl_sort_in in;
    in.keys = from.keys + t->begin;
    to.keys += t->begin;
#if XL_SORT_VALUES
    in.values = from.values + t->begin;
    to.values += t->begin;
#endif
    xl_tile_merge(in, to, t->number * XL_SORT_TILE, t->count, t->end - t->begin,
                  (uint)XL_SORT_TILE << level, search_log, tile, search);
}

#define XL_LONG_REQUIRED __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1)))

#if XL_SEGMENT_QUEUE
__kernel XL_LONG_REQUIRED void xl_segment_all(uint slots, uint polls, uint search_log, XL_CSR,
                                              XL_SORT_ARRAYS, XL_SEGMENT_SPARE)
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
        if (!job.there)
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
#else
__kernel XL_LONG_REQUIRED void xl_segment_tiles(XL_CSR, XL_SORT_ARRAYS, XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    const xl_csr csr = XL_CSR_OF;
    const xl_sort_in in = XL_SORT_IN;
    const xl_sort_out out = XL_SORT_OUT, spare = XL_SEGMENT_SPARE_OUT;
    const uint tiles = xl_csr_tiles_read(&csr, 0, &shared_tiles);
    const uint groups = (uint)get_num_groups(0);
    for (uint i = (uint)get_group_id(0); i < tiles; i += groups) {
        const xl_segment_tile t = xl_segment_tile_read(&csr, i, &shared);
        if (t.count > 0)
            xl_tile_sort(in, xl_segment_side(out, spare, t.merges), t.first, t.count, tile);
        XL_LOCAL_BARRIER();
    }
}

/* Runs of 2^level tiles are merged. Cuts are searched by 2^search_log - 1 work-items. */
__kernel XL_LONG_REQUIRED void xl_segment_merge(uint level, uint search_log, XL_CSR, XL_SORT_ARRAYS,
                                                XL_SEGMENT_SPARE)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_segment_tile shared;
    __local uint shared_tiles;
    __local uint search[XL_SORT_SEARCH];
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    const xl_csr csr = XL_CSR_OF;
    const xl_sort_out out = XL_SORT_OUT, spare = XL_SEGMENT_SPARE_OUT;
    const uint tiles = xl_csr_tiles_read(&csr, 1u << level, &shared_tiles);
    const uint groups = (uint)get_num_groups(0);
    for (uint i = (uint)get_group_id(0); i < tiles; i += groups) {
        const xl_segment_tile t = xl_segment_tile_read(&csr, i, &shared);
        if (t.count > 0 && t.merges > level)
            xl_segment_tile_merge(out, spare, &t, level, search_log, tile, search);
        XL_LOCAL_BARRIER();
    }
}
#endif
