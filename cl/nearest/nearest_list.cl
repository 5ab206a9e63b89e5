/* SPDX-License-Identifier: MIT
 * The list of the XL_K nearest points so far, in order.
 *
 * An item of the list is a key: the bits of the squared distance (which have the order of the
 * numbers, because none is negative), followed by the index; with floats, a key is one word of 64
 * bits. So the order of keys is that of the results, and ties are decided by index. Empty slots
 * hold the search limit; only keys below it are neighbours. */
#ifndef XL_NEAREST_LIST
#define XL_NEAREST_LIST

#include "../prelude/prelude_real.cl"

#if XL_F64
typedef ulong2 xl_nearest_item;

xl_nearest_item xl_nearest_key(double distance2, uint index)
{
    return (xl_nearest_item)(as_ulong(distance2), index);
}

double xl_nearest_distance2(xl_nearest_item key)
{
    return as_double(key.x);
}

uint xl_nearest_index(xl_nearest_item key)
{
    return (uint)key.y;
}

bool xl_nearest_less(xl_nearest_item a, xl_nearest_item b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}
#else
typedef ulong xl_nearest_item;

xl_nearest_item xl_nearest_key(float distance2, uint index)
{
    return (ulong)as_uint(distance2) << 32 | index;
}

float xl_nearest_distance2(xl_nearest_item key)
{
    return as_float((uint)(key >> 32));
}

uint xl_nearest_index(xl_nearest_item key)
{
    return (uint)key;
}

bool xl_nearest_less(xl_nearest_item a, xl_nearest_item b)
{
    return a < b;
}
#endif

/* The search limit for neighbours nearer than sqrt(radius2); infinity: no limit. */
xl_nearest_item xl_nearest_limit(xl_real radius2)
{
    return radius2 < INFINITY ? xl_nearest_key(radius2, 0) : xl_nearest_key(INFINITY, UINT_MAX);
}

#if XL_NEAREST_TOGETHER > 0
#include "nearest_shared.cl"
#else
/* The list of one work-item, in registers. */
typedef xl_nearest_item xl_nearest_list;

#define XL_NEAREST_SHARED
#define XL_NEAREST_LIST(list) xl_nearest_list list[XL_K];
#define XL_NEAREST_FOR_QUERIES(k, n) XL_FOR_ITEMS(k, n)
/* The slots of the list have constant indices, so that compilers keep it in registers; the
 * loops over them are unrolled by these macros. */
#define XL_NEAREST_AT(j) ((j) < XL_K ? (j) : XL_K - 1)
#define XL_NEAREST_EACH_8(DO, j)                                                                   \
    DO(j) DO((j) + 1) DO((j) + 2) DO((j) + 3) DO((j) + 4) DO((j) + 5) DO((j) + 6) DO((j) + 7)
#define XL_NEAREST_EACH(DO)                                                                        \
    XL_NEAREST_EACH_8(DO, 0)                                                                       \
    XL_NEAREST_EACH_8(DO, 8)                                                                       \
    XL_NEAREST_EACH_8(DO, 16)                                                                      \
    XL_NEAREST_EACH_8(DO, 24)                                                                      \
    XL_NEAREST_EACH_8(DO, 32)                                                                      \
    XL_NEAREST_EACH_8(DO, 40)                                                                      \
    XL_NEAREST_EACH_8(DO, 48)                                                                      \
    XL_NEAREST_EACH_8(DO, 56)

xl_nearest_item xl_nearest_at(const xl_nearest_list *list, uint j)
{
    return list[j];
}

/* Only keys below this one are neighbours. */
xl_nearest_item xl_nearest_last(const xl_nearest_list *list)
{
    return list[XL_K - 1];
}

/* The other lists have several work-items, which take the value of the first. */
uint2 xl_nearest_agree(xl_nearest_list *list, uint2 value)
{
    return value;
}

void xl_nearest_clear(xl_nearest_list *list, xl_nearest_item limit)
{
#define XL_DO(j) list[XL_NEAREST_AT(j)] = limit;
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
}

/* Inserts a key that is below the last item, which is dropped. From the last slot to the first, a
 * slot takes the item before it, or the key, or keeps its item. */
void xl_nearest_insert(xl_nearest_list *list, xl_nearest_item key)
{
#define XL_LAST(j) ((j) < XL_K ? XL_K - 1 - (j) : 0)
#define XL_DO(j)                                                                                   \
    if ((j) < XL_K) {                                                                              \
        const xl_nearest_item here = list[XL_LAST(j)];                                             \
        const xl_nearest_item before =                                                             \
            (j) + 1 < XL_K ? list[XL_LAST((j) + 1)] : (xl_nearest_item)(0);                        \
        list[XL_LAST(j)] = xl_nearest_less(key, before) ? before                                   \
                           : xl_nearest_less(key, here) ? key                                      \
                                                        : here;                                    \
    }
    XL_NEAREST_EACH(XL_DO)
#undef XL_DO
#undef XL_LAST
}

/* This list is always in order. */
void xl_nearest_settle(xl_nearest_list *list)
{
}
#endif

xl_real xl_nearest_agree_real(xl_nearest_list *list, xl_real value)
{
#if XL_F64
    return as_double(xl_nearest_agree(list, as_uint2(value)));
#else
    return as_float(xl_nearest_agree(list, (uint2)(as_uint(value), 0)).x);
#endif
}

#endif
