/* SPDX-License-Identifier: MIT
 * What the kernels of a top-k selection know of the k-th key, and of each chunk. A key is its
 * ordinal, and those that come first are the smallest. Keys whose known digits, the highest, come
 * before those of the k-th key are results, those that have the same digits are candidates, of
 * which `left` are results as well.
 *
 * Once few keys of a chunk can still be results, it keeps a list of their places, in order, and is
 * not read again. With digits of 11 bits that is so of random keys after the first, so that their
 * array is read twice. Of many keys the lists are made before any digit is known, up to a bound
 * that a sample gives, a key of which more than enough are likely to come before it, but not by
 * far: then the array is read once. If they turn out to be fewer than the results, there are no
 * lists. */
#ifndef XL_TOPK_STATE
#define XL_TOPK_STATE

#include "topk_results.cl"

/* The last digit of a key may have fewer bits, and then uses the first counters of as many. */
#if XL_KEY_BYTES == 1
#define XL_DIGIT_BITS 8
#else
#define XL_DIGIT_BITS 11
#endif
#define XL_DIGITS (1 << XL_DIGIT_BITS)

typedef struct xl_topk_state {
    ulong prefix; /* the known digits of the k-th key, zeros behind them */
    uint left, candidates;
    uint bits;   /* that are known */
    uint better; /* results by known digits */
} xl_topk_state;

/* Instead of a list's length: there is none. */
#define XL_TOPK_UNLISTED UINT_MAX

/* Bytes of the states, one before each pass and one behind the last, of the keys and then of the
 * sample, and of a number; behind them the counts of each pass of both, then what stands of each
 * chunk. The host knows the sizes: lib/topk/topk_shape.c. */
#define XL_TOPK_STATE_BYTES 512
#define XL_TOPK_MOST_PASSES 6
#define XL_TOPK_MOST_DIGITS 2048

/* Places in the scratch. */
typedef struct xl_topk {
    __global xl_topk_state *states;
    __global uint *counts; /* XL_DIGITS of each pass: candidates of each digit */
    __global uint
        *bounded; /* keys within the sample's bound, as far as chunks have room for them */
    /* Of each chunk: xl_topk_chunk. */
    __global uint *better, *equal, *listed;
    __global uint *lists; /* XL_TOPK_ROOM of each chunk */
} xl_topk;

xl_topk xl_topk_at(__global uchar *scratch, ulong state, uint chunks)
{
    xl_topk t;
    t.states = (__global xl_topk_state *)(scratch + state);
    t.counts = (__global uint *)(scratch + state + XL_TOPK_STATE_BYTES);
    t.bounded = t.counts - 1;
    t.better = t.counts + 2 * XL_TOPK_MOST_PASSES * XL_TOPK_MOST_DIGITS;
    t.equal = t.better + chunks;
    t.listed = t.equal + chunks;
    t.lists = t.listed + chunks;
    return t;
}

/* The places of the sample's states and counts. */
xl_topk xl_topk_of_sample(const xl_topk *t)
{
    xl_topk sample = *t;
    sample.states += XL_TOPK_MOST_PASSES + 1;
    sample.counts += XL_TOPK_MOST_PASSES * XL_TOPK_MOST_DIGITS;
    return sample;
}

/* What the launches before say of a chunk: its results by known digits, its candidates, and the
 * length of its list. */
typedef struct xl_topk_chunk {
    uint better, equal, listed;
} xl_topk_chunk;

/* The same of all chunks before it. */
typedef struct xl_topk_before {
    uint better, equal;
} xl_topk_before;

xl_topk_chunk xl_topk_chunk_at(const xl_topk *t, uint c)
{
    xl_topk_chunk chunk;
    chunk.better = t->better[c];
    chunk.equal = t->equal[c];
    chunk.listed = t->listed[c];
    return chunk;
}

/* Whether all candidates are results, and no further digit is needed. */
bool xl_topk_is_found(const xl_topk_state *s)
{
    return s->left == s->candidates;
}

/* The bits of an ordinal that are known. */
XL_ORDINAL xl_topk_mask(const xl_topk_state *s)
{
    return xl_topk_known(s->bits);
}

/* The digit that is looked for next: how far a key is shifted for it, and its bits. */
uint xl_topk_shift(const xl_topk_state *s)
{
    return XL_KEY_BITS - min((uint)XL_KEY_BITS, s->bits + XL_DIGIT_BITS);
}

uint xl_topk_digit_mask(const xl_topk_state *s)
{
    return (1u << min((uint)XL_DIGIT_BITS, XL_KEY_BITS - min((uint)XL_KEY_BITS, s->bits))) - 1;
}

/* One digit more: so many candidates have a lower one, so many have this one. */
void xl_topk_learn(xl_topk_state *s, uint digit, uint below, uint same)
{
    const uint shift = xl_topk_shift(s);
    s->prefix |= (ulong)digit << shift;
    s->bits = XL_KEY_BITS - shift;
    s->left -= below;
    s->better += below;
    s->candidates = same;
}

/* Whether lists are likely to have room: for those keys that may be results there is twice as
 * much as they need if all chunks have as many. */
bool xl_topk_is_listable(const xl_topk_state *s, uint chunks)
{
    return 2 * ((ulong)s->better + s->candidates) <= (ulong)chunks * XL_TOPK_ROOM;
}

/* The keys of a chunk that are looked at: all of them, or those of its list, or a part of the
 * sample, which counts as listed. */
typedef struct xl_topk_keys {
    __global const XL_KEY *keys;
    __global const uint *list;
    uint length; /* of the chunk, 1 or more */
    uint count;  /* of those that are looked at */
    bool is_listed;
    uint stride,
        first; /* of a sample: a key of each `stride` of the array; else 0. The first one */
} xl_topk_keys;

/* `listed`: the length of the list, or XL_TOPK_UNLISTED. */
xl_topk_keys xl_topk_keys_of(__global const XL_KEY *keys, uint length, __global const uint *list,
                             uint listed)
{
    xl_topk_keys k;
    k.keys = keys;
    k.list = list;
    k.length = length;
    k.is_listed = XL_TOPK_ROOM > 0 && listed != XL_TOPK_UNLISTED;
    k.count = k.is_listed ? min(listed, (uint)XL_TOPK_ROOM) : length;
    k.stride = 0;
    k.first = 0;
    return k;
}

/* Of the sample of an array so many keys from number `first` on. */
xl_topk_keys xl_topk_keys_sampled(__global const XL_KEY *keys, uint stride, uint first, uint count)
{
    xl_topk_keys k;
    k.keys = keys;
    k.list = 0;
    k.length = count;
    k.count = count;
    k.is_listed = true;
    k.stride = stride;
    k.first = first;
    return k;
}

/* The place of number i of the sample: anywhere in its stride, so that no period of the keys is
 * taken for all of them. */
uint xl_topk_sampled(uint i, uint stride)
{
    uint mixed = (i + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    return i * stride + mul_hi(mixed ^ mixed >> 13, stride);
}

/* The place of number j of them in the chunk. */
uint xl_topk_place(const xl_topk_keys *k, uint j)
{
    uint place = j;
    if (k->stride > 0)
        place = xl_topk_sampled(k->first + j, k->stride);
    else if (k->is_listed)
        place = min(k->list[j], k->length - 1);
    return place;
}

/* Of the candidates of a chunk, `before` of which stand in chunks before it: how many are results.
 * The first so many are. */
uint xl_topk_taken(uint left, uint before, uint equal)
{
    return min(left, before + equal) - min(left, before);
}

/* In place of the caller's arrays: what is sorted next. lib/topk/topk_enqueue.c has the same
 * number. */
#define XL_GIVES_PAIRS 8

/* Where results go that are to be sorted: as words of ordinal and index, or, of keys of 8 bytes,
 * ordinals with indices beside them. */
typedef struct xl_topk_pairs {
    __global ulong *words;
    __global uint *places;
} xl_topk_pairs;

void xl_topk_give_pair(const xl_topk_pairs *p, uint place, XL_ORDINAL key, uint i)
{
#if XL_KEY_BYTES == 8
    p->words[place] = key;
    p->places[place] = i;
#else
    p->words[place] = (ulong)key << 32 | i;
#endif
}

/* One call's chunk as who writes its results sees it. Results past the `results` that there are
 * room for are not written: keys that somebody changes meanwhile may be more. */
typedef struct xl_topk_writer {
    xl_topk_arrays arrays;
    xl_topk_pairs pairs;
    XL_ORDINAL mask, prefix;
    uint results, first; /* the place of the chunk's first result */
    uint taken, total;   /* candidates that are results, and all results of the chunk */
    uint begin;          /* of the chunk */
    xl_topk_keys keys;
} xl_topk_writer;

/* Result number `at` of the chunk is its key `i`. */
void xl_topk_write_one(const xl_topk_writer *w, uint at, uint i)
{
    const uint place = w->first + at, from = w->begin + i;
    if (at >= w->total || place >= w->results)
        return;
    if (w->arrays.gives & XL_GIVES_PAIRS)
        xl_topk_give_pair(&w->pairs, place, xl_key_map(w->arrays.keys_in[from]), from);
    else
        xl_topk_give(&w->arrays, place, from);
}

#endif
