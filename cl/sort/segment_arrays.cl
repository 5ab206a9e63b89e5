/* SPDX-License-Identifier: MIT
 * The arguments of a segmented sort besides the arrays of every sort: `spare`, which is in the
 * scratch and as large as the output. */
#include "sort_arrays.cl"
#include "sort_local.cl"

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
