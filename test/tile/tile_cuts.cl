/* SPDX-License-Identifier: MIT
 * The cuts of a sort's merge, for tile_test.c. */
#include "../../cl/tile/tile_bitonic_merge.cl"

/* Cuts at a work-item's number % side and / side, which need not go together: 0 if a tile of
 * `count` elements takes all of them, and no more, from two runs of `length`. */
__kernel void xl_test_cut_of(uint length, uint d, uint count, uint side, __global uint *outside)
{
    const uint i = (uint)get_global_id(0);
    const xl_cut cut = xl_cut_of(d, count, i % side, i / side);
    xl_runs runs;
    runs.first_length = runs.second_length = length;
    outside[i] = cut.from_first > count || cut.from_second > count ||
                 cut.from_first + cut.from_second != count ||
                 cut.first_begin + cut.from_first > length ||
                 cut.second_begin + cut.from_second > length;
    for (uint k = 0; k < count; ++k) {
        const uint source = xl_cut_source(&runs, &cut, k);
        outside[i] += source >= 2 * length;
    }
}

/* The cut for `d` of the two runs of up to `run` keys at a host's address that hold element `at`
 * of n. */
__kernel void xl_test_cut_find(ulong address, uint n, uint run, uint at, const __global uint *d,
                               __global uint *found)
{
    const size_t i = get_global_id(0);
    const uint begin = xl_runs_begin(at, run);
    const xl_runs runs = xl_runs_at((const __global XL_SORT_KEY *)address, begin, n, run);
    found[i] = xl_cut_find(&runs, d[i]);
}
