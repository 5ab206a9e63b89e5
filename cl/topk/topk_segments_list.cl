/* SPDX-License-Identifier: MIT
 * A top-k selection of each segment: the list of segments that are longer than a tile, the results'
 * arrays, and what a work-group needs for both. */
#ifndef XL_TOPK_SEGMENTS_LIST
#define XL_TOPK_SEGMENTS_LIST

#include "topk_results.cl"

#define XL_TOPK_TILE (1 << XL_TOPK_TILE_LOG)
#define XL_DIGITS 256
#define XL_DIGIT_BITS 8

/* The host knows the bytes of these: lib/topk/topk_segments.c. */
typedef struct xl_list_head {
    uint longs, chunks; /* that were listed; more than there is room for if offsets fall */
    ulong results;      /* that are sorted */
} xl_list_head;

typedef struct xl_long {
    ulong prefix;             /* the known digits of its k-th key, zeros behind them */
    uint begin, end, segment; /* its elements and its number */
    uint chunk;               /* the first of its chunks */
    uint left, candidates;    /* results among the keys of these digits, and how many there are */
    uint bits;                /* that are known */
    uint unused;
} xl_long;

/* Places in the scratch. A chunk has `length` elements, and may be the last of its segment. */
typedef struct xl_list {
    __global xl_list_head *head;
    __global xl_long *longs;
    __global uint *owner;          /* of each chunk: the segment's place in the list */
    __global uint *better, *equal; /* and its results by known digits, and candidates */
    __global uint *counts;         /* of each long segment: candidates of each digit */
    uint n, k, most_longs, most_chunks, length, segments;
} xl_list;

/* Of xl_list: what kernels are given. `state`: bytes into scratch. `k` is at most n. */
#define XL_TOPK_LIST                                                                               \
    uint n, uint k, __global uchar *scratch, ulong state, uint most_longs, uint chunk, uint segments
#define XL_TOPK_LIST_OF xl_list_at(n, k, scratch + state, most_longs, chunk, segments)

xl_list xl_list_at(uint n, uint k, __global uchar *state, uint most_longs, uint length,
                   uint segments)
{
    xl_list list;
    list.most_chunks = n / length + most_longs;
    list.head = (__global xl_list_head *)state;
    list.longs = (__global xl_long *)(state + sizeof(xl_list_head));
    list.owner = (__global uint *)(list.longs + most_longs);
    list.better = list.owner + list.most_chunks;
    list.equal = list.better + list.most_chunks;
    list.counts = list.equal + list.most_chunks;
    list.n = n;
    list.k = k;
    list.most_longs = most_longs;
    list.length = length;
    list.segments = segments;
    return list;
}

/* Lists elements [begin, end) of a segment, if there is room. By one work-item. */
void xl_list_add(const xl_list *list, uint segment, uint begin, uint end)
{
    const uint chunks = XL_CEIL_DIV(end - begin, list->length);
    const uint e = atomic_inc(&list->head->longs), c = atomic_add(&list->head->chunks, chunks);
    if (e >= list->most_longs)
        return;
    __global xl_long *const l = list->longs + e;
    /* One by one: rusticl 22.3 crashes as it compiles a structure of constants. */
    l->prefix = 0;
    l->begin = begin;
    l->end = end;
    l->segment = segment;
    l->chunk = c;
    l->left = min(list->k, end - begin);
    l->candidates = end - begin;
    l->bits = 0;
    for (uint i = 0; i < chunks && c + i < list->most_chunks; ++i)
        list->owner[c + i] = e;
    for (uint d = 0; d < XL_DIGITS; ++d)
        list->counts[(size_t)e * XL_DIGITS + d] = 0;
}

/* Results come with the best first; lib/topk/topk_segments.c has the same number. */
#define XL_GIVES_SORTED 8

/* Where they go: those of segment s from s * stride on. */
typedef struct xl_results {
    xl_topk_arrays arrays;
    ulong stride;
} xl_results;

/* The result at `place` is key i. */
void xl_give(const xl_results *r, ulong place, uint i)
{
    xl_topk_give(&r->arrays, place, i);
}

/* A batch of the segments: `batch` of them from `first` on. */
typedef struct xl_segments {
    __global const XL_SEG *offsets;
    __global uint *counts; /* or 0 */
    uint count, first, batch;
} xl_segments;

/* Where segment i begins, and the one before it ends. */
uint xl_segment_begin(const xl_segments *all, uint i, uint n)
{
    return i < all->count ? (uint)min((ulong)all->offsets[i], (ulong)n) : n;
}

/* Elements [*begin, *begin + result) of segment i, as many as it has results counted. */
uint xl_segment_open(const xl_list *list, const xl_segments *all, uint i, uint *begin)
{
    *begin = xl_segment_begin(all, i, list->n);
    const uint end = max(*begin, xl_segment_begin(all, i + 1u, list->n)), length = end - *begin;
    if (all->counts)
        all->counts[i] = min(list->k, length);
    if (length > XL_TOPK_TILE && list->k > 0)
        xl_list_add(list, i, *begin, end);
    return length > XL_TOPK_TILE || list->k == 0 ? 0 : length;
}

#endif
