/* SPDX-License-Identifier: MIT
 * What both top-k selections, of a whole array and of each segment, do alike: the caller's arrays,
 * and by a work-group ranks, and the digit of the k-th key. */
#ifndef XL_TOPK_RESULTS
#define XL_TOPK_RESULTS

#include "../prelude/prelude_key.cl"

/* What is wanted of a result; lib/topk/topk_plan.h has the same numbers. */
#define XL_GIVES_KEYS 1
#define XL_GIVES_VALUES 2
#define XL_GIVES_INDICES 4

/* The caller's arrays, those of results where they are wanted. */
typedef struct xl_topk_arrays {
    __global const XL_KEY *keys_in;
    __global const uint *values_in;
    __global XL_KEY *keys_out;
    __global uint *values_out;
    __global uint *indices_out;
    uint gives;
} xl_topk_arrays;

/* As arguments of a kernel, each with the element that it begins at; `gives` is one beside them. */
#define XL_TOPK_ARRAYS                                                                             \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global const uint *values_in,          \
        ulong values_in_offset, __global XL_KEY *keys_out, ulong keys_out_offset,                  \
        __global uint *values_out, ulong values_out_offset, __global uint *indices_out,            \
        ulong indices_out_offset
#define XL_TOPK_ARRAYS_MAKE                                                                        \
    xl_topk_arrays arrays;                                                                         \
    arrays.keys_in = keys_in + keys_in_offset;                                                     \
    arrays.values_in = values_in + values_in_offset;                                               \
    arrays.keys_out = keys_out + keys_out_offset;                                                  \
    arrays.values_out = values_out + values_out_offset;                                            \
    arrays.indices_out = indices_out + indices_out_offset;                                         \
    arrays.gives = gives;

/* The result at `place` is key i. */
void xl_topk_give(const xl_topk_arrays *a, ulong place, uint i)
{
    if (a->gives & XL_GIVES_KEYS)
        a->keys_out[place] = a->keys_in[i];
    if (a->gives & XL_GIVES_VALUES)
        a->values_out[place] = a->values_in[i];
    if (a->gives & XL_GIVES_INDICES)
        a->indices_out[place] = i;
}

/* The bits of an ordinal that are known, the highest so many: none only if `bits` is 0, whatever
 * somebody else has written there. */
XL_ORDINAL xl_topk_known(uint bits)
{
    const uint rest = XL_KEY_BITS - min(bits, (uint)XL_KEY_BITS);
    return bits == 0 ? 0 : (XL_KEY_ONES << rest) & XL_KEY_ONES;
}

/* The sum of x over the work-items before this one; *total over all of them. `rank` has a word for
 * each. */
uint xl_topk_rank(uint x, uint *total, __local uint *rank)
{
    const uint me = (uint)get_local_id(0);
    uint sum = x;
    rank[me] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < XL_TOPK_GROUP; step *= 2) {
        const uint other = me >= step ? rank[me - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += other;
        rank[me] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = rank[XL_TOPK_GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - x;
}

/* The digit of the k-th key among candidates of which each digit has been counted, where `left` of
 * them are results: found[0] is the digit, found[1] how many candidates have a lower one, found[2]
 * how many have it; all 0 if there is none. Each work-item has some counters that follow each
 * other. Ends with a barrier. */
void xl_topk_digit(__global const uint *counts, uint digits, uint left, __local uint *rank,
                   __local uint *found)
{
    const uint me = (uint)get_local_id(0), each = XL_CEIL_DIV(digits, XL_TOPK_GROUP);
    const uint from = me * each, to = min(from + each, digits);
    uint sum = 0, total;
    for (uint i = me; i < 3; i += XL_TOPK_GROUP)
        found[i] = 0;
    for (uint d = from; d < to; ++d)
        sum += counts[d];
    uint below = xl_topk_rank(sum, &total, rank);
    for (uint d = from; d < to; ++d) {
        const uint same = counts[d];
        if (below < left && left - below <= same) {
            found[0] = d;
            found[1] = below;
            found[2] = same;
        }
        below += same;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif
