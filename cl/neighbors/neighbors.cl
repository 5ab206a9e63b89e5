/* SPDX-License-Identifier: MIT
 * Kernels of the fixed-radius search on a grid index: count, fill of a neighbour list, details of
 * its pairs; or, in a separate program (XL_VISIT), visit, which folds a function over the
 * neighbours without a list. Queries are processed in the order of the index, or as given, so that
 * the work-items of a group read the same sorted points. Results are written in the order of the
 * caller's points or queries.
 *
 * Each array parameter is followed by its offset in elements. If the stamp in the header of the
 * index differs from the host's, the index was not built or was overwritten, and counts as failed.
 * Point indices are compared with n before they become offsets: a damaged index causes no access
 * outside the arrays. */
#define XL_ITEMS 1 /* a work-item searches once */
#include "neighbors_walk.cl"
#if !XL_VISIT
#include "neighbors_walk_rows.cl"
#endif

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

/* ---- two queries ------------------------------------------------------------------------- */

/* Two queries of one work-item share a walk. Consecutive points of a row have nearly the same
 * candidates, which are then loaded once. A count of 2^21 points with 33 neighbours each takes 0.32
 * ms on an H200; with one query at a time it takes 0.40. */

/* If XL_TOGETHER is 1, b duplicates a and is ignored. */
typedef struct xl_two {
    xl_query a, b;
    bool apart; /* they are in different rows, and each has a separate turn */
} xl_two;

/* Queries k and k + 1. If k is the last query, b duplicates a. */
xl_two xl_two_load(const xl_search *s, uint k)
{
    xl_two two;
    two.a = two.b = xl_query_load(s, k);
    two.apart = false;
#if XL_TOGETHER > 1
    if (k + 1 < s->queries) {
        xl_grid_map table = s->map;
        table.sparse = false; /* listed rows are always searched one query at a time */
        two.b = xl_query_load(s, k + 1);
        const int4 at_a = xl_grid_cell(&table, xl_search_narrow(s, xl_query_position(&two.a)));
        const int4 at_b = xl_grid_cell(&table, xl_search_narrow(s, xl_query_position(&two.b)));
        two.apart = at_a.y != at_b.y || at_a.z != at_b.z;
    }
#endif
    return two;
}

uint xl_two_turns(const xl_two *two)
{
    return two->apart ? 2u : 1u;
}

xl_query xl_two_query(const xl_two *two, uint turn)
{
    return turn == 0 ? two->a : two->b;
}

/* The ranges around both queries or, if they are apart, around the one of this turn. Both are
 * compared with all candidates of a turn: this saves the registers for a copy of one. */
xl_ranges xl_two_ranges(const xl_search *s, const xl_two *two, uint turn)
{
    const xl_real4 a = xl_query_position(&two->a), b = xl_query_position(&two->b);
    const xl_real4 one = turn == 0 ? a : b;
    const xl_real4 low = two->apart ? one : fmin(a, b), high = two->apart ? one : fmax(a, b);
    return xl_ranges_begin(s, low, high, fmax(two->a.reach, two->b.reach));
}

/* ---- walks in a table -------------------------------------------------------------------- */

/* The walk around one or two queries in an index with a cell table, row by row. The bounds of the
 * next row are loaded while the points of the current row are processed, and no register is used
 * for listed rows. The loop of xl_ranges_next(), which handles tables and listed rows, takes 0.49
 * ms for that count. */

/* A range of sorted points, and the shift of the query for it. */
typedef struct xl_range {
    uint begin, end;
    xl_real4 shift;
} xl_range;

xl_range xl_range_of(const xl_ranges *ranges)
{
    const xl_range range = {ranges->cells.begin, ranges->cells.end, ranges->shift};
    return range;
}

typedef struct xl_table_walk {
    xl_range range;
    uint begin, end;    /* sorted points of the next row */
    uint at;            /* table entry of the next row's first cell */
    uint left, layers;  /* rows left in its layer, it included; layers left */
    uint width, height; /* cells of a row; rows of a layer */
#if XL_REPEATS
    xl_ranges around; /* the remaining images */
#endif
} xl_table_walk;

void xl_table_walk_look(xl_table_walk *walk, const xl_search *s)
{
    const uint at = walk->layers > 0 ? walk->at : 0u;
    walk->begin = s->index.starts[at];
    walk->end = min(s->index.starts[at + walk->width], s->map.points);
}

/* Begins the rows of the cells around the query. If there are more rows than points, one range
 * contains all points. */
void xl_table_walk_around(xl_table_walk *walk, const xl_search *s, const xl_ranges *near)
{
    const xl_cell_iterator *const cells = &near->cells;
    walk->range.shift = near->shift;
    walk->width = (uint)(cells->high.x - cells->low.x) + 1u;
    walk->height = walk->left = (uint)(cells->high.y - cells->low.y) + 1u;
    walk->layers = (uint)(cells->high.z - cells->low.z) + 1u;
    walk->at = xl_grid_at(&s->map, cells->low.x, cells->low.y, cells->low.z);
    xl_table_walk_look(walk, s);
    if (cells->all) {
        xl_cell_iterator_all(cells, &s->map, &s->index, &walk->begin, &walk->end);
        walk->left = walk->layers = 1;
    }
}

xl_table_walk xl_table_walk_begin(const xl_search *s, const xl_two *two, uint turn)
{
    xl_table_walk walk;
    const xl_ranges around = xl_two_ranges(s, two, turn);
#if XL_REPEATS
    walk.around = around;
    walk.layers = 0;
#else
    xl_table_walk_around(&walk, s, &around);
#endif
    return walk;
}

/* Copies of the search in which `sparse` is a constant: the compiler removes the other case from
 * the loops. */
xl_search xl_search_of_table(const xl_search *s)
{
    xl_search table = *s;
    table.map.sparse = false;
    return table;
}

xl_search xl_search_of_others(const xl_search *s)
{
    xl_search other = *s;
    other.map.sparse = true;
    return other;
}

/* Advances to the next range; false after the last. */
bool xl_table_walk_next(xl_table_walk *walk, const xl_search *s)
{
#if XL_REPEATS
    while (walk->layers == 0) {
        if (!xl_ranges_turn(&walk->around, s))
            return false;
        xl_table_walk_around(walk, s, &walk->around);
    }
#else
    if (walk->layers == 0)
        return false;
#endif
    walk->range.begin = walk->begin;
    walk->range.end = walk->end;
    walk->at += s->map.row;
    if (--walk->left == 0) {
        walk->left = walk->height;
        walk->at += s->map.layer - walk->height * s->map.row;
        --walk->layers;
    }
    xl_table_walk_look(walk, s);
    return true;
}

/* ---- kernels ----------------------------------------------------------------------------- */

#if XL_VISIT
#if XL_WALK == 0
/* Nearly every sub-group has a work-item that takes the branch, so visit() is always called and its
 * result selected. */
#define XL_VISIT_ADD(sum, query)                                                                   \
    {                                                                                              \
        const bool near = XL_IS_NEIGHBOR((query), other, range->shift, &distance2);                \
        const xl_real more = visit(sum, distance2, (uint)(query)->self.w, (uint)other.w, params);  \
        sum = near ? more : sum;                                                                   \
    }

/* Folds visit() over the neighbours of query a in the range and, if `both`, over those of b. */
xl_real2 xl_visit_range(const xl_range *range, const xl_two *two, const xl_search *s, bool both,
                        xl_real2 sum, xl_real4 params)
{
    xl_real distance2;
    /* As in xl_count_range(). ulong: the addresses of a round differ by constants (7 % less). */
#pragma unroll 4
    for (ulong q = range->begin; q < range->end; ++q) {
        const xl_site other = xl_search_site(s, q);
        XL_VISIT_ADD(sum.x, &two->a)
        if (both)
            XL_VISIT_ADD(sum.y, &two->b)
    }
    return sum;
}

xl_real xl_visit_one(const xl_search *s, const xl_query *query, xl_real start, xl_real4 params)
{
    const xl_two one = {*query, *query, false};
    xl_real2 sum = start;
    xl_ranges near = xl_two_ranges(s, &one, 0);
    while (xl_ranges_next(&near, s)) {
        const xl_range range = xl_range_of(&near);
        sum = xl_visit_range(&range, &one, s, false, sum, params);
    }
    return sum.x;
}

xl_real2 xl_visit_in_table(const xl_search *s, const xl_two *two, xl_real start, xl_real4 params)
{
    xl_real2 sum = start;
    for (uint turn = 0; turn < xl_two_turns(two); ++turn) {
        xl_real2 found = start;
        xl_table_walk walk = xl_table_walk_begin(s, two, turn);
        while (xl_table_walk_next(&walk, s))
            found = xl_visit_range(&walk.range, two, s, XL_TOGETHER > 1, found, params);
        sum = turn == 0 ? found : (xl_real2)(sum.x, found.y);
    }
    return sum;
}

xl_real2 xl_visit_neighbors(const xl_search *s, const xl_two *two, xl_real start, xl_real4 params)
{
    xl_real2 sum = start;
    if (!s->map.sparse) {
        const xl_search table = xl_search_of_table(s);
        return xl_visit_in_table(&table, two, start, params);
    }
    const xl_search other = xl_search_of_others(s);
    for (uint turn = 0; turn < XL_TOGETHER; ++turn) {
        const xl_query query = xl_two_query(two, turn);
        const xl_real found = xl_visit_one(&other, &query, start, params);
        sum = turn == 0 ? (xl_real2)(found) : (xl_real2)(sum.x, found);
    }
    return sum;
}

/* Folds visit() over the neighbours of each query, beginning with `start`. */
__kernel void xl_neighbors_visit(__global const uint *storage, XL_INDEX_PARAMETERS,
                                 XL_QUERY_PARAMETERS, uint first_row, uint num_rows, xl_real start,
                                 xl_real4 params, __global xl_real *out, ulong out_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    out += out_at;
    const ulong t = get_global_id(0);
    if (t < XL_CEIL_DIV(queries, XL_TOGETHER)) {
        const uint k = (uint)t * XL_TOGETHER;
        uint2 place = (uint2)(k, k + 1) - first_row;
        xl_real2 sum = NAN;
        if (!s.map.failed) {
            const xl_two two = xl_two_load(&s, k);
            place = (uint2)((uint)two.a.self.w, (uint)two.b.self.w) - first_row;
            if (min(place.x, place.y) < num_rows)
                sum = xl_visit_neighbors(&s, &two, start, params);
        }
        if (place.x < num_rows)
            out[place.x] = sum.x;
        if (XL_TOGETHER > 1 && k + 1 < queries && place.y < num_rows)
            out[place.y] = sum.y;
    }
}
#else
/* Each work-item walks along rows and takes XL_WALK queries a turn. A turn is not inlined, because
 * PoCL compiles a kernel three times, but such a function once. */
__attribute__((noinline)) void xl_visit_turn(const xl_search *s, uint t, uint first_row,
                                             uint num_rows, xl_real start, xl_real4 params,
                                             __global xl_real *out)
{
    xl_walk walk = xl_walk_turn(s, t);
    if (s->map.failed) {
        for (uint i = walk.at; i < walk.last; ++i)
            if (i - first_row < num_rows)
                out[i - first_row] = NAN;
        return;
    }
    while (xl_walk_next(&walk, s)) {
        xl_real sums[XL_WALK_QUERIES];
        if (!xl_walk_is_in_part(&walk, first_row, num_rows))
            continue;
        xl_walk_visit(&walk, s, start, params, sums);
        for (uint j = 0; j < walk.queries; ++j)
            if (walk.index[j] - first_row < num_rows)
                out[walk.index[j] - first_row] = sums[j];
    }
}

__kernel void xl_neighbors_visit(__global const uint *storage, XL_INDEX_PARAMETERS,
                                 XL_QUERY_PARAMETERS, uint first_row, uint num_rows, xl_real start,
                                 xl_real4 params, __global xl_real *out, ulong out_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    out += out_at;
    XL_FOR_ITEMS(t, XL_CEIL_DIV(queries, (uint)XL_WALK))
    xl_visit_turn(&s, (uint)t, first_row, num_rows, start, params, out);
}
#endif
#else
/* Where the kernel writes the number of neighbours of each row of the part: 32-bit counts, 64-bit
 * offsets, or both. If the build of the grid failed, all counts are 0 and the first one in
 * `offsets` is ULONG_MAX, which the exclusive sum moves to all that follow. */
typedef struct xl_count_out {
    __global uint *counts;   /* may be NULL */
    __global ulong *offsets; /* may be NULL */
    uint first, num;
    bool failed;
} xl_count_out;

#define XL_COUNT_PARAMETERS                                                                        \
    uint first_row, uint num_rows, uint narrow, __global uint *counts, ulong counts_at, uint wide, \
        __global ulong *offsets, ulong offsets_at
#define XL_COUNT_OUT(s)                                                                            \
    {                                                                                              \
        narrow ? counts + counts_at : 0, wide ? offsets + offsets_at : 0, first_row, num_rows,     \
            (s).map.failed                                                                         \
    }

/* `place`: of a row in the part. Places are in no order if the points are. Then a GPU's exchange
 * takes less time than a store, which reads the rest of a sector of memory first: 2^23 points with
 * 17 neighbours took 1.03 ms instead of 1.19 on an H200. */
void xl_count_put(const xl_count_out *out, uint place, uint count)
{
    if (place >= out->num)
        return;
    const ulong wide = out->failed && place == 0 ? ULONG_MAX : count;
#if defined(cl_khr_int64_base_atomics) && XL_WALK == 0
    if (out->counts)
        (void)atomic_xchg(&out->counts[place], count);
    if (out->offsets)
        (void)atom_xchg(&out->offsets[place], wide);
#else
    if (out->counts)
        out->counts[place] = count;
    if (out->offsets)
        out->offsets[place] = wide;
#endif
}

/* Writes the place of the total. */
void xl_count_end(const xl_count_out *out)
{
    if (out->offsets && get_global_id(0) == 0)
        out->offsets[out->num] = out->failed && out->num == 0 ? ULONG_MAX : 0;
}

#if XL_WALK == 0
/* 1 if the point is counted, else 0. The query point is counted too (it is within the radius if any
 * point is); xl_without_own() subtracts it. Skipping the comparison of indices saves 10 % of the
 * instructions. The sign of a difference takes two instructions where a comparison takes three; it
 * is right for all numbers because the square of a radius is finite. For a query that is not finite
 * nothing is counted, because the sign of NaN has no meaning. With a radius for each pair, a point
 * that is near others may be too far from itself; half lists need the indices: both count
 * neighbours alone. */
uint xl_is_counted(const xl_search *s, const xl_query *query, xl_site other, xl_real4 shift)
{
#if XL_RADII > 1 || XL_HALF
    xl_real distance2;
    return XL_IS_NEIGHBOR(query, other, shift, &distance2) ? 1u : 0u;
#else
    const xl_real distance2 =
        xl_distance2(xl_site_position(query->self), xl_site_position(other), shift);
    const xl_real difference =
        XL_RADIUS_INCLUSIVE ? query->radius2 - distance2 : distance2 - query->radius2;
    const uint sign = (uint)(xl_bits_of_real(difference) >> (8 * sizeof(xl_real) - 1));
    return XL_RADIUS_INCLUSIVE ? 1u - sign : sign;
#endif
}

uint2 xl_without_own(uint2 count)
{
#if XL_KEEP_SELF || XL_HALF || XL_RADII > 1
    return count;
#else
    return count - min(count, (uint2)(1u));
#endif
}

/* Counts the neighbours of query a in the range and, if `both`, those of query b. Without a factor
 * of unrolling, NVIDIA's compiler chooses one by the code around the loop: on an H200 it took up to
 * a quarter more. */
uint2 xl_count_range(const xl_range *range, const xl_two *two, const xl_search *s, bool both,
                     uint2 count)
{
#pragma unroll 3
    for (uint q = range->begin; q < range->end; ++q) {
        const xl_site other = xl_search_site(s, q);
        count.x += xl_is_counted(s, &two->a, other, range->shift);
        if (both)
            count.y += xl_is_counted(s, &two->b, other, range->shift);
    }
    return count;
}

/* Counts the neighbours of one query, in any index. */
uint xl_count_one(const xl_search *s, const xl_query *query)
{
    const xl_two one = {*query, *query, false};
    uint2 found = 0;
    xl_ranges near = xl_two_ranges(s, &one, 0);
    while (xl_ranges_next(&near, s)) {
        const xl_range range = xl_range_of(&near);
        found = xl_count_range(&range, &one, s, false, found);
    }
    return xl_without_own(found).x;
}

uint2 xl_count_in_table(const xl_search *s, const xl_two *two)
{
    uint2 count = 0;
    for (uint turn = 0; turn < xl_two_turns(two); ++turn) {
        uint2 found = 0;
        xl_table_walk walk = xl_table_walk_begin(s, two, turn);
        while (xl_table_walk_next(&walk, s))
            found = xl_count_range(&walk.range, two, s, XL_TOGETHER > 1, found);
        count = turn == 0 ? found : (uint2)(count.x, found.y);
    }
    return xl_without_own(count);
}

uint2 xl_count_neighbors(const xl_search *s, const xl_two *two)
{
    uint2 count = 0;
    if (!s->map.sparse) {
        const xl_search table = xl_search_of_table(s);
        return xl_count_in_table(&table, two);
    }
    const xl_search other = xl_search_of_others(s);
    for (uint turn = 0; turn < XL_TOGETHER; ++turn) {
        const xl_query query = xl_two_query(two, turn);
        const uint found = xl_count_one(&other, &query);
        count = turn == 0 ? (uint2)(found) : (uint2)(count.x, found);
    }
    return count;
}

__kernel void xl_neighbors_count(__global const uint *storage, XL_INDEX_PARAMETERS,
                                 XL_QUERY_PARAMETERS, XL_COUNT_PARAMETERS)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_count_out out = XL_COUNT_OUT(s);
    const ulong t = get_global_id(0);
    if (t < XL_CEIL_DIV(queries, XL_TOGETHER)) {
        const uint k = (uint)t * XL_TOGETHER;
        uint2 place = (uint2)(k, k + 1) - first_row, count = 0;
        if (!s.map.failed) {
            const xl_two two = xl_two_load(&s, k);
            place = (uint2)((uint)two.a.self.w, (uint)two.b.self.w) - first_row;
            if (min(place.x, place.y) < num_rows &&
                (!XL_GIVEN || xl_real4_finite(xl_site_position(two.a.self))))
                count = xl_count_neighbors(&s, &two);
        }
        xl_count_put(&out, place.x, count.x);
        if (XL_TOGETHER > 1 && k + 1 < queries)
            xl_count_put(&out, place.y, count.y);
    }
    xl_count_end(&out);
}

#if XL_STAGED > 0
uint xl_stage_range(xl_ranges *near, const xl_query *query, const xl_search *s,
                    __local uint *staged, uint room, uint count)
{
    for (uint q = near->cells.begin; q < near->cells.end; ++q) {
        XL_IF_NEIGHBOR(q, xl_row_takes(count, room), {
            if (xl_row_stores(count, room))
                staged[count * XL_GROUP] = other.w;
            ++count;
        })
    }
    return count;
}

/* As xl_fill_row(), into local memory; index k is at staged[k * XL_GROUP]. */
uint xl_stage_row(const xl_search *s, const xl_query *query, __local uint *staged, uint room)
{
    uint count = 0;
    const xl_real4 p = xl_query_position(query);
    xl_ranges near = xl_ranges_begin(s, p, p, query->reach);
    while (xl_ranges_next(&near, s))
        count = xl_stage_range(&near, query, s, staged, room, count);
    return count;
}

/* Fills the row of one query if it fits into the list. Returns the number of indices in `staged`,
 * which the group must write. A row longer than XL_STAGED is written here, and the result is 0. */
uint xl_fill_staged(const xl_search *s, const xl_rows *rows, const xl_query *query,
                    __local uint *staged, ulong *begin)
{
    const uint room = xl_rows_room(rows, s, query->self.w, begin);
    uint count = room;
    if (room == 0)
        return 0;
    if (XL_ROW_ROOM || room <= XL_STAGED)
        count = xl_stage_row(s, query, staged, min(room, (uint)XL_STAGED));
    xl_rows_put_length(rows, query->self.w, count);
    if (XL_ROW_ROOM == 2 && count > room && room <= XL_STAGED) {
        const xl_query nearest = xl_query_nearest(s, query, count, room);
        (void)xl_stage_row(s, &nearest, staged, room);
    }
    count = xl_row_kept(count, room);
    if (count <= XL_STAGED)
        return count;
    (void)xl_fill_alone(s, query, rows->indices + *begin, count);
    return 0;
}

__kernel void xl_neighbors_fill(__global const uint *storage, XL_INDEX_PARAMETERS,
                                XL_QUERY_PARAMETERS, XL_ROWS_PARAMETERS)
{
    __local uint staged[XL_STAGED * XL_GROUP];
    __local ulong begins[XL_GROUP];
    __local uint counts[XL_GROUP];
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_rows rows = XL_ROWS_LOAD;
    const uint end = s.map.failed ? 0u : queries;
    if (s.map.failed)
        XL_FOR_ITEMS(i, queries)
    xl_rows_put_length(&rows, (uint)i, UINT_MAX);
    const ulong k = get_global_id(0);
    ulong begin = 0;
    uint count = 0;
    if (k < end) {
        const xl_query query = xl_query_load(&s, (uint)k);
        count = xl_fill_staged(&s, &rows, &query, staged + get_local_id(0), &begin);
    }
    xl_row_put_staged(staged, begins, counts, rows.indices, begin, count);
}
#else
__kernel void xl_neighbors_fill(__global const uint *storage, XL_INDEX_PARAMETERS,
                                XL_QUERY_PARAMETERS, XL_ROWS_PARAMETERS)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_rows rows = XL_ROWS_LOAD;
    if (s.map.failed)
        XL_FOR_ITEMS(i, queries)
    xl_rows_put_length(&rows, (uint)i, UINT_MAX);
    XL_FOR_ITEMS(k, s.map.failed ? 0u : queries)
    {
        const xl_query query = xl_query_load(&s, (uint)k);
        ulong begin;
        const uint room = xl_rows_room(&rows, &s, query.self.w, &begin);
        if (room > 0)
            xl_rows_put_length(&rows, query.self.w,
                               xl_fill_alone(&s, &query, rows.indices + begin, room));
    }
}
#endif
#else
/* The same kernels for XL_WALK > 0, as for visits. */
__attribute__((noinline)) void xl_count_turn(const xl_search *s, const xl_count_out *out, uint t)
{
    xl_walk walk = xl_walk_turn(s, t);
    if (s->map.failed) {
        for (uint i = walk.at; i < walk.last; ++i)
            xl_count_put(out, i - out->first, 0);
        return;
    }
    while (xl_walk_next(&walk, s)) {
        uint found[XL_WALK_QUERIES];
        if (!xl_walk_is_in_part(&walk, out->first, out->num))
            continue;
        xl_walk_count(&walk, s, found);
        for (uint j = 0; j < walk.queries; ++j)
            xl_count_put(out, walk.index[j] - out->first, found[j]);
    }
}

__kernel void xl_neighbors_count(__global const uint *storage, XL_INDEX_PARAMETERS,
                                 XL_QUERY_PARAMETERS, XL_COUNT_PARAMETERS)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_count_out out = XL_COUNT_OUT(s);
    XL_FOR_ITEMS(t, XL_CEIL_DIV(queries, (uint)XL_WALK))
    xl_count_turn(&s, &out, (uint)t);
    xl_count_end(&out);
}

__kernel void xl_neighbors_fill(__global const uint *storage, XL_INDEX_PARAMETERS,
                                XL_QUERY_PARAMETERS, XL_ROWS_PARAMETERS)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_rows rows = XL_ROWS_LOAD;
    xl_walk_fill_all(&s, &rows, 0);
}
#endif

#if XL_DETAILS
/* Writes the details of each pair of a list. If work-items walk, this kernel also fills the rows.
 * Otherwise xl_neighbors_fill() has filled them, and this kernel repeats its search. */
__kernel void xl_neighbors_details(__global const uint *storage, XL_INDEX_PARAMETERS,
                                   XL_QUERY_PARAMETERS, XL_ROWS_PARAMETERS, uint dimensions,
                                   uint wanted, __global xl_real *distances2, ulong distances2_at,
                                   __global xl_real *vectors, ulong vectors_at,
                                   __global int *shifts, ulong shifts_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_rows rows = XL_ROWS_LOAD;
    const xl_details all = {dimensions, wanted, distances2 + distances2_at, vectors + vectors_at,
                            shifts + shifts_at};
#if XL_WALK > 0
    xl_walk_fill_all(&s, &rows, &all);
#else
    XL_FOR_ITEMS(k, s.map.failed ? 0u : queries)
    {
        xl_query query = xl_query_load(&s, (uint)k);
        ulong begin;
        uint found;
        const uint length = xl_rows_length(&rows, &s, query.self.w, &begin, &found);
        const xl_details of_row = xl_details_from(&all, begin);
        if (XL_ROW_ROOM == 2 && found > length)
            query = xl_query_nearest(&s, &query, found, length);
        if (length > 0)
            xl_details_row(&s, &query, rows.indices + begin, length, &of_row);
    }
#endif
}
#endif

#if XL_ROW_ROOM
/* The maximum of n row lengths. */
__kernel void xl_neighbors_longest(__global uint *found, __global const uint *counts,
                                   ulong counts_at, uint n)
{
    uint longest = 0;
    counts += counts_at;
    XL_FOR_ITEMS(i, n)
    longest = max(longest, counts[i]);
    if (longest > 0)
        atomic_max(found, longest);
}
#endif
#endif

#if XL_GIVEN
/* Counts queries that are not finite into found[0], and queries that are too far from the box for
 * periodic images into found[2]; found[1] and found[3] are the lowest index of each. */
__kernel void xl_neighbors_check(__global uint *found, __global const uint *storage,
                                 XL_INDEX_PARAMETERS, XL_QUERY_PARAMETERS)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    XL_FOR_ITEMS(i, queries)
    {
#if XL_REPEATS == 3
        const uint system = s.given_systems[i];
        xl_real4 p = xl_query_given(&s, i);
        if (system >= s.map.systems && xl_real4_finite(p))
            continue; /* no cell, from which it could be too far */
        p.w = (xl_real)min(system, s.map.systems - 1u);
#else
        const xl_real4 p = xl_query_given(&s, i);
#endif
        const bool finite = xl_real4_finite(p);
        if (!finite || xl_search_is_far(&s, p)) {
            atomic_inc(found + (finite ? 2 : 0));
            atomic_min(found + (finite ? 3 : 1), (uint)i);
        }
    }
}
#endif
