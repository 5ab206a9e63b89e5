/* SPDX-License-Identifier: MIT
 * A work-group reduces the segments of a run, tile by tile: elements come in by wide loads
 * and are turned in local memory, so that each work-item scans XL_ITEMS neighbours; what
 * each segment's last element has goes back to local memory, and from there to the array
 * in order. The cost of a tile does not depend on where segments begin.
 *
 * Asks for what cl/tile/tile_reduce_run.cl and cl/group/group_scan.cl ask for, with
 * XL_SERIAL 0, and
 *   XL_ITEMS  elements of a work-item, a power of two up to 16
 *   XL_VLEN   elements of a vector: divides XL_ITEMS; 1 where they are no scalars
 * All work-items of the group must call these together. */
#ifndef XL_TILE_REDUCE_GROUP
#define XL_TILE_REDUCE_GROUP

#include "../group/group_scan.cl"
#include "tile_reduce_run.cl"

#if !defined(XL_ITEMS) || !defined(XL_VLEN)
#error "XL_ITEMS and XL_VLEN must be defined"
#elif XL_TILE != XL_GROUP_SIZE * XL_ITEMS
#error "XL_TILE must be XL_GROUP_SIZE * XL_ITEMS"
#endif

/* Neighbours of a work-item lie together; one place between work-items keeps them in
 * different banks. */
#define XL_AT(p) ((p) + (p) / XL_ITEMS)
typedef union xl_stage {
    XL_IN in[XL_AT(XL_TILE) + 1];
    XL_E out[XL_AT(XL_TILE) + 1];
} xl_stage;

/* Whether heads are marked in local memory; else they are asked for. */
#define XL_MARKS (XL_SEGMENTS == 1 || XL_SEGMENTS == 3 || XL_SEGMENTS == 4)

typedef struct xl_desk {
    xl_stage stage;
    XL_T scratch[XL_GROUP_SCRATCH];
    ulong numbers[XL_GROUP_SIZE];
    ulong next;  /* the first segment that ends after the tile */
    uint closed; /* the tile's last element is the last of its segment */
#if XL_MARKS
    uchar heads[XL_TILE + 1]; /* one more: it tells whether the last element is a last one */
#endif
#if XL_SEGMENTS == 3
    ushort last[XL_TILE + 1]; /* of each result: its last element */
#endif
} xl_desk;
#define XL_NO_RESULT 0xffff

/* A tile: elements base + first to before base + end are the run's. */
typedef struct xl_part {
    ulong base;
    uint first, end;
} xl_part;

#if XL_VLEN > 1
typedef XL_JOIN(XL_IN, XL_VLEN) xl_in_row;
#define XL_ROW_LIST(x, list) XL_JOIN(vstore, XL_VLEN)((x), 0, (list))
#else
typedef XL_IN xl_in_row;
#define XL_ROW_LIST(x, list) (*(list) = (x))
#endif
#define XL_LOADS (XL_ITEMS / XL_VLEN)

void xl_stage_load(__local xl_stage *stage, const xl_input *input, xl_part part)
{
    const uint i = (uint)get_local_id(0);
    const __global XL_IN *const from = input->in + part.base;
    const bool aligned = XL_VLEN == 1 || ((size_t)from & (sizeof(XL_IN) * XL_VLEN - 1)) == 0;
    if (aligned && input->n - part.base >= XL_TILE) {
        xl_in_row row[XL_LOADS];
#pragma unroll
        for (uint k = 0; k < XL_LOADS; ++k)
            row[k] = ((const __global xl_in_row *)from)[k * XL_GROUP_SIZE + i];
#pragma unroll
        for (uint k = 0; k < XL_LOADS; ++k) {
            XL_IN x[XL_VLEN];
            const uint at = (k * XL_GROUP_SIZE + i) * XL_VLEN;
            XL_ROW_LIST(row[k], x);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                stage->in[XL_AT(at + v)] = x[v];
        }
    } else {
        for (uint p = i; p < part.end; p += XL_GROUP_SIZE)
            if (p >= part.first)
                stage->in[XL_AT(p)] = from[p];
    }
}

/* desk->heads of the tile. `next` is the first segment that may end in it, whose first
 * element, if it is here, is a head. */
#if XL_SEGMENTS == 4
void xl_ends_mark(__local xl_desk *desk, const xl_input *input, xl_part part, xl_extent extent,
                  ulong next)
{
    const uint i = (uint)get_local_id(0);
    const ulong end = part.base + part.end;
    for (uint p = i; p <= XL_TILE; p += XL_GROUP_SIZE)
        desk->heads[p] = 0;
    XL_LOCAL_BARRIER();
    if (i == 0 && next + 1 < input->count) {
        const ulong at = (ulong)input->segments[next] - part.base;
        if (at < XL_TILE)
            desk->heads[at] = 1;
    }
    for (ulong s = next + i; s < extent.after; s += XL_GROUP_SIZE) {
        const ulong from = input->segments[s], to = input->segments[s + 1];
        const ulong at = to - part.base;
        if (to > end)
            break;
        if (at <= XL_TILE && from < to)
            desk->heads[at] = 1;
    }
}
#elif XL_SEGMENTS == 1 || XL_SEGMENTS == 3
void xl_heads_mark(__local xl_desk *desk, const xl_input *input, ulong base)
{
    for (uint p = (uint)get_local_id(0); p <= XL_TILE; p += XL_GROUP_SIZE)
        desk->heads[p] = base + p < input->n ? (uchar)(xl_heads(input, base + p, 1) & 1)
                                             : (uchar)(base + p == input->n);
#if XL_SEGMENTS == 3
    if (get_local_id(0) == 0)
        desk->last[0] = XL_NO_RESULT;
#endif
}
#else
#define xl_heads_mark(desk, input, base)
#endif

/* Bit k: element p + k of the tile begins a segment; one bit more than XL_ITEMS, and the
 * end of the array counts as such. */
uint xl_heads_of(const __local xl_desk *desk, const xl_input *input, ulong base, uint p)
{
    uint bits = 0;
#if XL_MARKS
#pragma unroll
    for (uint k = 0; k <= XL_ITEMS; ++k)
        bits |= (uint)(desk->heads[p + k] != 0) << k;
#else
    const ulong i = base + p;
    if (i >= input->n)
        return 0;
    const ulong left = input->n - i;
    bits = xl_heads(input, i, XL_ITEMS);
    if (left <= XL_ITEMS)
        bits = (bits & ((1u << (uint)left) - 1u)) | 1u << (uint)left;
    else
        bits |= (xl_heads(input, i + XL_ITEMS, 1) & 1) << XL_ITEMS;
#endif
    return bits;
}

/* Scans the tile from `carry`, which it moves on, and leaves the results in the stage: of
 * CSR offsets at the place of each segment's last element, else in order, from the number
 * of heads that `carry` has. */
void xl_part_scan(__local xl_desk *desk, const xl_input *input, xl_part part, XL_T *carry,
                  __global xl_run *record, ulong segment)
{
    const uint p = (uint)get_local_id(0) * XL_ITEMS;
    const uint heads = xl_heads_of(desk, input, part.base, p);
    XL_E e[XL_ITEMS];
    XL_T total = XL_IDENTITY, all;
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const bool head = (heads >> k & 1) != 0;
        if (p + k >= part.first && p + k < part.end) {
            e[k] = XL_VALUE(
                xl_input_state(input, desk->stage.in[XL_AT(p + k)], part.base + p + k, head));
            total = xl_op(total, xl_lift(e[k], head));
        }
    }
    XL_T sum = xl_op(*carry, xl_group_scan_exclusive(total, desk->scratch, &all));
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k) {
        const bool last = (heads >> (k + 1) & 1) != 0;
        if (p + k >= part.first && p + k < part.end) {
            sum = xl_op(sum, xl_lift(e[k], (heads >> k & 1) != 0));
            if (p + k + 1 == part.end)
                desk->closed = last;
#if XL_SEGMENTS == 4
            if (last)
                desk->stage.out[XL_AT(p + k)] = XL_VALUE(sum);
#else
            if (last && !XL_IS_HEAD(sum)) {
                record->open = sum;
                record->index = segment - 1;
            }
            if (last) {
                const uint slot = sum.count - carry->count;
                desk->stage.out[XL_AT(slot)] = XL_VALUE(sum);
#if XL_SEGMENTS == 3
                desk->last[slot] = (ushort)(p + k);
#endif
            }
#endif
        }
    }
    *carry = xl_op(*carry, all);
    XL_LOCAL_BARRIER();
}

#if XL_SEGMENTS == 4
/* Stores what ends in the tile, from segment *next on, which it moves on; the run's own
 * first segment, if it began before, goes to the record. */
void xl_part_store(__local xl_desk *desk, const xl_input *input, xl_part part, xl_extent extent,
                   const xl_sink *sink, __global xl_run *record, ulong *next)
{
    const ulong end = part.base + part.end;
    if (get_local_id(0) == 0)
        desk->next = *next;
    XL_LOCAL_BARRIER();
    for (ulong s = *next + get_local_id(0); s < extent.after; s += XL_GROUP_SIZE) {
        const ulong from = input->segments[s], to = input->segments[s + 1];
        const ulong at = to - part.base - 1;
        if (to > end)
            break;
        const bool some = to > part.base + part.first && at < XL_TILE;
        if (s == extent.segment && from < extent.begin) {
            record->open = some ? xl_lift(desk->stage.out[XL_AT((uint)at)], false) : XL_IDENTITY;
            record->index = s;
        } else {
            xl_sink_put(sink, s,
                        some && from < to ? desk->stage.out[XL_AT((uint)at)] : XL_EMPTY_E(input));
        }
        if (s + 1 == extent.after || input->segments[s + 2] > end)
            desk->next = s + 1;
    }
    XL_LOCAL_BARRIER();
    *next = desk->next;
    XL_LOCAL_BARRIER();
}
#endif

#if XL_SEGMENTS != 4
/* Stores the results from number *next of the run to before `after`, of which number
 * `carry` stands first in the stage. Number 0, of the segment that began before the run, is in
 * the record, if there is one at all. */
void xl_part_store(__local xl_desk *desk, const xl_input *input, xl_part part, ulong segment,
                   const xl_sink *sink, uint carry, uint after, uint *next)
{
    for (uint k = *next + (uint)get_local_id(0); k < after; k += XL_GROUP_SIZE) {
        const ulong index = segment + k - 1;
        if (k > 0)
            xl_sink_put(sink, index, desk->stage.out[XL_AT(k - carry)]);
#if XL_SEGMENTS == 3
        const uint last = desk->last[k - carry];
        if (sink->keys && last != XL_NO_RESULT && index < sink->capacity)
            sink->keys[index] = input->segments[part.base + last];
#endif
    }
    *next = max(*next, after);
}
#endif

#if XL_SEGMENTS == 4
/* From the start of the tiles that hold the run: vectors are loaded whole. */
XL_T xl_walk_run(__local xl_desk *desk, const xl_input *input, xl_extent extent,
                 const xl_sink *sink, __global xl_run *record)
{
    XL_T carry = XL_IDENTITY;
    xl_part part;
    ulong next = extent.segment;
    part.base = extent.begin - extent.begin % XL_VLEN;
    do {
        part.first = extent.begin > part.base ? (uint)(extent.begin - part.base) : 0;
        part.end = (uint)min(extent.end - part.base, (ulong)XL_TILE);
        xl_stage_load(&desk->stage, input, part);
        xl_ends_mark(desk, input, part, extent, next);
        XL_LOCAL_BARRIER();
        xl_part_scan(desk, input, part, &carry, record, 0);
        xl_part_store(desk, input, part, extent, sink, record, &next);
        part.base += XL_TILE;
    } while (part.base < extent.end);
    return carry;
}
#else
XL_T xl_walk_run(__local xl_desk *desk, const xl_input *input, xl_extent extent,
                 const xl_sink *sink, __global xl_run *record)
{
    XL_T carry = XL_IDENTITY;
    xl_part part;
    uint next = 0;
    part.first = 0;
    for (part.base = extent.begin; part.base < extent.end; part.base += XL_TILE) {
        const uint before = carry.count;
        part.end = (uint)min(extent.end - part.base, (ulong)XL_TILE);
        xl_stage_load(&desk->stage, input, part);
        xl_heads_mark(desk, input, part.base);
        XL_LOCAL_BARRIER();
        xl_part_scan(desk, input, part, &carry, record, extent.segment);
        xl_part_store(desk, input, part, extent.segment, sink, before, carry.count + desk->closed,
                      &next);
        XL_LOCAL_BARRIER();
    }
    return carry;
}
#endif

#endif
