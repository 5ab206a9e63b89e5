/* SPDX-License-Identifier: MIT
 * One work-item sorts elements that fit into its cache: stable, by digits of up to 12 bits, least
 * significant first. Keys are ordinals and are mapped back at the end, because mapping
 * floating-point keys at each read took a fifth of the sort. If keys have many more bits than are
 * needed to tell n keys apart, the lower bits seldom decide: the sort uses the upper bits, and an
 * insertion sort does the rest. Descending keys are reversed: by digits they took half as long
 * again as random ones, because the places that neighbours go to share few sets of the first-level
 * cache. If keys are not an output, the last pass does not write them.
 * If another kernel changes the keys concurrently, their order is unspecified, but nothing is
 * written outside the arrays. */
#ifndef XL_RADIX_RUN
#define XL_RADIX_RUN

#include "radix_passes.cl"

#define XL_RUN_DIGIT_BITS 12
#define XL_RUN_SHORT 32 /* this many elements or fewer are sorted by insertion */

/* The arrays from place `begin` on. */
xl_sort_out xl_sort_from(const xl_sort_out all, xl_place begin)
{
    xl_sort_out part;
    part.keys = all.keys + begin;
#if XL_SORT_VALUES
    part.values = all.values + begin;
#endif
    return part;
}

/* `with_keys`: false: only values are copied. */
void xl_run_copy(const xl_sort_out from, const xl_sort_out to, uint begin, uint n,
                 const bool with_keys)
{
    if (from.keys == to.keys)
        return;
    if (with_keys)
        for (uint i = begin; i < n; ++i)
            to.keys[i] = from.keys[i];
#if XL_SORT_VALUES
    for (uint i = begin; i < n; ++i)
        to.values[i] = from.values[i];
#endif
}

/* Reverses `from` into `to`, which may be the same. */
void xl_run_reverse(const xl_sort_out from, const xl_sort_out to, uint n)
{
    for (uint i = 0; i < n - n / 2; ++i) {
        const XL_KEY first = from.keys[i], last = from.keys[n - 1 - i];
        if (!xl_values_only()) {
            to.keys[i] = last;
            to.keys[n - 1 - i] = first;
        }
#if XL_SORT_VALUES
        const xl_value first_value = from.values[i], last_value = from.values[n - 1 - i];
        to.values[i] = last_value;
        to.values[n - 1 - i] = first_value;
#endif
    }
}

/* The bits in which n > 0 keys differ; whether a key is below its predecessor, and whether one is
 * not. */
typedef struct xl_run_keys {
    XL_ORDINAL bits, falls, rises;
} xl_run_keys;

xl_run_keys xl_run_look(const __global XL_KEY *keys, uint n)
{
    const XL_ORDINAL first = keys[0];
    xl_run_keys all = {0, 0, 0};
    for (uint i = 1; i < n; ++i) {
        const XL_ORDINAL key = keys[i], before = keys[i - 1];
        all.bits |= key ^ first;
        all.falls |= (XL_ORDINAL)(key < before);
        all.rises |= (XL_ORDINAL)(key >= before);
    }
    return all;
}

uint xl_run_digit(XL_ORDINAL key, uint shift, uint mask)
{
    return (uint)(key >> shift) & mask;
}

/* A pass by one digit. If keys changed after they were counted, some may have no place. `is_last`:
 * keys are not read again, except as the output. */
void xl_run_pass(const xl_sort_out from, const xl_sort_out to, uint n, uint shift, uint width,
                 bool is_last)
{
    const uint mask = (1u << width) - 1;
    uint next[1 << XL_RUN_DIGIT_BITS];
    for (uint d = 0; d <= mask; ++d)
        next[d] = 0;
    /* Counts from four places on, because equal neighbours would wait for each other. */
    const uint quarter = n / 4;
    for (uint i = 0; i < quarter; ++i) {
        ++next[xl_run_digit(from.keys[i], shift, mask)];
        ++next[xl_run_digit(from.keys[quarter + i], shift, mask)];
        ++next[xl_run_digit(from.keys[2 * quarter + i], shift, mask)];
        ++next[xl_run_digit(from.keys[3 * quarter + i], shift, mask)];
    }
    for (uint i = 4 * quarter; i < n; ++i)
        ++next[xl_run_digit(from.keys[i], shift, mask)];
    uint sum = 0;
    for (uint d = 0; d <= mask; ++d) {
        const uint count = next[d];
        next[d] = sum;
        sum += count;
    }
#pragma unroll 4
    for (uint i = 0; i < n; ++i) {
        const XL_KEY key = from.keys[i];
        const uint at = next[xl_run_digit(key, shift, mask)]++;
        if (at < n) {
            if (!(xl_values_only() && is_last))
                to.keys[at] = key;
#if XL_SORT_VALUES
            to.values[at] = from.values[i];
#endif
        }
    }
}

/* Insertion sort of `from` into `to`, which may be the same. Gives up after more than `most` moves:
 * `to` then has all elements, and equal ones are still in order. */
bool xl_run_insert(const xl_sort_out from, const xl_sort_out to, uint n, uint most)
{
    XL_KEY last = 0;
    uint moves = 0;
    for (uint i = 0; i < n; ++i) {
        const XL_KEY key = from.keys[i];
#if XL_SORT_VALUES
        const xl_value value = from.values[i];
#endif
        uint at = i;
        if (key < last) {
            for (; at > 0 && to.keys[at - 1] > key; --at) {
                to.keys[at] = to.keys[at - 1];
#if XL_SORT_VALUES
                to.values[at] = to.values[at - 1];
#endif
            }
            moves += i - at;
        } else {
            last = key;
        }
        to.keys[at] = key;
#if XL_SORT_VALUES
        to.values[at] = value;
#endif
        if (moves > most) {
            xl_run_copy(from, to, i + 1, n, true);
            return false;
        }
    }
    return true;
}

/* The lowest bit to sort n keys by, if their bits differ below bit `end`: the bits above it must
 * distinguish most of the keys. 0: all bits. */
uint xl_run_lowest(uint n, uint end)
{
    const uint enough = n <= XL_RUN_SHORT                              ? 0
                        : n >= 1 << 14 && end <= 2 * XL_RUN_DIGIT_BITS ? end
                                                                       : xl_bit_length(n) + 5;
    return min(end - min(end, enough), 63u); /* shift counts must be below 64 */
}

/* Sorts n elements of `from` into `to`. One of the two must be `spare`, which is also written. */
void xl_run_sort_ordinals(const xl_sort_out from, const xl_sort_out to, const xl_sort_out spare,
                          uint n)
{
    if (n == 0)
        return;
    const xl_run_keys keys = xl_run_look(from.keys, n);
    if (keys.falls != 0 && keys.rises == 0) {
        xl_run_reverse(from, to, n);
        return;
    }
    const ulong bits = keys.falls != 0 ? keys.bits : 0;
    const uint end = xl_bit_length(bits);
    uint low = xl_run_lowest(n, end);
    /* With as many counters as elements, the counters would take longer than the elements. */
    const uint widest = clamp(xl_bit_length(n), 6u, (uint)XL_RUN_DIGIT_BITS + 2) - 2;
    xl_sort_out now = from;
    for (;; low = 0) {
        const uint passes = (end - low + widest - 1) / widest;
        const uint width = (end - low + passes - 1) / max(passes, 1u);
        low = min(low, end - min(end, passes * width));        /* more bits at no cost */
        const bool decides = (bits & ((1ul << low) - 1)) == 0; /* no lower bit differs */
        ulong left = bits >> low << low;
        while (left != 0) {
            const uint shift = (uint)popcount((left & (0 - left)) - 1);
            const xl_sort_out next = now.keys == to.keys ? spare : to;
            left = left >> shift >> width << width << shift;
            xl_run_pass(now, next, n, shift, width, decides && left == 0);
            now = next;
        }
        if (decides)
            xl_run_copy(now, to, 0, n, !xl_values_only());
        else if (!xl_run_insert(now, to, n, n <= XL_RUN_SHORT ? n * n : n)) {
            now = to;
            continue;
        }
        return;
    }
}

/* The same, and maps the keys back. */
void xl_run_sort(const xl_sort_out from, const xl_sort_out to, const xl_sort_out spare, uint n)
{
    xl_run_sort_ordinals(from, to, spare, n);
    if (xl_values_only())
        return;
    for (uint i = 0; i < n && XL_KEY_IS_MAPPED; ++i)
        to.keys[i] = xl_key_unmap(to.keys[i]);
}

#endif
