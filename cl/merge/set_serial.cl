/* SPDX-License-Identifier: MIT
 * One work-item walks adjacent tiles of the path of a set operation in turns, on devices whose
 * work-items run one after another: a step depends on the previous step of its tile only, so that
 * the steps of several tiles overlap. No branch depends on keys. */
#include "../tile/tile_merge.cl"
#include "set_path.cl"

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
