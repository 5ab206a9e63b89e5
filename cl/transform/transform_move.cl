/* SPDX-License-Identifier: MIT
 * Moves elements by indices. An index that is not below `range` moves nothing. */
#include "../prelude/prelude.cl"
#include "../prelude/prelude_unit.cl"

#if XL_INDEX_WIDE
#define XL_INDEX ulong
#else
#define XL_INDEX uint
#endif

/* Units of a work-item, whose reads are all in flight at once. lib/transform/transform_enqueue.c
 * has the same number. */
#define XL_MOVE_ITEMS 8

/* has_length 1: there are length[length_offset] elements, at most n. Offsets count units;
 * indices_offset counts indices. */
#define XL_MOVE_ARGUMENTS                                                                          \
    ulong n, uint has_length, const __global ulong *length, ulong length_offset, ulong range,      \
        const __global XL_INDEX *indices, ulong indices_offset, const __global XL_UNIT *in,        \
        ulong in_offset, __global XL_UNIT *out, ulong out_offset
#define XL_MOVE_MAKE                                                                               \
    if (has_length)                                                                                \
        n = min(n, length[length_offset]);                                                         \
    const ulong units = n * XL_UNITS, step = get_local_size(0);                                    \
    const ulong first = get_group_id(0) * step * XL_MOVE_ITEMS + get_local_id(0);                  \
    in += in_offset;                                                                               \
    out += out_offset;                                                                             \
    indices += indices_offset;

__kernel void xl_transform_gather(XL_MOVE_ARGUMENTS)
{
    XL_MOVE_MAKE
    XL_UNIT unit[XL_MOVE_ITEMS];
#pragma unroll
    for (uint k = 0; k < XL_MOVE_ITEMS; ++k) {
        const ulong u = first + k * step;
        unit[k] = (XL_UNIT)(0);
        if (u < units) {
            const ulong place = indices[u / XL_UNITS];
            if (place < range)
                unit[k] = in[place * XL_UNITS + u % XL_UNITS];
        }
    }
#pragma unroll
    for (uint k = 0; k < XL_MOVE_ITEMS; ++k)
        if (first + k * step < units)
            out[first + k * step] = unit[k];
}

__kernel void xl_transform_scatter(XL_MOVE_ARGUMENTS)
{
    XL_MOVE_MAKE
    XL_UNIT unit[XL_MOVE_ITEMS];
    ulong place[XL_MOVE_ITEMS];
#pragma unroll
    for (uint k = 0; k < XL_MOVE_ITEMS; ++k) {
        const ulong u = first + k * step;
        place[k] = range;
        if (u < units) {
            place[k] = indices[u / XL_UNITS];
            unit[k] = in[u];
        }
    }
#pragma unroll
    for (uint k = 0; k < XL_MOVE_ITEMS; ++k)
        if (place[k] < range)
            out[place[k] * XL_UNITS + (first + k * step) % XL_UNITS] = unit[k];
}
