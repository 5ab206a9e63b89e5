/* SPDX-License-Identifier: MIT
 * The nearest points that a search has met so far, XL_K at most, in order.
 *
 * A neighbour is its key: the bits of its square distance, which for numbers that are not below 0
 * are in the order of the numbers, and behind them its index; of floats that is one word. So the
 * order of keys is that of the results, and ties are decided. Places that nobody has taken yet hold
 * the limit: what is not below it is no neighbour. */
#ifndef XL_KNN_LIST
#define XL_KNN_LIST

#include "../prelude/prelude_real.cl"

#if XL_F64
typedef ulong2 xl_knn_item;

xl_knn_item xl_knn_key(double distance2, uint index)
{
    return (xl_knn_item)(as_ulong(distance2), index);
}

double xl_knn_distance2(xl_knn_item key)
{
    return as_double(key.x);
}

uint xl_knn_index(xl_knn_item key)
{
    return (uint)key.y;
}

bool xl_knn_less(xl_knn_item a, xl_knn_item b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
#else
typedef ulong xl_knn_item;

xl_knn_item xl_knn_key(float distance2, uint index)
{
    return (ulong)as_uint(distance2) << 32 | index;
}

float xl_knn_distance2(xl_knn_item key)
{
    return as_float((uint)(key >> 32));
}

uint xl_knn_index(xl_knn_item key)
{
    return (uint)key;
}

bool xl_knn_less(xl_knn_item a, xl_knn_item b)
{
    return a < b;
}
#endif

/* Of neighbours nearer than the root of radius2; of an infinity, of all. */
xl_knn_item xl_knn_limit(xl_real radius2)
{
    return radius2 < INFINITY ? xl_knn_key(radius2, 0) : xl_knn_key(INFINITY, UINT_MAX);
}

#if XL_KNN_TOGETHER > 0
#include "knn_shared.cl"
#else
/* A work-item's list, in registers. */
typedef xl_knn_item xl_knn_list;

#define XL_KNN_SHARED
#define XL_KNN_LIST(list) xl_knn_list list[XL_K];
#define XL_KNN_FOR_QUERIES(k, n) XL_FOR_ITEMS(k, n)
/* Rounds of loops, at most, that points of a range take, and the rest of a walk. */
#define XL_KNN_ROUNDS(points) ((points) + 4u)
#define XL_KNN_WALK_ROUNDS 0u

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

xl_knn_item xl_knn_at(const xl_knn_list *list, uint j)
{
    return list[j];
}

/* A key that is not below this one is no neighbour. */
xl_knn_item xl_knn_last(const xl_knn_list *list)
{
    return list[XL_K - 1];
}

/* One work-item decides alone. */
uint2 xl_knn_agree(xl_knn_list *list, uint2 value)
{
    return value;
}

void xl_knn_clear(xl_knn_list *list, xl_knn_item limit)
{
#define XL_DO(j) list[XL_KNN_AT(j)] = limit;
    XL_KNN_EACH(XL_DO)
#undef XL_DO
}

/* Puts a key that is below the last one into its place; the last one leaves. From the last place to
 * the first, each takes what stood before it, or the key, or keeps what it has. */
void xl_knn_insert(xl_knn_list *list, xl_knn_item key)
{
#define XL_LAST(j) ((j) < XL_K ? XL_K - 1 - (j) : 0)
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        const xl_knn_item here = list[XL_LAST(j)];                                                 \
        const xl_knn_item before = (j) + 1 < XL_K ? list[XL_LAST((j) + 1)] : (xl_knn_item)(0);     \
        list[XL_LAST(j)] = xl_knn_less(key, before) ? before                                       \
                           : xl_knn_less(key, here) ? key                                          \
                                                    : here;                                        \
    }
    XL_KNN_EACH(XL_DO)
#undef XL_DO
#undef XL_LAST
}

/* The list is always in order. */
void xl_knn_settle(xl_knn_list *list)
{
}
#endif

xl_real xl_knn_agree_real(xl_knn_list *list, xl_real value)
{
#if XL_F64
    return as_double(xl_knn_agree(list, as_uint2(value)));
#else
    return as_float(xl_knn_agree(list, (uint2)(as_uint(value), 0)).x);
#endif
}

#endif
