/* SPDX-License-Identifier: MIT
 * How a work-group holds a tile in registers, loads it, reduces it, scans it and stores it.
 *
 * A tile is XL_GROUP_SIZE * XL_ITEMS consecutive elements. It is divided into sub-tiles, one per
 * sub-group (without sub-groups, the whole group has one). A work-item holds rows of XL_VLEN
 * elements of its sub-tile, so adjacent work-items access adjacent vectors, and no exchange through
 * local memory is needed:
 *
 *   element = sub_tile * (lanes * XL_ITEMS) + (row * lanes + rank) * XL_VLEN + v
 *
 * where `lanes` is the number of work-items of the sub-tile, and `rank` the number of this one. The
 * accumulator of element (row, v) is item[row * XL_VLEN + v].
 *
 * This is the direct one of three block loads (docs/terms.md); it needs nothing but vectors. The
 * others go through local memory:
 *   bulk    cl/tile/tile_stage.cl, for scans that load a tile ahead (cl/scan/scan_pipelined.cl).
 *           Devices that cannot copy asynchronously do it as a staged load
 *   staged  cl/reduce/reduce_segments.cl, for segmented reductions, whose work-items have
 *           consecutive elements
 *
 * To reduce or scan a tile, work-items do so with their vectors, sub-groups with their rows, and the
 * totals of sub-tiles are combined in local memory: XL_TILE_SCRATCH elements. All work-items of the
 * group must call these functions together.
 *
 * XL_TILE_FUNCTIONS of cl/tile/tile_input.cl says how much of this a program has. */
#ifndef XL_TILE_LOAD
#define XL_TILE_LOAD

#include "tile_input.cl"

#if XL_TILE_FUNCTIONS > 0
#define XL_SCANS_ROWS 1
#endif
#include "../group/group_scan.cl"

#define XL_TILE (XL_GROUP_SIZE * XL_ITEMS)
#if XL_ITEMS % XL_VLEN != 0
#error "XL_ITEMS must be a multiple of XL_VLEN"
#endif

/* ---- vectors of XL_VLEN elements: loads, stores, and conversion from and to private arrays ---- */

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

/* ---- the tile ---- */

#if XL_TILE_FUNCTIONS > 0

enum { XL_VECTORS = XL_ITEMS / XL_VLEN };

/* The sub-tile of this work-item, and the number of sub-tiles; the number of work-items of a
 * sub-tile, and the rank of this one; the distance from one row of a work-item to the next, in
 * elements. These are macros because, with functions, NVIDIA's compiler (580.159) makes a scan of
 * i64 1.4 times slower. */
#if XL_USE_LANES
#define xl_sub_tile() xl_lane_group()
#ifndef xl_sub_tiles
#define xl_sub_tiles() xl_lane_groups()
#endif
#define xl_sub_tile_lanes() xl_lane_width()
#define xl_lane_rank() xl_lane_id()
#else
#define xl_sub_tile() 0u
#define xl_sub_tiles() 1u
#define xl_sub_tile_lanes() XL_GROUP_SIZE
#define xl_lane_rank() ((uint)get_local_id(0))
#endif
#define xl_row_step() (xl_sub_tile_lanes() * XL_VLEN)

/* The first element of a row of this work-item, in a given sub-tile. */
uint xl_tile_at(uint sub_tile, uint row)
{
    return (sub_tile * XL_VECTORS * xl_sub_tile_lanes() + row * xl_sub_tile_lanes() +
            xl_lane_rank()) *
           XL_VLEN;
}

/* The first element of work-item number `item` if the vectors of each are contiguous. XL_VECTORS
 * must be odd if local memory has 32 banks: the lanes' vectors are then in different banks. */
#define xl_blocked_at(item) ((item)*XL_ITEMS)

#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
/* xl_heads() of XL_VLEN elements; reads their flags or keys as one vector. */
uint xl_heads_vector(const xl_input *input, ulong i)
{
    const __global XL_SEG *const from = input->segments + i;
    const bool first = i == 0 && xl_first_begins;
    XL_SEG s[XL_VLEN], before = 0;
    xl_seg_unpack(*(const __global xl_seg_vec *)from, s);
#if XL_SEGMENTS == 3
    if (!first)
        before = xl_key_before(input, i);
#endif
    return xl_heads_among(s, before, XL_VLEN, first);
}
bool xl_heads_aligned(const xl_input *input)
{
    return xl_is_aligned(input->segments, sizeof(XL_SEG));
}
#else
#define xl_heads_vector(input, i) xl_heads((input), (i), XL_VLEN)
#define xl_heads_aligned(input) true
#endif

/* Vector `row` of a work-item's items, reduced. */
XL_T xl_vector_reduce(const XL_T *item, uint row)
{
    XL_T total = item[row * XL_VLEN];
#pragma unroll
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, item[row * XL_VLEN + v]);
    return total;
}

/* XL_VLEN elements from i on, reduced; xl_identity() for places after the last element. Only the
 * fallback of look-back calls it, which is hardly ever executed: short code compiles faster. */
XL_T xl_vector_combine(const xl_input *input, ulong i)
{
    XL_T total = xl_input_at(input, i);
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint v = 1; v < XL_VLEN; ++v)
        total = xl_op(total, xl_input_at(input, i + v));
    return total;
}

/* Loads this work-item's part of one sub-tile of the tile at `base`; places after the last element
 * become xl_identity(). `fixed`: see xl_load_vec(). */
void xl_tile_load(XL_T *item, const xl_input *input, ulong base, uint sub_tile, const bool fixed)
{
    if (input->n - base >= XL_TILE && xl_is_aligned(input->in + base, sizeof(XL_IN)) &&
        xl_heads_aligned(input)) {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row) {
            const ulong at = base + xl_tile_at(sub_tile, row);
            XL_IN x[XL_VLEN];
            xl_in_unpack(xl_load_vec(input->in + at, fixed), x);
            const uint heads = xl_heads_vector(input, at);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                item[row * XL_VLEN + v] =
                    xl_input_accumulator(input, x[v], at + v, (heads >> v & 1) != 0);
        }
    } else {
#pragma unroll
        for (uint row = 0; row < XL_VECTORS; ++row) {
            const ulong at = base + xl_tile_at(sub_tile, row);
#pragma unroll
            for (uint v = 0; v < XL_VLEN; ++v)
                item[row * XL_VLEN + v] = xl_input_at(input, at + v);
        }
    }
}

/* Whether lanes shift vectors to aligned places. */
#ifndef xl_shifts_stores
#define xl_shifts_stores (XL_USE_LANES && XL_VLEN > 1 && sizeof(xl_out_vec) == 16)
#endif

#if XL_USE_LANES
/* Stores a row of a sub-group's vectors to a place that is `skew` bytes past an aligned one, by
 * aligned vectors: each lane stores the end of the previous lane's vector and the beginning of its
 * vector. `to`: the place of this lane's vector; `*last`: the vectors of the row before, replaced by
 * those of this row. The beginning of the first row and the end of the last row are stored element
 * by element. */
void xl_row_store_shifted(__global XL_OUT *to, uint skew, const XL_OUT *y, uint4 *last, bool first,
                          bool ends)
{
    const uint lane = xl_lane_id(), width = xl_lane_width();
    /* Words to skip, and bits. The tests of sizes are for the compiler, which does not know that
     * elements are aligned. */
    const bool two = (16 - skew & 8) != 0, one = sizeof(XL_OUT) < 8 && (16 - skew & 4) != 0;
    const uint bits = sizeof(XL_OUT) < 4 ? (16 - skew) % 4 * 8 : 0;
#if XL_LANE_WAY == 2
    /* Without it, ptxas of CUDA 13.0 moves the shuffles of all rows to the front: 190 registers,
     * not 128. */
    xl_lanes_meet();
#endif
    const uint4 own = xl_out_as_words(xl_out_pack(y)), sent = lane == width - 1 ? *last : own;
    const uint from = (lane + width - 1) % width;
    const uint a0 = xl_lane_shuffle(sent.x, from), a1 = xl_lane_shuffle(sent.y, from);
    const uint a2 = xl_lane_shuffle(sent.z, from), a3 = xl_lane_shuffle(sent.w, from);
    const uint b0 = two ? a2 : a0, b1 = two ? a3 : a1, b2 = two ? own.x : a2;
    const uint b3 = two ? own.y : a3, b4 = two ? own.z : own.x, b5 = two ? own.w : own.y;
    const uint4 low = (uint4)(one ? b1 : b0, one ? b2 : b1, one ? b3 : b2, one ? b4 : b3);
    const uint next = one ? b5 : b4;
    const uint4 high = (uint4)(low.y, low.z, low.w, next);
    const uint4 w = bits > 0 ? low >> bits | high << (32 - bits) : low;
    const uint kept = (16 - skew) / sizeof(XL_OUT);
    if (!first || lane > 0) {
        xl_store_vec((__global XL_OUT *)((__global char *)to - skew), xl_words_as_out(w));
    } else {
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v)
            if (v < kept)
                to[v] = y[v];
    }
    if (ends && lane == width - 1) {
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v)
            if (v >= kept)
                to[v] = y[v];
    }
    *last = own;
}
#endif

/* How a tile is stored: as aligned vectors; as vectors that lanes shift to aligned places; or with
 * a test of each vector, if it is the last tile or vectors are not shifted. */
enum { XL_STORE_ALIGNED, XL_STORE_SHIFTED, XL_STORE_SOME };

uint xl_store_mode(const __global XL_OUT *to, ulong left)
{
    if (left < XL_TILE)
        return XL_STORE_SOME;
    return xl_is_aligned(to, sizeof(XL_OUT)) ? XL_STORE_ALIGNED
           : xl_shifts_stores                ? XL_STORE_SHIFTED
                                             : XL_STORE_SOME;
}

/* Stores a row of a sub-group's vectors; `left` elements exist from this lane's place on. `skew` and
 * `last` as above. */
void xl_vector_store(__global XL_OUT *to, uint skew, const XL_OUT *y, uint4 *last, uint row,
                     uint left, const uint mode)
{
#if XL_USE_LANES
    if (xl_shifts_stores && mode == XL_STORE_SHIFTED) {
        xl_row_store_shifted(to, skew, y, last, row == 0, row == XL_VECTORS - 1);
        return;
    }
#endif
    if (mode == XL_STORE_ALIGNED || (left >= XL_VLEN && xl_is_aligned(to, sizeof(XL_OUT)))) {
        xl_store_vec(to, xl_out_pack(y));
        return;
    }
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        if (v < left)
            to[v] = y[v];
}

/* Stores `before` op each item of a tile, except after the last element. One pointer and constant
 * steps, because a pointer per row would be kept in registers. */
void xl_rows_store(const XL_T *item, const xl_input *input, __global XL_OUT *out, ulong first,
                   XL_T before, const uint mode)
{
    const uint step = xl_row_step();
    __global XL_OUT *const to = out + first;
    const ulong n = input->n;
    const uint skew = (uint)(size_t)to & 15u; /* of all rows */
    const uint count = first < n ? (uint)min(n - first, (ulong)(XL_VECTORS * step)) : 0;
    uint4 last = (uint4)(0);
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_OUT y[XL_VLEN];
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v)
            y[v] = xl_result_store(input, xl_element_of(xl_op(before, item[row * XL_VLEN + v])),
                                   first + row * step + v);
        xl_vector_store(to + row * step, skew, y, &last, row,
                        count > row * step ? count - row * step : 0, mode);
    }
}

/* The same for XL_STORE_SOME in short code, which compiles faster. After each row the items move down
 * by one row, so that a loop with constant places in registers stores all rows. */
void xl_rows_store_briefly(XL_T *item, const xl_input *input, __global XL_OUT *out, ulong first,
                           XL_T before)
{
    ulong at = first;
#if XL_LANE_WAY == 2
#pragma unroll 1
#endif
    for (uint row = 0; row < XL_VECTORS && at < input->n; ++row, at += xl_row_step()) {
        XL_OUT y[XL_VLEN];
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v)
            y[v] = xl_result_store(input, xl_element_of(xl_op(before, item[v])), at + v);
        xl_vector_store(out + at, 0, y, (uint4 *)0, row, (uint)min(input->n - at, (ulong)XL_VLEN),
                        XL_STORE_SOME);
#pragma unroll
        for (uint k = XL_VLEN; k < XL_ITEMS; ++k)
            item[k - XL_VLEN] = item[k];
    }
}

/* Stores `before` op each item of a tile, except after the last element. `brief`: in short code if
 * not all rows are full vectors; the items then get other values. It makes scans with segments 2 %
 * slower on an H200 (November 2026). */
void xl_tile_store(XL_T *item, const xl_input *input, __global XL_OUT *out, ulong base, XL_T before,
                   const bool brief)
{
    const ulong first = base + xl_tile_at(xl_sub_tile(), 0);
    const uint mode = xl_store_mode(out + base, input->n - base);
    if (mode == XL_STORE_ALIGNED) /* a constant mode in each call */
        xl_rows_store(item, input, out, first, before, XL_STORE_ALIGNED);
    else if (xl_shifts_stores && mode == XL_STORE_SHIFTED)
        xl_rows_store(item, input, out, first, before, XL_STORE_SHIFTED);
    else if (brief)
        xl_rows_store_briefly(item, input, out, first, before);
    else
        xl_rows_store(item, input, out, first, before, XL_STORE_SOME);
}

/* ---- reduction ---- */

/* Without sub-groups, a scan needs one total per vector and the scratch of a group scan. */
enum { XL_TILE_SCRATCH = XL_GROUP_SIZE * (XL_USE_LANES ? 1 : XL_VECTORS + 1) };

#if XL_USE_LANES
/* The total of this work-item's sub-tile, at every lane. If the operator does not commute, this is
 * the total that xl_sub_tile_scan() returns, by the same operations. */
XL_T xl_sub_tile_reduce(const XL_T *item)
{
    XL_T total = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T part = xl_vector_reduce(item, row);
        if (!xl_commutes)
            part = xl_lane_total(part);
        total = xl_op(total, part);
    }
    if (xl_commutes)
        total = xl_lane_reduce(total);
    return total;
}
#endif

/* From the totals of all sub-tiles of the tile: *before, those before this one, and *all. */
void xl_sub_tiles_fold(XL_T sub_tile_total, __local XL_T *scratch, XL_T *before, XL_T *all)
{
#if XL_USE_LANES
    if (xl_lane_id() == 0)
        scratch[xl_lane_group()] = sub_tile_total;
    xl_local_barrier();
    XL_T sum = xl_identity();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            *before = sum;
        sum = xl_op(sum, scratch[k]);
    }
    *all = sum;
    xl_local_barrier();
#else
    *before = xl_identity();
    *all = sub_tile_total;
#endif
}

/* The total of the tile, at every work-item. */
XL_T xl_tile_reduce(const XL_T *item, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T before, all;
    xl_sub_tiles_fold(xl_sub_tile_reduce(item), scratch, &before, &all);
    return all;
#else
    XL_T total = xl_identity();
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T part = xl_vector_reduce(item, row);
        if (!xl_commutes)
            part = xl_group_reduce(part, scratch);
        total = xl_op(total, part);
    }
    if (xl_commutes)
        total = xl_group_reduce(total, scratch);
    return total;
#endif
}

/* ---- scan ---- */

#if XL_TILE_FUNCTIONS > 1

/* Replaces a vector by its scan from `carry` on; returns the carry after it. */
XL_T xl_vector_scan(const xl_input *input, XL_T *item, uint row, XL_T carry)
{
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v) {
        const XL_T x = item[row * XL_VLEN + v], next = xl_op(carry, x);
        item[row * XL_VLEN + v] = xl_result(input, carry, x, next);
        carry = next;
    }
    return carry;
}

/* Scans the sub-tile in place, starting with xl_identity(); returns its total. */
XL_T xl_sub_tile_scan(const xl_input *input, XL_T *item, __local XL_T *scratch)
{
#if XL_USE_LANES
    XL_T carry = xl_identity();
#pragma unroll
    for (uint row = 0; row < XL_VECTORS; ++row) {
        XL_T all;
        const XL_T before = xl_lane_scan_total(xl_vector_reduce(item, row), &all);
        xl_vector_scan(input, item, row, xl_op(carry, before));
        carry = xl_op(carry, all);
    }
    return carry;
#else
    /* All rows together: the totals of vectors are in local memory in the order of elements, each
     * work-item scans XL_VECTORS consecutive ones, and the group scans the work-items' totals. At
     * the end a work-item reads the places that it wrote at the beginning, so it may write them
     * again without a barrier. */
    const uint i = (uint)get_local_id(0);
    __local XL_T *const totals = scratch + XL_GROUP_SIZE;
    for (uint row = 0; row < XL_VECTORS; ++row)
        totals[row * XL_GROUP_SIZE + i] = xl_vector_reduce(item, row);
    xl_local_barrier();
    XL_T mine = xl_identity(), all;
    for (uint k = 0; k < XL_VECTORS; ++k)
        mine = xl_op(mine, totals[i * XL_VECTORS + k]);
    mine = xl_group_scan_exclusive(mine, scratch, &all);
    for (uint k = 0; k < XL_VECTORS; ++k) {
        const XL_T total = totals[i * XL_VECTORS + k];
        totals[i * XL_VECTORS + k] = mine;
        mine = xl_op(mine, total);
    }
    xl_local_barrier();
    for (uint row = 0; row < XL_VECTORS; ++row)
        xl_vector_scan(input, item, row, totals[row * XL_GROUP_SIZE + i]);
    return all;
#endif
}
#endif
#endif

#endif
