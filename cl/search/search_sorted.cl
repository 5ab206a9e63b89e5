/* SPDX-License-Identifier: MIT
 * Places of queries in a sorted array, by binary search. A work-item searches for several queries
 * at once, in the same number of steps and without branches, so that their loads overlap.
 *
 * If work-items run one after another, each searches for a chunk of queries. While the queries
 * rise, it continues at the last place: steps of doubling length find how far the greatest of the
 * next queries is, and these are searched for in that part (Bentley and Yao, "An almost optimal
 * algorithm for unbounded searching", Information Processing Letters 1976). If the keys are not
 * sorted, the places are some numbers from 0 to n. */
#include "../prelude/prelude.cl"

#include "../prelude/prelude_key.cl"

#if XL_SEARCH_WIDE
#define XL_PLACE ulong
#else
#define XL_PLACE uint
#endif

/* The numbers of keys and queries. There is no barrier, so that work-items may read different ones
 * if another kernel changes them concurrently. */
#define XL_SEARCH_LENGTHS                                                                          \
    ulong n, __global const ulong *n_device, ulong n_offset, ulong num_queries,                    \
        __global const ulong *num_queries_device, ulong num_queries_offset
#define XL_SEARCH_READ_LENGTHS                                                                     \
    n = n_device ? min(n, n_device[n_offset]) : n;                                                 \
    num_queries = num_queries_device ? min(num_queries, num_queries_device[num_queries_offset])    \
                                     : num_queries;

/* Whether a key comes before the place of a query. */
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

/* A number of keys, from `keys` on and at most `rest`, behind which the place of the query does not
 * lie. */
XL_PLACE xl_search_reach(__global const XL_KEY *keys, XL_PLACE rest, XL_ORDINAL query)
{
    XL_PLACE reach = XL_SEARCH_ITEMS;
    while (reach < rest && xl_search_before(keys[reach - 1], query))
        reach = reach > rest / 2 ? rest : 2 * reach;
    return min(reach, rest);
}

/* Work-item g searches for chunk g of the queries. `chunk` is a multiple of XL_SEARCH_ITEMS. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
xl_search_keys(XL_SEARCH_LENGTHS, ulong chunk, __global const XL_KEY *keys, ulong keys_offset,
               __global const XL_KEY *queries, ulong queries_offset, __global XL_PLACE *places_out,
               ulong places_offset)
{
    XL_SEARCH_READ_LENGTHS
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

/* A group searches for XL_SEARCH_ITEMS queries for each work-item; adjacent work-items have
 * adjacent queries. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_search_keys(XL_SEARCH_LENGTHS, __global const XL_KEY *keys, ulong keys_offset,
               __global const XL_KEY *queries, ulong queries_offset, __global XL_PLACE *places_out,
               ulong places_offset)
{
    XL_SEARCH_READ_LENGTHS
    const ulong first = get_group_id(0) * (XL_GROUP_SIZE * XL_SEARCH_ITEMS) + get_local_id(0);
    XL_ORDINAL query[XL_SEARCH_ITEMS];
    XL_PLACE places[XL_SEARCH_ITEMS];
    if (first >= num_queries)
        return;
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
