/* SPDX-License-Identifier: MIT
 * The points as the caller gave them, and as the grid stores them. */
#ifndef XL_GRID_POINTS
#define XL_GRID_POINTS

#include "grid_map.cl"
#if XL_WRAP || XL_CELLS
#include "grid_table.cl"
#endif
#if XL_WRAP
#include "grid_wrap.cl"
#endif

/* Where point i begins: may exceed 32 bits. */
ulong xl_grid_point_at(uint i)
{
    return (ulong)i * XL_STRIDE;
}

/* The points as kernel parameters. y and z are used only if each axis has an array (XL_SOA). In a
 * batch, `systems` has the system of each point. */
#if XL_SYSTEMS
#define XL_SYSTEMS_PARAMETERS , __global const uint *systems, ulong systems_at
#define XL_SYSTEMS_OF , systems + systems_at
#else
#define XL_SYSTEMS_PARAMETERS
#define XL_SYSTEMS_OF
#endif
/* The table of cells, which has one or, of a batch with its own cells, one for each system. */
#if XL_WRAP || XL_CELLS
#define XL_TABLE_PARAMETERS , __global const xl_real *cell_table, uint last_cell
#define XL_TABLE_OF , cell_table, last_cell
#else
#define XL_TABLE_PARAMETERS
#define XL_TABLE_OF
#endif
#if XL_F64
#define XL_POINTS_PARAMETERS                                                                       \
    __global const double *points, ulong points_at, __global const double *points_y,               \
        ulong points_y_at, __global const double *points_z, ulong points_z_at,                     \
        double4 points_origin, double4 points_end,                                                 \
        float4 points_outside XL_SYSTEMS_PARAMETERS XL_TABLE_PARAMETERS
/* origin: of the grid's coordinates, and the lower corner of a given box. end: the upper corner of
 * that box. outside: the least coordinates of the grid that are beyond it. */
typedef struct xl_points {
    __global const double *x, *y, *z;
    double4 origin, end;
    float4 outside;
#if XL_SYSTEMS
    __global const uint *systems;
#endif
#if XL_WRAP || XL_CELLS
    __global const double *cell_table;
    uint last_cell;
#endif
} xl_points;
#define XL_POINTS                                                                                  \
    ((xl_points){points + points_at, points_y + points_y_at, points_z + points_z_at,               \
                 points_origin, points_end, points_outside XL_SYSTEMS_OF XL_TABLE_OF})
#else
#define XL_POINTS_PARAMETERS                                                                       \
    __global const float *points, ulong points_at, __global const float *points_y,                 \
        ulong points_y_at, __global const float *points_z,                                         \
        ulong points_z_at XL_SYSTEMS_PARAMETERS XL_TABLE_PARAMETERS
#if XL_SOA || XL_SYSTEMS || XL_WRAP
typedef struct xl_points {
    __global const float *x, *y, *z;
#if XL_SYSTEMS
    __global const uint *systems;
#endif
#if XL_WRAP || XL_CELLS
    __global const float *cell_table;
    uint last_cell;
#endif
} xl_points;
#define XL_POINTS                                                                                  \
    ((xl_points){points + points_at, points_y + points_y_at,                                       \
                 points_z + points_z_at XL_SYSTEMS_OF XL_TABLE_OF})
#else
typedef __global const float *xl_points;
#define XL_POINTS (points + points_at)
#endif
#endif

/* The coordinates as given. Coordinates that the points do not have are 0. */
xl_real4 xl_grid_coordinates(xl_points points, uint i)
{
#if XL_SOA
    return (xl_real4)(points.x[i], XL_DIMENSIONS > 1 ? points.y[i] : 0,
                      XL_DIMENSIONS > 2 ? points.z[i] : 0, 0);
#else
#if XL_F64
    __global const double *const p = points.x + xl_grid_point_at(i);
#elif XL_SYSTEMS || XL_WRAP
    __global const float *const p = points.x + xl_grid_point_at(i);
#else
    __global const float *const p = points + xl_grid_point_at(i);
#endif
    return (xl_real4)(p[0], XL_DIMENSIONS > 1 ? p[1] : 0, XL_DIMENSIONS > 2 ? p[2] : 0, 0);
#endif
}

#if XL_WRAP
/* The same, moved into its cell. */
xl_wrapped xl_grid_wrapped(xl_points points, uint i)
{
#if XL_SYSTEMS
    const uint cell = min(points.systems[i], points.last_cell);
#else
    const uint cell = 0;
#endif
    return xl_wrap(points.cell_table, cell, xl_grid_coordinates(points, i));
}
#endif

/* The position, with the system in w. */
xl_real4 xl_grid_given(xl_points points, uint i)
{
#if XL_WRAP
    xl_real4 given = xl_grid_wrapped(points, i).at;
#else
    xl_real4 given = xl_grid_coordinates(points, i);
#endif
#if XL_SYSTEMS
    given.w = (xl_real)points.systems[i];
#endif
    return given;
}

/* The position in the grid's coordinates. A point outside a given box stays outside, however it
 * rounds. */
float4 xl_grid_point_of(xl_points points, xl_real4 given)
{
#if XL_F64
    float4 p = xl_grid_narrow(given, points.origin);
#if XL_BOUNDED
    p = select(p, fmin(p, -FLT_MIN), convert_int4(given < points.origin));
    p = select(p, fmax(p, points.outside), convert_int4(given > points.end));
#endif
#if XL_SYSTEMS
    p.w = (float)given.w;
#endif
    return p;
#else
    return given;
#endif
}

float4 xl_grid_point(xl_points points, uint i)
{
    return xl_grid_point_of(points, xl_grid_given(points, i));
}

/* The point that is number k of a sample: one from each stretch of the points. */
uint xl_grid_sampled(uint k, uint sample, uint n)
{
    const uint stretch = max(n / max(sample, 1u), 1u);
    return min(k * stretch + (k * 2654435761u >> 7) % stretch, n - 1u);
}

/* Position and index in 16 bytes. As integers: a float register may change an index that looks like
 * a subnormal number. */
uint4 xl_grid_sorted_point(xl_points points, uint i)
{
    uint4 sorted_point = as_uint4(xl_grid_point(points, i));
    sorted_point.w = i;
    return sorted_point;
}

/* The position of a sorted point; in a batch, w is its system. */
float4 xl_grid_place_of(xl_points points, uint4 sorted_point)
{
    float4 p = xl_grid_position(sorted_point);
#if XL_SYSTEMS
    p.w = (float)points.systems[sorted_point.w];
#endif
    return p;
}

/* Writes point i to place k of the sorted points. */
void xl_grid_put_point(__global uint *sorted, uint n, ulong k, xl_points points, uint i)
{
    const xl_real4 given = xl_grid_given(points, i);
    uint4 sorted_point = as_uint4(xl_grid_point_of(points, given));
    sorted_point.w = i;
    xl_grid_set_sorted(sorted, n, k, sorted_point);
#if XL_F64
    xl_grid_set_whole(sorted, n, k, given);
#endif
#if XL_SYSTEMS
    xl_grid_set_system(sorted, n, k, points.systems[i]);
#endif
#if XL_WRAP
    xl_grid_set_move(sorted, n, k, xl_grid_wrapped(points, i).whole);
#endif
}

/* Whether a point cannot be in the grid, by the box in the header. */
bool xl_grid_is_bad(__global const xl_grid_header *header, float4 p)
{
#if XL_BOUNDED
    float4 upper = xl_grid_float4(header->upper);
#if XL_SYSTEMS
    upper.w = (float)(header->systems - 1u);
#endif
    return !all(p >= xl_grid_float4(header->lower)) || !all(p <= upper);
#else
    return !xl_float4_finite(p);
#endif
}

/* The same for a build by counting, when it first reads a point. Records the error in the
 * header. */
bool xl_grid_tell_bad(__global xl_grid_header *header, uint i, float4 p, float4 lower, float4 upper)
{
    if (all(p >= lower) && all(p <= upper))
        return false;
    const bool finite = xl_float4_finite(p);
    atomic_inc(finite ? &header->out_of_domain : &header->non_finite);
    atomic_min(finite ? &header->first_out_of_domain : &header->first_non_finite, i);
    return true;
}

/* Integers in the order of the floats, so that integer atomics find minima. */
uint xl_grid_to_ordered(float x)
{
    uint u = as_uint(x);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

float xl_grid_from_ordered(uint u)
{
    return as_float(u & 0x80000000u ? u & 0x7fffffffu : ~u);
}

/* The same for the caller's precision. */
#if XL_F64
typedef ulong xl_grid_word;
ulong xl_grid_word_of(double x)
{
    const ulong u = as_ulong(x);
    return u >> 63 ? ~u : u | 1UL << 63;
}

double xl_grid_of_word(ulong u)
{
    return as_double(u >> 63 ? u & ~(1UL << 63) : ~u);
}
#else
typedef uint xl_grid_word;
#define xl_grid_word_of xl_grid_to_ordered
#define xl_grid_of_word xl_grid_from_ordered
#endif

#endif
