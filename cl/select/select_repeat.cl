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

#include "../group/group_scan.cl"

/* `start`: of each run, from the first place of the part on. `shared`: read by one work-item for
 * all, so that a concurrent write to the scratch cannot make work-items diverge at a barrier. */
typedef struct xl_repeat_local {
    XL_T scratch[XL_GROUP_SCRATCH];
    uint start[XL_SERIAL ? 1 : XL_TILE];
    ulong shared[2];
} xl_repeat_local;

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

/* A part of a tile's output: places `from` to to - 1. The output of the tile begins at `begin`. */
typedef struct xl_repeat_part {
    ulong first; /* first run of the tile */
    uint runs;
    ulong begin, from, to;
} xl_repeat_part;

/* Called by all work-items of a group, with the same part. */
#if XL_SERIAL
void xl_repeat_store(const xl_select *s, const xl_repeat_part *p, __local xl_repeat_local *unused)
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
#else
void xl_repeat_store(const xl_select *s, const xl_repeat_part *p, __local xl_repeat_local *l)
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
    /* All work-items run the same rounds: PoCL 3.1 lets all of them into a loop that, after a barrier,
     * only some enter. */
    const uint count = (uint)(p->to - p->from);
    for (uint row = 0; row < count; row += XL_GROUP_SIZE) {
        const uint k = row + me;
        uint low = 0, high = p->runs;
        if (k >= count)
            continue;
        while (high - low > 1) { /* the last run that begins at or before k */
            const uint middle = low + (high - low) / 2;
            if (l->start[middle] <= k)
                low = middle;
            else
                high = middle;
        }
        if (s->gives & xl_gives_out)
            s->out[p->from + k] = s->in[p->first + low];
        xl_select_give(s, p->from + k, p->first + low);
    }
}
#endif

/* `tiles`: for the largest possible number of elements. */
__kernel XL_REQUIRED void xl_repeat_count(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    __local XL_T room[XL_GROUP_SCRATCH];
    for (ulong t = get_group_id(0); t < tiles; t += get_num_groups(0)) {
        const ulong first = min(t * XL_TILE, select.n);
        const uint runs = (uint)min(select.n - first, (ulong)XL_TILE);
        ulong sum = 0, total;
        for (uint k = (uint)get_local_id(0); k < runs; k += XL_GROUP_SIZE)
            sum += select.flags[first + k];
        (void)xl_group_scan_exclusive(sum, room, &total);
        if (get_local_id(0) == 0)
            scratch[t] = total;
    }
}

/* One group, whose work-items have consecutive tiles. */
__kernel XL_REQUIRED void xl_repeat_spine(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    __local XL_T room[XL_GROUP_SCRATCH];
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

__kernel XL_REQUIRED void xl_repeat_write(ulong tiles, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    __local xl_repeat_local local_;
    __local ulong *const shared = local_.shared;
    if (get_local_id(0) == 0)
        shared[0] = min(scratch[tiles], select.capacity);
    xl_local_barrier();
    const ulong wanted = shared[0], all = tiles * XL_TILE + wanted;
    const ulong share = xl_ceil_div_long(all, get_num_groups(0));
    const ulong from = min(get_group_id(0) * share, all), to = min(from + share, all);
    if (get_local_id(0) == 0)
        shared[1] = xl_repeat_tile(scratch, tiles, wanted, from);
    xl_local_barrier();
    for (ulong tile = shared[1]; tile < tiles && tile * XL_TILE < to; ++tile) {
        xl_local_barrier();
        if (get_local_id(0) == 0) {
            shared[0] = xl_repeat_begin(scratch, tile, wanted);
            shared[1] = xl_repeat_begin(scratch, tile + 1, wanted);
        }
        xl_local_barrier();
        const ulong begin = shared[0], end = shared[1];
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
            xl_repeat_store(&select, &part, &local_);
    }
}
