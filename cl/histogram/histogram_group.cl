/* SPDX-License-Identifier: MIT
 * Counting by work-groups: the work-items of a group process vectors of a chunk in turn. The whole
 * group must call each function of this file together. */
#ifndef XL_HISTOGRAM_GROUP
#define XL_HISTOGRAM_GROUP

#include "histogram_bin.cl"

#if XL_VLEN > 1
typedef XL_JOIN(XL_IN, XL_VLEN) xl_in_vec;
#define XL_UNPACK(x, to) XL_JOIN(vstore, XL_VLEN)((x), 0, (to))
#else
typedef XL_IN xl_in_vec;
#define XL_UNPACK(x, to) (*(to) = (x))
#endif

/* The counters that a work-item adds to. */
typedef struct xl_tally {
    uint first_bin, bins; /* only elements of these bins count */
    /* In local memory: the work-item's own copy of the first bin's counter. */
    __local uint *counters;
    uint stride; /* from the counter of a bin to that of the next bin; 0 in global memory */
    uint step;   /* from a word of a counter to its next word */
    /* In global memory, except for bins with many elements: hot_counts[k] counts hot_bins[k]. */
    volatile __global uint *words;
    const __local uint *hot_bins;
    __local uint *hot_counts;
} xl_tally;

#define XL_LOCAL_PLACE(w, step) ((w) * (step))
XL_DEFINE_ADD(xl_local_add, __local, XL_AMOUNT_WORDS, XL_LOCAL_PLACE)

/* The counter at counters[k]. Its words are `step` apart, so that adjacent counters are in
 * different banks. */
xl_amount xl_local_counter(const __local uint *counters, uint k, uint step)
{
#if XL_AMOUNT_WORDS == 4
    return (xl_amount)(counters[k] | (ulong)counters[k + step] << 32,
                       counters[k + 2 * step] | (ulong)counters[k + 3 * step] << 32);
#elif XL_AMOUNT_WORDS == 2
    return counters[k] | (ulong)counters[k + step] << 32;
#else
    return counters[k];
#endif
}

/* Adds `by` to a bin. The copies of a counter are in different banks, so that work-items that add to
 * one bin do not wait for each other. From atomic_inc() NVIDIA's compiler makes an instruction that
 * adds up all lanes of one address. */
void xl_tally_local(const xl_tally *t, uint bin, xl_amount by)
{
    const uint k = bin - t->first_bin;
    if (k >= t->bins)
        return;
#if XL_HISTOGRAM_ADDS == 0
    if (by == 1) { /* a constant */
        atomic_inc(t->counters + k * t->stride);
        return;
    }
#endif
    xl_local_add(t->counters + k * t->stride, t->step, by);
}

/* The number of bins that a group counts in local memory, and the slot of a bin among them. */
#define XL_HOT_LOG 10
#define XL_HOT (1u << XL_HOT_LOG)
uint xl_hot_slot(uint bin)
{
    return bin * 2654435769u >> (32 - XL_HOT_LOG);
}

/* A counter in global memory takes one addition at a time, from all groups. */
void xl_tally_global(const xl_tally *t, uint bin, xl_amount by)
{
    const uint slot = xl_hot_slot(bin);
    if (bin >= t->bins)
        return;
    if (t->hot_bins[slot] == bin)
        xl_local_add(t->hot_counts + slot, XL_HOT, by);
    else
        xl_counter_add(t->words, bin, by);
}

/* Chooses the bins that a chunk of `length` elements counts in local memory: the bins of a sample
 * of the chunk, which most likely includes each bin with many elements. Ends with a barrier. */
void xl_hot_choose(const xl_binning *b, const __global XL_IN *in, ulong first, uint length,
                   __local uint *bins, __local uint *counts)
{
    const uint item = (uint)get_local_id(0);
    for (uint k = item; k < XL_HOT; k += XL_GROUP_SIZE)
        bins[k] = XL_NO_BIN;
    for (uint k = item; k < XL_HOT * XL_AMOUNT_WORDS; k += XL_GROUP_SIZE)
        counts[k] = 0;
    XL_LOCAL_BARRIER();
    if (length > 0) {
        const uint i = (uint)((ulong)length * item / XL_GROUP_SIZE);
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        if (bin < b->bins)
            (void)atomic_cmpxchg(bins + xl_hot_slot(bin), XL_NO_BIN, bin);
    }
    XL_LOCAL_BARRIER();
}

/* Adds these counters to the bins, when the whole group has counted. */
void xl_hot_add(volatile __global uint *words, const __local uint *bins, const __local uint *counts)
{
    XL_LOCAL_BARRIER();
    for (uint k = (uint)get_local_id(0); k < XL_HOT; k += XL_GROUP_SIZE)
        if (bins[k] != XL_NO_BIN)
            xl_counter_add(words, bins[k], xl_local_counter(counts, k, XL_HOT));
}

/* Adds `count` amounts to bins, except those of elements outside all bins. */
void xl_tally_all(xl_tally *t, const uint *bin, const xl_amount *by, const uint count,
                  const bool is_local)
{
#pragma unroll
    for (uint v = 0; v < count; ++v) {
        if (is_local)
            xl_tally_local(t, bin[v], by[v]);
        else
            xl_tally_global(t, bin[v], by[v]);
    }
}

/* Counts fewer elements than a vector has, from in[at] on. */
void xl_count_few(xl_tally *t, const xl_binning *b, const xl_weights *w, const __global XL_IN *in,
                  ulong first, uint at, uint count, const bool is_local)
{
    for (uint k = 0; k < count; k += XL_GROUP_SIZE) {
        const uint i = at + k + (uint)get_local_id(0);
        uint bin = XL_NO_BIN;
        xl_amount by = 0;
        if (i < at + count) {
            bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
            by = xl_amount_of(w, i, bin);
        }
        xl_tally_all(t, &bin, &by, 1, is_local);
    }
}

/* Whether one addition counts a vector of equal elements. */
#define XL_HISTOGRAM_RUNS                                                                          \
    (XL_HISTOGRAM_ADDS == 0 && XL_HISTOGRAM_KIND != 2 && XL_VLEN > 1 && !XL_LOAD)

#if XL_HISTOGRAM_RUNS
/* 0 if all elements of a vector, which has 16 bytes, have the same bits. */
uint xl_difference(xl_in_vec x)
{
    const uint4 word = as_uint4(x);
#if XL_IN_BYTES == 8
    return (word.x ^ word.z) | (word.y ^ word.w);
#else
    return (word.x ^ word.y) | (word.x ^ word.z) | (word.x ^ word.w) |
           (word.x ^ rotate(word.x, 8u * XL_IN_BYTES));
#endif
}

/* Counts vectors in local memory if the elements of each of them are equal; false if not. */
bool xl_count_equal(const xl_tally *t, const xl_binning *b, const xl_in_vec *x)
{
    uint difference = 0;
#pragma unroll
    for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u)
        difference |= xl_difference(x[u]);
    if (difference != 0)
        return false;
#pragma unroll
    for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u)
        xl_tally_local(t, xl_bin_of(b, x[u].s0), XL_VLEN);
    return true;
}
#endif

/* Loads the vectors of a work-item; instead of a vector past the last one, the last one. */
void xl_load_vectors(const __global xl_in_vec *from, uint first, uint vectors, xl_in_vec *x)
{
#pragma unroll
    for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u)
        x[u] = from[min(first + u * XL_GROUP_SIZE, vectors - 1)];
}

/* Counts in[0] to in[length - 1]; in[0] is element `first` of the array. It counts single elements
 * up to the first aligned vector, then vectors, then the remaining elements. */
void xl_count_chunk(xl_tally *t, const xl_binning *b, const xl_weights *w, const __global XL_IN *in,
                    ulong first, uint length, const bool is_local)
{
    const uint bytes = XL_VLEN * XL_IN_BYTES, past = XL_VLEN > 1 ? (uint)((size_t)in % bytes) : 0;
    const uint head = past > 0 ? min((bytes - past) / XL_IN_BYTES, length) : 0;
    const uint vectors = (length - head) / XL_VLEN, step = XL_GROUP_SIZE * XL_HISTOGRAM_VECTORS;
    const uint me = (uint)get_local_id(0);
    const __global xl_in_vec *const from = (const __global xl_in_vec *)(in + head);
    xl_in_vec x[XL_HISTOGRAM_VECTORS];
    uint base = 0;
    xl_count_few(t, b, w, in, first, 0, head, is_local);
#if XL_HISTOGRAM_RUNS
    /* A separate loop, because a test in each round of the loop below takes 12 % of the time of u8.
     * With fewer than 8 copies of a counter, additions to one bin wait for each other. */
    for (; t->stride >= 8 && vectors - base >= step; base += step) {
        xl_load_vectors(from, base + me, vectors, x);
        if (!xl_count_equal(t, b, x))
            break;
    }
#endif
    for (; base < vectors; base += step) {
        const uint mine = base + me;
        xl_load_vectors(from, mine, vectors, x);
#pragma unroll
        for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u) {
            XL_IN y[XL_VLEN];
            XL_BINNED value[XL_VLEN];
            xl_amount by[XL_VLEN];
            uint bin[XL_VLEN];
            const uint vector = mine + u * XL_GROUP_SIZE;
            const uint i = head + min(vector, vectors - 1) * XL_VLEN;
            xl_tally to = *t;
            to.bins = !XL_HISTOGRAM_RUNS || vector < vectors ? t->bins : 0;
            XL_UNPACK(x[u], y);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                value[v] = XL_LOADED(y[v], first + i + v);
            xl_bins_of(b, value, bin, XL_VLEN);
#if !XL_HISTOGRAM_RUNS /* else the limit of bins saves an instruction for each element */
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                bin[v] = vector < vectors ? bin[v] : XL_NO_BIN;
#endif
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                by[v] = xl_amount_of(w, i + v, bin[v]);
            xl_tally_all(&to, bin, by, XL_VLEN, is_local);
        }
    }
    xl_count_few(t, b, w, in, first, head + vectors * XL_VLEN, (length - head) % XL_VLEN, is_local);
}

#endif
