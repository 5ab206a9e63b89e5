/* SPDX-License-Identifier: MIT
 * Whether two points are neighbours: the test of a pair, the radius of a pair, and the bound of a
 * row that keeps its nearest neighbours. */
#ifndef XL_NEIGHBORS_PAIR
#define XL_NEIGHBORS_PAIR

#include "../grid/grid_map.cl"

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
#if XL_REPEATS
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

/* ---- radii ------------------------------------------------------------------------------- */

/* The radius of a query, or of a pair of a query and a point. A search for pairs reaches as far as
 * the largest radius. Only candidates within that radius are compared with the radius of the pair,
 * which has two parts: one of the query, one of the point. */

/* XL_RADII is an xl_neighbors_radii of crosslane/neighbors.h: 1 a radius for each query, 2 the
 * larger one of query and point, 3 by the types of both. */
#if XL_RADII
#if XL_RADII == 3
typedef uint xl_radius_in; /* the type of a query or a point */
#else
typedef xl_real xl_radius_in;
#endif

typedef struct xl_radii {
    __global const xl_radius_in *of_queries, *of_points; /* points: of pairs */
#if XL_RADII == 3
    __global const xl_real *squares; /* num_types + 1 rows of as many; -1 in the last row and in
                                        the last column, which are those of any other type */
    uint num_types;
#else
    xl_real most;
#endif
} xl_radii;

#if XL_RADII != 3
/* A radius that is NaN or not above 0 counts as 0. */
xl_real xl_radius_of(const xl_radii *radii, xl_real own)
{
    return own > 0 ? min(own, radii->most) : 0;
}

/* Within a radius of 0 there is nothing, not even at distance 0. */
xl_real xl_radius_square(xl_real radius)
{
    return radius > 0 ? radius * radius : -1;
}
#endif
#endif

#if XL_RADII == 2
typedef xl_real xl_query_part, xl_point_part; /* the square of its radius */

xl_query_part xl_radii_query(const xl_radii *radii, uint i)
{
    return xl_radius_square(xl_radius_of(radii, radii->of_queries[i]));
}

xl_point_part xl_radii_point(const xl_radii *radii, uint j)
{
    return xl_radius_square(xl_radius_of(radii, radii->of_points[j]));
}

xl_real xl_pair_radius2(xl_query_part query, xl_point_part point)
{
    return fmax(query, point);
}

/* The same for 8 points. */
xl_real8 xl_pair_radii2(xl_query_part query, const xl_point_part *points)
{
    return fmax((xl_real8)(query), vload8(0, points));
}
#elif XL_RADII == 3
typedef __global const xl_real *xl_query_part; /* the row of its type */
typedef uint xl_point_part;                    /* the column of its type */

xl_query_part xl_radii_query(const xl_radii *radii, uint i)
{
    const uint row = min(radii->of_queries[i], radii->num_types);
    return radii->squares + row * (radii->num_types + 1);
}

xl_point_part xl_radii_point(const xl_radii *radii, uint j)
{
    return min(radii->of_points[j], radii->num_types);
}

xl_real xl_pair_radius2(xl_query_part query, xl_point_part point)
{
    return query[point];
}

xl_real8 xl_pair_radii2(xl_query_part query, const xl_point_part *points)
{
    return (xl_real8)(query[points[0]], query[points[1]], query[points[2]], query[points[3]],
                      query[points[4]], query[points[5]], query[points[6]], query[points[7]]);
}
#endif

/* ---- the nearest of a row ---------------------------------------------------------------- */

#if XL_ROW_ROOM == 2
/* The nearest neighbours of a row that is too long: all below a bound, ordered by square distance,
 * index and image. The bound takes no memory and few passes over the neighbours:
 *
 *     xl_bound_search search = xl_bound_search_begin(radius2, found, room);
 *     while (xl_bound_search_next(&search))
 *         for each neighbour
 *             xl_bound_search_add(&search, distance2, index);
 *     ... search.bound
 *
 * A pass counts the neighbours up to a pivot, and the interval of the bound shrinks to the next
 * distance that a neighbour has. If several neighbours have the distance at the bound, the same
 * search goes on among their indices. */

/* The bits of a square distance, or an index. */
typedef xl_real_bits xl_near_key;
#define XL_NEAR_KEY_MOST (~(xl_near_key)0)

typedef struct xl_bound {
    xl_near_key distance2;
    uint index;  /* at that distance */
    uint images; /* how many of that index are below the bound, the first ones of the row */
} xl_bound;

xl_bound xl_bound_none(void)
{
    const xl_bound none = {XL_NEAR_KEY_MOST, 0, 0};
    return none;
}

/* Whether a neighbour is below the bound. *images: those of bound->index that were asked for. */
bool xl_bound_keeps(const xl_bound *bound, xl_real distance2, uint index, uint *images)
{
    const xl_near_key key = xl_bits_of_real(distance2);
    if (key != bound->distance2)
        return key < bound->distance2;
    if (index != bound->index)
        return index < bound->index;
    return (*images)++ < bound->images;
}

typedef struct xl_bound_search {
    xl_bound bound;
    xl_near_key low, high; /* the wanted-th smallest key is one of these or between them */
    uint below, upto;      /* neighbours whose key is below low; whose key is at most high */
    uint wanted, passes;
    bool by_index; /* keys are the indices at bound.distance2 */
    /* This pass: the neighbours up to the pivot, the largest key of them, and the next key. */
    xl_near_key pivot, most, next;
    uint count;
} xl_bound_search;

/* For `found` neighbours within the radius, more than `wanted`. */
xl_bound_search xl_bound_search_begin(xl_real radius2, uint found, uint wanted)
{
    xl_bound_search b;
    b.bound.index = b.bound.images = 0;
    b.low = 0;
    b.high = xl_bits_of_real(radius2);
    b.below = b.passes = 0;
    b.upto = found;
    b.wanted = wanted;
    b.by_index = false;
    return b;
}

void xl_bound_search_add(xl_bound_search *b, xl_real distance2, uint index)
{
    const xl_near_key own = xl_bits_of_real(distance2);
    const xl_near_key key = !b->by_index                ? own
                            : own == b->bound.distance2 ? index
                                                        : XL_NEAR_KEY_MOST;
    const bool counted = key <= b->pivot;
    b->count += counted ? 1u : 0u;
    b->most = max(b->most, counted ? key : (xl_near_key)0);
    b->next = min(b->next, counted ? XL_NEAR_KEY_MOST : key);
}

/* Between the distances by their ranks; halves of the interval of bits, which any distances need at
 * most 64 times, now and then and among indices. */
xl_near_key xl_bound_search_pivot(const xl_bound_search *b)
{
    if (b->by_index || b->passes % 4 == 0)
        return b->low + (b->high - b->low) / 2;
    const xl_real low = xl_real_of_bits(b->low), high = xl_real_of_bits(b->high);
    const xl_real part =
        ((xl_real)(b->wanted - b->below) - 0.5f) / (xl_real)(b->upto - b->below - 1);
    return clamp(xl_bits_of_real(low + (high - low) * part), b->low, b->high - 1);
}

/* Takes the result of a pass; true if the bound is found. */
bool xl_bound_search_narrow(xl_bound_search *b)
{
    const bool exact = b->count == b->wanted;
    if (exact && b->by_index)
        b->bound.index = (uint)b->pivot + 1;
    else if (exact)
        b->bound.distance2 = b->pivot + 1;
    if (b->count > b->wanted) {
        b->high = b->most;
        b->upto = b->count;
    } else {
        b->low = b->next;
        b->below = b->count;
    }
    return exact;
}

/* Begins the next pass; false if the bound is found. Each pass shortens the interval, also if
 * another kernel changes the points. */
bool xl_bound_search_next(xl_bound_search *b)
{
    if (b->passes++ > 0 && xl_bound_search_narrow(b))
        return false;
    if (b->low >= b->high && !b->by_index) {
        b->bound.distance2 = b->low;
        b->by_index = true;
        b->low = 0;
        b->high = UINT_MAX;
        b->wanted -= b->below;
        b->below = 0;
    }
    if (b->low >= b->high) {
        b->bound.index = (uint)b->low;
        b->bound.images = b->wanted - b->below;
        return false;
    }
    b->pivot = xl_bound_search_pivot(b);
    b->count = 0;
    b->most = 0;
    b->next = XL_NEAR_KEY_MOST;
    return true;
}
#endif

#endif
