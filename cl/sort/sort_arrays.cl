/* SPDX-License-Identifier: MIT
 * The arrays of a sort, each from its first element on, and the number of keys. */
#ifndef XL_SORT_ARRAYS_OF
#define XL_SORT_ARRAYS_OF

#include "../prelude/prelude_key.cl"

typedef struct xl_sort_in {
    __global const XL_KEY *keys;
#if XL_SORT_VALUES
    __global const xl_value *values;
#endif
} xl_sort_in;

typedef struct xl_sort_out {
    __global XL_KEY *keys;
#if XL_SORT_VALUES
    __global xl_value *values;
#endif
} xl_sort_out;

/* Whether keys are not an output. */
bool xl_values_only(void)
{
    return XL_SORT_VALUES == 2;
}

/* Whether keys are written: if they are not an output, the last target has none. */
bool xl_sort_has_keys(xl_sort_out out)
{
    return !xl_values_only() || out.keys != 0;
}

/* `length`: NULL, or where the number of keys is on the device, at most `n_most`: for
 * XL_LENGTH_READ(). */
#define XL_SORT_LENGTH uint n_most, const __global ulong *length, ulong length_offset

/* The arrays as kernel arguments: buffers and offsets. XL_SORT_MAKE makes `in` and `out` of them. */
#if XL_SORT_VALUES
#define XL_SORT_VALUE_ARRAYS                                                                       \
    , __global const uint *values_in, ulong values_in_offset, __global uint *values_out,           \
        ulong values_out_offset
#define XL_SORT_VALUES_MAKE                                                                        \
    in.values = values_in + values_in_offset;                                                      \
    out.values = values_out + values_out_offset;
#else
#define XL_SORT_VALUE_ARRAYS
#define XL_SORT_VALUES_MAKE
#endif
#define XL_SORT_ARRAYS                                                                             \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global XL_KEY *keys_out,               \
        ulong keys_out_offset XL_SORT_VALUE_ARRAYS
#define XL_SORT_MAKE                                                                               \
    xl_sort_in in;                                                                                 \
    xl_sort_out out;                                                                               \
    in.keys = keys_in + keys_in_offset;                                                            \
    out.keys = keys_out + keys_out_offset;                                                         \
    XL_SORT_VALUES_MAKE

#if XL_SORT_VALUES
/* The value of key i. `first`: keys are read for the first time; indices as values are generated
 * then. */
xl_value xl_sort_value(xl_sort_in in, xl_place i, const bool first)
{
    if (XL_SORT_INDICES && first)
        return i;
    return in.values[i];
}
#endif

#endif
