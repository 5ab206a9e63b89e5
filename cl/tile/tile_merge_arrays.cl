/* SPDX-License-Identifier: MIT
 * The arrays of a merge, each at its first element, and the copy of one element. */
#ifndef XL_MERGE_ARRAYS_OF
#define XL_MERGE_ARRAYS_OF

#include "../prelude/prelude_values.cl"
#include "tile_merge_path.cl"

#define XL_MERGE_IN_VALUE(k)                                                                       \
    __global const xl_value##k *first_values##k;                                                   \
    __global const xl_value##k *second_values##k;
typedef struct xl_merge_in {
    xl_runs keys;
    XL_EACH_VALUE(XL_MERGE_IN_VALUE)
} xl_merge_in;

#define XL_MERGE_OUT_VALUE(k) __global xl_value##k *values##k;
typedef struct xl_merge_out {
    __global XL_KEY *keys;
    XL_EACH_VALUE(XL_MERGE_OUT_VALUE)
} xl_merge_out;

/* Copies the values of element `from` of one run to element `to` of the output. */
#define XL_MERGE_PUT_VALUE(k)                                                                      \
    for (uint u = 0; u < xl_value##k##_units; ++u)                                                 \
        out->values##k[(size_t)to * xl_value##k##_units + u] =                                     \
            (from_first ? in->first_values##k                                                      \
                        : in->second_values##k)[(size_t)from * xl_value##k##_units + u];
void xl_merge_put_values(const xl_merge_in *in, const xl_merge_out *out, XL_PLACE to,
                         bool from_first, XL_PLACE from)
{
    XL_EACH_VALUE(XL_MERGE_PUT_VALUE)
}

#endif
