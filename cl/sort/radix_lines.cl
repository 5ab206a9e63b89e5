/* SPDX-License-Identifier: MIT
 * Moves the keys of a chunk to the places of their digits, by one work-item. The elements of a
 * digit are collected in a buffer, a line, which stays in the cache and is stored when it is full
 * (Wassenberg and Sanders, "Engineering a multi-core radix sort", Euro-Par 2011). */
#ifndef XL_RADIX_LINES
#define XL_RADIX_LINES

#include "radix_passes.cl"

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

#endif
