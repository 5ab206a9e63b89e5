/* SPDX-License-Identifier: MIT
 * Segmented sort, first part, if a work-group holds a tile: sorts the short segments of a window
 * (cl/sort/segment_windows.cl), each in a row of the tile. A row has as many places as the longest
 * segment needs, a power of two. The network is as deep as a row is long, and has no segments in
 * it: without values, an element is only a key. Windows that would fill the tile too often, because
 * one longer segment is among many short or empty ones, are left to another kernel, which sorts
 * segments of about the same length together. */
#define XL_SHORT_SEGMENTS 1
#include "segment_windows.cl"

/* Loads half number `half_` of a tile, of the keys of elements [first, first + count), some of
 * which must be in it. Adjacent work-items load adjacent keys, all at once. */
enum { XL_HALF_ITEMS = XL_SORT_ITEMS / 2 };
void xl_half_load(xl_sort_in in, uint first, uint count, uint half_, XL_KEY *key)
{
#pragma unroll
    for (uint e = 0; e < XL_HALF_ITEMS; ++e) {
        const uint at = (uint)get_local_id(0) + (half_ * XL_HALF_ITEMS + e) * XL_SORT_GROUP;
        key[e] = in.keys[first + min(at, count - 1u)];
    }
}

/* Stores these keys in local memory, as ordinals. */
void xl_half_stage(const XL_KEY *key, uint half_, xl_sort_local local_)
{
#pragma unroll
    for (uint e = 0; e < XL_HALF_ITEMS; ++e) {
        const uint at = (uint)get_local_id(0) + (half_ * XL_HALF_ITEMS + e) * XL_SORT_GROUP;
        local_.key[at + at / 32u] = xl_key_map(key[e]);
    }
}

/* How often rows may fill the tile if sub-groups hold whole rows; otherwise once. */
#define XL_ROW_ROUNDS 4

/* Local memory of a group, besides the network's. `begin`: where each segment begins in the window,
 * and where the last one ends. */
typedef struct xl_rows_local {
    uint longest, listed;
    ushort begin[XL_SORT_TILE + 1];
} xl_rows_local;

/* Rows of 2^log places, and the number of rounds for all segments; 0 rounds: another kernel sorts
 * them. */
typedef struct xl_rows {
    uint log, rounds, reach; /* a sub-group holds 2^reach places */
} xl_rows;

xl_rows xl_rows_of(const xl_csr *csr, const xl_segment_window *window,
                   __local xl_rows_local *local_)
{
    const uint w = (uint)get_local_id(0), segments = window->after - window->first;
    const uint count = window->end - window->begin;
    xl_rows rows;
    if (w == 0) {
        local_->longest = 1;
        local_->begin[min(segments, (uint)XL_SORT_TILE)] = (ushort)count;
    }
    XL_LOCAL_BARRIER();
    for (uint i = w; i < segments && segments <= XL_SORT_TILE; i += XL_SORT_GROUP) {
        const uint begin = min(xl_segment_begin(csr, window->first + i) - window->begin, count);
        const uint end = min(xl_segment_begin(csr, window->first + i + 1u) - window->begin, count);
        local_->begin[i] = (ushort)begin;
        if (end > begin)
            atomic_max(&local_->longest, end - begin);
    }
    XL_LOCAL_BARRIER();
    rows.log = xl_log2_above(local_->longest);
    rows.reach = XL_SORT_ITEMS_LOG + xl_sort_lane_bits();
    rows.rounds = segments <= XL_SORT_TILE ? XL_CEIL_DIV(segments, XL_SORT_TILE >> rows.log) : 0;
    if (rows.rounds > (rows.log > rows.reach ? 1u : XL_ROW_ROUNDS))
        rows.rounds = 0;
    return rows;
}

/* Sorts rows in layout 0. */
void xl_rows_network(xl_sort_items *items, xl_sort_local tile, const xl_rows *rows)
{
    const uint lane_bits = xl_sort_lane_bits();
#pragma unroll
    for (uint phase = 1; phase <= XL_SORT_ITEMS_LOG; ++phase) {
        if (phase <= rows->log) {
            xl_sort_flip(items, phase);
            xl_sort_halve(items, phase - 1u);
        }
    }
#pragma unroll 1
    for (uint phase = XL_SORT_ITEMS_LOG + 1u; phase <= rows->log; ++phase)
        xl_sort_phase(items, tile, lane_bits, phase);
}

/* One round. In the tile, elements are in the order of the window, before and after. */
void xl_rows_sort(const xl_segment_window *window, const xl_rows *rows, uint round,
                  xl_sort_local tile, const __local xl_rows_local *local_)
{
    const uint w = (uint)get_local_id(0), segments = window->after - window->first;
    const uint first = round * (XL_SORT_TILE >> rows->log); /* first segment of this round */
    xl_sort_items items;
    ushort place[XL_SORT_ITEMS];
    uint begin = 0, end = 0;
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w * XL_SORT_ITEMS + e, segment = first + (at >> rows->log);
        if (e == 0 || rows->log < XL_SORT_ITEMS_LOG) {
            begin = local_->begin[min(segment, segments)];
            end = local_->begin[min(segment + 1u, segments)];
        }
        const uint source = begin + (at & ((1u << rows->log) - 1u));
        const bool there = source < end;
        place[e] = there ? (ushort)source : (ushort)XL_SORT_TILE;
        items.key[e] = there ? tile.key[source + source / 32u] : xl_last_ordinal();
#if XL_SORT_WORDS
        items.value[e] = there ? source : ~0u; /* behind all others */
#endif
    }
    const bool apart =
        rows->log > rows->reach; /* the network needs the tile, and the whole group */
    if (apart)
        XL_LOCAL_BARRIER();
    /* Sub-groups without a row have nothing to do. Only NVIDIA's skip the network: Intel's runtime
     * for CPUs (2026), in tests where it reports the properties of a GPU, computes wrong results in
     * such a branch. */
    const uint used = (segments - first) << rows->log;
    if (XL_LANE_WAY != 2 || apart || w * XL_SORT_ITEMS >> rows->reach << rows->reach < used)
        xl_rows_network(&items, tile, rows);
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = place[e];
        if (at < XL_SORT_TILE) {
            tile.key[at + at / 32u] = items.key[e];
#if XL_SORT_WORDS
            tile.value[at + at / 32u] = items.value[e];
#endif
        }
    }
}

/* Sorts a window's segments; there must be some. `ahead`: the first half of its keys. */
void xl_rows_window(xl_sort_in in, xl_sort_out out, const xl_segment_window *window,
                    const xl_rows *rows, const XL_KEY *ahead, xl_sort_local tile,
                    const __local xl_rows_local *local_)
{
    const uint w = (uint)get_local_id(0), count = window->end - window->begin;
    xl_half_stage(ahead, 0, tile);
    if (XL_HALF_ITEMS * XL_SORT_GROUP < count) { /* seldom: a window is half a tile */
        XL_KEY key[XL_HALF_ITEMS];
        xl_half_load(in, window->begin, count, 1, key);
        xl_half_stage(key, 1, tile);
    }
    XL_FULL_BARRIER(); /* in place, other work-items write where this one has read */
#pragma unroll 1
    for (uint round = 0; round < rows->rounds; ++round)
        xl_rows_sort(window, rows, round, tile, local_);
    XL_LOCAL_BARRIER();
#if XL_SORT_VALUES
    uint value[XL_SORT_ITEMS];
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w + e * XL_SORT_GROUP;
        const uint source = window->begin + min(tile.value[at + at / 32u], count - 1u);
        value[e] = xl_sort_value(in, source, true);
    }
    XL_FULL_BARRIER();
#endif
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w + e * XL_SORT_GROUP;
        if (at < count) {
            if (xl_sort_has_keys(out))
                out.keys[window->begin + at] = xl_key_unmap(tile.key[at + at / 32u]);
#if XL_SORT_VALUES
            out.values[window->begin + at] = value[e];
#endif
        }
    }
}

/* Group g sorts window g. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_rows(XL_CSR, XL_SORT_ARRAYS)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_rows_local local_;
    __local xl_segment_window shared;
    XL_CSR_MAKE
    XL_SORT_MAKE
    const uint g = (uint)get_group_id(0);
    const xl_segment_window window =
        xl_segment_window_open(&csr, in, out, g, &shared, &local_.listed);
    const bool is_empty = window.end <= window.begin;
    XL_KEY ahead[XL_HALF_ITEMS]; /* loaded while the offsets are */
    if (!is_empty)
        xl_half_load(in, window.begin, window.end - window.begin, 0, ahead);
    const xl_rows rows = xl_rows_of(&csr, &window, &local_);
    if (!is_empty && rows.rounds == 0 && get_local_id(0) == 0)
        xl_segment_window_leave(&csr, g);
    if (!is_empty && rows.rounds > 0)
        xl_rows_window(in, out, &window, &rows, ahead, tile, &local_);
}

/* ---- windows that were left ------------------------------------------------------------------ */

/* Rows have 2^log places; log is 0 to XL_SORT_PHASES. `order`: where segments begin in the
 * window, by the lengths of their rows; those of one length begin at `first`. */
#define XL_LENGTHS (XL_SORT_PHASES + 1)
typedef struct xl_lengths_local {
    xl_pack_local heads;
    uint first[XL_LENGTHS + 1], filled[XL_LENGTHS];
    ushort order[XL_SORT_TILE];
} xl_lengths_local;

/* The order of segments with rows of the same length is arbitrary; it has no effect on results. */
void xl_lengths_order(uint count, __local xl_lengths_local *local_)
{
    const uint w = (uint)get_local_id(0);
    for (uint log = w; log < XL_LENGTHS; log += XL_SORT_GROUP)
        local_->filled[log] = 0;
    XL_LOCAL_BARRIER();
    for (uint turn = 0; turn < 2; ++turn) { /* counts, then stores */
        for (uint at = w; at < count; at += XL_SORT_GROUP)
            if (xl_pack_head(&local_->heads, at) == at) {
                const uint length = xl_pack_end(&local_->heads, at, count) - at;
                const uint place = atomic_inc(&local_->filled[xl_log2_above(length)]);
                if (turn == 1)
                    local_->order[place] = (ushort)at;
            }
        XL_LOCAL_BARRIER();
        if (turn == 0 && w == 0) {
            uint sum = 0;
            for (uint log = 0; log < XL_LENGTHS; ++log) {
                const uint segments = local_->filled[log];
                local_->first[log] = local_->filled[log] = sum;
                sum += segments;
            }
            local_->first[XL_LENGTHS] = sum;
        }
        XL_LOCAL_BARRIER();
    }
}

/* Sorts segments [first, first + segments) of the order, each in a row, from the input to the
 * output. */
void xl_lengths_sort(xl_sort_in in, xl_sort_out out, const xl_segment_window *window, uint first,
                     uint segments, const xl_rows *rows, xl_sort_local tile,
                     const __local xl_lengths_local *local_)
{
    const uint w = (uint)get_local_id(0), count = window->end - window->begin;
    xl_sort_items items;
    ushort place[XL_SORT_ITEMS];
    uint begin = 0, end = 0;
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w * XL_SORT_ITEMS + e, row = at >> rows->log;
        if (e == 0 || rows->log < XL_SORT_ITEMS_LOG) {
            begin = local_->order[first + min(row, segments - 1u)];
            end = row < segments ? xl_pack_end(&local_->heads, begin, count) : 0;
        }
        const uint source = begin + (at & ((1u << rows->log) - 1u));
        const bool there = source < end;
        place[e] = there ? (ushort)source : (ushort)XL_SORT_TILE;
        items.key[e] = there ? xl_key_map(in.keys[window->begin + source]) : xl_last_ordinal();
#if XL_SORT_WORDS
        items.value[e] = there ? source : ~0u; /* behind all others */
#endif
    }
    xl_rows_network(&items, tile, rows);
#if XL_SORT_VALUES
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint source = window->begin + min(items.value[e], count - 1u);
        if (place[e] < XL_SORT_TILE)
            items.value[e] = xl_sort_value(in, source, true);
    }
#endif
    XL_FULL_BARRIER(); /* in place, other work-items write where this one has read */
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        if (place[e] < XL_SORT_TILE) {
            if (xl_sort_has_keys(out))
                out.keys[window->begin + place[e]] = xl_key_unmap(items.key[e]);
#if XL_SORT_VALUES
            out.values[window->begin + place[e]] = items.value[e];
#endif
        }
    }
}

/* The groups share the windows that xl_segment_rows left. */
__kernel __attribute__((reqd_work_group_size(XL_SORT_GROUP, 1, 1))) void
xl_segment_lengths(XL_CSR, XL_SORT_ARRAYS)
{
    XL_SORT_DECLARE_LOCAL
    __local xl_lengths_local local_;
    __local xl_segment_window shared;
    XL_CSR_MAKE
    XL_SORT_MAKE
    const uint left = xl_segment_windows_left_read(&csr, &local_.heads.listed);
    for (uint i = (uint)get_group_id(0); i < left; i += (uint)get_num_groups(0)) {
        const xl_segment_window window =
            xl_segment_window_read(&csr, xl_segment_window_left(&csr, i), &shared);
        const uint count = window.end - window.begin;
        xl_pack_mark(&csr, &window, &local_.heads);
        XL_LOCAL_BARRIER();
        xl_lengths_order(count, &local_);
        for (uint log = 0; log < XL_LENGTHS; ++log) {
            const uint end = local_.first[log + 1u], most = (uint)XL_SORT_TILE >> log;
            const xl_rows rows = {log, 0, 0};
            for (uint from = local_.first[log]; from < end; from += most)
                xl_lengths_sort(in, out, &window, from, min(most, end - from), &rows, tile,
                                &local_);
        }
        XL_LOCAL_BARRIER();
    }
}
