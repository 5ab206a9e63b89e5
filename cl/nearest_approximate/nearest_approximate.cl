/* SPDX-License-Identifier: MIT
 * Approximate nearest points by shifted sorting (Li et al., "kANN on the GPU with shifted sorting",
 * 2012): in one order of the points, the XL_K points before each query and the XL_K points after it
 * are candidates. A work-item processes one query, and a launch one order. Between launches, the
 * rows hold the best candidates so far.
 *
 * The paper writes the candidates of all orders next to each other, sorts those of a query by index
 * in local memory, removes duplicates (segmented prefix sums of one bit per element), and sorts the
 * rest by distance. Here a list in registers takes a candidate if it is nearer than the last item
 * and not yet in the list. One comparison rejects most candidates of later orders, only results are
 * written, and no row must fit into a sub-group. The row is the same: the k least keys, in whatever
 * order they come.
 *
 * Each array is followed by its offset in elements. `places` is in the scratch, which is
 * aligned. */
#include "../nearest/nearest_list.cl"

/* A point to be sorted: its coordinates and, as the last word, its index. */
__kernel void xl_nearest_approximate_pack(ulong n, __global const float *points, ulong points_at,
                                          __global uint4 *places, ulong places_at)
{
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    __global const float *const p = points + points_at + i * XL_STRIDE;
    const float z = XL_DIMENSIONS == 3 ? p[XL_DIMENSIONS - 1] : 0.0f;
    places[places_at + i] = (uint4)(as_uint(p[0]), as_uint(p[1]), as_uint(z), (uint)i);
}

float xl_nearest_square(uint4 p, uint4 q)
{
    const float4 d = as_float4(p) - as_float4(q);
    return (d.x * d.x + d.y * d.y) + d.z * d.z;
}

/* The rows of a sub-group are apart, so each word of a row is a separate transaction. Rows are read
 * and written in vectors of four if k and the views allow it. This, and the comparison of indices
 * instead of keys in xl_nearest_has(), reduced the time for 2^20 points, k = 16, four orders from
 * 2.86 to 1.89 ms (H200). */
#define XL_NEAREST_BY_FOUR (XL_K % 4 == 0)

bool xl_nearest_is_by_four(ulong indices_at, ulong distances2_at)
{
    return XL_NEAREST_BY_FOUR && (indices_at | distances2_at) % 4 == 0;
}

/* Loads the row so far. `by_four`: the row is aligned for vectors of four. */
void xl_nearest_resume(ulong *list, bool by_four, __global const uint *indices,
                       __global const float *distances2)
{
    if (by_four) {
#define XL_DO(j)                                                                                   \
    if (XL_NEAREST_BY_FOUR && (j) < XL_K && (j) % 4 == 0) {                                        \
        const uint4 i = ((__global const uint4 *)indices)[(j) / 4];                                \
        const float4 d = ((__global const float4 *)distances2)[(j) / 4];                           \
        list[XL_NEAREST_AT(j)] = xl_nearest_key(d.x, i.x);                                         \
        list[XL_NEAREST_AT((j) + 1)] = xl_nearest_key(d.y, i.y);                                   \
        list[XL_NEAREST_AT((j) + 2)] = xl_nearest_key(d.z, i.z);                                   \
        list[XL_NEAREST_AT((j) + 3)] = xl_nearest_key(d.w, i.w);                                   \
    }
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    } else {
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K)                                                                                \
        list[XL_NEAREST_AT(j)] = xl_nearest_key(distances2[j], indices[j]);
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    }
}

/* Stores the row. The key of an empty slot is the limit: distance infinity, index UINT_MAX. */
void xl_nearest_keep(const ulong *list, bool by_four, __global uint *indices,
                     __global float *distances2)
{
    if (by_four) {
#define XL_DO(j)                                                                                   \
    if (XL_NEAREST_BY_FOUR && (j) < XL_K && (j) % 4 == 0) {                                        \
        const ulong4 keys = (ulong4)(list[XL_NEAREST_AT(j)], list[XL_NEAREST_AT((j) + 1)],         \
                                     list[XL_NEAREST_AT((j) + 2)], list[XL_NEAREST_AT((j) + 3)]);  \
        ((__global uint4 *)indices)[(j) / 4] = convert_uint4(keys & (ulong)UINT_MAX);              \
        ((__global float4 *)distances2)[(j) / 4] = as_float4(convert_uint4(keys >> 32));           \
    }
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    } else {
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        indices[j] = (uint)list[XL_NEAREST_AT(j)];                                                 \
        distances2[j] = xl_nearest_distance2(list[XL_NEAREST_AT(j)]);                              \
    }
        XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    }
}

/* Whether a point is in the list. Empty slots have the index UINT_MAX, which no point has. */
bool xl_nearest_has(const ulong *list, uint index)
{
    bool has = false;
#define XL_DO(j) has |= (uint)list[XL_NEAREST_AT(j)] == index;
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
    return has;
}

/* `again`: an earlier order may have added the point. */
void xl_nearest_consider(uint4 self, uint4 other, bool again, ulong *list)
{
    const ulong key = xl_nearest_key(xl_nearest_square(self, other), other.w);
    if (key < list[XL_K - 1] && (XL_KEEP_SELF || other.w != self.w) &&
        xl_float4_finite(as_float4(other)) && !(again && xl_nearest_has(list, other.w)))
        xl_nearest_insert(list, key);
}

/* Goes from the query outwards, because near candidates narrow the list early. `after`: the first
 * place that is not before the query. */
void xl_nearest_search(uint4 self, __global const uint4 *places, uint n, uint after, bool again,
                       ulong *list)
{
    const uint before = min((uint)XL_K, after);
    const uint behind = min((uint)XL_K + (XL_QUERY_DIMENSIONS ? 0u : 1u), n - after);
    for (uint step = 0; step < max(before, behind); ++step) {
        if (step < behind)
            xl_nearest_consider(self, places[after + step], again, list);
        if (step < before)
            xl_nearest_consider(self, places[after - 1u - step], again, list);
    }
}

/* Queries are the points, in the order of `places`, or they are given, each with its place in
 * `afters`. Only the rows first_row to first_row + num_rows - 1 are written. `first`: this is the
 * first order, and rows are empty. */
__kernel void xl_nearest_approximate(uint n, uint rows, uint first_row, uint num_rows, uint first,
                                     __global const uint4 *places, ulong places_at,
#if XL_QUERY_DIMENSIONS
                                     __global const float *queries, ulong queries_at,
                                     __global const uint *afters, ulong afters_at,
#endif
                                     __global uint *indices, ulong indices_at,
                                     __global float *distances2, ulong distances2_at)
{
    const uint i = (uint)get_global_id(0);
    ulong list[XL_K];
    if (get_global_id(0) >= rows)
        return;
    places += places_at;
#if XL_QUERY_DIMENSIONS
    __global const float *const q = queries + queries_at + (ulong)i * XL_QUERY_STRIDE;
    const float z = XL_DIMENSIONS == 3 ? q[XL_DIMENSIONS - 1] : 0.0f;
    const uint4 self = (uint4)(as_uint(q[0]), as_uint(q[1]), as_uint(z), i);
    const uint after = min(afters[afters_at + i], n);
#else
    const uint4 self = places[i];
    const uint after = i;
#endif
    if (self.w - first_row >= num_rows)
        return;
    const ulong at = (ulong)(self.w - first_row) * XL_K;
    const bool by_four = xl_nearest_is_by_four(indices_at, distances2_at);
    indices += indices_at + at;
    distances2 += distances2_at + at;
    if (first)
        xl_nearest_clear(list, xl_nearest_limit(INFINITY));
    else
        xl_nearest_resume(list, by_four, indices, distances2);
    if (xl_float4_finite(as_float4(self)))
        xl_nearest_search(self, places, n, after, !first, list);
    xl_nearest_keep(list, by_four, indices, distances2);
}
