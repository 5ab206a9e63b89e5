/* SPDX-License-Identifier: MIT
 * The rows of a list that one call fills: all of them, or a part in an array of its own. */
#ifndef XL_NEIGHBORS_ROWS
#define XL_NEIGHBORS_ROWS

#include "neighbors_ranges.cl"

typedef struct xl_rows {
    __global const ulong *offsets; /* of all rows */
    __global uint *indices;
    ulong capacity, base; /* of the array; the offset that it begins with */
    uint first, num;      /* of the rows */
} xl_rows;

#define XL_ROWS_PARAMETERS                                                                         \
    __global const ulong *offsets, ulong offsets_at, __global uint *indices, ulong indices_at,     \
        ulong capacity, uint first_row, uint num_rows
#define XL_ROWS_LOAD                                                                               \
    xl_rows_load(offsets + offsets_at, indices + indices_at, capacity, first_row, num_rows)

xl_rows xl_rows_load(__global const ulong *offsets, __global uint *indices, ulong capacity,
                     uint first, uint num)
{
    xl_rows rows;
    rows.offsets = offsets;
    rows.indices = indices;
    rows.capacity = capacity;
    rows.base = offsets[first];
    rows.first = first;
    rows.num = num;
    return rows;
}

/* How many indices there is room for in row i, which begins at *begin of the array: 0 for a row
 * of another part, and for one that would end beyond the capacity. Offsets that are not those of
 * this search may give wrong rows, but no write outside of them. */
uint xl_rows_room(const xl_rows *rows, const xl_search *s, uint i, ulong *begin)
{
    if (i - rows->first >= rows->num)
        return 0;
    *begin = rows->offsets[i] - rows->base;
    const ulong end = rows->offsets[i + 1] - rows->base;
    if (*begin >= end || end > rows->capacity)
        return 0;
    return (uint)min(end - *begin, XL_MOST_IN_ROW(s->map.points));
}

#endif
