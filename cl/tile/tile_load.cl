/* SPDX-License-Identifier: MIT
 * How a work-group holds a tile in registers, and how it gets there and back.
 *
 * A tile is XL_GROUP_SIZE * XL_ITEMS elements in order. It falls into units: one
 * per sub-group (or the whole group as one unit where there are none). A unit
 * walks its part in rows of 16 bytes per work-item, so that neighbours touch
 * neighbouring vectors and no exchange through local memory is needed:
 *
 *   element = unit * (span * XL_ITEMS) + (row * span + place) * XL_VLEN + v
 *
 * with span the work-items of the unit and place the work-item's number in it. A
 * work-item holds element (row, v) as item[row * XL_VLEN + v].
 *
 * Asks for what cl/group/group_scan.cl asks for, and
 *   XL_ITEMS  elements per work-item; a multiple of XL_VLEN */
#ifndef XL_TILE_LOAD
#define XL_TILE_LOAD

#include "../group/group_scan.cl"

#if !defined(XL_ITEMS)
#error "XL_ITEMS must be defined"
#elif XL_ITEMS % XL_VLEN != 0
#error "XL_ITEMS must be a multiple of XL_VLEN"
#endif

#define XL_TILE (XL_GROUP_SIZE * XL_ITEMS)
#define XL_ROWS (XL_ITEMS / XL_VLEN)

#if XL_USE_LANES
#define XL_SPAN xl_lane_width()
#define XL_PLACE xl_lane_id()
#define XL_UNIT xl_lane_group()
#define XL_UNITS xl_lane_groups()
#else
#define XL_SPAN XL_GROUP_SIZE
#define XL_PLACE ((uint)get_local_id(0))
#define XL_UNIT 0u
#define XL_UNITS 1u
#endif

/* First element of a row of this work-item in a tile, for a given unit. */
uint xl_tile_at(uint unit, uint row)
{
    return unit * (XL_SPAN * XL_ITEMS) + (row * XL_SPAN + XL_PLACE) * XL_VLEN;
}

#if XL_VLEN == 4
#define XL_VEC_LOAD(p) vload4(0, (p))
#else
#define XL_VEC_LOAD(p) vload2(0, (p))
#endif

bool xl_is_aligned(const __global XL_T *p)
{
    return ((size_t)p & 15) == 0;
}

/* 16 bytes that will not be read again. `fixed`: nobody writes the buffer while
 * the kernel runs, so that the read-only path may be taken. */
xl_vec xl_load_vec(const __global XL_T *from, const bool fixed)
{
#if XL_LANE_WAY == 2
    uint4 w;
    if (fixed)
        __asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                       : "l"(from));
    else
        w = *(const __global uint4 *)from;
    return XL_JOIN(XL_JOIN(as_, XL_T), XL_VLEN)(w);
#else
    return *(const __global xl_vec *)from;
#endif
}

void xl_store_vec(__global XL_T *to, xl_vec x)
{
#if XL_LANE_WAY == 2
    const uint4 w = as_uint4(x);
    __asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(to), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                   : "memory");
#else
    *(__global xl_vec *)to = x;
#endif
}

/* Loads this work-item's part of one unit of a tile; `left` elements are there,
 * the rest becomes XL_IDENTITY. */
void xl_tile_load(XL_T *item, const __global XL_T *tile, ulong left, uint unit, const bool fixed)
{
    if (left >= XL_TILE && xl_is_aligned(tile)) {
#pragma unroll
        for (uint row = 0; row < XL_ROWS; ++row) {
            const xl_vec x = xl_load_vec(tile + xl_tile_at(unit, row), fixed);
            item[row * XL_VLEN] = x.s0;
            item[row * XL_VLEN + 1] = x.s1;
#if XL_VLEN == 4
            item[row * XL_VLEN + 2] = x.s2;
            item[row * XL_VLEN + 3] = x.s3;
#endif
        }
    } else {
#pragma unroll
        for (uint row = 0; row < XL_ROWS; ++row) {
            const uint at = xl_tile_at(unit, row);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                item[row * XL_VLEN + v] = at + v < left ? tile[at + v] : XL_IDENTITY;
        }
    }
}

/* Stores `before` op each item, where it lies within `left`. */
void xl_tile_store(const XL_T *item, __global XL_T *tile, ulong left, XL_T before)
{
    if (left >= XL_TILE && xl_is_aligned(tile)) {
#pragma unroll
        for (uint row = 0; row < XL_ROWS; ++row) {
            const XL_T *x = item + row * XL_VLEN;
            const XL_T y[XL_VLEN] = {
                xl_op(before, x[0]),
                xl_op(before, x[1]),
#if XL_VLEN == 4
                xl_op(before, x[2]),
                xl_op(before, x[3])
#endif
            };
            xl_store_vec(tile + xl_tile_at(XL_UNIT, row), XL_VEC_LOAD(y));
        }
    } else {
#pragma unroll
        for (uint row = 0; row < XL_ROWS; ++row) {
            const uint at = xl_tile_at(XL_UNIT, row);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                if (at + v < left)
                    tile[at + v] = xl_op(before, item[row * XL_VLEN + v]);
        }
    }
}

#endif
