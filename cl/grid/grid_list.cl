/* SPDX-License-Identifier: MIT
 * Builds by counting: the splitters of buckets, the order of the points of a cell or bucket, and
 * the list of rows.
 *
 * A sparse grid is sorted by samples: a sample of the points gives splitters, each point goes to
 * the bucket between two splitters, and each bucket is sorted separately (Frazer and McKellar 1970;
 * on GPUs Leischner, Osipov and Sanders 2010). If the grid turns out to be dense, three launches
 * have nothing to do; for a sort of all keys it would be dozens.
 *
 * In a cell of few points, each point counts the smaller keys. For other cells and for buckets, a
 * work-group runs Batcher's bitonic network (1968) with mirrored first steps. All its comparators
 * move the larger element up, so elements beyond the end would never move: no padding is needed. It
 * runs in local memory if there is room. */
#ifndef XL_GRID_LIST
#define XL_GRID_LIST

#include "../group/group_ballot.cl"
#include "../group/group_network.cl"
#include "grid_points.cl"

/* ---- splitters --------------------------------------------------------------------------- */

/* The splitters are every XL_GRID_OVERSAMPLING-th key of the sorted sample. Many work-groups rank
 * the keys of the sample: each sorts a part of the sample, counts how many keys in this part are
 * below another key, and adds that to its rank. The work-item that adds the last part writes the
 * splitter. The choice of the sample does not change the result. */

/* Sample keys per bucket: the more, the more equal the buckets. */
#define XL_GRID_OVERSAMPLING 4u
/* Keys in a part of the sample, which a work-group sorts. */
#define XL_GRID_COMPARED 1024u
/* Bits of a rank, which is below 2^20. The bits above count the parts that were added. */
#define XL_GRID_PLACE_BITS 20u

/* The order of points in a row: by x, with -0 before 0, then by index. */
ulong xl_grid_key_in_row(float x, uint i)
{
    return (ulong)xl_grid_to_ordered(x) << 32 | i;
}

xl_grid_key xl_grid_key_of(const xl_grid_map *map, uint i, float4 p)
{
    const int4 cell = xl_grid_far_cell(map, p);
    return (xl_grid_key)(xl_grid_row_key(cell.y, cell.z), xl_grid_key_in_row(p.x, i));
}

bool xl_grid_key_less(xl_grid_key a, xl_grid_key b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

xl_grid_key xl_grid_sample_key(const xl_grid_map *map, xl_points points, uint k, uint sample,
                               uint n)
{
    const uint i = xl_grid_sampled(k, sample, n);
    return xl_grid_key_of(map, i, xl_grid_point(points, i));
}

/* How many of n sorted keys are below `key`. */
uint xl_grid_count_below(__local const xl_grid_key *keys, uint n, xl_grid_key key)
{
    uint low = 0, high = n;
    while (low < high) {
        const uint middle = low + (high - low) / 2u;
        if (xl_grid_key_less(keys[middle], key))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* Adds the count of one part to the rank of a key. After the last part, if the rank is a
 * splitter's, the key becomes this splitter. */
void xl_grid_add_place(__global uint *tally, uint below, uint parts, uint buckets, xl_grid_key key,
                       __global xl_grid_key *splitters)
{
    const uint sum = atomic_add(tally, below | 1u << XL_GRID_PLACE_BITS) + below;
    const uint place = sum & ((1u << XL_GRID_PLACE_BITS) - 1u);
    if (sum >> XL_GRID_PLACE_BITS == parts - 1u && place % XL_GRID_OVERSAMPLING == 0)
        splitters[min(place / XL_GRID_OVERSAMPLING, buckets - 1u)] = key;
}

/* The bucket of a key: the number of splitters, not counting the first, that are not above it. */
uint xl_grid_bucket_between(__global const xl_grid_key *splitters, uint buckets, xl_grid_key key)
{
    uint low = 0, high = buckets - 1u;
    while (low < high) {
        const uint middle = low + (high - low + 1u) / 2u;
        if (xl_grid_key_less(key, splitters[middle]))
            high = middle - 1u;
        else
            low = middle;
    }
    return low;
}

/* ---- cells and buckets ------------------------------------------------------------------- */

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

/* ---- rows -------------------------------------------------------------------------------- */

/* Each bucket records its first and last row and how many rows begin inside it, so a work-group can
 * compute the number of its first row. */

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
