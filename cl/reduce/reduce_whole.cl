/* SPDX-License-Identifier: MIT
 * Reduction of a whole array: every work-group reduces one chunk and leaves its total; the
 * totals are folded in the order of the chunks. A chunk that is the only one is the result.
 *
 * Where messages may pass between work-groups one launch does both (XL_SINGLE_LAUNCH): a group
 * makes its total visible, then takes a number from a counter, and the group that takes the last
 * one folds the totals and puts the counter back to 0 for the next launch. No group waits for
 * another, and which one is last has no effect on the result. Elsewhere, and in a call that is
 * given no counter, a second launch folds them. The last group is found as in the example of
 * memory fences in NVIDIA's "CUDA C++ Programming Guide". */
#include "../tile/tile_heads.cl"

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#else
#include "../tile/tile_reduce.cl"
#endif
#if XL_SINGLE_LAUNCH
#include "../tile/tile_descriptor.cl"
#endif
#include "reduce_chunk.cl"

#if XL_SEGMENTS != 0
#error "cl/reduce/reduce_segments.cl reduces segments"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* `counter`: 0 between launches; or NULL. */
#define XL_WHOLE_ARGUMENTS XL_REDUCE_ARGUMENTS, volatile __global uint *counter, ulong counter_at

/* What a chunk leaves. A struct around it: rusticl (Mesa 22.3, 2026-11) ends the process on copies
 * of a struct through a pointer that was one to bytes. */
typedef struct xl_total {
    XL_T total;
} xl_total;

#if XL_SERIAL
#define XL_SCRATCH_MAKE
#define XL_SCRATCH

XL_T xl_chunk_total(const xl_input *input, ulong chunk_elements)
{
    const xl_chunk chunk = xl_chunk_of(input, chunk_elements, get_group_id(0));
    return xl_serial_reduce(input, chunk.begin, chunk.end - chunk.begin);
}
#else
#define XL_SCRATCH_MAKE __local XL_T scratch[XL_TILE_SCRATCH];
#define XL_SCRATCH , scratch

/* Up to XL_VECTORS vectors of this work-item, the first at `first` and each next `step` elements
 * on, folded in that order; what lies at `end` or past it is left out. All are on their way
 * before the first is looked at: few elements take as long as their slowest trip to memory. */
XL_T xl_vectors_fold(const xl_input *input, ulong first, ulong step, uint vectors, ulong end)
{
    XL_IN x[XL_ITEMS];
    XL_T total = xl_identity();
    const bool aligned = xl_is_aligned(input->in + first, sizeof(XL_IN));
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        const ulong at = first + row * step;
        if (row < vectors && aligned && at + XL_VLEN <= end) {
            xl_in_unpack(xl_load_vec(input->in + at, true), x + row * XL_VLEN);
        } else {
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                if (row < vectors && at + v < end)
                    x[row * XL_VLEN + v] = input->in[at + v];
        }
    }
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        const ulong at = first + row * step;
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v)
            if (row < vectors && at + v < end)
                total =
                    xl_op(total, xl_input_accumulator(input, x[row * XL_VLEN + v], at + v, false));
    }
    return total;
}

/* Groups take turns tile by tile while there is one for each, and vector by vector in what is
 * left, so that all of them read close together, which memory likes better than as many far
 * places, and none has more than the others; and work-items meet once, at the end. */
XL_T xl_total_in_turns(const xl_input *input, __local XL_T *scratch)
{
    XL_T item[XL_ITEMS];
    XL_T mine[XL_VLEN];
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        mine[v] = xl_identity();
    const ulong round = xl_tile_base(get_num_groups(0), XL_TILE);
    ulong base = 0;
    for (; input->n - base >= round; base += round) {
        xl_tile_load(item, input, base + xl_tile_base(get_group_id(0), XL_TILE), xl_sub_tile(),
                     true);
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            mine[k % XL_VLEN] = xl_op(mine[k % XL_VLEN], item[k]);
    }
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        mine[0] = xl_op(mine[0], mine[v]);
    const ulong step = (ulong)get_num_groups(0) * (XL_GROUP_SIZE * XL_VLEN);
    const ulong first = base + (ulong)get_global_id(0) * XL_VLEN;
    mine[0] = xl_op(mine[0], xl_vectors_fold(input, first, step, XL_VECTORS, input->n));
    return xl_group_reduce(mine[0], scratch);
}

/* Tile by tile; of the last, shorter one each work-item takes vectors that follow each other. */
XL_T xl_total_in_order(const xl_input *input, xl_chunk chunk, __local XL_T *scratch)
{
    XL_T item[XL_ITEMS];
    XL_T total = xl_identity();
    ulong at = chunk.begin;
    for (; chunk.end - at >= XL_TILE; at += XL_TILE) {
        xl_tile_load(item, input, at, xl_sub_tile(), true);
        total = xl_op(total, xl_tile_reduce(item, scratch));
    }
    const uint left = (uint)(chunk.end - at);
    if (left > 0) {
        const uint vectors = xl_ceil_div(left, XL_GROUP_SIZE * XL_VLEN);
        const ulong first = at + (uint)get_local_id(0) * vectors * XL_VLEN;
        const XL_T mine = xl_vectors_fold(input, first, XL_VLEN, vectors, chunk.end);
        total = xl_op(total, xl_group_reduce(mine, scratch));
    }
    return total;
}

XL_T xl_chunk_total(const xl_input *input, ulong chunk_elements, __local XL_T *scratch)
{
    if (xl_commutes)
        return xl_total_in_turns(input, scratch);
    return xl_total_in_order(input, xl_chunk_of(input, chunk_elements, get_group_id(0)), scratch);
}
#endif

/* `before`, then `many` totals folded in their order. */
#if XL_SERIAL
XL_T xl_totals_fold(XL_T before, const __global xl_total *totals, uint many)
{
    XL_T sum = before;
    XL_IN_ORDER
    for (uint k = 0; k < many; ++k)
        sum = xl_op(sum, totals[k].total);
    return sum;
}
#else
/* Where operands commute work-items take neighbours, else each a share of its own. So many loads
 * are on their way at once. */
XL_T xl_totals_fold(XL_T before, const __global xl_total *totals, uint many, __local XL_T *scratch)
{
    enum { AT_ONCE = 4 };
    const uint i = (uint)get_local_id(0);
    const uint share = xl_ceil_div(many, XL_GROUP_SIZE), step = xl_commutes ? XL_GROUP_SIZE : 1;
    const uint from = xl_commutes ? i : min(i * share, many);
    const uint to = xl_commutes ? many : min(from + share, many);
    XL_T sum = xl_identity();
    if (i == 0)
        sum = before;
    XL_IN_ORDER
    for (uint k = from; k < to; k += AT_ONCE * step) {
        XL_T some[AT_ONCE];
#pragma unroll
        for (uint j = 0; j < AT_ONCE; ++j)
            if (k + j * step < to)
                some[j] = totals[k + j * step].total;
#pragma unroll
        for (uint j = 0; j < AT_ONCE; ++j)
            if (k + j * step < to)
                sum = xl_op(sum, some[j]);
    }
    return xl_group_reduce(sum, scratch);
}
#endif

/* The result of n elements that come to `total`, where `whole` is true. */
void xl_whole_put(const xl_input *input, const xl_output_iterator *output, XL_T total, bool whole)
{
    if (get_local_id(0) != 0 || !whole)
        return;
#if XL_INIT == 2 || XL_HAS_IDENTITY
    if (input->n == 0)
        xl_output_iterator_put(output, 0, xl_empty_e(input));
#endif
    if (input->n > 0)
        xl_output_iterator_put(output, 0, xl_element_of(xl_op(xl_input_start(input), total)));
}

#if XL_SINGLE_LAUNCH
/* Takes a number; true for the last, which then sees what every group wrote before it took its
 * own: each number is taken by an atomic operation on what the one before has left, between the
 * release and the acquire. */
bool xl_number_take(volatile __global uint *counter)
{
    xl_device_fence();
    if (atomic_inc(counter) != (uint)get_num_groups(0) - 1)
        return false;
    *counter = 0;
    xl_device_fence();
    return true;
}
#endif

__kernel XL_REQUIRED void xl_reduce_upsweep(XL_WHOLE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_OUTPUT_MAKE(output)
    XL_SCRATCH_MAKE
    __global xl_total *const totals = (__global xl_total *)(scratch_at + carry_outs) + 1;
    XL_T total = xl_chunk_total(&input, chunk_elements XL_SCRATCH);
    bool whole = get_num_groups(0) == 1;
    if (!whole && get_local_id(0) == 0)
        totals[get_group_id(0)].total = total;
#if XL_SINGLE_LAUNCH
#if XL_SERIAL
    if (!whole && counter)
        whole = xl_number_take(counter + counter_at);
#else
    __local uint last;
    if (!whole && counter) {
        if (get_local_id(0) == 0)
            last = xl_number_take(counter + counter_at);
        xl_full_barrier(); /* the others, too, see all totals */
        whole = last != 0;
    }
#endif
    if (whole && get_num_groups(0) > 1)
        total = xl_totals_fold(xl_identity(), totals, (uint)get_num_groups(0) XL_SCRATCH);
#endif
    xl_whole_put(&input, &output, total, whole);
}

/* `chunk_elements`: how many totals there are from number `first` on; its highest bit: a launch
 * after this one has more of them, and goes on from what this one leaves before all. */
__kernel XL_REQUIRED void xl_reduce_fix_up(XL_WHOLE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_OUTPUT_MAKE(output)
    XL_SCRATCH_MAKE
    __global xl_total *const before = (__global xl_total *)(scratch_at + carry_outs);
    const bool more = chunk_elements >> 63 != 0;
    XL_T sum = xl_identity();
    if (first > 0 && get_local_id(0) == 0)
        sum = before->total;
    sum = xl_totals_fold(sum, before + 1 + first, (uint)chunk_elements XL_SCRATCH);
    xl_whole_put(&input, &output, sum, !more);
    if (more && get_local_id(0) == 0)
        before->total = sum;
}
