/* SPDX-License-Identifier: MIT
 * Segmented sort, first part. xl_segment_places finds where the segments of each window of half a
 * tile begin (cl/sort/segment_windows.cl). Then short segments are sorted by one read and one
 * write: several together by a work-group (segment_rows.cl; with a comparator here), or one after
 * the other by one work-item. Elements before the first segment are copied, and the tiles of long
 * segments are listed for cl/sort/segment_long.cl.
 *
 * If each window searched for its segments, this would take as many trips to memory, one after the
 * other, as the number of segments has bits. In a separate launch the searches of all windows
 * overlap. */
#define XL_SHORT_SEGMENTS 1
#include "segment_windows.cl"

#if XL_SERIAL
typedef struct xl_pack_local {
    uint listed;
} xl_pack_local;

/* Sorts a window's short segments, one after the other: each in a network that is no larger than
 * necessary, or by a merge sort. */
void xl_pack_sort(xl_sort_in in, xl_sort_out out, const xl_csr *csr,
                  const xl_segment_window *window, xl_sort_local tile,
                  __local xl_pack_local *local_)
{
    uint begin = window->begin;
    for (uint i = window->first; i < window->after;) {
        /* The segment before `next` is the last one that begins here, and the only one that is not
         * empty. */
        const uint next =
            (uint)xl_offset_pass(csr->offsets, window->after, (ulong)i + 1, (ulong)begin + 1);
        const uint end = xl_segment_begin(csr, next);
        const uint count = end > begin ? min(end - begin, (uint)XL_SEGMENT_WINDOW) : 0;
        if (count > 1) {
            xl_tile_sort(in, out, begin, count, tile);
        } else if (count == 1) {
            if (xl_sort_has_keys(out))
                out.keys[begin] = in.keys[begin];
#if XL_SORT_VALUES
            out.values[begin] = xl_sort_value(in, begin, true);
#endif
        }
        begin = end;
        i = next;
    }
}
#elif XL_KEY_KIND == 3
/* Sorts a window's short segments together, by merges of places, as any tile (sort_tile.cl). The
 * upper half of a place says where in the tile its segment begins, and is compared before the keys.
 * At the border of two segments a merge moves nothing and calls no comparator. */
void xl_pack_sort(xl_sort_in in, xl_sort_out out, const xl_csr *csr,
                  const xl_segment_window *window, xl_sort_local tile,
                  __local xl_pack_local *local_)
{
    const uint mine = (uint)get_local_id(0) * XL_SORT_ITEMS, count = window->end - window->begin;
    uint places[XL_SORT_ITEMS];
    xl_pack_mark(csr, window, local_);
    xl_tile_load(in, window->begin, count, tile);
    uint head = xl_pack_head(local_, mine);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = mine + e;
        head = (local_->heads[at / 32u] >> at % 32u & 1u) != 0 ? at : head;
        places[e] = head << 16 | at;
    }
    xl_places_sort(tile, places, count);
    xl_places_write(in, out, window->begin, count, tile);
}
#endif

/* Finds where the segments of each window begin; the entry after the last window is where they end.
 * If there are few segments, one work-item finds a place as fast as a sub-group does. Large keys
 * leave local memory only for small groups: if a group is smaller than a sub-group, the votes of
 * the missing lanes would read as "not below", and windows would overlap. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_places(uint queue_words, XL_CSR)
{
    XL_CSR_MAKE
    const uint i = (uint)get_global_id(0);
    if (i < XL_SEGMENT_STATE)
        csr.state[i] = 0;
    for (uint k = i; k < queue_words; k += (uint)get_global_size(0))
        xl_csr_queue(&csr)[k] = 0;
#if XL_PLACES_BY_LANES
    if (count >= windows && xl_lanes_whole()) {
        xl_segment_windows_find_by_lanes(&csr);
        return;
    }
#endif
    for (uint k = i; k <= windows; k += (uint)get_global_size(0))
        csr.state[XL_SEGMENT_STATE + k] = xl_segment_window_first(&csr, k);
}

#if XL_SERIAL || XL_KEY_KIND == 3
/* Group g sorts window g. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_short(XL_CSR, XL_SORT_ARRAYS)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_pack_local local_;
    __local xl_segment_window shared;
    XL_CSR_MAKE
    XL_SORT_MAKE
    const xl_segment_window window =
        xl_segment_window_open(&csr, in, out, (uint)get_group_id(0), &shared, &local_.listed);
    if (window.end > window.begin)
        xl_pack_sort(in, out, &csr, &window, tile, &local_);
}
#endif
