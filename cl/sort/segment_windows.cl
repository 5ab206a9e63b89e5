/* SPDX-License-Identifier: MIT
 * Which segments, given by CSR offsets, each work-group of a segmented sort handles.
 *
 * The array is divided into windows of half a tile. A segment that is no longer than a window is
 * short, and belongs to the window in which it begins: these are contiguous, and together no longer
 * than a tile. At most one longer segment begins in a window, and it comes after the short ones.
 * Long segments are divided into tiles, from their beginning on, and listed.
 *
 * Offsets are clamped when they are read. If they do not ascend, segments may overlap, and the list
 * may be too long or contain anything; values that are read from it are compared with the bounds of
 * the arrays. */
#include "../tile/tile_offsets.cl"
#include "sort_tile.cl"

/* 1: the program sorts short segments. Default: 0, it sorts and merges the tiles of long ones. */
#ifndef XL_SHORT_SEGMENTS
#define XL_SHORT_SEGMENTS 0
#endif

#define XL_SEGMENT_WINDOW (XL_SORT_TILE / 2)

/* The words of the state: the number of tiles in the list, the most tiles of one segment, the
 * number of windows left, and three of cl/sort/segment_queue.cl. Then: where each window's segments
 * begin; the list, four words per tile; the numbers of the windows left; and the words of the
 * queue. */
#define XL_SEGMENT_STATE 6
enum { xl_state_jobs = 5 }; /* number of tiles in all merges */

typedef struct xl_csr {
    __global const XL_SEG *offsets;
    __global uint *state;
    uint n, count, windows, capacity; /* of the list */
} xl_csr;

/* The kernel arguments from which XL_CSR_MAKE makes `n` and `csr`. */
#define XL_CSR                                                                                     \
    XL_SORT_LENGTH, __global const XL_SEG *offsets, ulong offsets_offset, uint count,              \
        __global uint *state, ulong state_offset, uint windows, uint capacity
#define XL_CSR_MAKE                                                                                \
    uint n;                                                                                        \
    XL_LENGTH_READ(uint, n, n_most, length, length_offset)                                         \
    const xl_csr csr = {                                                                           \
        offsets + offsets_offset, state + state_offset, n, count, windows, capacity};

/* Where segment i begins and the one before it ends. */
uint xl_segment_begin(const xl_csr *csr, uint i)
{
    return i < csr->count ? (uint)min((ulong)csr->offsets[i], (ulong)csr->n) : csr->n;
}

/* The first segment that begins in a window or after it. */
uint xl_segment_window_first(const xl_csr *csr, uint window)
{
    return (uint)xl_offset_search(csr->offsets, csr->count, (ulong)window * XL_SEGMENT_WINDOW, 0);
}

#define XL_PLACES_BY_LANES (XL_LANE_WAY != 0 && !XL_SERIAL)
#if XL_PLACES_BY_LANES
/* Finds the first segment of every window, one sub-group per window. The work-group must be whole
 * sub-groups: xl_lanes_whole(). */
void xl_segment_windows_find_by_lanes(const xl_csr *csr)
{
    const uint groups = xl_lane_groups();
    for (uint k = (uint)get_group_id(0) * groups + xl_lane_group(); k <= csr->windows;
         k += (uint)get_num_groups(0) * groups) {
        const ulong at = (ulong)k * XL_SEGMENT_WINDOW;
        const ulong first = xl_offset_search_lanes(csr->offsets, csr->count, at, 0, csr->n);
        if (xl_lane_id() == 0)
            csr->state[XL_SEGMENT_STATE + k] = (uint)first;
    }
}
#endif

/* The segments of one window: short ones [first, after), which are elements [begin, end), and a
 * long one, elements [end, long_end), or none if these are equal. */
typedef struct xl_segment_window {
    uint first, after, begin, end, long_end;
} xl_segment_window;

xl_segment_window xl_segment_window_at(const xl_csr *csr, uint window)
{
    __global const uint *const places = csr->state + XL_SEGMENT_STATE + window;
    xl_segment_window w;
    w.first = min(places[0], csr->count);
    w.after = clamp(places[1], w.first, csr->count);
    /* All loads in one trip to memory. */
    const uint begin = xl_segment_begin(csr, w.first), after = xl_segment_begin(csr, w.after);
    const uint last = xl_segment_begin(csr, max(w.after, w.first + 1u) - 1u);
    w.begin = w.end = w.long_end = begin;
    if (w.after > w.first) {
        const uint end = max(last, after);
        const bool is_long = end - last > XL_SEGMENT_WINDOW;
        w.after -= is_long;
        w.end = max(w.begin, is_long ? last : end);
        w.end = min(w.end, w.begin + min(csr->n - w.begin, (uint)XL_SORT_TILE));
        w.long_end = is_long ? max(w.end, end) : w.end;
    }
    return w;
}

/* The same, for all work-items, which must call it together. One work-item reads and broadcasts, so
 * that a concurrent write to the scratch cannot make work-items diverge at a barrier. */
xl_segment_window xl_segment_window_read(const xl_csr *csr, uint window,
                                         __local xl_segment_window *shared)
{
    if (get_local_id(0) == 0)
        *shared = xl_segment_window_at(csr, window);
    XL_LOCAL_BARRIER();
    return *shared;
}

/* A tile of a long segment: the `number`-th of elements [begin, end). If there is no such tile,
 * `count` is 0. */
typedef struct xl_segment_tile {
    uint begin, end, number;
    uint first, count; /* its elements in the array */
    uint merges;       /* merges that its segment needs */
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

/* Tile i of the list, for all work-items. */
xl_segment_tile xl_segment_tile_read(const xl_csr *csr, uint i, __local xl_segment_tile *shared)
{
    if (get_local_id(0) == 0)
        *shared = xl_segment_tile_at(csr, i);
    XL_LOCAL_BARRIER();
    return *shared;
}

/* The number of tiles in the list, for all work-items; 0 if no segment has more than `least`
 * tiles. */
uint xl_csr_tiles_read(const xl_csr *csr, uint least, __local uint *shared)
{
    if (get_local_id(0) == 0)
        *shared = csr->state[1] > least ? xl_csr_tiles(csr) : 0;
    XL_LOCAL_BARRIER();
    return *shared;
}

/* Lists the tiles of a window's long segment, if it has one. All work-items must call it together,
 * even if it has none: PoCL compiles the code after a barrier twice if the barrier may be
 * skipped. */
void xl_segment_list(const xl_csr *csr, const xl_segment_window *w, __local uint *shared)
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

/* Copies the elements of a window that precede the first segment, and lists its long segment. */
xl_segment_window xl_segment_window_open(const xl_csr *csr, xl_sort_in in, xl_sort_out out,
                                         uint window, __local xl_segment_window *shared,
                                         __local uint *listed)
{
    const uint first = window * XL_SEGMENT_WINDOW, none = xl_segment_begin(csr, 0);
    const xl_segment_window w = xl_segment_window_read(csr, window, shared);
    const uint stop = min(first + min(csr->n - first, (uint)XL_SEGMENT_WINDOW), none);
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

/* These words must be 0 before tiles are listed. */
__global uint *xl_csr_queue(const xl_csr *csr)
{
    return xl_csr_left(csr) + csr->windows;
}

/* Leaves a window to the next launch. */
void xl_segment_window_leave(const xl_csr *csr, uint window)
{
    const uint at = atomic_inc(csr->state + 2);
    if (at < csr->windows)
        xl_csr_left(csr)[at] = window;
}

/* The number of a window that was left. */
uint xl_segment_window_left(const xl_csr *csr, uint i)
{
    return min(xl_csr_left(csr)[i], csr->windows - 1u);
}

/* How many windows were left, for all work-items. */
uint xl_segment_windows_left_read(const xl_csr *csr, __local uint *shared)
{
    if (get_local_id(0) == 0)
        *shared = min(csr->state[2], csr->windows);
    XL_LOCAL_BARRIER();
    return *shared;
}

#if XL_SHORT_SEGMENTS && !XL_SERIAL
/* ---- where the short segments of a window begin, in a tile that a work-group holds ---- */

/* Local memory of a group, besides the tile's. */
typedef struct xl_pack_local {
    uint heads[(XL_SORT_TILE + 31) / 32]; /* bits of the elements that begin a segment */
    uint listed;
} xl_pack_local;

/* Marks where segments begin. If there are more segments than the tile has elements, most are empty:
 * each element then searches whether a segment begins there. */
void xl_pack_mark(const xl_csr *csr, const xl_segment_window *window, __local xl_pack_local *local_)
{
    const uint w = (uint)get_local_id(0), count = window->end - window->begin;
    const uint segments = window->after - window->first;
    const bool few = segments <= XL_SORT_TILE;
    for (uint i = w; i < (XL_SORT_TILE + 31) / 32; i += XL_SORT_GROUP)
        local_->heads[i] = 0;
    XL_LOCAL_BARRIER();
    for (uint i = w; i < (few ? segments : count); i += XL_SORT_GROUP) {
        const uint nth = few ? i
                             : (uint)xl_offset_search(csr->offsets + window->first, segments,
                                                      (ulong)window->begin + i, 0);
        const uint begin = xl_segment_begin(csr, window->first + nth);
        const uint end = few ? xl_segment_begin(csr, window->first + nth + 1u) : begin + 1u;
        const uint at = begin - window->begin;
        if (end > begin && at < count && (few || at == i))
            atomic_or(&local_->heads[at / 32u], 1u << at % 32u);
    }
}

/* Where the segment of element `at` begins: the last head at or before it. */
uint xl_pack_head(const __local xl_pack_local *local_, uint at)
{
    uint word = at / 32u, bits = local_->heads[word] & ((2u << at % 32u) - 1u);
    while (bits == 0 && word > 0)
        bits = local_->heads[--word];
    return word * 32u + (bits != 0 ? 31u - clz(bits) : 0);
}

/* Where the segment that begins at `at` ends: the next head, or the end of the elements. */
uint xl_pack_end(const __local xl_pack_local *local_, uint at, uint count)
{
    uint word = at / 32u, bits = local_->heads[word] & ~1u << at % 32u;
    while (bits == 0 && ++word < XL_CEIL_DIV(XL_SORT_TILE, 32))
        bits = local_->heads[word];
    return min(count, word * 32u + (uint)popcount((bits & (0u - bits)) - 1u));
}
#elif !XL_SHORT_SEGMENTS
/* ---- a tile of a long segment in a merge, and the side that it is written to ---- */

/* XL_SORT_ARRAYS and `spare`, in the scratch and as large as the output. */
#if XL_SORT_VALUES
#define XL_SEGMENT_SPARE                                                                           \
    XL_SORT_ARRAYS, __global XL_KEY *spare_keys, ulong spare_keys_offset,                          \
        __global uint *spare_values, ulong spare_values_offset
#define XL_SPARE_VALUES_MAKE spare.values = spare_values + spare_values_offset;
#else
#define XL_SEGMENT_SPARE XL_SORT_ARRAYS, __global XL_KEY *spare_keys, ulong spare_keys_offset
#define XL_SPARE_VALUES_MAKE
#endif
#define XL_SEGMENT_SPARE_MAKE                                                                      \
    XL_SORT_MAKE                                                                                   \
    xl_sort_out spare;                                                                             \
    spare.keys = spare_keys + spare_keys_offset;                                                   \
    XL_SPARE_VALUES_MAKE

/* The side of a segment that needs `merges` more merges, from one side to the other, to end in the
 * output. If keys are not an output, the last side has none. */
xl_sort_out xl_segment_side(xl_sort_out out, xl_sort_out spare, uint merges)
{
    const bool away = merges % 2u != 0;
    xl_sort_out side;
    side.keys = away ? spare.keys : out.keys;
#if XL_SORT_VALUES == 2
    if (merges == 0)
        side.keys = 0;
#endif
#if XL_SORT_VALUES
    side.values = away ? spare.values : out.values;
#endif
    return side;
}

/* Merges a tile of runs of 2^level tiles. */
void xl_segment_tile_merge(xl_sort_out out, xl_sort_out spare, const xl_segment_tile *t, uint level,
                           uint search_log, xl_sort_local tile, __local uint *search)
{
    const xl_sort_out from = xl_segment_side(out, spare, t->merges - level);
    xl_sort_out to = xl_segment_side(out, spare, t->merges - level - 1u);
    xl_sort_in in;
    in.keys = from.keys + t->begin;
    to.keys += t->begin;
#if XL_SORT_VALUES == 2
    if (t->merges == level + 1u)
        to.keys = 0;
#endif
#if XL_SORT_VALUES
    in.values = from.values + t->begin;
    to.values += t->begin;
#endif
    xl_tile_merge(in, to, t->number * XL_SORT_TILE, t->count, t->end - t->begin,
                  (uint)XL_SORT_TILE << level, search_log, tile, search);
}
#endif
