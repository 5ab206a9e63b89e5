/* SPDX-License-Identifier: MIT
 * Draws points as small balls: oblique view, nearest in front, light from the upper left, darker in gaps. */
#include "drawing.h"

#include <math.h>
#include <stdlib.h>

static const double YAW = 0.60, PITCH = 0.42; /* radians: the direction of view */

typedef struct view {
    double right[3], up[3], toward[3]; /* unit vectors of the picture; toward the eye */
    double scale, x0, y0;              /* picture = scale * dot + offset, y downward */
    double radius;                     /* of a ball, in pixels */
    double cut_z;                      /* points with a larger z are not drawn */
} view;

typedef struct pixel {
    float depth;    /* in pixels, larger is nearer */
    uint32_t owner; /* the point's index + 1, or 0 for none */
} pixel;

typedef struct target {
    canvas *p;
    pixel *pixels;
} target;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void look(view *v)
{
    const double sy = sin(YAW), cy = cos(YAW), sp = sin(PITCH), cp = cos(PITCH);
    const view looking = {
        .right = {cy, 0, -sy}, .up = {-sy * sp, cp, -cy * sp}, .toward = {sy * cp, sp, cy * cp}};
    *v = looking;
}

/* The position of the cut; points in front of it are not drawn. */
static double cut_at(const float *xyz, size_t n, double cut)
{
    double lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < n; ++i) {
        lower = fmin(lower, (double)xyz[3 * i + 2]);
        upper = fmax(upper, (double)xyz[3 * i + 2]);
    }
    return cut > 0 ? upper - cut * (upper - lower) : INFINITY;
}

static void to_double(const float from[3], double to[3])
{
    for (size_t k = 0; k < 3; ++k)
        to[k] = (double)from[k];
}

/* Fits the remaining points into the picture. */
static void frame(view *v, uint32_t width, uint32_t height, const float *xyz, size_t n,
                  double spacing)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (size_t i = 0; i < n; ++i) {
        double at[3];
        to_double(xyz + 3 * i, at);
        if (at[2] > v->cut_z)
            continue;
        double x = dot(at, v->right), y = dot(at, v->up);
        low_x = fmin(low_x, x);
        high_x = fmax(high_x, x);
        low_y = fmin(low_y, y);
        high_y = fmax(high_y, y);
    }
    double margin = 0.05 * fmin(width, height);
    double wide = fmax(high_x - low_x, spacing), tall = fmax(high_y - low_y, spacing);
    v->scale = fmin((width - 2 * margin) / wide, (height - 2 * margin) / tall);
    v->x0 = 0.5 * width - v->scale * 0.5 * (low_x + high_x);
    v->y0 = 0.5 * height + v->scale * 0.5 * (low_y + high_y);
    v->radius = fmin(fmax(0.66 * spacing * v->scale, 1.5), 40.0);
}

static void draw_ball(const target *t, const view *v, const float at[3], uint32_t owner)
{
    double p[3];
    to_double(at, p);
    double x = v->x0 + v->scale * dot(p, v->right), y = v->y0 - v->scale * dot(p, v->up);
    double depth = v->scale * dot(p, v->toward), r2 = v->radius * v->radius;
    long left = lround(ceil(x - v->radius)), right = lround(floor(x + v->radius));
    long top = lround(ceil(y - v->radius)), bottom = lround(floor(y + v->radius));
    left = left < 0 ? 0 : left;
    top = top < 0 ? 0 : top;
    right = right >= (long)t->p->width ? (long)t->p->width - 1 : right;
    bottom = bottom >= (long)t->p->height ? (long)t->p->height - 1 : bottom;
    for (long row = top; row <= bottom; ++row)
        for (long column = left; column <= right; ++column) {
            double dx = (double)column - x, dy = (double)row - y, z2 = r2 - dx * dx - dy * dy;
            if (z2 < 0)
                continue;
            pixel *px = &t->pixels[(size_t)row * t->p->width + (size_t)column];
            float nearer = (float)(depth + sqrt(z2));
            if (px->owner != 0 && px->depth >= nearer)
                continue;
            *px = (pixel){nearer, owner};
        }
}

static const pixel *pixel_at(const target *t, long column, long row)
{
    if (column < 0 || row < 0 || column >= (long)t->p->width || row >= (long)t->p->height)
        return NULL;
    const pixel *px = &t->pixels[(size_t)row * t->p->width + (size_t)column];
    return px->owner == 0 ? NULL : px;
}

/* The part of the surroundings that is nearer than this pixel, 0 to 1. */
static double enclosed(const target *t, long column, long row, float depth, double reach)
{
    static const double ring[8][2] = {{1, 0},  {0.7, 0.7},   {0, 1},  {-0.7, 0.7},
                                      {-1, 0}, {-0.7, -0.7}, {0, -1}, {0.7, -0.7}};
    double sum = 0;
    for (int k = 0; k < 16; ++k) {
        double far = k < 8 ? reach : 2.7 * reach;
        const pixel *px =
            pixel_at(t, column + lround(ring[k % 8][0] * far), row + lround(ring[k % 8][1] * far));
        double rise = px ? (double)(px->depth - depth) / far : 0;
        sum += rise > 0.15 && rise < 6 ? fmin(rise - 0.15, 1) : 0;
    }
    return sum / 16;
}

static void shade(const target *t, const view *v, const float *xyz, const float *values, double low,
                  double high)
{
    static const double light[3] = {-0.28, 0.55, 0.79}; /* right, up, toward; about a unit */
    for (size_t i = 0; i < (size_t)t->p->width * t->p->height; ++i) {
        const pixel *px = &t->pixels[i];
        if (px->owner == 0)
            continue;
        long column = (long)(i % t->p->width), row = (long)(i / t->p->width);
        size_t point = px->owner - 1;
        double p[3];
        to_double(xyz + 3 * point, p);
        double nx = ((double)column - v->x0 - v->scale * dot(p, v->right)) / v->radius;
        double ny = -((double)row - v->y0 + v->scale * dot(p, v->up)) / v->radius;
        double nz = sqrt(fmax(0, 1 - nx * nx - ny * ny));
        double lit = 0.70 + 0.36 * fmax(0, nx * light[0] + ny * light[1] + nz * light[2]);
        lit *= 1 - 0.6 * enclosed(t, column, row, px->depth, fmax(3, v->radius));
        double value = (double)values[point], span = high > low ? high - low : 1;
        float rgb[3];
        canvas_color((value - low) / span, rgb);
        for (size_t k = 0; k < 3; ++k)
            t->p->rgb[3 * i + k] = (float)fmin(1, (double)rgb[k] * lit);
    }
}

bool splat_points(canvas *p, uint32_t free_columns, const float *xyz, const float *values, size_t n,
                  double low, double high, const picture_settings *set)
{
    view v;
    size_t count = (size_t)p->width * p->height;
    target t = {p, calloc(count, sizeof *t.pixels)};
    if (!t.pixels)
        return false;
    look(&v);
    v.cut_z = cut_at(xyz, n, set->cut);
    if (n > 0)
        frame(&v, p->width - free_columns, p->height, xyz, n, set->spacing);
    for (size_t i = 0; i < n; ++i)
        if ((double)xyz[3 * i + 2] <= v.cut_z)
            draw_ball(&t, &v, xyz + 3 * i, (uint32_t)i + 1);
    shade(&t, &v, xyz, values, low, high);
    free(t.pixels);
    return true;
}
