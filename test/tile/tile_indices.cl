/* SPDX-License-Identifier: MIT
 * Where tiles, segments and runs begin, for tile_test.c, which invents numbers past 2^32. An
 * address is one of the host, where the device shares its memory. */
#include "../../cl/reduce/reduce_chunk.cl"

__kernel void xl_test_bases(const __global ulong *tile, uint elements, __global ulong *base)
{
    const size_t i = get_global_id(0);
    base[i] = xl_tile_base(tile[i], elements);
}

#if XL_SEGMENTS == 4
/* The offset that is not below each of `at`, found in two ways, and the merge's cut there. */
__kernel void xl_test_offsets(ulong address, ulong count, ulong n, const __global ulong *at,
                              __global ulong *found)
{
    const size_t i = get_global_id(0);
    xl_input input;
    input.segments = (const __global XL_SEG *)address;
    input.count = count;
    input.n = n;
    found[3 * i] = xl_offset_search(input.segments, count, at[i], 0);
    found[3 * i + 1] = xl_offset_pass(input.segments, count, 0, at[i]);
    found[3 * i + 2] = xl_merge_search(&input, at[i]);
}
#elif XL_SEGMENTS != 0
/* Whether each of elements `at` begins a segment, and the elements of run number i. */
__kernel void xl_test_heads(ulong address, ulong width, ulong mask, ulong run,
                            const __global ulong *at, __global ulong *heads)
{
    const size_t i = get_global_id(0);
    xl_input input;
#if XL_SEGMENTS >= 5
    input.width = width;
    input.mask = mask;
#else
    input.segments = (const __global XL_SEG *)address;
#endif
    input.n = ~0ul;
    const xl_chunk extent = xl_chunk_of(&input, run, at[i]);
    heads[3 * i] = xl_heads(&input, at[i], 1) & 1;
    heads[3 * i + 1] = extent.begin;
    heads[3 * i + 2] = extent.segment;
}
#endif
