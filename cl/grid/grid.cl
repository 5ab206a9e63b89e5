/* SPDX-License-Identifier: MIT
 * The kernels of a grid build. lib/grid/grid_build.c enqueues them.
 *
 * Each array is followed by its offset in elements. A value that is read from the storage is
 * clamped before it becomes an offset, because another kernel may overwrite the storage or the
 * points during a build.
 *
 * If a CPU only sorts, the program has no kernels that count: PoCL takes long to compile them. */
#define XL_COUNTS (XL_SORTING < 2 || !XL_IS_CPU)
#include "../group/group_ballot.cl"
#include "../group/group_network.cl"
#include "grid_points.cl"
#if XL_COUNTS
#include "grid_list.cl"
#endif
#include "grid_setup.cl"
#if XL_SORTING
#include "grid_sorting.cl"
#endif

/* Finds the bounding box of the points, and the points that are not finite or outside a given box:
 * one partial result per work-group. Any number of groups. */
__kernel void xl_grid_bounds(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong found_at,
                             float4 lower, float4 upper)
{
    __local xl_grid_found found[XL_GROUP];
    xl_grid_look(XL_POINTS, get_global_id(0), get_global_size(0), n, lower, upper,
                 &found[get_local_id(0)]);
    xl_grid_fold(found);
    if (get_local_id(0) == 0)
        ((__global xl_grid_found *)(storage + found_at))[get_group_id(0)] = found[0];
}

/* Finds the inner box, which is written after `num_found` partial results. One group. */
__kernel void xl_grid_inner(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong found_at,
                            uint num_found)
{
    __local xl_grid_word sample[3 * XL_GRID_INNER_SAMPLE];
    xl_grid_find_inner(XL_POINTS, n, sample,
                       (__global xl_grid_found *)(storage + found_at) + num_found);
}

/* Writes the header, and zeros the counters: the used part of the table or the buckets, and the
 * ranks of the sample. Each group computes the shape itself, so no group waits for another. */
__kernel void xl_grid_setup(__global uint *storage, ulong header_at, ulong found_at, uint num_found,
                            uint n, uint table, uint sorts, uint buckets, uint stamp, float inverse,
                            float thin, float beyond, float share, float4 lower, float4 upper,
                            ulong counts_at, ulong places_at)
{
    __local xl_grid_found found[XL_GROUP];
    const xl_grid_wish wish = {n, stamp, table, sorts, buckets, inverse, thin, beyond, share};
    __global const xl_grid_found *const parts =
        (__global const xl_grid_found *)(storage + found_at);
    xl_grid_header header;
    xl_grid_gather_found(parts, num_found, &found[get_local_id(0)]);
    xl_grid_fold(found);
    XL_LOCAL_BARRIER();
    xl_grid_set(&header, &wish, found, parts + num_found, lower, upper);
#if XL_COUNTS
    for (ulong b = get_global_id(0); b < header.counted; b += get_global_size(0))
        storage[counts_at + b] = 0;
    for (ulong k = get_global_id(0); k < (ulong)header.buckets * XL_GRID_OVERSAMPLING;
         k += get_global_size(0))
        storage[places_at + k] = 0;
#endif
    if (get_global_id(0) == 0)
        *XL_GRID_HEADER(storage, header_at) = header;
}

#if XL_COUNTS
/* Rows in buckets: finds the splitters. Any number of groups: each sorts a part of the sample, and
 * ranks a share of all sample keys in this part. */
__kernel void xl_grid_split(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                            uint most_buckets, ulong places_at, ulong splitters_at)
{
    __local xl_grid_key keys[XL_GRID_COMPARED];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global xl_grid_key *splitters = (__global xl_grid_key *)(storage + splitters_at);
    const xl_grid_map map = xl_grid_far_map_of(header);
    const uint buckets = min(header->buckets, most_buckets);
    const uint sample = buckets > 1 ? buckets * XL_GRID_OVERSAMPLING : 0u;
    const uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    const uint parts = XL_CEIL_DIV(sample, XL_GRID_COMPARED);
    const uint shares = max((uint)get_num_groups(0) / max(parts, 1u), 1u);
    const uint share = XL_CEIL_DIV(sample, shares);
    for (uint t = (uint)get_group_id(0); t < parts * shares; t += (uint)get_num_groups(0)) {
        const uint from = t % parts * XL_GRID_COMPARED, first = t / parts * share;
        const uint count = min(XL_GRID_COMPARED, sample - from);
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < count; k += size)
            keys[k] = xl_grid_sample_key(&map, XL_POINTS, from + k, sample, n);
        XL_LOCAL_BARRIER();
        xl_grid_sort_local(keys, count);
        for (uint k = first + lid; k < min(first + share, sample); k += size) {
            const xl_grid_key key = xl_grid_sample_key(&map, XL_POINTS, k, sample, n);
            xl_grid_add_place(&storage[places_at + k], xl_grid_count_below(keys, count, key), parts,
                              buckets, key, splitters);
        }
    }
}

/* Points from one to the next that is compared with a near index, to find out whether the points are in some
 * order. */
#define XL_GRID_FAR_OFF_STEP 16384u

/* Whether the cell of p is far from entry b, relative to the size of the table. */
bool xl_grid_is_far_off(const xl_grid_map *map, uint b, float4 p)
{
    return abs_diff(b, xl_grid_bucket(map, xl_grid_cell(map, p))) > map->cells / 8u;
}

/* Build by counting: the table entry of each point, or its bucket, and its rank there. */
__kernel void xl_grid_keys(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                           uint table, uint most_buckets, float4 lower, float4 upper,
                           ulong splitters_at, ulong counts_at, ulong buckets_at, ulong ranks_at)
{
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    xl_grid_map map = xl_grid_load_shape(header, table, n);
    const uint buckets = min(header->buckets, most_buckets);
    XL_FOR_ITEMS(i, map.sparse && buckets == 0 ? 0u : n)
    {
        const float4 p = xl_grid_point(XL_POINTS, (uint)i);
#if XL_BOUNDED
        const bool bad = xl_grid_tell_bad(header, (uint)i, p, lower, upper);
#else
        const bool bad = !xl_float4_finite(p);
#endif
        const uint b =
            !map.sparse
                ? xl_grid_bucket_of(&map, (uint)i, p, bad)
                : xl_grid_bucket_between((__global const xl_grid_key *)(storage + splitters_at),
                                         buckets, xl_grid_key_of(&map, (uint)i, p));
        storage[buckets_at + i] = b;
        storage[ranks_at + i] = atomic_inc(&storage[counts_at + b]);
        if (i % XL_GRID_FAR_OFF_STEP == 0 && !map.sparse &&
            xl_grid_is_far_off(&map, b, xl_grid_point(XL_POINTS, min((uint)i + 64u, n - 1u))))
            atomic_inc(&header->far_off);
    }
}

/* Build by counting: the indices of the points in the order of entries, within an entry in any
 * order. If `flag` is not 0, it marks the first index of each entry. All points have been checked
 * by now, so this also sets `failed`.
 *
 * The places of points in no order lie all over the table, which may be larger than the caches. Such
 * points are therefore read once for each window, one of `windows` ranges of entries. The groups of a
 * window follow those of the window before; there are `windows` times as many as the points need. A
 * work-item takes `items` points. */
__kernel void xl_grid_scatter(__global uint *storage, ulong header_at, uint n, uint table,
                              uint most_buckets, uint flag, ulong starts_at, ulong buckets_at,
                              ulong ranks_at, ulong unordered_at, uint windows, uint items)
{
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const bool counted = header->sparse == 0 || header->buckets > 0;
    const uint last = header->sparse == 0 ? table : most_buckets;
    const uint chunks = (uint)get_num_groups(0) / windows, size = (uint)get_local_size(0);
    const uint window = (uint)get_group_id(0) / chunks, chunk = (uint)get_group_id(0) % chunks;
    const bool in_windows = windows > 1 && header->far_off > n / XL_GRID_FAR_OFF_STEP / 4;
    const uint width = in_windows ? (uint)(min(header->counted, (ulong)table) / windows) + 1u : ~0u;
    const ulong from = (ulong)chunk * items * size + get_local_id(0);
    const ulong end = counted && (in_windows || window == 0)
                          ? min((ulong)n, ((ulong)chunk + 1) * items * size)
                          : 0;
    uint next = from < end ? storage[buckets_at + from] : 0;
    for (ulong i = from; i < end; i += size) {
        const uint b = min(next, last);
        if (i + size < end)
            next = storage[buckets_at + i + size];
        if (b / width == window) {
            const uint rank = storage[ranks_at + i], k = storage[starts_at + b] + rank;
            storage[unordered_at + min(k, n - 1u)] = (uint)i | (rank == 0 ? flag : 0u);
        }
    }
    if (counted && get_global_id(0) == 0)
        header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
}

/* Build by counting, table: writes each point to its place, which is by x within an entry. Overfull
 * entries are listed for the next kernel instead. */
__kernel void xl_grid_order(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                            uint table, uint flag, ulong starts_at, ulong unordered_at,
                            ulong sorted_at, ulong overfull_at, uint overfull_points,
                            uint most_overfull)
{
    __local ulong keys[XL_GROUP];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    const bool dense = header->sparse == 0;
    ulong first = (ulong)get_group_id(0) * size * XL_ITEMS;
    for (uint item = 0; item < XL_ITEMS; ++item, first += size) {
        const xl_grid_cells cells = {
            storage + starts_at, storage + unordered_at, n, flag, overfull_points, keys,
            (uint)first};
        const uint k = (uint)first + lid;
        const bool takes = dense && first + lid < n;
        uint4 sorted_point = 0;
        if (takes) {
            sorted_point = xl_grid_sorted_point(XL_POINTS, xl_grid_unordered(&cells, k));
            keys[lid] = xl_grid_key_in_row(as_float(sorted_point.x), sorted_point.w);
        }
        if (XL_GROUP > 1)
            XL_LOCAL_BARRIER();
        if (takes) {
            const uint i = sorted_point.w;
            uint begin = k, end = k + 1u;
            if (flag != 0) {
                xl_grid_extent(&cells, &begin, &end);
            } else {
                const uint b =
                    xl_grid_entry(header, table, n, i, xl_grid_place_of(XL_POINTS, sorted_point));
                begin = min(cells.starts[b], n);
                end = clamp(cells.starts[b + 1], begin, n);
            }
            if (end - begin <= overfull_points) {
                const uint rank = xl_grid_rank(&cells, XL_POINTS, begin, end, keys[lid]);
                const uint place = min(begin + rank, n - 1u);
#if XL_WRAP
                xl_grid_put_point(storage + sorted_at, n, place, XL_POINTS, i);
#else
                xl_grid_set_sorted(storage + sorted_at, n, place, sorted_point);
#if XL_F64
                xl_grid_set_whole(storage + sorted_at, n, place, xl_grid_coordinates(XL_POINTS, i));
#endif
#if XL_SYSTEMS
                xl_grid_set_system(storage + sorted_at, n, place, XL_POINTS.systems[i]);
#endif
#endif
            } else if (k == begin)
                storage[overfull_at + min(atomic_inc(&header->big), most_overfull - 1u)] =
                    xl_grid_entry(header, table, n, i, xl_grid_place_of(XL_POINTS, sorted_point));
        }
        if (XL_GROUP > 1 && XL_ITEMS > 1)
            XL_LOCAL_BARRIER();
    }
}

/* Build by counting: sorts the overfull entries, or all buckets, one work-group each. */
__kernel void xl_grid_sort_overfull(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                    ulong header_at, uint table, ulong starts_at,
                                    ulong unordered_at, ulong sorted_at, ulong overfull_at,
                                    uint most_overfull, ulong parts_at, uint most_buckets,
                                    uint flag)
{
    __local xl_grid_key keys[XL_GRID_ROOM];
    __local uint
        heads; /* row heads of all cells so far: resetting it for each cell would take a barrier */
    uint before = 0;
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_sorter sorter = {xl_grid_load_shape(header, table, n), XL_POINTS, n, ~flag};
    const bool sparse = sorter.map.sparse;
    const uint cells =
        sparse ? min(header->buckets, most_buckets) : min(header->big, most_overfull);
    if (get_local_id(0) == 0)
        heads = 0;
    XL_LOCAL_BARRIER();
    for (uint c = (uint)get_group_id(0); c < cells; c += (uint)get_num_groups(0)) {
        const uint b = sparse ? c : min(storage[overfull_at + c], table - 1u);
        const uint begin = min(storage[starts_at + b], n);
        const uint end = clamp(storage[starts_at + b + 1], begin, n);
        __global uint *unordered = storage + unordered_at + begin;
        if (end - begin <= XL_GRID_ROOM)
            xl_grid_sort_cell_local(&sorter, unordered, end - begin, keys);
        else
            xl_grid_sort_cell(&sorter, unordered, end - begin);
        XL_FULL_BARRIER();
        xl_grid_put_cell(&sorter, unordered, begin, end, storage + sorted_at, &heads);
        XL_LOCAL_BARRIER();
        const uint after = heads;
        if (sparse && get_local_id(0) == 0)
            xl_grid_tell_part((__global xl_grid_part *)(storage + parts_at) + b, &sorter, unordered,
                              begin, end, after - before);
        before = after;
        XL_FULL_BARRIER();
    }
}

/* Rows in buckets: lists the rows. Any number of groups, which divide the buckets among them. */
__kernel void xl_grid_list_parts(__global uint *storage, ulong header_at, uint n, ulong sorted_at,
                                 ulong parts_at, uint most_buckets, ulong keys_at, ulong begins_at)
{
    __local uint sums[XL_GROUP], bits[XL_GRID_BALLOT_WORDS];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_far_map_of(header);
    const xl_grid_rows rows = {(__global ulong *)(storage + keys_at), storage + begins_at,
                               storage + sorted_at, n};
    const uint buckets = min(header->buckets, most_buckets);
    const uint each = XL_CEIL_DIV(buckets, (uint)get_num_groups(0));
    const uint first = min((uint)get_group_id(0) * each, buckets),
               last = min(first + each, buckets);
    if (first < last) {
        __global const xl_grid_part *parts = (__global const xl_grid_part *)(storage + parts_at);
        const uint begin = min(parts[first].begin, n);
        const uint end = last < buckets ? clamp(parts[last].begin, begin, n) : n;
        const uint before = xl_grid_count_rows(parts, first, sums);
        const uint after = xl_grid_list_rows(&map, &rows, begin, end, before, bits);
        if (last == buckets && get_local_id(0) == 0) {
            header->rows = min(after, n);
            rows.begins[min(after, n)] = n;
        }
    }
}
#endif

/* Gathers an array of the caller, of `words` per element, into the order of the grid. */
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

/* The reverse: scatters an array in the order of the grid into the order of the points as given. */
__kernel void xl_grid_reorder_back(__global const uint *storage, ulong sorted_at, ulong n,
                                   uint words, __global const uint *in, ulong in_at,
                                   __global uint *out, ulong out_at)
{
    XL_FOR_ITEMS(t, n * words)
    {
        const ulong k = t / words, w = t - k * words;
        const ulong i = min((ulong)xl_grid_sorted_index(storage + sorted_at, (uint)n, k), n - 1UL);
        out[out_at + i * words + w] = in[in_at + t];
    }
}
