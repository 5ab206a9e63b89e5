/* SPDX-License-Identifier: MIT
 * Sorts consecutive short segments by one work-item, one after the other: in a network that is no
 * larger than necessary, or by a merge sort. Requires xl_tile_sort(). */
#include "segment_windows.cl"

typedef struct xl_pack_local {
    uint listed;
} xl_pack_local;

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
