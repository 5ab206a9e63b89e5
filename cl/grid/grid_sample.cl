/* SPDX-License-Identifier: MIT
 * Listed rows without a sort of all keys: points are put into buckets between splitters, which a
 * sample of the points gives, and each bucket is sorted on its own (Frazer and McKellar 1970; on
 * GPUs Leischner, Osipov and Sanders 2010). So a build that turns out to need no list has launched
 * three kernels in vain, not dozens.
 *
 * The splitters are every XL_GRID_OVERSAMPLING-th of the sample in order. A key's place in it is
 * found by many work-groups at once, each of which sorts a part of it: whoever adds the last part
 * of a place puts the splitter there. Which points are in the sample has no part in the result. */
#ifndef XL_GRID_SAMPLE
#define XL_GRID_SAMPLE

#include "grid_points.cl"

/* Buckets differ in size less, the more of the sample stands for each. */
#define XL_GRID_OVERSAMPLING 4u
/* Keys of the sample that a work-group sorts, to see how many of them are below each key. */
#define XL_GRID_COMPARED 1024u
/* Places are below 2^20, parts that were added in the bits above. */
#define XL_GRID_PLACE_BITS 20u

xl_grid_key xl_grid_key_of(const xl_grid_map *map, uint i, float4 p)
{
    const int4 cell = xl_grid_far_cell(map, p);
    return (xl_grid_key)(xl_grid_row_key(cell.y, cell.z), (ulong)xl_grid_to_ordered(p.x) << 32 | i);
}

bool xl_grid_key_less(xl_grid_key a, xl_grid_key b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

/* Point k of a sample of so many: one of each stretch of the points. */
uint xl_grid_sampled(uint k, uint sample, uint n)
{
    const uint stretch = max(n / max(sample, 1u), 1u);
    return min(k * stretch + (k * 2654435761u >> 7) % stretch, n - 1u);
}

xl_grid_key xl_grid_sample_key(const xl_grid_map *map, xl_points points, uint k, uint sample,
                               uint n)
{
    const uint i = xl_grid_sampled(k, sample, n);
    return xl_grid_key_of(map, i, xl_grid_point(points, i));
}

/* Of n keys in order those below `key`. */
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

/* Adds to the place of one key; if it is all there, and a splitter's, the key is that. */
void xl_grid_add_place(__global uint *tally, uint below, uint parts, uint buckets, xl_grid_key key,
                       __global xl_grid_key *splitters)
{
    const uint sum = atomic_add(tally, below | 1u << XL_GRID_PLACE_BITS) + below;
    const uint place = sum & ((1u << XL_GRID_PLACE_BITS) - 1u);
    if (sum >> XL_GRID_PLACE_BITS == parts - 1u && place % XL_GRID_OVERSAMPLING == 0)
        splitters[min(place / XL_GRID_OVERSAMPLING, buckets - 1u)] = key;
}

/* The bucket of a key: how many splitters behind the first are not above it. */
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
