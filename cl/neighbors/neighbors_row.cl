/* SPDX-License-Identifier: MIT
 * Puts one row of a neighbour list into ascending order, by one work-item: by
 * insertion where it is short, else by a heap (Williams 1964), whose steps are
 * bounded by n log n for any input and which needs no memory. */
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
/* Sorts n words that are staged XL_GROUP apart, so that the work-items of a group do
 * not wait for the same bank. */
void xl_row_sort_staged(__local uint *row, uint n)
{
    for (uint k = 1; k < n; ++k) {
        uint v = row[k * XL_GROUP], at = k;
        for (; at > 0 && row[(at - 1) * XL_GROUP] > v; --at)
            row[at * XL_GROUP] = row[(at - 1) * XL_GROUP];
        row[at * XL_GROUP] = v;
    }
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
