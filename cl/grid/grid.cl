/* SPDX-License-Identifier: MIT
 * The build of a grid, step by step; lib/grid/grid_build.c says in which order.
 *
 * Each array is followed by the offset at which it starts, in elements. What comes
 * out of an array of the storage is clamped before it becomes an offset: somebody
 * may write there, or to the points, while a build runs. */
#include "grid_bounds.cl"
#include "grid_overfull.cl"
#include "grid_setup.cl"

#define XL_HEADER(storage, at) ((__global xl_grid_header *)((storage) + (at)))

/* An empty header, and a table of zeros of `entries` (none for the sort). */
__kernel void xl_grid_clear(__global uint *storage, ulong header_at, ulong counts_at, ulong buckets)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    XL_FOR_ITEMS(b, buckets)
    storage[counts_at + b] = 0;
    if (get_global_id(0) == 0) {
        for (int a = 0; a < 3; ++a) {
            header->low[a] = UINT_MAX;
            header->high[a] = 0;
        }
        header->non_finite = header->out_of_domain = header->big = 0;
        header->stamp = header->cut = 0;
        header->first_non_finite = header->first_out_of_domain = UINT_MAX;
    }
}

/* The box of the points and what is wrong with them. Any number of groups. */
__kernel void xl_grid_bounds(__global const float *points, ulong points_at, uint n,
                             __global uint *storage, ulong header_at, float4 lower, float4 upper)
{
    __local xl_grid_found found[XL_GROUP];
    xl_grid_look(points + points_at, get_global_id(0), get_global_size(0), n, lower, upper,
                 &found[get_local_id(0)]);
    xl_grid_fold(found);
    if (get_local_id(0) == 0)
        xl_grid_publish(XL_HEADER(storage, header_at), found);
}

/* One work-item: the shape of the grid. */
__kernel void xl_grid_setup(__global uint *storage, ulong header_at, uint n, uint table, uint stamp,
                            float inverse, float beyond, float4 lower, float4 upper)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    header->points = n;
    header->table = table;
    header->inverse = inverse;
    header->beyond = beyond;
    header->stamp = stamp;
    header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
    xl_grid_set_box(header, lower, upper);
    bool dense = xl_grid_set_dense(header, table);
    header->hashed = dense ? 0u : 1u;
    if (!dense)
        xl_grid_set_hashed(header);
}

/* Counting: the entry of each point, and how many came to it before. */
__kernel void xl_grid_keys(__global const float *points, ulong points_at, uint n,
                           __global uint *storage, ulong header_at, uint table, ulong counts_at,
                           ulong buckets_at, ulong ranks_at)
{
    xl_grid_map map = xl_grid_load(XL_HEADER(storage, header_at), table, n);
    XL_FOR_ITEMS(i, n)
    {
        uint b = xl_grid_bucket_of(&map, (uint)i, xl_grid_point(points + points_at, (uint)i));
        storage[buckets_at + i] = b;
        storage[ranks_at + i] = atomic_inc(&storage[counts_at + b]);
    }
}

/* Counting: indices in the order of entries, in an entry as they came. */
__kernel void xl_grid_scatter(__global uint *storage, uint n, uint table, ulong starts_at,
                              ulong buckets_at, ulong ranks_at, ulong unordered_at)
{
    XL_FOR_ITEMS(i, n)
    {
        uint b = min(storage[buckets_at + i], table);
        uint k = storage[starts_at + b] + storage[ranks_at + i];
        storage[unordered_at + min(k, n - 1u)] = (uint)i;
    }
}

/* Counting: each sorted point goes to its place by index, except in overfull
 * entries, which are listed for the next kernel. */
__kernel void xl_grid_order(__global const float *points, ulong points_at, uint n,
                            __global uint *storage, ulong header_at, uint table, ulong starts_at,
                            ulong unordered_at, ulong sorted_at, ulong overfull_at,
                            uint overfull_points)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    __global const uint *starts = storage + starts_at, *unordered = storage + unordered_at;
    __global uint4 *sorted = (__global uint4 *)(storage + sorted_at);
    xl_grid_map map = xl_grid_load(header, table, n);
    XL_FOR_ITEMS(k, n)
    {
        uint4 sorted_point = xl_grid_sorted_point(points + points_at, min(unordered[k], n - 1u));
        uint b = xl_grid_bucket_of(&map, sorted_point.w, xl_grid_position(sorted_point));
        uint begin = min(starts[b], n), end = clamp(starts[b + 1], begin, n);
        if (end - begin <= overfull_points)
            sorted[min(begin + xl_grid_rank(unordered, begin, end, sorted_point.w), n - 1u)] =
                sorted_point;
        else if (k == begin)
            storage[overfull_at + min(atomic_inc(&header->big), n - 1u)] = b;
    }
}

/* Counting: overfull buckets, a work-group each. */
__kernel void xl_grid_sort_overfull(__global const float *points, ulong points_at, uint n,
                                    __global uint *storage, ulong header_at, uint table,
                                    ulong starts_at, ulong unordered_at, ulong sorted_at,
                                    ulong overfull_at)
{
    uint overfull = min(XL_HEADER(storage, header_at)->big, n);
    __global uint *unordered = storage + unordered_at;
    __global uint4 *sorted = (__global uint4 *)(storage + sorted_at);
    for (uint c = (uint)get_group_id(0); c < overfull; c += (uint)get_num_groups(0)) {
        uint b = min(storage[overfull_at + c], table - 1u);
        uint begin = min(storage[starts_at + b], n);
        uint end = clamp(storage[starts_at + b + 1], begin, n);
        xl_grid_sort_cell(unordered + begin, end - begin);
        for (ulong k = (ulong)begin + get_local_id(0); k < end; k += get_local_size(0))
            sorted[k] = xl_grid_sorted_point(points + points_at, min(unordered[k], n - 1u));
    }
}

/* Sorting: (entry, index) of each point as one key. */
__kernel void xl_grid_pairs(__global const float *points, ulong points_at, uint n,
                            __global uint *storage, ulong header_at, uint table, ulong pairs_at)
{
    xl_grid_map map = xl_grid_load(XL_HEADER(storage, header_at), table, n);
    __global ulong *pairs = (__global ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(i, n)
    {
        uint b = xl_grid_bucket_of(&map, (uint)i, xl_grid_point(points + points_at, (uint)i));
        pairs[i] = (ulong)b << 32 | i;
    }
}

/* Sorting: the start of entry b is the first key of that entry or a later one. */
__kernel void xl_grid_starts(__global uint *storage, uint n, ulong starts_at, uint buckets,
                             ulong pairs_at)
{
    __global const ulong *pairs = (__global const ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(b, buckets)
    {
        uint low = 0, high = n;
        while (low < high) {
            uint middle = low + (high - low) / 2;
            if (pairs[middle] >> 32 < b)
                low = middle + 1;
            else
                high = middle;
        }
        storage[starts_at + b] = low;
    }
}

/* Sorting: the points in the order of the keys. */
__kernel void xl_grid_gather(__global const float *points, ulong points_at, uint n,
                             __global uint *storage, ulong pairs_at, ulong sorted_at)
{
    __global const ulong *pairs = (__global const ulong *)(storage + pairs_at);
    __global uint4 *sorted = (__global uint4 *)(storage + sorted_at);
    XL_FOR_ITEMS(k, n)
    sorted[k] = xl_grid_sorted_point(points + points_at, min((uint)pairs[k], n - 1u));
}

/* An array of the caller's, of `words` per element, in the order of the grid. */
__kernel void xl_grid_reorder(__global const uint *storage, ulong sorted_at, ulong n, uint words,
                              __global const uint *in, ulong in_at, __global uint *out,
                              ulong out_at)
{
    XL_FOR_ITEMS(t, n * words)
    {
        ulong k = t / words, w = t - k * words;
        ulong i = min((ulong)storage[sorted_at + 4 * k + 3], n - 1UL);
        out[out_at + t] = in[in_at + i * words + w];
    }
}
