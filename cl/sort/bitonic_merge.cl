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
 * IPDPS 2012). The place is found for all of those steps at once, by the merge path. */
#include "merge_runs.cl"

/* 1: in a tile what travels with a key is its place in it, which orders equal keys, and the values
 * are fetched by that. Indices order equal keys themselves. */
#define XL_SORT_PLACES (XL_SORT_VALUES && XL_SORT_STABLE && !XL_SORT_INDICES)

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

#if XL_SORT_PLACES
/* The place of that element among equal keys: all of the first run, then all of the second. */
uint xl_merge_partition_place(const xl_merge_partition *partition, uint position)
{
    return position < partition->from_second
               ? partition->from_first + partition->from_second - 1u - position
               : position - partition->from_second;
}

/* Where the element of that place comes from. */
uint xl_merge_place_source(const xl_runs *runs, const xl_merge_partition *partition, uint place)
{
    return place < partition->from_first
               ? partition->first_begin + place
               : runs->first_length + partition->second_begin + (place - partition->from_first);
}
#endif
