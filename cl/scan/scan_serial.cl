/* SPDX-License-Identifier: MIT
 * Scan of a tile by one work-item, for devices whose work-items run one after another on a core.
 * The reduction (cl/tile/tile_serial.cl) brings the tile into the cache, and the scan reads it from
 * there. Built-in scalars with a built-in operator are scanned in wide vectors (XL_BY_VECTORS),
 * everything else element by element. In that case CSR offsets are handled segment by segment,
 * without a test of each element: a sum by a caller's operator of 2^24 u32 in segments of 1000
 * takes 11 ms on two cores; by key it takes 23 (PoCL 3.1, AMD EPYC with AVX2). */
#ifndef XL_SCAN_SERIAL
#define XL_SCAN_SERIAL

#include "../tile/tile_serial.cl"
#if XL_SEGMENTS == 4 && XL_BY_VECTORS
#include "scan_cursor.cl"
#endif

/* Scans element i; `head`: it begins a segment. Returns the carry after it. */
XL_T xl_serial_step(const xl_input *input, __global XL_OUT *out, ulong i, bool head, XL_T carry)
{
    const XL_T x = xl_input_accumulator(input, input->in[i], i, head), next = xl_op(carry, x);
    out[i] = xl_result_store(input, xl_element_of(xl_result(input, carry, x, next)), i);
    return next;
}

#if XL_SEGMENTS == 4 && !XL_BY_VECTORS
/* Reads an offset only where a segment begins that has elements. Offsets of empty segments are
 * skipped in leaps, because some devices limit the rounds of loops. Otherwise like the function
 * below. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, ulong next_tile)
{
    const __global XL_SEG *const offsets = input->segments;
    const ulong end = base + count;
    ulong next = xl_offset_search(offsets, input->count, base, 0);
    ulong begin = base == 0 && xl_first_begins(input) ? 0
                  : next < input->count               ? offsets[next]
                                                      : end;
    while (base < end) {
        const ulong stop = min(begin, end);
        XL_IN_ORDER
        for (; base < stop; ++base)
            carry = xl_serial_step(input, out, base, false, carry);
        if (base == end)
            break;
        carry = xl_serial_step(input, out, base++, true, carry);
        next = xl_offset_pass(offsets, input->count, next, base);
        begin = next < input->count ? offsets[next] : end;
    }
    return carry;
}
#else
#if XL_SEGMENTS == 4
#define XL_SERIAL_HEAD(input, cursor, i) xl_cursor_head((input), (cursor), (i))
#else
typedef uint xl_cursor; /* unused: flags, bits, keys or a formula give the heads */
#define XL_SERIAL_HEAD(input, cursor, i) (xl_heads((input), (i), 1) & 1)
#endif

XL_T xl_serial_scan_few(const xl_input *input, __global XL_OUT *out, ulong base, ulong end,
                        xl_cursor *cursor, XL_T carry)
{
    for (; base < end; ++base)
        carry = xl_serial_step(input, out, base, XL_SERIAL_HEAD(input, cursor, base), carry);
    return carry;
}

#if XL_BY_VECTORS
/* The results of the vector x, which begins with element i. `before`: the carry, in each component;
 * it becomes the carry after x. */
__attribute__((always_inline)) xl_wide xl_serial_vector(const xl_input *input, xl_wide x, ulong i,
                                                        xl_cursor *cursor, xl_wide *before)
{
#if XL_SEGMENTS == 0
    return xl_wide_scan(input, x, before);
#elif XL_SEGMENTS == 4
    bool some;
    const xl_marks heads = xl_cursor_marks(input, cursor, i, &some);
    return some ? xl_wide_scan(input, x, heads, before)
                : xl_wide_scan(input, x, (xl_marks)(0), before);
#else
    return xl_wide_scan(input, x, xl_wide_heads(input, i), before);
#endif
}
#endif

/* Scans `count` elements from `base` on, starting with `carry`; returns the carry after them.
 * `stream`: results will leave the cache before they are read, so vectors are written past it,
 * which avoids reading the lines that they overwrite. `next_tile`: the distance in elements to the
 * tile that is reduced next; it is prefetched. Works in place. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, ulong next_tile)
{
    const ulong end = base + count;
    xl_cursor cursor;
#if XL_SEGMENTS == 4
    xl_cursor_start(input, &cursor, base);
#endif
#if XL_BY_VECTORS
    const __global XL_E *const in = (const __global XL_E *)input->in;
    __global XL_E *const to = (__global XL_E *)out;
    const ulong past = ((size_t)(to + base) % sizeof(xl_wide)) / sizeof(XL_E);
#if XL_SEGMENTS == 0
    /* Such stores need whole, aligned lines. If the vectors began at the first line of `out`, the
     * address of `out` would change the order of operands; an ordered scan must not do that. */
    stream = stream && (!XL_ORDERED || past == 0);
    const ulong few = stream && past > 0 ? min(count, xl_wide_size - past) : 0;
#else
    const ulong few = min(count, (xl_wide_size - base % xl_wide_size) % xl_wide_size);
    stream = stream && (past + few) % xl_wide_size == 0;
#endif
    carry = xl_serial_scan_few(input, out, base, base + few, &cursor, carry);
    xl_wide before = (xl_wide)(xl_element_of(carry));
    for (base += few; base + xl_wide_size <= end; base += xl_wide_size) {
        xl_prefetch(in + base + next_tile);
#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
        xl_prefetch(input->segments + base + next_tile);
#endif
        const xl_wide y = xl_serial_vector(input, xl_wide_load(in + base), base, &cursor, &before);
        xl_wide_store(y, to + base, stream);
    }
    /* The head flag of a left operand has no effect. */
    carry = xl_accumulator_of(before.s0, true);
#endif
    return xl_serial_scan_few(input, out, base, end, &cursor, carry);
}
#endif

#endif
