/* SPDX-License-Identifier: MIT
 * A function of the elements of up to four arrays, or of adjacent elements of one. A work-item
 * processes a chunk, or a work-group a tile: by vectors if all arrays are aligned, else by
 * elements.
 *   xl_transform_map       out[i] = f(x, y, z, w, i); may run in place
 *   xl_transform_borders   saves the element before each tile or chunk, for a call in place
 *   xl_transform_adjacent  out[i] = f(x, p, i), where p is the element before x */
#include "../prelude/prelude.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* has_length 1: there are length[length_offset] elements, at most n. */
#define XL_TRANSFORM_LENGTH                                                                        \
    ulong n, uint has_length, const __global ulong *length, ulong length_offset
#define XL_TRANSFORM_LENGTH_READ                                                                   \
    if (has_length)                                                                                \
        n = min(n, length[length_offset]);

/* ---- the inputs: XL_EACH_INPUT(M) is M(0) M(1) ... ---- */

#if XL_TRANSFORM_INPUTS > 0
typedef XL_T0 xl_t0;
#define XL_INPUT_0(M) M(0)
#else
#define XL_INPUT_0(M)
#endif
#if XL_TRANSFORM_INPUTS > 1
typedef XL_T1 xl_t1;
#define XL_INPUT_1(M) M(1)
#else
#define XL_INPUT_1(M)
#endif
#if XL_TRANSFORM_INPUTS > 2
typedef XL_T2 xl_t2;
#define XL_INPUT_2(M) M(2)
#else
#define XL_INPUT_2(M)
#endif
#if XL_TRANSFORM_INPUTS > 3
typedef XL_T3 xl_t3;
#define XL_INPUT_3(M) M(3)
#else
#define XL_INPUT_3(M)
#endif
#define XL_EACH_INPUT(M) XL_INPUT_0(M) XL_INPUT_1(M) XL_INPUT_2(M) XL_INPUT_3(M)

/* Values that the call gives to the expression: the last of a kernel's arguments. */
#if XL_VLEN > 1
#define XL_VECTOR(type) XL_JOIN(type, XL_VLEN)
#define XL_UNPACK(x, to) XL_JOIN(vstore, XL_VLEN)((x), 0, (to))
#define XL_PACK(from) XL_JOIN(vload, XL_VLEN)(0, (from))
#else
#define XL_VECTOR(type) type
#define XL_UNPACK(x, to) (*(to) = (x))
#define XL_PACK(from) (*(from))
#endif
#define XL_IS_ALIGNED(p) ((size_t)(p) % (sizeof(*(p)) * XL_VLEN) == 0)

/* A store past the cache, for results that leave the cache before they are read. It saves reading
 * the cache lines that it overwrites. */
#if defined(__has_builtin) && XL_SERIAL && XL_VLEN > 1
#if __has_builtin(__builtin_nontemporal_store)
#define XL_STREAM(x, p) __builtin_nontemporal_store((x), (p))
#endif
#endif
#ifndef XL_STREAM
#define XL_STREAM(x, p) (*(p) = (x))
#endif

typedef XL_VECTOR(XL_OUT) xl_out_vec;
#if XL_TRANSFORM_INPUTS > 0
typedef XL_VECTOR(XL_T0) xl_vec0;
#endif
#if XL_TRANSFORM_INPUTS > 1
typedef XL_VECTOR(XL_T1) xl_vec1;
#endif
#if XL_TRANSFORM_INPUTS > 2
typedef XL_VECTOR(XL_T2) xl_vec2;
#endif
#if XL_TRANSFORM_INPUTS > 3
typedef XL_VECTOR(XL_T3) xl_vec3;
#endif

#if !XL_TRANSFORM_ADJACENT

typedef struct xl_map {
    __global XL_OUT *out;
#define XL_FIELD(k) const __global xl_t##k *in##k;
    XL_EACH_INPUT(XL_FIELD)
} xl_map;

#define XL_ELEMENT(k) m->in##k[i],
void xl_map_one(const xl_map *m, ulong i XL_PARAMS_ARGUMENT)
{
    m->out[i] = xl_user_expression(XL_EACH_INPUT(XL_ELEMENT) i XL_PARAMS_PASS);
}

/* Vector number q. All arrays must be aligned to vectors. */
#define XL_LOAD_VECTOR(k)                                                                          \
    xl_t##k x##k[XL_VLEN];                                                                         \
    XL_UNPACK(((const __global xl_vec##k *)m->in##k)[q], x##k);
#define XL_ITEM(k) x##k[v],
void xl_map_vector(const xl_map *m, ulong q, const bool stream XL_PARAMS_ARGUMENT)
{
    XL_OUT y[XL_VLEN];
    XL_EACH_INPUT(XL_LOAD_VECTOR)
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v)
        y[v] = xl_user_expression(XL_EACH_INPUT(XL_ITEM) q * XL_VLEN + v XL_PARAMS_PASS);
    __global xl_out_vec *const to = (__global xl_out_vec *)m->out + q;
    if (stream)
        XL_STREAM(XL_PACK(y), to);
    else
        *to = XL_PACK(y);
}

#define XL_ARGUMENT(k) const __global xl_t##k *in##k, ulong in##k##_offset,
#define XL_SET(k)                                                                                  \
    m.in##k = in##k + in##k##_offset;                                                              \
    aligned = aligned && XL_IS_ALIGNED(m.in##k);

/* tile: elements of a chunk or a tile, a multiple of XL_VLEN. stream 1: results are written past
 * the cache. */
__kernel XL_REQUIRED void xl_transform_map(XL_TRANSFORM_LENGTH, uint tile, uint stream,
                                           XL_EACH_INPUT(XL_ARGUMENT) __global XL_OUT *out,
                                           ulong out_offset XL_PARAMS_ARGUMENT)
{
    XL_TRANSFORM_LENGTH_READ
    xl_map m;
    m.out = out + out_offset;
    bool aligned = XL_VLEN > 1 && XL_IS_ALIGNED(m.out);
    XL_EACH_INPUT(XL_SET)
    const ulong first = min((ulong)get_group_id(0) * tile, n);
    const uint count = (uint)min((ulong)tile, n - first);
    const uint vectors = aligned ? count / XL_VLEN : 0;
#if XL_SERIAL
    uint i = vectors * XL_VLEN;
    if (stream)
        for (uint q = 0; q < vectors; ++q)
            xl_map_vector(&m, first / XL_VLEN + q, true XL_PARAMS_PASS);
    else
        for (uint q = 0; q < vectors; ++q)
            xl_map_vector(&m, first / XL_VLEN + q, false XL_PARAMS_PASS);
#else
    /* No two work-items read or write the same element. */
    for (uint q = (uint)get_local_id(0); q < vectors; q += XL_GROUP_SIZE)
        xl_map_vector(&m, first / XL_VLEN + q, false XL_PARAMS_PASS);
    uint i = vectors * XL_VLEN + (uint)get_local_id(0);
#endif
    for (; i < count; i += XL_GROUP_SIZE)
        xl_map_one(&m, first + i XL_PARAMS_PASS);
}

#else

/* Saves the element before each tile except the first. */
__kernel void xl_transform_borders(ulong n, uint tile, ulong tiles, const __global XL_T0 *in,
                                   ulong in_offset, __global XL_T0 *borders, ulong borders_offset)
{
    const ulong t = get_global_id(0);
    if (t > 0 && t < tiles)
        borders[borders_offset + t] = in[in_offset + min(t * tile, n) - 1];
}

/* in_place 1: the element before a tile is read from `borders`, because it may be overwritten. */
__kernel XL_REQUIRED void xl_transform_adjacent(XL_TRANSFORM_LENGTH, uint tile, uint in_place,
                                                const __global XL_T0 *borders, ulong borders_offset,
                                                const __global XL_T0 *in, ulong in_offset,
                                                __global XL_OUT *out,
                                                ulong out_offset XL_PARAMS_ARGUMENT)
{
    XL_TRANSFORM_LENGTH_READ
    const ulong t = get_group_id(0), first = min(t * tile, n);
    const uint count = (uint)min((ulong)tile, n - first);
    in += in_offset + first;
    out += out_offset + first;
#if XL_SERIAL
    if (count == 0)
        return;
    xl_t0 p = in[0];
    if (first > 0)
        p = in_place ? borders[borders_offset + t] : in[-1];
    for (uint i = 0; i < count; ++i) {
        const xl_t0 x = in[i];
        XL_OUT y;
#if XL_TRANSFORM_KEEPS_FIRST
        if (first + i == 0)
            y = x;
        else
#endif
            y = xl_user_expression(x, p, first + i XL_PARAMS_PASS);
        out[i] = y;
        p = x;
    }
#else
    XL_OUT y[XL_TRANSFORM_ITEMS];
#pragma unroll
    for (uint u = 0; u < XL_TRANSFORM_ITEMS; ++u) {
        const uint i = u * XL_GROUP_SIZE + (uint)get_local_id(0);
        if (i < count) {
            const xl_t0 x = in[i];
            xl_t0 p = x;
            if (i > 0)
                p = in[i - 1];
            else if (first > 0)
                p = in_place ? borders[borders_offset + t] : in[-1];
#if XL_TRANSFORM_KEEPS_FIRST
            if (first + i == 0)
                y[u] = x;
            else
#endif
                y[u] = xl_user_expression(x, p, first + i XL_PARAMS_PASS);
        }
    }
#if XL_GROUP_SIZE > 1
    XL_FULL_BARRIER(); /* in place: the whole group has read */
#endif
#pragma unroll
    for (uint u = 0; u < XL_TRANSFORM_ITEMS; ++u) {
        const uint i = u * XL_GROUP_SIZE + (uint)get_local_id(0);
        if (i < count)
            out[i] = y[u];
    }
#endif
}

#endif
