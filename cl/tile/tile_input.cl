/* SPDX-License-Identifier: MIT
 * The input of scans and reductions: the array, the load expression, the value that precedes the
 * first element, and where segments begin:
 *
 *   xl_heads(input, i, k)      bits of k elements, from an array of flags, bits or keys, or from
 *                              width and mask
 *   xl_heads_word(input, i)    bits of 32 elements, from an array of bits, or from width and mask
 * Work-items that walk a tile use vectors of marks: cl/tile/tile_serial.cl. A launch before a scan
 * turns CSR offsets into bits (cl/scan/scan_heads.cl); reductions search in them
 * (cl/reduce/reduce_chunk.cl). */
#ifndef XL_TILE_INPUT
#define XL_TILE_INPUT

/* A group of one work-item walks its tile. Accumulators have flags if there are segments, or if the
 * operator has no identity; cl/reduce/reduce_segments.cl may define 2. The host computes the same:
 * lib/problem/problem_check.c. */
#ifndef XL_SERIAL
#define XL_SERIAL (XL_GROUP_SIZE == 1)
#endif
#if !defined(XL_ACCUMULATOR) && (XL_SEGMENTS != 0 || !XL_HAS_IDENTITY)
#define XL_ACCUMULATOR 1
#endif

#include "../lane/lane.cl"
#include "../prelude/prelude_accumulator.cl"

/* The parts of tile_load.cl and tile_serial.cl that a program contains. 0: vectors only, 1: also
 * loads, stores and reductions, 2 (default): also scans. */
#ifndef XL_TILE_FUNCTIONS
#define XL_TILE_FUNCTIONS 2
#endif

typedef struct xl_input {
    const __global XL_IN *in;
    ulong n;
#if XL_INIT == 2
    XL_E init;
#endif
#if XL_CARRY
    bool continues; /* `carry` precedes the first element */
    XL_E carry;
    bool leaves; /* carry_out receives the carry after the last element */
    __global XL_E *carry_out;
    ulong first; /* elements of the whole array before this part */
#endif
#if XL_SEGMENTS >= 1 && XL_SEGMENTS <= 4
    const __global XL_SEG *segments;
#endif
#if XL_SEGMENTS == 4
    ulong count; /* number of offsets */
#elif XL_SEGMENTS >= 5
    ulong width, mask;
#endif
#if XL_PARAM_WORDS > 0
    xl_params params; /* of the caller's expressions */
#endif
} xl_input;

/* The first element of a tile of `elements`, and the number of tiles of n elements. */
ulong xl_tile_base(ulong tile, uint elements)
{
    return tile * elements;
}

uint xl_tile_count(ulong n, uint elements)
{
    return (uint)(n / elements + (n % elements != 0));
}

#if XL_CARRY == 2
/* The flag that is stored after the value of a carry: 1, or 0 if no element has come yet. It is as
 * wide as the element's alignment allows, at most a word. */
#if XL_E_ALIGNMENT >= 4
typedef uint xl_carry_flag;
#elif XL_E_ALIGNMENT == 2
typedef ushort xl_carry_flag;
#else
typedef uchar xl_carry_flag;
#endif

bool xl_carry_holds(const __global XL_E *carry)
{
    return *(const __global xl_carry_flag *)(carry + 1) != 0;
}
#endif

/* XL_INPUT_ARGUMENTS: the parameters of every kernel that reads elements. XL_INPUT_MAKE(input): the
 * first statement of such a kernel, which makes an xl_input of them. `length`: NULL, or where the
 * number of elements is stored, which is limited to n. `carry_in_offset`: ~0 if there is no
 * carry_in, whose pointer then need not be NULL (lib/ocl/rusticl.c). */
#if XL_SERIAL
#define XL_INPUT_LENGTH(input) input.n = xl_length(n, length, length_offset);
#else
/* As XL_LENGTH_READ() of cl/prelude/prelude.cl; `share` is a variable in local memory. */
ulong xl_input_length(ulong most, const __global ulong *length, ulong offset, __local ulong *share)
{
    if (!length)
        return most;
    if (get_local_id(0) == 0)
        *share = min(most, length[offset]);
    xl_local_barrier();
    return *share;
}

#define XL_INPUT_LENGTH(input)                                                                     \
    __local ulong shared_length;                                                                   \
    input.n = xl_input_length(n, length, length_offset, &shared_length);
#endif
#if XL_INIT == 2
#define XL_INIT_ARGUMENTS , const __global XL_E *init, ulong init_offset
#define XL_INPUT_INIT(input) input.init = init[init_offset];
#else
#define XL_INIT_ARGUMENTS
#define XL_INPUT_INIT(input)
#endif
#if XL_CARRY
#define XL_CARRY_ARGUMENTS                                                                         \
    , const __global XL_E *carry_in, ulong carry_in_offset, __global XL_E *carry_out,              \
        ulong carry_out_offset, ulong first_index
#define XL_INPUT_CARRY(input)                                                                      \
    input.continues = carry_in_offset != ~0ul;                                                     \
    carry_in += input.continues ? carry_in_offset : 0;                                             \
    if (input.continues) {                                                                         \
        input.carry = *carry_in;                                                                   \
        XL_INPUT_CARRY_FLAG(input)                                                                 \
    }                                                                                              \
    input.leaves = carry_out != 0;                                                                 \
    input.carry_out = carry_out + carry_out_offset;                                                \
    input.first = first_index;
#else
#define XL_CARRY_ARGUMENTS
#define XL_INPUT_CARRY(input)
#endif
#if XL_CARRY == 2
#define XL_INPUT_CARRY_FLAG(input) input.continues = xl_carry_holds(carry_in);
#else
#define XL_INPUT_CARRY_FLAG(input)
#endif
#if XL_SEGMENTS == 0
#define XL_SEGMENT_ARGUMENTS
#define XL_INPUT_SEGMENTS(input)
#elif XL_SEGMENTS <= 4
#define XL_SEGMENT_ARGUMENTS                                                                       \
    , const __global XL_SEG *segments, ulong segments_offset, ulong segment_count
#define XL_INPUT_SEGMENTS(input)                                                                   \
    input.segments = segments + segments_offset;                                                   \
    XL_INPUT_OFFSETS(input)
#else
#define XL_SEGMENT_ARGUMENTS , ulong segment_width, ulong segment_mask
#define XL_INPUT_SEGMENTS(input)                                                                   \
    input.width = segment_width;                                                                   \
    input.mask = segment_mask;
#endif
#if XL_SEGMENTS == 4
#define XL_INPUT_OFFSETS(input) input.count = segment_count;
#else
#define XL_INPUT_OFFSETS(input)
#endif
#define XL_INPUT_ARGUMENTS                                                                         \
    const __global XL_IN *in, ulong in_offset, ulong n, const __global ulong *length,              \
        ulong length_offset XL_INIT_ARGUMENTS XL_CARRY_ARGUMENTS XL_SEGMENT_ARGUMENTS              \
            XL_PARAMS_ARGUMENT
#define XL_INPUT_MAKE(input)                                                                       \
    xl_input input;                                                                                \
    input.in = in + in_offset;                                                                     \
    XL_INPUT_LENGTH(input)                                                                         \
    XL_INPUT_INIT(input) XL_INPUT_CARRY(input) XL_INPUT_SEGMENTS(input) XL_PARAMS_MAKE(input)

#if XL_INIT == 2 || XL_HAS_IDENTITY
/* The result of an exclusive scan for the first element of a segment. For floating-point sums
 * without init it is 0, although the identity is -0. An inclusive scan does not change the first
 * element. */
XL_E xl_segment_init(const xl_input *input)
{
#if XL_INIT == 2
    return input->init;
#elif XL_INCLUSIVE
    return xl_identity_e();
#else
    return xl_none_e();
#endif
}
#endif

/* Whether element 0 begins a segment, whatever the segments say. In a part of an array it does not:
 * xl_input_start() precedes it. */
enum { xl_first_begins = !XL_CARRY };

/* The index of element i in the whole array. */
ulong xl_index(const xl_input *input, ulong i)
{
#if XL_CARRY
    return input->first + i;
#else
    return i;
#endif
}

/* Result e in the form in which place i of the output stores it. */
XL_OUT xl_result_store(const xl_input *input, XL_E e, ulong i)
{
    return xl_store(e, xl_index(input, i) XL_PARAMS_OF(input));
}

/* The start of a scan, before its first element. With segments it is the identity, because each
 * head contributes init itself; but the first element of a part need not be a head. */
XL_T xl_input_start(const xl_input *input)
{
#if XL_CARRY
    if (input->continues)
        return xl_accumulator_of(input->carry, false);
#endif
#if (XL_SEGMENTS == 0 || XL_CARRY) && (XL_INIT == 2 || XL_HAS_IDENTITY)
    return xl_accumulator_of(xl_segment_init(input), false);
#else
    return xl_identity();
#endif
}

/* Writes the carry after all elements of this part, for the next part; called by one work-item. If
 * no element has come yet and there is neither an identity nor init, only the flag is written. */
void xl_carry_leave(const xl_input *input, XL_T all)
{
#if XL_CARRY == 2
    if (input->leaves)
        *(__global xl_carry_flag *)(input->carry_out + 1) = (all.flags & XL_SOME) != 0;
    if (!(all.flags & XL_SOME))
        return;
#endif
#if XL_CARRY
    if (input->leaves)
        *input->carry_out = xl_element_of(all);
#endif
}

/* The same if the part has no elements. */
void xl_carry_pass(const xl_input *input)
{
#if XL_CARRY
    if (input->n == 0 && get_global_id(0) == 0)
        xl_carry_leave(input, xl_input_start(input));
#endif
}

/* The result of a scan for element x: `carry` is the scan before x, and `next` the scan after
 * it. */
XL_T xl_result(const xl_input *input, XL_T carry, XL_T x, XL_T next)
{
#if XL_INCLUSIVE
    return next;
#elif XL_SEGMENTS == 0
    return carry;
#else
    return xl_is_head(x) ? xl_accumulator_of(xl_segment_init(input), true) : carry;
#endif
}

/* The accumulator of element i, whose value in the array is x. */
XL_T xl_input_accumulator(const xl_input *input, XL_IN x, ulong i, bool head)
{
    XL_E e = xl_load(x, xl_index(input, i) XL_PARAMS_OF(input));
#if XL_INIT > 0
    if (head && XL_SEGMENTS != 0)
        e = xl_op_e(xl_segment_init(input), e);
#endif
    return xl_accumulator_of(e, head);
}

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
