/* SPDX-License-Identifier: MIT
 * One tile of a bitonic sort by a work-group that holds it in registers: sorting it,
 * and making it from two sorted runs. */
#include "../group/group_bitonic.cl"
#include "tile_bitonic_merge.cl"

/* Words of local memory for the search of cuts. */
#define XL_SORT_SEARCH (XL_SORT_GROUP + 4)

/* Items that search one cut. */
#define XL_SORT_SEEKERS (XL_SORT_GROUP / 2)

void xl_tile_store(const xl_held *held, xl_sort_out out, uint first, uint count, uint layout)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; ++e) {
        uint at = xl_sort_position(e, layout, false);
        if (at < count) {
            out.keys[first + at] = xl_sort_unmap(held->key[e]);
#if XL_SORT_VALUES
            out.values[first + at] = held->value[e];
#endif
        }
    }
}

/* Sorts elements [first, first + count) of the input into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local local_)
{
    xl_held held;
    uint w = (uint)get_local_id(0);
    /* In a full tile it does not matter which element stands where at the start, so
     * neighbouring items read neighbours; in the last one what is absent must be on top. */
    bool full = count == XL_SORT_TILE;
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; ++e) {
        uint at = full ? w + e * XL_SORT_GROUP : w * XL_SORT_HELD + e;
        bool there = at < count;
        held.key[e] = there ? xl_sort_map(in.keys[first + at]) : XL_SORT_LAST;
#if XL_SORT_VALUES
        held.value[e] = there ? in.values[first + at] : 0;
#endif
    }
    xl_group_sort(&held, local_);
    xl_tile_store(&held, out, first, count, XL_SORT_GROUP_LOG);
}

#if XL_SORT_GROUP == 1
xl_cut xl_tile_cut(const xl_runs *runs, uint d, uint count, __local uint *search)
{
    return xl_cut_of(d, count, xl_cut_find(runs, d), xl_cut_find(runs, d + count));
}
#else
/* Searches the cuts for d and for d + count, half of the group each. In each round the
 * seekers try evenly spaced places and the range shrinks by their number plus one. */
xl_cut xl_tile_cut(const xl_runs *runs, uint d, uint count, __local uint *search)
{
    __local uint *votes = search;
    __local uint *answer = search + XL_SORT_GROUP;
    __local uint *result = answer + 2;
    uint w = (uint)get_local_id(0);
    uint side = w / XL_SORT_SEEKERS, seeker = w % XL_SORT_SEEKERS;
    uint mine = side == 0 ? d : d + count;
    uint low = xl_cut_low(runs, mine), high = xl_cut_high(runs, mine);
    uint length = max(xl_cut_high(runs, d) - xl_cut_low(runs, d),
                      xl_cut_high(runs, d + count) - xl_cut_low(runs, d + count));
    for (; length > 0; length /= XL_SORT_SEEKERS + 1u) {
        uint step = (high - low) / (XL_SORT_SEEKERS + 1u) + 1u;
        uint place = low + step * (seeker + 1u) - 1u;
        bool takes = place < high && xl_cut_takes(runs, mine, place);
        votes[w] = takes;
        XL_LOCAL_BARRIER();
        /* Votes fall from 1 to 0 once; who sees the last 1 counts them. */
        if (takes && (seeker == XL_SORT_SEEKERS - 1u || votes[w + 1u] == 0))
            answer[side] = seeker + 1u;
        if (!takes && seeker == 0)
            answer[side] = 0;
        XL_LOCAL_BARRIER();
        uint taken = answer[side];
        low += step * taken;
        high = min(high, low + step - 1u);
    }
    if (seeker == 0)
        result[side] = low;
    XL_LOCAL_BARRIER();
    return xl_cut_of(d, count, result[0], result[1]);
}
#endif

/* Makes elements [first, first + count) of the output, which holds the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   xl_sort_local local_, __local uint *search)
{
    xl_held held;
    uint begin = xl_runs_begin(first, run);
    xl_runs runs = xl_runs_at(in.keys, begin, n, run);
    xl_cut cut = xl_tile_cut(&runs, first - begin, count, search);
#pragma unroll
    for (uint e = 0; e < XL_SORT_HELD; ++e) {
        uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        bool there = at < count;
        uint source = begin + xl_cut_source(&runs, &cut, at);
        held.key[e] = there ? xl_sort_map(in.keys[source]) : XL_SORT_LAST;
#if XL_SORT_VALUES
        held.value[e] = there ? in.values[source] : 0;
#endif
    }
    uint layout = xl_group_merge(&held, local_);
    xl_tile_store(&held, out, first, count, layout);
}
