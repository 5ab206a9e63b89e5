/* SPDX-License-Identifier: MIT
 * The signs of zeros. A sort in which -0 and +0 are equal maps both to one number and loses their
 * signs. They are kept before it, and restored after it by the places of the keys. */
#include "../prelude/prelude_key.cl"

#if XL_KEY_KIND != 4
#error "XL_KEY_KIND must be 4: other keys keep their zeros"
#endif

/* `length`: as in cl/sort/sort_arrays.cl. signs[signs_at + i]: 1 if key i is -0. */
#define XL_ZEROS_ARGUMENTS                                                                         \
    uint n_most, const __global ulong *length, ulong length_offset, __global uchar *signs,         \
        ulong signs_at

__kernel void xl_sort_zeros_keep(XL_ZEROS_ARGUMENTS, const __global XL_KEY *keys, ulong keys_offset)
{
    const uint i = (uint)get_global_id(0);
    if (i < xl_length(n_most, length, length_offset))
        signs[signs_at + i] = keys[keys_offset + i] == XL_KEY_SIGN;
}

__kernel void xl_sort_zeros_restore(XL_ZEROS_ARGUMENTS, __global XL_KEY *keys, ulong keys_offset,
                                    const __global uint *places, ulong places_offset)
{
    const uint i = (uint)get_global_id(0), n = (uint)xl_length(n_most, length, length_offset);
    if (i >= n || (XL_KEY)(keys[keys_offset + i] << 1) != 0)
        return;
    const uint place = min(places[places_offset + i], n - 1); /* another kernel may change it */
    keys[keys_offset + i] = signs[signs_at + place] != 0 ? (XL_KEY)XL_KEY_SIGN : 0;
}
