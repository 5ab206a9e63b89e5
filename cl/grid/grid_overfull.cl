/* SPDX-License-Identifier: MIT
 * Puts the points of one cell into the order of their indices, or those of a bucket into that of
 * their keys.
 *
 * A cell of few points: each point counts the smaller indices. Others: a work-group runs a network
 * of comparators that all point the same way (Batcher 1968), which needs no padding: what lies past
 * the end would stay there. In local memory, if it has the room. */
#ifndef XL_GRID_OVERFULL
#define XL_GRID_OVERFULL

#include "../group/group_network.cl"
#include "grid_sample.cl"

/* Keys that local memory has room for. */
#define XL_GRID_ROOM (XL_BUCKET * 4)

/* Where indices stand by entry, and how their entries are told apart. */
typedef struct xl_grid_cells {
    __global const uint *starts, *unordered;
    uint n;
    uint flag;            /* of the first of an entry; 0: there is none, the table tells */
    uint overfull_points; /* of entries that are longer the ends are not looked for */
} xl_grid_cells;

/* From one point of an entry to all of them, by the flags: the next one or two, mostly. */
void xl_grid_extent(const xl_grid_cells *cells, uint *begin, uint *end)
{
    while (*begin > 0 && (cells->unordered[*begin] & cells->flag) == 0 &&
           *end - *begin <= cells->overfull_points)
        --*begin;
    while (*end < cells->n && (cells->unordered[*end] & cells->flag) == 0 &&
           *end - *begin <= cells->overfull_points)
        ++*end;
}

/* The table entry of point i at p, once all are counted. Few points ask, so that the header is
 * read for these alone. */
uint xl_grid_entry(__global const xl_grid_header *header, uint table, uint points, uint i, float4 p)
{
    const xl_grid_map map = xl_grid_load(header, table, points);
    return xl_grid_bucket_of(&map, i, p, map.failed && xl_grid_is_bad(header, p));
}

/* How many of an entry's indices are smaller than i. */
uint xl_grid_rank(const xl_grid_cells *cells, uint begin, uint end, uint i)
{
    uint rank = 0;
    for (uint k = begin; k < end; ++k)
        rank += (cells->unordered[k] & ~cells->flag) < i ? 1u : 0u;
    return rank;
}

/* What orders points: the points, how many there are, and which bits of a word are an index. */
typedef struct xl_grid_sorter {
    xl_grid_map map;
    xl_points points;
    uint n, index_bits;
} xl_grid_sorter;

/* In a table's cell indices alone count. */
xl_grid_key xl_grid_sort_key(const xl_grid_sorter *sorter, uint i)
{
    i &= sorter->index_bits;
    if (!sorter->map.sparse)
        return (xl_grid_key)(0, i);
    return xl_grid_key_of(&sorter->map, i, xl_grid_point(sorter->points, min(i, sorter->n - 1u)));
}

void xl_grid_compare_local(__local xl_grid_key *a, uint low, uint high, uint n)
{
    if (high < n && xl_grid_key_less(a[high], a[low])) {
        const xl_grid_key t = a[low];
        a[low] = a[high];
        a[high] = t;
    }
}

void xl_grid_compare(const xl_grid_sorter *sorter, __global uint *a, ulong low, ulong high, ulong n)
{
    if (high < n) {
        const uint x = a[low], y = a[high];
        if (xl_grid_key_less(xl_grid_sort_key(sorter, y), xl_grid_sort_key(sorter, x))) {
            a[low] = y;
            a[high] = x;
        }
    }
}

/* Keys in local memory, by a whole work-group, which has set a barrier since they were written. */
void xl_grid_sort_local(__local xl_grid_key *keys, uint n)
{
#define XL_COMPARE(low, high) xl_grid_compare_local(keys, low, high, n)
    XL_NETWORK_SORT(uint, n, XL_COMPARE, XL_LOCAL_BARRIER)
#undef XL_COMPARE
}

/* The indices a[0 .. n), by a whole work-group, which has set a barrier since they were written. */
void xl_grid_sort_cell(const xl_grid_sorter *sorter, __global uint *a, ulong n)
{
#define XL_COMPARE(low, high) xl_grid_compare(sorter, a, low, high, n)
    XL_NETWORK_SORT(ulong, n, XL_COMPARE, XL_FULL_BARRIER)
#undef XL_COMPARE
}

/* The same, n <= XL_GRID_ROOM, in local memory. */
void xl_grid_sort_cell_local(const xl_grid_sorter *sorter, __global uint *a, uint n,
                             __local xl_grid_key *keys)
{
    for (uint k = (uint)get_local_id(0); k < n; k += (uint)get_local_size(0))
        keys[k] = xl_grid_sort_key(sorter, a[k]);
    XL_LOCAL_BARRIER();
    xl_grid_sort_local(keys, n);
    for (uint k = (uint)get_local_id(0); k < n; k += (uint)get_local_size(0))
        a[k] = (uint)keys[k].y;
}

#endif
