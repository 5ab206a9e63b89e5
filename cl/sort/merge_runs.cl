/* SPDX-License-Identifier: MIT
 * Sorted runs of keys, which are merged in pairs. */
#include "../tile/tile_merge_path.cl"
#include "sort_arrays.cl"

/* The pair of runs of length `run` that contains element `at` of n. `run` is a power of two up to
 * 2^31, so 2 * run may wrap to 0. */
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
