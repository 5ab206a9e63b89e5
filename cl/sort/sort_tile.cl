/* SPDX-License-Identifier: MIT
 * A tile of a sort by merges: xl_tile_sort() sorts it, xl_tile_merge() merges it from two sorted
 * runs. Bitonic networks do so (bitonic_tile.cl); with a comparator, which costs more than moving
 * keys, merge sorts, which are stable. A work-group holds the tile, or one work-item walks it. */
#include "../lane/lane.cl"
#include "sort_arrays.cl"

#if XL_KEY_KIND == 3 && XL_SERIAL
/* For cl/tile/tile_merge.cl: the values, and whether keys are written. */
typedef uint xl_value0;
enum { xl_value0_units = 1 };
#define xl_merge_has_keys(out) (XL_SORT_VALUES < 2 || (out)->keys)
#endif
#include "../tile/tile_merge.cl"

/* ---- sorted runs of keys, which are merged in pairs, and where they are cut ----
 *
 * Each tile of a merge is computed separately. The steps of a bitonic merge that reach farther than
 * a tile only decide which elements go to which tile. On two sorted runs, all comparators of such a
 * step swap on one side of some place, and none swaps on the other side. So this place can be
 * searched for instead (Bilardi and Nicolau, "Adaptive bitonic sorting", SIAM J. Comput. 1989; on a
 * GPU, Peters, Schulz-Hildebrandt and Luttenberger, "A novel sorting algorithm for many-core
 * architectures based on adaptive bitonic sort", IPDPS 2012). The merge path finds the place for
 * all these steps at once. */

/* The pair of runs of length `run` that contains element `at` of n. `run` is a power of two up to
 * 2^31, so 2 * run may wrap to 0. */
uint xl_runs_begin(uint at, uint run)
{
    return at & ~(2u * run - 1u);
}

xl_runs xl_runs_at(__global const XL_KEY *keys, uint begin, uint n, uint run)
{
    xl_runs runs;
    runs.first_length = min(run, n - begin);
    runs.second_length = min(run, n - begin - runs.first_length);
    runs.begin = 0;
    runs.first = keys + begin;
    runs.second = keys + begin + runs.first_length;
    return runs;
}

/* 1: the word beside a key is its place in the tile, which orders equal keys and later fetches the
 * value. Indices order equal keys themselves. */
#define XL_SORT_PLACES (XL_SORT_VALUES && XL_SORT_STABLE && !XL_SORT_INDICES)

/* Where the element at `position` of a tile comes from, relative to the first run: the part of the
 * second run comes first, descending, then the part of the first run, ascending. */
uint xl_merge_partition_source(const xl_runs *runs, const xl_merge_partition *partition,
                               uint position)
{
    if (position < partition->from_second)
        return runs->first_length + partition->second_begin +
               (partition->from_second - 1u - position);
    return partition->first_begin + (position - partition->from_second);
}

#if XL_SORT_PLACES
/* The place of that element in the order of equal keys: the first run, then the second. */
uint xl_merge_partition_place(const xl_merge_partition *partition, uint position)
{
    return position < partition->from_second
               ? partition->from_first + partition->from_second - 1u - position
               : position - partition->from_second;
}

/* Where the element at this place comes from. */
uint xl_merge_place_source(const xl_runs *runs, const xl_merge_partition *partition, uint place)
{
    return place < partition->from_first
               ? partition->first_begin + place
               : runs->first_length + partition->second_begin + (place - partition->from_first);
}
#endif

/* ---- the search by a work-group ---- */

/* Words of local memory for the search: two votes per work-item, and two answers. */
#define XL_SORT_SEARCH (2 * XL_SORT_GROUP + 2)

/* Searches the cuts for d and for d + count. In each round 2^search_log - 1 work-items, which must
 * exist, test evenly spaced places for each cut, and the ranges become 2^search_log times
 * shorter. */
xl_merge_partition xl_tile_merge_partition(const xl_runs *runs, uint d, uint count, uint search_log,
                                           __local uint *search)
{
    __local uint *answer = search + 2 * XL_SORT_GROUP;
    const uint w = (uint)get_local_id(0), searchers = (1u << search_log) - 1u;
    const uint ends[2] = {d, d + count};
    uint low[2], high[2], step[2];
#pragma unroll
    for (uint side = 0; side < 2; ++side) {
        low[side] = xl_merge_path_low(runs, ends[side]);
        high[side] = xl_merge_path_high(runs, ends[side]);
    }
    for (uint length = max(high[0] - low[0], high[1] - low[1]); length > 0; length >>= search_log) {
        bool takes[2];
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            step[side] = ((high[side] - low[side]) >> search_log) + 1u;
            uint place = low[side] + step[side] * (w + 1u) - 1u;
            takes[side] =
                w < searchers && place < high[side] && xl_merge_path_takes(runs, ends[side], place);
            search[2u * w + side] = takes[side];
        }
        XL_LOCAL_BARRIER();
        /* Votes change from 1 to 0 once: the work-item with the last 1 knows how many there are. */
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            if (takes[side] && (w == XL_SORT_GROUP - 1u || search[2u * (w + 1u) + side] == 0))
                answer[side] = w + 1u;
            if (!takes[side] && w == 0)
                answer[side] = 0;
        }
        XL_LOCAL_BARRIER();
#pragma unroll
        for (uint side = 0; side < 2; ++side) {
            low[side] += step[side] * answer[side];
            high[side] = min(high[side], low[side] + step[side] - 1u);
        }
    }
    return xl_merge_partition_of(d, count, low[0], low[1]);
}

#if XL_KEY_KIND == 3 && XL_SERIAL
/* ---- a tile of a sort by a comparator, by one work-item ---- */

/* For devices whose work-items run one after another: a merge sort, from one side to the other in
 * the nearest cache. A comparator that is no order leaves the keys in some order. */
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
#elif XL_KEY_KIND == 3
/* ---- a tile of a sort by a comparator, by a work-group ---- */

/* The keys stay where they are in local memory, whatever their size. Their places are sorted and
 * merged; each work-item holds some of these in registers (Green, McColl and Bader, "GPU merge
 * path", ICS 2012).
 *
 * With XL_SORT_PACKED the tile has keys of several segments. The upper half of a place then says
 * where in the tile its segment begins.
 *
 * If the comparator is not an order, the places are in an unspecified order. */
#if (1 << XL_SORT_GROUP_LOG) != XL_SORT_GROUP
#error "XL_SORT_GROUP must be 2 to the power of XL_SORT_GROUP_LOG"
#endif

#define XL_SORT_ITEMS (1 << XL_SORT_ITEMS_LOG)
#define XL_SORT_TILE (XL_SORT_GROUP * XL_SORT_ITEMS)
#define XL_SORT_LOCAL XL_SORT_TILE

/* The group's local memory: keys, and places among them. */
typedef struct xl_sort_local {
    __local XL_KEY *key;
    __local uint *place;
} xl_sort_local;

/* Adjacent sorted runs of the tile's places: [begin, middle) and [middle, end). */
typedef struct xl_place_runs {
    uint begin, middle, end;
} xl_place_runs;

#if XL_SORT_PACKED && XL_SORT_GROUP_LOG + XL_SORT_ITEMS_LOG > 16
#error "XL_SORT_TILE: at most 2^16 elements if XL_SORT_PACKED is 1, because a place has 16 bits"
#endif

/* The place without its segment. */
uint xl_place_at(uint place)
{
    return XL_SORT_PACKED ? place & 0xffffu : place;
}

XL_KEY xl_place_key(xl_sort_local tile, uint place)
{
    return tile.key[xl_place_at(place)];
}

/* Whether the second place comes before the first, so that they must be exchanged. */
bool xl_place_after(xl_sort_local tile, uint first, uint second)
{
#if XL_SORT_PACKED
    const uint segment = first >> 16, other = second >> 16;
    if (segment != other)
        return segment > other;
#endif
    return xl_key_before(xl_place_key(tile, second), xl_place_key(tile, first));
}

/* How many of the first d places of a merge come from the first run, as in
 * xl_merge_path_search(). */
uint xl_place_search(xl_sort_local tile, const xl_place_runs *runs, uint d)
{
    const uint first_length = runs->middle - runs->begin, second_length = runs->end - runs->middle;
    uint low = d > second_length ? d - second_length : 0, high = min(d, first_length);
    while (low < high) {
        const uint middle = (low + high) / 2u;
        if (xl_place_after(tile, tile.place[runs->begin + middle],
                           tile.place[runs->middle + d - 1u - middle]))
            high = middle;
        else
            low = middle + 1u;
    }
    return low;
}

/* The places of a work-item in the merge of two runs, from number d on; unspecified after the
 * end. */
void xl_place_merge(xl_sort_local tile, const xl_place_runs *runs, uint d, uint *places)
{
    d = min(d, runs->end - runs->begin);
    uint i = runs->begin + xl_place_search(tile, runs, d);
    uint j = runs->middle + (runs->begin + d - i);
    uint a = tile.place[min(i, XL_SORT_TILE - 1u)], b = tile.place[min(j, XL_SORT_TILE - 1u)];
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const bool has_both = i < runs->middle && j < runs->end;
        const bool second = has_both ? xl_place_after(tile, a, b) : i >= runs->middle;
        places[e] = second ? b : a;
        i += !second;
        j += second;
        const uint next = tile.place[min(second ? j : i, XL_SORT_TILE - 1u)];
        a = second ? a : next;
        b = second ? next : b;
    }
}

/* Stores the places of this work-item in local memory. */
void xl_place_put(xl_sort_local tile, const uint *places)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        tile.place[(uint)get_local_id(0) * XL_SORT_ITEMS + e] = places[e];
    XL_LOCAL_BARRIER();
}

/* Sorts the places of a work-item, of which `count` exist, by odd-even transposition: the
 * comparators are known at compile time. */
void xl_place_sort(xl_sort_local tile, uint *places, uint count)
{
#pragma unroll
    for (uint round = 0; round < XL_SORT_ITEMS; ++round) {
#pragma unroll
        for (uint e = round & 1u; e + 1u < XL_SORT_ITEMS; e += 2) {
            const uint first = places[e], second = places[e + 1u];
            const bool swap = e + 1u < count && xl_place_after(tile, first, second);
            places[e] = swap ? second : first;
            places[e + 1u] = swap ? first : second;
        }
    }
}

/* Writes keys in the order of places; adjacent work-items write adjacent keys. */
void xl_place_write(xl_sort_local tile, xl_sort_out out, uint first, uint count)
{
    if (!xl_sort_has_keys(out))
        return;
    for (uint at = (uint)get_local_id(0); at < count; at += XL_SORT_GROUP)
        out.keys[first + at] = xl_place_key(tile, tile.place[at]);
}

/* Loads the keys of elements [first, first + count) into local memory. */
void xl_tile_load(xl_sort_in in, uint first, uint count, xl_sort_local tile)
{
    for (uint at = (uint)get_local_id(0); at < count; at += XL_SORT_GROUP)
        tile.key[at] = in.keys[first + at];
    /* In place, other work-items write where this one has read. */
    XL_FULL_BARRIER();
}

/* Sorts the places of all work-items, of which `count` exist, and leaves them in local memory. */
void xl_places_sort(xl_sort_local tile, uint *places, uint count)
{
    const uint mine = (uint)get_local_id(0) * XL_SORT_ITEMS;
    xl_place_sort(tile, places, count - min(mine, count));
    xl_place_put(tile, places);
#pragma unroll 1
    for (uint run = XL_SORT_ITEMS; run < XL_SORT_TILE; run *= 2u) {
        const uint begin = xl_runs_begin(mine, run);
        const xl_place_runs runs = {min(begin, count), min(begin + run, count),
                                    min(begin + 2u * run, count)};
        xl_place_merge(tile, &runs, mine - begin, places);
        XL_LOCAL_BARRIER();
        xl_place_put(tile, places);
    }
}

/* Writes the keys and values of elements [first, first + count) in the order of places. */
void xl_places_write(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local tile)
{
    xl_place_write(tile, out, first, count);
#if XL_SORT_VALUES
    const uint w = (uint)get_local_id(0);
    uint values[XL_SORT_ITEMS];
    /* In place, all values are read before any is written. */
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w + e * XL_SORT_GROUP;
        if (at < count)
            values[e] = xl_sort_value(in, first + xl_place_at(tile.place[at]), true);
    }
    XL_FULL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = w + e * XL_SORT_GROUP;
        if (at < count)
            out.values[first + at] = values[e];
    }
#endif
}

/* Sorts elements [first, first + count) of the input into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local tile)
{
    uint places[XL_SORT_ITEMS];
    xl_tile_load(in, first, count, tile);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        places[e] = (uint)get_local_id(0) * XL_SORT_ITEMS + e;
    xl_places_sort(tile, places, count);
    xl_places_write(in, out, first, count, tile);
}

/* Computes elements [first, first + count) of the output, the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   uint search_log, xl_sort_local tile, __local uint *search)
{
    const uint w = (uint)get_local_id(0), begin = xl_runs_begin(first, run);
    const xl_runs runs = xl_runs_at(in.keys, begin, n, run);
    const xl_merge_partition partition =
        xl_tile_merge_partition(&runs, first - begin, count, search_log, search);
    /* Where elements come from: the part of the first run, then that of the second. */
    const uint first_from = begin + partition.first_begin;
    const uint second_from = begin + runs.first_length + partition.second_begin;
    const xl_place_runs parts = {0, partition.from_first, count};
    uint places[XL_SORT_ITEMS];
    for (uint at = w; at < count; at += XL_SORT_GROUP) {
        const bool second = at >= partition.from_first;
        tile.key[at] =
            in.keys[second ? second_from + (at - partition.from_first) : first_from + at];
        tile.place[at] = at;
    }
    XL_LOCAL_BARRIER();
    xl_place_merge(tile, &parts, w * XL_SORT_ITEMS, places);
    XL_LOCAL_BARRIER();
    xl_place_put(tile, places);
    xl_place_write(tile, out, first, count);
#if XL_SORT_VALUES
    for (uint at = w; at < count; at += XL_SORT_GROUP) {
        const uint place = tile.place[at];
        const bool second = place >= partition.from_first;
        out.values[first + at] =
            in.values[second ? second_from + (place - partition.from_first) : first_from + place];
    }
#endif
}
#else
#include "bitonic_tile.cl"
#endif

/* Local memory of a tile, which a kernel must declare: keys and, if there are values or places,
 * words beside them. */
#if XL_KEY_KIND == 3
#define XL_SORT_LOCAL_KEY XL_KEY
#else
#define XL_SORT_LOCAL_KEY XL_ORDINAL
#endif
#define XL_SORT_HAS_WORDS (XL_SORT_VALUES || (!XL_SERIAL && XL_KEY_KIND == 3))
#define XL_SORT_DECLARE_LOCAL                                                                      \
    __local XL_SORT_LOCAL_KEY local_keys[XL_SORT_LOCAL];                                           \
    __local uint local_words[XL_SORT_HAS_WORDS ? XL_SORT_LOCAL : 1];                               \
    const xl_sort_local tile = {local_keys, local_words};
