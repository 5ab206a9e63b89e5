/* SPDX-License-Identifier: MIT
 * Repeats each element as often as its length says. Runs are processed in tiles of XL_TILE.
 *
 *   xl_repeat_count   the sum of the lengths of each tile
 *   xl_repeat_spine   where the output of each tile begins and, after the last one, where it ends
 *   xl_repeat_write   reads tiles and writes elements, in equal shares of work: reading a tile
 *                     counts as XL_TILE elements, so neither a long run nor many empty ones are
 *                     left to one work-group
 *
 * If another kernel changes the scratch or the lengths concurrently, results are wrong, but nothing
 * outside the arrays is read or written. */
#include "select_arrays.cl"

#if !XL_SERIAL
#include "../group/group_scan.cl"
#endif

/* Where the output of a tile begins, at most where the room ends. */
ulong xl_repeat_begin(const __global ulong *scratch, ulong tile, ulong wanted)
{
    return min(scratch[tile], wanted);
}

/* The last tile that begins at or before `at` in the order of all work. */
ulong xl_repeat_tile(const __global ulong *scratch, ulong tiles, ulong wanted, ulong at)
{
    ulong low = 0, high = tiles;
    while (high - low > 1) {
        const ulong middle = low + (high - low) / 2;
        if (middle * XL_TILE + xl_repeat_begin(scratch, middle, wanted) <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Writes one output of a run. */
void xl_repeat_give(const xl_select *s, ulong to, ulong from)
{
    if (s->gives & xl_gives_out)
        s->out[to] = s->in[from];
    xl_select_give(s, to, from);
}

/* A part of a tile's output: places `from` to to - 1. The output of the tile begins at `begin`. */
typedef struct xl_repeat_part {
    ulong first; /* first run of the tile */
    uint runs;
    ulong begin, from, to;
} xl_repeat_part;

#if XL_SERIAL
#define XL_REPEAT_LOCAL 0
typedef int xl_repeat_local;

ulong xl_repeat_sum(const xl_select *s, ulong first, uint runs, xl_repeat_local unused)
{
    ulong sum = 0;
    for (uint k = 0; k < runs; ++k)
        sum += s->flags[first + k];
    return sum;
}

void xl_repeat_store(const xl_select *s, const xl_repeat_part *p, xl_repeat_local unused)
{
    ulong at = p->begin;
    for (uint k = 0; k < p->runs && at < p->to; ++k) {
        const ulong next = at + s->flags[p->first + k];
        const ulong from = max(at, p->from), to = min(next, p->to);
        if (from < to && s->gives & xl_gives_out) {
            const xl_element x = s->in[p->first + k];
            __global xl_element *const out = s->out + from;
            for (ulong j = 0; j < to - from; ++j)
                out[j] = x;
        }
        if (s->gives & xl_gives_by_place)
            for (ulong j = from; j < to; ++j)
                xl_select_give(s, j, p->first + k);
        at = next;
    }
}

__kernel XL_REQUIRED void xl_repeat_spine(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    ulong sum = 0;
    for (ulong t = 0; t < tiles; ++t) {
        const ulong mine = scratch[t];
        scratch[t] = sum;
        sum += mine;
    }
    scratch[tiles] = sum;
    if (select.gives & xl_gives_count)
        select.count[0] = sum;
}
#else
typedef struct xl_repeat_room {
    XL_T scratch[XL_GROUP_SIZE];
    uint start[XL_TILE]; /* of each run, from the first place of the part on */
} xl_repeat_room;
#define XL_REPEAT_LOCAL (&local_)
typedef __local xl_repeat_room *xl_repeat_local;

ulong xl_repeat_sum(const xl_select *s, ulong first, uint runs, xl_repeat_local l)
{
    ulong sum = 0, total;
    for (uint k = (uint)get_local_id(0); k < runs; k += XL_GROUP_SIZE)
        sum += s->flags[first + k];
    (void)xl_group_scan_exclusive(sum, l->scratch, &total);
    return total;
}

/* Called by all work-items of a group, with the same part. */
void xl_repeat_store(const xl_select *s, const xl_repeat_part *p, xl_repeat_local l)
{
    enum { EACH = XL_TILE / XL_GROUP_SIZE };
    const uint me = (uint)get_local_id(0);
    uint length[EACH];
    ulong sum = 0, total;
#pragma unroll
    for (uint k = 0; k < EACH; ++k) {
        length[k] = me * EACH + k < p->runs ? s->flags[p->first + me * EACH + k] : 0;
        sum += length[k];
    }
    ulong at = p->begin + xl_group_scan_exclusive(sum, l->scratch, &total);
#pragma unroll
    for (uint k = 0; k < EACH; ++k) {
        l->start[me * EACH + k] = (uint)(clamp(at, p->from, p->to) - p->from);
        at += length[k];
    }
    xl_local_barrier();
    for (uint k = me; k < (uint)(p->to - p->from); k += XL_GROUP_SIZE) {
        uint low = 0, high = p->runs;
        while (high - low > 1) { /* the last run that begins at or before k */
            const uint middle = low + (high - low) / 2;
            if (l->start[middle] <= k)
                low = middle;
            else
                high = middle;
        }
        xl_repeat_give(s, p->from + k, p->first + low);
    }
    xl_local_barrier();
}

/* One group, whose work-items have consecutive tiles. */
__kernel XL_REQUIRED void xl_repeat_spine(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    __local XL_T room[XL_GROUP_SIZE];
    const uint me = (uint)get_local_id(0);
    const ulong each = xl_ceil_div_long(tiles, XL_GROUP_SIZE);
    const ulong first = min(me * each, tiles), last = min(first + each, tiles);
    ulong sum = 0, total;
    for (ulong t = first; t < last; ++t)
        sum += scratch[t];
    ulong at = xl_group_scan_exclusive(sum, room, &total);
    for (ulong t = first; t < last; ++t) {
        const ulong mine = scratch[t];
        scratch[t] = at;
        at += mine;
    }
    if (me == 0) {
        scratch[tiles] = total;
        if (select.gives & xl_gives_count)
            select.count[0] = total;
    }
}
#endif

/* `tiles`: for the largest possible number of elements. */
__kernel XL_REQUIRED void xl_repeat_count(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
#if !XL_SERIAL
    __local xl_repeat_room local_;
#endif
    for (ulong t = get_group_id(0); t < tiles; t += get_num_groups(0)) {
        const ulong first = min(t * XL_TILE, select.n);
        const uint runs = (uint)min(select.n - first, (ulong)XL_TILE);
        const ulong sum = xl_repeat_sum(&select, first, runs, XL_REPEAT_LOCAL);
        if (get_local_id(0) == 0)
            scratch[t] = sum;
    }
}

__kernel XL_REQUIRED void xl_repeat_write(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
#if XL_SERIAL
    const __global ulong *const spine = scratch;
    const ulong total = spine[tiles];
#else
    /* One work-item reads and broadcasts, so that a concurrent write to the scratch cannot make
     * work-items diverge at a barrier. */
    __local xl_repeat_room local_;
    __local ulong shared[3];
    const __global ulong *const spine = scratch;
    if (get_local_id(0) == 0)
        shared[0] = spine[tiles];
    xl_local_barrier();
    const ulong total = shared[0];
#endif
    const ulong wanted = min(total, select.capacity), all = tiles * XL_TILE + wanted;
    const ulong share = xl_ceil_div_long(all, get_num_groups(0));
    const ulong from = min(get_group_id(0) * share, all), to = min(from + share, all);
    ulong tile = 0;
#if XL_SERIAL
    tile = xl_repeat_tile(spine, tiles, wanted, from);
#else
    if (get_local_id(0) == 0)
        shared[1] = xl_repeat_tile(spine, tiles, wanted, from);
    xl_local_barrier();
    tile = shared[1];
#endif
    for (; tile < tiles && tile * XL_TILE < to; ++tile) {
        ulong begin, end;
#if XL_SERIAL
        begin = xl_repeat_begin(spine, tile, wanted);
        end = xl_repeat_begin(spine, tile + 1, wanted);
#else
        xl_local_barrier();
        if (get_local_id(0) == 0) {
            shared[1] = xl_repeat_begin(spine, tile, wanted);
            shared[2] = xl_repeat_begin(spine, tile + 1, wanted);
        }
        xl_local_barrier();
        begin = shared[1];
        end = shared[2];
#endif
        /* In the order of all work, an output comes after its tile and all tiles before it. */
        const ulong behind = (tile + 1) * XL_TILE;
        if (begin + tile * XL_TILE >= to)
            break;
        xl_repeat_part part;
        part.first = min(tile * XL_TILE, select.n);
        part.runs = (uint)min(select.n - part.first, (ulong)XL_TILE);
        part.begin = begin;
        part.from = max(begin, max(from, behind) - behind);
        part.to = min(end, max(to, behind) - behind);
        if (part.from < part.to && part.runs > 0)
            xl_repeat_store(&select, &part, XL_REPEAT_LOCAL);
    }
}
