/* SPDX-License-Identifier: MIT
 * The row of one query, filled by one work-item. */
#ifndef XL_NEIGHBORS_FILL
#define XL_NEIGHBORS_FILL

#include "neighbors_details.cl"
#include "neighbors_row.cl"
#include "neighbors_rows.cl"

/* Whether a neighbour is counted; whether it is also stored. A row of fixed room counts all
 * neighbours, because its length is an output. A row of known length needs one branch for both: with
 * two, a fill takes 9 % longer on an H200. */
bool xl_row_takes(uint count, uint room)
{
    return XL_ROW_ROOM || count < room;
}

bool xl_row_stores(uint count, uint room)
{
    return !XL_ROW_ROOM || count < room;
}

/* Appends the neighbours in the current range to a row of `count` indices. Returns the new count,
 * which may exceed `room` if the row has fixed room. */
uint xl_fill_range(xl_ranges *near, const xl_query *query, const xl_search *s, __global uint *row,
                   uint room, uint count)
{
    for (uint q = near->cells.begin; q < near->cells.end; ++q) {
        XL_IF_NEIGHBOR(q, xl_row_takes(count, room), {
            if (xl_row_stores(count, room))
                row[count] = other.w;
            ++count;
        })
    }
    return count;
}

/* Fills the row of one query. Returns its length, which may exceed `room` if the row has fixed
 * room. */
uint xl_fill_row(const xl_search *s, const xl_query *query, __global uint *row, uint room)
{
    uint count = 0;
    const xl_real4 p = xl_query_position(query);
    xl_ranges near = xl_ranges_begin(s, p, p, query->reach);
    while (xl_ranges_next(&near, s))
        count = xl_fill_range(&near, query, s, row, room, count);
    return count;
}

#if XL_ROW_ROOM == 2
void xl_bound_range(xl_ranges *near, const xl_query *query, const xl_search *s,
                    xl_bound_search *search)
{
    for (uint q = near->cells.begin; q < near->cells.end; ++q) {
        XL_IF_NEIGHBOR(q, true, xl_bound_search_add(search, distance2, other.w);)
    }
}
#endif

/* The query with the bound of its `room` nearest neighbours, of `found`, which is more. */
xl_query xl_query_nearest(const xl_search *s, const xl_query *query, uint found, uint room)
{
    xl_query nearest = *query;
#if XL_ROW_ROOM == 2
    const xl_real4 p = xl_query_position(query);
    xl_bound_search search = xl_bound_search_begin(query->radius2, found, room);
    while (xl_bound_search_next(&search)) {
        xl_ranges near = xl_ranges_begin(s, p, p, query->reach);
        while (xl_ranges_next(&near, s))
            xl_bound_range(&near, query, s, &search);
    }
    nearest.bound = search.bound;
#endif
    return nearest;
}

/* Fills a row directly in global memory. */
uint xl_fill_alone(const xl_search *s, const xl_query *query, __global uint *row, uint room)
{
    const uint count = xl_fill_row(s, query, row, room);
    if (XL_ROW_ROOM == 2 && count > room) {
        const xl_query nearest = xl_query_nearest(s, query, count, room);
        (void)xl_fill_row(s, &nearest, row, room);
    }
#if XL_SORTED
    xl_row_sort(row, xl_row_kept(count, room));
#endif
    return count;
}

#endif
