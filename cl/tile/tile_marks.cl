/* SPDX-License-Identifier: MIT
 * Marks: a byte for each element of a tile, in local memory; 1 where a segment begins. Bytes need no
 * atomics. */
#ifndef XL_TILE_MARKS
#define XL_TILE_MARKS

#include "../prelude/prelude.cl"

void xl_marks_clear(__local uint4 *marks, uint vectors)
{
    for (uint k = (uint)get_local_id(0); k < vectors; k += (uint)get_local_size(0))
        marks[k] = (uint4)(0);
}

/* Four bytes of 0 or 1 as bits. */
uint xl_four_bits(uint bytes)
{
    return bytes * 0x10204080u >> 28;
}

/* Bit j: mark at + j is 1, for j < k <= 16. `at` must be a multiple of k, a power of two. */
uint xl_marks_bits(const __local uint4 *marks, uint at, uint k)
{
    const __local uchar *const mark = (const __local uchar *)marks + at;
    uint bits = 0;
    if (k == 16) {
        const uint4 w = *(const __local uint4 *)mark;
        bits = xl_four_bits(w.x) | xl_four_bits(w.y) << 4 | xl_four_bits(w.z) << 8 |
               xl_four_bits(w.w) << 12;
    } else if (k % 4 == 0) {
        for (uint j = 0; j < k; j += 4)
            bits |= xl_four_bits(*(const __local uint *)(mark + j)) << j;
    } else {
        for (uint j = 0; j < k; ++j)
            bits |= (uint)mark[j] << j;
    }
    return bits;
}

#endif
