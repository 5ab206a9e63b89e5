/* SPDX-License-Identifier: MIT
 * Where two sorted runs must be cut so that each tile of their merge can be made on
 * its own.
 *
 * The steps of a bitonic merge that reach further than a tile only decide which
 * elements come to which tile. On two sorted runs all comparators of such a step
 * swap on one side of some place and none does on the other, so the place can be
 * searched for instead (Bilardi and Nicolau, "Adaptive bitonic sorting", SIAM J.
 * Comput. 1989; on a GPU, Peters, Schulz-Hildebrandt and Luttenberger, "A novel
 * sorting algorithm for many-core architectures based on adaptive bitonic sort",
 * IPDPS 2012). The place is found for all of those steps at once: of the first d
 * elements of the merge, how many come from the first run (the merge path of Odeh,
 * Green et al., "Merge path - parallel merging made simple", 2012). */
#include "sort_arrays.cl"

/* Two neighbouring runs: the first of `first_length` keys, then the second. */
typedef struct xl_runs {
    __global const XL_KEY *first;
    __global const XL_KEY *second;
    uint first_length;
    uint second_length;
} xl_runs;

/* One tile of the merge: `count` elements, the last `from_first` of them from the
 * first run. All indices count from the start of the runs. */
typedef struct xl_merge_partition {
    uint first_begin;
    uint second_begin;
    uint from_first;
    uint from_second;
} xl_merge_partition;

/* The runs of length `run` that the element `at` of n belongs to. `run` is a power of
 * two up to 2^31, so that 2 * run may wrap to 0. */
uint xl_runs_begin(uint at, uint run)
{
    return at & ~(2u * run - 1u);
}

xl_runs xl_runs_at(__global const XL_KEY *keys, uint begin, uint n, uint run)
{
    xl_runs runs;
    runs.first_length = min(run, n - begin);
    runs.second_length = min(run, n - begin - runs.first_length);
    runs.first = keys + begin;
    runs.second = keys + begin + runs.first_length;
    return runs;
}

/* How many of the first d elements come from the first run lies between these two. The
 * first is wide and signed because compilers make a saturating subtraction of the plain
 * form, which Oclgrind 21.10 does not know. */
uint xl_merge_path_low(const xl_runs *runs, uint d)
{
    return (uint)max((long)d - (long)runs->second_length, 0L);
}

uint xl_merge_path_high(const xl_runs *runs, uint d)
{
    return min(d, runs->first_length);
}

/* Whether element i of the first run is among the first d; i below xl_merge_path_high(). */
bool xl_merge_path_takes(const xl_runs *runs, uint d, uint i)
{
    return xl_key_map(runs->first[i]) <= xl_key_map(runs->second[d - 1u - i]);
}

/* How many of the first d elements the first run gives, found by one work-item. */
uint xl_merge_path_search(const xl_runs *runs, uint d)
{
    uint low = xl_merge_path_low(runs, d), high = xl_merge_path_high(runs, d);
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (xl_merge_path_takes(runs, d, middle))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* Keys that somebody writes meanwhile may give two cuts that do not go together: the tile is then
 * wrong, but still `count` elements of the runs. */
xl_merge_partition xl_merge_partition_of(uint d, uint count, uint first_begin, uint first_end)
{
    xl_merge_partition partition;
    first_end = clamp(first_end, first_begin, first_begin + count);
    partition.first_begin = first_begin;
    partition.second_begin = d - first_begin;
    partition.from_first = first_end - first_begin;
    partition.from_second = count - partition.from_first;
    return partition;
}

/* Where the element at `position` of a tile comes from, relative to the first run: the
 * second run's part falls, then the first run's part rises. */
uint xl_merge_partition_source(const xl_runs *runs, const xl_merge_partition *partition,
                               uint position)
{
    if (position < partition->from_second)
        return runs->first_length + partition->second_begin +
               (partition->from_second - 1u - position);
    return partition->first_begin + (position - partition->from_second);
}
