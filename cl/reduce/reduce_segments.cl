/* SPDX-License-Identifier: MIT
 * Reduction of segments, by chunks (cl/reduce/reduce_chunk.cl):
 *   xl_reduce_count    for flags, bits and keys: counts the segments that begin in each chunk. A
 *                      chunk needs these counts to number its segments
 *   xl_reduce_upsweep  each chunk stores the results of segments that end in it, and its carry-out
 *   xl_reduce_fix_up   one group folds the carry-outs in order and stores the results of segments
 *                      that begin in one chunk and end in another
 * If there is one chunk, there is nothing to fix up. A launch that does not start at chunk 0
 * continues from the end of the fix-up before it. */
#include "../tile/tile_heads.cl"

#if !XL_SERIAL
#include "../group/group_scan.cl"
#endif
#include "reduce_chunk.cl"
#if XL_SERIAL
#include "reduce_serial.cl"
#else
#include "reduce_group.cl"
#endif

#if XL_SEGMENTS == 0
#error "cl/reduce/reduce_whole.cl reduces arrays without segments"
#endif

/* The index in the carry-out of a chunk in which no segment from before ends. */
#define XL_NO_SEGMENT (~0ul)

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* The sum of the numbers of all work-items, returned to each. A barrier must come before `numbers`
 * is written again. */
#if XL_SERIAL
#define xl_group_sum(numbers, mine) (mine)
#else
ulong xl_group_sum(__local ulong *numbers, ulong mine)
{
    const uint i = (uint)get_local_id(0);
    numbers[i] = mine;
    xl_local_barrier();
    for (uint by = XL_GROUP_SIZE / 2; by > 0; by /= 2) {
        if (i < by)
            numbers[i] += numbers[i + by];
        xl_local_barrier();
    }
    return numbers[0];
}
#endif

#if XL_SEGMENTS == 2
/* The heads from `begin` to before `end` that this work-item counts. */
ulong xl_count_heads(const xl_input *input, ulong begin, ulong end)
{
    ulong heads = begin == 0 && begin < end && get_local_id(0) == 0 && !(input->segments[0] & 1);
    const ulong after = (end + 31) / 32;
    for (ulong w = begin / 32 + get_local_id(0); w < after; w += XL_GROUP_SIZE) {
        uint word = input->segments[w];
        if (w * 32 < begin)
            word &= ~0u << (uint)(begin - w * 32);
        if (end - w * 32 < 32)
            word &= (1u << (uint)(end - w * 32)) - 1u;
        heads += popcount(word);
    }
    return heads;
}
#elif XL_SEGMENTS <= 3
/* The number of heads by the flags or keys in 16 aligned bytes. */
uint xl_heads_in(const __global XL_SEG *from)
{
#if XL_SEGMENTS == 1
    const uint4 heads = popcount(xl_flags_marks(*(const __global uint4 *)from));
    return heads.x + heads.y + heads.z + heads.w;
#else
    return popcount(xl_heads_in_keys(from, false));
#endif
}

/* The heads of the first 16 bytes are counted one by one, because element 0 is always a head. */
ulong xl_count_heads(const xl_input *input, ulong begin, ulong end)
{
    const ulong each = XL_SEG_VLEN, i = get_local_id(0);
    ulong heads = 0;
    if (begin == 0) {
        const ulong few = min(end, each);
        for (ulong k = i; k < few; k += XL_GROUP_SIZE)
            heads += xl_heads(input, k, 1) & 1;
        begin = few;
    }
    if (((size_t)(input->segments + begin) & 15) == 0) {
        const ulong vectors = (end - begin) / each;
#pragma unroll 4
        for (ulong k = i; k < vectors; k += XL_GROUP_SIZE)
            heads += xl_heads_in(input->segments + begin + k * each);
        begin += vectors * each;
    }
    for (ulong k = begin + i; k < end; k += XL_GROUP_SIZE)
        heads += xl_heads(input, k, 1) & 1;
    return heads;
}
#endif

#if XL_SEGMENTS <= 3
__kernel XL_REQUIRED void xl_reduce_count(XL_REDUCE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    const ulong group = get_group_id(0);
    const xl_chunk chunk = xl_chunk_of(&input, chunk_elements, first + group);
    ulong heads = xl_count_heads(&input, chunk.begin, chunk.end);
#if !XL_SERIAL
    __local ulong numbers[XL_GROUP_SIZE];
    heads = xl_group_sum(numbers, heads);
#endif
    if (get_local_id(0) == 0)
        ((__global ulong *)(scratch_at + counts))[1 + group] = heads;
}
#endif

__kernel XL_REQUIRED void xl_reduce_upsweep(XL_REDUCE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_OUTPUT_MAKE(output)
#if XL_SEGMENTS == 3
    output.keys = keys ? keys + keys_offset : keys;
#endif
#if XL_SEGMENTS <= 3
    output.count = count ? count + count_offset : count;
#endif
    const ulong group = get_group_id(0);
    __global xl_carry_out *const carry_out =
        (__global xl_carry_out *)(scratch_at + carry_outs) + 1 + group;
#if XL_SERIAL
    xl_chunk chunk = xl_chunk_of(&input, chunk_elements, first + group);
#else
    __local xl_temp_storage storage;
    xl_chunk chunk = xl_chunk_find(&storage, &input, chunk_elements, first + group);
#endif
#if XL_SEGMENTS <= 3
    const __global ulong *const heads = (const __global ulong *)(scratch_at + counts);
    for (ulong k = (first > 0 ? 0 : 1) + get_local_id(0); k <= group; k += XL_GROUP_SIZE)
        chunk.segment += heads[k];
    chunk.segment = xl_group_sum(storage.numbers, chunk.segment);
#endif
    if (get_local_id(0) == 0)
        carry_out->index = XL_NO_SEGMENT;
#if XL_SERIAL
    const XL_T total = xl_chunk_reduce(&input, chunk, &output, carry_out);
#else
    xl_full_barrier();
    const XL_T total = xl_chunk_reduce(&storage, &input, chunk, &output, carry_out);
#endif
    if (get_local_id(0) == 0) {
        carry_out->total = total;
#if XL_SEGMENTS <= 3
        const bool has_last =
            input.n == 0 ? group == 0 : chunk.end == input.n && chunk.begin < input.n;
        if (output.count && has_last)
            *output.count = chunk.segment + total.count;
#endif
    }
}

/* chunk_elements: the number of carry-outs. For the next launch it writes the total so far to the
 * first carry-out, and the number of heads so far before the chunks' numbers. */
__kernel XL_REQUIRED void xl_reduce_fix_up(XL_REDUCE_ARGUMENTS)
{
    XL_OUTPUT_MAKE(output)
    __global xl_carry_out *const carry_out = (__global xl_carry_out *)(scratch_at + carry_outs);
    const uint share = xl_ceil_div((uint)chunk_elements, XL_GROUP_SIZE), i = (uint)get_local_id(0);
    const uint from = 1 + min(i * share, (uint)chunk_elements),
               to = 1 + min((i + 1) * share, (uint)chunk_elements);
    XL_T sum = xl_identity(), start = xl_identity();
    if (first > 0)
        start = carry_out->total;
#if XL_SEGMENTS <= 3
    __global ulong *const heads = (__global ulong *)(scratch_at + counts);
    ulong began = first > 0 && i == 0 ? heads[0] : 0;
    for (uint k = from; k < to; ++k)
        began += heads[k];
#if !XL_SERIAL
    __local ulong numbers[XL_GROUP_SIZE];
    began = xl_group_sum(numbers, began);
#endif
    if (i == 0)
        heads[0] = began;
#endif
#if !XL_SERIAL
    __local XL_T scratch[XL_GROUP_SIZE];
    XL_T all;
    XL_IN_ORDER
    for (uint k = from; k < to; ++k)
        sum = xl_op(sum, carry_out[k].total);
    sum = xl_group_scan_exclusive(sum, scratch, &all);
#endif
    sum = xl_op(start, sum);
    XL_IN_ORDER
    for (uint k = from; k < to; ++k) {
        if (carry_out[k].index != XL_NO_SEGMENT)
            xl_output_iterator_put(&output, carry_out[k].index,
                                   xl_element_of(xl_op(sum, carry_out[k].open)));
        sum = xl_op(sum, carry_out[k].total);
    }
#if XL_SERIAL
    carry_out->total = sum;
#else
    xl_full_barrier(); /* all have read `start` */
    if (i == 0)
        carry_out->total = xl_op(start, all);
#endif
}
