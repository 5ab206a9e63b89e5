/* SPDX-License-Identifier: MIT
 * One query's walk over the slots that may hold a neighbour, run by run.
 *
 *     xl_walk walk = xl_walk_begin(&map, p, reach);
 *     while (xl_walk_next(&walk, &map, starts))
 *         for (uint q = walk.begin; q < walk.end; ++q)
 *             ...
 *
 * Dense: a run is a row of cells along x. Hashed: a run is the table entry of one
 * cell, and a point counts only if its own cell is that one (xl_walk_owns()), so
 * that cells which share an entry never bring a point twice. Where the cells to
 * visit outnumber the points, all points are one run. */
#ifndef XL_NEIGHBORS_WALK
#define XL_NEIGHBORS_WALK

#include "grid_map.cl"

typedef struct xl_walk {
    int4 low, high, at; /* cells: first, last, next */
    uint begin, end;    /* slots of this run */
    int4 cell;          /* of this run, where cells are hashed */
    bool all, own;      /* one run of all points; points must be checked */
} xl_walk;

/* a * b * c > limit, for a, b, c up to 2^32 - 1 and limit below 2^32. */
bool xl_walk_exceeds(ulong a, ulong b, ulong c, ulong limit)
{
    return a * b > limit || a * b * c > limit;
}

xl_walk xl_walk_begin(const xl_grid_map *map, float4 p, float reach)
{
    xl_walk walk;
    float4 around = (float4)(reach, reach, reach, 0.0f);
    walk.low = walk.at = xl_grid_cell(map, p - around);
    walk.high = max(walk.low, xl_grid_cell(map, p + around));
    uint4 more = as_uint4(walk.high) - as_uint4(walk.low);
    ulong x = map->hashed ? (ulong)more.x + 1UL : 1UL;
    walk.all = xl_walk_exceeds(x, (ulong)more.y + 1UL, (ulong)more.z + 1UL, map->points);
    walk.own = map->hashed && !walk.all;
    walk.begin = walk.end = 0;
    walk.cell = walk.low;
    return walk;
}

/* Steps to the next row, x standing still. */
void xl_walk_step_row(xl_walk *walk)
{
    if (++walk->at.y > walk->high.y) {
        walk->at.y = walk->low.y;
        ++walk->at.z;
    }
}

void xl_walk_step_cell(xl_walk *walk)
{
    if (++walk->at.x > walk->high.x) {
        walk->at.x = walk->low.x;
        xl_walk_step_row(walk);
    }
}

/* The slots from entry `from` of the table up to entry `to`, which are at most map->table: see
 * xl_grid_fits(). */
void xl_walk_set(xl_walk *walk, const xl_grid_map *map, __global const uint *starts, uint from,
                 uint to)
{
    walk->begin = starts[from];
    walk->end = min(starts[to], map->points);
}

/* The next run; false after the last. */
bool xl_walk_next(xl_walk *walk, const xl_grid_map *map, __global const uint *starts)
{
    if (walk->at.z > walk->high.z)
        return false;
    if (walk->all) {
        walk->end = map->points;
        walk->at.z = walk->high.z + 1;
    } else if (map->hashed) {
        uint entry = xl_grid_hash(map, walk->at);
        xl_walk_set(walk, map, starts, entry, entry + 1);
        walk->cell = walk->at;
        xl_walk_step_cell(walk);
    } else {
        uint row = (uint)walk->at.z * map->layer + (uint)walk->at.y * map->row;
        xl_walk_set(walk, map, starts, row + (uint)walk->low.x, row + (uint)walk->high.x + 1);
        xl_walk_step_row(walk);
    }
    return true;
}

/* Where cells are hashed: does the point at q, met in this run, belong to the cell of the run? */
bool xl_walk_owns(const xl_walk *walk, const xl_grid_map *map, float4 q)
{
    return all(xl_grid_hashed_cell(map, q) == walk->cell);
}

#endif
