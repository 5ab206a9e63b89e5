/* SPDX-License-Identifier: MIT
 * A top-k selection of each segment: the list of long segments, which are longer than a tile, and
 * the arrays of results. */
#ifndef XL_TOP_K_SEGMENTS_LIST
#define XL_TOP_K_SEGMENTS_LIST

#include "top_k_offsets.cl"
#include "top_k_results.cl"

#define XL_TOP_K_TILE (1 << XL_TOP_K_TILE_LOG)
#define XL_DIGITS 256
#define XL_DIGIT_BITS 8

/* lib/top_k/top_k_segments.c has the bytes of these structures. */
typedef struct xl_list_head {
    uint longs, chunks; /* long segments and their chunks; if offsets descend, there may be more
                           than there is room for */
    ulong results;      /* results of long segments that are sorted */
} xl_list_head;

/* A long segment. Words as in cl/top_k/top_k_pass.cl. */
typedef struct xl_long {
    ulong prefix;             /* the known digits of its k-th key, followed by zeros */
    uint begin, end, segment; /* its keys and its number */
    uint chunk;               /* its first chunk */
    uint needed, candidates;  /* results among the candidates, and all candidates */
    uint known_bits;          /* bits of the known digits */
    uint unused;
} xl_long;

/* The parts of the scratch. A chunk has `length` keys; the last one of a segment may have fewer. */
typedef struct xl_list {
    __global xl_list_head *head;
    __global xl_long *longs;
    __global uint *owner;                /* for each chunk, the place of its segment in the list */
    __global uint *certain, *candidates; /* for each chunk */
    __global uint *counts;               /* for each long segment, the candidates of each digit */
    uint n, k, most_longs, most_chunks, length, segments;
} xl_list;

/* The kernel arguments of xl_list. `state`: bytes into scratch. `k` is at most n. */
#define XL_TOP_K_LIST                                                                              \
    uint n, uint k, __global uchar *scratch, ulong state, uint most_longs, uint chunk, uint segments
#define XL_TOP_K_LIST_OF xl_list_at(n, k, scratch + state, most_longs, chunk, segments)

xl_list xl_list_at(uint n, uint k, __global uchar *state, uint most_longs, uint length,
                   uint segments)
{
    xl_list list;
    list.most_chunks = n / length + most_longs;
    list.head = (__global xl_list_head *)state;
    list.longs = (__global xl_long *)(state + sizeof(xl_list_head));
    list.owner = (__global uint *)(list.longs + most_longs);
    list.certain = list.owner + list.most_chunks;
    list.candidates = list.certain + list.most_chunks;
    list.counts = list.candidates + list.most_chunks;
    list.n = n;
    list.k = k;
    list.most_longs = most_longs;
    list.length = length;
    list.segments = segments;
    return list;
}

/* Adds a segment, keys [begin, end), to the list if there is room. One work-item calls it. */
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
    l->needed = min(list->k, end - begin);
    l->candidates = end - begin;
    l->known_bits = 0;
    for (uint i = 0; i < chunks && c + i < list->most_chunks; ++i)
        list->owner[c + i] = e;
    for (uint d = 0; d < XL_DIGITS; ++d)
        list->counts[(size_t)e * XL_DIGITS + d] = 0;
}

/* Bit of `outputs`: the best result comes first. lib/top_k/top_k_segments.c has the same number. */
#define XL_OUTPUT_SORTED 8

/* The results of segment s begin at element s * stride. */
typedef struct xl_results {
    xl_top_k_arrays arrays;
    ulong stride;
} xl_results;

/* A batch of segments: `batch` of them, from `first` on. */
typedef struct xl_segments {
    xl_top_k_offsets offsets;
    __global uint *counts; /* of results, or NULL */
    uint first, batch;
} xl_segments;

/* Returns the number of keys of segment i if it is short, and stores its count of results. Lists a
 * long segment and returns 0. *begin: the first key. */
uint xl_segment_open(const xl_list *list, const xl_segments *all, uint i, uint *begin)
{
    const uint length = xl_top_k_segment(&all->offsets, i, begin);
    if (all->counts)
        all->counts[i] = min(list->k, length);
    if (length > XL_TOP_K_TILE && list->k > 0)
        xl_list_add(list, i, *begin, *begin + length);
    return length > XL_TOP_K_TILE || list->k == 0 ? 0 : length;
}

#endif
