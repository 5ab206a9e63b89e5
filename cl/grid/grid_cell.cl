/* SPDX-License-Identifier: MIT
 * Space that repeats along the vectors of a triclinic cell: how far an image is moved, and which
 * images may be near.
 *
 * The cell is lower triangular: a = (ax, 0, 0), b = (bx, by, 0), c = (cx, cy, cz). So z tells which
 * images along c may be near, then y which along b, then x which along a. The points fill a box
 * that leans with the cell: at one z and y they are in a part of their upright box alone, and most
 * images are told from that without a look at cells. */
#ifndef XL_GRID_CELL
#define XL_GRID_CELL

#include "grid_map.cl"

typedef struct xl_cell {
    float4 period;    /* ax, by, cz, or 0 of a vector along which space does not repeat */
    float4 tilt;      /* bx, cx, cy */
    float4 corner;    /* of the upright box */
    float4 lean;      /* per unit of z along y, of y along x, of z along x */
    float4 low, high; /* the leaning box: of all xl_cell_straighten() of points, */
    float4 room;      /* and what these may be off by, having rounded */
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

/* Of two vectors that repeat, how far the second leans for each unit along the axis of its own. */
float xl_cell_lean(float tilt, float period)
{
    return period > 0 ? tilt / period : 0.0f;
}

/* Of the box of the points, and periods, which have the tilts in their w. `extent`: the largest
 * coordinate. */
void xl_cell_set(xl_cell *cell, float4 lower, float4 upper, float4 period, float extent)
{
    const float4 tilt = (float4)(lower.w, upper.w, period.w, 0.0f);
    const float y_by_z = xl_cell_lean(tilt.z, period.z), x_by_y = xl_cell_lean(tilt.x, period.y);
    const float x_by_z = xl_cell_lean(tilt.y, period.z) - y_by_z * x_by_y;
    const float some = 0x1p-20f * extent;
    lower.w = upper.w = period.w = 0;
    cell->period = period;
    cell->tilt = tilt;
    cell->corner = cell->low = lower;
    cell->high = upper;
    cell->lean = (float4)(y_by_z, x_by_y, x_by_z, 0.0f);
    cell->room = (float4)(some * (1.0f + fabs(x_by_y) + fabs(x_by_z)), some * (1.0f + fabs(y_by_z)),
                          0.0f, 0.0f);
}

/* With the leaning box that a build has found, if it has. */
void xl_cell_keep(xl_cell *cell, __global const uint *lean)
{
    if (lean[3] == 0)
        return;
    cell->low = (float4)(xl_grid_from_ordered(~lean[0]), xl_grid_from_ordered(~lean[1]),
                         xl_grid_from_ordered(~lean[2]), 0.0f);
    cell->high = (float4)(xl_grid_from_ordered(lean[3]), xl_grid_from_ordered(lean[4]),
                          xl_grid_from_ordered(lean[5]), 0.0f);
}

/* Where a point is in the box that does not lean any more. */
float4 xl_cell_straighten(const xl_cell *cell, float4 p)
{
    const float4 d = p - cell->corner;
    return (float4)(p.x - d.y * cell->lean.y - d.z * cell->lean.z, p.y - d.z * cell->lean.x, p.z,
                    0.0f);
}

/* As many along an axis as the host lets there be, and some more. */
#define XL_CELL_MOST_IMAGES 24
/* Numbers beyond which floats skip some. */
#define XL_CELL_COUNTED 16777216.0f

/* The first and the last image along an axis whose points, in `there`, may be within `reach` of
 * what is in `here`; and some more. */
int2 xl_cell_span(float2 here, float reach, float2 there, float period)
{
    if (!(period > 0))
        return (int2)(0);
    const float first = ceil(((here.x - reach) - there.y) / period - 0x1p-10f);
    const float last = floor(((here.y + reach) - there.x) / period + 0x1p-10f);
    int2 span = convert_int2(clamp((float2)(first, last), -XL_CELL_COUNTED, XL_CELL_COUNTED));
    span.y = min(span.y, span.x + XL_CELL_MOST_IMAGES);
    return span;
}

/* What is looked for: neighbours of all that lies between low and high. */
typedef struct xl_cell_around {
    float4 low, high;
    float reach;
} xl_cell_around;

/* The part of `all` that is within reach, once that was moved by `by`. */
float2 xl_cell_part(float2 all, float low, float high, float by, float reach)
{
    return (float2)(fmax(all.x, low - by - reach), fmin(all.y, high - by + reach));
}

/* How far a stretch reaches that leans by so much for each unit of another one. */
float2 xl_cell_leaning(float2 other, float corner, float lean)
{
    const float a = (other.x - corner) * lean, b = (other.y - corner) * lean;
    return (float2)(fmin(a, b), fmax(a, b));
}

/* Images by z, then y, then x. */
typedef struct xl_cell_images {
    int4 at;   /* the one that was met last */
    int4 last; /* of z; of y for that z; of x for both */
} xl_cell_images;

/* Of what is not finite there are none. */
xl_cell_images xl_cell_images_begin(const xl_cell *cell, xl_cell_around around)
{
    xl_cell_images images;
    images.at = images.last = (int4)(0);
    if (all(isfinite(around.low)) && all(isfinite(around.high))) {
        const int2 z = xl_cell_span((float2)(around.low.z, around.high.z), around.reach,
                                    (float2)(cell->low.z, cell->high.z), cell->period.z);
        images.at.z = z.x - 1;
        images.last.z = z.y;
    }
    return images;
}

/* Where the points of an image along z may be, along z and along y. */
void xl_cell_layer(const xl_cell_images *images, const xl_cell *cell, xl_cell_around around,
                   float2 *z, float2 *y)
{
    *z = xl_cell_part((float2)(cell->low.z, cell->high.z), around.low.z, around.high.z,
                      (float)images->at.z * cell->period.z, around.reach);
    *y = (float2)(cell->low.y - cell->room.y, cell->high.y + cell->room.y) +
         xl_cell_leaning(*z, cell->corner.z, cell->lean.x);
}

/* Of the z where the images are. What c moves them by has rounded. */
void xl_cell_images_layer(xl_cell_images *images, const xl_cell *cell, xl_cell_around around)
{
    const float by = (float)images->at.z * cell->tilt.z;
    float2 z, y;
    xl_cell_layer(images, cell, around, &z, &y);
    const int2 span = xl_cell_span((float2)(around.low.y - by, around.high.y - by),
                                   around.reach + 0x1p-21f * fabs(by), y, cell->period.y);
    images->at.y = span.x - 1;
    images->last.y = span.y;
}

/* Of the z and the y. */
void xl_cell_images_row(xl_cell_images *images, const xl_cell *cell, xl_cell_around around)
{
    const float by_b = (float)images->at.y * cell->tilt.x;
    const float by_c = (float)images->at.z * cell->tilt.y, by = by_b + by_c;
    const float by_cy = (float)images->at.z * cell->tilt.z;
    const float by_y = (float)images->at.y * cell->period.y + by_cy;
    float2 z, y;
    xl_cell_layer(images, cell, around, &z, &y);
    y = xl_cell_part(y, around.low.y, around.high.y, by_y,
                     around.reach + 0x1p-21f * (fabs(by_y) + fabs(by_cy)));
    const float2 x = (float2)(cell->low.x - cell->room.x, cell->high.x + cell->room.x) +
                     xl_cell_leaning(y, cell->corner.y, cell->lean.y) +
                     xl_cell_leaning(z, cell->corner.z, cell->lean.z);
    const int2 span =
        xl_cell_span((float2)(around.low.x - by, around.high.x - by),
                     around.reach + 0x1p-21f * (fabs(by_b) + fabs(by_c)), x, cell->period.x);
    images->at.x = span.x - 1;
    images->last.x = span.y;
}

/* Goes on to the next, around the same places and within no longer a reach; false after the last.
 */
bool xl_cell_images_next(xl_cell_images *images, const xl_cell *cell, xl_cell_around around)
{
    while (images->at.x >= images->last.x) {
        while (images->at.y >= images->last.y) {
            if (images->at.z >= images->last.z)
                return false;
            ++images->at.z;
            xl_cell_images_layer(images, cell, around);
        }
        ++images->at.y;
        xl_cell_images_row(images, cell, around);
    }
    ++images->at.x;
    return true;
}

#endif
