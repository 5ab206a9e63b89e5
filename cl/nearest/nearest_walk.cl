/* SPDX-License-Identifier: MIT
 * The k nearest points of one query: walks around it, each with a reach, until the k-th nearest
 * point so far is within the reach, because no point beyond it can be nearer.
 *
 * During a walk the k-th nearest point so far narrows the rest of the walk. If it is beyond the reach,
 * its distance becomes the reach of one more walk, which is then sufficient. If there are fewer than k
 * points, the next walk has a much longer reach: it costs little more, because it soon narrows. */
#ifndef XL_NEAREST_WALK
#define XL_NEAREST_WALK

#include "../grid/grid_gap.cl"
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

/* The reach of the first walk, from the number of points in three edges of the query's row: one that
 * is too long costs little, because the walk soon narrows. */
xl_real xl_nearest_first(const xl_nearest_walk *walk, const xl_search *s)
{
    const xl_real edge = 1.0f / s->map.inverse.y;
    const xl_real4 aside = (xl_real4)(1.5f * edge, 0, 0, 0);
    xl_cell_iterator row = xl_search_cells(s, walk->at - aside, walk->at + aside, 0);
    uint points = 1;
    if (!XL_PERIODIC && s->map.points <= XL_K)
        return walk->whole;
    if (!row.all && xl_cell_iterator_next(&row, &s->map, &s->index))
        points = max(row.end - row.begin, 1u);
    const float ball = XL_NEAREST_AIM * 0.01f * (XL_K + 1) * 3.0f / (float)points;
    const float edges = XL_DIMENSIONS == 3   ? cbrt(ball / 4.19f)
                        : XL_DIMENSIONS == 2 ? sqrt(ball / 3.14f)
                                             : ball / 2.0f;
    return fmin(fmax((xl_real)fmin(edges, 2.5f) * edge, XL_NEAREST_SHORTEST), walk->whole);
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

/* The ranges of a walk. In a dense grid rows come from the query outwards, ring after ring, so that a full
 * list soon limits the rest. */
typedef struct xl_nearest_ranges {
    xl_ranges near;
    xl_real reach;
    float margin; /* the part of `reach` that is due to the rounding of an image's position */
    float4 place; /* the query, or its image, in the grid's coordinates */
    int4 middle;  /* its cell */
    int ring, side, next; /* the next row: `next` is its number along the side */
} xl_nearest_ranges;

/* Begins the rows of an image. */
void xl_nearest_image(xl_nearest_ranges *r, const xl_search *s, xl_real4 p)
{
    r->place = xl_search_narrow(s, p - r->near.shift);
    r->middle = xl_grid_cell(&s->map, r->place);
    r->ring = r->side = 0;
    r->next = INT_MIN;
}

/* Sets the reach of the rest. */
void xl_nearest_set_reach(xl_nearest_ranges *r, const xl_search *s, xl_real4 p, xl_real reach)
{
#if XL_PERIODIC
    r->near.reach = r->reach = xl_images_reach(s, p, p, reach);
    r->margin = (float)(r->reach - reach) * (1.0f + 0x1p-18f);
#else
    r->reach = reach;
    r->margin = 0;
#endif
}

xl_nearest_ranges xl_nearest_ranges_begin(const xl_search *s, xl_real4 p, xl_real reach)
{
    xl_nearest_ranges r;
    r.near = xl_ranges_begin(s, p, p, reach);
    xl_nearest_set_reach(&r, s, p, reach);
    xl_nearest_image(&r, s, p);
    return r;
}

/* Limits the rest to this reach. */
void xl_nearest_narrow(xl_nearest_ranges *r, const xl_search *s, xl_real4 p, xl_real reach)
{
    xl_nearest_set_reach(r, s, p, reach);
    p -= r->near.shift;
    const xl_cell_iterator cells = xl_search_cells(s, p, p, r->reach);
    r->near.cells.low = cells.low;
    r->near.cells.high = cells.high;
    r->near.cells.x_low = cells.x_low;
    r->near.cells.x_high = cells.x_high;
}

/* The least distance along an axis, in edges of a cell, from `place` to the points of a row. */
float xl_nearest_gap(float place, int number, float margin)
{
    const float at = clamp(place, -0x1p40f, 0x1p40f);
    return xl_grid_gap(at, at, (float)number, margin);
}

/* Sets the range of row (y, z) within reach; false: none is. */
bool xl_nearest_set_range(xl_nearest_ranges *r, const xl_search *s, int y, int z)
{
    const xl_grid_map *const map = &s->map;
    const float edges = fmax((float)r->reach * map->inverse.y, 0x1p-60f);
    const float margin = r->margin * map->inverse.y;
    const float4 place = r->place * map->inverse.y;
    const float along_y = xl_nearest_gap(place.y, y, margin);
    const float along_z = XL_SYSTEMS ? 0.0f : xl_nearest_gap(place.z, z, margin);
    const float rest = edges * edges * (1.0f + 0x1p-17f) - (along_y * along_y + along_z * along_z);
    if (rest < 0.0f)
        return false;
    const float narrowed = XL_F64 ? fabs(r->place.x) * 0x1p-22f : 0.0f; /* its rounding */
    const float width = sqrt(rest) * (1.0f + 0x1p-18f) / map->inverse.y + narrowed;
    const float low = floor((r->place.x - width) * map->inverse.x);
    const float high = floor((r->place.x + width) * map->inverse.x);
    const int x_low = (int)clamp(low, map->first.x, map->last.x);
    const int x_high = (int)clamp(high, map->first.x, map->last.x);
    r->near.cells.begin = s->index.starts[xl_grid_at(map, x_low, y, z)];
    r->near.cells.end = min(s->index.starts[xl_grid_at(map, x_high, y, z) + 1u], map->points);
    return true;
}

/* Advances to the next row that has a range. The rings around the row of the query have four sides: two
 * along y, with the corners, and two along z. Ring 0 is that row alone. */
bool xl_nearest_next_row(xl_nearest_ranges *r, const xl_search *s)
{
    const int4 low = r->near.cells.low, high = r->near.cells.high, middle = r->middle;
    const int4 away = max(high - middle, middle - low);
    while (r->ring <= max(away.y, away.z)) {
        const bool along_y = r->side < 2;
        const int ring = r->ring, other = r->side % 2 > 0 ? ring : -ring;
        const int fixed = (along_y ? middle.z : middle.y) + other;
        const int first = along_y ? max(middle.y - ring, low.y) : max(middle.z - ring + 1, low.z);
        const int last = along_y ? min(middle.y + ring, high.y) : min(middle.z + ring - 1, high.z);
        const int at = max(r->next, first);
        if (at > last || fixed < (along_y ? low.z : low.y) || fixed > (along_y ? high.z : high.y)) {
            r->next = INT_MIN;
            r->side = ring > 0 && r->side < 3 ? r->side + 1 : 0;
            r->ring += r->side == 0 ? 1 : 0;
        } else {
            r->next = at + 1;
            if (xl_nearest_set_range(r, s, along_y ? at : fixed, along_y ? fixed : at))
                return true;
        }
    }
    return false;
}

/* Advances to the next range; false after the last. */
bool xl_nearest_next_range(xl_nearest_ranges *r, const xl_search *s, xl_real4 p)
{
    bool found = false, more = true;
    while (more) {
#if XL_PERIODIC
        if (r->near.begun)
#endif
            found = s->map.sparse || r->near.cells.all
                        ? xl_cell_iterator_next(&r->near.cells, &s->map, &s->index)
                        : xl_nearest_next_row(r, s);
        more = false;
#if XL_PERIODIC
        if (!found && xl_ranges_turn(&r->near, s)) {
            xl_nearest_image(r, s, p);
            more = true;
        }
#endif
    }
    return found;
}

/* The same for all work-items of the list. */
bool xl_nearest_next(xl_nearest_ranges *r, const xl_search *s, xl_real4 p, xl_nearest_list *list)
{
    const bool found = xl_nearest_next_range(r, s, p);
    const uint2 none = (uint2)(UINT_MAX, 0);
    const uint2 range =
        xl_nearest_agree(list, found ? (uint2)(r->near.cells.begin, r->near.cells.end) : none);
    r->near.cells.begin = range.x;
    r->near.cells.end = range.y;
    return range.x != UINT_MAX;
}

/* Makes the list of all points within reach. */
void xl_nearest_collect(const xl_nearest_walk *walk, const xl_search *s, xl_real reach,
                        xl_nearest_list *list)
{
    const xl_real4 p = walk->at;
    xl_nearest_ranges ranges = xl_nearest_ranges_begin(s, p, reach);
    xl_real bound = reach;
    xl_nearest_clear(list, xl_nearest_limit(s->radius2));
    while (xl_nearest_next(&ranges, s, p, list)) {
        xl_nearest_take(walk, s, &ranges.near, list);
        const xl_real now = xl_nearest_reach(xl_nearest_distance2(xl_nearest_last(list)));
        if (now < bound) {
            bound = now;
            xl_nearest_narrow(&ranges, s, p, bound);
        }
    }
    xl_nearest_settle(list);
}

/* Whether there are no other cells than those within reach. */
bool xl_nearest_meets_all(const xl_nearest_walk *walk, const xl_search *s, xl_real reach)
{
    const xl_cell_iterator near = xl_search_cells(s, walk->at, walk->at, reach);
    const xl_cell_iterator whole = xl_search_cells(s, walk->at, walk->at, walk->whole);
    return !XL_PERIODIC && all((near.low == whole.low) & (near.high == whole.high));
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
    xl_real factor = 2.5f;
    reach = xl_nearest_agree_real(list, reach);
    while (reach > 0) {
        xl_nearest_collect(&walk, s, reach, list);
        wanted = xl_nearest_reach(xl_nearest_distance2(xl_nearest_last(list)));
        if (wanted <= reach || reach >= walk.whole)
            reach = 0;
        else if (wanted < walk.whole)
            reach = wanted;
        else
            reach = xl_nearest_meets_all(&walk, s, reach) ? walk.whole
                                                          : fmin(factor * reach, walk.whole);
        factor *= 1.25f;
        reach = xl_nearest_agree_real(list, reach);
    }
    return !far && !(any && walk.limited && wanted > walk.whole);
}

#endif
