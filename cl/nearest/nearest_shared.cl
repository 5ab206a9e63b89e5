/* SPDX-License-Identifier: MIT
 * The list of one query in local memory, if k is too large for registers: XL_NEAREST_TOGETHER
 * work-items search for one query. They append new keys that are below the last key of the list.
 * When there is no room for more, Batcher's network (1968) sorts the new keys and merges them into
 * the list.
 *
 * The whole group calls these functions together, except xl_nearest_insert(), xl_nearest_at() and
 * xl_nearest_last(). Another kernel may change the index during the search, so that two work-items
 * read different values. Work-item 0 therefore makes each decision that leads to a barrier:
 * xl_nearest_agree(). */
#ifndef XL_NEAREST_SHARED_LIST
#define XL_NEAREST_SHARED_LIST

#include "../group/group_network.cl"

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

#endif
