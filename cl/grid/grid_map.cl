/* SPDX-License-Identifier: MIT
 * How a grid lies in memory, and which cell and table entry a point falls into.
 *
 * A grid is a header, a table of `table` + 1 starts and the points in the order
 * of their table's buckets: those of bucket b are the sorted points starts[b] up to,
 * not including, starts[b + 1]. Dense: an entry is a cell, x running fastest, so
 * that a row of cells along x is one range of sorted points. Hashed: cells share buckets,
 * and whoever looks for a cell compares the cell of each point that it meets.
 *
 * A coordinate becomes the number of a cell by a float subtraction, a
 * multiplication, floor and clamp: each is monotone, so the cells between those
 * of x - r and x + r hold every point between x - r and x + r, however the
 * operations round. Where cells are hashed, a coordinate of 2^24 cell edges or
 * more has a cell of its own instead, numbered by its bits: neighbouring floats
 * are an edge or more apart there. That is monotone as well, so a search is exact
 * and meets few points at any distance from the origin.
 *
 * Whatever the storage of a grid holds, no number taken from it leads outside of
 * the table or of the points: the host gives the sizes of both. */
#ifndef XL_GRID_MAP
#define XL_GRID_MAP

#include "../prelude/prelude.cl"

/* The same words as xli_grid_header of lib/grid/grid_plan.h. */
typedef struct xl_grid_header {
    uint low[3]; /* the box while it is reduced, as words in the order of the floats */
    uint high[3];
    uint non_finite;
    uint first_non_finite;
    uint out_of_domain;
    uint first_out_of_domain;
    uint big; /* overfull cells in the list of them */
    uint points;
    uint table;
    uint hashed;
    uint failed; /* a point is not finite or outside the box */
    uint stamp;  /* tells this build from others, and from what was never built */
    uint cells[3];
    float lower[3]; /* the box, once it is known */
    float upper[3];
    float origin[3]; /* of cell 0 */
    float last[3];   /* dense: the number of the last cell of each axis; the first is 0 */
    float inverse;   /* 1 / edge of a cell */
    float beyond;    /* hashed: coordinates from here on have a cell each */
    uint cut;        /* a search met a point with too many candidates, which it has yet to tell */
} xl_grid_header;

/* What a work-item needs of the header, in registers. Positions and cells are vectors
 * of four whose last is 0: with three, compilers fill up with undefined values, which
 * Oclgrind (21.10, seen 2026-11) does not survive. */
typedef struct xl_grid_map {
    float4 origin, last;
    float inverse;
    int beyond;      /* the bits of that float */
    uint row, layer; /* cells along x, and in a plane of x and y */
    uint table, points;
    bool hashed, failed;
} xl_grid_map;

/* More cells on an axis than any table has entries. */
#define XL_GRID_MANY 1073741824.0f
/* Hashed cells are numbered by counting edges up to this, from which on floats skip numbers. */
#define XL_GRID_COUNTED 16777216.0f
/* The least bits of xl_grid_header.beyond: of 2^24 edges of 2^-126. And those of an infinity. */
#define XL_GRID_LEAST_BEYOND 0x0c800000
#define XL_GRID_INFINITY 0x7f800000

/* The elements of one work-item: XL_ITEMS of n, a work-group's width apart. */
#define XL_FOR_ITEMS(i, n)                                                                         \
    for (ulong i = (ulong)get_group_id(0) * get_local_size(0) * XL_ITEMS + get_local_id(0),        \
               i##_end =                                                                           \
                   min((ulong)(n), (ulong)(get_group_id(0) + 1) * get_local_size(0) * XL_ITEMS);   \
         i < i##_end; i += get_local_size(0))

float4 xl_grid_float4(__global const float *p)
{
    return (float4)(p[0], p[1], p[2], 0.0f);
}

/* `table` and `points` are the host's. */
xl_grid_map xl_grid_load(__global const xl_grid_header *header, uint table, uint points)
{
    xl_grid_map map;
    map.origin = xl_grid_float4(header->origin);
    map.last = fmin(fmax(xl_grid_float4(header->last), 0.0f), XL_GRID_MANY);
    map.inverse = header->inverse;
    map.beyond = clamp(as_int(header->beyond), XL_GRID_LEAST_BEYOND, XL_GRID_INFINITY);
    map.row = header->cells[0];
    map.layer = header->cells[0] * header->cells[1];
    map.table = table;
    map.points = points;
    map.hashed = header->hashed != 0;
    map.failed = header->failed != 0;
    return map;
}

/* Whether every cell of a dense grid has an entry of the table. A grid that was built does; looked
 * at once, so that no range of an iteration has to. */
bool xl_grid_fits(__global const xl_grid_header *header, const xl_grid_map *map)
{
    ulong plane = (ulong)header->cells[0] * header->cells[1];
    return header->hashed != 0 || (plane <= map->table && plane * header->cells[2] <= map->table &&
                                   convert_uint(map->last.x) < header->cells[0] &&
                                   convert_uint(map->last.y) < header->cells[1] &&
                                   convert_uint(map->last.z) < header->cells[2]);
}

/* The position of a sorted point, which holds its index as well. */
float4 xl_grid_position(uint4 sorted_point)
{
    sorted_point.w = 0;
    return as_float4(sorted_point);
}

/* Where cells are hashed: by number, and from map->beyond on by the bits, which go on from
 * 2^24. Numbers end below 2^31 - 2^27, whatever the bits. */
int4 xl_grid_hashed_cell(const xl_grid_map *map, float4 p)
{
    float4 number = floor((p - map->origin) * map->inverse);
    int4 counted = convert_int4(fmin(fmax(number, -XL_GRID_COUNTED), XL_GRID_COUNTED));
    int4 bits = as_int4(p) & INT_MAX;
    int4 more = bits - map->beyond + (int)XL_GRID_COUNTED;
    return select(counted, select(more, -more, as_int4(p) < 0), bits >= map->beyond);
}

/* The cell of a finite position, or of one that overflowed to an infinity; of a NaN, some
 * cell. */
int4 xl_grid_cell(const xl_grid_map *map, float4 p)
{
    if (map->hashed)
        return xl_grid_hashed_cell(map, p);
    float4 number = floor((p - map->origin) * map->inverse);
    return convert_int4(fmin(fmax(number, 0.0f), map->last));
}

/* A linear form and a mixing step (Steele et al., "Fast splittable pseudorandom
 * number generators", 2014) of the exact cell, reduced to the table by a
 * multiplication. */
uint xl_grid_hash(const xl_grid_map *map, int4 cell)
{
    ulong h = (ulong)(uint)cell.x * 0x9e3779b97f4a7c15UL +
              (ulong)(uint)cell.y * 0xbf58476d1ce4e5b9UL +
              (ulong)(uint)cell.z * 0x94d049bb133111ebUL;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9UL;
    return mul_hi((uint)(h >> 32), map->table);
}

uint xl_grid_bucket(const xl_grid_map *map, int4 cell)
{
    if (map->hashed)
        return xl_grid_hash(map, cell);
    uint bucket = (uint)cell.z * map->layer + (uint)cell.y * map->row + (uint)cell.x;
    return min(bucket, map->table - 1u);
}

/* The table entry of point i at p. In a grid that failed points have no cell; they
 * are spread so that the rest of the build runs as usual. */
uint xl_grid_bucket_of(const xl_grid_map *map, uint i, float4 p)
{
    return map->failed ? i % map->table : xl_grid_bucket(map, xl_grid_cell(map, p));
}

#endif
