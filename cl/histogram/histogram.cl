/* SPDX-License-Identifier: MIT
 * Histograms. The host launches
 *   xl_histogram_clear   sets the bins to 0, unless calls add to them or one group counts alone
 * and one of
 *   xl_histogram_private  each chunk is counted in local memory, range by range of the bins where
 *                         they do not fit there, and added to the bins
 *   xl_histogram_shared   each element is added to its bin in global memory: more bins. Those that
 *                         many elements have each group counts in local memory
 * Sums of whole numbers do not depend on the order in which groups come. */
#include "../prelude/prelude.cl"

/* Both shapes need it; embedding takes each file once, so not inside the condition. */
#include "histogram_bin.cl"

#if XL_SERIAL
#include "histogram_serial.cl"
#else
#include "histogram_group.cl"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

#if XL_COUNTER_BYTES == 8
typedef ulong xl_counter;
#else
typedef uint xl_counter;
#endif

__kernel void xl_histogram_clear(uint bins, __global xl_counter *out, ulong out_offset)
{
    const size_t k = get_global_id(0);
    if (k < bins)
        out[out_offset + k] = 0;
}

/* `chunk`: elements of one. has_length 1: there are length[length_offset] elements, at most n. */
#define XL_HISTOGRAM_ARGUMENTS                                                                     \
    ulong n, uint has_length, const __global ulong *length, ulong length_offset, uint chunk,       \
        uint bins, const __global XL_IN *in, ulong in_offset, __global xl_counter *out,            \
        ulong out_offset XL_BINNING_ARGUMENTS XL_PARAMS_ARGUMENT

/* The number of elements, read once for all of a group, as somebody may write it meanwhile. */
#if XL_SERIAL
#define XL_HISTOGRAM_LENGTH                                                                        \
    if (has_length)                                                                                \
        n = min(n, length[length_offset]);
#else
#define XL_HISTOGRAM_LENGTH                                                                        \
    __local ulong shared_n;                                                                        \
    if (get_local_id(0) == 0) {                                                                    \
        shared_n = n;                                                                              \
        if (has_length)                                                                            \
            shared_n = min(n, length[length_offset]);                                              \
    }                                                                                              \
    XL_LOCAL_BARRIER();                                                                            \
    n = shared_n;
#endif
/* Chunk number c: its first element, and how many it has. */
#define XL_HISTOGRAM_MAKE(c)                                                                       \
    XL_HISTOGRAM_LENGTH                                                                            \
    xl_binning b;                                                                                  \
    b.bins = bins;                                                                                 \
    XL_BINNING_MAKE(b) XL_PARAMS_MAKE(b) const ulong first = min((ulong)(c)*chunk, n);             \
    const uint count = (uint)min((ulong)chunk, n - first);                                         \
    in += in_offset + first;

/* alone: nobody else counts these bins; 1 sets them, 2 adds to them, 0: others count, too. Group g
 * has range g % ranges of chunk g / ranges, so that groups that run together read the same. */
__kernel XL_REQUIRED void xl_histogram_private(uint alone, uint ranges, uint range_bins,
                                               uint copies_log, __local uint *counters,
                                               XL_HISTOGRAM_ARGUMENTS)
{
    XL_HISTOGRAM_MAKE(get_group_id(0) / ranges)
    const uint first_bin = (uint)(get_group_id(0) % ranges) * range_bins;
    const uint mine = min(range_bins, bins - first_bin);
#if XL_SERIAL
    const uint item = 0;
#else
    const uint item = (uint)get_local_id(0);
#endif
    for (uint k = item; k < (mine + XL_SERIAL) << copies_log; k += XL_GROUP_SIZE)
        counters[k] = 0;
    XL_LOCAL_BARRIER();
#if XL_SERIAL
    xl_count_private(&b, in, first, count, mine, copies_log, counters);
#else
    xl_tally t;
    t.counters = counters;
    t.first_bin = first_bin;
    t.bins = mine;
    t.copies_log = copies_log;
    t.copy = item & ((1u << copies_log) - 1);
    xl_count_chunk(&t, &b, in, first, count, true);
#endif
    XL_LOCAL_BARRIER();
    __global xl_counter *const to = out + out_offset + first_bin;
    for (uint k = item; k < mine; k += XL_GROUP_SIZE) {
        uint sum = 0;
        for (uint c = 0; c < 1u << copies_log; ++c)
            sum += counters[(k << copies_log) + c];
        if (alone)
            to[k] = alone == 1 ? sum : to[k] + sum;
        else if (sum > 0)
            xl_counter_add((volatile __global uint *)to, k, sum);
    }
}

__kernel XL_REQUIRED void xl_histogram_shared(XL_HISTOGRAM_ARGUMENTS)
{
    XL_HISTOGRAM_MAKE(get_group_id(0))
    volatile __global uint *const words = (volatile __global uint *)(out + out_offset);
#if XL_SERIAL
    xl_count_global(&b, in, first, count, words);
#else
    __local uint hot_bins[XL_HOT], hot_counts[XL_HOT];
    xl_tally t;
    t.words = words;
    t.hot_bins = hot_bins;
    t.hot_counts = hot_counts;
    xl_hot_choose(&b, in, first, count, hot_bins, hot_counts);
    xl_count_chunk(&t, &b, in, first, count, false);
    xl_hot_add(words, hot_bins, hot_counts);
#endif
}
