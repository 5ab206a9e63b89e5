/* SPDX-License-Identifier: MIT
 * The points as the caller gave them, and as the grid keeps them. */
#ifndef XL_GRID_POINTS
#define XL_GRID_POINTS

#include "grid_map.cl"

/* Where point i starts: beyond 32 bits for many points. */
ulong xl_grid_point_at(uint i)
{
    return (ulong)i * XL_STRIDE;
}

/* Where they are, as parameters of a kernel; y and z count only where each axis has an array of its
 * own (XL_SOA). */
#define XL_POINTS_PARAMETERS                                                                       \
    __global const float *points, ulong points_at, __global const float *points_y,                 \
        ulong points_y_at, __global const float *points_z, ulong points_z_at
#if XL_SOA
typedef struct xl_points {
    __global const float *x, *y, *z;
} xl_points;
#define XL_POINTS ((xl_points){points + points_at, points_y + points_y_at, points_z + points_z_at})
#else
typedef __global const float *xl_points;
#define XL_POINTS (points + points_at)
#endif

/* Coordinates that points of fewer dimensions do not have are 0, and are not read. */
float4 xl_grid_point(xl_points points, uint i)
{
#if XL_SOA
    return (float4)(points.x[i], XL_DIMENSIONS > 1 ? points.y[i] : 0.0f,
                    XL_DIMENSIONS > 2 ? points.z[i] : 0.0f, 0.0f);
#else
    points += xl_grid_point_at(i);
    return (float4)(points[0], XL_DIMENSIONS > 1 ? points[1] : 0.0f,
                    XL_DIMENSIONS > 2 ? points[2] : 0.0f, 0.0f);
#endif
}

/* Position and index in 16 bytes. As words: a float register might not carry the
 * bits of an index that looks like a subnormal number. */
uint4 xl_grid_sorted_point(xl_points points, uint i)
{
    uint4 sorted_point = as_uint4(xl_grid_point(points, i));
    sorted_point.w = i;
    return sorted_point;
}

/* True for numbers, false for NaN and infinities. */
bool xl_grid_finite(float4 p)
{
    uint4 exponent = as_uint4(p) & 0x7f800000u;
    return exponent.x != 0x7f800000u && exponent.y != 0x7f800000u && exponent.z != 0x7f800000u;
}

/* True for a point that cannot be in the grid; its header has the box. */
bool xl_grid_is_bad(__global const xl_grid_header *header, float4 p)
{
#if XL_BOUNDED
    return !all(p >= xl_grid_float4(header->lower)) || !all(p <= xl_grid_float4(header->upper));
#else
    return !xl_grid_finite(p);
#endif
}

/* The same while a build by counting meets each point for the first time: says what is wrong. */
bool xl_grid_tell_bad(__global xl_grid_header *header, uint i, float4 p, float4 lower, float4 upper)
{
    if (all(p >= lower) && all(p <= upper))
        return false;
    const bool finite = xl_grid_finite(p);
    atomic_inc(finite ? &header->out_of_domain : &header->non_finite);
    atomic_min(finite ? &header->first_out_of_domain : &header->first_non_finite, i);
    return true;
}

/* Words in the order of the floats, so that integer atomics find minima. */
uint xl_grid_to_ordered(float x)
{
    uint u = as_uint(x);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

float xl_grid_from_ordered(uint u)
{
    return as_float(u & 0x80000000u ? u & 0x7fffffffu : ~u);
}

#endif
