/* SPDX-License-Identifier: MIT
 * Reduction of a whole array: each work-group reduces one chunk and stores its total; then the
 * totals are folded in the order of the chunks. If there is one chunk, its total is the result.
 *
 * If work-groups can exchange messages, one launch does both (XL_SINGLE_LAUNCH): a group makes its
 * total visible, then takes a number from a counter. The group that takes the last number folds the
 * totals and sets the counter back to 0 for the next launch. No group waits for another, and the
 * result does not depend on which group is last. On other devices, and in a call without a counter,
 * a second launch folds the totals. The example of memory fences in NVIDIA's "CUDA C++ Programming
 * Guide" finds the last group in the same way. */
#define XL_TILE_FUNCTIONS 1
#define XL_INCLUSIVE 1
#define XL_CARRY 0
#define XL_SEGMENTS 0
#include "../tile/tile_input.cl"

#if XL_SERIAL
#include "../tile/tile_serial.cl"
#else
#include "../tile/tile_load.cl"
#endif
#include "reduce_chunk.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* counter: NULL, or a counter that is 0 between launches. */
#define XL_WHOLE_ARGUMENTS XL_REDUCE_ARGUMENTS, volatile __global uint *counter, ulong counter_at

/* The total of a chunk. A struct around XL_T, because rusticl (Mesa 22.3, 2026-11) ends the process
 * on copies of a struct through a pointer that was cast from one to bytes. */
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

/* Folds up to XL_VECTORS vectors in order: the first is at `first`, the next ones follow at a
 * distance of `step` elements. Elements from `end` on are ignored. All loads start before the first
 * result is used, because the latency of memory determines the time for few elements. */
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

/* Groups take tiles in turn while each gets one, then vectors of the remaining elements. So all
 * groups read adjacent memory, which is faster than distant places, and have equal shares. The
 * work-items of a group combine their results once, at the end. */
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

/* Folds tile by tile. In the last, shorter tile each work-item takes adjacent vectors. */
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

/* Folds `before`, then `many` totals in their order. */
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
/* If operands commute, adjacent work-items take adjacent totals; otherwise each takes a contiguous
 * share. AT_ONCE loads are in flight at a time. */
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

/* Stores the result if `whole` is true. total: that of all n elements. */
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
/* Takes a number and returns true for the last one. The group with the last number then sees all
 * that the other groups wrote before they took theirs: the atomic operations on the counter form a
 * chain between the release and the acquire. */
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
        xl_full_barrier(); /* so that the whole group sees all totals */
        whole = last != 0;
    }
#endif
    if (whole && get_num_groups(0) > 1)
        total = xl_totals_fold(xl_identity(), totals, (uint)get_num_groups(0) XL_SCRATCH);
#endif
    xl_whole_put(&input, &output, total, whole);
}

/* chunk_elements: the number of totals from number `first` on. Its highest bit: a later launch
 * folds more of them; it continues from the total that this launch stores before all others. */
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
