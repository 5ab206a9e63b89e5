/* SPDX-License-Identifier: MIT
 * A top-k selection on devices whose work-items run one after another: each work-item loops over a
 * chunk. Once some digits are known, few keys can be results: the work-item then tests a block of
 * keys without a branch, and skips the block if none of its keys can be. */
#ifndef XL_TOP_K_SERIAL
#define XL_TOP_K_SERIAL

#include "top_k_state.cl"

#define XL_TOP_K_BLOCK 32

/* Counters of a digit: equal adjacent keys use different ones, so that an increment does not wait
 * for the one before. */
#define XL_TOP_K_COPIES 2

typedef struct xl_top_k_local {
    uint found[3], listed, rank[1];
    xl_top_k_state state;
    xl_top_k_chunk chunk;
} xl_top_k_local;

/* Whether a key of the block is a candidate or, if `results` is true, a certain result. */
bool xl_top_k_block(__global const XL_KEY *keys, XL_ORDINAL mask, XL_ORDINAL prefix, bool results)
{
    uint hits = 0;
    for (uint j = 0; j < XL_TOP_K_BLOCK; ++j) {
        const XL_ORDINAL known = xl_key_map(keys[j]) & mask;
        hits |= (uint)(known == prefix) | (uint)(results && known < prefix);
    }
    return hits != 0;
}

void xl_top_k_count_keys(const xl_top_k_keys *mine, const xl_top_k_state *s, __global uint *counts,
                         __local xl_top_k_local *l)
{
    const XL_ORDINAL mask = xl_top_k_mask(s), prefix = (XL_ORDINAL)s->prefix;
    const uint shift = xl_top_k_shift(s), digits = xl_top_k_digit_mask(s);
    uint count[XL_TOP_K_COPIES * XL_DIGITS];
    for (uint d = 0; d < XL_TOP_K_COPIES * XL_DIGITS; ++d)
        count[d] = 0;
    for (uint i = 0; i < mine->count; i += XL_TOP_K_BLOCK) {
        const uint most = min((uint)XL_TOP_K_BLOCK, mine->count - i);
        const bool is_block = most == XL_TOP_K_BLOCK && !mine->is_listed;
        if (is_block && mask == 0) {
            for (uint j = 0; j < XL_TOP_K_BLOCK; ++j)
                ++count[j % XL_TOP_K_COPIES * XL_DIGITS +
                        (uint)(xl_key_map(mine->keys[i + j]) >> shift)];
            continue;
        }
        if (is_block && !xl_top_k_block(mine->keys + i, mask, prefix, false))
            continue;
        for (uint j = 0; j < most; ++j) {
            const XL_ORDINAL key = xl_key_map(mine->keys[xl_top_k_place(mine, i + j)]);
            if ((key & mask) == prefix)
                ++count[j % XL_TOP_K_COPIES * XL_DIGITS + ((uint)(key >> shift) & digits)];
        }
    }
    for (uint d = 0; d < XL_DIGITS; ++d) {
        uint same = 0;
        for (uint c = 0; c < XL_TOP_K_COPIES; ++c)
            same += count[c * XL_DIGITS + d];
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

#if XL_TOP_K_ROOM > 0
/* Makes the list of the chunk's keys that may be results. Returns its length, or XL_TOP_K_UNLISTED
 * if it has no room. */
uint xl_top_k_make_list(__global const XL_KEY *keys, uint length, const xl_top_k_state *s,
                        __global uint *list, __local xl_top_k_local *l)
{
    const XL_ORDINAL mask = xl_top_k_mask(s), prefix = (XL_ORDINAL)s->prefix;
    uint count = 0;
    for (uint i = 0; i < length; i += XL_TOP_K_BLOCK) {
        const uint most = min((uint)XL_TOP_K_BLOCK, length - i);
        if (most < XL_TOP_K_BLOCK || xl_top_k_block(keys + i, mask, prefix, true))
            for (uint j = 0; j < most; ++j) {
                list[min(count, (uint)XL_TOP_K_ROOM - 1)] = i + j;
                count += (xl_key_map(keys[i + j]) & mask) <= prefix ? 1 : 0;
            }
        /* Intel's compiler for CPUs crashes if this is in the condition of the loop (2026-11). */
        if (count >= XL_TOP_K_ROOM)
            break;
    }
    return count < XL_TOP_K_ROOM ? count : XL_TOP_K_UNLISTED;
}
#endif

void xl_top_k_write_keys(const xl_top_k_writer *w, __local xl_top_k_local *l)
{
    const xl_top_k_keys *const mine = &w->keys;
    uint at = 0, candidates = 0;
    for (uint i = 0; i < mine->count && at < w->total; i += XL_TOP_K_BLOCK) {
        const uint most = min((uint)XL_TOP_K_BLOCK, mine->count - i);
        if (!mine->is_listed && most == XL_TOP_K_BLOCK &&
            !xl_top_k_block(mine->keys + i, w->mask, w->prefix, true))
            continue;
        for (uint j = 0; j < most; ++j) {
            const uint place = xl_top_k_place(mine, i + j);
            const XL_ORDINAL known = xl_key_map(mine->keys[place]) & w->mask;
            if (known < w->prefix || (known == w->prefix && candidates++ < w->taken))
                xl_top_k_write_one(w, at++, place);
        }
    }
}

#endif
