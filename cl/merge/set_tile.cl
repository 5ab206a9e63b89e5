/* SPDX-License-Identifier: MIT
 * A work-group walks a tile of the path of a set operation. It loads the keys of the tile into
 * local memory; each work-item finds there the state at which its own elements begin, and walks on
 * from it. The places of the elements that it takes are collected in local memory, so that adjacent
 * work-items store adjacent elements. */
#include "../tile/tile_merge.cl"
#include "set_path.cl"

#define XL_SET_CAPACITY (XL_GROUP_SIZE * XL_ITEMS)
#define XL_SET_NONE 0xffffffffu

XL_SET_PATH(xl_set_tile_path, __local XL_ORDINAL, (XL_ORDINAL))

/* The local memory of a group. */
typedef struct xl_set_local {
    XL_ORDINAL keys[XL_SET_CAPACITY]; /* of the first array, then of the second */
    uint sums[XL_GROUP_SIZE];
    xl_set_part part;
} xl_set_local;

void xl_set_load(const xl_runs *runs, const xl_set_part *part, __local xl_set_local *local_)
{
    const uint in_first = part->end.first - part->begin.first;
    const uint count = in_first + (part->end.second - part->begin.second);
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint at = (uint)get_local_id(0) + e * XL_GROUP_SIZE;
        if (at < count)
            local_->keys[at] = xl_key_map(
                *(at < in_first ? runs->first + (part->begin.first + at)
                                : runs->second + (part->begin.second + (at - in_first))));
    }
    xl_local_barrier();
}

/* Walks the XL_ITEMS elements of a work-item, which are at most one step more: stores for each step
 * the place in the tile of the element that it takes, or XL_SET_NONE. Returns how many it takes. */
uint xl_set_walk(const __local XL_ORDINAL *keys, const xl_set_part *part, uint *places)
{
    const uint in_first = part->end.first - part->begin.first;
    const uint in_second = part->end.second - part->begin.second, count = in_first + in_second;
    const uint d = min((uint)get_local_id(0) * XL_ITEMS, count), end = min(d + XL_ITEMS, count);
    const xl_set_cut cut = xl_set_tile_path(keys, in_first, keys + in_first, in_second, d);
    uint i = cut.first, j = cut.second, taken = 0;
#pragma unroll
    for (uint e = 0; e <= XL_ITEMS; ++e) {
        const XL_ORDINAL a = keys[min(i, XL_SET_CAPACITY - 1u)];
        const XL_ORDINAL b = keys[min(in_first + j, XL_SET_CAPACITY - 1u)];
        const bool has_first = i < in_first, has_second = j < in_second;
        uint first = has_first & (!has_second | (a <= b));
        uint second = has_second & (!has_first | (b <= a));
        const uint goes = i + j + first + second <= end;
        first &= goes;
        second &= goes;
        const bool takes = XL_SET_TAKES(first, second);
        places[e] = takes ? (first ? i : in_first + j) : XL_SET_NONE;
        taken += takes;
        i += first;
        j += second;
    }
    return taken;
}

/* The sum of `mine` over the work-items up to this one. */
uint xl_set_sum(uint mine, __local uint *sums)
{
    const uint w = (uint)get_local_id(0);
    sums[w] = mine;
    xl_local_barrier();
    for (uint step = 1; step < XL_GROUP_SIZE; step *= 2) {
        const uint below = w >= step ? sums[w - step] : 0;
        xl_local_barrier();
        mine += below;
        sums[w] = mine;
        xl_local_barrier();
    }
    return mine;
}

/* Loads tile number get_group_id(0). One work-item reads where it lies and broadcasts that, so that
 * a concurrent write cannot make work-items differ. */
xl_set_part xl_set_open(const xl_merge_in *in, const xl_set_scratch *s,
                        __local xl_set_local *local_)
{
    if (get_local_id(0) == 0)
        local_->part = xl_set_part_of(s, &in->keys, get_group_id(0), XL_SET_CAPACITY);
    xl_local_barrier();
    const xl_set_part part = local_->part;
    xl_set_load(&in->keys, &part, local_);
    return part;
}

/* Stores the number of elements that the operation takes from the tile. */
void xl_set_count(const xl_merge_in *in, const xl_set_scratch *s, __local xl_set_local *local_)
{
    uint places[XL_ITEMS + 1];
    const xl_set_part part = xl_set_open(in, s, local_);
    const uint sum = xl_set_sum(xl_set_walk(local_->keys, &part, places), local_->sums);
    if (get_local_id(0) == XL_GROUP_SIZE - 1)
        s->sums[get_group_id(0)] = min(sum, (uint)XL_SET_CAPACITY);
}

/* Writes these elements to at most `room` places. */
void xl_set_write(const xl_merge_in *in, const xl_merge_out *out, const xl_set_scratch *s,
                  uint room, __local xl_set_local *local_)
{
    uint places[XL_ITEMS + 1];
    const xl_set_part part = xl_set_open(in, s, local_);
    const uint in_first = part.end.first - part.begin.first;
    const uint at = s->sums[get_group_id(0)], stop = min(s->sums[get_group_id(0) + 1], room);
    const uint taken = xl_set_walk(local_->keys, &part, places);
    uint place = xl_set_sum(taken, local_->sums) - taken;
    const uint total = min(local_->sums[XL_GROUP_SIZE - 1], stop - min(at, stop));
#pragma unroll
    for (uint e = 0; e <= XL_ITEMS; ++e)
        if (places[e] != XL_SET_NONE && place < XL_SET_CAPACITY)
            local_->keys[place++] = places[e];
    xl_local_barrier();
#pragma unroll
    for (uint e = 0; e < XL_ITEMS; ++e) {
        const uint k = (uint)get_local_id(0) + e * XL_GROUP_SIZE;
        if (k < total) {
            const uint from = (uint)local_->keys[k];
            const bool from_first = from < in_first;
            xl_set_put(in, out, at + k, from_first,
                       from_first ? part.begin.first + from
                                  : part.begin.second + (from - in_first));
        }
    }
}
