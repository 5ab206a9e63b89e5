/* SPDX-License-Identifier: MIT
 * A table by parts: the points are first put into parts, each of which is a stretch of entries, and
 * then a work-group puts a part into order within local memory. So a point is moved twice, 16
 * bytes each time, and its entry is counted where that costs little, while a build by the counts of
 * all entries in global memory has four accesses of 4 bytes to anywhere for each point.
 *
 * A part is taken for so many points that none is likely to have more than XL_PART of them, where
 * points lie evenly. Where one has, nothing is put into parts, and the other kernels do all.
 *
 * Steps: points of each part -> where parts begin -> points to their parts, where the sorted ones
 * will be -> each part in order, in place. */
#ifndef XL_GRID_PARTS
#define XL_GRID_PARTS

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

/* Of counts in local memory how many come before each; all work-items of the group together, which
 * have set a barrier since they were written. They may read after it what they write. */
void xl_grid_sum_local(__local uint *counts, uint n, __local uint *sums)
{
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const uint each = XL_CEIL_DIV(n, size), first = min(lid * each, n), last = min(first + each, n);
    uint sum = 0;
    for (uint k = first; k < last; ++k)
        sum += counts[k];
    sums[lid] = sum;
    for (uint reach = 1; reach < size; reach *= 2) {
        XL_LOCAL_BARRIER();
        const uint before = lid >= reach ? sums[lid - reach] : 0;
        XL_LOCAL_BARRIER();
        sums[lid] += before;
    }
    sum = sums[lid] - sum;
    for (uint k = first; k < last; ++k) {
        const uint count = counts[k];
        counts[k] = sum;
        sum += count;
    }
    XL_LOCAL_BARRIER();
}

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

/* Where parts begin, and whether each has room. By one group. */
__kernel void xl_grid_begin_parts(__global uint *storage, ulong header_at, ulong parts_at)
{
    __local uint counts[XL_GRID_MOST_PARTS], sums[XL_GROUP];
    __local uint largest;
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const uint parts = xl_grid_parts(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    uint most = 0;
    if (lid == 0)
        largest = 0;
    XL_LOCAL_BARRIER();
    for (uint k = lid; k < parts; k += size) {
        counts[k] = storage[parts_at + k];
        most = max(most, counts[k]);
    }
    atomic_max(&largest, most);
    XL_LOCAL_BARRIER();
    const bool placed = parts > 0 && largest <= XL_PART;
    xl_grid_sum_local(counts, parts, sums);
    for (uint k = lid; k < parts; k += size)
        storage[parts_at + k] = counts[k];
    if (parts > 0 && lid == 0) {
        header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
        header->placed = placed ? 1u : 0u;
        header->summed = placed ? 0 : header->counted;
    }
}

/* Points to their parts, in any order: where a part begins moves to where it ends. If there is no
 * room zeros in what is to be counted instead. */
__kernel void xl_grid_to_parts(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                               ulong header_at, uint table, ulong parts_at, ulong starts_at,
                               ulong sorted_at)
{
    __local uint to[XL_GRID_MOST_PARTS];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    const uint parts = xl_grid_parts(header), log = xl_grid_part_log(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const ulong tile = (ulong)size * XL_GRID_PARTED_AT_ONCE;
    const bool placed = header->placed != 0;
    for (ulong b = get_global_id(0); b < (parts > 0 && !placed ? map.cells + 1u : 0u);
         b += get_global_size(0))
        storage[starts_at + b] = 0;
    for (ulong from = get_group_id(0) * tile; from < (placed ? n : 0u);
         from += get_num_groups(0) * tile) {
        uint4 p[XL_GRID_PARTED_AT_ONCE];
        uint part[XL_GRID_PARTED_AT_ONCE];
        for (uint k = lid; k < parts; k += size)
            to[k] = 0;
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k)
            p[k] = xl_grid_sorted_point(XL_POINTS, (uint)min(from + k * size + lid, (ulong)n - 1));
        XL_LOCAL_BARRIER();
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k) {
            part[k] = min(xl_grid_entry_of(header, &map, p[k]) >> log, parts - 1u);
            if (from + k * size + lid < n)
                atomic_inc(&to[part[k]]);
        }
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < parts; k += size)
            if (to[k] > 0)
                to[k] = atomic_add(&storage[parts_at + k], to[k]);
        XL_LOCAL_BARRIER();
        for (uint k = 0; k < XL_GRID_PARTED_AT_ONCE; ++k)
            if (from + k * size + lid < n)
                xl_grid_set_sorted(storage + sorted_at, n, min(atomic_inc(&to[part[k]]), n - 1u),
                                   p[k]);
        XL_LOCAL_BARRIER();
    }
}

/* A part that is in order by entry, in local memory, as entries `end` there: its points to their
 * places by index. */
void xl_grid_put_part(__local const uint4 *points, __local const uint *ends, uint count, uint k,
                      uint entry, __global uint *sorted, uint n, ulong begin)
{
    const uint4 p = points[k];
    const uint from = min(entry > 0 ? ends[entry - 1u] : 0u, count), to = min(ends[entry], count);
    uint at = from;
    for (uint j = from; j < to; ++j)
        at += points[j].w < p.w ? 1u : 0u;
    xl_grid_set_sorted(sorted, n, begin + min(at, count - 1u), p);
}

/* Each part in order, and where its entries begin. */
__kernel void xl_grid_order_parts(__global uint *storage, ulong header_at, uint n, uint table,
                                  ulong parts_at, ulong starts_at, ulong sorted_at)
{
    __local uint4 points[XL_PART];
    __local uint counts[XL_PART], sums[XL_GROUP];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global uint *sorted = storage + sorted_at;
    const xl_grid_map map = xl_grid_load(header, table, n);
    const uint parts = header->placed ? xl_grid_parts(header) : 0u;
    const uint log = xl_grid_part_log(header);
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint part = (uint)get_group_id(0); part < parts; part += (uint)get_num_groups(0)) {
        const uint begin = part > 0 ? min(storage[parts_at + part - 1u], n) : 0u;
        const uint end = clamp(storage[parts_at + part], begin, n);
        const uint first = part << log, left = map.cells - min(first, map.cells);
        const uint entries = min(min(1u << log, left), (uint)XL_PART);
        const uint count = entries > 0 ? min(end - begin, (uint)XL_PART) : 0u;
#define XL_ENTRY(p) min(xl_grid_entry_of(header, &map, p) - first, entries - 1u)
        for (uint k = lid; k < entries; k += size)
            counts[k] = 0;
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < count; k += size)
            atomic_inc(&counts[XL_ENTRY(xl_grid_sorted(sorted, n, begin + k))]);
        XL_LOCAL_BARRIER();
        xl_grid_sum_local(counts, entries, sums);
        for (uint k = lid; k < entries; k += size)
            storage[starts_at + first + k] = begin + counts[k];
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < count; k += size) {
            const uint4 p = xl_grid_sorted(sorted, n, begin + k);
            points[min(atomic_inc(&counts[XL_ENTRY(p)]), (uint)XL_PART - 1u)] = p;
        }
        XL_FULL_BARRIER();
        for (uint k = lid; k < count; k += size)
            xl_grid_put_part(points, counts, count, k, XL_ENTRY(points[k]), sorted, n, begin);
        XL_LOCAL_BARRIER();
#undef XL_ENTRY
    }
    if (parts > 0 && get_global_id(0) == 0)
        storage[starts_at + map.cells] = n;
}

#endif
