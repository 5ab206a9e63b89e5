/* SPDX-License-Identifier: MIT
 * The arrays of a launch of a sort, at their first element, and how many keys there are. */
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

/* `length`: 0, or where the device has the number of keys, of which there are `n_most` at most. A
 * number that somebody writes meanwhile must not be another for each work-item of a group: they
 * would part at barriers. */
#define XL_SORT_LENGTH uint n_most, const __global ulong *length, ulong length_offset
#if XL_SORT_SHAPE == 1
#define XL_SORT_LENGTH_MAKE                                                                        \
    const uint n = length ? (uint)min((ulong)n_most, length[length_offset]) : n_most;
#else
#define XL_SORT_LENGTH_MAKE                                                                        \
    __local uint shared_n;                                                                         \
    uint n = n_most;                                                                               \
    if (length) {                                                                                  \
        if (get_local_id(0) == 0)                                                                  \
            shared_n = (uint)min((ulong)n_most, length[length_offset]);                            \
        XL_LOCAL_BARRIER();                                                                        \
        n = shared_n;                                                                              \
    }
#endif

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
