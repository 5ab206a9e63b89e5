/* SPDX-License-Identifier: MIT
 * The CSR offsets of segments, clamped as they are read. */
#ifndef XL_TOP_K_OFFSETS
#define XL_TOP_K_OFFSETS

typedef struct xl_top_k_offsets {
    __global const XL_SEG *at;
    uint n, count; /* keys and segments */
} xl_top_k_offsets;

/* The first key of segment i, and the end of segment i - 1. */
uint xl_top_k_segment_begin(const xl_top_k_offsets *o, uint i)
{
    return i < o->count ? (uint)min((ulong)o->at[i], (ulong)o->n) : o->n;
}

/* The number of keys of segment i; *begin: its first key. */
uint xl_top_k_segment(const xl_top_k_offsets *o, uint i, uint *begin)
{
    *begin = xl_top_k_segment_begin(o, i);
    return max(*begin, xl_top_k_segment_begin(o, i + 1u)) - *begin;
}

#endif
