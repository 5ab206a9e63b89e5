/* SPDX-License-Identifier: MIT
 * The k nearest points of one query: walks around it, each with a reach, until the k-th nearest
 * point so far is within the reach, because no point beyond it can be nearer.
 *
 * Phases: double the reach, beginning with the edge of a cell, until more than k points are within
 * it -> from their number, estimate the right reach -> walk. During a walk the k-th nearest point
 * so far narrows the rest of the walk. If it is beyond the reach, its distance becomes the reach of
 * one more walk, which is then sufficient. */
#ifndef XL_NEAREST_WALK
#define XL_NEAREST_WALK

#include "../neighbors/neighbors_ranges.cl"
#include "nearest_list.cl"

/* Where rows are written. */
typedef struct xl_nearest_rows {
    __global uint *indices;
    __global xl_real *distances2; /* NULL: not given */
    uint first, num;              /* the rows of this call */
} xl_nearest_rows;

/* The search of one query. */
typedef struct xl_nearest_walk {
    xl_site self;  /* position, and the index of the point or of the query */
    xl_real4 at;   /* the position; in a batch, w is the system */
    xl_real whole; /* the longest reach: points beyond it are no neighbours */
    bool limited;  /* `whole` contains k images of each point: k are found if there are points */
} xl_nearest_walk;

/* How far away a point may be along an axis if its computed squared distance is this. Rounding adds
 * some units of 2^-24. fmax(): squares below the least normal number lose digits. */
xl_real xl_nearest_reach(xl_real distance2)
{
#if XL_F64
    return sqrt(fmax(distance2, 0x1p-1022)) * (1.0 + 0x1p-47);
#else
    return sqrt(fmax(distance2, 0x1p-126f)) * (1.0f + 0x1p-18f);
#endif
}

/* Shorter than any difference whose square is not 0. */
#if XL_F64
#define XL_NEAREST_SHORTEST 0x1p-600
#else
#define XL_NEAREST_SHORTEST 0x1p-100f
#endif

#if XL_CELLS
/* A reach that contains k images of each point, which are at most that many of the shortest vector
 * apart, and the farthest point of the cell. Infinity: space does not repeat. */
xl_real xl_nearest_farthest(const xl_search *s, xl_real4 p)
{
    const xl_cell cell = xl_cell_load(s->cells, (uint)p.w);
    const xl_real16 of = xl_cell_numbers(s->cells, (uint)p.w, XL_CELL_FRACTIONS);
    const xl_real4 away = fmax(fabs(p - cell.lower), fabs(p - cell.upper));
    const xl_real more = cell.whole ? 0 : (away.x + away.y) + away.z;
    return cell.rank > 0 ? ((of.sc * (XL_K + 2) + of.sd) + more) * 1.0078125f : INFINITY;
}
#elif XL_PERIODIC
/* A reach that contains k images of each point: the host's (xli_grid_lattice_reach()) plus, along
 * axes that images do not cover, the distance from the query to the farthest point. */
xl_real xl_nearest_farthest(const xl_search *s, xl_real4 p)
{
    const xl_real4 away = fmax(fabs(p - s->lower), fabs(p - s->upper));
#if XL_TRICLINIC
    const bool covered = s->cell.whole;
    const xl_real4 more = covered ? (xl_real4)(0) : away;
#else
    const xl_real4 more = select(away, (xl_real4)(0), s->period > 0);
#endif
    return (s->reach + ((more.x + more.y) + more.z)) * 1.0009765625f;
}
#endif

xl_nearest_walk xl_nearest_begin(const xl_search *s, const xl_query *query)
{
    xl_nearest_walk walk;
    walk.self = query->self;
    walk.at = xl_query_position(query);
    walk.whole = xl_nearest_reach(s->radius2);
    walk.limited = false;
#if XL_PERIODIC
    const xl_real farthest = xl_nearest_farthest(s, walk.at);
    walk.limited = !(walk.whole <= farthest);
    walk.whole = fmin(walk.whole, farthest);
#endif
    return walk;
}

uint xl_nearest_length(const xl_ranges *near)
{
    return near->cells.end > near->cells.begin ? near->cells.end - near->cells.begin : 0u;
}

/* The number of points in the cells within reach. */
ulong xl_nearest_count(const xl_nearest_walk *walk, const xl_search *s, xl_real reach)
{
    const xl_real4 p = walk->at;
    xl_ranges near = xl_ranges_begin(s, p, p, reach);
    ulong count = 0;
    while (xl_ranges_next(&near, s))
        count += xl_nearest_length(&near);
    return count;
}

/* The reach that is likely to contain `aim` points, if the cells around a reach of `reach` contain
 * `count`. Cells are `edge` wide, and those around a reach are one more than fit into it. */
xl_real xl_nearest_likely(xl_real reach, xl_real edge, xl_real count, xl_real aim)
{
    const xl_real width = 2.0f + edge / reach;
#if XL_DIMENSIONS == 3
    return reach * cbrt(aim * width * width * 2.0f / (count * 4.19f));
#elif XL_DIMENSIONS == 2
    return reach * sqrt(aim * width * 2.0f / (count * 3.14f));
#else
    return reach * (aim / count);
#endif
}

/* The reach of the first walk. If a longer reach has found no more points, the next one is longer
 * by a larger factor. */
xl_real xl_nearest_first(const xl_nearest_walk *walk, const xl_search *s)
{
    const xl_real edge = 1.0f / s->map.inverse.y;
    xl_real reach = fmin(edge, walk->whole), factor = 1.0f;
    ulong before = 0;
    while (reach < walk->whole) {
        const ulong count = xl_nearest_count(walk, s, reach);
        if (!XL_PERIODIC && count >= s->map.points && count <= XL_K)
            return walk->whole;
        if (count > XL_K) {
            reach =
                xl_nearest_likely(reach, edge, (xl_real)count, XL_NEAREST_AIM * 0.01f * (XL_K + 1));
            return fmin(fmax(reach, XL_NEAREST_SHORTEST), walk->whole);
        }
        factor = 2.0f * (count > before ? 1.0f : factor);
        before = count;
        reach = fmin(factor * reach, walk->whole);
    }
    return walk->whole;
}

/* Adds the points of a range to the list. */
#if XL_PLANES && XL_IS_CPU && XL_NEAREST_TOGETHER < 2
/* Eight at a time. The last vector may extend beyond the range, into the next one or the
 * padding. */
void xl_nearest_take(const xl_nearest_walk *walk, const xl_search *s, const xl_ranges *near,
                     xl_nearest_list *list)
{
    const xl_real4 p = walk->at;
    const ulong pitch = xl_grid_pitch(s->map.points);
    for (uint q = near->cells.begin; q < near->cells.end; q += 8) {
        __global const uint *const at = s->index.sorted + q;
#if XL_F64
        __global const double *const whole = xl_grid_whole(s->index.sorted, s->map.points) + q;
        const double8 dx = (p.x - vload8(0, whole)) - near->shift.x;
        const double8 dy = (p.y - vload8(0, whole + pitch)) - near->shift.y;
        const double8 dz = (p.z - vload8(0, whole + 2 * pitch)) - near->shift.z;
        const double8 distances2 = (dx * dx + dy * dy) + dz * dz;
#else
        const float8 dx = (p.x - as_float8(vload8(0, at))) - near->shift.x;
        const float8 dy = (p.y - as_float8(vload8(0, at + pitch))) - near->shift.y;
        const float8 dz = (p.z - as_float8(vload8(0, at + 2 * pitch))) - near->shift.z;
        const float8 distances2 = (dx * dx + dy * dy) + dz * dz;
#endif
        if (!any(distances2 <= xl_nearest_distance2(xl_nearest_last(list))))
            continue;
        xl_real distance2[8];
        vstore8(distances2, 0, distance2);
        const uint count = min(8u, near->cells.end - q);
        for (uint j = 0; j < count; ++j) {
            const xl_site other = (xl_site)(0, 0, 0, at[3 * pitch + j]);
            const xl_nearest_item key = xl_nearest_key(distance2[j], (uint)other.w);
            if (xl_nearest_less(key, xl_nearest_last(list)) &&
                xl_is_wanted(walk->self, other, near->shift))
                xl_nearest_insert(list, key);
        }
    }
}
#else
/* Adds sorted point q to the list, if it is a neighbour. */
void xl_nearest_offer(const xl_nearest_walk *walk, const xl_search *s, const xl_ranges *near,
                      xl_nearest_list *list, uint q)
{
    const xl_site other = xl_search_site(s, q);
    const xl_real distance2 = xl_distance2(walk->at, xl_site_position(other), near->shift);
    const xl_nearest_item key = xl_nearest_key(distance2, (uint)other.w);
    if (xl_nearest_less(key, xl_nearest_last(list)) && xl_is_wanted(walk->self, other, near->shift))
        xl_nearest_insert(list, key);
}

void xl_nearest_take(const xl_nearest_walk *walk, const xl_search *s, const xl_ranges *near,
                     xl_nearest_list *list)
{
#if XL_NEAREST_TOGETHER > 1
    const uint length = xl_nearest_length(near), size = (uint)get_local_size(0);
    for (uint done = 0; done < length; done += min(size, length - done)) {
        xl_nearest_make_room(list);
        if (get_local_id(0) < length - done)
            xl_nearest_offer(walk, s, near, list, near->cells.begin + done + (uint)get_local_id(0));
    }
#else
    for (uint q = near->cells.begin; q < near->cells.end; ++q)
        xl_nearest_offer(walk, s, near, list, q);
#endif
}
#endif

/* Limits the rest of a walk to this reach. */
void xl_nearest_narrow(xl_ranges *near, const xl_search *s, xl_real4 p, xl_real reach)
{
#if XL_PERIODIC
    near->reach = reach = xl_images_reach(s, p, p, reach);
    p -= near->shift;
#endif
    const xl_cell_iterator cells = xl_search_cells(s, p, p, reach);
    near->cells.low = cells.low;
    near->cells.high = cells.high;
    near->cells.x_low = cells.x_low;
    near->cells.x_high = cells.x_high;
    if (near->cells.at.z < cells.low.z || near->cells.at.y > cells.high.y) {
        near->cells.at.z =
            max(near->cells.at.z + (near->cells.at.y > cells.high.y ? 1 : 0), cells.low.z);
        near->cells.at.y = cells.low.y;
    }
    near->cells.at.y = max(near->cells.at.y, cells.low.y);
}

/* Goes on to the next range of points, the same for all work-items of the list. */
bool xl_nearest_next(xl_ranges *near, const xl_search *s, xl_nearest_list *list)
{
    const bool found = xl_ranges_next(near, s);
    const uint2 none = (uint2)(UINT_MAX, 0);
    const uint2 range =
        xl_nearest_agree(list, found ? (uint2)(near->cells.begin, near->cells.end) : none);
    near->cells.begin = range.x;
    near->cells.end = range.y;
    return range.x != UINT_MAX;
}

/* Makes the list of all points within reach. */
void xl_nearest_collect(const xl_nearest_walk *walk, const xl_search *s, xl_real reach,
                        xl_nearest_list *list)
{
    const xl_real4 p = walk->at;
    xl_ranges near = xl_ranges_begin(s, p, p, reach);
    xl_real bound = reach;
    xl_nearest_clear(list, xl_nearest_limit(s->radius2));
    while (xl_nearest_next(&near, s, list)) {
        xl_nearest_take(walk, s, &near, list);
        const xl_real now = xl_nearest_reach(xl_nearest_distance2(xl_nearest_last(list)));
        if (now < bound) {
            bound = now;
            xl_nearest_narrow(&near, s, p, bound);
        }
    }
    xl_nearest_settle(list);
}

/* Whether any point may be near. In periodic space a search without points would take long. */
bool xl_nearest_has_points(const xl_search *s, xl_real4 p)
{
#if XL_PERIODIC && XL_SYSTEMS && XL_GIVEN
#if XL_CELLS
    const xl_cell cell = xl_cell_load(s->cells, (uint)p.w);
    xl_real4 low = cell.lower, high = cell.upper;
#else
    xl_real4 low = s->lower, high = s->upper;
#endif
    low.w = high.w = p.w;
    xl_cell_iterator cells = xl_search_cells(s, low, high, 0);
    if (s->map.sparse)
        return xl_cell_iterator_seek(&cells, &s->map, s->index.keys);
    uint begin, end;
    xl_cell_iterator_all(&cells, &s->map, &s->index, &begin, &end);
    return begin < end;
#else
    return s->map.points > 0;
#endif
}

/* Makes the list of a query. False: the search was given up. */
bool xl_nearest_find(const xl_search *s, const xl_query *query, xl_nearest_list *list)
{
    const xl_nearest_walk walk = xl_nearest_begin(s, query);
    const bool any = xl_nearest_has_points(s, walk.at), far = any && xl_search_is_far(s, walk.at);
    xl_real reach = any && !far ? xl_nearest_first(&walk, s) : 0, wanted = INFINITY;
    reach = xl_nearest_agree_real(list, reach);
    while (reach > 0) {
        xl_nearest_collect(&walk, s, reach, list);
        wanted = xl_nearest_reach(xl_nearest_distance2(xl_nearest_last(list)));
        if (wanted <= reach || reach >= walk.whole)
            reach = 0;
        else
            reach = fmin(wanted < walk.whole ? wanted : fmax(2.0f * reach, XL_NEAREST_SHORTEST),
                         walk.whole);
        reach = xl_nearest_agree_real(list, reach);
    }
    return !far && !(any && walk.limited && wanted > walk.whole);
}

#endif
