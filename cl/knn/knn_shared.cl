/* SPDX-License-Identifier: MIT
 * The list of one query in local memory, if k is too large for registers: XL_KNN_TOGETHER
 * work-items search for one query. They append new keys that are below the last key of the list.
 * When there is no room for more, Batcher's network (1968) sorts the new keys and merges them into
 * the list.
 *
 * The whole group calls these functions together, except xl_knn_insert(), xl_knn_at() and
 * xl_knn_last(). Another kernel may change the index during the search, so that two work-items read
 * different values. Work-item 0 therefore makes each decision that leads to a barrier:
 * xl_knn_agree(). */
#ifndef XL_KNN_SHARED_LIST
#define XL_KNN_SHARED_LIST

#include "../group/group_network.cl"

/* Slots of the list: a power of two, at least XL_K. Slots of new keys. */
#define XL_KNN_KEPT_LOG (XL_K > 512 ? 10 : XL_K > 256 ? 9 : XL_K > 128 ? 8 : 7)
#define XL_KNN_KEPT (1 << XL_KNN_KEPT_LOG)
#define XL_KNN_ROOM (XL_KNN_KEPT_LOG < 9 ? XL_KNN_KEPT : 512)

typedef struct xl_knn_shared {
    xl_knn_item keys[XL_KNN_KEPT + XL_KNN_ROOM]; /* the list, in order, then new keys */
    uint count;                                  /* of new keys, if several work-items append */
    uint2 agreed;
} xl_knn_shared;

typedef struct xl_knn_list {
    __local xl_knn_shared *shared;
    xl_knn_item last; /* of XL_K */
    uint most;        /* the number of new keys is at most this */
} xl_knn_list;

#define XL_KNN_SHARED __local xl_knn_shared shared;
#define XL_KNN_LIST(list)                                                                          \
    xl_knn_list list[1];                                                                           \
    list->shared = &shared;
#define XL_KNN_FOR_QUERIES(k, n) for (ulong k = get_group_id(0); k < (n); k += get_num_groups(0))

/* The slots are distributed over the work-items. */
#define XL_KNN_AT(j) (j)
#define XL_KNN_EACH(DO)                                                                            \
    for (uint place = (uint)get_local_id(0); place < XL_K; place += (uint)get_local_size(0)) {     \
        DO(place)                                                                                  \
    }

#if XL_KNN_TOGETHER > 1
#define XL_KNN_BARRIER() XL_LOCAL_BARRIER()
#else
#define XL_KNN_BARRIER()
#endif

xl_knn_item xl_knn_at(const xl_knn_list *list, uint j)
{
    return list->shared->keys[j];
}

/* Only keys below this one are neighbours. */
xl_knn_item xl_knn_last(const xl_knn_list *list)
{
    return list->last;
}

/* Returns the value of work-item 0. */
uint2 xl_knn_agree(xl_knn_list *list, uint2 value)
{
#if XL_KNN_TOGETHER > 1
    XL_KNN_BARRIER();
    if (get_local_id(0) == 0)
        list->shared->agreed = value;
    XL_KNN_BARRIER();
    return list->shared->agreed;
#else
    return value;
#endif
}

void xl_knn_clear(xl_knn_list *list, xl_knn_item limit)
{
    XL_KNN_BARRIER();
    for (uint j = (uint)get_local_id(0); j < XL_KNN_KEPT; j += (uint)get_local_size(0))
        list->shared->keys[j] = limit;
    if (get_local_id(0) == 0)
        list->shared->count = 0;
    list->last = limit;
    list->most = 0;
    XL_KNN_BARRIER();
}

void xl_knn_compare(__local xl_knn_item *keys, uint low, uint high, uint n)
{
    if (high < n) {
        const xl_knn_item a = keys[low], b = keys[high];
        const bool swap = xl_knn_less(b, a);
        keys[low] = swap ? b : a;
        keys[high] = swap ? a : b;
    }
}

/* Merges `count` new keys into the list. After the mirrored step, the list has the smallest keys,
 * in an order that first rises and then falls. */
void xl_knn_merge(xl_knn_list *list, uint count)
{
    __local xl_knn_item *const keys = list->shared->keys, *const added = keys + XL_KNN_KEPT;
#define XL_COMPARE(low, high) xl_knn_compare(added, low, high, count)
    XL_NETWORK_SORT(uint, count, XL_COMPARE, XL_KNN_BARRIER)
#undef XL_COMPARE
    for (uint j = (uint)get_local_id(0); j < count; j += (uint)get_local_size(0))
        xl_knn_compare(keys, XL_KNN_KEPT - 1 - j, XL_KNN_KEPT + j, XL_KNN_KEPT + count);
    XL_KNN_BARRIER();
#define XL_COMPARE(low, high) xl_knn_compare(keys, low, high, XL_KNN_KEPT)
    XL_NETWORK_HALVES(uint, XL_KNN_KEPT, XL_KNN_KEPT_LOG, XL_COMPARE, XL_KNN_BARRIER)
#undef XL_COMPARE
    list->last = keys[XL_K - 1];
    list->most = 0;
    if (get_local_id(0) == 0)
        list->shared->count = 0;
    XL_KNN_BARRIER();
}

/* The number of new keys of the group. */
uint xl_knn_count_new(xl_knn_list *list)
{
#if XL_KNN_TOGETHER > 1
    XL_KNN_BARRIER();
    const uint count = min(list->shared->count, (uint)XL_KNN_ROOM);
    XL_KNN_BARRIER();
    return count;
#else
    return list->most;
#endif
}

/* Merges all new keys into the list. */
void xl_knn_settle(xl_knn_list *list)
{
    const uint count = xl_knn_count_new(list);
    if (count > 0)
        xl_knn_merge(list, count);
}

/* Makes room for one key of each work-item. */
void xl_knn_make_room(xl_knn_list *list)
{
    const uint size = XL_KNN_TOGETHER > 1 ? (uint)get_local_size(0) : 1u;
    if (list->most + size > XL_KNN_ROOM) {
        list->most = xl_knn_count_new(list);
        if (list->most + size > XL_KNN_ROOM)
            xl_knn_merge(list, list->most);
    }
    list->most += XL_KNN_TOGETHER > 1 ? size : 0u;
}

/* Appends a key. A group calls xl_knn_make_room() before. */
void xl_knn_insert(xl_knn_list *list, xl_knn_item key)
{
#if XL_KNN_TOGETHER > 1
    const uint at = min(atomic_inc(&list->shared->count), (uint)XL_KNN_ROOM - 1u);
#else
    xl_knn_make_room(list);
    const uint at = list->most++;
#endif
    list->shared->keys[XL_KNN_KEPT + at] = key;
}

#endif
