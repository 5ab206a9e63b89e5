/* SPDX-License-Identifier: MIT
 * The list of the XL_K nearest points so far, in order.
 *
 * An item of the list is a key: the bits of the squared distance (which have the order of the
 * numbers, because none is negative), followed by the index; with floats, a key is one word of 64
 * bits. So the order of keys is that of the results, and ties are decided by index. Empty slots
 * hold the search limit; only keys below it are neighbours. */
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

/* The search limit for neighbours nearer than sqrt(radius2); infinity: no limit. */
xl_knn_item xl_knn_limit(xl_real radius2)
{
    return radius2 < INFINITY ? xl_knn_key(radius2, 0) : xl_knn_key(INFINITY, UINT_MAX);
}

#if XL_KNN_TOGETHER > 0
#include "knn_shared.cl"
#else
/* The list of one work-item, in registers. */
typedef xl_knn_item xl_knn_list;

#define XL_KNN_SHARED
#define XL_KNN_LIST(list) xl_knn_list list[XL_K];
#define XL_KNN_FOR_QUERIES(k, n) XL_FOR_ITEMS(k, n)
/* The slots of the list have constant indices, so that compilers keep it in registers; the
 * loops over them are unrolled by these macros. */
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

/* Only keys below this one are neighbours. */
xl_knn_item xl_knn_last(const xl_knn_list *list)
{
    return list[XL_K - 1];
}

/* The other lists have several work-items, which take the value of the first. */
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

/* Inserts a key that is below the last item, which is dropped. From the last slot to the first, a
 * slot takes the item before it, or the key, or keeps its item. */
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

/* This list is always in order. */
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
