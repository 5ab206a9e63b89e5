/* SPDX-License-Identifier: MIT
 * The list of rows, from sorted points. Each bucket records its first and last row and how many
 * rows begin inside it, so a work-group can compute the number of its first row. */
#ifndef XL_GRID_LIST
#define XL_GRID_LIST

#include "../group/group_ballot.cl"
#include "grid_overfull.cl"

/* Words of the ballot of a work-group. */
#define XL_GRID_BALLOT_WORDS ((XL_GROUP + 31) / 32)

/* The same words as xli_grid_part in lib/grid/grid_plan.h: a sorted bucket. */
typedef struct xl_grid_part {
    ulong first_row, last_row; /* their keys */
    uint begin;                /* its first point */
    uint heads;                /* points, except its first one, that begin a row */
} xl_grid_part;

ulong xl_grid_row_of(const xl_grid_sorter *sorter, uint i)
{
    return xl_grid_sort_key(sorter, i).x;
}

/* Writes the points of a cell or bucket, whose indices are in order, to their places. Counts those
 * that begin a row, except the first one. */
void xl_grid_put_cell(const xl_grid_sorter *sorter, __global const uint *unordered, uint begin,
                      uint end, __global uint *sorted, __local uint *heads)
{
    for (uint k = (uint)get_local_id(0); k < end - begin; k += (uint)get_local_size(0)) {
        const uint i = min(unordered[k] & sorter->index_bits, sorter->n - 1u);
        xl_grid_put_point(sorted, sorter->n, (ulong)begin + k, sorter->points, i);
        if (sorter->map.sparse && k > 0 &&
            xl_grid_row_of(sorter, i) != xl_grid_row_of(sorter, unordered[k - 1]))
            atomic_inc(heads);
    }
}

void xl_grid_tell_part(__global xl_grid_part *part, const xl_grid_sorter *sorter,
                       __global const uint *unordered, uint begin, uint end, uint heads)
{
    part->begin = begin;
    part->heads = heads;
    part->first_row = end > begin ? xl_grid_row_of(sorter, unordered[0]) : 0;
    part->last_row = end > begin ? xl_grid_row_of(sorter, unordered[end - begin - 1]) : 0;
}

/* The number of rows that begin in parts before `first`. Called by the whole group. */
uint xl_grid_count_rows(__global const xl_grid_part *parts, uint first, __local uint *sums)
{
    const uint lid = (uint)get_local_id(0);
    uint rows = 0, left = (uint)get_local_size(0);
    for (uint c = lid; c < first; c += (uint)get_local_size(0))
        rows += parts[c].heads + (c == 0 || parts[c].first_row != parts[c - 1].last_row ? 1u : 0u);
    sums[lid] = rows;
    while (left > 1) {
        const uint half_up = XL_CEIL_DIV(left, 2u);
        XL_LOCAL_BARRIER();
        if (lid + half_up < left)
            sums[lid] += sums[lid + half_up];
        left = half_up;
    }
    XL_LOCAL_BARRIER();
    return sums[0];
}

/* The list, and the sorted points. */
typedef struct xl_grid_rows {
    __global ulong *keys;
    __global uint *begins;
    __global const uint *sorted;
    uint n;
} xl_grid_rows;

ulong xl_grid_row_at(const xl_grid_map *map, const xl_grid_rows *rows, uint k)
{
    const int4 cell = xl_grid_far_cell(map, xl_grid_place(rows->sorted, rows->n, k));
    return xl_grid_row_key(cell.y, cell.z);
}

/* Lists the rows that begin with points [begin, end), after `before` earlier rows; returns the
 * number of rows so far. Called by the whole group. */
uint xl_grid_list_rows(const xl_grid_map *map, const xl_grid_rows *rows, uint begin, uint end,
                       uint before, __local uint *bits)
{
    const uint size = (uint)get_local_size(0);
    for (ulong from = begin; from < end; from += size) {
        const ulong k = from + get_local_id(0);
        const ulong row = k < end ? xl_grid_row_at(map, rows, (uint)k) : 0;
        const bool is_head = k < end && (k == 0 || row != xl_grid_row_at(map, rows, (uint)k - 1u));
        uint total = 0;
        const uint rank = before + xl_group_count_exclusive(is_head, bits, &total);
        if (is_head && rank < rows->n) {
            rows->keys[rank] = row;
            rows->begins[rank] = (uint)k;
        }
        before += total;
    }
    return before;
}

#endif
