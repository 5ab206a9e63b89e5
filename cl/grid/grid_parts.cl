/* SPDX-License-Identifier: MIT
 * A table by parts: the points are first put into parts, each of which is a stretch of entries, and
 * then a work-group puts a part into order within local memory. So a point is moved twice, in runs
 * of 16 bytes each, and its entry is counted where that costs little, while a build by the counts
 * of all entries in global memory has four accesses of 4 bytes to anywhere for each point.
 *
 * Where points lie evenly no part has more of them than there is room for. One that has takes
 * global memory instead, and longer: it is still ordered by one work-group.
 *
 * Steps: points of each part -> where parts begin -> points to their parts, where the sorted ones
 * will be -> each part in order, in place. */
#ifndef XL_GRID_PARTS
#define XL_GRID_PARTS

#include "grid_list.cl"
#include "grid_setup.cl"

/* Points that a work-item puts into parts at once. */
#define XL_GRID_PARTED_AT_ONCE 4

/* How many parts there are, if there are any. */
uint xl_grid_parts(__global const xl_grid_header *header)
{
    return min(header->parts, (uint)XL_GRID_MOST_PARTS);
}

/* Entries of a part, as a power of two. */
uint xl_grid_part_log(__global const xl_grid_header *header)
{
    return min(header->part_log, 31u);
}

/* The entry of a point that all have looked at. */
uint xl_grid_entry_of(__global const xl_grid_header *header, const xl_grid_map *map,
                      uint4 sorted_point)
{
    const float4 p = xl_grid_position(sorted_point);
    return xl_grid_bucket_of(map, sorted_point.w, p, map->failed && xl_grid_is_bad(header, p));
}

/* What all work-items before this one have; all of the group together. */
uint xl_grid_before(uint mine, __local uint *sums)
{
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    uint sum = mine;
    XL_LOCAL_BARRIER();
    sums[lid] = mine;
    for (uint reach = 1; reach < size; reach *= 2) {
        XL_LOCAL_BARRIER();
        const uint before = lid >= reach ? sums[lid - reach] : 0;
        XL_LOCAL_BARRIER();
        sum += before;
        sums[lid] = sum;
    }
    return sum - mine;
}

/* Counts become how many come before each; all work-items of the group together, which have set a
 * barrier since the counts were written, and set one before they are read. */
#define XL_GRID_SUM(counts, n, sums)                                                               \
    do {                                                                                           \
        const uint each = XL_CEIL_DIV(n, (uint)get_local_size(0));                                 \
        const uint first = min((uint)get_local_id(0) * each, n), last = min(first + each, n);      \
        uint sum = 0;                                                                              \
        for (uint k = first; k < last; ++k)                                                        \
            sum += (counts)[k];                                                                    \
        sum = xl_grid_before(sum, sums);                                                           \
        for (uint k = first; k < last; ++k) {                                                      \
            const uint count = (counts)[k];                                                        \
            (counts)[k] = sum;                                                                     \
            sum += count;                                                                          \
        }                                                                                          \
    } while (0)

/* The points of each part, and what is wrong with points. Any number of groups. */
__kernel void xl_grid_count_parts(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                  ulong header_at, uint table, float4 lower, float4 upper,
                                  ulong parts_at)
{
    __local uint counts[XL_GRID_MOST_PARTS];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load_shape(header, table, n);
    const uint parts = xl_grid_parts(header), log = xl_grid_part_log(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint k = lid; k < parts; k += size)
        counts[k] = 0;
    XL_LOCAL_BARRIER();
    const ulong step = get_global_size(0);
    for (ulong from = get_global_id(0); from < (parts > 0 ? n : 0u);
         from += XL_GRID_AT_ONCE * step) {
        float4 p[XL_GRID_AT_ONCE];
        for (uint k = 0; k < XL_GRID_AT_ONCE; ++k)
            p[k] = xl_grid_point(XL_POINTS, (uint)min(from + k * step, (ulong)n - 1));
        for (uint k = 0; k < XL_GRID_AT_ONCE; ++k) {
            const uint i = (uint)min(from + k * step, (ulong)n);
            if (i < n) {
#if XL_BOUNDED
                const bool bad = xl_grid_tell_bad(header, i, p[k], lower, upper);
#else
                const bool bad = !xl_grid_finite(p[k]);
#endif
                const uint part = xl_grid_bucket_of(&map, i, p[k], bad) >> log;
                atomic_inc(&counts[min(part, parts - 1u)]);
            }
        }
    }
    XL_LOCAL_BARRIER();
    for (uint k = lid; k < parts; k += size)
        if (counts[k] > 0)
            atomic_add(&storage[parts_at + k], counts[k]);
}

/* Where parts begin, or buckets of listed rows. By one group. */
__kernel void xl_grid_begin(__global uint *storage, ulong header_at, uint most_buckets,
                            ulong parts_at, ulong starts_at)
{
    __local uint sums[XL_PART_GROUP];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const uint parts = xl_grid_parts(header), buckets = min(header->buckets, most_buckets);
    const uint n = parts > 0 ? parts : buckets > 0 ? buckets + 1u : 0u;
    __global uint *counts = storage + (parts > 0 ? parts_at : starts_at);
    XL_GRID_SUM(counts, n, sums);
    if (parts > 0 && get_local_id(0) == 0)
        header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
}

/* Points to their parts, in any order: where a part begins moves to where it ends. A work-group's
 * points go there by part, so that those of one are a run of memory. */
__kernel void xl_grid_to_parts(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                               ulong header_at, uint table, ulong parts_at, ulong sorted_at)
{
    __local uint4 held[XL_PART];
    __local uint counts[XL_GRID_MOST_PARTS], to[XL_GRID_MOST_PARTS], sums[XL_PART_GROUP];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    const uint parts = xl_grid_parts(header), log = xl_grid_part_log(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const uint tile = min(size * XL_GRID_PARTED_AT_ONCE, (uint)XL_PART);
    for (ulong from = get_group_id(0) * (ulong)tile; from < (parts > 0 ? n : 0u);
         from += get_num_groups(0) * (ulong)tile) {
        const uint count = (uint)min((ulong)tile, n - from);
        uint4 p[XL_GRID_PARTED_AT_ONCE];
        uint part[XL_GRID_PARTED_AT_ONCE], rank[XL_GRID_PARTED_AT_ONCE];
        for (uint k = lid; k < parts; k += size)
            counts[k] = 0;
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k)
            p[k] = xl_grid_sorted_point(XL_POINTS, (uint)from + min(k * size + lid, count - 1u));
        XL_LOCAL_BARRIER();
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k) {
            part[k] = min(xl_grid_entry_of(header, &map, p[k]) >> log, parts - 1u);
            if (k * size + lid < count)
                rank[k] = atomic_inc(&counts[part[k]]);
        }
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < parts; k += size)
            if (counts[k] > 0)
                to[k] = atomic_add(&storage[parts_at + k], counts[k]);
        XL_LOCAL_BARRIER();
        XL_GRID_SUM(counts, parts, sums);
        XL_LOCAL_BARRIER();
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k)
            if (k * size + lid < count)
                held[counts[part[k]] + rank[k]] = p[k];
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < count; k += size) {
            const uint of = min(xl_grid_entry_of(header, &map, held[k]) >> log, parts - 1u);
            xl_grid_set_sorted(storage + sorted_at, n, min(to[of] + (k - counts[of]), n - 1u),
                               held[k]);
        }
        XL_LOCAL_BARRIER();
    }
}

/* Of a part: where its points are among the sorted ones, and how many entries it has. */
typedef struct xl_grid_stretch {
    uint begin, count, entries;
    __local const uint *ends; /* of its entries, from its first point on */
} xl_grid_stretch;

/* The points of an entry. */
uint2 xl_grid_stretch_entry(const xl_grid_stretch *part, uint entry)
{
    const uint end = min(part->ends[entry], part->count);
    return (uint2)(entry > 0 ? min(part->ends[entry - 1u], end) : 0u, end);
}

/* One point, of those that are in the order of entries in local memory, to its place by index. */
void xl_grid_put_point(const xl_grid_stretch *part, __local const uint4 *points, uint k, uint entry,
                       __global uint *sorted, uint n)
{
    const uint4 p = points[k];
    const uint2 cell = xl_grid_stretch_entry(part, entry);
    uint at = cell.x;
    for (uint j = cell.x; j < cell.y; ++j)
        at += points[j].w < p.w ? 1u : 0u;
    xl_grid_set_sorted(sorted, n, part->begin + min(at, part->count - 1u), p);
}

/* A part of too many points, of which the indices are in the order of entries in `unordered`. */
void xl_grid_put_full_part(const xl_grid_stretch *part, const xl_grid_sorter *sorter,
                           __global const xl_grid_header *header, uint first,
                           __global uint *unordered, __global uint *sorted, uint overfull_points,
                           __local xl_grid_key *keys)
{
    const uint n = sorter->n, size = (uint)get_local_size(0);
    for (uint k = (uint)get_local_id(0); k < part->count; k += size) {
        const uint4 p = xl_grid_sorted_point(sorter->points, min(unordered[k], n - 1u));
        const uint entry =
            min(xl_grid_entry_of(header, &sorter->map, p) - first, part->entries - 1u);
        const uint2 cell = xl_grid_stretch_entry(part, entry);
        uint at = cell.x;
        if (cell.y - cell.x > overfull_points)
            continue;
        for (uint j = cell.x; j < cell.y; ++j)
            at += unordered[j] < p.w ? 1u : 0u;
        xl_grid_set_sorted(sorted, n, part->begin + min(at, part->count - 1u), p);
    }
    XL_FULL_BARRIER();
    for (uint entry = 0; entry < part->entries; ++entry) {
        const uint2 cell = xl_grid_stretch_entry(part, entry);
        const uint count = cell.y - cell.x;
        if (count <= overfull_points)
            continue;
        if (count <= XL_PART)
            xl_grid_sort_cell_local(sorter, unordered + cell.x, count, keys);
        else
            xl_grid_sort_cell(sorter, unordered + cell.x, count);
        XL_FULL_BARRIER();
        xl_grid_put_cell(sorter, unordered + cell.x, part->begin + cell.x, part->begin + cell.y,
                         sorted, 0);
    }
}

/* Each part in order, and where its entries begin. */
__kernel void xl_grid_order_parts(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                  ulong header_at, uint table, ulong parts_at, ulong starts_at,
                                  ulong unordered_at, ulong sorted_at, uint overfull_points)
{
    __local uint4 held[XL_PART];
    __local uint ends[XL_GRID_MOST_ENTRIES], sums[XL_PART_GROUP];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global uint *sorted = storage + sorted_at;
    const xl_grid_sorter sorter = {xl_grid_load(header, table, n), XL_POINTS, n, UINT_MAX};
    const uint parts = xl_grid_parts(header), log = xl_grid_part_log(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint b = (uint)get_group_id(0); b < parts; b += (uint)get_num_groups(0)) {
        const uint begin = b > 0 ? min(storage[parts_at + b - 1u], n) : 0u;
        const uint end = clamp(storage[parts_at + b], begin, n);
        const uint first_of = b << log, left = sorter.map.cells - min(first_of, sorter.map.cells);
        const uint entries = min(min(1u << log, left), (uint)XL_GRID_MOST_ENTRIES);
        const xl_grid_stretch part = {begin, entries > 0 ? end - begin : 0u, entries, ends};
        __global uint *unordered = storage + unordered_at + begin;
        const bool fits = part.count <= XL_PART;
#define XL_ENTRY(p) min(xl_grid_entry_of(header, &sorter.map, p) - first_of, entries - 1u)
        for (uint k = lid; k < entries; k += size)
            ends[k] = 0;
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < part.count; k += size)
            atomic_inc(&ends[XL_ENTRY(xl_grid_sorted(sorted, n, begin + k))]);
        XL_LOCAL_BARRIER();
        XL_GRID_SUM(ends, entries, sums);
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < entries; k += size)
            storage[starts_at + first_of + k] = begin + ends[k];
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < part.count; k += size) {
            const uint4 p = xl_grid_sorted(sorted, n, begin + k);
            const uint at = min(atomic_inc(&ends[XL_ENTRY(p)]), part.count - 1u);
            if (fits)
                held[at] = p;
            else
                unordered[at] = p.w;
        }
        XL_FULL_BARRIER();
        if (fits) {
            for (uint k = lid; k < part.count; k += size)
                xl_grid_put_point(&part, held, k, XL_ENTRY(held[k]), sorted, n);
        } else {
            xl_grid_put_full_part(&part, &sorter, header, first_of, unordered, sorted,
                                  overfull_points, (__local xl_grid_key *)held);
        }
        XL_FULL_BARRIER();
#undef XL_ENTRY
    }
    if (parts > 0 && get_global_id(0) == 0)
        storage[starts_at + sorter.map.cells] = n;
}

#endif
