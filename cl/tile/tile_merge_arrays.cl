/* SPDX-License-Identifier: MIT
 * The arrays of a merge, each from its first element on. */
#ifndef XL_MERGE_ARRAYS_OF
#define XL_MERGE_ARRAYS_OF

#include "tile_merge_path.cl"

typedef struct xl_merge_in {
    xl_runs keys;
#if XL_MERGE_VALUES
    __global const uint *first_values;
    __global const uint *second_values;
#endif
} xl_merge_in;

typedef struct xl_merge_out {
    __global XL_KEY *keys;
#if XL_MERGE_VALUES
    __global uint *values;
#endif
} xl_merge_out;

#endif
