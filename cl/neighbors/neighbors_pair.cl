/* SPDX-License-Identifier: MIT
 * The test whether two points are neighbours. */
#ifndef XL_NEIGHBORS_PAIR
#define XL_NEIGHBORS_PAIR

#include "neighbors_iterator.cl"

#if XL_RADIUS_INCLUSIVE
#define XL_IS_NEAR(distance2, radius2) ((distance2) <= (radius2))
#else
#define XL_IS_NEAR(distance2, radius2) ((distance2) < (radius2))
#endif

/* Each operation rounds once, in a user's program too, whatever its build options are, so that all
 * kernels find the same pairs. */
xl_real xl_square(xl_real4 d)
{
#pragma OPENCL FP_CONTRACT OFF
    return (d.x * d.x + d.y * d.y) + d.z * d.z;
}

xl_real xl_distance2(xl_real4 p, xl_real4 q, xl_real4 shift)
{
    return xl_square((p - q) - shift);
}

/* Whether an image of the query itself, moved by `shift`, is a neighbour. A half list has one of
 * each two opposite images: the one whose last nonzero coordinate of `shift` is positive. */
bool xl_is_own_wanted(xl_real4 shift)
{
#if XL_PERIODIC
    if (any(shift != 0.0f))
        return !XL_HALF || shift.z > 0 ||
               (shift.z == 0 && (shift.y > 0 || (shift.y == 0 && shift.x > 0)));
#endif
    return XL_KEEP_SELF;
}

/* The query itself is recognised by its index, because other points may have the same position. A
 * periodic image is never the query itself. In a half list a pair belongs to the point of the lower
 * index. */
bool xl_is_wanted(xl_site self, xl_site other, xl_real4 shift)
{
#if XL_HALF
    return other.w > self.w || (other.w == self.w && xl_is_own_wanted(shift));
#elif XL_KEEP_SELF
    return true;
#else
    return self.w != other.w || xl_is_own_wanted(shift);
#endif
}

/* Whether `other` is a neighbour of `self`; both are position and index. */
bool xl_is_neighbor(xl_site self, xl_site other, xl_real4 shift, xl_real radius2,
                    xl_real *distance2)
{
    *distance2 = xl_distance2(xl_site_position(self), xl_site_position(other), shift);
    return XL_IS_NEAR(*distance2, radius2) & xl_is_wanted(self, other, shift);
}

#endif
