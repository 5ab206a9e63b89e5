/* SPDX-License-Identifier: MIT
 * The kernels of a build that uses the library's sort: they write its keys, and make a table or a
 * list of rows from the sorted keys. lib/grid/grid_build.c enqueues them. */
#include "grid_points.cl"

/* Writes the keys of the first sort, and indices as its values: the entry of a table, or the row,
 * followed by x. If a row takes more than 32 bits, only x. */
__kernel void xl_grid_sort_keys(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                ulong header_at, uint table, ulong pairs_at, ulong values_at)
{
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    __global ulong *keys = (__global ulong *)(storage + pairs_at);
    const uint y_bits = min(header->y_bits, 32u);
    XL_FOR_ITEMS(i, header->sorted > 0 ? n : 0u)
    {
        const float4 p = xl_grid_point(XL_POINTS, (uint)i);
        ulong key = xl_grid_to_ordered(p.x);
        if (!map.sparse)
            key |= (ulong)xl_grid_bucket_of(&map, (uint)i, p, map.failed) << 32;
        else if (map.failed)
            key = 0;
        else if (header->together)
            key |= xl_grid_row_bits(header, &map, p, y_bits) << 32;
        keys[i] = key;
        storage[values_at + i] = (uint)i;
    }
}

/* Rows in two sorts: writes the rows of the points, which are now in the order of x. */
__kernel void xl_grid_sort_again(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                 ulong header_at, uint table, ulong pairs_at, ulong values_at)
{
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_load(header, table, n);
    __global ulong *keys = (__global ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(k, header->sorted_again > 0 && !map.failed ? n : 0u)
    {
        const uint i = min(storage[values_at + k], n - 1u);
        keys[k] = xl_grid_row_bits(header, &map, xl_grid_point(XL_POINTS, i), 32);
    }
}

/* Table: the start of entry b is the lower bound of b in the entries of the sorted keys. */
__kernel void xl_grid_starts(__global uint *storage, ulong header_at, uint n, ulong starts_at,
                             uint table, ulong pairs_at)
{
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global const ulong *keys = (__global const ulong *)(storage + pairs_at);
    const ulong counted = header->sparse ? 0 : header->counted;
    XL_FOR_ITEMS(b, min(counted, (ulong)table + 1))
    {
        uint low = 0, high = n;
        while (low < high) {
            uint middle = low + (high - low) / 2;
            if (keys[middle] >> 32 < b)
                low = middle + 1;
            else
                high = middle;
        }
        storage[starts_at + b] = low;
    }
}

/* Writes the points in the order of the keys. Padding in planes is not written: searches read it,
 * but ignore it. */
__kernel void xl_grid_gather(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                             ulong values_at, ulong sorted_at)
{
    XL_FOR_ITEMS(k, XL_GRID_HEADER(storage, header_at)->sorted > 0 ? n : 0u)
    xl_grid_put_point(storage + sorted_at, n, k, XL_POINTS, min(storage[values_at + k], n - 1u));
}

/* The row of a sorted key. */
ulong xl_grid_row_of_key(__global const xl_grid_header *header, ulong key)
{
    return header->together ? key >> 32 : key;
}

/* Rows: 1 for each point that begins a row, 0 for the others. */
__kernel void xl_grid_heads(__global uint *storage, ulong header_at, uint n, ulong pairs_at,
                            ulong flags_at)
{
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global const ulong *keys = (__global const ulong *)(storage + pairs_at);
    XL_FOR_ITEMS(k, header->flagged > 0 ? n : 0u)
    storage[flags_at + k] =
        k == 0 || xl_grid_row_of_key(header, keys[k]) != xl_grid_row_of_key(header, keys[k - 1])
            ? 1u
            : 0u;
}

/* Rows: makes the list from the sums of these flags. */
__kernel void xl_grid_list(__global uint *storage, ulong header_at, uint n, ulong pairs_at,
                           ulong flags_at, ulong keys_at, ulong begins_at)
{
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
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
