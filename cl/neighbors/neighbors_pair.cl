/* SPDX-License-Identifier: MIT
 * When two points are neighbours. */
#ifndef XL_NEIGHBORS_PAIR
#define XL_NEIGHBORS_PAIR

#include "neighbors_iterator.cl"

#if XL_RADIUS_INCLUSIVE
#define XL_IS_NEAR(distance2, radius2) ((distance2) <= (radius2))
#else
#define XL_IS_NEAR(distance2, radius2) ((distance2) < (radius2))
#endif

/* Each operation rounds once, in a user's program as well, whatever that wants of its own. */
xl_real xl_square(xl_real4 d)
{
#pragma OPENCL FP_CONTRACT OFF
    return (d.x * d.x + d.y * d.y) + d.z * d.z;
}

xl_real xl_distance2(xl_real4 p, xl_real4 q, xl_real4 shift)
{
    return xl_square((p - q) - shift);
}

/* Whether an image of the query itself is wanted, which is moved by `shift`: of half a list, of
 * each two that are opposite, the later one. */
bool xl_is_own_wanted(xl_real4 shift)
{
#if XL_PERIODIC
    if (any(shift != 0.0f))
        return !XL_HALF || shift.z > 0 ||
               (shift.z == 0 && (shift.y > 0 || (shift.y == 0 && shift.x > 0)));
#endif
    return XL_KEEP_SELF;
}

/* Self is known by its index, since other points may coincide with it; of an image, and of queries
 * of their own, no point is. Of half a list, a pair belongs to the point of the lower index. */
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

/* Is `other` a neighbour of `self`? Both are position and index. */
bool xl_is_neighbor(xl_site self, xl_site other, xl_real4 shift, xl_real radius2,
                    xl_real *distance2)
{
    *distance2 = xl_distance2(xl_site_position(self), xl_site_position(other), shift);
    return XL_IS_NEAR(*distance2, radius2) & xl_is_wanted(self, other, shift);
}

#endif
