/* SPDX-License-Identifier: MIT
 * A top-k selection by work-groups: a group counts its chunk's candidates in local memory, and
 * ranks the results tile by tile. It needs only barriers and atomics on local and global memory, so
 * that it runs on every device. */
#ifndef XL_TOP_K_BY_GROUP
#define XL_TOP_K_BY_GROUP

#include "top_k_state.cl"

#define XL_TOP_K_TILE (XL_GROUP_SIZE * XL_TOP_K_ITEMS)
#if XL_TOP_K_ITEMS > 32 || XL_TOP_K_TILE > 65535
#error "flags of a work-item have 32 bits, counts of a tile 16"
#endif

/* Counters of a digit: adjacent work-items use different ones, so that equal keys wait less for
 * each other. */
#define XL_TOP_K_COPIES 2

typedef struct xl_top_k_local {
    uint count[XL_TOP_K_COPIES * XL_DIGITS];
    uint found[3];
    uint any, listed;
    uint rank[XL_GROUP_SIZE];
#if XL_TOP_K_ROOM > 0
    uint list[XL_TOP_K_ROOM];
#endif
    xl_top_k_state state;
    xl_top_k_chunk chunk;
} xl_top_k_local;

uint xl_top_k_item(void)
{
    return (uint)get_local_id(0);
}

/* Tells candidates from other keys, and cuts out their next digit. */
typedef struct xl_top_k_filter {
    XL_ORDINAL mask, prefix;
    uint shift, digit_mask;
} xl_top_k_filter;

xl_top_k_filter xl_top_k_filter_of(const xl_top_k_state *s)
{
    xl_top_k_filter f;
    f.mask = xl_top_k_mask(s);
    f.prefix = (XL_ORDINAL)s->prefix;
    f.shift = xl_top_k_shift(s);
    f.digit_mask = xl_top_k_digit_mask(s);
    return f;
}

/* The next digit of a candidate; XL_DIGITS for other keys. */
uint xl_top_k_digit_in(const xl_top_k_filter *f, XL_KEY raw)
{
    const XL_ORDINAL key = xl_key_map(raw);
    return (key & f->mask) == f->prefix ? (uint)(key >> f->shift) & f->digit_mask : XL_DIGITS;
}

void xl_top_k_count_one(uint digit, __local uint *count)
{
    if (digit < XL_DIGITS)
        atomic_inc(count + digit);
}

/* Keys that a work-item loads at once, as vectors of four. */
#define XL_TOP_K_AT_ONCE 16
typedef XL_JOIN(XL_KEY, 4) xl_top_k_four;

/* A chunk as vectors: `count` vectors, a multiple of those that the group loads at once. `head`
 * keys are before the first vector; the keys from `tail` on are behind the last. */
typedef struct xl_top_k_vectors {
    __global const xl_top_k_four *at;
    uint head, count, tail;
} xl_top_k_vectors;
#define XL_TOP_K_STEP (XL_TOP_K_AT_ONCE / 4 * XL_GROUP_SIZE)

xl_top_k_vectors xl_top_k_vectors_of(__global const XL_KEY *keys, uint length)
{
    const uint past = (uint)((size_t)keys / sizeof(XL_KEY)) % 4u;
    xl_top_k_vectors v;
    v.head = min(length, (4u - past) % 4u);
    v.at = (__global const xl_top_k_four *)(keys + v.head);
    v.count = (length - v.head) / 4u / XL_TOP_K_STEP * XL_TOP_K_STEP;
    v.tail = v.head + 4u * v.count;
    return v;
}

void xl_top_k_load_four(__global const xl_top_k_four *from, XL_KEY *key)
{
    const xl_top_k_four four = *from;
    key[0] = four.s0;
    key[1] = four.s1;
    key[2] = four.s2;
    key[3] = four.s3;
}

/* Counts the keys of a work-item. Equal digits take one addition: single ones would wait for each
 * other. */
void xl_top_k_count_some(const XL_KEY *key, const xl_top_k_filter *f, __local uint *count)
{
    const uint first = xl_top_k_digit_in(f, key[0]);
    bool same = true;
#pragma unroll
    for (uint j = 1; j < XL_TOP_K_AT_ONCE; ++j)
        same = same && xl_top_k_digit_in(f, key[j]) == first;
    if (same) {
        if (first < XL_DIGITS)
            atomic_add(count + first, (uint)XL_TOP_K_AT_ONCE);
    } else {
#pragma unroll
        for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j)
            xl_top_k_count_one(xl_top_k_digit_in(f, key[j]), count);
    }
}

void xl_top_k_count_chunk(const xl_top_k_keys *mine, const xl_top_k_filter *f, __local uint *count)
{
    const __global XL_KEY *const keys = mine->keys;
    const uint g = XL_GROUP_SIZE, length = mine->length, item = xl_top_k_item();
    const xl_top_k_vectors vectors = xl_top_k_vectors_of(keys, length);
    for (uint v = item; v < vectors.count; v += XL_TOP_K_STEP) {
        XL_KEY key[XL_TOP_K_AT_ONCE];
#pragma unroll
        for (uint j = 0; j < XL_TOP_K_AT_ONCE; j += 4)
            xl_top_k_load_four(vectors.at + v + j / 4 * g, key + j);
        xl_top_k_count_some(key, f, count);
    }
    for (uint i = vectors.tail + item; i < length; i += g)
        xl_top_k_count_one(xl_top_k_digit_in(f, keys[i]), count);
    for (uint i = item; i < vectors.head; i += g)
        xl_top_k_count_one(xl_top_k_digit_in(f, keys[i]), count);
}

void xl_top_k_count_keys(const xl_top_k_keys *mine, const xl_top_k_state *s, __global uint *counts,
                         __local xl_top_k_local *l)
{
    const xl_top_k_filter f = xl_top_k_filter_of(s);
    const uint g = XL_GROUP_SIZE;
    __local uint *const count = l->count + xl_top_k_item() % XL_TOP_K_COPIES * XL_DIGITS;
    for (uint d = xl_top_k_item(); d < XL_TOP_K_COPIES * XL_DIGITS; d += g)
        l->count[d] = 0;
    xl_local_barrier();
    if (!mine->is_listed)
        xl_top_k_count_chunk(mine, &f, count);
    else
        for (uint j = xl_top_k_item(); j < mine->count; j += g)
            xl_top_k_count_one(xl_top_k_digit_in(&f, mine->keys[xl_top_k_place(mine, j)]), count);
    xl_local_barrier();
    for (uint d = xl_top_k_item(); d < XL_DIGITS; d += g) {
        uint same = 0;
        for (uint c = 0; c < XL_TOP_K_COPIES; ++c)
            same += l->count[c * XL_DIGITS + d];
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

#if XL_TOP_K_ROOM > 0
bool xl_top_k_may_be_result(XL_KEY raw, const xl_top_k_filter *f)
{
    return (xl_key_map(raw) & f->mask) <= f->prefix;
}

void xl_top_k_list_one(XL_KEY raw, const xl_top_k_filter *f, uint i, __local xl_top_k_local *l)
{
    if (xl_top_k_may_be_result(raw, f)) {
        const uint at = atomic_inc(&l->listed);
        if (at < XL_TOP_K_ROOM)
            l->list[at] = i;
    }
}

/* Lists keys of a work-item: vectors v, v + XL_GROUP_SIZE and so on. Most have no key for the list,
 * so the loop that lists them is short code, which compiles faster: keys move down by one place after
 * each step, and all places are constants. */
void xl_top_k_list_some(const xl_top_k_vectors *vectors, uint v, const xl_top_k_filter *f,
                        __local xl_top_k_local *l)
{
    XL_KEY key[XL_TOP_K_AT_ONCE];
    bool any = false;
#pragma unroll
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; j += 4)
        xl_top_k_load_four(vectors->at + v + j / 4 * XL_GROUP_SIZE, key + j);
#pragma unroll
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j)
        any = any || xl_top_k_may_be_result(key[j], f);
    if (!any)
        return;
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j) {
        xl_top_k_list_one(key[0], f, vectors->head + 4u * (v + j / 4 * XL_GROUP_SIZE) + j % 4, l);
#pragma unroll
        for (uint k = 1; k < XL_TOP_K_AT_ONCE; ++k)
            key[k - 1] = key[k];
    }
}

/* Makes the list of the chunk's keys that may be results. Returns its length, or XL_TOP_K_UNLISTED
 * if it has no room; then the rest of the chunk is not read. */
uint xl_top_k_make_list(__global const XL_KEY *keys, uint length, const xl_top_k_state *s,
                        __global uint *list, __local xl_top_k_local *l)
{
    const xl_top_k_filter f = xl_top_k_filter_of(s);
    const uint g = XL_GROUP_SIZE;
    volatile __local const uint *const listed = &l->listed;
    if (xl_top_k_item() == 0)
        l->listed = 0;
    xl_local_barrier();
    const xl_top_k_vectors vectors = xl_top_k_vectors_of(keys, length);
    const uint item = xl_top_k_item();
    for (uint v = item; v < vectors.count && *listed <= XL_TOP_K_ROOM; v += XL_TOP_K_STEP)
        xl_top_k_list_some(&vectors, v, &f, l);
    for (uint i = vectors.tail + item; i < length && *listed <= XL_TOP_K_ROOM; i += g)
        xl_top_k_list_one(keys[i], &f, i, l);
    for (uint i = item; i < vectors.head; i += g)
        xl_top_k_list_one(keys[i], &f, i, l);
    xl_local_barrier();
    const uint count = l->listed;
    for (uint j = xl_top_k_item(); j < count && count <= XL_TOP_K_ROOM; j += g) {
        uint before = 0;
        for (uint k = 0; k < count; ++k)
            before += l->list[k] < l->list[j] ? 1 : 0;
        list[before] = l->list[j];
    }
    xl_full_barrier();
    return count <= XL_TOP_K_ROOM ? count : XL_TOP_K_UNLISTED;
}
#endif

/* Whether x is not 0 in any work-item. */
bool xl_top_k_any(uint x, __local xl_top_k_local *l)
{
    if (xl_top_k_item() == 0)
        l->any = 0;
    xl_local_barrier();
    if (x != 0)
        atomic_or(&l->any, 1u);
    xl_local_barrier();
    const bool any = l->any != 0;
    xl_local_barrier();
    return any;
}

/* Writes the results of a work-item, whose keys in the tile are j to j + XL_TOP_K_ITEMS - 1. Bit i
 * of `certain` and `candidate` is for key j + i. `results` certain results and `candidates`
 * candidates are before key j in the chunk. */
void xl_top_k_write_items(const xl_top_k_writer *w, uint j, uint certain, uint candidate,
                          uint results, uint candidates)
{
    for (uint i = 0; i < XL_TOP_K_ITEMS; ++i) {
        if (certain >> i & 1u) {
            xl_top_k_write_one(w, results + min(candidates, w->taken),
                               xl_top_k_place(&w->keys, j + i));
            ++results;
        } else if (candidate >> i & 1u) {
            if (candidates < w->taken)
                xl_top_k_write_one(w, results + candidates, xl_top_k_place(&w->keys, j + i));
            ++candidates;
        }
    }
}

void xl_top_k_write_keys(const xl_top_k_writer *w, __local xl_top_k_local *l)
{
    uint results = 0, candidates = 0; /* certain results and candidates in the tiles before */
    for (uint tile = 0; tile < w->keys.count && results + min(candidates, w->taken) < w->total;
         tile += XL_TOP_K_TILE) {
        const uint j = tile + xl_top_k_item() * XL_TOP_K_ITEMS;
        uint certain = 0, candidate = 0, total;
        for (uint i = 0; i < XL_TOP_K_ITEMS; ++i) {
            if (j + i >= w->keys.count)
                continue;
            const XL_KEY raw = w->keys.keys[xl_top_k_place(&w->keys, j + i)];
            const XL_ORDINAL known = xl_key_map(raw) & w->mask;
            certain |= (uint)(known < w->prefix) << i;
            candidate |= (uint)(known == w->prefix) << i;
        }
        if (!xl_top_k_any(certain | candidate, l))
            continue;
        const uint before =
            xl_top_k_rank(popcount(certain) | popcount(candidate) << 16, &total, l->rank);
        xl_top_k_write_items(w, j, certain, candidate, results + (before & 0xffffu),
                             candidates + (before >> 16));
        results += total & 0xffffu;
        candidates += total >> 16;
    }
}

#endif
