/* SPDX-License-Identifier: MIT
 * Top-k of short segments on devices whose work-items run one after another: each work-item loops
 * over a batch of segments and keeps the results of a segment in a heap. The root of the heap is
 * the worst result (Williams, "Algorithm 232: heapsort", CACM 1964), and most keys are compared
 * only with the root. */
#ifndef XL_TOP_K_HEAP
#define XL_TOP_K_HEAP

#include "top_k_segments_list.cl"

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
