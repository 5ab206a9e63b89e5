/* SPDX-License-Identifier: MIT
 * How a work-group holds a tile in registers, and how it gets there and back.
 *
 * A tile is XL_GROUP_SIZE * XL_ITEMS elements in order. It falls into units: one
 * per sub-group (or the whole group as one unit where there are none). A unit
 * walks its part in rows of XL_VLEN elements per work-item, so that neighbours touch
 * neighbouring vectors and no exchange through local memory is needed:
 *
 *   element = unit * (span * XL_ITEMS) + (row * span + place) * XL_VLEN + v
 *
 * with span the work-items of the unit and place the work-item's number in it. A
 * work-item holds the state of element (row, v) as item[row * XL_VLEN + v]. */
#ifndef XL_TILE_LOAD
#define XL_TILE_LOAD

#include "../group/group_scan.cl"
#include "tile_output.cl"

#if XL_ITEMS % XL_VLEN != 0
#error "XL_ITEMS must be a multiple of XL_VLEN"
#elif XL_TILE != XL_GROUP_SIZE * XL_ITEMS
#error "XL_TILE must be XL_GROUP_SIZE * XL_ITEMS"
#endif

#define XL_VECTORS (XL_ITEMS / XL_VLEN)

#if XL_USE_LANES
#define XL_SUB_TILE_LANES xl_lane_width()
#define XL_LANE_RANK xl_lane_id()
#define XL_SUB_TILE xl_lane_group()
#define XL_SUB_TILES xl_lane_groups()
#else
#define XL_SUB_TILE_LANES XL_GROUP_SIZE
#define XL_LANE_RANK ((uint)get_local_id(0))
#define XL_SUB_TILE 0u
#define XL_SUB_TILES 1u
#endif

/* First element of a row of this work-item in a tile of `rows` rows, for a given unit, and the
 * elements from one row to the next. */
#define XL_VECTOR_STEP (XL_SUB_TILE_LANES * XL_VLEN)
uint xl_tile_at(uint sub_tile, uint row, const uint rows)
{
    return (sub_tile * rows * XL_SUB_TILE_LANES + row * XL_SUB_TILE_LANES + XL_LANE_RANK) * XL_VLEN;
}

/* Vectors of XL_VLEN elements, to and from arrays of the work-item's own. */
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

#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
/* xl_heads() of XL_VLEN elements whose flags or keys are read as one vector. */
uint xl_heads_vector(const xl_input *input, ulong i)
{
    const __global XL_SEG *const from = input->segments + i;
    XL_SEG s[XL_VLEN];
#if XL_VLEN > 1
    XL_UNPACK(*(const __global XL_JOIN(XL_SEG, XL_VLEN) *)from, s);
#else
    s[0] = *from;
#endif
#if XL_SEGMENTS == 1
    uint bits = (i == 0 && XL_BEGINS(input)) || s[0] != 0;
#else
    uint bits = (i == 0 && XL_BEGINS(input)) || from[-1] != s[0];
#endif
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        bits |= (uint)(s[v] != (XL_SEGMENTS == 1 ? 0 : s[v - 1])) << v;
    return bits;
}
#define XL_VECTOR_ALIGNED(input) XL_IS_ALIGNED((input)->segments)
#else
#define xl_heads_vector(input, i) xl_heads((input), (i), XL_VLEN)
#define XL_VECTOR_ALIGNED(input) true
#endif

#if XL_SEGMENTS == 4 && !XL_SERIAL
void xl_heads_prepare(xl_input *input, __local uint *marks, ulong base)
{
#if XL_USE_LANES
    const ulong first = xl_offset_search_lanes(input->segments, input->count, base);
#else
    const ulong first = xl_offset_search(input->segments, input->count, base);
#endif
    xl_marks_make(input, marks, base, min(input->n, base + XL_TILE), first);
}
#else
#define xl_heads_prepare(input, marks, base)
#endif

/* The state of element i, if there is one. */
XL_T xl_input_at(const xl_input *input, ulong i)
{
    if (i < input->n)
        return xl_input_one(input, i);
    return XL_IDENTITY;
}

/* XL_VLEN elements from i on, folded; what lies past the last is XL_IDENTITY. */
XL_T xl_vector_fallback_reduce(const xl_input *input, ulong i)
{
    XL_T total = xl_input_at(input, i);
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, xl_input_at(input, i + v));
    return total;
}

/* Loads this work-item's part of one unit of the tile at `base`; what lies past the last
 * element becomes XL_IDENTITY. */
void xl_tile_load(XL_T *item, const xl_input *input, ulong base, uint sub_tile, const bool fixed)
{
    if (input->n - base >= XL_TILE && XL_IS_ALIGNED(input->in + base) && XL_VECTOR_ALIGNED(input)) {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row) {
            const ulong at = base + xl_tile_at(sub_tile, row, XL_VECTORS);
            XL_IN x[XL_VLEN];
            XL_UNPACK(xl_load_vec(input->in + at, fixed), x);
            const uint heads = xl_heads_vector(input, at);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                item[row * XL_VLEN + v] =
                    xl_input_accumulator(input, x[v], at + v, (heads >> v & 1) != 0);
        }
    } else {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row) {
            const ulong at = base + xl_tile_at(sub_tile, row, XL_VECTORS);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                item[row * XL_VLEN + v] = xl_input_at(input, at + v);
        }
    }
}

/* Stores `before` op each item of a tile of `rows` rows, where there is an element. One
 * pointer and constant steps: a pointer per row would be kept in registers. */
void xl_tile_store(const XL_T *item, const xl_input *input, __global XL_OUT *out, ulong base,
                   XL_T before, const uint rows)
{
    const ulong n = input->n;
    const uint step = XL_VECTOR_STEP, tile = XL_GROUP_SIZE * XL_VLEN * rows;
    const ulong first = base + xl_tile_at(XL_SUB_TILE, 0, rows);
    const uint count = first < n ? (uint)min(n - first, (ulong)tile) : 0;
    __global XL_OUT *const to = out + first;
    if (n - base >= tile && XL_IS_ALIGNED(out + base)) {
#pragma unroll
        for (uint row = 0; row < rows; ++row) {
            XL_OUT y[XL_VLEN];
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                y[v] = xl_output(XL_VALUE(xl_op(before, item[row * XL_VLEN + v])),
                                 XL_INDEX(input, first + row * step + v));
            xl_store_vec(to + row * step, XL_PACK(y));
        }
    } else {
#pragma unroll
        for (uint row = 0; row < rows; ++row) {
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                if (row * step + v < count)
                    to[row * step + v] = xl_output(XL_VALUE(xl_op(before, item[row * XL_VLEN + v])),
                                                   XL_INDEX(input, first + row * step + v));
        }
    }
}

#endif
