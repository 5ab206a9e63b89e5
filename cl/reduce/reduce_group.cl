/* SPDX-License-Identifier: MIT
 * A work-group reduces the segments of a chunk, tile by tile. It loads elements as vectors and
 * transposes them in local memory, so that each work-item scans XL_ITEMS adjacent elements. The
 * scan at the last element of each segment is the segment's result; results return to local memory
 * and are stored from there in order. The cost of a tile does not depend on where segments begin.
 *
 * Requires XL_SERIAL 0, and XL_ITEMS a power of two up to 16 that XL_VLEN divides. The whole group
 * must call each function together. */
#ifndef XL_TILE_REDUCE_GROUP
#define XL_TILE_REDUCE_GROUP

#include "../group/group_scan.cl"
#include "../tile/tile_marks.cl"
#include "../tile/tile_vector.cl"
#include "reduce_chunk.cl"

#if XL_TILE != XL_GROUP_SIZE * XL_ITEMS
#error "XL_TILE must be XL_GROUP_SIZE * XL_ITEMS"
#endif

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
    ulong next;  /* the first segment that ends after the tile */
    uint closed; /* 1: the tile's last element is the last of its segment */
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
        if (XL_DOUBLE_BUFFER && chunk_tile.base + XL_TILE < chunk.end)
            xl_rows_start(&load, input, chunk_tile.base + XL_TILE);
        xl_chunk_tile_scan(storage, input, chunk_tile, &carry, carry_out, 0);
        xl_chunk_tile_store(storage, input, chunk_tile, chunk, output, carry_out, next);
        xl_marks_clear(storage->marks, XL_CHUNK_MARK_VECTORS);
        xl_local_barrier();
        next = storage->next;
        chunk_tile.first = 0;
        chunk_tile.base += XL_TILE;
        if (!XL_DOUBLE_BUFFER && chunk_tile.base < chunk.end)
            xl_rows_start(&load, input, chunk_tile.base);
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
        if (!XL_DOUBLE_BUFFER && chunk_tile.base > chunk.begin)
            xl_rows_start(&load, input, chunk_tile.base);
        xl_rows_stage(&load, &storage->stage, input, chunk_tile);
        xl_heads_mark(storage, input, chunk_tile.base);
        xl_local_barrier();
        if (XL_DOUBLE_BUFFER && chunk_tile.base + XL_TILE < chunk.end)
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
