/* SPDX-License-Identifier: MIT
 * Union, intersection and difference of two sorted arrays, in four launches: find where each tile
 * of the path (set_path.cl) begins, count the elements that the operation takes from each tile, sum
 * the counts, and write. A tile is walked by a work-group (set_tile.cl) or by one work-item
 * (set_serial.cl). No work-group waits for another one.
 *
 * The scratch has two words for each tile and for the end, where it begins in both arrays; then one
 * word for each tile and for the end, its count and later the sum of the counts before it. */
#include "../prelude/prelude.cl"

#include "merge_arguments.cl"
#include "set_path.cl"

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
#include "set_serial.cl"
#define XL_SET_LOCAL
#define XL_SET_LOCAL_ARGUMENT
#else
#include "set_tile.cl"
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
