/* SPDX-License-Identifier: MIT
 * Union, intersection and difference of two sorted arrays, in four launches: find where each tile
 * of the path begins, count the elements that the operation takes from each tile, sum the counts,
 * and write. A tile is walked by a work-group or by one work-item. No work-group waits for another
 * one.
 *
 * The path of a set operation through both arrays: the serial algorithm compares the next element of
 * both, passes the smaller one alone, and passes two equal ones together, as a pair. So element r of
 * a run of equal keys is paired with element r of the same run in the other array, and the remaining
 * elements of the longer run are passed alone. Each part of the path can be walked on its own once
 * its first state is known (Green et al., "GPU merge path", ICS 2012; Baxter, "Modern GPU", 2013,
 * where it is the balanced path).
 *
 * The scratch has two words for each tile and for the end, where it begins in both arrays; then one
 * word for each tile and for the end, its count and later the sum of the counts before it. */
#include "merge_arguments.cl"

/* ---- the path ---- */

/* A state: the elements of each array that have been passed. */
typedef struct xl_set_cut {
    uint first, second;
} xl_set_cut;

/* The state after `passed` elements of a run of equal keys that begins at (first, second). The run
 * has `in_first` and `in_second` elements in the arrays; a number above half of `passed` may be any
 * number above it. A pair is passed only if both of its elements may be passed. */
xl_set_cut xl_set_balance(uint first, uint second, uint passed, uint in_first, uint in_second)
{
    const uint pairs = min(passed / 2u, min(in_first, in_second)), alone = passed - 2u * pairs;
    xl_set_cut cut;
    cut.first = first + pairs + (in_second > pairs ? 0 : alone);
    cut.second = second + pairs + (in_first > pairs ? 0 : alone);
    return cut;
}

/* Defines, for arrays in one address space, whose elements ORDINAL() maps to ordinals:
 *   NAME_bound  the first of the elements [low, high) that is not before x, or, `after`, that is
 *               after x
 *   NAME        the state after d elements, or after d - 1 if the last one begins a pair
 * If an array is not sorted, the result is some state that lies within both arrays. */
#define XL_SET_PATH(NAME, ELEMENT, ORDINAL)                                                        \
    uint NAME##_bound(const ELEMENT *keys, uint low, uint high, XL_ORDINAL x, bool after)          \
    {                                                                                              \
        while (low < high) {                                                                       \
            const uint middle = low + (high - low) / 2u;                                           \
            const XL_ORDINAL key = ORDINAL(keys[middle]);                                          \
            if (key < x || (after && key == x))                                                    \
                low = middle + 1u;                                                                 \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        return low;                                                                                \
    }                                                                                              \
    /* Where the run of x begins that ends before element i. */                                    \
    uint NAME##_run(const ELEMENT *keys, uint i, XL_ORDINAL x)                                     \
    {                                                                                              \
        return i == 0 || ORDINAL(keys[i - 1u]) != x ? i : NAME##_bound(keys, 0, i, x, false);      \
    }                                                                                              \
    xl_set_cut NAME(const ELEMENT *first, uint in_first, const ELEMENT *second, uint in_second,    \
                    uint d)                                                                        \
    {                                                                                              \
        uint i = (uint)max((long)d - (long)in_second, 0L), high = min(d, in_first);                \
        while (i < high) {                                                                         \
            const uint middle = i + (high - i) / 2u;                                               \
            if (ORDINAL(first[middle]) <= ORDINAL(second[d - 1u - middle]))                        \
                i = middle + 1u;                                                                   \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        const uint j = d - i;                                                                      \
        const bool from_first = i < in_first;                                                      \
        if (!from_first && j >= in_second)                                                         \
            return xl_set_balance(i, j, 0, 0, 0);                                                  \
        XL_ORDINAL x = ORDINAL(*(from_first ? first + i : second + j));                            \
        if (from_first && j < in_second)                                                           \
            x = min(x, (XL_ORDINAL)ORDINAL(second[j]));                                            \
        const uint first_run = NAME##_run(first, i, x), second_run = NAME##_run(second, j, x);     \
        const uint passed = (i - first_run) + (j - second_run), half_passed = passed / 2u;         \
        const uint end = second_run + min(half_passed + 1u, in_second - second_run);               \
        return xl_set_balance(first_run, second_run, passed, i - first_run,                        \
                              NAME##_bound(second, j, max(j, end), x, true) - second_run);         \
    }

#define XL_SET_UNION 1
#define XL_SET_INTERSECTION 2
#define XL_SET_DIFFERENCE 3

/* 1 if the operation takes an element in a step that passes `first` and `second` elements. */
#if XL_MERGE_OPERATION == XL_SET_UNION
#define XL_SET_TAKES(first, second) ((first) | (second))
#elif XL_MERGE_OPERATION == XL_SET_INTERSECTION
#define XL_SET_TAKES(first, second) ((first) & (second))
#else
#define XL_SET_TAKES(first, second) ((first) & ~(second))
#endif

XL_SET_PATH(xl_set_path, __global XL_KEY, xl_key_map)

/* A tile of the path: the states at both ends. */
typedef struct xl_set_part {
    xl_set_cut begin, end;
} xl_set_part;

typedef struct xl_set_scratch {
    __global uint *cuts, *sums;
    uint tiles;
} xl_set_scratch;

/* Tile `tile`, of at most `most` elements. Whatever the scratch holds, it lies within the
 * arrays. */
xl_set_part xl_set_part_of(const xl_set_scratch *s, const xl_runs *runs, size_t tile, uint most)
{
    __global const uint *const cuts = s->cuts + 2 * tile;
    xl_set_part part;
    part.begin.first = min(cuts[0], runs->first_length);
    part.begin.second = min(cuts[1], runs->second_length);
    const uint first = min(max(cuts[2], part.begin.first) - part.begin.first,
                           min(most, runs->first_length - part.begin.first));
    const uint second = min(max(cuts[3], part.begin.second) - part.begin.second,
                            min(most - first, runs->second_length - part.begin.second));
    part.end.first = part.begin.first + first;
    part.end.second = part.begin.second + second;
    return part;
}

/* Copies element `from` of one array to element `at` of the output. */
void xl_set_put(const xl_merge_in *in, const xl_merge_out *out, uint at, bool from_first, uint from)
{
    out->keys[at] = *(from_first ? in->keys.first + from : in->keys.second + from);
    xl_merge_put_values(in, out, at, from_first, from);
}

#if XL_SERIAL
/* ---- a tile, by one work-item ---- */

/* It walks adjacent tiles of the path in turns: a step depends on the previous step of its tile
 * only, so that the steps of several tiles overlap. No branch depends on keys. */

/* The host has the same: lib/merge/merge_enqueue.c. */
#define XL_SET_PIECES 4
/* For fewer steps the search for the next end of a run takes longer than it saves. */
#define XL_SET_LEAST_STEPS 8

/* A walk through a tile: elements [i, i_end) of the first array and [j, j_end) of the second are
 * not passed, and the next element taken is number `at`, of less than `stop`. */
typedef struct xl_set_walk {
    uint i, j, i_end, j_end, at, stop;
} xl_set_walk;

/* The walk through tile `tile`; without one there is nothing to pass. */
xl_set_walk xl_set_begin(const xl_set_scratch *s, const xl_runs *runs, uint tile, uint at,
                         uint stop)
{
    xl_set_walk walk = {0, 0, 0, 0, at, stop};
    if (tile < s->tiles) {
        const xl_set_part part = xl_set_part_of(s, runs, tile, 0xffffffffu);
        walk.i = part.begin.first;
        walk.j = part.begin.second;
        walk.i_end = part.end.first;
        walk.j_end = part.end.second;
    }
    return walk;
}

/* One step, if no run has ended. An element that is not taken is written, too, and the next one
 * overwrites it. */
void xl_set_step(const xl_merge_in *in, const xl_merge_out *out, xl_set_walk *walk,
                 const bool writes)
{
    const XL_KEY a = in->keys.first[walk->i], b = in->keys.second[walk->j];
    const uint first = !xl_key_before(b, a), second = !xl_key_before(a, b);
    if (writes) {
        const bool from_first = first || XL_MERGE_OPERATION != XL_SET_UNION;
        out->keys[walk->at] = from_first ? a : b;
        xl_merge_put_values(in, out, walk->at, from_first, from_first ? walk->i : walk->j);
    }
    walk->at += XL_SET_TAKES(first, second);
    walk->i += first;
    walk->j += second;
}

/* Steps during which no run ends and no more than `stop` elements are taken. */
uint xl_set_steps(const xl_set_walk *walk)
{
    return min(min(walk->i_end - walk->i, walk->j_end - walk->j),
               walk->stop - min(walk->at, walk->stop));
}

/* The rest of a tile, in which a run ends. */
void xl_set_finish(const xl_merge_in *in, const xl_merge_out *out, xl_set_walk *walk,
                   const bool writes)
{
    while (xl_set_steps(walk) > 0)
        xl_set_step(in, out, walk, writes);
    const uint room = walk->stop - min(walk->at, walk->stop);
    const uint left_first = XL_SET_TAKES(1, 0) ? min(walk->i_end - walk->i, room) : 0;
    for (uint k = 0; writes && k < left_first; ++k)
        xl_set_put(in, out, walk->at + k, true, walk->i + k);
    walk->at += left_first;
    const uint left_second = XL_SET_TAKES(0, 1) ? min(walk->j_end - walk->j, room - left_first) : 0;
    for (uint k = 0; writes && k < left_second; ++k)
        xl_set_put(in, out, walk->at + k, false, walk->j + k);
    walk->at += left_second;
}

void xl_set_walk_pieces(const xl_merge_in *in, const xl_merge_out *out, xl_set_walk *walk,
                        const bool writes)
{
    for (;;) {
        uint steps = 0xffffffffu;
#pragma unroll
        for (uint k = 0; k < XL_SET_PIECES; ++k)
            steps = min(steps, xl_set_steps(&walk[k]));
        if (steps < XL_SET_LEAST_STEPS)
            break;
        for (; steps > 0; --steps)
#pragma unroll
            for (uint k = 0; k < XL_SET_PIECES; ++k)
                xl_set_step(in, out, &walk[k], writes);
    }
#pragma unroll
    for (uint k = 0; k < XL_SET_PIECES; ++k)
        xl_set_finish(in, out, &walk[k], writes);
}

/* Stores the number of elements that the operation takes from each tile. */
void xl_set_count(const xl_merge_in *in, const xl_set_scratch *s)
{
    const xl_merge_out none = {0};
    const uint tile = (uint)get_group_id(0) * XL_SET_PIECES;
    xl_set_walk walk[XL_SET_PIECES];
#pragma unroll
    for (uint k = 0; k < XL_SET_PIECES; ++k)
        walk[k] = xl_set_begin(s, &in->keys, tile + k, 0, 0xffffffffu);
    xl_set_walk_pieces(in, &none, walk, false);
#pragma unroll
    for (uint k = 0; k < XL_SET_PIECES; ++k)
        if (tile + k < s->tiles)
            s->sums[tile + k] = walk[k].at;
}

/* Writes these elements to at most `room` places. */
void xl_set_write(const xl_merge_in *in, const xl_merge_out *out, const xl_set_scratch *s,
                  uint room)
{
    const uint tile = (uint)get_group_id(0) * XL_SET_PIECES;
    xl_set_walk walk[XL_SET_PIECES];
#pragma unroll
    for (uint k = 0; k < XL_SET_PIECES; ++k) {
        const uint t = min(tile + k, s->tiles - 1u);
        walk[k] = xl_set_begin(s, &in->keys, tile + k, s->sums[t], min(s->sums[t + 1u], room));
    }
    xl_set_walk_pieces(in, out, walk, true);
}

#define XL_SET_LOCAL
#define XL_SET_LOCAL_ARGUMENT
#else
/* ---- a tile, by a work-group ---- */

/* It loads the keys of the tile into local memory; each work-item finds there the state at which its
 * own elements begin, and walks on from it. The places of the elements that it takes are collected
 * in local memory, so that adjacent work-items store adjacent elements. */
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

#define XL_SET_LOCAL __local xl_set_local local_;
#define XL_SET_LOCAL_ARGUMENT , &local_
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* The scratch, and the number of tiles. */
#define XL_SET_SCRATCH uint tiles, __global uint *scratch, ulong scratch_offset
#define XL_SET_MAKE                                                                                \
    const xl_set_scratch set = {scratch + scratch_offset,                                          \
                                scratch + scratch_offset + 2 * ((size_t)tiles + 1), tiles};

/* Finds where tile g begins, for each work-item g; tiles have `tile` elements. */
__kernel XL_REQUIRED void xl_set_cuts(XL_SET_SCRATCH, uint tile, XL_MERGE_LENGTHS, XL_MERGE_KEYS)
{
    XL_SET_MAKE
    XL_MERGE_READ_LENGTHS
    const xl_runs runs = XL_MERGE_RUNS;
    const uint g = (uint)get_global_id(0), n = n_a + n_b;
    if (g <= tiles) {
        const xl_set_cut cut =
            xl_set_path(runs.first, n_a, runs.second, n_b, g < tiles ? min(g * tile, n) : n);
        set.cuts[2 * (size_t)g] = cut.first;
        set.cuts[2 * (size_t)g + 1] = cut.second;
    }
}

/* Counts the elements that are taken from the tiles of a group. */
__kernel XL_REQUIRED void xl_set_counts(XL_SET_SCRATCH, uint n_a, uint n_b, XL_MERGE_KEYS)
{
    XL_SET_LOCAL
    XL_SET_MAKE
    const xl_runs runs = XL_MERGE_RUNS;
    xl_merge_in in;
    in.keys = runs;
    xl_set_count(&in, &set XL_SET_LOCAL_ARGUMENT);
}

/* One group replaces the counts by the sums of those before them, and stores the sum of all, which
 * is at most `room`. Each work-item has adjacent tiles. */
__kernel XL_REQUIRED void xl_set_sums(XL_SET_SCRATCH, uint room, __global ulong *count_out,
                                      ulong count_offset)
{
    XL_SET_MAKE
    const uint w = (uint)get_local_id(0);
    const uint each = (uint)(((ulong)tiles + XL_GROUP_SIZE - 1) / XL_GROUP_SIZE);
    const uint first = min(w * each, tiles), last = first + min(each, tiles - first);
    uint mine = 0;
    for (uint g = first; g < last; ++g)
        mine += set.sums[g];
#if XL_SERIAL
    uint sum = 0;
#else
    __local uint shared_sums[XL_GROUP_SIZE];
    uint sum = xl_set_sum(mine, shared_sums) - mine;
#endif
    for (uint g = first; g < last; ++g) {
        const uint count = set.sums[g];
        set.sums[g] = sum;
        sum += count;
    }
    if (w == XL_GROUP_SIZE - 1) {
        set.sums[tiles] = sum;
        count_out[count_offset] = min(sum, room);
    }
}

/* Writes the elements that are taken from the tiles of a group, to at most `room` places. */
__kernel XL_REQUIRED void xl_set_writes(XL_SET_SCRATCH, uint room, uint n_a, uint n_b,
                                        XL_MERGE_ARRAYS)
{
    XL_SET_LOCAL
    XL_SET_MAKE
    XL_MERGE_MAKE
    xl_set_write(&in, &out, &set, room XL_SET_LOCAL_ARGUMENT);
}
