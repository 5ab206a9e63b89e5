/* SPDX-License-Identifier: MIT
 * Top-k of short segments where work-items run one after another: each walks a batch of segments
 * and keeps the results of one in a heap whose root is the last of them in the order asked for
 * (Williams, "Algorithm 232: heapsort", CACM 1964). Most keys of a segment are compared with that
 * one alone. */
#ifndef XL_TOPK_HEAP
#define XL_TOPK_HEAP

#include "topk_segments_list.cl"

typedef struct xl_short_local {
    XL_ORDINAL key[XL_TOPK_TILE];
    uint place[XL_TOPK_TILE]; /* of the array; orders equal keys */
} xl_short_local;

#define XL_TOPK_DECLARE_SHORT __local xl_short_local short_;
#define XL_TOPK_SHORT (&short_)

/* Whether entry a of the heap comes behind b. */
bool xl_heap_behind(const __local xl_short_local *h, uint a, uint b)
{
    return h->key[a] > h->key[b] || (h->key[a] == h->key[b] && h->place[a] > h->place[b]);
}

/* An entry sinks from the root of a heap of `count` to where it belongs. */
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

/* Leaves the results of elements [begin, begin + length) in the heap. */
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
        if (key < h->key[0]) { /* of equal keys the earlier one stays */
            h->key[0] = key;
            h->place[0] = begin + i;
            xl_heap_sink(h, 0, results);
        }
    }
}

/* Writes them as they stand in the array: what is not behind the last of them. */
void xl_heap_write(const __local xl_short_local *h, const xl_results *out, uint begin, uint length,
                   uint results, ulong to)
{
    const XL_ORDINAL last = h->key[0];
    const uint last_place = h->place[0];
    uint count = 0;
    for (uint i = begin; i < begin + length && count < results; ++i) {
        const XL_ORDINAL key = xl_key_map(out->arrays.keys_in[i]);
        if (key < last || (key == last && i <= last_place))
            xl_give(out, to + count++, i);
    }
}

/* Writes them in order: the heap is taken apart from its root. */
void xl_heap_write_sorted(__local xl_short_local *h, const xl_results *out, uint results, ulong to)
{
    for (uint left = results; left > 0; --left) {
        xl_give(out, to + left - 1u, h->place[0]);
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
        if (length == results && (out->arrays.gives & XL_GIVES_SORTED) == 0) {
            for (uint i = 0; i < length; ++i)
                xl_give(out, to + i, begin + i);
        } else if (length > 0) {
            xl_heap_fill(h, out->arrays.keys_in, begin, length, results);
            if ((out->arrays.gives & XL_GIVES_SORTED) != 0)
                xl_heap_write_sorted(h, out, results, to);
            else
                xl_heap_write(h, out, begin, length, results, to);
        }
    }
}

#endif
