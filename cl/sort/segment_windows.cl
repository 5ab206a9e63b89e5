/* SPDX-License-Identifier: MIT
 * Which segments, given by CSR offsets, each work-group of a segmented sort has to do with.
 *
 * The array is cut into windows of half a tile. A segment that is no longer than a window is
 * short, and belongs to the window that it begins in: all of those are neighbours, and together no
 * longer than a tile. Of longer ones at most one begins in a window, and that behind the short
 * ones. Long segments are cut into tiles, from their own beginning on, and listed.
 *
 * Offsets are clamped as they are read. Where they fall segments may overlap and the list may be
 * too long or hold anything; what is read from it is held against the arrays' bounds. */
#include "../prelude/prelude_bits.cl"
#include "../tile/tile_offsets.cl"
#include "sort_arrays.cl"

#define XL_WINDOW (XL_SORT_TILE / 2)

/* The words of the state: tiles in the list, the most that one segment has, windows that are left,
 * and three of cl/sort/segment_queue.cl; then from here on where each window's segments begin, and
 * behind that the list, of four words a tile, the numbers of the windows that are left, and what
 * the queue knows. */
#define XL_SEGMENT_STATE 6
enum { xl_state_jobs = 5 }; /* tiles of all merges */

typedef struct xl_csr {
    __global const XL_SEG *offsets;
    __global uint *state;
    uint n, count, windows, capacity; /* of the list */
} xl_csr;

/* Of xl_csr: the arguments that tell. */
#define XL_CSR                                                                                     \
    XL_SORT_LENGTH, __global const XL_SEG *offsets, ulong offsets_offset, uint count,              \
        __global uint *state, ulong state_offset, uint windows, uint capacity
#define XL_CSR_OF                                                                                  \
    {                                                                                              \
        offsets + offsets_offset, state + state_offset, n, count, windows, capacity                \
    }

/* Where segment i begins, and the one before it ends. */
uint xl_segment_begin(const xl_csr *csr, uint i)
{
    return i < csr->count ? (uint)min((ulong)csr->offsets[i], (ulong)csr->n) : csr->n;
}

/* The first segment that begins in a window, or behind it. */
uint xl_window_first(const xl_csr *csr, uint window)
{
    return (uint)xl_offset_search(csr->offsets, csr->count, (ulong)window * XL_WINDOW, 0);
}

#define XL_PLACES_BY_LANES (XL_LANE_WAY != 0 && !XL_SERIAL)
#if XL_PLACES_BY_LANES
/* Finds the first segment of every window, one sub-group per window. The work-group must be whole
 * sub-groups: xl_lanes_whole(). */
void xl_windows_find_by_lanes(const xl_csr *csr)
{
    const uint groups = xl_lane_groups();
    for (uint k = (uint)get_group_id(0) * groups + xl_lane_group(); k <= csr->windows;
         k += (uint)get_num_groups(0) * groups) {
        const ulong at = (ulong)k * XL_WINDOW;
        const ulong first = xl_offset_search_lanes(csr->offsets, csr->count, at, 0, csr->n);
        if (xl_lane_id() == 0)
            csr->state[XL_SEGMENT_STATE + k] = (uint)first;
    }
}
#endif

/* What one window has: short segments [first, after), which are elements [begin, end), and the
 * long one, elements [end, long_end), none where these are the same. */
typedef struct xl_window {
    uint first, after, begin, end, long_end;
} xl_window;

xl_window xl_window_at(const xl_csr *csr, uint window)
{
    __global const uint *const places = csr->state + XL_SEGMENT_STATE + window;
    xl_window w;
    w.first = min(places[0], csr->count);
    w.after = clamp(places[1], w.first, csr->count);
    /* All in one trip to memory. */
    const uint begin = xl_segment_begin(csr, w.first), after = xl_segment_begin(csr, w.after);
    const uint last = xl_segment_begin(csr, max(w.after, w.first + 1u) - 1u);
    w.begin = w.end = w.long_end = begin;
    if (w.after > w.first) {
        const uint end = max(last, after);
        const bool is_long = end - last > XL_WINDOW;
        w.after -= is_long;
        w.end = max(w.begin, is_long ? last : end);
        w.end = min(w.end, w.begin + min(csr->n - w.begin, (uint)XL_SORT_TILE));
        w.long_end = is_long ? max(w.end, end) : w.end;
    }
    return w;
}

/* The same at every work-item, all of which call it. Read once: of numbers in scratch that somebody
 * writes meanwhile they would part at barriers. */
xl_window xl_window_read(const xl_csr *csr, uint window, __local xl_window *shared)
{
    if (get_local_id(0) == 0)
        *shared = xl_window_at(csr, window);
    XL_LOCAL_BARRIER();
    return *shared;
}

/* A tile of a long segment: the `number`-th of elements [begin, end). It may be none: then
 * `count` is 0. */
typedef struct xl_segment_tile {
    uint begin, end, number;
    uint first, count; /* its elements, of the array */
    uint merges;       /* that its segment takes */
} xl_segment_tile;

uint xl_csr_tiles(const xl_csr *csr)
{
    return min(csr->state[0], csr->capacity);
}

__global uint *xl_csr_list(const xl_csr *csr)
{
    return csr->state + (XL_SEGMENT_STATE + csr->windows + 4u) / 4u * 4u;
}

xl_segment_tile xl_segment_tile_at(const xl_csr *csr, uint i)
{
    const uint4 entry = vload4(i, xl_csr_list(csr));
    xl_segment_tile t;
    t.end = min(entry.y, csr->n);
    t.begin = min(entry.x, t.end);
    const uint tiles = XL_CEIL_DIV(t.end - t.begin, XL_SORT_TILE);
    const bool is_there = entry.z < tiles;
    t.number = is_there ? entry.z : 0;
    t.first = t.begin + t.number * XL_SORT_TILE;
    t.count = is_there ? min(t.end - t.first, (uint)XL_SORT_TILE) : 0;
    t.merges = xl_log2_above(tiles);
    return t;
}

/* Tile i of the list, the same at every work-item. */
xl_segment_tile xl_segment_tile_read(const xl_csr *csr, uint i, __local xl_segment_tile *shared)
{
    if (get_local_id(0) == 0)
        *shared = xl_segment_tile_at(csr, i);
    XL_LOCAL_BARRIER();
    return *shared;
}

/* How many tiles the list has, the same at every work-item; 0 if no segment has more than `least`.
 */
uint xl_csr_tiles_read(const xl_csr *csr, uint least, __local uint *shared)
{
    if (get_local_id(0) == 0)
        *shared = csr->state[1] > least ? xl_csr_tiles(csr) : 0;
    XL_LOCAL_BARRIER();
    return *shared;
}

/* Lists the tiles of a window's long segment, if it has one. All work-items of the group call it
 * together, whether or not: PoCL compiles what follows a barrier that may be skipped twice. */
void xl_segment_list(const xl_csr *csr, const xl_window *w, __local uint *shared)
{
    const uint tiles = XL_CEIL_DIV(w->long_end - w->end, XL_SORT_TILE);
    if (get_local_id(0) == 0 && tiles > 0) {
        *shared = atomic_add(csr->state, tiles);
        atomic_max(csr->state + 1, tiles);
        atomic_add(csr->state + xl_state_jobs, tiles * xl_log2_above(tiles));
    }
    XL_LOCAL_BARRIER();
    const uint from = tiles > 0 ? *shared : 0;
    for (uint i = (uint)get_local_id(0); i < tiles; i += XL_SORT_GROUP)
        if (from + i < csr->capacity)
            vstore4((uint4)(w->end, w->long_end, i, 0), from + i, xl_csr_list(csr));
}

/* Copies what of a window stands before the first segment, and lists its long one. */
xl_window xl_window_open(const xl_csr *csr, xl_sort_in in, xl_sort_out out, uint window,
                         __local xl_window *shared, __local uint *listed)
{
    const uint first = window * XL_WINDOW, none = xl_segment_begin(csr, 0);
    const xl_window w = xl_window_read(csr, window, shared);
    const uint stop = min(first + min(csr->n - first, (uint)XL_WINDOW), none);
    for (uint i = first + (uint)get_local_id(0); i < stop; i += XL_SORT_GROUP) {
        if (xl_sort_has_keys(out))
            out.keys[i] = in.keys[i];
#if XL_SORT_VALUES
        out.values[i] = xl_sort_value(in, i, true);
#endif
    }
    xl_segment_list(csr, &w, listed);
    return w;
}

__global uint *xl_csr_left(const xl_csr *csr)
{
    return xl_csr_list(csr) + 4u * csr->capacity;
}

/* Zeros before tiles are listed. */
__global uint *xl_csr_queue(const xl_csr *csr)
{
    return xl_csr_left(csr) + csr->windows;
}

/* Leaves a window to the launch that follows. */
void xl_window_leave(const xl_csr *csr, uint window)
{
    const uint at = atomic_inc(csr->state + 2);
    if (at < csr->windows)
        xl_csr_left(csr)[at] = window;
}

/* The number of one that was left. */
uint xl_window_left(const xl_csr *csr, uint i)
{
    return min(xl_csr_left(csr)[i], csr->windows - 1u);
}

/* How many, the same at every work-item. */
uint xl_windows_left_read(const xl_csr *csr, __local uint *shared)
{
    if (get_local_id(0) == 0)
        *shared = min(csr->state[2], csr->windows);
    XL_LOCAL_BARRIER();
    return *shared;
}
