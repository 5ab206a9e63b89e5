/* SPDX-License-Identifier: MIT
 * Vectors of XL_VLEN elements: loads, stores, and conversion from and to private arrays. */
#ifndef XL_TILE_VECTOR
#define XL_TILE_VECTOR

#include "../lane/lane.cl"
#include "../prelude/prelude_accumulator.cl"

#if XL_VLEN > 1
typedef XL_JOIN(XL_IN, XL_VLEN) xl_in_vec;
typedef XL_JOIN(XL_OUT, XL_VLEN) xl_out_vec;
typedef XL_JOIN(XL_SEG, XL_VLEN) xl_seg_vec;
#define XL_UNPACK(x, to) XL_JOIN(vstore, XL_VLEN)((x), 0, (to))
#define XL_PACK(from) XL_JOIN(vload, XL_VLEN)(0, (from))
#else
typedef XL_IN xl_in_vec;
typedef XL_OUT xl_out_vec;
typedef XL_SEG xl_seg_vec;
#define XL_UNPACK(x, to) (*(to) = (x))
#define XL_PACK(from) (*(from))
#endif

void xl_in_unpack(xl_in_vec x, XL_IN *to)
{
    XL_UNPACK(x, to);
}

void xl_seg_unpack(xl_seg_vec x, XL_SEG *to)
{
    XL_UNPACK(x, to);
}

void xl_out_unpack(xl_out_vec x, XL_OUT *to)
{
    XL_UNPACK(x, to);
}

xl_out_vec xl_out_pack(const XL_OUT *from)
{
    return XL_PACK(from);
}

/* Vectors of 16 bytes as words. */
typedef union xl_in_words {
    uint4 words;
    xl_in_vec in;
} xl_in_words;
typedef union xl_out_words {
    uint4 words;
    xl_out_vec out;
} xl_out_words;

uint4 xl_out_as_words(xl_out_vec x)
{
    xl_out_words w;
    w.out = x;
    return w.words;
}

xl_out_vec xl_words_as_out(uint4 words)
{
    xl_out_words w;
    w.words = words;
    return w.out;
}

/* Whether p is aligned for a vector of elements of this size. */
bool xl_is_aligned(const __global void *p, uint element_bytes)
{
    return XL_VLEN == 1 || ((size_t)p & (element_bytes * XL_VLEN - 1)) == 0;
}

/* Loads a vector that will not be read again. `fixed`: the buffer is not written while the kernel
 * runs, so the read-only path may be used. */
xl_in_vec xl_load_vec(const __global XL_IN *from, const bool fixed)
{
#if XL_LANE_WAY == 2 && XL_NV_CAPABILITY >= 8
    if (fixed && XL_VLEN > 1 && sizeof(xl_in_vec) == 16) {
        /* a prefetch of 256 bytes is 7 % slower on an H200 */
        xl_in_words w;
        __asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(w.words.x), "=r"(w.words.y), "=r"(w.words.z), "=r"(w.words.w)
                       : "l"(from));
        return w.in;
    }
#endif
    return *(const __global xl_in_vec *)from;
}

void xl_store_vec(__global XL_OUT *to, xl_out_vec x)
{
#if XL_LANE_WAY == 2
    if (XL_VLEN > 1 && sizeof(xl_out_vec) == 16) {
        const uint4 w = xl_out_as_words(x);
        __asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                       :
                       : "l"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                       : "memory");
        return;
    }
#endif
    *(__global xl_out_vec *)to = x;
}

#endif
