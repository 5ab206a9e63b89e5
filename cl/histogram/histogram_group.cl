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
    /* In local memory: 1 << copies_log counters of each of `bins` bins from first_bin on. The
     * work-item uses number `copy`. */
    __local uint *counters;
    uint first_bin, bins, copies_log, copy;
    uint step; /* from a word of a counter to its next one */
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

/* The copies of a counter are in different banks, so that work-items that add to one bin do not
 * wait for each other. From atomic_inc() NVIDIA's compiler makes an instruction that adds up all
 * lanes of one address. */
void xl_tally_local(const xl_tally *t, uint bin, xl_amount by)
{
    const uint k = bin - t->first_bin;
    if (k >= t->bins)
        return;
#if XL_HISTOGRAM_ADDS == 0
    atomic_inc(t->counters + (k << t->copies_log) + t->copy);
#else
    xl_local_add(t->counters + (k << t->copies_log) + t->copy, t->step, by);
#endif
}

/* The same for several elements. On other devices it is one addition if all have one bin. */
void xl_tally_local_all(const xl_tally *t, const uint *bin, const xl_amount *by, const uint count)
{
#if XL_LANE_WAY != 2
    bool same = count > 1;
    for (uint v = 1; v < count; ++v)
        same = same && bin[v] == bin[0];
    if (same) {
        const uint k = bin[0] - t->first_bin;
        xl_amount sum = by[0];
        for (uint v = 1; v < count; ++v)
            sum = XL_JOINED(sum, by[v]);
        if (k < t->bins)
            xl_local_add(t->counters + (k << t->copies_log) + t->copy, t->step, sum);
        return;
    }
#endif
#pragma unroll
    for (uint v = 0; v < count; ++v)
        xl_tally_local(t, bin[v], by[v]);
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
    if (bin == XL_NO_BIN)
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
        if (bin != XL_NO_BIN)
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

/* Adds `count` amounts to bins. An element outside all bins has XL_NO_BIN. */
void xl_tally_all(xl_tally *t, const uint *bin, const xl_amount *by, const uint count,
                  const bool is_local)
{
    if (is_local) {
        xl_tally_local_all(t, bin, by, count);
        return;
    }
#pragma unroll
    for (uint v = 0; v < count; ++v)
        xl_tally_global(t, bin[v], by[v]);
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

/* Counts in[0] to in[length - 1]; in[0] is element `first` of the array. It counts single elements
 * up to the first aligned vector, then vectors, then the remaining elements. */
void xl_count_chunk(xl_tally *t, const xl_binning *b, const xl_weights *w, const __global XL_IN *in,
                    ulong first, uint length, const bool is_local)
{
    const uint bytes = XL_VLEN * XL_IN_BYTES, past = XL_VLEN > 1 ? (uint)((size_t)in % bytes) : 0;
    const uint head = past > 0 ? min((bytes - past) / XL_IN_BYTES, length) : 0;
    const uint vectors = (length - head) / XL_VLEN, step = XL_GROUP_SIZE * XL_HISTOGRAM_VECTORS;
    const __global xl_in_vec *const from = (const __global xl_in_vec *)(in + head);
    xl_count_few(t, b, w, in, first, 0, head, is_local);
    for (uint base = 0; base < vectors; base += step) {
        xl_in_vec x[XL_HISTOGRAM_VECTORS];
        const uint mine = base + (uint)get_local_id(0); /* beyond the last vector, the last again */
#pragma unroll
        for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u)
            x[u] = from[min(mine + u * XL_GROUP_SIZE, vectors - 1)];
#pragma unroll
        for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u) {
            XL_IN y[XL_VLEN];
            XL_BINNED value[XL_VLEN];
            xl_amount by[XL_VLEN];
            uint bin[XL_VLEN];
            const uint vector = mine + u * XL_GROUP_SIZE;
            const uint i = head + min(vector, vectors - 1) * XL_VLEN;
            XL_UNPACK(x[u], y);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                value[v] = XL_LOADED(y[v], first + i + v);
            xl_bins_of(b, value, bin, XL_VLEN);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                bin[v] = vector < vectors ? bin[v] : XL_NO_BIN;
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                by[v] = xl_amount_of(w, i + v, bin[v]);
            xl_tally_all(t, bin, by, XL_VLEN, is_local);
        }
    }
    xl_count_few(t, b, w, in, first, head + vectors * XL_VLEN, (length - head) % XL_VLEN, is_local);
}

#endif
