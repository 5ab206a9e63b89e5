/* SPDX-License-Identifier: MIT
 * A tile of a sort by a comparator, by a work-group. The keys stay where they are in local memory,
 * whatever their size. Their places are sorted and merged; each work-item holds some of these in
 * registers (Green, McColl and Bader, "GPU merge path", ICS 2012). The sort is stable.
 *
 * With XL_SORT_PACKED the tile has keys of several segments. The upper half of a place then says
 * where in the tile its segment begins.
 *
 * If the comparator is not an order, the places are in an unspecified order. */
#include "merge_runs.cl"

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
