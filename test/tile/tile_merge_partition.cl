/* SPDX-License-Identifier: MIT
 * The cuts of a sort's merge, for tile_test.c. */
#include "../../cl/sort/sort_tile.cl"

/* Cuts at a work-item's number % side and / side, which need not go together: 0 if a tile of
 * `count` elements takes all of them, and no more, from two runs of `length`. */
__kernel void xl_test_merge_partition_of(uint length, uint d, uint count, uint side,
                                         __global uint *outside)
{
    const uint i = (uint)get_global_id(0);
    const xl_merge_partition partition = xl_merge_partition_of(d, count, i % side, i / side);
    xl_runs runs;
    runs.first_length = runs.second_length = length;
    runs.begin = 0;
    outside[i] = partition.from_first > count || partition.from_second > count ||
                 partition.from_first + partition.from_second != count ||
                 partition.first_begin + partition.from_first > length ||
                 partition.second_begin + partition.from_second > length;
    for (uint k = 0; k < count; ++k) {
        const uint source = xl_merge_partition_source(&runs, &partition, k);
        outside[i] += source >= 2 * length;
    }
}

/* The cut for `d` of the two runs of up to `run` keys at a host's address that hold element `at`
 * of n. */
__kernel void xl_test_merge_path_search(ulong address, uint n, uint run, uint at,
                                        const __global uint *d, __global uint *found)
{
    const size_t i = get_global_id(0);
    const uint begin = xl_runs_begin(at, run);
    const xl_runs runs = xl_runs_at((const __global XL_KEY *)address, begin, n, run);
    found[i] = xl_merge_path_search(&runs, d[i]);
}
