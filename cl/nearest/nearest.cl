/* SPDX-License-Identifier: MIT
 * The search for the k nearest points: of one query, of blocks of queries on CPUs, and the kernels.
 * Queries are processed in the order of the index, or as given, so that the work-items of a group
 * read the same sorted points. Results are written in the order of the caller's points or queries.
 *
 * Each array is followed by its offset in elements. If the stamp in the header of the index differs
 * from the host's, the index was not built or was overwritten, and counts as failed. */

/* A block may have a shorter reach than the previous one, and kept rows are cut to its reach. */
#define XL_WALK_REACH_VARIES 1
#define XL_WALK_CUTS 1
/* The host sets these for a search within a radius alone. */
#define XL_RADII 0
#define XL_HALF 0
#define XL_RADIUS_INCLUSIVE 0
#define XL_ROW_ROOM 0
#define XL_DETAILS 0
#define XL_VISIT 0
#include "../neighbors/neighbors_walk.cl"
#include "nearest_list.cl"

/* ---- one query --------------------------------------------------------------------------- */

/* Walks around the query, each with a reach, until the k-th nearest point so far is within the
 * reach, because no point beyond it can be nearer.
 *
 * During a walk the k-th nearest point so far narrows the rest of the walk. If it is beyond the
 * reach, its distance becomes the reach of one more walk, which is then sufficient. If there are
 * fewer than k points, the next walk has a much longer reach: it costs little more, because it soon
 * narrows. */

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

#if XL_REPEATS == 3
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
#elif XL_REPEATS
/* A reach that contains k images of each point: the host's (xli_grid_lattice_reach()) plus, along
 * axes that images do not cover, the distance from the query to the farthest point. */
xl_real xl_nearest_farthest(const xl_search *s, xl_real4 p)
{
    const xl_real4 away = fmax(fabs(p - s->lower), fabs(p - s->upper));
#if XL_REPEATS > 1
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
#if XL_REPEATS
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

/* The reach of the first walk, from the number of points in three edges of the query's row: one
 * that is too long costs little, because the walk soon narrows. */
xl_real xl_nearest_first(const xl_nearest_walk *walk, const xl_search *s)
{
    const xl_real edge = 1.0f / s->map.inverse.y;
    const xl_real4 aside = (xl_real4)(1.5f * edge, 0, 0, 0);
    xl_cell_iterator row = xl_search_cells(s, walk->at - aside, walk->at + aside, 0);
    uint points = 1;
    if (!XL_REPEATS && s->map.points <= XL_K)
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
                      xl_nearest_list *list, ulong q)
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
    /* A factor of unrolling as in xl_count_range(), but compilers for AMD and Intel spill more
     * registers with one; ulong as in xl_visit_range(). */
#ifdef __NV_CL_C_VERSION
#pragma unroll 2
#endif
    for (ulong q = near->cells.begin; q < near->cells.end; ++q)
        xl_nearest_offer(walk, s, near, list, q);
#endif
}
#endif

/* The ranges of a walk. In a dense grid rows come from the query outwards, ring after ring, so that
 * a full list soon limits the rest. */
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
#if XL_REPEATS
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

/* Advances to the next row that has a range. The rings around the row of the query have four sides:
 * two along y, with the corners, and two along z. Ring 0 is that row alone. */
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
#if XL_REPEATS
        if (r->near.begun)
#endif
            found = s->map.sparse || r->near.cells.all
                        ? xl_cell_iterator_next(&r->near.cells, &s->map, &s->index)
                        : xl_nearest_next_row(r, s);
        more = false;
#if XL_REPEATS
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
    return !XL_REPEATS && all((near.low == whole.low) & (near.high == whole.high));
}

/* Whether any point may be near. In periodic space a search without points would take long. */
bool xl_nearest_has_points(const xl_search *s, xl_real4 p)
{
#if XL_REPEATS && XL_SYSTEMS && XL_GIVEN
#if XL_REPEATS == 3
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

/* ---- blocks of queries ------------------------------------------------------------------- */

#if XL_WALK > 0
/* Work-items that walk (neighbors_walk.cl), for CPUs and k up to 64: a block of queries of one row
 * collects its candidates together, with one reach. Each query computes all their distances, finds
 * a limit below which there are little more than k, stores the keys of these and ranks them in
 * vectors.
 *
 * A block whose reach was too short for some queries is walked again, with a longer reach. A query
 * that has too many keys, or none after some walks, is searched alone. The distances found give the
 * reach of the next block. */

/* The most keys of a query: a multiple of 32, at most XL_WALK_RANKED; and the most walks of a
 * block. */
#define XL_NEAREST_ROOM ((2u * XL_K + 31u) / 32u * 32u + 64u)
#define XL_NEAREST_WALKS 6u
/* The reach of a block is the longest that the previous block needed, times this factor. */
#define XL_NEAREST_SLACK ((xl_real)1.0625f)

/* Keys in the order of the walk, as two arrays: the bits of the squared distance, and the index. */
typedef struct xl_nearest_keys {
    uint n; /* above XL_NEAREST_ROOM: too many */
    xl_real_bits bits[XL_NEAREST_ROOM + 40];
    uint index[XL_NEAREST_ROOM + 40];
} xl_nearest_keys;

/* Computes the squared distances of query j from all candidates. Returns how many are below the
 * limit. */
uint xl_nearest_measure(const xl_walk *walk, uint j, const xl_candidates *candidates, xl_real limit,
                        xl_real *distances2)
{
    int8 below = 0;
    for (uint i = 0; i < candidates->images; ++i) {
        const xl_real4 shift = XL_REPEATS ? candidates->image[i].shift : (xl_real4)(0);
        const uint end = xl_walk_align(candidates->image[i].end);
        for (uint at = candidates->image[i].begin; at < end; at += 8) {
            const xl_real8 distance2 = xl_walk_distances2(walk, j, candidates, shift, at);
            vstore8(distance2, 0, distances2 + at);
            below -= xl_walk_int8(distance2 < limit);
        }
    }
    return xl_walk_sum(below);
}

uint xl_nearest_below(const xl_real *distances2, uint end, xl_real limit)
{
    int8 below = 0;
    for (uint at = 0; at < end; at += 8)
        below -= xl_walk_int8(vload8(0, distances2 + at) < limit);
    return xl_walk_sum(below);
}

/* Bit k of 32: the number at + k is below the limit. */
uint xl_nearest_mask(const xl_real *distances2, uint at, xl_real limit)
{
    return xl_walk_bits(xl_walk_int8(vload8(0, distances2 + at) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 8) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 16) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 24) < limit));
}

/* Lowers the limit of a query as long as more than k candidates (k and the query itself) are below
 * it, so that few more are: those that are dropped are no neighbours. `below` candidates are below
 * `likely`, the first guess. */
xl_real xl_nearest_lower(const xl_real *distances2, uint end, xl_real limit, xl_real likely,
                         uint below)
{
    for (uint tries = 0; tries < 3; ++tries) {
        limit = below > XL_K ? fmin(limit, likely) : limit;
        if (below > XL_K && below <= XL_K + 1 + XL_K / 4)
            return limit;
        const xl_real lacks = (xl_real)(XL_K + 2 + XL_K / 8) - (xl_real)below;
        likely *= 1.0f + lacks / (xl_real)(below + 1) * 0.7f;
        if (likely >= limit)
            return limit;
        below = xl_nearest_below(distances2, end, likely);
    }
    return below > XL_K ? likely : limit;
}

/* Appends the keys of the candidates whose squared distances are below the limit of query j. */
void xl_nearest_keys_take(xl_nearest_keys *keys, uint self, const xl_candidates *candidates,
                          const xl_real *distances2, xl_real limit)
{
    uint n = keys->n;
    for (uint i = 0; i < candidates->images; ++i) {
        const bool keeps = xl_walk_keeps(candidates->image[i].shift);
        const uint end = candidates->image[i].end;
        for (uint at = candidates->image[i].begin; at < end && n <= XL_NEAREST_ROOM; at += 64) {
            ulong near = xl_nearest_mask(distances2, at, limit);
            if (at + 32 < end)
                near |= (ulong)xl_nearest_mask(distances2, at + 32, limit) << 32;
            while (near != 0 && n <= XL_NEAREST_ROOM) {
                const uint k = at + (uint)popcount(~near & (near - 1)),
                           other = candidates->index[k];
                keys->bits[n] = xl_bits_of_real(distances2[k]);
                keys->index[n] = other;
                n += keeps || other != self ? 1 : 0;
                near &= near - 1;
            }
        }
    }
    keys->n = n;
}

/* Bits of squared distances as signed integers, which vectors compare faster. */
#if XL_F64
typedef long xl_nearest_int;
#else
typedef int xl_nearest_int;
#endif

/* Sets places[k] to the number of keys whose bits are smaller than those of key k. */
void xl_nearest_keys_rank(const xl_nearest_keys *keys, uint *places)
{
    const uint n = keys->n;
    const xl_nearest_int *const bits = (const xl_nearest_int *)keys->bits;
    for (uint from = 0; from < n; from += 40) {
        const xl_walk_flags a = vload8(0, bits + from);
        const xl_walk_flags b = vload8(0, bits + from + 8);
        const xl_walk_flags c = vload8(0, bits + from + 16);
        const xl_walk_flags d = vload8(0, bits + from + 24);
        const xl_walk_flags e = vload8(0, bits + from + 32);
        xl_walk_flags smaller_a = 0, smaller_b = 0, smaller_c = 0, smaller_d = 0, smaller_e = 0;
        for (uint k = 0; k < n; ++k) {
            const xl_walk_flags other = (xl_walk_flags)(bits[k]);
            smaller_a -= other < a;
            smaller_b -= other < b;
            smaller_c -= other < c;
            smaller_d -= other < d;
            smaller_e -= other < e;
        }
        vstore8(as_uint8(xl_walk_int8(smaller_a)), 0, places + from);
        vstore8(as_uint8(xl_walk_int8(smaller_b)), 0, places + from + 8);
        vstore8(as_uint8(xl_walk_int8(smaller_c)), 0, places + from + 16);
        vstore8(as_uint8(xl_walk_int8(smaller_d)), 0, places + from + 24);
        vstore8(as_uint8(xl_walk_int8(smaller_e)), 0, places + from + 32);
    }
}

/* Puts keys into the order of rows. */
void xl_nearest_keys_order(const xl_nearest_keys *keys, xl_nearest_keys *row)
{
    const uint n = row->n = keys->n;
    uint places[XL_NEAREST_ROOM + 40], sum = 0;
    xl_nearest_keys_rank(keys, places);
    for (uint k = 0; k < n; ++k)
        sum += places[k];
    const bool differ = sum == n * (n - 1) / 2;
    if (!differ)
        xl_walk_spread(n, places);
    for (uint k = 0; k < n; ++k) {
        row->bits[places[k]] = keys->bits[k];
        row->index[places[k]] = keys->index[k];
    }
    for (uint p = 1; p < n && !differ; ++p)
        for (uint q = p;
             q > 0 && row->bits[q - 1] == row->bits[q] && row->index[q - 1] > row->index[q]; --q) {
            const uint before = row->index[q - 1];
            row->index[q - 1] = row->index[q];
            row->index[q] = before;
        }
}

/* Writes the row that begins at `at`. Only keys below the limit are neighbours. */
void xl_nearest_keys_put(xl_nearest_keys *row, xl_nearest_item limit, __global uint *indices,
                         __global xl_real *distances2, ulong at)
{
    uint n = min(row->n, (uint)XL_K);
    while (n > 0 &&
           !xl_nearest_less(xl_nearest_key(xl_real_of_bits(row->bits[n - 1]), row->index[n - 1]),
                            limit))
        --n;
    for (uint p = n; p < XL_K; ++p) {
        row->bits[p] = xl_bits_of_real(INFINITY);
        row->index[p] = UINT_MAX;
    }
    for (uint p = 0; p < XL_K; ++p)
        indices[at + p] = row->index[p];
    for (uint p = 0; p < XL_K && distances2; ++p)
        distances2[at + p] = xl_real_of_bits(row->bits[p]);
}

/* The state of a block. Bit j of the masks is query j. */
typedef struct xl_nearest_block {
    xl_real reach;   /* of this walk */
    xl_real longest; /* the longest reach that a row needed; 0: no row is complete */
    uint open;       /* queries without a row */
    uint alone;      /* queries that are searched alone */
    uint least;      /* the fewest keys of an open query */
    xl_real likely;  /* a squared distance below which a query probably has its neighbours */
} xl_nearest_block;

/* Ranks the keys of an open query and writes its row if the walk has found all of it. */
void xl_nearest_block_put(xl_nearest_block *block, const xl_search *s, const xl_walk *walk, uint j,
                          xl_nearest_keys *keys, const xl_nearest_rows *rows)
{
    const bool all = block->reach >= xl_nearest_reach(s->radius2);
    block->least = min(block->least, keys->n);
    if (keys->n > XL_NEAREST_ROOM) {
        block->alone |= 1u << j;
        return;
    }
    xl_nearest_keys row;
    xl_nearest_keys_order(keys, &row);
    const xl_real needed =
        keys->n < XL_K ? (xl_real)INFINITY : xl_nearest_reach(xl_real_of_bits(row.bits[XL_K - 1]));
    if (needed > block->reach && !all)
        return;
    xl_nearest_keys_put(&row, xl_nearest_limit(s->radius2), rows->indices, rows->distances2,
                        (ulong)(walk->index[j] - rows->first) * XL_K);
    block->longest = needed < INFINITY ? fmax(block->longest, needed) : block->longest;
    block->open &= ~(1u << j);
}

/* Walks once around the open queries. */
void xl_nearest_block_walk(xl_nearest_block *block, const xl_search *s, xl_walk *walk,
                           const xl_nearest_rows *rows)
{
    xl_candidates candidates;
    xl_nearest_keys keys[XL_WALK_QUERIES];
    const xl_real radius2 = block->reach * block->reach;
    uint room = block->open & ~block->alone;
    xl_real limit[XL_WALK_QUERIES], distances2[XL_WALK_ROOM + 32];
    for (uint j = 0; j < XL_WALK_QUERIES; ++j) {
        keys[j].n = 0;
        limit[j] = radius2;
    }
    block->likely = radius2 * 0.75f;
    block->least = UINT_MAX;
    xl_walk_rewind(walk);
    while (room != 0 && xl_walk_collect(walk, s, &candidates))
        for (uint j = 0; j < walk->queries; ++j) {
            if (!(room >> j & 1))
                continue;
            const xl_real likely = fmin(block->likely, limit[j]);
            const uint below = xl_nearest_measure(walk, j, &candidates, likely, distances2);
            limit[j] =
                xl_nearest_lower(distances2, xl_walk_align(candidates.n), limit[j], likely, below);
            block->likely = limit[j] < radius2 ? limit[j] : block->likely;
            xl_nearest_keys_take(&keys[j], walk->index[j], &candidates, distances2, limit[j]);
            room &= keys[j].n > XL_NEAREST_ROOM ? ~(1u << j) : UINT_MAX;
        }
    for (uint j = 0; j < walk->queries; ++j)
        if ((block->open & ~block->alone) >> j & 1)
            xl_nearest_block_put(block, s, walk, j, &keys[j], rows);
}

/* The queries of a block that have rows in this call, and those among them that cannot be searched
 * together with others. */
void xl_nearest_block_begin(xl_nearest_block *block, const xl_search *s, const xl_walk *walk,
                            const xl_nearest_rows *rows)
{
    block->open = block->alone = 0;
    block->longest = 0;
    for (uint j = 0; j < walk->queries; ++j) {
        const xl_query query = xl_query_load(s, walk->at + j);
        const xl_real4 p = xl_query_position(&query);
        if (walk->index[j] - rows->first >= rows->num)
            continue;
        block->open |= 1u << j;
        if (XL_GIVEN && (!xl_real4_finite(p) || xl_search_is_far(s, p)))
            block->alone |= 1u << j;
    }
}

/* The reach of the next walk of a block, of which `least` keys are too few. */
xl_real xl_nearest_longer(const xl_search *s, xl_real reach, uint least)
{
    const xl_real factor = cbrt((xl_real)(2.0f * XL_K + 2.0f) / (xl_real)(least + 1u));
    return fmin(reach * clamp(factor, (xl_real)1.125f, (xl_real)2), xl_nearest_reach(s->radius2));
}

/* Whether the square of a reach is a normal number. */
bool xl_nearest_has_square(xl_real reach)
{
#if XL_F64
    return reach > 0x1p-500 && reach < 0x1p+500;
#else
    return reach > 0x1p-60f && reach < 0x1p+60f;
#endif
}

/* The reach of the first walk around query k, which may be no reach at all. */
xl_real xl_nearest_block_reach(const xl_search *s, uint k)
{
    const xl_query query = xl_query_load(s, k);
    const xl_nearest_walk walk = xl_nearest_begin(s, &query);
    if (!xl_real4_finite(walk.at) || !xl_nearest_has_points(s, walk.at) ||
        xl_search_is_far(s, walk.at))
        return 0;
    return xl_nearest_first(&walk, s);
}

/* Finds the rows of the next block of queries with the search `around`, which is `s` but for its
 * reach: that of this block, then of the next one. Returns the queries that are left, as bits. */
uint xl_nearest_block_find(xl_walk *walk, const xl_search *s, xl_search *around,
                           const xl_nearest_rows *rows)
{
    xl_nearest_block block;
    if (!xl_nearest_has_square(around->reach))
        around->reach = xl_nearest_block_reach(s, walk->at + walk->queries);
    (void)xl_walk_next(walk, around);
    xl_nearest_block_begin(&block, s, walk, rows);
    for (uint walks = 0; walks < XL_NEAREST_WALKS && (block.open & ~block.alone) != 0 &&
                         xl_nearest_has_square(around->reach);
         ++walks) {
        if (walks > 0) {
            walk->queries = 0;
            (void)xl_walk_next(walk, around);
        }
        block.reach = around->reach;
        xl_nearest_block_walk(&block, around, walk, rows);
        if ((block.open & ~block.alone) != 0)
            around->reach = xl_nearest_longer(s, block.reach, block.least);
    }
    around->reach = block.longest * XL_NEAREST_SLACK;
    return block.open;
}
#endif

/* ---- kernels ----------------------------------------------------------------------------- */

/* The index in all places of a row whose search was given up. */
#define XL_NEAREST_GIVEN_UP (UINT_MAX - 1u)

/* Writes a row, from place `at` on. Empty slots become index UINT_MAX and distance infinity. */
void xl_nearest_put(const xl_nearest_list *list, xl_nearest_item limit, __global uint *indices,
                    __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        indices[at + (j)] = xl_nearest_less(xl_nearest_at(list, XL_NEAREST_AT(j)), limit)          \
                                ? xl_nearest_index(xl_nearest_at(list, XL_NEAREST_AT(j)))          \
                                : UINT_MAX;
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    if (distances2) {
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        distances2[at + (j)] = xl_nearest_less(xl_nearest_at(list, XL_NEAREST_AT(j)), limit)       \
                                   ? xl_nearest_distance2(xl_nearest_at(list, XL_NEAREST_AT(j)))   \
                                   : INFINITY;
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    }
}

void xl_nearest_give_up(__global uint *indices, __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        indices[at + (j)] = XL_NEAREST_GIVEN_UP;                                                   \
        if (distances2)                                                                            \
            distances2[at + (j)] = NAN;                                                            \
    }
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
}

/* Counts the rows whose search was given up into found[0], and the rows with fewer than k points
 * into found[2]; found[1] is the first row that was given up. */
__kernel void xl_nearest_check(__global uint *found, __global const uint *indices, ulong indices_at,
                               uint n)
{
    indices += indices_at;
    XL_FOR_ITEMS(i, n)
    {
        if (indices[i * XL_K] == XL_NEAREST_GIVEN_UP) {
            atomic_inc(found);
            atomic_min(found + 1, (uint)i);
        } else if (indices[i * XL_K + XL_K - 1] == UINT_MAX) {
            atomic_inc(found + 2);
        }
    }
}

/* Searches for query k alone. */
void xl_nearest_row(const xl_search *s, xl_nearest_list *list, uint k, const xl_nearest_rows *rows)
{
    const xl_nearest_item limit = xl_nearest_limit(s->radius2);
    xl_query query;
    uint i = k;
    bool searches = false, found = true;
    xl_nearest_clear(list, limit);
    if (!s->map.failed) {
        query = xl_query_load(s, k);
        i = query.self.w;
        searches = i - rows->first < rows->num && xl_real4_finite(xl_site_position(query.self));
    }
    if (xl_nearest_agree(list, (uint2)(searches)).x)
        found = xl_nearest_find(s, &query, list);
    const uint row = i - rows->first;
    if (row >= rows->num)
        return;
    if (found)
        xl_nearest_put(list, limit, rows->indices, rows->distances2, (ulong)row * XL_K);
    else
        xl_nearest_give_up(rows->indices, rows->distances2, (ulong)row * XL_K);
}

#if XL_WALK > 0
/* Searches for the queries of turn t. */
__attribute__((noinline)) void xl_nearest_turn(const xl_search *s, uint t,
                                               const xl_nearest_rows *rows)
{
    XL_NEAREST_LIST(list)
    xl_walk walk = xl_walk_turn(s, t);
    xl_search around = *s;
    around.reach = 0;
    while (walk.at + walk.queries < walk.last) {
        uint left = UINT_MAX;
        if (s->map.failed)
            walk.queries = 1;
        else
            left = xl_nearest_block_find(&walk, s, &around, rows);
        for (uint j = 0; j < walk.queries; ++j)
            if (left >> j & 1)
                xl_nearest_row(s, list, walk.at + j, rows);
        walk.at += s->map.failed ? walk.queries : 0;
        walk.queries = s->map.failed ? 0 : walk.queries;
    }
}
#endif

/* Only the rows first_row to first_row + num_rows - 1 are written. */
__kernel void xl_nearest(__global const uint *storage, XL_INDEX_PARAMETERS, XL_QUERY_PARAMETERS,
                         uint first_row, uint num_rows, __global uint *indices, ulong indices_at,
                         uint wide, __global xl_real *distances2, ulong distances2_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_nearest_rows rows = {indices + indices_at, wide ? distances2 + distances2_at : 0,
                                  first_row, num_rows};
#if XL_WALK > 0
    XL_FOR_ITEMS(t, xl_ceil_div(queries, XL_WALK))
    xl_nearest_turn(&s, (uint)t, &rows);
#else
    XL_NEAREST_SHARED
    XL_NEAREST_FOR_QUERIES(k, queries)
    {
        XL_NEAREST_LIST(list)
        xl_nearest_row(&s, list, (uint)k, &rows);
    }
#endif
}
