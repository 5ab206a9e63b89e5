/* SPDX-License-Identifier: MIT
 * Reduction of a whole array: every work-group reduces one run, and one group then folds
 * the runs' totals in order. A run that is the only one is the result. */
#include "../tile/tile_output.cl"

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#else
#include "../tile/tile_reduce.cl"
#endif
#include "reduce_chunk.cl"

#if XL_SEGMENTS != 0
#error "cl/reduce/reduce_segments.cl reduces segments"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

#if XL_SERIAL
#define XL_SCRATCH_MAKE
#define XL_CHUNK_TOTAL(input, chunk_elements, number)                                              \
    xl_chunk_total((input), (chunk_elements), (number))

XL_T xl_chunk_total(const xl_input *input, ulong chunk_elements, ulong number)
{
    const xl_chunk chunk = xl_chunk_of(input, chunk_elements, number);
    return xl_serial_reduce(input, chunk.begin, chunk.end - chunk.begin);
}
#else
#define XL_SCRATCH_MAKE __local XL_T scratch[XL_TILE_SCRATCH];
#define XL_CHUNK_TOTAL(input, chunk_elements, number)                                              \
    xl_chunk_total((input), (chunk_elements), (number), scratch)

/* Where operands commute, groups take turns tile by tile, so that all of them read close
 * together, which memory likes better than as many far places; and work-items meet once,
 * after the last tile. */
XL_T xl_chunk_total(const xl_input *input, ulong chunk_elements, ulong number,
                    __local XL_T *scratch)
{
    XL_T item[XL_ITEMS];
#if XL_COMMUTES
    XL_T mine[XL_VLEN];
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        mine[v] = XL_IDENTITY;
    const ulong step = xl_tile_base(get_num_groups(0), XL_TILE);
    for (ulong at = xl_tile_base(get_group_id(0), XL_TILE); at < input->n; at += step) {
        xl_tile_load(item, input, at, XL_SUB_TILE, true);
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            mine[k % XL_VLEN] = xl_op(mine[k % XL_VLEN], item[k]);
    }
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        mine[0] = xl_op(mine[0], mine[v]);
    return xl_group_reduce(mine[0], scratch);
#else
    const xl_chunk chunk = xl_chunk_of(input, chunk_elements, number);
    XL_T total = XL_IDENTITY;
    for (ulong at = chunk.begin; at < chunk.end; at += XL_TILE) {
        xl_tile_load(item, input, at, XL_SUB_TILE, true);
        total = xl_op(total, xl_tile_reduce(item, scratch));
    }
    return total;
#endif
}
#endif

/* The result of n elements that come to `total`. */
void xl_whole_put(const xl_input *input, const xl_output_iterator *output, XL_T total)
{
    if (get_local_id(0) != 0)
        return;
#ifdef XL_EMPTY_E
    if (input->n == 0)
        xl_output_iterator_put(output, 0, XL_EMPTY_E(input));
    else
#else
    if (input->n > 0)
#endif
        xl_output_iterator_put(output, 0, XL_VALUE(xl_op(xl_input_start(input), total)));
}

__kernel XL_REQUIRED void xl_reduce_upsweep(XL_REDUCE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_OUTPUT_ITERATOR_MAKE(output);
    XL_SCRATCH_MAKE
    const ulong group = get_group_id(0);
    const XL_T total = XL_CHUNK_TOTAL(&input, chunk_elements, first + group);
    if (get_num_groups(0) == 1)
        xl_whole_put(&input, &output, total);
    else if (get_local_id(0) == 0)
        ((__global xl_carry_out *)(scratch_at + carry_outs))[1 + group].total = total;
}

/* `run`: how many records there are from number `first` on; its highest bit: a launch after
 * this one has more of them, and goes on from what this one leaves in the record before all. */
__kernel XL_REQUIRED void xl_reduce_fix_up(XL_REDUCE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_OUTPUT_ITERATOR_MAKE(output);
    XL_SCRATCH_MAKE
    __global xl_carry_out *const before = (__global xl_carry_out *)(scratch_at + carry_outs);
    const __global xl_carry_out *const carry_out = before + 1 + first;
    const bool more = chunk_elements >> 63 != 0;
    const uint many = (uint)chunk_elements, i = (uint)get_local_id(0);
    const uint share = XL_CEIL_DIV(many, XL_GROUP_SIZE);
    const uint from = min(i * share, many), to = min((i + 1) * share, many);
    XL_T sum = XL_IDENTITY;
    if (first > 0 && i == 0)
        sum = before->total;
    XL_IN_ORDER
    for (uint k = from; k < to; ++k)
        sum = xl_op(sum, carry_out[k].total);
#if !XL_SERIAL
    sum = xl_group_reduce(sum, scratch);
#endif
    if (!more)
        xl_whole_put(&input, &output, sum);
    else if (i == 0)
        before->total = sum;
}
