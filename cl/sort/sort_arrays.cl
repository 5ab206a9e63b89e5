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

#if XL_SORT_VALUES
/* The value of key i; `first`: where keys are read for the first time, which is where those that
 * are places of the keys are made. */
uint xl_sort_value(xl_sort_in in, uint i, const bool first)
{
    if (XL_SORT_INDICES && first)
        return i;
    return in.values[i];
}
#endif

#endif
