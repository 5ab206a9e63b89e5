/* SPDX-License-Identifier: MIT
 * Counts the points that have moved too far for a neighbour list that was made with a skin (Verlet,
 * "Computer 'experiments' on classical fluids", Phys. Rev. 159, 98, 1967). Compares points with the
 * positions in the index. */
#include "grid_points.cl"
#if XL_REPEATS > 1
#include "grid_cell.cl"

#if XL_REPEATS == 3
#define XL_MOVED_PARAMETERS
#else
#define XL_MOVED_PARAMETERS XL_CELL_PARAMETERS,
#endif

/* How far an image may be along an axis. fmax(): squares below the least normal number lose digits.
 * xl_cell_reach() adds the rounding that grid_cell.cl derives. */
xl_real xl_grid_moved_reach(xl_real4 away, xl_real distance2, const xl_cell *cell)
{
#if XL_F64
    const xl_real root = sqrt(fmax(distance2, 0x1p-1022)) * (1.0 + 0x1p-47);
#else
    const xl_real root = sqrt(fmax(distance2, 0x1p-126f)) * (1.0f + 0x1p-18f);
#endif
    return xl_cell_reach(cell, away, away, 0, root);
}

/* Whether no image of `was` is near. The image that is nearest along each axis need not be the
 * nearest of all, so all images within reach are compared. */
bool xl_grid_is_far(xl_real4 was, xl_real4 now, const xl_cell *cell, xl_real distance2)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real4 away = now - was;
    const xl_real reach = xl_grid_moved_reach(away, distance2, cell);
    bool far = true;
    xl_cell_images images = xl_cell_images_begin(cell, away, away, reach);
    while (far && xl_cell_images_next(&images, cell, away, away, reach)) {
        const xl_real4 d = away - xl_cell_shift(cell, xl_cell_image(cell, images.at));
        far = !((d.x * d.x + d.y * d.y) + d.z * d.z <= distance2);
    }
    return far || !xl_real4_finite(now);
}
#else
#define XL_MOVED_PARAMETERS

/* Beyond this many periods, a quotient does not tell which image is nearest. */
#define XL_GRID_MOST_PERIODS ((xl_real)1048576)

/* The least |away - s * period| of all whole numbers s, along each periodic axis. The quotient may
 * round to the number next to the best one, so three are tried. */
xl_real4 xl_grid_nearest_image(xl_real4 away, xl_real4 period)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_mask4 repeats = period > 0.0f;
    const xl_real4 length = select((xl_real4)(1.0f), period, repeats);
    const xl_real4 middle = rint(away / length);
    xl_real4 nearest = away - middle * length;
    for (int side = -1; side <= 1; side += 2) {
        const xl_real4 other = away - (middle + (xl_real)side) * length;
        nearest = select(nearest, other, fabs(other) < fabs(nearest));
    }
    nearest = select(nearest, (xl_real4)(INFINITY), fabs(middle) > XL_GRID_MOST_PERIODS);
    return select(away, nearest, repeats);
}

/* Compared as in a search. A position that is not finite is far. */
bool xl_grid_is_far(xl_real4 was, xl_real4 now, xl_real4 period, xl_real distance2)
{
#pragma OPENCL FP_CONTRACT OFF
    xl_real4 away = now - was;
    if (any(period > 0.0f))
        away = xl_grid_nearest_image(away, period);
    const xl_real square = (away.x * away.x + away.y * away.y) + away.z * away.z;
    return !xl_real4_finite(now) || !(square <= distance2);
}
#endif

/* Whether there are positions to compare with: the build with this stamp has run, and did not
 * fail. */
bool xl_grid_is_sound(__global const xl_grid_header *header, uint stamp)
{
    return header->stamp == stamp && header->failed == 0;
}

/* Runs before the count, as one work-item: sets the count to 0, or to UINT_MAX if there is no
 * index. */
__kernel void xl_grid_moved_start(__global const uint *storage, ulong header_at, uint stamp,
                                  __global uint *moved, ulong moved_at)
{
    __global const xl_grid_header *header = (__global const xl_grid_header *)(storage + header_at);
    moved[moved_at] = xl_grid_is_sound(header, stamp) ? 0u : UINT_MAX;
}

/* Adds the number of points that are farther than sqrt(distance2) from where they were. */
__kernel void xl_grid_moved(XL_POINTS_PARAMETERS, uint n, __global const uint *storage,
                            ulong header_at, ulong sorted_at, uint stamp, xl_real4 period,
                            XL_MOVED_PARAMETERS xl_real distance2, __global uint *moved,
                            ulong moved_at)
{
    __local uint of_group;
    __global const xl_grid_header *header = (__global const xl_grid_header *)(storage + header_at);
    uint count = 0;
    if (get_local_id(0) == 0)
        of_group = 0;
#if XL_REPEATS == 2
    const xl_cell space = xl_cell_of((xl_real4)(0), (xl_real4)(0), XL_CELL_ARGUMENTS);
#endif
    XL_FOR_ITEMS(k, xl_grid_is_sound(header, stamp) ? n : 0u)
    {
        const xl_site was = xl_grid_site(storage + sorted_at, n, (uint)k);
#if XL_REPEATS == 3
        const uint cell = min(xl_grid_system(storage + sorted_at, n, (uint)k), last_cell);
        xl_cell space = xl_cell_load(cell_table, cell);
        space.lower = space.upper = (xl_real4)(0); /* differences are compared */
#elif XL_WRAP
        const uint cell = 0;
#endif
#if XL_WRAP
        const xl_real4 now =
            xl_wrap(cell_table, cell, xl_grid_coordinates(XL_POINTS, min((uint)was.w, n - 1u))).at;
#else
        const xl_real4 now = xl_grid_coordinates(XL_POINTS, min((uint)was.w, n - 1u));
#endif
#if XL_REPEATS > 1
        const bool far = xl_grid_is_far(xl_site_position(was), now, &space, distance2);
#else
        const bool far = xl_grid_is_far(xl_site_position(was), now, period, distance2);
#endif
        count += far ? 1u : 0u;
    }
    XL_LOCAL_BARRIER();
    if (count > 0)
        atomic_add(&of_group, count);
    XL_LOCAL_BARRIER();
    count = of_group;
    if (count > 0 && get_local_id(0) == 0)
        atomic_add(&moved[moved_at], count);
}
