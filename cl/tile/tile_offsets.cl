/* SPDX-License-Identifier: MIT
 * CSR offsets, which ascend and may repeat: searches in them, and the marks that they set in a
 * tile. One search serves both a scan, which needs the first offset that is not below an element,
 * and a reduction, which divides the merge of elements and segment ends (Merrill and Garland,
 * "Merge-based parallel sparse matrix-vector multiplication", SC 2016). */
#ifndef XL_TILE_OFFSETS
#define XL_TILE_OFFSETS

#include "../lane/lane.cl"

/* How many of `count` offsets are below `at`. `slope` 0 compares offsets[k]. `slope` 1 compares
 * offsets[k] + k: the result is the number of ends among the first `at` steps of the merge, in
 * which element i comes before the end at offset e if i < e. */
ulong xl_offset_search(const __global XL_SEG *offsets, ulong count, ulong at, const ulong slope)
{
    ulong low = 0;
    while (count > 0) {
        const ulong half_count = count / 2, place = low + half_count;
        const bool below = offsets[place] + slope * place < at;
        low = below ? place + 1 : low;
        count = below ? count - half_count - 1 : half_count;
    }
    return low;
}

/* The first offset from number `next` on that is not below `at`. Many empty segments take few
 * rounds: after the first few offsets the function leaps, twice as far each time, and then searches
 * in the last leap. A work-item that walks a tile calls it only where a segment ends; a call for
 * each element would cost 3 times the rest (PoCL 3.1). */
ulong xl_offset_pass(const __global XL_SEG *offsets, ulong count, ulong next, ulong at)
{
    enum { FEW = 8 };
    ulong leap = FEW;
    for (uint k = 0; k < FEW; ++k, ++next)
        if (next >= count || offsets[next] >= at)
            return next;
    for (; leap < count - next && offsets[next + leap] < at; leap *= 2)
        next += leap + 1;
    return next + xl_offset_search(offsets + next, min(leap, count - next), at, 0);
}

#if XL_LANE_WAY != 0
/* As xl_offset_search(), by a whole sub-group (xl_lanes_whole()), because it compares the number of
 * votes with the width. Each step tests as many places as there are lanes: first around the place
 * that is right if all segments of the `total` elements (or steps) have the same length, then
 * farther and farther away, then between the last two places. If segments have similar lengths this
 * is one trip to memory; with five per tile they were a third of the whole scan of 2^24 words on an
 * H200. */
ulong xl_offset_search_lanes(const __global XL_SEG *offsets, ulong count, ulong at,
                             const ulong slope, ulong total)
{
    const long lane = (long)xl_lane_id(), width = (long)xl_lane_width(), end = (long)count;
    const long guess = total > 0 ? min((long)((float)at / (float)total * (float)count), end) : 0;
    long low = 0, high = end;
    for (long step = 1; low < high && step <= end; step *= width) {
        const long first = guess - width / 2 * step, place = first + lane * step;
        const bool below =
            place < low || (place < high && offsets[place] + slope * (ulong)place < at);
        const long passed = (long)popcount(xl_lane_ballot(below));
        if (passed > 0)
            low = max(low, min(first + (passed - 1) * step + 1, high));
        if (passed < width)
            high = max(low, min(high, first + passed * step));
        if (passed > 0 && passed < width)
            break;
    }
    while (low < high) {
        const long step = (high - low) / (width + 1) + 1; /* tests the places low + step - 1, ... */
        const long place = low + (lane + 1) * step - 1;
        const bool below = place < high && offsets[place] + slope * (ulong)place < at;
        const long passed = (long)popcount(xl_lane_ballot(below)) * step;
        low += passed;
        high = min(high, low + step - 1);
    }
    return (ulong)low;
}
#endif

#if !XL_SERIAL
/* Pairs of adjacent offsets that a work-item loads together, each `step` after the one before. If
 * it tested each pair before it loaded the next, each would cost a trip to memory. */
enum { XL_PAIRS = 8 };
void xl_pairs_load(const __global XL_SEG *offsets, uint step, XL_SEG *from, XL_SEG *to)
{
#pragma unroll
    for (uint k = 0; k < XL_PAIRS; ++k) {
        from[k] = offsets[(ulong)k * step];
        to[k] = offsets[(ulong)k * step + 1];
    }
}

/* Marks the places of offsets[0] to offsets[count - 1] that are in the `left` elements from `base` on.
 * Equal offsets write the same. The first `alone` offsets of a work-item are loaded one by one: of
 * long segments there may be no more. Offsets that do not ascend are the caller's error; they write
 * nothing outside the marks. Numbers have as many bits as offsets, to save instructions. */
void xl_offsets_mark(__local uchar *marks, const __global XL_SEG *offsets, uint count, ulong base,
                     uint left, const uint alone)
{
    const uint size = (uint)get_local_size(0), i = (uint)get_local_id(0);
    const XL_SEG begin = (XL_SEG)base;
    bool more = begin == base; /* otherwise no offset is that large */
    for (uint k = i; more && k < count;) {
        if (k >= alone * size && k + (XL_PAIRS - 1) * size < count) {
            XL_SEG at[XL_PAIRS];
#pragma unroll
            for (uint j = 0; j < XL_PAIRS; ++j)
                at[j] = offsets[k + j * size];
#pragma unroll
            for (uint j = 0; j < XL_PAIRS; ++j)
                if (at[j] - begin < left)
                    marks[(uint)(at[j] - begin)] = 1;
            more = at[XL_PAIRS - 1] - begin < left;
            k += XL_PAIRS * size;
        } else {
            const XL_SEG at = offsets[k];
            more = at - begin < left;
            if (more)
                marks[(uint)(at - begin)] = 1;
            k += size;
        }
    }
}
#endif

#endif
