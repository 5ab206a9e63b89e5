/* SPDX-License-Identifier: MIT
 * Counting by work-groups: the work-items of a group take vectors of a chunk in turn. All of a
 * group come to every call here together. */
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

/* Where a work-item counts. */
typedef struct xl_tally {
    /* In local memory: 1 << copies_log counters of each of `bins` bins from first_bin on, side by
     * side, of which it has one. */
    __local uint *counters;
    uint first_bin, bins, copies_log, copy;
    /* In global memory, but for bins that many elements have: hot_counts[k] is of bin hot_bins[k].
     */
    volatile __global uint *words;
    const __local uint *hot_bins;
    __local uint *hot_counts;
} xl_tally;

/* Counters of a bin lie in as many banks as there are copies, so that work-items that count one bin
 * do not wait for each other. NVIDIA's compiler makes of this an instruction that adds up all lanes
 * of one address. */
void xl_tally_local(const xl_tally *t, uint bin)
{
    const uint k = bin - t->first_bin;
    if (k < t->bins)
        atomic_inc(t->counters + (k << t->copies_log) + t->copy);
}

/* The same of several; elsewhere than there, one addition if all are of one bin. */
void xl_tally_local_all(const xl_tally *t, const uint *bin, const uint count)
{
#if XL_LANE_WAY != 2
    bool same = count > 1;
    for (uint v = 1; v < count; ++v)
        same = same && bin[v] == bin[0];
    if (same) {
        const uint k = bin[0] - t->first_bin;
        if (k < t->bins)
            atomic_add(t->counters + (k << t->copies_log) + t->copy, count);
        return;
    }
#endif
#pragma unroll
    for (uint v = 0; v < count; ++v)
        xl_tally_local(t, bin[v]);
}

/* Bins that a group counts apart, and where each of all bins would stand among them. */
#define XL_HOT_LOG 10
#define XL_HOT (1u << XL_HOT_LOG)
uint xl_hot_slot(uint bin)
{
    return bin * 2654435769u >> (32 - XL_HOT_LOG);
}

/* One counter in global memory takes an addition at a time, for all groups. */
void xl_tally_global(const xl_tally *t, uint bin)
{
    const uint slot = xl_hot_slot(bin);
    if (bin == XL_NO_BIN)
        return;
    if (t->hot_bins[slot] == bin)
        atomic_inc(t->hot_counts + slot);
    else
        xl_counter_add(t->words, bin, 1);
}

/* Chooses the bins that a chunk of `length` elements counts apart: those of a sample of it, in
 * which a bin that many elements have hardly fails to be. Ends with a barrier. */
void xl_hot_choose(const xl_binning *b, const __global XL_IN *in, ulong first, uint length,
                   __local uint *bins, __local uint *counts)
{
    const uint item = (uint)get_local_id(0);
    for (uint k = item; k < XL_HOT; k += XL_GROUP_SIZE) {
        bins[k] = XL_NO_BIN;
        counts[k] = 0;
    }
    XL_LOCAL_BARRIER();
    if (length > 0) {
        const uint i = (uint)((ulong)length * item / XL_GROUP_SIZE);
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        if (bin != XL_NO_BIN)
            (void)atomic_cmpxchg(bins + xl_hot_slot(bin), XL_NO_BIN, bin);
    }
    XL_LOCAL_BARRIER();
}

/* Adds what a group has counted apart to the bins, once all of it have counted. */
void xl_hot_add(volatile __global uint *words, const __local uint *bins, const __local uint *counts)
{
    XL_LOCAL_BARRIER();
    for (uint k = (uint)get_local_id(0); k < XL_HOT; k += XL_GROUP_SIZE)
        if (counts[k] > 0)
            xl_counter_add(words, bins[k], counts[k]);
}

/* Counts `count` bins, XL_NO_BIN where there is none. */
void xl_tally_all(xl_tally *t, const uint *bin, const uint count, const bool is_local)
{
    if (is_local) {
        xl_tally_local_all(t, bin, count);
        return;
    }
#pragma unroll
    for (uint v = 0; v < count; ++v)
        xl_tally_global(t, bin[v]);
}

/* Fewer elements than a vector has, from in[at] on. */
void xl_count_few(xl_tally *t, const xl_binning *b, const __global XL_IN *in, ulong first, uint at,
                  uint count, const bool is_local)
{
    for (uint k = 0; k < count; k += XL_GROUP_SIZE) {
        const uint i = at + k + (uint)get_local_id(0);
        uint bin = XL_NO_BIN;
        if (i < at + count)
            bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        xl_tally_all(t, &bin, 1, is_local);
    }
}

/* Counts in[0] to in[length - 1], of which the first is element `first` of the array: single
 * elements up to the first aligned vector, vectors, and what is left. */
void xl_count_chunk(xl_tally *t, const xl_binning *b, const __global XL_IN *in, ulong first,
                    uint length, const bool is_local)
{
    const uint bytes = XL_VLEN * XL_IN_BYTES, past = XL_VLEN > 1 ? (uint)((size_t)in % bytes) : 0;
    const uint head = past > 0 ? min((bytes - past) / XL_IN_BYTES, length) : 0;
    const uint vectors = (length - head) / XL_VLEN, step = XL_GROUP_SIZE * XL_HISTOGRAM_VECTORS;
    const __global xl_in_vec *const from = (const __global xl_in_vec *)(in + head);
    xl_count_few(t, b, in, first, 0, head, is_local);
    for (uint base = 0; base < vectors; base += step) {
        xl_in_vec x[XL_HISTOGRAM_VECTORS];
        const uint mine = base + (uint)get_local_id(0); /* past the last, it is taken again */
#pragma unroll
        for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u)
            x[u] = from[min(mine + u * XL_GROUP_SIZE, vectors - 1)];
#pragma unroll
        for (uint u = 0; u < XL_HISTOGRAM_VECTORS; ++u) {
            XL_IN y[XL_VLEN];
            XL_BINNED value[XL_VLEN];
            uint bin[XL_VLEN];
            const uint vector = mine + u * XL_GROUP_SIZE;
            const ulong i = first + head + (ulong)min(vector, vectors - 1) * XL_VLEN;
            XL_UNPACK(x[u], y);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                value[v] = XL_LOADED(y[v], i + v);
            xl_bins_of(b, value, bin, XL_VLEN);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                bin[v] = vector < vectors ? bin[v] : XL_NO_BIN;
            xl_tally_all(t, bin, XL_VLEN, is_local);
        }
    }
    xl_count_few(t, b, in, first, head + vectors * XL_VLEN, (length - head) % XL_VLEN, is_local);
}

#endif
