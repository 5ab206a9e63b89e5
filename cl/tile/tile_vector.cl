/* SPDX-License-Identifier: MIT
 * Vectors of XL_VLEN elements, to and from memory and arrays of the work-item's own. */
#ifndef XL_TILE_VECTOR
#define XL_TILE_VECTOR

#include "../lane/lane.cl"
#include "../prelude/prelude_accumulator.cl"

#if XL_VLEN > 1
typedef XL_JOIN(XL_IN, XL_VLEN) xl_in_vec;
typedef XL_JOIN(XL_OUT, XL_VLEN) xl_out_vec;
#define XL_UNPACK(x, to) XL_JOIN(vstore, XL_VLEN)((x), 0, (to))
#define XL_PACK(from) XL_JOIN(vload, XL_VLEN)(0, (from))
#else
typedef XL_IN xl_in_vec;
typedef XL_OUT xl_out_vec;
#define XL_UNPACK(x, to) (*(to) = (x))
#define XL_PACK(from) (*(from))
#endif
#define XL_IS_ALIGNED(p) (XL_VLEN == 1 || ((size_t)(p) & (sizeof(*(p)) * XL_VLEN - 1)) == 0)

/* A vector that will not be read again. `fixed`: nobody writes the buffer while
 * the kernel runs, so that the read-only path may be taken. */
xl_in_vec xl_load_vec(const __global XL_IN *from, const bool fixed)
{
#if XL_LANE_WAY == 2 && XL_NV_CAPABILITY >= 8 && XL_VLEN > 1 && XL_IN_BYTES * XL_VLEN == 16
    if (fixed) { /* a prefetch of 256 bytes is slower by 7 % on an H200 */
        uint4 w;
        __asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                       : "l"(from));
        return XL_JOIN(XL_JOIN(as_, XL_IN), XL_VLEN)(w);
    }
#endif
    return *(const __global xl_in_vec *)from;
}

void xl_store_vec(__global XL_OUT *to, xl_out_vec x)
{
#if XL_LANE_WAY == 2 && XL_VLEN > 1 && XL_OUT_BYTES * XL_VLEN == 16
    const uint4 w = as_uint4(x);
    __asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                   : "memory");
#else
    *(__global xl_out_vec *)to = x;
#endif
}

#endif
