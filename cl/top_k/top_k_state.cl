/* SPDX-License-Identifier: MIT
 * The state of a top-k selection, and the data of each chunk. Keys are compared as ordinals; the
 * smallest ordinals are the results. The kernels find the digits of the k-th key one after the
 * other, the highest first. A key whose known digits are less than those of the k-th key is a
 * certain result. A key with the same known digits is a candidate; `needed` of the candidates are
 * results.
 *
 * Once few keys of a chunk can be results, the chunk has a list of their places, in order, and
 * later kernels read only the keys in the list. Digits have 11 bits, so that random keys are listed
 * after the first digit and the array is read twice. If there are many keys, a sample supplies a
 * bound before any digit is known: more keys than needed are likely to be within the bound, but few
 * more. The lists then contain the keys within the bound, and the array is read once. If the lists
 * have fewer keys than there are results, they are discarded. */
#ifndef XL_TOP_K_STATE
#define XL_TOP_K_STATE

#include "top_k_results.cl"

/* The last digit of a key may have fewer bits. It then uses only the first counters. */
#if XL_KEY_BYTES == 1
#define XL_DIGIT_BITS 8
#else
#define XL_DIGIT_BITS 11
#endif
#define XL_DIGITS (1 << XL_DIGIT_BITS)

typedef struct xl_top_k_state {
    ulong prefix;            /* the known digits of the k-th key, followed by zeros */
    uint n;                  /* keys of the array */
    uint known_bits;         /* bits of the known digits */
    uint certain;            /* certain results */
    uint needed, candidates; /* results among the candidates, and all candidates */
    uint unused;             /* no padding, which would be copied uninitialised */
} xl_top_k_state;

/* The length of a list that does not exist. */
#define XL_TOP_K_UNLISTED UINT_MAX

/* The scratch begins with XL_TOP_K_STATE_BYTES for the states, of the keys and then of the sample
 * (one before each pass and one after the last), and for two counters. The counts of each pass
 * follow, of the keys and then of the sample; then the data of each chunk. lib/top_k/top_k_shape.c
 * has the same sizes. */
#define XL_TOP_K_STATE_BYTES 512
#define XL_TOP_K_RESULTS_AT 496
#define XL_TOP_K_MOST_PASSES 6
#define XL_TOP_K_MOST_DIGITS 2048

/* The parts of the scratch. */
typedef struct xl_top_k {
    __global xl_top_k_state *states;
    __global uint *counts;   /* for each pass, XL_DIGITS counts of candidates */
    __global ulong *results; /* min(k, n) */
    __global uint *bounded;  /* keys within the sample's bound that the lists contain */
    /* for each chunk: xl_top_k_chunk */
    __global uint *certain, *candidates, *listed;
    __global uint *lists; /* XL_TOP_K_ROOM places for each chunk */
} xl_top_k;

xl_top_k xl_top_k_at(__global uchar *scratch, ulong state, uint chunks)
{
    xl_top_k t;
    t.states = (__global xl_top_k_state *)(scratch + state);
    t.counts = (__global uint *)(scratch + state + XL_TOP_K_STATE_BYTES);
    t.results = (__global ulong *)(scratch + state + XL_TOP_K_RESULTS_AT);
    t.bounded = t.counts - 1;
    t.certain = t.counts + 2 * XL_TOP_K_MOST_PASSES * XL_TOP_K_MOST_DIGITS;
    t.candidates = t.certain + chunks;
    t.listed = t.candidates + chunks;
    t.lists = t.listed + chunks;
    return t;
}

/* The same with the states and counts of the sample. */
xl_top_k xl_top_k_of_sample(const xl_top_k *t)
{
    xl_top_k sample = *t;
    sample.states += XL_TOP_K_MOST_PASSES + 1;
    sample.counts += XL_TOP_K_MOST_PASSES * XL_TOP_K_MOST_DIGITS;
    return sample;
}

/* The data of a chunk: its certain results, its candidates and the length of its list. */
typedef struct xl_top_k_chunk {
    uint certain, candidates, listed;
} xl_top_k_chunk;

/* Keys [begin, begin + length) of the array. */
typedef struct xl_top_k_range {
    uint begin, length;
} xl_top_k_range;

/* The keys of chunk c. At most n keys are read, even if another kernel changes the state. */
xl_top_k_range xl_top_k_range_of(const xl_top_k_state *s, uint n, uint c, uint chunks)
{
    const uint keys = min(s->n, n), each = XL_CEIL_DIV(keys, chunks);
    xl_top_k_range range;
    range.begin = min(c * each, keys);
    range.length = min(each, keys - range.begin);
    return range;
}

/* Whether all candidates are results, so that no further digit is needed. */
bool xl_top_k_is_found(const xl_top_k_state *s)
{
    return s->needed == s->candidates;
}

/* A mask of the known bits of an ordinal. */
XL_ORDINAL xl_top_k_mask(const xl_top_k_state *s)
{
    return xl_top_k_known(s->known_bits);
}

/* The bits below the next digit. */
uint xl_top_k_shift(const xl_top_k_state *s)
{
    return XL_KEY_BITS - min((uint)XL_KEY_BITS, s->known_bits + XL_DIGIT_BITS);
}

/* A mask of the next digit, once it is shifted down. */
uint xl_top_k_digit_mask(const xl_top_k_state *s)
{
    return (1u << min((uint)XL_DIGIT_BITS, XL_KEY_BITS - min((uint)XL_KEY_BITS, s->known_bits))) -
           1;
}

/* Adds a digit to the known ones. `below` candidates have a lower digit, `same` have this one. */
void xl_top_k_add_digit(xl_top_k_state *s, uint digit, uint below, uint same)
{
    const uint shift = xl_top_k_shift(s);
    s->prefix |= (ulong)digit << shift;
    s->known_bits = XL_KEY_BITS - shift;
    s->needed -= below;
    s->certain += below;
    s->candidates = same;
}

/* Whether the lists are likely to have room. They have, if each chunk has at most twice its share
 * of the keys that may be results. */
bool xl_top_k_is_listable(const xl_top_k_state *s, uint chunks)
{
    return 2 * ((ulong)s->certain + s->candidates) <= (ulong)chunks * XL_TOP_K_ROOM;
}

/* The keys of a chunk that a kernel reads: all, or those in the list. Or a part of the sample,
 * which counts as listed. */
typedef struct xl_top_k_keys {
    __global const XL_KEY *keys;
    __global const uint *list;
    uint length; /* keys of the chunk */
    uint count;  /* keys to read */
    bool is_listed;
    uint stride; /* of a sample: one key in `stride`; else 0 */
    uint first;  /* of a sample: the number of the part's first key */
} xl_top_k_keys;

/* `listed`: the length of the list, or XL_TOP_K_UNLISTED. */
xl_top_k_keys xl_top_k_keys_of(__global const XL_KEY *keys, uint length, __global const uint *list,
                               uint listed)
{
    xl_top_k_keys k;
    k.keys = keys;
    k.list = list;
    k.length = length;
    k.is_listed = XL_TOP_K_ROOM > 0 && listed != XL_TOP_K_UNLISTED;
    k.count = k.is_listed ? min(listed, min((uint)XL_TOP_K_ROOM, length)) : length;
    k.stride = 0;
    k.first = 0;
    return k;
}

/* Keys first to first + count - 1 of the sample. */
xl_top_k_keys xl_top_k_keys_sampled(__global const XL_KEY *keys, uint stride, uint first,
                                    uint count)
{
    xl_top_k_keys k;
    k.keys = keys;
    k.list = 0;
    k.length = count;
    k.count = count;
    k.is_listed = true;
    k.stride = stride;
    k.first = first;
    return k;
}

/* The index of key i of the sample: a random one of its stride, so that periodic keys do not
 * mislead. */
uint xl_top_k_sampled(uint i, uint stride)
{
    uint mixed = (i + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    return i * stride + mul_hi(mixed ^ mixed >> 13, stride);
}

/* The place in the chunk of the j-th key to read. */
uint xl_top_k_place(const xl_top_k_keys *k, uint j)
{
    uint place = j;
    if (k->stride > 0)
        place = xl_top_k_sampled(k->first + j, k->stride);
    else if (k->is_listed)
        place = min(k->list[j], k->length - 1);
    return place;
}

/* Bit of `outputs`: results are stored as pairs for the sort, not in the caller's arrays.
 * lib/top_k/top_k_enqueue.c has the same number. */
#define XL_OUTPUT_PAIRS 4

/* Results for the sort: words of an ordinal and an index. Keys of 8 bytes leave no room for the
 * index, which is then in `places`. */
typedef struct xl_top_k_pairs {
    __global ulong *words;
    __global uint *places;
} xl_top_k_pairs;

void xl_top_k_store_pair(const xl_top_k_pairs *p, uint place, XL_ORDINAL key, uint i)
{
#if XL_KEY_BYTES == 8
    p->words[place] = key;
    p->places[place] = i;
#else
    p->words[place] = (ulong)key << 32 | i;
#endif
}

/* Writes the results of a chunk. Results beyond `results` are not written: if another kernel
 * changes the keys, there may be more. */
typedef struct xl_top_k_writer {
    xl_top_k_arrays arrays;
    xl_top_k_pairs pairs;
    XL_ORDINAL mask, prefix;
    uint results, first; /* the place of the chunk's first result */
    uint taken, total;   /* candidates that are results, and all results of the chunk */
    uint begin;          /* of the chunk */
    xl_top_k_keys keys;
} xl_top_k_writer;

/* Stores key i of the chunk as its result number `at`. */
void xl_top_k_write_one(const xl_top_k_writer *w, uint at, uint i)
{
    const uint place = w->first + at, from = w->begin + i;
    if (at >= w->total || place >= w->results)
        return;
    if (w->arrays.outputs & XL_OUTPUT_PAIRS)
        xl_top_k_store_pair(&w->pairs, place, xl_key_map(w->arrays.keys_in[from]), from);
    else
        xl_top_k_store(&w->arrays, place, from);
}

#endif
