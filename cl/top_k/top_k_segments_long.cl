/* SPDX-License-Identifier: MIT
 * Top-k of long segments by radix select, as in cl/top_k/top_k.cl for a whole array. Each segment
 * is cut into chunks, and all work-groups share one list of chunks, so that all work on a single
 * very long segment. All long segments are processed at the same time, each with its own digits. */
#ifndef XL_TOP_K_LONG
#define XL_TOP_K_LONG

#include "top_k_segments_list.cl"

/* Keys of a work-item in a tile of xl_long_write(). */
#define XL_LONG_ITEMS 8

typedef struct xl_long_local {
    uint count[XL_DIGITS];
    uint rank[XL_GROUP_SIZE];
    uint found[3];
    xl_list_head head;
    xl_long segment;
} xl_long_local;

/* The lengths of the lists, read by one work-item for all. */
const __local xl_list_head *xl_list_read(const xl_list *list, __local xl_long_local *l)
{
    if (get_local_id(0) == 0) {
        l->head.longs = min(list->head->longs, list->most_longs);
        l->head.chunks = min(list->head->chunks, list->most_chunks);
    }
    xl_local_barrier();
    return &l->head;
}

/* Reads listed segment e and clamps it to the array. One work-item calls it. */
void xl_long_load(const xl_list *list, uint e, __local xl_long_local *l)
{
    l->segment = list->longs[e];
    l->segment.end = min(l->segment.end, list->n);
    l->segment.begin = min(l->segment.begin, l->segment.end);
    l->segment.known_bits = min(l->segment.known_bits, (uint)XL_KEY_BITS);
}

void xl_long_get(const xl_list *list, uint e, __local xl_long_local *l)
{
    if (get_local_id(0) == 0)
        xl_long_load(list, e, l);
    xl_local_barrier();
}

/* A chunk: keys [begin, begin + length). */
typedef struct xl_chunk {
    uint begin, length;
    XL_ORDINAL mask, prefix;
} xl_chunk;

/* Reads chunk c, and its segment into local memory. The chunk is empty if the list has wrong
 * numbers for it. */
xl_chunk xl_chunk_get(const xl_list *list, uint c, __local xl_long_local *l)
{
    xl_chunk chunk;
    /* One work-item reads for all, so that a concurrent write cannot make work-items diverge at a
     * barrier. */
    if (get_local_id(0) == 0) {
        const uint owner = min(list->owner[c], list->most_longs - 1u);
        l->found[0] = owner;
        xl_long_load(list, owner, l);
    }
    xl_local_barrier();
    const __local xl_long *const s = &l->segment;
    const ulong at = (ulong)(c - min(s->chunk, c)) * list->length, all = s->end - s->begin;
    chunk.begin = s->begin + (uint)min(at, all);
    chunk.length = s->chunk <= c ? (uint)min((ulong)list->length, all - min(at, all)) : 0;
    chunk.mask = xl_top_k_known(s->known_bits);
    chunk.prefix = (XL_ORDINAL)s->prefix;
    return chunk;
}

/* Whether all candidates are results, so that no further digit is needed. */
bool xl_long_is_found(const __local xl_long *s)
{
    return s->needed == s->candidates || s->known_bits >= XL_KEY_BITS;
}

void xl_long_count(const xl_list *list, uint c, __global const XL_KEY *keys,
                   __local xl_long_local *l)
{
    const uint w = (uint)get_local_id(0);
    const xl_chunk chunk = xl_chunk_get(list, c, l);
    const bool counts = !xl_long_is_found(&l->segment);
    const uint owner = l->found[0], length = counts ? chunk.length : 0;
    const uint shift = counts ? XL_KEY_BITS - XL_DIGIT_BITS - l->segment.known_bits : 0;
    for (uint d = w; d < XL_DIGITS; d += XL_GROUP_SIZE)
        l->count[d] = 0;
    xl_local_barrier();
    for (uint i = w; i < length; i += XL_GROUP_SIZE) {
        const XL_ORDINAL key = xl_key_map(keys[chunk.begin + i]);
        const uint digit = (uint)(key >> shift) % XL_DIGITS;
        if ((key & chunk.mask) == chunk.prefix) {
#if XL_TOP_K_SHAPE == 0
            atomic_inc(&l->count[digit]);
#else
            ++l->count[digit];
#endif
        }
    }
    xl_local_barrier();
    for (uint d = w; d < XL_DIGITS; d += XL_GROUP_SIZE)
        if (l->count[d] > 0)
            atomic_add(list->counts + (size_t)owner * XL_DIGITS + d, l->count[d]);
    xl_local_barrier();
}

/* Adds the digit of the k-th key among the candidates of a segment, which were counted. */
void xl_long_find(const xl_list *list, uint e, __local xl_long_local *l)
{
    const uint w = (uint)get_local_id(0);
    __global uint *const counts = list->counts + (size_t)e * XL_DIGITS;
    xl_long_get(list, e, l);
    const uint needed = l->segment.needed;
    xl_top_k_digit(counts, XL_DIGITS, needed, l->rank, l->found);
    for (uint d = w; d < XL_DIGITS; d += XL_GROUP_SIZE)
        counts[d] = 0;
    if (w == 0 && !xl_long_is_found(&l->segment)) {
        __global xl_long *const s = list->longs + e;
        const uint bits = l->segment.known_bits + XL_DIGIT_BITS;
        s->known_bits = bits;
        s->prefix = l->segment.prefix | (ulong)l->found[0] << (XL_KEY_BITS - bits);
        s->needed = needed - l->found[1];
        s->candidates = l->found[2];
    }
    xl_local_barrier();
}

/* Counts the certain results and the candidates of a chunk. */
void xl_long_tally(const xl_list *list, uint c, __global const XL_KEY *keys,
                   __local xl_long_local *l)
{
    const xl_chunk chunk = xl_chunk_get(list, c, l);
    uint certain = 0, candidates = 0, all_certain, all_candidates;
    for (uint i = (uint)get_local_id(0); i < chunk.length; i += XL_GROUP_SIZE) {
        const XL_ORDINAL known = xl_key_map(keys[chunk.begin + i]) & chunk.mask;
        certain += known < chunk.prefix;
        candidates += known == chunk.prefix;
    }
    (void)xl_top_k_rank(certain, &all_certain, l->rank);
    (void)xl_top_k_rank(candidates, &all_candidates, l->rank);
    if (get_local_id(0) == 0) {
        list->certain[c] = all_certain;
        list->candidates[c] = all_candidates;
    }
}

/* Replaces the counts of each chunk of a segment by the sums over the chunks before it. */
void xl_long_places(const xl_list *list, uint e, __local xl_long_local *l)
{
    xl_long_get(list, e, l);
    const uint all = XL_CEIL_DIV(l->segment.end - l->segment.begin, list->length);
    const uint first = min(l->segment.chunk, list->most_chunks);
    const uint chunks = min(all, list->most_chunks - first);
    uint certain = 0, candidates = 0;
    xl_local_barrier();
    for (uint i = 0; i < chunks; i += XL_GROUP_SIZE) {
        const uint at = i + (uint)get_local_id(0), c = first + min(at, chunks - 1u);
        uint all_certain, all_candidates;
        const uint x = xl_top_k_rank(at < chunks ? list->certain[c] : 0, &all_certain, l->rank);
        const uint y =
            xl_top_k_rank(at < chunks ? list->candidates[c] : 0, &all_candidates, l->rank);
        if (at < chunks) {
            list->certain[c] = certain + x;
            list->candidates[c] = candidates + y;
        }
        certain += all_certain;
        candidates += all_candidates;
    }
}

/* Stores where the results of each long segment begin in the arrays that are sorted. The remaining
 * starts are the end. One group calls it. */
void xl_long_starts(const xl_list *list, uint longs, __global uint *starts, uint most,
                    __local xl_long_local *l)
{
    uint sum = 0;
    for (uint i = 0; i < list->most_longs; i += XL_GROUP_SIZE) {
        const uint e = i + (uint)get_local_id(0);
        uint results = 0, total;
        if (e < longs)
            results = min(list->k, list->longs[e].end - list->longs[e].begin);
        const uint before = xl_top_k_rank(results, &total, l->rank);
        if (e < list->most_longs)
            starts[e] = min(sum + min(before, most), most);
        sum = min(sum + min(total, most), most);
    }
    if (get_local_id(0) == 0)
        list->head->results = sum;
}

/* Results of long segments that are sorted next; `most` 0: they are not sorted. */
typedef struct xl_sort_input {
    __global const uint *starts;
    __global XL_ORDINAL *ordinals;
    __global uint *indices;
    uint most;
} xl_sort_input;

/* Stores key i of the array as the result at `place` of long segment `owner`. */
void xl_long_store(const xl_results *out, const xl_sort_input *sort, uint owner, uint segment,
                   uint place, uint i)
{
    if (sort->most == 0) {
        xl_top_k_store(&out->arrays, (ulong)segment * out->stride + place, i);
        return;
    }
    const uint start = min(sort->starts[owner], sort->most);
    if (place < sort->most - start) {
        sort->ordinals[start + place] = xl_key_map(out->arrays.keys_in[i]);
        sort->indices[start + place] = i;
    }
}

void xl_long_write(const xl_list *list, uint c, const xl_results *out, const xl_sort_input *sort,
                   __local xl_long_local *l)
{
    const xl_chunk chunk = xl_chunk_get(list, c, l);
    const uint owner = l->found[0], segment = l->segment.segment, needed = l->segment.needed;
    const uint results = min(list->k, l->segment.end - l->segment.begin);
    uint certain = list->certain[c], candidates = list->candidates[c]; /* before the tile */
    for (uint tile = 0; tile < chunk.length; tile += XL_GROUP_SIZE * XL_LONG_ITEMS) {
        const uint i = tile + (uint)get_local_id(0) * XL_LONG_ITEMS;
        uint first = 0, same = 0, all_first, all_same;
        for (uint j = 0; j < XL_LONG_ITEMS; ++j) {
            if (i + j >= chunk.length)
                continue;
            const XL_ORDINAL known =
                xl_key_map(out->arrays.keys_in[chunk.begin + i + j]) & chunk.mask;
            first |= (uint)(known < chunk.prefix) << j;
            same |= (uint)(known == chunk.prefix) << j;
        }
        uint x = certain + xl_top_k_rank(popcount(first), &all_first, l->rank);
        uint y = candidates + xl_top_k_rank(popcount(same), &all_same, l->rank);
        for (uint j = 0; j < XL_LONG_ITEMS; ++j) {
            const bool is_first = (first >> j & 1u) != 0, is_same = (same >> j & 1u) != 0;
            const uint place = x + min(y, needed);
            if ((is_first || (is_same && y < needed)) && place < results &&
                segment < list->segments)
                xl_long_store(out, sort, owner, segment, place, chunk.begin + i + j);
            x += is_first;
            y += is_same;
        }
        certain += all_first;
        candidates += all_same;
    }
    xl_local_barrier();
}

#endif
