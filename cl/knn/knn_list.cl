/* SPDX-License-Identifier: MIT
 * The nearest points that a search has met so far, XL_K at most, in order.
 *
 * A neighbour is one number, its key: the bits of its square distance, which for floats that are
 * not below 0 are in the order of the floats, and behind them its index. So the order of keys is
 * that of the results, and ties are decided. Places that nobody has taken yet hold the limit: what
 * is not below it is no neighbour. */
#ifndef XL_KNN_LIST
#define XL_KNN_LIST

#include "../prelude/prelude.cl"

#define XL_KNN_INFINITY 0x7f800000u

ulong xl_knn_key(float distance2, uint index)
{
    return (ulong)as_uint(distance2) << 32 | index;
}

/* Of neighbours nearer than the root of radius2; of an infinity, of all. */
ulong xl_knn_limit(float radius2)
{
    return as_uint(radius2) < XL_KNN_INFINITY ? xl_knn_key(radius2, 0)
                                              : (ulong)XL_KNN_INFINITY << 32 | UINT_MAX;
}

float xl_knn_distance2(ulong key)
{
    return as_float((uint)(key >> 32));
}

/* Places are named by constants, so that compilers keep the list in registers, and a step for each
 * is written out, as some drivers count the rounds of loops. */
#define XL_KNN_AT(j) ((j) < XL_K ? (j) : XL_K - 1)
#define XL_KNN_EACH_8(DO, j)                                                                       \
    DO(j) DO((j) + 1) DO((j) + 2) DO((j) + 3) DO((j) + 4) DO((j) + 5) DO((j) + 6) DO((j) + 7)
#define XL_KNN_EACH(DO)                                                                            \
    XL_KNN_EACH_8(DO, 0)                                                                           \
    XL_KNN_EACH_8(DO, 8)                                                                           \
    XL_KNN_EACH_8(DO, 16)                                                                          \
    XL_KNN_EACH_8(DO, 24)                                                                          \
    XL_KNN_EACH_8(DO, 32)                                                                          \
    XL_KNN_EACH_8(DO, 40)                                                                          \
    XL_KNN_EACH_8(DO, 48)                                                                          \
    XL_KNN_EACH_8(DO, 56)

void xl_knn_clear(ulong *list, ulong limit)
{
#define XL_DO(j) list[XL_KNN_AT(j)] = limit;
    XL_KNN_EACH(XL_DO)
#undef XL_DO
}

/* Puts a key that is below the last one into its place; the last one leaves. From the last place to
 * the first, each takes what stood before it, or the key, or keeps what it has. */
void xl_knn_insert(ulong *list, ulong key)
{
#define XL_LAST(j) ((j) < XL_K ? XL_K - 1 - (j) : 0)
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        const ulong here = list[XL_LAST(j)];                                                       \
        const ulong before = (j) + 1 < XL_K ? list[XL_LAST((j) + 1)] : 0UL;                        \
        list[XL_LAST(j)] = key < before ? before : key < here ? key : here;                        \
    }
    XL_KNN_EACH(XL_DO)
#undef XL_DO
#undef XL_LAST
}

#endif
