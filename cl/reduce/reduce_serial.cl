/* SPDX-License-Identifier: MIT
 * One work-item reduces the segments of a chunk, element by element.
 *
 * Requires XL_SERIAL 1. */
#ifndef XL_TILE_REDUCE_SERIAL
#define XL_TILE_REDUCE_SERIAL

#include "reduce_chunk.cl"

/* The value of element i. head: whether it begins a segment. */
XL_E xl_value_at(const xl_input *input, ulong i, bool head)
{
    return xl_element_of(xl_input_accumulator(input, input->in[i], i, head));
}

#if XL_SEGMENTS == 4
/* Folds into `sum` the elements from *at to before `end`, none of which begins a segment. */
XL_T xl_fold_on(const xl_input *input, XL_T sum, ulong *at, ulong end)
{
    ulong i = *at;
    if (i >= end)
        return sum;
    XL_E value = xl_value_at(input, i++, false);
    if (sum.flags & XL_SOME)
        value = xl_op_e(xl_element_of(sum), value);
    XL_IN_ORDER
    for (; i < end; ++i)
        value = xl_op_e(value, xl_value_at(input, i, false));
    *at = end;
    sum.value = xl_hold(value);
    sum.flags |= XL_SOME;
    return sum;
}

XL_T xl_chunk_reduce(xl_input *input, xl_chunk chunk, const xl_output_iterator *output,
                     __global xl_carry_out *carry_out)
{
    XL_T carry = xl_identity();
    ulong at = chunk.begin;
    XL_IN_ORDER
    for (ulong s = chunk.segment; s < chunk.after; ++s) {
        const ulong from = input->segments[s];
        const ulong to = min((ulong)input->segments[s + 1], chunk.end);
        if (from < chunk.begin && s == chunk.segment) {
            carry = xl_fold_on(input, carry, &at, to);
            carry_out->open = carry;
            carry_out->index = s;
        } else if (at < to) {
            carry = xl_accumulator_of(xl_value_at(input, at++, true), true);
            carry = xl_fold_on(input, carry, &at, to);
            xl_output_iterator_put(output, s, xl_element_of(carry));
        } else {
            xl_output_iterator_put(output, s, xl_empty_e(input));
        }
    }
    if (at < chunk.end && xl_begins(input, chunk.after, at)) {
        carry = xl_accumulator_of(xl_value_at(input, at, true), true);
        ++at;
    }
    return xl_fold_on(input, carry, &at, chunk.end);
}
#else
#if XL_SEGMENTS >= 5
/* `place` is i % width, updated for each element because a remainder of 64 bits is slow. */
#define XL_SEGMENT_POSITION(input, i) ((i) % (input)->width)
bool xl_head_at(const xl_input *input, ulong i, ulong *place)
{
    *place = *place == input->width ? 0 : *place;
    return *place == 0 || (XL_SEGMENTS == 6 && (input->mask >> (*place & 63) & 1) != 0);
}
#else
#define XL_SEGMENT_POSITION(input, i) 0
bool xl_head_at(const xl_input *input, ulong i, ulong *place)
{
    return xl_heads(input, i, 1) & 1;
}
#endif

XL_T xl_chunk_reduce(xl_input *input, xl_chunk chunk, const xl_output_iterator *output,
                     __global xl_carry_out *carry_out)
{
    XL_T carry = xl_identity();
    ulong place = XL_SEGMENT_POSITION(input, chunk.begin);
    bool head = chunk.begin < chunk.end && xl_head_at(input, chunk.begin, &place);
    XL_IN_ORDER
    for (ulong i = chunk.begin; i < chunk.end; ++i) {
        carry = xl_op(carry, xl_input_accumulator(input, input->in[i], i, head));
        ++place;
        head = i + 1 == input->n || xl_head_at(input, i + 1, &place);
        if (!head)
            continue;
        const ulong index = chunk.segment + carry.count - 1;
        if (xl_is_head(carry)) {
            xl_output_iterator_put(output, index, xl_element_of(carry));
        } else {
            carry_out->open = carry;
            carry_out->index = index;
        }
#if XL_SEGMENTS == 3
        if (output->keys && index < output->capacity)
            output->keys[index] = input->segments[i];
#endif
    }
    return carry;
}
#endif

#endif
