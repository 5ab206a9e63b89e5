/* SPDX-License-Identifier: MIT
 * Puts the points of one cell into the order of their indices.
 *
 * A cell of few points: each point counts the smaller indices. An overfull cell: a
 * work-group runs a network of comparators that all point the same way (Batcher
 * 1968), which needs no padding: what lies past the end would stay there. */
#ifndef XL_GRID_OVERFULL
#define XL_GRID_OVERFULL

#include "grid_map.cl"

/* How many of arrived[begin .. end) are smaller than i. */
uint xl_grid_rank(__global const uint *unordered, uint begin, uint end, uint i)
{
    uint rank = 0;
    for (uint k = begin; k < end; ++k)
        rank += unordered[k] < i ? 1u : 0u;
    return rank;
}

void xl_grid_compare(__global uint *a, ulong low, ulong high, ulong n)
{
    if (high < n && a[low] > a[high]) {
        uint t = a[low];
        a[low] = a[high];
        a[high] = t;
    }
}

/* One step of the network over n elements, by a whole work-group: elements a `gap`
 * of 2^log_gap apart in blocks of two gaps, or, for the first step of a merge,
 * mirrored in their block. */
void xl_grid_step(__global uint *a, ulong n, uint log_gap, bool mirrored)
{
    ulong gap = 1UL << log_gap, pairs = (((n - 1) >> (log_gap + 1)) + 1) << log_gap;
    for (ulong pair = get_local_id(0); pair < pairs; pair += get_local_size(0)) {
        ulong at = pair & (gap - 1), block = (pair - at) * 2;
        xl_grid_compare(a, block + at, block + (mirrored ? 2 * gap - 1 - at : gap + at), n);
    }
    XL_FULL_BARRIER();
}

void xl_grid_sort_cell(__global uint *a, ulong n)
{
    for (uint merge = 0; 1UL << merge < n; ++merge) {
        xl_grid_step(a, n, merge, true);
        for (uint log_gap = merge; log_gap > 0; --log_gap)
            xl_grid_step(a, n, log_gap - 1, false);
    }
}

#endif
