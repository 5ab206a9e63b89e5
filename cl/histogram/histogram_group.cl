/* SPDX-License-Identifier: MIT
 * Counting by work-groups: the work-items of a group take vectors of a chunk in turn. All of a
 * group come to every call here together. */
#ifndef XL_HISTOGRAM_GROUP
#define XL_HISTOGRAM_GROUP

#include "../lane/lane.cl"
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
    /* In global memory: neighbours of one bin are added up first. */
    volatile __global uint *words;
    uint run_bin, run;
    uint turn;
    bool has_lanes;
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

/* Adds a work-item's run to its bin. One of the lanes that add 1 to the bin of one of them, a
 * different one each time, adds for all of these: of a bin that many elements have the counter is
 * not asked for each. */
void xl_tally_flush(xl_tally *t, bool ends)
{
    const bool adds = ends && t->run_bin != XL_NO_BIN;
#if XL_LANE_WAY != 0
    if (t->has_lanes) {
        const uint bin = adds && t->run == 1 ? t->run_bin : XL_NO_BIN;
        const uint asked = xl_lane_shuffle(bin, t->turn++ % xl_lane_width());
        const bool joins = bin == asked && bin != XL_NO_BIN;
        const ulong same = xl_lane_ballot(joins);
        const ulong below = same & (((ulong)1 << xl_lane_id()) - 1);
        if (joins ? below == 0 : adds)
            xl_counter_add(t->words, t->run_bin, joins ? (uint)popcount(same) : t->run);
        return;
    }
#endif
    if (adds)
        xl_counter_add(t->words, t->run_bin, t->run);
}

void xl_tally_global(xl_tally *t, uint bin)
{
    const bool ends = bin != t->run_bin;
    xl_tally_flush(t, ends);
    t->run_bin = bin;
    t->run = ends ? 1 : t->run + 1;
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
    if (!is_local)
        xl_tally_flush(t, true);
}

#endif
