/* SPDX-License-Identifier: MIT
 * A top-k selection on devices whose work-items run one after another: each work-item walks a
 * chunk. Once some digits are known few keys matter, so that it looks at a block of keys at once,
 * without a branch, for whether any does. */
#ifndef XL_TOPK_SERIAL
#define XL_TOPK_SERIAL

#include "topk_state.cl"

#define XL_TOPK_BLOCK 32

/* The group has no local memory to share. */
#define XL_TOPK_DECLARE_LOCAL
#define XL_TOPK_LOCAL 0
#define XL_TOPK_BARRIER()

xl_topk_state xl_topk_state_read(__global const xl_topk_state *from, int unused)
{
    return *from;
}

xl_topk_chunk xl_topk_chunk_read(const xl_topk *t, uint c, int unused)
{
    return xl_topk_chunk_at(t, c);
}

/* The digit of the k-th key among the candidates that were counted. */
uint xl_topk_find(__global const uint *counts, xl_topk_state *s, int unused)
{
    uint digit = 0, below = 0;
    while (digit < XL_DIGITS - 1 && counts[digit] < s->left - below)
        below += counts[digit++];
    xl_topk_learn(s, digit, below, counts[digit]);
    return digit;
}

/* Whether any of a block's keys has the known digits, or, where results count as well, lower ones.
 */
bool xl_topk_block(__global const XL_KEY *keys, XL_ORDINAL mask, XL_ORDINAL prefix, bool lower)
{
    uint hits = 0;
    for (uint j = 0; j < XL_TOPK_BLOCK; ++j) {
        const XL_ORDINAL known = xl_key_map(keys[j]) & mask;
        hits |= (uint)(known == prefix) | (uint)(lower && known < prefix);
    }
    return hits != 0;
}

void xl_topk_count_keys(__global const XL_KEY *keys, uint length, const xl_topk_state *s,
                        __global uint *sums, __global uint *counts, int unused)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    if (length == 0)
        return;
    const uint shift = XL_KEY_BITS - XL_DIGIT_BITS - s->bits;
    uint count[XL_TOPK_COPIES * XL_DIGITS];
    for (uint d = 0; d < XL_TOPK_COPIES * XL_DIGITS; ++d)
        count[d] = 0;
    for (uint i = 0; i < length; i += XL_TOPK_BLOCK) {
        const uint most = min((uint)XL_TOPK_BLOCK, length - i);
        if (mask == 0 && most == XL_TOPK_BLOCK) {
            for (uint j = 0; j < XL_TOPK_BLOCK; ++j)
                ++count[j % XL_TOPK_COPIES * XL_DIGITS + (uint)(xl_key_map(keys[i + j]) >> shift)];
            continue;
        }
        if (most == XL_TOPK_BLOCK && !xl_topk_block(keys + i, mask, prefix, false))
            continue;
        for (uint j = 0; j < most; ++j) {
            const XL_ORDINAL key = xl_key_map(keys[i + j]);
            if ((key & mask) == prefix)
                ++count[j % XL_TOPK_COPIES * XL_DIGITS + (uint)(key >> shift) % XL_DIGITS];
        }
    }
    uint sum = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        uint same = 0;
        for (uint c = 0; c < XL_TOPK_COPIES; ++c)
            same += count[c * XL_DIGITS + d];
        sum += same;
        sums[d] = sum;
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

/* The sums of two numbers over the chunks before each; one work-item has all of them. */
void xl_topk_chunk_sums(uint *better, uint *equal, int unused)
{
    *better = 0;
    *equal = 0;
}

void xl_topk_write_keys(const xl_topk_writer *w, int unused)
{
    const __global XL_KEY *const keys = w->arrays.keys_in + w->begin;
    uint at = 0, equal = 0;
    for (uint i = 0; i < w->length && at < w->total; i += XL_TOPK_BLOCK) {
        const uint most = min((uint)XL_TOPK_BLOCK, w->length - i);
        if (most == XL_TOPK_BLOCK && !xl_topk_block(keys + i, w->mask, w->prefix, true))
            continue;
        for (uint j = 0; j < most; ++j) {
            const XL_ORDINAL known = xl_key_map(keys[i + j]) & w->mask;
            if (known < w->prefix || (known == w->prefix && equal++ < w->taken))
                xl_topk_write_one(w, at++, i + j);
        }
    }
}

#endif
