/* SPDX-License-Identifier: MIT
 * The rows that one call works on, all rows of a neighbour list or a part of them: where each row
 * is, how it is sorted, how one work-item fills it, and the details of its pairs. If row lengths
 * were counted before, rows are contiguous. Otherwise each row has the same room, and the lengths
 * are an output. */
#ifndef XL_NEIGHBORS_ROWS
#define XL_NEIGHBORS_ROWS

#include "neighbors_ranges.cl"

/* The lengths of the rows of this part, an output; or where each row of the list begins, and where
 * the last one ends. */
#if XL_ROW_ROOM
#define XL_ROW_BOUND __global uint
#else
#define XL_ROW_BOUND __global const ulong
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

/* ---- ascending order --------------------------------------------------------------------- */

/* The short rows of a group are sorted by a network, in registers. Any other row is sorted by one
 * work-item: by insertion, or by a heap (Williams 1964), which takes n log n steps for any input
 * and no memory. */

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

/* A step of the merge of runs of `run` places: exchanges places k and k + by if they are in one
 * pair of runs and not in order. The first step has by = run. */
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

/* ---- indices ----------------------------------------------------------------------------- */

/* Executes FOUND if candidate q of the current range of `near` is a neighbour of `query` that its
 * row keeps, and TAKES is true. FOUND may use `other`, the candidate, and `distance2`, the squared
 * distance. */
#define XL_IF_NEIGHBOR(q, TAKES, FOUND)                                                            \
    const xl_site other = xl_search_site(s, q);                                                    \
    xl_real distance2;                                                                             \
    if (XL_IS_NEIGHBOR(query, other, near->shift, &distance2) &&                                   \
        xl_ranges_keep(near, query, distance2, other.w) && TAKES) {                                \
        FOUND                                                                                      \
    }

/* Whether a neighbour is counted; whether it is also stored. A row of fixed room counts all
 * neighbours, because its length is an output. A row of known length needs one branch for both:
 * with two, a fill takes 9 % longer on an H200. */
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

/* ---- details ----------------------------------------------------------------------------- */

/* Squared distances, vectors and periodic shifts of the pairs of a row that is already filled, each
 * at the place of its index in the row. */

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
#if XL_REPEATS
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
#if XL_SORTED && XL_REPEATS
    for (uint k = 0; k < room; ++k)
        xl_details_put(of, k, -1, (xl_real4)(NAN), (int4)(XL_DETAILS_FREE));
#endif
    while (xl_ranges_next(&near, s))
        count = xl_details_range(&near, query, s, row, room, of, count);
}

#endif
