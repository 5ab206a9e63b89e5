/* SPDX-License-Identifier: MIT
 * The walk around one or two queries in an index with a cell table, row by row. The bounds of the
 * next row are loaded while the points of the current row are processed, and no register is used
 * for listed rows. A count of two queries at a time takes 0.33 ms on an H200; the loop of
 * neighbors_ranges.cl, which handles tables and listed rows, takes 0.49 (2^21 points with 33
 * neighbours each).
 *
 *     xl_table_walk walk = xl_table_walk_begin(&search, &two, turn);
 *     while (xl_table_walk_next(&walk, &search))
 *         for (uint q = walk.range.begin; q < walk.range.end; ++q)
 *             ... */
#ifndef XL_NEIGHBORS_TABLE
#define XL_NEIGHBORS_TABLE

#include "neighbors_two.cl"

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
#if XL_PERIODIC
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
#if XL_PERIODIC
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
#if XL_PERIODIC
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

#endif
