/* SPDX-License-Identifier: MIT
 * The points as the caller gave them, moved into the box, and as the grid stores them. */
#ifndef XL_GRID_POINTS
#define XL_GRID_POINTS

#include "grid_map.cl"

/* ---- into the box ------------------------------------------------------------------------ */

#if XL_WRAP
/* Points outside the box or the cell, along vectors that are periodic, are moved by whole vectors
 * (space.wrap). A point inside is taken as it is. A point that cannot be moved inside is returned
 * as it is, so that the build refuses it and reports the coordinates given. */

/* A point, and the whole vectors that it was moved back by. */
typedef struct xl_wrapped {
    xl_real4 at; /* w is 0 */
    int4 whole;
} xl_wrapped;

/* Half the distance from 1 to the next number, and the most whole vectors. */
#if XL_F64
#define XL_WRAP_UNIT 0x1p-53
#define XL_WRAP_MOST ((double)0x1fffffff)
#else
#define XL_WRAP_UNIT 0x1p-24f
#define XL_WRAP_MOST 0x1p24f
#endif

#if XL_REPEATS > 1
/* In a cell: by the whole part of the fractions, which are computed twice because those of a
 * distant point are rounded. Then a point that is outside by rounding alone is put on the face. */
xl_wrapped xl_wrap_into(xl_real4 p, xl_real4 lower, xl_real4 upper, __global const xl_real *cells,
                        uint cell)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real16 v = xl_cell_numbers(cells, cell, XL_CELL_VECTORS);
    const xl_real16 of = xl_cell_numbers(cells, cell, XL_CELL_FRACTIONS);
    const xl_real4 origin = (xl_real4)(of.s012, 0);
    xl_real4 whole = (xl_real4)(0), at = p;
    for (int turn = 0; turn < 2 && !xl_cell_all((at >= lower) & (at <= upper)); ++turn) {
        const xl_real4 d = at - origin;
        whole += floor((xl_real4)((of.s3 * d.x + of.s4 * d.y) + of.s5 * d.z,
                                  (of.s6 * d.x + of.s7 * d.y) + of.s8 * d.z,
                                  (of.s9 * d.x + of.sa * d.y) + of.sb * d.z, 0));
        at = p - ((whole.x * (xl_real4)(v.s012, 0) + whole.y * (xl_real4)(v.s345, 0)) +
                  whole.z * (xl_real4)(v.s678, 0));
    }
    const xl_real4 near = fmin(fmax(at, lower), upper);
    const xl_real4 rounding = 8 * XL_WRAP_UNIT * (fabs(p) + fabs(p - at));
    const bool good = any(whole != 0) &&
                      xl_cell_all((fabs(near - at) <= rounding) & (fabs(whole) <= XL_WRAP_MOST));
    const xl_wrapped wrapped = {good ? near : p, good ? convert_int4(whole) : (int4)(0)};
    return wrapped;
}
#else
/* In a box, along each axis: by the largest whole number that leaves the coordinate not below the
 * box. fma() rounds once, so coordinates decrease with the number. Two quotients find it to within
 * one. A coordinate above the box is then there by rounding alone. */
xl_wrapped xl_wrap_into(xl_real4 p, xl_real4 lower, xl_real4 upper, __global const xl_real *cells,
                        uint cell)
{
    const xl_real16 v = xl_cell_numbers(cells, cell, XL_CELL_VECTORS);
    const xl_real4 period = (xl_real4)(v.s048, 0);
    const xl_mask4 moves = (period > 0) & ((p < lower) | (p > upper));
    const xl_real4 length = select((xl_real4)(1), period, moves);
    xl_real4 whole = floor((p - lower) / length);
    whole += floor((fma(-whole, length, p) - lower) / length);
    whole += select((xl_real4)(0), (xl_real4)(1), fma(-(whole + 1), length, p) >= lower);
    whole -= select((xl_real4)(0), (xl_real4)(1), fma(-whole, length, p) < lower);
    const xl_real4 at = select(p, fmin(fma(-whole, length, p), upper), moves);
    const bool near = xl_cell_all(
        !moves | ((8 * XL_WRAP_UNIT * fabs(p) <= 8 * length) & (fabs(whole) <= XL_WRAP_MOST)));
    const bool good = near && xl_cell_all((at >= lower) & (at <= upper));
    const xl_wrapped wrapped = {
        good ? at : p, good ? convert_int4(select((xl_real4)(0), whole, moves)) : (int4)(0)};
    return wrapped;
}
#endif

/* Moves a point, whose w is 0, into cell number `cell` of the table. */
xl_wrapped xl_wrap(__global const xl_real *cells, uint cell, xl_real4 p)
{
    const xl_real16 bounds = xl_cell_numbers(cells, cell, XL_CELL_BOUNDS);
    const xl_real4 lower = (xl_real4)(bounds.s012, 0), upper = (xl_real4)(bounds.s456, 0);
    const xl_wrapped as_given = {p, (int4)(0)};
    if (xl_cell_all((p >= lower) & (p <= upper)) || !xl_real4_finite(p))
        return as_given;
    return xl_wrap_into(p, lower, upper, cells, cell);
}
#endif

/* ---- given points ------------------------------------------------------------------------ */

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
#if XL_WRAP || XL_REPEATS == 3
#define XL_TABLE_PARAMETERS , __global const xl_real *cell_table, uint last_cell
#define XL_TABLE_OF , cell_table, last_cell
#else
#define XL_TABLE_PARAMETERS
#define XL_TABLE_OF
#endif
/* origin: of the grid's coordinates, and the lower corner of a given box. end: the upper corner of
 * that box. outside: the least coordinates of the grid that are beyond it. */
#if XL_F64
#define XL_ENDS_PARAMETERS , double4 points_origin, double4 points_end, float4 points_outside
#define XL_ENDS_OF , points_origin, points_end, points_outside
#else
#define XL_ENDS_PARAMETERS
#define XL_ENDS_OF
#endif
#define XL_POINTS_PARAMETERS                                                                       \
    __global const xl_real *points, ulong points_at, __global const xl_real *points_y,             \
        ulong points_y_at, __global const xl_real *points_z,                                       \
        ulong points_z_at XL_ENDS_PARAMETERS XL_SYSTEMS_PARAMETERS XL_TABLE_PARAMETERS
#if XL_F64 || XL_SOA || XL_SYSTEMS || XL_WRAP
typedef struct xl_points {
    __global const xl_real *x, *y, *z;
#if XL_F64
    double4 origin, end;
    float4 outside;
#endif
#if XL_SYSTEMS
    __global const uint *systems;
#endif
#if XL_WRAP || XL_REPEATS == 3
    __global const xl_real *cell_table;
    uint last_cell;
#endif
} xl_points;
#define XL_POINTS                                                                                  \
    ((xl_points){points + points_at, points_y + points_y_at,                                       \
                 points_z + points_z_at XL_ENDS_OF XL_SYSTEMS_OF XL_TABLE_OF})
#else
typedef __global const float *xl_points;
#define XL_POINTS (points + points_at)
#endif

/* The coordinates as given. Coordinates that the points do not have are 0. */
xl_real4 xl_grid_coordinates(xl_points points, uint i)
{
#if XL_SOA
    return (xl_real4)(points.x[i], XL_DIMENSIONS > 1 ? points.y[i] : 0,
                      XL_DIMENSIONS > 2 ? points.z[i] : 0, 0);
#else
#if XL_F64 || XL_SYSTEMS || XL_WRAP
    __global const xl_real *const p = points.x + xl_grid_point_at(i);
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

/* ---- stored points ----------------------------------------------------------------------- */

void xl_grid_set_sorted(__global uint *sorted, uint n, ulong k, uint4 sorted_point)
{
#if XL_PLANES
    const ulong pitch = xl_grid_pitch(n);
    sorted += k;
    sorted[0] = sorted_point.x;
    sorted[pitch] = sorted_point.y;
    sorted[2 * pitch] = sorted_point.z;
    sorted[3 * pitch] = sorted_point.w;
#else
    ((__global uint4 *)sorted)[k] = sorted_point;
#endif
}

#if XL_F64
void xl_grid_set_whole(__global uint *sorted, uint n, ulong k, double4 p)
{
    __global double *const whole = (__global double *)(sorted + 4 * xl_grid_pitch(n));
    whole[xl_grid_whole_at(n, k, 0)] = p.x;
    whole[xl_grid_whole_at(n, k, 1)] = p.y;
    whole[xl_grid_whole_at(n, k, 2)] = p.z;
}
#endif

#if XL_SYSTEMS
void xl_grid_set_system(__global uint *sorted, uint n, ulong k, uint system)
{
    sorted[xl_grid_systems_at(n) + k] = system;
}
#endif

#if XL_WRAP
void xl_grid_set_move(__global uint *sorted, uint n, ulong k, int4 whole)
{
    const ulong pitch = xl_grid_pitch(n);
    __global int *const moves = (__global int *)(sorted + xl_grid_moves_at(n)) + k;
    moves[0] = whole.x;
    moves[pitch] = whole.y;
    moves[2 * pitch] = whole.z;
}
#endif

/* The position of sorted point k in the grid's coordinates; in a batch, w is its system. */
float4 xl_grid_place(__global const uint *sorted, uint n, uint k)
{
    float4 p = xl_grid_position(xl_grid_sorted(sorted, n, k));
#if XL_SYSTEMS
    p.w = (float)xl_grid_system(sorted, n, k);
#endif
    return p;
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

/* ---- rows and entries -------------------------------------------------------------------- */

/* A map of the sparse grid of this header. */
xl_grid_map xl_grid_far_map_of(__global const xl_grid_header *header)
{
    xl_grid_map map = xl_grid_far_map(header->inverse, header->beyond);
#if XL_SYSTEMS
    xl_grid_load_systems(&map, header);
#endif
    return map;
}

/* The row of point p, relative to the first row: z, followed by y in y_bits. */
ulong xl_grid_row_bits(__global const xl_grid_header *header, const xl_grid_map *map, float4 p,
                       uint y_bits)
{
    const int4 cell = xl_grid_far_cell(map, p);
    return (ulong)((uint)cell.z - (uint)header->first_z) << y_bits |
           ((uint)cell.y - (uint)header->first_y);
}

/* The table entry of a cell of a dense grid. */
uint xl_grid_bucket(const xl_grid_map *map, int4 cell)
{
    return min(xl_grid_at(map, cell.x, cell.y, cell.z), map->cells - 1u);
}

/* The table entry of point i at p. Points that are not finite or outside the box have no cell; they
 * are spread over the table, so that the rest of the build needs no special case. */
uint xl_grid_bucket_of(const xl_grid_map *map, uint i, float4 p, bool bad)
{
    return bad ? i % map->cells : xl_grid_bucket(map, xl_grid_cell(map, p));
}

/* ---- points that cannot be in a grid ----------------------------------------------------- */

float4 xl_grid_float4(__global const float *p)
{
    return (float4)(p[0], p[1], p[2], 0.0f);
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

/* ---- numbers as integers ----------------------------------------------------------------- */

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
