/* SPDX-License-Identifier: MIT
 * Where elements come from: the array, the load expression, and what stands before the first of
 * them. Where segments begin: cl/tile/tile_heads.cl. */
#ifndef XL_TILE_INPUT
#define XL_TILE_INPUT

#include "../lane/lane.cl"
#include "../prelude/prelude_accumulator.cl"
#include "../prelude/prelude_length.cl"

typedef struct xl_input {
    const __global XL_IN *in;
    ulong n;
#if XL_HAS_INIT
    XL_E init;
#endif
#if XL_CARRY
    bool continues; /* `carry` is what stands before the first element */
    XL_E carry;
    bool leaves; /* carry_out receives what stands after the last element */
    __global XL_E *carry_out;
    ulong first; /* elements of the whole array before this part */
#endif
#if XL_SEGMENTS >= 1 && XL_SEGMENTS <= 4
    const __global XL_SEG *segments;
#endif
#if XL_SEGMENTS == 4
    ulong count; /* of offsets */
#if !XL_SERIAL
    ulong base; /* the tile whose heads are marked */
    const __local uint4 *marks;
#endif
#elif XL_SEGMENTS >= 5
    ulong width, mask;
#endif
} xl_input;

/* The first element of a tile of `elements`. */
ulong xl_tile_base(ulong tile, uint elements)
{
    return tile * elements;
}

/* What every kernel that reads elements is given. `length`: NULL, or where the number of
 * elements stands if it is below n. `carry_in_offset`: ~0 where there is no carry_in, which then
 * need not be NULL (lib/ocl/rusticl.c). */
#if XL_HAS_INIT
#define XL_INIT_ARGUMENTS , const __global XL_E *init, ulong init_offset
#else
#define XL_INIT_ARGUMENTS
#endif
#if XL_CARRY
#define XL_CARRY_ARGUMENTS                                                                         \
    , const __global XL_E *carry_in, ulong carry_in_offset, __global XL_E *carry_out,              \
        ulong carry_out_offset, ulong first_index
#else
#define XL_CARRY_ARGUMENTS
#endif
#if XL_SEGMENTS == 0
#define XL_SEGMENT_ARGUMENTS
#elif XL_SEGMENTS <= 4
#define XL_SEGMENT_ARGUMENTS                                                                       \
    , const __global XL_SEG *segments, ulong segments_offset, ulong segment_count
#else
#define XL_SEGMENT_ARGUMENTS , ulong segment_width, ulong segment_mask
#endif
#define XL_INPUT_ARGUMENTS                                                                         \
    const __global XL_IN *in, ulong in_offset, ulong n, const __global ulong *length,              \
        ulong length_offset XL_INIT_ARGUMENTS XL_CARRY_ARGUMENTS XL_SEGMENT_ARGUMENTS

#define XL_INPUT_MAKE(input)                                                                       \
    xl_input input;                                                                                \
    input.in = in + in_offset;                                                                     \
    XL_LENGTH_READ(ulong, input.n, n, length, length_offset)                                       \
    XL_INPUT_INIT(input) XL_INPUT_CARRY(input) XL_INPUT_SEGMENTS(input)
#if XL_HAS_INIT
#define XL_INPUT_INIT(input) input.init = init[init_offset];
#else
#define XL_INPUT_INIT(input)
#endif
#if XL_CARRY
#define XL_INPUT_CARRY(input)                                                                      \
    input.continues = carry_in_offset != ~0ul;                                                     \
    carry_in += input.continues ? carry_in_offset : 0;                                             \
    if (input.continues)                                                                           \
        input.carry = *carry_in;                                                                   \
    input.leaves = carry_out != 0;                                                                 \
    input.carry_out = carry_out + carry_out_offset;                                                \
    input.first = first_index;
#else
#define XL_INPUT_CARRY(input)
#endif
#if XL_SEGMENTS == 0
#define XL_INPUT_SEGMENTS(input)
#elif XL_SEGMENTS <= 3
#define XL_INPUT_SEGMENTS(input) input.segments = segments + segments_offset;
#elif XL_SEGMENTS == 4
#if XL_SERIAL
#define XL_INPUT_SEGMENTS(input)                                                                   \
    input.segments = segments + segments_offset;                                                   \
    input.count = segment_count;
#else
#define XL_INPUT_SEGMENTS(input)                                                                   \
    input.segments = segments + segments_offset;                                                   \
    input.count = segment_count;                                                                   \
    input.base = ~0ul - XL_TILE; /* no element lies in that tile */                                \
    input.marks = 0;
#endif
#else
#define XL_INPUT_SEGMENTS(input)                                                                   \
    input.width = segment_width;                                                                   \
    input.mask = segment_mask;
#endif

/* What the first element of a segment gets from an exclusive scan. Of floating-point sums
 * without init that is 0, although the identity is -0; an inclusive scan leaves the
 * first element as it is. */
#if XL_HAS_INIT
#define XL_SEGMENT_INIT(input) ((input)->init)
#elif XL_HAS_IDENTITY && XL_OPERATOR == 1 && !XL_INCLUSIVE
#define XL_SEGMENT_INIT(input) ((XL_E)0)
#elif XL_HAS_IDENTITY
#define XL_SEGMENT_INIT(input) XL_IDENTITY_E
#endif

/* 1: the first element of a segment is joined to XL_SEGMENT_INIT before all else: to init; of
 * floating-point numbers to the 0 that an exclusive sum starts from, which makes 0 of -0, and to
 * the identity of minimum and maximum, which skip a NaN here too. */
#if XL_SEGMENTS != 0 && XL_HAS_INIT
#define XL_INIT_AT_HEADS 1
#elif XL_SEGMENTS != 0 && XL_E_KIND == 2 && XL_OPERATOR == 1
#define XL_INIT_AT_HEADS !XL_INCLUSIVE
#elif XL_SEGMENTS != 0 && XL_E_KIND == 2 && (XL_OPERATOR == 3 || XL_OPERATOR == 4)
#define XL_INIT_AT_HEADS 1
#else
#define XL_INIT_AT_HEADS 0
#endif

/* Element 0 begins a segment whatever the segments' array says, unless it continues that of an
 * earlier part. */
bool xl_first_begins(const xl_input *input)
{
#if XL_CARRY
    return !input->continues;
#else
    return true;
#endif
}

/* The place of element i in the whole array. */
ulong xl_index(const xl_input *input, ulong i)
{
#if XL_CARRY
    return input->first + i;
#else
    return i;
#endif
}

/* What a scan starts from before its first element. Where there are segments each brings
 * its own with it. */
XL_T xl_input_start(const xl_input *input)
{
#if XL_CARRY
    if (input->continues)
        return xl_accumulator_of(input->carry, false);
#endif
#if XL_SEGMENTS == 0 && defined(XL_SEGMENT_INIT)
    return xl_accumulator_of(XL_SEGMENT_INIT(input), false);
#else
    return XL_IDENTITY;
#endif
}

#if XL_CARRY
/* What the next part continues, after all elements of this one: by one work-item. */
void xl_carry_leave(const xl_input *input, XL_T all)
{
#if !XL_HAS_IDENTITY
    if (!(all.flags & XL_SOME))
        return;
#endif
    if (input->leaves)
        *input->carry_out = XL_VALUE(all);
}

/* The same where there is no element at all. */
void xl_carry_pass(const xl_input *input)
{
    if (input->n != 0 || get_global_id(0) != 0)
        return;
#ifdef XL_SEGMENT_INIT
    xl_carry_leave(
        input, xl_accumulator_of(input->continues ? input->carry : XL_SEGMENT_INIT(input), false));
#else
    xl_carry_leave(input, xl_input_start(input));
#endif
}
#define XL_CARRY_LEAVE(input, is_last, all)                                                        \
    if (is_last)                                                                                   \
    xl_carry_leave((input), (all))
#define XL_CARRY_PASS(input) xl_carry_pass(input)
#else
#define XL_CARRY_LEAVE(input, is_last, all)
#define XL_CARRY_PASS(input)
#endif

/* The result for an element x that a scan meets with `carry` and leaves with `next`. */
XL_T xl_result(const xl_input *input, XL_T carry, XL_T x, XL_T next)
{
#if XL_INCLUSIVE
    return next;
#elif XL_SEGMENTS == 0
    return carry;
#else
    return XL_IS_HEAD(x) ? xl_accumulator_of(XL_SEGMENT_INIT(input), true) : carry;
#endif
}

#if XL_OPERATOR == 8 || XL_OPERATOR == 9
/* A NaN is no element at all. */
XL_E xl_load_arg(xl_value x, ulong i)
{
    XL_E e = XL_IDENTITY_E;
    if (x == x) {
        e.value = x;
        e.index = i;
    }
    return e;
}
#if XL_LOAD
#define XL_LOADED(x, i) xl_load_arg(xl_user_load((x), (i)), (i))
#else
#define XL_LOADED(x, i) xl_load_arg((x), (i))
#endif
#elif XL_LOAD
#define XL_LOADED(x, i) xl_user_load((x), (i))
#else
#define XL_LOADED(x, i) (x)
#endif
#if XL_E_KIND == 3 || XL_OPERATOR >= 8
#define XL_AS_E(r) (r)
#elif XL_E_LANES > 1
#define XL_AS_E(r) XL_JOIN(as_, XL_E)(r)
#else
#define XL_AS_E(r) ((XL_E)(r))
#endif

/* The state of element i, whose value in the array is x. */
XL_T xl_input_accumulator(const xl_input *input, XL_IN x, ulong i, bool head)
{
    XL_E e = XL_AS_E(XL_LOADED(x, xl_index(input, i)));
#if XL_INIT_AT_HEADS
    if (head)
        e = xl_op_e(XL_SEGMENT_INIT(input), e);
#endif
    return xl_accumulator_of(e, head);
}

#endif
