/* SPDX-License-Identifier: MIT
 * Counting on devices whose work-items run one after another: each work-item walks a chunk. */
#ifndef XL_HISTOGRAM_SERIAL
#define XL_HISTOGRAM_SERIAL

#include "histogram_bin.cl"

/* Into `counters` of the work-item's own: 1 << copies_log of each bin, which elements take in turn,
 * as one that was just written cannot be read at once; and as many behind, for elements that no bin
 * has, so that no branch is guessed wrong. */
void xl_count_private(const xl_binning *b, const __global XL_IN *in, ulong first, uint length,
                      uint bins, uint copies_log, __local uint *counters)
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
        for (uint k = 0; k < STEP; ++k)
            ++counters[(min(bin[k], bins) << copies_log) + (k & mask)];
    }
    for (; i < length; ++i) {
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        ++counters[min(bin, bins) << copies_log];
    }
}

/* Into the bins themselves: neighbours of one bin are added up first. */
void xl_count_global(const xl_binning *b, const __global XL_IN *in, ulong first, uint length,
                     volatile __global uint *words)
{
    uint run_bin = XL_NO_BIN, run = 0;
    for (uint i = 0; i < length; ++i) {
        const uint bin = xl_bin_of(b, XL_LOADED(in[i], first + i));
        if (bin != run_bin) {
            if (run_bin != XL_NO_BIN)
                xl_counter_add(words, run_bin, run);
            run_bin = bin;
            run = 0;
        }
        ++run;
    }
    if (run_bin != XL_NO_BIN)
        xl_counter_add(words, run_bin, run);
}

#endif
