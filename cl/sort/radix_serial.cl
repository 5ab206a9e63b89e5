/* SPDX-License-Identifier: MIT
 * The kernels of a radix sort in which one work-item walks a chunk. It begins with the most
 * significant digit, which a sample defines: after one pass through memory, each bucket fits into a
 * cache, where one work-item sorts it (cl/sort/radix_run.cl).
 *   xl_radix_sample         the digit whose values are the buckets
 *   xl_radix_bucket_count   of each chunk: the number of keys of each bucket
 *   xl_radix_bucket_starts  where they go; gives up the buckets if one is too large for a work-item
 *   xl_radix_bucket_scatter moves keys and values there, into the spare arrays
 *   xl_radix_buckets        sorts each bucket into the output
 * If the buckets were given up, the kernels of cl/sort/radix_passes.cl sort by all digits;
 * otherwise these return at once. Few keys are sorted by one work-item, xl_radix_alone.
 * Long bodies of kernels are functions that are not inlined: PoCL compiles a kernel three times, with
 * all that is inlined, but such a function once. */
#include "radix_run.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(1, 1, 1)))

/* The host knows this number: lib/sort/sort_shape.c. */
#define XL_STEPS (1 << 14)

/* ---- moves the keys of a chunk to the places of their digits ---------------------------------- */

/* By one work-item. The elements of a digit are collected in a buffer, a line, which stays in the
 * cache and is stored when it is full (Wassenberg and Sanders, "Engineering a multi-core radix
 * sort", Euro-Par 2011). */

/* Elements of a line: 256 bytes of 4-byte or 8-byte keys. It is stored in vectors. */
#if XL_KEY_BYTES == 8
#define XL_LINE 32
#define XL_LINE_STEP 8
#else
#define XL_LINE 64
#define XL_LINE_STEP 16
#endif
typedef XL_JOIN(XL_KEY, XL_LINE_STEP) xl_key_vector;
#if XL_LARGE == 2
typedef ulong16 xl_value_vector;
#else
typedef uint16 xl_value_vector;
#endif

/* Arrays of more bytes do not stay in a cache: a line that is stored past the cache need not be
 * read first. */
#define XL_STREAM_BYTES (1 << 23)
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define XL_STREAM(x, p) __builtin_nontemporal_store((x), (p))
#endif
#endif
#ifndef XL_STREAM
#define XL_STREAM(x, p) (*(p) = (x))
#endif

/* Inlining makes different code for different constant arguments. */
#define XL_INLINED __attribute__((always_inline))

/* How the digit of a key is computed; lower keys have lower digits. XL_BY_BITS: (key >> shift) &
 * last. XL_BY_STEP: the step (key - first) >> shift, at most `last`. XL_BY_TABLE: the table's digit
 * for this step, which takes a quarter longer. */
#define XL_BY_BITS 0
#define XL_BY_STEP 1
#define XL_BY_TABLE 2

typedef struct xl_digit {
    XL_ORDINAL first;
    uint shift, last;
    const __global uchar *table;
} xl_digit;

XL_INLINED uint xl_digit_of(const xl_digit digit, XL_ORDINAL key, const uint way)
{
    if (way == XL_BY_BITS)
        return (uint)(key >> digit.shift) & digit.last;
    const uint step =
        (uint)min((max(key, digit.first) - digit.first) >> digit.shift, (XL_ORDINAL)digit.last);
    return way == XL_BY_TABLE ? digit.table[step] : step;
}

/* The digit that divides the range from `first` to `last` evenly. */
xl_digit xl_digit_between(XL_ORDINAL first, XL_ORDINAL last)
{
    xl_digit digit = {first, 0, XL_DIGITS - 1, 0};
    while ((last - first) >> digit.shift >= XL_DIGITS)
        ++digit.shift;
    return digit;
}

/* On the way to the buckets, keys are replaced by their ordinals; they are mapped back when the
 * buckets are sorted. Other passes move keys unchanged. `first`: keys are read for the first
 * time. */
XL_INLINED XL_ORDINAL xl_key_read(XL_KEY raw, const uint way, const bool first)
{
    return way == XL_BY_BITS || first ? xl_key_map(raw) : raw;
}

/* Counts the digits of `n` keys. Each digit has four counters, so that equal neighbours do not wait
 * for each other. */
XL_INLINED void xl_digits_count(const __global XL_KEY *keys, uint n, const xl_digit digit,
                                const uint way, const bool first, xl_place *counts)
{
    uint count[4 * XL_DIGITS];
    for (uint k = 0; k < 4 * XL_DIGITS; ++k)
        count[k] = 0;
    uint i = 0;
    for (; n - i >= 4; i += 4) {
        ++count[xl_digit_of(digit, xl_key_read(keys[i], way, first), way)];
        ++count[XL_DIGITS + xl_digit_of(digit, xl_key_read(keys[i + 1], way, first), way)];
        ++count[2 * XL_DIGITS + xl_digit_of(digit, xl_key_read(keys[i + 2], way, first), way)];
        ++count[3 * XL_DIGITS + xl_digit_of(digit, xl_key_read(keys[i + 3], way, first), way)];
    }
    for (; i < n; ++i)
        ++count[xl_digit_of(digit, xl_key_read(keys[i], way, first), way)];
    for (uint d = 0; d < XL_DIGITS; ++d)
        counts[d] =
            count[d] + count[XL_DIGITS + d] + count[2 * XL_DIGITS + d] + count[3 * XL_DIGITS + d];
}

/* The elements of a chunk that are not stored yet, by digit. Places count from `skew` elements
 * before the target, where a line of memory begins. They may wrap, because only differences are
 * used. */
typedef struct xl_lines {
    XL_KEY keys[XL_DIGITS * XL_LINE] __attribute__((aligned(64)));
#if XL_SORT_VALUES
    xl_value values[XL_DIGITS * XL_LINE] __attribute__((aligned(64)));
#endif
    xl_place first[XL_DIGITS], next[XL_DIGITS];
} xl_lines;

/* Stores places `begin` to end - 1 of digit d, which are in its line. If keys changed after they
 * were counted, places may be outside the array and are skipped. */
__attribute__((noinline)) void xl_line_store_some(const xl_lines *lines, const xl_sort_out *to,
                                                  xl_place n, uint skew, uint d, xl_place begin,
                                                  xl_place end)
{
    for (xl_place p = begin; p != end; ++p) {
        if (p - skew >= n)
            continue;
        if (xl_sort_has_keys(*to))
            to->keys[p - skew] = lines->keys[d * XL_LINE + p % XL_LINE];
#if XL_SORT_VALUES
        to->values[p - skew] = lines->values[d * XL_LINE + p % XL_LINE];
#endif
    }
}

/* Stores the line of digit d that ends before place `end`. The first line of a chunk may be
 * shorter. */
XL_INLINED void xl_line_store(const xl_lines *lines, const xl_sort_out *to, xl_place n, uint skew,
                              uint d, xl_place end, const bool streams)
{
    const xl_place length = min(end - lines->first[d], (xl_place)XL_LINE);
    const xl_place at = end - XL_LINE - skew;
    if (length < XL_LINE || n < XL_LINE || at > n - XL_LINE) {
        xl_line_store_some(lines, to, n, skew, d, end - length, end);
        return;
    }
#pragma unroll
    for (uint k = 0; k < XL_LINE && xl_sort_has_keys(*to); k += XL_LINE_STEP) {
        const xl_key_vector keys = XL_JOIN(vload, XL_LINE_STEP)(0, lines->keys + d * XL_LINE + k);
        if (streams)
            XL_STREAM(keys, (__global xl_key_vector *)(to->keys + at + k));
        else
            XL_JOIN(vstore, XL_LINE_STEP)(keys, 0, to->keys + at + k);
    }
#if XL_SORT_VALUES
#pragma unroll
    for (uint k = 0; k < XL_LINE; k += 16) {
        const xl_value_vector values = vload16(0, lines->values + d * XL_LINE + k);
        if (streams)
            XL_STREAM(values, (__global xl_value_vector *)(to->values + at + k));
        else
            vstore16(values, 0, to->values + at + k);
    }
#endif
}

/* Not inlined, because PoCL compiles these functions once for the loops that fill buckets from the
 * input. Other loops are slower with them: by bits, keys of one bit took a fifth longer. */
__attribute__((noinline)) void xl_line_stream(const xl_lines *lines, const xl_sort_out *to,
                                              xl_place n, uint skew, uint d, xl_place end)
{
    xl_line_store(lines, to, n, skew, d, end, true);
}

__attribute__((noinline)) void xl_line_keep(const xl_lines *lines, const xl_sort_out *to,
                                            xl_place n, uint skew, uint d, xl_place end)
{
    xl_line_store(lines, to, n, skew, d, end, false);
}

/* One loop for each combination of the constants: if one loop had both kinds of stores, the
 * compiler would use plain ones for both. */
XL_INLINED void xl_lines_fill(xl_lines *lines, const xl_sort_in from, xl_place begin, xl_place end,
                              const xl_sort_out to, xl_place n, uint skew, const xl_digit digit,
                              const uint way, const bool first, const bool streams)
{
#pragma unroll 4
    for (xl_place i = begin; i < end; ++i) {
        const XL_KEY raw = from.keys[i];
        const XL_ORDINAL key = xl_key_read(raw, way, first);
        const uint d = xl_digit_of(digit, key, way);
        const xl_place p = lines->next[d];
        lines->keys[d * XL_LINE + p % XL_LINE] = way == XL_BY_BITS ? raw : (XL_KEY)key;
#if XL_SORT_VALUES
        lines->values[d * XL_LINE + p % XL_LINE] = xl_radix_value(from, i, first);
#endif
        lines->next[d] = p + 1;
        if ((p + 1) % XL_LINE != 0)
            continue;
        if (way == XL_BY_BITS || !first)
            xl_line_store(lines, &to, n, skew, d, p + 1, streams);
        else if (streams)
            xl_line_stream(lines, &to, n, skew, d, p + 1);
        else
            xl_line_keep(lines, &to, n, skew, d, p + 1);
    }
}

/* How many elements before the target a line of memory begins. */
uint xl_lines_skew(const xl_sort_out to)
{
#if XL_SORT_VALUES == 2
    if (!xl_sort_has_keys(to))
        return (uint)((size_t)to.values / sizeof(xl_value)) % XL_LINE;
#endif
    return (uint)((size_t)to.keys / sizeof(XL_KEY)) % XL_LINE;
}

/* Whether lines of these arrays are stored past the caches: they must be aligned to vectors, and
 * the arrays must be large. */
bool xl_lines_stream(const xl_sort_out to, xl_place n, uint skew)
{
    bool aligned = true;
#if XL_SORT_VALUES
    aligned = (size_t)(to.values - skew) % sizeof(xl_value_vector) == 0;
#endif
    return aligned && n > XL_STREAM_BYTES / sizeof(XL_KEY);
}

/* Moves the keys `begin` to end - 1 to places below n, those of a digit to starts[digit] and after.
 * `streams`: lines may be stored past the caches. */
XL_INLINED void xl_lines_scatter(const xl_sort_in from, xl_place begin, xl_place end,
                                 const xl_sort_out to, xl_place n, const xl_digit digit,
                                 const uint way, const xl_place *starts, const bool first,
                                 const bool streams)
{
    const uint skew = xl_lines_skew(to);
    xl_lines lines;
    for (uint d = 0; d < XL_DIGITS; ++d)
        lines.first[d] = lines.next[d] = starts[d] + skew;
    if (streams && xl_lines_stream(to, n, skew))
        xl_lines_fill(&lines, from, begin, end, to, n, skew, digit, way, first, true);
    else
        xl_lines_fill(&lines, from, begin, end, to, n, skew, digit, way, first, false);
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const xl_place stop = lines.next[d], left = min(stop % XL_LINE, stop - lines.first[d]);
        xl_line_store_some(&lines, &to, n, skew, d, stop - left, stop);
    }
}

/* ---- by buckets ------------------------------------------------------------------------------ */

bool xl_has_buckets(const xl_radix *radix)
{
    return XL_RADIX_BUCKETS && radix->state->has_buckets == 1;
}

/* After the counts: the bucket of each step. */
__global uchar *xl_bucket_table(const xl_radix *radix, uint chunks)
{
    return (__global uchar *)(radix->counts + chunks * XL_DIGITS);
}

xl_digit xl_bucket_digit(const xl_radix *radix, uint chunks)
{
    const xl_digit digit = {(XL_ORDINAL)radix->state->bucket_first, radix->state->bucket_shift,
                            radix->state->is_even ? XL_DIGITS - 1 : XL_STEPS - 1,
                            xl_bucket_table(radix, chunks)};
    return digit;
}

/* Whether each bucket is one step. */
bool xl_is_even(const xl_digit *digit)
{
    return digit->last < XL_DIGITS;
}

/* Where key number k of a sample of 2^log is. Distances vary, because keys may be periodic. */
xl_place xl_sample_at(uint k, uint log, xl_place n)
{
    const uint at = (k << (32 - log)) + (k * 0x9e3779b9u >> log); /* in units of n / 2^32 */
    return xl_first_place() + mul_hi((xl_place)at << (8 * sizeof(xl_place) - 32), n);
}

/* The range of most keys, in 256 steps. The first and last of a few sample keys are left out, so a
 * few outliers do no harm; a margin is added, so that evenly spread keys are inside. */
xl_digit xl_sample_between(const xl_radix *radix, xl_place n)
{
    enum { LOG = 7, SAMPLE = 1 << LOG, MORE = 32 };
    XL_ORDINAL sample[SAMPLE];
    for (uint k = 0; k < SAMPLE; ++k) {
        const XL_ORDINAL key = xl_key_map(radix->in.keys[xl_sample_at(k, LOG, n)]);
        uint i = k;
        for (; i > 0 && sample[i - 1] > key; --i)
            sample[i] = sample[i - 1];
        sample[i] = key;
    }
    const XL_ORDINAL first = sample[1], last = sample[SAMPLE - 2], more = (last - first) / MORE;
    const XL_ORDINAL greatest = XL_KEY_ONES;
    return xl_digit_between(first - min(first, more), last + min(greatest - last, more));
}

/* If no step of this range has three times its share of a larger sample, each bucket is a step.
 * Otherwise each step is divided into 64, and adjacent ones are joined to buckets with about the
 * same number of keys: normally distributed floating-point keys in 256 equal steps took half as
 * long again. */
__kernel XL_REQUIRED void xl_radix_sample(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    enum { FINER = 6, MOST_LOG = 13, KEYS_LOG = 4 };
    const uint log = clamp(xl_bit_length(n), KEYS_LOG + 1u, KEYS_LOG + (uint)MOST_LOG) - KEYS_LOG;
    xl_digit digit = xl_sample_between(&radix, n);
    const uint finer = min(digit.shift, (uint)FINER);
    uint count[XL_STEPS] = {0}, greatest = 0;
    digit.shift -= finer;
    digit.last = XL_STEPS - 1;
    for (uint k = 0; k < 1u << log; ++k)
        ++count[xl_digit_of(digit, xl_key_map(radix.in.keys[xl_sample_at(k, log, n)]), XL_BY_STEP)];
    for (uint d = 0; d < XL_DIGITS; ++d) {
        uint sum = 0;
        for (uint i = 0; i < 1u << finer; ++i)
            sum += count[(d << finer) + i];
        greatest = max(greatest, sum);
    }
    const bool even = greatest <= 3u << log >> XL_DIGIT_BITS;
    __global uchar *const table = xl_bucket_table(&radix, chunks);
    uint sum = 0;
    for (uint i = 0; i < XL_STEPS && !even; ++i) {
        table[i] = (uchar)(min(sum, (1u << log) - 1u) << XL_DIGIT_BITS >> log);
        sum += count[i];
    }
    radix.state->is_even = even;
    radix.state->bucket_first = digit.first;
    radix.state->bucket_shift = digit.shift + (even ? finer : 0);
}

__kernel XL_REQUIRED void xl_radix_bucket_count(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    xl_place counts[XL_DIGITS];
    const uint count = (uint)(radix.end - radix.begin);
    const __global XL_KEY *const keys = radix.in.keys + radix.begin;
    const xl_digit digit = xl_bucket_digit(&radix, chunks);
    if (xl_is_even(&digit))
        xl_digits_count(keys, count, digit, XL_BY_STEP, true, counts);
    else
        xl_digits_count(keys, count, digit, XL_BY_TABLE, true, counts);
    for (uint d = 0; d < XL_DIGITS; ++d)
        radix.counts[get_group_id(0) * XL_DIGITS + d] = counts[d];
}

/* Replaces the counts of all chunks by places: by digit, and within a digit by chunk. Returns the
 * number of elements of the largest digit. */
xl_place xl_counts_to_starts(const xl_radix *radix, uint chunks)
{
    xl_place sum = xl_first_place(), greatest = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const xl_place start = sum;
        for (uint k = 0; k < chunks; ++k) {
            const xl_place count = radix->counts[k * XL_DIGITS + d];
            radix->counts[k * XL_DIGITS + d] = sum;
            sum += count;
        }
        greatest = max(greatest, sum - start);
    }
    return greatest;
}

/* `most`: elements of a bucket that one work-item may sort while others are idle. */
__kernel XL_REQUIRED void xl_radix_bucket_starts(uint most, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    radix.state->has_buckets = xl_counts_to_starts(&radix, chunks) <= most;
}

/* Where the first element of each digit of a chunk goes. */
void xl_starts_load(const xl_radix *radix, uint chunk, xl_place *starts)
{
    for (uint d = 0; d < XL_DIGITS; ++d)
        starts[d] = radix->counts[chunk * XL_DIGITS + d];
}

__attribute__((noinline)) void xl_bucket_scatter(const xl_radix *radix, xl_place end, uint chunk,
                                                 uint chunks)
{
    xl_place starts[XL_DIGITS];
    xl_starts_load(radix, chunk, starts);
    const xl_digit digit = xl_bucket_digit(radix, chunks);
    if (xl_is_even(&digit))
        xl_lines_scatter(radix->in, radix->begin, radix->end, radix->spare, end, digit, XL_BY_STEP,
                         starts, true, true);
    else
        xl_lines_scatter(radix->in, radix->begin, radix->end, radix->spare, end, digit, XL_BY_TABLE,
                         starts, true, true);
}

__kernel XL_REQUIRED void xl_radix_bucket_scatter(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (xl_has_buckets(&radix))
        xl_bucket_scatter(&radix, xl_first_place() + n, (uint)get_group_id(0), chunks);
}

xl_sort_in xl_sort_read(const xl_sort_out arrays)
{
    xl_sort_in in;
    in.keys = arrays.keys;
#if XL_SORT_VALUES
    in.values = arrays.values;
#endif
    return in;
}

/* Divides a long bucket again, from `spare` to `out`, by the range of its keys. starts[d]: where
 * part d begins; the last one: where the last part ends. */
void xl_bucket_split(const xl_sort_out spare, const xl_sort_out out, uint n, xl_place *starts)
{
    XL_ORDINAL first = spare.keys[0], last = first;
    for (uint i = 1; i < n; ++i) {
        const XL_ORDINAL key = spare.keys[i];
        first = min(first, key);
        last = max(last, key);
    }
    const xl_digit digit = xl_digit_between(first, last);
    xl_digits_count(spare.keys, n, digit, XL_BY_STEP, false, starts);
    uint sum = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const uint count = (uint)starts[d];
        starts[d] = sum;
        sum += count;
    }
    starts[XL_DIGITS] = n;
    xl_lines_scatter(xl_sort_read(spare), 0, n, out, n, digit, XL_BY_STEP, starts, false, false);
}

/* Each work-item sorts a bucket. `most`: elements of a bucket that is not divided again. */
__kernel XL_REQUIRED void xl_radix_buckets(uint most, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (!xl_has_buckets(&radix))
        return;
    const uint bucket = (uint)get_group_id(0);
    const xl_place all = xl_first_place() + n, begin = min(radix.counts[bucket], all);
    const xl_place end = bucket + 1 < XL_DIGITS ? min(radix.counts[bucket + 1], all) : all;
    if (begin >= end)
        return;
    const xl_sort_out spare = xl_sort_from(radix.spare, begin),
                      out = xl_sort_from(radix.out, begin);
    const uint count = (uint)(end - begin);
    const bool is_long = count > most;
    xl_place starts[XL_DIGITS + 1] = {0};
    if (is_long)
        xl_bucket_split(spare, out, count, starts);
    starts[is_long ? XL_DIGITS : 1] = count;
    for (uint d = 0; d < (is_long ? XL_DIGITS : 1); ++d) {
        const uint at = min((uint)starts[d], count), next = min((uint)starts[d + 1], count);
        const xl_sort_out to = xl_sort_from(out, at), other = xl_sort_from(spare, at);
        xl_run_sort(is_long ? to : other, to, other, next - min(at, next));
    }
}

__kernel XL_REQUIRED void xl_radix_alone(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const xl_place begin = xl_first_place();
    for (xl_place i = begin; i < begin + n; ++i)
        radix.spare.keys[i] = xl_key_map(radix.in.keys[i]);
#if XL_SORT_VALUES
    for (xl_place i = begin; i < begin + n; ++i)
        radix.spare.values[i] = xl_radix_value(radix.in, i, true);
#endif
    const xl_sort_out spare = xl_sort_from(radix.spare, begin);
    xl_run_sort(spare, xl_sort_from(radix.out, begin), spare, (uint)n);
}

/* ---- by all digits --------------------------------------------------------------------------- */

__kernel XL_REQUIRED void xl_radix_bits(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (xl_has_buckets(&radix))
        return;
    const __global XL_KEY *const keys = radix.in.keys;
    const XL_ORDINAL first = xl_key_map(keys[xl_first_place()]);
    XL_ORDINAL bits = 0;
    for (xl_place i = radix.begin; i < radix.end; ++i)
        bits |= xl_key_map(keys[i]) ^ first;
    radix.bits[get_group_id(0)] = bits;
}

__kernel XL_REQUIRED void xl_radix_begin(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    ulong bits = 0;
    for (uint k = 0; k < chunks && !xl_has_buckets(&radix); ++k)
        bits |= radix.bits[k];
    xl_passes_find(&radix, bits);
}

/* The digit of a pass. */
xl_digit xl_pass_digit(const xl_radix *radix, uint pass)
{
    const uint bits = min(radix->state->bits[pass], (uint)XL_DIGIT_BITS);
    const xl_digit digit = {0, radix->state->shift[pass], (1u << bits) - 1u, 0};
    return digit;
}

__kernel XL_REQUIRED void xl_radix_count(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    xl_place counts[XL_DIGITS];
    xl_digits_count(xl_radix_source(&radix, pass, radix.state->passes).keys + radix.begin,
                    (uint)(radix.end - radix.begin), xl_pass_digit(&radix, pass), XL_BY_BITS, false,
                    counts);
    for (uint d = 0; d < XL_DIGITS; ++d)
        radix.counts[get_group_id(0) * XL_DIGITS + d] = counts[d];
}

__kernel XL_REQUIRED void xl_radix_offsets(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass < radix.state->passes)
        (void)xl_counts_to_starts(&radix, chunks);
}

__attribute__((noinline)) void xl_pass_scatter(const xl_radix *radix, xl_place end, uint chunk,
                                               uint pass)
{
    xl_place starts[XL_DIGITS];
    xl_starts_load(radix, chunk, starts);
    xl_sort_out to = xl_radix_target(radix, pass, radix->state->passes);
#if XL_SORT_VALUES == 2
    if (pass + 1 == radix->state->passes)
        to.keys = 0;
#endif
    xl_lines_scatter(xl_radix_source(radix, pass, radix->state->passes), radix->begin, radix->end,
                     to, end, xl_pass_digit(radix, pass), XL_BY_BITS, starts, pass == 0, true);
}

__kernel XL_REQUIRED void xl_radix_scatter(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass < radix.state->passes)
        xl_pass_scatter(&radix, xl_first_place() + n, (uint)get_group_id(0), pass);
}

__kernel XL_REQUIRED void xl_radix_end(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const uint passes = radix.state->passes;
    if (xl_has_buckets(&radix) || (passes > 0 && !xl_radix_to_spare(&radix, passes - 1, passes)))
        return;
    const xl_sort_in from = xl_radix_source(&radix, passes, passes);
    for (xl_place i = radix.begin; i < radix.end; ++i) {
        if (!xl_values_only())
            radix.out.keys[i] = from.keys[i];
#if XL_SORT_VALUES
        radix.out.values[i] = xl_radix_value(from, i, passes == 0);
#endif
    }
}
