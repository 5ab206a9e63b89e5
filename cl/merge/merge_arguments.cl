/* SPDX-License-Identifier: MIT
 * The arguments that the kernels of a merge share. */
#include "../tile/tile_merge.cl"

/* Tests merge few elements with places from below 2^32 to above: in each input places are numbered
 * as if that many elements preceded the first one, and array pointers are moved back as far. The
 * output has twice as many. */
#define XL_MERGE_BEGIN (XL_INJECT_PLACES > 0 ? ((ulong)1 << 32) - XL_INJECT_PLACES : 0ul)
#define XL_MERGE_NUMBER                                                                            \
    n_a += XL_MERGE_BEGIN;                                                                         \
    n_b += XL_MERGE_BEGIN;
#define XL_MERGE_IN_OFFSET(offset) (long)(offset - XL_MERGE_BEGIN)
#define XL_MERGE_OUT_OFFSET(offset) (long)(offset - 2 * XL_MERGE_BEGIN)
#define XL_MERGE_OUT_PLACE(place) (place + 2 * XL_MERGE_BEGIN)

/* The lengths of both inputs: at most n_a and n_b, or, if n_a_device or n_b_device is not NULL, at
 * most the number there. */
#define XL_MERGE_LENGTHS                                                                           \
    XL_PLACE n_a, __global const ulong *n_a_device, ulong n_a_offset, XL_PLACE n_b,                \
        __global const ulong *n_b_device, ulong n_b_offset

/* Reads n_a and n_b, once in a kernel. One work-item of a group reads and broadcasts them, so that
 * a concurrent write cannot make work-items diverge at a barrier. */
#if XL_SERIAL
#define XL_MERGE_READ_LENGTHS                                                                      \
    n_a = (XL_PLACE)xl_length(n_a, n_a_device, n_a_offset);                                        \
    n_b = (XL_PLACE)xl_length(n_b, n_b_device, n_b_offset);                                        \
    XL_MERGE_NUMBER
#else
#define XL_MERGE_READ_LENGTHS                                                                      \
    __local XL_PLACE lengths[2];                                                                   \
    if (n_a_device || n_b_device) {                                                                \
        if (get_local_id(0) == 0) {                                                                \
            lengths[0] = (XL_PLACE)xl_length(n_a, n_a_device, n_a_offset);                         \
            lengths[1] = (XL_PLACE)xl_length(n_b, n_b_device, n_b_offset);                         \
        }                                                                                          \
        xl_local_barrier();                                                                        \
        n_a = lengths[0];                                                                          \
        n_b = lengths[1];                                                                          \
    }                                                                                              \
    XL_MERGE_NUMBER
#endif

/* Both inputs: buffers, and the element at which each array begins. */
#define XL_MERGE_KEYS                                                                              \
    __global const XL_KEY *keys_a, ulong keys_a_offset, __global const XL_KEY *keys_b,             \
        ulong keys_b_offset
#define XL_MERGE_RUNS                                                                              \
    {                                                                                              \
        keys_a + XL_MERGE_IN_OFFSET(keys_a_offset), keys_b + XL_MERGE_IN_OFFSET(keys_b_offset),    \
            n_a, n_b, XL_MERGE_BEGIN                                                               \
    }

/* All arrays; XL_MERGE_MAKE makes `in` and `out` of them. */
#define XL_MERGE_VALUE_ARGUMENT(k)                                                                 \
    , __global const xl_value##k *values_a##k, ulong values_a##k##_offset,                         \
        __global const xl_value##k *values_b##k, ulong values_b##k##_offset,                       \
        __global xl_value##k *values_out##k, ulong values_out##k##_offset
#define XL_MERGE_ARRAYS                                                                            \
    XL_MERGE_KEYS, __global XL_KEY *keys_out,                                                      \
        ulong keys_out_offset XL_EACH_VALUE(XL_MERGE_VALUE_ARGUMENT)
#define XL_MERGE_VALUE_MAKE(k)                                                                     \
    in.first_values##k =                                                                           \
        values_a##k + XL_MERGE_IN_OFFSET(values_a##k##_offset) * xl_value##k##_units;              \
    in.second_values##k =                                                                          \
        values_b##k + XL_MERGE_IN_OFFSET(values_b##k##_offset) * xl_value##k##_units;              \
    out.values##k =                                                                                \
        values_out##k + XL_MERGE_OUT_OFFSET(values_out##k##_offset) * xl_value##k##_units;
#define XL_MERGE_MAKE                                                                              \
    const xl_runs runs = XL_MERGE_RUNS;                                                            \
    xl_merge_in in;                                                                                \
    xl_merge_out out;                                                                              \
    in.keys = runs;                                                                                \
    out.keys = keys_out + XL_MERGE_OUT_OFFSET(keys_out_offset);                                    \
    XL_EACH_VALUE(XL_MERGE_VALUE_MAKE)
