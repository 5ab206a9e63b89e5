/* SPDX-License-Identifier: MIT
 * Searches on a grid: count, fill of a list, and sums without a list. Work-items
 * take the points in the order of the grid, so that neighbours in a work-group
 * read the same sorted points, and put results where the points were given. In counts and sums a
 * work-item takes XL_POINTS consecutive points at once: those of one row look at nearly the same
 * candidates, which are then read once for all of them.
 *
 * Each array is followed by the offset at which it starts, in elements. A grid whose
 * header has another stamp than the host's was not built, or is gone: that is a grid
 * that failed. Indices of points are compared with n before they become offsets. */
#include "neighbors_rounds.cl"
#include "neighbors_row.cl"
#include "neighbors_walk.cl"

/* Where the index is, of every kernel's first arguments. */
#define XL_INDEX_PARAMETERS                                                                        \
    ulong header_at, ulong starts_at, ulong begins_at, ulong sorted_at, uint n, uint table,        \
        uint stamp, float reach, float radius2

xl_grid_map xl_search_load(__global const uint *storage, ulong header_at, uint n, uint table,
                           uint stamp)
{
    __global const xl_grid_header *header = (__global const xl_grid_header *)(storage + header_at);
    xl_grid_map map = xl_grid_load(header, table, n);
    map.failed = map.failed || header->stamp != stamp || !xl_grid_fits(header, &map);
    return map;
}

xl_grid_index xl_search_index(__global const uint *storage, ulong starts_at, ulong begins_at,
                              ulong sorted_at)
{
    xl_grid_index index;
    index.starts = storage + starts_at;
    index.keys = (__global const ulong *)(storage + starts_at);
    index.begins = storage + begins_at;
    index.sorted = storage + sorted_at;
    return index;
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

/* The neighbours of each point into counts (32 bits), or, with `wide`, into offsets
 * (64 bits), or both. A grid that failed gives zeros, and in the last of the
 * offsets all ones, which the exclusive sum moves to where the total stands. */
typedef struct xl_count_out {
    __global uint *counts;   /* or NULL */
    __global ulong *offsets; /* or NULL */
    bool failed;
} xl_count_out;

void xl_count_put(const xl_count_out *out, __global xl_grid_header *header, uint n, uint i,
                  uint count)
{
    if (out->counts)
        out->counts[i] = count;
#if XL_MOST_ROUNDS > 0
    if (out->offsets && count == UINT_MAX) {
        header->cut = 1;
        count = 0;
    }
#endif
    if (out->offsets)
        out->offsets[i] = out->failed && i == n - 1 ? ULONG_MAX : count;
}

/* Behind the last of them. */
void xl_count_end(const xl_count_out *out, uint n)
{
    if (out->offsets && get_global_id(0) == 0)
        out->offsets[n] = out->failed && n == 0 ? ULONG_MAX : 0;
}

/* XL_POINTS sorted points that one work-item takes: the last one stands for those past the end. */
typedef struct xl_queries {
    uint4 self[XL_POINTS];
    bool together; /* in one row, so that one walk does for all */
} xl_queries;

xl_queries xl_queries_load(const xl_grid_map *map, const xl_grid_index *index, ulong first)
{
    xl_queries queries;
    queries.together = true;
    for (uint j = 0; j < XL_POINTS; ++j)
        queries.self[j] = xl_grid_sorted(index->sorted, map->points,
                                         (uint)min(first + j, (ulong)map->points - 1));
    const int4 cell = xl_grid_cell(map, xl_grid_position(queries.self[0]));
    for (uint j = 1; j < XL_POINTS; ++j) {
        const int4 other = xl_grid_cell(map, xl_grid_position(queries.self[j]));
        queries.together = queries.together && other.y == cell.y && other.z == cell.z;
    }
    return queries;
}

/* The walk of all of them, or of the one. */
xl_cell_iterator xl_queries_walk(const xl_grid_map *map, const xl_queries *queries, uint one,
                                 float reach)
{
    float4 low = xl_grid_position(queries->self[0]), high = low;
    for (uint j = 1; j < XL_POINTS; ++j) {
        const float4 p = xl_grid_position(queries->self[j]);
        low = queries->together ? fmin(low, p) : j == one ? p : low;
        high = queries->together ? fmax(high, p) : j == one ? p : high;
    }
    return xl_cell_iterator_begin(map, low, high, reach);
}

/* Whether a walk is for query j. */
#define XL_IS_ASKED(queries, one, j) (XL_POINTS == 1 || (queries)->together || (j) == (one))

#if XL_WALK == 0
void xl_count_range(const xl_cell_iterator *cells, const xl_queries *queries, uint one,
                    const xl_grid_map *map, __global const uint *sorted, float radius2,
                    uint *counts)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        const uint4 other = xl_grid_sorted(sorted, map->points, q);                                \
        for (uint j = 0; j < XL_POINTS; ++j)                                                       \
            counts[j] += XL_IS_ASKED(queries, one, j) &&                                           \
                                 xl_is_neighbor(queries->self[j], other, radius2, &distance2)      \
                             ? 1u                                                                  \
                             : 0u;                                                                 \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
}

/* UINT_MAX, more than there are points: too many candidates to look at, or neighbours to order. */
void xl_count_neighbors(const xl_grid_map *map, const xl_grid_index *index,
                        const xl_queries *queries, float reach, float radius2, uint *counts)
{
    uint rounds = 0;
    for (uint j = 0; j < XL_POINTS; ++j)
        counts[j] = 0;
    for (uint one = 0; one < (queries->together ? 1u : (uint)XL_POINTS); ++one) {
        xl_cell_iterator cells = xl_queries_walk(map, queries, one, reach);
        while (xl_cell_iterator_next(&cells, map, index) && xl_may_go_on(&cells, &rounds))
            xl_count_range(&cells, queries, one, map, index->sorted, radius2, counts);
    }
    for (uint j = 0; j < XL_POINTS; ++j)
        counts[j] = xl_was_cut(rounds, counts[j]) ? UINT_MAX : counts[j];
}

__kernel void xl_neighbors_count(__global uint *storage, XL_INDEX_PARAMETERS, uint narrow,
                                 __global uint *counts, ulong counts_at, uint wide,
                                 __global ulong *offsets, ulong offsets_at)
{
    __global xl_grid_header *header = (__global xl_grid_header *)(storage + header_at);
    const xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    const xl_grid_index index = xl_search_index(storage, starts_at, begins_at, sorted_at);
    const xl_count_out out = {narrow ? counts + counts_at : 0, wide ? offsets + offsets_at : 0,
                              map.failed};
    uint found[XL_POINTS];
    XL_FOR_ITEMS(t, XL_CEIL_DIV(n, (uint)XL_POINTS))
    {
        xl_queries queries;
        const ulong first = t * XL_POINTS;
        if (!map.failed) {
            queries = xl_queries_load(&map, &index, first);
            xl_count_neighbors(&map, &index, &queries, reach, radius2, found);
        }
        for (uint j = 0; j < XL_POINTS; ++j) {
            const uint i = map.failed ? (uint)(first + j) : queries.self[j].w;
            if (first + j < n && i < n)
                xl_count_put(&out, header, n, i, map.failed ? 0u : found[j]);
        }
    }
    xl_count_end(&out, n);
}

/* Adds a range's neighbours to a row of `count` so far; returns how many it then has. */
uint xl_fill_range(const xl_cell_iterator *cells, const xl_grid_map *map,
                   __global const uint *sorted, uint4 self, float radius2, __global uint *row,
                   uint room, uint count)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        uint4 other = xl_grid_sorted(sorted, map->points, q);                                      \
        if (xl_is_neighbor(self, other, radius2, &distance2) && count < room)                      \
            row[count++] = other.w;                                                                \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return count;
}

/* Writes the row of `self`, of at most `room`; returns its length. A walk that is too long was told
 * of by the count. */
uint xl_fill_row(const xl_grid_map *map, const xl_grid_index *index, uint4 self, float reach,
                 float radius2, __global uint *row, uint room)
{
    uint count = 0, rounds = 0;
    const float4 p = xl_grid_position(self);
    xl_cell_iterator cells = xl_cell_iterator_begin(map, p, p, reach);
    while (xl_cell_iterator_next(&cells, map, index) && xl_may_go_on(&cells, &rounds))
        count = xl_fill_range(&cells, map, index->sorted, self, radius2, row, room, count);
    return xl_was_cut(rounds, count) ? 0 : count;
}

#if XL_SORTED && XL_STAGED > 0
uint xl_stage_range(const xl_cell_iterator *cells, const xl_grid_map *map,
                    __global const uint *sorted, uint4 self, float radius2, __local uint *staged,
                    uint room, uint count)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        uint4 other = xl_grid_sorted(sorted, map->points, q);                                      \
        if (xl_is_neighbor(self, other, radius2, &distance2) && count < room)                      \
            staged[count++ * XL_GROUP] = other.w;                                                  \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
    return count;
}

/* The same, but the row is collected and sorted in local memory first: in two steps,
 * since work-items that meet their neighbours at different times would wait for each
 * other's insertions. */
void xl_fill_staged(const xl_grid_map *map, const xl_grid_index *index, uint4 self, float reach,
                    float radius2, __local uint *staged, __global uint *row, uint room)
{
    uint count = 0, rounds = 0;
    const float4 p = xl_grid_position(self);
    xl_cell_iterator cells = xl_cell_iterator_begin(map, p, p, reach);
    while (xl_cell_iterator_next(&cells, map, index) && xl_may_go_on(&cells, &rounds))
        count = xl_stage_range(&cells, map, index->sorted, self, radius2, staged, room, count);
    xl_row_sort_staged(staged, count);
    for (uint k = 0; k < count; ++k)
        row[k] = staged[k * XL_GROUP];
}
#endif

/* Row i of the list, unless it would end beyond the capacity. Offsets that are not
 * those of this search may give wrong rows, but no write outside of them. */
__kernel void xl_neighbors_fill(__global const uint *storage, XL_INDEX_PARAMETERS,
                                __global const ulong *offsets, ulong offsets_at,
                                __global uint *indices, ulong indices_at, ulong capacity)
{
#if XL_SORTED && XL_STAGED > 0
    __local uint staged[XL_STAGED * XL_GROUP];
#endif
    const xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    const xl_grid_index index = xl_search_index(storage, starts_at, begins_at, sorted_at);
    XL_FOR_ITEMS(k, map.failed ? 0u : n)
    {
        uint4 self = xl_grid_sorted(index.sorted, n, (uint)k);
        if (self.w >= n)
            continue;
        ulong begin = offsets[offsets_at + self.w], end = offsets[offsets_at + self.w + 1];
        if (begin >= end || end > capacity)
            continue;
        __global uint *row = indices + indices_at + begin;
        uint room = (uint)min(end - begin, (ulong)n);
#if XL_SORTED && XL_STAGED > 0
        if (room <= XL_STAGED) {
            xl_fill_staged(&map, &index, self, reach, radius2, staged + get_local_id(0), row, room);
            continue;
        }
#endif
        uint count = xl_fill_row(&map, &index, self, reach, radius2, row, room);
#if XL_SORTED
        xl_row_sort(row, count);
#endif
    }
}
#else
/* The same two by work-items that walk along rows, XL_WALK points each. */
__kernel void xl_neighbors_count(__global uint *storage, XL_INDEX_PARAMETERS, uint narrow,
                                 __global uint *counts, ulong counts_at, uint wide,
                                 __global ulong *offsets, ulong offsets_at)
{
    __global xl_grid_header *header = (__global xl_grid_header *)(storage + header_at);
    const xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    const xl_grid_index index = xl_search_index(storage, starts_at, begins_at, sorted_at);
    const xl_count_out out = {narrow ? counts + counts_at : 0, wide ? offsets + offsets_at : 0,
                              map.failed};
    XL_FOR_ITEMS(t, XL_CEIL_DIV(n, (uint)XL_WALK))
    {
        const uint first = (uint)t * XL_WALK, last = (uint)min((ulong)first + XL_WALK, (ulong)n);
        if (map.failed) {
            for (uint i = first; i < last; ++i)
                xl_count_put(&out, header, n, i, 0);
            continue;
        }
        xl_walk walk = xl_walk_begin(first, last);
        while (xl_walk_next(&walk, &map, &index, reach)) {
            uint found[XL_WALK_QUERIES];
            xl_walk_count(&walk, &map, &index, radius2, found);
            for (uint j = 0; j < walk.queries; ++j)
                if (walk.index[j] < n)
                    xl_count_put(&out, header, n, walk.index[j], found[j]);
        }
    }
    xl_count_end(&out, n);
}

__kernel void xl_neighbors_fill(__global const uint *storage, XL_INDEX_PARAMETERS,
                                __global const ulong *offsets, ulong offsets_at,
                                __global uint *indices, ulong indices_at, ulong capacity)
{
    const xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    const xl_grid_index index = xl_search_index(storage, starts_at, begins_at, sorted_at);
    XL_FOR_ITEMS(t, map.failed ? 0u : XL_CEIL_DIV(n, (uint)XL_WALK))
    {
        const uint first = (uint)t * XL_WALK;
        xl_walk walk = xl_walk_begin(first, (uint)min((ulong)first + XL_WALK, (ulong)n));
        while (xl_walk_next(&walk, &map, &index, reach))
            xl_walk_fill(&walk, &map, &index, radius2, offsets + offsets_at, indices + indices_at,
                         capacity);
    }
}
#endif

#if XL_VISIT
void xl_visit_range(const xl_cell_iterator *cells, const xl_queries *queries, uint one,
                    const xl_grid_map *map, __global const uint *sorted, float radius2, float *sums,
                    float4 params)
{
    float distance2;
#define XL_DO(q)                                                                                   \
    if (XL_IS_CANDIDATE(q, cells)) {                                                               \
        const uint4 other = xl_grid_sorted(sorted, map->points, q);                                \
        for (uint j = 0; j < XL_POINTS; ++j)                                                       \
            if (XL_IS_ASKED(queries, one, j) &&                                                    \
                xl_is_neighbor(queries->self[j], other, radius2, &distance2))                      \
                sums[j] = visit(sums[j], distance2, queries->self[j].w, other.w, params);          \
    }
    XL_CANDIDATES(q, cells, XL_DO)
#undef XL_DO
}

void xl_visit_neighbors(const xl_grid_map *map, const xl_grid_index *index,
                        const xl_queries *queries, float reach, float radius2, float *sums,
                        float4 params)
{
    uint rounds = 0;
    for (uint one = 0; one < (queries->together ? 1u : (uint)XL_POINTS); ++one) {
        xl_cell_iterator cells = xl_queries_walk(map, queries, one, reach);
        while (xl_cell_iterator_next(&cells, map, index) && xl_may_go_on(&cells, &rounds))
            xl_visit_range(&cells, queries, one, map, index->sorted, radius2, sums, params);
    }
    for (uint j = 0; j < XL_POINTS; ++j)
        sums[j] = xl_was_cut(rounds, 0) ? NAN : sums[j];
}

/* What visit() makes of `start` over the neighbours of each point. */
__kernel void xl_neighbors_visit(__global const uint *storage, XL_INDEX_PARAMETERS, float start,
                                 float4 params, __global float *out, ulong out_at)
{
    const xl_grid_map map = xl_search_load(storage, header_at, n, table, stamp);
    const xl_grid_index index = xl_search_index(storage, starts_at, begins_at, sorted_at);
    float sums[XL_POINTS];
    XL_FOR_ITEMS(t, XL_CEIL_DIV(n, (uint)XL_POINTS))
    {
        xl_queries queries;
        const ulong first = t * XL_POINTS;
        for (uint j = 0; j < XL_POINTS; ++j)
            sums[j] = map.failed ? NAN : start;
        if (!map.failed) {
            queries = xl_queries_load(&map, &index, first);
            xl_visit_neighbors(&map, &index, &queries, reach, radius2, sums, params);
        }
        for (uint j = 0; j < XL_POINTS; ++j) {
            const uint i = map.failed ? (uint)(first + j) : queries.self[j].w;
            if (first + j < n && i < n)
                out[out_at + i] = sums[j];
        }
    }
}
#endif
