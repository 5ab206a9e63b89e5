/* SPDX-License-Identifier: MIT
 * When two points are neighbours. */
#ifndef XL_NEIGHBORS_PAIR
#define XL_NEIGHBORS_PAIR

#include "neighbors_iterator.cl"

/* Each operation rounds once: the prelude switches contraction off. */
float xl_distance2(float4 p, float4 q)
{
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    return (dx * dx + dy * dy) + dz * dz;
}

bool xl_is_near(float distance2, float radius2)
{
#if XL_RADIUS_INCLUSIVE
    return distance2 <= radius2;
#else
    return distance2 < radius2;
#endif
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

/* Is `other`, met in the iteration of `self`, a neighbour? Both are sorted points: position and
 * index. `own`: its cell must be that of the range, which is compared last, since few points
 * come that far. */
bool xl_is_neighbor(const xl_cell_iterator *cells, const xl_grid_map *map, bool own, uint4 self,
                    uint4 other, float radius2, float *distance2)
{
    float4 q = xl_grid_position(other);
    *distance2 = xl_distance2(xl_grid_position(self), q);
    return xl_is_near(*distance2, radius2) && xl_is_wanted(self, other) &&
           (!own || xl_cell_iterator_owns(cells, map, q));
}

/* The loop over a range; a constant says whether cells are compared. Compilers do not take
 * the choice out of the loop by themselves once that costs as much as xl_grid_hashed_cell():
 * searches of dense grids took 1.12 times as long (H200, driver 580, November 2026). */
#define XL_FOR_RANGE(cells, function, ...)                                                         \
    ((cells).own ? function(&(cells), true, __VA_ARGS__) : function(&(cells), false, __VA_ARGS__))

#endif
