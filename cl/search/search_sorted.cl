/* SPDX-License-Identifier: MIT
 * Places of queries in a sorted array, by binary search. Several queries are searched side by side
 * and in the same number of steps, none of which is a branch: a step waits for memory once for all
 * of them.
 *
 * Where work-items run one after another, one takes a chunk of queries. As long as these rise it
 * goes on from the last place: by steps that double it finds how far the greatest of the next few
 * is, and searches these only there (Bentley and Yao, "An almost optimal algorithm for unbounded
 * searching", Information Processing Letters 1976). Keys that are not in order give some places of
 * the array, or its end. */
#include "../prelude/prelude.cl"

#include "../prelude/prelude_key.cl"

#if XL_SEARCH_WIDE
#define XL_PLACE ulong
#else
#define XL_PLACE uint
#endif

/* Whether a key comes before the place that is asked for. */
bool xl_search_before(XL_KEY key, XL_ORDINAL query)
{
    return XL_SEARCH_UPPER ? xl_key_map(key) <= query : xl_key_map(key) < query;
}

/* Places of XL_SEARCH_ITEMS queries among the keys [low, low + length). */
void xl_search_places(__global const XL_KEY *keys, XL_PLACE low, XL_PLACE length,
                      const XL_ORDINAL *queries, XL_PLACE *places)
{
#pragma unroll
    for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
        places[e] = low;
    while (length > 1) {
        const XL_PLACE half_length = length / 2;
#pragma unroll
        for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
            places[e] +=
                xl_search_before(keys[places[e] + (half_length - 1)], queries[e]) ? half_length : 0;
        length -= half_length;
    }
    if (length == 1) {
#pragma unroll
        for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
            places[e] += xl_search_before(keys[places[e]], queries[e]);
    }
}

#if XL_SERIAL

/* How many of `rest` keys from `keys` on are to be searched for a query that is not among those
 * before them. */
XL_PLACE xl_search_reach(__global const XL_KEY *keys, XL_PLACE rest, XL_ORDINAL query)
{
    XL_PLACE reach = XL_SEARCH_ITEMS;
    while (reach < rest && xl_search_before(keys[reach - 1], query))
        reach = reach > rest / 2 ? rest : 2 * reach;
    return min(reach, rest);
}

/* Work-item g takes the g-th `chunk` queries, a multiple of XL_SEARCH_ITEMS. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
xl_search_keys(ulong n, ulong num_queries, ulong chunk, __global const XL_KEY *keys,
               ulong keys_offset, __global const XL_KEY *queries, ulong queries_offset,
               __global XL_PLACE *places_out, ulong places_offset)
{
    const ulong first = get_group_id(0) * chunk, end = min(first + chunk, num_queries);
    XL_ORDINAL query[XL_SEARCH_ITEMS], last_query = 0;
    XL_PLACE places[XL_SEARCH_ITEMS], last = 0;
    keys += keys_offset;
    queries += queries_offset;
    places_out += places_offset;
    for (ulong at = first; at < end; at += XL_SEARCH_ITEMS) {
        bool rises = true;
#pragma unroll
        for (uint e = 0; e < XL_SEARCH_ITEMS; ++e) {
            query[e] = xl_key_map(queries[min(at + e, end - 1)]);
            rises &= last_query <= query[e];
            last_query = query[e];
        }
        const XL_PLACE low = rises ? last : 0, rest = (XL_PLACE)n - low;
        xl_search_places(keys, low, rises ? xl_search_reach(keys + low, rest, last_query) : rest,
                         query, places);
        last = places[XL_SEARCH_ITEMS - 1];
        for (uint e = 0; e < min((ulong)XL_SEARCH_ITEMS, end - at); ++e)
            places_out[at + e] = places[e];
    }
}

#else

/* A group takes XL_SEARCH_ITEMS queries for each work-item, neighbours for neighbours. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_search_keys(ulong n, ulong num_queries, __global const XL_KEY *keys, ulong keys_offset,
               __global const XL_KEY *queries, ulong queries_offset, __global XL_PLACE *places_out,
               ulong places_offset)
{
    const ulong first = get_group_id(0) * (XL_GROUP_SIZE * XL_SEARCH_ITEMS) + get_local_id(0);
    XL_ORDINAL query[XL_SEARCH_ITEMS];
    XL_PLACE places[XL_SEARCH_ITEMS];
#pragma unroll
    for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
        query[e] = xl_key_map(
            queries[queries_offset + min(first + e * (ulong)XL_GROUP_SIZE, num_queries - 1)]);
    xl_search_places(keys + keys_offset, 0, (XL_PLACE)n, query, places);
#pragma unroll
    for (uint e = 0; e < XL_SEARCH_ITEMS; ++e)
        if (first + e * (ulong)XL_GROUP_SIZE < num_queries)
            places_out[places_offset + first + e * (ulong)XL_GROUP_SIZE] = places[e];
}

#endif
