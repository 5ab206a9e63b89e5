/* SPDX-License-Identifier: MIT
 * Gathers the elements of an array in the order in which a sort has put their keys. */
#include "../prelude/prelude.cl"
#include "../prelude/prelude_unit.cl"

/* Units that a work-item reads at the same time; lib/sort/sort_gather.c has the same number. */
#define XL_GATHER_ITEMS 8

/* out[i] = in[places[i]], or in[i] if `places` is NULL, as for arrays that are sorted in place. If
 * another kernel changes the places concurrently, they stay inside the array. `length`: as in
 * cl/sort/sort_arrays.cl, but no barrier is needed here. Offsets count units, except that of
 * places. */
__kernel void xl_sort_gather(xl_place n_most, const __global ulong *length, ulong length_offset,
                             const __global xl_value *places, ulong places_offset,
                             const __global XL_UNIT *in, ulong in_offset, __global XL_UNIT *out,
                             ulong out_offset)
{
    const xl_place n = (xl_place)xl_length(n_most, length, length_offset);
    const ulong units = (ulong)n * XL_UNITS, step = get_local_size(0);
    const ulong first = get_group_id(0) * step * XL_GATHER_ITEMS + get_local_id(0);
    XL_UNIT unit[XL_GATHER_ITEMS];
    in += in_offset;
    out += out_offset;
#pragma unroll
    for (uint k = 0; k < XL_GATHER_ITEMS; ++k) {
        const ulong u = first + k * step;
        if (u < units) {
            ulong place = u / XL_UNITS;
            if (places)
                place = min((xl_place)places[places_offset + place], n - 1);
            unit[k] = in[place * XL_UNITS + u % XL_UNITS];
        }
    }
#pragma unroll
    for (uint k = 0; k < XL_GATHER_ITEMS; ++k)
        if (first + k * step < units)
            out[first + k * step] = unit[k];
}
