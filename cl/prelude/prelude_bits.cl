/* SPDX-License-Identifier: MIT
 * Bit lengths of numbers. */
#ifndef XL_PRELUDE_BITS
#define XL_PRELUDE_BITS

#include "prelude.cl"

/* Bits of x without leading zeros; 0 for 0. */
uint xl_bit_length(ulong x)
{
    return 64u - (uint)clz(x);
}

/* The exponent of the least power of two that is not below x; 0 for 0. */
uint xl_log2_above(uint x)
{
    return x > 1 ? 32u - clz(x - 1u) : 0;
}

#endif
