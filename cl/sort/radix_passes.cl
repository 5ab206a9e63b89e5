/* SPDX-License-Identifier: MIT
 * Radix sort, stable, least significant digit first: the part that its kernels share. A pass moves
 * keys by one digit: from the input to the output or the spare arrays, then between these two. The
 * device finds the passes. The host launches as many as a key has digits; passes that the keys do
 * not need return at once.
 *
 * With three launches per pass, no work-group waits for another. Each has a chunk of consecutive
 * keys. If work-items run one after another on a core, one work-item walks a chunk
 * (cl/sort/radix_serial.cl); otherwise a group processes it tile by tile (cl/sort/radix_group.cl).
 * Both have these kernels:
 *   xl_radix_bits      of each chunk: the bits that differ from those of the array's first key
 *   xl_radix_begin     the passes: digits of up to 8 bits that contain all such bits
 * then, once for each digit that a key may have,
 *   xl_radix_count     of each chunk: the number of keys of each digit
 *   xl_radix_offsets   where they go: by digit, and within a digit by chunk
 *   xl_radix_scatter   moves keys and values there
 * and at the end
 *   xl_radix_end       copies the result if it is not in the output.
 * If one work-item walks a chunk, these are only for keys that buckets do not divide evenly
 * (cl/sort/radix_serial.cl). One launch per pass: cl/sort/sort_onesweep.cl. If another kernel
 * changes the keys concurrently, their order is unspecified, but nothing is written outside the
 * arrays. */
#ifndef XL_RADIX_PASSES
#define XL_RADIX_PASSES

#include "sort_arrays.cl"

enum { XL_DIGIT_BITS = 8, XL_DIGITS = 1 << XL_DIGIT_BITS };

/* Tests sort few keys as a large sort, with places from below 2^32 to above: places are numbered as
 * if that many keys preceded the first one, and array pointers are moved back as far. */
xl_place xl_first_place(void)
{
    return XL_INJECT_PLACES > 0 ? (xl_place)(((ulong)1 << 32) - XL_INJECT_PLACES) : 0;
}

/* The host knows the size: lib/sort/sort_shape.c. */
typedef struct xl_radix_state {
    uint passes;
    uint shift[8],
        bits[8]; /* of each pass: its digit; with one launch per pass, `bits` only for bit ranges */
    /* For buckets: whether they are used, and the digit that defines them, by even steps or by a
     * table. Other sorts do not read this. */
    uint has_buckets, is_even, bucket_shift;
    ulong bucket_first;
} xl_radix_state;

/* After the state, which has this much room: the result of xl_radix_bits, a ulong for each chunk,
 * and the counts, XL_DIGITS for each chunk. */
enum { XL_RADIX_STATE_BYTES = 128 };

typedef struct xl_radix {
    xl_sort_in in;
    xl_sort_out out, spare;
    __global xl_radix_state *state;
    __global ulong *bits;
    __global xl_place *counts;
    uint first_bit, end_bit; /* the bits of a key that are sorted by */
    xl_place begin, end;     /* the chunk of this work-item or group */
    bool in_place, moves;    /* keys or values are in place; not both are: some must be written */
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

/* `chunk`: keys of a chunk; `chunks`: their number. `spare_keys`, `spare_values`, `state`: byte
 * offsets into the scratch. `in_place`: 0: neither is in place, 1: both, 2: either the keys or the
 * values. `begin_bit`, `end_bit`: a range of bits; known when a plan is made, but each range would
 * need a separate program. */
#define XL_RADIX_ARGUMENTS                                                                         \
    xl_place n_most, const __global ulong *length, ulong length_offset, uint begin_bit,            \
        uint end_bit, uint chunk, uint chunks, uint in_place, __global uchar *scratch,             \
        ulong spare_keys, ulong state, __global const XL_KEY *keys_in, ulong keys_in_offset,       \
        __global XL_KEY *keys_out, ulong keys_out_offset XL_RADIX_VALUES
#define XL_RADIX_MAKE                                                                              \
    xl_place n;                                                                                    \
    XL_LENGTH_READ(xl_place, n, n_most, length, length_offset)                                     \
    xl_radix radix;                                                                                \
    radix.first_bit = XL_BIT_RANGE ? begin_bit : 0;                                                \
    radix.end_bit = XL_BIT_RANGE ? end_bit : XL_KEY_BITS;                                          \
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

/* The passes for keys that differ in `bits`: digits of up to 8 bits that contain all of these.
 * `bits` comes from the scratch, where another kernel may write, so it is limited to the bits of a
 * key. */
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

/* Whether pass number `pass` writes the spare arrays instead of the output: alternately, so that
 * the last pass writes the output. In place, the first pass must not write its input, so an odd
 * number of passes needs a copy at the end. */
bool xl_radix_to_spare(const xl_radix *radix, uint pass, uint passes)
{
    return radix->in_place ? pass % 2 == 0 : (passes - 1 - pass) % 2 == 1;
}

/* `passes`: from the state; a parameter, so that it is not read again before the first key is. */
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

#endif
