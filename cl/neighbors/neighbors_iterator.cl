/* SPDX-License-Identifier: MIT
 * Iterator over the sorted points that may be neighbours of a query, or of several queries that are
 * close together, range by range.
 *
 *     xl_cell_iterator walk = xl_cell_iterator_begin(&map, low, high, reach);
 *     while (xl_cell_iterator_next(&walk, &map, &index))
 *         for (uint q = walk.begin; q < walk.end; ++q)
 *             ...
 *
 * A range is the part of one row whose x may be between low.x - reach and high.x + reach. It takes
 * two loads from a cell table, or two binary searches in a listed row. If there are more rows than
 * points, one range contains all points (in a batch: all points of the system). No point is in two
 * ranges. */
#ifndef XL_NEIGHBORS_ITERATOR
#define XL_NEIGHBORS_ITERATOR

#include "../grid/grid_map.cl"

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

#endif
