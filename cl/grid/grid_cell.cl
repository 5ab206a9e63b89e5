/* SPDX-License-Identifier: MIT
 * Space that repeats along the vectors of a triclinic cell: how far an image is moved, and which
 * images may be near.
 *
 * The cell is lower triangular: a = (ax, 0, 0), b = (bx, by, 0), c = (cx, cy, cz). So z tells which
 * images along c may be near, then y which along b, then x which along a. */
#ifndef XL_GRID_CELL
#define XL_GRID_CELL

#include "../prelude/prelude.cl"

typedef struct xl_cell {
    float4 lower, upper; /* the box of the points */
    float4 period;       /* ax, by, cz, or 0 of a vector along which space does not repeat */
    float4 tilt;         /* bx, cx, cy */
} xl_cell;

/* Of image `at`, in periods. That of its opposite is the same but for the sign. */
float4 xl_cell_shift(const xl_cell *cell, int4 at)
{
#pragma OPENCL FP_CONTRACT OFF
    const float4 s = convert_float4(at);
    const float x = (s.x * cell->period.x + s.y * cell->tilt.x) + s.z * cell->tilt.y;
    const float y = s.y * cell->period.y + s.z * cell->tilt.z;
    return (float4)(x, y, s.z * cell->period.z, 0.0f);
}

/* As many along an axis as the host lets there be, and some more. */
#define XL_CELL_MOST_IMAGES 24
/* Numbers beyond which floats skip some. */
#define XL_CELL_COUNTED 16777216.0f

/* The first and the last image along an axis whose points, between lower and upper, may be within
 * `reach` of what lies between low and high; and some more. */
int2 xl_cell_span(float low, float high, float reach, float lower, float upper, float period)
{
    if (!(period > 0))
        return (int2)(0);
    const float first = ceil(((low - reach) - upper) / period - 0x1p-10f);
    const float last = floor(((high + reach) - lower) / period + 0x1p-10f);
    int2 span = convert_int2(clamp((float2)(first, last), -XL_CELL_COUNTED, XL_CELL_COUNTED));
    span.y = min(span.y, span.x + XL_CELL_MOST_IMAGES);
    return span;
}

/* Images by z, then y, then x. */
typedef struct xl_cell_images {
    int4 at;   /* the one that was met last */
    int4 last; /* of z; of y for that z; of x for both */
} xl_cell_images;

/* Around all that lies between low and high; of what is not finite there are none. */
xl_cell_images xl_cell_images_begin(const xl_cell *cell, float4 low, float4 high, float reach)
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
void xl_cell_images_row(xl_cell_images *images, const xl_cell *cell, float4 low, float4 high,
                        float reach)
{
    const float by_b = (float)images->at.y * cell->tilt.x;
    const float by_c = (float)images->at.z * cell->tilt.y, by = by_b + by_c;
    const int2 x =
        xl_cell_span(low.x - by, high.x - by, reach + 0x1p-21f * (fabs(by_b) + fabs(by_c)),
                     cell->lower.x, cell->upper.x, cell->period.x);
    images->at.x = x.x - 1;
    images->last.x = x.y;
}

/* Of the z. */
void xl_cell_images_layer(xl_cell_images *images, const xl_cell *cell, float4 low, float4 high,
                          float reach)
{
    const float by = (float)images->at.z * cell->tilt.z;
    const int2 y = xl_cell_span(low.y - by, high.y - by, reach + 0x1p-21f * fabs(by), cell->lower.y,
                                cell->upper.y, cell->period.y);
    images->at.y = y.x - 1;
    images->last.y = y.y;
}

/* Goes on to the next, around the same places and within no longer a reach; false after the last.
 */
bool xl_cell_images_next(xl_cell_images *images, const xl_cell *cell, float4 low, float4 high,
                         float reach)
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
