/* SPDX-License-Identifier: MIT
 * One walk over the sorted points that may be neighbours of a query, or of several that stand close
 * together, range by range.
 *
 *     xl_cell_iterator walk = xl_cell_iterator_begin(&map, low, high, reach);
 *     while (xl_cell_iterator_next(&walk, &map, &index))
 *         for (uint q = walk.begin; q < walk.end; ++q)
 *             ...
 *
 * A range is the stretch of one row between low.x - reach and high.x + reach: of a table two loads,
 * of a listed row two searches by x. Where rows outnumber the points, all points are one range, or
 * of a batch all of the system. No point is met twice. */
#ifndef XL_NEIGHBORS_ITERATOR
#define XL_NEIGHBORS_ITERATOR

#include "../grid/grid_map.cl"

/* Where the parts of a grid are. */
typedef struct xl_grid_index {
    __global const uint *starts; /* of the table */
    __global const ulong *keys;  /* of listed rows; */
    __global const uint *begins; /* the sorted points that they begin with, and n */
    __global const uint *sorted;
} xl_grid_index;

typedef struct xl_cell_iterator {
    int4 low, high, at; /* cells: first, last, next */
    uint begin, end;    /* sorted points of this range */
    uint row;           /* of the list, the next */
    uint rounds;        /* of loops, since they were last asked for */
    float x_low, x_high;
    bool all; /* one range of all points */
} xl_cell_iterator;

/* a * b > limit, for a and b up to 2^32. */
bool xl_cell_iterator_exceeds(ulong a, ulong b, ulong limit)
{
    return b > limit || a * b > limit;
}

/* Around all points between low and high. */
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
    cells.begin = cells.end = cells.row = cells.rounds = 0;
    cells.x_low = low.x;
    cells.x_high = high.x;
    return cells;
}

/* Of listed rows, those from `row` on: the first of that key or a later one. */
uint xl_row_search(xl_cell_iterator *cells, __global const ulong *keys, uint row, uint rows,
                   ulong key)
{
    uint low = row, high = rows;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const bool before = keys[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
        ++cells->rounds;
    }
    return low;
}

/* The first of the sorted points low up to high whose x is x or more, or, `after`, is more. */
uint xl_x_search(xl_cell_iterator *cells, __global const uint *sorted, uint low, uint high, float x,
                 bool after)
{
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        const float there = xl_grid_sorted_x(sorted, middle);
        const bool before = after ? there <= x : there < x;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
        ++cells->rounds;
    }
    return low;
}

/* Goes on to the next listed row between low and high; false after the last. Each step leaves rows
 * behind, whatever the keys are. */
bool xl_cell_iterator_seek(xl_cell_iterator *cells, const xl_grid_map *map,
                           __global const ulong *keys)
{
    while (cells->row < map->rows) {
        const ulong key = keys[cells->row];
        const int y = xl_grid_row_y(key), z = xl_grid_row_z(key);
        ++cells->rounds;
        if (z > cells->high.z || (z == cells->high.z && y > cells->high.y))
            return false;
        if (z >= cells->low.z && y >= cells->low.y && y <= cells->high.y)
            return true;
        const int next = z < cells->low.z ? cells->low.z : y < cells->low.y ? z : z + 1;
        cells->row = xl_row_search(cells, keys, cells->row + 1, map->rows,
                                   xl_grid_row_key(cells->low.y, next));
    }
    return false;
}

/* Where one range has all points, or of a batch all of a system. */
void xl_cell_iterator_all(const xl_cell_iterator *cells, const xl_grid_map *map,
                          const xl_grid_index *index, uint *begin, uint *end)
{
#if XL_SYSTEMS
    const uint system = (uint)cells->low.z / map->layers, each = map->layers * map->layer;
    *begin = index->starts[system * each];
    *end = min(index->starts[(system + 1u) * each], map->points);
#else
    *begin = 0;
    *end = map->points;
#endif
}

/* The points of listed row `row`. */
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
    cells->begin = xl_x_search(cells, index->sorted, cells->begin, cells->end, cells->x_low, false);
    cells->end = xl_x_search(cells, index->sorted, cells->begin, cells->end, cells->x_high, true);
    return true;
}

/* The next range; false after the last. Buckets are at most map->table: see xl_grid_fits(). */
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
    const uint row = (uint)cells->at.z * map->layer + (uint)cells->at.y * map->row;
    cells->begin = index->starts[row + (uint)cells->low.x];
    cells->end = min(index->starts[row + (uint)cells->high.x + 1], map->points);
    if (++cells->at.y > cells->high.y) {
        cells->at.y = cells->low.y;
        ++cells->at.z;
    }
    return true;
}

#endif
