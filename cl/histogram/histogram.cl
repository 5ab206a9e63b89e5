/* SPDX-License-Identifier: MIT
 * Histograms. The host launches
 *   xl_histogram_clear    sets counters to 0, unless calls add to them or one group counts alone
 * then one of
 *   xl_histogram_private  counts each chunk in local memory and adds the counters to the bins. If
 *                         the bins do not fit there, it does so for one range of bins after another
 *   xl_histogram_shared   adds each element to its bin in global memory, for more bins. Each group
 *                         counts bins with many elements in local memory
 * For floating-point weights it launches that kernel twice, for the greatest exponent of each bin
 * and for sums (histogram_amount.cl), then
 *   xl_histogram_finish   makes floating-point numbers of the sums */

/* Both files below need it. It is not inside the condition, because each file is embedded once. */
#include "histogram_bin.cl"

#if XL_SERIAL
#include "histogram_serial.cl"
#else
#include "histogram_group.cl"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* Sets `count` words to 0. */
__kernel void xl_histogram_clear(uint count, __global uint *words, ulong words_offset)
{
    const size_t k = get_global_id(0);
    if (k < count)
        words[words_offset + k] = 0;
}

/* `chunk`: elements of a chunk. `length`: NULL, or where the number of elements is on the device, at
 * most n_most. */
#define XL_HISTOGRAM_ARGUMENTS                                                                     \
    ulong n_most, const __global ulong *length, ulong length_offset, uint chunk, uint bins,        \
        const __global XL_IN *in, ulong in_offset, __global xl_counter *out,                       \
        ulong out_offset XL_WEIGHTS_ARGUMENTS XL_BINNING_ARGUMENTS XL_PARAMS_ARGUMENT

/* Chunk number c: its first element, its number of elements, its weights. */
#define XL_HISTOGRAM_MAKE(c)                                                                       \
    ulong n;                                                                                       \
    XL_LENGTH_READ(ulong, n, n_most, length, length_offset)                                        \
    xl_binning b;                                                                                  \
    b.bins = bins;                                                                                 \
    XL_BINNING_MAKE(b) XL_PARAMS_MAKE(b) const ulong first = min((ulong)(c)*chunk, n);             \
    const uint count = (uint)min((ulong)chunk, n - first);                                         \
    in += in_offset + first;                                                                       \
    xl_weights w;                                                                                  \
    w.bins = bins;                                                                                 \
    XL_WEIGHTS_MAKE(w, first, n)

#if XL_SERIAL
typedef xl_amount xl_local;
#else
typedef uint xl_local; /* a word of a counter */
#endif

/* The sum of the copies of a counter. Work-items start with different copies, so that those of
 * consecutive counters read different banks. */
xl_amount xl_sum_of_copies(const __local xl_local *counters, uint k, uint copies_log, uint step)
{
    xl_amount sum = 0;
    for (uint c = 0; c < 1u << copies_log; ++c) {
        const uint at = (k << copies_log) + ((c + k) & ((1u << copies_log) - 1));
#if XL_SERIAL
        const xl_amount copy = counters[at];
#else
        const xl_amount copy = xl_local_counter(counters, at, step);
#endif
        sum = XL_JOINED(sum, copy);
    }
    return sum;
}

/* alone: 0 if other groups add to the same bins; else this group sets them (1) or adds to them (2).
 * Group g has range g % ranges of chunk g / ranges, so that groups that run together read the same
 * elements. */
__kernel XL_REQUIRED void xl_histogram_private(uint alone, uint ranges, uint range_bins,
                                               uint copies_log, __local xl_local *counters,
                                               XL_HISTOGRAM_ARGUMENTS)
{
    XL_HISTOGRAM_MAKE(get_group_id(0) / ranges)
    const uint first_bin = (uint)(get_group_id(0) % ranges) * range_bins;
    const uint mine = min(range_bins, bins - first_bin);
    const uint step = range_bins << copies_log;
#if XL_SERIAL
    const uint item = 0, count_all = (mine + 1) << copies_log;
#else
    const uint item = (uint)get_local_id(0), count_all = step * XL_AMOUNT_WORDS;
#endif
    for (uint k = item; k < count_all; k += XL_GROUP_SIZE)
        counters[k] = 0;
    XL_LOCAL_BARRIER();
#if XL_SERIAL
    xl_count_private(&b, &w, in, first, count, mine, copies_log, counters);
#else
    xl_tally t;
    t.first_bin = first_bin;
    t.bins = mine;
    t.counters = counters + (item & ((1u << copies_log) - 1));
    t.stride = 1u << copies_log;
    t.step = step;
    xl_count_chunk(&t, &b, &w, in, first, count, true);
#endif
    XL_LOCAL_BARRIER();
    __global xl_counter *const to = out + out_offset + first_bin;
    for (uint k = item; k < mine; k += XL_GROUP_SIZE) {
        const xl_amount sum = xl_sum_of_copies(counters, k, copies_log, step);
        if (alone == 1)
            to[k] = sum;
        else if (alone == 2)
            to[k] = XL_JOINED(to[k], sum);
        else
            xl_counter_add((volatile __global uint *)to, k, sum);
    }
}

__kernel XL_REQUIRED void xl_histogram_shared(XL_HISTOGRAM_ARGUMENTS)
{
    XL_HISTOGRAM_MAKE(get_group_id(0))
    volatile __global uint *const words = (volatile __global uint *)(out + out_offset);
#if XL_SERIAL
    xl_count_global(&b, &w, in, first, count, words);
#else
    __local uint hot_bins[XL_HOT], hot_counts[XL_HOT * XL_AMOUNT_WORDS];
    xl_tally t;
    t.first_bin = 0;
    t.bins = bins;
    t.stride = 0;
    t.words = words;
    t.hot_bins = hot_bins;
    t.hot_counts = hot_counts;
    xl_hot_choose(&b, in, first, count, hot_bins, hot_counts);
    xl_count_chunk(&t, &b, &w, in, first, count, false);
    xl_hot_add(words, hot_bins, hot_counts);
#endif
}

#if XL_HISTOGRAM_ADDS == 3

/* Sets the bins to the sums, or, if adds is 1, adds the sums to them, except to bins without
 * elements. */
__kernel void xl_histogram_finish(ulong n_most, const __global ulong *length, ulong length_offset,
                                  uint bins, uint adds, const __global xl_counter *sums,
                                  ulong sums_offset, const __global uint *exponents,
                                  ulong exponents_offset, __global xl_real_bits *out,
                                  ulong out_offset)
{
    const size_t k = get_global_id(0);
    if (k >= bins)
        return;
    const uint greatest = exponents[exponents_offset + k];
    if (adds && greatest == 0)
        return;
    const ulong n = length ? min(n_most, length[length_offset]) : n_most;
    const int shift = xl_steps_shift(n);
    const xl_real_bits sum = xl_sum_bits(sums[sums_offset + k], greatest, shift);
    __global xl_real_bits *const to = out + out_offset + k;
    *to = adds ? XL_REAL_BITS(XL_REAL_OF(*to) + XL_REAL_OF(sum)) : sum;
}

#endif
