/* SPDX-License-Identifier: MIT
 * How scan_pipelined.cl holds the tile that it scans, between load and store.
 *
 * Packed (XL_PACKED 1 or 2), if elements are narrower than a register: as the vectors that were
 * loaded, each with its prefix in the sub-tile. The store scans them again, from that prefix on.
 * With a register per element, a tile would have a quarter of the bytes, and u8 at 2^28 then took
 * .280 ms on an H200, .46 of a copy.
 * Otherwise: as scanned accumulators, which the store combines with the prefix of the tile.
 *
 * Elements after the last one have arbitrary values: their results are not stored, and built-in
 * operators accept any value. */
#ifndef XL_SCAN_PACKED
#define XL_SCAN_PACKED

#include "../tile/tile_stage.cl"
#include "scan_tile.cl"

#if XL_PACKED && (XL_SEGMENTS != 0 || XL_ACCUMULATOR != 0)
#error "XL_PACKED requires built-in scalars, a built-in operator and no segments"
#endif

#if XL_PACKED
typedef struct xl_items {
    xl_in_vec vector[XL_VECTORS];
    XL_T before[XL_VECTORS];
} xl_items;

void xl_items_load(xl_items *items, const xl_stage *stage, const xl_input *input, ulong base)
{
    const uint at = xl_tile_at(xl_sub_tile(), 0);
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row)
        items->vector[row] = *(const __local xl_in_vec *)(stage->in + at + row * xl_row_step());
}

void xl_items_unpack(const xl_items *items, const xl_input *input, uint row, XL_T *x)
{
    XL_IN in[XL_VLEN];
    xl_in_unpack(items->vector[row], in);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        x[v] = xl_input_accumulator(input, in[v], 0, false);
}

XL_T xl_items_reduce(const xl_items *items, const xl_input *input, uint row)
{
#if XL_PACKED == 2
    return (XL_T)xl_bytes_sum(items->vector[row]);
#else
    XL_T x[XL_VLEN];
    xl_items_unpack(items, input, row, x);
    return xl_vector_reduce(x, 0);
#endif
}

#if XL_PACKED == 2
/* The results of four bytes; *sum becomes the sum after them. */
uint xl_bytes_scan(uint bytes, uint *sum)
{
    const uint s0 = *sum, s1 = xl_dot4(bytes, 0x00000001u, s0),
               s2 = xl_dot4(bytes, 0x00000101u, s0);
    const uint s3 = xl_dot4(bytes, 0x00010101u, s0), s4 = xl_dot4(bytes, 0x01010101u, s0);
    *sum = s4;
#if XL_INCLUSIVE
    return (s1 & 0xff) | (s2 & 0xff) << 8 | (s3 & 0xff) << 16 | s4 << 24;
#else
    return (s0 & 0xff) | (s1 & 0xff) << 8 | (s2 & 0xff) << 16 | s3 << 24;
#endif
}
#endif

void xl_items_scan(xl_items *items, const xl_input *input)
{
    XL_T carry = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T all;
        const XL_T before = xl_lane_scan_total(xl_items_reduce(items, input, row), &all);
        items->before[row] = xl_op(carry, before);
        carry = xl_op(carry, all);
    }
}

/* The results of a vector, from its prefix on. */
void xl_items_results(const xl_items *items, const xl_input *input, uint row, XL_T carry, XL_OUT *y)
{
#if XL_PACKED == 2
    const uint4 w = as_uint4(items->vector[row]);
    uint sum = carry;
    uint4 bytes;
    bytes.x = xl_bytes_scan(w.x, &sum);
    bytes.y = xl_bytes_scan(w.y, &sum);
    bytes.z = xl_bytes_scan(w.z, &sum);
    bytes.w = xl_bytes_scan(w.w, &sum);
    xl_out_unpack(xl_words_as_out(bytes), y);
#else
    XL_T x[XL_VLEN];
    xl_items_unpack(items, input, row, x);
    xl_vector_scan(input, x, 0, carry);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        y[v] = xl_result_store(input, x[v], 0);
#endif
}

void xl_packed_store(const xl_items *items, const xl_input *input, __global XL_OUT *out,
                     ulong first, XL_T before, const uint mode)
{
    const uint step = xl_row_step();
    const ulong n = input->n;
    const uint skew = (uint)(size_t)(out + first) & 15u; /* of all rows */
    const uint count = first < n ? (uint)min(n - first, (ulong)(XL_VECTORS * step)) : 0;
    uint4 last = (uint4)(0);
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_OUT y[XL_VLEN];
        xl_items_results(items, input, row, xl_op(before, items->before[row]), y);
        xl_vector_store(out + first + row * step, skew, y, &last, row,
                        count > row * step ? count - row * step : 0, mode);
    }
}

void xl_items_store(const xl_items *items, const xl_input *input, __global XL_OUT *out, ulong base,
                    XL_T before)
{
    const ulong first = base + xl_tile_at(xl_sub_tile(), 0);
    const uint mode = xl_store_mode(out + base, input->n - base);
    if (mode == XL_STORE_ALIGNED) /* a constant mode in each call */
        xl_packed_store(items, input, out, first, before, XL_STORE_ALIGNED);
    else if (xl_shifts_stores && mode == XL_STORE_SHIFTED)
        xl_packed_store(items, input, out, first, before, XL_STORE_SHIFTED);
    else
        xl_packed_store(items, input, out, first, before, XL_STORE_SOME);
}
#else
typedef struct xl_items {
    XL_T value[XL_ITEMS];
} xl_items;

void xl_items_load(xl_items *items, const xl_stage *stage, const xl_input *input, ulong base)
{
    xl_staged_load(items->value, stage, input, base);
}

void xl_items_scan(xl_items *items, const xl_input *input)
{
    (void)xl_sub_tile_scan(input, items->value, (__local XL_T *)0);
}

void xl_items_store(xl_items *items, const xl_input *input, __global XL_OUT *out, ulong base,
                    XL_T before)
{
    xl_tile_store(items->value, input, out, base, before, true);
}
#endif

#endif
