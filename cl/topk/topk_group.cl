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

/* Sums of 256 counters are made by 16 of them. */
#define XL_TOPK_PARTS 16

typedef struct xl_topk_local {
    uint count[XL_TOPK_COPIES * XL_DIGITS];
    uint part[2 * XL_TOPK_PARTS];
    uint found[3];
    uint any;
    uint rank[XL_TOPK_GROUP];
    xl_topk_state state;
    xl_topk_chunk chunk;
} xl_topk_local;

/* Local memory must be declared in a kernel. */
#define XL_TOPK_DECLARE_LOCAL __local xl_topk_local local_;
#define XL_TOPK_LOCAL (&local_)
#define XL_TOPK_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

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

/* Makes the first XL_DIGITS counters such that xl_topk_sum() has the sums. All work-items have
 * written their counters, and passed a barrier since. */
void xl_topk_make_sums(__local xl_topk_local *l)
{
    for (uint t = xl_topk_item(); t < XL_TOPK_PARTS; t += XL_TOPK_GROUP) {
        uint sum = 0;
        for (uint j = 0; j < XL_DIGITS / XL_TOPK_PARTS; ++j) {
            sum += l->count[t * (XL_DIGITS / XL_TOPK_PARTS) + j];
            l->count[t * (XL_DIGITS / XL_TOPK_PARTS) + j] = sum;
        }
        l->part[t] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = xl_topk_item(); t < XL_TOPK_PARTS; t += XL_TOPK_GROUP) {
        uint sum = 0;
        for (uint u = 0; u < t; ++u)
            sum += l->part[u];
        l->part[XL_TOPK_PARTS + t] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Counters of digit d and of those below it. */
uint xl_topk_sum(__local const xl_topk_local *l, uint d)
{
    return l->count[d] + l->part[XL_TOPK_PARTS + d / (XL_DIGITS / XL_TOPK_PARTS)];
}

/* The digit of the k-th key among the candidates that were counted. */
uint xl_topk_find(__global const uint *counts, xl_topk_state *s, __local xl_topk_local *l)
{
    for (uint d = xl_topk_item(); d < XL_DIGITS; d += XL_TOPK_GROUP)
        l->count[d] = counts[d];
    for (uint i = xl_topk_item(); i < 3; i += XL_TOPK_GROUP)
        l->found[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    xl_topk_make_sums(l);
    for (uint d = xl_topk_item(); d < XL_DIGITS; d += XL_TOPK_GROUP) {
        const uint sum = xl_topk_sum(l, d), below = d > 0 ? xl_topk_sum(l, d - 1) : 0;
        if (below < s->left && s->left <= sum) {
            l->found[0] = d;
            l->found[1] = below;
            l->found[2] = sum - below;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint digit = l->found[0];
    xl_topk_learn(s, digit, l->found[1], l->found[2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return digit;
}

void xl_topk_count_one(XL_KEY raw, XL_ORDINAL mask, XL_ORDINAL prefix, uint shift,
                       __local uint *count)
{
    const XL_ORDINAL key = xl_key_map(raw);
    if ((key & mask) == prefix)
        atomic_inc(count + (uint)(key >> shift) % XL_DIGITS);
}

/* A length of 0 asks for nothing, but all work-items have to come. */
void xl_topk_count_keys(__global const XL_KEY *keys, uint length, const xl_topk_state *s,
                        __global uint *sums, __global uint *counts, __local xl_topk_local *l)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    const uint shift = length > 0 ? XL_KEY_BITS - XL_DIGIT_BITS - s->bits : 0;
    const uint g = XL_TOPK_GROUP;
    __local uint *const count = l->count + xl_topk_item() % XL_TOPK_COPIES * XL_DIGITS;
    for (uint d = xl_topk_item(); d < XL_TOPK_COPIES * XL_DIGITS; d += g)
        l->count[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = xl_topk_item();
    for (; i + 3 * g < length; i += 4 * g) {
        const XL_KEY k0 = keys[i], k1 = keys[i + g], k2 = keys[i + 2 * g], k3 = keys[i + 3 * g];
        xl_topk_count_one(k0, mask, prefix, shift, count);
        xl_topk_count_one(k1, mask, prefix, shift, count);
        xl_topk_count_one(k2, mask, prefix, shift, count);
        xl_topk_count_one(k3, mask, prefix, shift, count);
    }
    for (; i < length; i += g)
        xl_topk_count_one(keys[i], mask, prefix, shift, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = xl_topk_item(); d < XL_DIGITS; d += g) {
        uint same = 0;
        for (uint c = 0; c < XL_TOPK_COPIES; ++c)
            same += l->count[c * XL_DIGITS + d];
        l->count[d] = same;
        if (same > 0)
            atomic_add(counts + d, same);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    xl_topk_make_sums(l);
    if (length > 0)
        for (uint d = xl_topk_item(); d < XL_DIGITS; d += g)
            sums[d] = xl_topk_sum(l, d);
}

/* The sum of x over the work-items before this one; *total over all of them. */
uint xl_topk_rank(uint x, uint *total, __local xl_topk_local *l)
{
    const uint me = xl_topk_item();
    uint sum = x;
    l->rank[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < XL_TOPK_GROUP; step *= 2) {
        const uint other = me >= step ? l->rank[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += other;
        l->rank[me] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = l->rank[XL_TOPK_GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - x;
}

/* The sums of two numbers over the work-items before this one. */
void xl_topk_chunk_sums(uint *better, uint *equal, __local xl_topk_local *l)
{
    uint total;
    *better = xl_topk_rank(*better, &total, l);
    *equal = xl_topk_rank(*equal, &total, l);
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

/* A tile's results: those of a work-item are neighbours, `at` results and `equal` candidates stand
 * before it in the chunk. */
void xl_topk_write_items(const xl_topk_writer *w, uint i, uint better, uint same, uint results,
                         uint equal)
{
    for (uint j = 0; j < XL_TOPK_ITEMS; ++j) {
        if (better >> j & 1u) {
            xl_topk_write_one(w, results + min(equal, w->taken), i + j);
            ++results;
        } else if (same >> j & 1u) {
            if (equal < w->taken)
                xl_topk_write_one(w, results + equal, i + j);
            ++equal;
        }
    }
}

void xl_topk_write_keys(const xl_topk_writer *w, __local xl_topk_local *l)
{
    const __global XL_KEY *const keys = w->arrays.keys_in + w->begin;
    uint results = 0, equal = 0; /* in the tiles before: by known digits, and candidates */
    for (uint tile = 0; tile < w->length && results + min(equal, w->taken) < w->total;
         tile += XL_TOPK_TILE) {
        const uint i = tile + xl_topk_item() * XL_TOPK_ITEMS;
        uint better = 0, same = 0, total;
        for (uint j = 0; j < XL_TOPK_ITEMS; ++j) {
            if (i + j >= w->length)
                continue;
            const XL_ORDINAL known = xl_key_map(keys[i + j]) & w->mask;
            better |= (uint)(known < w->prefix) << j;
            same |= (uint)(known == w->prefix) << j;
        }
        if (!xl_topk_any(better | same, l))
            continue;
        const uint before = xl_topk_rank(popcount(better) | popcount(same) << 16, &total, l);
        xl_topk_write_items(w, i, better, same, results + (before & 0xffffu),
                            equal + (before >> 16));
        results += total & 0xffffu;
        equal += total >> 16;
    }
}

#endif
