/* SPDX-License-Identifier: MIT
 * The radius of a query, or of a pair of a query and a point. A search for pairs reaches as far as
 * the largest radius. Only candidates within that radius are compared with the radius of the pair,
 * which has two parts: one of the query, one of the point. */
#ifndef XL_NEIGHBORS_RADII
#define XL_NEIGHBORS_RADII

#include "../prelude/prelude_real.cl"

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

#endif
