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

/* Each operation rounds once: the prelude switches contraction off. */
float xl_distance2(float4 p, float4 q)
{
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    return (dx * dx + dy * dy) + dz * dz;
}

/* Self is known by its index: other points may coincide with it. */
bool xl_is_wanted(uint4 self, uint4 other)
{
#if XL_KEEP_SELF
    return true;
#else
    return self.w != other.w;
#endif
}

/* Is `other` a neighbour of `self`? Both are sorted points: position and index. */
bool xl_is_neighbor(uint4 self, uint4 other, float radius2, float *distance2)
{
    *distance2 = xl_distance2(xl_grid_position(self), xl_grid_position(other));
    return XL_IS_NEAR(*distance2, radius2) && xl_is_wanted(self, other);
}

#endif
