/* SPDX-License-Identifier: MIT
 * #include <crosslane/neighbors.cl>: the points within a radius, in your kernels. This is the
 * search of crosslane/neighbors.h, with the same bits: in any number of dimensions, in periodic
 * space, at any distance from the origin.
 *
 *     #include <crosslane/neighbors.cl>
 *
 *     __kernel
 *     void density(XL_NEIGHBORS_PARAMETERS(fluid), __global float *rho)
 *     {
 *         const xl_neighbors fluid = XL_NEIGHBORS_LOAD(fluid);
 *         const uint k = (uint)get_global_id(0);
 *         if (k >= xl_neighbors_points(&fluid))
 *             return;
 *         xl_neighbor near = xl_neighbors_of(&fluid, k);
 *         float sum = 0;
 *         XL_FOR_NEIGHBORS(near, fluid)
 *             sum += weight(near.distance2);
 *         rho[near.self] = near.incomplete ? NAN : sum;
 *     }
 *
 *   XL_NEIGHBORS_PARAMETERS(name)  thirteen kernel parameters for an index, which
 *                            xl_grid_index_set_kernel_args() sets. Give each index a different name
 *                            (fluid, walls)
 *   XL_NEIGHBORS_LOAD(name)  makes an xl_neighbors of them
 *   uint xl_neighbors_points(const xl_neighbors *of)  number of points of the index
 *   bool xl_neighbors_failed(of)   the index cannot be used: its build failed, has not run, or was
 *                            replaced by another since the arguments were set. No point then has
 *                            neighbours
 *   uint xl_neighbors_index(of, k)       the index of sorted point k in the arrays of the build,
 *   float4 xl_neighbors_position(of, k)  and its position. k must be below xl_neighbors_points().
 *                            Work-items that take consecutive sorted points read the same memory.
 *                            After a failed build the index is k and the position 0
 *   xl_neighbor xl_neighbors_of(of, k)  around sorted point k. The point itself is excluded; its
 *                            periodic images are not
 *   xl_neighbor xl_neighbors_around(of, float4 position)  around any position; no point is
 *                            excluded. Coordinates that points do not have must be 0. A position
 *                            that is not finite has no neighbours. In a batch, w is the number of
 *                            the system
 *   void xl_neighbors_set_radius(xl_neighbor *near, of, float radius)  call it before the loop to
 *                            search within another radius, at most that of the arguments. If it is
 *                            NaN, 0, negative or below 2^-63, there are no neighbours
 *   XL_FOR_NEIGHBORS(near, of) statement  executes the statement for each neighbour, in the order
 *                            of docs/neighbors.md on all devices; `break` and `continue` work as in
 *                            any loop. `near` and `of` must be names of variables. Use it once for
 *                            each `near`
 *
 * An xl_neighbor contains, for the query:
 *   uint self          its index; UINT_MAX around a position
 *   float4 position    its position
 *   bool incomplete    after the loop: some neighbours may be missing, because the index failed, or
 *                      the position is too far for images (crosslane/neighbors.h)
 * and, inside the loop, for the neighbour:
 *   uint index         in the order of the points that were given to the build: for your arrays
 *   uint place         in sorted order: for arrays that xl_grid_reorder_enqueue() has made
 *   float4 vector      from the query to the neighbour, or to this image of it. w is 0
 *   float distance2    the square of its length, ((x*x + y*y) + z*z) with each operation rounded
 *                      once, which was compared with the radius
 *   float4 shift       how far this image is from its point; 0 if space is not periodic
 *
 * `#define XL_NEIGHBORS_PERIODIC 0` before the include removes the code for periodic space: a count
 * then takes 0.37 ms instead of 0.53 (H200, 2^21 points with 33 neighbours). xl_neighbors_failed()
 * is then true for a periodic index. With 2, there is also the code for cells
 * that are not boxes; otherwise xl_neighbors_failed() is true for them. `#define
 * XL_NEIGHBORS_F64 1` is for indices of XL_F64, and only these: each float above is then a double,
 * and each float4 a double4. `#define XL_NEIGHBORS_BATCH 1` is for indices of a batch
 * (space.num_systems), and only these: neighbours are then of the same system. A work-item
 * calls each function alone: none contains a barrier. */
#ifndef XL_NEIGHBORS
#define XL_NEIGHBORS

#ifndef XL_NEIGHBORS_PERIODIC
#define XL_NEIGHBORS_PERIODIC 1
#endif
#ifndef XL_NEIGHBORS_F64
#define XL_NEIGHBORS_F64 0
#endif
#ifndef XL_NEIGHBORS_BATCH
#define XL_NEIGHBORS_BATCH 0
#endif
#if XL_NEIGHBORS_F64 && !XL_HAS_FP64
#error "XL_NEIGHBORS_F64: the device has no double precision (cl_khr_fp64)"
#endif

/* The parameters that the host sets for the library's own programs. Here, queries are points or
 * positions, with one radius. The layout of sorted points follows the device's tunables;
 * xl_grid_index_set_kernel_args() checks that. */
#define XL_REPEATS (XL_NEIGHBORS_PERIODIC > 1 ? 2 : XL_NEIGHBORS_PERIODIC)
#define XL_QUERY_DIMENSIONS 0
#define XL_ANYWHERE 1
#define XL_RADII 0
#define XL_RADIUS_INCLUSIVE 0
#define XL_KEEP_SELF 1
#define XL_HALF 0
#define XL_PLANES XL_IS_CPU
#define XL_F64 XL_NEIGHBORS_F64
#define XL_SYSTEMS XL_NEIGHBORS_BATCH

#include "../neighbors/neighbors_ranges.cl"

/* Bits of the last component of `numbers`, which the library sets. */
#define XL_NEIGHBORS_REPEATS 1u
#define XL_NEIGHBORS_INCLUSIVE 2u
#define XL_NEIGHBORS_TRICLINIC 8u
#define XL_NEIGHBORS_WIDE 16u
#define XL_NEIGHBORS_OF_BATCH 32u
#define XL_NEIGHBORS_LAYOUT 0x4e330000u

#define XL_NEIGHBORS_PARAMETERS(name)                                                              \
    __global const uint *name##_storage, ulong4 name##_parts, uint4 name##_numbers,                \
        xl_real4 name##_radius, xl_real4 name##_lower, xl_real4 name##_upper,                      \
        xl_real4 name##_period, xl_real8 name##_cell, xl_real8 name##_cell_more,                   \
        xl_real8 name##_slabs, xl_real8 name##_slabs_more, xl_real8 name##_rounding,               \
        int16 name##_lattice
#define XL_NEIGHBORS_LOAD(name)                                                                    \
    xl_neighbors_load(name##_storage, name##_parts, name##_numbers, name##_radius, name##_lower,   \
                      name##_upper, name##_period, name##_cell, name##_cell_more, name##_slabs,    \
                      name##_slabs_more, name##_rounding, name##_lattice)

typedef struct xl_neighbors {
    xl_search search;
    xl_real radius;
    bool inclusive;
} xl_neighbors;

typedef struct xl_neighbor {
    uint self;
    xl_real4 position;
    bool incomplete;
    uint index, place;
    xl_real4 vector;
    xl_real distance2;
    xl_real4 shift;
    /* The state of the loop. */
    xl_ranges ranges;
    xl_real radius2;
    uint at, end;
    uint left_out; /* the point itself; UINT_MAX for its images */
#if XL_SYSTEMS
    xl_real system;
#endif
} xl_neighbor;

xl_neighbors xl_neighbors_load(__global const uint *storage, ulong4 parts, uint4 numbers,
                               xl_real4 radius, xl_real4 lower, xl_real4 upper, xl_real4 period,
                               xl_real8 cell, xl_real8 cell_more, xl_real8 slabs,
                               xl_real8 slabs_more, xl_real8 rounding, int16 lattice)
{
    xl_neighbors of;
#if XL_F64
#define XL_NEIGHBORS_ORIGIN lower, /* the lower corner of the box */
#else
#define XL_NEIGHBORS_ORIGIN
#endif
#if XL_REPEATS
    of.search = xl_search_load(storage, parts.x, parts.y, parts.z, parts.w, numbers.x, numbers.y,
                               numbers.z, radius.y, radius.z, XL_NEIGHBORS_ORIGIN lower, upper,
                               period, radius.w, XL_LATTICE_ARGUMENTS 0);
#else
    of.search = xl_search_load(storage, parts.x, parts.y, parts.z, parts.w, numbers.x, numbers.y,
                               numbers.z, radius.y, radius.z, XL_NEIGHBORS_ORIGIN 0);
#endif
#undef XL_NEIGHBORS_ORIGIN
    of.radius = radius.x;
    of.inclusive = (numbers.w & XL_NEIGHBORS_INCLUSIVE) != 0;
    if ((numbers.w & 0xffff0000u) != XL_NEIGHBORS_LAYOUT ||
        (!XL_REPEATS && (numbers.w & XL_NEIGHBORS_REPEATS)) ||
        (XL_REPEATS < 2 && (numbers.w & XL_NEIGHBORS_TRICLINIC)) ||
        XL_F64 != ((numbers.w & XL_NEIGHBORS_WIDE) != 0) ||
        XL_SYSTEMS != ((numbers.w & XL_NEIGHBORS_OF_BATCH) != 0))
        of.search.map.failed = true;
    return of;
}

uint xl_neighbors_points(const xl_neighbors *of)
{
    return of->search.map.points;
}

bool xl_neighbors_failed(const xl_neighbors *of)
{
    return of->search.map.failed;
}

/* Position and index of sorted point k. The index is below the number of points, whatever the
 * storage contains. */
xl_site xl_neighbors_point(const xl_neighbors *of, uint k)
{
    xl_site point = (xl_site)(0, 0, 0, k);
    if (!of->search.map.failed)
        point = xl_search_site(&of->search, k);
    point.w = min((uint)point.w, of->search.map.points - 1u);
    return point;
}

uint xl_neighbors_index(const xl_neighbors *of, uint k)
{
    return (uint)xl_neighbors_point(of, k).w;
}

xl_real4 xl_neighbors_position(const xl_neighbors *of, uint k)
{
    return xl_site_position(xl_neighbors_point(of, k));
}

/* The bound that a squared distance must be below. */
xl_real xl_neighbors_below(const xl_neighbors *of, xl_real radius2)
{
#if XL_F64
    return of->inclusive ? as_double(as_ulong(radius2) + 1UL) : radius2;
#else
    return of->inclusive ? as_float(as_uint(radius2) + 1u) : radius2;
#endif
}

/* The position; in a batch, w is the system. */
xl_real4 xl_neighbors_place(const xl_neighbor *near)
{
    xl_real4 place = near->position;
#if XL_SYSTEMS
    place.w = near->system;
#endif
    return place;
}

/* `system` is only used in a batch. If there is no such system, the position becomes NaN. */
xl_neighbor xl_neighbors_begin(const xl_neighbors *of, xl_site query, xl_real system)
{
    xl_neighbor near;
    near.self = query.w;
    near.position = xl_site_position(query);
#if XL_SYSTEMS
    near.system = system;
    if (!(system >= 0 && system < of->search.map.systems))
        near.position = (xl_real4)(NAN, NAN, NAN, 0);
#endif
    near.index = near.place = near.at = near.end = 0;
    near.vector = near.shift = (xl_real4)(0.0f);
    near.left_out = query.w;
    near.distance2 = 0;
    const xl_real4 place = xl_neighbors_place(&near);
    near.incomplete =
        of->search.map.failed || (xl_real4_finite(place) && xl_search_is_far(&of->search, place));
    near.ranges = xl_ranges_begin(&of->search, place, place, of->search.reach);
    near.radius2 = xl_neighbors_below(of, of->search.radius2);
    return near;
}

xl_neighbor xl_neighbors_of(const xl_neighbors *of, uint k)
{
    xl_real system = 0;
#if XL_SYSTEMS
    if (!of->search.map.failed)
        system = xl_grid_system(of->search.index.sorted, of->search.map.points, k);
#endif
    return xl_neighbors_begin(of, xl_neighbors_point(of, k), system);
}

xl_neighbor xl_neighbors_around(const xl_neighbors *of, xl_real4 position)
{
    return xl_neighbors_begin(of, xl_site_of(position, UINT_MAX), position.w);
}

void xl_neighbors_set_radius(xl_neighbor *near, const xl_neighbors *of, xl_real radius)
{
    const xl_real counts = radius > 0 ? min(radius, of->radius) : 0;
#if XL_F64
    const bool some = counts >= 0x1p-511;
#else
    const bool some = counts >= 0x1p-63f;
#endif
    near->radius2 = some ? xl_neighbors_below(of, counts * counts) : 0;
    const xl_real4 place = xl_neighbors_place(near);
    near->ranges = xl_ranges_begin(&of->search, place, place, counts * XL_REACH);
}

/* Advances to the next range; false after the last, or if `break` left the loop. */
bool xl_neighbors_range(xl_neighbor *near, const xl_neighbors *of)
{
    if (near->at < near->end || near->incomplete || !xl_ranges_next(&near->ranges, &of->search))
        return false;
    near->at = near->ranges.cells.begin;
    near->end = near->ranges.cells.end;
    near->shift = near->ranges.shift;
    near->left_out = XL_REPEATS && any(near->shift != 0.0f) ? UINT_MAX : near->self;
    return true;
}

/* Whether the next candidate is a neighbour. */
bool xl_neighbors_is_near(xl_neighbor *near, const xl_neighbors *of)
{
    const xl_site other = xl_search_site(&of->search, near->at);
#if XL_REPEATS
    const xl_real4 difference = (near->position - xl_site_position(other)) - near->shift;
#else
    const xl_real4 difference = near->position - xl_site_position(other);
#endif
    near->distance2 = xl_square(difference);
    near->vector = -difference;
    near->index = min((uint)other.w, of->search.map.points - 1u);
    near->place = near->at;
    return near->distance2 < near->radius2 && other.w != near->left_out;
}

#define XL_FOR_NEIGHBORS(near, of)                                                                 \
    while (xl_neighbors_range(&(near), &(of)))                                                     \
        for (; (near).at < (near).end; ++(near).at)                                                \
            if (!xl_neighbors_is_near(&(near), &(of))) {                                           \
            } else

#undef XL_REPEATS
#undef XL_GIVEN
#undef XL_QUERY_DIMENSIONS
#undef XL_ANYWHERE
#undef XL_RADII
#undef XL_RADIUS_INCLUSIVE
#undef XL_KEEP_SELF
#undef XL_HALF
#undef XL_PLANES
#undef XL_F64
#undef XL_SYSTEMS

#endif
