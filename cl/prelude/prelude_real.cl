/* SPDX-License-Identifier: MIT
 * Types for coordinates in the precision of the program (XL_F64): scalar, vectors, the result of
 * comparing four, and tests whether they are finite. */
#ifndef XL_PRELUDE_REAL
#define XL_PRELUDE_REAL

#include "prelude.cl"

#if XL_F64
typedef double xl_real;
typedef double2 xl_real2;
typedef double4 xl_real4;
typedef double8 xl_real8;
typedef double16 xl_real16;
typedef long4 xl_mask4;
typedef ulong xl_real_bits;
#else
typedef float xl_real;
typedef float2 xl_real2;
typedef float4 xl_real4;
typedef float8 xl_real8;
typedef float16 xl_real16;
typedef int4 xl_mask4;
typedef uint xl_real_bits;
#endif

/* The bits of a number. Those of numbers that are not negative have the order of the numbers. */
xl_real_bits xl_bits_of_real(xl_real number)
{
#if XL_F64
    return as_ulong(number);
#else
    return as_uint(number);
#endif
}

xl_real xl_real_of_bits(xl_real_bits bits)
{
#if XL_F64
    return as_double(bits);
#else
    return as_float(bits);
#endif
}

xl_real4 xl_real4_of(int4 numbers)
{
#if XL_F64
    return convert_double4(numbers);
#else
    return convert_float4(numbers);
#endif
}

/* Whether x, y and z are neither NaN nor infinite; w is ignored. */
bool xl_float4_finite(float4 p)
{
    const uint4 exponent = as_uint4(p) & 0x7f800000u;
    return exponent.x != 0x7f800000u && exponent.y != 0x7f800000u && exponent.z != 0x7f800000u;
}

bool xl_real4_finite(xl_real4 p)
{
#if XL_F64
    const ulong mask = 0x7ff0000000000000UL;
    const ulong4 exponent = as_ulong4(p) & mask;
    return exponent.x != mask && exponent.y != mask && exponent.z != mask;
#else
    return xl_float4_finite(p);
#endif
}

#endif
