/* SPDX-License-Identifier: MIT
 * uint xl_dot4(uint a, uint b, uint c): c plus the dot product of the four bytes of a with those of
 * b. One instruction if the device has it: dp4a (PTX ISA 5.0), udot4 of AMD's gfx906 and later,
 * elsewhere cl_khr_integer_dot_product. */
#ifndef XL_DOT4
#define XL_DOT4

#include "../prelude/prelude.cl"

#if XL_LANE_WAY == 3
#if __clang_major__ >= 15 && __has_builtin(__builtin_amdgcn_udot4) /* older: always true */
#define XL_AMD_DOT4
#endif
#endif

uint xl_dot4(uint a, uint b, uint c)
{
#if XL_LANE_WAY == 2 && XL_NV_CAPABILITY >= 7
    uint r;
    __asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#elif defined(XL_AMD_DOT4)
    return __builtin_amdgcn_udot4(a, b, c, false);
#elif defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
    return dot_4x8packed_uu_uint(a, b) + c;
#else
    return (a & 0xff) * (b & 0xff) + (a >> 8 & 0xff) * (b >> 8 & 0xff) +
           (a >> 16 & 0xff) * (b >> 16 & 0xff) + (a >> 24) * (b >> 24) + c;
#endif
}

#endif
