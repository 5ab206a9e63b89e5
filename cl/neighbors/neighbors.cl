/* SPDX-License-Identifier: MIT
 * Searches on a grid: count, fill of a list, and sums without a list. Work-items
 * take the points in the order of their cells, so that neighbours in a work-group
 * read the same sorted points, and put results where the points were given.
 *
 * Each array is followed by the offset at which it starts, in elements. A grid whose
 * header has another stamp than the host's was not built, or is gone: that is a grid
 * that failed. Indices of points are compared with n before they become offsets. */
#include "neighbors_pair.cl"
#include "neighbors_rounds.cl"
#include "neighbors_row.cl"

xl_grid_map xl_search_load(__global const uint *storage, ulong header_at, uint n, uint table,
                           uint stamp)
{
    __global const xl_grid_header *header = (__global const xl_grid_header *)(storage + header_at);
    xl_grid_map map = xl_grid_load(header, table, n);
    map.failed = map.failed || header->stamp != stamp || !xl_grid_fits(header, &map);
    return map;
}

uint xl_count_range(const xl_cell_iterator *cells, bool own, const xl_grid_map *map,
                    __global const uint4 *sorted, uint4 self, float radius2)
{
    uint count = 0;
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells))                                                                 \
        count += xl_is_neighbor(cells, map, own, self, sorted[q], radius2, &distance2) ? 1u : 0u;
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return count;
}

/* UINT_MAX, more than there are points: too many candidates to look at, or neighbours to order. */
uint xl_count_neighbors(const xl_grid_map *map, __global const uint *starts,
                        __global const uint4 *sorted, uint4 self, float reach, float radius2)
{
    uint count = 0, rounds = 0;
    xl_cell_iterator cells = xl_cell_iterator_begin(map, xl_grid_position(self), reach);
    while (xl_cell_iterator_next(&cells, map, starts) && xl_may_go_on(&cells, &rounds))
        count += XL_FOR_RANGE(cells, xl_count_range, map, sorted, self, radius2);
    return xl_was_cut(rounds, count) ? UINT_MAX : count;
}

/* The neighbours of each point into counts (32 bits), or, with `wide`, into offsets
 * (64 bits), or both. A grid that failed gives zeros, and in the last of the
 * offsets all ones, which the exclusive sum moves to where the total stands. */
__kernel void xl_neighbors_count(__global uint *storage, ulong header_at, ulong starts_at,
                                 ulong sorted_at, uint n, uint table, uint stamp, float reach,
                                 float radius2, uint narrow, __global uint *counts, ulong counts_at,
                                 uint wide, __global ulong *offsets, ulong offsets_at)
{
#if XL_MOST_ROUNDS > 0
    __global xl_grid_header *header = (__global xl_grid_header *)(storage + header_at);
#endif
    xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    __global const uint4 *sorted = (__global const uint4 *)(storage + sorted_at);
    XL_FOR_ITEMS(k, n)
    {
        uint4 self = sorted[k];
        uint i = map.failed ? (uint)k : self.w, count = 0;
        if (i >= n)
            continue;
        if (!map.failed)
            count = xl_count_neighbors(&map, storage + starts_at, sorted, self, reach, radius2);
        if (narrow)
            counts[counts_at + i] = count;
#if XL_MOST_ROUNDS > 0
        if (wide && count == UINT_MAX) {
            header->cut = 1;
            count = 0;
        }
#endif
        if (wide)
            offsets[offsets_at + i] = map.failed && i == n - 1 ? ULONG_MAX : count;
    }
    if (wide && get_global_id(0) == 0)
        offsets[offsets_at + n] = map.failed && n == 0 ? ULONG_MAX : 0;
}

#if XL_MOST_ROUNDS > 0
/* Behind the exclusive sum, by one work-item: no list of points that were not counted. */
__kernel void xl_neighbors_total(__global uint *storage, ulong header_at, uint n,
                                 __global ulong *offsets, ulong offsets_at)
{
    __global xl_grid_header *header = (__global xl_grid_header *)(storage + header_at);
    const ulong total = offsets[offsets_at + n];
    offsets[offsets_at + n] = header->cut ? ULONG_MAX : total;
    header->cut = 0;
}
#endif

/* Adds a range's neighbours to a row of `count` so far; returns how many it then has. */
uint xl_fill_range(const xl_cell_iterator *cells, bool own, const xl_grid_map *map,
                   __global const uint4 *sorted, uint4 self, float radius2, __global uint *row,
                   uint room, uint count)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        uint4 other = sorted[q];                                                                   \
        if (xl_is_neighbor(cells, map, own, self, other, radius2, &distance2) && count < room)     \
            row[count++] = other.w;                                                                \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return count;
}

/* Writes the row of `self`, of at most `room`; returns its length. A walk that is too long was told
 * of by the count. */
uint xl_fill_row(const xl_grid_map *map, __global const uint *starts, __global const uint4 *sorted,
                 uint4 self, float reach, float radius2, __global uint *row, uint room)
{
    uint count = 0, rounds = 0;
    xl_cell_iterator cells = xl_cell_iterator_begin(map, xl_grid_position(self), reach);
    while (xl_cell_iterator_next(&cells, map, starts) && xl_may_go_on(&cells, &rounds))
        count = XL_FOR_RANGE(cells, xl_fill_range, map, sorted, self, radius2, row, room, count);
    return xl_was_cut(rounds, count) ? 0 : count;
}

#if XL_SORTED && XL_STAGED > 0
uint xl_stage_range(const xl_cell_iterator *cells, bool own, const xl_grid_map *map,
                    __global const uint4 *sorted, uint4 self, float radius2, __local uint *staged,
                    uint room, uint count)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        uint4 other = sorted[q];                                                                   \
        if (xl_is_neighbor(cells, map, own, self, other, radius2, &distance2) && count < room)     \
            staged[count++ * XL_GROUP] = other.w;                                                  \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return count;
}

/* The same, but the row is collected and sorted in local memory first: in two steps,
 * since work-items that meet their neighbours at different times would wait for each
 * other's insertions. */
void xl_fill_staged(const xl_grid_map *map, __global const uint *starts,
                    __global const uint4 *sorted, uint4 self, float reach, float radius2,
                    __local uint *staged, __global uint *row, uint room)
{
    uint count = 0, rounds = 0;
    xl_cell_iterator cells = xl_cell_iterator_begin(map, xl_grid_position(self), reach);
    while (xl_cell_iterator_next(&cells, map, starts) && xl_may_go_on(&cells, &rounds))
        count =
            XL_FOR_RANGE(cells, xl_stage_range, map, sorted, self, radius2, staged, room, count);
    xl_row_sort_staged(staged, count);
    for (uint k = 0; k < count; ++k)
        row[k] = staged[k * XL_GROUP];
}
#endif

/* Row i of the list, unless it would end beyond the capacity. Offsets that are not
 * those of this search may give wrong rows, but no write outside of them. */
__kernel void xl_neighbors_fill(__global const uint *storage, ulong header_at, ulong starts_at,
                                ulong sorted_at, uint n, uint table, uint stamp, float reach,
                                float radius2, __global const ulong *offsets, ulong offsets_at,
                                __global uint *indices, ulong indices_at, ulong capacity)
{
#if XL_SORTED && XL_STAGED > 0
    __local uint staged[XL_STAGED * XL_GROUP];
#endif
    xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    __global const uint4 *sorted = (__global const uint4 *)(storage + sorted_at);
    __global const uint *starts = storage + starts_at;
    XL_FOR_ITEMS(k, map.failed ? 0u : n)
    {
        uint4 self = sorted[k];
        if (self.w >= n)
            continue;
        ulong begin = offsets[offsets_at + self.w], end = offsets[offsets_at + self.w + 1];
        if (begin >= end || end > capacity)
            continue;
        __global uint *row = indices + indices_at + begin;
        uint room = (uint)min(end - begin, (ulong)n);
#if XL_SORTED && XL_STAGED > 0
        if (room <= XL_STAGED) {
            xl_fill_staged(&map, starts, sorted, self, reach, radius2, staged + get_local_id(0),
                           row, room);
            continue;
        }
#endif
        uint count = xl_fill_row(&map, starts, sorted, self, reach, radius2, row, room);
#if XL_SORTED
        xl_row_sort(row, count);
#endif
    }
}

#if XL_VISIT
float xl_visit_range(const xl_cell_iterator *cells, bool own, const xl_grid_map *map,
                     __global const uint4 *sorted, uint4 self, float radius2, float sum,
                     float4 params)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells) &&                                                               \
        xl_is_neighbor(cells, map, own, self, sorted[q], radius2, &distance2))                     \
        sum = visit(sum, distance2, self.w, sorted[q].w, params);
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return sum;
}

float xl_visit_neighbors(const xl_grid_map *map, __global const uint *starts,
                         __global const uint4 *sorted, uint4 self, float reach, float radius2,
                         float sum, float4 params)
{
    uint rounds = 0;
    xl_cell_iterator cells = xl_cell_iterator_begin(map, xl_grid_position(self), reach);
    while (xl_cell_iterator_next(&cells, map, starts) && xl_may_go_on(&cells, &rounds))
        sum = XL_FOR_RANGE(cells, xl_visit_range, map, sorted, self, radius2, sum, params);
    return xl_was_cut(rounds, 0) ? NAN : sum;
}

/* What visit() makes of `start` over the neighbours of each point. */
__kernel void xl_neighbors_visit(__global const uint *storage, ulong header_at, ulong starts_at,
                                 ulong sorted_at, uint n, uint table, uint stamp, float reach,
                                 float radius2, float start, float4 params, __global float *out,
                                 ulong out_at)
{
    xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    __global const uint4 *sorted = (__global const uint4 *)(storage + sorted_at);
    XL_FOR_ITEMS(k, n)
    {
        uint4 self = sorted[k];
        uint i = map.failed ? (uint)k : self.w;
        float sum = NAN;
        if (i >= n)
            continue;
        if (!map.failed)
            sum = xl_visit_neighbors(&map, storage + starts_at, sorted, self, reach, radius2, start,
                                     params);
        out[out_at + i] = sum;
    }
}
#endif
