/* SPDX-License-Identifier: MIT
 * Puts rows of a neighbour list into ascending order: short ones by a network, a group's together;
 * else one by one work-item, by insertion, or by a heap (Williams 1964), whose steps are bounded by
 * n log n for any input and which needs no memory. */
#ifndef XL_NEIGHBORS_ROW
#define XL_NEIGHBORS_ROW

#include "../prelude/prelude.cl"

/* Rows of global memory up to this long are sorted by insertion. */
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
/* Rows of up to XL_STAGED indices, one of each work-item of the group. They are staged XL_GROUP
 * apart, so that work-items do not wait for the same bank, each puts its own into order in
 * registers, and all write them together: 32 to a row, which are a few whole sectors of memory,
 * where a work-item's own writes are a sector each (H200, 2^21 rows of 33: 0.7 ms with the search
 * against 2.0). */

/* Compares the places whose numbers differ by `mask`. */
void xl_row_step(uint *v, uint mask)
{
#pragma unroll
    for (uint k = 0; k < XL_STAGED; ++k) {
        const uint other = k ^ mask;
        if (other > k && other < XL_STAGED) {
            const uint low = min(v[k], v[other]), high = max(v[k], v[other]);
            v[k] = low;
            v[other] = high;
        }
    }
}

/* Batcher's bitonic sort ("Sorting networks and their applications", 1968) with each merge's first
 * step against the mirrored half, so that what lies past the end never moves. */
void xl_row_network(uint *v)
{
    xl_row_step(v, 1);
    xl_row_step(v, 3), xl_row_step(v, 1);
    xl_row_step(v, 7), xl_row_step(v, 2), xl_row_step(v, 1);
    xl_row_step(v, 15), xl_row_step(v, 4), xl_row_step(v, 2), xl_row_step(v, 1);
#if XL_STAGED > 16
    xl_row_step(v, 31), xl_row_step(v, 8), xl_row_step(v, 4), xl_row_step(v, 2), xl_row_step(v, 1);
#endif
#if XL_STAGED > 32
    xl_row_step(v, 63), xl_row_step(v, 16), xl_row_step(v, 8), xl_row_step(v, 4), xl_row_step(v, 2),
        xl_row_step(v, 1);
#endif
}

/* Where index k of the row of work-item `item` is staged once it is in order: 32 of a row, and one
 * of each of 32 rows, lie in 32 banks. */
uint xl_row_staged(uint k, uint item)
{
    return k * XL_GROUP + (XL_GROUP % 32 == 0 ? item ^ (k & 31u) : item);
}

/* By the whole group: row `begin` of each work-item, of `count` indices that are staged, or none.
 */
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

/* Lets v sink from `at` to where no child is larger. 64-bit: a child's number may
 * exceed 32 bits. */
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
