/* SPDX-License-Identifier: MIT
 * The kernels of the search for the k nearest points. Queries are processed in the order of the
 * index, or as given, so that the work-items of a group read the same sorted points. Results are
 * written in the order of the caller's points or queries.
 *
 * Each array is followed by its offset in elements. If the stamp in the header of the index differs
 * from the host's, the index was not built or was overwritten, and counts as failed. */
#include "nearest_block.cl"
#include "nearest_walk.cl"

/* The index in all places of a row whose search was given up. */
#define XL_NEAREST_GIVEN_UP (UINT_MAX - 1u)

/* Writes a row, from place `at` on. Empty slots become index UINT_MAX and distance infinity. */
void xl_nearest_put(const xl_nearest_list *list, xl_nearest_item limit, __global uint *indices,
                    __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        indices[at + (j)] = xl_nearest_less(xl_nearest_at(list, XL_NEAREST_AT(j)), limit)          \
                                ? xl_nearest_index(xl_nearest_at(list, XL_NEAREST_AT(j)))          \
                                : UINT_MAX;
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    if (distances2) {
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        distances2[at + (j)] = xl_nearest_less(xl_nearest_at(list, XL_NEAREST_AT(j)), limit)       \
                                   ? xl_nearest_distance2(xl_nearest_at(list, XL_NEAREST_AT(j)))   \
                                   : INFINITY;
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    }
}

void xl_nearest_give_up(__global uint *indices, __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        indices[at + (j)] = XL_NEAREST_GIVEN_UP;                                                   \
        if (distances2)                                                                            \
            distances2[at + (j)] = NAN;                                                            \
    }
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
}

/* Counts the rows whose search was given up into found[0], and the rows with fewer than k points
 * into found[2]; found[1] is the first row that was given up. */
__kernel void xl_nearest_check(__global uint *found, __global const uint *indices, ulong indices_at,
                               uint n)
{
    indices += indices_at;
    XL_FOR_ITEMS(i, n)
    {
        if (indices[i * XL_K] == XL_NEAREST_GIVEN_UP) {
            atomic_inc(found);
            atomic_min(found + 1, (uint)i);
        } else if (indices[i * XL_K + XL_K - 1] == UINT_MAX) {
            atomic_inc(found + 2);
        }
    }
}

/* Searches for query k alone. */
void xl_nearest_row(const xl_search *s, xl_nearest_list *list, uint k, const xl_nearest_rows *rows)
{
    const xl_nearest_item limit = xl_nearest_limit(s->radius2);
    xl_query query;
    uint i = k;
    bool searches = false, found = true;
    xl_nearest_clear(list, limit);
    if (!s->map.failed) {
        query = xl_query_load(s, k);
        i = query.self.w;
        searches = i - rows->first < rows->num && xl_real4_finite(xl_site_position(query.self));
    }
    if (xl_nearest_agree(list, (uint2)(searches)).x)
        found = xl_nearest_find(s, &query, list);
    const uint row = i - rows->first;
    if (row >= rows->num)
        return;
    if (found)
        xl_nearest_put(list, limit, rows->indices, rows->distances2, (ulong)row * XL_K);
    else
        xl_nearest_give_up(rows->indices, rows->distances2, (ulong)row * XL_K);
}

#if XL_WALK > 0
/* Searches for the queries of turn t. */
__attribute__((noinline)) void xl_nearest_turn(const xl_search *s, uint t,
                                               const xl_nearest_rows *rows)
{
    XL_NEAREST_LIST(list)
    xl_walk walk = xl_walk_turn(s, t);
    xl_search around = *s;
    around.reach = 0;
    while (walk.at + walk.queries < walk.last) {
        uint left = UINT_MAX;
        if (s->map.failed)
            walk.queries = 1;
        else
            left = xl_nearest_block_find(&walk, s, &around, rows);
        for (uint j = 0; j < walk.queries; ++j)
            if (left >> j & 1)
                xl_nearest_row(s, list, walk.at + j, rows);
        walk.at += s->map.failed ? walk.queries : 0;
        walk.queries = s->map.failed ? 0 : walk.queries;
    }
}
#endif

/* Only the rows first_row to first_row + num_rows - 1 are written. */
__kernel void xl_nearest(__global const uint *storage, XL_INDEX_PARAMETERS, XL_QUERY_PARAMETERS,
                         uint first_row, uint num_rows, __global uint *indices, ulong indices_at,
                         uint wide, __global xl_real *distances2, ulong distances2_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_nearest_rows rows = {indices + indices_at, wide ? distances2 + distances2_at : 0,
                                  first_row, num_rows};
#if XL_WALK > 0
    XL_FOR_ITEMS(t, xl_ceil_div(queries, XL_WALK))
    xl_nearest_turn(&s, (uint)t, &rows);
#else
    XL_NEAREST_SHARED
    XL_NEAREST_FOR_QUERIES(k, queries)
    {
        XL_NEAREST_LIST(list)
        xl_nearest_row(&s, list, (uint)k, &rows);
    }
#endif
}
