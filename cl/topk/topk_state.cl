/* SPDX-License-Identifier: MIT
 * What the kernels of a top-k selection know of the k-th key, and of each chunk. A key is its
 * ordinal, and those that come first are the smallest. Keys whose known digits, the highest, come
 * before those of the k-th key are results, those that have the same digits are candidates, of
 * which `left` are results as well. */
#ifndef XL_TOPK_STATE
#define XL_TOPK_STATE

#include "../prelude/prelude_key.cl"

#define XL_DIGITS 256
#define XL_DIGIT_BITS 8

/* Counters of one digit, so that neighbours that are equal do not wait for each other. */
#define XL_TOPK_COPIES 4

typedef struct xl_topk_state {
    ulong prefix; /* the known digits of the k-th key, zeros behind them */
    uint left, candidates;
    uint bits; /* that are known */
    uint unused;
} xl_topk_state;

/* Bytes of the states, one before each pass and one behind the last; behind them the counts of each
 * pass, then what stands of each chunk. The host knows the sizes: lib/topk/topk_shape.c. */
#define XL_TOPK_STATE_BYTES 512
#define XL_TOPK_MOST_PASSES 8

/* Places in the scratch. */
typedef struct xl_topk {
    __global xl_topk_state *states;
    __global uint *counts; /* XL_DIGITS of each pass: candidates of each digit */
    /* Of each chunk: xl_topk_chunk. */
    __global uint *better, *equal, *first, *before;
    __global uint *sums; /* XL_DIGITS of each chunk: candidates of each digit and those below */
} xl_topk;

xl_topk xl_topk_at(__global uchar *scratch, ulong state, uint chunks)
{
    xl_topk t;
    t.states = (__global xl_topk_state *)(scratch + state);
    t.counts = (__global uint *)(scratch + state + XL_TOPK_STATE_BYTES);
    t.better = t.counts + XL_TOPK_MOST_PASSES * XL_DIGITS;
    t.equal = t.better + chunks;
    t.first = t.equal + chunks;
    t.before = t.first + chunks;
    t.sums = t.before + chunks;
    return t;
}

/* What the last launch says of a chunk: its results by known digits, its candidates, the place of
 * its first result, the candidates in chunks before it. */
typedef struct xl_topk_chunk {
    uint better, equal, first, before;
} xl_topk_chunk;

xl_topk_chunk xl_topk_chunk_at(const xl_topk *t, uint c)
{
    xl_topk_chunk chunk;
    chunk.better = t->better[c];
    chunk.equal = t->equal[c];
    chunk.first = t->first[c];
    chunk.before = t->before[c];
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
    return s->bits == 0 ? 0 : (XL_KEY_ONES << (XL_KEY_BITS - s->bits)) & XL_KEY_ONES;
}

/* One digit more: so many candidates have a lower one, so many have this one. */
void xl_topk_learn(xl_topk_state *s, uint digit, uint below, uint same)
{
    s->bits += XL_DIGIT_BITS;
    s->prefix |= (ulong)digit << (XL_KEY_BITS - s->bits);
    s->left -= below;
    s->candidates = same;
}

/* A chunk's results and candidates, once the digit is known that its sums are of. */
void xl_topk_settle(__global const uint *sums, uint digit, uint *better, uint *equal)
{
    if (*equal == 0) /* it was not counted */
        return;
    const uint below = digit > 0 ? sums[digit - 1] : 0;
    *better += below;
    *equal = sums[digit] - below;
}

/* Of the candidates of a chunk, `before` of which stand in chunks before it: how many are results.
 * The first so many are. */
uint xl_topk_taken(uint left, uint before, uint equal)
{
    return min(left, before + equal) - min(left, before);
}

/* What the results are written to: the caller's arrays, those that are wanted, or what is sorted
 * next. lib/topk/topk_enqueue.c has the same numbers. */
#define XL_GIVES_KEYS 1
#define XL_GIVES_VALUES 2
#define XL_GIVES_INDICES 4
#define XL_GIVES_PAIRS 8

typedef struct xl_topk_arrays {
    __global const XL_KEY *keys_in;
    __global const uint *values_in;
    __global XL_KEY *keys_out;
    __global uint *values_out;
    __global uint *indices_out;
    uint gives;
} xl_topk_arrays;

/* The result at `place` is key i. */
void xl_topk_give(const xl_topk_arrays *a, uint place, uint i)
{
    if (a->gives & XL_GIVES_KEYS)
        a->keys_out[place] = a->keys_in[i];
    if (a->gives & XL_GIVES_VALUES)
        a->values_out[place] = a->values_in[i];
    if (a->gives & XL_GIVES_INDICES)
        a->indices_out[place] = i;
}

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
    uint begin, length;  /* of the chunk */
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
