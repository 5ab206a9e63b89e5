/* SPDX-License-Identifier: MIT
 * Sorts the points of a cell of a table, or of a bucket, by key.
 *
 * In a cell of few points, each point counts the smaller keys. For other cells and for buckets, a
 * work-group runs Batcher's bitonic network (1968) with mirrored first steps. All its comparators
 * move the larger element up, so elements beyond the end would never move: no padding is needed. It
 * runs in local memory if there is room. */
#ifndef XL_GRID_OVERFULL
#define XL_GRID_OVERFULL

#include "../group/group_network.cl"
#include "grid_sample.cl"

/* Keys that fit into local memory. */
#define XL_GRID_ROOM (XL_BUCKET * 4)

/* The indices in the order of table entries, and how the entries are distinguished. */
typedef struct xl_grid_cells {
    __global const uint *starts, *unordered;
    uint n;
    uint flag;                 /* marks the first index of an entry; 0: no marks, use the table */
    uint overfull_points;      /* the ends of longer entries are not searched */
    __local const ulong *keys; /* of the group's points, which begin at `first`, in a row */
    uint first;
} xl_grid_cells;

uint xl_grid_unordered(const xl_grid_cells *cells, uint k)
{
    return min(cells->unordered[k] & ~cells->flag, cells->n - 1u);
}

/* Extends the range from one point of an entry to all of them, by the flags: usually one or two
 * steps. */
void xl_grid_extent(const xl_grid_cells *cells, uint *begin, uint *end)
{
    while (*begin > 0 && (cells->unordered[*begin] & cells->flag) == 0 &&
           *end - *begin <= cells->overfull_points)
        --*begin;
    while (*end < cells->n && (cells->unordered[*end] & cells->flag) == 0 &&
           *end - *begin <= cells->overfull_points)
        ++*end;
}

/* The table entry of point i at p, after counting. Few points need it, so the header is loaded only
 * here. */
uint xl_grid_entry(__global const xl_grid_header *header, uint table, uint points, uint i, float4 p)
{
    const xl_grid_map map = xl_grid_load(header, table, points);
    return xl_grid_bucket_of(&map, i, p, map.failed && xl_grid_is_bad(header, p));
}

/* The number of smaller keys in an entry. A group has those of nearly all its entries: a load of
 * each point in no order would be as slow as the first one. */
uint xl_grid_rank(const xl_grid_cells *cells, xl_points points, uint begin, uint end, ulong key)
{
    uint rank = 0;
    for (uint k = begin; k < end; ++k) {
        ulong other;
        if (k - cells->first < (uint)get_local_size(0)) {
            other = cells->keys[k - cells->first];
        } else {
            const uint i = xl_grid_unordered(cells, k);
            other = xl_grid_key_in_row(xl_grid_point(points, i).x, i);
        }
        rank += other < key ? 1u : 0u;
    }
    return rank;
}

/* The points, their number, and the bits of a word that are an index. */
typedef struct xl_grid_sorter {
    xl_grid_map map;
    xl_points points;
    uint n, index_bits;
} xl_grid_sorter;

/* The key that points are sorted by. */
xl_grid_key xl_grid_sort_key(const xl_grid_sorter *sorter, uint i)
{
    i &= sorter->index_bits;
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

/* Sorts keys in local memory. Called by the whole work-group, after a barrier. */
void xl_grid_sort_local(__local xl_grid_key *keys, uint n)
{
#define XL_COMPARE(low, high) xl_grid_compare_local(keys, low, high, n)
    XL_NETWORK_SORT(uint, n, XL_COMPARE, XL_LOCAL_BARRIER)
#undef XL_COMPARE
}

/* Sorts the indices a[0] to a[n - 1] by their keys. Called by the whole work-group, after a
 * barrier. */
void xl_grid_sort_cell(const xl_grid_sorter *sorter, __global uint *a, ulong n)
{
#define XL_COMPARE(low, high) xl_grid_compare(sorter, a, low, high, n)
    XL_NETWORK_SORT(ulong, n, XL_COMPARE, XL_FULL_BARRIER)
#undef XL_COMPARE
}

/* The same in local memory, for n <= XL_GRID_ROOM. */
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
