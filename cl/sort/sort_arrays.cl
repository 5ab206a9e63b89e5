/* SPDX-License-Identifier: MIT
 * The arrays of a launch of a sort, at their first element. */
#ifndef XL_SORT_ARRAYS_OF
#define XL_SORT_ARRAYS_OF

#include "../prelude/prelude_key.cl"

typedef struct xl_sort_in {
    __global const XL_KEY *keys;
#if XL_SORT_VALUES
    __global const uint *values;
#endif
} xl_sort_in;

typedef struct xl_sort_out {
    __global XL_KEY *keys;
#if XL_SORT_VALUES
    __global uint *values;
#endif
} xl_sort_out;

#endif
