/* SPDX-License-Identifier: MIT
 * Triclinic space: it repeats along up to three vectors of any direction. Computes the displacement
 * of an image, and which images may be near.
 *
 * A search enumerates images over a basis v0, v1, v2 of the lattice (lib/grid/grid_lattice.c): the
 * vectors given or, if these are badly skewed, shorter ones. Image t of a point p is at p + d with
 * d = t0*v0 + t1*v1 + t2*v2. It may be near if d is in the box of differences, from (low - upper) -
 * reach to (high - lower) + reach. The loop over t2 is the outermost, then t1, then t0. A number is
 * bounded by normals that are perpendicular to the vectors of the loops inside it, once the numbers
 * of the loops outside it are known: v0 x v1 bounds t2; v0 x e, for the three axes e, bounds t1;
 * the axes themselves bound t0. These are all faces of the box's projections (Fourier and Motzkin),
 * so each span is as short as possible, for any vectors. */
#ifndef XL_GRID_CELL
#define XL_GRID_CELL

#include "grid_map.cl"

typedef struct xl_cell {
    xl_real4 lower, upper; /* the box of the points */
    xl_real4 a, b, c;      /* the vectors given; 0 if space does not repeat along one */
    xl_real4 v1, v2;       /* of the basis, without v0 */
    xl_real4 inverse;      /* 1 / v0 along each axis; 0: this axis gives no bound */
    xl_real4 next, after;  /* (v0 x e) / ((v0 x e) . v1) for each axis e: its parts along the */
    xl_real4 outer;        /* two axes that follow e; and its product with v2 */
    xl_real4 normal;       /* (v0 x v1) / ((v0 x v1) . v2) */
    /* How much the shifts of a, b and c are rounded, per unit along each axis. */
    xl_real4 of_a, of_b, of_c;
    xl_real slack;            /* how much everything else is rounded, per unit of the operands */
    xl_real2 inside;          /* a bound of all rounding of positions in the box: this, and this */
                              /* much of the reach */
    xl_real farthest;         /* positions that are rounded by more than this are too far */
    int4 from0, from1, from2; /* v0, v1 and v2 as whole multiples of a, b and c */
    int rank;                 /* number of vectors in the basis */
    bool whole;               /* rank is the dimension of the points */
} xl_cell;

/* Why rounding loses no image.
 *
 * Let u be 2^-24 (floats) or 2^-53 (doubles), q a coordinate of a query, p a coordinate of a point,
 * M the largest |q| + |p|, and r the reach. Let G be the sum of |Sa*a|, |Sb*b| and |Sc*c| along an
 * axis, for image S in the given vectors, and H the same for t in the basis. A search compares d =
 * (q - p) - shift. If the computed d is within r, the exact one is within r + 4u * r. The shift is
 * rounded by 4u * G: each product twice, because S is converted too, and two sums. q - p is rounded
 * by u * M. So the exact lattice vector is within r + 4u * r + u * M + 4u * G of q - p along each
 * axis.
 *
 * A span is computed from the middle and the extent (half the size) of the box of differences,
 * which are rounded by 4u * M. Their products with a normal, the products of outer numbers, the
 * normals and the basis (which the host computes in double precision) are rounded too: together by
 * 8u * (M + H + r) times the sum of the normal's entries. A box that is larger by 8u * (M + H + r)
 * on each side has the same effect. A walk around q - shift is rounded by u * (M + G).
 *
 * Together that is 14u * M + 5u * G + 8u * H + 15u * r. The basis is not skewed, so H is at most h
 * * (M + r), for an h that the host computes. The given vectors may be skewed: G may be M + r in
 * one direction, and thousands of times that in another. So G is bounded for each query. Let A be
 * the row of the inverse matrix that belongs to a, times the largest entry of a; B and C are the
 * same for b and c. If q - p is the lattice vector, |Sa*a| is at most |A . (q - p)|. So G is at
 * most
 *     g = the sum of |A . middle| + |A| . extent over A, B and C
 * for the box of differences. Let k be the sum of all entries of |A|, |B| and |C|. Then g is
 * rounded by 7u * k * (M + r), and G may exceed g by k times all of the rounding, because the
 * lattice vector may be that far outside the box. 8u * k is at most 1/4 (check_rounding() in
 * lib/grid/grid_space.c), so all of the rounding is below
 *     8u * g + u * (20 + 10 * h) * (M + r)
 * `of_a`, `of_b` and `of_c` are 8u times A, B and C, and `slack` is u * (20 + 10 * h). The reach of
 * a search is r * (1 + 32u) or more (XL_REACH, xl_nearest_reach(), xl_grid_moved_reach()).
 *
 * In addition a span is lengthened by this many periods, which costs nothing. */
#define XL_CELL_MORE ((xl_real)0x1p-10)

/* The parameters that the host computes (xli_grid_lattice in lib/grid/grid_index.h). */
#define XL_CELL_PARAMETERS                                                                         \
    xl_real8 cell, xl_real8 cell_more, xl_real8 slabs, xl_real8 slabs_more, xl_real8 rounding,     \
        int16 lattice
#define XL_CELL_ARGUMENTS cell, cell_more, slabs, slabs_more, rounding, lattice

/* Half the distance from 1 to the next number. */
#if XL_F64
#define XL_CELL_UNIT 0x1p-53
#else
#define XL_CELL_UNIT 0x1p-24f
#endif
/* The largest number of an image, on either side: image numbers have 32 bits. */
#define XL_CELL_COUNTED ((xl_real)0x1p29)
/* Positions may be rounded by up to this many heights of the cell: HEIGHTS in
 * lib/grid/grid_lattice.c. */
#define XL_CELL_HEIGHTS 32

xl_cell xl_cell_of(xl_real4 lower, xl_real4 upper, XL_CELL_PARAMETERS)
{
    const xl_real16 v = (xl_real16)(cell, cell_more), n = (xl_real16)(slabs, slabs_more);
    xl_cell it;
    it.lower = lower;
    it.upper = upper;
    it.a = (xl_real4)(v.s012, 0);
    it.b = (xl_real4)(v.s345, 0);
    it.c = (xl_real4)(v.s678, 0);
    it.v1 = (xl_real4)(v.s9ab, 0);
    it.v2 = (xl_real4)(v.scde, 0);
    it.of_a = (xl_real4)(rounding.s012, 0);
    it.of_b = (xl_real4)(rounding.s345, 0);
    it.of_c = (xl_real4)(rounding.s67, v.sf, 0);
    it.slack = (xl_real)lattice.s9 * XL_CELL_UNIT;
#if XL_F64
    it.inside = as_double2(lattice.scdef);
#else
    it.inside = as_float2(lattice.scd);
#endif
    it.inverse = (xl_real4)(n.s012, 0);
    it.next = (xl_real4)(n.s345, 0);
    it.after = (xl_real4)(n.s678, 0);
    it.outer = (xl_real4)(n.s9ab, 0);
    it.normal = (xl_real4)(n.scde, 0);
    it.farthest = n.sf;
    it.from0 = (int4)(lattice.s012, 0);
    it.from1 = (int4)(lattice.s345, 0);
    it.from2 = (int4)(lattice.s678, 0);
    it.rank = lattice.sa;
    it.whole = lattice.sb != 0;
    return it;
}

#if XL_REPEATS == 3
/* The same from the table. */
xl_cell xl_cell_load(__global const xl_real *cells, uint cell)
{
    const xl_real16 bounds = xl_cell_numbers(cells, cell, XL_CELL_BOUNDS);
    const xl_real16 vectors = xl_cell_numbers(cells, cell, XL_CELL_VECTORS);
    const xl_real16 slabs = xl_cell_numbers(cells, cell, XL_CELL_SLABS);
    const xl_real16 lattice = xl_cell_numbers(cells, cell, XL_CELL_LATTICE);
    return xl_cell_of((xl_real4)(bounds.s012, 0), (xl_real4)(bounds.s456, 0), vectors.lo,
                      vectors.hi, slabs.lo, slabs.hi, bounds.hi, convert_int16(lattice));
}
#endif

/* Image `at` of the basis as whole multiples of the given vectors. A product may exceed 32 bits and
 * wrap; the sum does not (xl_cell_is_near()). */
int4 xl_cell_image(const xl_cell *cell, int4 at)
{
    const uint4 t = as_uint4(at);
    return as_int4(t.x * as_uint4(cell->from0) + t.y * as_uint4(cell->from1) +
                   t.z * as_uint4(cell->from2));
}

/* The displacement of image S. That of the opposite image differs only in its sign. */
xl_real4 xl_cell_shift(const xl_cell *cell, int4 image)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real4 s = xl_real4_of(image);
    return (s.x * cell->a + s.y * cell->b) + s.z * cell->c;
}

/* The whole numbers that no slab excludes; the fourth components are ignored. If the middle has
 * overflowed, the span is empty: nothing that far away is near. */
int2 xl_cell_span(xl_real4 middle, xl_real4 extent)
{
    const xl_real4 low = middle - extent, high = middle + extent;
    const xl_real2 ends = (xl_real2)(fmax(low.x, fmax(low.y, low.z)) - XL_CELL_MORE,
                                     fmin(high.x, fmin(high.y, high.z)) + XL_CELL_MORE);
    if (!xl_real4_finite(middle))
        return (int2)(1, 0);
    const xl_real2 whole = (xl_real2)(ceil(ends.x), floor(ends.y));
    return convert_int2(clamp(whole, -2 * XL_CELL_COUNTED, 2 * XL_CELL_COUNTED));
}

/* Iterates over images: by t2, then t1, then t0. */
typedef struct xl_cell_images {
    int4 at;   /* the current image */
    int4 last; /* the last t2; the last t1 for this t2; the last t0 for both */
} xl_cell_images;

/* The box of differences. */
typedef struct xl_cell_box {
    xl_real4 middle, extent;
} xl_cell_box;

xl_cell_box xl_cell_box_of(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real reach)
{
    const xl_real4 first = (xl_real)0.5 * (low - cell->upper);
    const xl_real4 last = (xl_real)0.5 * (high - cell->lower);
    const xl_cell_box box = {first + last, (last - first) + reach};
    return box;
}

/* The part of 8u * g that belongs to one vector. */
xl_real xl_cell_rounding_of(const xl_cell_box *box, xl_real4 of)
{
    const xl_real4 m = of * box->middle, e = fabs(of) * box->extent;
    return fabs((m.x + m.y) + m.z) + ((e.x + e.y) + e.z);
}

/* 8u * g, for all three vectors. */
xl_real xl_cell_rounding(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real reach)
{
    const xl_cell_box box = xl_cell_box_of(cell, low, high, reach);
    return (xl_cell_rounding_of(&box, cell->of_a) + xl_cell_rounding_of(&box, cell->of_b)) +
           xl_cell_rounding_of(&box, cell->of_c);
}

xl_real xl_cell_largest(xl_real4 low, xl_real4 high)
{
    const xl_real4 most = fmax(fabs(low), fabs(high));
    return fmax(most.x, fmax(most.y, most.z));
}

/* The reach plus a bound of the rounding, if no coordinate or edge of the box exceeds `extent`. */
xl_real xl_cell_reach(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real extent,
                      xl_real reach)
{
    return reach + xl_cell_rounding(cell, low, high, reach) +
           cell->slack * ((extent + xl_cell_largest(low, high)) + reach);
}

/* The same for all positions in the box. */
xl_real xl_cell_reach_inside(const xl_cell *cell, xl_real reach)
{
    return reach + (cell->inside.x + cell->inside.y * reach);
}

/* Whether these positions are in the box, or so near that their precision distinguishes images and
 * the numbers of these fit. */
bool xl_cell_is_near(const xl_cell *cell, xl_real4 low, xl_real4 high)
{
    const xl_real of_shifts = xl_cell_rounding(cell, low, high, 0);
    const xl_real counted = 8 * XL_CELL_UNIT * XL_CELL_COUNTED / XL_CELL_HEIGHTS;
    const bool near = of_shifts <= cell->farthest * fmin(counted, (xl_real)1) &&
                      of_shifts + cell->slack * xl_cell_largest(low, high) <= cell->farthest;
    const xl_mask4 inside = (low >= cell->lower) & (high <= cell->upper);
    return xl_real4_finite(low) && xl_real4_finite(high) &&
           (near || cell->rank == 0 || (inside.x && inside.y && inside.z));
}

/* Begins the images around all positions between low and high, which are near. */
xl_cell_images xl_cell_images_around(const xl_cell *cell, xl_real4 low, xl_real4 high,
                                     xl_real reach)
{
    const xl_cell_box box = xl_cell_box_of(cell, low, high, reach);
    const xl_real4 n = cell->normal, m = fabs(n);
    const xl_real middle = (n.x * box.middle.x + n.y * box.middle.y) + n.z * box.middle.z;
    const xl_real extent = (m.x * box.extent.x + m.y * box.extent.y) + m.z * box.extent.z;
    const int2 span =
        cell->rank > 2 ? xl_cell_span((xl_real4)(middle), (xl_real4)(extent)) : (int2)(0);
    xl_cell_images images;
    images.at = images.last = (int4)(0);
    images.at.z = span.x - 1;
    images.last.z = span.y;
    return images;
}

/* The same for any positions: those that are not near have no images. */
xl_cell_images xl_cell_images_begin(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real reach)
{
    xl_cell_images none;
    none.at = none.last = (int4)(0);
    return xl_cell_is_near(cell, low, high) ? xl_cell_images_around(cell, low, high, reach) : none;
}

/* Sets the span of t1 for the current t2. */
void xl_cell_images_layer(xl_cell_images *images, const xl_cell *cell, xl_real4 low, xl_real4 high,
                          xl_real reach)
{
    const xl_cell_box box = xl_cell_box_of(cell, low, high, reach);
    const xl_real4 middle = (cell->next * box.middle.yzxw + cell->after * box.middle.zxyw) -
                            (xl_real)images->at.z * cell->outer;
    const xl_real4 extent =
        fabs(cell->next) * box.extent.yzxw + fabs(cell->after) * box.extent.zxyw;
    const xl_mask4 bounds = (cell->next != 0) | (cell->after != 0);
    const int2 span = cell->rank > 1
                          ? xl_cell_span(middle, select((xl_real4)(INFINITY), extent, bounds))
                          : (int2)(0);
    images->at.y = span.x - 1;
    images->last.y = span.y;
}

/* Sets the span of t0 for the current t1 and t2. */
void xl_cell_images_row(xl_cell_images *images, const xl_cell *cell, xl_real4 low, xl_real4 high,
                        xl_real reach)
{
    const xl_cell_box box = xl_cell_box_of(cell, low, high, reach);
    const xl_real4 moved = (xl_real)images->at.y * cell->v1 + (xl_real)images->at.z * cell->v2;
    const xl_mask4 bounds = cell->inverse != 0;
    const xl_real4 extent = select((xl_real4)(INFINITY), box.extent * fabs(cell->inverse), bounds);
    const int2 span =
        cell->rank > 0 ? xl_cell_span((box.middle - moved) * cell->inverse, extent) : (int2)(0);
    images->at.x = span.x - 1;
    images->last.x = span.y;
}

/* Advances to the next image; false after the last. The positions must be those of the beginning,
 * and the reach must not be longer. */
bool xl_cell_images_next(xl_cell_images *images, const xl_cell *cell, xl_real4 low, xl_real4 high,
                         xl_real reach)
{
    while (images->at.x >= images->last.x) {
        while (images->at.y >= images->last.y) {
            if (images->at.z >= images->last.z)
                return false;
            ++images->at.z;
            xl_cell_images_layer(images, cell, low, high, reach);
        }
        ++images->at.y;
        xl_cell_images_row(images, cell, low, high, reach);
    }
    ++images->at.x;
    return true;
}

#endif
