/* SPDX-License-Identifier: MIT
 * The rows of a list that one call fills: all of them, or a part in an array of its own. They
 * follow each other, where their lengths were counted before, or each has the same room, and how
 * long they are comes out. */
#ifndef XL_NEIGHBORS_ROWS
#define XL_NEIGHBORS_ROWS

#include "neighbors_ranges.cl"

#if XL_ROW_ROOM
typedef uint xl_row_bound; /* how long a row is: of those that are filled, an output */
#define XL_ROW_BOUND __global xl_row_bound
#else
typedef ulong xl_row_bound; /* where a row begins: of all rows, and where the last one ends */
#define XL_ROW_BOUND __global const xl_row_bound
#endif

typedef struct xl_rows {
    XL_ROW_BOUND *bounds;
    __global uint *indices;
    ulong capacity, base; /* of the array, or of each row; the offset that it begins with */
    uint first, num;      /* of the rows */
} xl_rows;

#define XL_ROWS_PARAMETERS                                                                         \
    XL_ROW_BOUND *bounds, ulong bounds_at, __global uint *indices, ulong indices_at,               \
        ulong capacity, uint first_row, uint num_rows
#define XL_ROWS_LOAD                                                                               \
    xl_rows_load(bounds + bounds_at, indices + indices_at, capacity, first_row, num_rows)

xl_rows xl_rows_load(XL_ROW_BOUND *bounds, __global uint *indices, ulong capacity, uint first,
                     uint num)
{
    xl_rows rows;
    rows.bounds = bounds;
    rows.indices = indices;
    rows.capacity = capacity;
    rows.base = XL_ROW_ROOM ? 0 : bounds[first];
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
#if XL_ROW_ROOM
    *begin = (i - rows->first) * rows->capacity;
    return (uint)rows->capacity;
#else
    *begin = rows->bounds[i] - rows->base;
    const ulong end = rows->bounds[i + 1] - rows->base;
    if (*begin >= end || end > rows->capacity)
        return 0;
    return (uint)min(end - *begin, xl_most_in_row(s->map.points));
#endif
}

/* How many indices are kept of a row that has `count`. */
uint xl_row_kept(uint count, uint room)
{
    return XL_ROW_ROOM && count > room ? 0u : min(count, room);
}

/* The length of a row of this part, UINT_MAX if it has none: told where it is not known before. */
void xl_rows_put_length(const xl_rows *rows, uint i, uint length)
{
#if XL_ROW_ROOM
    if (i - rows->first < rows->num)
        rows->bounds[i - rows->first] = length;
#endif
}

/* How many indices a row has that was filled, likewise. */
uint xl_rows_length(const xl_rows *rows, const xl_search *s, uint i, ulong *begin)
{
    const uint room = xl_rows_room(rows, s, i, begin);
#if XL_ROW_ROOM
    return room > 0 ? xl_row_kept(rows->bounds[i - rows->first], room) : 0u;
#else
    return room;
#endif
}

#endif
