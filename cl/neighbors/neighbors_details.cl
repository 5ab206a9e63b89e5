/* SPDX-License-Identifier: MIT
 * Details of the pairs of a row that is already filled: squared distances, vectors and periodic
 * shifts, each at the place of its index in the row. */
#ifndef XL_NEIGHBORS_DETAILS
#define XL_NEIGHBORS_DETAILS

#include "neighbors_ranges.cl"

/* Executes FOUND if candidate q of the current range of `near` is a neighbour of `query` that its row
 * keeps, and TAKES is true. FOUND may use `other`, the candidate, and `distance2`, the squared
 * distance. */
#define XL_IF_NEIGHBOR(q, TAKES, FOUND)                                                            \
    const xl_site other = xl_search_site(s, q);                                                    \
    xl_real distance2;                                                                             \
    if (XL_IS_NEIGHBOR(query, other, near->shift, &distance2) &&                                   \
        xl_ranges_keep(near, query, distance2, other.w) && TAKES) {                                \
        FOUND                                                                                      \
    }

/* The bits of `wanted`. */
enum { XL_WANTS_DISTANCES = 1, XL_WANTS_VECTORS = 2, XL_WANTS_SHIFTS = 4 };

/* The output arrays, of all rows or from the beginning of one row on. */
typedef struct xl_details {
    uint dimensions, wanted;
    __global xl_real *distances2, *vectors; /* `dimensions` numbers per vector */
    __global int *shifts;
} xl_details;

xl_details xl_details_from(const xl_details *all, ulong begin)
{
    xl_details of_row = *all;
    of_row.distances2 += begin;
    of_row.vectors += begin * all->dimensions;
    of_row.shifts += begin * all->dimensions;
    return of_row;
}

/* Writes a vector of of->dimensions numbers. */
#define XL_PUT_AXES(to, place, x, y, z)                                                            \
    (to)[(ulong)(place)*of->dimensions] = (x);                                                     \
    if (of->dimensions > 1)                                                                        \
        (to)[(ulong)(place)*of->dimensions + 1] = (y);                                             \
    if (of->dimensions > 2)                                                                        \
        (to)[(ulong)(place)*of->dimensions + 2] = (z);

void xl_details_put(const xl_details *of, uint place, xl_real distance2, xl_real4 vector,
                    int4 shift)
{
    if (of->wanted & XL_WANTS_DISTANCES)
        of->distances2[place] = distance2;
    if (of->wanted & XL_WANTS_VECTORS) {
        XL_PUT_AXES(of->vectors, place, vector.x, vector.y, vector.z)
    }
    if (of->wanted & XL_WANTS_SHIFTS) {
        XL_PUT_AXES(of->shifts, place, shift.x, shift.y, shift.z)
    }
}

/* A shift that no pair has: marks a place whose details are not yet written. */
#define XL_DETAILS_FREE INT_MIN

bool xl_details_is_free(const xl_details *of, uint place)
{
    if (of->wanted & XL_WANTS_DISTANCES)
        return of->distances2[place] < 0;
    if (of->wanted & XL_WANTS_VECTORS)
        return isnan(of->vectors[(ulong)place * of->dimensions]);
    return of->shifts[(ulong)place * of->dimensions] == XL_DETAILS_FREE;
}

/* Lower bound of v in n ascending indices. */
uint xl_details_search(__global const uint *row, uint n, uint v)
{
    uint low = 0, high = n;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const bool before = row[middle] < v;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* The place of pair number `count` of the walk. A row in any order has the order of the walk. In a
 * sorted row, images of one point are adjacent, in the order of the walk. */
uint xl_details_place(const xl_details *of, __global const uint *row, uint room, uint index,
                      uint count)
{
#if XL_SORTED
    uint place = xl_details_search(row, room, index);
#if XL_PERIODIC
    while (place + 1 < room && row[place + 1] == index && !xl_details_is_free(of, place))
        ++place;
#endif
    return place;
#else
    return count;
#endif
}

/* The shift between the points given, if the current image has the shift `shift`. */
#if XL_WRAP
#define XL_PAIR_SHIFT(q) shift + (query->move - xl_grid_move(s->index.sorted, s->map.points, q))
#else
#define XL_PAIR_SHIFT(q) shift
#endif

uint xl_details_range(xl_ranges *near, const xl_query *query, const xl_search *s,
                      __global const uint *row, uint room, const xl_details *of, uint count)
{
    const xl_real4 self = xl_site_position(query->self);
    const int4 shift = xl_ranges_periods(s, near);
    for (uint q = near->cells.begin; q < near->cells.end; ++q) {
        XL_IF_NEIGHBOR(q, true, {
            const xl_real4 vector = -((self - xl_site_position(other)) - near->shift);
            const uint place = xl_details_place(of, row, room, other.w, count++);
            if (place < room)
                xl_details_put(of, place, distance2, vector, XL_PAIR_SHIFT(q));
        })
    }
    return count;
}

/* Writes the details of a row of `room` indices. */
void xl_details_row(const xl_search *s, const xl_query *query, __global const uint *row, uint room,
                    const xl_details *of)
{
    uint count = 0;
    const xl_real4 p = xl_query_position(query);
    xl_ranges near = xl_ranges_begin(s, p, p, query->reach);
#if XL_SORTED && XL_PERIODIC
    for (uint k = 0; k < room; ++k)
        xl_details_put(of, k, -1, (xl_real4)(NAN), (int4)(XL_DETAILS_FREE));
#endif
    while (xl_ranges_next(&near, s))
        count = xl_details_range(&near, query, s, row, room, of, count);
}

#endif
