/* SPDX-License-Identifier: MIT
 * The state of a search, its queries, and the walk around a query that all searches use:
 *
 *     xl_ranges near = xl_ranges_begin(&search, low, high, reach);
 *     while (xl_ranges_next(&near, &search))
 *         for (uint q = near.cells.begin; q < near.cells.end; ++q)
 *             ...
 *
 * In periodic space a query has images, which are whole periods (or vectors of a triclinic cell)
 * apart. The walk visits each image that points may be near to; `shift` is the displacement of the
 * query for that image. Points do not move. The distance is (query - point) - shift, which differs
 * only in its sign if the two points of a pair change places. */
#ifndef XL_NEIGHBORS_RANGES
#define XL_NEIGHBORS_RANGES

#include "neighbors_pair.cl"
#if XL_REPEATS > 1
#include "../grid/grid_cell.cl"
#endif

/* Whether queries are given; otherwise they are the points of the index. */
#define XL_GIVEN (XL_QUERY_DIMENSIONS > 0)

/* Whether positions may be outside the box: those of points that a build accepted are not. */
#ifndef XL_ANYWHERE
#define XL_ANYWHERE XL_GIVEN
#endif

/* ---- cells ------------------------------------------------------------------------------- */

/* Iterates over the sorted points that may be neighbours of a query, or of several queries that are
 * close together, range by range. A range is the part of one row whose x may be between low.x -
 * reach and high.x + reach. It takes two loads from a cell table, or two binary searches in a
 * listed row. If there are more rows than points, one range contains all points (in a batch: all
 * points of the system). No point is in two ranges. */

/* The arrays of a grid index. */
typedef struct xl_grid_index {
    __global const uint *starts; /* the cell table */
    __global const ulong *keys;  /* keys of the listed rows */
    __global const uint *begins; /* the first sorted point of each listed row, then n */
    __global const uint *sorted;
} xl_grid_index;

typedef struct xl_cell_iterator {
    int4 low, high, at; /* cells: first, last, next */
    uint begin, end;    /* sorted points of the current range */
    uint row;           /* the next listed row */
    float x_low, x_high;
    bool all; /* one range contains all points */
} xl_cell_iterator;

/* Whether a * b > limit, without overflow for a and b up to 2^32. */
bool xl_cell_iterator_exceeds(ulong a, ulong b, ulong limit)
{
    return b > limit || a * b > limit;
}

/* Begins the ranges around all positions between low and high. */
xl_cell_iterator xl_cell_iterator_begin(const xl_grid_map *map, float4 low, float4 high,
                                        float reach)
{
    xl_cell_iterator cells;
    float4 around = (float4)(reach, reach, reach, 0.0f);
    low -= around;
    high += around;
    cells.low = cells.at = xl_grid_cell(map, low);
    cells.high = max(cells.low, xl_grid_cell(map, high));
    uint4 more = as_uint4(cells.high) - as_uint4(cells.low);
    cells.all = !map->sparse &&
                xl_cell_iterator_exceeds((ulong)more.y + 1UL, (ulong)more.z + 1UL, map->points);
    cells.begin = cells.end = cells.row = 0;
    cells.x_low = low.x;
    cells.x_high = high.x;
    return cells;
}

/* Lower bound of `key` among the listed rows from `row` on. */
uint xl_row_search(__global const ulong *keys, uint row, uint rows, ulong key)
{
    uint low = row, high = rows;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const bool before = keys[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* The first of the sorted points low to high - 1 whose x is not less than `x` or, if `after`, is
 * greater than `x`. */
uint xl_x_search(__global const uint *sorted, uint low, uint high, float x, bool after)
{
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const float there = xl_grid_sorted_x(sorted, middle);
        const bool before = after ? there <= x : there < x;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* Advances to the next listed row between the cells low and high; false after the last. Each step
 * advances by a row whatever the keys are, so a damaged index cannot cause an endless loop. */
bool xl_cell_iterator_seek(xl_cell_iterator *cells, const xl_grid_map *map,
                           __global const ulong *keys)
{
    while (cells->row < map->rows) {
        const ulong key = keys[cells->row];
        const int y = xl_grid_row_y(key), z = xl_grid_row_z(key);
        if (z > cells->high.z || (z == cells->high.z && y > cells->high.y))
            return false;
        if (z >= cells->low.z && y >= cells->low.y && y <= cells->high.y)
            return true;
        const int next = z < cells->low.z ? cells->low.z : y < cells->low.y ? z : z + 1;
        cells->row =
            xl_row_search(keys, cells->row + 1, map->rows, xl_grid_row_key(cells->low.y, next));
    }
    return false;
}

/* The one range that contains all points or, in a batch, all points of the system. */
void xl_cell_iterator_all(const xl_cell_iterator *cells, const xl_grid_map *map,
                          const xl_grid_index *index, uint *begin, uint *end)
{
#if XL_SYSTEMS
    const uint layer = (uint)cells->low.z - (uint)map->first_layer;
    const uint system = layer / map->layers, each = map->layers * map->layer;
    *begin = index->starts[system * each];
    *end = min(index->starts[(system + 1u) * each], map->points);
#else
    *begin = 0;
    *end = map->points;
#endif
}

/* The range of listed row `row`, limited to the array. */
void xl_cell_iterator_row(xl_cell_iterator *cells, const xl_grid_map *map,
                          __global const uint *begins, uint row)
{
    cells->begin = min(begins[row], map->points);
    cells->end = clamp(begins[row + 1], cells->begin, map->points);
}

bool xl_cell_iterator_next_listed(xl_cell_iterator *cells, const xl_grid_map *map,
                                  const xl_grid_index *index)
{
    if (!xl_cell_iterator_seek(cells, map, index->keys))
        return false;
    xl_cell_iterator_row(cells, map, index->begins, cells->row++);
    cells->begin = xl_x_search(index->sorted, cells->begin, cells->end, cells->x_low, false);
    cells->end = xl_x_search(index->sorted, cells->begin, cells->end, cells->x_high, true);
    return true;
}

/* Advances to the next range; false after the last. The table needs no bounds check here, because
 * xl_grid_fits() compared its size with map->table. */
bool xl_cell_iterator_next(xl_cell_iterator *cells, const xl_grid_map *map,
                           const xl_grid_index *index)
{
    if (map->sparse)
        return xl_cell_iterator_next_listed(cells, map, index);
    if (cells->at.z > cells->high.z)
        return false;
    if (cells->all) {
        xl_cell_iterator_all(cells, map, index, &cells->begin, &cells->end);
        cells->at.z = cells->high.z + 1;
        return true;
    }
    const uint first = xl_grid_at(map, cells->low.x, cells->at.y, cells->at.z);
    const uint width = (uint)(cells->high.x - cells->low.x) + 1u;
    cells->begin = index->starts[first];
    cells->end = min(index->starts[first + width], map->points);
    if (++cells->at.y > cells->high.y) {
        cells->at.y = cells->low.y;
        ++cells->at.z;
    }
    return true;
}

/* Defines `gap`, in edges of a cell: a lower bound of the distance, along y or z, between any
 * coordinate from `least` to `most` and any coordinate of the rows `first`. The arguments are
 * products of coordinates and the inverse of the edge. `first` are whole numbers, and the product
 * of a coordinate of a row is from its number to the next, after rounding. Products and the whole
 * numbers may be off by some units of 2^-24. `margin` is subtracted, too: the caller's own bound of
 * other errors. */
#define XL_GRID_GAP_OF(type, gap)                                                                  \
    type gap(type least, type most, type first, float margin)                                      \
    {                                                                                              \
        const type rounding = ((fabs(least) + fabs(most)) + (fabs(first) + 2.0f)) * 0x1p-21f;      \
        return fmax(fmax(least - (first + 1.0f), first - most) - (rounding + margin), 0.0f);       \
    }
XL_GRID_GAP_OF(float, xl_grid_gap)
XL_GRID_GAP_OF(float8, xl_grid_gaps)

/* ---- a search ---------------------------------------------------------------------------- */

typedef struct xl_search {
    xl_grid_map map;
    xl_grid_index index;
    uint queries; /* number of queries */
    xl_real reach, radius2;
#if XL_F64
    double4 origin; /* of the grid's single-precision coordinates */
#endif
#if XL_GIVEN
    __global const xl_real *given; /* all coordinates, or x if each axis has an array */
#if XL_QUERY_STRIDE == 0
    __global const xl_real *given_y, *given_z;
#endif
#if XL_SYSTEMS
    __global const uint *given_systems;
#endif
#endif
#if XL_RADII
    xl_radii radii;
#endif
#if XL_REPEATS == 3
    __global const xl_real *cells; /* the table */
#elif XL_REPEATS
    xl_real4 lower, upper; /* the box */
    xl_real4 period;       /* 0 along an axis that is not periodic */
    xl_real extent;        /* the largest of these numbers */
#endif
#if XL_REPEATS == 2
    xl_cell cell;
#endif
} xl_search;

/* The parameters of every search kernel, in two lists, the index and the queries, and the arguments
 * that match them, for xl_search_load(). */
#define XL_INDEX_PARAMETERS                                                                        \
    ulong header_at, ulong starts_at, ulong begins_at, ulong sorted_at, uint n, uint table,        \
        uint stamp, xl_real reach, xl_real radius2
#if XL_F64
#define XL_ORIGIN_PARAMETERS double4 origin,
#define XL_ORIGIN_ARGUMENTS origin,
#else
#define XL_ORIGIN_PARAMETERS
#define XL_ORIGIN_ARGUMENTS
#endif
#if XL_REPEATS > 1
#define XL_LATTICE_PARAMETERS XL_CELL_PARAMETERS,
#define XL_LATTICE_ARGUMENTS XL_CELL_ARGUMENTS,
#else
#define XL_LATTICE_PARAMETERS
#define XL_LATTICE_ARGUMENTS
#endif
#if XL_REPEATS == 3
#define XL_BOX_PARAMETERS __global const xl_real *cell_table,
#define XL_BOX_ARGUMENTS cell_table,
#elif XL_REPEATS
#define XL_BOX_PARAMETERS                                                                          \
    xl_real4 lower, xl_real4 upper, xl_real4 period, xl_real extent, XL_LATTICE_PARAMETERS
#define XL_BOX_ARGUMENTS lower, upper, period, extent, XL_LATTICE_ARGUMENTS
#else
#define XL_BOX_PARAMETERS
#define XL_BOX_ARGUMENTS
#endif
#if XL_SYSTEMS
#define XL_GIVEN_SYSTEMS_PARAMETERS __global const uint *given_systems, ulong given_systems_at,
#define XL_GIVEN_SYSTEMS_ARGUMENTS given_systems, given_systems_at,
#else
#define XL_GIVEN_SYSTEMS_PARAMETERS
#define XL_GIVEN_SYSTEMS_ARGUMENTS
#endif
#if !XL_GIVEN
#define XL_GIVEN_PARAMETERS
#define XL_GIVEN_ARGUMENTS
#elif XL_QUERY_STRIDE == 0
#define XL_GIVEN_PARAMETERS                                                                        \
    __global const xl_real *given, ulong given_at, __global const xl_real *given_y,                \
        ulong given_y_at, __global const xl_real *given_z, ulong given_z_at,                       \
        XL_GIVEN_SYSTEMS_PARAMETERS
#define XL_GIVEN_ARGUMENTS                                                                         \
    given, given_at, given_y, given_y_at, given_z, given_z_at, XL_GIVEN_SYSTEMS_ARGUMENTS
#else
#define XL_GIVEN_PARAMETERS                                                                        \
    __global const xl_real *given, ulong given_at, XL_GIVEN_SYSTEMS_PARAMETERS
#define XL_GIVEN_ARGUMENTS given, given_at, XL_GIVEN_SYSTEMS_ARGUMENTS
#endif
#if XL_GIVEN && XL_RADII > 1
#define XL_POINT_RADII_PARAMETERS __global const xl_radius_in *point_radii, ulong point_radii_at,
#define XL_POINT_RADII_ARGUMENTS point_radii, point_radii_at,
#else
#define XL_POINT_RADII_PARAMETERS
#define XL_POINT_RADII_ARGUMENTS
#endif
#if XL_RADII == 3
#define XL_RADII_PARAMETERS                                                                        \
    __global const xl_real *squares, uint num_types, __global const xl_radius_in *radii,           \
        ulong radii_at, XL_POINT_RADII_PARAMETERS
#define XL_RADII_ARGUMENTS squares, num_types, radii, radii_at, XL_POINT_RADII_ARGUMENTS
#elif XL_RADII
#define XL_RADII_PARAMETERS                                                                        \
    xl_real radius, __global const xl_radius_in *radii, ulong radii_at, XL_POINT_RADII_PARAMETERS
#define XL_RADII_ARGUMENTS radius, radii, radii_at, XL_POINT_RADII_ARGUMENTS
#else
#define XL_RADII_PARAMETERS
#define XL_RADII_ARGUMENTS
#endif
#define XL_QUERY_PARAMETERS                                                                        \
    XL_ORIGIN_PARAMETERS XL_BOX_PARAMETERS XL_GIVEN_PARAMETERS XL_RADII_PARAMETERS uint queries
#define XL_SEARCH_LOAD(storage)                                                                    \
    xl_search_load(                                                                                \
        storage, header_at, starts_at, begins_at, sorted_at, n, table, stamp, reach, radius2,      \
        XL_ORIGIN_ARGUMENTS XL_BOX_ARGUMENTS XL_GIVEN_ARGUMENTS XL_RADII_ARGUMENTS queries)

/* Loads a search. An index whose stamp differs from the host's counts as failed. */
xl_search xl_search_load(__global const uint *storage, XL_INDEX_PARAMETERS, XL_QUERY_PARAMETERS)
{
    __global const xl_grid_header *header = (__global const xl_grid_header *)(storage + header_at);
    xl_search s;
    s.map = xl_grid_load(header, table, n);
    s.map.failed = s.map.failed || header->stamp != stamp || !xl_grid_fits(header, &s.map);
    s.index.starts = storage + starts_at;
    s.index.keys = (__global const ulong *)(storage + starts_at);
    s.index.begins = storage + begins_at;
    s.index.sorted = storage + sorted_at;
    s.queries = queries;
    s.reach = reach;
    s.radius2 = radius2;
#if XL_F64
    s.origin = origin;
#endif
#if XL_GIVEN
    s.given = given + given_at;
#if XL_QUERY_STRIDE == 0
    s.given_y = given_y + given_y_at;
    s.given_z = given_z + given_z_at;
#endif
#if XL_SYSTEMS
    s.given_systems = given_systems + given_systems_at;
#endif
#endif
#if XL_RADII
    s.radii.of_queries = s.radii.of_points = radii + radii_at;
#if XL_GIVEN && XL_RADII > 1
    s.radii.of_points = point_radii + point_radii_at;
#endif
#if XL_RADII == 3
    s.radii.squares = squares;
    s.radii.num_types = num_types;
#else
    s.radii.most = radius;
#endif
#endif
#if XL_REPEATS == 3
    s.cells = cell_table;
#elif XL_REPEATS
    s.lower = lower;
    s.upper = upper;
    s.period = period;
    s.extent = extent;
#if XL_REPEATS > 1
    s.cell = xl_cell_of(lower, upper, XL_CELL_ARGUMENTS);
#endif
#endif
    return s;
}

/* A sorted point in the precision in which pairs are compared. */
xl_site xl_search_site(const xl_search *s, ulong k)
{
    return xl_grid_site(s->index.sorted, s->map.points, k);
}

/* A position in the grid's coordinates. */
float4 xl_search_narrow(const xl_search *s, xl_real4 p)
{
#if XL_F64
    return xl_grid_narrow(p, s->origin);
#else
    return p;
#endif
}

/* The cells that intersect the box from low - reach to high + reach. */
xl_cell_iterator xl_search_cells(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
#if XL_F64
    const double4 around = (double4)(reach, reach, reach, 0.0);
    return xl_cell_iterator_begin(&s->map, xl_search_narrow(s, low - around),
                                  xl_search_narrow(s, high + around), 0.0f);
#else
    return xl_cell_iterator_begin(&s->map, low, high, reach);
#endif
}

/* ---- queries ----------------------------------------------------------------------------- */

typedef struct xl_query {
    xl_site self; /* position and index: of the point, or of the query; results go to this index */
    xl_real reach, radius2;
#if XL_RADII > 1
    xl_query_part part; /* of the radius of each pair */
#endif
#if XL_SYSTEMS
    float system;
#endif
#if XL_WRAP
    int4 move; /* the whole vectors that the build moved it back by; a given query: 0 */
#endif
#if XL_ROW_ROOM == 2
    xl_bound bound; /* of the neighbours that its row keeps */
#endif
} xl_query;

/* The position; in a batch, w is the system. */
xl_real4 xl_query_position(const xl_query *query)
{
    xl_real4 p = xl_site_position(query->self);
#if XL_SYSTEMS
    p.w = query->system;
#endif
    return p;
}

/* The index of the query that is processed as number k: in the order of the index, or as given. */
uint xl_query_index(const xl_search *s, uint k)
{
#if XL_GIVEN
    return k;
#else
    return xl_grid_sorted_index(s->index.sorted, s->map.points, k);
#endif
}

/* The factor by which a radius is lengthened, because of rounding:
 * lib/neighbors/neighbors_plan.h. */
#if XL_F64
#define XL_REACH (1.0 + 0x1p-48)
#else
#define XL_REACH (1.0f + 0x1p-19f)
#endif

/* Sets the radius of a query: its own, or the largest one of all pairs. */
void xl_query_set_radius(const xl_search *s, xl_query *query)
{
    query->reach = s->reach;
    query->radius2 = s->radius2;
#if XL_RADII
    const uint i = min((uint)query->self.w, s->queries - 1);
#endif
#if XL_RADII > 1
    query->part = xl_radii_query(&s->radii, i);
#elif XL_RADII
    const xl_real radius = xl_radius_of(&s->radii, s->radii.of_queries[i]);
    query->reach = radius * XL_REACH;
    query->radius2 = xl_radius_square(radius);
#endif
}

#if XL_GIVEN
/* The position of given query k. */
xl_real4 xl_query_given(const xl_search *s, ulong k)
{
#if XL_QUERY_STRIDE == 0
    return (xl_real4)(s->given[k], XL_QUERY_DIMENSIONS > 1 ? s->given_y[k] : 0,
                      XL_QUERY_DIMENSIONS > 2 ? s->given_z[k] : 0, 0);
#else
    __global const xl_real *const p = s->given + k * XL_QUERY_STRIDE;
    return (xl_real4)(p[0], XL_QUERY_DIMENSIONS > 1 ? p[1] : 0, XL_QUERY_DIMENSIONS > 2 ? p[2] : 0,
                      0);
#endif
}
#endif

#if XL_SYSTEMS
/* Sets the system of query k. If the system does not exist, the position becomes NaN, which has no
 * neighbours. */
void xl_query_set_system(const xl_search *s, xl_query *query, uint k)
{
#if XL_GIVEN
    const uint system = s->given_systems[k];
    if (system >= s->map.systems)
        query->self = xl_site_of((xl_real4)(NAN), k);
#else
    const uint system = xl_grid_system(s->index.sorted, s->map.points, k);
#endif
    query->system = (float)min(system, s->map.systems - 1u);
}
#endif

xl_query xl_query_load(const xl_search *s, uint k)
{
    xl_query query;
#if XL_GIVEN
    query.self = xl_site_of(xl_query_given(s, k), k);
#else
    query.self = xl_search_site(s, k);
#endif
#if XL_SYSTEMS
    xl_query_set_system(s, &query, k);
#endif
    xl_query_set_radius(s, &query);
#if XL_WRAP
    query.move = XL_GIVEN ? (int4)(0) : xl_grid_move(s->index.sorted, s->map.points, k);
#endif
#if XL_ROW_ROOM == 2
    query.bound = xl_bound_none();
#endif
    return query;
}

#if XL_RADII > 1
/* The part of point `index` in the radius of a pair. */
xl_point_part xl_search_part(const xl_search *s, uint index)
{
    return xl_radii_point(&s->radii, min(index, s->map.points - 1));
}

/* As xl_is_neighbor(), within the radius of the pair. */
bool xl_is_pair(const xl_search *s, const xl_query *query, xl_site other, xl_real4 shift,
                xl_real *distance2)
{
    return xl_is_neighbor(query->self, other, shift, query->radius2, distance2) &&
           XL_IS_NEAR(*distance2, xl_pair_radius2(query->part, xl_search_part(s, (uint)other.w)));
}
#define XL_IS_NEIGHBOR(query, other, shift, distance2) xl_is_pair(s, query, other, shift, distance2)
#else
#define XL_IS_NEIGHBOR(query, other, shift, distance2)                                             \
    xl_is_neighbor(query->self, other, shift, query->radius2, distance2)
#endif

/* Upper limit of the length of a row. In periodic space a point may be in a row several times. */
ulong xl_most_in_row(uint points)
{
#if XL_REPEATS
    return UINT_MAX;
#else
    return points;
#endif
}

/* ---- images ------------------------------------------------------------------------------ */

#if XL_REPEATS > 1
typedef xl_cell_images xl_images;

/* The cell of the search or, if each system has its own, of the system of `position`, its w. */
#if XL_REPEATS == 3
#define XL_CELL_AT(position) const xl_cell cell = xl_cell_load(s->cells, (uint)(position).w);
#define XL_CELL_FOUND &cell
#else
#define XL_CELL_AT(position)
#define XL_CELL_FOUND &s->cell
#endif

/* If no axis is periodic (a user's kernel also takes such an index), the query does not move and
 * the reach needs no margin. */
xl_real xl_images_reach(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    XL_CELL_AT(low)
#if XL_REPEATS == 3
    const xl_real extent = xl_cell_numbers(s->cells, (uint)low.w, XL_CELL_BOUNDS).s3;
    return extent > 0 ? xl_cell_reach(&cell, low, high, extent, reach) : reach;
#elif XL_ANYWHERE
    return s->extent > 0 ? xl_cell_reach(&s->cell, low, high, s->extent, reach) : reach;
#else
    return xl_cell_reach_inside(&s->cell, reach);
#endif
}

xl_images xl_images_begin(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    XL_CELL_AT(low)
    const xl_real all = xl_images_reach(s, low, high, reach);
#if XL_ANYWHERE
    return xl_cell_images_begin(XL_CELL_FOUND, low, high, all);
#else
    return xl_cell_images_around(XL_CELL_FOUND, low, high, all);
#endif
}

bool xl_images_are_near(const xl_search *s, xl_real4 low, xl_real4 high)
{
    XL_CELL_AT(low)
    return xl_cell_is_near(XL_CELL_FOUND, low, high);
}
#elif XL_REPEATS
typedef struct xl_images {
    int4 first, last, at; /* of each axis, in periods; `at` is the next */
} xl_images;

/* Bound of the relative rounding error of a difference. */
#if XL_F64
#define XL_IMAGES_ROUNDING 0x1p-50
#else
#define XL_IMAGES_ROUNDING 0x1p-21f
#endif
/* The largest number of an image, on either side: image numbers have 32 bits. */
#define XL_IMAGES_COUNTED ((xl_real)0x1p29)

/* Whether the precision of these positions distinguishes their images: they are at most 2^24
 * periods (floats) or 2^53 periods (doubles) from 0, as all positions in a box are, and image
 * numbers stay below the limit. Axes that are not periodic are ignored. */
bool xl_images_are_near(const xl_search *s, xl_real4 low, xl_real4 high)
{
    const xl_real4 size = fmax(fabs(low), fabs(high));
    const xl_real4 away = fmax(fabs(high - s->lower), fabs(s->upper - low));
    return all(isfinite(low)) && all(isfinite(high)) &&
           all(!(s->period > 0.0f) | ((XL_IMAGES_ROUNDING * size <= 8 * s->period) &
                                      (away <= XL_IMAGES_COUNTED * s->period)));
}

/* The reach along each axis. The position of an image rounds, and so does its distance from a
 * point: on a periodic axis the reach grows by a bound of both errors. */
xl_real4 xl_images_around(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    const xl_real4 place = fmax(fabs(low), fabs(high));
    const xl_real4 box = fmax(s->period, fmax(fabs(s->lower), fabs(s->upper)));
    return select((xl_real4)(reach), reach + XL_IMAGES_ROUNDING * ((box + place) + reach),
                  s->period > 0.0f);
}

xl_real xl_images_reach(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    const xl_real4 around = xl_images_around(s, low, high, reach);
    return fmax(around.x, fmax(around.y, around.z));
}

/* The images whose positions between low and high may be within `reach` of points, with some
 * slack. */
xl_images xl_images_begin(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    const xl_mask4 repeats = s->period > 0.0f;
    const xl_real4 none = (xl_real4)(0.0f), length = select((xl_real4)(1.0f), s->period, repeats);
    const xl_real4 around = xl_images_around(s, low, high, reach), slack = (xl_real4)(0x1p-10f);
    const xl_real4 first =
        select(none, ceil(((low - around) - s->upper) / length - slack), repeats);
    const xl_real4 last =
        select(none, floor(((high + around) - s->lower) / length + slack), repeats);
    const xl_real most = 2 * XL_IMAGES_COUNTED;
    xl_images images;
    images.first = convert_int4(clamp(first, -most, most));
    images.last = convert_int4(clamp(last, -most, most));
    images.at = images.first;
    if (any(images.first > images.last) || !xl_images_are_near(s, low, high))
        images.at.z = images.last.z + 1;
    return images;
}

/* Advances to the next image; false after the last. */
bool xl_images_next(xl_images *images, const xl_search *s, xl_real4 *shift)
{
#pragma OPENCL FP_CONTRACT OFF
    if (images->at.z > images->last.z)
        return false;
    *shift = xl_real4_of(images->at) * s->period;
    if (++images->at.x > images->last.x) {
        images->at.x = images->first.x;
        if (++images->at.y > images->last.y) {
            images->at.y = images->first.y;
            ++images->at.z;
        }
    }
    return true;
}
#endif

/* Whether a finite position is too far from the box for images. Such a query has no neighbours. */
bool xl_search_is_far(const xl_search *s, xl_real4 p)
{
#if XL_REPEATS
    return !xl_images_are_near(s, p, p);
#else
    return false;
#endif
}

/* ---- ranges ------------------------------------------------------------------------------ */

typedef struct xl_ranges {
    xl_cell_iterator cells;
    xl_real4 shift; /* of the query, for these cells; 0 if space is not periodic */
#if XL_ROW_ROOM == 2
    uint at_bound; /* images so far of the point at the bound of the query */
#endif
#if XL_REPEATS
    xl_images images;
    xl_real4 low, high;
    xl_real reach;
    bool begun;
#endif
} xl_ranges;

/* Begins the ranges around all positions between low and high. */
xl_ranges xl_ranges_begin(const xl_search *s, xl_real4 low, xl_real4 high, xl_real reach)
{
    xl_ranges ranges;
    ranges.shift = (xl_real4)(0.0f);
#if XL_ROW_ROOM == 2
    ranges.at_bound = 0;
#endif
#if XL_REPEATS
    ranges.low = low;
    ranges.high = high;
    ranges.reach = xl_images_reach(s, low, high, reach);
    ranges.images = xl_images_begin(s, low, high, reach);
    ranges.begun = false;
#else
    ranges.cells = xl_search_cells(s, low, high, reach);
#endif
    return ranges;
}

#if XL_REPEATS > 1
bool xl_ranges_image(xl_ranges *ranges, const xl_search *s)
{
    XL_CELL_AT(ranges->low)
    if (!xl_cell_images_next(&ranges->images, XL_CELL_FOUND, ranges->low, ranges->high,
                             ranges->reach))
        return false;
    ranges->shift = xl_cell_shift(XL_CELL_FOUND, xl_cell_image(XL_CELL_FOUND, ranges->images.at));
    return true;
}
#elif XL_REPEATS
bool xl_ranges_image(xl_ranges *ranges, const xl_search *s)
{
    return xl_images_next(&ranges->images, s, &ranges->shift);
}
#endif

#if XL_REPEATS
/* Advances to the next image. */
bool xl_ranges_turn(xl_ranges *ranges, const xl_search *s)
{
    if (!xl_ranges_image(ranges, s))
        return false;
    ranges->cells = xl_search_cells(s, ranges->low - ranges->shift, ranges->high - ranges->shift,
                                    ranges->reach);
    ranges->begun = true;
    return true;
}
#endif

/* Advances to the next range of sorted points; false after the last. */
bool xl_ranges_next(xl_ranges *ranges, const xl_search *s)
{
#if XL_REPEATS
    bool found = false, more = true;
    while (more) {
        found = ranges->begun && xl_cell_iterator_next(&ranges->cells, &s->map, &s->index);
        more = !found && xl_ranges_turn(ranges, s);
    }
    return found;
#else
    return xl_cell_iterator_next(&ranges->cells, &s->map, &s->index);
#endif
}

/* The current image, in whole periods. */
int4 xl_ranges_periods(const xl_search *s, const xl_ranges *near)
{
#if XL_REPEATS > 1
    XL_CELL_AT(near->low)
    return xl_cell_image(XL_CELL_FOUND, near->images.at);
#elif XL_REPEATS
    return convert_int4_rte(near->shift / select((xl_real4)(1.0f), s->period, s->period > 0.0f));
#else
    return (int4)(0);
#endif
}

/* Whether the row of the query keeps this neighbour. The neighbours of a walk are asked for in
 * their order, once each. */
bool xl_ranges_keep(xl_ranges *ranges, const xl_query *query, xl_real distance2, uint index)
{
#if XL_ROW_ROOM == 2
    return xl_bound_keeps(&query->bound, distance2, index, &ranges->at_bound);
#else
    return true;
#endif
}

#endif
