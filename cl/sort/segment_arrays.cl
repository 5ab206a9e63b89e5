/* SPDX-License-Identifier: MIT
 * What a segmented sort's kernels are given beside the arrays of every sort: in the scratch as much
 * as the output, `spare`. */
#include "sort_arrays.cl"

#if XL_SORT_VALUES
#define XL_SEGMENT_SPARE                                                                           \
    __global XL_KEY *spare_keys, ulong spare_keys_offset, __global uint *spare_values,             \
        ulong spare_values_offset
#define XL_SEGMENT_SPARE_OUT                                                                       \
    {                                                                                              \
        spare_keys + spare_keys_offset, spare_values + spare_values_offset                         \
    }
#else
#define XL_SEGMENT_SPARE __global XL_KEY *spare_keys, ulong spare_keys_offset
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
