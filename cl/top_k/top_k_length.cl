/* SPDX-License-Identifier: MIT
 * The number of keys of a call. */
#ifndef XL_TOP_K_LENGTH
#define XL_TOP_K_LENGTH

/* n, or the number on the device if that is less. `length` is NULL if there is none. */
uint xl_top_k_length(uint n, __global const ulong *length, ulong offset)
{
    return length ? (uint)min((ulong)n, length[offset]) : n;
}

#endif
