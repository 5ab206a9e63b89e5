/* SPDX-License-Identifier: MIT
 * Reduction of segments, by chunks (cl/reduce/reduce_chunk.cl):
 *   xl_reduce_count    for flags, bits and keys: counts the segments that begin in each chunk. A
 *                      chunk needs these counts to number its segments
 *   xl_reduce_upsweep  each chunk stores the results of segments that end in it, and its carry-out
 *   xl_reduce_fix_up   one group folds the carry-outs in order and stores the results of segments
 *                      that begin in one chunk and end in another
 * If there is one chunk, there is nothing to fix up. A launch that does not start at chunk 0
 * continues from the end of the fix-up before it. */
#define XL_TILE_FUNCTIONS 0
#define XL_INCLUSIVE 1
#define XL_CARRY 0
#if XL_SEGMENTS != 4 /* CSR offsets say where results are */
#define XL_ACCUMULATOR 2
#endif
#include "../tile/tile_input.cl"

#if !XL_SERIAL
#include "../tile/tile_load.cl"
#include "../tile/tile_marks.cl"
#endif
#include "reduce_chunk.cl"

#if XL_SEGMENTS == 0
#error "cl/reduce/reduce_whole.cl reduces arrays without segments"
#endif

#if XL_SEGMENTS == 3
/* xl_heads() of the keys in 16 aligned bytes; `first`: the array's first. */
uint xl_heads_in_keys(const __global XL_SEG *from, bool first)
{
    XL_SEG key[XL_SEG_VLEN];
    XL_JOIN(vstore, XL_SEG_VLEN)
    (*(const __global XL_JOIN(XL_SEG, XL_SEG_VLEN) *)from, 0, key);
    return xl_heads_among(key, first ? key[0] : from[-1], XL_SEG_VLEN, first);
}
#endif

#if XL_SERIAL
/* ---- one work-item reduces the segments of a chunk, element by element ---- */

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
#else
/* ---- a work-group reduces the segments of a chunk, tile by tile ---- */

/* It loads elements as vectors and transposes them in local memory, so that each work-item scans
 * XL_ITEMS adjacent elements. The scan at the last element of each segment is the segment's result;
 * results return to local memory and are stored from there in order. The cost of a tile does not
 * depend on where segments begin. XL_ITEMS must be a power of two up to 16 that XL_VLEN divides. The
 * whole group must call each function together. */

/* The elements of a work-item are adjacent; a gap of one element between work-items puts them into
 * different banks. */
#define XL_AT(p) ((p) + (p) / XL_ITEMS)
typedef union xl_stage {
    XL_IN in[XL_AT(XL_TILE) + 1];
    XL_E out[XL_AT(XL_TILE) + 1];
} xl_stage;

/* Whether heads are marked in local memory by a byte of 0 or 1 each; otherwise they are computed.
 * One more byte tells whether the tile's last element is the last of its segment. */
#define XL_MARKS (XL_SEGMENTS == 1 || XL_SEGMENTS == 3 || XL_SEGMENTS == 4)
#define XL_CHUNK_MARK_VECTORS (XL_TILE / 16 + 1)

typedef struct xl_temp_storage {
#if XL_MARKS
    uint4 marks[XL_CHUNK_MARK_VECTORS];
#endif
    xl_stage stage;
    XL_T scratch[XL_GROUP_SIZE];
    ulong numbers[XL_GROUP_SIZE];
    ulong next;               /* the first segment that ends after the tile */
    uint closed;              /* 1: the tile's last element is the last of its segment */
#if XL_SEGMENTS == 3
    ushort last[XL_TILE + 1]; /* the last element of each result's segment */
#endif
} xl_temp_storage;
#define XL_NO_RESULT 0xffff

/* A tile. Elements base + first to before base + end belong to the chunk; first < XL_VLEN. */
typedef struct xl_chunk_tile {
    ulong base;
    uint first, end;
} xl_chunk_tile;

#define XL_LOADS (XL_ITEMS / XL_VLEN)

/* The elements of a whole tile that a work-item loads. */
typedef struct xl_loaded_rows {
    xl_in_vec row[XL_LOADS];
    bool whole;
} xl_loaded_rows;

void xl_rows_start(xl_loaded_rows *load, const xl_input *input, ulong base)
{
    const __global XL_IN *const from = input->in + base;
    load->whole =
        xl_is_aligned(from, sizeof(XL_IN)) && base < input->n && input->n - base >= XL_TILE;
    if (load->whole) {
#pragma unroll
        for (uint k = 0; k < XL_LOADS; ++k)
            load->row[k] = ((const __global xl_in_vec *)from)[k * XL_GROUP_SIZE + get_local_id(0)];
    }
}

void xl_rows_stage(const xl_loaded_rows *load, __local xl_stage *stage, const xl_input *input,
                   xl_chunk_tile chunk_tile)
{
    const uint i = (uint)get_local_id(0);
    if (load->whole) {
#pragma unroll
        for (uint k = 0; k < XL_LOADS; ++k) {
            XL_IN x[XL_VLEN];
            const uint at = (k * XL_GROUP_SIZE + i) * XL_VLEN;
            xl_in_unpack(load->row[k], x);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                stage->in[XL_AT(at + v)] = x[v];
        }
    } else {
        for (uint p = i; p < chunk_tile.end; p += XL_GROUP_SIZE)
            if (p >= chunk_tile.first)
                stage->in[XL_AT(p)] = input->in[chunk_tile.base + p];
    }
}

#if XL_SEGMENTS == 4
/* The number of an element as an offset, or the greatest offset if the type holds no such number. */
XL_SEG xl_offset_of(ulong element)
{
    return (XL_SEG)min(element, (ulong)(XL_SEG) ~(XL_SEG)0);
}

/* The segments from `next` on that end in the chunk, at most. They are counted in 32 bits. If another
 * kernel changes the offsets, `next` may be above `after`. */
uint xl_segments_left(xl_chunk chunk, ulong next)
{
    return (uint)min(max(chunk.after, next) - next, (ulong)0x7fffffff);
}

/* Marks the heads of a tile whose marks are clear. `next` is the first segment that may end in the
 * tile; if its first element is in the tile, it is a head. A segment that ends at the end of the
 * tile has its mark there, behind its last element. */
void xl_ends_mark(__local xl_temp_storage *storage, const xl_input *input, xl_chunk_tile chunk_tile,
                  xl_chunk chunk, ulong next)
{
    const __global XL_SEG *const offsets = input->segments + next;
    __local uchar *const marks = (__local uchar *)storage->marks;
    if (get_local_id(0) == 0) {
        storage->next = next;
        if (next + 1 < input->count && offsets[0] - chunk_tile.base < XL_TILE)
            marks[(uint)(offsets[0] - chunk_tile.base)] = 1;
    }
    xl_offsets_mark(marks, offsets + 1, xl_segments_left(chunk, next), chunk_tile.base,
                    chunk_tile.end + 1, 1);
}
#elif XL_SEGMENTS == 1 || XL_SEGMENTS == 3
/* Marks the heads of a tile, from element `at` on, by the flags or keys in 16 aligned bytes. */
void xl_marks_put(__local xl_temp_storage *storage, const __global XL_SEG *from, uint at,
                  bool first)
{
#if XL_SEGMENTS == 1
    storage->marks[at / 16] = xl_flags_marks(*(const __global uint4 *)(from + at));
#else
    const uint heads = xl_heads_in_keys(from + at, first);
    __local uchar *const marks = (__local uchar *)storage->marks + at;
#pragma unroll
    for (uint j = 0; j < XL_SEG_VLEN; ++j)
        marks[j] = heads >> j & 1;
#endif
    if (first)
        ((__local uchar *)storage->marks)[0] = 1;
}

void xl_heads_mark(__local xl_temp_storage *storage, const xl_input *input, ulong base)
{
    const uint each = XL_SEG_VLEN, i = (uint)get_local_id(0);
    const __global XL_SEG *const from = input->segments + base;
    uint p = i;
    if (((size_t)from & 15) == 0 && input->n - base > XL_TILE) {
#pragma unroll 4
        for (uint at = i * each; at + each <= XL_TILE; at += XL_GROUP_SIZE * each)
            xl_marks_put(storage, from, at, base == 0 && at == 0);
        p = XL_TILE / each * each + i;
    }
    for (; p <= XL_TILE; p += XL_GROUP_SIZE)
        ((__local uchar *)storage->marks)[p] = base + p < input->n
                                                   ? (uchar)(xl_heads(input, base + p, 1) & 1)
                                                   : (uchar)(base + p == input->n);
#if XL_SEGMENTS == 3
    if (i == 0)
        storage->last[0] = XL_NO_RESULT;
#endif
}
#else
#define xl_heads_mark(storage, input, base)
#endif

/* Bit k: element p + k of the tile begins a segment; XL_ITEMS + 1 bits. The end of the array counts
 * as the beginning of one. */
uint xl_heads_of(const __local xl_temp_storage *storage, const xl_input *input, ulong base, uint p)
{
#if XL_MARKS
    return xl_marks_bits(storage->marks, p, XL_ITEMS) |
           xl_marks_bits(storage->marks, p + XL_ITEMS, 1) << XL_ITEMS;
#else
    const ulong i = base + p;
    if (i >= input->n)
        return 0;
    const ulong left = input->n - i;
    const uint bits = xl_heads(input, i, XL_ITEMS);
    if (left <= XL_ITEMS)
        return (bits & ((1u << (uint)left) - 1u)) | 1u << (uint)left;
    return bits | (xl_heads(input, i + XL_ITEMS, 1) & 1) << XL_ITEMS;
#endif
}

/* The next value of a work-item's scan. Elements outside the chunk are replaced by the identity; if
 * there is none, the operator is not called on them. */
#if XL_HAS_IDENTITY
#define XL_STEP(value, some, e, head, valid) value = (head) ? (e) : xl_op_e(value, (e));
#else
#define XL_STEP(value, some, e, head, valid)                                                       \
    if (valid) {                                                                                   \
        value = (head) || !some ? (e) : xl_op_e(value, (e));                                       \
        some = true;                                                                               \
    }
#endif

/* The elements of this work-item that belong to the chunk, that begin a segment, that end one. */
typedef struct xl_bits {
    uint valid, heads, lasts;
} xl_bits;

xl_bits xl_bits_of(const __local xl_temp_storage *storage, const xl_input *input,
                   xl_chunk_tile chunk_tile, uint p)
{
    const uint all = (1u << XL_ITEMS) - 1u;
    const uint low = p == 0 ? chunk_tile.first : 0;
    const uint high = (uint)clamp((int)chunk_tile.end - (int)p, 0, XL_ITEMS);
    const uint heads = xl_heads_of(storage, input, chunk_tile.base, p);
    xl_bits bits;
    bits.valid = (all << low) & ((1u << high) - 1u);
    bits.heads = heads & bits.valid;
    bits.lasts = heads >> 1 & bits.valid;
    return bits;
}

/* Scans the tile from `carry`, which it updates, and writes the results to the stage: with CSR
 * offsets at the position of each segment's last element, otherwise in order, where the first one
 * has the number carry.count. */
void xl_chunk_tile_scan(__local xl_temp_storage *storage, const xl_input *input,
                        xl_chunk_tile chunk_tile, XL_T *carry, __global xl_carry_out *carry_out,
                        ulong segment)
{
    const uint p = (uint)get_local_id(0) * XL_ITEMS;
    const xl_bits bits = xl_bits_of(storage, input, chunk_tile, p);
    XL_T total = xl_identity(), all;
    XL_E e[XL_ITEMS];
    bool some = false;
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const bool head = (bits.heads >> k & 1) != 0;
        e[k] = xl_element_of(total);
        if (bits.valid >> k & 1)
            e[k] = xl_element_of(xl_input_accumulator(input, storage->stage.in[XL_AT(p + k)],
                                                      chunk_tile.base + p + k, head));
    }
    XL_E value = xl_element_of(total);
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        XL_STEP(value, some, e[k], (bits.heads >> k & 1) != 0, bits.valid >> k & 1)
    }
    total.value = xl_hold(value);
    total.flags = (bits.heads != 0 ? XL_HEAD : 0) | (bits.valid != 0 ? XL_SOME : 0);
#if XL_ACCUMULATOR == 2
    total.count = popcount(bits.heads);
#endif
    const XL_T sum = xl_op(*carry, xl_group_scan_exclusive(total, storage->scratch, &all));
    value = xl_element_of(sum);
    some = (sum.flags & XL_SOME) != 0;
#if XL_ACCUMULATOR == 2
    uint number = sum.count;
#endif
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const bool last = (bits.lasts >> k & 1) != 0;
        XL_STEP(value, some, e[k], (bits.heads >> k & 1) != 0, bits.valid >> k & 1)
#if XL_ACCUMULATOR == 1
        if (last)
            storage->stage.out[XL_AT(p + k)] = value;
#else
        number += bits.heads >> k & 1;
        if (last && number == 0) {
            carry_out->open = xl_accumulator_of(value, false);
            carry_out->index = segment - 1;
        }
        if (last) {
            storage->stage.out[XL_AT(number - carry->count)] = value;
#if XL_SEGMENTS == 3
            storage->last[number - carry->count] = (ushort)(p + k);
#endif
        }
#endif
    }
    if (chunk_tile.end - 1 - p < XL_ITEMS)
        storage->closed = bits.lasts >> (chunk_tile.end - 1 - p) & 1;
    *carry = xl_op(*carry, all);
    xl_local_barrier();
}

#if XL_SEGMENTS == 4
/* The segments that may end in a tile. */
typedef struct xl_ends {
    XL_SEG base, begin, end; /* of the tile, as offsets; begin: the chunk's first element in it */
    XL_SEG chunk;            /* the chunk's first element */
    uint count;              /* segments */
    bool is_first;           /* the first of them is the chunk's first */
} xl_ends;

/* Stores the result of segment next + k, with elements `from` to before `to`, if it ends in the tile.
 * The chunk's first segment, if it began before the chunk, goes to the carry-out. The first segment
 * that ends later becomes storage->next. */
void xl_end_store(__local xl_temp_storage *storage, const xl_input *input, const xl_ends *ends,
                  const xl_output_iterator *output, __global xl_carry_out *carry_out, ulong next,
                  uint k, XL_SEG from, XL_SEG to)
{
    if (to > ends->end) {
        if (from <= ends->end)
            storage->next = next + k;
        return;
    }
    const bool some = to > ends->begin;
    const uint at = XL_AT((uint)(to - ends->base) - 1u);
    if (k == 0 && ends->is_first && from < ends->chunk) {
        carry_out->open = some ? xl_accumulator_of(storage->stage.out[at], false) : xl_identity();
        carry_out->index = next;
    } else {
        xl_output_iterator_put(output, next + k,
                               some && from < to ? storage->stage.out[at] : xl_empty_e(input));
    }
    if (k + 1 == ends->count)
        storage->next = next + ends->count;
}

/* Stores the results of all segments that end in the tile, from segment `next` on. */
void xl_chunk_tile_store(__local xl_temp_storage *storage, const xl_input *input,
                         xl_chunk_tile chunk_tile, xl_chunk chunk, const xl_output_iterator *output,
                         __global xl_carry_out *carry_out, ulong next)
{
    const __global XL_SEG *const offsets = input->segments + next;
    const uint i = (uint)get_local_id(0);
    xl_ends ends;
    ends.base = xl_offset_of(chunk_tile.base);
    ends.begin = xl_offset_of(chunk_tile.base + chunk_tile.first);
    ends.end = xl_offset_of(chunk_tile.base + chunk_tile.end);
    ends.chunk = xl_offset_of(chunk.begin);
    ends.count = xl_segments_left(chunk, next);
    ends.is_first = next == chunk.segment;
    bool more = true;
    for (uint k = i; more && k < ends.count;) {
        if (k != i && k + (XL_PAIRS - 1) * XL_GROUP_SIZE < ends.count) {
            XL_SEG from[XL_PAIRS], to[XL_PAIRS];
            xl_pairs_load(offsets + k, XL_GROUP_SIZE, from, to);
#pragma unroll
            for (uint j = 0; j < XL_PAIRS; ++j)
                xl_end_store(storage, input, &ends, output, carry_out, next, k + j * XL_GROUP_SIZE,
                             from[j], to[j]);
            more = to[XL_PAIRS - 1] <= ends.end;
            k += XL_PAIRS * XL_GROUP_SIZE;
        } else {
            const XL_SEG to = offsets[k + 1];
            xl_end_store(storage, input, &ends, output, carry_out, next, k, offsets[k], to);
            more = to <= ends.end;
            k += XL_GROUP_SIZE;
        }
    }
}

/* Tiles start at the vector that contains the chunk's first element. */
XL_T xl_chunk_reduce(__local xl_temp_storage *storage, const xl_input *input, xl_chunk chunk,
                     const xl_output_iterator *output, __global xl_carry_out *carry_out)
{
    XL_T carry = xl_identity();
    xl_chunk_tile chunk_tile;
    xl_loaded_rows load;
    ulong next = chunk.segment;
    chunk_tile.first = (uint)(chunk.begin % XL_VLEN);
    chunk_tile.base = chunk.begin - chunk_tile.first;
    xl_marks_clear(storage->marks, XL_CHUNK_MARK_VECTORS);
    xl_rows_start(&load, input, chunk_tile.base);
    xl_local_barrier();
    do {
        chunk_tile.end = (uint)min(chunk.end - chunk_tile.base, (ulong)XL_TILE);
        xl_rows_stage(&load, &storage->stage, input, chunk_tile);
        xl_ends_mark(storage, input, chunk_tile, chunk, next);
        xl_local_barrier();
        if (chunk_tile.base + XL_TILE < chunk.end)
            xl_rows_start(&load, input, chunk_tile.base + XL_TILE);
        xl_chunk_tile_scan(storage, input, chunk_tile, &carry, carry_out, 0);
        xl_chunk_tile_store(storage, input, chunk_tile, chunk, output, carry_out, next);
        xl_marks_clear(storage->marks, XL_CHUNK_MARK_VECTORS);
        xl_local_barrier();
        next = storage->next;
        chunk_tile.first = 0;
        chunk_tile.base += XL_TILE;
        xl_local_barrier();
    } while (chunk_tile.base < chunk.end);
    return carry;
}

/* Two sub-groups do one search each. With khr sub-groups all of them do both, because Intel's CPU
 * compiler crashes on collectives that only some sub-groups call. */
xl_chunk xl_chunk_find(__local xl_temp_storage *storage, const xl_input *input,
                       ulong chunk_elements, ulong group)
{
#if XL_USE_LANES
    for (uint k = 0; k < 2; ++k) {
        const bool mine = k % xl_lane_groups() == xl_lane_group();
        if (XL_LANE_WAY == 2 && !mine)
            continue;
        const ulong ends = xl_merge_search(input, xl_steps_at(input, chunk_elements, group + k));
        if (mine && xl_lane_id() == 0)
            storage->numbers[k] = ends;
    }
#else
    if (get_local_id(0) < 2)
        storage->numbers[get_local_id(0)] =
            xl_merge_search(input, xl_steps_at(input, chunk_elements, group + get_local_id(0)));
#endif
    /* All read the same numbers, even if another kernel changes the offsets concurrently. */
    xl_local_barrier();
    const ulong segment = storage->numbers[0], after = storage->numbers[1];
    return xl_chunk_between(input, chunk_elements, group, segment, after);
}
#else
/* Stores the results *next to before `after` of the chunk; the stage begins with result `carry`.
 * Result 0 is that of a segment that began before the chunk; it goes to the carry-out. */
void xl_chunk_tile_store(__local xl_temp_storage *storage, const xl_input *input,
                         xl_chunk_tile chunk_tile, ulong segment, const xl_output_iterator *output,
                         uint carry, uint after, uint *next)
{
    for (uint k = *next + (uint)get_local_id(0); k < after; k += XL_GROUP_SIZE) {
        const ulong index = segment + k - 1;
        if (k > 0)
            xl_output_iterator_put(output, index, storage->stage.out[XL_AT(k - carry)]);
#if XL_SEGMENTS == 3
        const uint last = storage->last[k - carry];
        if (output->keys && last != XL_NO_RESULT && index < output->capacity)
            output->keys[index] = input->segments[chunk_tile.base + last];
#endif
    }
    *next = max(*next, after);
}

XL_T xl_chunk_reduce(__local xl_temp_storage *storage, const xl_input *input, xl_chunk chunk,
                     const xl_output_iterator *output, __global xl_carry_out *carry_out)
{
    XL_T carry = xl_identity();
    xl_chunk_tile chunk_tile;
    xl_loaded_rows load;
    uint next = 0;
    chunk_tile.first = 0;
    xl_rows_start(&load, input, chunk.begin);
    for (chunk_tile.base = chunk.begin; chunk_tile.base < chunk.end; chunk_tile.base += XL_TILE) {
        const uint before = carry.count;
        chunk_tile.end = (uint)min(chunk.end - chunk_tile.base, (ulong)XL_TILE);
        xl_rows_stage(&load, &storage->stage, input, chunk_tile);
        xl_heads_mark(storage, input, chunk_tile.base);
        xl_local_barrier();
        if (chunk_tile.base + XL_TILE < chunk.end)
            xl_rows_start(&load, input, chunk_tile.base + XL_TILE);
        xl_chunk_tile_scan(storage, input, chunk_tile, &carry, carry_out, chunk.segment);
        xl_chunk_tile_store(storage, input, chunk_tile, chunk.segment, output, before,
                            carry.count + storage->closed, &next);
        xl_local_barrier();
    }
    return carry;
}

xl_chunk xl_chunk_find(__local xl_temp_storage *storage, const xl_input *input,
                       ulong chunk_elements, ulong group)
{
    return xl_chunk_of(input, chunk_elements, group);
}
#endif
#endif

/* ---- the kernels ---- */

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
