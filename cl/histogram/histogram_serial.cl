/* SPDX-License-Identifier: MIT
 * Counting on devices whose work-items run one after another: each work-item processes a chunk. */
#ifndef XL_HISTOGRAM_SERIAL
#define XL_HISTOGRAM_SERIAL

#include "histogram_bin.cl"

/* Adds elements to the work-item's private counters. Each bin has 1 << copies_log of them, which
 * elements use in turn, because a counter that was just written cannot be read at once. One more
 * bin behind the last one receives elements outside all bins, which saves a branch. */
void xl_count_private(const xl_binning *b, const xl_weights *w, const __global XL_IN *in,
                      ulong first, uint length, uint bins, uint copies_log,
                      __local xl_amount *counters)
{
    enum { STEP = 8 };
    const uint mask = (1u << copies_log) - 1;
    uint i = 0;
    for (; i + STEP <= length; i += STEP) {
        XL_BINNED x[STEP];
        uint bin[STEP];
#pragma unroll
        for (uint k = 0; k < STEP; ++k)
            x[k] = XL_LOADED(in[i + k], first + i + k);
        xl_bins_of(b, x, bin, STEP);
#pragma unroll
        for (uint k = 0; k < STEP; ++k) {
            const uint at = (min(bin[k], bins) << copies_log) + (k & mask);
            counters[at] = XL_JOINED(counters[at], xl_amount_of(w, i + k, bin[k]));
        }
    }
    for (; i < length; ++i) {
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        const uint at = min(bin, bins) << copies_log;
        counters[at] = XL_JOINED(counters[at], xl_amount_of(w, i, bin));
    }
}

/* Adds elements to the bins in global memory. Adjacent elements of one bin are added up first. */
void xl_count_global(const xl_binning *b, const xl_weights *w, const __global XL_IN *in,
                     ulong first, uint length, volatile __global uint *words)
{
    uint run_bin = XL_NO_BIN;
    xl_counter run = 0;
    for (uint i = 0; i < length; ++i) {
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        if (bin != run_bin) {
            if (run_bin < b->bins)
                xl_counter_add(words, run_bin, run);
            run_bin = bin;
            run = 0;
        }
        run = XL_JOINED(run, xl_amount_of(w, i, bin));
    }
    if (run_bin < b->bins)
        xl_counter_add(words, run_bin, run);
}

#endif
