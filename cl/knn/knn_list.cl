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

/* The slots of the list have constant indices and loops over them are unrolled, so that compilers
 * keep the list in registers. */
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

void xl_knn_clear(xl_knn_item *list, xl_knn_item limit)
{
#define XL_DO(j) list[XL_KNN_AT(j)] = limit;
    XL_KNN_EACH(XL_DO)
#undef XL_DO
}

/* Inserts a key that is below the last item, which is dropped. From the last slot to the first, a
 * slot takes the item before it, or the key, or keeps its item. */
void xl_knn_insert(xl_knn_item *list, xl_knn_item key)
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

#endif
