/* SPDX-License-Identifier: MIT
 * Sample sort for a sparse grid: a sample of the points gives splitters, each point goes to the
 * bucket between two splitters, and each bucket is sorted separately (Frazer and McKellar 1970; on
 * GPUs Leischner, Osipov and Sanders 2010). If the grid turns out to be dense, three launches have
 * nothing to do; for a sort of all keys it would be dozens.
 *
 * The splitters are every XL_GRID_OVERSAMPLING-th key of the sorted sample. Many work-groups rank
 * the keys of the sample: each sorts a part of the sample, counts how many keys in this part are
 * below another key, and adds that to its rank. The work-item that adds the last part writes the
 * splitter. The choice of the sample does not change the result. */
#ifndef XL_GRID_SAMPLE
#define XL_GRID_SAMPLE

#include "grid_points.cl"

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

#endif
