/* SPDX-License-Identifier: MIT
 * One tile of a sort by a comparator, by one work-item, for devices whose work-items run one after
 * another: a merge sort, from one side to the other in the nearest cache. Equal keys stay in order.
 * A comparator that is no order leaves the keys in some order. */
/* The values, for cl/prelude/prelude_values.cl. */
typedef uint xl_value0;
enum { xl_value0_units = 1 };

#include "../tile/tile_merge_arrays.cl"

bool xl_merge_has_keys(const xl_merge_out *out)
{
    return XL_SORT_VALUES < 2 || out->keys;
}
#include "../tile/tile_merge_serial.cl"
#include "merge_runs.cl"

#if XL_SORT_GROUP != 1
#error "XL_SORT_GROUP must be 1, because one work-item walks a tile"
#endif

#define XL_SORT_TILE (1 << XL_SORT_TILE_LOG)
/* Two buffers. */
#define XL_SORT_LOCAL (2 * XL_SORT_TILE)
/* Length of a run that is sorted by insertion. */
#define XL_SORT_INSERTED 8

/* Keys and, if there are values, where they come from. */
typedef struct xl_sort_local {
    __local XL_KEY *key;
    __local uint *place;
} xl_sort_local;

xl_sort_local xl_sort_side(xl_sort_local tile, uint side)
{
    xl_sort_local at;
    at.key = tile.key + side * XL_SORT_TILE;
    at.place = tile.place + (XL_SORT_VALUES ? side * XL_SORT_TILE : 0);
    return at;
}

void xl_sort_set(xl_sort_local to, uint at, xl_sort_local from, uint source)
{
    to.key[at] = from.key[source];
#if XL_SORT_VALUES
    to.place[at] = from.place[source];
#endif
}

/* Sorts keys [begin, end) of the input, counted from `first`, into the tile, by insertion. */
void xl_sort_insert(xl_sort_in in, uint first, xl_sort_local tile, uint begin, uint end)
{
    for (uint i = begin; i < end; ++i) {
        const XL_KEY key = in.keys[first + i];
        uint at = i;
        for (; at > begin && xl_key_before(key, tile.key[at - 1u]); --at)
            xl_sort_set(tile, at, tile, at - 1u);
        tile.key[at] = key;
#if XL_SORT_VALUES
        tile.place[at] = i;
#endif
    }
}

/* Merges the sorted runs [begin, middle) and [middle, end). While both runs have keys, no branch
 * depends on keys. */
void xl_sort_merge_runs(xl_sort_local from, xl_sort_local to, uint begin, uint middle, uint end)
{
    uint i = begin, j = middle, at = begin;
    for (uint steps = min(middle - i, end - j); steps > 0; steps = min(middle - i, end - j))
        for (const uint stop = at + steps; at < stop; ++at) {
            const XL_KEY a = from.key[i], b = from.key[j];
            const uint second = xl_key_before(b, a);
            to.key[at] = second ? b : a;
#if XL_SORT_VALUES
            to.place[at] = from.place[second ? j : i];
#endif
            i += 1u - second;
            j += second;
        }
    for (; i < middle; ++i, ++at)
        xl_sort_set(to, at, from, i);
    for (; j < end; ++j, ++at)
        xl_sort_set(to, at, from, j);
}

/* Sorts elements [first, first + count) of the input into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local tile)
{
    uint side = 0;
    for (uint begin = 0; begin < count; begin += XL_SORT_INSERTED)
        xl_sort_insert(in, first, tile, begin, min(begin + XL_SORT_INSERTED, count));
    for (uint run = XL_SORT_INSERTED; run < count; run *= 2u) {
        const xl_sort_local from = xl_sort_side(tile, side), to = xl_sort_side(tile, 1u - side);
        for (uint begin = 0; begin < count; begin += 2u * run)
            xl_sort_merge_runs(from, to, begin, min(begin + run, count),
                               min(begin + 2u * run, count));
        side = 1u - side;
    }
    const xl_sort_local sorted = xl_sort_side(tile, side);
    if (xl_sort_has_keys(out))
        for (uint i = 0; i < count; ++i)
            out.keys[first + i] = sorted.key[i];
#if XL_SORT_VALUES
    /* In place, all values are read before any is written. */
    const xl_sort_local other = xl_sort_side(tile, 1u - side);
    for (uint i = 0; i < count; ++i)
        other.place[i] = xl_sort_value(in, first + sorted.place[i], true);
    for (uint i = 0; i < count; ++i)
        out.values[first + i] = other.place[i];
#endif
}

/* Computes elements [first, first + count) of the output, the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   uint search_log, xl_sort_local tile, __local uint *search)
{
    const uint begin = xl_runs_begin(first, run);
    xl_merge_in runs;
    xl_merge_out merged;
    runs.keys = xl_runs_at(in.keys, begin, n, run);
    merged.keys = xl_sort_has_keys(out) ? out.keys + begin : 0;
#if XL_SORT_VALUES
    runs.first_values0 = in.values + begin;
    runs.second_values0 = runs.first_values0 + runs.keys.first_length;
    merged.values0 = out.values + begin;
#endif
    xl_merge_chunk(runs, &merged, first - begin, count);
}
