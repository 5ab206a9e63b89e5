/* SPDX-License-Identifier: MIT
 * The k nearest points of each query. Work-items take queries in the order of the index, or as they
 * are given, so that neighbours in a work-group read the same sorted points, and put results where
 * the points, or the queries, were given.
 *
 * Each array is followed by the offset at which it starts, in elements. An index whose header has
 * another stamp than the host's was not built, or is gone: that is one that failed. */
#include "knn_walk.cl"

/* What a row holds of which nothing is known. */
#define XL_KNN_GIVEN_UP (UINT_MAX - 1u)

/* A row, from place `at` on: of places that nobody took, no index and an infinity. */
void xl_knn_put(const xl_knn_list *list, xl_knn_item limit, __global uint *indices,
                __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        indices[at + (j)] = xl_knn_less(xl_knn_at(list, XL_KNN_AT(j)), limit)                      \
                                ? xl_knn_index(xl_knn_at(list, XL_KNN_AT(j)))                      \
                                : UINT_MAX;
    XL_KNN_EACH(XL_DO)
#undef XL_DO
    if (distances2) {
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        distances2[at + (j)] = xl_knn_less(xl_knn_at(list, XL_KNN_AT(j)), limit)                   \
                                   ? xl_knn_distance2(xl_knn_at(list, XL_KNN_AT(j)))               \
                                   : INFINITY;
        XL_KNN_EACH(XL_DO)
#undef XL_DO
    }
}

void xl_knn_give_up(__global uint *indices, __global xl_real *distances2, ulong at)
{
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        indices[at + (j)] = XL_KNN_GIVEN_UP;                                                       \
        if (distances2)                                                                            \
            distances2[at + (j)] = NAN;                                                            \
    }
    XL_KNN_EACH(XL_DO)
#undef XL_DO
}

/* How many rows of n are given up, the first of them, and how many are short. */
__kernel void xl_knn_check(__global uint *found, __global const uint *indices, ulong indices_at,
                           uint n)
{
    indices += indices_at;
    XL_FOR_ITEMS(i, n)
    {
        if (indices[i * XL_K] == XL_KNN_GIVEN_UP) {
            atomic_inc(found);
            atomic_min(found + 1, (uint)i);
        } else if (indices[i * XL_K + XL_K - 1] == UINT_MAX) {
            atomic_inc(found + 2);
        }
    }
}

/* Of the rows `num_rows` from `first_row` on are wanted. */
__kernel void xl_knn(__global const uint *storage, XL_INDEX_PARAMETERS, XL_QUERY_PARAMETERS,
                     uint first_row, uint num_rows, __global uint *indices, ulong indices_at,
                     uint wide, __global xl_real *distances2, ulong distances2_at)
{
    const xl_search s = XL_SEARCH_LOAD(storage);
    const xl_knn_item limit = xl_knn_limit(s.radius2);
    indices += indices_at;
    distances2 = wide ? distances2 + distances2_at : 0;
    XL_KNN_SHARED
    XL_KNN_FOR_QUERIES(k, queries)
    {
        XL_KNN_LIST(list)
        xl_query query;
        uint i = (uint)k;
        bool searches = false, found = true;
        xl_knn_clear(list, limit);
        if (!s.map.failed) {
            query = xl_query_load(&s, (uint)k);
            i = query.self.w;
            searches = i - first_row < num_rows && xl_real4_finite(xl_site_position(query.self));
        }
        if (xl_knn_agree(list, (uint2)(searches)).x)
            found = xl_knn_find(&s, &query, list);
        const uint row = i - first_row;
        if (row >= num_rows)
            continue;
        if (found)
            xl_knn_put(list, limit, indices, distances2, (ulong)row * XL_K);
        else
            xl_knn_give_up(indices, distances2, (ulong)row * XL_K);
    }
}
