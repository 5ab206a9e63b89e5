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

/* An empty header; one work-item. */
__kernel void xl_grid_clear(__global uint *storage, ulong header_at)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    header->counted = header->sorted = header->sorted_again = header->flagged = 0;
    for (int a = 0; a < 3; ++a) {
        header->low[a] = UINT_MAX;
        header->high[a] = 0;
    }
    header->non_finite = header->out_of_domain = header->big = header->rows = 0;
    header->stamp = header->cut = header->together = header->y_bits = 0;
    header->first_y = header->first_z = 0;
    header->first_non_finite = header->first_out_of_domain = UINT_MAX;
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

/* One work-item: the shape of the grid. `table`: entries there are room for, 0 for a list of rows
 * whatever the points are; `sorts`: a table is made by sorting as well. */
__kernel void xl_grid_setup(__global uint *storage, ulong header_at, uint n, uint table, uint sorts,
                            uint stamp, float inverse, float thin, float beyond, float4 lower,
                            float4 upper)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    header->points = n;
    header->table = table;
    header->inverse = inverse;
    header->thin = thin;
    header->beyond = beyond;
    header->stamp = stamp;
    header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
    xl_grid_set_box(header, lower, upper);
    bool dense = table > 0 && xl_grid_set_dense(header, table);
    header->sparse = dense ? 0u : 1u;
    if (!dense)
        xl_grid_set_sparse(header, n);
    else if (sorts)
        header->sorted = n;
}

/* Counting: a table of zeros, as far as it is used. */
__kernel void xl_grid_zero(__global uint *storage, ulong header_at, uint table, ulong starts_at)
{
    const ulong counted = XL_HEADER(storage, header_at)->counted;
    XL_FOR_ITEMS(b, min(counted, (ulong)table + 1))
    storage[starts_at + b] = 0;
}

/* Counting: the entry of each point, and how many came to it before. */
__kernel void xl_grid_keys(__global const float *points, ulong points_at, uint n,
                           __global uint *storage, ulong header_at, uint table, ulong counts_at,
                           ulong buckets_at, ulong ranks_at)
{
    xl_grid_map map = xl_grid_load(XL_HEADER(storage, header_at), table, n);
    XL_FOR_ITEMS(i, map.sparse ? 0u : n)
    {
        uint b = xl_grid_bucket_of(&map, (uint)i, xl_grid_point(points + points_at, (uint)i));
        storage[buckets_at + i] = b;
        storage[ranks_at + i] = atomic_inc(&storage[counts_at + b]);
    }
}

/* Counting: indices in the order of entries, in an entry as they came. */
__kernel void xl_grid_scatter(__global uint *storage, ulong header_at, uint n, uint table,
                              ulong starts_at, ulong buckets_at, ulong ranks_at, ulong unordered_at)
{
    XL_FOR_ITEMS(i, XL_HEADER(storage, header_at)->sparse ? 0u : n)
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
    xl_grid_map map = xl_grid_load(header, table, n);
    XL_FOR_ITEMS(k, map.sparse ? 0u : n)
    {
        uint4 sorted_point = xl_grid_sorted_point(points + points_at, min(unordered[k], n - 1u));
        uint b = xl_grid_bucket_of(&map, sorted_point.w, xl_grid_position(sorted_point));
        uint begin = min(starts[b], n), end = clamp(starts[b + 1], begin, n);
        if (end - begin <= overfull_points)
            xl_grid_set_sorted(
                storage + sorted_at, n,
                min(begin + xl_grid_rank(unordered, begin, end, sorted_point.w), n - 1u),
                sorted_point);
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
    for (uint c = (uint)get_group_id(0); c < overfull; c += (uint)get_num_groups(0)) {
        uint b = min(storage[overfull_at + c], table - 1u);
        uint begin = min(storage[starts_at + b], n);
        uint end = clamp(storage[starts_at + b + 1], begin, n);
        xl_grid_sort_cell(unordered + begin, end - begin);
        for (ulong k = (ulong)begin + get_local_id(0); k < end; k += get_local_size(0))
            xl_grid_set_sorted(storage + sorted_at, n, k,
                               xl_grid_sorted_point(points + points_at, min(unordered[k], n - 1u)));
    }
}

/* Sorting: what each point is put into order by first, and its index. In a table the entry;
 * else its row, followed by x, or where these take more than 64 bits x alone. */
__kernel void xl_grid_sort_keys(__global const float *points, ulong points_at, uint n,
                                __global uint *storage, ulong header_at, uint table, ulong pairs_at,
                                ulong values_at)
{
    __global const xl_grid_header *header = XL_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    __global ulong *keys = (__global ulong *)(storage + pairs_at);
    const uint y_bits = min(header->y_bits, 32u);
    XL_FOR_ITEMS(i, header->sorted > 0 ? n : 0u)
    {
        const float4 p = xl_grid_point(points + points_at, (uint)i);
        ulong key = xl_grid_to_ordered(p.x);
        if (!map.sparse)
            key = xl_grid_bucket_of(&map, (uint)i, p);
        else if (map.failed)
            key = 0;
        else if (header->together)
            key |= xl_grid_row_bits(header, &map, p, y_bits) << 32;
        keys[i] = key;
        storage[values_at + i] = (uint)i;
    }
}

/* Sorting in two steps: the rows of the points, which are in the order of x by now. */
__kernel void xl_grid_sort_again(__global const float *points, ulong points_at, uint n,
                                 __global uint *storage, ulong header_at, uint table,
                                 ulong pairs_at, ulong values_at)
{
    __global const xl_grid_header *header = XL_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    __global ulong *keys = (__global ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(k, header->sorted_again > 0 && !map.failed ? n : 0u)
    {
        const uint i = min(storage[values_at + k], n - 1u);
        keys[k] = xl_grid_row_bits(header, &map, xl_grid_point(points + points_at, i), 32);
    }
}

/* Sorting, a table: the start of entry b is the first key of that entry or a later one. */
__kernel void xl_grid_starts(__global uint *storage, ulong header_at, uint n, ulong starts_at,
                             uint table, ulong pairs_at)
{
    __global const xl_grid_header *header = XL_HEADER(storage, header_at);
    __global const ulong *keys = (__global const ulong *)(storage + pairs_at);
    const ulong counted = header->sparse ? 0 : header->counted;
    XL_FOR_ITEMS(b, min(counted, (ulong)table + 1))
    {
        uint low = 0, high = n;
        while (low < high) {
            uint middle = low + (high - low) / 2;
            if (keys[middle] < b)
                low = middle + 1;
            else
                high = middle;
        }
        storage[starts_at + b] = low;
    }
}

/* Sorting: the points in the order of the keys. A plane has some padding, which is read but does
 * not count. */
__kernel void xl_grid_gather(__global const float *points, ulong points_at, uint n,
                             __global uint *storage, ulong header_at, ulong values_at,
                             ulong sorted_at)
{
    XL_FOR_ITEMS(k, XL_HEADER(storage, header_at)->sorted > 0 ? n : 0u)
    xl_grid_set_sorted(
        storage + sorted_at, n, k,
        xl_grid_sorted_point(points + points_at, min(storage[values_at + k], n - 1u)));
}

/* The row of a sorted key. */
ulong xl_grid_row_of_key(__global const xl_grid_header *header, ulong key)
{
    return header->together ? key >> 32 : key;
}

/* Rows: 1 for each point that begins one, 0 for the others. */
__kernel void xl_grid_heads(__global uint *storage, ulong header_at, uint n, ulong pairs_at,
                            ulong flags_at)
{
    __global const xl_grid_header *header = XL_HEADER(storage, header_at);
    __global const ulong *keys = (__global const ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(k, header->flagged > 0 ? n : 0u)
    storage[flags_at + k] =
        k == 0 || xl_grid_row_of_key(header, keys[k]) != xl_grid_row_of_key(header, keys[k - 1])
            ? 1u
            : 0u;
}

/* Rows: the list of them, from the sums of those flags. */
__kernel void xl_grid_list(__global uint *storage, ulong header_at, uint n, ulong pairs_at,
                           ulong flags_at, ulong keys_at, ulong begins_at)
{
    __global xl_grid_header *header = XL_HEADER(storage, header_at);
    __global const ulong *keys = (__global const ulong *)(storage + pairs_at);
    __global ulong *row_keys = (__global ulong *)(storage + keys_at);
    __global uint *row_begins = storage + begins_at;
    const uint y_bits = header->together ? min(header->y_bits, 32u) : 32u;
    const int y = header->first_y, z = header->first_z;
    XL_FOR_ITEMS(k, header->flagged > 0 ? n : 0u)
    {
        const uint rank = clamp(storage[flags_at + k], 1u, n);
        if (k == 0 || rank != storage[flags_at + k - 1]) {
            const ulong row = xl_grid_row_of_key(header, keys[k]);
            const ulong mask = (1UL << y_bits) - 1;
            row_keys[rank - 1] = xl_grid_row_key((int)((uint)(row & mask) + (uint)y),
                                                 (int)((uint)(row >> y_bits) + (uint)z));
            row_begins[rank - 1] = (uint)k;
        }
        if (k == n - 1) {
            header->rows = rank;
            row_begins[rank] = n;
        }
    }
}

/* An array of the caller's, of `words` per element, in the order of the grid. */
__kernel void xl_grid_reorder(__global const uint *storage, ulong sorted_at, ulong n, uint words,
                              __global const uint *in, ulong in_at, __global uint *out,
                              ulong out_at)
{
    XL_FOR_ITEMS(t, n * words)
    {
        ulong k = t / words, w = t - k * words;
        ulong i = min((ulong)xl_grid_sorted_index(storage + sorted_at, (uint)n, k), n - 1UL);
        out[out_at + t] = in[in_at + i * words + w];
    }
}
