/* SPDX-License-Identifier: MIT
 * Space that repeats along up to three vectors of any direction: how far an image is moved, and
 * which images may be near.
 *
 * A search enumerates images over a basis v0, v1, v2 of the lattice (lib/grid/grid_lattice.c),
 * which is the vectors given or, if these are badly skewed, shorter ones. Image t of a point p lies
 * at p + d with d = t0*v0 + t1*v1 + t2*v2; it may be near if d is in the box of differences, from
 * (low - upper) - reach to (high - lower) + reach. The outer loop goes over t2, then t1, then t0.
 * Each normal that is perpendicular to the vectors further inside bounds a number by those further
 * outside: v0 x v1 bounds t2; v0 x e for the three axes e bound t1; the axes themselves bound t0.
 * These are all faces of the box's projections (Fourier and Motzkin), so each span is as short as
 * it can be, however the vectors lean. */
#ifndef XL_GRID_CELL
#define XL_GRID_CELL

#include "../prelude/prelude_real.cl"

typedef struct xl_cell {
    xl_real4 lower, upper; /* the box of the points */
    xl_real4 a, b, c;      /* the vectors given; 0 if space does not repeat along one */
    xl_real4 v1, v2;       /* of the basis */
    xl_real4 inverse;      /* 1 / v0 along each axis; 0: that axis bounds nothing */
    xl_real4 next, after;  /* v0 x e over its product with v1: along the axis behind e, and along */
    xl_real4 outer;        /* the one behind that; and its product with v2 */
    xl_real4 normal;       /* v0 x v1 over its product with v2 */
    /* By how much the shifts of a, b and c round, for each unit along each axis. */
    xl_real4 of_a, of_b, of_c;
    xl_real slack;            /* by how much all else rounds, for each unit that is subtracted */
    xl_real farthest;         /* places that round by more are too far */
    int4 from0, from1, from2; /* v0, v1 and v2 in whole numbers of a, b and c */
    int rank;                 /* vectors in the basis */
    bool whole;               /* one for each dimension of the points */
} xl_cell;

/* Why no image is missed for rounding.
 *
 * Let u be 2^-24 of floats and 2^-53 of doubles, q a coordinate of a query, p of a point, M the
 * most of |q| and |p| together, G the sum of |Sa*a|, |Sb*b| and |Sc*c| along an axis for the image
 * S over the vectors given, and H the same of t over the basis. A pair is compared by
 * d = (q - p) - shift; if it is within r, then in real numbers but for r * 4u. The shift rounds by
 * 4u * G: each product twice, as S is converted too, and two sums. q - p rounds by u * M. So the
 * lattice's own vector lies within r + 4u * r + u * M + 4u * G of q - p along each axis.
 *
 * A span is made from the middle and the extent (half the size) of the box of differences: 4u * M.
 * Products of these with a normal, and those of outer numbers, are rounded, as the normals and the
 * basis are, which the host finds in double precision: all by 8u * (M + H + r) times what the
 * normal's entries add up to, which is what it moves by if the box grows by 8u * (M + H + r) to
 * each side. A walk around q - shift rounds by u * (M + G).
 *
 * Together that is 14u * M + 5u * G + 8u * H + 15u * r. The basis is not skewed, so that H is at
 * most h * (M + r), for an h that the host finds. The vectors given may be: in one direction G may
 * be M + r, and in another one thousands of times that. So G is bounded for each query. Let A be
 * the row of the inverse of the matrix that belongs to a, times the largest entry of a, and B and C
 * likewise. |Sa*a| is at most |A . (q - p)|, for q - p of the lattice's vector. So G is at most
 *     g = the sum of |A . middle| + |A| . extent, and of B and C likewise
 * of the box of differences. With k for the sum of all entries of |A|, |B| and |C|, g rounds by
 * 7u * k * (M + r), and G is larger by k times all of the rounding, as the vector may be so far
 * outside of the box. 8u * k is at most 1/4 (check_rounding() of lib/grid/grid_cell.c), so that all
 * of the rounding is below
 *     8u * g + u * (20 + 10 * h) * (M + r)
 * `of_a`, `of_b` and `of_c` are 8u times A, B and C, and `slack` is u * (20 + 10 * h). The
 * searches' reach is r * (1 + 32u) or more (XL_REACH, xl_knn_reach(), xl_grid_moved_reach()).
 *
 * A span is lengthened by this many periods besides, which costs nothing. */
#define XL_CELL_MORE ((xl_real)0x1p-10)

/* The numbers that the host finds (xli_grid_lattice of lib/grid/grid_index.h). */
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
/* Images that are counted to either side: their numbers are of 32 bits. */
#define XL_CELL_COUNTED ((xl_real)0x1p29)
/* Heights of the cell that places may be rounded by: HEIGHTS of lib/grid/grid_lattice.c. */
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

/* Image `at` of the basis in whole numbers of the vectors given. Products may pass 32 bits; their
 * sum does not (xl_cell_is_near()). */
int4 xl_cell_image(const xl_cell *cell, int4 at)
{
    const uint4 t = as_uint4(at);
    return as_int4(t.x * as_uint4(cell->from0) + t.y * as_uint4(cell->from1) +
                   t.z * as_uint4(cell->from2));
}

/* What image S moves a point by. That of its opposite is the same but for the sign. */
xl_real4 xl_cell_shift(const xl_cell *cell, int4 image)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real4 s = xl_real4_of(image);
    return (s.x * cell->a + s.y * cell->b) + s.z * cell->c;
}

/* The whole numbers that no slab excludes; the fourth entries count for nothing. A span of numbers
 * that overflowed is empty: nothing is near so far off. */
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

/* Images by t2, then t1, then t0. */
typedef struct xl_cell_images {
    int4 at;   /* the one that was met last */
    int4 last; /* t2; t1 for that t2; t0 for both */
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

/* 8u * g of one of the vectors. */
xl_real xl_cell_rounding_of(const xl_cell_box *box, xl_real4 of)
{
    const xl_real4 m = of * box->middle, e = fabs(of) * box->extent;
    return fabs((m.x + m.y) + m.z) + ((e.x + e.y) + e.z);
}

/* The same of all three. */
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

/* A reach and how far rounding may bring images into it, if no coordinate or edge of the box is
 * above `extent`. */
xl_real xl_cell_reach(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real extent,
                      xl_real reach)
{
    return reach + xl_cell_rounding(cell, low, high, reach) +
           cell->slack * ((extent + xl_cell_largest(low, high)) + reach);
}

/* Whether these places are in the box, or so near that they tell images apart, which are counted.
 */
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

/* Around all that lies between low and high; of what is not finite there are none. */
xl_cell_images xl_cell_images_begin(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real reach)
{
    xl_cell_images images;
    images.at = images.last = (int4)(0);
    if (xl_cell_is_near(cell, low, high)) {
        const xl_cell_box box = xl_cell_box_of(cell, low, high, reach);
        const xl_real4 n = cell->normal, m = fabs(n);
        const xl_real middle = (n.x * box.middle.x + n.y * box.middle.y) + n.z * box.middle.z;
        const xl_real extent = (m.x * box.extent.x + m.y * box.extent.y) + m.z * box.extent.z;
        const int2 span =
            cell->rank > 2 ? xl_cell_span((xl_real4)(middle), (xl_real4)(extent)) : (int2)(0);
        images.at.z = span.x - 1;
        images.last.z = span.y;
    }
    return images;
}

/* The t1 for the t2 that the images are at. */
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

/* The t0 for both. */
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

/* Goes on to the next, around the same places and within no longer a reach; false after the last.
 */
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
