/* SPDX-License-Identifier: MIT
 * CSR offsets, which ascend and may repeat: search among them, and the marks that they leave on a
 * tile. One search serves both a scan, which asks for the first offset at or past an element, and
 * a reduction, which cuts the merge of elements and segments' ends (Merrill and Garland,
 * "Merge-based parallel sparse matrix-vector multiplication", SC 2016). */
#ifndef XL_TILE_OFFSETS
#define XL_TILE_OFFSETS

#include "../lane/lane.cl"

/* How many of `count` offsets are below `at`. With `slope` 1 offset k counts as so much plus k:
 * of the first `at` steps of a merge in which element i comes before the end at offset e if i < e,
 * as many are ends. */
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

/* The first offset from place `next` on that is not below `at`, without many rounds past many empty
 * segments: after the first few offsets it goes by leaps that double, and then searches what it
 * leapt over. A work-item that walks a tile calls it where a segment ends: at every element it
 * costs 3 times the rest (PoCL 3.1). */
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
/* As xl_offset_search(), by a sub-group, of which all lanes must exist (xl_lanes_whole()): it
 * compares the number of votes with the width. It looks first around the place where the offset is
 * if all segments are as long, of `total` elements or steps, then ever farther from there, and then
 * between the last two places: each step asks as many places as there are lanes. Where segments are
 * about as long that is one trip to memory; five of them for each tile cost a third of the whole
 * scan of 2^24 words on an H200. */
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
        const long step = (high - low) / (width + 1) + 1; /* places low + step - 1, ... */
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
/* Neighbouring offsets that a work-item loads together, every step-th pair; one by one, each
 * behind a look at the pair before it, they would cost a trip to memory each. */
enum { XL_PAIRS = 8 };
void xl_pairs_load(const __global XL_SEG *offsets, uint step, XL_SEG *from, XL_SEG *to)
{
#pragma unroll
    for (uint k = 0; k < XL_PAIRS; ++k) {
        from[k] = offsets[(ulong)k * step];
        to[k] = offsets[(ulong)k * step + 1];
    }
}

/* Marks the place of an offset, if it is in the tile. Of equal offsets one writes. Those that
 * fall are the caller's mistake, and write nothing else. */
void xl_mark_put(__local uchar *marks, ulong base, ulong end, ulong before, ulong at)
{
    if (at >= base && at < end && at != before)
        marks[(uint)(at - base)] = 1;
}

/* Marks the offsets from number `first`, which no offset before it reaches, to before number
 * `after` that lie from `base` to before `end`, a byte each, which needs no atomics. All work-items
 * call it together. */
void xl_offsets_mark(__local uchar *marks, const __global XL_SEG *offsets, ulong first, ulong after,
                     ulong base, ulong end)
{
    const uint size = (uint)get_local_size(0);
    bool more = true;
    for (ulong s = first + get_local_id(0); more && s < after;) {
        /* The first of a work-item by itself: where segments are long it has no second. */
        if (s >= first + size && s + (XL_PAIRS - 1) * size < after) {
            XL_SEG before[XL_PAIRS], at[XL_PAIRS];
            xl_pairs_load(offsets + s - 1, size, before, at);
#pragma unroll
            for (uint k = 0; k < XL_PAIRS; ++k)
                xl_mark_put(marks, base, end, before[k], at[k]);
            more = at[XL_PAIRS - 1] < end;
            s += XL_PAIRS * size;
        } else {
            const ulong at = offsets[s];
            xl_mark_put(marks, base, end, s > 0 ? offsets[s - 1] : ~0ul, at);
            more = at < end;
            s += size;
        }
    }
}
#endif

#endif
