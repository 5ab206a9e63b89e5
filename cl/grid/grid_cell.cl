/* SPDX-License-Identifier: MIT
 * Space that repeats along the vectors of a triclinic cell: how far an image is moved, and which
 * images may be near.
 *
 * The cell is lower triangular: a = (ax, 0, 0), b = (bx, by, 0), c = (cx, cy, cz). So z tells which
 * images along c may be near, then y which along b, then x which along a. */
#ifndef XL_GRID_CELL
#define XL_GRID_CELL

#include "../prelude/prelude_real.cl"

typedef struct xl_cell {
    xl_real4 lower, upper; /* the box of the points */
    xl_real4 period;       /* ax, by, cz, or 0 of a vector along which space does not repeat */
    xl_real4 tilt;         /* bx, cx, cy */
} xl_cell;

/* Of image `at`, in periods. That of its opposite is the same but for the sign. */
xl_real4 xl_cell_shift(const xl_cell *cell, int4 at)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real4 s = xl_real4_of(at);
    const xl_real x = (s.x * cell->period.x + s.y * cell->tilt.x) + s.z * cell->tilt.y;
    const xl_real y = s.y * cell->period.y + s.z * cell->tilt.z;
    return (xl_real4)(x, y, s.z * cell->period.z, 0);
}

/* As many along an axis as the host lets there be, and some more. */
#define XL_CELL_MOST_IMAGES 32
/* Numbers beyond which floats skip some; of doubles as well no more are counted. */
#define XL_CELL_COUNTED 16777216.0f

/* What a reach is lengthened by, of what is subtracted, so that no image is missed for rounding: 16
 * units u, which are 2^-24 of floats and 2^-53 of doubles.
 *
 * Let q be a coordinate of a query, p of a point, M the most of |q| and |p| together, B and C what
 * vectors b and c move image s by, which the search of images has as the comparison has it, but for
 * u * (|B| + |C|) where a product is contracted with the sum, and K = |B| + |C|. A pair whose
 * difference d = (q - p) - shift is compared as within r is so in real numbers but for r * 4u
 * (squares, their sum, and the last subtraction). Its shift is (s*a + B) + C, where s*a, smaller
 * than M + r + K, rounds, and so do both sums, together by 3u * (M + r) + 2u * K; q - p by u * M.
 * So s*a is nearer to (q - p) - (B + C) than r + 7u * r + 4u * M + 2u * K. xl_cell_span() takes
 * these numbers with errors of its own: B + C by 2u * K; q less that, less the reach, less the
 * corner, the quotient, and the quotient less its 2^-10 each by u times what is there, at most
 * M + r + K: 5u * (M + r + K) in all. The sum is 12u * r + 9u * M + 9u * K.
 *
 * The searches' reach is r * (1 + 32u) or more (XL_REACH, xl_knn_reach(), xl_grid_is_far()), M and
 * K are met by 16u each: of K here, of M by who calls. A walk around q - shift, which rounds by no
 * more than u * (M + r), has the same reach. */
#if XL_F64
#define XL_CELL_SLACK 0x1p-49
#else
#define XL_CELL_SLACK 0x1p-20f
#endif

/* The first and the last image along an axis whose points, between lower and upper, may be within
 * `reach` of what lies between low and high; and some more. */
int2 xl_cell_span(xl_real low, xl_real high, xl_real reach, xl_real lower, xl_real upper,
                  xl_real period)
{
    if (!(period > 0))
        return (int2)(0);
    const xl_real most = XL_CELL_COUNTED;
    const xl_real first = ceil(((low - reach) - upper) / period - 0x1p-10f);
    const xl_real last = floor(((high + reach) - lower) / period + 0x1p-10f);
    int2 span = convert_int2(clamp((xl_real2)(first, last), -most, most));
    span.y = min(span.y, span.x + XL_CELL_MOST_IMAGES);
    return span;
}

/* Images by z, then y, then x. */
typedef struct xl_cell_images {
    int4 at;   /* the one that was met last */
    int4 last; /* of z; of y for that z; of x for both */
} xl_cell_images;

/* Around all that lies between low and high; of what is not finite there are none. */
xl_cell_images xl_cell_images_begin(const xl_cell *cell, xl_real4 low, xl_real4 high, xl_real reach)
{
    xl_cell_images images;
    images.at = images.last = (int4)(0);
    if (all(isfinite(low)) && all(isfinite(high))) {
        const int2 z =
            xl_cell_span(low.z, high.z, reach, cell->lower.z, cell->upper.z, cell->period.z);
        images.at.z = z.x - 1;
        images.last.z = z.y;
    }
    return images;
}

/* Of the y where the images are. What the other vectors move by has rounded. */
void xl_cell_images_row(xl_cell_images *images, const xl_cell *cell, xl_real4 low, xl_real4 high,
                        xl_real reach)
{
    const xl_real by_b = (xl_real)images->at.y * cell->tilt.x;
    const xl_real by_c = (xl_real)images->at.z * cell->tilt.y, by = by_b + by_c;
    const int2 x =
        xl_cell_span(low.x - by, high.x - by, reach + XL_CELL_SLACK * (fabs(by_b) + fabs(by_c)),
                     cell->lower.x, cell->upper.x, cell->period.x);
    images->at.x = x.x - 1;
    images->last.x = x.y;
}

/* Of the z. */
void xl_cell_images_layer(xl_cell_images *images, const xl_cell *cell, xl_real4 low, xl_real4 high,
                          xl_real reach)
{
    const xl_real by = (xl_real)images->at.z * cell->tilt.z;
    const int2 y = xl_cell_span(low.y - by, high.y - by, reach + XL_CELL_SLACK * fabs(by),
                                cell->lower.y, cell->upper.y, cell->period.y);
    images->at.y = y.x - 1;
    images->last.y = y.y;
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
