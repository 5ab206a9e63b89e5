/* SPDX-License-Identifier: MIT
 * Histograms. The host launches
 *   xl_histogram_clear    sets counters to 0, unless calls add to them or one group counts alone
 * then one of
 *   xl_histogram_private  counts each chunk in local memory and adds the counters to the bins. If
 *                         the bins do not fit there, it does so for one range of bins after another
 *   xl_histogram_shared   adds each element to its bin in global memory, for more bins. Each group
 *                         counts bins with many elements in local memory
 * For floating-point weights it launches that kernel twice, for the greatest exponent of each bin
 * and for sums (histogram_bin.cl), then
 *   xl_histogram_finish   makes floating-point numbers of the sums */

#include "histogram_bin.cl"

#if XL_SERIAL
/* ---- counting on devices whose work-items run one after another: each processes a chunk ---- */

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
#else
/* ---- counting by work-groups ---- */

/* The work-items of a group process vectors of a chunk in turn. The whole group must call each of
 * these functions together. */
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

/* ---- the kernels ---- */

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
    const ulong n = xl_length(n_most, length, length_offset);
    const int shift = xl_steps_shift(n);
    const xl_real_bits sum = xl_sum_bits(sums[sums_offset + k], greatest, shift);
    __global xl_real_bits *const to = out + out_offset + k;
    *to = adds ? XL_REAL_BITS(XL_REAL_OF(*to) + XL_REAL_OF(sum)) : sum;
}

#endif
