/* SPDX-License-Identifier: MIT
 * The rows that one call works on: all rows, or a part of them. If row lengths were counted before,
 * rows are contiguous. Otherwise each row has the same room, and the lengths are an output. */
#ifndef XL_NEIGHBORS_ROWS
#define XL_NEIGHBORS_ROWS

#include "neighbors_ranges.cl"

#if XL_ROW_ROOM
typedef uint xl_row_bound; /* the lengths of the rows of this part; an output */
#define XL_ROW_BOUND __global xl_row_bound
#else
typedef ulong xl_row_bound; /* where each row of the list begins, and where the last one ends */
#define XL_ROW_BOUND __global const xl_row_bound
#endif

/* Row i has the place i - first in the arrays of the part; that of a row outside the part is not
 * below `num`. */
typedef struct xl_rows {
    XL_ROW_BOUND *bounds;
    __global uint *indices;
    ulong capacity, base; /* of the array, or of each row; the offset of the first row */
    uint first, num;      /* the rows of this part */
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
    rows.base = XL_ROW_ROOM ? 0 : bounds[0];
    rows.first = first;
    rows.num = num;
    return rows;
}

/* The room of row i in indices, and in *begin its place in the array. 0: the row is in another
 * part, or would end beyond the capacity. Offsets of another search may give wrong rows, but no
 * write outside the array. */
uint xl_rows_room(const xl_rows *rows, const xl_search *s, uint i, ulong *begin)
{
    const uint place = i - rows->first;
    if (place >= rows->num)
        return 0;
#if XL_ROW_ROOM
    *begin = place * rows->capacity;
    return (uint)rows->capacity;
#else
    *begin = rows->bounds[place] - rows->base;
    const ulong end = rows->bounds[place + 1] - rows->base;
    if (*begin >= end || end > rows->capacity)
        return 0;
    return (uint)min(end - *begin, xl_most_in_row(s->map.points));
#endif
}

/* How many indices of a row are kept if the search finds `count`. A row of fixed room that is too
 * short keeps none, unless it keeps the nearest. */
uint xl_row_kept(uint count, uint room)
{
    return XL_ROW_ROOM == 1 && count > room ? 0u : min(count, room);
}

/* Writes the length of row i if lengths are an output. UINT_MAX: the build failed. */
void xl_rows_put_length(const xl_rows *rows, uint i, uint length)
{
#if XL_ROW_ROOM
    if (i - rows->first < rows->num)
        rows->bounds[i - rows->first] = length;
#endif
}

/* The length of row i after the fill, in *begin its place, and in *found how many neighbours there
 * are; 0 as for xl_rows_room(). */
uint xl_rows_length(const xl_rows *rows, const xl_search *s, uint i, ulong *begin, uint *found)
{
    const uint room = xl_rows_room(rows, s, i, begin);
#if XL_ROW_ROOM
    *found = room > 0 ? rows->bounds[i - rows->first] : 0u;
#else
    *found = room;
#endif
    return xl_row_kept(*found, room);
}

#endif
