/* SPDX-License-Identifier: MIT
 * Shared by the two programs of a selection from a whole array (cl/top_k/top_k.cl,
 * cl/top_k/top_k_sample.cl): the state of a selection, the functions of a work-group or of a
 * work-item that loops, and the state before a pass. */
#ifndef XL_TOP_K_PASS
#define XL_TOP_K_PASS

#include "top_k_results.cl"

/* ---- the state of a selection, and the data of each chunk ---- */

/* Keys are compared as ordinals; the smallest ordinals are the results. The kernels find the digits
 * of the k-th key one after the other, the highest first. A key whose known digits are less than
 * those of the k-th key is a certain result. A key with the same known digits is a candidate;
 * `needed` of the candidates are results.
 *
 * Once few keys of a chunk can be results, the chunk has a list of their places, in order, and
 * later kernels read only the keys in the list. Digits have 11 bits, so that random keys are listed
 * after the first digit and the array is read twice. If there are many keys, a sample supplies a
 * bound before any digit is known: more keys than needed are likely to be within the bound, but few
 * more. The lists then contain the keys within the bound, and the array is read once. If the lists
 * have fewer keys than there are results, they are discarded. */

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

#if XL_TOP_K_SHAPE == 0
/* ---- by work-groups ---- */

/* A group counts its chunk's candidates in local memory, and ranks the results tile by tile. It
 * needs only barriers and atomics on local and global memory, so that it runs on every device. */
#define XL_TOP_K_TILE (XL_GROUP_SIZE * XL_TOP_K_ITEMS)
#if XL_TOP_K_ITEMS > 32 || XL_TOP_K_TILE > 65535
#error "flags of a work-item have 32 bits, counts of a tile 16"
#endif

/* Counters of a digit: adjacent work-items use different ones, so that equal keys wait less for
 * each other. */
#define XL_TOP_K_COPIES 2

typedef struct xl_top_k_local {
    uint count[XL_TOP_K_COPIES * XL_DIGITS];
    uint found[3];
    uint any, listed;
    uint rank[XL_GROUP_SIZE];
#if XL_TOP_K_ROOM > 0
    uint list[XL_TOP_K_ROOM];
#endif
    xl_top_k_state state;
    xl_top_k_chunk chunk;
} xl_top_k_local;

uint xl_top_k_item(void)
{
    return (uint)get_local_id(0);
}

/* Tells candidates from other keys, and cuts out their next digit. */
typedef struct xl_top_k_filter {
    XL_ORDINAL mask, prefix;
    uint shift, digit_mask;
} xl_top_k_filter;

xl_top_k_filter xl_top_k_filter_of(const xl_top_k_state *s)
{
    xl_top_k_filter f;
    f.mask = xl_top_k_mask(s);
    f.prefix = (XL_ORDINAL)s->prefix;
    f.shift = xl_top_k_shift(s);
    f.digit_mask = xl_top_k_digit_mask(s);
    return f;
}

/* The next digit of a candidate; XL_DIGITS for other keys. */
uint xl_top_k_digit_in(const xl_top_k_filter *f, XL_KEY raw)
{
    const XL_ORDINAL key = xl_key_map(raw);
    return (key & f->mask) == f->prefix ? (uint)(key >> f->shift) & f->digit_mask : XL_DIGITS;
}

void xl_top_k_count_one(uint digit, __local uint *count)
{
    if (digit < XL_DIGITS)
        atomic_inc(count + digit);
}

/* Keys that a work-item loads at once, as vectors of four. */
#define XL_TOP_K_AT_ONCE 16
typedef XL_JOIN(XL_KEY, 4) xl_top_k_four;

/* A chunk as vectors: `count` vectors, a multiple of those that the group loads at once. `head`
 * keys are before the first vector; the keys from `tail` on are behind the last. */
typedef struct xl_top_k_vectors {
    __global const xl_top_k_four *at;
    uint head, count, tail;
} xl_top_k_vectors;
#define XL_TOP_K_STEP (XL_TOP_K_AT_ONCE / 4 * XL_GROUP_SIZE)

xl_top_k_vectors xl_top_k_vectors_of(__global const XL_KEY *keys, uint length)
{
    const uint past = (uint)((size_t)keys / sizeof(XL_KEY)) % 4u;
    xl_top_k_vectors v;
    v.head = min(length, (4u - past) % 4u);
    v.at = (__global const xl_top_k_four *)(keys + v.head);
    v.count = (length - v.head) / 4u / XL_TOP_K_STEP * XL_TOP_K_STEP;
    v.tail = v.head + 4u * v.count;
    return v;
}

void xl_top_k_load_four(__global const xl_top_k_four *from, XL_KEY *key)
{
    const xl_top_k_four four = *from;
    key[0] = four.s0;
    key[1] = four.s1;
    key[2] = four.s2;
    key[3] = four.s3;
}

/* Counts the keys of a work-item. Equal digits take one addition: single ones would wait for each
 * other. */
void xl_top_k_count_some(const XL_KEY *key, const xl_top_k_filter *f, __local uint *count)
{
    const uint first = xl_top_k_digit_in(f, key[0]);
    bool same = true;
#pragma unroll
    for (uint j = 1; j < XL_TOP_K_AT_ONCE; ++j)
        same = same && xl_top_k_digit_in(f, key[j]) == first;
    if (same) {
        if (first < XL_DIGITS)
            atomic_add(count + first, (uint)XL_TOP_K_AT_ONCE);
    } else {
#pragma unroll
        for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j)
            xl_top_k_count_one(xl_top_k_digit_in(f, key[j]), count);
    }
}

void xl_top_k_count_chunk(const xl_top_k_keys *mine, const xl_top_k_filter *f, __local uint *count)
{
    const __global XL_KEY *const keys = mine->keys;
    const uint g = XL_GROUP_SIZE, length = mine->length, item = xl_top_k_item();
    const xl_top_k_vectors vectors = xl_top_k_vectors_of(keys, length);
    for (uint v = item; v < vectors.count; v += XL_TOP_K_STEP) {
        XL_KEY key[XL_TOP_K_AT_ONCE];
#pragma unroll
        for (uint j = 0; j < XL_TOP_K_AT_ONCE; j += 4)
            xl_top_k_load_four(vectors.at + v + j / 4 * g, key + j);
        xl_top_k_count_some(key, f, count);
    }
    for (uint i = vectors.tail + item; i < length; i += g)
        xl_top_k_count_one(xl_top_k_digit_in(f, keys[i]), count);
    for (uint i = item; i < vectors.head; i += g)
        xl_top_k_count_one(xl_top_k_digit_in(f, keys[i]), count);
}

void xl_top_k_count_keys(const xl_top_k_keys *mine, const xl_top_k_state *s, __global uint *counts,
                         __local xl_top_k_local *l)
{
    const xl_top_k_filter f = xl_top_k_filter_of(s);
    const uint g = XL_GROUP_SIZE;
    __local uint *const count = l->count + xl_top_k_item() % XL_TOP_K_COPIES * XL_DIGITS;
    for (uint d = xl_top_k_item(); d < XL_TOP_K_COPIES * XL_DIGITS; d += g)
        l->count[d] = 0;
    xl_local_barrier();
    if (!mine->is_listed)
        xl_top_k_count_chunk(mine, &f, count);
    else
        for (uint j = xl_top_k_item(); j < mine->count; j += g)
            xl_top_k_count_one(xl_top_k_digit_in(&f, mine->keys[xl_top_k_place(mine, j)]), count);
    xl_local_barrier();
    for (uint d = xl_top_k_item(); d < XL_DIGITS; d += g) {
        uint same = 0;
        for (uint c = 0; c < XL_TOP_K_COPIES; ++c)
            same += l->count[c * XL_DIGITS + d];
        if (same > 0)
            atomic_add(counts + d, same);
    }
}

#if XL_TOP_K_ROOM > 0
bool xl_top_k_may_be_result(XL_KEY raw, const xl_top_k_filter *f)
{
    return (xl_key_map(raw) & f->mask) <= f->prefix;
}

void xl_top_k_list_one(XL_KEY raw, const xl_top_k_filter *f, uint i, __local xl_top_k_local *l)
{
    if (xl_top_k_may_be_result(raw, f)) {
        const uint at = atomic_inc(&l->listed);
        if (at < XL_TOP_K_ROOM)
            l->list[at] = i;
    }
}

/* Lists keys of a work-item: vectors v, v + XL_GROUP_SIZE and so on. Most have no key for the list,
 * so the loop that lists them is short code, which compiles faster: keys move down by one place after
 * each step, and all places are constants. */
void xl_top_k_list_some(const xl_top_k_vectors *vectors, uint v, const xl_top_k_filter *f,
                        __local xl_top_k_local *l)
{
    XL_KEY key[XL_TOP_K_AT_ONCE];
    bool any = false;
#pragma unroll
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; j += 4)
        xl_top_k_load_four(vectors->at + v + j / 4 * XL_GROUP_SIZE, key + j);
#pragma unroll
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j)
        any = any || xl_top_k_may_be_result(key[j], f);
    if (!any)
        return;
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint j = 0; j < XL_TOP_K_AT_ONCE; ++j) {
        xl_top_k_list_one(key[0], f, vectors->head + 4u * (v + j / 4 * XL_GROUP_SIZE) + j % 4, l);
#pragma unroll
        for (uint k = 1; k < XL_TOP_K_AT_ONCE; ++k)
            key[k - 1] = key[k];
    }
}

/* Makes the list of the chunk's keys that may be results. Returns its length, or XL_TOP_K_UNLISTED
 * if it has no room; then the rest of the chunk is not read. */
uint xl_top_k_make_list(__global const XL_KEY *keys, uint length, const xl_top_k_state *s,
                        __global uint *list, __local xl_top_k_local *l)
{
    const xl_top_k_filter f = xl_top_k_filter_of(s);
    const uint g = XL_GROUP_SIZE;
    volatile __local const uint *const listed = &l->listed;
    if (xl_top_k_item() == 0)
        l->listed = 0;
    xl_local_barrier();
    const xl_top_k_vectors vectors = xl_top_k_vectors_of(keys, length);
    const uint item = xl_top_k_item();
    for (uint v = item; v < vectors.count && *listed <= XL_TOP_K_ROOM; v += XL_TOP_K_STEP)
        xl_top_k_list_some(&vectors, v, &f, l);
    for (uint i = vectors.tail + item; i < length && *listed <= XL_TOP_K_ROOM; i += g)
        xl_top_k_list_one(keys[i], &f, i, l);
    for (uint i = item; i < vectors.head; i += g)
        xl_top_k_list_one(keys[i], &f, i, l);
    xl_local_barrier();
    const uint count = l->listed;
    for (uint j = xl_top_k_item(); j < count && count <= XL_TOP_K_ROOM; j += g) {
        uint before = 0;
        for (uint k = 0; k < count; ++k)
            before += l->list[k] < l->list[j] ? 1 : 0;
        list[before] = l->list[j];
    }
    xl_full_barrier();
    return count <= XL_TOP_K_ROOM ? count : XL_TOP_K_UNLISTED;
}
#endif

/* Whether x is not 0 in any work-item. */
bool xl_top_k_any(uint x, __local xl_top_k_local *l)
{
    if (xl_top_k_item() == 0)
        l->any = 0;
    xl_local_barrier();
    if (x != 0)
        atomic_or(&l->any, 1u);
    xl_local_barrier();
    const bool any = l->any != 0;
    xl_local_barrier();
    return any;
}

/* Writes the results of a work-item, whose keys in the tile are j to j + XL_TOP_K_ITEMS - 1. Bit i
 * of `certain` and `candidate` is for key j + i. `results` certain results and `candidates`
 * candidates are before key j in the chunk. */
void xl_top_k_write_items(const xl_top_k_writer *w, uint j, uint certain, uint candidate,
                          uint results, uint candidates)
{
    for (uint i = 0; i < XL_TOP_K_ITEMS; ++i) {
        if (certain >> i & 1u) {
            xl_top_k_write_one(w, results + min(candidates, w->taken),
                               xl_top_k_place(&w->keys, j + i));
            ++results;
        } else if (candidate >> i & 1u) {
            if (candidates < w->taken)
                xl_top_k_write_one(w, results + candidates, xl_top_k_place(&w->keys, j + i));
            ++candidates;
        }
    }
}

void xl_top_k_write_keys(const xl_top_k_writer *w, __local xl_top_k_local *l)
{
    uint results = 0, candidates = 0; /* certain results and candidates in the tiles before */
    for (uint tile = 0; tile < w->keys.count && results + min(candidates, w->taken) < w->total;
         tile += XL_TOP_K_TILE) {
        const uint j = tile + xl_top_k_item() * XL_TOP_K_ITEMS;
        uint certain = 0, candidate = 0, total;
        for (uint i = 0; i < XL_TOP_K_ITEMS; ++i) {
            if (j + i >= w->keys.count)
                continue;
            const XL_KEY raw = w->keys.keys[xl_top_k_place(&w->keys, j + i)];
            const XL_ORDINAL known = xl_key_map(raw) & w->mask;
            certain |= (uint)(known < w->prefix) << i;
            candidate |= (uint)(known == w->prefix) << i;
        }
        if (!xl_top_k_any(certain | candidate, l))
            continue;
        const uint before =
            xl_top_k_rank(popcount(certain) | popcount(candidate) << 16, &total, l->rank);
        xl_top_k_write_items(w, j, certain, candidate, results + (before & 0xffffu),
                             candidates + (before >> 16));
        results += total & 0xffffu;
        candidates += total >> 16;
    }
}
#else
/* ---- on devices whose work-items run one after another ---- */

/* Each work-item loops over a chunk. Once some digits are known, few keys can be results: the
 * work-item then tests a block of keys without a branch, and skips the block if none of its keys can
 * be. */
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

/* ---- the state before a pass ---- */

#define XL_TOP_K_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* One work-item reads from the scratch for all, so that a concurrent write cannot make work-items
 * diverge at a barrier. */
xl_top_k_state xl_top_k_state_read(__global const xl_top_k_state *from, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0)
        l->state = *from;
    xl_local_barrier();
    return l->state;
}

xl_top_k_chunk xl_top_k_chunk_read(const xl_top_k *t, uint c, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0) {
        l->chunk.certain = t->certain[c];
        l->chunk.candidates = t->candidates[c];
        l->chunk.listed = t->listed[c];
    }
    xl_local_barrier();
    return l->chunk;
}

uint xl_top_k_word_read(__global const uint *from, __local xl_top_k_local *l)
{
    if (get_local_id(0) == 0)
        l->listed = *from;
    xl_local_barrier();
    const uint word = l->listed;
    xl_local_barrier();
    return word;
}

/* Adds the digit of the k-th key among the candidates that were counted. */
void xl_top_k_find_digit(__global const uint *counts, xl_top_k_state *s, __local xl_top_k_local *l)
{
    xl_top_k_digit(counts, XL_DIGITS, s->needed, l->rank, l->found);
    xl_top_k_add_digit(s, l->found[0], l->found[1], l->found[2]);
    xl_local_barrier();
}

/* The sums of two numbers over all work-items. */
void xl_top_k_add_up(uint *x, uint *y, __local xl_top_k_local *l)
{
    uint total;
    xl_top_k_rank(*x, &total, l->rank);
    *x = total;
    xl_top_k_rank(*y, &total, l->rank);
    *y = total;
}

/* Counts the certain results and the candidates. */
void xl_top_k_tally_keys(const xl_top_k_keys *mine, const xl_top_k_state *s, uint *certain,
                         uint *candidates, __local xl_top_k_local *l)
{
    const XL_ORDINAL mask = xl_top_k_mask(s), prefix = (XL_ORDINAL)s->prefix;
    uint lower = 0, same = 0;
    for (uint j = (uint)get_local_id(0); j < mine->count; j += XL_GROUP_SIZE) {
        const XL_ORDINAL known = xl_key_map(mine->keys[xl_top_k_place(mine, j)]) & mask;
        lower += known < prefix ? 1 : 0;
        same += known == prefix ? 1 : 0;
    }
    xl_top_k_add_up(&lower, &same, l);
    *certain = lower;
    *candidates = same;
}

/* The state before pass `pass`: that of the pass before and the digit which that pass counted. The
 * group of chunk 0 stores it for later kernels. */
xl_top_k_state xl_top_k_state_find(const xl_top_k *t, uint pass, uint c, __local xl_top_k_local *l)
{
    xl_top_k_state s = xl_top_k_state_read(t->states + (pass > 0 ? pass - 1 : 0), l);
    if (pass > 0 && !xl_top_k_is_found(&s))
        xl_top_k_find_digit(t->counts + (pass - 1) * XL_DIGITS, &s, l);
    if (pass > 0 && c == 0 && get_local_id(0) == 0)
        t->states[pass] = s;
    return s;
}

#endif
