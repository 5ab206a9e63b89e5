/* SPDX-License-Identifier: MIT
 * Sorts rows of a neighbour list in ascending order. The short rows of a group are sorted by a
 * network, in registers. Any other row is sorted by one work-item: by insertion, or by a heap
 * (Williams 1964), which takes n log n steps for any input and no memory. */
#ifndef XL_NEIGHBORS_ROW
#define XL_NEIGHBORS_ROW

#include "../prelude/prelude.cl"

/* A row in global memory up to this length is sorted by insertion. */
#define XL_ROW_SHORT 48u

void xl_row_insert(__global uint *row, uint n)
{
    for (uint k = 1; k < n; ++k) {
        uint v = row[k], at = k;
        for (; at > 0 && row[at - 1] > v; --at)
            row[at] = row[at - 1];
        row[at] = v;
    }
}

#if XL_STAGED > 0
/* Staged rows: up to XL_STAGED indices, one row per work-item of the group. The indices of a row
 * are XL_GROUP apart in local memory, which avoids bank conflicts. Each work-item sorts its row in
 * registers. Then 32 work-items together write one row after the other, in whole sectors of memory;
 * if each work-item wrote its own row, each index would be a sector (H200, 2^21 rows of 33, with
 * the search: 0.7 ms instead of 2.0). */

/* A step of the merge of runs of `run` places: exchanges places k and k + by if they are in one pair
 * of runs and not in order. The first step has by = run. */
void xl_row_step(uint *v, uint run, uint by)
{
#pragma unroll
    for (uint k = 0; k + by < XL_STAGED; ++k) {
        const bool in_pair = k / (2 * run) == (k + by) / (2 * run);
        if (in_pair && (k / by % 2 != 0) == (by < run)) {
            const uint low = min(v[k], v[k + by]), high = max(v[k], v[k + by]);
            v[k] = low;
            v[k + by] = high;
        }
    }
}

/* Batcher's odd-even merge sort ("Sorting networks and their applications", 1968): 464 exchanges
 * for 56 places, where his bitonic sort takes 564. The larger value always moves up, so places
 * beyond XL_STAGED can be left out. */
void xl_row_network(uint *v)
{
    xl_row_step(v, 1, 1);
    xl_row_step(v, 2, 2), xl_row_step(v, 2, 1);
    xl_row_step(v, 4, 4), xl_row_step(v, 4, 2), xl_row_step(v, 4, 1);
    xl_row_step(v, 8, 8), xl_row_step(v, 8, 4), xl_row_step(v, 8, 2), xl_row_step(v, 8, 1);
#if XL_STAGED > 16
    xl_row_step(v, 16, 16), xl_row_step(v, 16, 8), xl_row_step(v, 16, 4), xl_row_step(v, 16, 2),
        xl_row_step(v, 16, 1);
#endif
#if XL_STAGED > 32
    xl_row_step(v, 32, 32), xl_row_step(v, 32, 16), xl_row_step(v, 32, 8), xl_row_step(v, 32, 4),
        xl_row_step(v, 32, 2), xl_row_step(v, 32, 1);
#endif
}

/* The place of index k of the sorted row of work-item `item`. The 32 indices of one row, and one
 * index of each of 32 rows, are in 32 different banks. */
uint xl_row_staged(uint k, uint item)
{
    return k * XL_GROUP + (XL_GROUP % 32 == 0 ? item ^ (k & 31u) : item);
}

/* Called by the whole group: each work-item writes a row of `count` staged indices, or none, to
 * indices + begin. */
void xl_row_put_staged(__local uint *staged, __local ulong *begins, __local uint *counts,
                       __global uint *indices, ulong begin, uint count)
{
    const uint item = (uint)get_local_id(0), lane = item & 31u;
    const uint first = item - lane, end = min(first + 32u, (uint)get_local_size(0));
    uint v[XL_STAGED];
#pragma unroll
    for (uint k = 0; k < XL_STAGED; ++k)
        v[k] = k < count ? staged[k * XL_GROUP + item] : UINT_MAX;
    if (XL_SORTED)
        xl_row_network(v);
    begins[item] = begin;
    counts[item] = count;
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint k = 0; k < XL_STAGED; ++k)
        staged[xl_row_staged(k, item)] = v[k];
    XL_LOCAL_BARRIER();
    for (uint row = first; row < end; ++row)
        for (uint k = lane; k < counts[row]; k += end - first)
            indices[begins[row] + k] = staged[xl_row_staged(k, row)];
}
#endif

/* Moves v down from `at` until no child is larger. 64-bit: the number of a child may exceed 32
 * bits. */
void xl_row_sink(__global uint *row, ulong at, ulong n, uint v)
{
    ulong child = 2 * at + 1;
    while (child < n) {
        uint larger = row[child];
        if (child + 1 < n && row[child + 1] > larger)
            larger = row[++child];
        if (larger <= v) {
            child = n;
        } else {
            row[at] = larger;
            at = child;
            child = 2 * at + 1;
        }
    }
    row[at] = v;
}

void xl_row_heap(__global uint *row, uint n)
{
    for (uint k = n / 2; k > 0; --k)
        xl_row_sink(row, k - 1, n, row[k - 1]);
    for (uint left = n - 1; left > 0; --left) {
        uint v = row[left];
        row[left] = row[0];
        xl_row_sink(row, 0, left, v);
    }
}

void xl_row_sort(__global uint *row, uint n)
{
    if (n <= XL_ROW_SHORT)
        xl_row_insert(row, n);
    else
        xl_row_heap(row, n);
}

#endif
