/* SPDX-License-Identifier: MIT
 * Radix sort, stable, lowest digit first: what its kernels share. Keys go from the input to the
 * output or the spare arrays and to and fro between these, a digit a pass. The device finds the
 * passes itself; the host launches as many as a key has digits, and those that the keys do not need
 * return at once.
 *
 * In three launches a pass no work-group waits for another. Each has a chunk of neighbours: a
 * work-item walks it by itself where work-items run one after another on a core
 * (cl/sort/radix_serial.cl), elsewhere a group takes it tile by tile (cl/sort/radix_group.cl). Both
 * have these kernels:
 *   xl_radix_bits      of each chunk: the bits that differ from those of the array's first key
 *   xl_radix_begin     the passes: digits of up to 8 bits that hold all such bits
 * then, as often as a key may have digits,
 *   xl_radix_count     of each chunk: its keys of each digit
 *   xl_radix_offsets   where they go: digit by digit, and chunk by chunk within a digit
 *   xl_radix_scatter   moves keys and values there
 * and at last
 *   xl_radix_end       copies what has not come to the output.
 * Where a work-item walks a chunk all this is left to keys that buckets do not part evenly
 * (cl/sort/radix_serial.cl). In one launch a pass: cl/sort/sort_onesweep.cl. Keys that somebody
 * changes meanwhile come out in any order, and nothing is written outside the arrays. */
#ifndef XL_RADIX_PASSES
#define XL_RADIX_PASSES

#include "sort_arrays.cl"

enum { XL_DIGIT_BITS = 8, XL_DIGITS = 1 << XL_DIGIT_BITS };

/* Tests of large sorts, which have few keys, take places from below 2^32 to above it: as if as many
 * keys stood before the first. Arrays begin as far before their first element. */
xl_place xl_first_place(void)
{
    return XL_INJECT_PLACES > 0 ? (xl_place)(((ulong)1 << 32) - XL_INJECT_PLACES) : 0;
}

/* The host knows the size: lib/sort/sort_shape.c. */
typedef struct xl_radix_state {
    uint passes;
    uint shift[8],
        bits[8]; /* of each pass: its digit; one launch a pass has bits of ranges alone */
    /* By buckets: whether that is the way, and the digit that has them, by even steps or by a
     * table. Nobody else reads it. */
    uint has_buckets, is_even, bucket_shift;
    ulong bucket_first;
} xl_radix_state;

/* Behind the state, which has so much room: what xl_radix_bits leaves, a ulong for each chunk, and
 * the counts, XL_DIGITS for each chunk. */
enum { XL_RADIX_STATE_BYTES = 128 };

typedef struct xl_radix {
    xl_sort_in in;
    xl_sort_out out, spare;
    __global xl_radix_state *state;
    __global ulong *bits;
    __global xl_place *counts;
    uint first_bit, end_bit; /* of those of a key that count */
    xl_place begin, end;     /* the chunk of this work-item */
    bool in_place, moves; /* keys or values; not both, so that some must be written at least once */
} xl_radix;

#if XL_SORT_VALUES
#define XL_RADIX_VALUES                                                                            \
    , __global const xl_value *values_in, ulong values_in_offset, __global xl_value *values_out,   \
        ulong values_out_offset, ulong spare_values
#define XL_RADIX_VALUES_MAKE                                                                       \
    radix.in.values = values_in + values_in_offset - xl_first_place();                             \
    radix.out.values = values_out + values_out_offset - xl_first_place();                          \
    radix.spare.values = (__global xl_value *)(scratch + spare_values) - xl_first_place();
#else
#define XL_RADIX_VALUES
#define XL_RADIX_VALUES_MAKE
#endif

/* Bits that count. Those of a range are known when a plan is made, but a program of its own for
 * each would have to be compiled. */
#if XL_BIT_RANGE
#define XL_RADIX_RANGE(radix)                                                                      \
    (radix)->first_bit = begin_bit;                                                                \
    (radix)->end_bit = end_bit;
#else
#define XL_RADIX_RANGE(radix)                                                                      \
    (radix)->first_bit = 0;                                                                        \
    (radix)->end_bit = XL_KEY_BITS;
#endif

/* `chunk`: keys of one; `chunks` of them. `spare_keys`, `spare_values`, `state`: bytes into
 * scratch. `in_place`: 0 is apart, 1 in place, 2 one of keys and values. */
#define XL_RADIX_ARGUMENTS                                                                         \
    xl_place n_most, const __global ulong *length, ulong length_offset, uint begin_bit,            \
        uint end_bit, uint chunk, uint chunks, uint in_place, __global uchar *scratch,             \
        ulong spare_keys, ulong state, __global const XL_KEY *keys_in, ulong keys_in_offset,       \
        __global XL_KEY *keys_out, ulong keys_out_offset XL_RADIX_VALUES
#define XL_RADIX_MAKE                                                                              \
    xl_place n;                                                                                    \
    XL_LENGTH_READ(xl_place, n, n_most, length, length_offset)                                     \
    xl_radix radix;                                                                                \
    XL_RADIX_RANGE(&radix)                                                                         \
    radix.in.keys = keys_in + keys_in_offset - xl_first_place();                                   \
    radix.out.keys = keys_out + keys_out_offset - xl_first_place();                                \
    radix.spare.keys = (__global XL_KEY *)(scratch + spare_keys) - xl_first_place();               \
    XL_RADIX_VALUES_MAKE                                                                           \
    radix.state = (__global xl_radix_state *)(scratch + state);                                    \
    radix.bits = (__global ulong *)(scratch + state + XL_RADIX_STATE_BYTES);                       \
    radix.counts = (__global xl_place *)(radix.bits + chunks);                                     \
    radix.begin = min((xl_place)get_group_id(0) * chunk, n);                                       \
    radix.end = xl_first_place() + radix.begin + min((xl_place)chunk, n - radix.begin);            \
    radix.begin += xl_first_place();                                                               \
    radix.in_place = in_place != 0;                                                                \
    radix.moves = in_place != 1;

/* The passes for keys that differ in `bits`: digits of up to 8 bits that hold all of them. What
 * came from scratch, which somebody may write meanwhile, is cut to the bits of a key. */
void xl_passes_find(const xl_radix *radix, ulong bits)
{
    uint passes = 0;
    bits &= ~0ul >> (64 - radix->end_bit) & ~0ul << radix->first_bit;
    while (bits != 0) {
        const uint shift = (uint)popcount((bits & (0 - bits)) - 1); /* the lowest bit */
        const uint width = min((uint)XL_DIGIT_BITS, radix->end_bit - shift);
        radix->state->shift[passes] = shift;
        radix->state->bits[passes++] = width;
        bits &= ~(((1ul << width) - 1ul) << shift);
    }
    radix->state->passes = passes;
}

/* Where pass number `pass` leaves its keys: such that the last one writes the output. In place the
 * first may not write what it reads, so that after an odd number of passes a copy is left. */
bool xl_radix_to_spare(const xl_radix *radix, uint pass, uint passes)
{
    return radix->in_place ? pass % 2 == 0 : (passes - 1 - pass) % 2 == 1;
}

/* `passes`: as the state has it; not read once more before the first key is. */
xl_sort_in xl_radix_source(const xl_radix *radix, uint pass, uint passes)
{
    xl_sort_in from = radix->in;
    if (pass == 0)
        return from;
    const xl_sort_out out = radix->out, spare = radix->spare;
    const bool is_spare = xl_radix_to_spare(radix, pass - 1, passes);
    from.keys = is_spare ? spare.keys : out.keys;
#if XL_SORT_VALUES
    from.values = is_spare ? spare.values : out.values;
#endif
    return from;
}

xl_sort_out xl_radix_target(const xl_radix *radix, uint pass, uint passes)
{
    const xl_sort_out out = radix->out, spare = radix->spare;
    return xl_radix_to_spare(radix, pass, passes) ? spare : out;
}

#if XL_SORT_VALUES
/* As xl_sort_value(). */
xl_value xl_radix_value(xl_sort_in in, xl_place i, const bool first)
{
    if (XL_SORT_INDICES && first)
        return (xl_value)(i - xl_first_place());
    return in.values[i];
}
#endif

uint xl_radix_mask(const xl_radix *radix, uint pass)
{
    return (1u << min(radix->state->bits[pass], (uint)XL_DIGIT_BITS)) - 1u;
}

#endif
