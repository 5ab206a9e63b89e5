/* SPDX-License-Identifier: MIT
 * The arrays of a segmented sort's kernels: the input, the output, and in the scratch as much as
 * the output, `spare`. */
#include "sort_arrays.cl"

#if XL_SORT_VALUES
#define XL_SEGMENT_ARRAYS                                                                          \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global XL_KEY *keys_out,               \
        ulong keys_out_offset, __global const uint *values_in, ulong values_in_offset,             \
        __global uint *values_out, ulong values_out_offset
#define XL_SEGMENT_SPARE                                                                           \
    __global XL_KEY *spare_keys, ulong spare_keys_offset, __global uint *spare_values,             \
        ulong spare_values_offset
#define XL_SEGMENT_IN                                                                              \
    {                                                                                              \
        keys_in + keys_in_offset, values_in + values_in_offset                                     \
    }
#define XL_SEGMENT_OUT                                                                             \
    {                                                                                              \
        keys_out + keys_out_offset, values_out + values_out_offset                                 \
    }
#define XL_SEGMENT_SPARE_OUT                                                                       \
    {                                                                                              \
        spare_keys + spare_keys_offset, spare_values + spare_values_offset                         \
    }
#else
#define XL_SEGMENT_ARRAYS                                                                          \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global XL_KEY *keys_out,               \
        ulong keys_out_offset
#define XL_SEGMENT_SPARE __global XL_KEY *spare_keys, ulong spare_keys_offset
#define XL_SEGMENT_IN                                                                              \
    {                                                                                              \
        keys_in + keys_in_offset                                                                   \
    }
#define XL_SEGMENT_OUT                                                                             \
    {                                                                                              \
        keys_out + keys_out_offset                                                                 \
    }
#define XL_SEGMENT_SPARE_OUT                                                                       \
    {                                                                                              \
        spare_keys + spare_keys_offset                                                             \
    }
#endif

/* Local memory of a network, which must be declared in a kernel; the words as values are. */
#define XL_SEGMENT_LOCAL(has_words)                                                                \
    __local XL_ORDINAL local_keys[XL_SORT_LOCAL];                                                  \
    __local uint local_values[(has_words) ? XL_SORT_LOCAL : 1];                                    \
    const xl_sort_local tile = {local_keys, local_values};
