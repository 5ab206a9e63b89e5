/* SPDX-License-Identifier: MIT
 * A radix sort's kernels where a work-item walks a chunk by itself. What goes to one digit is
 * collected in a line of the cache before it is stored (Wassenberg and Sanders, "Engineering a
 * multi-core radix sort", Euro-Par 2011). */
#include "radix_passes.cl"

/* Keys of a line of the cache, of 64 bytes, or of 16 elements of fewer. */
#if XL_KEY_BYTES == 8
#define XL_LINE 8
#else
#define XL_LINE 16
#endif

/* Lines that nobody reads soon need not come into the cache. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define XL_LINE_STREAM(x, p) __builtin_nontemporal_store((x), (__global xl_key_line *)(p))
#endif
#endif
typedef XL_JOIN(XL_KEY, XL_LINE) xl_key_line;
#ifndef XL_LINE_STREAM
#define XL_LINE_STREAM(x, p) XL_JOIN(vstore, XL_LINE)((x), 0, (p))
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(1, 1, 1)))

__kernel XL_REQUIRED void xl_radix_bits(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const __global XL_KEY *const keys = radix.in.keys;
    const XL_ORDINAL first = xl_key_map(keys[0]);
    XL_ORDINAL bits = 0;
    for (uint i = radix.begin; i < radix.end; ++i)
        bits |= xl_key_map(keys[i]) ^ first;
    radix.bits[get_group_id(0)] = bits;
}

__kernel XL_REQUIRED void xl_radix_begin(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    ulong bits = 0;
    for (uint k = 0; k < chunks; ++k)
        bits |= radix.bits[k];
    xl_passes_find(&radix, bits);
}

__kernel XL_REQUIRED void xl_radix_count(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    const __global XL_KEY *const keys = xl_radix_source(&radix, pass).keys;
    const uint shift = radix.state->shift[pass], mask = xl_radix_mask(&radix, pass);
    __global uint *const counts = radix.counts + get_group_id(0) * XL_DIGITS;
    /* Four counters of each digit: neighbours that are equal do not wait for each other. */
    uint count[4 * XL_DIGITS];
    for (uint k = 0; k < 4 * XL_DIGITS; ++k)
        count[k] = 0;
    uint i = radix.begin;
    for (; radix.end - i >= 4; i += 4) {
        ++count[xl_radix_digit(keys[i], shift, mask)];
        ++count[XL_DIGITS + xl_radix_digit(keys[i + 1], shift, mask)];
        ++count[2 * XL_DIGITS + xl_radix_digit(keys[i + 2], shift, mask)];
        ++count[3 * XL_DIGITS + xl_radix_digit(keys[i + 3], shift, mask)];
    }
    for (; i < radix.end; ++i)
        ++count[xl_radix_digit(keys[i], shift, mask)];
    for (uint d = 0; d < XL_DIGITS; ++d)
        counts[d] =
            count[d] + count[XL_DIGITS + d] + count[2 * XL_DIGITS + d] + count[3 * XL_DIGITS + d];
}

__kernel XL_REQUIRED void xl_radix_offsets(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    uint sum = 0;
    for (uint d = 0; d < XL_DIGITS; ++d) {
        for (uint k = 0; k < chunks; ++k) {
            const uint count = radix.counts[k * XL_DIGITS + d];
            radix.counts[k * XL_DIGITS + d] = sum;
            sum += count;
        }
    }
}

/* What a chunk has of each digit on its way. Places are counted from `skew` elements before the
 * target on, where a line of memory begins. They may wrap past 2^32: only distances count. */
typedef struct xl_radix_lines {
    XL_KEY keys[XL_DIGITS * XL_LINE] __attribute__((aligned(64)));
#if XL_SORT_VALUES
    uint values[XL_DIGITS * XL_LINE] __attribute__((aligned(64)));
#endif
    uint first[XL_DIGITS], next[XL_DIGITS];
} xl_radix_lines;

/* Stores elements from place `begin` to before `end` of digit d, which are in its line. Those past
 * the array were counted as something else. */
void xl_line_store_some(const xl_radix_lines *lines, const xl_sort_out *to, uint n, uint skew,
                        uint d, uint begin, uint end)
{
    for (uint p = begin; p != end; ++p) {
        if (p - skew >= n)
            continue;
        to->keys[p - skew] = lines->keys[d * XL_LINE + p % XL_LINE];
#if XL_SORT_VALUES
        to->values[p - skew] = lines->values[d * XL_LINE + p % XL_LINE];
#endif
    }
}

/* Stores the line of digit d, which ends before place `end`: a chunk's first may begin late. */
void xl_line_store(const xl_radix_lines *lines, const xl_sort_out *to, uint n, uint skew, uint d,
                   uint end)
{
    const uint length = min(end - lines->first[d], (uint)XL_LINE), at = end - XL_LINE - skew;
    if (length < XL_LINE || n < XL_LINE || at > n - XL_LINE) {
        xl_line_store_some(lines, to, n, skew, d, end - length, end);
        return;
    }
    XL_LINE_STREAM(XL_JOIN(vload, XL_LINE)(0, lines->keys + d * XL_LINE), to->keys + at);
#if XL_SORT_VALUES
    XL_JOIN(vstore, XL_LINE)
    (XL_JOIN(vload, XL_LINE)(0, lines->values + d * XL_LINE), 0, to->values + at);
#endif
}

__kernel XL_REQUIRED void xl_radix_scatter(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    if (pass >= radix.state->passes)
        return;
    const xl_sort_in from = xl_radix_source(&radix, pass);
    const xl_sort_out to = xl_radix_target(&radix, pass);
    const uint shift = radix.state->shift[pass], mask = xl_radix_mask(&radix, pass);
    const uint skew = (uint)((size_t)to.keys / sizeof(XL_KEY)) % XL_LINE;
    const __global uint *const offsets = radix.counts + get_group_id(0) * XL_DIGITS;
    xl_radix_lines lines;
    for (uint d = 0; d < XL_DIGITS; ++d)
        lines.first[d] = lines.next[d] = offsets[d] + skew;
    for (uint i = radix.begin; i < radix.end; ++i) {
        const XL_KEY raw = from.keys[i];
        const uint d = xl_radix_digit(raw, shift, mask), p = lines.next[d];
        lines.keys[d * XL_LINE + p % XL_LINE] = raw;
#if XL_SORT_VALUES
        lines.values[d * XL_LINE + p % XL_LINE] = xl_sort_value(from, i, pass == 0);
#endif
        lines.next[d] = p + 1;
        if ((p + 1) % XL_LINE == 0)
            xl_line_store(&lines, &to, n, skew, d, p + 1);
    }
    for (uint d = 0; d < XL_DIGITS; ++d) {
        const uint end = lines.next[d], left = min(end % XL_LINE, end - lines.first[d]);
        xl_line_store_some(&lines, &to, n, skew, d, end - left, end);
    }
}

__kernel XL_REQUIRED void xl_radix_end(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const uint passes = radix.state->passes;
    if (passes > 0 && !xl_radix_to_spare(&radix, passes - 1, passes))
        return;
    const xl_sort_in from = xl_radix_source(&radix, passes);
    for (uint i = radix.begin; i < radix.end; ++i) {
        radix.out.keys[i] = from.keys[i];
#if XL_SORT_VALUES
        radix.out.values[i] = xl_sort_value(from, i, passes == 0);
#endif
    }
}
