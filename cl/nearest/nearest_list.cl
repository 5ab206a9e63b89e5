/* SPDX-License-Identifier: MIT
 * The list of the XL_K nearest points so far, in order.
 *
 * An item of the list is a key: the bits of the squared distance (which have the order of the
 * numbers, because none is negative), followed by the index; with floats, a key is one word of 64
 * bits. So the order of keys is that of the results, and ties are decided by index. Empty slots
 * hold the search limit; only keys below it are neighbours. */
#ifndef XL_NEAREST_LISTS
#define XL_NEAREST_LISTS

#include "../prelude/prelude_real.cl"
#if XL_NEAREST_TOGETHER > 0
#include "../group/group_network.cl"
#endif

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
/* The list of one query in local memory, if k is too large for registers: XL_NEAREST_TOGETHER
 * work-items search for one query. They append new keys that are below the last key of the list.
 * When there is no room for more, Batcher's network (1968) sorts the new keys and merges them into
 * the list.
 *
 * The whole group calls these functions together, except xl_nearest_insert(), xl_nearest_at() and
 * xl_nearest_last(). Another kernel may change the index during the search, so that two work-items
 * read different values. Work-item 0 therefore makes each decision that leads to a barrier:
 * xl_nearest_agree(). */

/* Slots of the list: a power of two, at least XL_K. Slots of new keys. */
#define XL_NEAREST_KEPT_LOG (XL_K > 512 ? 10 : XL_K > 256 ? 9 : XL_K > 128 ? 8 : 7)
#define XL_NEAREST_KEPT (1 << XL_NEAREST_KEPT_LOG)
#define XL_NEAREST_ROOM (XL_NEAREST_KEPT_LOG < 9 ? XL_NEAREST_KEPT : 512)

typedef struct xl_nearest_shared {
    xl_nearest_item keys[XL_NEAREST_KEPT + XL_NEAREST_ROOM]; /* the list, in order, then new keys */
    uint count; /* of new keys, if several work-items append */
    uint2 agreed;
} xl_nearest_shared;

typedef struct xl_nearest_list {
    __local xl_nearest_shared *shared;
    xl_nearest_item last; /* of XL_K */
    uint most;            /* the number of new keys is at most this */
} xl_nearest_list;

#define XL_NEAREST_SHARED __local xl_nearest_shared shared;
#define XL_NEAREST_LIST(list)                                                                      \
    xl_nearest_list list[1];                                                                       \
    list->shared = &shared;
#define XL_NEAREST_FOR_QUERIES(k, n)                                                               \
    for (ulong k = get_group_id(0); k < (n); k += get_num_groups(0))

/* The slots are distributed over the work-items. */
#define XL_NEAREST_AT(j) (j)
#define XL_NEAREST_EACH(DO)                                                                        \
    for (uint place = (uint)get_local_id(0); place < XL_K; place += (uint)get_local_size(0)) {     \
        DO(place)                                                                                  \
    }

#if XL_NEAREST_TOGETHER > 1
#define XL_NEAREST_BARRIER() XL_LOCAL_BARRIER()
#else
#define XL_NEAREST_BARRIER()
#endif

xl_nearest_item xl_nearest_at(const xl_nearest_list *list, uint j)
{
    return list->shared->keys[j];
}

/* Only keys below this one are neighbours. */
xl_nearest_item xl_nearest_last(const xl_nearest_list *list)
{
    return list->last;
}

/* Returns the value of work-item 0. */
uint2 xl_nearest_agree(xl_nearest_list *list, uint2 value)
{
#if XL_NEAREST_TOGETHER > 1
    XL_NEAREST_BARRIER();
    if (get_local_id(0) == 0)
        list->shared->agreed = value;
    XL_NEAREST_BARRIER();
    return list->shared->agreed;
#else
    return value;
#endif
}

void xl_nearest_clear(xl_nearest_list *list, xl_nearest_item limit)
{
    XL_NEAREST_BARRIER();
    for (uint j = (uint)get_local_id(0); j < XL_NEAREST_KEPT; j += (uint)get_local_size(0))
        list->shared->keys[j] = limit;
    if (get_local_id(0) == 0)
        list->shared->count = 0;
    list->last = limit;
    list->most = 0;
    XL_NEAREST_BARRIER();
}

void xl_nearest_compare(__local xl_nearest_item *keys, uint low, uint high, uint n)
{
    if (high < n) {
        const xl_nearest_item a = keys[low], b = keys[high];
        const bool swap = xl_nearest_less(b, a);
        keys[low] = swap ? b : a;
        keys[high] = swap ? a : b;
    }
}

/* Merges `count` new keys into the list. After the mirrored step, the list has the smallest keys,
 * in an order that first rises and then falls. */
void xl_nearest_merge(xl_nearest_list *list, uint count)
{
    __local xl_nearest_item *const keys = list->shared->keys, *const added = keys + XL_NEAREST_KEPT;
#define XL_COMPARE(low, high) xl_nearest_compare(added, low, high, count)
    XL_NETWORK_SORT(uint, count, XL_COMPARE, XL_NEAREST_BARRIER)
#undef XL_COMPARE
    for (uint j = (uint)get_local_id(0); j < count; j += (uint)get_local_size(0))
        xl_nearest_compare(keys, XL_NEAREST_KEPT - 1 - j, XL_NEAREST_KEPT + j,
                           XL_NEAREST_KEPT + count);
    XL_NEAREST_BARRIER();
#define XL_COMPARE(low, high) xl_nearest_compare(keys, low, high, XL_NEAREST_KEPT)
    XL_NETWORK_HALVES(uint, XL_NEAREST_KEPT, XL_NEAREST_KEPT_LOG, XL_COMPARE, XL_NEAREST_BARRIER)
#undef XL_COMPARE
    list->last = keys[XL_K - 1];
    list->most = 0;
    if (get_local_id(0) == 0)
        list->shared->count = 0;
    XL_NEAREST_BARRIER();
}

/* The number of new keys of the group. */
uint xl_nearest_count_new(xl_nearest_list *list)
{
#if XL_NEAREST_TOGETHER > 1
    XL_NEAREST_BARRIER();
    const uint count = min(list->shared->count, (uint)XL_NEAREST_ROOM);
    XL_NEAREST_BARRIER();
    return count;
#else
    return list->most;
#endif
}

/* Merges all new keys into the list. */
void xl_nearest_settle(xl_nearest_list *list)
{
    const uint count = xl_nearest_count_new(list);
    if (count > 0)
        xl_nearest_merge(list, count);
}

/* Makes room for one key of each work-item. */
void xl_nearest_make_room(xl_nearest_list *list)
{
    const uint size = XL_NEAREST_TOGETHER > 1 ? (uint)get_local_size(0) : 1u;
    if (list->most + size > XL_NEAREST_ROOM) {
        list->most = xl_nearest_count_new(list);
        if (list->most + size > XL_NEAREST_ROOM)
            xl_nearest_merge(list, list->most);
    }
    list->most += XL_NEAREST_TOGETHER > 1 ? size : 0u;
}

/* Appends a key. A group calls xl_nearest_make_room() before. */
void xl_nearest_insert(xl_nearest_list *list, xl_nearest_item key)
{
#if XL_NEAREST_TOGETHER > 1
    const uint at = min(atomic_inc(&list->shared->count), (uint)XL_NEAREST_ROOM - 1u);
#else
    xl_nearest_make_room(list);
    const uint at = list->most++;
#endif
    list->shared->keys[XL_NEAREST_KEPT + at] = key;
}
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
