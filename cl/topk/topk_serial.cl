/* SPDX-License-Identifier: MIT
 * A top-k selection on devices whose work-items run one after another: each work-item loops over a
 * chunk. Once some digits are known, few keys can be results: the work-item then tests a block of
 * keys without a branch, and skips the block if none of its keys can be. */
#ifndef XL_TOPK_SERIAL
#define XL_TOPK_SERIAL

#include "topk_state.cl"

#define XL_TOPK_BLOCK 32

/* A group of one work-item needs no local memory. */
#define XL_TOPK_DECLARE_LOCAL
#define XL_TOPK_LOCAL
#define XL_TOPK_LOCAL_PARAMETER

/* Counters of a digit: equal adjacent keys use different ones, so that an increment does not wait for
 * the one before. */
#define XL_TOPK_COPIES 2

xl_topk_state xl_topk_state_read(__global const xl_topk_state *from)
{
    return *from;
}

xl_topk_chunk xl_topk_chunk_read(const xl_topk *t, uint c)
{
    return xl_topk_chunk_at(t, c);
}

uint xl_topk_word_read(__global const uint *from)
{
    return *from;
}

/* Adds the digit of the k-th key among the candidates that were counted. */
void xl_topk_find_digit(__global const uint *counts, xl_topk_state *s)
{
    uint digit = 0, below = 0;
    while (digit < XL_DIGITS - 1 && counts[digit] < s->needed - below)
        below += counts[digit++];
    xl_topk_add_digit(s, digit, below, counts[digit]);
}

/* Whether a key of the block is a candidate or, if `results` is true, a certain result. */
bool xl_topk_block(__global const XL_KEY *keys, XL_ORDINAL mask, XL_ORDINAL prefix, bool results)
{
    uint hits = 0;
    for (uint j = 0; j < XL_TOPK_BLOCK; ++j) {
        const XL_ORDINAL known = xl_key_map(keys[j]) & mask;
        hits |= (uint)(known == prefix) | (uint)(results && known < prefix);
    }
    return hits != 0;
}

void xl_topk_count_keys(const xl_topk_keys *mine, const xl_topk_state *s, __global uint *counts)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    const uint shift = xl_topk_shift(s), digits = xl_topk_digit_mask(s);
    uint count[XL_TOPK_COPIES * XL_DIGITS];
    for (uint d = 0; d < XL_TOPK_COPIES * XL_DIGITS; ++d)
        count[d] = 0;
    for (uint i = 0; i < mine->count; i += XL_TOPK_BLOCK) {
        const uint most = min((uint)XL_TOPK_BLOCK, mine->count - i);
        const bool is_block = most == XL_TOPK_BLOCK && !mine->is_listed;
        if (is_block && mask == 0) {
            for (uint j = 0; j < XL_TOPK_BLOCK; ++j)
                ++count[j % XL_TOPK_COPIES * XL_DIGITS +
                        (uint)(xl_key_map(mine->keys[i + j]) >> shift)];
            continue;
        }
        if (is_block && !xl_topk_block(mine->keys + i, mask, prefix, false))
            continue;
        for (uint j = 0; j < most; ++j) {
            const XL_ORDINAL key = xl_key_map(mine->keys[xl_topk_place(mine, i + j)]);
            if ((key & mask) == prefix)
                ++count[j % XL_TOPK_COPIES * XL_DIGITS + ((uint)(key >> shift) & digits)];
        }
    }
    for (uint d = 0; d < XL_DIGITS; ++d) {
        uint same = 0;
        for (uint c = 0; c < XL_TOPK_COPIES; ++c)
            same += count[c * XL_DIGITS + d];
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

#if XL_TOPK_ROOM > 0
/* Makes the list of the chunk's keys that may be results. Returns its length, or XL_TOPK_UNLISTED if
 * it has no room. */
uint xl_topk_make_list(__global const XL_KEY *keys, uint length, const xl_topk_state *s,
                       __global uint *list)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    uint count = 0;
    for (uint i = 0; i < length; i += XL_TOPK_BLOCK) {
        const uint most = min((uint)XL_TOPK_BLOCK, length - i);
        if (most < XL_TOPK_BLOCK || xl_topk_block(keys + i, mask, prefix, true))
            for (uint j = 0; j < most; ++j) {
                list[min(count, (uint)XL_TOPK_ROOM - 1)] = i + j;
                count += (xl_key_map(keys[i + j]) & mask) <= prefix ? 1 : 0;
            }
        /* Intel's compiler for CPUs crashes if this is in the condition of the loop (2026-11). */
        if (count >= XL_TOPK_ROOM)
            break;
    }
    return count < XL_TOPK_ROOM ? count : XL_TOPK_UNLISTED;
}
#endif

/* Counts the certain results and the candidates. */
void xl_topk_tally_keys(const xl_topk_keys *mine, const xl_topk_state *s, uint *certain,
                        uint *candidates)
{
    const XL_ORDINAL mask = xl_topk_mask(s), prefix = (XL_ORDINAL)s->prefix;
    const bool is_listed = mine->is_listed;
    uint lower = 0, same = 0;
    for (uint j = 0; j < mine->count && is_listed; ++j) {
        const XL_ORDINAL known = xl_key_map(mine->keys[xl_topk_place(mine, j)]) & mask;
        lower += known < prefix ? 1 : 0;
        same += known == prefix ? 1 : 0;
    }
    for (uint j = 0; j < mine->length && !is_listed; ++j) {
        const XL_ORDINAL known = xl_key_map(mine->keys[j]) & mask;
        lower += known < prefix ? 1 : 0;
        same += known == prefix ? 1 : 0;
    }
    *certain = lower;
    *candidates = same;
}

/* The sums over all work-items: there is one. */
void xl_topk_add_up(uint *x, uint *y)
{
}

void xl_topk_write_keys(const xl_topk_writer *w)
{
    const xl_topk_keys *const mine = &w->keys;
    uint at = 0, candidates = 0;
    for (uint i = 0; i < mine->count && at < w->total; i += XL_TOPK_BLOCK) {
        const uint most = min((uint)XL_TOPK_BLOCK, mine->count - i);
        if (!mine->is_listed && most == XL_TOPK_BLOCK &&
            !xl_topk_block(mine->keys + i, w->mask, w->prefix, true))
            continue;
        for (uint j = 0; j < most; ++j) {
            const uint place = xl_topk_place(mine, i + j);
            const XL_ORDINAL known = xl_key_map(mine->keys[place]) & w->mask;
            if (known < w->prefix || (known == w->prefix && candidates++ < w->taken))
                xl_topk_write_one(w, at++, place);
        }
    }
}

#endif
