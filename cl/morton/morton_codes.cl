/* SPDX-License-Identifier: MIT
 * Morton codes of points. A work-item computes XL_ITEMS codes, the size of the work-group apart.
 * Each array is followed by its offset in elements. */
#include "../../cl/include/morton.cl"
#include "../prelude/prelude.cl"

#if XL_MORTON_WIDE
#define XL_CODE ulong
#define XL_BITS (XL_DIMENSIONS == 2 ? 32u : 21u)
#else
#define XL_CODE uint
#define XL_BITS (XL_DIMENSIONS == 2 ? 16u : 10u)
#endif

/* A point with a NaN has the largest number that the type holds. */
XL_CODE xl_morton_of(__global const float *p, float4 lower, float scale)
{
    const float z_given = p[XL_DIMENSIONS - 1];
    const uint x = xl_morton_cell(p[0], lower.x, scale, XL_BITS);
    const uint y = xl_morton_cell(p[1], lower.y, scale, XL_BITS);
#if XL_DIMENSIONS == 2
    const XL_CODE code = XL_MORTON_WIDE ? (XL_CODE)xl_morton_2d_wide(x, y) : xl_morton_2d(x, y);
#else
    const uint z = xl_morton_cell(z_given, lower.z, scale, XL_BITS);
    const XL_CODE code =
        XL_MORTON_WIDE ? (XL_CODE)xl_morton_3d_wide(x, y, z) : xl_morton_3d(x, y, z);
#endif
    return isnan(p[0]) || isnan(p[1]) || isnan(z_given) ? (XL_CODE) ~(XL_CODE)0 : code;
}

__kernel void xl_morton_codes(ulong n, __global const float *points, ulong points_at, float4 lower,
                              float scale, __global XL_CODE *codes, ulong codes_at)
{
    const ulong first = (ulong)get_group_id(0) * get_local_size(0) * XL_ITEMS;
    const ulong last = min(n, first + (ulong)get_local_size(0) * XL_ITEMS);
    for (ulong i = first + get_local_id(0); i < last; i += get_local_size(0))
        codes[codes_at + i] = xl_morton_of(points + points_at + i * XL_STRIDE, lower, scale);
}
