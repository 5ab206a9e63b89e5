/* SPDX-License-Identifier: MIT
 * Coordinates of the precision that a program is for (XL_F64): one, two and four of them, and what
 * a comparison of four yields. */
#ifndef XL_PRELUDE_REAL
#define XL_PRELUDE_REAL

#include "prelude.cl"

#if XL_F64
typedef double xl_real;
typedef double2 xl_real2;
typedef double4 xl_real4;
typedef long4 xl_mask4;
#else
typedef float xl_real;
typedef float2 xl_real2;
typedef float4 xl_real4;
typedef int4 xl_mask4;
#endif

xl_real4 xl_real4_of(int4 numbers)
{
#if XL_F64
    return convert_double4(numbers);
#else
    return convert_float4(numbers);
#endif
}

#endif
