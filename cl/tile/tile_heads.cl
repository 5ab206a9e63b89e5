/* SPDX-License-Identifier: MIT
 * Where segments begin:
 *
 *   xl_heads(input, i, k)      bits of k elements, from an array of flags, bits or keys, or from
 *                              width and mask
 *   xl_heads_word(input, i)    bits of 32 elements, from an array of bits, or from width and mask
 * Work-items that walk a tile use vectors of marks: cl/tile/tile_wide.cl. A launch before a
 * scan turns CSR offsets into bits (cl/scan/scan_heads.cl); reductions search in them
 * (cl/reduce/reduce_chunk.cl). */
#ifndef XL_TILE_HEADS
#define XL_TILE_HEADS

#include "tile_input.cl"

#if XL_SEGMENTS >= 5
/* Bit k: element k of 32 begins a segment; the first of the 32 is at place `at` of its period. */
uint xl_periodic_heads(const xl_input *input, ulong at)
{
    const ulong width = input->width;
    if (width > 64) {
        const ulong to_head = at == 0 ? 0 : width - at;
        return to_head < 32 ? 1u << to_head : 0u;
    }
    const ulong period = XL_SEGMENTS == 5 ? 1ul : input->mask | 1ul;
    const ulong mask = width < 64 ? period & ((1ul << width) - 1ul) : period;
    ulong bits = mask;
    if (width <= 32) { /* repeat it in 64 bits, of which at + 32 are needed */
        for (ulong filled = width; filled < 64; filled *= 2)
            bits |= bits << filled;
        bits >>= at;
    } else if (at > 0) {
        bits = mask >> at | mask << (width - at);
    }
    return (uint)bits;
}
#endif

#if XL_SEGMENTS == 2 || XL_SEGMENTS >= 5
/* Bit k: element i + k begins a segment, for 32 elements; i must be a multiple of 32, or of 16 for
 * width and mask. Element 0 has no bit unless the array, or the mask, says so. */
uint xl_heads_word(const xl_input *input, ulong i)
{
#if XL_SEGMENTS == 2
    return input->segments[i / 32];
#else
    return xl_periodic_heads(input, xl_index(input, i) % input->width);
#endif
}
#endif

#if XL_SEGMENTS == 3
/* The key before element i. For the first element of a later part it is the last key of the part
 * before. */
XL_SEG xl_key_before(const xl_input *input, ulong i)
{
#if XL_CARRY
    const bool some = i > 0 || input->continues;
#else
    const bool some = i > 0;
#endif
    return some ? input->segments[(long)i - 1] : input->segments[0];
}
#endif

/* Bit j: element i + j begins a segment, for j < k <= 16. All k elements must exist, and i must be
 * a multiple of k, a power of two. */
#if XL_SEGMENTS == 0
#define xl_heads(input, i, k) 0u
#elif XL_SEGMENTS != 4
uint xl_heads(const xl_input *input, ulong i, uint k)
{
    uint bits = 0;
#if XL_SEGMENTS == 1
    for (uint j = 0; j < k; ++j)
        bits |= (uint)(input->segments[i + j] != 0) << j;
#elif XL_SEGMENTS == 2
    bits = input->segments[i / 32] >> i % 32 & ((1u << k) - 1u);
#elif XL_SEGMENTS == 3
    XL_SEG before = xl_key_before(input, i);
    for (uint j = 0; j < k; ++j) {
        const XL_SEG key = input->segments[i + j];
        bits |= (uint)(key != before) << j;
        before = key;
    }
#else
    /* A 64-bit remainder is slow, so it is computed once. */
    ulong at = xl_index(input, i) % input->width;
    for (uint j = 0; j < k; ++j) {
#if XL_SEGMENTS == 5
        bits |= (uint)(at == 0) << j;
#else
        bits |= (uint)(at == 0 || (input->mask >> at & 1) != 0) << j;
#endif
        at = at + 1 == input->width ? 0 : at + 1;
    }
#endif
    return i == 0 && xl_first_begins ? bits | 1u : bits;
}
#endif

#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
/* Bit v: flag v is set, or key v differs from the key before it, for `count` of them in registers.
 * `first`: they begin with the first one of the array. */
uint xl_heads_among(const XL_SEG *s, XL_SEG before, const uint count, bool first)
{
    uint bits = first || s[0] != (XL_SEGMENTS == 1 ? 0 : before);
#pragma unroll
    for (uint v = 1; v < count; ++v)
        bits |= (uint)(s[v] != (XL_SEGMENTS == 1 ? 0 : s[v - 1])) << v;
    return bits;
}
#endif

#if XL_SEGMENTS == 1
/* 16 flags, each 0 or not 0, as marks. */
uint4 xl_flags_marks(uint4 flags)
{
    return ((((flags & 0x7f7f7f7fu) + 0x7f7f7f7fu) | flags) >> 7) & 0x01010101u;
}
#endif

#if XL_SEGMENTS != 4
/* The accumulator of element i. */
XL_T xl_input_one(const xl_input *input, ulong i)
{
    const bool head = xl_heads(input, i, 1) & 1;
    return xl_input_accumulator(input, input->in[i], i, head);
}

/* The same; xl_identity() if there is no such element. */
XL_T xl_input_at(const xl_input *input, ulong i)
{
    if (i < input->n)
        return xl_input_one(input, i);
    return xl_identity();
}
#endif

#endif
