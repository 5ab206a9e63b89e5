/* SPDX-License-Identifier: MIT
 * Shared by the top-k selections of a whole array and of segments: the caller's arrays, and for a
 * work-group a prefix sum and the digit of the k-th key. */
#ifndef XL_TOP_K_RESULTS
#define XL_TOP_K_RESULTS

#include "../prelude/prelude_key.cl"

/* Bits of `outputs`: the arrays that a call writes. lib/top_k/top_k_enqueue.c has the same
 * numbers. */
#define XL_OUTPUT_KEYS 1
#define XL_OUTPUT_INDICES 2

/* The caller's arrays. An output is written only if `outputs` contains it. Values are gathered
 * later, by the indices (cl/top_k/top_k_values.cl). */
typedef struct xl_top_k_arrays {
    __global const XL_KEY *keys_in;
    __global XL_KEY *keys_out;
    __global uint *indices_out;
    uint outputs;
} xl_top_k_arrays;

/* The same as kernel arguments, each array with its first element; `outputs` is another
 * argument. */
#define XL_TOP_K_ARRAYS                                                                            \
    __global const XL_KEY *keys_in, ulong keys_in_offset, __global XL_KEY *keys_out,               \
        ulong keys_out_offset, __global uint *indices_out, ulong indices_out_offset
#define XL_TOP_K_ARRAYS_MAKE                                                                       \
    xl_top_k_arrays arrays;                                                                        \
    arrays.keys_in = keys_in + keys_in_offset;                                                     \
    arrays.keys_out = keys_out + keys_out_offset;                                                  \
    arrays.indices_out = indices_out + indices_out_offset;                                         \
    arrays.outputs = outputs;

/* Stores key i of the input as the result at `place`. */
void xl_top_k_store(const xl_top_k_arrays *a, ulong place, uint i)
{
    if (a->outputs & XL_OUTPUT_KEYS)
        a->keys_out[place] = a->keys_in[i];
    if (a->outputs & XL_OUTPUT_INDICES)
        a->indices_out[place] = i;
}

/* A mask of the highest `bits` bits of an ordinal. It is 0 only if `bits` is 0, even if another
 * kernel changes the scratch that `bits` comes from. */
XL_ORDINAL xl_top_k_known(uint bits)
{
    const uint rest = XL_KEY_BITS - min(bits, (uint)XL_KEY_BITS);
    return bits == 0 ? 0 : (XL_KEY_ONES << rest) & XL_KEY_ONES;
}

/* Returns the sum of x over the work-items before this one, and stores the sum over all in *total.
 * `rank` has a word for each work-item. */
uint xl_top_k_rank(uint x, uint *total, __local uint *rank)
{
    const uint me = (uint)get_local_id(0);
    uint sum = x;
    rank[me] = sum;
    xl_local_barrier();
#pragma unroll 1 /* it is called often, and waits more than it computes: short code compiles faster */
    for (uint step = 1; step < XL_GROUP_SIZE; step *= 2) {
        const uint other = me >= step ? rank[me - step] : 0;
        xl_local_barrier();
        sum += other;
        rank[me] = sum;
        xl_local_barrier();
    }
    *total = rank[XL_GROUP_SIZE - 1];
    xl_local_barrier();
    return sum - x;
}

/* Finds the digit of the k-th key. counts[d] is the number of candidates with digit d, and `needed`
 * of all candidates are results. Stores the digit in found[0], the number of candidates with a
 * lower digit in found[1] and the number with this digit in found[2]; zeros if there is no such
 * digit. Each work-item reads a contiguous part of the counts. Ends with a barrier. */
void xl_top_k_digit(__global const uint *counts, uint digits, uint needed, __local uint *rank,
                    __local uint *found)
{
    const uint me = (uint)get_local_id(0), each = XL_CEIL_DIV(digits, XL_GROUP_SIZE);
    const uint from = me * each, to = min(from + each, digits);
    uint sum = 0, total;
    for (uint i = me; i < 3; i += XL_GROUP_SIZE)
        found[i] = 0;
    for (uint d = from; d < to; ++d)
        sum += counts[d];
    uint below = xl_top_k_rank(sum, &total, rank);
#pragma unroll 1
    for (uint d = from; d < to; ++d) {
        const uint same = counts[d];
        if (below < needed && needed - below <= same) {
            found[0] = d;
            found[1] = below;
            found[2] = same;
        }
        below += same;
    }
    xl_local_barrier();
}

#endif
