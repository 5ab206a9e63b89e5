/* SPDX-License-Identifier: MIT
 * One query's iteration over the sorted points that may be neighbours, range by range.
 *
 *     xl_cell_iterator walk = xl_cell_iterator_begin(&map, p, reach);
 *     while (xl_cell_iterator_next(&walk, &map, starts))
 *         for (uint q = walk.begin; q < walk.end; ++q)
 *             ...
 *
 * Dense: a range is a row of cells along x. Hashed: a range is the bucket of one
 * cell, and a point counts only if its own cell is that one (xl_cell_iterator_owns()), so
 * that cells which share an entry never bring a point twice. Where the cells to
 * visit outnumber the points, all points are one range. */
#ifndef XL_NEIGHBORS_ITERATOR
#define XL_NEIGHBORS_ITERATOR

#include "../grid/grid_map.cl"

typedef struct xl_cell_iterator {
    int4 low, high, at; /* cells: first, last, next */
    uint begin, end;    /* sorted points of this range */
    int4 cell;          /* of this range, where cells are hashed */
    bool all, own;      /* one range of all points; points must be checked */
} xl_cell_iterator;

/* a * b * c > limit, for a, b, c up to 2^32 - 1 and limit below 2^32. */
bool xl_cell_iterator_exceeds(ulong a, ulong b, ulong c, ulong limit)
{
    return a * b > limit || a * b * c > limit;
}

xl_cell_iterator xl_cell_iterator_begin(const xl_grid_map *map, float4 p, float reach)
{
    xl_cell_iterator cells;
    float4 around = (float4)(reach, reach, reach, 0.0f);
    cells.low = cells.at = xl_grid_cell(map, p - around);
    cells.high = max(cells.low, xl_grid_cell(map, p + around));
    uint4 more = as_uint4(cells.high) - as_uint4(cells.low);
    ulong x = map->hashed ? (ulong)more.x + 1UL : 1UL;
    cells.all = xl_cell_iterator_exceeds(x, (ulong)more.y + 1UL, (ulong)more.z + 1UL, map->points);
    cells.own = map->hashed && !cells.all;
    cells.begin = cells.end = 0;
    cells.cell = cells.low;
    return cells;
}

/* Steps to the next row, x standing still. */
void xl_cell_iterator_step_row(xl_cell_iterator *cells)
{
    if (++cells->at.y > cells->high.y) {
        cells->at.y = cells->low.y;
        ++cells->at.z;
    }
}

void xl_cell_iterator_step_cell(xl_cell_iterator *cells)
{
    if (++cells->at.x > cells->high.x) {
        cells->at.x = cells->low.x;
        xl_cell_iterator_step_row(cells);
    }
}

/* The sorted points from bucket `from` of the table up to bucket `to`, which are at most
 * map->table: see xl_grid_fits(). */
void xl_cell_iterator_set(xl_cell_iterator *cells, const xl_grid_map *map,
                          __global const uint *starts, uint from, uint to)
{
    cells->begin = starts[from];
    cells->end = min(starts[to], map->points);
}

/* The next range; false after the last. */
bool xl_cell_iterator_next(xl_cell_iterator *cells, const xl_grid_map *map,
                           __global const uint *starts)
{
    if (cells->at.z > cells->high.z)
        return false;
    if (cells->all) {
        cells->end = map->points;
        cells->at.z = cells->high.z + 1;
    } else if (map->hashed) {
        uint bucket = xl_grid_hash(map, cells->at);
        xl_cell_iterator_set(cells, map, starts, bucket, bucket + 1);
        cells->cell = cells->at;
        xl_cell_iterator_step_cell(cells);
    } else {
        uint row = (uint)cells->at.z * map->layer + (uint)cells->at.y * map->row;
        xl_cell_iterator_set(cells, map, starts, row + (uint)cells->low.x,
                             row + (uint)cells->high.x + 1);
        xl_cell_iterator_step_row(cells);
    }
    return true;
}

/* Where cells are hashed: does the point at q, met in this range, belong to the cell of the range?
 */
bool xl_cell_iterator_owns(const xl_cell_iterator *cells, const xl_grid_map *map, float4 q)
{
    return all(xl_grid_hashed_cell(map, q) == cells->cell);
}

#endif
