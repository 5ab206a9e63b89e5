/* SPDX-License-Identifier: MIT
 * Segmented sort, its beginning: where segments begin is found for each window of half a tile
 * (cl/sort/segment_windows.cl); then short segments are sorted by one read and one write, several
 * at once by a work-group (segment_pack.cl) or one after the other by one work-item
 * (segment_serial.cl), what stands before the first segment is copied, and the tiles of long
 * segments are listed for cl/sort/segment_long.cl.
 *
 * Searched for by each window itself, where its segments begin would take as many trips to memory,
 * one after the other, as the number of segments has bits; in a launch of their own all windows
 * make these trips side by side. */
#include "../prelude/prelude.cl"

/* Both shapes need these; embedding takes each file once, so not inside a condition. */
#include "../lane/lane.cl"
#include "segment_arrays.cl"

#if !XL_SERIAL
#include "bitonic_fetch.cl"
#else
#include "bitonic_serial.cl"
#endif
#include "segment_windows.cl"

#if !XL_SERIAL
#include "segment_pack.cl"
#else
#include "segment_serial.cl"
#endif

/* Work-item i finds where the segments of window i begin; that of the window behind the last is
 * where they end. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void xl_segment_places(XL_CSR)
{
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    const xl_csr csr = XL_CSR_OF;
    const uint i = (uint)get_global_id(0);
    if (i == 0)
        csr.state[0] = csr.state[1] = 0;
    if (i <= windows)
        csr.state[XL_SEGMENT_STATE + i] = xl_window_first(&csr, i);
}

/* Group g does window g. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_short(XL_CSR, XL_SORT_ARRAYS)
{
    XL_SEGMENT_LOCAL(!XL_SERIAL || XL_SORT_VALUES)
    __local xl_pack_local local_;
    __local xl_window shared;
    uint n;
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)
    const xl_csr csr = XL_CSR_OF;
    const xl_sort_in in = XL_SORT_IN;
    const xl_sort_out out = XL_SORT_OUT;
    const uint g = (uint)get_group_id(0), first = g * XL_WINDOW;
    const uint stop = min(first + min(n - first, (uint)XL_WINDOW), xl_segment_begin(&csr, 0));
    for (uint i = first + (uint)get_local_id(0); i < stop; i += XL_SORT_GROUP) {
        out.keys[i] = in.keys[i];
#if XL_SORT_VALUES
        out.values[i] = xl_sort_value(in, i, true);
#endif
    }
    const xl_window window = xl_window_read(&csr, g, &shared);
    xl_segment_list(&csr, &window, &local_.listed);
    if (window.end > window.begin)
        xl_pack_sort(in, out, &csr, &window, tile, &local_);
}
