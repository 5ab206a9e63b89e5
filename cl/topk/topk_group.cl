/* SPDX-License-Identifier: MIT
 * A top-k selection by work-groups: a group counts its chunk's candidates in local memory, and
 * ranks the results of a tile after the other. It takes atomics on local and global memory and no
 * exchange between work-items but by barriers, so that it runs everywhere. */
#ifndef XL_TOPK_BY_GROUP
#define XL_TOPK_BY_GROUP

#include "topk_state.cl"

#define XL_TOPK_TILE (XL_TOPK_GROUP * XL_TOPK_ITEMS)
#if XL_TOPK_ITEMS > 32 || XL_TOPK_TILE > 65535
#error "flags of a work-item have 32 bits, counts of a tile 16"
#endif

/* Counters of one digit, so that neighbours that are equal do not wait for each other. */
#define XL_TOPK_COPIES 2

typedef struct xl_topk_local {
    uint count[XL_TOPK_COPIES * XL_DIGITS];
    uint found[3];
    uint any, listed;
    uint rank[XL_TOPK_GROUP];
#if XL_TOPK_ROOM > 0
    uint list[XL_TOPK_ROOM];
#endif
    xl_topk_state state;
    xl_topk_chunk chunk;
} xl_topk_local;

/* Local memory must be declared in a kernel. */
#define XL_TOPK_DECLARE_LOCAL                                                                      \
    __local xl_topk_local local_;                                                                  \
    __local xl_topk_local *const l = &local_;
#define XL_TOPK_LOCAL , l
#define XL_TOPK_LOCAL_PARAMETER , __local xl_topk_local *l

uint xl_topk_item(void)
{
    return (uint)get_local_id(0);
}

/* What stands in the scratch, the same for all work-items. Read once: of numbers that somebody
 * writes meanwhile they would part at barriers. */
xl_topk_state xl_topk_state_read(__global const xl_topk_state *from, __local xl_topk_local *l)
{
    if (xl_topk_item() == 0)
        l->state = *from;
    barrier(CLK_LOCAL_MEM_FENCE);
    return l->state;
}

xl_topk_chunk xl_topk_chunk_read(const xl_topk *t, uint c, __local xl_topk_local *l)
{
    if (xl_topk_item() == 0)
        l->chunk = xl_topk_chunk_at(t, c);
    barrier(CLK_LOCAL_MEM_FENCE);
    return l->chunk;
}

uint xl_topk_word_read(__global const uint *from, __local xl_topk_local *l)
{
    if (xl_topk_item() == 0)
        l->listed = *from;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint word = l->listed;
    barrier(CLK_LOCAL_MEM_FENCE);
    return word;
}

/* The digit of the k-th key among the candidates that were counted. */
void xl_topk_find(__global const uint *counts, xl_topk_state *s, __local xl_topk_local *l)
{
    xl_topk_digit(counts, XL_DIGITS, s->left, l->rank, l->found);
    xl_topk_learn(s, l->found[0], l->found[1], l->found[2]);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* What a count asks of a key. */
typedef struct xl_topk_question {
    XL_ORDINAL mask, prefix;
    uint shift, digits; /* digits: all bits of one */
} xl_topk_question;

xl_topk_question xl_topk_question_of(const xl_topk_state *s)
{
    xl_topk_question q;
    q.mask = xl_topk_mask(s);
    q.prefix = (XL_ORDINAL)s->prefix;
    q.shift = xl_topk_shift(s);
    q.digits = xl_topk_digit_mask(s);
    return q;
}

/* The digit of a candidate, or XL_DIGITS. */
uint xl_topk_digit_in(const xl_topk_question *q, XL_KEY raw)
{
    const XL_ORDINAL key = xl_key_map(raw);
    return (key & q->mask) == q->prefix ? (uint)(key >> q->shift) & q->digits : XL_DIGITS;
}

void xl_topk_count_one(uint digit, __local uint *count)
{
    if (digit < XL_DIGITS)
        atomic_inc(count + digit);
}

/* So many keys are on their way at once, in vectors of four. */
#define XL_TOPK_AT_ONCE 16
typedef XL_JOIN(XL_KEY, 4) xl_topk_four;

/* A chunk as vectors: so many keys stand before the first, and then as many vectors as the whole
 * group takes at once some times; all keys from `tail` on stand behind them. */
typedef struct xl_topk_vectors {
    __global const xl_topk_four *at;
    uint head, count, tail;
} xl_topk_vectors;
#define XL_TOPK_STEP (XL_TOPK_AT_ONCE / 4 * XL_TOPK_GROUP)

xl_topk_vectors xl_topk_vectors_of(__global const XL_KEY *keys, uint length)
{
    const uint past = (uint)((size_t)keys / sizeof(XL_KEY)) % 4u;
    xl_topk_vectors v;
    v.head = min(length, (4u - past) % 4u);
    v.at = (__global const xl_topk_four *)(keys + v.head);
    v.count = (length - v.head) / 4u / XL_TOPK_STEP * XL_TOPK_STEP;
    v.tail = v.head + 4u * v.count;
    return v;
}

void xl_topk_load_four(__global const xl_topk_four *from, XL_KEY *key)
{
    const xl_topk_four four = *from;
    key[0] = four.s0;
    key[1] = four.s1;
    key[2] = four.s2;
    key[3] = four.s3;
}

/* Of equal digits, which would wait for each other, one addition. */
void xl_topk_count_some(const XL_KEY *key, const xl_topk_question *q, __local uint *count)
{
    const uint first = xl_topk_digit_in(q, key[0]);
    bool same = true;
#pragma unroll
    for (uint j = 1; j < XL_TOPK_AT_ONCE; ++j)
        same = same && xl_topk_digit_in(q, key[j]) == first;
    if (same) {
        if (first < XL_DIGITS)
            atomic_add(count + first, (uint)XL_TOPK_AT_ONCE);
    } else {
#pragma unroll
        for (uint j = 0; j < XL_TOPK_AT_ONCE; ++j)
            xl_topk_count_one(xl_topk_digit_in(q, key[j]), count);
    }
}

void xl_topk_count_chunk(const xl_topk_keys *mine, const xl_topk_question *q, __local uint *count)
{
    const __global XL_KEY *const keys = mine->keys;
    const uint g = XL_TOPK_GROUP, length = mine->length, item = xl_topk_item();
    const xl_topk_vectors vectors = xl_topk_vectors_of(keys, length);
    for (uint v = item; v < vectors.count; v += XL_TOPK_STEP) {
        XL_KEY key[XL_TOPK_AT_ONCE];
#pragma unroll
        for (uint j = 0; j < XL_TOPK_AT_ONCE; j += 4)
            xl_topk_load_four(vectors.at + v + j / 4 * g, key + j);
        xl_topk_count_some(key, q, count);
    }
    for (uint i = vectors.tail + item; i < length; i += g)
        xl_topk_count_one(xl_topk_digit_in(q, keys[i]), count);
    for (uint i = item; i < vectors.head; i += g)
        xl_topk_count_one(xl_topk_digit_in(q, keys[i]), count);
}

void xl_topk_count_keys(const xl_topk_keys *mine, const xl_topk_state *s, __global uint *counts,
                        __local xl_topk_local *l)
{
    const xl_topk_question q = xl_topk_question_of(s);
    const uint g = XL_TOPK_GROUP;
    __local uint *const count = l->count + xl_topk_item() % XL_TOPK_COPIES * XL_DIGITS;
    for (uint d = xl_topk_item(); d < XL_TOPK_COPIES * XL_DIGITS; d += g)
        l->count[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!mine->is_listed)
        xl_topk_count_chunk(mine, &q, count);
    else
        for (uint j = xl_topk_item(); j < mine->count; j += g)
            xl_topk_count_one(xl_topk_digit_in(&q, mine->keys[xl_topk_place(mine, j)]), count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = xl_topk_item(); d < XL_DIGITS; d += g) {
        uint same = 0;
        for (uint c = 0; c < XL_TOPK_COPIES; ++c)
            same += l->count[c * XL_DIGITS + d];
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

#if XL_TOPK_ROOM > 0
bool xl_topk_may_be(XL_KEY raw, const xl_topk_question *q)
{
    return (xl_key_map(raw) & q->mask) <= q->prefix;
}

void xl_topk_list_one(XL_KEY raw, const xl_topk_question *q, uint i, __local xl_topk_local *l)
{
    if (xl_topk_may_be(raw, q)) {
        const uint at = atomic_inc(&l->listed);
        if (at < XL_TOPK_ROOM)
            l->list[at] = i;
    }
}

/* Of vectors from v on, a group's work-items apart. Seldom is any in the list. */
void xl_topk_list_some(const xl_topk_vectors *vectors, uint v, const xl_topk_question *q,
                       __local xl_topk_local *l)
{
    XL_KEY key[XL_TOPK_AT_ONCE];
    bool any = false;
#pragma unroll
    for (uint j = 0; j < XL_TOPK_AT_ONCE; j += 4)
        xl_topk_load_four(vectors->at + v + j / 4 * XL_TOPK_GROUP, key + j);
#pragma unroll
    for (uint j = 0; j < XL_TOPK_AT_ONCE; ++j)
        any = any || xl_topk_may_be(key[j], q);
    if (!any)
        return;
#pragma unroll
    for (uint j = 0; j < XL_TOPK_AT_ONCE; ++j)
        xl_topk_list_one(key[j], q, vectors->head + 4u * (v + j / 4 * XL_TOPK_GROUP) + j % 4, l);
}

/* The places of the keys of a chunk that may be results, in order. Its length, or, where it has no
 * room, XL_TOPK_UNLISTED: that shows as soon as it does, and the rest is not read. */
uint xl_topk_make_list(__global const XL_KEY *keys, uint length, const xl_topk_state *s,
                       __global uint *list, __local xl_topk_local *l)
{
    const xl_topk_question q = xl_topk_question_of(s);
    const uint g = XL_TOPK_GROUP;
    volatile __local const uint *const listed = &l->listed;
    if (xl_topk_item() == 0)
        l->listed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const xl_topk_vectors vectors = xl_topk_vectors_of(keys, length);
    const uint item = xl_topk_item();
    for (uint v = item; v < vectors.count && *listed <= XL_TOPK_ROOM; v += XL_TOPK_STEP)
        xl_topk_list_some(&vectors, v, &q, l);
    for (uint i = vectors.tail + item; i < length && *listed <= XL_TOPK_ROOM; i += g)
        xl_topk_list_one(keys[i], &q, i, l);
    for (uint i = item; i < vectors.head; i += g)
        xl_topk_list_one(keys[i], &q, i, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = l->listed;
    for (uint j = xl_topk_item(); j < count && count <= XL_TOPK_ROOM; j += g) {
        uint before = 0;
        for (uint k = 0; k < count; ++k)
            before += l->list[k] < l->list[j] ? 1 : 0;
        list[before] = l->list[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return count <= XL_TOPK_ROOM ? count : XL_TOPK_UNLISTED;
}
#endif

/* The sums of two numbers over all work-items. */
void xl_topk_add_up(uint *x, uint *y, __local xl_topk_local *l)
{
    uint total;
    xl_topk_rank(*x, &total, l->rank);
    *x = total;
    xl_topk_rank(*y, &total, l->rank);
    *y = total;
}

/* How many of the keys are results by known digits, and how many are candidates. */
void xl_topk_tally_keys(const xl_topk_keys *mine, const xl_topk_state *s, uint *better, uint *equal,
                        __local xl_topk_local *l)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    uint lower = 0, same = 0;
    for (uint j = xl_topk_item(); j < mine->count; j += XL_TOPK_GROUP) {
        const XL_ORDINAL known = xl_key_map(mine->keys[xl_topk_place(mine, j)]) & mask;
        lower += known < prefix ? 1 : 0;
        same += known == prefix ? 1 : 0;
    }
    xl_topk_add_up(&lower, &same, l);
    *better = lower;
    *equal = same;
}

/* Whether x is not 0 in any work-item. */
bool xl_topk_any(uint x, __local xl_topk_local *l)
{
    if (xl_topk_item() == 0)
        l->any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x != 0)
        atomic_or(&l->any, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool any = l->any != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return any;
}

/* A tile's results: those of a work-item are neighbours, number j of the keys and those behind it;
 * `results` and `equal` candidates stand before them in the chunk. */
void xl_topk_write_items(const xl_topk_writer *w, uint j, uint better, uint same, uint results,
                         uint equal)
{
    for (uint i = 0; i < XL_TOPK_ITEMS; ++i) {
        if (better >> i & 1u) {
            xl_topk_write_one(w, results + min(equal, w->taken), xl_topk_place(&w->keys, j + i));
            ++results;
        } else if (same >> i & 1u) {
            if (equal < w->taken)
                xl_topk_write_one(w, results + equal, xl_topk_place(&w->keys, j + i));
            ++equal;
        }
    }
}

void xl_topk_write_keys(const xl_topk_writer *w, __local xl_topk_local *l)
{
    uint results = 0, equal = 0; /* in the tiles before: by known digits, and candidates */
    for (uint tile = 0; tile < w->keys.count && results + min(equal, w->taken) < w->total;
         tile += XL_TOPK_TILE) {
        const uint j = tile + xl_topk_item() * XL_TOPK_ITEMS;
        uint better = 0, same = 0, total;
        for (uint i = 0; i < XL_TOPK_ITEMS; ++i) {
            if (j + i >= w->keys.count)
                continue;
            const XL_KEY raw = w->keys.keys[xl_topk_place(&w->keys, j + i)];
            const XL_ORDINAL known = xl_key_map(raw) & w->mask;
            better |= (uint)(known < w->prefix) << i;
            same |= (uint)(known == w->prefix) << i;
        }
        if (!xl_topk_any(better | same, l))
            continue;
        const uint before = xl_topk_rank(popcount(better) | popcount(same) << 16, &total, l->rank);
        xl_topk_write_items(w, j, better, same, results + (before & 0xffffu),
                            equal + (before >> 16));
        results += total & 0xffffu;
        equal += total >> 16;
    }
}

#endif
