/* SPDX-License-Identifier: MIT
 * Gathers the values of the results by their indices. */
#include "../prelude/prelude.cl"
#include "../prelude/prelude_unit.cl"
#include "top_k_offsets.cl"

/* A work-item copies one unit. The first min(k, keys of the segment) of k places in each segment
 * have a result. `segments` 0: the array is one segment, and there are no offsets. The offsets of
 * `in` and `out` count units. */
__kernel void xl_top_k_values(uint n, __global const ulong *length, ulong length_offset,
                              uint segments, __global const XL_SEG *offsets, ulong offsets_offset,
                              ulong k, __global const uint *indices, ulong indices_offset,
                              __global const XL_UNIT *in, ulong in_offset, __global XL_UNIT *out,
                              ulong out_offset)
{
    const ulong unit = get_global_id(0), place = unit / XL_UNITS;
    xl_top_k_offsets all;
    ulong result = place;
    uint begin = 0, keys;
    all.at = offsets + offsets_offset;
    all.n = (uint)xl_length(n, length, length_offset);
    all.count = segments;
    keys = all.n;
    if (segments > 0) {
        const ulong segment = place / k;
        if (segment >= segments)
            return;
        result = place - segment * k;
        keys = xl_top_k_segment(&all, (uint)segment, &begin);
    }
    if (result >= min(k, (ulong)keys))
        return;
    /* Another kernel may change the indices at the same time. */
    const ulong i = min(indices[indices_offset + place], n - 1u);
    out[out_offset + unit] = in[in_offset + i * XL_UNITS + unit % XL_UNITS];
}
