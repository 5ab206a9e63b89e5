/* SPDX-License-Identifier: MIT
 * Searches by a work-item that walks along rows, for CPUs, where the work-items of a group run one
 * after another on a core. It takes a block of consecutive points of one row, collects the
 * candidates of the whole block in one array, and compares each point with this array in vectors.
 * The neighbours are a bitmask.
 *
 * In each listed row nearby, the first candidate only moves forward as x grows. These places are
 * kept, so a binary search is needed once per row and not once per block. neighbors_walk_rows.cl
 * fills the rows of a list. */
#ifndef XL_NEIGHBORS_WALK
#define XL_NEIGHBORS_WALK

#include "neighbors_ranges.cl"

/* Whether a block may have a shorter reach than the previous one. */
#ifndef XL_WALK_REACH_VARIES
#define XL_WALK_REACH_VARIES XL_RADII
#endif
/* Whether the kept rows are cut to the reach around the block. */
#ifndef XL_WALK_CUTS
#define XL_WALK_CUTS 0
#endif

#if XL_WALK > 0

enum { XL_WALK_QUERIES = 8 };
/* The most rows whose places are kept. If more are nearby, each block searches them again. */
#define XL_WALK_ROWS (XL_WALK_CUTS ? 40u : 24u)
/* Capacity of the array of candidates, a multiple of 32. */
enum { XL_WALK_ROOM = 1984 };
/* The most images whose candidates are in the array together. */
#define XL_WALK_IMAGES (XL_REPEATS ? 8u : 1u)

typedef struct xl_walk {
    uint at, last; /* the first query of this block; the end of all queries */
    uint queries;  /* number of queries in this block */
    xl_real x[XL_WALK_QUERIES], y[XL_WALK_QUERIES], z[XL_WALK_QUERIES];
    uint index[XL_WALK_QUERIES];
#if XL_WRAP
    int4 move[XL_WALK_QUERIES];
#endif
#if XL_RADII > 1
    xl_query_part part[XL_WALK_QUERIES];
#elif XL_RADII
    xl_real radius2[XL_WALK_QUERIES];
#endif
    xl_ranges around;       /* the walk around this block, at its beginning */
    xl_cell_iterator cells; /* cells around this block, without periodic images */
    int4 row;               /* the cell of this block; only y and z are used */
    int4 low, high;         /* cells of the rows whose places are kept */
    uint rows;              /* number of these rows; 0: none are kept */
    uint places[XL_WALK_ROWS], ends[XL_WALK_ROWS];
#if XL_WALK_CUTS
    int row_y[XL_WALK_ROWS], row_z[XL_WALK_ROWS]; /* their numbers */
    float widths[XL_WALK_ROWS];
    xl_real4 least, most; /* corners around the queries of the block */
    xl_real reach;
    float cut; /* the last x of the current row */
#endif
    bool begun;
    /* The state of the walk through the candidates of this block. */
    xl_ranges near;
    uint next_row, from, to;
    bool by_row; /* the ranges of this image are the kept rows */
    bool more;
} xl_walk;

xl_real xl_walk_radius2(const xl_walk *walk, uint j, const xl_search *s)
{
#if XL_RADII && XL_RADII < 2
    return walk->radius2[j];
#else
    return s->radius2;
#endif
}

/* The candidates of one image, a part of the array. It begins at a multiple of 32 and is padded to
 * one with points at infinity. */
typedef struct xl_candidate_image {
    uint begin, end;
    xl_real4 shift;
#if XL_DETAILS
    int4 image; /* the same shift, in periods */
#endif
} xl_candidate_image;

typedef struct xl_candidates {
    xl_real x[XL_WALK_ROOM + 32], y[XL_WALK_ROOM + 32], z[XL_WALK_ROOM + 32];
    uint index[XL_WALK_ROOM + 32];
#if XL_RADII > 1
    xl_point_part part[XL_WALK_ROOM + 32];
#endif
    uint images, n; /* parts, and the end of the last one */
    xl_candidate_image image[XL_WALK_IMAGES];
#if XL_WRAP
    __global const uint *sorted; /* the points, their number and, of each candidate, the place */
    uint points, place[XL_WALK_ROOM + 32];
#endif
} xl_candidates;

uint xl_walk_align(uint n)
{
    return (n + 31u) & ~31u;
}

/* 8 comparisons of coordinates, and the same as int8. */
#if XL_F64
typedef long8 xl_walk_flags;
#else
typedef int8 xl_walk_flags;
#endif
int8 xl_walk_int8(xl_walk_flags flags)
{
#if XL_F64
    return convert_int8(flags);
#else
    return flags;
#endif
}

/* Bits 0 to 31 from 32 comparisons. */
uint xl_walk_bits(int8 a, int8 b, int8 c, int8 d)
{
    const int8 bits = (int8)(1, 2, 4, 8, 16, 32, 64, 128);
    const int8 mask = (a & bits) | (b & (bits << 8)) | (c & (bits << 16)) | (d & (bits << 24));
    const int4 e = mask.lo | mask.hi;
    const int2 f = e.lo | e.hi;
    return (uint)(f.x | f.y);
}

uint xl_walk_sum(int8 v)
{
    const int4 a = v.lo + v.hi;
    const int2 b = a.lo + a.hi;
    return (uint)(b.x + b.y);
}

/* Turn t takes XL_WALK queries. */
xl_walk xl_walk_turn(const xl_search *s, uint t)
{
    xl_walk walk;
    walk.at = t * XL_WALK;
    walk.last = (uint)min((ulong)walk.at + XL_WALK, (ulong)s->queries);
    walk.queries = 0;
    walk.rows = 0;
    walk.begun = false;
    return walk;
}

/* Keeps the places of all rows nearby, unless there are too many. */
void xl_walk_keep_rows(xl_walk *walk, const xl_grid_map *map, const xl_grid_index *index)
{
    xl_cell_iterator cells = walk->cells;
#if XL_WALK_CUTS
    /* Also rows that only other blocks of this row need, so that their places remain. */
    const int edges = (int)fmin(ceil((float)walk->reach * map->inverse.y), 2.0f);
    cells.low.y = min(cells.low.y, walk->row.y - edges);
    cells.high.y = max(cells.high.y, walk->row.y + edges);
#if !XL_SYSTEMS
    cells.low.z = min(cells.low.z, walk->row.z - edges);
    cells.high.z = max(cells.high.z, walk->row.z + edges);
#endif
#endif
    walk->low = cells.low;
    walk->high = cells.high;
    walk->rows = 0;
    while (xl_cell_iterator_seek(&cells, map, index->keys)) {
        if (walk->rows == XL_WALK_ROWS) {
            walk->rows = 0;
            return;
        }
#if XL_WALK_CUTS
        const ulong key = index->keys[cells.row];
        walk->row_y[walk->rows] = xl_grid_row_y(key);
        walk->row_z[walk->rows] = xl_grid_row_z(key);
#endif
        xl_cell_iterator_row(&cells, map, index->begins, cells.row++);
        walk->places[walk->rows] =
            xl_x_search(index->sorted, cells.begin, cells.end, cells.x_low, false);
        walk->ends[walk->rows++] = cells.end;
    }
}

/* Given queries may be far from each other. */
#if XL_GIVEN && XL_REPEATS
#define XL_WALK_TOGETHER 1u
#else
#define XL_WALK_TOGETHER XL_WALK_QUERIES
#endif

/* Whether the kept rows are not those that a block needs. */
#if XL_WALK_CUTS
#define XL_WALK_OTHER_ROWS(from, to, needed)                                                       \
    ((from).y > (needed).low.y || (from).z > (needed).low.z || (to).y < (needed).high.y ||         \
     (to).z < (needed).high.z)
#else
#define XL_WALK_OTHER_ROWS(from, to, needed)                                                       \
    ((from).y != (needed).low.y || (from).z != (needed).low.z || (to).y != (needed).high.y ||      \
     (to).z != (needed).high.z)
#endif

#if XL_WALK_CUTS
/* The least distances along an axis of points in rows of these numbers and positions between low
 * and high. Far numbers are not those of counted edges. */
float8 xl_walk_gaps(float inverse, int8 numbers, float low, float high)
{
    const float8 first = convert_float8(numbers);
    const float8 gaps = xl_grid_gaps(low * inverse, high * inverse, first, 0.0f);
    return select((float8)(0.0f), gaps / inverse * (1.0f - 0x1p-18f), fabs(first) < 0x1p22f);
}

/* How far the points of each kept row that are within the reach of the block may be from it along
 * x; negative: none are. */
void xl_walk_set_widths(xl_walk *walk, const xl_search *s)
{
    const float4 low = xl_search_narrow(s, walk->least), high = xl_search_narrow(s, walk->most);
    const float reach = fmax((float)walk->reach, 0x1p-60f), inverse = s->map.inverse.y;
    for (uint r = 0; r < walk->rows; r += 8) {
        const float8 y = xl_walk_gaps(inverse, vload8(0, walk->row_y + r), low.y, high.y);
        float8 z = 0.0f;
#if !XL_SYSTEMS
        z = xl_walk_gaps(inverse, vload8(0, walk->row_z + r), low.z, high.z);
#endif
        const float8 more = (reach * reach) * (1.0f + 0x1p-18f) - (y * y + z * z);
        const float8 widths = sqrt(fmax(more, 0.0f)) * (1.0f + 0x1p-18f);
        vstore8(select(widths, (float8)(-1.0f), more < 0.0f), 0, walk->widths + r);
    }
}
#endif

/* Takes the next block of queries of one row; false after the last. */
bool xl_walk_next(xl_walk *walk, const xl_search *s)
{
    xl_real4 low = 0.0f, high = 0.0f;
    xl_real reach = 0.0f;
    const float x_before = walk->begun ? walk->cells.x_low : 0.0f;
    walk->at += walk->queries;
    walk->queries = 0;
    if (walk->at >= walk->last)
        return false;
    for (uint j = 0; j < XL_WALK_TOGETHER && walk->at + j < walk->last; ++j) {
        const xl_query query = xl_query_load(s, walk->at + j);
        const xl_real4 p = xl_query_position(&query);
        const int4 cell = xl_grid_cell(&s->map, xl_search_narrow(s, p));
        if (j > 0 && (cell.y != walk->row.y || cell.z != walk->row.z))
            break;
        if (j == 0) {
            walk->begun = walk->begun && cell.y == walk->row.y && cell.z == walk->row.z;
            walk->row = cell;
        }
        low = j == 0 ? p : fmin(low, p);
        high = j == 0 ? p : fmax(high, p);
        reach = fmax(reach, query.reach);
        walk->x[j] = p.x;
        walk->y[j] = p.y;
        walk->z[j] = p.z;
        walk->index[j] = query.self.w;
#if XL_WRAP
        walk->move[j] = query.move;
#endif
#if XL_RADII > 1
        walk->part[j] = query.part;
#elif XL_RADII
        walk->radius2[j] = query.radius2;
#endif
        ++walk->queries;
    }
#if XL_WALK_CUTS
    walk->least = low;
    walk->most = high;
    walk->reach = reach;
#endif
    walk->around = xl_ranges_begin(s, low, high, reach);
#if XL_REPEATS
    walk->cells = xl_search_cells(s, low, high, walk->around.reach);
#else
    walk->cells = walk->around.cells;
#endif
    /* Kept places are valid only if x grows. Given queries are in any order; with a longer reach
     * this block may reach farther back than the block before; and in double precision points that
     * the grid rounds to one float are in any order. */
    if (XL_GIVEN)
        walk->rows = 0;
    else if (s->map.sparse &&
             (!walk->begun || ((XL_WALK_REACH_VARIES || XL_F64) && walk->cells.x_low < x_before) ||
              XL_WALK_OTHER_ROWS(walk->low, walk->high, walk->cells)))
        xl_walk_keep_rows(walk, &s->map, &s->index);
#if XL_WALK_CUTS
    xl_walk_set_widths(walk, s);
#endif
    walk->begun = true;
    return true;
}

/* Restarts the walk through the candidates of this block. */
void xl_walk_rewind(xl_walk *walk)
{
    walk->near = walk->around;
    walk->by_row = !XL_REPEATS && walk->rows > 0;
    walk->next_row = walk->from = walk->to = 0;
    walk->more = true;
}

/* Advances to the next kept row. Where its candidates end is found while they are collected. */
bool xl_walk_kept(xl_walk *walk, const xl_search *s)
{
#if XL_WALK_CUTS
    while (walk->next_row < walk->rows && walk->widths[walk->next_row] < 0.0f)
        ++walk->next_row;
#endif
    if (walk->next_row == walk->rows)
        return false;
#if XL_WALK_CUTS
    const xl_real4 wide = (xl_real4)(walk->widths[walk->next_row], 0, 0, 0);
#endif
    uint place = walk->places[walk->next_row];
    const uint end = walk->ends[walk->next_row];
    while (place + 8 <= end && xl_grid_sorted_x(s->index.sorted, place + 7) < walk->cells.x_low)
        place += 8;
    walk->places[walk->next_row++] = place;
    walk->from = place;
    walk->to = end;
#if XL_WALK_CUTS
    const float first = xl_search_narrow(s, walk->least - wide).x;
    walk->cut = xl_search_narrow(s, walk->most + wide).x;
    while (walk->from + 8 <= end && xl_grid_sorted_x(s->index.sorted, walk->from + 7) < first)
        walk->from += 8;
#if XL_PLANES
    const int8 before = as_float8(vload8(0, s->index.sorted + walk->from)) < first &
                        (uint8)(0, 1, 2, 3, 4, 5, 6, 7) < (uint8)(end - walk->from);
    walk->from -= xl_walk_sum(before);
#endif
#endif
    return true;
}

/* Advances to the next range of sorted points, of this image or of the next. */
bool xl_walk_range(xl_walk *walk, const xl_search *s)
{
    bool found = false, more = true;
#if XL_REPEATS
    while (more) {
        if (walk->by_row)
            found = xl_walk_kept(walk, s);
        else if (walk->near.begun)
            found = xl_cell_iterator_next(&walk->near.cells, &s->map, &s->index);
        more = !found && xl_ranges_turn(&walk->near, s);
        if (more) {
            walk->by_row = walk->rows > 0 && !any(walk->near.shift != 0.0f);
            walk->next_row = 0;
        }
    }
#else
    found = walk->by_row ? xl_walk_kept(walk, s) : xl_ranges_next(&walk->near, s);
#endif
    if (found && !walk->by_row) {
        walk->from = walk->near.cells.begin;
        walk->to = walk->near.cells.end;
    }
    return found;
}

#if XL_PLANES
void xl_walk_copy(__global const uint *sorted, ulong pitch, uint from, xl_candidates *to)
{
    const uint at = to->n;
#if XL_F64
    __global const double *const whole = (__global const double *)(sorted + 4 * pitch) + from;
    sorted += from;
    vstore8(vload8(0, whole), 0, to->x + at);
    vstore8(vload8(0, whole + pitch), 0, to->y + at);
    vstore8(vload8(0, whole + 2 * pitch), 0, to->z + at);
#else
    sorted += from;
    vstore8(as_float8(vload8(0, sorted)), 0, to->x + at);
    vstore8(as_float8(vload8(0, sorted + pitch)), 0, to->y + at);
    vstore8(as_float8(vload8(0, sorted + 2 * pitch)), 0, to->z + at);
#endif
    vstore8(vload8(0, sorted + 3 * pitch), 0, to->index + at);
}
#endif

/* Begins the part of the image of the walk. */
void xl_walk_begin_image(const xl_walk *walk, const xl_search *s, xl_candidates *to)
{
    xl_candidate_image *const image = to->image + to->images++;
    to->n = xl_walk_align(to->n);
    image->begin = to->n;
    image->shift = walk->near.shift;
#if XL_DETAILS
    image->image = xl_ranges_periods(s, &walk->near);
#endif
}

/* Ends the last part: pads it. */
void xl_walk_end_image(xl_candidates *to)
{
    to->image[to->images - 1].end = to->n;
    for (uint k = 0; k < 32; k += 8)
        vstore8((xl_real8)(INFINITY), 0, to->x + to->n + k);
}

/* Whether the next candidates belong to the last part. Otherwise begins one, if there is room. */
bool xl_walk_has_image(const xl_walk *walk, const xl_search *s, xl_candidates *to)
{
#if XL_REPEATS
    if (to->images > 0 && any(to->image[to->images - 1].shift != walk->near.shift)) {
        if (to->images == XL_WALK_IMAGES || xl_walk_align(to->n) + 8 > XL_WALK_ROOM)
            return false;
        xl_walk_end_image(to);
        xl_walk_begin_image(walk, s, to);
    }
#endif
    if (to->images == 0)
        xl_walk_begin_image(walk, s, to);
    return true;
}

#if XL_RADII > 1
/* Loads the part of each candidate in the radius of a pair. The block of queries shares them. */
void xl_walk_set_parts(const xl_search *s, xl_candidates *to)
{
    for (uint i = 0; i < to->images; ++i) {
        const uint end = to->image[i].end;
        for (uint k = to->image[i].begin; k < end; ++k)
            to->part[k] = xl_search_part(s, to->index[k]);
        for (uint k = end; k < xl_walk_align(end); ++k)
            to->part[k] = 0;
    }
}
#endif

/* Collects candidates until the array is full; false if none are left. */
bool xl_walk_collect(xl_walk *walk, const xl_search *s, xl_candidates *to)
{
    const ulong pitch = xl_grid_pitch(s->map.points);
    to->n = to->images = 0;
#if XL_WRAP
    to->sorted = s->index.sorted;
    to->points = s->map.points;
#endif
    while (walk->more && to->n + 8 <= XL_WALK_ROOM) {
        if (walk->from >= walk->to) {
            walk->more = xl_walk_range(walk, s);
            continue;
        }
        if (!xl_walk_has_image(walk, s, to))
            break;
        const uint taken = min(walk->to - walk->from, 8u);
#if XL_PLANES
        xl_walk_copy(s->index.sorted, pitch, walk->from, to);
#else
        for (uint k = 0; k < taken; ++k) {
            const xl_site other = xl_search_site(s, walk->from + k);
            const xl_real4 at = xl_site_position(other);
            to->x[to->n + k] = at.x;
            to->y[to->n + k] = at.y;
            to->z[to->n + k] = at.z;
            to->index[to->n + k] = other.w;
        }
#endif
#if XL_WRAP
        for (uint k = 0; k < taken; ++k)
            to->place[to->n + k] = walk->from + k;
#endif
        to->n += taken;
        walk->from += taken;
#if XL_F64
        const float x = xl_grid_sorted_x(s->index.sorted, walk->from - 1);
#else
        const float x = to->x[to->n - 1];
#endif
#if XL_WALK_CUTS
        if (walk->by_row && x > walk->cut) {
#if XL_PLANES
            const int8 behind =
                as_float8(vload8(0, s->index.sorted + (walk->from - taken))) > walk->cut &
                (uint8)(0, 1, 2, 3, 4, 5, 6, 7) < (uint8)(taken);
            to->n += xl_walk_sum(behind);
#endif
            walk->from = walk->to;
        }
#else
        if (walk->by_row && x > walk->cells.x_high)
            walk->from = walk->to;
#endif
    }
    if (to->images == 0)
        return false;
    xl_walk_end_image(to);
#if XL_RADII > 1
    xl_walk_set_parts(s, to);
#endif
    return true;
}

/* The squares of the radii of 8 pairs. */
#if XL_RADII > 1
#define XL_WALK_RADII2 xl_pair_radii2(walk->part[j], from->part + at)
#else
#define XL_WALK_RADII2 (xl_real8)(radius2)
#endif

/* The square distances of query j from 8 candidates from `at` on, of one image. */
xl_real8 xl_walk_distances2(const xl_walk *walk, uint j, const xl_candidates *from, xl_real4 shift,
                            uint at)
{
    const xl_real8 dx = (walk->x[j] - vload8(0, from->x + at)) - shift.x;
    const xl_real8 dy = (walk->y[j] - vload8(0, from->y + at)) - shift.y;
    const xl_real8 dz = (walk->z[j] - vload8(0, from->z + at)) - shift.z;
    return (dx * dx + dy * dy) + dz * dz;
}

/* All ones for each of 8 candidates from `at` on, of one image, that is near query j and, in a half
 * list, belongs to it. With a radius for each pair, the query itself is removed unless it is kept.
 */
int8 xl_walk_near(const xl_walk *walk, uint j, const xl_candidates *from, xl_real4 shift, uint at,
                  xl_real radius2)
{
    const int8 near =
        xl_walk_int8(XL_IS_NEAR(xl_walk_distances2(walk, j, from, shift, at), XL_WALK_RADII2));
#if XL_HALF
    const uint least = walk->index[j] + (xl_is_own_wanted(shift) ? 0u : 1u);
    return near & (vload8(0, from->index + at) >= (uint8)(least));
#elif XL_RADII > 1 && !XL_KEEP_SELF
    const int8 image = (int8)(any(shift != 0.0f) ? -1 : 0);
    return near & (image | (vload8(0, from->index + at) != (uint8)(walk->index[j])));
#else
    return near;
#endif
}

/* Whether a query of the block is among the rows that the call works on. */
bool xl_walk_is_in_part(const xl_walk *walk, uint first, uint num)
{
    bool some = false;
    for (uint j = 0; j < walk->queries; ++j)
        some |= walk->index[j] - first < num;
    return some;
}

/* Counts the neighbours of each query of the block. A query counts itself too, and is
 * subtracted. (With a radius for each pair, xl_walk_near() has removed it, because it may be too
 * far from itself.) */
void xl_walk_count(xl_walk *walk, const xl_search *s, uint *found)
{
    xl_candidates candidates;
    for (uint j = 0; j < XL_WALK_QUERIES; ++j)
        found[j] = 0;
    xl_walk_rewind(walk);
    while (xl_walk_collect(walk, s, &candidates))
        for (uint j = 0; j < walk->queries; ++j) {
            const xl_real radius2 = xl_walk_radius2(walk, j, s);
            int8 near = 0;
            for (uint i = 0; i < candidates.images; ++i) {
                const xl_real4 shift = candidates.image[i].shift;
                const uint end = candidates.image[i].end;
                for (uint at = candidates.image[i].begin; at < end; at += 8)
                    near -= xl_walk_near(walk, j, &candidates, shift, at, radius2);
            }
            found[j] += xl_walk_sum(near);
        }
#if !XL_KEEP_SELF && !XL_HALF && XL_RADII < 2
    for (uint j = 0; j < walk->queries; ++j)
        found[j] -= found[j] > 0 ? 1 : 0;
#endif
}

uint xl_walk_half_mask(const xl_walk *walk, uint j, const xl_candidates *from, xl_real4 shift,
                       uint at, xl_real radius2)
{
    return xl_walk_bits(xl_walk_near(walk, j, from, shift, at, radius2),
                        xl_walk_near(walk, j, from, shift, at + 8, radius2),
                        xl_walk_near(walk, j, from, shift, at + 16, radius2),
                        xl_walk_near(walk, j, from, shift, at + 24, radius2));
}

/* Bit k of 64: candidate at + k, before `end`, is near query j. A CPU mispredicts the end of each
 * loop over the bits of a mask: masks of 32 took a third longer for densities (2^20 points, PoCL).
 */
ulong xl_walk_mask(const xl_walk *walk, uint j, const xl_candidates *from, xl_real4 shift, uint at,
                   uint end, xl_real radius2)
{
    ulong near = xl_walk_half_mask(walk, j, from, shift, at, radius2);
    if (at + 32 < end)
        near |= (ulong)xl_walk_half_mask(walk, j, from, shift, at + 32, radius2) << 32;
    return near;
}

/* False if a query itself may be among the candidates and must be skipped. */
bool xl_walk_keeps(xl_real4 shift)
{
#if XL_KEEP_SELF || XL_HALF
    return true;
#elif XL_REPEATS
    return any(shift != 0.0f);
#else
    return false;
#endif
}

/* The same expression as in xl_walk_distances2(). */
xl_real xl_walk_distance2(const xl_walk *walk, uint j, const xl_candidates *from, xl_real4 shift,
                          uint k)
{
    const xl_real dx = (walk->x[j] - from->x[k]) - shift.x;
    const xl_real dy = (walk->y[j] - from->y[k]) - shift.y;
    const xl_real dz = (walk->z[j] - from->z[k]) - shift.z;
    return (dx * dx + dy * dy) + dz * dz;
}

/* Executes ADD for each candidate near query j, while MORE is true. ADD may use `image`; `keeps`,
 * which is false if the query itself must be skipped; `other`, the index of the candidate; and k,
 * its number among the candidates. */
#define XL_WALK_TAKE(MORE, ADD)                                                                    \
    for (uint i = 0; i < candidates->images; ++i) {                                                \
        const xl_candidate_image *const image = candidates->image + i;                             \
        const bool keeps = xl_walk_keeps(image->shift);                                            \
        for (uint at = image->begin; at < image->end; at += 64) {                                  \
            ulong near = xl_walk_mask(walk, j, candidates, image->shift, at, image->end, radius2); \
            while (near != 0 && (MORE)) {                                                          \
                const uint k = at + 63 - (uint)clz(near & (0 - near));                             \
                const uint other = candidates->index[k];                                           \
                near &= near - 1;                                                                  \
                ADD                                                                                \
            }                                                                                      \
        }                                                                                          \
    }

#if XL_VISIT
/* Continues the fold of query j over its neighbours among the candidates. visit() is called for the
 * query itself too, without a branch, and its result discarded. */
xl_real xl_walk_visit_candidates(const xl_walk *walk, uint j, const xl_candidates *candidates,
                                 xl_real radius2, xl_real sum, xl_real4 params)
{
    const uint self = walk->index[j];
    XL_WALK_TAKE(true, {
        const xl_real distance2 = xl_walk_distance2(walk, j, candidates, image->shift, k);
        const xl_real more = visit(sum, distance2, self, other, params);
        sum = keeps || other != self ? more : sum;
    })
    return sum;
}

/* Folds visit() over the neighbours of each query of the block, beginning with `start`. */
void xl_walk_visit(xl_walk *walk, const xl_search *s, xl_real start, xl_real4 params, xl_real *sums)
{
    xl_candidates candidates;
    for (uint j = 0; j < XL_WALK_QUERIES; ++j)
        sums[j] = start;
    xl_walk_rewind(walk);
    while (xl_walk_collect(walk, s, &candidates))
        for (uint j = 0; j < walk->queries; ++j)
            sums[j] = xl_walk_visit_candidates(walk, j, &candidates, xl_walk_radius2(walk, j, s),
                                               sums[j], params);
}
#endif

/* The most numbers whose places are found by comparing all with each other, a multiple of 64. */
enum { XL_WALK_RANKED = 256 };

/* The place of each of n numbers in ascending order: the number of smaller ones. Reads and writes
 * up to a multiple of 32. */
void xl_walk_rank(const uint *numbers, uint n, uint *places)
{
    const uint8 flip = (uint8)(0x80000000u);
    for (uint from = 0; from < n; from += 32) {
        const int8 a = as_int8(vload8(0, numbers + from) ^ flip);
        const int8 b = as_int8(vload8(0, numbers + from + 8) ^ flip);
        const int8 c = as_int8(vload8(0, numbers + from + 16) ^ flip);
        const int8 d = as_int8(vload8(0, numbers + from + 24) ^ flip);
        int8 smaller_a = 0, smaller_b = 0, smaller_c = 0, smaller_d = 0;
        for (uint k = 0; k < n; ++k) {
            const int8 other = (int8)((int)(numbers[k] ^ 0x80000000u));
            smaller_a -= other < a;
            smaller_b -= other < b;
            smaller_c -= other < c;
            smaller_d -= other < d;
        }
        vstore8(as_uint8(smaller_a), 0, places + from);
        vstore8(as_uint8(smaller_b), 0, places + from + 8);
        vstore8(as_uint8(smaller_c), 0, places + from + 16);
        vstore8(as_uint8(smaller_d), 0, places + from + 24);
    }
}

/* Makes places different: of equal numbers, which have one place, each takes the next free one. */
void xl_walk_spread(uint n, uint *places)
{
    ulong used[XL_WALK_RANKED / 64] = {0};
    for (uint k = 0; k < n; ++k) {
        uint place = places[k];
        while (used[place / 64] >> (place % 64) & 1)
            ++place;
        used[place / 64] |= 1UL << (place % 64);
        places[k] = place;
    }
}

#endif
#endif
