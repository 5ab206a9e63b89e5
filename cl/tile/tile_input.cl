/* SPDX-License-Identifier: MIT
 * Where the elements of a scan come from: the array, the load expression, and the
 * places where segments begin. */
#ifndef XL_TILE_INPUT
#define XL_TILE_INPUT

#include "../lane/lane.cl"
#include "../prelude/prelude_accumulator.cl"

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
    const __local uchar *marks;
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
 * elements stands if it is below n. */
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
    XL_INPUT_LENGTH(input) XL_INPUT_INIT(input) XL_INPUT_CARRY(input) XL_INPUT_SEGMENTS(input)
/* A number that somebody writes meanwhile must not be another for each work-item of a group: they
 * would part at barriers. */
#if XL_SERIAL
#define XL_INPUT_LENGTH(input) input.n = length ? min(n, length[length_offset]) : n;
#else
#define XL_INPUT_LENGTH(input)                                                                     \
    __local ulong input##_n;                                                                       \
    input.n = n;                                                                                   \
    if (length) {                                                                                  \
        if (get_local_id(0) == 0)                                                                  \
            input##_n = min(n, length[length_offset]);                                             \
        XL_LOCAL_BARRIER();                                                                        \
        input.n = input##_n;                                                                       \
    }
#endif
#if XL_HAS_INIT
#define XL_INPUT_INIT(input) input.init = init[init_offset];
#else
#define XL_INPUT_INIT(input)
#endif
#if XL_CARRY
#define XL_INPUT_CARRY(input)                                                                      \
    input.continues = carry_in != 0;                                                               \
    if (input.continues)                                                                           \
        input.carry = carry_in[carry_in_offset];                                                   \
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
 * earlier part. XL_INDEX: the place of element i in the whole array. */
#if XL_CARRY
#define XL_BEGINS(input) (!(input)->continues)
#define XL_INDEX(input, i) ((input)->first + (i))
#else
#define XL_BEGINS(input) true
#define XL_INDEX(input, i) (i)
#endif

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
    XL_E e = XL_AS_E(XL_LOADED(x, XL_INDEX(input, i)));
#if XL_INIT_AT_HEADS
    if (head)
        e = xl_op_e(XL_SEGMENT_INIT(input), e);
#endif
    return xl_accumulator_of(e, head);
}

#if XL_SEGMENTS == 4
/* The first of `count` offsets that is not below `at`. */
ulong xl_offset_search(const __global XL_SEG *offsets, ulong count, ulong at)
{
    ulong low = 0;
    while (count > 0) {
        const ulong half_count = count / 2;
        const bool below = offsets[low + half_count] < at;
        low = below ? low + half_count + 1 : low;
        count = below ? count - half_count - 1 : half_count;
    }
    return low;
}

/* The same from place `next` on, without many rounds past many empty segments: after the first
 * few offsets it goes by leaps that double, and then searches what it leapt over. A work-item that
 * walks a tile calls it where a segment ends: at every element it costs 3 times the rest (PoCL
 * 3.1). */
ulong xl_offset_pass(const __global XL_SEG *offsets, ulong count, ulong next, ulong at)
{
    enum { FEW = 8 };
    ulong leap = FEW;
    for (uint k = 0; k < FEW; ++k, ++next)
        if (next >= count || offsets[next] >= at)
            return next;
    for (; leap < count - next && offsets[next + leap] < at; leap *= 2)
        next += leap + 1;
    return next + xl_offset_search(offsets + next, min(leap, count - next), at);
}

#if XL_LANE_WAY != 0
/* As xl_offset_search(), by a sub-group, for element `at` of n. It looks first around the place
 * where the offset is if all segments are as long, then ever farther from there, and then between
 * the last two places: each step asks as many places as there are lanes. Where segments are about
 * as long that is one trip to memory; five of them for each tile cost a third of the whole scan of
 * 2^24 words on an H200. */
ulong xl_offset_search_lanes(const __global XL_SEG *offsets, ulong count, ulong at, ulong n)
{
    const long lane = (long)xl_lane_id(), width = (long)xl_lane_width(), end = (long)count;
    const long guess = n > 0 ? min((long)((float)at / (float)n * (float)count), end) : 0;
    long low = 0, high = end;
    for (long step = 1; low < high && step <= end; step *= width) {
        const long first = guess - width / 2 * step, place = first + lane * step;
        const bool below = place < low || (place < high && offsets[place] < at);
        const long passed = (long)popcount(xl_lane_ballot(below));
        if (passed > 0)
            low = max(low, min(first + (passed - 1) * step + 1, high));
        if (passed < width)
            high = max(low, min(high, first + passed * step));
        if (passed > 0 && passed < width)
            break;
    }
    while (low < high) {
        const long step = (high - low) / (width + 1) + 1; /* places low + step - 1, ... */
        const long place = low + (lane + 1) * step - 1;
        const bool below = place < high && offsets[place] < at;
        const long passed = (long)popcount(xl_lane_ballot(below)) * step;
        low += passed;
        high = min(high, low + step - 1);
    }
    return (ulong)low;
}
#endif
#endif

#if XL_SEGMENTS == 4 && !XL_SERIAL
/* Neighbouring offsets that a work-item loads together, every step-th pair; one by one, each
 * behind a look at the pair before it, they would cost a trip to memory each. */
#define XL_PAIRS 8
void xl_pairs_load(const __global XL_SEG *offsets, uint step, XL_SEG *from, XL_SEG *to)
{
#pragma unroll
    for (uint k = 0; k < XL_PAIRS; ++k) {
        from[k] = offsets[(ulong)k * step];
        to[k] = offsets[(ulong)k * step + 1];
    }
}

/* Marks the place of an offset, if it is in the tile. Of equal offsets one writes. Those that
 * fall are the caller's mistake, and write nothing else. */
void xl_mark_put(__local uchar *marks, ulong base, ulong end, ulong before, ulong at)
{
    if (at >= base && at < end && at != before)
        marks[(uint)(at - base)] = 1;
}

#define XL_MARK_WORDS XL_CEIL_DIV(XL_TILE, 4)
/* Marks where segments begin in the tile from `base` to before `end`, a byte for each element,
 * which needs no atomics. `first` is the first offset that is not below base. Among so many empty
 * segments that this would take long, elements look their own offset up instead. All work-items
 * call it together, and none may still read the marks of another tile. */
void xl_marks_make(xl_input *input, __local uint *words, ulong base, ulong end, ulong first)
{
    const __global XL_SEG *const offsets = input->segments;
    const uint i = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const ulong far = first + 8 * XL_TILE;
    const bool many = far < input->count && offsets[far] < end;
    __local uchar *const marks = (__local uchar *)words;
    for (uint k = i; k < XL_MARK_WORDS; k += size)
        words[k] = 0;
    XL_LOCAL_BARRIER();
    /* The first of a work-item by itself: where segments are long it has no second. */
    bool more = !many;
    for (ulong s = first + i; more && s < input->count;) {
        if (s >= first + size && s + (XL_PAIRS - 1) * size < input->count) {
            XL_SEG from[XL_PAIRS], to[XL_PAIRS];
            xl_pairs_load(offsets + s - 1, size, from, to);
#pragma unroll
            for (uint k = 0; k < XL_PAIRS; ++k)
                xl_mark_put(marks, base, end, from[k], to[k]);
            more = to[XL_PAIRS - 1] < end;
            s += XL_PAIRS * size;
        } else {
            const ulong at = offsets[s];
            xl_mark_put(marks, base, end, s > 0 ? offsets[s - 1] : ~0ul, at);
            more = at < end;
            s += size;
        }
    }
    XL_LOCAL_BARRIER();
    input->base = many ? 1ul << 63 : base;
    input->marks = marks;
}
#else
#define XL_MARK_WORDS 1
#endif

#if XL_SEGMENTS >= 5
/* Bit k: element k of 32 begins a segment, where the first of them is the `at`-th of its
 * period. */
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
    if (width <= 32) { /* as often as 64 bits hold it, for at + 32 of them */
        for (ulong filled = width; filled < 64; filled *= 2)
            bits |= bits << filled;
        bits >>= at;
    } else if (at > 0) {
        bits = mask >> at | mask << (width - at);
    }
    return (uint)bits;
}
#endif

#if XL_SEGMENTS == 3
/* The key before element i; in front of the first stands that of the part before. */
#define XL_KEY_BEFORE(input, i)                                                                    \
    ((i) > 0 || !XL_BEGINS(input) ? (input)->segments[(long)(i)-1] : (input)->segments[0])
#endif

/* Bit j: element i + j begins a segment, for j < k <= 16. All of them must be there, and i
 * be a multiple of k, which is a power of two. */
#if XL_SEGMENTS == 0
#define xl_heads(input, i, k) 0u
#elif XL_SEGMENTS != 4 || !XL_SERIAL
uint xl_heads(const xl_input *input, ulong i, uint k)
{
    uint bits = 0;
#if XL_SEGMENTS == 1
    for (uint j = 0; j < k; ++j)
        bits |= (uint)(input->segments[i + j] != 0) << j;
#elif XL_SEGMENTS == 2
    bits = input->segments[i / 32] >> i % 32 & ((1u << k) - 1u);
#elif XL_SEGMENTS == 3
    XL_SEG before = XL_KEY_BEFORE(input, i);
    for (uint j = 0; j < k; ++j) {
        const XL_SEG key = input->segments[i + j];
        bits |= (uint)(key != before) << j;
        before = key;
    }
#elif XL_SEGMENTS == 4
    if (i - input->base < XL_TILE) {
        const uint at = (uint)(i - input->base);
        if (k % 4 == 0) {
            for (uint j = 0; j < k; j += 4) /* four bytes of 0 or 1 as bits */
                bits |= *(const __local uint *)(input->marks + at + j) * 0x10204080u >> 28 << j;
        } else {
            for (uint j = 0; j < k; ++j)
                bits |= (uint)input->marks[at + j] << j;
        }
    } else { /* a tile in the fallback of a look-back, or too many offsets */
        ulong next = xl_offset_search(input->segments, input->count, i);
        for (uint j = 0; j < k; ++j) {
            next = xl_offset_pass(input->segments, input->count, next, i + j);
            bits |= (uint)(next < input->count && input->segments[next] == i + j) << j;
        }
    }
#else
    /* A 64-bit remainder is slow: taken once. */
    ulong at = XL_INDEX(input, i) % input->width;
    for (uint j = 0; j < k; ++j) {
#if XL_SEGMENTS == 5
        bits |= (uint)(at == 0) << j;
#else
        bits |= (uint)(at == 0 || (input->mask >> at & 1) != 0) << j;
#endif
        at = at + 1 == input->width ? 0 : at + 1;
    }
#endif
    return i == 0 && XL_BEGINS(input) ? bits | 1u : bits;
}
#endif

#if XL_SEGMENTS != 4 || !XL_SERIAL
/* Element i by itself. */
XL_T xl_input_one(const xl_input *input, ulong i)
{
    const bool head = xl_heads(input, i, 1) & 1;
    return xl_input_accumulator(input, input->in[i], i, head);
}
#endif

#endif
