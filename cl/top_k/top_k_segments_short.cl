/* SPDX-License-Identifier: MIT
 * Top-k of short segments, which a tile holds: by a work-group, in rows of the tile, or on devices
 * whose work-items run one after another, in a heap. */
#ifndef XL_TOP_K_SHORT_SEGMENTS
#define XL_TOP_K_SHORT_SEGMENTS

#include "top_k_segments_list.cl"

#if XL_TOP_K_SHAPE == 0
/* ---- rows ---- */

/* Segments of a batch whose lengths round up to the same power of two are sorted together, each in a
 * row of the tile in local memory, by a bitonic network for that length (Batcher, AFIPS 1968; all
 * comparators point the same way). Equal keys are ordered by their place. */

/* Rows have 2^log places; log is 0 to XL_TOP_K_TILE_LOG. */
#define XL_ROW_KINDS (XL_TOP_K_TILE_LOG + 1)

typedef struct xl_short_local {
    XL_ORDINAL key[XL_TOP_K_TILE];
    uint place[XL_TOP_K_TILE];          /* in its segment */
    uint taken[XL_TOP_K_TILE / 32 + 1]; /* for each place of the rows, whether it has a result */
    uint begin[XL_GROUP_SIZE], length[XL_GROUP_SIZE]; /* of each segment of the batch */
    uint order[XL_GROUP_SIZE];                        /* the segments by row length */
    uint first[XL_ROW_KINDS + 1], filled[XL_ROW_KINDS + 1];
} xl_short_local;

/* Local memory must be declared in a kernel. */
#define XL_TOP_K_DECLARE_SHORT __local xl_short_local short_;
#define XL_TOP_K_SHORT (&short_)

/* Segments that are sorted together: `rows` of them in l->order, in rows of 2^log places. */
typedef struct xl_round {
    uint from, rows, log;
} xl_round;

void xl_row_order(__local xl_short_local *l, uint a, uint b)
{
    const XL_ORDINAL first = l->key[a], second = l->key[b];
    const uint x = l->place[a], y = l->place[b];
    if (first > second || (first == second && x > y)) {
        l->key[a] = second;
        l->key[b] = first;
        l->place[a] = y;
        l->place[b] = x;
    }
}

/* Runs `pairs` comparators: the flip that begins phase `bits` + 1, or a step that compares places
 * that differ in bit `bits`. */
void xl_row_step(__local xl_short_local *l, uint pairs, uint bits, bool flip)
{
    const uint below = (1u << bits) - 1u;
    for (uint q = (uint)get_local_id(0); q < pairs; q += XL_GROUP_SIZE) {
        const uint at = q & below, first = q >> bits << (bits + 1u);
        xl_row_order(l, first + at, flip ? first + 2u * below + 1u - at : first + at + below + 1u);
    }
    xl_local_barrier();
}

void xl_rows_load(const xl_results *out, const xl_round *r, __local xl_short_local *l)
{
    for (uint at = (uint)get_local_id(0); at < r->rows << r->log; at += XL_GROUP_SIZE) {
        const uint s = l->order[r->from + (at >> r->log)], i = at & ((1u << r->log) - 1u);
        const bool there = i < l->length[s];
        l->key[at] = there ? xl_key_map(out->arrays.keys_in[l->begin[s] + i]) : xl_last_ordinal();
        l->place[at] = there ? i : ~0u; /* after all others */
    }
    for (uint i = (uint)get_local_id(0); i <= XL_TOP_K_TILE / 32; i += XL_GROUP_SIZE)
        l->taken[i] = 0;
    xl_local_barrier();
}

/* The number of bits that are set in l->taken from bit `base` to bit `base` + i - 1. */
uint xl_row_rank(const __local xl_short_local *l, uint base, uint i)
{
    const uint last = (base + i) / 32u;
    uint rank = 0;
    for (uint word = base / 32u; word < last; ++word)
        rank += popcount(l->taken[word]);
    const uint before = (1u << (base + i) % 32u) - 1u;
    const uint others = last == base / 32u ? (1u << base % 32u) - 1u : 0;
    return rank + popcount(l->taken[last] & before & ~others);
}

/* Writes the first k keys of each row, in order or in the order of the input. */
void xl_rows_write(const xl_list *list, const xl_segments *all, const xl_results *out,
                   const xl_round *r, __local xl_short_local *l)
{
    const uint w = (uint)get_local_id(0), row = (1u << r->log) - 1u;
    for (uint at = w; at < r->rows << r->log; at += XL_GROUP_SIZE) {
        const uint s = l->order[r->from + (at >> r->log)], to = (at & ~row) + l->place[at];
        if ((at & row) < min(list->k, l->length[s]) &&
            (out->arrays.outputs & XL_OUTPUT_SORTED) == 0)
            atomic_or(&l->taken[to / 32u], 1u << to % 32u);
    }
    xl_local_barrier();
    for (uint at = w; at < r->rows << r->log; at += XL_GROUP_SIZE) {
        const uint s = l->order[r->from + (at >> r->log)], i = at & row;
        if (i < min(list->k, l->length[s])) {
            const uint place = (out->arrays.outputs & XL_OUTPUT_SORTED) != 0
                                   ? i
                                   : xl_row_rank(l, at & ~row, l->place[at]);
            xl_top_k_store(&out->arrays, (ulong)(all->first + s) * out->stride + place,
                           l->begin[s] + l->place[at]);
        }
    }
    xl_local_barrier();
}

/* Groups the segments of the batch by row length. The order within such a group is arbitrary; it
 * has no effect on results. */
void xl_rows_order(const xl_list *list, const xl_segments *all, __local xl_short_local *l)
{
    const uint w = (uint)get_local_id(0);
    uint begin = 0, length = 0, kind = 0;
    for (uint i = w; i <= XL_ROW_KINDS; i += XL_GROUP_SIZE)
        l->filled[i] = 0;
    xl_local_barrier();
    if (w < all->batch)
        length = xl_segment_open(list, all, all->first + w, &begin);
    l->begin[w] = begin;
    l->length[w] = length;
    kind = xl_log2_above(length);
    if (length > 0)
        atomic_inc(&l->filled[kind]);
    xl_local_barrier();
    if (w == 0) {
        uint sum = 0;
        for (uint i = 0; i <= XL_ROW_KINDS; ++i) {
            const uint count = l->filled[i];
            l->first[i] = l->filled[i] = sum;
            sum += count;
        }
    }
    xl_local_barrier();
    if (length > 0)
        l->order[atomic_inc(&l->filled[kind])] = w;
    xl_local_barrier();
}

void xl_short_batch(const xl_list *list, const xl_segments *all, const xl_results *out,
                    __local xl_short_local *l)
{
    xl_rows_order(list, all, l);
    for (uint log = 0; log < XL_ROW_KINDS; ++log) {
        const uint end = l->first[log + 1u], most = (uint)XL_TOP_K_TILE >> log;
        for (uint from = l->first[log]; from < end; from += most) {
            const xl_round r = {from, min(most, end - from), log};
            xl_rows_load(out, &r, l);
            for (uint phase = 1; phase <= log; ++phase)
                for (uint step = phase; step > 0; --step)
                    xl_row_step(l, r.rows << log >> 1u, step - 1u, step == phase);
            xl_rows_write(list, all, out, &r, l);
        }
    }
}

#else
/* ---- heaps ---- */

/* Each work-item loops over a batch of segments and keeps the results of a segment in a heap. The
 * root of the heap is the worst result (Williams, "Algorithm 232: heapsort", CACM 1964), and most
 * keys are compared only with the root. */
typedef struct xl_short_local {
    XL_ORDINAL key[XL_TOP_K_TILE];
    uint place[XL_TOP_K_TILE]; /* in the array; orders equal keys */
} xl_short_local;

#define XL_TOP_K_DECLARE_SHORT __local xl_short_local short_;
#define XL_TOP_K_SHORT (&short_)

/* Whether entry a of the heap is worse than entry b. */
bool xl_heap_behind(const __local xl_short_local *h, uint a, uint b)
{
    return h->key[a] > h->key[b] || (h->key[a] == h->key[b] && h->place[a] > h->place[b]);
}

/* Moves entry `root` of a heap of `count` entries down until its children are not worse. */
void xl_heap_sink(__local xl_short_local *h, uint root, uint count)
{
    for (uint child = 2u * root + 1u; child < count; child = 2u * root + 1u) {
        if (child + 1u < count && xl_heap_behind(h, child + 1u, child))
            ++child;
        if (!xl_heap_behind(h, child, root))
            return;
        const XL_ORDINAL key = h->key[root];
        const uint place = h->place[root];
        h->key[root] = h->key[child];
        h->place[root] = h->place[child];
        h->key[child] = key;
        h->place[child] = place;
        root = child;
    }
}

/* Stores the results of keys [begin, begin + length) in the heap. */
void xl_heap_fill(__local xl_short_local *h, __global const XL_KEY *keys, uint begin, uint length,
                  uint results)
{
    for (uint i = 0; i < results; ++i) {
        h->key[i] = xl_key_map(keys[begin + i]);
        h->place[i] = begin + i;
    }
    for (uint i = results / 2u; i > 0; --i)
        xl_heap_sink(h, i - 1u, results);
    for (uint i = results; i < length; ++i) {
        const XL_ORDINAL key = xl_key_map(keys[begin + i]);
        if (key < h->key[0]) { /* an equal key does not replace an earlier one */
            h->key[0] = key;
            h->place[0] = begin + i;
            xl_heap_sink(h, 0, results);
        }
    }
}

/* Writes the results in the order of the input: all keys that are not worse than the root. */
void xl_heap_write(const __local xl_short_local *h, const xl_results *out, uint begin, uint length,
                   uint results, ulong to)
{
    const XL_ORDINAL last = h->key[0];
    const uint last_place = h->place[0];
    uint count = 0;
    for (uint i = begin; i < begin + length && count < results; ++i) {
        const XL_ORDINAL key = xl_key_map(out->arrays.keys_in[i]);
        if (key < last || (key == last && i <= last_place))
            xl_top_k_store(&out->arrays, to + count++, i);
    }
}

/* Writes the results in order, the worst first: it removes the root again and again. */
void xl_heap_write_sorted(__local xl_short_local *h, const xl_results *out, uint results, ulong to)
{
    for (uint left = results; left > 0; --left) {
        xl_top_k_store(&out->arrays, to + left - 1u, h->place[0]);
        h->key[0] = h->key[left - 1u];
        h->place[0] = h->place[left - 1u];
        xl_heap_sink(h, 0, left - 1u);
    }
}

void xl_short_batch(const xl_list *list, const xl_segments *all, const xl_results *out,
                    __local xl_short_local *h)
{
    for (uint s = all->first; s < all->first + all->batch; ++s) {
        uint begin;
        const uint length = xl_segment_open(list, all, s, &begin), results = min(list->k, length);
        const ulong to = (ulong)s * out->stride;
        if (length == results && (out->arrays.outputs & XL_OUTPUT_SORTED) == 0) {
            for (uint i = 0; i < length; ++i)
                xl_top_k_store(&out->arrays, to + i, begin + i);
        } else if (length > 0) {
            xl_heap_fill(h, out->arrays.keys_in, begin, length, results);
            if ((out->arrays.outputs & XL_OUTPUT_SORTED) != 0)
                xl_heap_write_sorted(h, out, results, to);
            else
                xl_heap_write(h, out, begin, length, results, to);
        }
    }
}
#endif

#endif
