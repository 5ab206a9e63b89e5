/* SPDX-License-Identifier: MIT
 * Scan of a tile by one work-item, for devices whose work-items run one after another on a core.
 * The reduction (cl/tile/tile_serial.cl) brings the tile into the cache, and the scan reads it from
 * there. Built-in scalars with a built-in operator are scanned in wide vectors (XL_BY_VECTORS),
 * everything else element by element. */
#ifndef XL_SCAN_SERIAL
#define XL_SCAN_SERIAL

#include "../tile/tile_serial.cl"

/* Scans element i; `head`: it begins a segment. Returns the carry after it. */
XL_T xl_serial_step(const xl_input *input, __global XL_OUT *out, ulong i, bool head, XL_T carry)
{
    const XL_T x = xl_input_accumulator(input, input->in[i], i, head), next = xl_op(carry, x);
    out[i] = xl_result_store(input, xl_element_of(xl_result(input, carry, x, next)), i);
    return next;
}

XL_T xl_serial_scan_few(const xl_input *input, __global XL_OUT *out, ulong base, ulong end,
                        XL_T carry)
{
    for (; base < end; ++base)
        carry = xl_serial_step(input, out, base, xl_heads(input, base, 1) & 1, carry);
    return carry;
}

/* Scans `count` elements from `base` on, starting with `carry`; returns the carry after them.
 * `stream`: results will leave the cache before they are read, so vectors are written past it,
 * which avoids reading the lines that they overwrite. `next_tile`: the distance in elements to the
 * tile that is reduced next; it is prefetched. Works in place. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, ulong next_tile)
{
    const ulong end = base + count;
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
    carry = xl_serial_scan_few(input, out, base, base + few, carry);
    xl_wide before = (xl_wide)(xl_element_of(carry));
    for (base += few; base + xl_wide_size <= end; base += xl_wide_size) {
        xl_prefetch(in + base + next_tile);
#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
        xl_prefetch(input->segments + base + next_tile);
#endif
        const xl_wide x = xl_wide_load(in + base);
#if XL_SEGMENTS == 0
        const xl_wide y = xl_wide_scan(input, x, &before);
#else
        bool some;
        const xl_marks heads = xl_wide_heads(input, base, &some);
        const xl_wide y = some ? xl_wide_scan(input, x, heads, &before)
                               : xl_wide_scan(input, x, (xl_marks)(0), &before);
#endif
        xl_wide_store(y, to + base, stream);
    }
    /* The head flag of a left operand has no effect. */
    carry = xl_accumulator_of(before.s0, true);
#endif
    return xl_serial_scan_few(input, out, base, end, carry);
}

#endif
